"""The largest information of order alpha over all priors, between two certain ends."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from noiseless.arrays import FloatArray
from noiseless.errors import RequestError
from noiseless.exact import Rational, ball_above
from noiseless.theory.channel import Channel
from noiseless.theory.stochastic.base import JointDistribution, as_distribution
from noiseless.theory.stochastic.enclosure import Enclosure
from noiseless.theory.stochastic.maximal_leakage import maximal_leakage
from noiseless.theory.stochastic.powers import cancelled, order_of
from noiseless.theory.stochastic.renyi import divergence_ball
from noiseless.theory.stochastic.sibson import sibson_information, sibson_output
from noiseless.theory.stochastic.weights import whole

_LARGEST = Fraction(10**6)
"""The prior for an order above is sought at this one."""

_LEAST = 1e-300
"""No Q(y) is exactly 0, or a divergence would be infinite."""


@dataclass(frozen=True)
class SibsonCapacity:
    """The largest Sibson information of a channel over all priors, between two certain ends.

    Attributes:
        order: alpha.
        value: the enclosure, in bits: the information of `prior`, and max_x D_alpha(P(y|x) || output).
        prior: P(x) that attains the lower end.
        output: Q(y) that gives the upper end.
    """

    order: Fraction | float
    value: Enclosure
    prior: tuple[float, ...]
    output: tuple[float, ...]


def sibson_capacity(source: JointDistribution | Channel, alpha: Rational | float) -> SibsonCapacity:
    """The largest I_alpha(X;Y) over all P(x), the same for Sibson, Arimoto and Csiszar ((71) of [P5]).

    What the worst prior makes of the information of an order; capacity at order 1.

    Found by an interior-point method and then certified with balls: any prior bounds it from below, and by
    sup_P I_alpha = min_Q max_x D_alpha(P(y|x) || Q) any Q bounds it from above.

    Args:
        source: a channel, or a joint distribution whose P(y|x) is meant.
        alpha: the order, above 0.

    Raises:
        RequestError: the order is 0 (the statement is for orders above it), negative or no number.

    >>> print(sibson_capacity(Channel.of([[0.75, 0.25], [0.25, 0.75]]), 2).value)
    0.3220 bits

    Inequalities:
        * `I_alpha(X;Y) <= sup I_alpha <= epsilon log2(e)` for an epsilon-LDP channel.
    """
    from noiseless.theory.stochastic.simplex import sibson_prior

    order = order_of(alpha)
    if order == 0:
        raise RequestError("the order must be above 0")
    joint = as_distribution(source)
    if isinstance(order, float):
        prior, value = np.full(joint.size_x, 1 / joint.size_x), maximal_leakage(joint)
        output = sibson_output(joint, order)
    else:
        prior = sibson_prior(joint.channel().matrix, float(min(order, _LARGEST)))
        best = joint.with_prior(prior)
        value, output = sibson_information(best, order), np.maximum(sibson_output(best, order), _LEAST)
        if not joint.is_independent():
            value = Enclosure(value.lower, _worst_row(joint, output, order))
    return SibsonCapacity(order, value, tuple(prior.tolist()), tuple(output.tolist()))


def _worst_row(joint: JointDistribution, output: FloatArray, order: Fraction) -> float:
    """max_x D_order(P(y|x) || Q), rounded up, in bits."""
    from flint import arb, ctx

    shares = whole(output, "probabilities")[0].tolist()
    rows = joint.swapped()
    worst = 0.0
    with ctx.workprec(128 + cancelled(order)):
        for x in range(joint.size_x):
            start, end = rows.support.starts[x : x + 2].tolist()
            weights = [0] * joint.size_y
            for y, weight in zip(
                rows.support.x[start:end].tolist(), rows.weights[start:end].tolist(), strict=True
            ):
                weights[y] = weight
            worst = max(worst, ball_above(divergence_ball(weights, shares, order) / arb.const_log2()))
    return worst
