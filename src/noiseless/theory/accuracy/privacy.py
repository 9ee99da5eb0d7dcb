"""Privacy as the inverse of information (Definition III.1 of [P4])."""

import math
from fractions import Fraction

from noiseless.exact import Bits, log2_bounds, round_down
from noiseless.theory.continuous import measures as continuous
from noiseless.measures.leakage import leakage
from noiseless.measures.maximin import maximin
from noiseless.ranges import JointRange
from noiseless.theory.continuous.joint import ContinuousRange


def privacy_by_leakage(joint: JointRange | ContinuousRange) -> float:
    """P1 = 1 / L0(X;Y), rounded down; infinite when nothing leaks ([P4] says 0 in its text).

    The larger, the less the most telling answer gives away.

    >>> privacy_by_leakage(JointRange.from_pairs([(face, face > 3) for face in range(1, 5)]))
    0.5

    Inequalities:
        * `P1 <= P2` where values are counted, since `I*(X;Y) <= L0(X;Y)`.
    """
    if isinstance(joint, ContinuousRange):
        return continuous.privacy_by_leakage(joint)
    return _inverse(leakage(joint))


def privacy_by_maximin(joint: JointRange | ContinuousRange) -> float:
    """P2 = 1 / I*(X;Y), rounded down; infinite when no question is answered by every y.

    The larger, the less every answer tells. A single answer can tell more: see `privacy_by_leakage`.

    >>> privacy_by_maximin(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")]))
    1.0

    Inequalities:
        * `P1 <= P2` where values are counted, since `I*(X;Y) <= L0(X;Y)`.
    """
    if isinstance(joint, ContinuousRange):
        return continuous.privacy_by_maximin(joint)
    return _inverse(maximin(joint))


def _inverse(bits: Bits) -> float:
    above: Fraction = log2_bounds(bits.ratio)[1]
    return round_down(1 / above) if above else math.inf
