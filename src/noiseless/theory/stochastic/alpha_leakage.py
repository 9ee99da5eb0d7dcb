"""Alpha-leakage of Liao, Sankar, Kosut and Calmon: a dial between average and guessing adversaries."""

from noiseless.exact import Rational
from noiseless.theory.stochastic.arimoto import arimoto_information
from noiseless.theory.stochastic.base import JointDistribution
from noiseless.theory.stochastic.enclosure import Enclosure
from noiseless.theory.stochastic.maximal_leakage import maximal_leakage
from noiseless.theory.stochastic.powers import order_of
from noiseless.theory.stochastic.shannon import mutual_information
from noiseless.theory.stochastic.sibson_capacity import sibson_capacity


def alpha_leakage(joint: JointDistribution, alpha: Rational | float) -> Enclosure:
    """L_alpha(X -> Y), what an adversary with alpha-loss gains about X itself; order 1 to infinity.

    It equals Arimoto's information of the same order: mutual information at 1, the gain in guessing x at
    infinity.

    >>> print(alpha_leakage(JointDistribution.from_channel([[0.75, 0.25], [0.25, 0.75]]), 2))
    0.3220 bits

    Inequalities:
        * `alpha-leakage <= maximal alpha-leakage <= L(X->Y)`.
    """
    return arimoto_information(joint, order_of(alpha, least=1))


def maximal_alpha_leakage(joint: JointDistribution, alpha: Rational | float) -> Enclosure:
    """The largest alpha-leakage about any U with U - X - Y; order 1 to infinity.

    Mutual information at order 1, maximal leakage at infinity, and in between the largest Sibson (or Arimoto)
    information over all priors on the x that can occur (Theorem 2 of Liao et al.). Between 1 and the orders
    above it there is a jump, from I(X;Y) to the capacity: only at 1 does the prior matter.

    >>> print(maximal_alpha_leakage(JointDistribution.from_channel([[0.75, 0.25], [0.25, 0.75]]), 2))
    0.3220 bits

    Inequalities:
        * `alpha-leakage <= maximal alpha-leakage <= L(X->Y)`.
    """
    order = order_of(alpha, least=1)
    if order == 1:
        return mutual_information(joint)
    if isinstance(order, float):
        return maximal_leakage(joint)
    return sibson_capacity(joint, order).value
