"""Information: what every answer is sure to tell."""

from noiseless.exact import Bits
from noiseless.measures.entropy import conditional_entropy, entropy
from noiseless.ranges import JointRange


def information(joint: JointRange) -> Bits:
    """I0(X;Y) = H0(X) - H0(X|Y) = min_y log2 |[[X]]| / |[[X|y]]| ((5) of [P1]).

    What the least telling answer gives away, and so every answer. It is 0 as soon as one answer leaves every
    value possible, however much the others tell: no measure of protection by itself.

    >>> information(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])).ratio
    Fraction(3, 2)

    Inequalities:
        * `0 <= I0(X;Y) <= L0(X;Y)`: the least telling answer tells no more than the most telling one.
        * `I0(X;Y) <= T0(X;Y)` where values are counted.
    """
    return entropy(joint) - conditional_entropy(joint)
