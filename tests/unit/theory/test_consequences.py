import math
from fractions import Fraction

import pytest

from noiseless.errors import RequestError
from noiseless.exact import Bits, Nats
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import (
    Attribute,
    Continuum,
    LinearOnBox,
    OrderOnInterval,
    Quantity,
    Variance,
    Weighted,
    count,
    maximum,
    mean,
    total,
)
from noiseless.questions.statistics import FilteredMean
from noiseless.ranges.quantizer import Edged, Stepped, Uniform
from noiseless.theory import posteriors
from noiseless.theory.consequences import LIMITS, consequences
from noiseless.theory.estimation import estimation_error_bound, least_estimation_error, least_guessing_error
from noiseless.theory.posteriors import smallest_posterior

AGES = mean(10, Attribute("age", range(101)))


def test_a_certificate_reads_well() -> None:
    found = consequences(QuantizedQuery(AGES, Stepped(AGES.span, 100)))
    text = str(found)
    assert text.startswith("One person can cause 2 answers: 1.00 bits")
    assert "a record holds                       6.66 bits" in text
    assert "vacuous: two values can be told apart for sure" in text
    assert "smallest posterior set               1 value\n" in text
    assert "Warning: some answer gives a person's value away to somebody who knows everybody else's." in text
    assert all(limit in text for limit in LIMITS)
    assert "<table>" in found._repr_html_()


def test_a_certificate_as_json() -> None:
    found = consequences(QuantizedQuery(AGES, Stepped(AGES.span, 100))).to_dict()
    assert (found["reach"], found["reach_exact"], found["bits"]) == (2, True, 1.0)
    assert found["entropy_of_record"] == Bits(101).lower
    assert found["leakage_of_record"] == Bits(101).upper
    assert found["unknown_unrelated_others"] == {"maximin": 1.0, "leakage_of_answer": None}
    assert found["known_others"]["tests_are_bounded"] is False
    assert found["smallest_posterior"] == 1


def test_a_constant_tells_nothing() -> None:
    found = consequences(QuantizedQuery(AGES, Uniform(AGES.span, 1)))
    assert found.bits == 0
    assert found.tests_are_bounded
    assert found.test_performance == -math.inf
    assert found.to_dict()["known_others"]["test_performance"] == "-inf"
    assert found.record_leakage == 0
    assert not found.warnings
    assert "none is ever right for sure" in str(found)


def test_a_count_of_a_yes_or_no_secret_protects_nothing() -> None:
    asked = count(30, Attribute("ill", range(2)), {1})
    found = consequences(QuantizedQuery(asked, Stepped(asked.span, 1)))
    assert len(found.warnings) == 2
    assert "protects nothing" in found.warnings[0]


def test_wide_posterior_sets_are_counted_exactly() -> None:
    """A person's sweep of 100 points always crosses the one edge, never by fewer than 41 points."""
    asked = total(2, Attribute("x", range(101)))
    one = consequences(QuantizedQuery(asked, Edged.of(asked.span, [Fraction(60)])))
    assert one.smallest_posterior == 1
    alone = total(1, Attribute("x", range(101)))
    assert consequences(QuantizedQuery(alone, Edged.of(alone.span, [Fraction(60)]))).smallest_posterior == 41
    few = total(2, Attribute("x", (0, 100)))
    assert consequences(QuantizedQuery(few, Edged.of(few.span, [Fraction(60)]))).smallest_posterior == 1


def test_several_rows_are_one_record() -> None:
    asked = total(4, Attribute("x", range(2)), rows=2)
    found = smallest_posterior(QuantizedQuery(asked, Stepped(asked.span, 1)))
    assert [found.smallest, found.whole] == [1, 4]  # sums 0, 1, 2 of two bits: 1, 2 and 1 ways


def test_weights_of_nobody() -> None:
    asked = Weighted((Fraction(0), Fraction(0)), Attribute("x", range(7)))
    assert smallest_posterior(QuantizedQuery(asked, Uniform(asked.span, 3))).smallest == 7


def test_large_questions_are_bounded_or_exact() -> None:
    asked = count(10**9, Attribute("x", range(10)), range(3))
    found = smallest_posterior(QuantizedQuery(asked, Stepped(asked.span, 10**6)))
    assert [found.smallest, found.exact] == [3, True]
    wide = total(10**5, Attribute("x", tuple(n * n for n in range(600))))
    bound = smallest_posterior(QuantizedQuery(wide, Stepped(wide.span, 10**6)))
    assert [bound.smallest, bound.exact] == [1, False]


def test_many_values_for_many_rows_are_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posteriors, "MOST_WORK", 10)
    asked = total(4, Attribute("x", range(9)), rows=2)
    found = smallest_posterior(QuantizedQuery(asked, Stepped(asked.span, 1)))
    assert [found.smallest, found.whole, found.exact] == [1, 81, False]


@pytest.mark.parametrize(
    ("asked", "whole"),
    [(Variance(50, Attribute("x", range(9))), 9), (FilteredMean(50, Attribute("x", range(9)), 5), 10)],
)
def test_what_cannot_be_listed_is_bounded(asked: Variance | FilteredMean, whole: int) -> None:
    found = consequences(QuantizedQuery(asked, Uniform(asked.span, 4)))
    assert [found.posterior.smallest, found.posterior.whole, found.posterior.exact] == [1, whole, False]
    assert any("may give" in warning for warning in found.warnings)
    assert "at least 1 value" in str(found)


def test_quantities() -> None:
    asked = OrderOnInterval(5, Quantity("x", Continuum.of(0, 10)))
    found = consequences(QuantizedQuery(asked, Uniform(asked.span, 4)))
    assert found.record_leakage == Nats(4)
    assert found.entropy_of_record == math.inf
    assert found.estimation_error(2) == Fraction(100, 16 * 12)
    assert found.to_dict()["smallest_posterior"] == 2.5
    assert "2.5 of the interval's length" in str(found)


def test_a_person_who_decides_almost_alone() -> None:
    """Weights 9 and 1 on [0, 1], one edge at 5: it is always inside, and the nearest end leaves 4/9 of 1."""
    asked = LinearOnBox((Fraction(9), Fraction(1)), Quantity("x", Continuum.of(0, 1)))
    quantizer = Edged.of(asked.span, [Fraction(5)])
    heavy = Fraction(4, 9)
    assert heavy == min((Fraction(5) - 1) / 9, (Fraction(9) - 5) / 9)
    assert smallest_posterior(QuantizedQuery(asked, quantizer)).smallest == 0  # the light one is given away
    alone = LinearOnBox((Fraction(9), Fraction(0)), Quantity("x", Continuum.of(0, 1)))
    assert smallest_posterior(QuantizedQuery(alone, Edged.of(alone.span, [Fraction(5)]))).smallest == heavy


def test_maximum() -> None:
    asked = maximum(4, Attribute("x", range(10)))
    found = consequences(QuantizedQuery(asked, Stepped(asked.span, 4)))
    assert [found.reach.outputs, found.smallest_posterior] == [3, 2]
    assert found.record_leakage == Bits(5)


@pytest.mark.parametrize(
    ("call", "remedy"),
    [
        (lambda: estimation_error_bound(0, 2), "positive"),
        (lambda: estimation_error_bound(1, 0), "from 1 on"),
        (lambda: estimation_error_bound(1, 2, 0), "from 1 on"),
        (lambda: estimation_error_bound(1, 2, 1, 2), "more than all probability"),
        (lambda: least_estimation_error([0, 1], 2, 3), "power 1"),
        (lambda: least_estimation_error([0, 0], 2), "differ"),
        (lambda: least_estimation_error([0, 1], 0), "at least one output"),
        (lambda: least_estimation_error([0, 1], 1, 2, [1, 1]), "sum to 1"),
        (lambda: least_estimation_error([], 1, 2, []), "sum to 1"),
        (lambda: least_guessing_error([1, 1], 1), "sum to 1"),
    ],
)
def test_requests_that_make_no_sense(call: object, remedy: str) -> None:
    with pytest.raises(RequestError, match=remedy):
        call()  # type: ignore[operator]


def test_a_kind_of_question_that_nobody_declared() -> None:
    class Odd(Variance):
        pass

    strange = Odd(3, Attribute("x", range(3)))
    assert smallest_posterior(QuantizedQuery(strange, Stepped(strange.span, 1))).exact  # a kind of variance
    with pytest.raises(RequestError, match="no posterior is known"):
        posteriors._posterior(object(), Uniform(strange.span, 1))  # type: ignore[arg-type]
