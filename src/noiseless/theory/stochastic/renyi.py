"""Renyi's family: from what the range alone tells (order 0) to the most telling value of all (infinity)."""

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from numbers import Real

import numpy as np
import numpy.typing as npt
from flint import arb

from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational, as_fraction, ball
from noiseless.theory.stochastic.certified import NOTHING, CertifiedNumber, enclose_nats
from noiseless.theory.stochastic.joint_distribution import JointDistribution, Reference
from noiseless.theory.stochastic.leakages import realisable_leakage
from noiseless.theory.stochastic.weights import (
    Numbers,
    Weights,
    distinct,
    group_sums,
    largest_quotient,
    whole,
)

Order = Fraction | float
"""A rational, or infinity as a float."""


SWITCH_ORDERS = (0, Fraction(1, 2), 1, 2, math.inf)
"""The orders that `renyi_switch` shows unless told otherwise."""


def renyi_leakage(
    joint: JointDistribution, alpha: Rational | float, given: npt.ArrayLike | None = None
) -> CertifiedNumber:
    """max_y D_alpha(P(x|y) || P(x)), what the most telling y gives away at order alpha ((10) of [P3]).

    For a uniform X it is L0(X;Y) at order 0; at order 1 it is the largest information of a single y, and at
    infinity the maximal realisable leakage. It does not fall when the order rises. (The paper's formula sums
    over y where it must sum over x.)

    Args:
        joint: the joint distribution.
        alpha: the order, from 0 to infinity.
        given: side information as the cell of each y (y is then a pair (y', a), and its cell is a). The
            result is max_(y',a) D_alpha(P(x|y',a) || P(x|a)).

    >>> joint = JointDistribution.from_matrix([[0.25, 0], [0.125, 0.125], [0, 0.5]])
    >>> [str(renyi_leakage(joint, alpha)) for alpha in (0, 1, math.inf)]
    ['1.0000 bits', '1.0818 bits', '1.4151 bits']

    Inequalities:
        * It does not fall when the order rises, and ends at `Lr(X->Y)`.
        * `I(X;Y) <= max_y D_1`; for a uniform X `L0(X;Y) = max_y D_0 <= max_y D_alpha`.
    """
    order = order_of(alpha)
    if isinstance(order, float):
        return CertifiedNumber.of_bits(realisable_leakage(joint, given))
    known = joint.reference(given)
    if order == 0:
        possible = group_sums(known.x_weights, joint.support.starts)
        return CertifiedNumber.of_bits(Bits(largest_quotient(known.totals, possible)))
    if joint.is_independent(given):
        return NOTHING
    each, extra = (_informations, 0) if order == 1 else (_divergences, cancelled(order))
    return enclose_nats(lambda: reduce(lambda a, b: a.max(b), each(joint, known, order)), extra)


def renyi_switch(
    joint: JointDistribution,
    orders: Iterable[Rational | float] = SWITCH_ORDERS,
    given: npt.ArrayLike | None = None,
) -> tuple[tuple[Rational | float, CertifiedNumber], ...]:
    """The switch of [P3] VIII: start with L0 at order 0 and become stochastic by raising the order.

    With a uniform X (`joint.with_prior()`) the first entry is L0(X;Y), whatever P(y|x), and the others say
    what the probabilities add. With another prior order 0 is - log2 of the smallest probability of a
    posterior set, which is not L0: the switch is then no longer without a jump.
    """
    return tuple((alpha, renyi_leakage(joint, alpha, given)) for alpha in orders)


def renyi_divergence(p: Numbers, q: Numbers, alpha: Rational | float) -> CertifiedNumber:
    """D_alpha(P || Q) of two distributions on the same values; infinite where it is.

    log2 sum p^alpha q^(1-alpha) / (alpha-1), and its limits: at 0 - log2 of what Q gives to the values of
    P, at 1 the divergence of Kullback and Leibler, at infinity the largest log2 p/q.

    Args:
        p: the probabilities (or any weights) of P.
        q: those of Q.
        alpha: the order, from 0 to infinity.

    >>> print(renyi_divergence([0.5, 0.5], [0.25, 0.75], 2))
    0.4151 bits

    Inequalities:
        * `D_alpha(P || Q) <= D_beta(P || Q)` for `alpha <= beta`.
        * `TV(P,Q)^2 <= D_1(P || Q) ln(2) / 2`.
    """
    order = order_of(alpha)
    above, below = whole(p, "probabilities")[0], whole(q, "probabilities")[0]
    if above.ndim != 1 or above.shape != below.shape or not above.any() or not below.any():
        raise RequestError(
            "two distributions must be two lists, equally long, whose probabilities are not all 0"
        )
    total_p, total_q = int(above.sum()), int(below.sum())
    here, both = above > 0, (above > 0) & (below > 0)
    if not both.any() or (order >= 1 and (here & ~both).any()):
        return CertifiedNumber(math.inf, math.inf)
    if order == 0:
        return CertifiedNumber.of_bits(Bits(Fraction(total_q, int(below[both].sum()))))
    if isinstance(order, float):
        ratio = largest_quotient(above[both], below[both])
        return CertifiedNumber.of_bits(Bits(ratio * total_q / total_p))
    if np.all(above.astype(object) * total_q == below.astype(object) * total_p):
        return NOTHING
    return enclose_nats(lambda: divergence_ball(above.tolist(), below.tolist(), order), cancelled(order))


def order_of(alpha: Rational | float, least: int = 0) -> Order:
    """Check an order: a number from `least` to infinity, a float being taken for the rational that it is.

    Raises:
        RequestError: it is smaller, or not a number.
    """
    if not isinstance(alpha, Real | Decimal) or alpha != alpha or alpha < least:  # noqa: PLR0124 - NaN
        raise RequestError(f"the order alpha must be a number from {least} to infinity")
    return math.inf if alpha == math.inf else as_fraction(alpha)


def cancelled(order: Fraction) -> int:
    """How many bits are lost when an order is near 0, 1 or infinity."""
    return sum(
        abs(part.numerator.bit_length() - part.denominator.bit_length()) + 1 for part in (order, order - 1)
    )


def power_sums(joint: JointDistribution, order: Fraction, base: Weights | None = None) -> list[arb]:
    """The logarithm (nats) of sum_x w(x,y)^order b(x,y)^(1-order) for each y; without a base b = 1."""
    columns = (joint.weights,) if base is None else (joint.weights, base)
    first, kinds = distinct(*columns)
    alpha, rest = ball(order), ball(1 - order)
    terms = [alpha * arb(weight).log() for weight in joint.weights[first].tolist()]
    if base is not None:
        logs = {value: arb(value).log() for value in set(base[first].tolist())}
        terms = [term + rest * logs[value] for term, value in zip(terms, base[first].tolist(), strict=True)]
    powers = [term.exp() for term in terms]
    spread = [powers[kind] for kind in kinds.tolist()]
    return [sum(spread[a:b], arb(0)).log() for a, b in pairwise(joint.support.starts.tolist())]


def divergence_ball(p: Sequence[int], q: Sequence[int], order: Fraction) -> arb:
    """D_order(P || Q) in nats for whole-number weights and a finite positive order."""
    logs = [(a, arb(a).log(), arb(b).log()) for a, b in zip(p, q, strict=True) if a and b]
    total_p, total_q = arb(sum(p)), arb(sum(q))
    if order == 1:
        mean = sum((a * (log_a - log_b) for a, log_a, log_b in logs), arb(0)) / total_p
        return mean - total_p.log() + total_q.log()
    alpha, rest = ball(order), ball(1 - order)
    powers = sum(((alpha * log_a + rest * log_b).exp() for _, log_a, log_b in logs), arb(0))
    return (alpha * total_p.log() + rest * total_q.log() - powers.log()) / rest


def _divergences(joint: JointDistribution, known: Reference, order: Fraction) -> list[arb]:
    """D_order(P(x|y) || P(x)) for each y, in nats; finite orders other than 0 and 1."""
    alpha, rest = ball(order), ball(1 - order)
    sums = power_sums(joint, order, known.x_weights)
    totals = {total: arb(total).log() for total in set(known.totals.tolist())}
    rows = zip(sums, joint.y_weights.tolist(), known.totals.tolist(), strict=True)
    return [
        (alpha * arb(weight).log() + rest * totals[total] - power) / rest for power, weight, total in rows
    ]


def _informations(joint: JointDistribution, known: Reference, _: Fraction) -> list[arb]:
    """D_1(P(x|y) || P(x)) for each y, in nats."""
    first, kinds = distinct(joint.weights, known.x_weights)
    pairs = zip(joint.weights[first].tolist(), known.x_weights[first].tolist(), strict=True)
    terms = [a * (arb(a) / b).log() for a, b in pairs]
    spread = [terms[kind] for kind in kinds.tolist()]
    sums = [sum(spread[a:b], arb(0)) for a, b in pairwise(joint.support.starts.tolist())]
    rows = zip(sums, joint.y_weights.tolist(), known.totals.tolist(), strict=True)
    return [value / weight + (arb(total) / weight).log() for value, weight, total in rows]
