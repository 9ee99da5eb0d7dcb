"""The papers' figures, one module a figure: what they claim, what is measured, and whether it holds.

A module of this package that holds a `figure` is one; there is no list to keep.
"""

import re
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from noiseless.errors import RequestError
from noiseless.gallery.figure import Area, ClaimCheck, Curve, Figure, Outcome, Panel, Raster, reproduces

__all__ = [
    "Area",
    "ClaimCheck",
    "Curve",
    "Figure",
    "Outcome",
    "Panel",
    "Raster",
    "every_figure",
    "named_figure",
    "reproduces",
]


@cache
def every_figure() -> tuple[Figure, ...]:
    """All figures, paper by paper; comparisons of our own come last."""
    found = [_in_module(module.name) for module in iter_modules(__path__)]
    return tuple(sorted((figure for figure in found if figure is not None), key=_order))


def named_figure(name: str) -> Figure:
    """A figure by its name, however it is spelt: "p1-fig3", "P1_Fig3".

    >>> named_figure("p1-fig33")
    Traceback (most recent call last):
    ...
    noiseless.errors.RequestError: there is no figure 'p1-fig33'; did you mean 'p1-fig3'?

    Raises:
        RequestError: there is none of that name.
    """
    plain = re.sub(r"[\s_]+", "-", name.strip().lower())
    module = plain.replace("-", "_")
    figure = _in_module(module) if module in {found.name for found in iter_modules(__path__)} else None
    if figure is None:
        raise RequestError(f"there is no figure {name!r}; {_near(plain)}")
    return figure


def _in_module(name: str) -> Figure | None:
    """The figure in a module of this package, if it holds one."""
    figure = getattr(import_module(f"{__name__}.{name}"), "figure", None)
    return figure if isinstance(figure, Figure) else None


def _near(name: str) -> str:
    names = [figure.name for figure in every_figure()]
    begun = [known for known in names if name and known.startswith(name)]
    close = begun or get_close_matches(name, names, n=1, cutoff=0.85) or get_close_matches(name, names)
    if not close:
        return "noiseless reproduce --list names them all"
    return f"did you mean {' or '.join(map(repr, close))}?"


def _order(figure: Figure) -> tuple[bool, list[tuple[int, str]]]:
    """Papers first; numbers in names by their size: fig2 before fig10."""
    parts = re.findall(r"\d+|\D+", figure.name)
    return not figure.paper.startswith("["), [(int(p), "") if p.isdecimal() else (-1, p) for p in parts]
