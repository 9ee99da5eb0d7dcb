"""Conversions between differential privacy, KL-DP, MI-DP and (0, delta)-DP: the best possible.

Each function takes the parameters of a guarantee and gives that of another one that follows, as a float that
is rounded up. Where nothing follows it is infinite, or 1 for a delta. What ends in MI-DP is in
`accounting.information_bounds`, curves are in `accounting.tradeoff`, and the formulas of [P5] as they are
printed in `accounting.printed`.
"""

import math

from noiseless.exact import ball, ball_above, round_up
from noiseless.theory.differential.binary import (
    precision,
    smallest_float,
    symmetric_capacity,
    upper_delta,
    upper_epsilon,
)
from noiseless.theory.differential.parameters import (
    Delta,
    Epsilon,
    epsilon_ball,
    is_zero,
    rational_exponential,
    read_epsilon,
)


def dp_to_kl(epsilon: Epsilon, delta: Delta = 0) -> float:
    """epsilon-DP => epsilon tanh(epsilon/2) nats of KL-DP, best possible ((11) of [P5]).

    No finite one follows when delta > 0.

    >>> dp_to_kl(1), dp_to_kl(1, delta=0.001)
    (0.4621171572600098, inf)
    """
    from flint import ctx

    exact, failure = upper_epsilon(epsilon), upper_delta(delta)
    if exact is None or failure > 0:
        return math.inf
    with ctx.workprec(precision(exact)):
        value = epsilon_ball(exact)
        return ball_above(value * (value / 2).tanh())


def dp_to_delta(epsilon: Epsilon, delta: Delta = 0) -> float:
    """(epsilon, delta)-DP => (0, delta')-DP, best possible: Property 3 of [P5] with epsilon' = 0.

    >>> round(dp_to_delta(1), 5)
    0.46212
    """
    return dp_to_dp(epsilon, delta, target=0)


def dp_to_dp(epsilon: Epsilon, delta: Delta = 0, *, target: Epsilon) -> float:
    """The smallest delta' with which (epsilon, delta)-DP => (target, delta')-DP: Property 3 of [P5].

    It is 1 - (e^target + 1)(1 - delta) / (e^epsilon + 1) for a target below epsilon, and delta from there on.

    >>> dp_to_dp(1, 0.25, target=2)
    0.25
    """
    from flint import ctx

    exact, failure = upper_epsilon(epsilon), upper_delta(delta)
    wanted = read_epsilon(target, "target epsilon")
    if wanted is None or (exact is not None and is_zero(exact)):
        return round_up(failure)
    if exact is None:
        return 1.0
    before, after = rational_exponential(exact), rational_exponential(wanted)
    if before is not None and after is not None:
        return round_up(max(failure, 1 - (after + 1) * (1 - failure) / (before + 1)))
    with ctx.workprec(precision(exact)):
        value = epsilon_ball(exact)
        rest = -(epsilon_ball(wanted) - value).expm1() / (1 + (-value).exp())
        changed = ball(failure) + (1 - ball(failure)) * rest
        return min(1.0, max(round_up(failure), ball_above(changed)))


def kl_to_delta(epsilon: Epsilon) -> float:
    """epsilon-KL-DP => (0, delta)-DP, best possible: delta ln((1+delta)/(1-delta)) = epsilon.

    A mechanism and its mirror image have the same divergences, and their mixture is symmetric.

    >>> round(kl_to_delta(0.1), 5)
    0.22174
    """
    from flint import ctx

    exact = upper_epsilon(epsilon)
    if exact is None or is_zero(exact):
        return 1.0 if exact is None else 0.0
    with ctx.workprec(precision(exact)):
        value = epsilon_ball(exact)
        return smallest_float(lambda delta: 2 * ball(delta) * ball(delta).atanh() >= value)


def mi_to_delta(epsilon: Epsilon) -> float:
    """epsilon-MI-DP => (0, delta)-DP with delta = 1 - 2 h^-1(ln 2 - epsilon), best possible ((28) of [P5]).

    From ln 2 on it says nothing: one noiseless bit is already outside (0, delta)-DP for every delta < 1.

    >>> round(mi_to_delta(0.1), 5), mi_to_delta(0.7)
    (0.43959, 1.0)
    """
    from flint import ctx

    exact = upper_epsilon(epsilon)
    if exact is None or is_zero(exact):
        return 1.0 if exact is None else 0.0
    with ctx.workprec(precision(exact)):
        value = epsilon_ball(exact)
        return smallest_float(lambda delta: symmetric_capacity(ball(delta)) >= value)
