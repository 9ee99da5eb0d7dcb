"""Maximin information: what can be told apart for certain."""

from typing import overload

from noiseless.exact import Bits
from noiseless.measures import continuous
from noiseless.ranges import JointRange, count_blocks
from noiseless.ranges.continuous import ContinuousRange


@overload
def maximin(joint: JointRange) -> Bits: ...
@overload
def maximin(joint: ContinuousRange) -> Bits | float: ...
def maximin(joint: JointRange | ContinuousRange) -> Bits | float:
    """I*(X;Y) = log2 of the number of blocks of the overlap partition ((9) of [P1] and [P4]).

    With side information take Y = (Y', A): I*(X; (Y', A)).

    >>> maximin(JointRange.from_pairs([(face, face % 2) for face in range(1, 7)])).ratio
    Fraction(2, 1)
    """
    if isinstance(joint, ContinuousRange):
        return continuous.maximin(joint)
    return Bits(count_blocks(joint))
