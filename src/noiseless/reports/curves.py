"""What a plot of a frontier shows, before anything is drawn: curves, axes and the points that stand out."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle

from noiseless.exact import Bits
from noiseless.releases.results import ReleaseFrontier, ReleasePoint, Series
from noiseless.reports.axes import Scale, scale_for

MOST_DOTS = 80
"""A curve with more points is drawn as a line alone."""

MIDDLE = 0.55
"""The names of points beyond this are written to their left, where there is more room."""

_DISTORTION = "Distortion (the largest change)"

_CLOSE = 0.07
"""Numbers nearer than this share of an axis are not written beside each other."""


@dataclass(frozen=True)
class Look:
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
    Look("#0b5cad", "#6cb2ff", "o"),
    Look("#c2410c", "#ff9a5c", "s"),
    Look("#00795c", "#3fd0a6", "D"),
    Look("#a8457f", "#f0a3cf", "^"),
)
OTHERS = (
    Look("#8f6500", "#e8c14a", "v", (6, 3)),
    Look("#8a3ea8", "#d9a5f0", "P", (2, 2)),
    Look("#00795c", "#3fd0a6", "X", (6, 2, 2, 2)),
    Look("#5b6570", "#b3bcc7", "D", (4, 4)),
    Look("#a8457f", "#f0a3cf", "^", (8, 3)),
    Look("#1b7f9c", "#7fd6ee", "<", (3, 2)),
)


@dataclass(frozen=True)
class Dot:
    """A point and where it goes, each from 0 to 1 along its axis."""

    x: float
    y: float
    point: ReleasePoint


@dataclass(frozen=True)
class Curve:
    """A method's points.

    Attributes:
        name: of the method.
        look: how it is drawn.
        ours: whether it is one of the methods that are compared with the others.
        dots: the points of it that none of its own beats, from the left.
        beaten: the others.
    """

    name: str
    look: Look
    ours: bool
    dots: tuple[Dot, ...]
    beaten: tuple[Dot, ...]


@dataclass(frozen=True)
class Chart:
    """All that a plot of a frontier shows. Left and down are better.

    Attributes:
        across: the axis of what is lost.
        up: the axis of what is given away.
        across_title: what is lost, in words.
        up_title: what is given away, in words.
        posteriors: how many values are left at some heights; none where that depends on more.
        front: the points that no release beats, from the left; none where one may.
        curves: each method.
        marked: points that stand out, by name.
    """

    across: Scale
    up: Scale
    across_title: str
    up_title: str
    posteriors: tuple[tuple[float, str], ...]
    front: tuple[Dot, ...]
    curves: tuple[Curve, ...]
    marked: tuple[tuple[str, Dot], ...]


def chart_of(frontier: ReleaseFrontier, marked: Mapping[str, ReleasePoint] | None = None) -> Chart:
    """What to draw of a frontier.

    Args:
        frontier: the frontier, with a series for each method.
        marked: points that stand out, by the name that is written beside them.
    """
    stand_out = dict(marked or {})
    every = [*frontier.points, *(p for s in frontier.series for p in s.points), *stand_out.values()]
    losses = [_loss(point, frontier.utility) for point in every]
    fades = frontier.utility == "resolution"
    across = scale_for(losses, falling=fades, linear=fades)
    up = scale_for([_drawn(leak_of(point, frontier.objective)) for point in every], linear=True)

    def dot(point: ReleasePoint) -> Dot:
        y = _drawn(leak_of(point, frontier.objective))
        return Dot(across.place(_loss(point, frontier.utility)), up.place(y), point)

    return Chart(
        across,
        up,
        "Resolution kept (bits)" if fades else _DISTORTION + ", log scale" * across.logarithmic,
        "Told by every row, I* (bits)" if frontier.objective == "maximin" else "Leakage, L0 (bits)",
        _posteriors(every, up) if frontier.objective != "maximin" else (),
        _unbeaten(map(dot, every))[0] if frontier.is_never_beaten else (),
        _curves([one for one in frontier.series if not goes_nowhere(one, frontier)], dot),
        _named((name, dot(point)) for name, point in stand_out.items()),
    )


def leak_of(point: ReleasePoint, objective: str) -> Bits:
    """What a point gives away."""
    return point.maximin if objective == "maximin" else point.leakage


def goes_nowhere(series: Series, frontier: ReleaseFrontier) -> bool:
    """Whether a baseline finds nothing but the table as it is: in a plot others would hide it."""
    if not (series.baseline and series.points and frontier.points):
        return False
    most = leak_of(frontier.points[0], frontier.objective)
    return all(leak_of(point, frontier.objective) >= most for point in series.points)


def _loss(point: ReleasePoint, utility: str) -> float:
    """Where a point goes across: its distortion, or the resolution that it keeps."""
    if utility == "resolution" or point.distortion is None:
        return _drawn(point.resolution)
    return point.distortion.upper


def _drawn(bits: Bits) -> float:
    """About so many bits: near enough for a drawing, and far quicker than a bound."""
    return math.log2(bits.ratio.numerator) - math.log2(bits.ratio.denominator)


def _named(dots: Iterable[tuple[str, Dot]]) -> tuple[tuple[str, Dot], ...]:
    """Points by name; those in the same place share one."""
    places = dict[tuple[float, float], tuple[str, Dot]]()
    for name, dot in dots:
        known = places.get((dot.x, dot.y))
        places[dot.x, dot.y] = (name, dot) if known is None else (f"{known[0]} = {name}", known[1])
    return tuple(places.values())


def _unbeaten(dots: Iterable[Dot]) -> tuple[tuple[Dot, ...], tuple[Dot, ...]]:
    """The dots with none further left and down, from the left; and the others."""
    best, beaten = list[Dot](), list[Dot]()
    for dot in sorted(dots, key=lambda dot: (dot.x, dot.y)):
        (best if not best or dot.y < best[-1].y else beaten).append(dot)
    return tuple(best), tuple(beaten)


def _curves(series: Iterable[Series], dot: Callable[[ReleasePoint], Dot]) -> tuple[Curve, ...]:
    """Each series that has points, with a look of its own as far as looks go."""
    looks = {True: cycle(OURS), False: cycle(OTHERS)}
    return tuple(
        Curve(one.name, next(looks[not one.baseline]), not one.baseline, *_unbeaten(map(dot, one.points)))
        for one in series
        if one.points
    )


def _posteriors(points: Iterable[ReleasePoint], up: Scale) -> tuple[tuple[float, str], ...]:
    """The heights at which 1, 2, 3, 5, 10, ... values are left; none with side information.

    Without it L0 = log2(|S| / fewest values left), so that the two axes say the same.
    """
    totals = {point.leakage.ratio * point.min_posterior for point in points}
    if len(totals) != 1 or (total := totals.pop()).denominator != 1:
        return ()
    found = list[tuple[float, str]]()
    for left in _round_numbers(int(total)):
        height = up.place(_drawn(Bits(Fraction(total, left))))
        if height <= 1 and (not found or abs(found[-1][0] - height) >= _CLOSE):
            found.append((height, f"{left:,}"))
    return tuple(found)


def _round_numbers(total: int) -> list[int]:
    """The whole of something first, 1, 2, 3, 5, 10, 20, ... below it from the top."""
    small = [f * 10**p for p in range(len(str(total))) for f in (1, 2, 3, 5)]
    return [total, *sorted((n for n in small if n < total), reverse=True)]
