"""What several answers together give away, in MI-DP: Corollaries 2 to 4 of [P5]."""

import math
from collections.abc import Iterable
from fractions import Fraction

from noiseless.exact import Nats, ball_above
from noiseless.theory.differential.parameters import Epsilon, epsilon_ball, is_at_most, read_epsilon

_PRECISION = 128


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
    return product if total == 0 else _above(product, total)


def _above(logarithm: Nats, rational: Fraction) -> float:
    from flint import ctx

    with ctx.workprec(_PRECISION):
        return ball_above(epsilon_ball(logarithm) + epsilon_ball(rational))


def compose_independent(epsilons: Iterable[Epsilon]) -> Fraction | Nats | float:
    """Answers that are independent given the database: the sum (Corollary 2 of [P5])."""
    return compose_sequential(epsilons)


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
        largest = exact if is_at_most(largest, exact) else largest
    return largest
