"""Information: what every answer is sure to tell."""

from noiseless.exact import Bits
from noiseless.measures.entropy import conditional_entropy, entropy
from noiseless.ranges import JointRange


def information(joint: JointRange) -> Bits:
    """I0(X;Y) = H0(X) - H0(X|Y) = min_y log2 |[[X]]| / |[[X|y]]| ((5) of [P1]).

    >>> information(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])).ratio
    Fraction(3, 2)
    """
    return entropy(joint) - conditional_entropy(joint)
