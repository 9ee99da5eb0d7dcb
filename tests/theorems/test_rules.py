"""Statements about disclosure rules as mechanisms, attacked with random rules and datasets."""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from noiseless.pricing.reach import QuantizedQuery, finest, reach, surely_finest
from noiseless.questions import Attribute, Continuum, LinearOnBox, Quantity, Variance, total
from noiseless.ranges.quantizer import Edged
from noiseless.rules import (
    NK,
    CensusCounts,
    Customers,
    Digits,
    Dominance,
    MinCell,
    NumberCoarsening,
    PPercent,
    Round,
    Top,
)
from noiseless.rules.plan import rule_plan

positives = st.builds(Fraction, st.integers(1, 40), st.sampled_from([1, 1, 2, 5]))
directions = st.sampled_from(["half-away", "half-even", "down", "up"])
of_counts = st.one_of(
    st.builds(Round, positives, directions),
    st.builds(Digits, st.integers(1, 3)),
    st.builds(Top, positives),
    st.builds(MinCell, st.integers(1, 20), zeros=st.booleans()),
    st.just(CensusCounts()),
)
dominances = st.one_of(
    st.builds(NK, st.integers(1, 3), st.integers(1, 99).map(Fraction)),
    st.builds(PPercent, st.integers(1, 250).map(Fraction)),
    st.builds(Customers, st.integers(1, 4), st.integers(1, 99).map(Fraction)),
)


@given(of_counts, st.integers(1, 200))
def test_a_rule_that_keeps_order_costs_a_count_one_bit_or_nothing(
    rule: NumberCoarsening, people: int
) -> None:
    """A count told through any rule costs exactly one bit, as the exact count does, unless it is constant."""
    labels = {rule.told(count) for count in range(people + 1)}
    assert rule_plan("count", rule, n=people).bits == (1 if len(labels) > 1 else 0)


@given(st.integers(1, 60), st.integers(1, 300), directions)
def test_rounding_a_sum_costs_the_steps_it_spans_and_one_more(base: int, width: int, direction: str) -> None:
    """Rounding a sum of many whole values to base B costs ceil(S / B) + 1 answers, S the width of a value."""
    rule = Round(Fraction(base), direction)  # type: ignore[arg-type]  # one of them
    found = rule_plan("sum", rule, n=1000, bounds=(0, width), step=1)
    extra = direction == "half-even" and base % 2 == 0 and width % (2 * base) == base
    assert found.reach == min(ceil(Fraction(width, base)) + 1 + extra, width + 1)


def test_half_even_costs_more_than_half_up() -> None:
    """Halves to even can cost an answer more: a cell without its edges lies between two with both."""
    half_even, half_away = (
        rule_plan("sum", f"round:10{how}", n=50, bounds=(0, 10), step=1).reach for how in (":half-even", "")
    )
    assert (half_even, half_away) == (3, 2)


@given(dominances, st.lists(st.integers(0, 30), min_size=0, max_size=5), st.integers(0, 5))
def test_the_values_that_pass_are_an_interval(rule: Dominance, others: list[int], extra: int) -> None:
    """With others fixed, the values of one person that let a total be told are an interval."""
    passing = [own for own in range(60 + extra) if rule.passes([*others, own])]
    assert passing == list(range(passing[0], passing[-1] + 1)) if passing else True


@given(dominances, st.lists(st.integers(0, 12), min_size=1, max_size=5))
def test_others_who_are_alike_let_most_values_pass(rule: Dominance, others: list[int]) -> None:
    """What passes beside any others passes beside others who all have what a certain one of them has."""
    domain = range(40)
    passing = {own for own in domain if rule.passes([*others, own])}
    alike = [{own for own in domain if rule.passes([*[m] * len(others), own])} for m in others]
    assert any(passing <= found for found in alike)
    for m, found in zip(others, alike, strict=True):
        interval = rule.passing(len(others) + 1, Fraction(m))
        inside = {
            own for own in domain if interval.low <= own <= (60 if interval.high is None else interval.high)
        }
        assert inside == found


@given(dominances, st.integers(1, 4), st.integers(0, 6), st.integers(0, 5))
def test_when_nothing_is_withheld(rule: Dominance, people: int, low: int, width: int) -> None:
    """A dominance rule withholds nothing exactly when it tells the total that comes most from few."""
    domain = range(low, low + width + 1)
    every = all(rule.passes(values) for values in combinations_with_replacement(domain, people))
    assert rule.always_passes(people, Fraction(low), Fraction(low + width)) == every


@given(dominances, st.integers(9, 30), st.integers(1, 40))
def test_a_dominance_rule_tells_everything_of_somebody(rule: Dominance, people: int, width: int) -> None:
    """With enough people, a total under a dominance rule tells of one person all that the exact one tells."""
    enough = rule.passing(people, Fraction(width))
    found = rule_plan("sum", rule, n=people, bounds=(0, width), step=1)
    if enough.low == 0 and (enough.high is None or enough.high >= width):
        assert found.reach == width + 1
        assert found.tells_everything


def test_fifteen_fifteen_protects_nobody_from_the_fourteen_others() -> None:
    """The 15/15 rule, which never tells fewer than 15 customers, tells the last one's use exactly."""
    rule = Customers(15, Fraction(15))
    totals = {sum(values) for own in range(101) if rule.passes(values := [*[50] * 14, own])}
    assert len(totals) == 101
    assert rule_plan("sum", rule, n=15, bounds=(0, 100), step=1).reach == 101


@given(of_counts, st.integers(2, 12), st.integers(1, 30))
def test_no_rule_tells_less_at_the_same_error(rule: NumberCoarsening, people: int, width: int) -> None:
    """Of all cells that let one person cause as many answers of a sum, equal ones err least (Theorem 8)."""
    if isinstance(rule, MinCell):
        return
    found = rule_plan("sum", rule, n=people, bounds=(0, width), step=1)
    assert found.finest is not None
    assert found.worst_error is not None
    assert found.finest.reach <= found.reach
    assert found.finest.worst_error <= found.worst_error


@given(st.integers(1, 5), st.lists(st.integers(0, 60), max_size=14), st.booleans())
def test_no_cells_of_a_sum_are_finer_than_equal_ones(people: int, marks: list[int], listed: bool) -> None:
    """Of all cells that let one person cause as many answers of a sum equal ones err least, on intervals too.

    Were all narrower than S / (k - 1), an interval of length S that begins just before an edge would meet
    k + 1 of them.
    """
    question = (
        total(people, Attribute("x", range(13)))
        if listed
        else LinearOnBox((Fraction(1),), Quantity("x", Continuum.of(0, 12)), people)
    )
    assert surely_finest(question)
    cells = Edged.of(question.span, [question.span.width * mark / 60 for mark in marks])
    allowed = reach(question, cells).outputs
    assert finest(question, allowed).worst_error <= cells.worst_error


def test_it_is_not_proved_of_a_variance() -> None:
    """Of a variance, equal cells that do not begin at 0 may err less than the finest that do."""
    question = Variance(2, Attribute("x", range(8)))  # 0, 1, 4, 9, 16, 25, 36 and 49 quarters
    shifted = QuantizedQuery(question, Edged.of(question.span, [Fraction(14, 4), Fraction(34, 4)]))
    assert shifted.reach.outputs == 3
    assert shifted.worst_error < finest(question, 3).worst_error
    assert not surely_finest(Variance(2, Attribute("x", range(5))))
    assert not surely_finest(Variance(10, Attribute("x", range(100))))
