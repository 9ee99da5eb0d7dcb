"""What pages are made of: their templates, and a small canvas that yields SVGs for them, light or dark."""

import math
from collections.abc import Collection, Iterable
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from markupsafe import Markup

from noiseless.display import bound_text, counted, kept_text, percent_above, percent_below, printable, verb
from noiseless.reports.canvas import LOOKS
from noiseless.reports.notation import length_text, share_text, upper_text, value_text
from noiseless.tables import written_whole

if TYPE_CHECKING:
    from jinja2 import Environment

WIDTH = 320
"""As wide as a phone, so that texts stay readable there; a desktop shows it larger."""

FONT = 11
"""The size of texts."""

INK = "currentColor"
"""The colour of the text around a drawing."""

XMLNS = ' xmlns="http://www.w3.org/2000/svg"'
"""The attribute that a file of its own needs, and that a drawing inside a page does not."""

_RADIUS = 5


class Drawing:
    """A canvas of `WIDTH` x `height` units; shapes are drawn in the order they are asked for."""

    def __init__(self, height: float) -> None:
        self._height = height
        self._shapes: list[str] = []

    def bar(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """A filled rectangle; (x, y) is its top left corner."""
        corners = (x, y), (x + width, y), (x + width, y + height), (x, y + height)
        self._path(f"{_points(corners)} z", f"fill: {colour}")

    def polygon(self, x: float, y: float, corners: int, turn: float, colour: str) -> None:
        """A small filled polygon around (x, y), turned by an angle; a circle when `corners` is 0."""
        angles = (math.pi / 2 + turn + 2 * math.pi * corner / corners for corner in range(corners))
        places = ((x + _RADIUS * math.cos(angle), y + _RADIUS * math.sin(angle)) for angle in angles)
        half = f"a {_RADIUS} {_RADIUS} 0 1 0"
        circle = f"{_points([(x - _RADIUS, y)])} {half} {2 * _RADIUS} 0 {half} {-2 * _RADIUS} 0"
        self._path(f"{_points(places) if corners else circle} z", f"fill: {colour}")

    def line(
        self, start: tuple[float, float], end: tuple[float, float], colour: str, width: float = 1
    ) -> None:
        """A straight line, somewhat transparent."""
        style = f"fill: none; stroke: {colour}; stroke-opacity: 0.6; stroke-width: {width:g}"
        self._path(_points((start, end)), f"{style}; stroke-linecap: square")

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
        anchor = "end" if align == "right" else "start"
        style = f"{'font-weight: 700; ' * bold}font-size: {FONT}px; text-anchor: {anchor}; fill: {colour}"
        place = f'x="{_number(x)}" y="{_number(y + 0.36 * FONT)}"'
        self._shapes.append(f'<text style="{style}" {place}>{escape(printable(text))}</text>')

    def svg(self, title: str) -> str:
        """The drawing as an SVG element."""
        head = f'<svg{XMLNS} class="plot" role="img" viewBox="0 0 {WIDTH} {_number(self._height)}">'
        return "\n".join([head, f"<title>{escape(printable(title))}</title>", *self._shapes, "</svg>"])

    def _path(self, path: str, style: str) -> None:
        self._shapes.append(f'<path d="{path}" style="{style}"/>')


def _points(places: Iterable[tuple[float, float]]) -> str:
    return "M " + " L ".join(f"{_number(x)} {_number(y)}" for x, y in places)


def _number(value: float) -> str:
    """Hundredths are more than anyone sees."""
    return f"{round(float(value), 2):g}"


@cache
def environment(*packages: str) -> "Environment":
    """All templates; what they put into a page is escaped, and what they do not know is an error.

    Args:
        packages: those that have templates besides this one.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in (*packages, "noiseless.reports")]),
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
        "percent": percent_above,
        "percent_floor": percent_below,
        "shown": shown,
        "upper": upper_text,
        "values": lambda count: counted(count, "values"),
        "verb": verb,
    }
    environment.globals["looks"] = LOOKS
    return environment


def write_page(path: Path | str, page: str, sources: Collection[Path] = (), *, private: bool = False) -> None:
    """Write a page; a reader sees the old file or the whole new one, never a part.

    Args:
        path: where to.
        page: what to write.
        sources: files that must not be written over.
        private: whether its owner alone may read it.

    Raises:
        OutputError: it cannot be written there.
    """
    with written_whole(path, sources, private=private) as part:
        part.write_text(page, "utf-8", newline="\n")


def _visible(value: object) -> object:
    """Texts without characters that steer a terminal or turn a line around."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def shown(value: object) -> Markup:
    """A name or value of the user's, kept from turning the text around it."""
    return Markup("<bdi>{}</bdi>").format(value_text(value))


def inline(svg: str | None) -> Markup | None:
    """A plot as part of the page; its texts are escaped already."""
    return None if svg is None else Markup(svg.replace(XMLNS, ""))  # noqa: S704 - drawn by this package
