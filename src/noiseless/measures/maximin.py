"""Maximin information: what every answer tells."""

from noiseless.exact import Bits
from noiseless.ranges import JointRange, count_blocks


def maximin(joint: JointRange) -> Bits:
    """I*(X;Y) = log2 of the number of blocks of the overlap partition ((9) of [P1] and [P4]).

    What every answer tells for certain, whoever it is about: the finest fact about X that Y always gives
    away. Above 0 there is a yes/no question about X to which everybody's published record has the answer.
    At 0 no question is answered by every y; a single y can still leave one value of X, which `leakage` tells.
    It is symmetric in X and Y.

    With side information take Y = (Y', A): I*(X; (Y', A)).

    >>> maximin(JointRange.from_pairs([(face, face % 2) for face in range(1, 7)])).ratio
    Fraction(2, 1)

    Inequalities:
        * `0 <= I*(X;Y) <= L0s(X;Y)` where values are counted.
        * `K(X;Y) <= I*(X;Y)`: no prior gives X and Y more in common.
        * `I*(X;Y) <= C0`: a value of each block makes a code without errors.
    """
    return Bits(count_blocks(joint))
