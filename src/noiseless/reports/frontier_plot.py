"""The plot of a frontier: as a file (PNG, SVG, PDF), or as an SVG in the colours of a page."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noiseless.display import printable
from noiseless.releases.results import ReleaseFrontier
from noiseless.reports.canvas import (
    INK,
    PAPER,
    QUIET,
    SHADE,
    bare_axes,
    page_svg,
    picture_kind,
    plain_axes,
    plain_style,
    save_figure,
)
from noiseless.reports.charts import MIDDLE, MOST_DOTS, Chart, Dot, MethodCurve, chart_of
from noiseless.reports.release_rows import point_words
from noiseless.search.measures import ReleasePoint
from noiseless.tables import written_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDE, NARROW = 720, 340
"""How wide it is on a page, in points, on a desk and on a phone."""

_FILE = 576
_TALL, _SIDE, _TOP, _FOOT, _ROW = 400, 46, 10, 50, 19
"""In points: the highest axes, what stands beside, above and below them, and a row of the legend."""

_FEW_COLUMNS = 500
"""Where it is narrower the legend has one column."""

_LEAST_STEP = 0.0013
"""Steps that are a smaller share of the axes are not drawn."""


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
    kind = picture_kind(path, ("png", "svg", "pdf"))
    marked = {"this release": chosen} if isinstance(chosen, ReleasePoint) else chosen
    with plain_style(), written_whole(path) as part:
        save_figure(_figure(chart_of(frontier, marked), _FILE), part, kind)


def frontier_svg(
    chart: Chart, width: int = WIDE, *, title: str = "What is given away against what is lost"
) -> str:
    """The plot as an SVG element for a page; its points say what they are when they are pointed at.

    Args:
        chart: what to draw.
        width: how wide it is drawn; its texts keep their size.
        title: what it shows, for those who do not see it.
    """
    tips = {f"marked-{n}": [_told(name, dot)] for n, (name, dot) in enumerate(chart.marked)}
    for curve in chart.curves:
        for gid, dots in _dots(curve).items():
            tips[gid] = [_told(curve.name, dot) for dot in dots]
    with plain_style(svg_hashsalt=f"noiseless {width}", font_size=12):
        return page_svg(_figure(chart, width), title, tips)


def _told(name: str, dot: Dot) -> str:
    """What a point says."""
    return f"{name}: {point_words(dot.point)}"


def _figure(chart: Chart, width: int) -> "Figure":
    from matplotlib.figure import Figure

    columns = 1 if width < _FEW_COLUMNS else 3
    foot = _FOOT + _ROW * -(-len(chart.curves) // columns)
    tall = min(0.62 * width, _TALL)
    height, wide = tall + foot + _TOP, width - (2 if chart.posteriors else 1.3) * _SIDE
    figure = Figure(figsize=(width / 72, height / 72))
    axes = figure.add_axes((_SIDE / width, foot / height, wide / width, tall / height))
    _draw(chart, axes)
    handles, names = axes.get_legend_handles_labels()
    if handles:
        figure.legend(handles[::-1], names[::-1], loc="lower left", ncols=columns, frameon=False)
    return figure


def draw_frontier(frontier: ReleaseFrontier, axes: "Axes", chosen: ReleasePoint | None = None) -> None:
    """Draw a frontier on axes of somebody's, with its legend.

    Args:
        frontier: what to plot.
        axes: where.
        chosen: a point to mark.
    """
    _draw(chart_of(frontier, None if chosen is None else {"this release": chosen}), axes)
    axes.legend(frameon=False, fontsize="small")


def _draw(chart: Chart, axes: "Axes") -> None:
    _axes(chart, axes)
    _shade(chart, axes)
    for curve in reversed(chart.curves):
        _curve(curve, axes)
    for number, (name, dot) in enumerate(chart.marked):
        _marked(printable(name), dot, axes, f"marked-{number}")


def _axes(chart: Chart, axes: "Axes") -> None:
    """Places from 0 to 1 on both axes, so that every file and the page look alike."""
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel=chart.across_title, ylabel=chart.up_title)
    axes.set_xticks(
        [chart.across.place(v) for v, _ in chart.across.ticks], [t for _, t in chart.across.ticks]
    )
    axes.set_yticks([chart.up.place(v) for v, _ in chart.up.ticks], [t for _, t in chart.up.ticks])
    plain_axes(axes)
    if chart.posteriors:
        right = axes.secondary_yaxis("right")
        right.set_yticks([share for share, _ in chart.posteriors], [text for _, text in chart.posteriors])
        right.set_ylabel("fewest values left")
        bare_axes(right)


def _shade(chart: Chart, axes: "Axes") -> None:
    """What nothing that is shown reaches."""
    if chart.front:
        xs, ys = _steps(chart.front)
        outline = [(0.0, 1.0), (xs[0], 1.0), *zip(xs, ys, strict=True), (1.0, ys[-1]), (1.0, 0.0), (0.0, 0.0)]
        axes.fill(*zip(*outline, strict=True), color=SHADE, zorder=0.5)
    axes.annotate("↙ better", (0.012, 0.025), color=QUIET, fontsize=9)


def _curve(curve: MethodCurve, axes: "Axes") -> None:
    look = curve.look
    line: dict[str, Any] = {
        "color": look.light,
        "linewidth": 1.6 if curve.ours else 1.2,
        "linestyle": (0, look.dashes) if look.dashes else "-",
    }
    dots: dict[str, Any] = {"color": look.light, "marker": look.marker, "markersize": 6, "clip_on": False}
    axes.plot([], [], label=printable(curve.name), **line | dots)
    axes.plot(*_steps(curve.dots), **line)
    dots |= {"linestyle": "none", "markeredgecolor": PAPER, "markeredgewidth": 0.5, "zorder": 3}
    for gid, shown in _dots(curve).items():
        faint = 0.5 if shown is curve.beaten else None
        axes.plot([dot.x for dot in shown], [dot.y for dot in shown], gid=gid, alpha=faint, **dots)


def _dots(curve: MethodCurve) -> dict[str, tuple[Dot, ...]]:
    """The points of a curve that are drawn as such, by what their group is called."""
    groups = {f"beaten {curve.name}": curve.beaten, f"points {curve.name}": curve.dots}
    return {gid: dots for gid, dots in groups.items() if 0 < len(dots) <= MOST_DOTS}


def _marked(name: str, dot: Dot, axes: "Axes", gid: str) -> None:
    axes.plot([0, dot.x, dot.x], [dot.y, dot.y, 0], color=INK, linewidth=0.8, linestyle=(0, (2, 3)))
    ring: dict[str, Any] = {
        "markersize": 13,
        "markerfacecolor": "none",
        "markeredgecolor": INK,
        "markeredgewidth": 1.8,
    }
    axes.plot([dot.x], [dot.y], marker="o", linestyle="none", clip_on=False, zorder=5, gid=gid, **ring)
    far = dot.x > MIDDLE
    axes.annotate(
        name,
        (dot.x, dot.y),
        xytext=(-10 if far else 10, 8),
        textcoords="offset points",
        ha="right" if far else "left",
        color=INK,
        weight="bold",
        bbox={"boxstyle": "round,pad=0.15", "facecolor": PAPER, "edgecolor": "none", "alpha": 0.8},
        zorder=6,
    )


def _steps(dots: Sequence[Dot]) -> tuple[list[float], list[float]]:
    """Corners of a staircase: right first, then down."""
    xs, ys = [dots[0].x], [dots[0].y]
    for number, dot in enumerate(dots[1:], 2):
        if abs(dot.x - xs[-1]) + abs(dot.y - ys[-1]) < _LEAST_STEP and number < len(dots):
            continue
        xs += [dot.x, dot.x]
        ys += [ys[-1], dot.y]
    return xs, ys
