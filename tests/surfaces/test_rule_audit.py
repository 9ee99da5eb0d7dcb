"""`noiseless audit --rule`: text, JSON, the report, records, policies, and tables on servers."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import noiseless as nl
from noiseless.cli.main import run
from noiseless.errors import RequestError
from noiseless.reports import audit_html
from noiseless.reports.audit_text import audit_text
from noiseless.tables.spark_table import SparkTable
from postgres import PostgresServer
from spark_sessions import needs_spark, spark
from web_page import Page

pytest_plugins = ["databases"]

DOCS = Path(__file__).parents[2] / "docs"
PATIENTS = Path(__file__).parents[2] / "src" / "noiseless" / "data" / "patients.csv"
HOSTILE = "<script>alert('x')</script>"

STAFF = pa.table(
    {
        "person": [f"p{number % 30}" for number in range(48)],
        "age": [20 + number * 31 % 47 for number in range(48)],
        "site": [["north", "south", None][number * 7 % 3] for number in range(48)],
        "pay": [1000 + number * 137 % 900 for number in range(48)],
    }
)
OPTIONS: dict[str, Any] = {
    "sensitive": "pay",
    "public": ["age", "site"],
    "unit": "person",
    "rule": ["age=round:20", "site=prefix:1", "min-cell:3", "pay=customers:3:60"],
}

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def noiseless(capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(["audit", str(PATIENTS), *arguments])
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


def keys(value: object) -> Iterator[str]:
    below: list[Any] = []
    if isinstance(value, dict):
        yield from value
        below = list(value.values())
    elif isinstance(value, list):
        below = value
    for item in below:
        yield from keys(item)


def test_text(noiseless: Call) -> None:
    code, out, err = noiseless("--sensitive", "illness", "--public", "age", "--rule", "age=round:20")
    assert (code, err) == (0, "")
    assert out.startswith("PARTLY PRIVATE: no group narrows illness to fewer than 4 of 6 values")
    assert "Under age=round:20 at least 4 of 6 values of illness remain possible, instead of 1." in out
    assert re.search(r"fewest values left +1 +4\n", out)
    assert "The finest cells of age that leave as many values: 4 cells" in out


def test_a_rule_that_helps_only_some_is_not_compared_with_the_table_as_it_is(noiseless: Call) -> None:
    _, out, _ = noiseless("--sensitive", "illness", "--public", "age", "--rule", "age=round:5")
    assert "4 of 40 rows are given away, instead of 25." in out
    assert "Not compared with chosen cells: the table as it is leaves no fewer at worst (1 value)." in out


def test_totals_as_text(noiseless: Call) -> None:
    base = ("--sensitive", "age", "--public", "illness", "--rule", "p-percent:10", "--rule", "min-cell:3")
    code, out, _ = noiseless(*base)
    assert code == 0
    assert "p-percent:10: 5 of 6 totals of age are published" in out
    assert "What totals by group give away:" in out
    assert "1 row is suppressed (* in every public column). It counts as a group" in out
    assert out.startswith("p-percent:10: 5 of 6 totals")
    assert "\nThe rows themselves, if they were published: NOT PRIVATE: " in out


def test_every_key_of_the_rules_is_on_the_page_of_the_audit(noiseless: Call) -> None:
    page = (DOCS / "audit.md").read_text("utf-8")
    found: set[str] = set()
    for public, rules in (("age", ["round:20"]), ("illness", ["age=p-percent:10", "min-cell:3"])):
        sensitive = "illness" if public == "age" else "age"
        chosen = [part for rule in rules for part in ("--rule", rule)]
        _, out, _ = noiseless(
            "--sensitive", sensitive, "--public", public, *chosen, "--format", "json", "--show-values"
        )
        found |= set(keys(json.loads(out)["rules"])) - {"age", "illness"}
    assert found >= {"applied", "before", "finest", "largest_change", "closest", "error_exact", "values"}
    assert sorted(key for key in found if not re.search(rf"`{key}[` ]", page)) == []


def test_a_policy_judges_what_is_seen(noiseless: Call, tmp_path: Path) -> None:
    limits = tmp_path / "limits.toml"
    limits.write_text("[limits]\nmin_posterior = 4\n")
    base = ("--sensitive", "illness", "--public", "age", "--policy", str(limits))
    assert noiseless(*base)[0] == 1
    assert noiseless(*base, "--rule", "round:5")[0] == 1
    assert noiseless(*base, "--rule", "round:20")[0] == 0


def test_a_policy_says_that_it_is_about_rows(noiseless: Call, tmp_path: Path) -> None:
    limits = tmp_path / "limits.toml"
    limits.write_text("[limits]\nmin_posterior = 4\n")
    base = ("--sensitive", "age", "--public", "illness", "--policy", str(limits), "--rule", "p-percent:10")
    code, out, _ = noiseless(*base, "--html", str(tmp_path / "report.html"))
    assert code == 1
    assert "THE POLICY IS NOT MET (it is about the rows, not about totals):" in out
    page = Page((tmp_path / "report.html").read_text("utf-8"))
    assert "The policy is about the rows, not about totals." in page.text


def test_records_are_marked_as_the_groups_that_are_seen(noiseless: Call, tmp_path: Path) -> None:
    out = tmp_path / "records.csv"
    base = ("--sensitive", "illness", "--public", "age", "--rule", "round:20", "--records", str(out))
    assert noiseless(*base)[0] == 0
    marks, ages = pd.read_csv(out), pd.read_csv(PATIENTS)["age"]
    told = (ages + 10) // 20 * 20
    assert marks["group_size"].tolist() == told.map(told.value_counts()).tolist()
    assert marks["posterior_size"].min() == 4


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (["illness=prefix:2"], "column 'illness' is sensitive"),
        (["age=rond:5"], "round"),
        (["age=round:0"], "above 0"),
        (["postcode=prefix:2"], "column 'postcode' is not public; a rule changes what is seen"),
        (["sex=round:5"], "column 'sex' is text: 2 of its 2 different values are not numbers"),
    ],
)
def test_a_wrong_rule_is_one_line_and_exit_code_2(noiseless: Call, rules: list[str], words: str) -> None:
    chosen = [part for rule in rules for part in ("--rule", rule)]
    code, out, err = noiseless("--sensitive", "illness", "--public", "age", "--public", "sex", *chosen)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err


class TestReport:
    @pytest.mark.parametrize("reveal", [False, True])
    def test_it_tells_what_the_rules_change(self, reveal: bool) -> None:
        found = nl.audit(STAFF, **OPTIONS)
        page = audit_html(found, reveal=reveal)
        read = Page(page)
        assert "rules" in read.sections
        assert found.rules is not None
        assert found.rules.seen_verdict in read.text
        assert read.text.index(found.rules.totals_verdict) < read.text.index("The rows themselves, if they")
        assert (
            "Seen under age=round:20, site=prefix:1, min-cell:3 Totals published under pay=3/60" in read.text
        )
        assert "fewest values left" in read.text
        assert ("The closest estimate of pay is in the group" in read.text) is reveal
        assert page == audit_html(nl.audit(STAFF, **OPTIONS), reveal=reveal)

    def test_without_rules_there_is_no_such_section(self) -> None:
        page = Page(audit_html(nl.audit(STAFF, sensitive="pay", public="age")))
        assert "rules" not in page.sections
        assert "Seen under" not in page.text

    def test_names_are_escaped(self) -> None:
        table = STAFF.rename_columns(["person", HOSTILE, "site", "pay"])
        rule = {HOSTILE: ["round:5", "top:60"], "pay": "15/15"}
        page = audit_html(nl.audit(table, sensitive="pay", public=[HOSTILE, "site"], rule=rule), reveal=True)
        assert "<script" not in page
        assert Page(page).text.count(HOSTILE) > 3

    def test_text_shows_no_value_unless_asked(self) -> None:
        found = nl.audit(STAFF, **OPTIONS)
        assert "n****" not in audit_text(found)
        assert "n****" in audit_text(found, reveal=True)


def without_rows(found: nl.Audit) -> dict[str, Any]:
    """All of an audit but what a file alone has: its name and the numbers of its rows."""
    told = found.to_dict(reveal=True) | {"source": None}
    for place in (*told["witnesses"], *(totals["closest"] for totals in told["rules"]["totals"])):
        place["first_row"] = None
    return told


def test_a_table_on_postgresql_gives_the_same(postgres: PostgresServer, tmp_path: Path) -> None:
    url = postgres.new_url()
    rows = ", ".join(
        f"('{r['person']}', {r['age']}, {'NULL' if r['site'] is None else repr(r['site'])}, {r['pay']})"
        for r in STAFF.to_pylist()
    )
    postgres.execute(url, "CREATE TABLE staff (person text, age int, site text, pay numeric(6, 1))")
    postgres.execute(url, f"INSERT INTO staff VALUES {rows}")
    there = nl.audit(f"{url}::staff", **OPTIONS)
    pay = STAFF.schema.get_field_index("pay")
    here = STAFF.set_column(pay, "pay", STAFF["pay"].cast(pa.string()).cast(pa.decimal128(6, 1)))
    assert without_rows(there) == without_rows(nl.audit(here, **OPTIONS))
    assert there.write_records(tmp_path / "records.csv") == len(STAFF)


class TestSpark:
    pytestmark = needs_spark

    def test_a_table_on_spark_gives_the_same(self) -> None:
        frame = spark().createDataFrame(STAFF)
        assert without_rows(nl.audit(frame, **OPTIONS)) == without_rows(nl.audit(STAFF, **OPTIONS))
        with pytest.raises(RequestError, match="rules are applied on this machine, to at most 3 distinct"):
            nl.audit(SparkTable.of(frame, most=3), **OPTIONS)
