"""A panel on matplotlib's axes, in the colours of the pages."""

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from noiseless.gallery.figure import Area, Curve, Panel, Raster
from noiseless.gallery.looks import LOOKS
from noiseless.gallery.ticks import set_ticks, shade_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, QUIET, GRID = "#1b1f24", "#55606c", "#d9dee4"
STYLE: list[str | Path | dict[str, Any]] = [
    "default",
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "noiseless",
        "font.sans-serif": ["DejaVu Sans", "Arial", "sans-serif"],
        "font.size": 10,
        "text.parse_math": False,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.titlesize": 11,
        "axes.titleweight": "bold",
    },
]
"""Nobody's own settings of matplotlib, so that the same figure has the same bytes everywhere."""

MARKED = 30
"""A line with more points has no markers."""

_MANY = 1_500
"""So many dots and more are drawn as pixels, also in an SVG."""

LETTERS = 46
"""The most characters in a line of a title, if there is room for them; labels have some more."""

_MORE = 6

_SHADES = "viridis"


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
    if panel.image is None:
        axes.grid(color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", colors=QUIET, length=0)
    axes.spines[:].set_visible(False)


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
        cmap=_SHADES,
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
    bar.ax.tick_params(which="both", colors=QUIET, length=0)
    shade_ticks(bar.ax, low, high, log=raster.log and low < high)
