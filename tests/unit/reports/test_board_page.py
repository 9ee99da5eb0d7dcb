"""The page for the board: what is on it, what never is, and that it is the same every time."""

import hashlib
import re
from datetime import date
from pathlib import Path

import pandas as pd
import pytest

import noiseless as nl
from noiseless.audits.policy import Policy
from noiseless.errors import NoiselessError, OutputError
from noiseless.reports import board_html
from release_examples import release
from web_page import Page

DAY = date(2026, 1, 2)
SECTIONS = ["published", "odds", "limits", "guidance", "not", "check"]
HOSTILE = "<script>alert('x')</script>"


def patients(**columns: list[str]) -> pd.DataFrame:
    plain = {
        "illness": ["flu", "flu", "cold", "gout", "cold", "gout"],
        "ward": ["north", "north", "north", "south", "south", "south"],
    }
    return pd.DataFrame(plain | columns)


def audited(limits: dict[str, float] | None = None) -> str:
    audit = nl.audit(patients(), sensitive="illness", public="ward")
    return board_html(audit, None if limits is None else Policy(limits=limits).check(audit), made=DAY)


@pytest.fixture(params=["audit", "release"])
def page(request: pytest.FixtureRequest) -> str:
    return audited({"min_posterior": 2}) if request.param == "audit" else board_html(release(), made=DAY)


def test_it_is_well_formed_and_whole(page: str) -> None:
    found = Page(page)
    assert page.startswith("<!DOCTYPE html>")
    assert found.tags["h1"] == found.tags["main"] == 1
    assert re.findall(r'<section id="(\w+)"', page) == SECTIONS
    for document in ("WP216", "HIPAA", "EMA policy 0070", "NIST SP 800-188", "not legal advice"):
        assert document in found.text


def test_it_needs_nothing_from_elsewhere(page: str) -> None:
    found = Page(page)
    assert not re.search(r"https?:|\bsrc=|@import|url\(", page)
    assert not found.tags.keys() & {"script", "link", "img", "iframe", "object"}


def test_no_value_of_the_data_is_on_it() -> None:
    text = Page(audited({"min_posterior": 3})).text
    assert not re.search(r"\b(flu|cold|gout|north|south)\b", text)
    assert (
        "To anyone who sees this table and knows a person's ward, at least 2 of the 3 values of illness"
        in text
    )
    assert "fewest values left, illness at least 3 2 NOT KEPT" in " ".join(text.split())


def test_a_release_says_what_became_of_each_column() -> None:
    text = " ".join(Page(board_html(release(), made=DAY)).text.split())
    assert "293 rows with chol, and nothing else. age is not in it." in text
    assert re.search(r"chol is replaced by an interval at most 21 wide, [\d.]+ on average 280 of 293", text)
    assert "1 of 1 limit kept" in text
    assert "2026-01-02" in text


def test_how_far_numbers_move_is_a_bound_and_a_mean() -> None:
    table = pd.DataFrame({"x": [1, 3, 8, 8], "s": ["a", "b", "a", "b"]})
    wide = nl.release(table, sensitive="s", public="x", min_posterior=2)
    near = nl.release(table, sensitive="s", public="x", min_posterior=2, codeword="midrange")
    for made, words in (
        (wide, "is replaced by an interval at most 2 wide, 1 on average 2 of 4"),
        (near, "is changed by at most 1, 0.5 on average 2 of 4"),
    ):
        assert f"x {words}" in " ".join(Page(board_html(made, made=DAY)).text.split())


def test_names_of_the_users_own_are_escaped() -> None:
    audit = nl.audit(patients().rename(columns={"ward": HOSTILE}), sensitive="illness", public=HOSTILE)
    assert HOSTILE not in board_html(audit, made=DAY, command=f"noiseless audit {HOSTILE}")


def test_files_are_named_with_the_digest_of_their_bytes(tmp_path: Path) -> None:
    table, out = tmp_path / "t.csv", tmp_path / "board.html"
    table.write_text("a,s\n1,x\n1,y\n2,x\n2,y\n")
    audit = nl.audit(table, sensitive="s")
    assert audit.summary_html(out, made=DAY) == out.read_text("utf-8")
    assert hashlib.sha256(table.read_bytes()).hexdigest() in out.read_text("utf-8")
    with pytest.raises(OutputError):
        audit.summary_html(table, made=DAY)
    with pytest.raises(OutputError):
        release().summary_html(table, read=[table], made=DAY)
    with pytest.raises(NoiselessError, match="cannot be read"):
        release().summary_html(out, written=[tmp_path / "gone.csv"], made=DAY)


def test_many_files_are_one_line(tmp_path: Path) -> None:
    """The digest of what sha256sum prints for them."""
    lines = []
    for number in range(6):
        part = tmp_path / f"{number}.csv"
        part.write_text(f"a,s\n1,x{number}\n1,y\n")
        lines.append(f"{hashlib.sha256(part.read_bytes()).hexdigest()}  {part}\n")
    page = board_html(nl.audit(str(tmp_path / "*.csv"), sensitive="s"), made=DAY)
    assert hashlib.sha256("".join(lines).encode()).hexdigest() in page
    assert "6 files" in page


def test_the_day_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert "1970-01-02" in board_html(release())
    assert board_html(release()) == board_html(release())
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    with pytest.raises(NoiselessError, match="SOURCE_DATE_EPOCH is no number"):
        board_html(release())


def test_more_than_fits_is_counted() -> None:
    columns = {f"c{number}": list("aabbab") for number in range(9)}
    frame = pd.DataFrame({"s": list("xyxyxy"), **columns})
    audit = nl.audit(frame, sensitive="s")
    limits = {"leakage": 9, "maximin": 9, "min_posterior": 1, "t_closeness": 1, "k_anonymity": 4}
    limits |= {"best_guess": 1, "largest_belief": 1, "marketer_risk": 1, "beta_likeness": 9}
    text = " ".join(Page(board_html(audit, Policy(limits=limits).check(audit), made=DAY)).text.split())
    assert "c0, c1, c2, c3, c4, c5 and 3 more" in text
    assert "Result k-anonymity" in text  # what is not kept comes first
    assert "1 more kept" in text


def test_persons_in_several_groups_are_not_counted_as_more_persons() -> None:
    rows = patients(person=["a", "b", "c", "a", "d", "d"])
    text = Page(board_html(nl.audit(rows, sensitive="illness", public="ward", unit="person"), made=DAY)).text
    assert "6 rows of 4 persons" in text
    assert "0 of 2 groups hold a single person" in text
    assert "of persons, each counted in each of their groups, are above it" in text
    assert not re.search(r"of [56] persons", text)
