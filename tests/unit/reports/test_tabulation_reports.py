"""Audits of published tables as text and as a page: what is shown is what was found."""

import re
from dataclasses import replace
from fractions import Fraction
from html import unescape

import pandas as pd
import pytest

import noiseless as nl
from noiseless.reports import tabulation_html
from noiseless.reports.tabulation_rows import AuditView, figure_text, number_text, table_views
from noiseless.reports.tabulation_text import tabulation_text

COUNTS = pd.DataFrame(
    {"a": ["4", "x", "12"], "b": ["x", "x", "9"], "c": ["7", "8", "15"], "All": ["14", "22", "36"]},
    index=pd.Index(["N", "S", "All"], name="region"),
)
COUNTS.columns.name = "kind"


def test_every_field_of_the_page_is_a_finding() -> None:
    audit = nl.audit_tables(COUNTS)
    (view,) = table_views(AuditView(audit))
    faces = {
        (labels[0], column): face
        for labels, row in view.rows
        for column, face in zip(view.columns, row, strict=True)
    }
    cells = {cell.of[1]: cell for cell in audit.cells}
    assert faces.keys() == cells.keys()
    for labels, face in faces.items():
        assert face is not None
        assert (face.shade == "told") == cells[labels].published
        assert (face.shade == "disclosed") == (cells[labels].disclosed and not cells[labels].published)
    assert faces["N", "b"] is not None
    assert (faces["N", "b"].published, faces["N", "b"].possible) == ("withheld", "= 3")


def test_shades_follow_the_values_left() -> None:
    wide = pd.DataFrame({"a": ["x", "x", "40"], "b": ["x", "x", "3"], "All": ["21", "22", "43"]})
    wide.index = pd.Index(["N", "S", "All"], name="region")
    (view,) = table_views(AuditView(nl.audit_tables(wide)))
    (_, first), *_ = view.rows
    assert [face.shade for face in first if face is not None] == ["few", "few", "told"]


def test_text_and_page_say_the_same_verdict() -> None:
    audit = replace(nl.audit_tables(COUNTS), notes=("a note",))
    text, page = tabulation_text(audit), tabulation_html(audit)
    assert text.startswith("Disclosed: 3 of 3 withheld or rounded figures are known for certain.")
    assert "<strong>Disclosed</strong><p>3 of 3 withheld or rounded figures are known" in page
    assert "Note: a note." in text
    assert "a note." in page


def test_labels_cannot_break_the_page() -> None:
    hostile = COUNTS.rename(index={"N": "<script>alert(1)</script>", "S": '"quoted"'})
    page = tabulation_html(nl.audit_tables(hostile))
    assert "<script" not in page
    assert re.search(r'title="&lt;script&gt;alert\(1\)&lt;/script&gt;, a: published as 4"', page)
    assert '"quoted", b: 6 for certain' in unescape(page)


def test_large_tables_are_cut_and_the_page_says_so() -> None:
    large = pd.DataFrame([[10] * 30] * 100, index=pd.RangeIndex(100, name="place"))
    (view,) = table_views(AuditView(nl.audit_tables(large)))
    assert (len(view.rows), len(view.columns)) == (80, 24)
    assert all(face is not None for _, faces in view.rows for face in faces)
    assert view.left_out == "20 more rows and 6 more columns"


def test_a_rule_that_is_not_kept_is_no_disclosure() -> None:
    counts = pd.DataFrame({"a": [1, 9], "b": [8, 7]}, index=pd.Index(["N", "S"], name="region"))
    audit = nl.audit_tables(counts, rules={"threshold": 3})
    text = tabulation_text(audit)
    assert text.startswith(
        "Not protected: every figure is published as it is, so there is nothing to infer; 1 figure"
    )
    assert "N, a    threshold 3  not kept" in text


def test_groups_of_people_are_named() -> None:
    counts = pd.DataFrame({"flu": [5, 4], "mumps": [0, 3]}, index=pd.Index(["N", "S"], name="region"))
    audit = nl.audit_tables(counts.rename_axis(columns="illness"), secret="illness")
    assert "N, *   flu       everyone in it has the same" in tabulation_text(audit)


@pytest.mark.parametrize(
    ("lower", "upper", "step", "text"),
    [
        (3, 3, Fraction(1), "3"),
        (0, None, Fraction(1), "any"),
        (2, None, Fraction(1), "2 or more"),
        (1, 4, Fraction(1), "1\u20134"),
        (-2, 4, Fraction(1, 2), "-1 to 2"),
    ],
)
def test_ranges_in_words(lower: int, upper: int | None, step: Fraction, text: str) -> None:
    assert figure_text(lower, upper, step) == text


def test_large_numbers_keep_their_digits() -> None:
    assert number_text(Fraction(2**50 + 1, 100)) == "11,258,999,068,426.25"
