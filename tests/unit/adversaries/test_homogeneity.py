"""Whose sensitive value is told by the public ones."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import noiseless as nl
from examples import HEART_COLUMNS
from noiseless.adversaries.game import Game
from noiseless.adversaries.homogeneity import CERTAIN, GUESS, homogeneity
from noiseless.cli.attacks.records import homogeneity_command
from noiseless.errors import ColumnError, EmptyTableError, MissingValuesError, RequestError
from noiseless.exact import Bits

PATIENTS = Path(str(files("noiseless") / "data" / "patients.csv"))
ANONYMOUS = Path(str(files("noiseless") / "data" / "patients-4-anonymous.csv"))
ILL: dict[str, Any] = {"sensitive": "illness", "public": "age"}
ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=30)


def scores(game: Game, adversary: str) -> list[float]:
    return [score.score for score in game.results if score.details["adversary"] == adversary]


@given(ROWS, st.integers(1, 3))
def test_scores_are_counted_group_by_group(rows: list[tuple[int, int, int]], few: int) -> None:
    columns = dict(zip(("x", "a", "s"), map(list, zip(*rows, strict=True)), strict=True))
    game = homogeneity(pa.table(columns), sensitive="s", public="x", given="a", few=few)
    groups: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for x, a, s in rows:
        groups[x, a].append(s)
    told = sum(len(group) for group in groups.values() if len(set(group)) <= few)
    right = sum(max(Counter(group).values()) for group in groups.values())
    assert scores(game, CERTAIN) == [told / len(rows)]
    assert scores(game, GUESS) == [right / len(rows)]
    assert game.settings["blind_guess"] == max(Counter(s for *_, s in rows).values()) / len(rows)
    assert {(one.low, one.high) for one in game.results} == {(one.score, one.score) for one in game.results}


def test_persons_with_several_rows_count_once() -> None:
    table = pa.table(
        {"who": [1, 1, 1, 2, 3, 3], "x": ["a", "a", "b", "b", "b", "c"], "s": ["u", "u", "v", "w", "v", "v"]}
    )
    game = homogeneity(table, sensitive="s", public="x", unit="who")
    # Person 1 by a, person 3 by c; b holds v and w. Places: 1 in a, 1, 2 and 3 in b, 3 in c.
    assert scores(game, CERTAIN) == [2 / 3]
    assert scores(game, GUESS) == [4 / 5]
    assert [one.details["told"] for one in game.results] == [2, None]  # guesses of places are no people


def test_a_release_keeps_its_promise() -> None:
    game = homogeneity(PATIENTS, **ILL, min_posteriors=[6, 3, 2])
    assert [one.details["min_posterior"] for one in game.results] == [6, 6, 3, 3, 2, 2, 1, 1]
    assert [one.budget for one in game.results[::2]] == [Bits(1), Bits(2), Bits(3), None]
    assert scores(game, CERTAIN)[:-1] == [0, 0, 0]
    assert scores(game, CERTAIN)[-1] > 0
    assert scores(game, GUESS) == sorted(scores(game, GUESS))
    assert scores(game, GUESS)[0] == game.settings["blind_guess"]


def test_budgets_are_leakages() -> None:
    steps: list[tuple[int, int]] = []
    game = homogeneity(PATIENTS, **ILL, budgets=["1", "0"], progress=lambda *step: steps.append(step))
    assert [float(one.budget) for one in game.results if one.budget is not None] == [0, 0, 1, 1]
    assert scores(game, GUESS)[0] == game.settings["blind_guess"]
    assert steps == [(1, 2), (2, 2)]


def test_few_values_left_are_counted_too() -> None:
    game = homogeneity(PATIENTS, **ILL, few=3, min_posteriors=[3, 4])
    assert scores(game, CERTAIN)[0] == 0
    assert scores(game, CERTAIN)[1] > 0
    assert "3 values left" in game.measure


def test_four_anonymity_tells_illnesses() -> None:
    """Proposition V.1 of [P4]: each group has four members or more, and some have one illness."""
    game = homogeneity(ANONYMOUS, sensitive="illness", public=["age", "sex", "postcode"])
    assert nl.audit(ANONYMOUS, sensitive="illness", public=["age", "sex", "postcode"]).k_anonymity >= 4
    assert scores(game, CERTAIN) == [0.2]


def test_a_certificate_a_unit_and_the_order_say_the_same() -> None:
    table = nl.open_table(PATIENTS)
    done = nl.release(table, sensitive="illness", public="age", min_posterior=3, keep_order=True)
    whole = pa.table({"patient": list(range(1, 41)), "age": done.table["age"]})
    shuffled = whole.take(pa.array([(7 * i) % 40 for i in range(40)]))
    games = [
        homogeneity(PATIENTS, **ILL, certificate=done.certificate),
        homogeneity(PATIENTS, **ILL, released=done.table, same_order=True),
        homogeneity(PATIENTS, **ILL, released=shuffled, unit="patient"),
        homogeneity(PATIENTS, **ILL, min_posteriors=[3]),
    ]
    found = [[(one.budget, one.score, one.details) for one in game.results] for game in games]
    assert found[0] == found[1] == found[2] == found[3]
    assert found[0][0][0] == Bits(2)


@pytest.mark.parametrize("known", [{"given": "sex"}, {"keep": "sex"}])
def test_certificates_know_side_information_and_kept_columns(known: dict[str, str]) -> None:
    done = nl.release(PATIENTS, sensitive="illness", public="age", max_leakage=2, **known)  # type: ignore[arg-type]
    game = homogeneity(PATIENTS, **ILL, given=known.get("given", ()), certificate=done.certificate.to_dict())
    assert game.results[0].details["min_posterior"] == done.point.min_posterior
    assert game.results[0].budget == done.point.leakage


def test_whoever_is_absent_from_a_release_is_seen_to_be() -> None:
    table = pa.table({"who": [1, 2, 3], "x": [5, 5, 5], "s": ["a", "b", "c"]})
    released = pa.table({"who": [1, 2], "x": ["*", "*"]})
    game = homogeneity(table, sensitive="s", public="x", released=released, unit="who")
    assert scores(game, CERTAIN) == [1 / 3, 0]


def test_rows_that_nothing_matches_are_refused() -> None:
    table, released = pa.table({"who": [1], "x": [5], "s": ["a"]}), pa.table({"who": [2], "x": [5]})
    play: Callable[..., Game] = lambda **how: homogeneity(table, sensitive="s", public="x", **how)  # noqa: E731
    with pytest.raises(RequestError, match="which rows belong together"):
        play(released=released)
    with pytest.raises(RequestError, match="nobody of the original"):
        play(released=released, unit="who")
    with pytest.raises(RequestError, match="another type"):
        play(released=pa.table({"who": ["1"], "x": [5]}), unit="who")
    with pytest.raises(RequestError, match="1 rows, the release 2"):
        play(released=pa.table({"x": [5, 5]}), same_order=True)


def test_a_certificate_of_another_table_is_refused() -> None:
    done = nl.release(PATIENTS, sensitive="illness", public="age", min_posterior=2)
    with pytest.raises(RequestError, match="another table"):
        homogeneity(pa.table({"age": [1], "illness": ["flu"]}), **ILL, certificate=done.certificate)
    with pytest.raises(RequestError, match="cannot be used"):
        homogeneity(PATIENTS, **ILL, certificate={"format": "noiseless-certificate", "version": 1})


def test_missing_values_are_values_dropped_or_refused() -> None:
    table = pa.table({"x": [1, 1, None], "s": ["a", "b", "c"]})
    play: Callable[..., Game] = lambda how: homogeneity(table, sensitive="s", public="x", missing=how)  # noqa: E731
    assert scores(play("value"), CERTAIN) == [1 / 3]
    assert scores(play("drop"), CERTAIN) == [0]
    with pytest.raises(MissingValuesError):
        play("error")


@pytest.mark.parametrize(
    "wrong",
    [
        {"sensitive": []},
        {"public": []},
        {"few": 0},
        {"budgets": ["reach 3"]},
        {"budgets": [1], "unit": "patient"},
        {"suppress": "0.1"},
        {"min_posteriors": [7]},
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(RequestError):
        homogeneity(PATIENTS, **{**ILL, **wrong})


def test_columns_are_checked() -> None:
    with pytest.raises(ColumnError, match="both sensitive and public"):
        homogeneity(PATIENTS, sensitive="age", public="age")
    with pytest.raises(ColumnError, match="release that hides it, give its original and --certificate"):
        homogeneity(pa.table({"age": ["31-40", "41-50"]}), **ILL)
    with pytest.raises(EmptyTableError):
        homogeneity(pa.table({"age": pa.array([], pa.int64()), "illness": pa.array([], pa.string())}), **ILL)


@pytest.fixture
def attack() -> Callable[..., str]:
    app = typer.Typer()
    app.command()(homogeneity_command)

    def call(*options: str) -> str:
        done = CliRunner().invoke(app, [*options, "--sensitive", "illness", "--public", "age"])
        assert done.exit_code == 0, done.output
        return done.stdout

    return call


def test_the_command_sweeps_budgets(attack: Callable[..., str], tmp_path: Path) -> None:
    picture = tmp_path / "plot.svg"
    budgets = ("--budget", "0", "--budget", "1", "--min-posterior", "2", "--suppress", "0.05")
    found = json.loads(attack(str(PATIENTS), *budgets, "--format", "json", "--plot", str(picture)))
    assert [one["budget"] for one in found["results"][::2]] == [
        0.0,
        1.0,
        pytest.approx(1.585, abs=1e-3),
        "inf",
    ]
    assert [one["adversary"] for one in found["results"][:2]] == [CERTAIN, GUESS]
    assert picture.stat().st_size > 1000


def test_the_command_attacks_a_release(attack: Callable[..., str], tmp_path: Path) -> None:
    done = nl.release(PATIENTS, sensitive="illness", public="age", min_posterior=3)
    done.save(tmp_path / "released.csv", certificate=tmp_path / "certificate.json")
    text = attack(str(PATIENTS), "--certificate", str(tmp_path / "certificate.json"))
    assert "Baseline: a blind guess is right 35 % of the time." in text
    kept = nl.release(PATIENTS, sensitive="illness", public="age", min_posterior=3, keep_order=True)
    kept.save(tmp_path / "kept.csv")
    assert attack(str(PATIENTS), "--released", str(tmp_path / "kept.csv"), "--same-order") == text


def test_rows_that_are_there_twice_can_be_dropped() -> None:
    table = pa.table({"x": [1, 1, 1], "s": ["a", "a", "b"]})
    assert scores(homogeneity(table, sensitive="s", public="x", distinct_rows=True), GUESS) == [1 / 2]


def test_the_hearts_of_p3(data: Path) -> None:
    """86 of 293 patients have their age given away by their cholesterol; behind two ages nobody has."""
    table = data / "heart" / "processed.hungarian.data"
    game = homogeneity(
        table,
        sensitive="age",
        public="chol",
        names=HEART_COLUMNS,
        numeric="chol",
        min_posteriors=[2],
        distinct_rows=True,
    )
    assert scores(game, CERTAIN) == [0, 86 / 293]
