from decimal import Decimal
from fractions import Fraction

import pytest

from noiseless.amounts import Cost
from noiseless.errors import NoiselessError, RequestError
from noiseless.exact import Bits
from noiseless.pricing.batches import price
from noiseless.pricing.event import Record
from noiseless.pricing.events import ExactCounts, QuantizedAnswer
from noiseless.pricing.history import BudgetError, History
from noiseless.pricing.other_events import Derived, OtherAnswer, RandomisedAnswer
from noiseless.pricing.partition import DomainPartition, Predicate
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Attribute, Query, Variance, count, maximum, mean
from noiseless.ranges.quantizer import Edged, Uniform

INCOME = Attribute("income", range(100_001))
RECORD = Record.of({"income": 100_001, "age": 121})


def told(query: Query, cells: int, covers: list[str] | None = None) -> QuantizedAnswer:
    return QuantizedAnswer(QuantizedQuery(query, Uniform(query.span, cells)), covers)


def test_a_thousand_one_bit_means_one_after_another() -> None:
    """1000 bits, where together they cost log2(1001)."""
    query = mean(1000, INCOME)
    edges = [query.span.value(50_000_000 + 7 * place) for place in range(1000)]
    batch = [QuantizedAnswer(QuantizedQuery(query, Edged.of(query.span, [edge]))) for edge in edges]
    endless = Record.of({"income": None})
    history = History(endless)
    for number, event in enumerate(batch):
        history = history.after([QuantizedAnswer(event.mechanism, about=number)])
    assert history.spent.bits == 1000
    assert price(batch, endless).bits == Bits(1001)


def test_repeated_questions_are_free() -> None:
    history = History(RECORD, budget=2).after([told(mean(10, INCOME), 30)])
    assert history.quote([told(mean(10, INCOME), 30)]).bits == 0
    assert history.after([told(mean(10, INCOME), 30)]).spent == history.spent == Cost(4)
    assert history.quote([told(mean(10, INCOME), 30, ["w"])]).outputs == 4  # other people


def test_coarser_grids_follow_from_finer_ones() -> None:
    history = History(RECORD).after([told(mean(2, INCOME), 4)])
    assert history.quote([told(mean(2, INCOME), 2)]).outputs == 1
    assert history.quote([told(mean(3, INCOME), 2)]).outputs == 2
    three = History(RECORD).after([told(mean(2, INCOME), 3)])
    assert three.quote([told(mean(2, INCOME), 2)]).outputs == 2


def test_what_is_known_narrows_a_finer_grid() -> None:
    """100 cells have a reach of 51; within one of 20 known cells there are five."""
    history = History(RECORD).after([told(mean(2, INCOME), 20)])
    assert price([told(mean(2, INCOME), 100)], RECORD).outputs == 51
    assert history.quote([told(mean(2, INCOME), 100)]).outputs == 5


def test_what_is_known_narrows_a_question_that_turns() -> None:
    small = Attribute("income", range(7))
    history = History(RECORD).after([told(Variance(3, small), 8)])
    alone = history.quote([told(Variance(3, small), 16)])
    assert alone.outputs == 2
    # Two pieces of two outputs each, and a change where one piece goes over into the other: 3 cuts.
    both = [told(Variance(3, small), 16), told(maximum(3, small), 7)]
    assert history.quote(both).outputs == min(1 + 3 + 6, 2 * 7)


def test_two_known_grids_tell_their_common_grid() -> None:
    history = History(RECORD).after([told(mean(2, INCOME), 3)]).after([told(mean(2, INCOME), 4)])
    query = mean(2, INCOME)
    both = Edged.of(
        query.span, [told(query, 3).mechanism.quantizer.edge(1), told(query, 4).mechanism.quantizer.edge(1)]
    )
    assert history.quote([QuantizedAnswer(QuantizedQuery(query, both))]).outputs == 1


def test_answers_that_follow_from_exact_counts_are_free() -> None:
    age = Attribute("age", range(121))
    history = History(RECORD).after([ExactCounts(DomainPartition.intervals("age", 121, range(0, 121, 10)))])
    assert history.quote([ExactCounts.where(Predicate.of("age", 121, range(30)))]).outputs == 1
    assert history.quote([told(count(10, age, range(30)), 3)]).outputs == 1
    assert history.quote([ExactCounts.where(Predicate.of("age", 121, range(35)))]).outputs == 2


def test_what_a_persons_blocks_determine_is_nothing_new_of_them() -> None:
    """Marginal counts do not imply a joint one; but with everybody else fixed they tell a person's part."""
    low, odd = Predicate.of("age", 4, [0, 1]), Predicate.of("age", 4, [1, 3])
    history = History(Record.of({"age": 4})).after([ExactCounts.where(low), ExactCounts.where(odd)])
    joint = ExactCounts.where(low & odd)
    assert not history.known.implies(joint)
    assert history.quote([joint]).outputs == 1
    transcripts = {(n in (0, 1), n in (1, 3), n == 1) for n in range(4)}
    assert len(transcripts) == history.after([joint]).spent.outputs == 4


def test_a_histogram_after_a_threshold_tells_the_value_within_a_half() -> None:
    record, half = Record.of({"x": 8}), ExactCounts.where(Predicate.of("x", 8, range(4, 8)))
    history, histogram = History(record).after([half]), ExactCounts(DomainPartition.each("x", 8))
    assert history.quote([histogram]).outputs == 4
    assert history.after([histogram]).spent.outputs == 8


def test_post_processing_is_free_and_costs_its_sources() -> None:
    source = told(mean(10, INCOME), 30)
    derived = Derived("twice", (source,))
    history = History(RECORD).after([source])
    assert history.quote([derived]).outputs == 1
    assert History(RECORD).quote([derived]).outputs == 4
    assert History(RECORD).after([derived]).quote([source]).outputs == 1


def test_randomised_answers_are_charged_each_time_but_not_what_is_derived_from_them() -> None:
    noisy = RandomisedAnswer("noisy", ("age",), Fraction(1, 4))
    history = History(RECORD).after([noisy]).after([noisy])
    assert history.spent == Cost(1, Fraction(1, 2))
    assert not history.spent.is_reach
    assert history.quote([Derived("rounded", (noisy,))]).cost == Cost()


def test_the_budget_is_compared_exactly() -> None:
    three = OtherAnswer("three", ("age",), 3)
    assert History(RECORD, budget=Bits(3)).after([three]).remaining == 1
    assert History(RECORD, budget=Decimal("1.585")).after([three]).remaining == 1
    with pytest.raises(BudgetError):
        History(RECORD, budget=Decimal("1.58")).after([three])
    with pytest.raises(RequestError, match="exact"):
        History(RECORD, budget=1.58)  # type: ignore[arg-type]


def test_a_refusal_says_what_was_spent_asked_and_left() -> None:
    history = History(RECORD, budget=4).after([OtherAnswer("five", ("age",), 5)])
    with pytest.raises(
        BudgetError, match=r"costs 2.00 bits, 2.33 bits are spent and 1.67 bits are left; ask for"
    ) as refusal:
        history.after([OtherAnswer("four", ("age",), 4)])
    assert refusal.value.spent == Cost(5)
    assert refusal.value.asked == Cost(4)
    assert refusal.value.remaining == history.remaining == 3
    assert refusal.value.budget == 4
    assert isinstance(refusal.value, NoiselessError)
    assert history.batches == 1
    assert history.after([OtherAnswer("three", ("age",), 3)]).remaining == 1


def test_a_full_budget_still_answers_what_is_known() -> None:
    event = OtherAnswer("eight", ("age",), 8)
    history = History(RECORD, budget=3).after([event]).after([event])
    assert history.spent.bits == 3
    with pytest.raises(BudgetError, match=r"0\.00 bits are left; nothing new can be answered about"):
        history.after([OtherAnswer("two", ("age",), 2)])


def test_a_fully_disclosed_record_is_said_so() -> None:
    history = History(Record.of({"age": 4}))
    for number in range(3):
        assert not history.disclosed
        history = history.after([OtherAnswer(number, ("age",), 2 if number else 1)])
    assert history.disclosed
    history = history.after([OtherAnswer("more", ("age",), 3)])
    assert history.spent.bits == 2
    assert history.total.outputs == 12


def test_a_budget_of_the_whole_record_refuses_nothing() -> None:
    history = History(Record.of({"age": 4}), budget=2)
    assert not history.protects
    for number in range(5):
        history = history.after([OtherAnswer(number, ("age",), 3)])
    assert history.remaining is None
    assert History(Record.of({"age": 5}), budget=2).protects
    assert History(Record.of({"age": None}), budget=1000).protects


def test_public_cells_have_accounts_of_their_own() -> None:
    history = History(RECORD, budget=2)
    for cell in "abc":
        history = history.after([OtherAnswer("mode", ("age",), 4, [cell])])
    assert history.spent.bits == 2
    assert history.spent_by("a") == history.spent_by("c") == Cost(4)
    assert history.spent_by("d") == Cost(1)
    with pytest.raises(BudgetError) as refusal:
        history.after([OtherAnswer("more", ("age",), 2, ["b", "d"])])
    assert refusal.value.spent == Cost(4)
    with pytest.raises(BudgetError):
        history.after([OtherAnswer("more", ("age",), 2)])
    history = history.after([OtherAnswer("more", ("age",), 2, ["d"])])
    assert history.spent_by("d") == Cost(2)


def test_a_cell_named_later_has_paid_for_what_everybody_paid_for() -> None:
    history = History(RECORD, budget=3).after([OtherAnswer("all", ("age",), 3)])
    history = history.after([OtherAnswer("some", ("age",), 2, ["a"])])
    assert history.spent_by("a") == Cost(6)
    assert history.after([OtherAnswer("all again", ("age",), 1)]).spent_by("a") == Cost(6)
    with pytest.raises(BudgetError):
        history.after([OtherAnswer("all again", ("age",), 2)])


def test_with_several_rows_a_person_there_are_no_accounts_of_cells() -> None:
    rows = Record.of({"age": 121}, rows=2)
    history = (
        History(rows)
        .after([OtherAnswer("a", ("age",), 2, ["a"])])
        .after([OtherAnswer("b", ("age",), 3, ["b"])])
    )
    assert history.spent == history.spent_by("a") == history.spent_by("z") == Cost(6)
