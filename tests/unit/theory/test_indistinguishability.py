import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.errors import RequestError
from noiseless.exact import Bits, Nats
from noiseless.theory.chosen_pair import FiniteMechanism, known_others, worst_pair
from noiseless.theory.indistinguishability import (
    Indistinguishability,
    decided_cells,
    indistinguishability,
    largest_cells,
    linear_indistinguishability,
    printed_cells,
)
from noiseless.theory.linear_query import LinearQuery

fractions = st.fractions(0, 1, max_denominator=40)


def test_a_count_of_three_people() -> None:
    count = FiniteMechanism.of(sum, [(0, 1)] * 3)
    found = indistinguishability(count)
    assert (found.size, found.epsilon, found.whole_epsilon) == (2, 1, 1)
    assert not found.separated
    assert str(count.pair(1, 0, 1)) == "surely p0: 1, surely p1: 1, undecided: 2"
    assert count.reach == 2


def test_known_others() -> None:
    game = known_others(FiniteMechanism.of(lambda x: max(x) >= 3, [(1, 2), (1, 2, 3)]))
    assert game.pair is not None
    assert (game.pair.record, game.pair.value, game.pair.other, game.pair.known) == (1, 1, 3, (1,))
    assert game.performance == game.limit == 1
    assert game.is_vacuous
    constant = known_others(FiniteMechanism.of(lambda _: "closed", [(1, 2)]))
    assert (constant.pair, constant.performance, constant.limit) == (None, -math.inf, Bits(1))
    assert not constant.is_vacuous


def test_one_record() -> None:
    alone = FiniteMechanism.of(lambda x: x[0] // 2, [range(6)])
    game = known_others(alone)
    assert game.pair is not None
    assert game.pair.known == ()
    assert (game.pair.value, game.pair.other) == (0, 2)
    assert (alone.reach, indistinguishability(alone).size) == (3, 2)


def test_nothing_can_vary() -> None:
    fixed = FiniteMechanism.of(lambda _: 1, [(5,), (6,)])
    assert worst_pair(fixed) is None
    found = indistinguishability(fixed)
    assert (found.size, found.epsilon, found.whole_epsilon, found.record) == (0, -math.inf, 0, None)
    assert found.holds(-5)


def test_more_values_than_a_block() -> None:
    """The worst pair lies in the last of several blocks of values."""
    outputs = {(x,): 0 if x < 599 else 1 for x in range(600)}
    pair = worst_pair(FiniteMechanism.of(outputs, [range(600)]))
    assert pair is not None
    assert (pair.value, pair.other) == (0, 599)
    table = {(x, z): z * (x == 598) + 2 * z * (x == 599) for x in range(600) for z in range(3)}
    found = indistinguishability(FiniteMechanism.of(table, [range(600), range(3)]))
    assert (found.record, found.value, found.other, found.size) == (0, 0, 598, 2)


@pytest.mark.parametrize(
    ("mechanism", "domains", "problem"),
    [
        (sum, [], "at least one record"),
        (sum, [()], "at least one value"),
        (sum, [(1, 1)], "twice"),
        (sum, [([1], [2])], "not hashable"),
        (list, [(1, 2)], "not hashable"),
        (sum, [range(5000)], "4,096"),
        (sum, [range(2)] * 23, "4,194,304"),
        ({(0,): 1}, [(0, 1)], "leaves a dataset out"),
    ],
)
def test_no_mechanism(mechanism: Any, domains: Any, problem: str) -> None:  # noqa: ANN401 - deliberately wrong
    with pytest.raises(RequestError, match=problem):
        FiniteMechanism.of(mechanism, domains)


def test_errors_of_the_users_function_are_shown() -> None:
    with pytest.raises(TypeError, match="unsupported"):
        FiniteMechanism.of(lambda x: x[0] + "a", [(1, 2)])


def test_no_such_record_or_value() -> None:
    count = FiniteMechanism.of(sum, [(0, 1)] * 3)
    with pytest.raises(RequestError, match="numbered 0 to 2"):
        count.given(3, 0)
    with pytest.raises(RequestError, match="not in the domain"):
        count.given(0, 7)
    mean = LinearQuery.average(2, 0, 1)
    with pytest.raises(RequestError, match="numbered 0 to 1"):
        mean.given(-1, 0)
    with pytest.raises(RequestError, match="outside its bounds"):
        mean.given(0, 2)


def test_epsilon_is_compared_exactly() -> None:
    three = Indistinguishability(3, counted=True, separated=False)
    assert three.epsilon == Bits(3)
    assert (three.holds(Decimal("1.58")), three.holds(Decimal("1.59")), three.whole_epsilon) == (
        False,
        True,
        2,
    )
    measured = Indistinguishability(Fraction(5, 2), counted=False, separated=False)
    assert measured.epsilon == Nats(Fraction(5, 2))
    assert (measured.holds(0), measured.holds(1), measured.whole_epsilon) == (False, True, 1)
    close = Fraction(2718281828459045235360287471352662497757, 10**39)
    assert Indistinguishability(close, counted=False, separated=False).holds(1)
    assert not Indistinguishability(close + Fraction(1, 10**39), counted=False, separated=False).holds(1)
    point = Indistinguishability(Fraction(0), counted=False, separated=True)
    assert (point.epsilon, point.holds(-100), point.whole_epsilon) == (Nats(0), True, 0)
    small = Indistinguishability(Fraction(1, 2), counted=False, separated=True)
    assert (small.holds(-1), small.holds(Fraction(-1, 2))) == (False, True)
    with pytest.raises(RequestError, match="infinite"):
        assert Indistinguishability(math.inf, counted=False, separated=True).whole_epsilon


def test_a_single_record_is_given_away_with_measure_0() -> None:
    """The continuous definition does not see sets of measure 0: x itself passes for every epsilon."""
    found = linear_indistinguishability(LinearQuery.of([1], (0, 1)))
    assert (found.size, found.epsilon, found.separated) == (0, Nats(0), True)


def test_units_matter() -> None:
    metres, centimetres = LinearQuery.average(10, 0, 2), LinearQuery.average(10, 0, 200)
    assert linear_indistinguishability(metres).epsilon == Nats(Fraction(2, 5))
    assert linear_indistinguishability(centimetres).epsilon == Nats(40)


def test_linear_queries() -> None:
    query = LinearQuery.of([1, -2, 0], [(0, 1), (1, 4), (0, 9)])
    assert list(map(int, query.spans)) == [1, 6, 0]
    assert [query.span, query.sensitivity, query.lowest] == list(map(Fraction, (7, 6, -8)))
    assert str(query.outputs) == "[-8, -1]"
    assert str(query.given(1, 4)) == "[-8, -7]"
    assert str(query.given(1, 1)) == "[-2, -1]"
    assert str(query.pair(0, 0, 1).decided) == "[-8, -7) | (-2, -1]"
    assert query.value_at(1, query.offset(1, 3)) == 3
    assert query.value_at(2, Fraction(0)) == 0
    assert list(query.cells_given(1, 4, 7)) == [0, 1]
    assert list(query.cells_given(1, 1, 7)) == [6]
    found = linear_indistinguishability(query, 7)
    assert (found.record, found.size, found.separated) == (1, 4, True)


@given(st.lists(fractions, min_size=1, max_size=4).filter(any), st.integers(1, 80))
def test_the_most_sensitive_record_is_the_worst(spans: list[Fraction], cells: int) -> None:
    """Also where it makes up most of the range, and its outputs get fewer as it grows."""
    found = [decided_cells(span, sum(spans, Fraction(0)), cells) for span in spans]
    assert max(found) == found[spans.index(max(spans))]


def test_a_record_that_makes_up_most_of_the_range() -> None:
    assert [decided_cells(Fraction(s), Fraction(12), 100) for s in (6, 7, 10, 11, 12)] == [99, 86, 36, 20, 2]


def test_constant_queries() -> None:
    constant = LinearQuery.of([0, 3], [(0, 1), (5, 5)])
    assert str(constant.outputs) == "{15}"
    assert list(constant.cells_given(0, 1, 9)) == [0]
    for found in (linear_indistinguishability(constant), linear_indistinguishability(constant, 9)):
        assert (found.size, found.separated, found.record) == (0, False, None)
    assert largest_cells(constant, 0) == math.inf
    assert printed_cells(constant, 1) == math.inf


def test_one_continuous_record() -> None:
    """From 1 bit on any number of cells is allowed, although every output gives its cell away."""
    alone = LinearQuery.of([1], (0, 1))
    assert [largest_cells(alone, outputs=k) for k in (0, 1, 2)] == [1, 1, math.inf]
    found = linear_indistinguishability(alone, 1000)
    assert (found.size, found.separated) == (2, True)


def test_the_largest_number_of_cells() -> None:
    mean = LinearQuery.average(10, 0, 1)
    assert [largest_cells(mean, e) for e in (0, 1, 2, 3, 10)] == [10, 19, 29, 49, 5129]
    assert [printed_cells(mean, e) for e in (0, 1, 2, 3, 10)] == [1, 1, 10, 30, 5110]
    assert [largest_cells(mean, outputs=k) for k in range(6)] == [9, 10, 19, 20, 29, 30]
    assert largest_cells(mean, Decimal("1.58")) == 19
    assert largest_cells(mean, Decimal("1.59")) == largest_cells(mean, outputs=3) == 20
    assert largest_cells(mean, Fraction(1, 2)) == largest_cells(mean, outputs=1)
    assert largest_cells(LinearQuery.average(2, 0, 1), 200) == 2 * (2**199 + 1) - 1


def test_a_large_dataset_is_fast() -> None:
    mean = LinearQuery.average(10_000, 0, 1)
    assert largest_cells(mean, 1) == 19_999
    assert linear_indistinguishability(mean, 10**12).size == 2 * 10**8 - 1


@given(fractions.filter(bool), st.integers(1, 60))
def test_theory_for_small_spans(share: Fraction, cells: int) -> None:
    """For S <= R/2 the worst symmetric difference is floor(qS/R) + ceil(qS/R) - 1; it never falls with q."""
    if share <= Fraction(1, 2):
        moved = cells * share
        assert decided_cells(share, Fraction(1), cells) == math.floor(moved) + math.ceil(moved) - 1
    assert decided_cells(share, Fraction(1), cells) <= decided_cells(share, Fraction(1), cells + 1)


@given(st.lists(fractions, min_size=1, max_size=4), st.integers(1, 6))
def test_theorem_5_is_sound_but_loose(spans: list[Fraction], epsilon: int) -> None:
    """The paper never allows more cells than there may be."""
    query = LinearQuery.of([1] * len(spans), [(0, span) for span in spans])
    assert printed_cells(query, epsilon) <= largest_cells(query, epsilon)


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: LinearQuery.of([], (0, 1)), "at least one coefficient"),
        (lambda: LinearQuery.of([1, 2], [(0, 1)]), "a pair of bounds for each"),
        (lambda: LinearQuery.of([1], (1, 0)), "above its highest"),
        (lambda: LinearQuery.of([math.inf], (0, 1)), "finite"),
        (lambda: LinearQuery.average(0, 0, 1), "at least one record"),
        (lambda: linear_indistinguishability(LinearQuery.average(2, 0, 1), 0), "at least one cell"),
        (lambda: LinearQuery.average(2, 0, 1).cells_given(0, 0, 0), "at least one cell"),
        (lambda: largest_cells(LinearQuery.average(2, 0, 1)), "either epsilon"),
        (lambda: largest_cells(LinearQuery.average(2, 0, 1), 1, outputs=2), "either epsilon"),
        (lambda: largest_cells(LinearQuery.average(2, 0, 1), -1), "not negative"),
        (lambda: printed_cells(LinearQuery.average(2, 0, 1), -1), "natural"),
    ],
)
def test_no_linear_query(make: Any, problem: str) -> None:  # noqa: ANN401 - a call
    with pytest.raises(RequestError, match=problem):
        make()
