"""Privacy and quality of reported answers (Definitions III.1 and III.2 of [P4])."""

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from noiseless.exact import Bits, Rational, log2_bounds, round_down
from noiseless.measures import Quantity, leakage, maximin
from noiseless.ranges import JointRange
from noiseless.theory.continuous.joint import ContinuousRange

NumberOrVector = Rational | Sequence[Rational]


def quality(truths: Sequence[NumberOrVector], reports: Sequence[NumberOrVector]) -> float:
    """Q = 1 / max_x ||f(x) - f~(x)||_2, rounded down; infinite when every report is the truth.

    The larger, the nearer the worst report is to the truth.

    Args:
        truths: f(x) for each x, numbers or vectors of numbers.
        reports: f~(x) for the same x.

    >>> quality([0, 1, 2, 3], [Fraction(1, 2), Fraction(1, 2), Fraction(5, 2), Fraction(5, 2)])
    2.0

    Inequalities:
        * `Q >= 2 q / w` for the middles of q equal cells over values between two bounds w apart.
    """
    worst = max(_squared_distance(t, r) for t, r in zip(truths, reports, strict=True))
    if worst == 0:
        return math.inf
    square = 1 / worst
    with localcontext() as context:
        context.prec = 50
        root = (Decimal(square.numerator) / Decimal(square.denominator)).sqrt()
        exact = Fraction(root)
    if exact * exact != square:
        exact -= exact / 10**45  # both operations were rounded: step below the true root
    return round_down(exact)


def _squared_distance(truth: NumberOrVector, report: NumberOrVector) -> Fraction:
    a = truth if isinstance(truth, Sequence) else (truth,)
    b = report if isinstance(report, Sequence) else (report,)
    return sum(((Fraction(u) - Fraction(v)) ** 2 for u, v in zip(a, b, strict=True)), Fraction(0))


def privacy_by_leakage(joint: JointRange | ContinuousRange) -> float:
    """P1 = 1 / L0(X;Y), rounded down; infinite when nothing leaks ([P4] says 0 in its text).

    The larger, the less the most telling answer gives away.

    >>> privacy_by_leakage(JointRange.from_pairs([(face, face > 3) for face in range(1, 5)]))
    0.5

    Inequalities:
        * `P1 <= P2` where values are counted, since `I*(X;Y) <= L0(X;Y)`.
    """
    return _inverse(leakage(joint))


def privacy_by_maximin(joint: JointRange | ContinuousRange) -> float:
    """P2 = 1 / I*(X;Y), rounded down; infinite when no question is answered by every y.

    The larger, the less every answer tells. A single answer can tell more: see `privacy_by_leakage`.

    >>> privacy_by_maximin(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")]))
    1.0

    Inequalities:
        * `P1 <= P2` where values are counted, since `I*(X;Y) <= L0(X;Y)`.
    """
    information = maximin(joint)
    return _inverse(information) if isinstance(information, Bits) else 0.0


def _inverse(bits: Quantity) -> float:
    if isinstance(bits, Bits):
        above = log2_bounds(bits.ratio)[1]
        return round_down(1 / above) if above else math.inf
    if bits.ratio == 1:
        return math.inf
    return 0.0 if math.isinf(bits.ratio) else round_down(1 / Fraction(bits.upper))
