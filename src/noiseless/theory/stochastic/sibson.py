"""Sibson's information of order alpha."""

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from noiseless.arrays import FloatArray
from noiseless.exact import Bits, Rational, ball
from noiseless.theory.stochastic.base import JointDistribution
from noiseless.theory.stochastic.enclosure import NOTHING, Enclosure, enclose_nats
from noiseless.theory.stochastic.maximal_leakage import maximal_leakage
from noiseless.theory.stochastic.powers import cancelled, order_of, power_sums
from noiseless.theory.stochastic.shannon import mutual_information
from noiseless.theory.stochastic.weights import Weights, group_sums

if TYPE_CHECKING:
    from flint import arb


def sibson_information(joint: JointDistribution, alpha: Rational | float) -> Enclosure:
    """I_alpha(X;Y) = min_Q D_alpha(P_XY || P_X Q), Sibson's proposal ((66) of [P5]), by its closed form.

    Mutual information of any order: the higher, the more weight rare and telling answers have.

    alpha/(alpha-1) log2 sum_y (sum_x P(x) P(y|x)^alpha)^(1/alpha); at 0 it is - log2 max_y P([[X|y]]), at 1
    mutual information, at infinity maximal leakage. It does not fall when the order rises.

    >>> joint = JointDistribution.from_channel([[0.75, 0.25], [0.25, 0.75]])
    >>> [str(sibson_information(joint, alpha)) for alpha in (0, 1, 2)]
    ['0.0000 bits', '0.1888 bits', '0.3220 bits']

    Inequalities:
        * `I_alpha <= I_beta` for `alpha <= beta`; `I_1 = I(X;Y)`, `I_inf = L(X->Y)`.
        * `I0(X;Y) = I_0` for a uniform X.
        * Csiszar's is at most Sibson's for `alpha >= 1`, and at least that for `alpha <= 1`.
    """
    order = order_of(alpha)
    if isinstance(order, float):
        return maximal_leakage(joint)
    if order == 0:
        return Enclosure.of_bits(Bits(Fraction(joint.total, int(_possible(joint).max()))))
    if order == 1:
        return mutual_information(joint)
    if joint.is_independent():
        return NOTHING
    return enclose_nats(lambda: _closed_form(joint, order), cancelled(order))


def sibson_output(joint: JointDistribution, alpha: Rational | float) -> FloatArray:
    """The Q(y) that attains the minimum in Sibson's information, to within rounding.

    It is proportional to (sum_x P(x) P(y|x)^alpha)^(1/alpha): P(y) at order 1, max_x P(y|x) at infinity. At
    order 0 any Q on the y with the most probable posterior set will do, and the uniform one is given.
    """
    from flint import ctx

    order = order_of(alpha)
    if isinstance(order, float):
        rows = joint.x_weights[joint.support.x]
        likelihoods = [a / b for a, b in zip(joint.weights.tolist(), rows.tolist(), strict=True)]
        shares = np.maximum.reduceat(likelihoods, joint.support.starts[:-1])
    elif order == 0:
        possible = _possible(joint)
        shares = (possible == possible.max()).astype(np.float64)
    else:
        with ctx.workprec(128 + cancelled(order)):
            roots = _roots(joint, order)
            top = max(roots, key=lambda root: root.mid())
            shares = np.array([float((root - top).exp().mid()) for root in roots])
    return np.asarray(shares / shares.sum())


def _possible(joint: JointDistribution) -> Weights:
    """The weight of [[X|y]] for each y."""
    return group_sums(joint.x_weights[joint.support.x], joint.support.starts)


def _roots(joint: JointDistribution, order: Fraction) -> "list[arb]":
    """(1/alpha) ln sum_x P(x) P(y|x)^alpha for each y, up to the same constant for all."""
    alpha = ball(order)
    return [value / alpha for value in power_sums(joint, order, joint.x_weights[joint.support.x])]


def _closed_form(joint: JointDistribution, order: Fraction) -> "arb":
    from flint import arb

    alpha = ball(order)
    total = sum((root.exp() for root in _roots(joint, order)), arb(0))
    return (alpha * total.log() - arb(joint.total).log()) / ball(order - 1)
