"""What cells give away and keep, counted from the cells alone; and all that was found, each measured once."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt

from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import RequestError
from noiseless.exact import Bits, round_up
from noiseless.measures import largest_ratio, maximin
from noiseless.search.codebook import Codebook, ColumnCodebook, costs_in_line
from noiseless.search.loss import Length, Lengths, Loss, Utility
from noiseless.search.problem import Cells, Problem, SeenCells
from noiseless.tables.kernels import add_by_code, order_by_code, ranked
from noiseless.work import check

M = TypeVar("M", bound="Measures")

Scope = Literal["contiguous", "full-domain", "all"]
"""Among which partitions something is proved to be the best: with contiguous cells, with one level of its
hierarchy for each column, or all."""


def cell_costs(codebook: Codebook | None, cells: Cells) -> Lengths:
    """The largest distance of a member to its cell's codeword, for each cell.

    >>> from noiseless.search.merging import ColumnCodebook, Numbers
    >>> list(cell_costs(ColumnCodebook(Numbers([1, 4, 9])), Cells.from_labels([0, 0, 1])))
    [Length(3/2), Length(0)]

    Args:
        codebook: what is released for a cell.
        cells: the partition.
    """
    if codebook is None:
        raise RequestError("distortion needs a codebook")
    return costs_in_line(codebook, *order_by_code(cells.cell_of, cells.count))


def largest(costs: Lengths, kept: IntArray) -> Length:
    """The largest of the costs of some cells."""
    tops, bottoms = costs.numerators[kept], costs.denominators[kept]
    if len(kept) and tops.dtype != object and bottoms.min() == bottoms.max():
        return costs[int(kept[tops.argmax()])]
    floats = costs.floats[kept]
    near = kept[floats >= floats.max() * (1 - 1e-9)]
    return max((costs[int(cell)] for cell in _first_of_equals(costs, near)), default=Length(0))


def _first_of_equals(costs: Lengths, cells: IntArray) -> IntArray:
    """Cells with every different cost among some, each once."""
    pairs = np.stack((costs.numerators[cells], costs.denominators[cells]), axis=1)
    if pairs.dtype == object:
        return cells
    return cells[np.unique(pairs, axis=0, return_index=True)[1]]


@dataclass(frozen=True)
class Measures:
    """What a partition gives away and what it keeps, exactly.

    Suppressed values are a cell like any other for what is given away, and are left out of the distortion and
    of the resolution.

    Attributes:
        cells: how many cells there are, those of suppressed values included.
        leakage: L0(S -> Xh), or L0(S -> Xh|A) with side information.
        maximin: I*(S; Xh), or I*(S; (Xh, A)).
        min_posterior: how few sensitive values an answer leaves at least.
        resolution: U1 = I0(X -> Xh) = log2 |X| / largest_cell, of the values that are not suppressed.
        distortion: -U2: the largest distance of a public value to what is released for it; None where no
            distance applies.
        suppressed_rows: how many rows are suppressed: they read `*`.
        suppressed_values: how many public values they have.
        max_posterior: how many sensitive values an answer leaves at most.
        largest_cell: how many public values the largest cell holds.
        mean_loss: the mean over rows and columns of the share of a column that a row's cell spans (its NCP),
            or another loss that the problem names;
            None where there are no columns.
        min_rows: how many rows an answer has at least: rows of one cell, suppressed ones too, with the same
            side information; 0 where that is not known.
        kept: whether all answers keep to the limits of the problem itself.
    """

    cells: int
    leakage: Bits
    maximin: Bits
    min_posterior: int
    resolution: Bits
    distortion: Length | None
    suppressed_rows: int = 0
    suppressed_values: int = 0
    max_posterior: int = 0
    largest_cell: int = 0
    mean_loss: Fraction | None = None
    min_rows: int = 0
    kept: bool = True

    def leak(self, objective: str) -> Bits:
        """What is given away: the maximin information, or else the leakage."""
        return self.maximin if objective == "maximin" else self.leakage

    def loss(self, utility: Utility) -> Loss:
        """What is lost: the distortion, or the resolution's distance from log2 |X| of all values."""
        if utility == "distortion":
            if self.distortion is None:
                raise RequestError("distortion needs a codebook")
            return self.distortion
        kept = self.resolution.ratio * self.largest_cell
        return Bits((kept + self.suppressed_values) / self.resolution.ratio)

    def to_readers(self, readers: "Iterable[Measures]") -> Self:
        """The same with what the best informed of some readers learns; unchanged without any."""
        known = tuple(readers)
        if not known:
            return self
        return replace(
            self,
            leakage=max(one.leakage for one in known),
            maximin=max(one.maximin for one in known),
            min_posterior=min(one.min_posterior for one in known),
            max_posterior=min(one.max_posterior for one in known),
            min_rows=min(one.min_rows for one in known),
        )


@dataclass(frozen=True, repr=False)
class ReleasePoint(Measures):
    """What a release, or one that could be made, gives away and keeps; every number is exact.

    Attributes:
        method: how it was found, and how that was asked.
        series: the method alone, where it is one of several in a survey.
        setting: how that was asked, such as "k = 5"; empty if there is nothing to set.
        scope: `all` if no partition at all beats it (gives away less and loses no more, or gives away no more
            and loses less), `contiguous` if none with contiguous cells does, `full-domain` if no other choice
            of levels does; None if nothing is proved.
        partition: the partition of the public values, where it is known.
        hidden: which of them are suppressed.
    """

    method: str = ""
    series: str = ""
    setting: str = ""
    scope: Scope | None = None
    partition: Cells | None = field(default=None, compare=False)
    hidden: BoolArray | None = field(default=None, compare=False)

    @classmethod
    def of(cls, measures: Measures, method: str, **facts: Any) -> "ReleasePoint":  # noqa: ANN401 - as above
        """A partition that is measured, and how it was found."""
        return cls(**vars(measures), method=method, **facts)

    @property
    def measures(self) -> Measures:
        """The measures alone."""
        return Measures(**{name: getattr(self, name) for name in Measures.__dataclass_fields__})

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON: leaks and distortions rounded up, the resolution down, and all exactly."""
        lost = self.distortion
        return {
            "cells": self.cells,
            "leakage": self.leakage.upper,
            "leakage_exact": str(self.leakage.ratio),
            "maximin": self.maximin.upper,
            "maximin_exact": str(self.maximin.ratio),
            "min_posterior": self.min_posterior,
            "min_rows": self.min_rows,
            "resolution": self.resolution.lower,
            "resolution_exact": str(self.resolution.ratio),
            "distortion": None if lost is None else lost.upper,
            "distortion_exact": None if lost is None else lost.exact_text,
            "mean_loss": None if self.mean_loss is None else round_up(self.mean_loss),
            "suppressed_rows": self.suppressed_rows,
            "method": self.method,
        }

    def __repr__(self) -> str:
        lost = "" if self.distortion is None else f", distortion {self.distortion}"
        return (
            f"ReleasePoint({self.method}: {self.cells} cells, leakage {self.leakage}, "
            f"maximin {self.maximin}, min posterior {self.min_posterior}{lost})"
        )


def measure(problem: Problem, cells: Cells, suppressed: BoolArray | None = None) -> Measures:
    """Measure a partition from the joint range alone, with none of the code that may have chosen it.

    >>> from noiseless import JointRange
    >>> hidden = Problem(JointRange.from_pairs([("s1", "a"), ("s2", "a"), ("s2", "b"), ("s3", "c")]))
    >>> found = measure(hidden, Cells.from_labels([0, 1, 1]))
    >>> found.leakage, found.min_posterior, found.resolution
    (Bits(3/2), 2, Bits(3/2))

    Args:
        problem: the joint range, the codebook, side information and rows.
        cells: the cell of each public value; cells never reach over groups.
        suppressed: which public values are suppressed: one cell, of any groups.
    """
    if len(cells.cell_of) != problem.size:
        raise RequestError(f"there are {problem.size:,} public values, and cells for {len(cells.cell_of):,}")
    hidden = np.zeros(problem.size, bool) if suppressed is None else np.asarray(suppressed, bool)
    unchanged = cells.count == problem.size and not hidden.any()
    if not unchanged:
        return _measure(problem, cells, hidden)
    if measure not in problem.made:  # asked for before and in every search
        problem.made[measure] = _measure(problem, cells, hidden)
    found: Measures = problem.made[measure]
    return found


def _measure(problem: Problem, cells: Cells, hidden: BoolArray) -> Measures:
    _check(problem, cells, hidden)
    many = len(problem.known_prior)
    answers, codes = np.arange(cells.count), cells.cell_of
    if not problem.plain:
        answers, codes = ranked(cells.cell_of[problem.public] * many + problem.known)
    same = problem.plain and cells.count == problem.size
    merged = problem.joint if same else problem.joint.merged(codes)
    sizes, components = merged.posterior_sizes, maximin(merged)
    del merged  # before the costs of cells take as much room
    kept = ranked(cells.cell_of[~hidden])[0] if hidden.any() else np.arange(cells.count)
    most = int(np.bincount(cells.cell_of)[kept].max())
    return Measures(
        cells.count,
        Bits(largest_ratio(problem.known_prior[answers % many], sizes)),
        components,
        int(sizes.min()),
        Bits(Fraction(int(np.count_nonzero(~hidden)), most)),
        None if problem.codebook is None else largest(cell_costs(problem.codebook, cells), kept),
        int(problem.weights[hidden].sum()),
        int(hidden.sum()),
        int(sizes.max()),
        most,
        _mean_loss(problem, cells, hidden),
        int(add_by_code(codes, problem.counts, len(answers)).min()),
        all(bool(limit.met(cells.cell_of, cells.count, hidden).all()) for limit in problem.limits),
    )


def _mean_loss(problem: Problem, cells: Cells, hidden: BoolArray) -> Fraction | None:
    if not isinstance(problem.codebook, ColumnCodebook):
        return None
    return problem.loss.total(problem.codebook.axes, cells.cell_of, hidden, problem.weights)


def measure_read(
    problem: Problem, cells: Cells, hidden: BoolArray | None = None
) -> tuple[SeenCells, Measures]:
    """Cells as they read, and measured so."""
    gone = np.zeros(problem.size, bool) if hidden is None else hidden
    read = problem.read(cells, gone)
    found = measure(problem, read.cells, read.hidden)
    return read, found if read.distortion is None else replace(found, distortion=read.distortion)


def _check(problem: Problem, cells: Cells, hidden: BoolArray) -> None:
    """Cells within groups; suppressed values as one whole cell; and something is left."""
    if hidden.all():
        raise RequestError("all public values are suppressed: there is nothing left to release")
    if problem.groups is not None:
        firsts = np.zeros(cells.count, np.int64)
        firsts[cells.cell_of] = problem.group_of
        if np.any((firsts[cells.cell_of] != problem.group_of) & ~hidden):
            raise RequestError("a cell reaches over groups, which are never merged")
    if not hidden.any():
        return
    gone = np.unique(cells.cell_of[hidden])
    if len(gone) > 1 or np.isin(cells.cell_of[~hidden], gone).any():
        raise RequestError("suppressed values are one cell of their own")


@dataclass(eq=False)
class Memory:
    """The partitions of a problem that were found, in the order in which they were.

    Attributes:
        problem: what is merged.
        points: what was found; equal partitions that several methods found are there for each of them.
    """

    problem: Problem
    points: list[ReleasePoint] = field(default_factory=list)
    _known: dict[tuple[bytes, bytes], ReleasePoint] = field(default_factory=dict, repr=False)
    _trunk: "Memory | None" = field(default=None, repr=False)

    def branch(self, many: int = 0) -> "Memory":
        """The memory of one search: it begins with the first points of this, where what it finds is kept."""
        return Memory(self.problem, self.points[:many], self._known, self)

    def add(
        self,
        labels: npt.ArrayLike | Cells,
        series: str,
        hidden: BoolArray | None = None,
        *,
        setting: str = "",
        scope: Scope | None = None,
    ) -> ReleasePoint:
        """Measure a partition as it reads, and keep it.

        Args:
            labels: the cells.
            series: the method that found them.
            hidden: which public values are suppressed.
            setting: how the method was asked, such as "k = 5".
            scope: among which partitions it is known that none beats it.

        Raises:
            WorkCancelledError: nobody waits for more.
        """
        cells = labels if isinstance(labels, Cells) else Cells.from_labels(labels)
        key = cells.digest, b"" if hidden is None or not hidden.any() else np.packbits(hidden).tobytes()
        known = self._known.get(key)
        if known is None:
            read, measures = measure_read(self.problem, cells, hidden)
            known = ReleasePoint.of(measures, series, partition=read.cells, hidden=read.hidden)
            self._known[key] = known
        method = f"{series}, {setting}" if setting else series
        found = replace(known, method=method, series=series, setting=setting, scope=scope)
        self.points.append(found)
        if self._trunk is not None:
            self._trunk.points.append(found)
        check()
        return found
