"""Maximin information: what can be told apart for certain."""

from noiseless.exact import Bits
from noiseless.ranges import JointRange, count_blocks


def maximin(joint: JointRange) -> Bits:
    """I*(X;Y) = log2 of the number of blocks of the overlap partition ((9) of [P1] and [P4]).

    With side information take Y = (Y', A): I*(X; (Y', A)).

    >>> maximin(JointRange.from_pairs([(face, face % 2) for face in range(1, 7)])).ratio
    Fraction(2, 1)
    """
    return Bits(count_blocks(joint))
