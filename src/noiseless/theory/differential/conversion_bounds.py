"""The best possible conversions between differential privacy, KL-DP, MI-DP and (0, delta)-DP."""

import math
import operator
from fractions import Fraction

from flint import arb, ctx

from noiseless.errors import RequestError
from noiseless.exact import Nats, ball, ball_above, round_up
from noiseless.theory.differential.parameters import (
    Delta,
    Epsilon,
    above,
    binary_entropy,
    in_nats,
    precision,
    rational_exponential,
    read_epsilon,
    response_capacity,
    smallest_delta_for,
    symmetric_capacity,
    upper_delta,
    upper_epsilon,
    z_capacity,
)

_BINARY = 2

_ENOUGH = 4
"""As many outputs as the worst two rows that are (epsilon, delta)-close can have."""


def dp_to_kl(epsilon: Epsilon, delta: Delta = 0) -> float:
    """epsilon-DP => epsilon tanh(epsilon/2) nats of KL-DP, best possible ((11) of [P5]).

    No finite one follows when delta > 0.

    >>> dp_to_kl(1), dp_to_kl(1, delta=0.001)
    (0.4621171572600098, inf)
    """
    bound = above(lambda value: value * (value / 2).tanh(), epsilon)
    return math.inf if upper_delta(delta) > 0 else bound


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
    exact, failure = upper_epsilon(epsilon), upper_delta(delta)
    wanted = read_epsilon(target, "target epsilon")
    if wanted is None or exact == 0:
        return round_up(failure)
    if exact is None:
        return 1.0
    before, after = rational_exponential(exact), rational_exponential(wanted)
    if before is not None and after is not None:
        return round_up(max(failure, 1 - (after + 1) * (1 - failure) / (before + 1)))
    with ctx.workprec(precision(exact)):
        value = ball(exact)
        rest = -(ball(wanted) - value).expm1() / (1 + (-value).exp())
        changed = ball(failure) + (1 - ball(failure)) * rest
        return min(1.0, max(round_up(failure), ball_above(changed)))


def kl_to_delta(epsilon: Epsilon) -> float:
    """epsilon-KL-DP => (0, delta)-DP, best possible: delta ln((1+delta)/(1-delta)) = epsilon.

    A mechanism and its mirror image have the same divergences, and their mixture is symmetric.

    >>> round(kl_to_delta(0.1), 5)
    0.22174
    """
    return smallest_delta_for(lambda delta: 2 * delta * delta.atanh(), epsilon)


def mi_to_delta(epsilon: Epsilon) -> float:
    """epsilon-MI-DP => (0, delta)-DP with delta = 1 - 2 h^-1(ln 2 - epsilon), best possible ((28) of [P5]).

    From ln 2 on it says nothing: one noiseless bit is already outside (0, delta)-DP for every delta < 1.

    >>> round(mi_to_delta(0.1), 5), mi_to_delta(0.7)
    (0.43959, 1.0)
    """
    return smallest_delta_for(symmetric_capacity, epsilon)


def alphabet(inputs: int | None, outputs: int | None) -> int | None:
    """min(inputs, outputs): no more inputs than outputs are needed to attain a capacity.

    Raises:
        RequestError: one of them is no whole number, or below 2.
    """
    known = [whole_number(size) for size in (inputs, outputs) if size is not None]
    if any(size is None or size < _BINARY for size in known):
        raise RequestError("inputs and outputs are whole numbers from 2 on")
    return min((size for size in known if size is not None), default=None)


def whole_number(value: object) -> int | None:
    """Python's own integer, which has no limits; None of what is no whole number."""
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def dp_to_mi(
    epsilon: Epsilon, delta: Delta = 0, *, inputs: int | None = None, outputs: int | None = None
) -> float:
    """(epsilon, delta)-DP => MI-DP in nats, the smallest of several bounds.

    With delta = 0 it is at most C*(epsilon) = k - 1 - ln k, k = epsilon / (1 - e^-epsilon), the best possible
    without limits on inputs and outputs. With delta > 0 nothing follows unless there is such a limit.

    >>> round(dp_to_mi(1), 5), dp_to_mi(1, 0.001)
    (0.1233, inf)
    >>> round(dp_to_mi(0, 0.1, inputs=1000) / math.log(1000), 5)
    0.1
    """
    exact, failure = upper_epsilon(epsilon), upper_delta(delta)
    size = alphabet(inputs, outputs)
    if exact is None or failure == 1:
        return math.inf if size is None else ball_above(arb(size).log())
    if exact == 0 and failure == 0:
        return 0.0
    with ctx.workprec(precision(exact, failure, 1 - failure)):
        value, lost = ball(exact), ball(failure)
        bounds = [] if exact == 0 or failure > 0 else [capacity_limit(value)]
        if size is not None:
            bounds += _with_alphabet(exact, value, lost, size, binary_output=outputs == _BINARY)
        return min((ball_above(bound) for bound in bounds), default=math.inf)


def capacity_limit(epsilon: arb) -> arb:
    """C*(epsilon): the supremum of the capacities of epsilon-DP channels, approached by subset selection."""
    k = epsilon / -(-epsilon).expm1()
    return k - 1 - k.log()


def _with_alphabet(
    exact: Fraction | Nats, epsilon: arb, delta: arb, size: int, *, binary_output: bool
) -> list[arb]:
    """The bounds for m = min(inputs, outputs)."""
    most = arb(size).log()
    if binary_output:
        return [_binary_output(exact, epsilon, delta)]
    if exact == 0:
        return [delta * most]
    response = response_capacity(epsilon)
    share = delta + (1 - delta) * response / arb.const_log2()
    odds = (-epsilon).exp()
    return [
        share * most,
        epsilon * (epsilon / 2).tanh() + delta * (most + 2 * epsilon * odds / (1 - odds * odds)),
        capacity_limit(epsilon) + (size - 1) * delta * epsilon * odds / (1 - odds),
        *([leakage_limit(epsilon, size)] if delta == 0 else []),
    ]


def _binary_output(exact: Fraction | Nats, epsilon: arb, delta: arb) -> arb:
    """The larger capacity of the two extreme binary channels: it is convex, so one of them has the most."""
    odds = (-epsilon).exp()
    symmetric = arb.const_log2() - binary_entropy((1 - delta) * odds / (1 + odds))
    if delta == 0:
        return symmetric
    once = z_capacity(delta)
    return once if exact == 0 else symmetric.max(once)


def leakage_limit(epsilon: arb, size: int) -> arb:
    """ln(m / (1 + (m-1) e^-epsilon)): bounds the maximal leakage of epsilon-DP, and the MI-DP of KL-DP."""
    return arb(size).log() - ((size - 1) * (-epsilon).exp()).log1p()


def is_best(
    epsilon: Epsilon, delta: Delta = 0, *, inputs: int | None = None, outputs: int | None = None
) -> bool:
    """Whether `dp_to_mi` is known to be the best possible: attained, or approached, by some mechanism."""
    exact, failure = upper_epsilon(epsilon), upper_delta(delta)
    nothing = exact == 0
    if exact is None or failure == 1 or (nothing and failure == 0):
        return True  # ln m, or nothing at all
    if alphabet(inputs, outputs) is None or outputs == _BINARY:
        return True
    if nothing:  # the erasure channel
        return inputs is not None and (outputs is None or outputs > inputs)
    return inputs == _BINARY and (outputs is None or outputs >= _ENOUGH or failure == 0)


def kl_to_mi(epsilon: Epsilon, *, inputs: int | None = None, outputs: int | None = None) -> float:
    """epsilon-KL-DP => epsilon-MI-DP (Lemma 1 of [P5]), best possible without limits on inputs and outputs.

    With m = min(inputs, outputs), ln(m / (1 + (m-1) e^-epsilon)): Jensen's inequality for ln of a sum of
    exponentials, around the mean of the rows; or delta ln m with the delta of `kl_to_delta`.

    >>> kl_to_mi(0.5), kl_to_mi(0.5, inputs=2) < 0.22
    (0.5, True)
    """
    size = alphabet(inputs, outputs)
    if size is None:
        return in_nats(epsilon)

    def smaller(value: arb) -> arb:
        return leakage_limit(value, size).min(ball(kl_to_delta(epsilon)) * arb(size).log())

    return above(smaller, epsilon, without=ball_above(arb(size).log()))


def delta_to_mi(delta: Delta, *, inputs: int | None = None, outputs: int | None = None) -> float:
    """(0, delta)-DP => delta ln min(inputs, outputs) nats of MI-DP, attained by the erasure channel.

    With two outputs the capacity of the Z-channel, which is less; without any number, nothing.

    >>> delta_to_mi(1, outputs=8) == delta_to_mi(1, inputs=8), delta_to_mi(0.1)
    (True, inf)
    """
    return dp_to_mi(0, delta, inputs=inputs, outputs=outputs)
