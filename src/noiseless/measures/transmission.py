"""Transmission: how much smaller the joint range is than the product of the ranges."""

from fractions import Fraction

from noiseless.exact import Bits
from noiseless.ranges import JointRange


def transmission(joint: JointRange) -> Bits:
    """T0(X;Y) = H0(X) + H0(Y) - H0(X,Y) ((8) of [P4]); zero exactly when X and Y are unrelated.

    How much is lost by looking at X and Y apart: the share of the pairs of values that cannot occur, in
    bits. It is symmetric in X and Y.

    >>> transmission(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])).ratio
    Fraction(2, 1)

    Inequalities:
        * `I0(X;Y) <= T0(X;Y) <= L0s(X;Y)` where values are counted.
    """
    return Bits(Fraction(joint.size_x * joint.size_y, len(joint)))
