"""The band around a hypothesis' boundary in a continuous range, and the measure of all bands together."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from noiseless.domain.polynomials import Polynomial
from noiseless.exact import Enclosure

Box = Mapping[str, tuple[Fraction, Fraction]]


@dataclass(frozen=True)
class Strip:
    """How far the compared column ranges, and how far its values may be moved.

    Attributes:
        low: the lower end of its range, A.
        high: the upper end, B.
        reach: D = 1/rho.
    """

    low: Fraction
    high: Fraction
    reach: Fraction

    @property
    def thresholds(self) -> list[Fraction]:
        """Where the width of the band, as a function of g, changes its form."""
        inner = (self.low + self.reach, self.high - self.reach)
        kept = (t for t in inner if self.low < t < self.high)
        return sorted({self.low, self.high, *kept})

    def band(self, g: Fraction) -> tuple[Fraction, Fraction] | None:
        """[lo, hi] around g, clipped to the range; None where g does not lie strictly inside it."""
        if not self.low < g < self.high:
            return None
        return max(self.low, g - self.reach), min(self.high, g + self.reach)

    def width(self, g: Fraction) -> Fraction:
        """The width of the band around g: concave in g within the range, 0 outside."""
        band = self.band(g)
        return Fraction(0) if band is None else band[1] - band[0]

    def width_over(self, g: Enclosure) -> Enclosure:
        """The least and the largest width while g is somewhere in an enclosure."""
        if g.upper <= self.low or g.lower >= self.high:
            return Enclosure.exactly(Fraction(0))
        middle = (self.low + self.high) / 2
        return Enclosure(
            min(self.width(g.lower), self.width(g.upper)), self.width(min(max(middle, g.lower), g.upper))
        )

    def width_polynomial(self, g: Polynomial, sample: Fraction) -> Polynomial:
        """The width as a polynomial where g stays between the same thresholds as `sample`."""
        band = self.band(sample)
        if band is None:
            return Polynomial.constant(Fraction(0))
        reach = Polynomial.constant(self.reach)
        low = Polynomial.constant(self.low) if band[0] == self.low else g - reach
        high = Polynomial.constant(self.high) if band[1] == self.high else g + reach
        return high - low

    def is_one_form(self, g: Enclosure) -> bool:
        """Whether no threshold lies strictly between the ends of an enclosure of g."""
        return not any(g.lower < threshold < g.upper for threshold in self.thresholds)

    def linear_volume(self, g: Polynomial, box: Box) -> Fraction:
        """The exact measure of all bands for a linear g of several columns.

        With lin(s, c) = g - s where g > max(s, c), else 0, the width is the sum of lin(s, c) over c = A (+),
        B (-) and s = A - D (+), B - D (-), A + D (-). Powers of the positive part of a linear function
        integrate over a box to a sum over its corners.
        """
        total = Fraction(0)
        for c, sign in ((self.low, 1), (self.high, -1)):
            starts = (self.low - self.reach, 1), (self.high - self.reach, -1), (self.low + self.reach, -1)
            for s, way in starts:
                start = max(s, c)
                total += sign * way * (_corners(g, box, start, 1) + (start - s) * _corners(g, box, start, 0))
        return total


def _corners(g: Polynomial, box: Box, start: Fraction, power: int) -> Fraction:
    """The integral of max(g - start, 0)**power over a box, g being linear (power 0: where g > start)."""
    slopes = {name: g.terms.get(((name, 1),), Fraction(0)) for name in box}
    steep = [name for name, slope in slopes.items() if slope]
    flat = math.prod(((box[name][1] - box[name][0]) for name in box if name not in steep), start=Fraction(1))
    order = power + len(steep)
    total = Fraction(0)
    for ends in product((0, 1), repeat=len(steep)):
        value = g.value_at_zero - start
        value += sum(slopes[name] * box[name][end] for name, end in zip(steep, ends, strict=True))
        if value > 0:
            total += (-1) ** (len(steep) - sum(ends)) * value**order
    scale = math.prod((slopes[name] for name in steep), start=Fraction(1)) * math.perm(order, len(steep))
    return flat * total / scale
