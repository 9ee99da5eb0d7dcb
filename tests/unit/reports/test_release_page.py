import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from noiseless.errors import OutputError
from noiseless.releases.changes import ColumnChange, Example
from noiseless.releases.results import Release
from noiseless.reports import render_frontier, render_release, write_frontier_html, write_release_html
from release_examples import CELLS, CHANGE, EXACT, certificate, frontier, point, release
from web_page import Page

HOSTILE = "<script>alert('x')</script>"
ALWAYS = {"figures", "asked", "columns", "cells", "proved", "verify", "limits"}


def other() -> Release:
    return release({"min_posterior": 10}, point=EXACT[3])


class TestAnyPage:
    @pytest.fixture(params=["release", "with frontier", "compared", "frontier"])
    def page(self, request: pytest.FixtureRequest) -> str:
        return {
            "release": lambda: render_release(release()),
            "with frontier": lambda: render_release(release(), frontier()),
            "compared": lambda: render_release(release(), frontier(), other()),
            "frontier": lambda: render_frontier(frontier()),
        }[request.param]()

    def test_it_is_well_formed(self, page: str) -> None:
        found = Page(page)
        assert page.startswith("<!DOCTYPE html>")
        assert found.tags["h1"] == found.tags["main"] == 1
        named = Counter(value for _, name, value in found.attributes if name == "id")
        assert max(named.values()) == 1

    def test_it_needs_nothing_from_elsewhere(self, page: str) -> None:
        assert not re.search(r"https?:|\bsrc=|@import|url\((?!#)", page)
        found = Page(page)
        assert not found.tags.keys() & {"script", "link", "img", "iframe", "object"}
        assert not [name for _, name, _ in found.attributes if name.startswith("on")]
        assert all(value.startswith("#") for _, name, value in found.attributes if "href" in name)

    def test_the_limits_are_named(self, page: str) -> None:
        assert "What this does not say" in Page(page).text

    def test_nothing_tells_the_time(self, page: str) -> None:
        assert not re.search(r"\b20\d\d-\d\d|\d\d:\d\d", page)

    def test_it_is_dark_where_the_reader_wants_that(self, page: str) -> None:
        assert page.count("prefers-color-scheme: dark") == 2


class TestRelease:
    def test_the_verdict_comes_first(self) -> None:
        page = Page(render_release(release()))
        assert page.sections == ALWAYS
        assert page.text.index("Partly private Every released row leaves at least 5") < page.text.index("L0")

    def test_before_and_after(self) -> None:
        text = Page(render_release(release())).text
        assert "Bits leaked, L0 5.25 → 2.93 of 5.25 bits" in text
        assert "Fewest values left 1 → 5 of 38 values" in text
        assert (
            "Always revealed, I* ▲ best 1.00 → 0.00 bits No fact about age is known of everybody. "
            "One row can reveal more: the worst leaves 5 of 38 values." in text
        )
        assert "Resolution kept 7.26 → 4.94 bits At most 3 of 154 different values look alike." in text
        assert "Distortion 10.5 Each chol is replaced by an interval at most 21 wide." in text
        assert "fewest values left at least 5 5 ✓ holds" in text

    def test_what_changed(self) -> None:
        text = Page(render_release(release())).text
        assert "chol number 154 → 3 280 · 95.6 % 10.5 3.3334 236, 238 and 4 more → 237" in text

    def test_cells_by_what_they_leave(self) -> None:
        text = Page(render_release(release())).text
        assert "Values left Cells Rows 1 0 0 5 2 193 9 1 100" in text
        assert "All 3 cells Reads Values left Rows Values that read so 251.5 5 181 2 237 5 12 2" in text

    def test_what_is_proved_and_how_to_check(self) -> None:
        text = Page(render_release(release())).text
        assert "Proved optimal: no other way" in text
        assert "(the loss equals a bound below all partitions)" in text
        assert "noiseless verify CERTIFICATE \\ --original TABLE --released RELEASED" in text
        assert "293 rows, sha256:abcd0123" in text

    def test_known_kept_and_suppressed(self) -> None:
        cells = ((["*"], [["1"]], 7, 5), *CELLS)
        made = release(
            {"given": "sex", "keep": "job", "min_posterior": 5, "suppress": "1/10"},
            point=point(5, 3, suppressed_rows=7),
            certificate=certificate(cells, suppressed=0),
            warnings=("Order is information too.",),
        )
        text = Page(render_release(made)).text
        assert "Known before sex" in text
        assert "as they are: job" in text
        assert "Suppressed rows 7 of 293" in text
        assert "What sex, job gives away is counted in." in text
        assert "sees the release and knows only sex besides" in text
        assert "Order is information too." in text

    def test_nothing_was_asked_for_and_nothing_is_hidden(self) -> None:
        made = release({}, point=point(1, None), sensitive_values=1, changes=())
        page = Page(render_release(made))
        assert "asked" not in page.sections
        assert "Nothing to protect" in page.text

    def test_with_its_frontier(self) -> None:
        text = render_release(release(), frontier())
        page = Page(text)
        assert page.sections == ALWAYS | {"frontier"}
        assert len(re.findall(r'viewBox="0 0 (720|340) ', text)) == 2  # for a desk and for a phone
        assert text.count(">this release</text>") == 2
        assert "Method 2 left 3 left 5 left 10 left 20 left 38 left" in page.text
        assert "greedy 4 12 12 20 45 45" in page.text
        assert "The 5 undominated releases" in page.text

    def test_suppressed_rows_can_lead_beyond_the_frontier(self) -> None:
        fewer = release(point=point(5, 1, suppressed_rows=9))
        assert "; this one does, so it can lie beyond" in Page(render_release(fewer, frontier())).text
        assert "suppress no row" not in render_release(release(), frontier(), other())
        compared = Page(render_release(release(), frontier(), fewer)).text
        assert "; the other does, so it can lie beyond" in compared

    def test_beside_another(self) -> None:
        text = render_release(release(), frontier(), other())
        page = Page(text)
        assert "comparison" in page.sections
        assert text.count(">the other</text>") == 2
        assert "gives away more than the other, and distorts less" in page.text
        assert "bits leaked, L0 2.93 1.93" in page.text
        assert '<span class="best">1.93</span>' in text

    def test_beside_the_certificate_of_another(self) -> None:
        said = certificate().to_dict()
        assert "Both releases give away and keep the same." in render_release(release(), None, said)

    def test_more_values_than_before_are_explained(self) -> None:
        grown = release(changes=(replace(CHANGE, before=2, after=3),))
        assert "ranges and sets that overlap" in render_release(grown)
        assert "ranges and sets that overlap" not in render_release(release())

    def test_releases_of_different_tables(self) -> None:
        strange = release(certificate=certificate(original={"rows": 2, "digest": "sha256:0"}))
        assert "not made from the same rows" in Page(render_release(release(), None, strange)).text

    def test_hostile_names_and_values_stay_text(self) -> None:
        change = ColumnChange(
            HOSTILE, "category", 3, 2, 1, None, None, (Example(None, ("</td>", None, "{{ 7*7 }}", "")),)
        )
        made = release(
            {"sensitive": HOSTILE, "public": ["&lt;", "$x$"], "min_posterior": 5},
            changes=(change, replace(CHANGE, name="\x1b[31m\u202e")),
            certificate=certificate(((["<img src=x>", None], [["a", "b"]], 293, 5),)),
            source="'\"><b>",
        )
        text = render_release(made, frontier(source="<i>"), made)
        page = Page(text)
        assert not page.tags.keys() & {"script", "img"}
        assert "\x1b" not in text
        assert f"published so that {HOSTILE} stays hidden" in page.text
        assert "</td>, (missing), {{ 7*7 }}, (empty) → (missing)" in page.text
        assert "<img src=x>, (missing)" in page.text

    def test_many_cells_and_columns_make_a_small_page(self) -> None:
        cells = [([str(i)], [[str(i)]], 1, 1 + i % 2000) for i in range(20_000)]
        columns = tuple(replace(CHANGE, name=f"c{i}") for i in range(30))
        text = render_release(release(certificate=certificate(cells), changes=columns, rows=20_000))
        assert "The first 10 of 20,000 cells" in Page(text).text
        assert len(text) < 60_000

    def test_the_same_bytes_again(self) -> None:
        assert render_release(release(), frontier()) == render_release(release(), frontier())


class TestFrontier:
    def test_its_sections(self) -> None:
        page = Page(render_frontier(frontier()))
        assert page.sections == {"plot", "methods", "points", "limits"}
        assert "age: 38 values" in page.text
        assert "no contiguous cells (runs of neighbouring values) beat a point" in page.text
        assert "5 12 2.93 0.00 4.94 10.5 20 exact, contiguous" in page.text
        assert "Mondrian (baseline) 13 13 30 30 - -" in page.text

    def test_of_resolution(self) -> None:
        text = Page(render_frontier(frontier(utility="resolution", public=("a", "b"), scope=None))).text
        assert "The most resolution (bits) each method keeps" in text
        assert "154 different combinations of values" in text
        assert "It is not proved that nothing does, or that no others lie between them." in text

    def test_of_maximin_information(self) -> None:
        text = Page(render_frontier(frontier(objective="maximin"))).text
        assert "Always revealed, I* (bits)" in text
        assert "giving away at most this much" in text

    def test_without_points(self) -> None:
        assert "frontier" in Page(render_frontier(frontier(points=(), series=()))).text.lower()

    def test_many_points_are_thinned(self) -> None:
        many = tuple(point(1 + i, Fraction(i)) for i in range(500))
        page = Page(render_frontier(frontier(points=many)))
        assert "40 of the 500 undominated releases" in page.text


class TestFiles:
    def test_pages_are_written_whole(self, tmp_path: Path) -> None:
        write_release_html(release(), tmp_path / "r.html", frontier(), other())
        write_frontier_html(frontier(), str(tmp_path / "f.html"))
        assert (tmp_path / "r.html").read_text("utf-8") == render_release(release(), frontier(), other())
        assert (tmp_path / "f.html").read_text("utf-8") == render_frontier(frontier())
        assert len(list(tmp_path.iterdir())) == 2

    def test_never_over_the_table_itself(self, tmp_path: Path) -> None:
        table = tmp_path / "t.csv"
        table.write_text("x")
        with pytest.raises(OutputError, match="is the table itself"):
            write_release_html(release(sources=(table,)), table)
        assert table.read_text() == "x"
