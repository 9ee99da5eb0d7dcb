"""Information of order alpha (Sibson, Arimoto, Csiszar), its largest value over priors, and alpha-leakage."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from flint import arb, ctx

from noiseless.arrays import FloatArray
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational, ball, ball_above, ball_below
from noiseless.measures import information
from noiseless.theory.channel import Channel
from noiseless.theory.stochastic.certified import NOTHING, CertifiedNumber, enclose_nats
from noiseless.theory.stochastic.joint_distribution import JointDistribution, as_distribution
from noiseless.theory.stochastic.leakages import maximal_leakage
from noiseless.theory.stochastic.renyi import cancelled, divergence_ball, order_of, power_sums
from noiseless.theory.stochastic.shannon import mutual_information
from noiseless.theory.stochastic.simplex import csiszar_output, sibson_prior
from noiseless.theory.stochastic.weights import Weights, group_sums, whole

_LARGEST = Fraction(10**6)
"""The prior or output of an order above is sought at this one, whose information is not larger."""

_LEAST = 1e-300
"""No Q(y) is exactly 0, or a divergence would be infinite."""


def sibson_information(joint: JointDistribution, alpha: Rational | float) -> CertifiedNumber:
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
        return CertifiedNumber.of_bits(Bits(Fraction(joint.total, int(_possible(joint).max()))))
    return _between(joint, order, _sibson_closed_form)


def sibson_output(joint: JointDistribution, alpha: Rational | float) -> FloatArray:
    """The Q(y) that attains the minimum in Sibson's information, to within rounding.

    It is proportional to (sum_x P(x) P(y|x)^alpha)^(1/alpha): P(y) at order 1, max_x P(y|x) at infinity. At
    order 0 any Q on the y with the most probable posterior set will do, and the uniform one is given.
    """
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


def _roots(joint: JointDistribution, order: Fraction) -> list[arb]:
    """(1/alpha) ln sum_x P(x) P(y|x)^alpha for each y, up to the same constant for all."""
    alpha = ball(order)
    return [value / alpha for value in power_sums(joint, order, joint.x_weights[joint.support.x])]


def _sibson_closed_form(joint: JointDistribution, order: Fraction) -> arb:
    alpha = ball(order)
    total = sum((root.exp() for root in _roots(joint, order)), arb(0))
    return (alpha * total.log() - arb(joint.total).log()) / ball(order - 1)


def arimoto_information(joint: JointDistribution, alpha: Rational | float) -> CertifiedNumber:
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
        right = int(np.maximum.reduceat(joint.weights, joint.support.starts[:-1]).sum())
        return CertifiedNumber.of_bits(Bits(Fraction(right, int(joint.x_weights.max()))))
    if order == 0:
        return CertifiedNumber.of_bits(information(joint.support))
    return _between(joint, order, _arimoto_closed_form)


def _between(
    joint: JointDistribution,
    order: Fraction,
    closed_form: Callable[[JointDistribution, Fraction], arb],
) -> CertifiedNumber:
    """Information of an order that is neither 0 nor infinite."""
    if order == 1:
        return mutual_information(joint)
    if joint.is_independent():
        return NOTHING
    return enclose_nats(lambda: closed_form(joint, order), cancelled(order))


def _arimoto_closed_form(joint: JointDistribution, order: Fraction) -> arb:
    alpha = ball(order)
    after = sum(((power / alpha).exp() for power in power_sums(joint, order)), arb(0)).log()
    values, counts = np.unique(joint.x_weights, return_counts=True)
    pairs = zip(values.tolist(), counts.tolist(), strict=True)
    before = sum((count * (alpha * arb(value).log()).exp() for value, count in pairs), arb(0)).log()
    return (alpha * after - before) / ball(order - 1)


def csiszar_information(joint: JointDistribution, alpha: Rational | float) -> CertifiedNumber:
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
    order = order_of(alpha)
    if order == 1:
        return mutual_information(joint)
    if joint.is_independent():
        return NOTHING
    prior = np.array([float(share) for share in joint.x_marginal])
    shares = csiszar_output(joint.channel().matrix, prior, float(min(order, _LARGEST)))
    output = whole(shares, "probabilities")[0].tolist()
    if isinstance(order, float):
        return CertifiedNumber(_certified(joint, output, _LARGEST).lower, _largest_ratios(joint, output))
    certain = _certified(joint, output, order)
    if order <= _LARGEST:
        return certain
    return CertifiedNumber(max(certain.lower, _certified(joint, output, _LARGEST).lower), certain.upper)


def _largest_ratios(joint: JointDistribution, output: list[int]) -> float:
    """sum_x P(x) D_inf(P(y|x) || Q), rounded up, in bits."""
    total = sum(output)
    with ctx.workprec(128):
        value = arb(0)
        for weight, pairs in _rows(joint):
            largest = max(Fraction(w, output[y]) for y, w in pairs) * total / weight
            value += weight * ball(largest).log()
        return ball_above(value / joint.total / arb.const_log2())


def _rows(joint: JointDistribution) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """For each x its weight, and each y that it can cause with the weight of the pair."""
    rows = joint.swapped()
    outputs, weights = rows.support.x.tolist(), rows.weights.tolist()
    for total, (start, end) in zip(
        rows.y_weights.tolist(), pairwise(rows.support.starts.tolist()), strict=True
    ):
        yield total, list(zip(outputs[start:end], weights[start:end], strict=True))


def _certified(joint: JointDistribution, output: list[int], order: Fraction) -> CertifiedNumber:
    with ctx.workprec(128 + cancelled(order)):
        value, slopes = _value_and_slopes(joint, output, order)
        slack = ball(0)
        for slope in slopes:
            slack = slack.max(slope - 1)
        bits = arb.const_log2()
        return CertifiedNumber(max(0.0, ball_below((value - slack) / bits)), ball_above(value / bits))


def _value_and_slopes(joint: JointDistribution, output: list[int], order: Fraction) -> tuple[arb, list[arb]]:
    """sum_x P(x) D(P(y|x) || Q) in nats, and its slope downwards in each Q(y); on average they are 1."""
    total = arb(sum(output))
    shares = [arb(weight) / total for weight in output]
    alpha, rest = ball(order), ball(1 - order)
    value, slopes = arb(0), [arb(0)] * len(output)
    for row_weight, pairs in _rows(joint):
        terms = [(y, (alpha * (arb(w) / row_weight).log() + rest * shares[y].log()).exp()) for y, w in pairs]
        mass = sum((term for _, term in terms), arb(0))
        share = arb(row_weight) / joint.total
        value -= share * mass.log() / rest
        for y, term in terms:
            slopes[y] += share * term / (mass * shares[y])
    return value, slopes


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
    value: CertifiedNumber
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
            value = CertifiedNumber(value.lower, _worst_row(joint, output, order))
    return SibsonCapacity(order, value, tuple(prior.tolist()), tuple(output.tolist()))


def _worst_row(joint: JointDistribution, output: FloatArray, order: Fraction) -> float:
    """max_x D_order(P(y|x) || Q), rounded up, in bits."""
    shares = whole(output, "probabilities")[0].tolist()
    worst = 0.0
    with ctx.workprec(128 + cancelled(order)):
        for _, pairs in _rows(joint):
            row = dict(pairs)
            weights = [row.get(y, 0) for y in range(joint.size_y)]
            worst = max(worst, ball_above(divergence_ball(weights, shares, order) / arb.const_log2()))
    return worst


def alpha_leakage(joint: JointDistribution, alpha: Rational | float) -> CertifiedNumber:
    """L_alpha(X -> Y), what an adversary with alpha-loss gains about X itself; order 1 to infinity.

    It equals Arimoto's information of the same order: mutual information at 1, the gain in guessing x at
    infinity.

    >>> print(alpha_leakage(JointDistribution.from_channel([[0.75, 0.25], [0.25, 0.75]]), 2))
    0.3220 bits

    Inequalities:
        * `alpha-leakage <= maximal alpha-leakage <= L(X->Y)`.
    """
    return arimoto_information(joint, order_of(alpha, least=1))


def maximal_alpha_leakage(joint: JointDistribution, alpha: Rational | float) -> CertifiedNumber:
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
