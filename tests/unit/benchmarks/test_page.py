"""The page of benchmarks: sentences come from numbers, and a failing section loses nothing else."""

import math
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from waiting import HANGS

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


ROWS: list[dict[str, Any]] = [
    {"rows": 10, "noiseless s": 2.0, "peer s": 1.0},
    {"rows": 100, "noiseless s": 1.0, "peer s": 8.0},
    {"rows": 1000, "noiseless s": 1.0, "peer s": 1.05},
    {"rows": 10_000, "noiseless s": 1.0, "peer s": "stopped"},
]


def test_who_is_faster_is_said_in_words() -> None:
    from wording import versus

    (words,) = versus(ROWS, "noiseless s", {"peer": "peer s"}, ("rows",))
    assert words.slower
    assert words.text == (
        "**peer is faster than noiseless** here: 10 rows (2 times as fast)."
        " Elsewhere noiseless is 8 times as fast as peer."
        " peer was stopped at the time limit here: 10,000 rows."
        " peer and noiseless are within a tenth of each other here: 1,000 rows."
    )
    (words,) = versus(ROWS[1:2], "noiseless s", {"peer": "peer s"}, ("rows",))
    assert (words.text, words.slower) == ("noiseless is 8 times as fast as peer.", False)


def test_our_own_defeats_are_said_too() -> None:
    from wording import versus

    rows: list[dict[str, Any]] = [{"rows": 10, "noiseless s": "stopped", "peer s": 1.0}]
    (words,) = versus(rows, "noiseless s", {"peer": "peer s"}, ("rows",))
    assert (words.text, words.slower) == ("**noiseless was stopped at the time limit** here: 10 rows.", True)


def test_smaller_errors_are_said_in_words() -> None:
    from wording import versus

    rows = [
        {"question": "count", "noiseless": 0.0, "peer": 0.5},
        {"question": "mean", "noiseless": 3.0, "peer": 1.0},
    ]
    (words,) = versus(rows, "noiseless", {"peer": "peer"}, ("question",), what="mean error")
    assert words.slower
    assert "**peer has a smaller mean error than noiseless** here: mean (3 times less)." in words.text
    assert "noiseless has no mean error at all here: count." in words.text


def test_growth_is_the_slope_of_the_logarithms() -> None:
    from wording import growth

    rows = [{"kind": "k", "rows": 10**n, "peer s": 3e-6 * 10 ** (2 * n)} for n in (1, 2, 3)]
    (line,) = growth(
        [*rows, {"kind": "k", "rows": 10**4, "peer s": "stopped"}], "rows", {"peer": "peer s"}, ("kind",)
    )
    assert line["rows"] == "10 to 10,000"
    assert math.isclose(line["peer: exponent"], 2)  # type: ignore[arg-type]


def test_work_beyond_the_limit_is_stopped() -> None:
    from peers.protocol import timed

    assert timed(lambda: time.sleep(HANGS), 0.05, 3) == {"stopped": 0.05}
    found = timed(lambda: 7, HANGS, 3)
    assert (found["value"], found["runs"]) == (7, 4)


def test_a_failing_section_keeps_its_parts_and_the_others(tmp_path: Path) -> None:
    from keeping import Kept
    from page import Form, Part, Plot, Section, Table, Words
    from run import run_section, write_pages

    def fails(form: Form) -> Iterator[Part]:
        yield Table([{"rows": form.size(100), "s": 0.25}])
        raise ValueError("the peer is ill")

    def works(form: Form) -> Iterator[Part]:  # noqa: ARG001 - as sections are called
        yield Words("**peer is faster than noiseless** here.", slower=True)
        yield Plot("test", "Seconds", "rows", "seconds", {"noiseless": [(1, 1.0), (10, 2.0)]})

    keep, form = Kept(tmp_path / "small"), Form(small=True)
    sections = [Section("ill", "Ill", "First.", fails), Section("well", "Well", "Second.", works)]
    for section in sections:
        run_section(section, form, keep)
    write_pages(sections, keep, form, tmp_path, docs=False)
    page = (tmp_path / "results.md").read_text()
    assert "| 1 | 0.25 |" in page
    assert "**This section failed here:** `ValueError: the peer is ill`" in page
    assert "- Well: **peer is faster than noiseless** here." in page
    assert "![Seconds](small/images/bench-test.svg)" in page
    assert "<svg" in (tmp_path / "small" / "images" / "bench-test.svg").read_text()


def test_loss_counts_the_values_that_a_cell_could_stand_for(tmp_path: Path) -> None:
    from peers_release import PUBLIC, loss_of

    trees = {name: [["a", "*"], ["b", "*"], ["c", "*"]] for name in PUBLIC}
    rows = {name: ["a", "*", "*"] for name in PUBLIC} | {"age": ["17-90", "[20, 40[", "*"]}
    pq.write_table(pa.table(rows), tmp_path / "released.parquet")
    loss, groups, gone = loss_of(tmp_path / "released.parquet", trees, 4)
    assert (groups, gone) == (2, 2)
    assert math.isclose(loss, (1 + 5 + 19 / 73 + 2 * 6) / 24)


def test_the_epsilon_of_a_bit_is_as_large_as_it_may_be() -> None:
    import noiseless as nl
    from peers_noise import epsilon_for

    below, above = (nl.convert("dp", "mi", epsilon=epsilon_for(1) + extra).epsilon for extra in (0, 1e-6))
    assert below is not None
    assert above is not None
    assert below <= math.log(2) < above


def test_peers_are_pinned_to_one_version() -> None:
    from environments import PEERS

    for peer in PEERS:
        lines = (BENCHMARKS / "peers" / f"requirements-{peer}.txt").read_text().splitlines()
        pins = [line for line in lines if line and not line.startswith("#")]
        assert all(re.fullmatch(r"[\w-]+==[\d.]+", pin) for pin in pins), pins
        assert any(pin.startswith(f"{peer}==") for pin in pins)


def test_sections_are_run_by_name(tmp_path: Path) -> None:
    from run import main

    asked = ["--small", "--only", "prices", "--work", str(tmp_path)]
    assert main(asked, modules=("prices_speed", "nowhere_speed")) == 0
    page = (tmp_path / "results.md").read_text()
    titles = re.findall("^## (.*)$", page, re.MULTILINE)
    assert titles == [
        "Where others are faster or better",
        "Prices of batches",
        "The front page",
        "How it was measured",
    ]
    assert "| over the same people | 100 |" in page
    assert page.count("<details>") == page.count("</details>") > 0


def test_the_summary_has_a_row_for_each_pair_over_all_tables() -> None:
    from summary import contests, folded

    parts = [
        "noiseless is 2 to 4 times as fast as them.",
        "**Seconds**\n\n| a | b |\n| --- | --- |",
        "**them is faster than noiseless** here: k = 5 (1.94 times as fast); l (1.2 times as fast).",
        "Elsewhere noiseless is 9 times as fast as them.",
        "**others is faster than noiseless from pairs** here: 300 inputs (1,030 times as fast).",
    ]
    first, second = contests("Releases, beside them", parts)
    assert first == {
        "what": "[Releases, beside them](#releases-beside-them)",
        "beside": "them",
        "noiseless is faster": "2 to 9",
        "the other is faster": "1.2 to 1.94",
    }
    assert second["beside"] == "others (noiseless from pairs)"
    assert (second["noiseless is faster"], second["the other is faster"]) == ("", "1,030")
    assert folded(parts[0]) == parts[0]
    assert folded(parts[1]).startswith("<details>\n<summary>Seconds</summary>\n\n| a |")


def test_a_section_that_cannot_be_imported_is_reported(tmp_path: Path) -> None:
    from run import main

    assert main(["--small", "--work", str(tmp_path)], modules=("nowhere_speed",)) == 1
    page = (tmp_path / "results.md").read_text()
    assert "- Nowhere speed: `ModuleNotFoundError: No module named 'nowhere_speed'`" in page


def test_a_page_is_taken_over_where_nothing_was_run_here(tmp_path: Path) -> None:
    from keeping import Kept
    from page import Form, Section, Table, Words, written
    from summary import page

    def measure(_: Form) -> Iterator[Table | Words]:
        yield Table(ROWS, "Seconds")
        yield Table(ROWS[:1])
        yield Words("**peer is faster than noiseless** here: 10 rows (2 times as fast).", slower=True)

    section = Section("one", "One thing, beside another", "What is done.\n\nAnd how.", measure)
    first, second = Kept(tmp_path / "here"), Kept(tmp_path / "there")
    with first.writing("one", "2 cores of a machine") as entry:
        entry.parts += [written(part, "images") for part in measure(Form())]
        entry.slower.append(entry.parts[-1])
    shown = page([(section, first.read("one"))], Form(), first.versions({"ours": "a 1", "peer": "b 2"}))
    second.take_over([section], shown, tmp_path)
    taken = second.read("one")
    assert (taken.parts, taken.slower, taken.where) == (entry.parts, entry.slower, "2 cores of a machine")
    assert second.versions({"ours": "a 3"}) == {"ours": "a 3", "peer": "b 2"}
    assert page([(section, taken)], Form(), first.versions({})) == shown
