"""From a table and a request to a problem and a wish, and to the partition that is chosen."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import RequestError
from noiseless.releases.columns import PublicColumns, public_columns
from noiseless.releases.marked import explained
from noiseless.releases.measuring import Measured
from noiseless.releases.reading import ReadCells, Scale
from noiseless.releases.results import Progress
from noiseless.releases.source import Source
from noiseless.search.merging import Cells, SideInformation
from noiseless.search.merging.codebook import Codeword
from noiseless.search.selection import Choice, Problem, Wish, choose
from noiseless.search.selection.problem import Reading


@dataclass(frozen=True, eq=False, repr=False)
class SeenProblem(Problem):
    """The problem of a table: its reader sees what is written, and kept columns too.

    Kept columns are no prior knowledge, given ones are.

    Attributes:
        columns: the public columns.
        codeword: what is released for numbers that are merged.
        priors: |[[S|a]]| for each y of the joint range.
    """

    columns: PublicColumns | None = None
    codeword: Codeword = "midrange"
    priors: IntArray | None = None

    def read(self, cells: Cells, hidden: BoolArray) -> Reading:
        """Cells that read alike are one, and distances are to what is written."""
        if self.columns is None or self._reads_as_it_is(cells, hidden):
            return Reading(cells, hidden)
        found = ReadCells.of(self.columns, cells.cell_of, hidden, self.codeword)
        if found.mixes_groups:  # a text that is no number reads as merged or suppressed ones: not allowed
            return Reading(Cells.from_labels(np.arange(self.size)), np.zeros(self.size, bool))
        return Reading(Cells.from_labels(found.cell_of), found.hidden, found.distortion)

    def _reads_as_it_is(self, cells: Cells, hidden: BoolArray) -> bool:
        """Whether cells are runs of one column of numbers, whose middles and ends all differ.

        A text among the numbers may read as an interval, never as a middle.
        """
        column = None if self.columns is None else self.columns.columns[0]
        if column is None or column.kind != "number" or self.line is None or hidden.any():
            return False
        if self.codeword != "midrange" and (self.codeword != "interval" or column.holds_texts):
            return False
        along = cells.cell_of[np.lexsort((self.line, self.group_of))]
        return int(np.count_nonzero(np.diff(along))) == cells.count - 1

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
            self.public,
            request.codeword,
            source.prior if beside else None,
        )

    def measured(self, cell_of: IntArray, suppressed: BoolArray) -> Measured:
        """Cells as they read, measured."""
        read = ReadCells.of(self.public, cell_of, suppressed, self.source.request.codeword)
        if read.mixes_groups:
            raise AssertionError("a cell holds values that are never merged")
        return Measured(self.source, read)


def chosen(prepared: Prepared, progress: Progress | None = None) -> tuple[Choice, Measured]:
    """The partition that serves a request best, and what it is worth as it is written.

    Raises:
        RequestError: what is asked for is impossible; the message says what is possible.
    """
    wish = _wish(prepared)
    try:
        choice = choose(prepared.problem, wish, progress)
    except RequestError as error:
        if prepared.public.groups is None:
            raise
        raise explained(error, prepared.public, suppresses=prepared.source.request.suppress > 0) from None
    return choice, prepared.measured(choice.cells.cell_of, choice.suppressed)


def _wish(prepared: Prepared) -> Wish:
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
        max_distortion=_written(prepared, request.max_distortion),
        min_resolution=request.min_resolution,
        suppress=request.suppress,
        method=request.method,
    )


def _written(prepared: Prepared, limit: Fraction | None) -> Fraction | None:
    """A limit on the distortion as far as it can be used up: the middle of days is written as a day."""
    public, days = prepared.public, prepared.public.columns[0].kind == "date"
    unit = Scale.of(public, [Fraction(1)] * len(public.columns)).unit
    if limit is None or not days or len(public.columns) > 1 or prepared.source.request.codeword != "midrange":
        return limit
    return limit // unit * unit if unit else limit
