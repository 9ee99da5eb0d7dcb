"""Every figure of the package, made on stand-ins."""

import csv
import math
import re
from pathlib import Path

import pytest

from gallery_examples import made
from noiseless.errors import RequestError
from noiseless.gallery import every_figure, named_figure
from noiseless.gallery.data import SETS
from noiseless.gallery.figure import Figure
from noiseless.gallery.pictures import COLUMNS, numbers_of, write_files
from noiseless.gallery.reproduction import legend_of, pictures_of


@pytest.mark.parametrize("figure", every_figure(), ids=lambda figure: figure.name)
def test_every_figure_is_made_on_stand_ins(figure: Figure) -> None:
    outcome = made(figure.name)
    assert outcome.synthetic == bool(figure.needs)
    assert outcome.panels
    assert outcome.checks
    for check in outcome.checks:
        assert all((check.claim, check.measured, check.criterion))
        assert isinstance(check.agrees, bool)
        assert "nan" not in check.measured.split()
    rows = [row for panel in outcome.panels for row in numbers_of(panel)]
    assert any(math.isfinite(row[4]) for row in rows)
    assert len(pictures_of(outcome, figure.name)) == len(outcome.panels)
    assert all(sample.startswith("<svg") for _, sample in legend_of(outcome))


PAPERS = {figure.name.partition("-")[0]: figure for figure in every_figure()}


@pytest.mark.parametrize("figure", PAPERS.values(), ids=PAPERS)
def test_a_figure_of_each_paper_is_written(figure: Figure, tmp_path: Path) -> None:
    """Which file holds what; the panels of all others are drawn above."""
    outcome = made(figure.name)
    names = write_files(figure, outcome, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names.values())
    assert (tmp_path / names["png"]).read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / names["svg"]).read_text("utf-8")
    with (tmp_path / names["csv"]).open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert tuple(head) == COLUMNS
    written = [[str(cell) for cell in row] for panel in outcome.panels for row in numbers_of(panel)]
    assert rows == written


def test_figures_are_named_after_their_modules_and_papers_come_first() -> None:
    figures = every_figure()
    names = [figure.name for figure in figures]
    assert len(set(names)) == len(names)
    for figure in figures:
        assert named_figure(figure.name) is figure
        assert set(figure.needs) <= set(SETS)
        assert re.match(r"\[P[1-5]\] |Comparison: ", figure.paper)
        assert figure.title
        assert figure.claim
    assert names[:4] == ["p1-fig3", "p1-fig4", "p1-fig5", "p1-fig6"]
    assert names[-3:] == ["noise-count", "noise-mean", "noise-sum"]


@pytest.mark.parametrize("spelt", ["P1-FIG3", "p1_fig3", " p1 fig3 "])
def test_names_are_found_however_they_are_spelt(spelt: str) -> None:
    assert named_figure(spelt).name == "p1-fig3"


@pytest.mark.parametrize(
    ("wrong", "near"),
    [
        ("p1-fig33", "mean 'p1-fig3'?"),
        ("p1-fig", "'p1-fig3' or 'p1-fig4' or"),
        ("noise", "'noise-count' or"),
        ("drawing", "--list"),
        ("xyz", "--list"),
    ],
)
def test_an_unknown_name_says_which_are_near(wrong: str, near: str) -> None:
    with pytest.raises(RequestError, match="there is no figure") as error:
        named_figure(wrong)
    assert near in str(error.value)
    assert "\n" not in str(error.value)
