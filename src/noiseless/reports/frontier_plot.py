"""The plot of a frontier: as a file (PNG, SVG, PDF), or as an SVG in the colours of a page."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noiseless.errors import OutputError
from noiseless.releases.results import ReleaseFrontier
from noiseless.reports.charts import MIDDLE, MOST_DOTS, Chart, Dot, MethodCurve, chart_of
from noiseless.search.measures import ReleasePoint
from noiseless.tables import written_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from noiseless.display import printable
from noiseless.reports.charts import SeriesStyle
from noiseless.reports.release_rows import point_words

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


def _curve(curve: MethodCurve, axes: "Axes") -> None:
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


WIDE, NARROW = 720, 340
"""How wide it is, in units that are about pixels, on a desk and on a phone."""

_LEFT, _RIGHT, _TOP, _FOOT = 40, 38, 30, 46
"""The room around the axes."""

_ROW, _RADIUS, _RING = 20, 3.5, 8
_LEAST_STEP = 0.4
"""Steps that are shorter, in units, are not drawn."""

_CORNER = (0.2, 0.12)
"""How much of the axes the word in the corner takes up."""

_CORNERS = {
    "s": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "D": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    "^": ((0, -1.3), (1.2, 0.9), (-1.2, 0.9)),
    "v": ((0, 1.3), (1.2, -0.9), (-1.2, -0.9)),
    "<": ((-1.3, 0), (0.9, 1.2), (0.9, -1.2)),
    "P": tuple(
        (a * s, b * s)
        for s in (1, -1)
        for a, b in ((-0.45, -1.3), (0.45, -1.3), (0.45, -0.45), (1.3, -0.45), (1.3, 0.45), (0.45, 0.45))
    ),
    "X": tuple(
        (a * s, b * s)
        for s in (1, -1)
        for a, b in ((-1.3, -0.7), (-0.7, -1.3), (0, -0.6), (0.7, -1.3), (1.3, -0.7), (0.6, 0))
    ),
}
"""The shapes of markers, in radii; a circle has no corners."""


@dataclass(frozen=True)
class _Box:
    """The rectangle within the axes, in units from the top left corner of the drawing."""

    left: float
    top: float
    width: float
    height: float

    def x(self, share: float) -> float:
        return self.left + share * self.width

    def y(self, share: float) -> float:
        return self.top + (1 - share) * self.height

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def right(self) -> float:
        return self.left + self.width


def frontier_svg(
    chart: Chart, width: int = WIDE, *, title: str = "What is given away against what is lost"
) -> str:
    """The plot as an SVG element; the page's style sheet (`plots.css`) colours it.

    Args:
        chart: what to draw.
        width: how wide it is drawn; its texts keep their size.
        title: what it shows, for those who do not see it.
    """
    right = _RIGHT if chart.posteriors else 16
    box = _Box(_LEFT, _TOP, width - _LEFT - right, min(0.62 * width, 400))
    columns = 1 if width < 2 * NARROW else 3
    rows = -(-len(chart.curves) // columns)
    height = box.bottom + _FOOT + _ROW * rows + 6
    parts = [
        f'<svg class="plot chart" role="img" viewBox="0 0 {width} {_n(height)}">',
        f"<title>{escape(printable(title))}</title>",
        *_svg_axes(chart, box),
        *_front(chart, box),
        *(part for curve in reversed(chart.curves) for part in _svg_curve(curve, box)),
        *(part for name, dot in chart.marked for part in _svg_marked(name, dot, box)),
        *_legend(chart.curves, box.bottom + _FOOT, (width - _LEFT) / columns, columns),
        "</svg>",
    ]
    return "\n".join(parts)


def _svg_axes(chart: Chart, box: _Box) -> Iterator[str]:
    """Lines at round numbers, the numbers, and what they count."""
    for value, text in chart.up.ticks:
        y = box.y(chart.up.place(value))
        yield f'<path class="grid" d="M{_n(box.left)} {_n(y)}H{_n(box.right)}"/>'
        yield _text(box.left - 6, y + 4, text, "end")
    for value, text in chart.across.ticks:
        x = box.x(chart.across.place(value))
        yield f'<path class="grid" d="M{_n(x)} {_n(box.top)}V{_n(box.bottom)}"/>'
        yield _text(x, box.bottom + 16, text, "middle")
    for share, text in chart.posteriors:
        yield _text(box.right + 6, box.y(share) + 4, text, "start")
    yield _text(2, 14, chart.up_title, "start", "name")
    if chart.posteriors:
        yield _text(box.right + _RIGHT - 2, 14, "fewest values left", "end", "name")
    yield _text(box.left + box.width / 2, box.bottom + 34, chart.across_title, "middle", "name")


def _front(chart: Chart, box: _Box) -> Iterator[str]:
    """What nothing that is shown reaches, shaded."""
    if not chart.front:
        return
    first, last = chart.front[0], chart.front[-1]
    steps = _staircase(chart.front, box)
    start = f"M{_n(box.left)} {_n(box.top)}H{_n(box.x(first.x))}V{_n(box.y(first.y))}"
    yield f'<path class="beyond" d="{start}{steps}H{_n(box.right)}V{_n(box.bottom)}H{_n(box.left)}Z"/>'
    if last.x > _CORNER[0] or last.y > _CORNER[1]:
        yield _text(box.left + 8, box.bottom - 9, "\u2199 better", "start", "quiet")


def _svg_curve(curve: MethodCurve, box: _Box) -> Iterator[str]:
    look = curve.look
    yield f'<g class="curve" style="--light:{look.light};--dark:{look.dark}">'
    first = curve.dots[0]
    if len(curve.dots) > 1:
        path = f"M{_n(box.x(first.x))} {_n(box.y(first.y))}{_staircase(curve.dots, box)}"
        yield f'<path class="line"{_dashes(look)} d="{path}"/>'
    if len(curve.beaten) <= MOST_DOTS:
        for dot in curve.beaten:
            yield _marker(look, box.x(dot.x), box.y(dot.y), _told(curve.name, dot.point), "faint")
    if len(curve.dots) <= MOST_DOTS:
        for dot in curve.dots:
            yield _marker(look, box.x(dot.x), box.y(dot.y), _told(curve.name, dot.point))
    yield "</g>"


def _staircase(dots: Sequence[Dot], box: _Box) -> str:
    """From the first dot right to below or above the next, then to it, and so on."""
    path, at = list[str](), (box.x(dots[0].x), box.y(dots[0].y))
    for number, dot in enumerate(dots[1:], 2):
        x, y = box.x(dot.x), box.y(dot.y)
        if abs(x - at[0]) + abs(y - at[1]) < _LEAST_STEP and number < len(dots):
            continue
        path.append(f"H{_n(x)}V{_n(y)}")
        at = x, y
    return "".join(path)


def _svg_marked(name: str, dot: Dot, box: _Box) -> Iterator[str]:
    """A ring around a point, lines to both axes, and its name."""
    x, y = box.x(dot.x), box.y(dot.y)
    yield '<g class="chosen">'
    yield f'<path class="aim" d="M{_n(box.left)} {_n(y)}H{_n(x)}V{_n(box.bottom)}"/>'
    told = escape(_told(name, dot.point))
    yield f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_RING}"><title>{told}</title></circle>'
    side, anchor = (-1, "end") if dot.x > MIDDLE else (1, "start")
    yield _text(x + 12 * side, max(y - 8, box.top + 10), name, anchor)
    yield "</g>"


def _legend(curves: Sequence[MethodCurve], top: float, wide: float, columns: int) -> Iterator[str]:
    """A line, a marker and a name for each curve."""
    for number, curve in enumerate(curves):
        row, column = divmod(number, columns)
        x, y, look = _LEFT + wide * column, top + _ROW * (row + 0.5), curve.look
        yield f'<g class="curve" style="--light:{look.light};--dark:{look.dark}">'
        yield f'<path class="line"{_dashes(look)} d="M{_n(x)} {_n(y)}h26"/>'
        yield _marker(look, x + 13, y)
        yield _text(x + 33, y + 4, curve.name, "start")
        yield "</g>"


def _marker(look: SeriesStyle, x: float, y: float, told: str = "", kind: str = "dot") -> str:
    title = f"<title>{escape(printable(told))}</title>" if told else ""
    if look.marker not in _CORNERS:
        return f'<circle class="{kind}" cx="{_n(x)}" cy="{_n(y)}" r="{_RADIUS}">{title}</circle>'
    corners = " ".join(f"{_n(x + _RADIUS * a)},{_n(y + _RADIUS * b)}" for a, b in _CORNERS[look.marker])
    return f'<polygon class="{kind}" points="{corners}">{title}</polygon>'


def _told(name: str, point: ReleasePoint) -> str:
    """What a point says when it is pointed at."""
    return f"{name}: {point_words(point)}"


def _dashes(look: SeriesStyle) -> str:
    return f' stroke-dasharray="{" ".join(map(_n, look.dashes))}"' if look.dashes else ""


def _text(x: float, y: float, text: str, anchor: str, kind: str = "tick") -> str:
    shown = escape(printable(text))
    return f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{shown}</text>'


def _n(number: float) -> str:
    """A number with one decimal at most."""
    return f"{number:.1f}".removesuffix(".0")
