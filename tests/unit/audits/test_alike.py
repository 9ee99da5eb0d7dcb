"""Values that are nearly the same count as different, spellings of one value as one, and that is said."""

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pytest

import noiseless as nl
from noiseless.errors import UnknownColumnError
from noiseless.reports import audit_html
from noiseless.reports.audit_text import audit_text

NEAR = "pay holds numbers, and near ones count as different: 41 and 42 are two values"
SPELT = "1 value of ill differs from another one in spelling only, and counts with it"


@pytest.fixture
def people() -> pa.Table:
    day = dt.date(2026, 1, 1)
    return pa.table(
        {
            "x": [0, 0, 1, 1],
            "pay": [20.01, 20.02, 30.5, 40.0],
            "ill": ["flu", "cold", " Flu", "cold"],
            "sick": [True, False, True, False],
            "born": [day, day.replace(day=2), day, day.replace(day=3)],
        }
    )


def flat(text: str) -> str:
    return " ".join(text.split())


def test_an_audit_says_so_where_values_are_left(people: pa.Table) -> None:
    both = nl.audit(people, sensitive=["pay", "ill", "sick", "born"], public="x")
    text = flat(audit_text(both))
    assert f"Note: {NEAR}. Note: born holds dates or times, and near ones count as different." in text
    assert f"spellings {SPELT}" in text
    assert both.by_column["ill"].sensitive_values == 2
    assert "sick holds" not in text
    assert SPELT in audit_html(both)
    told = nl.audit(people, sensitive="pay", public="born")
    assert told.min_posterior == 1
    assert "Note" not in audit_text(told)


def test_a_release_says_so(people: pa.Table) -> None:
    done = nl.release(people, sensitive=["pay", "ill"], public="x", min_posterior=2)
    assert done.warnings == (SPELT, NEAR)


def test_names_are_checked_before_rules(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("id, post code ,ill\n1,3001,flu\n2,3002,cold\n")
    with pytest.raises(UnknownColumnError, match="did you mean 'post code'"):
        nl.audit(path, sensitive="ill", public=" post code ", rule="post code=prefix:2")
    assert nl.audit(path, sensitive="ill", public="post code", rule="post code=prefix:2").min_posterior == 2
