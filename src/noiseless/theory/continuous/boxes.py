"""Sets of real vectors that are finite unions of axis-aligned boxes, exactly: the ranges of vectors."""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from typing import Self

from noiseless.errors import ExpressionError, RequestError
from noiseless.theory.continuous.diagrams import (
    Layers,
    RankBox,
    below,
    combined,
    paths,
    relabelled,
    restricted,
    union_of,
    used_ranks,
)
from noiseless.theory.continuous.intervals import (
    Cut,
    Endpoint,
    Interval,
    IntervalSet,
    Number,
    Piece,
    distance,
    endpoint,
    is_infinite,
    total,
)

Axes = tuple[tuple[Cut, ...], ...]
"""The cuts on each axis, ascending."""


@dataclass(frozen=True, slots=True)
class Box:
    """A non-empty product of intervals."""

    sides: tuple[Interval, ...]

    @classmethod
    def of(cls, *sides: Piece) -> Self:
        """From its sides, each an `Interval` or a tuple (low, high) or (low, high, ends).

        Raises:
            RequestError: there is no side, or one is not well formed.

        >>> print(Box.of((0, 1), (2, 2)))
        [0, 1] x {2}
        """
        if not sides:
            raise RequestError("a box has at least one side")
        return cls(tuple(side if isinstance(side, Interval) else Interval.of(*side) for side in sides))

    @classmethod
    def point(cls, values: Iterable[Number]) -> Self:
        """The box that is a single vector."""
        return cls.of(*(Interval.point(value) for value in values))

    def __str__(self) -> str:
        return " x ".join(map(str, self.sides))

    def __contains__(self, point: Sequence[Number]) -> bool:
        return all(value in side for value, side in zip(point, self.sides, strict=True))

    @property
    def dimension(self) -> int:
        """How many sides it has."""
        return len(self.sides)

    @property
    def measure(self) -> Endpoint:
        """Its volume; 0 when a side is a point, however long the others."""
        return reduce(volume, (side.length for side in self.sides))

    @property
    def is_point(self) -> bool:
        """Whether it is a single vector."""
        return all(side.is_point for side in self.sides)

    def meet(self, other: "Box") -> "Box | None":
        """The points in both, if there are any."""
        sides = [a.meet(b) for a, b in zip(self.sides, other.sides, strict=True)]
        return Box(tuple(side for side in sides if side)) if all(sides) else None


def volume(a: Endpoint, b: Endpoint) -> Endpoint:
    """The product of two lengths, 0 times infinity being 0 as in every measure."""
    if not a or not b:
        return Fraction(0)
    return math.inf if is_infinite(a) or is_infinite(b) else a * b


@dataclass(frozen=True, repr=False)
class BoxSet:
    """A finite union of boxes in one form only: equal sets are equal objects.

    `BoxSet.of` brings any boxes into that form; the constructor trusts its caller. The size of the form grows
    with the number of places where the set changes, not with the volume or, by itself, with the dimension.

    >>> corner = BoxSet.of(Box.of((0, 2), (0, 2))) - BoxSet.of(Box.of((1, 2, "(]"), (1, 2, "(]")))
    >>> print(corner, corner.measure)
    [0, 1] x [0, 2] | (1, 2] x [0, 1] 3

    Attributes:
        axes: on each axis the cuts at which the set changes, ascending.
        layers: the diagram over the positions of those cuts.
    """

    axes: Axes
    layers: Layers

    @classmethod
    def of(cls, *boxes: Box) -> Self:
        """The union of boxes of one dimension.

        Raises:
            RequestError: there is no box, or they differ in dimension.
        """
        return cls.union(boxes)

    @classmethod
    def union(cls, boxes: Iterable[Box], dimension: int | None = None) -> Self:
        """The union of any number of boxes; give the dimension if there may be none."""
        distinct = list(dict.fromkeys(boxes))
        dimensions = {box.dimension for box in distinct} | ({dimension} if dimension is not None else set())
        if len(dimensions) != 1:
            raise RequestError("the boxes of a set need one dimension; give boxes with equally many sides")
        (sides,) = dimensions
        axes = tuple(
            tuple(sorted({cut for box in distinct for cut in (box.sides[i].start, box.sides[i].stop)}))
            for i in range(sides)
        )
        ranks = [{cut: rank for rank, cut in enumerate(axis)} for axis in axes]
        ranked = [
            tuple((rank[side.start], rank[side.stop]) for rank, side in zip(ranks, box.sides, strict=True))
            for box in distinct
        ]
        return cls._tight(axes, union_of(ranked, sides))

    @classmethod
    def empty(cls, dimension: int) -> Self:
        """No point at all."""
        return cls(((),) * dimension, ((),) * dimension)

    @classmethod
    def product(cls, *factors: "IntervalSet | BoxSet") -> Self:
        """All vectors whose parts lie in the factors.

        >>> print(BoxSet.product(IntervalSet.parse("[0, 1] | {5}"), IntervalSet.parse("[0, 2)")).measure)
        2
        """
        parts = [BoxSet.from_intervals(part) if isinstance(part, IntervalSet) else part for part in factors]
        axes = tuple(axis for part in parts for axis in part.axes)
        if not all(parts):
            return cls.empty(len(axes))
        # Every leaf of a factor points to node 0 of its last layer's next one: the root of the next factor.
        return cls(axes, tuple(layer for part in parts for layer in part.layers))

    @classmethod
    def from_intervals(cls, numbers: IntervalSet) -> Self:
        """A set of numbers as a set of vectors of dimension 1."""
        return cls.union([Box((interval,)) for interval in numbers], dimension=1)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a set the way `str` writes it: "[0, 1] x {2} | (1, 2) x [0, inf)".

        Raises:
            ExpressionError: it cannot be read.
        """
        try:
            boxes = [cls._read(part) for part in text.split("|")]
            return cls.union(boxes)
        except (RequestError, ExpressionError) as error:
            problem = error.problem if isinstance(error, ExpressionError) else str(error)
            raise ExpressionError(text, problem) from None

    @staticmethod
    def _read(text: str) -> Box:
        sides = [IntervalSet.parse(side.strip()) for side in text.split("x")]
        if any(len(side) != 1 for side in sides):
            raise RequestError("a box is written like [0, 1] x {2} x (3, inf)")
        return Box(tuple(side.intervals[0] for side in sides))

    def __str__(self) -> str:
        return " | ".join(map(str, self.boxes)) or "{}"

    def __repr__(self) -> str:
        if not self:
            return f"BoxSet.empty({self.dimension})"
        return f"BoxSet.parse({str(self)!r})"

    def __bool__(self) -> bool:
        return bool(self.layers[0])

    def __iter__(self) -> Iterator[Box]:
        return iter(self.boxes)

    def __contains__(self, point: Sequence[Number]) -> bool:
        node = 0
        for value, axis, nodes in zip(point, self.axes, self.layers, strict=True):
            place = bisect_right(axis, (endpoint(value), 0)) - 1
            inside = (child for start, stop, child in nodes[node] if start <= place < stop) if nodes else ()
            node = next(iter(inside), -1)
            if node < 0:
                return False
        return True

    def __or__(self, other: "BoxSet") -> "BoxSet":
        return self._combined(other, lambda here, there: here or there)

    def __and__(self, other: "BoxSet") -> "BoxSet":
        return self._combined(other, lambda here, there: here and there)

    def __sub__(self, other: "BoxSet") -> "BoxSet":
        return self._combined(other, lambda here, there: here and not there)

    def __xor__(self, other: "BoxSet") -> "BoxSet":
        return self._combined(other, lambda here, there: here != there)

    def __le__(self, other: "BoxSet") -> bool:
        return not self - other

    def __ge__(self, other: "BoxSet") -> bool:
        return other <= self

    def __lt__(self, other: "BoxSet") -> bool:
        return self != other and self <= other

    def __gt__(self, other: "BoxSet") -> bool:
        return other < self

    @property
    def dimension(self) -> int:
        """The dimension of the space it lies in."""
        return len(self.axes)

    @cached_property
    def boxes(self) -> tuple[Box, ...]:
        """Disjoint boxes whose union it is, in ascending order."""
        return tuple(self._box(box) for box, _ in paths(self.layers, self.dimension))

    @cached_property
    def measure(self) -> Endpoint:
        """Its volume, infinite if it holds boxes of infinite volume."""
        sizes: list[Endpoint] = [Fraction(1)]
        for axis, nodes in zip(reversed(self.axes), reversed(self.layers), strict=True):
            values = [cut[0] for cut in axis]
            sizes = [
                total(
                    volume(distance(values[start], values[stop]), sizes[child]) for start, stop, child in node
                )
                for node in nodes
            ]
        return sizes[0] if sizes else Fraction(0)

    @cached_property
    def count(self) -> int | float:
        """How many points it has: a whole number, or infinity."""
        counts = [1]
        for axis, nodes in zip(reversed(self.axes), reversed(self.layers), strict=True):
            for node in nodes:
                if any(axis[start][0] != axis[stop][0] for start, stop, _ in node):
                    return math.inf
            counts = [sum(counts[child] for _, _, child in node) for node in nodes]
        return counts[0] if counts else 0

    @property
    def is_bounded(self) -> bool:
        """Whether a ball holds it."""
        return not any(is_infinite(cut[0]) for axis in self.axes for cut in axis)

    def as_intervals(self) -> IntervalSet:
        """A set of vectors of dimension 1 as a set of numbers."""
        if self.dimension != 1:
            raise RequestError("only a set of dimension 1 is a set of numbers; project it first")
        return IntervalSet.union(box.sides[0] for box in self.boxes)

    def project(self, axes: Sequence[int]) -> "BoxSet":
        """What the chosen coordinates can be, in the order given.

        Raises:
            RequestError: an axis is named that does not exist, or one twice, or none.
        """
        if not axes or len(set(axes)) != len(axes) or not set(axes) <= set(range(self.dimension)):
            raise RequestError(f"name different axes among 0..{self.dimension - 1}")
        seen = {tuple(box[axis] for axis in axes) for box, _ in paths(self.layers, max(axes) + 1)}
        return BoxSet._tight(tuple(self.axes[axis] for axis in axes), union_of(sorted(seen), len(axes)))

    def slice(self, fixed: Mapping[int, Number]) -> "BoxSet":
        """What the other coordinates can be when some are known.

        Args:
            fixed: the value on each axis that is known; at least one axis must be left.

        >>> print(BoxSet.parse("[0, 1] x [0, 2] | (1, 2] x [0, 1]").slice({0: 2}))
        [0, 1]
        """
        if len(fixed) >= self.dimension or not set(fixed) <= set(range(self.dimension)):
            raise RequestError(f"fix some but not all of the axes 0..{self.dimension - 1}")
        places = {
            axis: bisect_right(self.axes[axis], (endpoint(value), 0)) - 1 for axis, value in fixed.items()
        }
        kept = tuple(axis for i, axis in enumerate(self.axes) if i not in fixed)
        return BoxSet._tight(kept, restricted(self.layers, places))

    def sections(self, depth: int) -> Iterator[tuple[Box, "BoxSet"]]:
        """Disjoint boxes in the first `depth` coordinates, with what the others can be over each of them."""
        met: dict[int, BoxSet] = {}
        for box, node in paths(self.layers, depth):
            if node not in met:
                met[node] = BoxSet._tight(self.axes[depth:], below(self.layers, depth, node))
            yield self._box(box), met[node]

    def _box(self, box: RankBox) -> Box:
        sides = zip(self.axes, box, strict=False)  # a box may name the first coordinates only
        return Box(tuple(Interval.between(axis[start], axis[stop]) for axis, (start, stop) in sides))

    def _combined(self, other: "BoxSet", keep: Callable[[bool, bool], bool]) -> "BoxSet":
        if self.dimension != other.dimension:
            raise RequestError("sets of vectors of different dimension cannot be compared or joined")
        axes = tuple(tuple(sorted({*a, *b})) for a, b in zip(self.axes, other.axes, strict=True))
        return BoxSet._tight(axes, combined(_over(self, axes), _over(other, axes), keep))

    @classmethod
    def _tight(cls, axes: Axes, layers: Layers) -> Self:
        """Forget the cuts at which nothing changes."""
        used = used_ranks(layers)
        ranks = [{old: new for new, old in enumerate(kept)} for kept in used]
        kept = tuple(tuple(axis[rank] for rank in keep) for axis, keep in zip(axes, used, strict=True))
        return cls(kept, relabelled(layers, ranks))


def _over(boxes: BoxSet, axes: Axes) -> Layers:
    """The diagram of a set over more cuts."""
    ranks = []
    for old, new in zip(boxes.axes, axes, strict=True):
        place = {cut: rank for rank, cut in enumerate(new)}
        ranks.append({rank: place[cut] for rank, cut in enumerate(old)})
    return relabelled(boxes.layers, ranks)
