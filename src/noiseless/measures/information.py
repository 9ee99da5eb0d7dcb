"""Information: what every answer is sure to tell."""

from typing import overload

from noiseless.exact import Bits
from noiseless.measures import continuous
from noiseless.measures.entropy import conditional_entropy, entropy
from noiseless.ranges import JointRange
from noiseless.ranges.continuous import ContinuousRange


@overload
def information(joint: JointRange) -> Bits: ...
@overload
def information(joint: ContinuousRange) -> continuous.Quantity: ...
def information(joint: JointRange | ContinuousRange) -> continuous.Quantity:
    """I0(X;Y) = H0(X) - H0(X|Y) = min_y log2 |[[X]]| / |[[X|y]]| ((5) of [P1]).

    >>> information(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])).ratio
    Fraction(3, 2)
    """
    if isinstance(joint, ContinuousRange):
        return continuous.information(joint)
    return entropy(joint) - conditional_entropy(joint)
