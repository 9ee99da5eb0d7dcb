"""Several answers together."""

import math
from fractions import Fraction

from noiseless.exact import Nats
from noiseless.theory.differential import compose_disjoint, compose_sequential


def test_rationals_and_logarithms_stay_exact() -> None:
    assert compose_sequential([0.5, Fraction(1, 3), 1]) == Fraction(11, 6)
    assert compose_sequential([Nats(2)] * 10) == Nats(1024)
    assert compose_sequential([Nats(2), 0]) == Nats(2)
    assert compose_sequential([]) == 0


def test_a_mixture_is_rounded_up() -> None:
    found = compose_sequential([Nats(2), Fraction(1, 2)])
    assert isinstance(found, float)
    assert Fraction(found) > Fraction("1.193147180559945309417232121458176568")
    assert found < 1.1931471805599456


def test_no_guarantee_among_them_leaves_none() -> None:
    assert compose_sequential([1, math.inf]) == compose_disjoint([Nats(math.inf), 1]) == math.inf


def test_disjoint_answers_cost_the_largest() -> None:
    assert compose_disjoint([Nats(2), 0.7, Fraction(1, 5)]) == Fraction(0.7)
    assert compose_disjoint([Nats(2), 0.69]) == Nats(2)
    assert compose_disjoint([Fraction(Nats(2).lower), Nats(2)]) == Nats(2)
    assert compose_disjoint([]) == 0
