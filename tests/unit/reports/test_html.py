import os
import re
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import noiseless as nl
from noiseless.audits.policy import Policy, PolicyLimits
from noiseless.errors import OutputError
from noiseless.reports import audit_html, write_audit_html
from web_page import Page

HOSTILE = "<script>alert('x')</script>"
ALWAYS = {"figures", "posterior", "homogeneous", "contributions", "limits"}


def patients(**columns: list[Any]) -> pd.DataFrame:
    plain = {
        "illness": ["flu", "flu", "flu", "cold", "gout", "cold", "gout", "flu"],
        "ward": ["north", "north", "north", "south", "south", "east", "east", "east"],
        "sex": ["f", "f", "f", "f", "m", "m", "f", "m"],
    }
    return pd.DataFrame(plain | columns)


def audited(public: Any = "ward", sensitive: Any = "illness", **rest: Any) -> nl.Audit:  # noqa: ANN401
    return nl.audit(patients(), sensitive=sensitive, public=public, **rest)


def large() -> pd.DataFrame:
    random = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "group": random.permutation(np.arange(100_000) ** 2 % 5_000),
            "zip": random.integers(0, 40, 100_000),
            "income": random.integers(0, 3_000, 100_000),
        }
    )


class TestAnyPage:
    @pytest.fixture(params=[False, True], ids=["hidden", "revealed"])
    def page(self, request: pytest.FixtureRequest) -> str:
        return audit_html(audited(["ward", "sex"]), reveal=request.param)

    def test_it_is_well_formed(self, page: str) -> None:
        found = Page(page)
        assert page.startswith("<!DOCTYPE html>")
        assert found.tags["h1"] == found.tags["main"] == found.tags["title"] - found.tags["figure"] == 1
        assert found.sections >= ALWAYS
        named = Counter(value for _, name, value in found.attributes if name == "id")
        assert max(named.values()) == 1

    def test_it_needs_nothing_from_elsewhere(self, page: str) -> None:
        assert not re.search(r"https?:|\bsrc=|@import|url\(", page)
        found = Page(page)
        assert not found.tags.keys() & {"script", "link", "img", "iframe", "object"}
        assert not [name for _, name, _ in found.attributes if "href" in name or name.startswith("on")]

    def test_every_plot_has_a_role_and_a_title(self, page: str) -> None:
        plots = re.findall(r'<svg class="plot" role="img" [^>]*>\s*<title>[^<]+</title>', page)
        assert len(plots) == Page(page).tags["figure"] == 3

    def test_the_limits_of_the_audit_are_named(self, page: str) -> None:
        text = Page(page).text
        assert "What this does not say" in text
        assert "the adversary knows ward, sex and nothing else" in text


class TestVerdict:
    @pytest.mark.parametrize(
        ("illness", "ward", "status", "mark"),
        [
            (["a", "a", "b", "c"], ["n", "n", "s", "s"], "Not private", "bad"),
            (["a", "b", "b", "c"], ["n", "n", "s", "s"], "Partly private", "partly"),
            (["a", "b", "a", "b"], ["n", "n", "s", "s"], "Private", "good"),
            (["a", "a", "a", "a"], ["n", "n", "s", "s"], "Nothing to protect", "void"),
        ],
    )
    def test_status_in_words_and_shape(
        self, illness: list[str], ward: list[str], status: str, mark: str
    ) -> None:
        frame = pd.DataFrame({"illness": illness, "ward": ward})
        page = audit_html(nl.audit(frame, sensitive="illness", public="ward"))
        assert f'<div class="verdict {mark}">\n<svg' in page
        assert f"<strong>{status}</strong>" in page
        Page(page)

    def test_columns_that_leak_only_together_are_not_called_private(self) -> None:
        frame = pd.DataFrame({"s": [0, 0, 1, 1, 0, 1], "t": [0, 1, 0, 1, 0, 1], "x": [0, 0, 0, 0, 1, 1]})
        page = audit_html(nl.audit(frame, sensitive=["s", "t"], public="x"))
        assert "<strong>Partly private</strong>" in page

    def test_the_sentence_is_the_audits_own(self) -> None:
        audit = audited()
        assert audit.verdict.removeprefix("NOT PRIVATE: ") in Page(audit_html(audit)).text


class TestFigures:
    def test_they_are_in_plain_words(self) -> None:
        text = Page(audit_html(audited())).text
        assert "Bits leaked, L0 ▼ worst 1.59 of 1.59 bits" in text  # log2(3) = 1.58496..., rounded up
        assert "Fewest values left ▼ worst 1 of 3 values 3 of 8 rows are in a group" in text
        assert "Homogeneous groups 1 of 3 groups All rows in it have the same illness: 3 of 8 rows" in text
        assert (
            "Always revealed, I* ▲ best 0.00 bits No fact about illness is known of everybody. "
            "One group can reveal more: the worst leaves 1 of 3 values." in text
        )
        assert "k-anonymity k = 2 The smallest group has 2 rows." in text
        assert "l-diversity ▼ worst l = 1, entropy 1.00" in text
        assert "t-closeness t = 0.5 " in text

    def test_persons_are_counted_where_a_unit_is_named(self) -> None:
        frame = patients(person=["a", "a", "b", "c", "d", "e", "f", "g"])
        text = Page(audit_html(nl.audit(frame, sensitive="illness", public="ward", unit="person"))).text
        assert "8 rows, 7 persons named by person" in text
        assert "2 of 7 persons are in a group" in text
        assert "A person in several groups is counted" in text

    def test_classes_that_are_always_told_apart(self) -> None:
        frame = pd.DataFrame({"s": list("abcd"), "x": list("nnss")})
        text = Page(audit_html(nl.audit(frame, sensitive="s", public="x"))).text
        assert "fall into 2 classes" in text
        assert "which of the 2 classes a row belongs to is always known" in text


class TestSections:
    def test_only_those_with_something_to_say(self) -> None:
        assert Page(audit_html(audited())).sections == ALWAYS | {"picture"}

    def test_policy(self) -> None:
        audit = audited()
        limits = PolicyLimits(
            leakage=Decimal("1.585"), min_posterior=2, k_anonymity=2, t_closeness=Decimal("0.5")
        )
        page = Page(audit_html(audit, Policy(limits=limits).check(audit)))
        assert "policy" in page.sections
        assert "✗ not every limit is kept" in page.text
        assert "bits leaked, L0 at most 1.585 1.585 ✓ holds" in page.text
        assert "fewest values left at least 2 1 ✗ does not hold" in page.text
        assert "k-anonymity at least 2 2 ✓ holds" in page.text
        assert "t-closeness at most 0.50 0.50 ✓ holds" in page.text

    def test_policy_that_is_kept(self) -> None:
        audit = audited()
        page = Page(audit_html(audit, Policy(limits=PolicyLimits(k_anonymity=1)).check(audit)))
        assert "✓ every limit is kept" in page.text

    def test_missing_values_and_rows_that_are_left_out(self) -> None:
        frame = patients(ward=["north", None, None, "south", "south", "east", "east", "east"])
        found = nl.audit(frame, sensitive="illness", public="ward")
        text = Page(audit_html(found, reveal=True)).text
        assert "Missing 2 of 8 rows have no ward, counted as one more value" in text
        assert "ward: (missing)" in text
        found = nl.audit(frame, sensitive="illness", public="ward", missing="drop")
        text = Page(audit_html(found)).text
        assert "Left out 2 rows with a missing value" in text
        assert "of 8 rows have no ward" not in text

    def test_side_information(self) -> None:
        page = Page(audit_html(audited(given="sex")))
        assert "side" in page.sections
        assert "What knowing sex changes" in page.text
        assert "only the side information 0.00 3 only the release 1.59 1 both 1.59 1" in page.text

    def test_several_sensitive_columns(self) -> None:
        page = Page(audit_html(audited("ward", ["illness", "sex"])))
        assert "columns" in page.sections
        assert "All together 6 1 3 2.59 2.59" in page.text
        assert re.search(r"illness ▼ fares worst 3 1 3 1\.59 1\.59", page.text)
        assert "sex 2 1 3 1.00 1.00" in page.text

    def test_suppressed_rows(self) -> None:
        frame = patients(ward=["*", "south", "south", "south", "south", "east", "east", "east"])
        page = Page(audit_html(nl.audit(frame, sensitive="illness", public="ward")))
        assert "suppressed" in page.sections
        assert "because suppression is visible" in page.text
        assert "1 of 8 rows" in page.text
        assert "Without them the smallest group has 3 rows (k = 3); with them k = 1." in page.text

    def test_everything_suppressed(self) -> None:
        frame = patients(ward=["*"] * 8)
        page = Page(audit_html(nl.audit(frame, sensitive="illness", public="ward")))
        assert "No row is left without suppression" in page.text

    def test_no_picture_of_a_large_range(self) -> None:
        frame = pd.DataFrame({"s": range(31), "x": range(31)})
        assert "picture" not in Page(audit_html(nl.audit(frame, sensitive="s", public="x"))).sections

    def test_a_table_of_one_row(self) -> None:
        frame = pd.DataFrame({"s": ["a"], "x": [""]})
        page = Page(audit_html(nl.audit(frame, sensitive="s", public="x"), reveal=True))
        assert "Nothing to protect" in page.text
        assert "(empty)" in page.text

    def test_a_large_table(self) -> None:
        frame = large()
        audit = nl.audit(frame, sensitive="income", public=["group", "zip"])
        text = audit_html(audit)
        page = Page(text)
        assert "100,000 rows" in page.text
        assert "picture" not in page.sections
        assert len(text) < 40_000


class TestValues:
    CODES = tuple(f"secret{i}" for i in range(8))
    PLACES = tuple(f"place{i % 3}" for i in range(8))

    def audit(self) -> nl.Audit:
        frame = pd.DataFrame({"s": self.CODES, "x": self.PLACES, "y": [f"side{i % 2}" for i in range(8)]})
        return nl.audit(frame, sensitive="s", public="x", given="y")

    def test_none_is_on_the_page_unless_asked_for(self) -> None:
        page = audit_html(self.audit())
        assert not re.search(r"secret\d|place\d|side\d", page)
        assert "holds private values" not in page

    def test_revealed_values_come_with_a_warning(self) -> None:
        page = Page(audit_html(self.audit(), reveal=True))
        assert page.text.index("This page holds private values") < page.text.index("Not private")
        assert "y: side0; x: place0" in page.text
        assert all(code in page.text for code in self.CODES)

    def test_hostile_names_and_values_stay_text(self) -> None:
        name, value = f'{HOSTILE}"', '"><img src=x onerror=alert(1)>'
        frame = pd.DataFrame({name: [value, "$\\alpha$", "@0@"], "{{ 7*7 }}": ["</style>", "日本", "&lt;"]})
        audit = nl.audit(frame, sensitive=name, public="{{ 7*7 }}")
        limits = PolicyLimits(min_posterior=2)
        text = audit_html(audit, Policy(limits=limits).check(audit), reveal=True)
        page = Page(text)
        assert not page.tags.keys() & {"script", "img"}
        assert f"What this table gives away about {name}" in page.text
        assert "{{ 7*7 }}: </style>" in page.text
        assert "{{ 7*7 }}: &lt;" in page.text
        for shown in (value, "$\\alpha$", "@0@", "日本"):
            assert shown in page.text

    def test_control_characters_are_replaced_and_direction_is_kept_in(self) -> None:
        frame = pd.DataFrame({"s": ["a\x00\x1b[31mb", "\u202eevil"], "x": ["n", "m"]})
        page = audit_html(nl.audit(frame, sensitive="s", public="x"), reveal=True)
        assert "\x00" not in page
        assert "\x1b" not in page
        assert "<bdi>\u202eevil</bdi>" in page


class TestSameBytes:
    def test_twice(self) -> None:
        assert audit_html(audited(["ward", "sex"])) == audit_html(audited(["ward", "sex"]))

    def test_in_another_process(self) -> None:
        code = (
            "import pyarrow as pa, sys, noiseless as nl; from noiseless.reports import audit_html\n"
            "t = pa.table({'s': list('abcabd'), 'x': list('nnsses'), 'y': list('ababab')})\n"
            "sys.stdout.write(audit_html(nl.audit(t, sensitive='s', public=['x', 'y'])))"
        )
        own = {**os.environ, "PYTHONHASHSEED": "1"}
        there = subprocess.run([sys.executable, "-c", code], env=own, capture_output=True, check=True).stdout
        table = pa.table({"s": list("abcabd"), "x": list("nnsses"), "y": list("ababab")})
        assert there.decode() == audit_html(nl.audit(table, sensitive="s", public=["x", "y"]))

    def test_nothing_tells_the_time(self) -> None:
        assert not re.search(r"\b20\d\d-\d\d|\d\d:\d\d", audit_html(audited()))


class TestFiles:
    def test_the_page_is_written_whole(self, tmp_path: Path) -> None:
        out = tmp_path / "page.html"
        out.write_text("old")
        write_audit_html(audited(), out)
        assert out.read_text("utf-8") == audit_html(audited())
        assert list(tmp_path.iterdir()) == [out]

    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(OutputError, match="folder does not exist"):
            write_audit_html(audited(), tmp_path / "nowhere" / "page.html")

    def test_a_failed_page_leaves_the_old_one(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        out = tmp_path / "page.html"
        out.write_text("old")

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "replace", full)
        with pytest.raises(OutputError, match="No space left"):
            write_audit_html(audited(), str(out))
        assert out.read_text() == "old"
        assert list(tmp_path.iterdir()) == [out]


def test_importing_reports_does_not_import_plotting() -> None:
    code = "import sys, noiseless.reports; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
