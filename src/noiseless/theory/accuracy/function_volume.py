"""Push-forwards of any function on a box in few dimensions: a formula, or a callable that is Lipschitz."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import factorial, isfinite, prod

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray
from noiseless.domain.grammar import read_expression
from noiseless.errors import RequestError
from noiseless.exact import Rational, round_down, round_up
from noiseless.intervals import Enclosure
from noiseless.questions import Continuum, OwnQuery
from noiseless.theory.accuracy.enclosed_functions import (
    Boxes,
    EnclosedFunction,
    Formula,
    Jets,
    LipschitzFunction,
    down,
    up,
)
from noiseless.theory.accuracy.pushforward import Side, Volume

MOST_AXES = 6
"""A function of more coordinates needs more boxes than there is time for."""

BOXES, MOST_BOXES = 2**14, 2**17
"""Into how many boxes a formula's box is divided, and how many there may be near the levels that matter."""

CALLS, MOST_CALLS = 2**12, 2**14
"""The same for a callable, which is evaluated once a box."""

SMALLEST = 2.0**-50
"""Boxes of this share of the volume are not divided: sums of such shares are exact in floats."""

EXTREMES = 64
"""Boxes that are looked at exactly for the smallest and the largest value."""


@dataclass(frozen=True, eq=False)
class FunctionVolume(Volume):
    """The push-forward of volume through a function, in certified bounds.

    >>> bowl = FunctionVolume.of_formula("x1**2 + 2*x2**2", {"x1": (-2, 2), "x2": (-2, 2)})
    >>> bowl.span, round(float(bowl.refined([Fraction(1)]).below(Fraction(1)).lower), 5)  # pi / sqrt(512)
    (Continuum(low=Fraction(0, 1), high=Fraction(12, 1)), 0.13884)

    Attributes:
        function: the function, on its box.
        boxes: the small boxes.
        jets: what is known of the function on each.
    """

    function: EnclosedFunction
    boxes: Boxes
    jets: Jets

    @classmethod
    def of_formula(
        cls, text: str, sides: Mapping[str, tuple[Rational, Rational]], boxes: int = BOXES
    ) -> "FunctionVolume":
        """Of a formula such as `x1**2 + 2*x2**2`; min, max and abs may occur in it.

        Args:
            text: the formula.
            sides: the smallest and the largest value of each of its columns.
            boxes: into how many boxes to divide.

        Raises:
            ExpressionError: the text is no formula.
            RequestError: a column has no side, or it may divide by 0.
        """
        expression = read_expression(text)
        if missing := expression.columns - set(sides):
            raise RequestError(f"give the bounds of {', '.join(sorted(missing))}")
        return cls.divided(Formula(_exact(sides.values()), expression, tuple(sides)), boxes)

    @classmethod
    def of_callable(
        cls,
        function: Callable[..., Rational],
        sides: Sequence[tuple[Rational, Rational]],
        lipschitz: Rational,
        boxes: int = CALLS,
    ) -> "FunctionVolume":
        """Of a callable that takes a rational for each coordinate and returns a rational.

        Args:
            function: the callable.
            sides: the smallest and the largest value of each coordinate.
            lipschitz: |f(x) - f(y)| is at most this times the Euclidean distance of x and y; it is trusted.
            boxes: into how many boxes to divide; the callable is evaluated once for each.
        """
        if lipschitz < 0:
            raise RequestError("a Lipschitz constant is not negative")
        return cls.divided(LipschitzFunction(_exact(sides), function, Fraction(lipschitz)), boxes)

    @classmethod
    def divided(cls, function: EnclosedFunction, boxes: int) -> "FunctionVolume":
        """Halve all boxes, each time along the axis on which the function changes most, into this many."""
        axes = len(function.sides)
        parts = Boxes(np.zeros((1, axes)), np.ones((1, axes)))
        jets = function.jets(parts)
        while 2 * len(parts.starts) <= boxes:
            parts = parts.halved(int(np.argmax(_changes(parts, jets).mean(axis=0))))
            jets = function.jets(parts)
        volume = cls(function, parts, jets)
        if not np.isfinite([volume.jets.values.low, volume.jets.values.high]).all():
            raise RequestError("the function may divide by 0 on the box, or is too large; narrow the bounds")
        return volume

    @property
    def dimension(self) -> int:
        """As many as the box has sides."""
        return len(self.function.sides)

    @cached_property
    def query(self) -> OwnQuery:
        """The function as a question whose coordinates are one person's each.

        A coordinate moves it by its steepest slope times its side at most, and no farther than the values on
        the boxes along a line are apart.
        """
        moved = max(min(self._steepest(axis), self._apart(axis)) for axis in range(self.dimension))
        farthest = Fraction(float(moved)) if isfinite(moved) else self.span.width
        return OwnQuery.of(self.dimension, (self.span.low, self.span.high), farthest)

    def _steepest(self, axis: int) -> float:
        slope = self.jets.slopes[axis]
        return float(max(-slope.low.min(), slope.high.max()))

    def _apart(self, axis: int) -> float:
        """How far values are apart along an axis; infinite where boxes do not make whole lines."""
        columns = np.hstack([np.delete(part, axis, axis=1) for part in self.boxes])
        _, lines = np.unique(columns, axis=0, return_inverse=True)
        count = int(lines.max()) + 1
        low, high = np.full(count, np.inf), np.full(count, -np.inf)
        np.minimum.at(low, lines.ravel(), self.jets.values.low)
        np.maximum.at(high, lines.ravel(), self.jets.values.high)
        lengths = np.bincount(lines.ravel(), self.boxes.lengths[:, axis])
        return float(np.nextafter(high - low, np.inf).max()) if (lengths == 1).all() else np.inf

    @cached_property
    def size(self) -> Fraction:
        """The product of the sides."""
        return prod((high - low for low, high in self.function.sides), start=Fraction(1))

    def below(self, level: Fraction) -> Enclosure:
        """Boxes below the level, and bounds of what lies below it of those it passes through."""
        values = self.jets.values
        inside = values.high < round_up(level)
        crossed = ~inside & (values.low <= round_down(level))
        volumes = self._volumes
        sure = Fraction(float(volumes[inside].sum()))
        if not crossed.any():
            return Enclosure.exactly(sure)
        low, high = share_below_plane(self._chosen_jets(crossed), self.boxes.lengths[crossed], level)
        part, slack = volumes[crossed], Fraction(1 + len(low), 2**50)
        least = Fraction(float((low * part).sum())) * (1 - slack)
        most = Fraction(float((high * part).sum())) * (1 + slack)
        return Enclosure(sure + least, min(sure + most, Fraction(1)))

    @cached_property
    def _volumes(self) -> FloatArray:
        """The boxes' shares of the unit box, exactly."""
        return np.asarray(self.boxes.lengths.prod(axis=1))

    def refined(self, levels: Sequence[Fraction]) -> "FunctionVolume":
        """The same with smaller boxes where one of the levels passes."""
        most = MOST_CALLS if isinstance(self.function, LipschitzFunction) else MOST_BOXES
        volume = self
        while True:
            values = volume.jets.values
            crossed = np.zeros(len(values.low), bool)
            for level in levels:
                crossed |= (values.low <= round_down(level)) & (values.high >= round_up(level))
            crossed &= volume._volumes > SMALLEST
            if not crossed.any() or len(crossed) + crossed.sum() > most:
                return volume
            volume = volume._halved_where(crossed)

    def _halved_where(self, which: npt.NDArray[np.bool_]) -> "FunctionVolume":
        parts = self.boxes.chosen(which)
        halves = parts.halved(_changes(parts, self._chosen_jets(which)).argmax(axis=1))
        rest = self.boxes.chosen(~which)
        boxes = Boxes(*(np.concatenate(pair) for pair in zip(rest, halves, strict=True)))
        parted = self._chosen_jets(~which), self.function.jets(halves)
        return replace(self, boxes=boxes, jets=Jets.each(lambda *ends: np.concatenate(ends), *parted))

    def _chosen_jets(self, which: npt.NDArray[np.bool_]) -> Jets:
        return Jets.each(lambda ends: ends[which], self.jets)

    @cached_property
    def span(self) -> Continuum:
        """Certain bounds of all values; exact ones where the extreme boxes show them."""
        return Continuum(self._least(1), -self._least(-1))

    @cached_property
    def sure(self) -> Continuum:
        """From the smallest to the largest value seen at corners and centres of the extreme boxes."""
        corners = [p for sign in (1, -1) for box in self._extreme(sign, 4) for p in product(*self._side(box))]
        seen = [self.function.at(point) for point in corners]
        return Continuum(min(seen), max(seen))

    def _least(self, sign: int) -> Fraction:
        """A certain lower bound of sign * f: the larger one of those of the small boxes and of the whole."""
        values, extreme = self._lowest(sign), self._extreme(sign, EXTREMES)
        others = np.delete(values, extreme)
        small = [self._exact_least(number, sign, float(values[number])) for number in extreme]
        if len(others):
            small.append(Fraction(float(others.min())))
        return self._exactly(self.function.sides, sign, min(small))

    def _exact_least(self, number: int, sign: int, known: float) -> Fraction:
        """On one small box; along an axis on which the function rises or falls, at one of its ends."""
        sides = []
        for (low, high), slope in zip(self._side(number), self.jets.slopes, strict=True):
            rising, falling = (slope.low, slope.high) if sign > 0 else (-slope.high, -slope.low)
            sides.append(
                (low, low) if rising[number] >= 0 else (high, high) if falling[number] <= 0 else (low, high)
            )
        return self._exactly(sides, sign, Fraction(known))

    def _exactly(self, box: Sequence[Side], sign: int, known: Fraction) -> Fraction:
        """A lower bound that is known of sign * f on a box, or the exact one where that says more."""
        bounds = self.function.over(box)
        return known if bounds is None else max(known, bounds.lower if sign > 0 else -bounds.upper)

    def _extreme(self, sign: int, count: int) -> npt.NDArray[np.intp]:
        return np.argsort(self._lowest(sign), kind="stable")[:count]

    def _lowest(self, sign: int) -> FloatArray:
        """A lower bound of sign * f on each box."""
        return self.jets.values.low if sign > 0 else -self.jets.values.high

    def _side(self, number: int) -> list[Side]:
        start, length = self.boxes.starts[number], self.boxes.lengths[number]
        return list(zip(self.function.point(start), self.function.point(start + length), strict=True))


def _changes(boxes: Boxes, jets: Jets) -> FloatArray:
    """About how much the function changes along each axis of each box."""
    changes = [slope.size * boxes.lengths[:, axis] for axis, slope in enumerate(jets.slopes)]
    return np.nan_to_num(np.stack(changes, axis=1), nan=1e300, posinf=1e300)


def _exact(sides: Iterable[tuple[Rational, Rational]]) -> tuple[Side, ...]:
    exact = tuple((Fraction(low), Fraction(high)) for low, high in sides)
    if not 1 <= len(exact) <= MOST_AXES:
        raise RequestError(f"a function has between 1 and {MOST_AXES} coordinates here")
    if any(not isfinite(low) or not isfinite(high) or low >= high for low, high in exact):
        raise RequestError("a side of the box goes from a smaller to a larger number")
    return exact


def share_below_plane(jets: Jets, lengths: FloatArray, level: Fraction) -> tuple[FloatArray, FloatArray]:
    """Bounds of the share of each box on which a function is below a level.

    On a box with centre c the function lies within r of f(c) + g . (x - c), g being the middle of its slopes
    and r half the box's sides times what slopes differ from g. All sums are rounded to the safe side. The
    plane is looked at along its k steepest axes, the others going into r, for every k; the best bounds count.

    Args:
        jets: what is known of the function on each box.
        lengths: the sides of each box, a column an axis.
        level: the level.
    """
    with np.errstate(all="ignore"):
        weights, rest = [], np.zeros(len(lengths))
        for axis, slope in enumerate(jets.slopes):
            middle = np.nan_to_num(slope.low / 2 + slope.high / 2, nan=0.0, posinf=0.0, neginf=0.0)
            differ = np.maximum(up(slope.high - middle), up(middle - slope.low))
            rest = up(rest + up(differ * lengths[:, axis] / 2))
            weights.append(abs(middle) * lengths[:, axis])  # exact: sides are powers of 2
        steepest = -np.sort(-np.stack(weights), axis=0)
        room = down(down(round_down(level) - jets.centres.high) - rest)
        reach = up(up(round_up(level) - jets.centres.low) + rest)
        low, high = np.zeros(len(lengths)), np.ones(len(lengths))
        for axes in range(len(steepest) + 1):
            flat = up(up(steepest[axes:].sum(axis=0) / 2) * (1 + 2.0**-40))
            low = np.maximum(low, _below(steepest[:axes], down(room - flat), -1))
            high = np.minimum(high, _below(steepest[:axes], up(reach + flat), 1))
    return low, high


def _below(weights: FloatArray, level: FloatArray, side: int) -> FloatArray:
    """The share of w . (u - 1/2) below a level, u in the unit box: never above (side -1) or below it (1).

    Inclusion and exclusion over corners, with a margin for all roundings: a term for each corner, none larger
    than the power of the whole length.
    """
    axes = len(weights)
    if not axes:
        return (level > 0 if side < 0 else level >= 0).astype(float)
    length = weights.sum(axis=0)
    place = level + length / 2
    terms = sum(
        (-1) ** sum(corner)
        * np.maximum(place - sum(w * c for w, c in zip(weights, corner, strict=True)), 0.0) ** axes
        for corner in product((0, 1), repeat=axes)
    )
    divisor = factorial(axes) * weights.prod(axis=0)
    margin = 2.0 ** (axes - 48) * (axes + 3) ** 2 * np.maximum(length, abs(place)) ** axes / divisor
    share = np.nan_to_num(terms / divisor + side * margin, nan=float(side > 0), posinf=1.0, neginf=0.0)
    if side < 0:
        return np.where(place >= length * (1 + 2.0**-40), 1.0, np.clip(share, 0.0, 1.0))
    return np.where(place <= -length * 2.0**-40, 0.0, np.clip(share, 0.0, 1.0))
