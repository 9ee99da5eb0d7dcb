"""The curves (epsilon', delta') that MI-DP and KL-DP imply: (33) of [P5], which the paper leaves open.

On an event A the pair (a, b) = (P(A), Q(A)) is a binary channel, whose capacity and divergences are at most
those of the mechanism. So delta' = max a - g b, g = e^epsilon', over the binary channels allowed, a convex
set; and any binary channel is a mechanism: the curves are best possible. An optimum is searched without
rigour. The bound is then computed in balls from a certificate that is valid wherever the search has stopped:

* MI-DP. For any u, v > 0, let l = u + v, p = u/l, A = e^(1/u) - 1, B = 1 - e^(-g/v) and w = B/(A + B). Then
  a - g b <= l (epsilon + d(p||w)): add l (epsilon - I(p; a, b)) >= 0 and maximise over a and b.
* KL-DP. d(a||b) is convex, so that its tangent at any point bounds the a that each b admits.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx

from noiseless.exact import Nats, ball, ball_above
from noiseless.theory.differential.conversion_bounds import kl_to_delta, mi_to_delta
from noiseless.theory.differential.parameters import (
    Epsilon,
    binary_divergence,
    exponential_ball,
    precision,
    read_epsilon,
    smallest_delta_for,
    upper_epsilon,
    z_capacity,
)

LARGEST_TARGET = Fraction(700)
"""Targets above this are taken for it, which asks for more."""

_SMALLEST_LOGARITHM = -2000
"""Where the search for ln b ends."""

SMALLEST_SEARCHED = Fraction(1, 2**100)
"""Epsilons below this are taken for it, which promises less: the curve is then valid, not the best."""

_STEPS = 100


def mi_to_dp(epsilon: Epsilon, target: Epsilon) -> float:
    """The smallest delta' with which epsilon-MI-DP => (target, delta')-DP, rounded up ((33) of [P5]).

    >>> round(mi_to_dp(0.1, 0), 5), round(mi_to_dp(0.1, 1), 5), round(delta_floor(0.1), 5)
    (0.43959, 0.2764, 0.24939)
    """
    exact, wanted = upper_epsilon(epsilon), _read_target(target)
    limit = mi_to_delta(epsilon)
    if exact is None or wanted is None or wanted == 0 or limit in {0.0, 1.0}:
        return delta_floor(epsilon) if wanted is None else limit
    exact = max(exact, SMALLEST_SEARCHED)
    with ctx.workprec(precision(exact)):
        value, factor = ball(exact), exponential_ball(wanted)
        u, v = _search_dual(value, factor, (1 - limit) / 2)
        p = u / (u + v)
        up, down = (1 / u).expm1(), -(-factor / v).expm1()
        bound = (u + v) * (value + binary_divergence(p, down / (up + down)))
        return min(limit, ball_above(bound))


def delta_floor(epsilon: Epsilon) -> float:
    """What no target brings delta' below: the delta of the Z-channel of capacity epsilon, rounded up.

    It is about e * epsilon for small epsilon: MI-DP admits a complete failure with that probability.
    """
    return smallest_delta_for(z_capacity, epsilon)


def kl_to_dp(epsilon: Epsilon, target: Epsilon) -> float:
    """The smallest delta' with which epsilon-KL-DP => (target, delta')-DP, rounded up.

    >>> round(kl_to_dp(0.1, 0), 5), round(kl_to_dp(0.1, 1), 5)
    (0.22174, 0.05497)
    """
    exact, wanted = upper_epsilon(epsilon), _read_target(target)
    limit = kl_to_delta(epsilon)
    if exact is None or wanted is None or wanted == 0 or limit in {0.0, 1.0}:
        return 0.0 if wanted is None and exact is not None else limit
    exact = max(exact, SMALLEST_SEARCHED)
    with ctx.workprec(precision(exact)):
        value, factor = ball(exact), exponential_ball(wanted)
        if factor <= _corner_slope(ball(math.nextafter(limit, 0))):
            return min(limit, ball_above((1 + ball(limit) - factor * (1 - ball(limit))) / 2))
        a, b = _search_tangent(value, factor, (1 - limit) / 2)
        across, along = _tangent(a, b)
        excess = along - factor
        room = (excess * (1 - b)).max(-excess * b)
        bound = a - factor * b + (value - binary_divergence(a, b)) / across + room
        return min(limit, ball_above(bound))


def _read_target(target: Epsilon) -> Fraction | Nats | None:
    """A checked target, or a little less of it, which asks for more; None when it is infinite."""
    wanted = read_epsilon(target, "target epsilon")
    return wanted if wanted is None else min(wanted, LARGEST_TARGET)


def _corner_slope(delta: arb) -> arb:
    """Up to this e^epsilon' the symmetric channel is best, both of whose divergences are at the limit."""
    odds = 2 * delta.atanh()
    return odds.sinh() / odds


def _search_dual(epsilon: arb, factor: arb, largest: float) -> tuple[arb, arb]:
    """Nearly the best u and v.

    The channels of capacity epsilon are those whose rows a > q > b both diverge from q by epsilon: there is
    one for each b, and a - g b is concave in q.
    """

    def at(b: arb) -> tuple[arb, arb]:
        q = _root(
            lambda q: (binary_divergence(b, q) - epsilon, (q - b) / (q * (1 - q))), b, _start(b, epsilon)
        )
        a = _root(lambda a: (binary_divergence(a, q) - epsilon, _log_odds(a, q)), q, _start(q, epsilon))
        return q, a

    def rises(b: arb) -> bool:
        q, a = at(b)
        return bool(((a - q) / _log_odds(a, q) - factor * (q - b) / _log_odds(q, b)).mid() > 0)

    b = _bisected(rises, largest)
    q, a = at(b)
    up = a * (1 - q) / (q * (1 - a)) - 1
    down = 1 - b * (1 - q) / (q * (1 - b))
    p = (q + 1 / up) / (1 / down + 1 / up)
    u = 1 / up.log1p()
    return u.mid(), (u * (1 - p) / p).mid()


def _search_tangent(epsilon: arb, factor: arb, largest: float) -> tuple[arb, arb]:
    """Nearly the best a and b with d(a||b) = epsilon: where the curve a(b) is as steep as e^epsilon'."""

    def above(b: arb) -> arb:
        return _root(lambda a: (binary_divergence(a, b) - epsilon, _log_odds(a, b)), b, _start(b, epsilon))

    b = _bisected(lambda b: bool((_tangent(above(b), b)[1] - factor).mid() > 0), largest)
    return above(b), b


def _tangent(a: arb, b: arb) -> tuple[arb, arb]:
    """The derivative of d(a||b) by a, and the slope of the curve a(b) on which d(a||b) is constant."""
    across = _log_odds(a, b)
    return across, (a / b - (1 - a) / (1 - b)) / across


def _log_odds(a: arb, b: arb) -> arb:
    return (a * (1 - b) / (b * (1 - a))).log()


def _start(low: arb, epsilon: arb) -> arb:
    """Not below the root, by Pinsker's inequality, unless the middle of what is left is nearer."""
    return (low + (epsilon / 2).sqrt()).min((low + 1) / 2).mid()


def _bisected(rises: Callable[[arb], bool], largest: float) -> arb:
    """The b up to which a concave function rises, sought by its logarithm."""
    low, high = ball(_SMALLEST_LOGARITHM), ball(largest).log().mid()
    for _ in range(_STEPS):
        middle = ((low + high) / 2).mid()
        low, high = (middle, high) if rises(middle.exp().mid()) else (low, middle)
    return high.exp().mid()


def _root(function: Callable[[arb], tuple[arb, arb]], low: arb, start: arb) -> arb:
    """Where an increasing function of low..1 is 0: Newton's steps, halving where they leave the bracket."""
    high, x, close = ball(1), start, ball(Fraction(1, 2**80)) * (start - low)
    for _ in range(_STEPS):
        value, slope = function(x)
        low, high = (x, high) if value.mid() < 0 else (low, x)
        following = (x - value / slope).mid()
        if abs(following - x) <= close:
            break
        x = following if low < following < high else ((low + high) / 2).mid()
    return x
