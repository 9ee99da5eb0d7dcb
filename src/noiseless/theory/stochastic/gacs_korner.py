"""Gacs and Korner's common information: the entropy of what X and Y both tell for certain."""

from fractions import Fraction

import numpy as np

from noiseless.ranges import JointRange, overlap_partition
from noiseless.theory.stochastic.base import JointDistribution
from noiseless.theory.stochastic.enclosure import Enclosure
from noiseless.theory.stochastic.shannon import entropy_of
from noiseless.theory.stochastic.weights import group_sums


def common_information(joint: JointDistribution) -> Enclosure:
    """K(X;Y) = - sum_B P(B) log2 P(B) over the blocks B of the overlap partition (section VI-B of [P3]).

    The entropy of what X and Y both tell for certain (Gacs and Korner).

    The largest value over all distributions on the same joint range is I*(X;Y). With side information take
    Y = (Y', A).

    >>> print(common_information(JointDistribution.from_matrix([[0.5, 0], [0.25, 0], [0, 0.25]])))
    0.8113 bits

    Inequalities:
        * `K(X;Y) <= I(X;Y)` and `K(X;Y) <= I*(X;Y)`.
    """
    blocks = overlap_partition(joint.support).x_blocks
    order = np.argsort(blocks, kind="stable")
    ends = np.append(0, np.cumsum(np.bincount(blocks)))
    return entropy_of(group_sums(joint.x_weights[order], ends))


def maximin_prior(joint: JointRange) -> tuple[Fraction, ...]:
    """A P(x) with which K(X;Y) = I*(X;Y), whatever the P(y|x) on that joint range.

    Every block of the overlap partition gets the same probability, spread evenly over its values.

    >>> maximin_prior(JointRange.from_pairs([(1, "low"), (2, "low"), (3, "high")]))
    (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))
    """
    partition = overlap_partition(joint)
    sizes = np.bincount(partition.x_blocks)
    return tuple(Fraction(1, partition.count * size) for size in sizes[partition.x_blocks].tolist())
