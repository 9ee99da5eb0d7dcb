from fractions import Fraction

import pytest
from flint import arb

from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.theory.stochastic import (
    JointDistribution,
    chi_squared,
    f_information,
    hockey_stick,
    jensen_shannon,
    mutual_information,
    squared_hellinger,
    total_variation,
)

IDENTITY = JointDistribution.from_matrix([[0.5, 0], [0, 0.5]])
INDEPENDENT = JointDistribution.from_matrix([[0.25, 0.25], [0.25, 0.25]])
SOME = JointDistribution.from_matrix([[0.25, 0.05], [0.125, 0.075], [0, 0.5]])


def test_values_for_a_copied_bit() -> None:
    assert total_variation(IDENTITY).exact == Fraction(1, 2)
    assert chi_squared(IDENTITY).exact == 1
    assert abs(squared_hellinger(IDENTITY).upper - (1 - 0.5**0.5)) < 1e-15
    assert abs(jensen_shannon(IDENTITY).upper - 0.3112781244591328) < 1e-15  # H(3/8, 3/8, 1/8, 1/8) - 3/2


def test_independent_variables_have_none() -> None:
    for measure in (total_variation, chi_squared, squared_hellinger):
        assert measure(INDEPENDENT).exact == 0
    assert jensen_shannon(INDEPENDENT).exact == Bits(1)


def test_named_ones_are_special_cases() -> None:
    def variation(t: arb) -> arb:
        return abs(t - 1) / 2

    def kullback_leibler(t: arb) -> arb:
        return t * t.log() / arb.const_log2()

    def stick(t: arb) -> arb:
        return (t - arb(5) / 4).nonnegative_part()

    for found, expected in (
        (f_information(SOME, variation), total_variation(SOME)),
        (f_information(SOME, kullback_leibler, 0, "bits"), mutual_information(SOME)),
        (f_information(SOME, stick), hockey_stick(SOME, Fraction(5, 4))),
        (f_information(SOME, lambda t: t * t - 1), chi_squared(SOME)),
    ):
        assert found.lower <= expected.upper
        assert expected.lower <= found.upper
        assert found.upper - found.lower < 1e-15


def test_what_f_must_be() -> None:
    with pytest.raises(RequestError, match=r"f\(1\) must be 0"):
        f_information(SOME, lambda t: t * t)
    with pytest.raises(RequestError, match="give at_zero"):
        f_information(SOME, lambda t: t * t.log())
    with pytest.raises(RequestError, match="gamma"):
        hockey_stick(SOME, 0.5)


def test_a_large_gamma_leaves_nothing() -> None:
    assert hockey_stick(IDENTITY, 2).exact == 0
    assert hockey_stick(IDENTITY, Fraction(3, 2)).exact == Fraction(1, 4)
    assert str(hockey_stick(IDENTITY, 1.5)) == "0.2500"
