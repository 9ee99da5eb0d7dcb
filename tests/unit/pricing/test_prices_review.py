"""Attacks on questions with a price that once succeeded: each was unsound, hung, overflowed or misled."""

import random
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from filter_examples import ColumnComparison, question
from noiseless.amounts import floor_of_power
from noiseless.cli.main import run
from noiseless.comparison import calibration
from noiseless.comparison.comparison import compare
from noiseless.curator.public_state import Grouping
from noiseless.domain import CategoryColumn, NumberColumn, Schema
from noiseless.errors import NoiselessError, RequestError
from noiseless.pricing.batches import price
from noiseless.pricing.event import Record
from noiseless.pricing.events import QuantizedAnswer
from noiseless.pricing.reach import QuantizedQuery, reach
from noiseless.questions import (
    Attribute,
    Continuum,
    LinearOnBox,
    Quantity,
    Variance,
    Weighted,
    count,
    median,
    total,
)
from noiseless.questions.filters import Everything, Filter
from noiseless.questions.question import Aggregate, Population, Question
from noiseless.questions.statistics import FilteredMean
from noiseless.ranges.quantizer import Edged, Uniform
from noiseless.rules.plan import plan
from noiseless.theory.consequences import consequences
from noiseless.theory.explanation import explanation

BIT = Attribute("x", range(2))
PRIVATE = Schema(columns={"x": NumberColumn(role="private", bounds=(0, 10**12), step=1)})


def _told(query: object, cells: int) -> QuantizedQuery:
    return QuantizedQuery(query, Uniform(query.span, cells))  # type: ignore[attr-defined, arg-type]


def test_an_interval_at_the_low_end_meets_most_cells() -> None:
    """Cells of any width on a continuum: three cells lie within the first half, two in any other."""
    query = LinearOnBox((Fraction(1), Fraction(1)), Quantity("x", Continuum.of(0, 12)))
    cells = Edged.of(query.span, [Fraction(3), Fraction(6), Fraction(22)])
    assert reach(query, cells).outputs == 3


def test_reach_on_a_continuum_is_that_of_the_worst_place() -> None:
    """For random cells of any width: never below, and equal to, what a fine search over places finds."""
    draw = random.Random(5)
    for _ in range(300):
        weights = tuple(Fraction(draw.randint(1, 3)) for _ in range(draw.randint(1, 4)))
        query = LinearOnBox(weights, Quantity("x", Continuum.of(0, draw.randint(1, 5))))
        span, length = query.span, query.influences[0].length
        cells = Edged.of(span, [span.width * draw.randint(0, 24) / 24 for _ in range(draw.randint(0, 5))])
        ends = [cells.edge(cell) for cell in range(cells.cells + 1)]
        places = {span.low, span.high - length, *(end - length for end in ends)}
        met = [
            cells.cell(place + length) - cells.cell(place) + 1
            for place in places
            if span.low <= place <= span.high - length
        ]
        assert reach(query, cells).outputs == max(met)


def test_two_rows_can_be_both_middle_values() -> None:
    query = median(4, BIT, rows=2)
    told = {
        others: {sum(sorted((*others, *own))[1:3]) for own in product(range(2), repeat=2)}
        for others in product(range(2), repeat=2)
    }
    assert max(map(len, told.values())) == 3
    assert _told(query, 3).reach.outputs == 3
    schema = Schema(columns={"x": NumberColumn(role="private", bounds=(0, 1), step=1)})
    assert Question("median", "x").query(4, Attribute.of("x", schema.columns["x"]), rows=2) == query
    assert consequences(_told(query, 3)).smallest_posterior == 1


def test_a_filter_on_another_attribute_is_no_question_about_one() -> None:
    """A bit and a filter have three outputs: capped at the bit's two values the price is too low."""
    mean_of_some = FilteredMean(3, BIT, 1)
    cells = _told(mean_of_some, 2)
    cause = {mean_of_some.told(Counter({own: 1, -1: 2})) for own in (-1, 0, 1)}
    assert len(cause) == cells.reach.outputs == 3
    with pytest.raises(RequestError, match="filter"):
        QuantizedAnswer(cells)
    with pytest.raises(RequestError, match="GroupedAnswers"):
        QuantizedAnswer(_told(total(3, BIT, excluded=True), 4))
    own = QuantizedAnswer(_told(FilteredMean(3, BIT, 1, frozenset({1})), 2))
    assert price([own], Record.of({"x": 2})).outputs == 2


@pytest.mark.parametrize(
    ("query", "cells"),
    [
        (Variance(2, Attribute.among("x", [Fraction(0), Fraction(1), Fraction(10**10)])), 3),
        (total(3, Attribute.among("x", [Fraction(0), Fraction(1), Fraction(10**19)])), 3),
        (Weighted((Fraction(9 * 10**18), Fraction(9 * 10**18 + 1)), BIT), 2),
    ],
)
def test_whole_numbers_of_any_size_do_not_wrap(query: Variance, cells: int) -> None:
    assert _told(query, cells).reach.outputs == 2
    assert consequences(_told(query, cells)).smallest_posterior >= 1


@pytest.mark.parametrize("limit", [{"budget": 2}, {"max_error": 10**6}])
@pytest.mark.parametrize(
    ("name", "people", "high", "step"),
    [
        ("sum", 10**9, 10**12, 1),
        ("mean", 10**20, 10**30, 1),
        ("mean", 10**9, 1, None),
        ("median", 1000, 10**12, 1),
        ("median", 7, 10**30, 1),
        ("variance", 10**9, 10**12, 1),
        ("min", 10**9, 5, None),
    ],
)
def test_large_groups_and_domains_are_planned_at_once(
    name: str, people: int, high: int, step: int | None, limit: dict[str, Any]
) -> None:
    found = plan(name, n=people, bounds=(0, high), step=step, **limit)
    assert str(explanation(found))
    assert found.to_dict()["reach"] == found.reach
    assert str(consequences(found.mechanism))
    told = found.mechanism.answer(found.cells - 1)
    assert told.upper == found.mechanism.query.span.high
    assert told.upper - told.lower <= 2 * found.worst_error
    assert limit.get("budget") is None or found.reach <= 4


def test_large_domains_are_compared() -> None:
    assert compare("median", n=100, bounds=(0, 10**30), step=1, bits=2).mechanisms[0].bits == 2
    asked = compare("count", n=10**9, bounds=(0, 1), bits=Fraction(1, 2)).mechanisms[-1]
    assert asked.name == "randomised response"
    assert abs(asked.example - 850_624_000) < 10 * asked.mean_error
    with pytest.raises(RequestError, match="smaller n"):
        compare("count", n=10**20, bounds=(0, 1), bits=1)


def test_the_error_of_many_random_answers_is_that_of_a_normal_number(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = [calibration.counted_by_response(500_000, keep) for keep in (0.6, 0.7)]
    monkeypatch.setattr(calibration, "_NORMAL", 10**18)
    summed = [calibration.counted_by_response(500_000, keep) for keep in (0.6, 0.7)]
    assert quick == pytest.approx(summed, rel=1e-6)


def test_equal_weights_are_as_a_weight_for_each() -> None:
    quantity = Quantity("x", Continuum.of(-2, 3))
    for weight in (Fraction(1, 3), Fraction(-2)):
        one, each = LinearOnBox((weight,), quantity, times=3), LinearOnBox((weight,) * 3, quantity)
        assert (one.people, one.span, one.influences, one.sizes) == (
            each.people,
            each.span,
            each.influences,
            each.sizes,
        )
        assert consequences(_told(one, 4)) == consequences(_told(each, 4))


def test_large_powers_are_found_at_once() -> None:
    assert floor_of_power(Fraction(9999)) == 2**9999
    whole = floor_of_power(Fraction(10001, 2))
    assert whole**2 <= 2**10001 < (whole + 1) ** 2
    assert floor_of_power(Fraction(10**60 - 1, 10**60), Fraction(3)) == 5
    assert floor_of_power(Fraction(-7, 2), Fraction(1)) == 0


@pytest.mark.parametrize("number", [Decimal("NaN"), Decimal("inf"), float("nan"), float("inf")])
def test_numbers_that_are_none_are_refused(number: Decimal) -> None:
    for limit in ("budget", "max_error"):
        with pytest.raises(RequestError):
            plan("mean", n=10, bounds=(0, 1), **{limit: number})  # type: ignore[call-overload]
    with pytest.raises(RequestError, match="finite"):
        plan("mean", n=10, bounds=(0, number), budget=2)


@pytest.mark.parametrize(
    ("aggregate", "where"),
    [
        ("count", ColumnComparison("x", ">=", 5)),
        ("sum", ColumnComparison("x", ">=", 5)),
        ("histogram", Everything()),
    ],
)
def test_domains_too_large_to_list_are_refused(aggregate: Aggregate, where: Filter) -> None:
    with pytest.raises(NoiselessError, match="coarser step"):
        question(PRIVATE, aggregate, "x", where).check(PRIVATE)


def test_filtered_sums_have_the_same_units_as_ever() -> None:
    third = Attribute("x", range(4), Fraction(-1, 3), Fraction(1, 2))
    found = total(2, third, {1, 3})
    assert [found.least + found.unit * c for c in found.contributions] == [
        0,
        Fraction(1, 6),
        0,
        Fraction(7, 6),
    ]
    nothing = total(2, third, frozenset())
    assert (nothing.span.low, nothing.span.last, nothing.unit) == (Fraction(0), 0, Fraction(1))
    assert count(3, third, range(4)).span.low == 3


def test_groups_come_in_the_order_of_their_values() -> None:
    whole = NumberColumn(role="public", bounds=(0, 20), step=1)
    mixed = CategoryColumn(role="public", categories=("north", 7))
    for column, values, expected in ((whole, (10, 9, 11), (9, 10, 11)), (mixed, ("north", 7), (7, "north"))):
        population = Population(("k",), tuple((value,) for value in values), (1,) * len(values))
        groups = Grouping(Schema(columns={"k": column}), population).groups(Everything(), ("k",))
        assert [group.values for group in groups] == [(value,) for value in expected]


def test_cells_that_differ_are_told_by_the_widest() -> None:
    found = plan("variance", n=2, bounds=(0, 200), step=1, max_error=3)
    assert found.cell_width >= 2 * found.worst_error
    assert "at most, off by 3 at most" in str(found)
    assert str(plan("mean", n=1, bounds=(3, 3), step=1, budget=1)).startswith("mean of 1 person: ")


@pytest.mark.parametrize(
    "options",
    [
        ["--budget", "1e-99999999"],
        ["--budget", "1", "--step", "1e-999999"],
        ["--max-error", "1e-5000"],
        ["--budget", "reach " + "9" * 5000],
        ["--budget", "reach 1e3"],
    ],
)
def test_slips_of_the_pen_are_one_line_and_exit_2(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", "--query", "mean", "--n", "10", "--bounds", "0", "1", *options]) == 2
    assert capsys.readouterr().err.count("\n") == 1
