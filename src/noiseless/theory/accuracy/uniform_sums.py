"""Sums of independent uniform numbers: their distribution function, exactly or in certified enclosures."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, count
from math import comb, exp, factorial, log, prod, sqrt
from typing import Any

from flint import acb, arb, ctx

from noiseless.exact import ball
from noiseless.intervals import Enclosure

MOST_TERMS = 2**15
"""Sums of corners are listed up to this many: 16 different weights, or any number of equal ones."""

MOST_STORED = 2**29
"""Moments of corners are kept while they have about this many bits in all; else each level is summed anew."""

MOST_WORK = 2**26
"""Bits of the numbers that are added up exactly for a level; beyond, an enclosure is computed."""

ROUGH, PRECISION, MOST_PRECISION = 40, 64, 2**11
"""Bits of the balls: for a guess, beside those of the share's own size, and no more than this."""

DIGITS = 10**12
"""Quantiles are rounded to this part of the length."""

_GUARD = 32
"""Bits kept beside those that are asked for."""

_TILT_PRECISION = 256
"""Bits with which tilted means and variances are computed: they are differences of large numbers."""

_RATES = 20.0
"""Rates are looked for over this many powers of e."""


@dataclass(frozen=True)
class UniformSum:
    """The sum of independent numbers, each uniform on [0, w] for a whole number w.

    >>> UniformSum(((1, 3),)).below(Fraction(1))
    Enclosure(1/6, 1/6)

    Attributes:
        weights: each different w, and how often it occurs.
    """

    weights: tuple[tuple[int, int], ...]

    @cached_property
    def length(self) -> int:
        """The largest sum."""
        return sum(weight * times for weight, times in self.weights)

    @cached_property
    def count(self) -> int:
        """How many numbers are added up."""
        return sum(times for _, times in self.weights)

    def below(self, level: Fraction) -> Enclosure:
        """The share of sums below a level, exact where that is cheap."""
        if level <= 0:
            return Enclosure.exactly(Fraction(0))
        if 2 * level == self.length:
            return Enclosure.exactly(Fraction(1, 2))
        if 2 * level > self.length:  # the law is symmetric, and the smaller tail has fewer terms
            return Enclosure.exactly(Fraction(1)) - self.below(self.length - level)
        exact = self._exactly(level)
        return self._enclosed(level) if exact is None else Enclosure.exactly(exact)

    def quantile(self, share: Fraction) -> Fraction:
        """About the level with this share below it; near enough to choose an edge, not certified."""
        from scipy.optimize import brentq

        if self.count == 1:
            return share * self.length
        if 2 * share > 1:
            return self.length - self.quantile(1 - share)
        wanted, half = float(share), self.length / 2
        if wanted == 0 or abs(wanted - 0.5) < 2 / DIGITS:
            return Fraction(self.length, 2) if wanted else Fraction(0)
        root: Any = brentq(
            lambda level: self._roughly(Fraction(level)) - wanted, 0.0, half, xtol=half / DIGITS
        )
        return Fraction(round(root / self.length * DIGITS), DIGITS) * self.length

    def _roughly(self, level: Fraction) -> float:
        if level <= 0:
            return 0.0
        if self._stored is not None:
            return float(self._by_moments(level, *self._stored))
        return float(share_below(self.weights, Fraction(self.length, 2) - level, ROUGH).mid())

    def _exactly(self, level: Fraction) -> Fraction | None:
        """Sum over corners s of (-1)^(upper ends of s) (level - s)+^n / (n! prod w): inclusion and exclusion.

        None when there are too many corners below the level, or their powers are too large.
        """
        if self.count > MOST_TERMS:
            return None
        if self._stored is not None:
            return self._by_moments(level, *self._stored)
        terms = self._corners if self._corners is not None else self._corners_below(level)
        if terms is None:
            return None
        top, bottom, size = level.numerator, level.denominator, self.count
        if len(terms) * size * max(top, self.length * bottom).bit_length() > MOST_WORK:
            return None
        total = sum(signed * (top - s * bottom) ** size for s, signed in terms if s * bottom < top)
        return Fraction(total, bottom**size * self._divisor)

    def _by_moments(self, level: Fraction, sums: list[int], moments: list[list[int]]) -> Fraction:
        """The same multiplied out: (level - s)^n in moments of the corners below the level."""
        top, bottom, size = level.numerator, level.denominator, self.count
        number = bisect_left(sums, level)
        total, power = 0, 1
        for k in range(size, -1, -1):
            total += (-1) ** k * comb(size, k) * moments[k][number] * bottom**k * power
            power *= top
        return Fraction(total, bottom**size * self._divisor)

    @cached_property
    def _divisor(self) -> int:
        volume: int = prod(weight**times for weight, times in self.weights)
        return factorial(self.count) * volume

    @cached_property
    def _corners(self) -> list[tuple[int, int]] | None:
        """All corners of the lower half, if they are few."""
        return self._corners_below(Fraction(self.length, 2))

    @cached_property
    def _stored(self) -> tuple[list[int], list[list[int]]] | None:
        """The lower half's corners, and for each power k the sums of signed s^k over the first ones.

        With 14 different weights a quantile takes a hundredth of the time that sums over corners take.
        """
        size = self.count
        if self._corners is None or len(self._corners) * size**2 * self.length.bit_length() > MOST_STORED:
            return None
        moments = [
            list(accumulate((signed * s**k for s, signed in self._corners), initial=0))
            for k in range(size + 1)
        ]
        return [s for s, _ in self._corners], moments

    def _corners_below(self, level: Fraction) -> list[tuple[int, int]] | None:
        """Sums of weights below a level, each with how many more ways of even than of odd size there are."""
        corners = {0: 1}
        for weight, times in self.weights:
            signs = _alternating(times, min(times, MOST_TERMS, int(level / weight)))
            grown: dict[int, int] = {}
            for start, signed in corners.items():
                for place, sign in zip(count(start, weight), signs, strict=False):
                    if place >= level:
                        break
                    grown[place] = grown.get(place, 0) + signed * sign
                if len(grown) > MOST_TERMS:
                    return None
            corners = grown
        return sorted((place, signed) for place, signed in corners.items() if signed)

    def _enclosed(self, level: Fraction) -> Enclosure:
        """A ball, precise enough for the size of the share; simple bounds where that is beyond reason."""
        inner, above = Tilt(self.weights).bounds(level)
        precision = PRECISION + above.denominator.bit_length() - above.numerator.bit_length()
        if precision > MOST_PRECISION:
            return Enclosure(inner, above)
        low, high = ends(share_below(self.weights, Fraction(self.length, 2) - level, precision))
        return Enclosure(max(low, inner), min(high, above))


def _alternating(total: int, last: int) -> list[int]:
    """(-1)^j times the number of ways to choose j out of a total, for j up to the last."""
    signs = [1]
    for chosen in range(last):
        signs.append(-signs[-1] * (total - chosen) // (chosen + 1))
    return signs


def share_below(weights: Sequence[tuple[int, int]], distance: Fraction, precision: int) -> arb:
    """A ball that holds the share of sums that are more than `distance` below the middle.

    With d the distance, 1/2 - (1/pi) int_0^oo sin(d t)/t prod sinc(w t/2) dt (Gil-Pelaez). Up to T the
    integral is computed rigorously (Petras' algorithm in Arb); beyond, |sinc(w t/2)| <= 2/(w t) bounds it.

    Args:
        weights: each different w, and how often it occurs.
        distance: how far below the middle, not negative.
        precision: the bits that the error is aimed at.
    """
    with ctx.workprec(precision + _GUARD):
        count = sum(times for _, times in weights)
        d = ball(distance)
        logs = sum((times * (arb(2) / weight).log() for weight, times in weights), arb(0))
        end = ((logs - arb(count).log() + precision * arb(2).log()) / count).exp().upper()

        def integrand(t: acb, _: bool) -> acb:
            product = (t * d).sinc()
            for weight, times in weights:
                product *= (t * weight / 2).sinc() ** times
            return product

        tolerance = arb(2) ** -precision
        inside = acb.integral(integrand, 0, end, abs_tol=tolerance, rel_tol=tolerance).real
        tail = (logs - count * end.log()).exp() / (count * arb.pi())
        return arb(1) / 2 - d * inside / arb.pi() + arb(0, tail.upper())


@dataclass(frozen=True)
class Tilt:
    """Exponential bounds of the chance of a small sum, near the best rate; any rate r > 0 gives bounds.

    With M = E e^(-r X), the sum is at most s with a chance of at most e^(r s) prod M. Under the law that is
    tilted by e^(-r X) it lies within t = sqrt(2 variance) of its mean m with a chance of at least 1/2
    (Chebyshev); so if m + t <= s the chance is at least e^(r (m - t)) prod M / 2.

    Attributes:
        weights: each w, and how often it occurs: numbers are uniform on [0, w], or on 0, ..., w - 1.
        whole: which of the two.
    """

    weights: Sequence[tuple[int, int]]
    whole: bool = False

    def bounds(self, level: Fraction) -> tuple[Fraction, Fraction]:
        """A lower and an upper bound of the share of sums up to a level, which is above 0 and below the mean.

        Rates are chosen in floats, the bounds are then computed in balls.
        """
        with ctx.workprec(_TILT_PRECISION):
            rate = ball(Fraction(self._rate(float(level), 0.0)))
            above = ends((rate * ball(level) + self._log(rate)).exp())[1]
            rate = ball(Fraction(self._rate(float(level), 1.0) * (1 + 2.0**-30)))
            mean, spread = self._mean(rate), (2 * self._variance(rate)).sqrt()
            if not mean + spread <= ball(level):
                return Fraction(0), above
            return ends((rate * (mean - spread) + self._log(rate)).exp() / 2)[0], above

    def _rate(self, level: float, spreads: float) -> float:
        """The rate at which the mean plus a number of spreads is the level."""
        from scipy.optimize import brentq

        def excess(exponent: float) -> float:
            rate = arb(exp(exponent))
            mean, variance = float(self._mean(rate).mid()), float(self._variance(rate).mid())
            return mean + spreads * sqrt(2 * max(variance, 0.0)) - level

        scale = log(max(weight for weight, _ in self.weights))
        steep = log(sum(times for _, times in self.weights) / level)
        low, high = -scale - _RATES, (0.0 if self.whole else steep) + _RATES / 4
        if not excess(high) < 0 < excess(low):
            return exp(steep)
        return exp(float(brentq(excess, low, high, xtol=1e-9)))

    def _base(self, rate: arb) -> arb:
        """What is in the place of the rate where numbers are whole."""
        return 1 - (-rate).exp() if self.whole else rate

    def _log(self, rate: arb) -> arb:
        base = self._base(rate)
        return sum((n * ((1 - (-rate * w).exp()) / (base * w)).log() for w, n in self.weights), arb(0))

    def _mean(self, rate: arb) -> arb:
        own = 1 / (rate.exp() - 1) if self.whole else 1 / rate
        return sum((n * (own - w / ((rate * w).exp() - 1)) for w, n in self.weights), arb(0))

    def _variance(self, rate: arb) -> arb:
        own = rate.exp() / (rate.exp() - 1) ** 2 if self.whole else 1 / rate**2
        far = (n * (own - w * w * (rate * w).exp() / ((rate * w).exp() - 1) ** 2) for w, n in self.weights)
        return sum(far, arb(0))


def ends(value: arb) -> tuple[Fraction, Fraction]:
    """Rationals below and above all numbers of a finite ball."""
    low, high = (end.fmpq() for end in (value.lower(), value.upper()))
    return Fraction(int(low.p), int(low.q)), Fraction(int(high.p), int(high.q))
