"""Functions that can be enclosed on boxes: formulas, and callables with a Lipschitz constant."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray
from noiseless.domain.enclosures import Enclosure
from noiseless.domain.expressions import Expression
from noiseless.errors import RequestError
from noiseless.exact import Rational, round_down, round_up
from noiseless.theory.accuracy.float_boxes import Intervals, Jets, jet_arithmetic
from noiseless.theory.accuracy.pushforward import Side
from noiseless.theory.polytopes import Distance


class Boxes(NamedTuple):
    """Boxes inside the unit box, all at binary fractions: a row each, a column an axis."""

    starts: FloatArray
    lengths: FloatArray

    @property
    def volumes(self) -> FloatArray:
        """Their shares of the unit box, exactly."""
        return np.asarray(self.lengths.prod(axis=1))

    def halved(self, axis: npt.NDArray[np.intp] | int) -> "Boxes":
        """Each box cut in two along an axis."""
        lengths, rows = self.lengths.copy(), np.arange(len(self.starts))
        lengths[rows, axis] /= 2
        shifted = self.starts.copy()
        shifted[rows, axis] += lengths[rows, axis]
        return Boxes(np.concatenate([self.starts, shifted]), np.concatenate([lengths, lengths]))

    def chosen(self, which: npt.NDArray[np.bool_]) -> "Boxes":
        """Some of them."""
        return Boxes(self.starts[which], self.lengths[which])


@dataclass(frozen=True)
class Enclosed(ABC):
    """A function that can be enclosed on boxes.

    Attributes:
        sides: the sides of the box that it is looked at on.
    """

    sides: tuple[Side, ...]

    @abstractmethod
    def jets(self, boxes: Boxes) -> Jets:
        """Bounds of its values and of its slopes along the unit box's axes."""

    @abstractmethod
    def at(self, point: Sequence[Fraction]) -> Fraction:
        """Its exact value."""

    @abstractmethod
    def over(self, box: Sequence[Side]) -> Enclosure | None:
        """Exact bounds of its values on a box, where they can be had."""

    def point(self, unit: Sequence[float]) -> list[Fraction]:
        """A point of the unit box, on the true one."""
        return [
            low + (high - low) * Fraction(float(u)) for u, (low, high) in zip(unit, self.sides, strict=True)
        ]


@dataclass(frozen=True)
class Formula(Enclosed):
    """An expression of as many columns as the box has sides."""

    expression: Expression
    names: tuple[str, ...]

    def jets(self, boxes: Boxes) -> Jets:
        """Evaluated in float intervals, all boxes at once."""
        count, axes = boxes.starts.shape
        flat = Intervals.of(Fraction(0))
        columns = {}
        with np.errstate(all="ignore"):
            for axis, (name, (low, high)) in enumerate(zip(self.names, self.sides, strict=True)):
                base, width = Intervals.of(low), Intervals.of(high - low)
                start, length = boxes.starts[:, axis], boxes.lengths[:, axis]
                first, middle, last = (
                    base + width * Intervals(place, place)
                    for place in (start, start + length / 2, start + length)
                )
                slopes = tuple(width if other == axis else flat for other in range(axes))
                columns[name] = Jets(Intervals(first.low, last.high), middle, slopes)
            found = self.expression.evaluate(columns, jet_arithmetic(axes))
        return Jets(
            _spread(found.values, count),
            _spread(found.centres, count),
            tuple(_spread(slope, count) for slope in found.slopes),
        )

    def at(self, point: Sequence[Fraction]) -> Fraction:
        """In rationals."""
        return self.expression.at(dict(zip(self.names, point, strict=True)))

    def over(self, box: Sequence[Side]) -> Enclosure | None:
        """In rationals."""
        try:
            return self.expression.over(dict(zip(self.names, box, strict=True)))
        except ZeroDivisionError:
            return None


@dataclass(frozen=True)
class Lipschitz(Enclosed):
    """A callable with |f(x) - f(y)| <= constant * |x - y|, distances being Euclidean.

    Attributes:
        function: takes a rational for each coordinate and returns a rational.
        constant: its Lipschitz constant, which is trusted.
    """

    function: Callable[..., Rational]
    constant: Fraction

    def jets(self, boxes: Boxes) -> Jets:
        """Its value at each centre, and the constant times the way to the farthest corner."""
        widths = [high - low for low, high in self.sides]
        values = [self.at(self.point(centre)) for centre in boxes.starts + boxes.lengths / 2]
        shapes, kind = np.unique(boxes.lengths, axis=0, return_inverse=True)
        ways = [
            self.constant
            * Fraction(
                Distance(
                    sum(
                        ((w * Fraction(float(u))) ** 2 for w, u in zip(widths, shape, strict=True)),
                        Fraction(0),
                    )
                    / 4
                ).upper
            )
            for shape in shapes
        ]
        far = [ways[number] for number in kind.ravel()]
        steep = [
            Intervals(-s, s) for s in (np.full(len(values), round_up(self.constant * w)) for w in widths)
        ]
        return Jets(
            Intervals(
                np.array([round_down(v - w) for v, w in zip(values, far, strict=True)]),
                np.array([round_up(v + w) for v, w in zip(values, far, strict=True)]),
            ),
            Intervals(np.array(list(map(round_down, values))), np.array(list(map(round_up, values)))),
            tuple(steep),
        )

    def at(self, point: Sequence[Fraction]) -> Fraction:
        """As the callable says.

        Raises:
            RequestError: it says a float: rounded, by nobody knows how much.
        """
        value = self.function(*point)
        if isinstance(value, float):
            raise RequestError("the function returned a float; return an int, a Fraction or a Decimal")
        return Fraction(value)

    def over(self, box: Sequence[Side]) -> None:
        """Nothing beyond what floats say."""


def _spread(values: Intervals, count: int) -> Intervals:
    return Intervals(np.broadcast_to(values.low, count), np.broadcast_to(values.high, count))
