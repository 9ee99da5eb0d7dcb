"""Groups of entries."""

import math
from fractions import Fraction

import pytest

from noiseless.errors import RequestError
from noiseless.exact import Nats
from noiseless.theory.differential import (
    database_information,
    dp_to_mi,
    group_delta,
    group_epsilon,
    group_information,
    mi_to_delta,
)
from noiseless.theory.differential import published_bounds as printed


def test_epsilons_add_up_exactly() -> None:
    assert group_epsilon(Fraction(1, 3), 3) == 1
    assert group_epsilon(Nats(2), 10) == Nats(1024)
    assert group_epsilon(math.inf, 2) == Nats(math.inf)


def test_deltas() -> None:
    assert group_delta(0, Fraction(1, 8), 4) == 0.5
    assert group_delta(Nats(3), Fraction(1, 100), 3) == pytest.approx(0.13)
    assert group_delta(1, 0.5, 2) == 1
    assert group_delta(1, 0, 5) == group_delta(math.inf, 0, 5) == 0
    assert group_delta(math.inf, 0.1, 2) == 1
    assert group_delta(1e-9, 0.01, 3) == pytest.approx(0.03)
    assert group_delta(1e5, 1e-300, 2) == 1


def test_one_member_is_one_entry() -> None:
    assert group_delta(1, 0.25, 1) == pytest.approx(0.25)
    assert group_information(0.1, 1, inputs=100) == 0.1


def test_information_of_groups() -> None:
    assert group_information(0.01, 2, inputs=3) == pytest.approx(2 * mi_to_delta(0.01) * math.log(9))
    assert group_information(0.01, 2, inputs=3) < printed.group_information(0.01, 2, inputs=3)
    assert group_information(0.5, 3, inputs=10, outputs=4) == pytest.approx(math.log(4))
    assert group_information(0.01, 2) == math.inf
    assert group_information(0, 2) == 0


def test_the_whole_database() -> None:
    assert database_information(Fraction(1, 5), 5) == dp_to_mi(1)
    assert database_information(Nats(2), 3) == dp_to_mi(Nats(8))
    assert database_information(math.inf, 3) == math.inf


def test_a_group_has_members() -> None:
    for wrong in (0, -1):
        with pytest.raises(RequestError, match="at least one member"):
            group_epsilon(1, wrong)
        with pytest.raises(RequestError, match="at least one member"):
            group_delta(1, 0.1, wrong)
