"""What pages are made of: their templates, and a small canvas that yields SVGs for them, light or dark."""

import re
from collections.abc import Callable, Collection
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from noiseless.display import bound_text, counted, printable, verb
from noiseless.reports.canvas import LOOKS, page_svg, plain_style
from noiseless.reports.notation import kept_text, length_text, share_text, upper_text, value_text
from noiseless.tables import written_whole

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

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
        placeholder = f"@{len(self._texts)}@"  # matplotlib would look for the letters of any script
        self._texts.append(escape(printable(text)))
        style: dict[str, Any] = {"fontsize": FONT, "color": colour, "weight": "bold" if bold else "normal"}
        self._shapes.append(lambda axes: axes.text(x, y + 0.36 * FONT, placeholder, ha=align, **style))

    def svg(self, title: str) -> str:
        """The drawing as an SVG element: the same bytes whenever it is drawn again."""
        from matplotlib.figure import Figure

        with plain_style():
            figure = Figure(figsize=(WIDTH / _POINTS_AN_INCH, self._height / _POINTS_AN_INCH))
            axes = figure.add_axes((0, 0, 1, 1))
            axes.set_axis_off()
            axes.set(xlim=(0, WIDTH), ylim=(self._height, 0))
            for shape in self._shapes:
                shape(axes).set_clip_on(False)
            svg = page_svg(figure, title, colours={INK: "currentColor"}, attributes=XMLNS)
        return _PLACEHOLDER.sub(lambda found: self._texts[int(found[1])], svg)


@cache
def environment(*packages: str) -> Environment:
    """All templates; what they put into a page is escaped, and what they do not know is an error.

    Args:
        packages: those that have templates besides this one.
    """
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
