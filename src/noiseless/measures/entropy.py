"""Entropy without probability: how many values are possible."""

from noiseless.exact import Bits
from noiseless.ranges import JointRange


def entropy(joint: JointRange) -> Bits:
    """H0(X) = log2 |[[X]]|, the bits there are (Hartley's entropy).

    What there is to know: the bits it takes to name one of the possible values. No value is more likely than
    another; it only matters which can occur. On a continuum the size is a measure, and the answer is in nats.

    >>> entropy(JointRange.from_pairs([(face, face % 2) for face in range(1, 7)])).ratio
    Fraction(6, 1)

    Inequalities:
        * `H0(X|Y) <= H0(X)`: no answer leaves more open than there is.
        * `H0(X,Y) <= H0(X) + H0(Y)`; counted, they are equal exactly when X and Y are unrelated.
        * `L0(X;Y) <= H0(X)` where values are counted: nothing gives away more than there is.
    """
    return Bits(joint.size_x)


def conditional_entropy(joint: JointRange) -> Bits:
    """H0(X|Y) = max_y log2 |[[X|y]]|, the bits left by the answer that says least.

    What is still unknown after the least telling answer: the bits it takes to name one of the values that it
    leaves possible.

    >>> conditional_entropy(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])).ratio
    Fraction(2, 1)

    Inequalities:
        * `B0(X|Y) <= H0(X|Y) <= H0(X)`: the answer that says most leaves no more open than this one.
    """
    return Bits(int(joint.posterior_sizes.max()))
