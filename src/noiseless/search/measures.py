"""What cells give away, what they keep and what each costs, counted from the cells alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import RequestError
from noiseless.exact import Bits, round_up
from noiseless.measures import maximin
from noiseless.search.axes import mean_loss
from noiseless.search.codebook import Codebook, ColumnCodebook
from noiseless.search.loss import Length, Lengths, Loss, Utility
from noiseless.search.problem import Cells, Problem, SeenCells

Scope = Literal["contiguous", "all"]
"""Among which partitions something is proved to be the best."""


def cell_costs(codebook: Codebook | None, cells: Cells) -> Sequence[Length]:
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
    if isinstance(codebook, ColumnCodebook) and codebook.fits:
        order, starts = np.argsort(cells.cell_of, kind="stable"), np.append(0, np.cumsum(cells.sizes)[:-1])
        unit, root = codebook.scaled.unit, codebook.combine == "squares"
        return Lengths(*codebook.cell_costs(order, starts), unit**2 if root else unit, root)
    return [codebook.cost(members) for members in cells.members]


def largest(costs: Sequence[Length], kept: IntArray) -> Length:
    """The largest of the costs of some cells."""
    if not isinstance(costs, Lengths):
        return max((costs[int(cell)] for cell in kept), default=Length(0))
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
        mean_loss: the mean over rows and columns of the share of a column that a row's cell spans (its NCP);
            None where there are no columns.
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


@dataclass(frozen=True, repr=False)
class ReleasePoint(Measures):
    """What a release, or one that could be made, gives away and keeps; every number is exact.

    Attributes:
        method: how it was found, and how that was asked.
        series: the method alone, where it is one of several in a survey.
        setting: how that was asked, such as "k = 5"; empty if there is nothing to set.
        scope: `all` if no partition at all beats it (gives away less and loses no more, or gives away no more
            and loses less), `contiguous` if none with contiguous cells does; None if nothing is proved.
        make: makes the partition.
    """

    method: str = ""
    series: str = ""
    setting: str = ""
    scope: Scope | None = None
    make: Callable[[], Cells] | None = field(default=None, compare=False)

    @classmethod
    def of(cls, measures: Measures, method: str, **facts: Any) -> "ReleasePoint":  # noqa: ANN401 - as above
        """A partition that is measured, and how it was found."""
        return cls(**vars(measures), method=method, **facts)

    @property
    def measures(self) -> Measures:
        """The measures alone."""
        return Measures(**{name: getattr(self, name) for name in Measures.__dataclass_fields__})

    @cached_property
    def partition(self) -> Cells:
        """The partition of the public values."""
        if self.make is None:
            raise ValueError("the cells of this point are not known")
        return self.make()

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
    _check(problem, cells, hidden)
    many = len(problem.known_prior)
    answers, codes = np.unique(cells.cell_of[problem.public] * many + problem.known, return_inverse=True)
    merged = problem.joint.merged(codes.reshape(-1))
    sizes = merged.posterior_sizes
    kept = np.unique(cells.cell_of[~hidden])
    most = int(cells.sizes[kept].max())
    return Measures(
        cells.count,
        Bits(largest_ratio(problem.known_prior[answers % many], sizes)),
        maximin(merged),
        int(sizes.min()),
        Bits(Fraction(int(np.count_nonzero(~hidden)), most)),
        None if problem.codebook is None else largest(cell_costs(problem.codebook, cells), kept),
        int(problem.weights[hidden].sum()),
        int(hidden.sum()),
        int(sizes.max()),
        most,
        _mean_loss(problem, cells, hidden),
    )


def _mean_loss(problem: Problem, cells: Cells, hidden: BoolArray) -> Fraction | None:
    if not isinstance(problem.codebook, ColumnCodebook):
        return None
    return mean_loss(problem.codebook.axes, cells.cell_of, hidden, problem.weights)


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
    firsts = np.zeros(cells.count, np.int64)
    firsts[cells.cell_of] = problem.group_of
    if np.any((firsts[cells.cell_of] != problem.group_of) & ~hidden):
        raise RequestError("a cell reaches over groups, which are never merged")
    gone = np.unique(cells.cell_of[hidden])
    if len(gone) > 1 or np.isin(cells.cell_of[~hidden], gone).any():
        raise RequestError("suppressed values are one cell of their own")


def largest_ratio(before: IntArray, after: IntArray) -> Fraction:
    """The largest before / after, exactly: for each size after, only the largest size before matters."""
    most = np.zeros(int(after.max()) + 1, np.int64)
    np.maximum.at(most, after, before)
    return max(Fraction(int(most[size]), int(size)) for size in np.flatnonzero(most))
