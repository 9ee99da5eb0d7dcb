"""What plots share: matplotlib's settings, colours and numbers beside axes, and how a figure is written.

Nobody's own settings of matplotlib are used, and nothing that changes from day to day is written: the same
figure has the same bytes everywhere.
"""

import io
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noiseless.display import printable
from noiseless.errors import OutputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axes._base import _AxesBase
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class SeriesStyle:
    """How a curve looks; shape and dashes tell curves apart where colours do not.

    Attributes:
        light: its colour on white.
        dark: its colour on black.
        marker: the shape of its points, in the letters of matplotlib.
        dashes: the lengths of its dashes and gaps; none for a solid line.
    """

    light: str
    dark: str
    marker: str
    dashes: tuple[float, ...] = ()


OURS = (
    SeriesStyle("#0b5cad", "#6cb2ff", "o"),
    SeriesStyle("#c2410c", "#ff9a5c", "s"),
    SeriesStyle("#00795c", "#3fd0a6", "D"),
    SeriesStyle("#a8457f", "#f0a3cf", "^"),
)
OTHERS = (
    SeriesStyle("#8f6500", "#e8c14a", "v", (6, 3)),
    SeriesStyle("#8a3ea8", "#d9a5f0", "P", (2, 2)),
    SeriesStyle("#00795c", "#3fd0a6", "X", (6, 2, 2, 2)),
    SeriesStyle("#5b6570", "#b3bcc7", "D", (4, 4)),
    SeriesStyle("#a8457f", "#f0a3cf", "^", (8, 3)),
    SeriesStyle("#1b7f9c", "#7fd6ee", "<", (3, 2)),
)
LOOKS = (*OURS, *(look for look in OTHERS if look.light not in {ours.light for ours in OURS}))
"""Colours that are told apart on white and on black, each with a marker of its own."""

INK, QUIET, GRID, SHADE, PAPER = "#1b1f24", "#55606c", "#d9dee4", "#eef2f6", "#ffffff"
_VARIABLES = {
    INK: "var(--ink)",
    QUIET: "var(--quiet)",
    GRID: "var(--line)",
    SHADE: "var(--card)",
    PAPER: "var(--page)",
} | {look.light: f"var(--look-{number})" for number, look in enumerate(LOOKS)}
"""What pages call each colour (`plots.css`): it is another one on black."""

_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "noiseless",
    "pdf.fonttype": 42,
    "font.sans-serif": ["DejaVu Sans", "Arial", "sans-serif"],
    "font.size": 10,
    "text.parse_math": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
}
_NO_DATE: dict[str, dict[str, str | None]] = {
    "png": {"Software": None},
    "svg": dict.fromkeys(("Creator", "Date", "Format", "Type")),
    "pdf": dict.fromkeys(("Creator", "Producer", "CreationDate")),
}
_LONG_NUMBER = re.compile(r"(?<![\w#])(\d+\.\d\d)\d+")
"""Hundredths of a point are more than anyone sees."""

_CLUTTER = re.compile(
    r"<defs>\s*<style.*?</style>\s*</defs>|<!--.*?-->|font-family: [^;\"]*; ?"
    r'| transform="rotate\(-?0 [^"]*"',
    re.DOTALL,
)
_FONT = re.compile(r"font: ([\w.]+(?: [\w.]+)*) '[^;\"]*")
_NAMED = re.compile(r'<g id="[^"]*"')
_POINT = re.compile(r"<use ([^>]*)/>")
_TAG = re.compile(r"<[^>]*>")
_VIEW = re.compile(r'viewBox="([^"]*)"')

MOST_TICKS = 6
_STEPS = (1, 2, 2.5, 5, 10)
_FEW, _SOME = 1.5, 2.5
"""Up to this many decades an axis has 1, 2 and 5 of each, and up to this many 1 and 3."""

_SMALL, _LARGE = -4, 6
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def plain_style(**changed: Any) -> AbstractContextManager[None]:  # noqa: ANN401 - settings of matplotlib
    """Settings that are the same everywhere, and some of one's own; keys have _ for their point."""
    from matplotlib import style

    return style.context(["default", _STYLE | {key.replace("_", ".", 1): v for key, v in changed.items()}])


def picture_kind(path: Path | str, kinds: Sequence[str] = ("png", "svg")) -> str:
    """Which kind of picture a name asks for.

    Raises:
        OutputError: none that is known here.
    """
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in kinds:
        known = f"{', '.join(f'.{one}' for one in kinds[:-1])} or .{kinds[-1]}"
        raise OutputError(str(path), f"is no kind of picture known here; end its name in {known}")
    return kind


def save_figure(figure: "Figure", path: Path, kind: str, dpi: int = 160) -> None:
    """Write a figure into a file."""
    figure.savefig(path, format=kind, metadata=_NO_DATE[kind], dpi=dpi)
    if kind == "svg":
        path.write_text(_shortened(path.read_text("utf-8")), "utf-8")


def page_svg(figure: "Figure", title: str, tips: Mapping[str, Sequence[str]] | None = None) -> str:
    """A figure as an SVG element for a page, in the page's colours and font.

    Args:
        figure: what is drawn.
        title: what it shows, for those who do not see it.
        tips: what the points of a curve say when they are pointed at, by the curve's gid.
    """
    out = io.StringIO()
    figure.savefig(out, format="svg", transparent=True, metadata=_NO_DATE["svg"])
    svg = _shortened(_CLUTTER.sub("", out.getvalue()))
    start = svg.index("<svg")
    view = _VIEW.search(svg, start)
    body = svg[svg.index(">", start) + 1 :]
    for gid, texts in (tips or {}).items():
        before, mark, points = body.partition(f'<g id="{gid}">')
        body = before + mark + _with_tips(points, texts)
    body = _FONT.sub(r"font: \1 system-ui, sans-serif", _NAMED.sub("<g", body)).replace("xlink:href", "href")
    for colour, shown in _VARIABLES.items():
        body = body.replace(colour, shown)
    head = f'<svg class="plot" role="img" viewBox="{view[1] if view else ""}">'
    body = re.sub(r"\s+", " ", body).replace("> <", ">\n<").strip()
    return f"{head}\n<title>{escape(printable(title))}</title>\n{body}"


def _with_tips(points: str, texts: Sequence[str]) -> str:
    """The first points with what they say, a text a point."""
    told = iter(texts)
    return _POINT.sub(
        lambda use: f"<use {use[1]}><title>{escape(printable(next(told, '')))}</title></use>",
        points,
        len(texts),
    )


def _shortened(svg: str) -> str:
    """With numbers as long as anyone sees; texts stay as they are."""
    return _TAG.sub(lambda tag: _LONG_NUMBER.sub(r"\1", tag[0]), svg)


def plain_axes(axes: "Axes") -> None:
    """A grid of thin lines and nothing else."""
    axes.grid(color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    bare_axes(axes)


def bare_axes(axes: "_AxesBase") -> None:
    """Numbers beside the axes, without lines."""
    axes.tick_params(which="both", colors=QUIET, length=0)
    axes.spines[:].set_visible(False)


def tick_text(value: float) -> str:
    """A number in few characters.

    >>> tick_text(0.25), tick_text(2000.0), tick_text(1e-9)
    ('0.25', '2,000', '10⁻⁹')
    """
    if value == 0:
        return "0"
    power = math.floor(math.log10(abs(value)) + 1e-9)
    if _SMALL <= power < _LARGE:
        value = float(f"{value:.10g}")
        return (f"{value:,.0f}" if value == int(value) else f"{value:.4g}").replace("-", "−")  # noqa: RUF001 - a minus sign
    factor = f"{value / 10.0**power:.4g}"
    raised = f"10{str(power).translate(_RAISED)}"
    return raised if factor == "1" else f"{factor}×{raised}".replace("-", "−")  # noqa: RUF001 - signs


def even_ticks(low: float, high: float) -> list[float]:
    """A few round numbers between two.

    >>> even_ticks(0, 17)
    [0.0, 5.0, 10.0, 15.0]
    """
    from matplotlib.ticker import MaxNLocator

    ticks = MaxNLocator(MOST_TICKS, steps=_STEPS).tick_values(low, high)
    return [float(tick) for tick in ticks if low <= tick <= high]


def decades(low: float, high: float) -> list[float]:
    """Powers of ten between two numbers, as few as will do; others between them where these are too few.

    >>> decades(1, 20), decades(0.001, 1e6)
    ([1.0, 2.0, 5.0, 10.0, 20.0], [0.001, 0.1, 10.0, 1000.0, 100000.0])
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    wide = math.log10(high) - math.log10(low)  # their quotient may be too large for a float
    factors = (1, 2, 5) if wide <= _FEW else (1, 3) if wide <= _SOME else (1,)
    every = max(1, math.ceil((last - first) / (MOST_TICKS + 1))) if len(factors) == 1 else 1
    numbers = [factor * 10.0**power for power in range(first, last + 1, every) for factor in factors]
    return [number for number in numbers if low * (1 - 1e-9) <= number <= high * (1 + 1e-9)]


def set_even(axis: "Axis") -> None:
    """Write few round numbers beside an axis."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(MOST_TICKS, steps=_STEPS))
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))


def set_logarithmic(axis: "Axis", low: float, high: float) -> None:
    """Write few powers of ten beside a logarithmic axis, or round numbers where there are none."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axis.set_minor_locator(NullLocator())
    powers = decades(low, high)
    if len(powers) < 2:  # noqa: PLR2004 - one number alone does not make a scale
        set_even(axis)
        return
    axis.set_major_locator(FixedLocator(powers))
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))
