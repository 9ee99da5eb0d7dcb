"""Bounds on information of order alpha."""

import math
from fractions import Fraction

import pytest

from noiseless.errors import RequestError
from noiseless.exact import Nats
from noiseless.theory.differential import dp_to_mi, sibson_bound

ORDERS = [0, 1e-9, 0.1, 0.5, 0.999, 1, 1 + 2**-50, 1.001, 2, 10, 1e5, 10**400, math.inf]


@pytest.mark.parametrize("epsilon", [1e-100, 0.01, 1, 20, 1e5])
def test_it_grows_with_the_order(epsilon: float) -> None:
    values = [sibson_bound(epsilon, alpha) for alpha in ORDERS]
    assert values == sorted(values)
    assert values[0] == 0
    assert values[-1] == pytest.approx(epsilon)


def test_order_one_is_the_capacity() -> None:
    assert sibson_bound(2, 1) == dp_to_mi(2)
    assert sibson_bound(2, 1 + 1e-9) == pytest.approx(dp_to_mi(2), rel=1e-8)
    assert sibson_bound(2, 1 - 1e-9) == pytest.approx(dp_to_mi(2), rel=1e-8)


def test_order_two() -> None:
    k = math.e + 1
    assert sibson_bound(1, 2) == pytest.approx(math.log(k / (2 * (k - 1))) + math.log(k / 2))


def test_a_small_alphabet() -> None:
    assert sibson_bound(Nats(3), inputs=2) == pytest.approx(math.log(1.5))
    assert sibson_bound(Nats(3), inputs=5, outputs=2) == pytest.approx(math.log(1.5))
    assert sibson_bound(math.inf, 2, inputs=4) == pytest.approx(math.log(4))
    assert sibson_bound(math.inf, 2) == math.inf
    assert sibson_bound(0, 2) == 0


def test_several_entries() -> None:
    assert sibson_bound(Fraction(1, 5), entries=5) == 1
    assert sibson_bound(Fraction(1, 5), 2, entries=5) == sibson_bound(1, 2)


@pytest.mark.parametrize("alpha", [-1, math.nan])
def test_what_is_no_order_is_refused(alpha: float) -> None:
    with pytest.raises(RequestError, match="alpha"):
        sibson_bound(1, alpha)
