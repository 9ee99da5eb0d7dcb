"""The formulas of [P5] as they are printed, rounded up; `conversion_bounds` has what is sharper.

All of them are valid. Those that are the best of their form, (11), (22), (28) and Property 3, are there.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx

from noiseless.exact import ball, ball_above
from noiseless.theory.differential.composition import checked_members
from noiseless.theory.differential.conversion_bounds import alphabet
from noiseless.theory.differential.parameters import (
    Delta,
    Epsilon,
    above,
    binary_entropy,
    precision,
    upper_delta,
)


def simple_divergence(epsilon: Epsilon) -> float:
    """epsilon-DP => min{epsilon, epsilon^2} nats of KL-DP ((10) and (21) of [P5]) and of MI-DP ((23)).

    >>> simple_divergence(0.5), simple_divergence(2)
    (0.25, 2.0)
    """
    return above(lambda value: value.min(value * value), epsilon)


def pinsker(epsilon: Epsilon) -> float:
    """epsilon-KL-DP => (0, sqrt(epsilon/2))-DP (Property 2 of [P5]).

    >>> pinsker(0.5)
    0.5
    """
    return min(1.0, above(lambda value: (value / 2).sqrt(), epsilon))


def simple_variation(epsilon: Epsilon) -> float:
    """epsilon-MI-DP => (0, sqrt(2 epsilon))-DP ((27) of [P5]).

    >>> simple_variation(0.125)
    0.5
    """
    return min(1.0, above(lambda value: (2 * value).sqrt(), epsilon))


def reverse(delta: Delta, *, inputs: int | None = None, outputs: int | None = None) -> float:
    """(0, delta)-DP => 2 h(delta) + 2 delta ln min{|Y|, |X| + 1} nats of MI-DP (Lemma 3 of [P5], (35)).

    >>> round(reverse(0.1, inputs=9), 5)
    1.11068
    """
    alphabet(inputs, outputs)
    sizes = (outputs, None if inputs is None else int(inputs) + 1)
    size = min((int(size) for size in sizes if size is not None), default=None)
    return _of_delta(delta, size, _twice)


def reverse_by_outputs(delta: Delta, outputs: int) -> float:
    """(0, delta)-DP => h(delta) + delta ln(|Y| - 1), or ln |Y| when delta > 1 - 1/|Y| ((105) of [P5]).

    >>> reverse_by_outputs(0.9, 2) == reverse_by_outputs(0.5, 2)
    True
    """

    def formula(share: Fraction, size: int) -> arb:
        if share * size > size - 1:
            return arb(size).log()
        return binary_entropy(ball(share)) + ball(share) * arb(size - 1).log()

    return _of_delta(delta, alphabet(None, outputs), formula)


def reverse_by_inputs(delta: Delta, inputs: int) -> float:
    """(0, delta)-DP => 2 h(t) + 2 t ln |X| with t = delta / (1 + delta) ((126) of [P5])."""
    return _of_delta(delta, alphabet(inputs, None), lambda share, size: _twice(share / (1 + share), size))


def group_information(
    epsilon: Epsilon, members: int, *, inputs: int | None = None, outputs: int | None = None
) -> float:
    """Corollary 5 of [P5], (54): 2 h(d) + 2 d ln min{|Y|, |X|^k + 1} with d = k sqrt(2 epsilon).

    (54) has no meaning where k sqrt(2 epsilon) exceeds 1; there the result is that of d = 1. The arguments
    are those of `composition.group_information`.
    """
    members = checked_members(members)
    alphabet(inputs, outputs)
    variation = min(1.0, simple_variation(epsilon) * members * (1 + 2**-50))
    return reverse(variation, inputs=None if inputs is None else int(inputs) ** members, outputs=outputs)


def _of_delta(delta: Delta, size: int | None, formula: Callable[[Fraction, int], arb]) -> float:
    """A formula of delta and the size of an alphabet, rounded up; without a size nothing follows."""
    exact = upper_delta(delta)
    if exact == 0 or size is None:
        return 0.0 if exact == 0 else math.inf
    with ctx.workprec(precision(exact, 1 - exact)):
        return ball_above(formula(exact, size))


def _twice(share: Fraction, size: int) -> arb:
    """2 h(d) + 2 d ln m."""
    entropy = arb(0) if share == 1 else binary_entropy(ball(share))
    return 2 * entropy + 2 * ball(share) * arb(size).log()
