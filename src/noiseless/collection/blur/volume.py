"""The protected share of a continuous range: exact where it is rational, else enclosed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count, pairwise, product
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from noiseless.collection.blur.polynomials import Polynomial, polynomial_of
from noiseless.domain.expressions import Expression, Ranges, halved_along
from noiseless.intervals import Enclosure

if TYPE_CHECKING:
    from flint import arb


@dataclass(frozen=True)
class BoundaryStrip:
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

    def linear_volume(self, g: Polynomial, box: Ranges) -> Fraction:
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


def _corners(g: Polynomial, box: Ranges, start: Fraction, power: int) -> Fraction:
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


_Region = TypeVar("_Region")


class _Finding(Protocol):
    @property
    def doubt(self) -> Fraction | float:
        """What halving could still gain; infinite where nothing is known yet."""


Finding = TypeVar("Finding", bound=_Finding)


def branch(
    whole: _Region,
    look: Callable[[_Region], Finding],
    halve: Callable[[_Region], list[_Region]],
    most_boxes: int,
    enough: Fraction | int = 0,
) -> list[Finding]:
    """What was found on boxes that make up the whole.

    Args:
        whole: the box to begin with.
        look: what can be said of a box.
        halve: the parts of a box.
        most_boxes: how many boxes are halved.
        enough: boxes with no more doubt than this are not halved.
    """
    done: list[Finding] = []
    waiting: list[tuple[Fraction | float, int, _Region, Finding]] = []
    number = count()

    def take(box: _Region) -> None:
        finding = look(box)
        if finding.doubt > enough:
            heappush(waiting, (-finding.doubt, next(number), box, finding))
        else:
            done.append(finding)

    take(whole)
    for _ in range(most_boxes):
        if not waiting:
            break
        for part in halve(heappop(waiting)[2]):
            take(part)
    return [*done, *(entry[3] for entry in waiting)]


MOST_DEGREE = 128
"""Polynomials of one column up to this degree are integrated between their roots."""

MOST_CORNERS = 2**12
"""Boxes with up to this many corners are integrated over exactly when the boundary is linear."""

MOST_BOXES = 2048
"""How many boxes are halved otherwise."""


def protected_volume(
    boundary: Expression, strip: BoundaryStrip, box: Ranges, tolerance: Fraction
) -> Enclosure:
    """The measure of all bands over a box of the other columns.

    Args:
        boundary: g.
        strip: the range of the compared column and D.
        box: the range of each column of the boundary.
        tolerance: the width of the enclosure to aim at; branch and bound may give up before.

    Raises:
        ZeroDivisionError: the boundary may divide by 0 somewhere.
    """
    g = polynomial_of(boundary)
    if g is None:
        return _branched(boundary, None, strip, box, tolerance)
    used = [name for name in box if any(name in dict(powers) for powers in g.terms)]
    if len(used) <= 1 and g.degree <= MOST_DEGREE:
        flat = math.prod((box[n][1] - box[n][0] for n in box if n not in used), start=Fraction(1))
        if not used:
            return Enclosure.exactly(flat * strip.width(g.value_at_zero))
        found = _between_roots(g, used[0], strip, box[used[0]], tolerance / flat)
        return Enclosure.exactly(flat) * found
    if g.degree == 1 and 2 ** len(used) <= MOST_CORNERS:
        return Enclosure.exactly(strip.linear_volume(g, box))
    return _branched(boundary, g, strip, box, tolerance)


def _between_roots(
    g: Polynomial, name: str, strip: BoundaryStrip, ends: tuple[Fraction, Fraction], tolerance: Fraction
) -> Enclosure:
    """One other column: integrate from root to root of g - threshold, all but the enclosures of the roots."""
    most = min(2 * strip.reach, strip.high - strip.low)
    shifted = [g - Polynomial.constant(threshold) for threshold in strip.thresholds]
    roots = _roots([p.coefficients(name) for p in shifted], ends, tolerance / most)
    sure = Fraction(0)
    for left, right in pairwise([Enclosure.exactly(ends[0]), *roots, Enclosure.exactly(ends[1])]):
        middle = (left.upper + right.lower) / 2
        value = sum((c * middle**power for power, c in enumerate(g.coefficients(name))), Fraction(0))
        width = strip.width_polynomial(g, value)
        sure += width.integral({name: (left.upper, right.lower)})
    open_ = sum((root.width for root in roots), Fraction(0)) * most
    return Enclosure(sure, sure + open_)


def _roots(
    polynomials: Sequence[Sequence[Fraction]], ends: tuple[Fraction, Fraction], tolerance: Fraction
) -> list[Enclosure]:
    """Disjoint enclosures of all real roots strictly between two ends, together no wider than `tolerance`."""
    from flint import ctx

    for precision in (64 * 2**k for k in count()):
        with ctx.workprec(precision):
            found = [root for p in polynomials for root in _real_roots(p)]
        inside = sorted(
            (root for root in found if root.upper > ends[0] and root.lower < ends[1]),
            key=lambda root: root.lower,
        )
        apart = all(a.upper < b.lower for a, b in pairwise(inside))
        contained = all(ends[0] < root.lower and root.upper < ends[1] for root in inside)
        if apart and contained and sum(root.width for root in inside) <= tolerance:
            return inside
    raise AssertionError("precision grows for ever")


def _real_roots(coefficients: Sequence[Fraction]) -> list[Enclosure]:
    """Enclosures of a polynomial's real roots, exact for rational ones, at flint's working precision."""
    from flint import fmpq, fmpq_poly

    p = fmpq_poly([fmpq(c.numerator, c.denominator) for c in coefficients])
    if p.degree() < 1:
        return []
    found = []
    for root, multiplicity in p.roots():
        found.append(Enclosure.exactly(Fraction(int(root.p), int(root.q))))
        p //= fmpq_poly([-root, 1]) ** multiplicity
    # Balls of different roots are disjoint, and those of real roots have imaginary part 0 exactly.
    others: Any = p.numer().complex_roots() if p.degree() > 0 else ()
    return found + [_ends(root.real) for root, _ in others if root.imag == 0]


def _ends(ball: "arb") -> Enclosure:
    low, high = (
        Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
        for mantissa, exponent in (ball.lower().man_exp(), ball.upper().man_exp())
    )
    return Enclosure(low, high)


class _Part(NamedTuple):
    """The measure of the bands over a box, as far as it is known; none where g may divide by 0."""

    volume: Enclosure | None

    @property
    def doubt(self) -> Fraction | float:
        """How far the ends are apart."""
        return math.inf if self.volume is None else self.volume.width


def _branched(
    boundary: Expression, g: Polynomial | None, strip: BoundaryStrip, box: Ranges, tolerance: Fraction
) -> Enclosure:
    """Several other columns, or g no polynomial: branch and bound."""
    parts = branch(
        box,
        lambda part: _Part(_volume_on(boundary, g, strip, part)),
        lambda part: halved_along(part, boundary.steepest(part)),
        MOST_BOXES,
        tolerance / (2 * MOST_BOXES),
    )
    total = Enclosure.exactly(Fraction(0))
    for part in parts:
        if part.volume is None:
            raise ZeroDivisionError("a divisor may be 0")
        total += part.volume
    return total


def _volume_on(
    boundary: Expression, g: Polynomial | None, strip: BoundaryStrip, box: Ranges
) -> Enclosure | None:
    """What an enclosure of g over a box says; exact where a polynomial crosses no threshold."""
    try:
        values = boundary.over(box)
    except ZeroDivisionError:
        return None
    if g is not None and strip.is_one_form(values):
        sample = (values.lower + values.upper) / 2
        return Enclosure.exactly(strip.width_polynomial(g, sample).integral(box))
    base = math.prod((high - low for low, high in box.values()), start=Fraction(1))
    return Enclosure.exactly(base) * strip.width_over(values)
