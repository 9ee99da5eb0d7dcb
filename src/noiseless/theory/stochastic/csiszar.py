"""Csiszar's information of order alpha, the third of the proposals that agree once the prior is the worst."""

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from noiseless.exact import Rational, ball, ball_above, ball_below
from noiseless.theory.stochastic.base import JointDistribution
from noiseless.theory.stochastic.enclosure import NOTHING, Enclosure
from noiseless.theory.stochastic.powers import cancelled, order_of
from noiseless.theory.stochastic.shannon import mutual_information
from noiseless.theory.stochastic.weights import best_of_groups, whole

if TYPE_CHECKING:
    from flint import arb


_LARGE = Fraction(10**6)
"""The order whose information stands for that of order infinity from below."""


def csiszar_information(joint: JointDistribution, alpha: Rational | float) -> Enclosure:
    """I_alpha(X;Y) = min_Q sum_x P(x) D_alpha(P(y|x) || Q), Csiszar's proposal ((71) of [P5]).

    How far, on average over x, what x causes is from one common output.

    There is no closed form. The minimum is found numerically and enclosed with balls: Q bounds it from above,
    and the tangent at Q, the function being convex, from below. Above order 10^6 the lower end is that
    of order 10^6, and the two ends may be some 1e-5 apart.

    >>> print(csiszar_information(JointDistribution.from_channel([[0.75, 0.25], [0.25, 0.75]]), 2))
    0.3220 bits

    Inequalities:
        * It is at most Sibson's for `alpha >= 1`, and at least that for `alpha <= 1`.
        * `I_alpha(X;Y) <= sup I_alpha`, the same as Sibson's.
    """
    from noiseless.theory.stochastic.simplex import csiszar_output

    order = order_of(alpha)
    if order == 1:
        return mutual_information(joint)
    if joint.is_independent():
        return NOTHING
    prior = np.array([float(share) for share in joint.x_marginal])
    found = csiszar_output(joint.channel().matrix, prior, float(min(order, _LARGE)))
    output = whole(found, "probabilities")[0].tolist()
    if isinstance(order, float):
        return Enclosure(_certified(joint, output, _LARGE).lower, _largest_ratios(joint, output))
    certain = _certified(joint, output, order)
    if order <= _LARGE:
        return certain
    return Enclosure(max(certain.lower, _certified(joint, output, _LARGE).lower), certain.upper)


def _largest_ratios(joint: JointDistribution, output: list[int]) -> float:
    """sum_x P(x) D_inf(P(y|x) || Q), rounded up, in bits."""
    from flint import arb, ctx

    rows = joint.swapped()
    shares = np.array(output, object)[rows.support.x]
    best = best_of_groups(rows.weights, shares, rows.support.starts)
    parts = zip(rows.weights[best].tolist(), shares[best].tolist(), rows.y_weights.tolist(), strict=True)
    total = sum(output)
    with ctx.workprec(128):
        value = sum((row * (arb(w * total) / (row * q)).log() for w, q, row in parts), arb(0))
        return ball_above(value / joint.total / arb.const_log2())


def _certified(joint: JointDistribution, output: list[int], order: Fraction) -> Enclosure:
    from flint import arb, ctx

    with ctx.workprec(128 + cancelled(order)):
        value, slopes = _value_and_slopes(joint, output, order)
        slack = ball(0)
        for slope in slopes:
            slack = slack.max(slope - 1)
        bits = arb.const_log2()
        return Enclosure(max(0.0, ball_below((value - slack) / bits)), ball_above(value / bits))


def _value_and_slopes(
    joint: JointDistribution, output: list[int], order: Fraction
) -> "tuple[arb, list[arb]]":
    """sum_x P(x) D(P(y|x) || Q) in nats, and its slope downwards in each Q(y); on average they are 1."""
    from flint import arb

    rows = joint.swapped()
    total = arb(sum(output))
    shares = [arb(weight) / total for weight in output]
    alpha, rest = ball(order), ball(1 - order)
    value, slopes = arb(0), [arb(0)] * len(output)
    for x, row_weight in enumerate(rows.y_weights.tolist()):
        start, end = rows.support.starts[x : x + 2].tolist()
        pairs = zip(rows.support.x[start:end].tolist(), rows.weights[start:end].tolist(), strict=True)
        terms = [(y, (alpha * (arb(w) / row_weight).log() + rest * shares[y].log()).exp()) for y, w in pairs]
        mass = sum((term for _, term in terms), arb(0))
        share = arb(row_weight) / joint.total
        value -= share * mass.log() / rest
        for y, term in terms:
            slopes[y] += share * term / (mass * shares[y])
    return value, slopes
