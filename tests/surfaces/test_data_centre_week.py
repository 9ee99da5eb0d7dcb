"""A research data centre's week: ten outputs of one project, checked one after the other."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import noiseless as nl
from noiseless.cli.main import run
from noiseless.ledger import Ledger
from noiseless.tabulations.audit import TabulationAudit
from waiting import HANGS

FIXTURES = Path(__file__).parents[1] / "fixtures" / "week"
PROJECT = ("--ledger", "project.db", "--population", "project-17", "--threshold", "5", "--record")

ADULTS = """
hierarchy = {age = "adults.csv"}
[[table]]
file = "10-adults.csv"
rows = "region"
cols = "sex"
where = {age = "adult"}
"""

WEEK: tuple[tuple[str, tuple[str, ...], int], ...] = (
    ("1-region-illness.csv", ("--cols", "illness"), 0),
    ("2-region-sex.csv", ("--cols", "sex"), 0),
    ("3-illness-sex.csv", ("--cols", "sex"), 1),  # all illnesses add up: two of the West are withheld
    ("4-illness-sex.csv", ("--cols", "sex"), 0),  # as the check offered
    ("5-region-age.csv", ("--cols", "age"), 0),
    ("6-illness-age.csv", ("--cols", "age"), 1),  # the same sums by another dimension
    ("7-sex-age.csv", ("--cols", "age"), 0),
    ("8-without-measles.csv", ("--cols", "illness", "--hierarchy", "illness=not-measles.csv"), 1),
    ("9-childhood.csv", ("--cols", "illness", "--hierarchy", "illness=childhood.csv"), 1),  # a count of 3
    ("adults.toml", (), 0),
)
"""What is handed in, and the exit code."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for file in FIXTURES.iterdir():
        shutil.copy(file, tmp_path)
    (tmp_path / "adults.toml").write_text(ADULTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(capsys: pytest.CaptureFixture[str], name: str, *options: str) -> tuple[int, dict[str, Any]]:
    code = run(["tables", "check", name, *options, *PROJECT, "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, found


def test_the_week(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    offers = dict[str, list[list[str]]]()
    for name, options, code in WEEK:
        found_code, found = checked(capsys, name, *options)
        assert found_code == code, name
        assert (found["entry"] is None) is (code == 1), name
        if code:
            assert found["breaches"], name
            assert found["coarsening"]["least"]
            offers[name] = [each["labels"] for each in found["coarsening"]["withheld"]]
    assert offers == {
        "3-illness-sex.csv": [["measles", "f"], ["mumps", "f"]],
        "6-illness-age.csv": [["measles", "40-64"]],
        "8-without-measles.csv": [["West", "not measles"]],
        "9-childhood.csv": [],
    }
    assert run(["ledger", "verify", "project.db", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["entries"] == 1 + sum(not code for _, _, code in WEEK)
    audit = released_together(folder)
    assert audit.holds
    assert len(audit.publication.tables) == sum(not code for _, _, code in WEEK)


def released_together(folder: Path) -> TabulationAudit:
    """All that left in the week, read by itself as one publication and audited without the ledger."""
    tables = [
        f'[[table]]\nfile = "{name}"\nrows = "{name.split("-")[1]}"\ncols = "{options[1]}"\n'
        for name, options, code in WEEK
        if not code and options
    ]
    _, adults = ADULTS.split("[[table]]")
    text = 'hierarchy = {age = "adults.csv"}\n' + "".join(tables) + "[[table]]" + adults
    (folder / "released.toml").write_text(text)
    return nl.audit_tables(folder / "released.toml", rules={"threshold": 5})


def test_two_checkers_at_the_same_time(folder: Path) -> None:
    """Each output passes alone; together they tell how many in the South have measles."""
    (folder / "ill.csv").write_text("region,flu,measles\nNorth,31,12\nSouth,19,x\n")
    (folder / "women.csv").write_text("region,f,m\nSouth,12,x\n")
    (folder / "men.csv").write_text("region,f,m\nSouth,x,11\n")
    common = ("--ledger", "race.db", "--population", "reg", "--record", "--json")
    assert run(["tables", "check", "ill.csv", "--cols", "illness", *common]) == 0
    command = [sys.executable, "-m", "noiseless", "tables", "check"]
    both = [
        subprocess.Popen(
            [*command, name, "--cols", "sex", "--told", "absent=withheld", *common],
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("women.csv", "men.csv")
    ]
    found = [json.loads(each.communicate(timeout=HANGS)[0]) for each in both]
    assert sorted(each.returncode for each in both) == [0, 1]
    assert sorted(each["refused"] for each in found) == [False, True]
    with Ledger.open("race.db") as ledger:
        assert ledger.verify().ok
        assert [entry.kind for entry in ledger.entries()] == ["dataset", "publication", "publication"]
