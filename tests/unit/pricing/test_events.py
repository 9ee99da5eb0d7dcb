from decimal import Decimal
from fractions import Fraction

import pytest

from noiseless.domain.schema import Schema
from noiseless.errors import ColumnError, RequestError
from noiseless.exact import Bits
from noiseless.pricing.event import Event, Footprint, Record, merged
from noiseless.pricing.events import ExactCounts, GroupedAnswers, QuantizedAnswer, with_absent
from noiseless.pricing.other_events import Derived, LinearAnswer, OtherAnswer, RandomisedAnswer, TableRelease
from noiseless.pricing.partition import DomainPartition, Predicate
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Attribute, Query, Variance, count, maximum, mean, total
from noiseless.ranges.quantizer import Stepped, Uniform

AGE, SMOKES = Attribute("age", range(121)), Attribute("smokes", range(2))
RECORD = Record.of({"age": 121, "smokes": 2})


def told(query: Query, cells: int, covers: list[str] | None = None) -> QuantizedAnswer:
    return QuantizedAnswer(QuantizedQuery(query, Uniform(query.span, cells)), covers)


def test_a_monotone_question_has_a_cut_less_than_outputs() -> None:
    footprint = told(mean(10, AGE), 30).footprint(RECORD)
    assert (footprint.axis, footprint.outputs, footprint.cuts, footprint.pieces) == ("age", 4, (3,), 1)


def test_a_question_that_turns_has_twice_the_cuts() -> None:
    small = Attribute("age", range(6))
    footprint = told(Variance(3, small), 4).footprint(RECORD)
    assert footprint.cuts == (2 * (footprint.outputs - 1),)


def test_a_count_tells_at_most_the_level_of_a_persons_contribution() -> None:
    query = count(10, AGE, range(30, 60))
    footprint = QuantizedAnswer(QuantizedQuery(query, Stepped(query.span, 1))).footprint(RECORD)
    assert footprint.selector == Predicate.of("age", 121, range(30, 60)).partition
    assert footprint.outputs == 2


def test_questions_of_unknown_shape_are_multiplied() -> None:
    query = total(10, AGE, rows=2)  # planned for two rows a person: no steps along one attribute
    footprint = told(query, 30).footprint(RECORD)
    assert footprint.axis is None
    assert footprint.outputs == told(query, 30).mechanism.reach.outputs


def test_rows_make_linear_forms_or_all_cells() -> None:
    rows = Record.of({"age": 121}, rows=2)
    planned = told(total(10, AGE, rows=2), 30).footprint(rows)
    assert planned.direction is not None
    assert planned.cuts == (planned.outputs - 1,)
    assert told(total(10, AGE), 30).footprint(rows).outputs == 30
    assert told(maximum(10, AGE), 30).footprint(rows).outputs == 30


def test_exact_counts_tell_a_block() -> None:
    event = ExactCounts.where(Predicate.of("age", 121, range(18)))
    assert event.footprint(RECORD).outputs == 2
    assert event.footprint(Record.of({"age": 121}, rows=3)).outputs == 8
    with pytest.raises(RequestError, match="of 121 values"):
        event.footprint(Record.of({"age": 100}))


def test_groups_of_a_private_column_share_the_answer_of_absent_people() -> None:
    query = total(10, with_absent(AGE))
    mechanism = QuantizedQuery(query, Uniform(query.span, 20))
    assert mechanism.reach.outputs == 3
    event = GroupedAnswers(DomainPartition.each("smokes", 2), (mechanism, mechanism), "age")
    footprint = event.footprint(RECORD)
    assert (footprint.outputs, footprint.cuts) == (5, (2, 2))
    filtered = GroupedAnswers.filtered(Predicate.of("smokes", 2, [1]), mechanism, "age")
    assert (filtered.footprint(RECORD).outputs, filtered.footprint(RECORD).cuts) == (3, (0, 2))
    rows = Record.of({"age": 121, "smokes": 2}, rows=2)
    assert event.footprint(rows).outputs == 20 * 20  # not planned for two rows
    with pytest.raises(RequestError, match="2 groups need as many answers"):
        GroupedAnswers(DomainPartition.each("smokes", 2), (mechanism,), "age")


def test_groups_are_for_sums_that_count_absent_people() -> None:
    """The largest age of a group of which a person may be no part has an answer more: NULL."""
    late = Attribute("age", range(100), Fraction(18))
    for query in (maximum(10, AGE), total(10, late), mean(10, late)):
        mechanism = QuantizedQuery(query, Uniform(query.span, 5))
        with pytest.raises(RequestError, match="with_absent"):
            GroupedAnswers.filtered(Predicate.of("smokes", 2, [1]), mechanism, "age")
    query = total(10, with_absent(late))
    GroupedAnswers.filtered(
        Predicate.of("smokes", 2, [1]), QuantizedQuery(query, Uniform(query.span, 5)), "age"
    )


def test_questions_over_more_values_than_declared_are_refused() -> None:
    few = Record.of({"age": 100})
    for query in (mean(10, AGE), maximum(10, AGE), Variance(3, AGE)):
        with pytest.raises(RequestError, match="'age' is over 121 values; the record declares 100"):
            told(query, 3).footprint(few)


def test_a_filter_that_lets_all_through_is_no_filter() -> None:
    query = total(10, AGE)
    mechanism = QuantizedQuery(query, Uniform(query.span, 20))
    everybody = GroupedAnswers.filtered(Predicate.of("smokes", 2, [0, 1]), mechanism, "age")
    assert everybody.footprint(RECORD) == QuantizedAnswer(mechanism).footprint(RECORD)


def test_absent_people_contribute_nothing() -> None:
    assert with_absent(AGE) is AGE
    assert with_absent(Attribute("age", range(3), Fraction(18))).numbers == (0, 18, 19, 20)
    assert with_absent(Attribute("x", range(3), Fraction(1, 2))).span.low == 0


def test_linear_forms_know_which_others_they_are_parallel_to() -> None:
    first = LinearAnswer.of("a", {"age": 1, "smokes": 2}, 3).footprint(RECORD)
    second = LinearAnswer.of("b", {"age": 2, "smokes": 4}, 3).footprint(RECORD)
    assert first.direction == second.direction
    assert [footprint.cuts for footprint in merged([first, second])] == [(4,)]
    single = LinearAnswer.of("c", {"age": 2, "smokes": 0}, 3).footprint(RECORD)
    assert single == Footprint.steps("age", 3, 1)
    with pytest.raises(RequestError, match="weight"):
        LinearAnswer.of("d", {"age": 0}, 3)


def test_a_leakage_bounds_the_outputs_of_a_release() -> None:
    event = TableRelease.of_leakage("release.csv", ["age"], Bits(Fraction(77, 2)))
    assert event.outputs == event.footprint(RECORD).outputs == 38
    assert event.key != OtherAnswer("release.csv", ("age",), 38).key


def test_randomised_answers_have_a_capacity_and_no_outputs() -> None:
    event = RandomisedAnswer("noisy mean", ("age",), Decimal("0.18"))
    assert event.capacity == Fraction(18, 100)
    assert event.footprint(RECORD).outputs == 1
    assert not event.repeatable
    assert RandomisedAnswer("noisy", ("age",), 0.1).capacity >= Fraction(1, 10)
    with pytest.raises(RequestError, match="capacity"):
        RandomisedAnswer("noisy mean", ("age",), float("inf"))


def test_derived_answers_stand_for_their_sources() -> None:
    first, second = told(mean(10, AGE), 30), told(maximum(10, AGE), 3)
    twice = Derived("ratio of ratios", (Derived("ratio", (first, second)), second))
    assert twice.sources == (first, second, second)
    outputs = first.mechanism.reach.outputs * second.mechanism.reach.outputs**2
    assert twice.footprint(RECORD).outputs == outputs


def test_equal_questions_have_equal_keys() -> None:
    assert told(mean(10, AGE), 30).key == told(mean(10, AGE), 30).key
    assert told(mean(10, AGE), 30).key != told(mean(10, AGE), 29).key
    assert told(mean(10, AGE), 30).key != told(mean(10, AGE), 30, ["women"]).key
    assert told(mean(10, AGE), 30, ["a", "b"]).key == told(mean(10, AGE), 30, ["b", "a"]).key
    assert told(mean(10, AGE), 30).grid_key == told(mean(10, AGE), 29).grid_key


@pytest.mark.parametrize(
    "event",
    [
        told(mean(10, Attribute("height", range(9))), 3),
        ExactCounts(DomainPartition.each("height", 9)),
        OtherAnswer("mode", ("height",), 9),
        RandomisedAnswer("noise", ("height",), 1),
        LinearAnswer.of("form", {"age": 1, "height": 1}, 2),
    ],
)
def test_attributes_that_are_not_declared_are_refused(event: Event) -> None:
    with pytest.raises(ColumnError, match="'height' is no private attribute of the record; it has 'age'"):
        event.footprint(RECORD)


def test_questions_about_nobody_are_refused() -> None:
    with pytest.raises(RequestError, match="nobody takes part"):
        told(mean(10, AGE), 30, [])
    with pytest.raises(RequestError, match="at least one output"):
        OtherAnswer("mode", ("age",), 0)


def test_what_follows_from_exact_counts() -> None:
    histogram = DomainPartition.each("age", 121)
    assert told(mean(10, AGE), 30).follows_from(histogram)
    assert told(maximum(10, AGE), 30).follows_from(histogram)
    decades = DomainPartition.intervals("age", 121, range(0, 121, 10))
    assert not told(mean(10, AGE), 30).follows_from(decades)
    assert told(count(10, AGE, range(20, 40)), 3).follows_from(decades)
    assert not told(count(10, AGE, range(20, 45)), 3).follows_from(decades)
    assert ExactCounts.where(Predicate.of("age", 121, range(50))).follows_from(decades)
    assert not ExactCounts.where(Predicate.of("age", 121, range(55))).follows_from(decades)
    assert not ExactCounts(DomainPartition.each("smokes", 2)).follows_from(histogram)


def test_the_private_columns_of_a_schema_are_a_record() -> None:
    schema = Schema.parse(
        'columns.age = {role = "private", bounds = [0, 120], step = 1}\n'
        'columns.town = {role = "public", categories = ["a", "b"]}'
    )
    assert Record.of_schema(schema) == Record.of({"age": 121})
    assert Record.of({"age": 121, "kwh": None}).values() is None
    assert Record.of({"age": 121, "smokes": 2}, rows=2).values(["smokes"]) == 4
    with pytest.raises(RequestError, match="at least one row"):
        Record.of({"age": 121}, rows=0)
    with pytest.raises(RequestError, match="at least one value"):
        Record.of({"age": 0})
