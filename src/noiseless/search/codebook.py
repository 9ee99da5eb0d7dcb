"""What is released for a cell, and how far that is from the values in it (U2 of [P3])."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from typing import Any, Literal, Protocol

import numpy as np

from noiseless.arrays import FloatArray, IntArray
from noiseless.errors import RequestError
from noiseless.search.axes import Axis, TreeAxis, axis, sizes_of
from noiseless.search.columns import Categories, Column, Hierarchy, Numbers
from noiseless.search.loss import Codeword, Distance, Length, Lengths

DISTANCES: tuple[Distance, ...] = ("absolute", "euclidean", "squared", "max", "hamming", "discrete", "gower")
CODEWORDS: tuple[Codeword, ...] = ("midrange", "centroid", "medoid", "interval")

_ROOM = 2**62

_AT_ONCE, _PAIRS_AT_ONCE = 2**16, 2**18
"""This many distances are looked at in one go, and this many bounds of pairs."""


class Codebook(Protocol):
    """What a merging algorithm asks of a distortion; write one's own with these three.

    `cost` must not depend on the order of the members, and must be 0 for a single one.
    """

    def __len__(self) -> int:
        """How many public values there are."""
        ...

    def cost(self, members: Sequence[int]) -> Length:
        """The largest distance of a member to the cell's codeword."""
        ...

    def codeword(self, members: Sequence[int]) -> Any:  # noqa: ANN401 - whatever is released
        """What is released for a cell."""
        ...


@dataclass(frozen=True, eq=False)
class Scaled:
    """Columns on one integer scale, so that distances are whole numbers of `unit`.

    Attributes:
        points: for each column of numbers where its different ones lie, ascending.
        places: which of these each public value has.
        categories: for each column of categories the codes of the public values.
        penalties: what a difference in each column of categories counts.
        node_costs: for each hierarchy what its nodes cost.
        unit: what 1 stands for.
        fits: whether all that is computed of these stays within 64 bits; else numbers are Python's.
    """

    points: tuple[IntArray, ...]
    places: tuple[IntArray, ...]
    categories: tuple[IntArray, ...]
    penalties: tuple[int, ...]
    node_costs: tuple[IntArray, ...]
    unit: Fraction
    fits: bool

    def positions(self, values: IntArray | Sequence[int] | slice) -> list[IntArray]:
        """Where public values lie in each column of numbers."""
        return [points[codes[values]] for points, codes in zip(self.points, self.places, strict=True)]


@dataclass(frozen=True, eq=False)
class ColumnCodebook:
    """A codebook over columns: a distance, and a choice of codeword.

    A cell's category that is not the same for all its members is released as the set of them, and every
    member counts as different from it; with `medoid` the codeword is a member, category and all. A
    hierarchy's column is released as the lowest node above the members (with `medoid`: as a member) and
    costs what that node costs.

    Attributes:
        columns: the public columns, each with one entry a public value.
        distance: how the columns' differences make one number: their sum (`absolute`; `gower` after dividing
            by declared ranges and the number of columns), the sum of their squares (`squared`) or its root
            (`euclidean`), the largest (`max`); or how many columns differ (`hamming`), or whether any does
            (`discrete`).
        word: `midrange`, `centroid` (as in [P3]), `medoid` (the member with the least largest distance), or
            `interval`, whose cost is the distance from its middle to its corner.
    """

    columns: tuple[Column, ...]
    distance: Distance = "max"
    word: Codeword = "midrange"

    def __init__(
        self,
        *columns: Column,
        distance: Distance | None = None,
        codeword: Codeword = "midrange",
    ) -> None:
        if not columns or len({len(column) for column in columns}) != 1 or not len(columns[0]):
            raise RequestError("a codebook takes one or more columns with an entry for each public value")
        chosen = distance or ("absolute" if len(columns) == 1 else "max")
        if chosen not in DISTANCES or codeword not in CODEWORDS:
            raise RequestError(f"distances: {', '.join(DISTANCES)}; codewords: {', '.join(CODEWORDS)}")
        if chosen == "gower" and any(isinstance(c, Numbers) and c.span is None for c in columns):
            raise RequestError(
                "the distance of Gower needs each numeric column's declared range: span=(low, high)"
            )
        if chosen in ("hamming", "discrete"):
            columns = tuple(_as_categories(column) for column in columns)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "distance", chosen)
        object.__setattr__(self, "word", codeword)

    def __len__(self) -> int:
        return len(self.columns[0])

    def take(self, values: IntArray) -> "ColumnCodebook":
        """The codebook of some of its public values."""
        columns = [column.take(values) for column in self.columns]
        return ColumnCodebook(*columns, distance=self.distance, codeword=self.word)

    @property
    def combine(self) -> Literal["max", "sum", "squares"]:
        """How the columns' differences are put together."""
        if self.distance in ("max", "discrete"):
            return "max"
        return "squares" if self.distance in ("euclidean", "squared") else "sum"

    @property
    def rooted(self) -> bool:
        """Whether distances are roots of what is computed."""
        return self.distance == "euclidean"

    @cached_property
    def cost_unit(self) -> Fraction:
        """What 1 of a cost on the integer scale stands for, before a root is taken."""
        return self.scaled.unit**2 if self.combine == "squares" else self.scaled.unit

    @property
    def by_hull(self) -> bool:
        """Whether a cell's cost follows from each column's extremes alone."""
        numeric = sum(isinstance(column, Numbers) for column in self.columns)
        if self.word == "midrange":
            return numeric <= 1 or self.combine == "max"
        return self.word == "interval" or (self.word == "centroid" and not numeric)

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """The columns as orders along which cells can be cut."""
        return tuple(axis(column) for column in self.columns)

    @cached_property
    def scaled(self) -> Scaled:
        """The columns on one integer scale."""
        whole, unit = common_scale([self._factor(column) for column in self.columns])
        taken = list(zip(self.columns, whole, strict=True))
        points = [_times(c.points, k) for c, k in taken if isinstance(c, Numbers)]
        penalties = [k for c, k in taken if isinstance(c, Categories)]
        costs = [[int(v) * k for v in c.node_costs] for c, k in taken if isinstance(c, Hierarchy)]
        fits = self._fits([*(int(column[-1]) for column in points), *penalties, *map(max, costs)])
        kind = np.int64 if fits and all(column.dtype != object for column in points) else object
        return Scaled(
            tuple(column.astype(kind, copy=False) for column in points),
            tuple(c.codes for c in self.columns if isinstance(c, Numbers)),
            tuple(c.codes for c in self.columns if isinstance(c, Categories)),
            tuple(penalties),
            tuple(np.array(column, kind) for column in costs),
            unit,
            kind is np.int64,
        )

    @property
    def fits(self) -> bool:
        """Whether all that is computed on the integer scale stays within 64 bits."""
        return self.scaled.fits

    def _fits(self, spans: Sequence[int]) -> bool:
        """Whether so much as columns span, and what is computed from it, stays within 64 bits."""
        below = 2 if self.word != "centroid" else max(2, len(self))
        terms = [below * span for span in spans]
        return (sum(term**2 for term in terms) if self.combine == "squares" else sum(terms)) < _ROOM

    def _factor(self, column: Column) -> Fraction:
        share = Fraction(1, len(self.columns)) if self.distance == "gower" else Fraction(1)
        if isinstance(column, Numbers):
            width = column.span[1] - column.span[0] if self.distance == "gower" and column.span else 1
            return column.unit * column.weight * share / width
        if isinstance(column, Hierarchy) and self.distance == "gower":
            return column.weight * share / max(1, int(column.node_costs.max()))
        return column.weight * share

    def length(self, numerator: int, denominator: int) -> Length:
        """A cost as it is computed on the integer scale, as a length."""
        return Length(Fraction(int(numerator), int(denominator)) * self.cost_unit, root=self.rooted)

    def lengths(self, numerators: IntArray, denominators: IntArray) -> FloatArray:
        """About the same for many, as floats."""
        found = numerators / denominators * float(self.cost_unit)
        return np.asarray(np.sqrt(found) if self.rooted else found)

    def cost(self, members: Sequence[int]) -> Length:
        """The largest distance of a member to the cell's codeword, exactly."""
        return self.costs(np.array([int(member) for member in members]), np.zeros(1, np.int64))[0]

    def costs(self, order: IntArray, starts: IntArray) -> Lengths:
        """The exact costs of cells, given as their members one after the other."""
        return Lengths(*self.cell_costs(order, starts), self.cost_unit, self.rooted)

    def cell_costs(self, order: IntArray, starts: IntArray) -> tuple[IntArray, IntArray]:
        """The same on the integer scale, as numerators and denominators."""
        if self.word == "medoid":
            costs = [self._medoid_cost(cell) for cell in np.split(order, starts[1:])]
            return np.array(costs, self._kind), np.ones(len(starts), np.int64)
        sizes = sizes_of(starts, len(order))
        below = sizes if self.word == "centroid" and self.scaled.points else np.full_like(sizes, 2)
        below = below.astype(self._kind, copy=False)
        found = []
        if self.by_hull or len(self.scaled.points) < len(self.columns):
            found.append(combined(self._alike_costs(order, starts, below), self.combine))
        if self.scaled.points and not self.by_hull:
            gaps = (self._gaps(column, starts, sizes, below) for column in self.scaled.positions(order))
            found.append(np.maximum.reduceat(combined(gaps, self.combine), starts))
        total = combined(found, "max" if self.combine == "max" else "sum")
        return total, below**2 if self.combine == "squares" else below

    def _alike_costs(self, order: IntArray, starts: IntArray, below: IntArray) -> Iterator[IntArray]:
        """What the columns cost that cost the same for all members of a cell, one after the other."""
        for tree, costs in self.trees:
            yield below * costs[tree.cell_nodes(order, starts)]
        for codes, penalty in zip(self.scaled.categories, self.scaled.penalties, strict=True):
            yield below * penalty * np.not_equal(*_ends(codes[order], starts))
        if self.by_hull:
            for points, places in zip(self.scaled.points, self.scaled.places, strict=True):
                first, last = _ends(places[order], starts)
                yield points[last] - points[first]

    @cached_property
    def trees(self) -> tuple[tuple[TreeAxis, IntArray], ...]:
        """The hierarchies as axes, with what each node costs on the integer scale."""
        axes = [one for one in self.axes if isinstance(one, TreeAxis)]
        return tuple(zip(axes, self.scaled.node_costs, strict=True))

    @property
    def _kind(self) -> type:
        return np.int64 if self.fits else object

    def distances(self, values: IntArray, others: IntArray) -> IntArray:
        """How far each of some values (a row each) is from each of others."""
        numbers, fixed = self._apart(values, others)
        return combined([*numbers, *fixed], self.combine)

    def pair_bounds(self, values: IntArray, others: IntArray) -> IntArray:
        """What a cell of each of some values (a row each) and of each of others costs at least.

        Numerators over 2, over 4 for squares; where `fits`.
        """
        found = []
        for some in np.array_split(others, 1 + len(others) // _PAIRS_AT_ONCE):
            numbers, fixed = self._apart(values, some)
            found.append(self.least_cost(numbers, [2 * part for part in fixed]))
        return np.concatenate(found, axis=1)

    def _apart(self, values: IntArray, others: IntArray) -> tuple[list[IntArray], list[IntArray]]:
        """How far values are from others in each column: of numbers, and of what has no middle."""
        scaled, rows = self.scaled, values[:, None]
        both = zip(scaled.positions(rows), scaled.positions(others), strict=True)
        numbers = [np.abs(one - other) for one, other in both]
        fixed = [
            np.where(codes[rows] != codes[others], penalty, 0)
            for codes, penalty in zip(scaled.categories, scaled.penalties, strict=True)
        ]
        fixed += [costs[tree.common_of(tree.codes[rows], tree.codes[others])] for tree, costs in self.trees]
        return numbers, fixed

    def least_cost(self, widths: Sequence[IntArray], fixed: Sequence[IntArray]) -> IntArray:
        """What cells cost at least, by how wide they are in columns of numbers, and by what others cost.

        No codeword is nearer to all members than half of any one column's width.
        """
        if self.word == "medoid":
            largest = combined([*widths, *fixed], "max")
            return largest**2 if self.combine == "squares" else largest
        if self.word != "interval" and len(widths) > 1:
            widths = [combined(widths, "max")]
        return combined([*widths, *fixed], self.combine)

    def _medoid_cost(self, members: IntArray) -> int:
        """The least largest distance of a member to all: first of those that are nearest to the extremes."""
        numbers = self.scaled.positions(members)
        ends = [0, *(int(end) for column in numbers for end in (column.argmin(), column.argmax()))]
        least = self.distances(members, members[np.unique(ends)]).max(axis=1)
        order, rows = np.argsort(least, kind="stable"), max(1, _AT_ONCE // len(members))
        best = int(self.distances(members[order[:1]], members).max())
        for start in range(0, len(order), rows):
            if least[order[start]] >= best:
                break
            reached = self.distances(members[order[start : start + rows]], members).max(axis=1)
            best = min(best, int(reached.min()))
        return best

    def _gaps(self, values: IntArray, starts: IntArray, sizes: IntArray, below: IntArray) -> IntArray:
        """How far members are from their cell's codeword in a numeric column, times what it is over."""
        if self.word == "centroid":
            middle = np.add.reduceat(values, starts)
        else:
            middle = np.add(*_ends(values, starts))
        return np.asarray(np.abs(values * np.repeat(below, sizes) - np.repeat(middle, sizes)))

    def codeword(self, members: Sequence[int]) -> tuple[Any, ...]:
        """What is released for a cell, a part for each column."""
        chosen = np.array([int(member) for member in members])
        if self.word == "medoid":
            chosen = chosen[[self.distances(chosen, chosen).max(axis=1).argmin()]]
        return tuple(self._part(column, chosen.tolist()) for column in self.columns)

    def _part(self, column: Column, members: Sequence[int]) -> Any:  # noqa: ANN401 - a number, a label, a set
        if isinstance(column, Numbers):
            values = [column.value(member) for member in members]
            if self.word == "centroid":
                return sum(values, Fraction(0)) / len(values)
            ends = min(values), max(values)
            return ends if self.word == "interval" else (ends[0] + ends[1]) / 2
        if isinstance(column, Hierarchy):
            return column.labels[reduce(column.common_node, column.leaf[list(members)].tolist())]
        labels = sorted({int(column.codes[member]) for member in members})
        return column.labels[labels[0]] if len(labels) == 1 else tuple(column.labels[code] for code in labels)


def _ends(values: IntArray, starts: IntArray) -> tuple[IntArray, IntArray]:
    """The smallest and the largest value of each cell."""
    return np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)


def combined(parts: Iterable[IntArray], how: Literal["max", "sum", "squares"]) -> IntArray:
    """The columns' differences put together."""
    return reduce(
        np.maximum if how == "max" else np.add, (p**2 for p in parts) if how == "squares" else parts
    )


def common_scale(factors: Sequence[Fraction]) -> tuple[list[int], Fraction]:
    """Factors as whole multiples of a number, and that number."""
    below = math.lcm(*(factor.denominator for factor in factors))
    whole = [int(factor * below) for factor in factors]
    shared = math.gcd(*whole) or 1
    return [factor // shared for factor in whole], Fraction(shared, below)


def _as_categories(column: Column) -> Column:
    if isinstance(column, Numbers):
        return Categories(column.points, weight=1).take(column.codes)
    if isinstance(column, Hierarchy):
        return Categories([column.labels[leaf] for leaf in column.leaf], weight=1)
    return column


def _times(steps: IntArray, factor: int) -> IntArray:
    """Steps from the smallest on, times a factor; Python integers where 64 bits are too few."""
    wide = steps.dtype != object and int(steps.max()) - int(steps.min()) >= _ROOM
    exact = steps.astype(object) if wide else steps
    shifted = np.asarray(exact - exact.min())
    if shifted.dtype != object and max(1, int(shifted.max())) * factor >= _ROOM:
        shifted = shifted.astype(object)
    return np.asarray(shifted * factor)
