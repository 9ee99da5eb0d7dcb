"""The blur of a continuous range: Theorem 4 of [P2], corrected."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Literal, NamedTuple, Self

from noiseless.collection.blur.fibres import Mode, division_error
from noiseless.collection.blur.hypotheses import Hypothesis
from noiseless.collection.blur.volume import BoundaryStrip, protected_volume
from noiseless.domain.expressions import Ranges
from noiseless.errors import ExpressionError, RequestError
from noiseless.intervals import Enclosure
from noiseless.theory.continuous.cuts import Number, finite
from noiseless.theory.hypothesis.privacy import Privacy

_TOLERANCE = Fraction(1, 10**15)
"""The share's enclosure is made this narrow where its ends can be brought together."""


class Band(NamedTuple):
    """The band of one fibre: `low` and `high` after clipping, and the boundary g between them."""

    low: Fraction
    g: Fraction
    high: Fraction


@dataclass(frozen=True)
class ContinuousBlur:
    """Hides "x >= g(others)" within the band `|x - g(others)| <= D` in a box of real numbers.

    Nothing moves by more than D = 1/rho, so the policy is rho-accurate (Definition 4 of [P2]). Only fibres
    where g lies strictly inside the range of x_i are changed: elsewhere the hypothesis is known anyway.

    >>> blur = ContinuousBlur.of("weight >= 30*(height/100)**2", {"weight": (0, 200), "height": (0, 250)},
    ...                          max_change=Fraction(15, 2))
    >>> blur.share, blur.epsilon
    (Enclosure(7/100, 7/100), Fraction(7, 93))
    >>> blur.release({"weight": Fraction(98), "height": Fraction(180)})["weight"]
    Fraction(913, 10)

    Attributes:
        hypothesis: what is hidden.
        ranges: the range of each of its columns.
        max_change: D.
        mode: "stretch" spreads each half of a band over the whole of it; "collapse" is the paper's policy,
            which releases g for all of it.

    Guarantee:
        * Anyone who sees the released value of a point in the band cannot exclude either answer.
        * No value moves by more than D.
        * Priv is ln(1 + `epsilon`) (Theorem 4 of [P2]); with `collapse` only relative to [[X]]: `privacy`.
    """

    hypothesis: Hypothesis
    ranges: Ranges
    max_change: Fraction
    mode: Mode = "stretch"

    @classmethod
    def of(
        cls,
        hypothesis: str,
        bounds: Mapping[str, tuple[Number, Number]],
        *,
        max_change: Number,
        mode: Mode = "stretch",
    ) -> Self:
        """From what a user writes.

        Raises:
            ExpressionError: the hypothesis is none.
            RequestError: bounds are missing, out of order or not finite, or the change is not positive.
        """
        ranges = {name: (finite(low), finite(high)) for name, (low, high) in bounds.items()}
        change = finite(max_change)
        for name, (low, high) in ranges.items():
            if low >= high:
                raise RequestError(
                    f"the bounds of {name!r} must be in order and apart; write the lower one first"
                )
        if change <= 0:
            raise RequestError("the largest change must be above 0")
        if mode not in ("stretch", "collapse"):
            raise RequestError('the mode is "stretch" or "collapse"')
        return cls(_parsed(hypothesis, ranges), ranges, change, mode)

    @property
    def _strip(self) -> BoundaryStrip:
        return BoundaryStrip(*self.ranges[self.hypothesis.column], self.max_change)

    @property
    def volume(self) -> Fraction:
        """The measure of [[X]], over the columns of the hypothesis."""
        return prod(
            (self.ranges[n][1] - self.ranges[n][0] for n in self.hypothesis.columns), start=Fraction(1)
        )

    def band(self, point: Mapping[str, Fraction]) -> Band | None:
        """The band of the fibre that a point lies in; None where the fibre is left alone.

        Raises:
            ExpressionError: the boundary divides by 0 there.
        """
        try:
            g = self.hypothesis.boundary.at(point)
        except ZeroDivisionError:
            raise division_error(self.hypothesis) from None
        ends = self._strip.band(g)
        return None if ends is None else Band(ends[0], g, ends[1])

    def release(self, point: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """The point that is released for a point of the range, exactly."""
        name = self.hypothesis.column
        x, band = point[name], self.band(point)
        if band is None or not band.low <= x <= band.high:
            return dict(point)
        if self.mode == "collapse":
            return {**point, name: band.g}
        above = x >= band.g if self.hypothesis.ties_above else x > band.g
        start, stop = (band.g, band.high) if above else (band.low, band.g)
        return {**point, name: band.low + (x - start) * (band.high - band.low) / (stop - start)}

    @cached_property
    def share(self) -> Enclosure:
        """The protected share mu(bands) / mu([[X]]): exact when its ends agree.

        Raises:
            ExpressionError: the boundary may divide by 0 somewhere in the range.
        """
        tolerance = self.volume * _TOLERANCE
        others = {name: self.ranges[name] for name in self.hypothesis.others}
        try:
            found = protected_volume(self.hypothesis.boundary, self._strip, others, tolerance)
        except ZeroDivisionError:
            raise division_error(self.hypothesis) from None
        return found / Enclosure.exactly(self.volume)

    @property
    def protected_share(self) -> Fraction:
        """The lower end of `share`: what is promised."""
        return self.share.lower

    @property
    def epsilon(self) -> Fraction | float:
        """The e of Theorem 4 of [P2], mu(bands) / (mu([[X]]) - mu(bands)), from the lower end of `share`."""
        return self.privacy("X").epsilon

    def privacy(self, reference: Literal["Y", "X"] = "Y") -> Privacy:
        """Priv, (9) of [P2], with its reference.

        `stretch`: ln(1 + e) with either reference. `collapse` releases a set of measure 0 for the bands, so
        Priv is 0 with [[Y]], which is how the paper defines it, and ln(1 + e), as Theorem 4 claims, only with
        [[X]].
        """
        decided = self.volume * (1 - self.protected_share)
        collapsed = self.mode == "collapse" and reference == "Y"
        return Privacy(reference, decided if collapsed else self.volume, decided, counted=False)


def _parsed(text: str, ranges: Ranges) -> Hypothesis:
    """The hypothesis, all of whose columns have ranges."""
    from noiseless.domain.grammar import read_comparison

    sides = read_comparison(text)
    for name in sorted(sides.left.columns | sides.right.columns):
        if name not in ranges:
            raise ExpressionError(
                text, f"column {name!r} has no declared bounds; give its lowest and highest"
            )
    return Hypothesis.of(text, sides, ranges)
