"""Which appliances are on, guessed from a meter."""

import json
from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from typer.testing import CliRunner

from noiseless.adversaries.appliance_states import Appliance, cluster, nearest_places, state_combinations
from noiseless.adversaries.appliances import BlockBootstrap, appliances, f_score
from noiseless.adversaries.game import Game
from noiseless.cli.attacks.meters import appliances_command
from noiseless.errors import ColumnError, DomainError, MissingValuesError, RequestError

PAPER = ("refrigerator_ch5", "microwave_ch11", "kitchen_outlets_ch8", "lighting_ch9", "dishwasher_ch6")
FEW = st.lists(st.integers(0, 30), min_size=1, max_size=9)


def house(rows: int = 4000, seed: int = 0) -> pa.Table:
    """A kettle that is seldom on, a fridge with a standby power, a lamp; and something nobody measures."""
    rng = np.random.default_rng(seed)

    def runs(share: float, length: int) -> npt.NDArray[np.bool_]:
        return np.repeat(rng.random(rows // length + 1) < share, length)[:rows]

    circuits = {
        "kettle": 2000 * runs(0.05, 20) + rng.integers(0, 3, rows),
        "fridge": 6 + 180 * runs(0.3, 50) + rng.integers(0, 3, rows),
        "lamp": 60 * runs(0.5, 100),
    }
    return pa.table({**circuits, "mains": sum(circuits.values()) + 100 + rng.integers(0, 3, rows)})


def play(table: object = None, **options: object) -> Game:
    chosen = {"meter": "mains", "circuits": ["kettle", "fridge", "lamp"], "bounds": (0, 4095), **options}
    return appliances(house() if table is None else table, **chosen)  # type: ignore[arg-type]


def means(game: Game, adversary: str) -> list[float]:
    wanted = {"adversary": adversary, "appliance": "mean"}
    return [score.score for score in game.results if wanted.items() <= score.details.items()]


def squares(parts: list[list[int]]) -> float:
    return sum(float(np.sum((np.array(part) - np.mean(part)) ** 2)) for part in parts)


@given(FEW, st.integers(1, 4))
def test_clusters_have_the_least_sum_of_squares(values: list[int], clusters: int) -> None:
    """On a line the best clusters are intervals of sorted values: try them all."""
    ordered = sorted(values)
    fewest = min(clusters, len(set(values)))
    tried = [
        squares([ordered[a:b] for a, b in zip((0, *cuts), (*cuts, len(ordered)), strict=True)])
        for cuts in combinations(range(1, len(ordered)), fewest - 1)
    ]
    centres = np.array(cluster(np.array(values, float), clusters))
    assert len(centres) == fewest
    assert np.all(np.diff(centres) > 0)
    found = float(np.sum(np.min((np.array(values)[:, None] - centres) ** 2, axis=1)))
    assert found == pytest.approx(min(tried), abs=1e-6)


def test_nothing_has_no_clusters() -> None:
    assert cluster(np.array([]), 3) == ()


def test_very_many_draws_are_pooled() -> None:
    draws = np.concatenate([np.linspace(100, 110, 5000), np.linspace(900, 930, 5000)])
    assert cluster(draws, 2) == pytest.approx((105, 915), abs=0.1)


@given(st.lists(FEW, min_size=1, max_size=3), st.lists(st.floats(-10, 100), min_size=1))
def test_the_nearest_combination_is_found(levels: list[list[int]], powers: list[float]) -> None:
    known = [Appliance(str(i), 0, 1, tuple(sorted({v + 1.0 for v in one}))) for i, one in enumerate(levels)]
    totals, ways = state_combinations(known)
    told = ways[nearest_places(totals, np.array(powers))]
    states = list(product(*((0.0, *one.levels) for one in known)))
    for power, on in zip(powers, told.tolist(), strict=True):
        best = min(abs(power - sum(state)) for state in states)
        possible = [state for state in states if abs(power - sum(state)) == best]
        assert on in [[draw > 0 for draw in state] for state in possible]


@given(st.lists(st.integers(-50, 50), min_size=1, unique=True), st.lists(st.floats(-60, 60), min_size=1))
def test_the_nearest_number_is_found(numbers: list[int], values: list[float]) -> None:
    ordered = np.array(sorted(numbers), float)
    found = ordered[nearest_places(ordered, np.array(values))]
    assert np.array_equal(np.abs(found - values), np.min(np.abs(ordered - np.array(values)[:, None]), axis=1))


def test_too_many_combinations_are_refused() -> None:
    known = [Appliance(str(i), 0, 1, (2.0, 3.0, 4.0)) for i in range(11)]
    with pytest.raises(RequestError, match="name fewer"):
        state_combinations(known)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1), st.integers(1, 10))
def test_f_scores_are_what_they_are_said_to_be(pairs: list[tuple[bool, bool]], blocks: int) -> None:
    guessed, truth = (np.array(column)[:, None] for column in zip(*pairs, strict=True))
    drawn = BlockBootstrap.draw(len(pairs), blocks, 20, np.random.default_rng(0))
    mean, found = drawn.scores(None, guessed, truth, drawn.sums(truth))
    right, said, really = sum(a and b for a, b in pairs), int(guessed.sum()), int(truth.sum())
    assert mean == found
    assert found.score == pytest.approx(2 * right / (said + really) if said + really else 0)
    assert found.details["precision"] == pytest.approx(right / said if said else 0)
    assert found.details["recall"] == pytest.approx(right / really if really else 0)
    assert 0 <= found.low <= found.score <= found.high <= 1


def test_blocks_cover_all_rows_and_rounds_draw_as_many() -> None:
    drawn = BlockBootstrap.draw(10, 3, 50, np.random.default_rng(1))
    assert drawn.starts.tolist() == [0, 3, 6]
    assert set(drawn.weights.sum(axis=1)) == {3.0}
    assert len(BlockBootstrap.draw(2, 100, 5, np.random.default_rng(1)).starts) == 2
    assert f_score(np.array([0.0]), np.array([0.0]), np.array([0.0])).tolist() == [0.0]


def test_whoever_sees_all_recognises_nearly_all() -> None:
    game = play()
    for adversary in ("combinatorial", "frequencies"):
        assert means(game, adversary)[-1] > 0.95


def test_whoever_sees_nothing_guesses_what_is_always_so() -> None:
    """With one cell the combinatorial adversary says that all is off, the other what was on for the most."""
    game = play(budgets=[0], train=0.5)
    assert means(game, "combinatorial")[0] == 0
    lamp = house()["lamp"].to_numpy() > 10
    expected = 2 * lamp[2000:].mean() / (1 + lamp[2000:].mean()) if lamp[:2000].mean() > 0.5 else 0
    assert means(game, "frequencies")[0] == pytest.approx(expected / 3)


def test_quantised_readings_tell_less() -> None:
    game = play(budgets=range(1, 9), step=1)
    for adversary in ("combinatorial", "frequencies"):
        found = means(game, adversary)
        assert found[0] <= found[-1] / 2
        assert spearmanr(range(8), found[:8]).statistic > 0.8


def test_the_same_seed_makes_the_same_game_and_another_moves_intervals_only() -> None:
    one, again, other = play(budgets=[3]), play(budgets=[3]), play(budgets=[3], seed=1)
    assert one == again
    assert [s.score for s in one.results] == [s.score for s in other.results]
    assert [s.low for s in one.results] != [s.low for s in other.results]


def test_the_first_rows_only_are_learned_from() -> None:
    table = house()
    later = np.arange(len(table)) >= 2000
    changed = table.set_column(2, "lamp", pa.array(np.where(later, 0, table["lamp"].to_numpy())))
    learned = [
        {k: v for k, v in one.items() if k != "on_share"}
        for one in play(table, train=0.5).settings["appliances"]
    ]
    assert learned == [
        {k: v for k, v in one.items() if k != "on_share"}
        for one in play(changed, train=0.5).settings["appliances"]
    ]
    assert play(changed, train=0.5).settings["appliances"][2]["on_share"] == 0


def test_what_was_learned_is_told() -> None:
    game = play(levels=1)
    kettle, fridge, lamp = game.settings["appliances"]
    assert (kettle["standby"], lamp["standby"]) == (0.0, 0.0)
    assert 6 <= fridge["standby"] <= 8
    assert fridge["levels"] == pytest.approx([181], abs=2)
    assert lamp["levels"] == [60.0]
    assert game.settings["trained_rows"] == 1000


def test_the_largest_circuits_are_chosen() -> None:
    names = [one["name"] for one in play(top=1).settings["appliances"]]
    draws = {name: house()[name].to_numpy()[:1000].sum() for name in ("kettle", "fridge", "lamp")}
    assert names == [max(draws, key=lambda name: draws[name])]
    assert len(play(top=9).settings["appliances"]) == 3


def test_an_appliance_that_is_never_on_scores_nothing() -> None:
    table = house().append_column("oven", pa.array(np.zeros(4000)))
    game = play(table, circuits=["kettle", "oven"], budgets=[2])
    assert {s.score for s in game.results if s.details["appliance"] == "oven"} == {0.0}


def test_readings_outside_are_refused_or_moved() -> None:
    with pytest.raises(DomainError):
        play(bounds=(0, 1000))
    assert play(bounds=(0, 1000), clamp=True, budgets=[1]).results


def test_missing_readings_are_refused_or_dropped() -> None:
    table = house(100)
    gaps = table.set_column(0, "kettle", pa.array([None, *table["kettle"].to_pylist()[1:]]))
    with pytest.raises(MissingValuesError):
        play(gaps)
    assert play(gaps, missing="drop", budgets=[1]).settings["rows"] == 99


@pytest.mark.parametrize(
    "wrong",
    [
        {"circuits": []},
        {"adversaries": []},
        {"adversaries": ["luck"]},
        {"train": 0},
        {"train": 1},
        {"train": float("nan")},
        {"threshold": 0},
        {"levels": 0},
        {"blocks": 0},
        {"rounds": 0},
        {"top": 0},
        {"seed": -1},
        {"missing": "value"},
        {"bounds": (9, 1)},
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(RequestError):
        play(house(100), **wrong)


def test_columns_are_checked() -> None:
    with pytest.raises(ColumnError, match="both meter and circuit"):
        play(circuits=["mains"])
    with pytest.raises(ColumnError, match="does not hold numbers"):
        play(house(10).set_column(0, "kettle", pa.array(["on"] * 10)))


def test_progress_is_told() -> None:
    steps: list[tuple[int, int]] = []
    play(budgets=[1, 2], progress=lambda *step: steps.append(step))
    assert steps == [(1, 3), (2, 3), (3, 3)]


@pytest.fixture
def attack(tmp_path: Path) -> Callable[..., str]:
    app = typer.Typer()
    app.command()(appliances_command)
    pq.write_table(house(), tmp_path / "house.parquet")
    circuits = [part for name in ("kettle", "lamp") for part in ("--circuit", name)]
    fixed = [str(tmp_path / "house.parquet"), "--meter", "mains", *circuits, "--bounds", "0", "4095"]

    def call(*options: str) -> str:
        done = CliRunner().invoke(app, [*fixed, *options])
        assert done.exit_code == 0, done.output
        return done.stdout

    return call


def test_the_command_plays_the_same_game(attack: Callable[..., str], tmp_path: Path) -> None:
    picture = tmp_path / "plot.png"
    found = json.loads(attack("--budget", "1", "--budget", "4", "--format", "json", "--plot", str(picture)))
    expected = play(circuits=["kettle", "lamp"], budgets=[1, 4])
    assert [one["score"] for one in found["results"]] == [score.score for score in expected.results]
    assert found["results"][-1]["budget"] == "inf"
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_command_shows_a_table_for_each_adversary(attack: Callable[..., str]) -> None:
    lines = attack("--budget", "2", "--adversary", "frequencies", "--rounds", "50").splitlines()
    assert lines[0] == "f-scores: learned from 1,000 readings, guessed in 3,000 (seed 0)"
    assert lines[2] == "frequencies:"
    assert lines[3].split() == ["bits", "mean", "95", "%", "interval", "kettle", "lamp"]
    assert [line.split()[0] for line in lines[4:]] == ["2", "inf"]


def test_readings_of_any_number_are_read_too() -> None:
    table = house()
    floats = table.set_column(3, "mains", pa.array(table["mains"].to_numpy() + 0.25))
    for adversary in ("combinatorial", "frequencies"):
        assert means(play(floats, budgets=[4]), adversary)[-1] > 0.95


@pytest.fixture(scope="module")
def redd(data: Path) -> Game:
    return appliances(
        data / "redd" / "house1_3s.parquet", meter="mains", circuits=PAPER, bounds=(0, 12500), step=1
    )


@pytest.mark.parametrize("adversary", ["combinatorial", "frequencies"])
def test_house_1_of_redd(redd: Game, adversary: str) -> None:
    """[P1] V-B: the f-score falls with the budget, to half of the unquantised one and less."""
    found = means(redd, adversary)
    assert found[0] <= found[-1] / 2
    assert spearmanr(range(8), found[:8]).statistic > 0.8
