"""Disarray: what the most telling answer leaves open."""

from noiseless.exact import Bits
from noiseless.ranges import JointRange


def disarray(joint: JointRange) -> Bits:
    """B0(X|Y) = min_y log2 |[[X|y]]|, d0 in (5) of [P4]: the bits left by the answer that says most.

    >>> disarray(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])).ratio
    Fraction(1, 1)
    """
    return Bits(int(joint.posterior_sizes.min()))
