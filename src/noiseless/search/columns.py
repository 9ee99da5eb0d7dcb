"""The public columns whose values are merged: numbers, categories, and categories with a hierarchy."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.exact import Rational, as_fraction
from noiseless.tables.coding import narrow
from noiseless.tables.kernels import ranked

_EXACT = 2**62


@dataclass(frozen=True, eq=False)
class Numbers:
    """A numeric column: the exact number that each public value has.

    Attributes:
        points: its different numbers, ascending, as whole multiples of `unit`; Python integers where 64 bits
            are too few.
        codes: which of them each public value has.
        unit: a positive rational.
        weight: what a difference of 1 in this column counts.
        span: the declared range (low, high); the distance of Gower divides by its width.
    """

    points: IntArray
    codes: IntArray
    unit: Fraction
    weight: Fraction
    span: tuple[Fraction, Fraction] | None

    def __init__(
        self,
        values: npt.ArrayLike | Sequence[Rational | float],
        *,
        weight: Rational = 1,
        span: tuple[Rational, Rational] | None = None,
    ) -> None:
        if weight < 0:
            raise RequestError("a column's weight is not negative")
        steps, unit = _on_a_lattice(values)
        points, codes = np.unique(steps, return_inverse=True)
        limits = None if span is None else (as_fraction(span[0]), as_fraction(span[1]))
        if limits is not None and len(points):
            if limits[0] >= limits[1]:
                raise RequestError("a declared range goes from its lower to its higher end")
            if int(points[0]) * unit < limits[0] or int(points[-1]) * unit > limits[1]:
                raise RequestError("some numbers are outside the declared range; widen it")
        self._set(points, codes.reshape(-1), unit, as_fraction(weight), limits)

    def _set(
        self,
        points: IntArray,
        codes: IntArray,
        unit: Fraction,
        weight: Fraction,
        span: tuple[Fraction, Fraction] | None,
    ) -> None:
        for name, value in (("points", points), ("codes", narrow(codes, len(points)))):
            object.__setattr__(self, name, value)
        for name, fact in (("unit", unit), ("weight", weight), ("span", span)):
            object.__setattr__(self, name, fact)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def steps(self) -> IntArray:
        """The number of each public value, as a whole multiple of `unit`."""
        return self.points[self.codes]

    @classmethod
    def on_lattice(
        cls,
        steps: IntArray,
        codes: IntArray,
        unit: Fraction,
        weight: Fraction,
        span: tuple[Fraction, Fraction] | None = None,
    ) -> "Numbers":
        """From whole multiples of a unit, and which of these each public value has; all are met.

        Some may stand for what is no number, and lie outside the range.
        """
        points, places = np.unique(steps, return_inverse=True)
        if not np.array_equal(points, steps):
            codes = narrow(places.reshape(-1), len(points))[codes]
        found = object.__new__(cls)
        found._set(points, codes, unit, weight, span)
        return found

    def value(self, index: int) -> Fraction:
        """The number of one public value."""
        return int(self.points[self.codes[index]]) * self.unit

    def take(self, indices: npt.ArrayLike) -> "Numbers":
        """The column of other public values, each of which has the number of one of these."""
        met, codes = ranked(self.codes[np.asarray(indices, np.int64)])
        return Numbers.on_lattice(self.points[met], codes, self.unit, self.weight, self.span)


@dataclass(frozen=True, eq=False)
class Categories:
    """A column of categories: two are equal or they are not.

    Attributes:
        codes: the category of each public value, as codes 0, 1, 2, ...
        labels: what the codes stand for.
        weight: what a difference counts.
    """

    codes: IntArray
    labels: tuple[Any, ...]
    weight: Fraction

    def __init__(self, values: Sequence[Hashable] | npt.NDArray[Any], *, weight: Rational = 1) -> None:
        if weight < 0:
            raise RequestError("a column's weight is not negative")
        known: dict[Hashable, int] = {}
        codes = [known.setdefault(value, len(known)) for value in _plain(values)]
        object.__setattr__(self, "codes", narrow(np.array(codes, np.int64), len(known)))
        object.__setattr__(self, "labels", tuple(known))
        object.__setattr__(self, "weight", as_fraction(weight))

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, indices: npt.ArrayLike) -> "Categories":
        """The column of other public values, each of which has the category of one of these."""
        codes = self.codes[np.asarray(indices, np.int64)]
        first = np.full(len(self.labels), len(codes))
        first[codes[::-1]] = np.arange(len(codes))[::-1]  # of several assignments the last counts
        order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(codes))]
        places = np.zeros_like(narrow(first, len(self.labels)))
        places[order] = np.arange(len(order))
        found = object.__new__(Categories)
        labels = tuple(self.labels[code] for code in order)
        for name, value in (("codes", places[codes]), ("labels", labels), ("weight", self.weight)):
            object.__setattr__(found, name, value)
        return found


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A column of categories that are the leaves of a tree; a cell is released as its lowest common node.

    Attributes:
        leaf: the node of each public value.
        labels: what each node is called.
        parents: the parent of each node; the top one is its own.
        cost: what a node costs: its height, or how many other leaves it could also stand for.
        weight: what a cost of 1 counts.
    """

    leaf: IntArray
    labels: tuple[Any, ...]
    parents: IntArray
    cost: Literal["height", "leaves"]
    weight: Fraction

    def __init__(
        self,
        values: Sequence[Hashable],
        ancestors: Mapping[Any, Sequence[Hashable]],
        *,
        cost: Literal["height", "leaves"] = "height",
        weight: Rational = 1,
    ) -> None:
        """From the value of each public value and, for each value, what it is generalised to, step by step.

        >>> tree = {"flu": ("lung", "any"), "asthma": ("lung", "any"), "ulcer": ("stomach", "any")}
        >>> column = Hierarchy(["flu", "ulcer"], tree)
        >>> column.labels[column.common(0, 1)], column.node_costs.tolist()[column.common(0, 1)]
        ('any', 2)
        """
        if cost not in ("height", "leaves") or weight < 0:
            raise RequestError("a hierarchy's cost is 'height' or 'leaves', and its weight not negative")
        unknown = [value for value in values if value not in ancestors]
        if unknown:
            raise RequestError(f"{len(unknown):,} values are not in the hierarchy; add their ancestors")
        paths = {value: (value, *above) for value, above in ancestors.items()}
        top = {path[-1] for path in paths.values()}
        if len(top) > 1:
            paths = {value: (*path, "*") for value, path in paths.items()}
        nodes: dict[tuple[Hashable, ...], int] = {}
        for path in paths.values():  # a node is all that is above it, itself included: that is always a tree
            for start in range(len(path)):
                nodes.setdefault(path[start:], len(nodes))
        parents = [nodes[node[1:] or node] for node in nodes]
        leaves = np.array([nodes[paths[value]] for value in values], np.int64)
        object.__setattr__(self, "leaf", narrow(leaves, len(nodes)))
        object.__setattr__(self, "labels", tuple(node[0] for node in nodes))
        object.__setattr__(self, "parents", np.array(parents, np.int64))
        object.__setattr__(self, "cost", cost)
        object.__setattr__(self, "weight", as_fraction(weight))

    def __len__(self) -> int:
        return len(self.leaf)

    def take(self, indices: npt.ArrayLike) -> "Hierarchy":
        """The column of other public values, each of which has the value of one of these."""
        return self._with_leaves(self.leaf[np.asarray(indices, np.int64)])

    def _with_leaves(self, nodes: IntArray) -> "Hierarchy":
        """The same tree for other public values, whose nodes these are."""
        found = object.__new__(Hierarchy)
        for name in ("labels", "parents", "cost", "weight"):
            object.__setattr__(found, name, getattr(self, name))
        object.__setattr__(found, "leaf", narrow(nodes, len(self.parents)))
        return found

    @property
    def height(self) -> int:
        """How many steps the lowest value is below the top."""
        return int(self.depths[self.leaf].max())

    def above(self, level: int) -> IntArray:
        """The node of each public value on a level, this many steps up; beyond the top it is the top."""
        nodes = self.leaf
        for _ in range(level):
            nodes = self.parents[nodes]
        return nodes

    def raised(self, level: int) -> "Hierarchy":
        """The column with every value on a level; where nodes on the way are called alike, on the lowest."""
        nodes, names = self.above(level), self.names
        alike = np.ones(len(nodes), bool)
        for number in range(level - 1, -1, -1):
            below = self.above(number)
            alike &= names[below] == names[nodes]
            nodes = np.where(alike, below, nodes)
        return self._with_leaves(nodes)

    @cached_property
    def names(self) -> IntArray:
        """A number for what each node is called."""
        known: dict[Any, int] = {}
        return np.array([known.setdefault(label, len(known)) for label in self.labels], np.int64)

    @cached_property
    def paths(self) -> list[list[int]]:
        """Each node and those above it, up to the top."""
        paths = [[node] for node in range(len(self.parents))]
        for path in paths:
            while self.parents[path[-1]] != path[-1]:
                path.append(int(self.parents[path[-1]]))
        return paths

    @cached_property
    def lowest(self) -> IntArray:
        """The nodes below which there is none."""
        below = self.parents[self.parents != np.arange(len(self.parents))]
        return np.setdiff1d(np.arange(len(self.parents)), below)

    @cached_property
    def depths(self) -> IntArray:
        """How many steps each node is below the top."""
        return np.array([len(path) - 1 for path in self.paths])

    @cached_property
    def node_costs(self) -> IntArray:
        """What each node costs; a leaf costs nothing."""
        heights, leaves = np.zeros(len(self.parents), np.int64), np.zeros(len(self.parents), np.int64)
        for leaf in self.lowest.tolist():
            path = self.paths[leaf]
            heights[path] = np.maximum(heights[path], np.arange(len(path)))
            leaves[path] += 1
        return heights if self.cost == "height" else leaves - 1

    def common(self, first: int, second: int) -> int:
        """The lowest node above the leaves (or nodes) of two public values."""
        return self.common_node(int(self.leaf[first]), int(self.leaf[second]))

    def common_node(self, a: int, b: int) -> int:
        """The lowest node above two nodes."""
        while a != b:
            if self.depths[a] >= self.depths[b]:
                a = int(self.parents[a])
            else:
                b = int(self.parents[b])
        return a


Column = Numbers | Categories | Hierarchy


def _plain(values: Sequence[Hashable] | npt.NDArray[Any]) -> Sequence[Hashable]:
    return values.tolist() if isinstance(values, np.ndarray) else values


def _on_a_lattice(values: Any) -> tuple[IntArray, Fraction]:  # noqa: ANN401 - whatever holds numbers
    """Numbers as whole multiples of a unit, exactly; a float is the rational that it is."""
    found = np.asarray(values)
    if found.ndim != 1:
        raise RequestError("a column is one list of values")
    if found.dtype.kind in "iub":
        return _integers(found.tolist()) if found.dtype == np.uint64 else found.astype(np.int64), Fraction(1)
    if found.dtype.kind == "f" and not np.isfinite(found).all():
        raise RequestError("a numeric column holds a value that is not a finite number; leave it out")
    try:
        exact = [Fraction(value) for value in (found.tolist() if found.dtype.kind == "f" else list(values))]
    except (TypeError, ValueError, OverflowError) as error:
        raise RequestError("a numeric column holds a value that is not a number; leave it out") from error
    below = math.lcm(*(value.denominator for value in exact)) if exact else 1
    return _integers([int(value * below) for value in exact]), Fraction(1, below)


def _integers(steps: list[int]) -> IntArray:
    small = all(-_EXACT < step < _EXACT for step in steps)
    return np.array(steps, np.int64 if small else object)
