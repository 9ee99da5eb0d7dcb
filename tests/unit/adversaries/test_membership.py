import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
import typer
from typer.testing import CliRunner

from noiseless.adversaries import Game, Score, membership
from noiseless.adversaries.membership_rounds import (
    ADVERSARIES,
    Aggregate,
    MembershipExperiment,
    MembershipTranscript,
    Question,
    Recipe,
    cells_of,
)
from noiseless.adversaries.readings import Readings, read_readings
from noiseless.cli import attacks
from noiseless.errors import ColumnError, NoiselessError, RequestError
from noiseless.exact import Bits
from noiseless.questions.additive import mean, total
from noiseless.questions.base import Attribute
from noiseless.ranges.spans import Lattice

BUDGETS = (Fraction(0), Fraction(1), Bits(3), Fraction(3), None)


def _readings(seed: int = 0, times: int = 60, households: int = 8) -> npt.NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.gamma(0.7, 20.0, (times, households)).clip(0, 99).round(), np.float64) / 10


def _told(
    attribute: Attribute, people: int, query: Question = "mean", recipe: Recipe = "finest"
) -> list[Aggregate]:
    question = (mean if query == "mean" else total)(people, attribute)
    return [Aggregate(question, budget, recipe) for budget in BUDGETS]


def _played(readings: Readings, people: int, query: Question) -> tuple[MembershipTranscript, list[Aggregate]]:
    told = _told(Attribute.on("x", readings.lattice), people, query)
    arena = MembershipExperiment(readings, readings.times, 12, 0, 1, lambda _: None)
    return arena.play(people, told), told


def _score(game: Game, adversary: str, people: int, budget: float | None) -> Score:
    return next(
        one
        for one in game.results
        if one.details["adversary"] == adversary
        and one.details["people"] == people
        and one.budget == budget
        and one.details["recipe"] == "finest"
    )


class _Literally:
    """The adversaries of [P1] word for word, on one round."""

    def __init__(self, candidates: npt.NDArray[np.float64], answers: npt.NDArray[np.float64]) -> None:
        self.candidates, self.answers = candidates, answers

    def correlation(self) -> list[float]:
        return [
            0.0 if np.ptp(x) == 0 or np.ptp(self.answers) == 0 else float(np.corrcoef(x, self.answers)[0, 1])
            for x in self.candidates
        ]

    def square_error(self) -> list[float]:
        return [-float(((x - self.answers) ** 2).sum()) for x in self.candidates]

    def peaks(self) -> list[float]:
        told = _peaks(self.answers)
        return [float(len(told & _peaks(x))) for x in self.candidates]


def _peaks(series: npt.NDArray[np.float64]) -> set[int]:
    return {t for t in range(1, len(series) - 1) if series[t] > series[t - 1] and series[t] > series[t + 1]}


@pytest.mark.parametrize("query", ["mean", "sum"])
@pytest.mark.parametrize("people", [1, 3])
def test_rounds_are_those_of_the_paper_word_for_word(query: Question, people: int) -> None:
    readings = read_readings(_readings() + 5, bounds=(5, 15))
    played, told = _played(readings, people, query)
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(0, spawn_key=(people,))))
    drawn = rng.permuted(np.tile(np.arange(8), (12, 1)), axis=1)[:, : people + 1]
    values = 5 + readings.numbers / 10
    for k, one in enumerate(told):
        right = dict.fromkeys(ADVERSARIES, 0)
        for r in range(12):
            truth = played.truth[r]
            group = [drawn[r, truth], *drawn[r, 2:]]
            positions = readings.numbers[group].sum(axis=0)
            answers = np.array([float(_middle(one, int(p))) for p in positions])
            word = _Literally(values[drawn[r, :2]], answers)
            for a, likely in enumerate((word.correlation(), word.square_error(), word.peaks())):
                first, second = (round(number, 9) for number in likely)
                guess = played.coins[r, a] if first == second else int(second > first)
                right[ADVERSARIES[a]] += int(guess == truth)
        assert [played.wins(a)[k] for a in ADVERSARIES] == list(right.values())


def _middle(told: Aggregate, position: int) -> Fraction:
    return told.mechanism.answer(told.quantizer.cell_at(position)).value


@pytest.mark.parametrize("recipe", ["finest", "printed"])
@pytest.mark.parametrize("people", [1, 2, 5])
def test_all_cells_at_once_are_the_quantizers_cells(people: int, recipe: Recipe) -> None:
    for one in _told(Attribute.on("x", Lattice.of(0, 7, 1)), people, recipe=recipe):
        positions = np.arange(7 * people + 1)
        cells, middles = cells_of(one.quantizer, positions)
        for position, cell, twice in zip(positions.tolist(), cells.tolist(), middles.tolist(), strict=True):
            assert cell == one.quantizer.cell_at(position)
            span = one.question.span
            assert span.low + span.step * Fraction(twice, 2) == _middle(one, position)


def test_who_learns_nothing_is_right_half_of_the_time() -> None:
    game = membership(_readings(3), bounds=(0, 10), people=[1, 2, 4], budgets=[0], rounds=2000)
    for one in game.results:
        if one.budget == 0:
            assert one.low < 0.5 < one.high
            assert one.details["advantage_low"] == 0


def test_households_that_are_alike_are_told_apart_by_a_coin() -> None:
    same = np.repeat(_readings(4)[:, :1], 6, axis=1)
    game = membership(same, bounds=(0, 10), people=[1, 3], budgets=[2], rounds=2000)
    assert all(one.low < 0.5 < one.high for one in game.results)


def test_who_sees_everything_is_always_right() -> None:
    game = membership(_readings(5), bounds=(0, 10), people=[1], rounds=300)
    unprotected = [one for one in game.results if one.budget is None]
    assert [one.score for one in unprotected] == [1.0] * 3
    assert [one.details["advantage"] for one in unprotected] == [1.0] * 3
    assert all(one.high == 1 and one.low < 1 for one in unprotected)


def test_the_score_tends_to_the_unprotected_one() -> None:
    game = membership(_readings(6), bounds=(0, 10), people=[3], budgets=[7], rounds=400)
    for adversary in ADVERSARIES:
        fine, unprotected = (_score(game, adversary, 3, budget) for budget in (7, None))
        assert unprotected.low <= fine.score <= unprotected.high


def test_threads_and_other_sizes_change_nothing() -> None:
    data = _readings(7, times=200, households=12)
    options: dict[str, Any] = {"bounds": (0, 10), "rounds": 230, "seed": 3}
    first = membership(data, people=[2, 5], threads=1, **options)
    assert first.to_dict() == membership(data, people=[2, 5], threads=3, **options).to_dict()
    alone = membership(data, people=[5], **options)
    assert alone.results == tuple(one for one in first.results if one.details["people"] == 5)
    assert first.results != membership(data, people=[2, 5], **(options | {"seed": 4})).results


def test_a_year_costs_as_many_times_an_answer() -> None:
    game = membership(_readings(), bounds=(0, 10), people=[2], budgets=[0, 1, 2], rounds=5)
    costs = {one.budget: one.details["total_bits"] for one in game.results}
    assert costs[Fraction(0)] == 0
    assert costs[Fraction(2)] == 60 * 2
    assert costs[None] == pytest.approx(60 * np.log2(101))
    windowed = membership(_readings(), bounds=(0, 10), people=[2], budgets=[2], window=7, rounds=5)
    assert windowed.results[0].details["total_bits"] == 14
    assert windowed.settings["window"] == 7


def test_the_printed_recipe_breaks_its_budget_and_ours_does_not() -> None:
    """Theorem 8 of [P1] as printed allows 2n cells for the mean of n at 1 bit; one person then causes 3."""
    game = membership(_readings(), bounds=(0, 10), people=[4], budgets=[1], printed=True, rounds=5)
    reaches = {one.details["recipe"]: one.details["reach"] for one in game.results if one.budget == 1}
    assert reaches == {"finest": 2, "printed": 3}
    assert game.lines == ("people", "adversary", "recipe")


def test_progress_is_told_until_all_is_done() -> None:
    told: list[tuple[int, int]] = []
    membership(_readings(), people=[2, 3], rounds=120, progress=lambda *step: told.append(step))
    assert told[-1] == (240, 240)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_default_sizes_are_those_that_there_are_households_for() -> None:
    sizes = {one.details["people"] for one in membership(_readings(), rounds=2).results}
    assert sizes == {2, 4}


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"people": [8]}, "from 1 to 7"),
        ({"people": [0]}, "from 1 to 7"),
        ({"people": []}, "from 1 to 7"),
        ({"rounds": 0}, "at least one round"),
        ({"window": 2}, "from 3 to 60"),
        ({"window": 61}, "from 3 to 60"),
        ({"adversaries": ["guess"]}, "no adversary 'guess'"),
        ({"bounds": (0, 1)}, "outside the bounds"),
        ({"bounds": (5, 5)}, "two different bounds"),
        ({"step": 0}, "above 0"),
        ({"bounds": (0, 10), "step": Fraction(1, 10**8)}, "too fine"),
        ({"seed": -1}, "not negative"),
        ({"budgets": [-1]}, "budget"),
        ({"unit": "household"}, "neither unit nor value"),
    ],
)
def test_wrong_requests_are_refused(wrong: dict[str, Any], match: str) -> None:
    data: Any = pl.DataFrame({f"h{i}": column for i, column in enumerate(_readings().T)})
    with pytest.raises(RequestError, match=match):
        membership(data, **({"rounds": 3} | wrong))


def test_wide_and_long_tables_and_arrays_are_the_same_game(tmp_path: Path) -> None:
    data = _readings()
    names = [f"h{i}" for i in range(8)]
    wide = pl.DataFrame(dict(zip(names, data.T, strict=True)) | {"hour": range(60)})
    long = wide.unpivot(index="hour", variable_name="home", value_name="kwh")
    wide.sample(fraction=1, shuffle=True, seed=1).write_csv(tmp_path / "wide.csv")
    long.sample(fraction=1, shuffle=True, seed=2).write_parquet(tmp_path / "long.parquet")
    options: dict[str, Any] = {"bounds": (0, 10), "people": [3], "rounds": 20}
    expected = membership(data, **options)
    found = membership(tmp_path / "wide.csv", time="hour", **options)
    assert found.to_dict() == expected.to_dict()
    found = membership(tmp_path / "long.parquet", unit="home", time="hour", value="kwh", **options)
    assert found.to_dict() == expected.to_dict()


def test_gaps_are_filled_and_households_with_many_left_out() -> None:
    data = _readings()
    data[[0, 5, 6], 0] = np.nan
    data[:30, 1] = np.nan
    found = read_readings(data, most_missing=0.1)
    assert (found.households, found.left_out, found.filled) == (7, 1, 3)
    kept = found.numbers[0] + round(float(found.lattice.low * 10))
    assert list(kept[[0, 5, 6]]) == [kept[1], kept[4], kept[4]]
    with pytest.raises(RequestError, match="most-missing"):
        read_readings(np.full((5, 2), np.nan))


def test_steps_are_found_from_decimals_of_single_and_double_floats() -> None:
    data = np.array([[0.123, 6.528], [2.5, 0.001]])
    for kind in (np.float64, np.float32):
        found = read_readings(data.astype(kind))
        assert found.lattice == Lattice.of(Fraction("0.001"), Fraction("6.528"), Fraction("0.001"))
        assert found.numbers.tolist() == [[122, 2499], [6527, 0]]
    whole = read_readings(np.array([[1, 2], [3, 5]]))
    assert whole.lattice == Lattice.of(1, 5, 1)
    rough = read_readings(np.array([[0.1, np.pi], [1.0, np.e]]))
    assert rough.lattice.step == Fraction(1, 10**6)


def test_clamping_moves_readings_into_the_bounds() -> None:
    found = read_readings(np.array([[0.0, 5.0], [2.0, 9.0]]), bounds=(1, 4), clamp=True)
    assert found.numbers.tolist() == [[0, 1], [3, 3]]


def test_tables_that_hold_no_readings_are_refused() -> None:
    texts = pl.DataFrame({"home": ["a", "b"], "kwh": [1.0, 2.0]})
    with pytest.raises(ColumnError, match="--time"):
        read_readings(texts)
    roles: dict[str, Any] = {"unit": "u", "time": "t", "value": "v"}
    with pytest.raises(ColumnError, match="2 missing values"):
        read_readings(pl.DataFrame({"u": ["a", None, None], "t": [1, 2, 3], "v": [1, 2, 3]}), **roles)
    with pytest.raises(RequestError, match="1 readings share"):
        read_readings(pl.DataFrame({"u": ["a", "a"], "t": [1, 1], "v": [1, 2]}), **roles)
    with pytest.raises(RequestError, match="two axes"):
        read_readings(np.zeros(3))
    with pytest.raises(RequestError, match="no readings"):
        read_readings(np.zeros((0, 3)))
    with pytest.raises(NoiselessError):
        read_readings(texts, unit="home", time="hour", value="kwh")


def _run(*arguments: str) -> Any:  # noqa: ANN401 - what typer's runner gives
    app = typer.Typer()
    app.add_typer(attacks.app, name="attack")
    app.command("other")(lambda: None)
    return CliRunner().invoke(app, ["attack", "membership", *arguments], catch_exceptions=False)


@pytest.fixture
def wide(tmp_path: Path) -> str:
    names = [f"h{i}" for i in range(8)]
    pl.DataFrame(dict(zip(names, _readings().T, strict=True))).write_csv(tmp_path / "wide.csv")
    return str(tmp_path / "wide.csv")


def test_the_command_prints_a_block_an_adversary(wide: str, tmp_path: Path) -> None:
    plot = tmp_path / "game.svg"
    options = ("--people", "2", "--people", "4", "--budget", "1", "--budget", "reach 3", "--rounds", "20")
    found = _run(wide, *options, "--plot", str(plot))
    assert found.exit_code == 0
    for words in ("correlation\n", "square-error\n", "peaks\n", "n = 4", " reach 3", "all  "):
        assert words in found.output
    assert "60 answers of 1 leak 60 about a household" in found.output
    assert "a release must declare them" in found.output
    assert "probability of a right guess" in plot.read_text()


def test_the_command_prints_json(wide: str) -> None:
    one = ("--adversary", "peaks", "--people", "2", "--budget", "2", "--rounds", "9", "--bounds", "0", "10")
    found = json.loads(_run(wide, *one, "--printed", "--format", "json").output)
    assert [(r["budget"], r["recipe"]) for r in found["results"]] == [
        (2.0, "finest"),
        ("inf", "finest"),
        (2.0, "printed"),
        ("inf", "printed"),
    ]
    assert found["bounds"] == [0, 10]
    assert {"people", "rounds", "successes", "advantage", "reach", "total_bits"} <= set(found["results"][0])


def test_the_command_refuses_a_plot_before_it_plays(wide: str, tmp_path: Path) -> None:
    with pytest.raises(NoiselessError, match=r"png or \.svg"):
        _run(wide, "--plot", str(tmp_path / "game.gif"))


def test_a_year_of_meters_gives_households_away_where_the_paper_says_it_does_not(data: Path) -> None:
    """[P1], V-A: "negligible" for n = 4 at 2 bits. So for square errors, not for correlations over a year."""
    game = membership(
        data / "meters" / "lcl_100_households_2013.parquet",
        bounds=(0, 10),
        step=Fraction(1, 1000),
        people=[4],
        budgets=[2],
        rounds=200,
    )
    assert (game.settings["households"], game.settings["readings"]) == (87, 17520)
    assert _score(game, "square-error", 4, 2).low < 0.6
    assert _score(game, "correlation", 4, 2).low > 0.6
    assert _score(game, "correlation", 4, 2).details["total_bits"] == 35_040


def test_an_adversary_who_chooses_the_pair() -> None:
    """Household 0 swings, 1 swings against it, the others do nothing: the pair is told apart every time."""
    swing = np.tile([0.0, 10.0], 8)
    readings = np.column_stack([swing, swing[::-1], *np.full((6, 16), 5.0)])
    game = membership(
        readings,
        bounds=(0, 10),
        step=1,
        people=[2],
        budgets=[3],
        adversaries=["correlation"],
        pair=(0, 1),
        rounds=50,
    )
    assert [score.score for score in game.results] == [1.0, 1.0]
    assert membership(
        readings, bounds=(0, 10), step=1, people=[7], budgets=[1], pair=(6, 2), rounds=5
    ).results
    for pair in ((0, 0), (0, 8), (-1, 2)):
        with pytest.raises(RequestError, match="two different households, from 0 to 7"):
            membership(readings, bounds=(0, 10), step=1, people=[2], budgets=[1], pair=pair)
