"""Joint ranges of real variables: unions of boxes, and monotone lines so that Y = X can be said at all."""

import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import pairwise
from operator import or_
from typing import Any, NamedTuple, Self, cast

from noiseless.errors import RequestError
from noiseless.exact import Bits, Nats
from noiseless.theory.continuous.boxes import Box, BoxSet
from noiseless.theory.continuous.cuts import Endpoint, Number, endpoint, finite, is_infinite, overlaps
from noiseless.theory.continuous.intervals import EMPTY, Interval, IntervalSet
from noiseless.theory.continuous.pieces import (
    Line,
    SetLike,
    as_boxes,
    as_intervals,
    inner_point,
    is_open_part,
)
from noiseless.theory.continuous.taxicab import count_taxicab_blocks

Labels = tuple[Any, ...]
Value = Number | Sequence[Number] | Hashable


class AnswerRegion(NamedTuple):
    """Values of Y behind which there is the same set of values of X, but for the points of lines.

    Attributes:
        where: the values of Y.
        posterior: the boxes of [[X|y]] for each of them; empty where only lines pass.
        lines: the lines that pass; each adds the point ((y - offset) / slope) to [[X|y]].
        counts: False for what an essential supremum ignores: values that are no open part of [[Y]].
    """

    where: Box
    posterior: BoxSet
    lines: tuple[Line, ...]
    counts: bool


@dataclass(frozen=True, eq=False, repr=False)
class ContinuousRange:
    """The joint range [[X, Y]] of two real variables, scalars or vectors.

    Use `from_boxes`, `from_function`, `from_labels` or `of`; the constructor trusts its caller.

    Attributes:
        boxes: the points (y, x) of its boxes, the coordinates of Y first.
        size_y: how many coordinates Y has.
        lines: stretches of lines that are not all in the boxes, one entry a line; X and Y are scalars then.
        x_labels: what 0, 1, ... stand for when X is not numeric.
        y_labels: the same for Y.
    """

    boxes: BoxSet
    size_y: int
    lines: tuple[Line, ...] = ()
    x_labels: Labels | None = None
    y_labels: Labels | None = None

    @classmethod
    def of(
        cls,
        boxes: Iterable[tuple[SetLike, SetLike]] = (),
        lines: Iterable[tuple[SetLike, Number, Number]] = (),
    ) -> Self:
        """From products of sets and from stretches of lines.

        Args:
            boxes: pairs of a set of x and a set of y, all combinations of which occur.
            lines: triples (set of x, slope, offset); a slope of 0 is a product like any other.

        Raises:
            RequestError: there is nothing, dimensions differ, or lines are given for vectors.
        """
        products = [(as_boxes(x), as_boxes(y)) for x, y in boxes]
        stretches: dict[tuple[Fraction, Fraction], IntervalSet] = {}
        for domain, slope, offset in lines:
            a, b, numbers = finite(slope), finite(offset), as_intervals(domain)
            if a == 0:
                products.append((BoxSet.from_intervals(numbers), as_boxes((b, b))))
            else:
                stretches[a, b] = stretches.get((a, b), EMPTY) | numbers
        return cls._from_parts(products, [Line(domain, *line) for line, domain in stretches.items()])

    @classmethod
    def from_boxes(cls, boxes: Iterable[tuple[SetLike, SetLike]]) -> Self:
        """From pairs of a set of x and a set of y, all combinations of which occur.

        >>> joint = ContinuousRange.from_boxes([((0, 2), (0, 1)), ((1, 3), (1, 2))])
        >>> print(joint.posterior("1/2"), "and", joint.posterior(1))
        [0, 2] and [0, 3]
        """
        return cls.of(boxes)

    @classmethod
    def from_function(cls, pieces: Iterable[tuple[SetLike, Number, Number]]) -> Self:
        """[[X, f(X)]] for f(x) = slope * x + offset on each piece (domain, slope, offset) of scalars.

        Raises:
            RequestError: two pieces overlap: then it is no function.

        >>> joint = ContinuousRange.from_function([("[0, 1/2)", 1, 0), ("[1/2, 1]", 0, 1)])
        >>> print(joint.range_y, "-", joint.posterior("1/4"), "-", joint.posterior(1))
        [0, 1/2) | {1} - {1/4} - [1/2, 1]
        """
        given = [(as_intervals(domain), slope, offset) for domain, slope, offset in pieces]
        if overlaps([domain for domain, _, _ in given]):
            raise RequestError("two pieces of the function overlap; let each x belong to one piece")
        return cls.of(lines=given)

    @classmethod
    def from_labels(cls, posteriors: Mapping[Hashable, SetLike]) -> Self:
        """X continuous and Y discrete: the set [[X|y]] behind each label y.

        >>> joint = ContinuousRange.from_labels({"low": "[0, 2)", "high": "[1, 3]"})
        >>> print(joint.posterior("high"), joint.range_x)
        [1, 3] [0, 3]
        """
        pairs = [(as_boxes(x), as_boxes((code, code))) for code, x in enumerate(posteriors.values())]
        if not all(x for x, _ in pairs):
            raise RequestError("behind each label there is at least one value; leave out labels without any")
        built = cls._from_parts(pairs, [])
        return cls(built.boxes, 1, (), None, tuple(posteriors))

    @classmethod
    def _from_parts(cls, products: Sequence[tuple[BoxSet, BoxSet]], lines: Sequence[Line]) -> Self:
        sizes = {(x.dimension, y.dimension) for x, y in products} | ({(1, 1)} if lines else set())
        if len(sizes) > 1:
            raise RequestError("all pieces need the same dimensions; lines are for scalar X and Y only")
        size_x, size_y = sizes.pop() if sizes else (1, 1)
        every = [Box(b.sides + a.sides) for x, y in products for a in x for b in y]
        # A stretch of a single number is a point, and points are boxes.
        every += [Box.point((line.slope * x + line.offset, x)) for line in lines for x in line.domain.points]
        boxes = BoxSet.union(every, dimension=size_x + size_y)
        kept = tuple(line for line in lines if not line.domain <= line.within(boxes))
        if not boxes and not kept:
            raise RequestError("a joint range holds at least one pair")
        return cls(boxes, size_y, kept)

    def __repr__(self) -> str:
        return (
            f"ContinuousRange({self.size_x} + {self.size_y} coordinates, {len(self.boxes.boxes)} boxes, "
            f"{sum(len(line.domain) for line in self.lines)} stretches of lines)"
        )

    def __contains__(self, pair: tuple[Value, Value]) -> bool:
        x, y = _vector(pair[0], self.x_labels, self.size_x), _vector(pair[1], self.y_labels, self.size_y)
        if x is None or y is None:
            return False
        return (*y, *x) in self.boxes or any((x[0], y[0]) in line for line in self.lines)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ContinuousRange):
            return NotImplemented
        labels = (self.x_labels, self.y_labels) == (other.x_labels, other.y_labels)
        return labels and self <= other and other <= self

    def __hash__(self) -> int:
        return hash((self._x, self._y, self.x_labels, self.y_labels))

    def __le__(self, other: "ContinuousRange") -> bool:
        """Whether every pair of it is one of the other. Lines cover no more of a box than single points."""
        if not isinstance(other, ContinuousRange):
            return NotImplemented
        if (self.size_x, self.size_y) != (other.size_x, other.size_y):
            return False
        for box in self.boxes - other.boxes:
            if not box.is_point or not _on_lines(box, other.lines):
                return False
        for line in self.lines:
            same = [k.domain for k in other.lines if (k.slope, k.offset) == (line.slope, line.offset)]
            rest = line.domain - line.within(other.boxes) - (same[0] if same else EMPTY)
            if rest.measure or not all(_on_lines(line.at(x), other.lines) for x in rest.points):
                return False
        return True

    @property
    def size_x(self) -> int:
        """How many coordinates X has."""
        return self.boxes.dimension - self.size_y

    @cached_property
    def _x(self) -> BoxSet:
        domains = (BoxSet.from_intervals(line.domain) for line in self.lines)
        return reduce(or_, domains, self.boxes.project(range(self.size_y, self.boxes.dimension)))

    @cached_property
    def _y(self) -> BoxSet:
        images = (BoxSet.from_intervals(line.image) for line in self.lines)
        return reduce(or_, images, self.boxes.project(range(self.size_y)))

    @property
    def range_x(self) -> IntervalSet | BoxSet:
        """[[X]]: a set of numbers, or of vectors if X has several coordinates."""
        return _plain(self._x)

    @property
    def range_y(self) -> IntervalSet | BoxSet:
        """[[Y]], labels being numbered 0, 1, 2, ..."""
        return _plain(self._y)

    @property
    def is_finite_x(self) -> bool:
        """Whether X takes finitely many values: it is counted then, in bits, not measured."""
        return self._x.count != math.inf

    @property
    def is_finite_y(self) -> bool:
        """Whether Y takes finitely many values."""
        return self._y.count != math.inf

    @property
    def log_x(self) -> Bits | Nats:
        """The logarithm of the size of [[X]]."""
        return self._log(self._size(self._x))

    @property
    def log_least(self) -> Bits | Nats:
        """The logarithm of the size of the smallest [[X|y]]: ln 0 is minus infinity."""
        return self._log(min(self._size(answer.posterior) for answer in self.answers))

    @property
    def log_most(self) -> Bits | Nats:
        """The logarithm of the size of the largest [[X|y]], but for those that essential suprema ignore."""
        return self._log(max(self._size(answer.posterior) for answer in self.answers if answer.counts))

    @property
    def log_back(self) -> tuple[Bits | Nats, Bits | Nats]:
        """The logarithms of the sizes of [[Y]] and of the smallest [[Y|x]]."""
        back = self.swapped()
        return back.log_x, back.log_least

    @property
    def log_sides(self) -> tuple[Bits | Nats, Bits | Nats, Bits | Nats]:
        """The logarithms of the sizes of [[X]], [[Y]] and [[X, Y]]: all counted, or else all measured."""
        x, y, pairs = self._x, self._y, self.boxes
        if self.is_finite_x and self.is_finite_y:
            return Bits(int(x.count)), Bits(int(y.count)), Bits(int(pairs.count))
        return Nats(x.measure), Nats(y.measure), Nats(pairs.measure)

    def count_blocks(self) -> int | float:
        """How many blocks the taxicab partition has."""
        return count_taxicab_blocks(self)

    def _size(self, values: BoxSet) -> Endpoint:
        """How large a set of values of X is: how many there are, or their volume."""
        return Fraction(int(values.count)) if self.is_finite_x else values.measure

    def _log(self, size: Endpoint) -> Bits | Nats:
        return Bits(Fraction(size)) if self.is_finite_x else Nats(size)

    def posterior(self, y: Value) -> IntervalSet | BoxSet:
        """[[X|y]]: what X can be when y (a number, a vector or a label) is seen.

        Raises:
            KeyError: y never occurs.
        """
        place = _vector(y, self.y_labels, self.size_y)
        if place is None:
            raise KeyError(y)
        values = self.boxes.slice(dict(enumerate(place)))
        for line in self.lines:
            x = math.inf if is_infinite(place[0]) else (place[0] - line.offset) / line.slope
            if x in line.domain:
                values |= as_boxes((x, x))
        if not values:
            raise KeyError(y)
        return _plain(values)

    def swapped(self) -> "ContinuousRange":
        """[[Y, X]]: the same pairs the other way round."""
        order = [*range(self.size_y, self.boxes.dimension), *range(self.size_y)]
        lines = tuple(line.inverse for line in self.lines)
        return ContinuousRange(self.boxes.project(order), self.size_x, lines, self.y_labels, self.x_labels)

    def merged(self, edges: Sequence[Number]) -> "ContinuousRange":
        """[[X, Q(Y)]] for a quantizer Q of a scalar Y: cells [a, b) between the edges, the last one closed.

        The labels of the result are the cells (`Interval`) that occur.

        Raises:
            RequestError: the edges do not ascend or do not span [[Y]], or Y is no scalar.

        >>> line = ContinuousRange.from_function([("[0, 1]", 1, 0)])
        >>> quantised = line.merged([0, "1/4", 1])
        >>> print(*quantised.y_labels, "-", quantised.posterior(quantised.y_labels[0]))
        [0, 1/4) [1/4, 1] - [0, 1/4)
        """
        if self.y_labels is not None:
            raise RequestError("labels have no edges; name the labels of each cell with `coarsened`")
        places = [endpoint(edge) for edge in edges]
        if len(places) <= 1 or any(a >= b for a, b in pairwise(places)):
            raise RequestError("the edges of a quantizer are at least two numbers that ascend")
        last = len(places) - 2
        cells = [Interval.of(a, b, "[]" if i == last else "[)") for i, (a, b) in enumerate(pairwise(places))]
        return self.coarsened({cell: cell for cell in cells})

    def coarsened(self, cells: Mapping[Any, SetLike | Collection[Hashable]]) -> "ContinuousRange":
        """[[X, Q(Y)]] for any map Q with finitely many values: the y behind each new label.

        Args:
            cells: for each new label a set of numbers or vectors or, if Y has labels, a list of those.

        Raises:
            RequestError: two cells overlap, or they do not hold all of [[Y]].
        """
        sets = {label: self._cell(given) & self._y for label, given in cells.items()}
        met = {label: cell for label, cell in sets.items() if cell}
        if overlaps(list(met.values())):
            raise RequestError("two cells overlap; let each y belong to one cell")
        if not self._y <= BoxSet.union((box for cell in met.values() for box in cell), self.size_y):
            raise RequestError("the cells do not hold every y that can occur; let them span its range")
        sections = list(self.boxes.sections(self.size_y))
        posteriors = {label: self._behind(cell, sections) for label, cell in met.items()}
        labelled = ContinuousRange.from_labels(posteriors)
        return ContinuousRange(labelled.boxes, 1, (), self.x_labels, labelled.y_labels)

    def _behind(self, cell: BoxSet, sections: Sequence[tuple[Box, BoxSet]]) -> BoxSet:
        """[[X|Y in cell]], from the boxes of Y with what X can be over each of them."""
        values = [x for y, posterior in sections if any(map(y.meet, cell)) for x in posterior]
        values += [Box((x,)) for line in self.lines for x in line.over(cell.as_intervals())]
        return BoxSet.union(values, dimension=self.size_x)

    def _cell(self, given: SetLike | Collection[Hashable]) -> BoxSet:
        if self.y_labels is None:
            return as_boxes(cast("SetLike", given))
        labels = list(cast("Collection[Hashable]", given))
        if not set(labels) <= set(self.y_labels):
            raise RequestError("a cell names a label that Y does not have")
        codes = [self.y_labels.index(label) for label in labels]
        return BoxSet.union((Box.point([code]) for code in codes), dimension=1)

    def is_unrelated(self) -> bool:
        """Whether X and Y are unrelated: [[X, Y]] = [[X]] x [[Y]] (Definition II.1 of [P4])."""
        return ContinuousRange(BoxSet.product(self._y, self._x), self.size_y) <= self

    @cached_property
    def answers(self) -> tuple[AnswerRegion, ...]:
        """[[Y]] cut into boxes over which the posterior set keeps still, but for the points of lines."""
        sections = ((where, posterior, ()) for where, posterior in self.boxes.sections(self.size_y))
        regions = self._with_lines() if self.lines else sections
        large = [box for box in self._y if not box.is_point]
        return tuple(AnswerRegion(*region, counts=is_open_part(region[0], large)) for region in regions)

    def _with_lines(self) -> Iterator[tuple[Box, BoxSet, tuple[Line, ...]]]:
        images = [line.image for line in self.lines]
        cuts = sorted({*self.boxes.axes[0], *(cut for image in images for cut in image.cuts)})
        for start, stop in pairwise(cuts):
            where = Interval.between(start, stop)
            inside = IntervalSet.of(where)
            passing = tuple(line for line, image in zip(self.lines, images, strict=True) if inside <= image)
            posterior = self.boxes.slice({0: inner_point(where)})
            if posterior or passing:
                yield Box((where,)), posterior, passing


def _plain(boxes: BoxSet) -> IntervalSet | BoxSet:
    return boxes.as_intervals() if boxes.dimension == 1 else boxes


def _vector(value: Value, labels: Labels | None, size: int) -> tuple[Endpoint, ...] | None:
    """A value as coordinates; None for a label that does not occur."""
    if labels is not None:
        return (Fraction(labels.index(value)),) if value in labels else None
    listed = value if isinstance(value, Sequence) and not isinstance(value, str) else (value,)
    if len(listed) != size:
        raise RequestError(f"give {size} coordinates")
    return tuple(map(endpoint, listed))


def _on_lines(point: Box, lines: Sequence[Line]) -> bool:
    y, x = (Fraction(side.low) for side in point.sides)
    return any((x, y) in line for line in lines)
