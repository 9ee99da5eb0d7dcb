"""Disarray: what the most telling answer leaves open."""

from typing import overload

from noiseless.exact import Bits
from noiseless.measures import continuous
from noiseless.ranges import JointRange
from noiseless.ranges.continuous import ContinuousRange


@overload
def disarray(joint: JointRange) -> Bits: ...
@overload
def disarray(joint: ContinuousRange) -> continuous.Quantity: ...
def disarray(joint: JointRange | ContinuousRange) -> continuous.Quantity:
    """B0(X|Y) = min_y log2 |[[X|y]]|, d0 in (5) of [P4]: the bits left by the answer that says most.

    >>> disarray(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])).ratio
    Fraction(1, 1)
    """
    if isinstance(joint, ContinuousRange):
        return continuous.disarray(joint)
    return Bits(int(joint.posterior_sizes.min()))
