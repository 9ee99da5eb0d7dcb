"""What follows from earlier answers, in ledgers: of several analysts, opened again, and of other versions."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow.csv import write_csv

from noiseless.curator import Curator

FILE = """
[dataset]
name = "people"
source = "people.csv"
[budget]
bits = 40
[columns.town]
role = "public"
categories = ["a", "b"]
[columns.age]
role = "private"
bounds = [0, 99]
[columns.smokes]
role = "private"
type = "boolean"
"""
OLD, BOTH = (
    "SELECT COUNT(*) FROM people WHERE age >= 65",
    "SELECT COUNT(*) FROM people WHERE age >= 65 AND smokes",
)
REST = "SELECT COUNT(*) FROM people WHERE age >= 65 AND NOT smokes"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "people.toml"
    file.write_text(FILE)
    write(tmp_path, range(40, 60))
    return file


def write(folder: Path, ages: range) -> None:
    rows = {
        "town": ["ab"[age % 2] for age in ages],
        "age": [3 * age % 100 for age in ages],
        "smokes": [age % 3 == 0 for age in ages],
    }
    write_csv(pa.table(rows), folder / "people.csv")


def test_it_is_free_for_other_analysts_and_when_the_ledger_is_opened_again(path: Path) -> None:
    with Curator.open(path) as curator:
        curator.ask(OLD, analyst="ann")
        assert not curator.price(REST).answers[0].free
        curator.ask(BOTH, analyst="bob")
    with Curator.open(path) as curator:
        quoted, told = curator.price(REST, analyst="cem"), curator.ask(REST, analyst="cem")
        assert quoted.batch.outputs == told.batch.outputs == 1
        ages = [(3 * age % 100, age % 3 == 0) for age in range(40, 60)]
        assert told.answers[0].value == sum(age >= 65 and not smokes for age, smokes in ages)


def test_answers_about_different_versions_never_combine(path: Path) -> None:
    with Curator.open(path) as curator:
        curator.ask(OLD)
    write(path.parent, range(41, 61))
    with Curator.open(path) as curator:
        curator.declare_version()
    with Curator.open(path) as curator:
        curator.ask(BOTH)
        assert not curator.price(REST).answers[0].free
        curator.ask(OLD)
        assert curator.price(REST).answers[0].free
