import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.theory.polytopes import Distance

squares = st.fractions(0, 10**6) | st.integers(0, 40).map(lambda k: Fraction(10) ** (k - 20))


def test_comparisons_are_exact() -> None:
    assert Distance(2) > Decimal("1.41421356237309504")
    assert Distance(2) < Decimal("1.41421356237309505")
    assert Distance(4) == 2 == Distance(Fraction(4)).exact
    assert Distance(4) != -2
    assert not Distance(4) < -2
    assert Distance(2) != 1.4142135623730951
    assert Distance(9) >= Distance(4)
    assert hash(Distance(4)) == hash(2)
    assert len({Distance(2), Distance(Fraction(4, 2)), Distance(3)}) == 2
    assert Distance(math.inf) > 10**300
    assert Distance(math.inf) == math.inf


def test_readings() -> None:
    assert str(Distance(2)) == "1.4142"
    assert str(Distance(math.inf)) == "inf"
    assert float(Distance(Fraction(1, 4))) == 0.5
    assert repr(Distance(Fraction(1, 2))) == "Distance(1/2)"
    assert Distance(2) * 3 == Distance(18)
    assert Distance(2).exact is None
    assert (Distance(math.inf).lower, Distance(math.inf).upper) == (math.inf, math.inf)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="negative"):
        Distance(-1)
    with pytest.raises(ValueError, match="negative"):
        Distance(4) * -1
    assert (Distance(1) == "1") is False
    with pytest.raises(TypeError):
        _ = Distance(1) < "2"  # type: ignore[operator]


@given(squares)
def test_floats_enclose_the_root(square: Fraction) -> None:
    root = Distance(square)
    assert Fraction(root.lower) ** 2 <= square <= Fraction(root.upper) ** 2
    assert root.upper <= math.nextafter(root.lower, math.inf)
    assert Fraction(str(root)) <= root
