"""How far the numbers that rules tell can be from the truth."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.questions import Continuum, Lattice
from noiseless.rules.plan import plan
from noiseless.rules.rounding import Digits, Round, told_error

SIZES = st.fractions(Fraction(1, 6), 12, max_denominator=6)
RULES = st.one_of(
    st.builds(Round, SIZES, st.sampled_from(["half-away", "half-even", "down", "up"])),
    st.integers(1, 3).map(Digits),
)


@given(RULES, st.fractions(-30, 30, max_denominator=6), SIZES, st.integers(0, 120))
def test_no_number_is_told_farther_off(
    found: Round | Digits, low: Fraction, step: Fraction, last: int
) -> None:
    """No told number is farther from the truth, and over a whole base some are as far."""
    span = Lattice(low, step, last)
    worst = max(abs(Fraction(found.told(span.value(i))) - span.value(i)) for i in range(last + 1))
    stated = told_error(found, span)
    assert stated is not None
    assert worst <= stated
    if isinstance(found, Round) and last + 1 >= (found.base / step).numerator * step.denominator:
        assert worst == stated
    if low > 0 or span.high < 0 or isinstance(found, Round):
        between = told_error(found, Continuum(span.low, span.high))
        assert between is not None
        assert worst <= between


@pytest.mark.parametrize(
    ("text", "told", "middle"),
    [
        ("round:2", 1, Fraction(1, 2)),
        ("round:10", 5, Fraction(9, 2)),
        ("round:5", 2, 2),
        ("min-cell:11", None, 5),
        ("round:10:down", 9, Fraction(9, 2)),
        ("round:10:up", 9, Fraction(9, 2)),
        ("digits:9", 0, 0),
    ],
)
def test_plans_state_both(text: str, told: int | None, middle: Fraction) -> None:
    found = plan("count", n=1000, rule=text)
    assert (found.told_error, found.worst_error) == (told, middle)
    assert ("the published number" in str(found)) == (told not in {None, middle})
    assert str(found).count("protects nothing") == 1


def test_labels_and_totals() -> None:
    assert "; the middle of the values published alike is off by 15 at most." in str(
        plan("value", bounds=(0, 120), step=1, rule="top:90")
    )
    assert plan("value", bounds=(0, 80), step=1, rule="top:90").told_error is None
    assert plan("sum", n=20, bounds=(0, 10), step=1, rule="min-cell:11").told_error == 0
    assert plan("sum", n=20, bounds=(0, 10), step=1, rule="15/15").told_error is None
    assert "instead of 0.5." in plan("mean", n=200, bounds=(0, 120), step=1, rule="round:1").verdict
