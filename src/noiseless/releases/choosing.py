"""From a table and a request to a problem and a wish, and to the partition that is chosen."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from noiseless.errors import RequestError
from noiseless.policies.merging import SideInformation
from noiseless.policies.selection import Choice, Problem, Wish, choose
from noiseless.releases.columns import PublicColumns, public_columns
from noiseless.releases.marked import choose_suppressing_marked, explained
from noiseless.releases.measuring import Measured
from noiseless.releases.reading import ReadCells
from noiseless.releases.results import Progress
from noiseless.releases.source import Source
from noiseless.tables import IntArray

_TRIES = 8
"""How often a tighter limit is tried when what is written misses the limit that was asked for."""


@dataclass(frozen=True, eq=False, repr=False)
class SeenProblem(Problem):
    """A problem in which the reader sees kept columns too: they are no prior knowledge, given ones are.

    Attributes:
        priors: |[[S|a]]| for each y of the joint range.
    """

    priors: IntArray | None = None

    @cached_property
    def prior(self) -> IntArray:
        """For each code of `seen` what the posterior sets are compared with."""
        if self.priors is None:
            return np.full(int(self.seen.max()) + 1, self.joint.size_x)
        found = np.zeros(int(self.seen.max()) + 1, np.int64)
        found[self.seen] = self.priors
        return found


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table that is ready to be released.

    Attributes:
        source: its columns, counted.
        public: its public columns.
    """

    source: Source
    public: PublicColumns

    @classmethod
    def of(cls, source: Source) -> "Prepared":
        """Find out of which kind each public column is.

        Raises:
            NoiselessError: there is nothing to hide or to merge, or a column is of another kind.
        """
        source.check()
        return cls(source, public_columns(source))

    @cached_property
    def problem(self) -> Problem:
        """What is to be chosen."""
        source, request = self.source, self.source.request
        beside = bool(request.keep or request.given)
        side = SideInformation(source.public_of_seen, source.shown_of_seen) if beside else None
        return SeenProblem(
            source.joint,
            self.public.codebook(request),
            side,
            source.public.counts,
            self.public.groups,
            source.prior if beside else None,
        )

    def measured(
        self, cell_of: IntArray, suppressed: "np.ndarray[tuple[int], np.dtype[np.bool_]]"
    ) -> Measured:
        """Cells as they read, measured."""
        codeword = self.source.request.codeword
        return Measured(self.source, ReadCells.of(self.public, cell_of, suppressed, codeword))


def chosen(prepared: Prepared, progress: Progress | None = None) -> tuple[Choice, Measured]:
    """The partition that serves a request best, and what it is worth as it is written.

    Raises:
        RequestError: what is asked for is impossible; the message says what is possible.
    """
    request = prepared.source.request
    bound = request.max_distortion
    for _ in range(_TRIES):
        choice = _chosen(prepared, _wish(prepared, bound), progress)
        found = prepared.measured(choice.cells.cell_of, choice.suppressed)
        if bound is None or request.max_distortion is None or found.distortion <= request.max_distortion:
            break
        bound = _tighter(bound, request.max_distortion, found)
    _check_limits(prepared, found)
    return choice, found


def _chosen(prepared: Prepared, wish: Wish, progress: Progress | None) -> Choice:
    """The choice; where values that are no numbers stand in its way, with these suppressed."""
    try:
        return choose(prepared.problem, wish, progress)
    except RequestError as error:
        if prepared.public.groups is None:
            raise
        found = choose_suppressing_marked(prepared.problem, prepared.public, wish, progress)
        if found is None:
            raise explained(error, prepared.public) from None
        return found


def _tighter(bound: Fraction, limit: Fraction, found: Measured) -> Fraction:
    """A lower limit, by as much as what is written exceeds it (rounded numbers can, by less than a unit)."""
    over = Fraction(found.distortion.upper) - limit
    return max(Fraction(0), bound - 2 * over)


def _wish(prepared: Prepared, max_distortion: Fraction | None) -> Wish:
    request = prepared.source.request
    values, hidden = prepared.source.joint.size_x, ", ".join(request.sensitive)
    if request.min_posterior is not None and request.min_posterior > values:
        raise RequestError(
            f"{hidden} has {values:,} different values, so at most {values:,} can hide behind an answer; ask "
            f"for --min-posterior {values} or less"
        )
    if request.weight is None and not request.targets:
        raise RequestError(
            "there is no target: say how much to hide (--min-posterior, --max-leakage, --max-maximin), how "
            "much may be lost (--max-distortion, --min-resolution), or how to weigh them (--weight)"
        )
    return Wish(
        objective=request.objective,
        utility=request.utility,
        weight=request.weight,
        min_posterior=request.min_posterior,
        max_leakage=request.max_leakage,
        max_maximin=request.max_maximin,
        max_distortion=max_distortion,
        min_resolution=request.min_resolution,
        suppress=request.suppress,
        method=request.method,
    )


def _check_limits(prepared: Prepared, found: Measured) -> None:
    """Hold what is written against every limit: what reads alike is one cell, numbers are rounded."""
    request, source = prepared.source.request, prepared.source
    kept = {
        "--min-posterior": request.min_posterior is None or found.min_posterior >= request.min_posterior,
        "--max-leakage": request.max_leakage is None or found.leakage <= request.max_leakage,
        "--max-maximin": request.max_maximin is None or found.maximin <= request.max_maximin,
        "--max-distortion": request.max_distortion is None or found.distortion <= request.max_distortion,
        "--min-resolution": request.min_resolution is None or not found.resolution < request.min_resolution,
        "--suppress": found.suppressed_rows <= request.suppress * source.rows,
    }
    missed = [option for option, holds in kept.items() if not holds]
    if missed:
        raise RequestError(
            f"no release was found that keeps {' and '.join(missed)} once cells that read alike are one; ask "
            "for less, or for another codeword"
        )
