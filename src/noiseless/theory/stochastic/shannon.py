"""Shannon's entropy and mutual information, and the common information of Gacs and Korner."""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from noiseless.exact import Bits
from noiseless.ranges import JointRange, overlap_partition
from noiseless.theory.stochastic.certified import NOTHING, CertifiedNumber, enclose, log_sum
from noiseless.theory.stochastic.joint_distribution import JointDistribution
from noiseless.theory.stochastic.weights import Weights, group_sums


def shannon_entropy(joint: JointDistribution) -> CertifiedNumber:
    """H(X) = - sum_x P(x) log2 P(x).

    What there is to know, on average over the prior: few bits where a few values have most of it.

    >>> print(shannon_entropy(JointDistribution.from_matrix([[0.5], [0.25], [0.25]])))
    1.5000 bits

    Inequalities:
        * `H(X|Y) <= H(X) <= H0(X)`.
    """
    return entropy_of(joint.x_weights)


def conditional_shannon_entropy(joint: JointDistribution) -> CertifiedNumber:
    """H(X|Y) = - sum_(x,y) P(x,y) log2 P(x|y); 0 exactly when Y tells X.

    What y leaves open, on average over the prior.

    >>> print(conditional_shannon_entropy(JointDistribution.from_matrix([[0.5, 0.25], [0, 0.25]])))
    0.5000 bits

    Inequalities:
        * `H(X|Y) <= H(X)` and `H(X|Y) <= H0(X|Y)`.
    """
    if len(joint.weights) == joint.size_y:
        return NOTHING
    w, w_y = joint.weights, joint.y_weights
    return enclose(lambda: (log_sum(w_y, w_y) - log_sum(w, w)) / joint.total)


def mutual_information(joint: JointDistribution, given: npt.ArrayLike | None = None) -> CertifiedNumber:
    """I(X;Y) = sum P(x,y) log2 P(x|y) / P(x), what y tells of x on average.

    Args:
        joint: the joint distribution.
        given: side information as the cell of each y (y is then a pair (y', a), and its cell is a). The
            result is I(X;Y'|A), what y' adds to a.

    >>> print(mutual_information(JointDistribution.from_channel([[0.75, 0.25], [0.25, 0.75]])))
    0.1888 bits

    Inequalities:
        * `K(X;Y) <= I(X;Y) <= L(X->Y) <= Lr(X->Y)`.
        * There is no bound of L0(X;Y) by it: an average can be small while one answer gives everything
          away.
    """
    if joint.is_independent(given):
        return NOTHING
    if given is None and len(joint.weights) == joint.size_y:
        return entropy_of(joint.x_weights)  # y tells x
    if given is None and len(joint.weights) == joint.size_x:
        return entropy_of(joint.y_weights)
    known = joint.reference(given)
    w, w_y = joint.weights, joint.y_weights
    return enclose(
        lambda: (
            (log_sum(w, w) - log_sum(w, known.x_weights) - log_sum(w_y, w_y) + log_sum(w_y, known.totals))
            / joint.total
        )
    )


def entropy_of(weights: Weights) -> CertifiedNumber:
    """The entropy of a distribution given by whole-number weights; exact when they are equal."""
    if (weights == weights[0]).all():
        return CertifiedNumber.of_bits(Bits(len(weights)))
    total = np.array([int(weights.sum())], object)
    return enclose(lambda: (log_sum(total, total) - log_sum(weights, weights)) / int(total[0]))


def common_information(joint: JointDistribution) -> CertifiedNumber:
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
