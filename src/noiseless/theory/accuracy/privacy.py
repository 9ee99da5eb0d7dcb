"""Privacy as the inverse of information (Definition III.1 of [P4])."""

import math
from fractions import Fraction

from noiseless.exact import Bits, log2_bounds, round_down
from noiseless.ranges import JointRange
from noiseless.theory.continuous.joint import ContinuousRange
from noiseless.theory.continuous.measures import Quantity, leakage, maximin


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
