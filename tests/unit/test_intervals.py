"""Numbers that are certain between two ends, as people and as programs read them."""

from fractions import Fraction
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from noiseless.intervals import AnswerInterval

_LONG = Fraction(1, 3**9000)


@given(st.fractions(), st.fractions(min_value=0))
def test_ends_are_rounded_outwards_and_written_out(lower: Fraction, width: Fraction) -> None:
    found = AnswerInterval(lower, lower + width).to_dict()
    assert Fraction(found["lower"]) <= lower <= lower + width <= Fraction(found["upper"])
    assert (Fraction(found["lower_exact"]), Fraction(found["upper_exact"])) == (lower, lower + width)
    assert Fraction(found["value_exact"]) * 2 == 2 * lower + width
    assert AnswerInterval.of(lower + _LONG).to_dict()["lower_exact"] is None


def test_what_has_no_end_or_no_double() -> None:
    endless, huge = AnswerInterval(-inf, Fraction(3)), Fraction(10) ** 400
    assert str(endless) == "-inf to 3"
    assert endless.to_dict() == {
        "value": None,
        "lower": -inf,
        "upper": 3,
        "value_exact": None,
        "lower_exact": None,
        "upper_exact": "3",
        "may_be_missing": False,
    }
    assert AnswerInterval.of(huge).to_dict()["value"] == -AnswerInterval.of(-huge).to_dict()["value"] == inf
    assert str(AnswerInterval.of(huge, huge + 1)).startswith("1e+400 to 1.00001e+400")
