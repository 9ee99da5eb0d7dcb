"""Entropy without probability: how many values are possible."""

from noiseless.exact import Bits
from noiseless.ranges import JointRange


def entropy(joint: JointRange) -> Bits:
    """H0(X) = log2 |[[X]]|, the bits there are (Hartley's entropy).

    >>> entropy(JointRange.from_pairs([(face, face % 2) for face in range(1, 7)])).ratio
    Fraction(6, 1)
    """
    return Bits(joint.size_x)


def conditional_entropy(joint: JointRange) -> Bits:
    """H0(X|Y) = max_y log2 |[[X|y]]|, the bits left by the answer that says least."""
    return Bits(int(joint.posterior_sizes.max()))
