"""Privacy as the inverse of information (Definition III.1 of [P4])."""

import math
from fractions import Fraction

from noiseless.exact import Bits, log2_bounds, round_down
from noiseless.measures import continuous
from noiseless.measures.leakage import leakage
from noiseless.measures.maximin import maximin
from noiseless.ranges import JointRange
from noiseless.ranges.continuous import ContinuousRange


def privacy_by_leakage(joint: JointRange | ContinuousRange) -> float:
    """P1 = 1 / L0(X;Y), rounded down; infinite when nothing leaks ([P4] says 0 in its text)."""
    if isinstance(joint, ContinuousRange):
        return continuous.privacy_by_leakage(joint)
    return _inverse(leakage(joint))


def privacy_by_maximin(joint: JointRange | ContinuousRange) -> float:
    """P2 = 1 / I*(X;Y), rounded down; infinite when nothing can be told apart for certain."""
    if isinstance(joint, ContinuousRange):
        return continuous.privacy_by_maximin(joint)
    return _inverse(maximin(joint))


def _inverse(bits: Bits) -> float:
    above: Fraction = log2_bounds(bits.ratio)[1]
    return round_down(1 / above) if above else math.inf
