"""The plot of a frontier as a file: PNG, SVG or PDF."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noiseless.errors import OutputError
from noiseless.releases.results import ReleaseFrontier, ReleasePoint
from noiseless.reports.curves import MIDDLE, MOST_DOTS, Chart, Curve, Dot, chart_of
from noiseless.tables import written_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_KINDS = {".png": "png", ".svg": "svg", ".pdf": "pdf"}
_STYLE: list[str | Path | dict[str, Any]] = [
    "default",
    {
        "svg.hashsalt": "noiseless",
        "svg.fonttype": "none",
        "pdf.fonttype": 42,
        "font.sans-serif": ["DejaVu Sans", "Arial", "sans-serif"],
        "font.size": 10,
    },
]
"""Nobody's own settings of matplotlib, so that the same plot has the same bytes everywhere."""

_NO_DATE: dict[str, dict[str, str | None]] = {
    "png": {"Software": None},
    "svg": dict.fromkeys(("Creator", "Date", "Format", "Type")),
    "pdf": dict.fromkeys(("Creator", "Producer", "CreationDate")),
}
_INK, _QUIET, _GRID, _SHADE = "#1b1f24", "#55606c", "#d9dee4", "#eef2f6"
_SIZE = (8.0, 5.2)
"""In inches."""

_LEGEND_COLUMNS = 3


def save_plot(
    frontier: ReleaseFrontier,
    path: Path | str,
    chosen: ReleasePoint | Mapping[str, ReleasePoint] | None = None,
) -> None:
    """Write the plot of a frontier: every method a series, steps between its points, left and down better.

    The same frontier gives the same bytes. Nothing of the table is in it but the measures of its releases.

    Args:
        frontier: what to plot.
        path: where to; `.png`, `.svg` and `.pdf` say what is written.
        chosen: a point to mark, or several by name.

    Raises:
        OutputError: the name says none of the three, or it cannot be written there.
    """
    kind = _KINDS.get(Path(path).suffix.lower())
    if kind is None:
        raise OutputError(str(path), "is no kind of picture known here; end its name in .png, .svg or .pdf")
    marked = {"this release": chosen} if isinstance(chosen, ReleasePoint) else chosen
    chart = chart_of(frontier, marked)
    with written_whole(path) as part:
        _save(chart, part, kind)


def _save(chart: Chart, path: Path, kind: str) -> None:
    from matplotlib import style
    from matplotlib.figure import Figure

    with style.context(_STYLE):
        figure = Figure(figsize=_SIZE, dpi=160)
        _draw(chart, figure)
        figure.savefig(path, format=kind, metadata=_NO_DATE[kind])


def _draw(chart: Chart, figure: "Figure") -> None:
    rows = -(-len(chart.curves) // _LEGEND_COLUMNS)
    foot = (0.65 + 0.24 * rows) / _SIZE[1]
    axes = figure.add_axes((0.075, foot, 0.85, 0.96 - foot))
    _axes(chart, axes)
    _shade(chart, axes)
    for curve in reversed(chart.curves):
        _curve(curve, axes)
    for name, dot in chart.marked:
        _marked(name, dot, axes)
    handles, names = axes.get_legend_handles_labels()
    if handles:
        figure.legend(handles[::-1], names[::-1], loc="lower center", ncols=_LEGEND_COLUMNS, frameon=False)


def _axes(chart: Chart, axes: "Axes") -> None:
    """Places from 0 to 1 on both axes, so that every file and the page look alike."""
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel=chart.across_title, ylabel=chart.up_title)
    axes.set_xticks(
        [chart.across.place(v) for v, _ in chart.across.ticks], [t for _, t in chart.across.ticks]
    )
    axes.set_yticks([chart.up.place(v) for v, _ in chart.up.ticks], [t for _, t in chart.up.ticks])
    axes.grid(color=_GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=_QUIET, length=0)
    axes.spines[:].set_visible(False)
    if chart.posteriors:
        right = axes.secondary_yaxis("right")
        right.set_yticks([share for share, _ in chart.posteriors], [text for _, text in chart.posteriors])
        right.set_ylabel("fewest values left")
        right.tick_params(colors=_QUIET, length=0)
        right.spines[:].set_visible(False)


def _shade(chart: Chart, axes: "Axes") -> None:
    """What nothing that is shown reaches."""
    if chart.front:
        xs, ys = _steps(chart.front)
        outline = [(0.0, 1.0), (xs[0], 1.0), *zip(xs, ys, strict=True), (1.0, ys[-1]), (1.0, 0.0), (0.0, 0.0)]
        axes.fill(*zip(*outline, strict=True), color=_SHADE, zorder=0.5)
    axes.annotate("↙ better", (0.012, 0.025), color=_QUIET, fontsize=9)


def _curve(curve: Curve, axes: "Axes") -> None:
    look = curve.look
    line: dict[str, Any] = {
        "color": look.light,
        "linewidth": 1.6 if curve.ours else 1.2,
        "linestyle": (0, look.dashes) if look.dashes else "-",
    }
    dots: dict[str, Any] = {"color": look.light, "marker": look.marker, "markersize": 4.5, "clip_on": False}
    axes.plot([], [], label=curve.name, **line | dots)
    axes.plot(*_steps(curve.dots), **line)
    dots["linestyle"] = "none"
    if len(curve.dots) <= MOST_DOTS:
        axes.plot([dot.x for dot in curve.dots], [dot.y for dot in curve.dots], **dots)
    if len(curve.beaten) <= MOST_DOTS:
        axes.plot([dot.x for dot in curve.beaten], [dot.y for dot in curve.beaten], alpha=0.5, **dots)


def _marked(name: str, dot: Dot, axes: "Axes") -> None:
    axes.plot([0, dot.x, dot.x], [dot.y, dot.y, 0], color=_INK, linewidth=0.8, linestyle=(0, (2, 3)))
    ring: dict[str, Any] = {
        "markersize": 13,
        "markerfacecolor": "none",
        "markeredgecolor": _INK,
        "markeredgewidth": 1.8,
    }
    axes.plot([dot.x], [dot.y], marker="o", linestyle="none", clip_on=False, zorder=5, **ring)
    far = dot.x > MIDDLE
    axes.annotate(
        name,
        (dot.x, dot.y),
        xytext=(-10 if far else 10, 8),
        textcoords="offset points",
        ha="right" if far else "left",
        color=_INK,
        weight="bold",
        parse_math=False,
        bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.8},
        zorder=6,
    )


def _steps(dots: Sequence[Dot]) -> tuple[list[float], list[float]]:
    """Corners of a staircase: right first, then down."""
    xs, ys = [dots[0].x], [dots[0].y]
    for dot in dots[1:]:
        xs += [dot.x, dot.x]
        ys += [ys[-1], dot.y]
    return xs, ys
