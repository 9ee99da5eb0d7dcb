"""What pages are made of: their templates, and a small canvas that yields an SVG for a page, light or dark."""

import io
import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from noiseless.display import printable

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from noiseless.display import bound_text, counted, verb
from noiseless.reports.notation import kept_text, length_text, share_text, upper_text, value_text

WIDTH = 320
"""As wide as a phone, so that texts stay readable there; a desktop shows it larger."""

FONT = 11
"""The size of texts."""

INK = "#010203"
"""Drawn in this, shown in the colour of the text around it."""

XMLNS = ' xmlns="http://www.w3.org/2000/svg"'
"""The attribute that a file of its own needs, and that a drawing inside a page does not."""

_POINTS_AN_INCH = 72
_RADIUS = 5
_STYLE: list[str | Path | dict[str, Any]] = ["default", {"svg.fonttype": "none", "svg.hashsalt": "noiseless"}]
"""Nobody's own settings of matplotlib, so that the same drawing has the same bytes everywhere."""

_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_CLUTTER = re.compile(
    r"<defs>\s*<style.*?</style>\s*</defs>"
    r"|</?g\b[^>]*>"
    r"|font-family: [^;\"]*; "
    r'| transform="rotate\(-?0 [^"]*"',
    re.DOTALL,
)
_PLACEHOLDER = re.compile(r"@(\d+)@")


class Drawing:
    """A canvas of `WIDTH` x `height` units; shapes are drawn in the order they are asked for."""

    def __init__(self, height: float) -> None:
        self._height = height
        self._shapes: list[Callable[[Axes], Artist]] = []
        self._texts: list[str] = []

    def bar(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """A filled rectangle; (x, y) is its top left corner."""
        from matplotlib.patches import Rectangle

        self._shapes.append(lambda axes: axes.add_patch(Rectangle((x, y), width, height, facecolor=colour)))

    def polygon(self, x: float, y: float, corners: int, turn: float, colour: str) -> None:
        """A small filled polygon around (x, y), turned by an angle; a circle when `corners` is 0."""
        from matplotlib.patches import Circle, RegularPolygon

        self._shapes.append(
            lambda axes: axes.add_patch(
                RegularPolygon((x, y), corners, radius=_RADIUS, orientation=turn, facecolor=colour)
                if corners
                else Circle((x, y), _RADIUS, facecolor=colour)
            )
        )

    def line(
        self, start: tuple[float, float], end: tuple[float, float], colour: str, width: float = 1
    ) -> None:
        """A straight line, somewhat transparent."""
        from matplotlib.lines import Line2D

        ends = ([start[0], end[0]], [start[1], end[1]])
        self._shapes.append(
            lambda axes: axes.add_line(Line2D(*ends, color=colour, linewidth=width, alpha=0.6))
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        align: Literal["left", "right"] = "left",
        colour: str = INK,
        bold: bool = False,
    ) -> None:
        """A text, centred on the height y."""
        placeholder = f"@{len(self._texts)}@"
        self._texts.append(escape(printable(text)))
        style: dict[str, Any] = {"fontsize": FONT, "color": colour, "weight": "bold" if bold else "normal"}
        self._shapes.append(lambda axes: axes.text(x, y + 0.36 * FONT, placeholder, ha=align, **style))

    def svg(self, title: str) -> str:
        """The drawing as an SVG element: the same bytes whenever it is drawn again."""
        drawn = self._drawn()
        body = _CLUTTER.sub("", drawn[drawn.index(">", drawn.index("<svg")) + 1 :])
        body = re.sub(r"\s+", " ", body).replace("> <", ">\n<").replace(INK, "currentColor")
        head = (
            f'<svg{XMLNS} class="plot" role="img" viewBox="0 0 {WIDTH} {self._height:g}" '
            f'font-family="system-ui, sans-serif">\n<title>{escape(printable(title))}</title>'
        )
        return head + _PLACEHOLDER.sub(lambda found: self._texts[int(found[1])], body.rstrip())

    def _drawn(self) -> str:
        """What matplotlib makes of it."""
        from matplotlib import style
        from matplotlib.figure import Figure

        out = io.StringIO()
        with style.context(_STYLE):
            figure = Figure(figsize=(WIDTH / _POINTS_AN_INCH, self._height / _POINTS_AN_INCH))
            axes = figure.add_axes((0, 0, 1, 1))
            axes.set_axis_off()
            axes.set(xlim=(0, WIDTH), ylim=(self._height, 0))
            for shape in self._shapes:
                shape(axes).set_clip_on(False)
            figure.savefig(out, format="svg", transparent=True, metadata=_NO_METADATA)
        return out.getvalue()


@cache
def environment() -> Environment:
    """All templates; what they put into a page is escaped, and what they do not know is an error."""
    environment = Environment(
        loader=PackageLoader("noiseless.reports"),
        autoescape=True,
        finalize=_visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "bits": lambda bits: bits.rounded_up(2),
        "count": "{:,}".format,
        "counted": counted,
        "floor": lambda value: bound_text(value, 2, up=False),
        "kept": kept_text,
        "distance": length_text,
        "share": share_text,
        "shown": shown,
        "upper": upper_text,
        "values": lambda count: counted(count, "values"),
        "verb": verb,
    }
    return environment


def _visible(value: object) -> object:
    """Texts without characters that steer a terminal or turn a line around."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def shown(value: object) -> Markup:
    """A name or value of the user's, kept from turning the text around it."""
    return Markup("<bdi>{}</bdi>").format(value_text(value))


def inline(svg: str | None) -> Markup | None:
    """A plot as part of the page; its texts are escaped already."""
    return None if svg is None else Markup(svg.replace(XMLNS, ""))  # noqa: S704 - drawn by this package
