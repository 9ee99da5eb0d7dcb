"""The plot of a frontier as an SVG in a page: in the page's colours, with points that say what they are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from noiseless.display import printable
from noiseless.releases.results import ReleasePoint
from noiseless.reports.curves import MIDDLE, MOST_DOTS, Chart, Curve, Dot, Look
from noiseless.reports.release_rows import point_words

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
        *_axes(chart, box),
        *_front(chart, box),
        *(part for curve in reversed(chart.curves) for part in _curve(curve, box)),
        *(part for name, dot in chart.marked for part in _marked(name, dot, box)),
        *_legend(chart.curves, box.bottom + _FOOT, (width - _LEFT) / columns, columns),
        "</svg>",
    ]
    return "\n".join(parts)


def _axes(chart: Chart, box: _Box) -> Iterator[str]:
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


def _curve(curve: Curve, box: _Box) -> Iterator[str]:
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


def _marked(name: str, dot: Dot, box: _Box) -> Iterator[str]:
    """A ring around a point, lines to both axes, and its name."""
    x, y = box.x(dot.x), box.y(dot.y)
    yield '<g class="chosen">'
    yield f'<path class="aim" d="M{_n(box.left)} {_n(y)}H{_n(x)}V{_n(box.bottom)}"/>'
    told = escape(_told(name, dot.point))
    yield f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_RING}"><title>{told}</title></circle>'
    side, anchor = (-1, "end") if dot.x > MIDDLE else (1, "start")
    yield _text(x + 12 * side, max(y - 8, box.top + 10), name, anchor)
    yield "</g>"


def _legend(curves: Sequence[Curve], top: float, wide: float, columns: int) -> Iterator[str]:
    """A line, a marker and a name for each curve."""
    for number, curve in enumerate(curves):
        row, column = divmod(number, columns)
        x, y, look = _LEFT + wide * column, top + _ROW * (row + 0.5), curve.look
        yield f'<g class="curve" style="--light:{look.light};--dark:{look.dark}">'
        yield f'<path class="line"{_dashes(look)} d="M{_n(x)} {_n(y)}h26"/>'
        yield _marker(look, x + 13, y)
        yield _text(x + 33, y + 4, curve.name, "start")
        yield "</g>"


def _marker(look: Look, x: float, y: float, told: str = "", kind: str = "dot") -> str:
    title = f"<title>{escape(printable(told))}</title>" if told else ""
    if look.marker not in _CORNERS:
        return f'<circle class="{kind}" cx="{_n(x)}" cy="{_n(y)}" r="{_RADIUS}">{title}</circle>'
    corners = " ".join(f"{_n(x + _RADIUS * a)},{_n(y + _RADIUS * b)}" for a, b in _CORNERS[look.marker])
    return f'<polygon class="{kind}" points="{corners}">{title}</polygon>'


def _told(name: str, point: ReleasePoint) -> str:
    """What a point says when it is pointed at."""
    return f"{name}: {point_words(point)}"


def _dashes(look: Look) -> str:
    return f' stroke-dasharray="{" ".join(map(_n, look.dashes))}"' if look.dashes else ""


def _text(x: float, y: float, text: str, anchor: str, kind: str = "tick") -> str:
    shown = escape(printable(text))
    return f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{shown}</text>'


def _n(number: float) -> str:
    """A number with one decimal at most."""
    return f"{number:.1f}".removesuffix(".0")
