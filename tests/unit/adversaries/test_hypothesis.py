"""The hypothesis game against brute force over every value that may be behind a release."""

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.adversaries.game import Game, UnsoundError
from noiseless.adversaries.hypothesis import (
    CountedRows,
    against_blur,
    against_noise,
    hypothesis,
    table_weights,
    uniform_weights,
)
from noiseless.collection.blur import Blur
from noiseless.collection.blur.fibres import Mode
from noiseless.errors import ExpressionError, RequestError

FACT = "x >= y / 2 + 1"
BOUNDS = {"x": (0, 12), "y": (0, 20, 4)}


def found(game: Game) -> dict[tuple[Any, ...], float]:
    return {
        (s.details["max_change"], s.details["release"], s.details["adversary"]): s.score for s in game.results
    }


def right(below: int, above: int, truth: bool) -> Fraction:
    """How often the likelier side is the true one."""
    return Fraction(1, 2) if below == above else Fraction((above > below) == truth)


def by_brute_force(
    rows: list[tuple[int, int]], change: int, mode: Mode, prior: str
) -> dict[tuple[str, str], Fraction]:
    """Try every value of x, and every noise."""
    blur = Blur.of(FACT, max_change=change, bounds=BOUNDS, mode=mode)
    weights = {x: 1 if prior == "uniform" else [r[0] for r in rows].count(x) for x in range(13)}
    total = dict.fromkeys([(r, a) for r in ("blur", "noise") for a in ("certain", "likely")], Fraction(0))
    for x, y in rows:
        holds = {v: v >= Fraction(y, 2) + 1 for v in range(13)}
        told = blur.release({"x": x, "y": y})["x"]
        behind = [v for v in range(13) if blur.release({"x": v, "y": y})["x"] == told]
        noisy = [[v for v in range(13) if abs(v - x - w) <= change] for w in range(-change, change + 1)]
        for release, sets in (("blur", [behind]), ("noise", noisy)):
            for left in sets:
                sides = [sum(weights[v] for v in left if holds[v] == side) for side in (False, True)]
                one_sided = len({holds[v] for v in left}) == 1
                share = Fraction(1, len(sets) * len(rows))
                total[release, "certain"] += share * one_sided
                total[release, "likely"] += share * (1 if one_sided else right(sides[0], sides[1], holds[x]))
    return total


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 5).map(lambda y: 4 * y)), min_size=1, max_size=12),
    st.integers(1, 6),
    st.sampled_from(["stretch", "collapse"]),
    st.sampled_from(["uniform", "table"]),
)
def test_scores_are_those_of_brute_force(
    rows: list[tuple[int, int]], change: int, mode: Mode, prior: str
) -> None:
    """Certain and likely tests, against the blur and against noise, row by row and value by value."""
    blur = Blur.of(FACT, max_change=change, bounds=BOUNDS, mode=mode)
    fibres = blur.fibres({"y": np.array([y // 4 for _, y in rows])})
    points = CountedRows(np.array([x for x, _ in rows]), np.ones(len(rows), np.int64))
    weights = uniform_weights(13) if prior == "uniform" else table_weights(points)
    blurred = against_blur(fibres, points, change, weights)
    noisy = against_noise(fibres.split, 12, points, change, weights)
    assert by_brute_force(rows, change, mode, prior) == {
        ("blur", "certain"): blurred.certain,
        ("blur", "likely"): blurred.right,
        ("noise", "certain"): noisy.certain,
        ("noise", "likely"): noisy.right,
    }


@pytest.mark.parametrize("prior", ["uniform", "table"])
def test_a_table_is_played_row_by_row(prior: str) -> None:
    rows = [(3, 4), (3, 4), (2, 0), (9, 20), (12, 16), (0, 8)]
    table = pa.table({"x": [x for x, _ in rows], "y": [y for _, y in rows]})
    game = hypothesis(table, FACT, max_changes=[1, 3], bounds=BOUNDS, prior=prior)
    for (moved, release, adversary), score in found(game).items():
        expected = by_brute_force(rows, int(moved) or 1, "stretch", prior)[release, adversary]
        assert score == pytest.approx(float(expected) if moved else 1)


def test_over_the_whole_range_the_decided_share_is_the_one_promised() -> None:
    table = pa.table({"x": [x for x in range(13) for _ in range(6)], "y": [4 * y for y in range(6)] * 13})
    game = hypothesis(table, FACT, max_changes=[1, 2, 5], bounds=BOUNDS)
    for score in game.results:
        if score.details["adversary"] == "certain" and score.details["release"] == "blur":
            assert score.score == pytest.approx(1 - score.details["protected_share"])


def test_a_blurred_fact_is_no_better_known_than_by_a_coin_where_halves_are_equal() -> None:
    """With g between two points and D whole, L and U are equally large: every bet in the band is a coin."""
    table = pa.table({"x": list(range(100))})
    game = hypothesis(table, "x >= 49.5", max_changes=[8], bounds={"x": (0, 99)})
    scores = found(game)
    assert scores[8, "blur", "certain"] == pytest.approx(0.84)
    assert scores[8, "blur", "likely"] == pytest.approx(0.84 + 0.08)
    # As much is hidden by noise of that size, but the better bet is right three times out of four.
    assert scores[8, "noise", "certain"] == pytest.approx(0.84, abs=0.01)
    assert scores[8, "noise", "likely"] == pytest.approx(0.84 + 0.12, abs=0.01)


def test_the_settings_tell_how_many_rows_the_fact_is_true_of() -> None:
    table = pa.table({"x": [0, 4, 12]})
    game = hypothesis(table, "x < 4", max_changes=[2, 1], bounds={"x": (0, 12)})
    assert (game.settings["true"], game.settings["rows"], game.seed) == (1, 3, None)
    assert [s.details["max_change"] for s in game.results] == [1.0] * 4 + [2.0] * 4 + [0.0] * 4
    assert game.results[-1].budget is None


def test_a_broken_promise_is_found() -> None:
    blur = Blur.of("x >= 4.5", max_change=2, bounds={"x": (0, 9)})
    fibres = blur.fibres({})
    rows = CountedRows(fibres.first, fibres.first * 0 + 1)
    assert against_blur(fibres, rows, 2, lambda ends: ends).certain == 0
    with pytest.raises(UnsoundError, match="no value moves further"):
        against_blur(fibres, rows, 0, lambda ends: ends)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"max_changes": []}, RequestError),
        ({"prior": "peaked"}, RequestError),
        ({"max_changes": [Fraction(1, 2)]}, RequestError),
        ({"hypothesis": "x"}, ExpressionError),
        ({"bounds": {"x": (0, 10**12)}, "max_changes": [2**31], "hypothesis": "x >= 5"}, RequestError),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, Any], error: type[Exception]) -> None:
    wanted: dict[str, Any] = {"hypothesis": FACT, "max_changes": [1], "bounds": BOUNDS} | change
    with pytest.raises(error):
        hypothesis(pa.table({"x": [1], "y": [4]}), **wanted)
