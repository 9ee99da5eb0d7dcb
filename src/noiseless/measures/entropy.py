"""Entropy without probability: how many values are possible."""

from typing import overload

from noiseless.exact import Bits
from noiseless.measures import continuous
from noiseless.ranges import JointRange
from noiseless.ranges.continuous import ContinuousRange


@overload
def entropy(joint: JointRange) -> Bits: ...
@overload
def entropy(joint: ContinuousRange) -> continuous.Quantity: ...
def entropy(joint: JointRange | ContinuousRange) -> continuous.Quantity:
    """H0(X) = log2 |[[X]]|, the bits there are (Hartley's entropy).

    >>> entropy(JointRange.from_pairs([(face, face % 2) for face in range(1, 7)])).ratio
    Fraction(6, 1)
    """
    if isinstance(joint, ContinuousRange):
        return continuous.entropy(joint)
    return Bits(joint.size_x)


@overload
def conditional_entropy(joint: JointRange) -> Bits: ...
@overload
def conditional_entropy(joint: ContinuousRange) -> continuous.Quantity: ...
def conditional_entropy(joint: JointRange | ContinuousRange) -> continuous.Quantity:
    """H0(X|Y) = max_y log2 |[[X|y]]|, the bits left by the answer that says least."""
    if isinstance(joint, ContinuousRange):
        return continuous.conditional_entropy(joint)
    return Bits(int(joint.posterior_sizes.max()))
