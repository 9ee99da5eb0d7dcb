"""How far the number that a rule tells can be from the truth; the middle of its cell may be nearer."""

from fractions import Fraction
from math import ceil, floor, gcd

from noiseless.ranges.spans import Lattice, Span
from noiseless.rules.base import Rule
from noiseless.rules.digits import Digits, decade
from noiseless.rules.rounded import Direction, multiple
from noiseless.rules.rounding import Round

_HALF = Fraction(1, 2)


def told_error(rule: Rule, span: Span) -> Fraction | None:
    """The largest distance of a told number from the truth; None where labels such as >=90 may be told.

    >>> counts = Lattice.of(0, 1000, 1)
    >>> [str(told_error(Round(Fraction(base)), counts)) for base in (2, 5, 10)]
    ['1', '2', '5']

    Args:
        rule: the rule.
        span: the answers there are. Those of a lattice that is shorter than a base are taken for all there
            are between its ends or all of its kind, whichever says less.
    """
    if isinstance(rule, Round):
        return _within(span, rule.base, rule.direction, span.low, span.high)
    if isinstance(rule, Digits):
        return max((error for side in (1, -1) for error in _by_decade(rule, span, side)), default=Fraction(0))
    return None


def _by_decade(rule: Digits, span: Span, side: int) -> list[Fraction]:
    """The errors of the numbers on one side of 0, each decade rounded to its own unit."""
    near, far = sorted((side * span.low, side * span.high))
    if far <= 0:
        return []
    if near <= 0:  # 0 is told as it is; on a lattice there is a smallest number beside it
        near = min(far, _first_above(span, side))
    found = []
    for power in range(decade(near), decade(far) + 1):
        low, high = max(near, Fraction(10) ** power), min(far, Fraction(10) ** (power + 1))
        unit = rule.unit(power)
        ends = (low, high) if side > 0 else (-high, -low)
        found.append(_within(span, unit, "half-away", *ends))
    return found


def _first_above(span: Span, side: int) -> Fraction:
    """The smallest size of a number of a lattice on one side of 0, which lies within it."""
    assert isinstance(span, Lattice)  # noqa: S101 - digits crowd near 0 on a continuum, and are refused
    rest = (side * span.low) % span.step
    return rest or span.step


def _within(span: Span, base: Fraction, direction: Direction, low: Fraction, high: Fraction) -> Fraction:
    """The largest error of the answers between two numbers, rounded to multiples of a base."""
    found = _between(base, direction, low, high)
    return min(found, _of_kind(span, base, direction)) if isinstance(span, Lattice) else found


def _between(base: Fraction, direction: Direction, low: Fraction, high: Fraction) -> Fraction:
    """The largest error of all numbers between two: at a half, just beside a multiple, or at an end."""
    if direction == "down" and floor(high / base) > floor(low / base):
        return base
    if direction == "up" and ceil(high / base) > ceil(low / base):
        return base
    halves = floor(high / base - _HALF) >= ceil(low / base - _HALF)
    if halves and direction not in {"down", "up"}:
        return base / 2
    return max(abs(multiple(end / base, direction) * base - end) for end in (low, high))


def _of_kind(lattice: Lattice, base: Fraction, direction: Direction) -> Fraction:
    """The largest error of all numbers that lie like those of a lattice, from one base to the next."""
    step, common = lattice.step, lattice.step.denominator * base.denominator
    unit = Fraction(gcd(step.numerator * base.denominator, base.numerator * step.denominator), common)
    first = lattice.low % unit  # above a multiple of the base there are first, first + unit, ...
    if direction == "down":
        return first + base - unit
    if direction == "up":
        return base - (first or unit)
    places = (base / 2 - first) / unit
    return max(first + floor(places) * unit, base - first - ceil(places) * unit, Fraction(0))
