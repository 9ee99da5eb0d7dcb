"""Pages of releases that were really made."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest

from examples import HEART_COLUMNS
from noiseless.releases import Release
from noiseless.releases import release as make
from noiseless.reports import render_frontier, render_release, save_plot
from noiseless.reports.release_text import frontier_text, release_text
from web_page import Page

ROWS = 120


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return pa.table(
        {
            "secret": [f"zzz{i * i % 11}" for i in range(ROWS)],
            "age": [20 + i * 7 % 45 for i in range(ROWS)],
            "job": [f"job{i * 5 % 7}" for i in range(ROWS)],
            "sex": ["fm"[i % 3 % 2] for i in range(ROWS)],
        }
    )


@pytest.fixture(scope="module")
def one(table: pa.Table) -> Release:
    return make(table, sensitive="secret", public="age", min_posterior=3)


@pytest.fixture(scope="module")
def several(table: pa.Table) -> Release:
    return make(
        table,
        sensitive="secret",
        public=["age", "job"],
        given="sex",
        min_posterior=2,
        codeword="interval",
        distance="gower",
        suppress="1/20",
    )


@pytest.fixture(params=["one", "several"])
def made(request: pytest.FixtureRequest) -> Release:
    found: Release = request.getfixturevalue(request.param)
    return found


def test_no_sensitive_value_is_on_any_page(made: Release, tmp_path: Path) -> None:
    curve = made.frontier()
    save_plot(curve, tmp_path / "a.svg", made.point)
    said = [
        render_release(made, curve, made),
        render_frontier(curve),
        release_text(made),
        frontier_text(curve),
        (tmp_path / "a.svg").read_text(),
    ]
    assert not [text for text in said if "zzz" in text]


def test_the_page_says_what_the_release_says(made: Release) -> None:
    text = Page(render_release(made, made.frontier())).text
    point = made.point
    assert f"→ {point.min_posterior} of {made.sensitive_values} values" in text
    assert f"→ {point.leakage.rounded_up(2)} of " in text
    assert "✗" not in text
    for change in made.changes:
        assert f"{change.before} → {change.after}" in text
    assert made.certificate["released"]["digest"] in text


def test_the_cells_of_the_plot_are_those_of_the_certificate(made: Release) -> None:
    page = render_release(made)
    rows = re.search(
        r"<thead><tr><th class=\"n\">Values left</th><th class=\"n\">Cells.*?</table>", page, re.DOTALL
    )
    assert rows is not None
    numbers = re.findall(r"<td class=\"n\">([^<]+)</td>", rows[0])
    assert sum(int(n.replace(",", "")) for n in numbers[1::3]) == made.point.cells
    assert sum(int(n.replace(",", "")) for n in numbers[2::3]) == made.rows == ROWS


def test_the_certificate_file_can_be_compared_with(made: Release, tmp_path: Path) -> None:
    made.save(tmp_path / "out.csv", certificate=tmp_path / "out.json")
    earlier = json.loads((tmp_path / "out.json").read_text("utf-8"))
    page = render_release(made, made.frontier(), earlier)
    assert "Both releases give away and keep the same." in page
    assert ">this release = the other</text>" in page


def test_the_same_release_gives_the_same_page(table: pa.Table, one: Release) -> None:
    again = make(table, sensitive="secret", public="age", min_posterior=3)
    assert render_release(again, again.frontier()) == render_release(one, one.frontier())


def test_heart_data(data: Path) -> None:
    made = make(
        str(data / "heart" / "processed.hungarian.data"),
        names=HEART_COLUMNS,
        numeric="chol",
        distinct_rows=True,
        sensitive="age",
        public="chol",
        min_posterior=5,
    )
    text = Page(render_release(made, made.frontier())).text
    assert "293 rows" in text
    assert "age: 38 values" in text
    assert "fewest values left at least 5 5 ✓ holds" in text
