"""`noiseless blur` as people and programs call it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from noiseless.cli.main import run
from noiseless.cli.values import read_ranges

CSV = "name,weight,height\nAnn,96,180\nBo,99,180\nCy,60,170\nDi,98,180\nEd,130,180\n"
BMI = ("--hypothesis", "weight >= 30*(height/100)**2")
WEIGHT, HEIGHT = ("--bounds", "weight=0:200"), ("--bounds", "height=0:250")


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - any JSON
        return json.loads(self.out)


Command = Callable[..., Outcome]


@pytest.fixture
def blur(capsys: pytest.CaptureFixture[str]) -> Command:
    def call(*arguments: str) -> Outcome:
        code = run(["blur", *arguments])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(CSV)
    return "people.csv"


def test_as_json(blur: Command, people: str) -> None:
    done = blur(people, *BMI, "--max-change", "5", *WEIGHT, *HEIGHT, "-o", "out.csv", "--format", "json")
    assert (done.code, done.err) == (0, "")
    assert done.json == {
        "rows": 5,
        "dropped": 0,
        "moved": 3,
        "protected_rows": 3,
        "protected_share": 0.04741234068700323,
        "protected_share_exact": "2392/50451",
        "protected_share_at_most": 0.047412340687003236,
        "privacy_nats": 0.023443875320781283,
        "privacy_reference": "h0(Y)",
        "privacy_x_nats": 0.04857314544105321,
        "max_change": 3.0,
        "max_change_exact": "3",
        "allowed_change_exact": "5",
        "mode": "stretch",
        "column": "weight",
        "hypothesis": "weight >= 30 * (height / 100)**2",
        "declared": {
            "height": "0..250 in steps of 1 (251 values)",
            "weight": "0..200 in steps of 1 (201 values)",
        },
        "out": "out.csv",
    }
    expected = "name,weight,height\nAnn,98,180\nBo,96,180\nCy,60,170\nDi,95,180\nEd,130,180\n"
    assert Path("out.csv").read_text() == expected
    assert sorted(path.name for path in Path().iterdir()) == ["out.csv", "people.csv"]


def test_as_text(blur: Command, people: str) -> None:
    done = blur(people, *BMI, "--max-change", "5", *WEIGHT, *HEIGHT, "-o", "out.csv", "--mode", "collapse")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "weight >= 30 * (height / 100)**2 is hidden for 3 rows; 3 were moved."
    assert "  protected share  4.74 % of the declared range (2392/50451)" in lines
    assert "  largest change   2 of 5 allowed" in lines
    assert "  other rows       2: the answer can be read off" in lines
    assert lines[-1] == "  written to       out.csv"


def test_nothing_near_and_nothing_to_hide(blur: Command, people: str) -> None:
    far = blur(people, "--hypothesis", "weight >= 190", "--max-change", "5", *WEIGHT, "-o", "out.csv")
    assert far.out.startswith("No row is near the boundary of weight >= 190: nothing was changed.")
    never = blur(people, "--hypothesis", "weight >= 300", "--max-change", "5", *WEIGHT, "-o", "out.csv")
    assert never.code == 0
    assert never.out.startswith(
        "NOTHING IS PROTECTED: within the declared bounds weight >= 300 never depends"
    )
    assert Path("out.csv").read_text() == CSV


def test_a_quotient_is_solved_and_a_schema_is_read(blur: Command, people: str) -> None:
    Path("schema.toml").write_text('[columns.height]\nrole = "public"\nbounds = [50, 250]\n')
    asked = ("--hypothesis", "weight/(height/100)**2 >= 30", "--max-change", "2.5", "--schema", "schema.toml")
    done = blur(people, *asked, "--bounds", "weight=0:200:0.5", "-o", "out.parquet", "--format", "json")
    assert done.code == 0
    assert done.json["hypothesis"] == "weight >= 30 * (height / 100)**2"
    assert (done.json["allowed_change_exact"], done.json["max_change_exact"]) == ("5/2", "3/2")


def test_names_and_missing_values(blur: Command, people: str) -> None:
    Path(people).write_text("96,180\n,180\n99,180\n")
    asked = (people, "--names", "weight,height", *BMI, "--max-change", "5", *WEIGHT, *HEIGHT, "-o", "out.tsv")
    refused = blur(*asked)
    assert refused.code == 2
    assert refused.err.startswith("noiseless: column 'weight' has 1 missing value; fill them,")
    assert not Path("out.tsv").exists()
    done = blur(*asked, "--missing", "drop")
    assert "  rows             2 (1 left out)" in done.out.splitlines()
    assert Path("out.tsv").read_text() == "weight\theight\n98\t180\n96\t180\n"


def test_columns_with_odd_names(blur: Command, people: str) -> None:
    Path(people).write_text("a=b:c,w\n5,1\n")
    done = blur(
        people, "--hypothesis", '"a=b:c" > 4', "--max-change", "1", "--bounds", "a=b:c=-9:9", "-o", "out.csv"
    )
    assert (done.code, Path("out.csv").read_text()) == (0, "a=b:c,w\n4,1\n")


GOOD = {"--hypothesis": BMI[1], "--max-change": "5", "-o": "out.csv"}


@pytest.mark.parametrize(
    ("change", "bounds", "line"),
    [
        ({"--hypothesis": "weight"}, None, "'weight': is not a comparison; write one with"),
        (
            {"--hypothesis": "weight >= waist"},
            ["weight=0:200", "waist=0:9"],
            "column 'waist' is not in the table",
        ),
        ({"--hypothesis": "weight >= 1/height"}, None, "divides by 0 for some declared values"),
        ({"--hypothesis": "weight/height >= 1"}, None, "write it as weight >= 1 * height"),
        (
            {},
            ["weight=0:200"],
            "column 'height' has no declared bounds; give them, as in --bounds height=0:100",
        ),
        ({}, ["weight=200:0", "height=0:250"], "column 'weight': bounds must be in order"),
        ({}, ["weight", "height=0:250"], "--bounds 'weight' is not COL=LO:HI"),
        ({}, ["weight=0", "height=0:250"], "--bounds 'weight=0' is not COL=LO:HI"),
        ({}, ["weight=0:x", "height=0:250"], "--bounds takes a finite decimal number, not 'x'"),
        ({}, ["weight=0:inf", "height=0:250"], "--bounds takes a finite decimal number, not 'inf'"),
        ({}, ["weight=0:9", "weight=0:9"], "column 'weight' is named twice in --bounds"),
        ({}, ["weight=0:200:3", "height=0:250"], "bounds must be a whole number of steps of 3 apart"),
        ({}, ["weight=0:100", "height=0:250"], "column 'weight': 1 value is outside 0..100 in steps of 1"),
        ({"--max-change": "0"}, None, "the largest change must be above 0"),
        ({"--max-change": "-5"}, None, "the largest change must be above 0"),
        ({"--max-change": "five"}, None, "--max-change takes a finite decimal number, not 'five'"),
        ({"--max-change": "0.5"}, None, "no value of 'weight' can move by less than its step, 1"),
        ({"-o": "people.csv"}, None, "people.csv: is the table itself"),
        ({"-o": "nowhere/out.csv"}, None, "nowhere/out.csv: its folder does not exist"),
        ({"-o": "out.xlsx"}, None, "out.xlsx: tables are written as .csv, .tsv, .parquet"),
        ({"--schema": "none.toml"}, None, "none.toml: there is no such file"),
        ({"--mode": "squash"}, None, "--mode: 'squash' is not one of"),
        ({"--missing": "value"}, None, "--missing: 'value' is not one of"),
    ],
)
def test_wrong_requests(
    blur: Command, people: str, change: dict[str, str], bounds: list[str] | None, line: str
) -> None:
    options = [word for option in {**GOOD, **change}.items() for word in option]
    declared = bounds if bounds is not None else ["weight=0:200", "height=0:250"]
    done = blur(people, *options, *(word for text in declared for word in ("--bounds", text)))
    assert (done.code, done.out) == (2, "")
    assert line in done.err
    assert done.err.count("\n") == 1
    assert not Path("out.csv").exists()
    assert Path(people).read_text() == CSV


def test_options_that_must_be_there(blur: Command, people: str) -> None:
    assert blur(people, "--max-change", "5", "-o", "out.csv").err.startswith(
        "noiseless: Missing option '--hypothesis'"
    )
    assert blur("nobody.csv", *BMI, "--max-change", "5", "-o", "o.csv").code == 2


def test_a_failing_disk_leaves_nothing_behind(
    blur: Command, people: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("out.csv").write_text("old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    done = blur(people, *BMI, "--max-change", "5", *WEIGHT, *HEIGHT, "-o", "out.csv")
    assert done.code == 2
    assert "out.csv: cannot be written" in done.err
    assert Path("out.csv").read_text() == "old"
    assert sorted(path.name for path in Path().iterdir()) == ["out.csv", "people.csv"]


def test_a_name_with_a_space_may_be_quoted_as_in_the_hypothesis() -> None:
    assert read_ranges("--bounds", ['"body weight"=0:9']) == read_ranges("--bounds", ["body weight=0:9"])
