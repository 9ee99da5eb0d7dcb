"""Arimoto's information of order alpha: the fall of Renyi's entropy."""

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from noiseless.exact import Bits, Rational, ball
from noiseless.measures.information import information
from noiseless.theory.stochastic.base import JointDistribution
from noiseless.theory.stochastic.enclosure import NOTHING, Enclosure, enclose_nats
from noiseless.theory.stochastic.powers import cancelled, order_of, power_sums
from noiseless.theory.stochastic.shannon import mutual_information

if TYPE_CHECKING:
    from flint import arb


def arimoto_information(joint: JointDistribution, alpha: Rational | float) -> Enclosure:
    """I_alpha(X;Y) = H_alpha(X) - H_alpha(X|Y), Arimoto's proposal ((71) of [P5]).

    What y takes away of the uncertainty of order alpha; it can be 0 where y tells something but never
    changes the best guess.

    H_alpha(X|Y) = alpha/(1-alpha) log2 sum_y (sum_x P(x,y)^alpha)^(1/alpha). At order 0 it is I0(X;Y),
    whatever the probabilities; at 1 mutual information; at infinity by how much y multiplies the chance of
    guessing x, log2 sum_y max_x P(x,y) / max_x P(x) ((72) and (73) of [P5]).

    >>> arimoto_information(JointDistribution.from_matrix([[0.5, 0.25], [0, 0.25]]), float("inf")).exact
    Bits(1)

    Inequalities:
        * `I_alpha(X;Y) <= sup I_alpha`, the largest Sibson information over all priors.
        * `I_0 = I0(X;Y)` for every prior.
    """
    order = order_of(alpha)
    if isinstance(order, float):
        return Enclosure.of_bits(Bits(guessing_gain(joint)))
    if order == 0:
        return Enclosure.of_bits(information(joint.support))
    if order == 1:
        return mutual_information(joint)
    if joint.is_independent():
        return NOTHING
    return enclose_nats(lambda: _closed_form(joint, order), cancelled(order))


def guessing_gain(joint: JointDistribution) -> Fraction:
    """sum_y max_x P(x,y) / max_x P(x): by how much y multiplies the chance of guessing x in one try."""
    right = int(np.maximum.reduceat(joint.weights, joint.support.starts[:-1]).sum())
    return Fraction(right, int(joint.x_weights.max()))


def _closed_form(joint: JointDistribution, order: Fraction) -> "arb":
    from flint import arb

    alpha = ball(order)
    after = sum(((power / alpha).exp() for power in power_sums(joint, order)), arb(0)).log()
    values, counts = np.unique(joint.x_weights, return_counts=True)
    pairs = zip(values.tolist(), counts.tolist(), strict=True)
    before = sum((count * (alpha * arb(value).log()).exp() for value, count in pairs), arb(0)).log()
    return (alpha * after - before) / ball(order - 1)
