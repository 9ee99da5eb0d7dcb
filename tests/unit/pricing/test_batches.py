from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import product

import pytest

from noiseless.amounts import Cost
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.pricing.batches import price
from noiseless.pricing.event import Event, Record
from noiseless.pricing.events import ExactCounts, GroupedAnswers, QuantizedAnswer, with_absent
from noiseless.pricing.other_events import Derived, LinearAnswer, OtherAnswer, RandomisedAnswer
from noiseless.pricing.partition import DomainPartition, Predicate
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Attribute, Query, Variance, Weighted, maximum, mean, median, total
from noiseless.ranges.quantizer import Edged, Stepped, Uniform

INCOME = Attribute("income", range(100_001))
AGE = Attribute("age", range(121))
RECORD = Record.of({"income": 100_001, "age": 121})


def told(query: Query, cells: int, covers: Sequence[Hashable] | None = None) -> QuantizedAnswer:
    return QuantizedAnswer(QuantizedQuery(query, Uniform(query.span, cells)), covers)


def young(below: int) -> Predicate:
    return Predicate.of("age", 121, range(below))


def test_nothing_asked_costs_nothing() -> None:
    nothing = price([], RECORD)
    assert nothing.bits == 0
    assert nothing.rule == "nothing new"


def test_one_question_costs_its_reach() -> None:
    event = told(mean(10, INCOME), 30)
    assert price([event], RECORD).outputs == event.mechanism.reach.outputs == 4
    assert price([event], RECORD).rule == "reach"


def test_a_thousand_one_bit_means_over_the_same_people() -> None:
    """log2(1001) bits together: here as thresholds, all within what one person can move."""
    query = mean(10, Attribute("income", range(1001)))
    edges = [query.span.value(5000 + place) for place in range(1000)]
    batch = [QuantizedAnswer(QuantizedQuery(query, Edged.of(query.span, [edge]))) for edge in edges]
    assert {event.mechanism.reach.outputs for event in batch} == {2}
    assert price(batch, Record.of({"income": 100_001})).bits == Bits(1001)


def test_a_thousand_one_bit_means_of_different_weights() -> None:
    batch = [told(Weighted((Fraction(1), Fraction(k)), INCOME), 2) for k in range(1, 1001)]
    assert price(batch, RECORD).bits == Bits(1001)
    assert price(batch, RECORD).rule == "cuts"


def test_three_means_of_ten_people() -> None:
    batch = [told(mean(10, INCOME), cells) for cells in (30, 29, 28)]
    assert price(batch, RECORD).bits <= Bits(10)


def test_a_question_asked_twice_in_a_batch_counts_once() -> None:
    event = told(mean(10, INCOME), 30)
    assert price([event, told(mean(10, INCOME), 30)], RECORD) == price([event], RECORD)


def test_a_coarser_grid_is_free_beside_a_finer_one() -> None:
    assert price([told(mean(10, INCOME), 40), told(mean(10, INCOME), 20)], RECORD).outputs == 5
    assert told(mean(10, INCOME), 40).mechanism.reach.outputs == 5


def test_a_thousand_public_groups_cost_their_maximum() -> None:
    batch = [told(mean(10, INCOME), 10 + k % 50, [k]) for k in range(1000)]
    priced = price(batch, RECORD)
    assert priced.outputs == max(event.mechanism.reach.outputs for event in batch)
    assert priced.cell == 49 - 8  # the first with 51 cells or more
    assert len(priced.shares) == 1000
    assert priced.others.outputs == 1


def test_questions_to_everybody_are_paid_in_every_public_group() -> None:
    everybody, women = told(mean(100, INCOME), 100), told(mean(50, INCOME), 100, ["w"])
    priced = price([everybody, women], RECORD)
    assert priced.outputs == 2 + 3 - 1
    assert priced.others.outputs == 2
    assert priced.shares["w"].outputs == 4


def test_groups_that_overlap() -> None:
    batch = [told(mean(50, INCOME), 50, ["a", "b"]), told(mean(60, INCOME), 60, ["b", "c"])]
    assert {cell: cost.outputs for cell, cost in price(batch, RECORD).shares.items()} == {
        "a": 2,
        "b": 3,
        "c": 2,
    }


def test_questions_that_turn_cost_twice_their_cuts_or_their_product() -> None:
    small = Attribute("x", range(6))
    variance, largest = told(Variance(3, small), 4), told(maximum(3, small), 3)
    assert variance.mechanism.reach.outputs == 4
    record = Record.of({"x": None})
    assert price([variance, largest], record).outputs == 1 + 2 * 3 + 2
    more = [told(median(3, small), 3), told(total(3, small), 2)]
    assert price([variance, largest, *more], record).outputs == 1 + 2 * 3 + 2 + 2 + 1


def test_counts_tell_atoms() -> None:
    batch = [ExactCounts.where(young(k)) for k in range(10, 60, 10)]
    assert price(batch, RECORD).outputs == 6
    assert price(batch, RECORD).rule == "partition"
    odd = ExactCounts.where(Predicate.of("age", 121, range(1, 121, 2)))
    assert price([*batch, odd], RECORD).outputs == 12


def test_cuts_and_counts_of_one_attribute() -> None:
    batch: list[Event] = [ExactCounts.where(young(k)) for k in (20, 40)]
    batch += [told(mean(10, AGE), 10)]
    assert price(batch, RECORD).outputs == 3 + 1
    odd = ExactCounts.where(Predicate.of("age", 121, range(1, 121, 2)))
    assert price([odd, batch[2]], RECORD).outputs == 4


def test_attributes_multiply() -> None:
    batch = [told(mean(10, INCOME), 30), told(mean(10, AGE), 30), ExactCounts.where(young(20))]
    priced = price(batch, RECORD)
    assert priced.outputs == 4 * 5
    assert priced.rule == "age: cuts and partition; income: reach"


def test_sums_filtered_on_another_attribute() -> None:
    query = total(10, INCOME)
    mechanism = QuantizedQuery(query, Uniform(query.span, 20))
    assert mechanism.reach.outputs == 3
    batch = [GroupedAnswers.filtered(young(k), mechanism, "income") for k in (20, 40)]
    # Below 20 both are seen (1 + 4), to 40 one (1 + 2), above none (1): 9, and the product is 9 as well.
    assert price(batch, RECORD).outputs == 9
    batch += [GroupedAnswers.filtered(young(60), mechanism, "income")]
    assert price(batch, RECORD).outputs == 7 + 5 + 3 + 1
    assert price(batch, RECORD).rule == "filter"
    assert price([*batch, told(mean(10, INCOME), 20)], RECORD).outputs == 9 + 7 + 5 + 3
    assert price([*batch, ExactCounts.where(young(10))], RECORD).outputs == 7 + 7 + 5 + 3 + 1
    assert price([*batch, told(mean(10, AGE), 10)], RECORD).outputs == 16 + 7


def test_filters_on_two_attributes() -> None:
    """Against all combinations: SUM(x) WHERE y = 1 AND z = 1, SUM(x) WHERE z = 0, COUNT(*) WHERE y = 1."""
    x = Attribute("x", range(4))
    record = Record.of({"x": 4, "y": 2, "z": 2})
    query = total(1, x)
    coarse, fine = Stepped(query.span, 2), Stepped(query.span, 1)
    y, z = Predicate.of("y", 2, [1]), Predicate.of("z", 2, [1])
    batch: list[Event] = [
        GroupedAnswers.filtered(y & z, QuantizedQuery(query, fine), "x"),
        GroupedAnswers.filtered(~z, QuantizedQuery(query, coarse), "x"),
        ExactCounts.where(y),
    ]
    seen = {(a * (b and c), a // 2 * (not c), b) for a, b, c in product(range(4), (0, 1), (0, 1))}
    assert len(seen) <= price(batch, record).outputs == 4 + 2 + 2 + 1
    assert price(batch, record).rule == "filter and partition"


def test_two_attributes_filtered_by_a_third() -> None:
    """SUM(x) WHERE z = 1, SUM(y) WHERE z = 1, COUNT(*) WHERE z = 1: in that atom outputs multiply."""
    record = Record.of({"x": 4, "y": 3, "z": 2})
    z = Predicate.of("z", 2, [1])
    batch: list[Event] = [ExactCounts.where(z)]
    for name, size in (("x", 4), ("y", 3)):
        query = total(1, Attribute(name, range(size)))
        batch.append(GroupedAnswers.filtered(z, QuantizedQuery(query, Stepped(query.span, 1)), name))
    seen = {(a * c, b * c, c) for a, b, c in product(range(4), range(3), (0, 1))}
    assert len(seen) == price(batch, record).outputs == 4 * 3 + 1


def test_sums_by_bands_of_the_summed_attribute() -> None:
    """A function of one attribute: the cuts within each run of a band, and one where runs meet."""
    query = total(10, AGE)
    mechanism = QuantizedQuery(query, Uniform(query.span, 20))
    bands = DomainPartition.of("age", [0] * 40 + [1] * 40 + [0] * 41)
    event = GroupedAnswers(bands, (mechanism, mechanism), "age")
    assert event.footprint(RECORD).cuts == (3 * 2 + 2,)
    assert price([event], RECORD).outputs == 1 + 2 + 2
    assert price([event, told(mean(10, AGE), 20)], RECORD).outputs == 9 + 2


def test_grouped_by_a_private_column() -> None:
    query = total(10, with_absent(INCOME))
    mechanism = QuantizedQuery(query, Uniform(query.span, 20))
    record = Record.of({"income": 100_001, "job": 5})
    batch = [GroupedAnswers(DomainPartition.each("job", 5), (mechanism,) * 5, "income")]
    assert price(batch, record).outputs == 1 + 5 * 2


def test_linear_forms_of_two_attributes() -> None:
    batch = [LinearAnswer.of(k, {"age": 1, "income": k}, 2) for k in range(1, 11)]
    assert price(batch, RECORD).outputs == 1 + 10 + 45
    assert price(batch, RECORD).rule == "hyperplanes"
    assert price([*batch, told(mean(10, AGE), 10)], RECORD).outputs == 1 + 11 + 55


def test_answers_of_no_known_shape_multiply() -> None:
    batch: list[Event] = [told(mean(10, INCOME), 30), OtherAnswer("mode", ("income",), 7)]
    assert price(batch, RECORD).outputs == 28
    assert price(batch, RECORD).rule == "product"


def test_the_record_is_the_most_there_is_to_tell() -> None:
    batch: list[Event] = [OtherAnswer("table", ("age",), 200), told(mean(10, INCOME), 30)]
    priced = price(batch, RECORD)
    assert priced.outputs == 121 * 4
    assert priced.disclosed == ("age",)
    assert "record" in price([*batch, ExactCounts.where(young(9))], RECORD).rule


def test_several_rows_a_person() -> None:
    rows = Record.of({"income": 100_001}, rows=2)
    batch = [told(total(10, INCOME, rows=2), cells) for cells in (10, 15)]
    # Both are functions of the sum of the person's two rows: one grid, some of whose edges are shared.
    assert [event.mechanism.reach.outputs for event in batch] == [3, 4]
    assert price(batch, rows).outputs == 5
    counts = ExactCounts(DomainPartition.intervals("income", 100_001, [10, 20]))
    assert price([counts], rows).outputs == 6  # of three blocks two, in any order
    apart = ExactCounts(DomainPartition.intervals("income", 100_001, [10, 20]), covers=["a"])
    assert price([apart], rows).outputs == 9


def test_a_person_with_two_rows_is_in_two_public_groups_at_most() -> None:
    rows = Record.of({"income": 100_001}, rows=2)
    batch = [told(total(10, INCOME, rows=2), 10, [k]) for k in range(100)]
    reach = batch[0].mechanism.reach.outputs
    assert price(batch, rows).outputs == reach**2
    assert price(batch, rows).rule == "rows"


def test_randomised_answers_add_their_capacity() -> None:
    noisy = RandomisedAnswer("noisy", ("age",), Fraction(1, 2))
    priced = price([noisy, noisy, told(mean(10, INCOME), 30)], RECORD)
    assert priced.cost == Cost(4, Fraction(1))
    assert not priced.cost.is_reach
    with pytest.raises(RequestError, match="randomised"):
        _ = priced.bits
    much = RandomisedAnswer("very noisy", ("age",), 50)
    assert price([much], RECORD).outputs == 121
    assert price([much], RECORD).disclosed == ("age",)


def test_the_dearest_group_is_found_by_bits_and_outputs() -> None:
    batch = [
        RandomisedAnswer("noise", ("age",), Fraction(8, 5), ["a"]),
        OtherAnswer("mode", ("age",), 3, ["b"]),
    ]
    assert price(batch, RECORD).cell == "a"
    batch[0] = RandomisedAnswer("noise", ("age",), Fraction(3, 2), ["a"])
    assert price(batch, RECORD).cell == "b"


def test_post_processing_is_free() -> None:
    source = told(mean(10, INCOME), 30)
    assert price([source, Derived("twice", (source,))], RECORD) == price([source], RECORD)
    assert price([Derived("twice", (source,))], RECORD) == price([source], RECORD)


def test_what_is_no_event_is_refused() -> None:
    with pytest.raises(RequestError, match="a QuantizedQuery is no event"):
        price([told(mean(10, INCOME), 30).mechanism], RECORD)  # type: ignore[list-item]


def test_a_thousand_questions_are_priced_together() -> None:
    one = told(mean(1000, AGE), 2).mechanism
    same = [QuantizedAnswer(one, about=("mean of column", k)) for k in range(1000)]
    groups = [told(mean(10 + k, INCOME), 1000 + k % 100, [k]) for k in range(1000)]
    assert price(same, Record.of({"age": None})).outputs == 1001
    assert price(groups, RECORD).outputs == 101
