"""The binary search game: the ledger stops it at the budget, and every answer is charged for."""

import math
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.adversaries.binary_search import binary_search, halved, thresholds

AGES = pa.table({"age": [3, 0, 12, 7, 7]})


@given(st.integers(2, 200), st.integers(0, 9))
def test_halving_parts_a_domain_and_costs_what_it_tells(size: int, depth: int) -> None:
    """Parts cover the domain; Kraft's sum of 2^-steps is 1; steps are on average at least what is learnt."""
    ends = halved(size, depth)
    assert [value for part, _ in ends for value in part] == list(range(size))
    assert sum(2.0**-steps for _, steps in ends) == 1
    assert all(steps == depth or len(part) == 1 for part, steps in ends)
    paid = sum(len(part) * steps for part, steps in ends) / size
    assert paid >= sum(len(part) * math.log2(size / len(part)) for part, _ in ends) / size - 1e-9


@given(st.integers(2, 200), st.integers(1, 64))
def test_thresholds_part_a_domain_as_evenly_as_can_be(size: int, outputs: int) -> None:
    edges = [0, *thresholds(size, outputs), size]
    lengths = [b - a for a, b in pairwise(edges)]
    assert len(lengths) == min(outputs, size)
    assert 0 < min(lengths) <= max(lengths) <= min(lengths) + 1


def test_a_search_gets_one_bit_a_question_until_it_is_refused() -> None:
    game = binary_search(AGES, "age", bounds=(0, 15), budgets=[0, 1, 3], targets=2)
    assert [score.score for score in game.results[-2:]] == [4, 4]
    for score in game.results[:-2]:
        assert score.budget is not None
        bits = float(score.budget)
        assert score.score == pytest.approx(bits)
        assert score.details["charged"] == bits
        assert score.details["left"] == score.details["fewest_left"] == 16 / 2**bits
        assert score.details["stopped"]
        asked = bits if score.details["attack"] == "adaptive" else 2**bits - 1
        assert score.details["questions"] == 2 * asked


def test_a_batch_also_spends_what_is_left_of_a_bit() -> None:
    game = binary_search(AGES, "age", bounds=(0, 14), budgets=["reach 3"], targets=1)
    adaptive, batch, *_ = game.results
    assert (adaptive.details["told_apart"], batch.details["told_apart"]) == (2, 3)
    assert batch.score == pytest.approx(math.log2(3))


def test_a_budget_as_large_as_the_record_finds_it() -> None:
    game = binary_search(AGES, "age", bounds=(0, 12), budgets=[4], targets=2)
    for score in game.results:
        assert score.details["left"] == 1
        assert not score.details["stopped"]
        assert score.score == pytest.approx(math.log2(13))


def test_categories_are_searched_too() -> None:
    table = pa.table({"illness": ["flu", "cancer", "asthma", 'so "called"', "flu"]})
    game = binary_search(table, "illness", budgets=[1], targets=2)
    assert [score.details["left"] for score in game.results] == [2, 2, 1, 1]
