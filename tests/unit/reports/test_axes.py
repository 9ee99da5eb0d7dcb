import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.reports.canvas import tick_text
from noiseless.reports.charts import AxisScale, scale_for

NUMBERS = st.lists(st.floats(0, 1e9, allow_subnormal=False), min_size=1, max_size=30)


@given(NUMBERS, st.booleans(), st.booleans())
def test_every_number_has_a_place_on_the_axis_in_order(
    values: list[float], falling: bool, linear: bool
) -> None:
    scale = scale_for(values, falling=falling, linear=linear)
    places = [scale.place(value) for value in sorted(values, reverse=falling)]
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in places)
    assert places == sorted(places)


@given(NUMBERS)
def test_there_are_a_few_ticks_and_they_are_on_the_axis(values: list[float]) -> None:
    scale = scale_for(values)
    places = [scale.place(value) for value, _ in scale.ticks]
    assert 2 <= len(places) <= 10
    assert all(-1e-9 <= place <= 1 + 1e-9 for place in places)
    assert places == sorted(places)
    assert len({text for _, text in scale.ticks}) == len(places)


def test_numbers_squeezed_to_one_side_make_it_logarithmic() -> None:
    squeezed = [0, 0.5, 1, 2, 3, 1000]
    scale = scale_for(squeezed)
    assert scale.logarithmic
    assert scale.ticks[0] == (0.0, "0")
    assert scale.place(0) == 0 < scale.place(0.5)
    assert not scale_for(squeezed, linear=True).logarithmic


def test_numbers_that_are_spread_out_do_not() -> None:
    assert not scale_for([0, 1, 500, 700, 1000]).logarithmic


def test_nothing_but_zero() -> None:
    assert scale_for([0.0, 0.0]) == AxisScale(0.0, 1.0)
    assert scale_for([]) == AxisScale(0.0, 1.0)


@pytest.mark.parametrize(("value", "text"), [(0.25, "0.25"), (1500, "1,500"), (1e7, "10⁷"), (0, "0")])
def test_ticks_are_short(value: float, text: str) -> None:
    assert tick_text(value) == text
