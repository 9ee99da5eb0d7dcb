"""Which records are unique in what is told of them."""

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from noiseless.adversaries.linkage import linkage, linked
from noiseless.cli.attacks.records import linkage_command
from noiseless.collection.local import LocalQuantizer, LocalVector
from noiseless.errors import ColumnError, DomainError, EmptyTableError, MissingValuesError, RequestError
from noiseless.exact import Bits
from noiseless.questions import Continuum, Lattice, Span

BOX: dict[str, Span] = {"x": Lattice.of(0, 63, 1), "y": Continuum.of(0, 1)}


def points(rows: int, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    return pa.table({"x": rng.integers(0, 64, rows), "y": rng.random(rows)})


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 2)), min_size=1))
def test_groups_of_equal_rows_are_counted(rows: list[tuple[int, int, int]]) -> None:
    counts = Counter(rows)
    found = linked([np.array(column, np.int64) for column in zip(*rows, strict=True)])
    assert found.unique == sum(count == 1 for count in counts.values())
    assert (found.groups, found.rows) == (len(counts), len(rows))


def test_keys_that_do_not_fit_a_word_are_numbered_first() -> None:
    big = 2**40
    columns = [np.array([0, big, 0, big]), np.array([big, 1, big, 2]), np.array([3, 3, 3, 3])]
    assert linked(columns) == (2, 3, 4)


@given(st.integers(0, 20), st.integers(1, 200), st.sampled_from(["even", "optimal"]))
def test_scores_are_those_of_the_package_s_own_cells(bits: int, rows: int, split: str) -> None:
    table = points(rows, seed=bits)
    (score, unprotected) = linkage(table, BOX, budgets=[bits], split=split).results  # type: ignore[arg-type]
    if split == "even":
        share = (
            LocalQuantizer.finest(BOX["x"], int(2 ** (bits / 2))),
            LocalQuantizer.finest(BOX["y"], int(2 ** (bits / 2))),
        )
        told = LocalVector(share, (Fraction(1), Fraction(1)))
    else:
        told = LocalVector.finest(BOX, 2**bits)
    assert told.reach <= 2**bits
    codes = told.encode([table["x"], table["y"]], floats="decimal")
    counts = Counter(zip(*(c.tolist() for c in codes), strict=True))
    assert score.score == sum(count == 1 for count in counts.values()) / rows
    assert score.low == score.score == score.high
    assert score.details["hit"] == len(counts) / rows
    assert score.details["cells"] == list(told.cells)
    assert unprotected.score == 1.0
    assert unprotected.budget is None


@settings(max_examples=8)
@given(st.integers(1, 12), st.integers(1, 300))
def test_one_more_bit_a_column_never_hides_a_record(bits: int, rows: int) -> None:
    """Cells of a power of two are nested, so that a record that is unique stays so when they are halved."""
    box: dict[str, Span] = dict.fromkeys(("x", "z"), Lattice.of(0, 4095, 1))
    rng = np.random.default_rng(bits)
    table = pa.table({name: rng.integers(0, 4096, rows) for name in box})
    shares = [score.score for score in linkage(table, box, budgets=[2 * bits - 2, 2 * bits]).results]
    assert shares == sorted(shares)


def test_with_all_bits_everything_is_told() -> None:
    box: dict[str, Span] = dict.fromkeys(("x", "z"), Lattice.of(0, 7, 1))
    table = pa.table({"x": [1, 1, 5, 7, 7], "z": [2, 2, 5, 0, 1]})
    every, unprotected = linkage(table, box, budgets=[6]).results
    assert every.score == unprotected.score == 0.6


def test_without_bits_only_a_single_record_is_unique() -> None:
    assert linkage(points(50), BOX, budgets=[0]).results[0].score == 0
    assert linkage(points(1), BOX, budgets=[0]).results[0].score == 1


def test_budgets_can_be_numbers_of_answers() -> None:
    game = linkage(points(90), BOX, budgets=["reach 26", Bits(8), "reach 9"])
    assert [score.details["cells"] for score in game.results] == [[2, 2], [3, 3], [5, 5], None]


def test_without_budgets_each_column_gets_one_to_twelve_bits() -> None:
    game = linkage(points(10), BOX)
    assert [float(s.budget) for s in game.results if s.budget is not None] == [
        float(2 * k) for k in range(1, 13)
    ]


def test_progress_is_told() -> None:
    steps: list[tuple[int, int]] = []
    linkage(
        points(5), BOX, budgets=[2, 4], split=["even", "optimal"], progress=lambda *step: steps.append(step)
    )
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_rows_outside_are_refused_dropped_or_moved() -> None:
    table = pa.table({"x": [0, 63, 64, -1, 63], "y": [0.0, 1.0, 0.5, 0.5, 1.1]})
    with pytest.raises(DomainError, match="2 values are outside"):
        linkage(table, BOX, budgets=[2])
    dropped = linkage(table, BOX, budgets=[2], outside="drop")
    assert (dropped.settings["rows"], dropped.settings["left_out"]) == (2, 3)
    moved = linkage(table, BOX, budgets=[20], outside="clamp")
    assert moved.results[0].details["groups"] == 4  # 1.1 is moved to 1.0, beside another record
    with pytest.raises(EmptyTableError):
        linkage(pa.table({"x": [99], "y": [0.5]}), BOX, outside="drop")


def test_values_off_the_lattice_are_refused_even_when_others_are_dropped() -> None:
    with pytest.raises(DomainError, match="1 value is outside"):
        linkage(pa.table({"x": [0.5, 1.0], "y": [0.5, 0.5]}), BOX, outside="drop")


def test_missing_values_are_refused_or_dropped() -> None:
    table = pa.table({"x": [1, None, 3], "y": [0.1, 0.2, 0.3]})
    with pytest.raises(MissingValuesError):
        linkage(table, BOX)
    assert linkage(table, BOX, missing="drop").settings["rows"] == 2


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: linkage(points(3), {}),
        lambda: linkage(points(3), BOX, split=[]),
        lambda: linkage(points(3), BOX, split="fair"),  # type: ignore[arg-type]
        lambda: linkage(points(3), BOX, outside="keep"),  # type: ignore[arg-type]
        lambda: linkage(points(3), BOX, missing="value"),
        lambda: linkage(points(3), BOX, budgets=[-1]),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(RequestError):
        wrong()


def test_texts_are_no_numbers() -> None:
    with pytest.raises((ColumnError, RequestError)):
        linkage(pa.table({"x": ["a"], "y": [0.5]}), BOX, outside="drop")


@pytest.fixture
def app() -> typer.Typer:
    found = typer.Typer()
    found.command()(linkage_command)
    return found


def test_the_command_plays_the_same_game(app: typer.Typer, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a=b,y\n1,0.5\n2,0.25\n2,0.25\n")
    wanted = [str(tmp_path / "t.csv"), "--column", "a=b=0:7:1", "--column", "y=0:1", "--budget", "6"]
    wanted += ["--split", "even", "--split", "optimal", "--weight", "y=7"]
    done = CliRunner().invoke(app, [*wanted, "--format", "json", "--plot", str(tmp_path / "plot.svg")])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["game"] == "linkage"
    assert [(one["budget"], one["split"], one["unique"]) for one in found["results"]] == [
        (6.0, "even", 1),
        (6.0, "optimal", 1),
        ("inf", "even", 1),
        ("inf", "optimal", 1),
    ]
    assert found["columns"]["a=b"] == "0..7 in steps of 1 (8 values)"
    assert (tmp_path / "plot.svg").read_bytes().startswith(b"<?xml")
    text = CliRunner().invoke(app, wanted)
    assert "share of records that are unique" in text.stdout


def test_a_single_column_has_its_bounds_as_in_other_commands(app: typer.Typer, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("y\n1\n2\n2\n")
    ways = (["--column", "y=0:7:1"], ["--column", "y", "--bounds", "0", "7", "--step", "1"])
    one, two = (CliRunner().invoke(app, [str(tmp_path / "t.csv"), *way, "--budget", "1"]) for way in ways)
    assert one.exit_code == 0
    assert one.stdout == two.stdout


@pytest.mark.parametrize(
    "wrong",
    [
        ["--column", "y=0"],
        ["--column", "0:1"],
        ["--column", "y=0:1", "--weight", "7"],
        ["--column", "y", "--step", "1"],
        ["--column", "x", "--column", "y", "--bounds", "0", "1"],
    ],
)
def test_the_command_refuses_what_it_cannot_read(app: typer.Typer, wrong: list[str]) -> None:
    done = CliRunner().invoke(app, ["t.csv", *wrong])
    assert isinstance(done.exception, RequestError)


def test_the_taxi_trips_of_p1(data: Path) -> None:
    """[P1] V-C: hardly any trip is unique with few bits, as good as all are with many."""
    lon, lat = (
        Continuum.of(Fraction("-74.27"), Fraction("-73.68")),
        Continuum.of(Fraction("40.49"), Fraction("40.92")),
    )
    box: dict[str, Span] = {"pickup_lon": lon, "pickup_lat": lat, "dropoff_lon": lon, "dropoff_lat": lat}
    game = linkage(data / "taxi" / "trips.parquet", box, budgets=[4, 8, 16, 32, 48], outside="drop")
    shares = [score.score for score in game.results]
    assert game.settings["rows"] == 149_578
    assert shares == sorted(shares)
    assert max(shares[:3]) < 0.01
    assert abs(shares[-2] - shares[-1]) < 0.002
