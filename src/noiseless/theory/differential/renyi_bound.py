"""What epsilon-DP says about Sibson's, Arimoto's and Csiszar's information of order alpha."""

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING

from noiseless.errors import RequestError
from noiseless.exact import Rational, as_fraction, ball, ball_above
from noiseless.theory.differential.binary import precision, upper_epsilon
from noiseless.theory.differential.groups import group_epsilon
from noiseless.theory.differential.information_bounds import alphabet, capacity_limit, leakage_limit
from noiseless.theory.differential.parameters import Epsilon, epsilon_ball, is_zero

if TYPE_CHECKING:
    from flint import arb

_LARGEST_ORDER, _NEAREST_TO_ONE = Fraction(10**6), Fraction(1, 2**40)
"""Orders above the one are taken for infinite, and those nearer to 1 than the other for one beyond."""


def sibson_bound(
    epsilon: Epsilon,
    alpha: Rational | float = math.inf,
    *,
    entries: int = 1,
    inputs: int | None = None,
    outputs: int | None = None,
) -> float:
    """epsilon-DP => a bound in nats on sup I_alpha(X_i;Y|x_-i), and on all lower orders, rounded up.

    Lemma 4 of [P5] says epsilon for every alpha, which is best for alpha = infinity. For a finite alpha, with
    K = (e^(alpha epsilon) - 1) / (e^epsilon - 1), it is

        ln((alpha-1) K / (alpha (K-1))) + ln(K/alpha) / (alpha-1),

    for alpha = 1 the C* of `dp_to_mi`. With m = min(inputs, outputs) it is at most the maximal leakage of
    m-ary randomised response, ln(m / (1 + (m-1) e^-epsilon)). Maximised over the input, Sibson's, Arimoto's
    and Csiszar's information agree ((71) of [P5]), so that it holds for all three.

    >>> sibson_bound(1), round(sibson_bound(1, 2), 5), round(sibson_bound(1, 1), 5)
    (1.0, 0.24023, 0.1233)

    Args:
        epsilon: the guarantee for one entry.
        alpha: the order, from 0 to infinity.
        entries: of how many entries X consists; n of them are n epsilon-DP (Corollary 6 of [P5]).
        inputs: the number of values of X.
        outputs: the number of outputs.
    """
    from flint import arb, ctx

    order = _read_order(alpha)
    exact = upper_epsilon(group_epsilon(epsilon, entries))
    size = alphabet(inputs, outputs)
    if exact is None:
        return math.inf if size is None else ball_above(arb(size).log())
    if is_zero(exact) or order == 0:
        return 0.0
    with ctx.workprec(2 * precision(exact)):
        value = epsilon_ball(exact)
        bounds = [value if order is None else _at_order(value, order)]
        if size is not None:
            bounds.append(leakage_limit(value, size))
        return min(ball_above(bound) for bound in bounds)


def _read_order(alpha: Rational | float) -> Fraction | None:
    """A checked order or a little more of it, of which the bound is not less; None when it is infinite."""
    if not isinstance(alpha, Real | Decimal) or alpha != alpha or alpha < 0:  # noqa: PLR0124 - NaN
        raise RequestError("alpha is an order from 0 to infinity")
    if alpha > _LARGEST_ORDER:
        return None
    order = as_fraction(alpha)
    near = abs(order - 1) < _NEAREST_TO_ONE and order != 1
    return Fraction(1) + (_NEAREST_TO_ONE if order > 1 else 0) if near else order


def _at_order(epsilon: "arb", order: Fraction) -> "arb":
    """With m = min_x P_x and M its sum: r = P_x / m lies in 1..e^epsilon, and r^alpha is convex (alpha > 1).

    So D_alpha(P_x || m/M) <= ln M + ln(M + (1-M) K) / (alpha-1), largest for M = (alpha-1) K / (alpha (K-1)).
    Below 1, r^alpha is concave and the factor negative.
    """
    if order == 1:
        return capacity_limit(epsilon)
    alpha = ball(order)
    # K = e^((alpha-1) epsilon) times what stays near 1: large exponents never meet.
    tail = (-alpha * epsilon).expm1() / (-epsilon).expm1()
    log_k = (alpha - 1) * epsilon + tail.log()
    inverse = (-log_k).exp()
    return ((alpha - 1) / alpha / (1 - inverse)).log() + (log_k - alpha.log()) / (alpha - 1)
