"""The reconstruction game: certain ranges by brute force, and everybody found when nothing is protected."""

from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from noiseless.adversaries.game import Budget
from noiseless.adversaries.reconstruction import reconstruction
from noiseless.adversaries.subset_sums import (
    Ranges,
    affordable,
    best_guess,
    certain_ranges,
    one_by_one,
    random_subsets,
    together,
    told_by_cells,
    told_with_noise,
)
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.theory.capacity import capacity
from noiseless.theory.channel import Channel


@given(
    st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=5),
    st.lists(st.integers(0, 5), min_size=3, max_size=3),
    st.integers(1, 6),
)
def test_certain_ranges_hold_all_that_agrees(rows: list[list[bool]], truth: list[int], width: int) -> None:
    """Every column of whole numbers that agrees with the answers is within the ranges found."""
    asked = np.array(rows)
    sums = asked.astype(int) @ truth
    lower = (sums // width * width).astype(float)
    ranges = certain_ranges(asked, lower, lower + width - 1, 5)
    for column in product(range(6), repeat=3):
        inside = asked.astype(int) @ column
        if ((lower <= inside) & (inside <= lower + width - 1)).all():
            assert ranges.hold(np.array(column))
    assert ranges.hold(np.array(truth))


def test_exact_answers_that_determine_everybody_leave_one_value() -> None:
    asked = np.array([[True, True, False], [False, True, True], [True, False, True]])
    truth = np.array([4, 0, 2])
    sums = (asked.astype(int) @ truth).astype(float)
    assert certain_ranges(asked, sums, sums, 5).left.tolist() == [1, 1, 1]
    assert best_guess(asked, sums, np.zeros(3), 5).tolist() == truth.tolist()


def test_without_answers_everything_is_left_and_the_middle_is_guessed() -> None:
    nothing = np.zeros((0, 2), bool)
    empty = np.zeros(0)
    assert certain_ranges(nothing, empty, empty, 8).left.tolist() == [9, 9]
    assert best_guess(nothing, empty, empty, 8).tolist() == [4, 4]
    ranges = Ranges(np.array([5, 0]), np.array([8, 3]))
    assert best_guess(nothing, empty, empty, 8, ranges).tolist() == [5, 3]


@given(st.integers(1, 40), st.integers(1, 200), st.integers(0, 99))
def test_plans_keep_to_the_budget(questions: int, outputs: int, seed: int) -> None:
    """1 + sum of (reach - 1) over the questions that cover a person is at most the budget's outputs."""
    subsets = random_subsets(9, questions, np.random.default_rng(seed))
    fitting, reach = affordable(subsets, outputs)
    spent = 1 + (reach - 1) * fitting.sum(axis=0).max(initial=0)
    assert spent <= outputs
    if len(fitting) < questions:
        more = subsets[: len(fitting) + 1].sum(axis=0).max()
        assert 1 + more > outputs
    assert (subsets.sum(axis=1) >= 2).all()


@given(st.integers(2, 12), st.sampled_from([Fraction(1, 10), Fraction(1), Fraction(2), Bits(3)]))
def test_noise_keeps_to_the_budget(size: int, budget: Budget) -> None:
    """The capacity of a value with that noise, by itself or averaged over answers, is at most the budget."""
    scale = together(size, budget, 1)
    assert scale is not None
    assert together(size, budget, 9) == pytest.approx(3 * scale)
    edges = np.arange(-6 * scale, size - 1 + 6 * scale, scale / 4)
    below = norm.cdf(edges, np.arange(size)[:, None], scale)
    outputs = np.diff(below, prepend=0, append=1)
    found = capacity(Channel.of(outputs / outputs.sum(axis=1, keepdims=True)), tolerance=1e-6)
    assert found.lower <= float(budget)
    assert found.upper >= 0.6 * float(budget) or found.upper >= 0.9 * np.log2(size)
    alone = one_by_one(size, budget, 4)
    assert alone is not None
    assert alone >= 2 * scale  # parts that are added up need more noise


def test_noise_is_added_to_sums_and_stays_within_their_range() -> None:
    asked = np.ones((50, 3), bool)
    told = told_with_noise(asked, np.array([1, 5, 9]), 11, 2.0, np.random.default_rng(0))
    assert told.lower.mean() == pytest.approx(15, abs=1)
    assert told.lower.std() == pytest.approx(2, abs=0.5)
    far = told_with_noise(asked, np.array([1, 5, 9]), 11, 1000.0, np.random.default_rng(0))
    assert {far.lower.min(), far.lower.max()} == {0, 30}
    assert together(11, Fraction(0), 3) is one_by_one(11, Fraction(0), 3) is None
    assert not len(told_with_noise(asked, np.array([1, 5, 9]), 11, None, np.random.default_rng(0)).asked)


def test_cells_hold_the_sums() -> None:
    subsets = random_subsets(8, 12, np.random.default_rng(1))
    truth = np.arange(8)
    fitting, reach = affordable(subsets, 64)
    told = told_by_cells(fitting, reach, truth, 9)
    sums = fitting.astype(int) @ truth
    assert ((told.lower <= sums) & (sums <= told.upper)).all()


def test_nothing_protected_everybody_is_found_and_no_bits_nobody() -> None:
    table = pa.table({"age": [1, 30, 12, 9, 22, 17]})
    game = reconstruction(
        table, "age", bounds=(0, 31), budgets=[0, 3], questions=[4, 12], rounds=2, within=0, fewer_than=2
    )
    by = {(s.budget, s.details["mechanism"], s.details["questions"]): s for s in game.results}
    assert by[None, "noiseless", 12].score == by[None, "gaussian", 12].score == 1
    assert by[None, "noiseless", 12].details["narrowed"] == 1
    for mechanism in ("noiseless", "gaussian"):
        blind = by[Fraction(0), mechanism, 12]
        assert (blind.score, blind.details["answered"]) == (game.settings["guessed"], 0)
    stopped = by[Fraction(3), "noiseless", 12].details["answered"]
    assert 0 < stopped < 12  # 7 questions with two outputs cover a person at most
    assert by[Fraction(3), "gaussian", 12].details["answered"] == 12
    assert all(s.low <= s.score <= s.high for s in game.results)


def test_the_same_seed_gives_the_same_scores() -> None:
    table = pa.table({"age": list(range(0, 60, 2))})
    games = [
        reconstruction(table, "age", bounds=(0, 60), budgets=[4], questions=[9], rounds=1, people=8, seed=s)
        for s in (1, 1, 2)
    ]
    assert games[0] == games[1] != games[2]
    assert games[0].settings["people"] == 8


def test_what_makes_no_sense_is_refused() -> None:
    table = pa.table({"age": [1, 2]})
    with pytest.raises(RequestError, match="at least one question"):
        reconstruction(table, "age", bounds=(0, 9), questions=[])
    with pytest.raises(RequestError, match="mechanisms are of"):
        reconstruction(table, "age", bounds=(0, 9), mechanisms=["loud"])
    with pytest.raises(RequestError, match="between 2 and"):
        reconstruction(table, "age", bounds=(0, 9), people=1)
    with pytest.raises(RequestError, match="asked for directly"):
        reconstruction(table.slice(0, 1), "age", bounds=(0, 9))
