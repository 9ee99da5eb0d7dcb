"""A panel as a part of a page: its colours follow the page, light or dark."""

import io
import re
from collections.abc import Mapping
from html import escape

from noiseless.gallery.drawing import GRID, INK, MARKED, QUIET, STYLE, draw
from noiseless.gallery.figure import Curve, Outcome, Panel
from noiseless.gallery.looks import LOOKS, looks_of

_SIZE = (4.2, 3.1)
"""In inches; about as wide as a phone, so that texts stay readable there."""

_LETTERS = 36

_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_CLUTTER = re.compile(r"<defs>\s*<style.*?</style>\s*</defs>|<!--.*?-->|font-family: [^;\"]*; ?", re.DOTALL)
_NAMED = re.compile(r'<g id="[^"]*"')
_FONT = re.compile(r"font: ([\w.]+(?: [\w.]+)*) '[^;\"]*")
_VIEW = re.compile(r'viewBox="([^"]*)"')

VARIABLES = {INK: "var(--ink)", QUIET: "var(--quiet)", GRID: "var(--line)"} | {
    look.light: f"var(--look-{number})" for number, look in enumerate(LOOKS)
}
"""What the page calls each colour."""


def panel_svg(panel: Panel, looks: Mapping[str, int], name: str) -> str:
    """A panel as an SVG element for a page; the same bytes each time.

    Args:
        panel: what to draw, its note left out.
        looks: the number of each label's look.
        name: of its own on the page, so that what it refers to is its own too.
    """
    from matplotlib import style
    from matplotlib.figure import Figure

    out = io.StringIO()
    with style.context([*STYLE, {"svg.hashsalt": name}]):
        canvas = Figure(figsize=_SIZE, layout="constrained")
        draw(panel, canvas.subplots(), looks, note=False, letters=_LETTERS)
        canvas.savefig(out, format="svg", transparent=True, metadata=_NO_METADATA)
    return _fit_for_a_page(out.getvalue(), panel.title)


def _fit_for_a_page(svg: str, title: str) -> str:
    start = svg.index("<svg")
    view = _VIEW.search(svg, start)
    body = svg[svg.index(">", start) + 1 :]
    body = _NAMED.sub("<g", _CLUTTER.sub("", body))
    body = _FONT.sub(r"font: \1 system-ui, sans-serif", body).replace("xlink:href", "href")
    for colour, variable in VARIABLES.items():
        body = body.replace(colour, variable)
    head = f'<svg class="plot" role="img" viewBox="{view[1] if view else ""}"><title>{escape(title)}</title>'
    return head + re.sub(r"\s*\n\s*", "\n", body).rstrip()


def legend_of(outcome: Outcome) -> list[tuple[str, str]]:
    """Each label with a sample of how it is drawn, as an SVG element."""
    looks = looks_of(outcome)
    curves = {curve.label: curve for panel in outcome.panels for curve in panel.curves}
    return [(label, _sample(curves.get(label), number)) for label, number in looks.items()]


def _sample(curve: Curve | None, number: int) -> str:
    colour = f"var(--look-{number})"
    if curve is None:
        inside = (
            f'<rect x="1" y="1" width="26" height="10" fill="{colour}" fill-opacity=".3" stroke="{colour}"/>'
        )
    else:
        dashes = ' stroke-dasharray="6 4"' if curve.style == "dashed" else ""
        inside = f'<path d="M0 6H28" stroke="{colour}" stroke-width="2"{dashes}/>' * (curve.style != "dots")
        if curve.style == "dots" or len(curve.x) <= MARKED:
            inside += (
                f'<path d="{_MARKS[LOOKS[number].marker]}" transform="translate(14 6)" fill="{colour}"/>'
            )
    return f'<svg class="sample" viewBox="0 0 28 12" aria-hidden="true">{inside}</svg>'


_MARKS = {
    "o": "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z",
    "s": "M-3 -3h6v6h-6z",
    "D": "M0 -4.2L4.2 0L0 4.2L-4.2 0z",
    "^": "M0 -4L4 3.5H-4z",
    "v": "M0 4L4 -3.5H-4z",
    "<": "M-4 0L3.5 -4V4z",
    "P": "M-1.5 -4h3v2.5h2.5v3h-2.5v2.5h-3v-2.5h-2.5v-3h2.5z",
    "X": "M-4 -2L-2 -4L0 -2L2 -4L4 -2L2 0L4 2L2 4L0 2L-2 4L-4 2L-2 0z",
}
"""The markers of matplotlib as paths around the origin."""


def pictures_of(outcome: Outcome, name: str) -> tuple[str, ...]:
    """All panels of a figure as SVG elements for a page."""
    looks = looks_of(outcome)
    return tuple(panel_svg(panel, looks, f"{name}-{n}") for n, panel in enumerate(outcome.panels))
