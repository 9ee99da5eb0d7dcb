"""Sets of real vectors that are finite unions of axis-aligned boxes, exactly: the ranges of vectors."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Self

from noiseless.errors import ExpressionError, RequestError
from noiseless.theory.continuous.cuts import CutSet, Endpoint, Number, endpoint, volume
from noiseless.theory.continuous.diagrams import RankBox, below, paths, union_of
from noiseless.theory.continuous.intervals import Interval, IntervalSet, Piece


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


@dataclass(frozen=True, repr=False)
class BoxSet(CutSet):
    """A finite union of boxes of one dimension; `BoxSet.of` takes any boxes.

    >>> corner = BoxSet.of(Box.of((0, 2), (0, 2))) - BoxSet.of(Box.of((1, 2, "(]"), (1, 2, "(]")))
    >>> print(corner, corner.measure)
    [0, 1] x [0, 2] | (1, 2] x [0, 1] 3
    """

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
        return cls._spanned([[(side.start, side.stop) for side in box.sides] for box in distinct], sides)

    @classmethod
    def empty(cls, dimension: int) -> Self:
        """No point at all."""
        return cls(((),) * dimension, ((),) * dimension)

    @classmethod
    def product(cls, *factors: CutSet) -> Self:
        """All vectors whose parts lie in the factors.

        >>> print(BoxSet.product(IntervalSet.parse("[0, 1] | {5}"), IntervalSet.parse("[0, 2)")).measure)
        2
        """
        axes = tuple(axis for factor in factors for axis in factor.axes)
        if not all(factors):
            return cls.empty(len(axes))
        # Every leaf of a factor points to node 0 of its last layer's next one: the root of the next factor.
        return cls(axes, tuple(layer for factor in factors for layer in factor.layers))

    @classmethod
    def from_intervals(cls, numbers: IntervalSet) -> Self:
        """A set of numbers as a set of vectors of dimension 1."""
        return cls(numbers.axes, numbers.layers)

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

    @cached_property
    def boxes(self) -> tuple[Box, ...]:
        """Disjoint boxes whose union it is, in ascending order."""
        return tuple(self._box(box) for box, _ in paths(self.layers, self.dimension))

    def as_intervals(self) -> IntervalSet:
        """A set of vectors of dimension 1 as a set of numbers."""
        if self.dimension != 1:
            raise RequestError("only a set of dimension 1 is a set of numbers; project it first")
        return IntervalSet(self.axes, self.layers)

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
        places = {axis: endpoint(value) for axis, value in fixed.items()}
        kept = [axis for axis in range(self.dimension) if axis not in fixed]
        over = (box for box in self.boxes if all(place in box.sides[axis] for axis, place in places.items()))
        return BoxSet.union((Box(tuple(box.sides[axis] for axis in kept)) for box in over), len(kept))

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
