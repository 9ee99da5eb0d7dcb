"""The frame around figures: what is drawn, written and said, whichever figure it is."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from noiseless.errors import OutputError, RequestError
from noiseless.gallery.data import SETS, Data
from noiseless.gallery.figure import Area, ClaimCheck, Curve, Figure, Outcome, Panel, Raster
from noiseless.gallery.pictures import looks_of, numbers_of, write_files
from noiseless.gallery.reproduction import (
    ReproducedFigure,
    Tallies,
    gallery_html,
    legend_of,
    make,
    panel_svg,
    pictures_of,
    reproduce,
    tallies,
)
from noiseless.reports.canvas import LOOKS, decades, tick_text

LINE = Curve.of("ours <b>", [1, 2, 3], [0.5, 0.25, 0.125], band=([0.4, 0.2, 0.0], [0.6, 0.3, 0.2]))
PRINTED = Curve.of("printed", [1, 2, 3], [1, 1, 1], style="dashed")
PANELS = (
    Panel("A & B", "bits", "share $x_1$", (LINE, PRINTED), note="a note"),
    Panel("log", "x", "y", (LINE,), log_x=True, log_y=True),
    Panel(
        "steps", "x", "y", (replace(LINE, style="steps"), Curve.of("", [1], [1], style="dots", texts=["one"]))
    ),
    Panel(
        "map",
        "x",
        "y",
        image=Raster.of("count", (0, 4), (0, 2), np.arange(8).reshape(2, 4), log=True, levels=[3]),
    ),
    Panel(
        "cells",
        "x",
        "y",
        areas=(Area.box("inside", (0, 1), (0, 1), "A"), Area("", ((0, 0), (1, 0), (0, 2)))),
        equal=True,
    ),
)
HOLDS, FAILS = (
    ClaimCheck("it <i>rises</i>", "0.9", "above 0.8", True),
    ClaimCheck("it is 0", "0.3", "below 0.1", False),
)
OUTCOME = Outcome(PANELS, (HOLDS, FAILS), ("a remark & more",))
FIGURE = Figure("p9-fig1", "[P1] Fig. 99", "A title <script>", "The claim.", ("heart",), lambda _: OUTCOME)


def made(outcome: Outcome = OUTCOME) -> ReproducedFigure:
    files = {kind: f"p9-fig1.{kind}" for kind in ("png", "svg", "csv")}
    return ReproducedFigure(
        FIGURE, outcome, (SETS["heart"],) * outcome.synthetic, files, pictures_of(outcome, "p9-fig1")
    )


def test_the_same_figure_has_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        write_files(FIGURE, OUTCOME, tmp_path / folder)
    for first in (tmp_path / "first").iterdir():
        assert first.read_bytes() == (tmp_path / "second" / first.name).read_bytes()
    assert b"<dc:date>" not in (tmp_path / "first" / "p9-fig1.svg").read_bytes()
    assert gallery_html([made()]) == gallery_html([made()])


def test_all_numbers_of_a_panel_are_written() -> None:
    rows = [row for panel in PANELS for row in numbers_of(panel)]
    assert ("A & B", "ours <b>", "line", 2.0, 0.25, 0.2, 0.3, "") in rows
    assert ("map", "count", "map", 3.5, 1.5, "", "", 7.0) in rows
    assert ("cells", "inside", "area", 1.0, 1.0, "", "", "") in rows
    assert len(rows) == 6 + 3 + 4 + 8 + 4 + 3


def test_a_label_has_one_look_in_all_panels_and_stands_in_the_legend_once() -> None:
    assert list(looks_of(OUTCOME)) == ["ours <b>", "printed", "inside"]
    assert [label for label, _ in legend_of(OUTCOME)] == ["ours <b>", "printed", "inside"]
    many = Outcome((Panel("", "", "", tuple(Curve.of(str(i), [0], [0]) for i in range(30))),), ())
    assert set(looks_of(many).values()) == set(range(len(LOOKS)))


def test_a_picture_in_a_page_follows_its_colours_and_shares_no_names() -> None:
    first, second = (panel_svg(PANELS[0], looks_of(OUTCOME), name) for name in ("one", "two"))
    assert "var(--look-0)" in first
    assert not re.search(r"#[0-9a-f]{6}", first.replace("#ffffff", ""))
    assert "A &amp; B" in first
    assert "<script" not in first
    names = [set(re.findall(r'id="([^"]+)"', svg)) for svg in (first, second)]
    assert names[0]
    assert not names[0] & names[1]


def test_texts_are_not_read_as_mathematics(tmp_path: Path) -> None:
    write_files(FIGURE, OUTCOME, tmp_path)
    assert "share $x_1$" in (tmp_path / "p9-fig1.svg").read_text("utf-8")


def test_the_page_says_what_is_claimed_measured_and_found() -> None:
    page = gallery_html([made()])
    for text in (
        "The claim.",
        "a remark &amp; more",
        "it &lt;i&gt;rises&lt;/i&gt;",
        "above 0.8",
        "a note",
        "1 of 2",
    ):
        assert text in page
    assert "<script" not in page
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    assert "synthetic" not in page


def test_pictures_that_reproduce_and_statements_that_hold_are_counted_apart_and_stand_ins_too() -> None:
    shown = replace(OUTCOME, checks=(replace(HOLDS, about="figure"), FAILS))
    real, stood = made(shown), made(replace(shown, synthetic=True))
    assert (real.outcome.reproduces, real.outcome.agrees) == (True, False)
    assert stood.outcome.reproduces is None
    assert made().outcome.reproduces is None  # none of its statements is about a picture
    found = tallies([real, stood, made(replace(shown, checks=(replace(FAILS, about="figure"),)))])
    assert found == Tallies(figures=2, reproduced=1, statements=3, held=1, stand_ins=1, stood_in=2)
    page = gallery_html([real, stood])
    for text in ("✓ reproduces", "? stand-in", "the picture", "Not counted"):
        assert text in page
    assert real.to_dict()["reproduces"] is True


def test_the_page_says_which_file_to_fetch_for_a_stand_in() -> None:
    page = gallery_html([made(replace(OUTCOME, synthetic=True))])
    assert "synthetic stand-in" in page
    assert SETS["heart"].path in page
    assert f'href="{SETS["heart"].address}"' in page
    found = made(replace(OUTCOME, synthetic=True)).to_dict()
    assert found["synthetic"]
    assert found["missing"][0]["path"] == "heart/processed.hungarian.data"


def test_a_stand_in_is_marked_by_the_frame_even_if_a_figure_forgets(tmp_path: Path) -> None:
    assert make(FIGURE, Data(None)).synthetic
    assert not make(replace(FIGURE, needs=()), Data(None)).synthetic
    write_files(FIGURE, make(FIGURE, Data(None)), tmp_path)
    assert "(synthetic stand-in)" in (tmp_path / "p9-fig1.svg").read_text("utf-8")


def test_json_of_a_figure() -> None:
    found = made().to_dict()
    assert found["file"] == "p9-fig1.png"
    assert found["data"] == "p9-fig1.csv"
    assert found["measured"] == "0.9; 0.3"
    assert found["agrees"] is False
    assert found["checks"][1] == {
        "claim": "it is 0",
        "measured": "0.3",
        "criterion": "below 0.1",
        "agrees": False,
        "about": "text",
    }


def test_several_processes_make_what_one_makes(tmp_path: Path) -> None:
    names = ["p3-fig6", "p3-fig3"]
    told: list[tuple[int, int, str]] = []
    alone = reproduce(tmp_path / "one", names, data=Data(None))
    both = reproduce(
        tmp_path / "two", names, data=Data(None), jobs=2, progress=lambda *done: told.append(done)
    )
    assert [one.to_dict() for one in alone] == [one.to_dict() for one in both]
    assert [one.figure.name for one in both] == names
    assert [(done, total) for done, total, _ in told] == [(1, 2), (2, 2)]
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert "index.html" in files
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_an_error_in_another_process_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "taxi"
    folder.mkdir()
    (folder / "trips.parquet").write_text("no such thing")
    with pytest.raises(Exception, match="is not the file expected there"):
        reproduce(tmp_path / "out", ["p1-fig5", "p1-fig6"], data=Data(tmp_path), jobs=2)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be made a folder"):
        reproduce(tmp_path / "file", ["p4-fig1"], data=Data(None))
    with pytest.raises(RequestError):
        reproduce(tmp_path / "out", ["p4-fig99"], data=Data(None))
    assert not (tmp_path / "out").exists()


def test_a_curve_has_as_many_of_everything() -> None:
    with pytest.raises(ValueError, match="curve 'short'"):
        Curve.of("short", [1, 2], [1])
    with pytest.raises(ValueError, match="curve 'band'"):
        Curve.of("band", [1], [1], band=([0, 0], [1, 1]))


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.25, "0.25"), (1500.0, "1,500"), (1e-7, "10⁻⁷"), (3e8, "3×10⁸"), (-0.5, "−0.5")],  # noqa: RUF001
)
def test_ticks_are_short(value: float, text: str) -> None:
    assert tick_text(value) == text


def test_a_logarithmic_axis_has_few_ticks() -> None:
    assert decades(0.9, 40) == [1, 3, 10, 30]
    assert decades(1e-12, 1e3) == [1e-12, 1e-9, 1e-6, 1e-3, 1, 1e3]
    assert decades(1.1, 1.9) == []
