"""Numbers that are certain between two ends, as people and as programs read them."""

from fractions import Fraction
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from noiseless.display import (
    exact_text,
    html_answer,
    html_rows,
    html_table,
    nearest,
    rounded_ends,
    shown_interval,
)
from noiseless.questions.sql import AnswerInterval
from noiseless.replies import shown


@given(st.fractions(), st.fractions(min_value=0))
def test_intervals_are_shown_as_the_curator_shows_them(lower: Fraction, width: Fraction) -> None:
    interval = AnswerInterval.of(lower, lower + width)
    assert shown_interval(interval.value, interval.lower, interval.upper) == shown(interval)


@given(st.fractions())
def test_ends_are_rounded_outwards(number: Fraction) -> None:
    found = rounded_ends(number, number, number)
    assert found["lower"] is not None
    assert found["upper"] is not None
    assert Fraction(found["lower"]) <= number <= Fraction(found["upper"])


def test_what_has_no_end_or_no_double() -> None:
    assert rounded_ends(None, -inf, None) == {"value": None, "lower": -inf, "upper": None}
    assert shown_interval(None, -inf, Fraction(3)) == "-inf to 3"
    assert (nearest(Fraction(10) ** 400), nearest(-(Fraction(10) ** 400))) == (inf, -inf)
    assert shown_interval(None, Fraction(10) ** 400, Fraction(10) ** 400) == "1e+400 to 1e+400"


@given(st.fractions())
def test_exact_numbers_are_written_out_unless_they_are_long(number: Fraction) -> None:
    assert Fraction(exact_text(number) or "x") == number
    assert exact_text(number + Fraction(1, 3**9000)) is None


def test_tables_hold_no_markup_of_others() -> None:
    assert ">&lt;b&gt;</td>" in html_rows([["a"], ["<b>"]])
    assert html_rows([]) == ""


def test_columns_of_numbers_stand_at_the_right() -> None:
    table = html_rows([["who", "n", "told"], ["north", "1,200", "0.5 (0 to 1)"], ["south", "-", "7"]])
    assert [cell.split("text-align:")[1].split(";")[0] for cell in table.split("<td")[1:]] == [
        *("left", "right", "left"),
        *("left", "right", "left"),
    ]
    assert html_table("<i>", {"<b>": "<u>"}, ["<s>"]).count("&lt;") == 4


def test_an_answer_shows_what_it_cost() -> None:
    shown = html_answer("SELECT 1", "mean", {"suburb": "north"}, "7", True)
    assert all(f">{text}</td>" in shown for text in ("7", "north", "free", "SELECT 1"))
