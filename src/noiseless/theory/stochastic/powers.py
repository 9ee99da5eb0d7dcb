"""Orders of Renyi's family, and sums of powers as balls."""

import math
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING

from noiseless.errors import RequestError
from noiseless.exact import Rational, as_fraction, ball
from noiseless.theory.stochastic.base import JointDistribution
from noiseless.theory.stochastic.weights import Weights, distinct

if TYPE_CHECKING:
    from flint import arb

Order = Fraction | float
"""A rational, or infinity as a float."""


def order_of(alpha: Rational | float, least: int = 0) -> Order:
    """Check an order: a number from `least` to infinity, a float being taken for the rational that it is.

    Raises:
        RequestError: it is smaller, or not a number.
    """
    if not isinstance(alpha, Real | Decimal) or alpha != alpha or alpha < least:  # noqa: PLR0124 - NaN
        raise RequestError(f"the order must be a number from {least} to infinity")
    return math.inf if alpha == math.inf else as_fraction(alpha)


def cancelled(order: Fraction) -> int:
    """How many bits are lost when an order is near 0, 1 or infinity."""
    return sum(
        abs(part.numerator.bit_length() - part.denominator.bit_length()) + 1 for part in (order, order - 1)
    )


def power_sums(joint: JointDistribution, order: Fraction, base: Weights | None = None) -> "list[arb]":
    """The logarithm (nats) of sum_x w(x,y)^order b(x,y)^(1-order) for each y; without a base b = 1."""
    from flint import arb

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
