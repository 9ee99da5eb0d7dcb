"""What a guarantee for one entry of a database says about a group of k entries, and about all n."""

import math
from fractions import Fraction

from noiseless.errors import RequestError
from noiseless.exact import Nats, ball, ball_above
from noiseless.theory.differential.binary import precision, upper_delta, upper_epsilon
from noiseless.theory.differential.conversions import mi_to_delta
from noiseless.theory.differential.information_bounds import alphabet, dp_to_mi, whole_number
from noiseless.theory.differential.parameters import Delta, Epsilon, epsilon_ball, is_zero, read_epsilon


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
    from flint import ctx

    members = checked_members(members)
    exact, failure = upper_epsilon(epsilon), upper_delta(delta)
    if exact is None or failure == 0:
        return 0.0 if failure == 0 else 1.0
    with ctx.workprec(precision(exact)):
        value, factor = epsilon_ball(exact), ball(members)
        if not is_zero(exact):
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
    return min(bound, _rounded(single))


def database_information(epsilon: Epsilon, entries: int) -> float:
    """epsilon-DP => nats between the whole database and the output: (53) of [P5], sharpened to C*(n epsilon).

    >>> database_information(0.125, 8) == dp_to_mi(1)
    True
    """
    return dp_to_mi(group_epsilon(epsilon, entries))


def _rounded(epsilon: Epsilon) -> float:
    exact = upper_epsilon(epsilon)
    return math.inf if exact is None else ball_above(epsilon_ball(exact))


def checked_members(members: int) -> int:
    """The size of a group.

    Raises:
        RequestError: it is no whole number from 1 on.
    """
    checked = whole_number(members)
    if checked is None or checked < 1:
        raise RequestError("a group has at least one member; give a whole number from 1 on")
    return checked
