"""Disarray: what the most telling answer leaves open."""

from noiseless.exact import Bits
from noiseless.ranges import JointRange


def disarray(joint: JointRange) -> Bits:
    """B0(X|Y) = min_y log2 |[[X|y]]|, d0 in (5) of [P4]: the bits left by the answer that says most.

    What is still unknown after the most telling answer. With k = 2^B0, whoever sees the answer has at least k
    values to choose from: the `min_posterior` of an audit.

    >>> disarray(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")])).ratio
    Fraction(1, 1)

    Inequalities:
        * `B0(X|Y) <= H0(X|Y) <= H0(X)`.
        * `0 <= B0(X|Y)` where values are counted, with equality exactly when some answer leaves one value.
    """
    return Bits(int(joint.posterior_sizes.min()))
