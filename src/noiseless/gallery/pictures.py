"""The pictures of a figure: panels on matplotlib's axes, in the colours of the pages, and their files."""

import csv
import textwrap
from collections.abc import Iterator, Mapping
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from noiseless.gallery.figure import Area, Curve, Figure, Outcome, Panel, Raster
from noiseless.reports.canvas import (
    INK,
    LOOKS,
    bare_axes,
    plain_axes,
    plain_style,
    save_figure,
    set_even,
    set_logarithmic,
)
from noiseless.tables import written_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MARKED = 30
"""A line with more points has no markers."""

_MANY = 1_500
"""This many dots and more are drawn as pixels, also in an SVG."""

LETTERS = 46
"""The most characters in a line of a title, if there is room for them; labels have some more."""

_MORE = 6
_SHADES = "viridis"

SYNTHETIC = "synthetic stand-in"
"""What is written wherever a number comes from invented data."""

COLUMNS = ("panel", "series", "kind", "x", "y", "low", "high", "value")
"""The columns of the CSV."""

_PANEL = (4.8, 3.7)
_LINE = 0.26
"""In inches: a panel, and a line of text."""

_MOST_ACROSS, _SQUARE = 3, 2
_RESOLUTION = 120
_LETTERS_AN_INCH = 11
_SAMPLE = 6
"""The room of a legend's sample, in letters."""


def looks_of(outcome: Outcome) -> dict[str, int]:
    """The number of each label's look, in the order in which labels are drawn.

    Without a label there is no look: such curves and outlines are drawn in the colour of the text.
    """
    labels = dict[str, None]()
    for panel in outcome.panels:
        labels |= dict.fromkeys(curve.label for curve in panel.curves if curve.label)
        labels |= dict.fromkeys(area.label for area in panel.areas if area.label)
    return dict(zip(labels, cycle(range(len(LOOKS))), strict=False))


def set_ticks(panel: Panel, axes: "Axes") -> None:
    """Write few numbers beside both axes, or the texts that the panel gives."""
    for axis, given, log in (
        (axes.xaxis, panel.x_ticks, panel.log_x),
        (axes.yaxis, panel.y_ticks, panel.log_y),
    ):
        if given:
            axis.set_ticks([place for place, _ in given], [text for _, text in given])
            axis.minorticks_off()
        elif log:
            low, high = sorted(axis.get_view_interval())
            set_logarithmic(axis, low, high)
        else:
            set_even(axis)


def draw(panel: Panel, axes: "Axes", looks: Mapping[str, int], *, note: bool, letters: int = LETTERS) -> None:
    """Draw a panel.

    Args:
        panel: what to draw.
        axes: where.
        looks: the number of each label's look.
        note: whether to write the panel's note below it.
        letters: the most characters in a line of the title.
    """
    axes.set_title(textwrap.fill(panel.title, letters))
    if panel.bare:
        axes.set_axis_off()
    else:
        _frame(panel, axes, letters + _MORE, note=note)
    if panel.equal:
        axes.set_aspect("equal", adjustable="box")
    if panel.image is not None:
        _raster(panel.image, axes, letters)
    for area in panel.areas:
        _area(area, axes, looks)
    for curve in panel.curves:
        _curve(curve, axes, looks, log=panel.log_y)
    if not panel.bare:
        set_ticks(panel, axes)


def _frame(panel: Panel, axes: "Axes", letters: int, *, note: bool) -> None:
    below = [textwrap.fill(panel.x_label, letters)]
    if note and panel.note:
        below.append(textwrap.fill(panel.note, letters))
    axes.set_xlabel("\n".join(below))
    axes.set_ylabel(textwrap.fill(panel.y_label, letters))
    if panel.log_x:
        axes.set_xscale("log", nonpositive="mask")
    if panel.log_y:
        axes.set_yscale("log", nonpositive="mask")
    (plain_axes if panel.image is None else bare_axes)(axes)


def _curve(curve: Curve, axes: "Axes", looks: Mapping[str, int], *, log: bool) -> None:
    look = LOOKS[looks[curve.label]] if curve.label else None
    colour = look.light if look else INK
    dots = curve.style == "dots"
    marked = dots or (len(curve.x) <= MARKED and look is not None)
    line: dict[str, Any] = {
        "color": colour,
        "linewidth": 1.6 if look else 1.0,
        "linestyle": "none" if dots else (0, (5, 3)) if curve.style == "dashed" else "-",
        "marker": (look.marker if look else "o") if marked else "none",
        "markersize": 3 if len(curve.x) > MARKED else 4.5,
        "drawstyle": "steps-post" if curve.style == "steps" else "default",
        "rasterized": dots and len(curve.x) > _MANY,
        "zorder": 3,
    }
    axes.plot(curve.x, curve.y, label=curve.label or "_", **line)
    if curve.low is not None and curve.high is not None:
        low, high = np.array(curve.low), np.array(curve.high)
        if log:  # a band from 0 on has no end on such an axis, and one around 0 no place
            low = np.where(np.array(curve.y) > 0, np.maximum(low, high / 100), np.nan)
        band: dict[str, Any] = {"color": colour, "alpha": 0.16, "linewidth": 0}
        axes.fill_between(curve.x, low, high, step="post" if curve.style == "steps" else None, **band)
    for x, y, text in zip(curve.x, curve.y, curve.texts, strict=False):
        axes.annotate(text, (x, y), xytext=(5, 5), textcoords="offset points", fontsize=9, zorder=4)


def _area(area: Area, axes: "Axes", looks: Mapping[str, int]) -> None:
    from matplotlib.patches import Polygon

    colour = LOOKS[looks[area.label]].light if area.label else INK
    line: dict[str, Any] = {"edgecolor": colour, "linewidth": 1.0, "zorder": 2}
    fill: dict[str, Any] = {"facecolor": colour, "alpha": 0.3, "linewidth": 0, "zorder": 1.5}
    if area.label:
        axes.add_patch(Polygon(area.corners, **fill))
    axes.add_patch(Polygon(area.corners, fill=False, **line))
    axes.autoscale_view()
    if area.text:
        (x, y) = np.mean(area.corners, axis=0)
        axes.text(x, y, area.text, ha="center", va="center", fontsize=9, zorder=4)


def _raster(raster: Raster, axes: "Axes", letters: int) -> None:
    from matplotlib.colors import LogNorm, Normalize

    values = np.array(raster.values)
    shown = np.ma.masked_where(~np.isfinite(values) | (raster.log & (values <= 0)), values)
    low, high = float(shown.min()), float(shown.max())
    image = axes.imshow(
        shown,
        origin="lower",
        extent=(*raster.x, *raster.y),
        aspect=axes.get_aspect(),
        cmap=f"{_SHADES}_r" if raster.dark else _SHADES,
        norm=LogNorm(low, high) if raster.log and low < high else Normalize(low, high),
        interpolation="nearest",
        zorder=1,
    )
    if raster.levels:
        rows, columns = values.shape
        (left, right), (bottom, top) = raster.x, raster.y
        across = left + (np.arange(columns) + 0.5) * (right - left) / columns
        up = bottom + (np.arange(rows) + 0.5) * (top - bottom) / rows
        axes.contour(across, up, shown, levels=sorted(raster.levels), colors="white", linewidths=1.2)
    figure: Any = axes.get_figure(root=True)
    bar = figure.colorbar(image, ax=axes, pad=0.02)
    bar.set_label(textwrap.fill(raster.label, letters))
    bar.outline.set_visible(False)
    bare_axes(bar.ax)
    if raster.log and low < high:
        set_logarithmic(bar.ax.yaxis, low, high)
    else:
        set_even(bar.ax.yaxis)


def write_files(figure: Figure, outcome: Outcome, folder: Path) -> dict[str, str]:
    """Write a figure's files into a folder; their names by what they are: "png", "svg" and "csv".

    Raises:
        OutputError: one cannot be written there.
    """
    names = {kind: f"{figure.name}.{kind}" for kind in ("png", "svg", "csv")}
    with plain_style():
        canvas = _canvas(figure, outcome)
        for kind in ("png", "svg"):
            with written_whole(folder / names[kind]) as part:
                save_figure(canvas, part, kind, _RESOLUTION)
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
