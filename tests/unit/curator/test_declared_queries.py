"""Declared queries in the owner's file, in the ledger and in what analysts are told."""

from fractions import Fraction
from pathlib import Path

import pytest

from noiseless.curator import Curator
from noiseless.curator.file import CuratorFile
from noiseless.errors import NoiselessError, RequestError, SchemaError

FILE = """
[dataset]
name = "meters"
source = "meters.csv"
[budget]
bits = 12
query_bits = 2
[columns.suburb]
role = "public"
categories = ["north", "south"]
[columns.kwh]
role = "private"
bounds = [0, 10]
step = 0.5
[columns.people]
role = "private"
bounds = [1, 4]
"""
EXCESS = '[queries.excess]\nformula = "max(kwh - 5, 0)**2"\nstep = 0.25\n'
SPREAD = (
    '[queries.spread]\nsql = "SELECT MAX(kwh) - MIN(kwh) FROM meters WHERE people < 4"\n'
    "bounds = [0, 10]\nsensitivity = 10\n"
)


def written(folder: Path, queries: str) -> Path:
    rows = "north,1.5,2\nnorth,8,3\nsouth,9.5,4\nsouth,2,1\nsouth,6,1\n"
    (folder / "meters.csv").write_text(f"suburb,kwh,people\n{rows}")
    path = folder / "meters.toml"
    path.write_text(FILE + queries)
    return path


def test_a_declared_query_is_asked_by_name_and_free_the_second_time(tmp_path: Path) -> None:
    with Curator.open(written(tmp_path, EXCESS + SPREAD)) as curator:
        first = curator.ask("SELECT excess() AS e FROM meters")
        answer = first.answers[0].interval
        assert answer is not None
        assert answer.lower <= (Fraction(3) ** 2 + Fraction(9, 2) ** 2 + 1) / 5 <= answer.upper
        assert first.batch.outputs > 1
        assert curator.ask("SELECT EXCESS() FROM meters").batch.outputs == 1
        spread = curator.ask("SELECT /*+ max_error(0.5) */ spread() FROM meters").answers[0].interval
        assert spread is not None
        assert spread.lower <= Fraction(13, 2) <= spread.upper


def test_a_formula_of_one_column_is_composed_as_a_sum_is(tmp_path: Path) -> None:
    """A histogram says all of it; cuts of one column add up."""
    with Curator.open(written(tmp_path, EXCESS)) as curator:
        together = curator.price("SELECT excess(), AVG(kwh), MAX(kwh) FROM meters")
        assert together.batch.outputs <= 1 + 3 * 3
        curator.ask("SELECT /*+ reach(21) */ kwh, COUNT(*) FROM meters GROUP BY kwh")
        assert curator.price("SELECT excess() FROM meters").batch.outputs == 1


def test_a_changed_formula_is_another_question(tmp_path: Path) -> None:
    path = written(tmp_path, EXCESS)
    with Curator.open(path) as curator:
        curator.ask("SELECT excess() FROM meters")
    path.write_text(FILE + EXCESS.replace("- 5", "- 4"))
    with Curator.open(path) as curator:
        assert curator.price("SELECT excess() FROM meters").batch.outputs > 1


def test_what_the_sql_has_no_number_for_counts_as_the_lower_bound(tmp_path: Path) -> None:
    none = SPREAD.replace("people < 4", "people > 4")
    with Curator.open(written(tmp_path, none)) as curator:
        answer = curator.ask("SELECT /*+ max_error(0.5) */ spread() FROM meters").answers[0].interval
        assert answer is not None
        assert answer.lower == 0


def test_no_error_of_the_engine_says_what_the_data_hold(tmp_path: Path) -> None:
    """A suburb is no time zone: the engine would name it."""
    zone = "EXTRACT(hour FROM timezone(suburb, TIMESTAMPTZ '2020-01-01 00:00:00+00'))"
    stumbling = SPREAD.replace("MAX(kwh) - MIN(kwh)", f"MAX({zone})")
    with Curator.open(written(tmp_path, stumbling)) as curator:
        answer = curator.ask("SELECT /*+ max_error(0.5) */ spread() FROM meters").answers[0].interval
        assert answer is not None
        assert answer.lower == 0


def test_the_exposure_to_sql_is_refused_in_a_line(tmp_path: Path) -> None:
    with Curator.open(written(tmp_path, EXCESS + SPREAD)) as curator:
        curator.ask("SELECT excess() FROM meters")
        assert curator.exposure().questions == 1
        curator.ask("SELECT spread() FROM meters")
        with pytest.raises(RequestError, match="SQL is not worked out"):
            curator.exposure()


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT exces() FROM meters", "did you mean excess()?"),
        ("SELECT other() FROM meters", "the function 'other' is not understood here"),
        ("SELECT excess(kwh) FROM meters", "excess() takes nothing; write excess()"),
        ("SELECT excess() FROM meters WHERE kwh > 3", "over a private filter has no price"),
        ("SELECT spread() FROM meters WHERE suburb = 'north'", "is about the whole table"),
        ("SELECT suburb, spread() FROM meters GROUP BY suburb", "is about the whole table"),
        ("SELECT people, excess() FROM meters GROUP BY people", "over a private filter has no price"),
        ("SELECT /*+ max_error(1) least(leakage) */ spread() FROM meters", "least leakage"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_line(sql: str, said: str, tmp_path: Path) -> None:
    with Curator.open(written(tmp_path, EXCESS + SPREAD)) as curator, pytest.raises(NoiselessError) as caught:
        curator.price(sql)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("queries", "said"),
    [
        ("queries = 3", "queries must be tables"),
        ('[queries.count]\nformula = "kwh"\nstep = 1', "no free name"),
        ('[queries.Peak]\nformula = "kwh"\nstep = 1', "no free name"),
        ('[queries.q]\nformula = "kwh"', "step must be a number"),
        ('[queries.q]\nformula = "kwh"\nstep = 0', "step must be above 0"),
        ('[queries.q]\nformula = "kwhh"\nstep = 1', "'kwhh' is no private column"),
        ('[queries.q]\nformula = "suburb"\nstep = 1', "'suburb' is no private column"),
        ('[queries.q]\nformula = "1 / (kwh - 5)"\nstep = 1', "may divide by 0"),
        ('[queries.q]\nformula = "3"\nstep = 1', "names no column"),
        ('[queries.q]\nformula = "kwh"\nstep = 1\naggregate = "max"', 'aggregate is "sum" or "mean"'),
        ('[queries.q]\nformula = "kwh"\nstep = 1\nstpe = 2', "did you mean step?"),
        ("[queries.q]\nstep = 1", "give one of formula, pieces and sql"),
        ("[queries.q]\npieces = []", "pieces must be a list"),
        ("[queries.q]\npieces = [{ value = 1 }]", "a piece holds for no column"),
        ("[queries.q]\npieces = [{ value = 1, kwh = [1, 20] }]", "outside what is declared"),
        ("[queries.q]\npieces = [{ value = 1, kwh = [5, 1] }]", "two ends"),
        ("[queries.q]\npieces = [{ value = 1, suburb = ['north'] }]", "is no private column"),
        ('[queries.q]\nsql = "SELECT 1 FROM meters"', "bounds must be two numbers"),
        ('[queries.q]\nsql = "DROP TABLE meters"\nbounds = [0, 1]\nsensitivity = 1', "is no SELECT"),
        ('[queries.q]\nsql = "SELECT x FROM meters"\nbounds = [0, 1]\nsensitivity = 1', "cannot be run"),
        ('[queries.q]\nsql = "SELECT 1, 2 FROM meters"\nbounds = [0, 1]\nsensitivity = 1', "has 2 columns"),
        ('[queries.q]\nsql = "SELECT 1 FROM meters"\nbounds = [0, 1]\nsensitivity = 0', "above 0"),
        ('[queries.q]\nsql = "SELECT 1 FROM meters"\nbounds = [1, 0]\nsensitivity = 1', "must ascend"),
    ],
)
def test_a_query_that_is_not_well_declared_is_refused_in_a_line(
    queries: str, said: str, tmp_path: Path
) -> None:
    path = written(tmp_path, "")
    path.write_text(f"{queries}\n{FILE}" if queries.startswith("queries") else FILE + queries)
    with pytest.raises(SchemaError) as caught:
        CuratorFile.read(path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
