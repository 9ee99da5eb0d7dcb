"""The files of a figure: a picture as PNG and SVG, and its numbers as CSV."""

import csv
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noiseless.gallery.drawing import STYLE, draw
from noiseless.gallery.figure import Figure, Outcome, Panel
from noiseless.gallery.looks import LOOKS, looks_of
from noiseless.tables import written_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

SYNTHETIC = "synthetic stand-in"
"""What is written wherever a number comes from invented data."""

COLUMNS = ("panel", "series", "kind", "x", "y", "low", "high", "value")
"""The columns of the CSV."""

_NO_DATE: dict[str, dict[str, str | None]] = {
    "png": {"Software": None},
    "svg": dict.fromkeys(("Creator", "Date", "Format", "Type")),
}
_PANEL = (4.8, 3.7)
_LINE = 0.26
"""In inches: a panel, and a line of text."""

_MOST_ACROSS, _SQUARE = 3, 2
_RESOLUTION = 120
_LETTERS_AN_INCH = 11
_SAMPLE = 6
"""The room of a legend's sample, in letters."""


def write_files(figure: Figure, outcome: Outcome, folder: Path) -> dict[str, str]:
    """Write a figure's files into a folder; their names by what they are: "png", "svg" and "csv".

    Raises:
        OutputError: one cannot be written there.
    """
    from matplotlib import style

    names = {kind: f"{figure.name}.{kind}" for kind in ("png", "svg", "csv")}
    with style.context(STYLE):
        canvas = _canvas(figure, outcome)
        for kind, metadata in _NO_DATE.items():
            with written_whole(folder / names[kind]) as part:
                canvas.savefig(part, format=kind, metadata=metadata, dpi=_RESOLUTION)
            canvas.set_layout_engine("none")  # found once, the places stay
    with (
        written_whole(folder / names["csv"]) as part,
        part.open("w", encoding="utf-8", newline="") as out,
    ):
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        for panel in outcome.panels:
            writer.writerows(numbers_of(panel))
    return names


def numbers_of(panel: Panel) -> Iterator[tuple[Any, ...]]:
    """All numbers of a panel as rows of the CSV: points of curves, corners of areas, cells of the map.

    >>> from noiseless.gallery.figure import Curve
    >>> list(numbers_of(Panel("left", "x", "y", (Curve("ours", (1.0,), (0.5,)),))))
    [('left', 'ours', 'line', 1.0, 0.5, '', '', '')]
    """
    for curve in panel.curves:
        bands = zip(curve.low or (), curve.high or (), strict=True)
        for x, y in zip(curve.x, curve.y, strict=True):
            yield (panel.title, curve.label, curve.style, x, y, *next(bands, ("", "")), "")
    for area in panel.areas:
        for x, y in area.corners:
            yield (panel.title, area.label or area.text, "area", x, y, "", "", "")
    if panel.image is not None:
        image = panel.image
        (left, right), (bottom, top) = image.x, image.y
        for i, row in enumerate(image.values):
            y = bottom + (i + 0.5) * (top - bottom) / len(image.values)
            for j, value in enumerate(row):
                x = left + (j + 0.5) * (right - left) / len(row)
                yield (panel.title, image.label, "map", x, y, "", "", value)


def _canvas(figure: Figure, outcome: Outcome) -> "Canvas":
    """All panels side by side, a legend for all of them below."""
    from matplotlib.figure import Figure as Canvas

    looks, panels = looks_of(outcome), len(outcome.panels)
    across = _SQUARE if panels == _SQUARE**2 else min(_MOST_ACROSS, panels)
    down = -(-panels // across)
    width = _PANEL[0] * across
    letters = int(width * _LETTERS_AN_INCH)
    columns = max(1, min(len(looks), letters // (max(map(len, looks), default=0) + _SAMPLE)))
    title = f"{figure.paper}: {figure.title}{f' ({SYNTHETIC})' * outcome.synthetic}"
    title = textwrap.fill(title, letters)
    lines = title.count("\n") + 1 - (-len(looks) // columns)
    canvas = Canvas(figsize=(width, _PANEL[1] * down + _LINE * lines), layout="constrained")
    canvas.suptitle(title, x=0.01, ha="left", fontsize=12)
    for number, axes in enumerate(canvas.subplots(down, across, squeeze=False).flat):
        if number < panels:
            draw(outcome.panels[number], axes, looks, note=True)
        else:
            axes.set_visible(False)
    _legend(canvas, outcome, looks, columns)
    return canvas


def _legend(canvas: "Canvas", outcome: Outcome, looks: dict[str, int], columns: int) -> None:
    from matplotlib.patches import Patch

    handles: dict[str, Any] = {}
    for axes in canvas.axes:
        drawn, labels = axes.get_legend_handles_labels()
        handles = dict(zip(labels, drawn, strict=True)) | handles
    for panel in outcome.panels:
        for area in panel.areas:
            if area.label and area.label not in handles:
                handles[area.label] = Patch(color=LOOKS[looks[area.label]].light, alpha=0.3)
    if looks:
        shown = [handles[label] for label in looks]
        canvas.legend(shown, list(looks), loc="outside lower center", ncols=columns, frameon=False)
