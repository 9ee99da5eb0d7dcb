"""The formulas of [P5] as they are printed, rounded up; `accounting.conversions` has what is sharper.

All of them are valid. Those that are the best of their form, (11), (22), (28) and Property 3, are there.
"""

import math
from fractions import Fraction

from noiseless.exact import ball, ball_above
from noiseless.theory.differential.composition import checked_members
from noiseless.theory.differential.conversion_bounds import alphabet
from noiseless.theory.differential.parameters import (
    Delta,
    Epsilon,
    binary_entropy,
    epsilon_ball,
    is_zero,
    precision,
    upper_delta,
    upper_epsilon,
)


def simple_divergence(epsilon: Epsilon) -> float:
    """epsilon-DP => min{epsilon, epsilon^2} nats of KL-DP ((10) and (21) of [P5]) and of MI-DP ((23)).

    >>> simple_divergence(0.5), simple_divergence(2)
    (0.25, 2.0)
    """
    from flint import ctx

    exact = upper_epsilon(epsilon)
    if exact is None or is_zero(exact):
        return math.inf if exact is None else 0.0
    with ctx.workprec(precision(exact)):
        value = epsilon_ball(exact)
        return min(ball_above(value), ball_above(value * value))


def pinsker(epsilon: Epsilon) -> float:
    """epsilon-KL-DP => (0, sqrt(epsilon/2))-DP (Property 2 of [P5]).

    >>> pinsker(0.5)
    0.5
    """
    return _root_of(epsilon, Fraction(1, 2))


def simple_variation(epsilon: Epsilon) -> float:
    """epsilon-MI-DP => (0, sqrt(2 epsilon))-DP ((27) of [P5]).

    >>> simple_variation(0.125)
    0.5
    """
    return _root_of(epsilon, Fraction(2))


def reverse(delta: Delta, *, inputs: int | None = None, outputs: int | None = None) -> float:
    """(0, delta)-DP => 2 h(delta) + 2 delta ln min{|Y|, |X| + 1} nats of MI-DP (Lemma 3 of [P5], (35)).

    >>> round(reverse(0.1, inputs=9), 5)
    1.11068
    """
    return _reverse(upper_delta(delta), _larger_alphabet(inputs, outputs))


def reverse_by_outputs(delta: Delta, outputs: int) -> float:
    """(0, delta)-DP => h(delta) + delta ln(|Y| - 1), or ln |Y| when delta > 1 - 1/|Y| ((105) of [P5]).

    >>> reverse_by_outputs(0.9, 2) == reverse_by_outputs(0.5, 2)
    True
    """
    from flint import arb, ctx

    exact, size = upper_delta(delta), alphabet(None, outputs)
    if exact == 0 or size is None:
        return 0.0 if exact == 0 else math.inf
    with ctx.workprec(precision(exact, 1 - exact)):
        if exact * size > size - 1:
            return ball_above(arb(size).log())
        return ball_above(binary_entropy(ball(exact)) + ball(exact) * arb(size - 1).log())


def reverse_by_inputs(delta: Delta, inputs: int) -> float:
    """(0, delta)-DP => 2 h(t) + 2 t ln |X| with t = delta / (1 + delta) ((126) of [P5])."""
    from flint import arb, ctx

    exact, size = upper_delta(delta), alphabet(inputs, None)
    if exact == 0 or size is None:
        return 0.0 if exact == 0 else math.inf
    with ctx.workprec(precision(exact)):
        share = ball(exact / (1 + exact))
        return ball_above(2 * binary_entropy(share) + 2 * share * arb(size).log())


def group_information(
    epsilon: Epsilon, members: int, *, inputs: int | None = None, outputs: int | None = None
) -> float:
    """Corollary 5 of [P5], (54): 2 h(d) + 2 d ln min{|Y|, |X|^k + 1} with d = k sqrt(2 epsilon).

    (54) has no meaning where k sqrt(2 epsilon) exceeds 1; there the result is that of d = 1.

    Args:
        epsilon: the MI-DP guarantee for one entry.
        members: k, how many entries the group has.
        inputs: the largest number of values of one entry.
        outputs: the number of outputs.
    """
    members = checked_members(members)
    alphabet(inputs, outputs)
    size = _larger_alphabet(None if inputs is None else int(inputs) ** members, outputs)
    variation = min(1.0, simple_variation(epsilon) * members * (1 + 2**-50))
    return _reverse(upper_delta(variation), size)


def _larger_alphabet(inputs: int | None, outputs: int | None) -> int | None:
    """min{|Y|, |X| + 1}."""
    alphabet(inputs, outputs)
    sizes = (None if outputs is None else int(outputs), None if inputs is None else int(inputs) + 1)
    return min((size for size in sizes if size), default=None)


def _reverse(delta: Fraction, size: int | None) -> float:
    from flint import arb, ctx

    if delta == 0 or size is None:
        return 0.0 if delta == 0 else math.inf
    with ctx.workprec(precision(delta, 1 - delta)):
        entropy = arb(0) if delta == 1 else binary_entropy(ball(delta))
        return ball_above(2 * entropy + 2 * ball(delta) * arb(size).log())


def _root_of(epsilon: Epsilon, factor: Fraction) -> float:
    """sqrt(factor epsilon), at most 1."""
    from flint import ctx

    exact = upper_epsilon(epsilon)
    if exact is None or is_zero(exact):
        return 1.0 if exact is None else 0.0
    with ctx.workprec(precision(exact)):
        return min(1.0, ball_above((epsilon_ball(exact) * ball(factor)).sqrt()))
