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
from noiseless.search.axes import Axis, CategoryAxis, TreeAxis, axis, sizes_of
from noiseless.search.columns import Categories, Column, Hierarchy, Numbers
from noiseless.search.loss import Codeword, Distance, Length, Lengths

DISTANCES: tuple[Distance, ...] = ("absolute", "euclidean", "squared", "max", "hamming", "discrete", "gower")
CODEWORDS: tuple[Codeword, ...] = ("midrange", "centroid", "medoid", "interval")

_ROOM = 2**62

_AT_ONCE, _FEW = 2**16, 48
"""This many distances are looked at in one go: of cells with no more members all, of others some first."""


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
        costs: for each column its points, what a difference of categories counts, or what each node costs.
        unit: what 1 stands for.
        fits: whether all that is computed of these stays within 64 bits; else numbers are Python's.
    """

    points: tuple[IntArray, ...]
    places: tuple[IntArray, ...]
    costs: tuple[IntArray, ...]
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
        costs = [_scaled_costs(column, factor) for column, factor in zip(self.columns, whole, strict=True)]
        fits = self._fits([int(column.max()) for column in costs])
        kind = np.int64 if fits and all(column.dtype != object for column in costs) else object
        costs = [column.astype(kind, copy=False) for column in costs]
        numeric = [place for place, column in enumerate(self.columns) if isinstance(column, Numbers)]
        return Scaled(
            tuple(costs[place] for place in numeric),
            tuple(self.axes[place].codes for place in numeric),
            tuple(costs),
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
        codes = (axis.codes[order] for axis in self.axes)
        ends = ((np.minimum.reduceat(one, starts), np.maximum.reduceat(one, starts)) for one in codes)
        if self.by_hull:
            return self.hull_costs(ends)
        if self.word == "medoid":
            return self._medoid_costs(order, starts), np.ones(len(starts), np.int64)
        sizes = sizes_of(starts, len(order))
        below: IntArray = sizes if self.word == "centroid" else np.full_like(sizes, 2)
        below = below.astype(self._kind, copy=False)
        gaps = (self._gaps(column, starts, sizes, below) for column in self.scaled.positions(order))
        farthest = np.maximum.reduceat(combined(gaps, self.combine), starts)
        fixed = [below * part for is_number, part in self._widths(ends) if not is_number]
        alike = [combined(fixed, self.combine)] if fixed else []
        total = combined([farthest, *alike], "max" if self.combine == "max" else "sum")
        return total, below**2 if self.combine == "squares" else below

    def hull_costs(self, ends: Iterable[tuple[IntArray, IntArray]]) -> tuple[IntArray, IntArray]:
        """What cells cost at least, by their lowest and highest places in each column; exactly if `by_hull`.

        No codeword is nearer to all members than half of any one column's width.
        """
        parts = ((is_number, part if is_number else 2 * part) for is_number, part in self._widths(ends))
        if self.word == "medoid":
            total = combined((part for _, part in parts), "max")
            total = total**2 if self.combine == "squares" else total
        elif self.by_hull:
            total = combined((part for _, part in parts), self.combine)
        else:
            known = list(parts)
            widest = combined((part for is_number, part in known if is_number), "max")
            total = combined([widest, *(part for is_number, part in known if not is_number)], self.combine)
        return total, np.full_like(total, 4 if self.combine == "squares" else 2)

    def _widths(self, ends: Iterable[tuple[IntArray, IntArray]]) -> Iterator[tuple[bool, IntArray]]:
        """Whether each column is of numbers, and how far places are apart in it; others have no middle."""
        for one, costs, (low, high) in zip(self.axes, self.scaled.costs, ends, strict=True):
            if isinstance(one, TreeAxis):
                yield False, costs[one.common(low, high)]
            elif isinstance(one, CategoryAxis):
                yield False, costs * (low != high)
            else:
                yield True, np.abs(costs[high] - costs[low])

    def _places(self, values: IntArray, others: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        """The places of some values and of others in each column."""
        return ((one.codes[values], one.codes[others]) for one in self.axes)

    @cached_property
    def trees(self) -> tuple[tuple[TreeAxis, IntArray], ...]:
        """The hierarchies as axes, with what each node costs on the integer scale."""
        both = zip(self.axes, self.scaled.costs, strict=True)
        return tuple((one, costs) for one, costs in both if isinstance(one, TreeAxis))

    @property
    def _kind(self) -> type:
        return np.int64 if self.fits else object

    def distances(self, values: IntArray, others: IntArray) -> IntArray:
        """How far each of some values (a row each) is from each of others."""
        widths = self._widths(self._places(values[..., None], others[..., None, :]))
        return combined((part for _, part in widths), self.combine)

    def pair_bounds(self, values: IntArray, others: IntArray) -> tuple[IntArray, IntArray]:
        """What a cell of each of some values (a row each) and of each of others costs at least."""
        return self.hull_costs(self._places(values[:, None], others))

    def _medoid_costs(self, order: IntArray, starts: IntArray) -> IntArray:
        """The same for medoids: the least largest distance of a member; small cells of one size together."""
        sizes = sizes_of(starts, len(order))
        found: IntArray = np.zeros(len(starts), self._kind)
        for size in np.unique(sizes).tolist():
            chosen = np.flatnonzero(sizes == size)
            if size > _FEW:
                found[chosen] = [self._medoid_cost(order[at : at + size]) for at in starts[chosen].tolist()]
                continue
            for some in np.array_split(chosen, 1 + len(chosen) * size**2 // _AT_ONCE):
                cells = order[starts[some][:, None] + np.arange(size)]
                found[some] = self.distances(cells, cells).max(axis=2).min(axis=1)
        return found

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
            middle = np.minimum.reduceat(values, starts) + np.maximum.reduceat(values, starts)
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


def costs_in_line(codebook: Codebook, order: IntArray, starts: IntArray) -> Lengths:
    """The exact costs of cells, given as their members one after the other."""
    if isinstance(codebook, ColumnCodebook):
        return codebook.costs(order, starts)
    return Lengths.of([codebook.cost(members.tolist()) for members in np.split(order, starts[1:])])


def _scaled_costs(column: Column, factor: int) -> IntArray:
    """What a column's differences follow from, times a factor."""
    if isinstance(column, Numbers):
        return _times(column.points, factor)
    costs = [1] if isinstance(column, Categories) else column.node_costs.tolist()
    whole = [int(cost) * factor for cost in costs]
    return np.array(whole, np.int64 if max(whole) < _ROOM else object)


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
