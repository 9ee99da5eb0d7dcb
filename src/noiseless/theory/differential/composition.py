"""What a guarantee for one entry and answer says about groups, several answers and orders of information."""

import math
from collections.abc import Iterable
from fractions import Fraction

from flint import arb, ctx

from noiseless.errors import RequestError
from noiseless.exact import Nats, Rational, ball, ball_above
from noiseless.theory.differential.conversion_bounds import (
    alphabet,
    capacity_limit,
    dp_to_mi,
    leakage_limit,
    mi_to_delta,
    whole_number,
)
from noiseless.theory.differential.parameters import (
    Delta,
    Epsilon,
    in_nats,
    precision,
    read_epsilon,
    upper_delta,
    upper_epsilon,
)
from noiseless.theory.stochastic.renyi import order_of

_PRECISION = 128

_LARGEST_ORDER, _NEAREST_TO_ONE = Fraction(10**6), Fraction(1, 2**40)
"""Orders above the one are taken for infinite, and those nearer to 1 than the other for one beyond."""


def group_epsilon(epsilon: Epsilon, members: int) -> Fraction | Nats:
    """epsilon-DP => k epsilon-DP for groups of k (Property 7 of [P5]), exactly.

    >>> group_epsilon(Nats(3), 2), group_epsilon(1, 3)
    (Nats(9), Fraction(3, 1))
    """
    members = checked_members(members)
    exact = read_epsilon(epsilon)
    if exact is None:
        return Nats(math.inf)
    return Nats(exact.ratio**members) if isinstance(exact, Nats) else exact * members


def group_delta(epsilon: Epsilon, delta: Delta, members: int) -> float:
    """(epsilon, delta)-DP => (k epsilon, delta')-DP for groups of k, rounded up (Properties 8 and 9 of [P5]).

    delta' = (e^(k epsilon) - 1) / (e^epsilon - 1) delta, and k delta for epsilon = 0: what Definition 4 gives
    when it is repeated, and attained. The paper prints (k epsilon - 1) / (e^epsilon - 1) delta, a misprint.

    >>> group_delta(0, 0.125, 3), round(group_delta(1, 0.1, 2), 5)
    (0.375, 0.37183)
    """
    members = checked_members(members)
    exact, failure = upper_epsilon(epsilon), upper_delta(delta)
    if exact is None or failure == 0:
        return 0.0 if failure == 0 else 1.0
    with ctx.workprec(precision(exact)):
        value, factor = ball(exact), ball(members)
        if exact != 0:
            # Written with e^-epsilon, which does not overflow; past 1 nothing is left to say.
            factor = (
                (-members * value).expm1() / (-value).expm1() * ((members - 1) * value).min(ball(10**4)).exp()
            )
        return min(1.0, ball_above(factor * ball(failure)))


def group_information(
    epsilon: Epsilon, members: int, *, inputs: int | None = None, outputs: int | None = None
) -> float:
    """epsilon-MI-DP => nats between a group of k entries and the output, the other entries being known.

    Corollary 5 of [P5], sharpened: min(1, k delta) ln min(|Y|, |X|^k), delta = 1 - 2 h^-1(ln 2 - epsilon).
    Without limits on inputs and outputs nothing follows (Example 5 of [P5]) unless epsilon is 0.

    Args:
        epsilon: the MI-DP guarantee for one entry.
        members: k, how many entries the group has.
        inputs: the largest number of values of one entry.
        outputs: the number of outputs.
    """
    members = checked_members(members)
    alphabet(inputs, outputs)
    together = group_delta(0, mi_to_delta(epsilon), members)
    single = epsilon if members == 1 else math.inf
    bound = dp_to_mi(0, together, inputs=None if inputs is None else int(inputs) ** members, outputs=outputs)
    return min(bound, in_nats(single))


def database_information(epsilon: Epsilon, entries: int) -> float:
    """epsilon-DP => nats between the whole database and the output: (53) of [P5], sharpened to C*(n epsilon).

    >>> database_information(0.125, 8) == dp_to_mi(1)
    True
    """
    return dp_to_mi(group_epsilon(epsilon, entries))


def checked_members(members: int) -> int:
    """The size of a group.

    Raises:
        RequestError: it is no whole number from 1 on.
    """
    checked = whole_number(members)
    if checked is None or checked < 1:
        raise RequestError("a group has at least one member; give a whole number from 1 on")
    return checked


def compose_sequential(epsilons: Iterable[Epsilon]) -> Fraction | Nats | float:
    """Answers in sequence, each epsilon_j-MI-DP given those before: the sum (Corollary 3 of [P5]).

    The sum is exact when all are rational, or all `Nats` as the ln(reach) of noiseless answers; a mixture is
    rounded up. Answers that are independent given the database are a special case (Corollary 2). Answers that
    share their noise are not: a one-time pad and its key are 0-MI-DP each, and together tell everything.

    >>> compose_sequential([Nats(2), Nats(3)]), compose_sequential([Fraction(1, 3), Fraction(1, 6)])
    (Nats(6), Fraction(1, 2))
    """
    exact = [read_epsilon(epsilon) for epsilon in epsilons]
    logarithms = [value for value in exact if isinstance(value, Nats)]
    rationals = [value for value in exact if isinstance(value, Fraction)]
    if len(logarithms) + len(rationals) < len(exact):
        return math.inf
    product = Nats(math.prod((Fraction(value.ratio) for value in logarithms), start=Fraction(1)))
    total = sum(rationals, Fraction())
    if not logarithms:
        return total
    if total == 0:
        return product
    with ctx.workprec(_PRECISION):
        return ball_above(ball(product) + ball(total))


def compose_disjoint(epsilons: Iterable[Epsilon]) -> Fraction | Nats | float:
    """Answers made independently from disjoint sets of entries: the largest (Corollary 4 of [P5]).

    >>> compose_disjoint([Fraction(1, 2), Nats(2)])
    Nats(2)
    """
    largest: Fraction | Nats = Fraction()
    for epsilon in epsilons:
        exact = read_epsilon(epsilon)
        if exact is None:
            return math.inf
        largest = max(exact, largest)
    return largest


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
    order = _read_order(alpha)
    exact = upper_epsilon(group_epsilon(epsilon, entries))
    size = alphabet(inputs, outputs)
    if exact is None:
        return math.inf if size is None else ball_above(arb(size).log())
    if exact == 0 or order == 0:
        return 0.0
    with ctx.workprec(2 * precision(exact)):
        value = ball(exact)
        bounds = [value if order is None else _at_order(value, order)]
        if size is not None:
            bounds.append(leakage_limit(value, size))
        return min(ball_above(bound) for bound in bounds)


def _read_order(alpha: Rational | float) -> Fraction | None:
    """A checked order or a little more of it, of which the bound is not less; None when it is infinite."""
    order = order_of(alpha)
    if isinstance(order, float) or order > _LARGEST_ORDER:
        return None
    near = abs(order - 1) < _NEAREST_TO_ONE and order != 1
    return Fraction(1) + (_NEAREST_TO_ONE if order > 1 else 0) if near else order


def _at_order(epsilon: arb, order: Fraction) -> arb:
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
