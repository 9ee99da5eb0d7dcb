"""What a plot of a frontier shows, before anything is drawn: axes, curves and the points that stand out."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle

from noiseless.exact import Bits
from noiseless.releases.results import ReleaseFrontier
from noiseless.reports.canvas import OTHERS, OURS, SeriesStyle, decades, even_ticks, tick_text
from noiseless.reports.frontier_rows import goes_nowhere
from noiseless.search.measures import ReleasePoint
from noiseless.search.survey import Series

_ZERO_ROOM = 0.08
"""The share of a logarithmic axis that stands between 0 and the smallest positive number."""

_END = 1.04
"""An axis ends somewhat beyond the largest number."""

_SQUEEZED = 0.1
_FAR_APART = 50
"""An axis is logarithmic when half of the numbers would share its first tenth and differ by this factor."""

MOST_DOTS = 80
"""A curve with more points is drawn as a line alone."""

MIDDLE = 0.55
"""The names of points beyond this are written to their left, where there is more room."""

_DISTORTION = "Distortion (the largest change)"

_CLOSE = 0.07
"""Numbers nearer than this share of an axis are not written beside each other."""


@dataclass(frozen=True)
class AxisScale:
    """An axis from `low` to `high`; a logarithmic one may hold 0, apart from the rest.

    Attributes:
        low: the smallest number; above 0 on a logarithmic axis, apart from `zero`.
        high: the largest number.
        logarithmic: whether equal steps are equal factors.
        zero: whether a logarithmic axis begins with a place for 0.
        falling: whether the largest number comes first.
    """

    low: float
    high: float
    logarithmic: bool = False
    zero: bool = False
    falling: bool = False

    def place(self, value: float) -> float:
        """Where a number goes, from 0 (the beginning of the axis) to 1.

        >>> AxisScale(0, 10).place(2.5), AxisScale(0, 10, falling=True).place(2.5)
        (0.25, 0.75)
        >>> scale = AxisScale(1, 100, logarithmic=True, zero=True)
        >>> scale.place(0), scale.place(1), round(scale.place(10), 2)
        (0.0, 0.08, 0.54)
        """
        share = self._share(value)
        return 1 - share if self.falling else share

    def _share(self, value: float) -> float:
        if not self.logarithmic:
            return (value - self.low) / (self.high - self.low)
        start = _ZERO_ROOM if self.zero else 0.0
        if value <= 0:
            return 0.0
        low, high = math.log(self.low), math.log(self.high)  # their quotient may be too large for a float
        return start + (1 - start) * (math.log(value) - low) / (high - low)

    @property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        """The numbers that are written, ascending, and how."""
        numbers = (decades if self.logarithmic else even_ticks)(self.low, self.high)
        return tuple((number, tick_text(number)) for number in ([0.0] if self.zero else []) + numbers)


def scale_for(values: Sequence[float], *, falling: bool = False, linear: bool = False) -> AxisScale:
    """An axis that holds all of some numbers that are not negative, 0 included.

    >>> scale_for([0, 3, 17]).ticks[-1], scale_for([0, 1, 1, 2, 1000]).logarithmic
    ((15.0, '15'), True)

    Args:
        values: what is to be shown.
        falling: whether the largest number comes first.
        linear: whether it must be linear.
    """
    largest = max(values, default=0.0)
    if largest <= 0:
        return AxisScale(0.0, 1.0, falling=falling)
    positive = sorted(value for value in values if value > 0)
    squeezed = sum(value <= _SQUEEZED * largest for value in values)
    if not linear and positive[0] * _FAR_APART <= largest and 2 * squeezed >= len(values):
        low = 10.0 ** math.floor(math.log10(positive[0]))
        while low * 2 <= positive[0]:
            low *= 2
        return AxisScale(low, largest * _END, logarithmic=True, zero=min(values) <= 0, falling=falling)
    return AxisScale(0.0, largest * _END, falling=falling)


@dataclass(frozen=True)
class Dot:
    """A point and where it goes, each from 0 to 1 along its axis."""

    x: float
    y: float
    point: ReleasePoint


@dataclass(frozen=True)
class MethodCurve:
    """A method's points.

    Attributes:
        name: of the method.
        look: how it is drawn.
        ours: whether it is one of the methods that are compared with the others.
        dots: the points of it that none of its own beats, from the left.
        beaten: the others.
    """

    name: str
    look: SeriesStyle
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

    across: AxisScale
    up: AxisScale
    across_title: str
    up_title: str
    posteriors: tuple[tuple[float, str], ...]
    front: tuple[Dot, ...]
    curves: tuple[MethodCurve, ...]
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
    up = scale_for([_drawn(point.leak(frontier.objective)) for point in every], linear=True)

    def dot(point: ReleasePoint) -> Dot:
        y = _drawn(point.leak(frontier.objective))
        return Dot(across.place(_loss(point, frontier.utility)), up.place(y), point)

    return Chart(
        across,
        up,
        "Resolution kept (bits)" if fades else _DISTORTION + ", log scale" * across.logarithmic,
        "Always revealed, I* (bits)" if frontier.objective == "maximin" else "Leakage, L0 (bits)",
        _posteriors(every, up) if frontier.objective != "maximin" else (),
        _unbeaten(map(dot, every))[0] if frontier.is_complete else (),
        _curves([one for one in frontier.series if not goes_nowhere(one, frontier)], dot),
        _named((name, dot(point)) for name, point in stand_out.items()),
    )


def _loss(point: ReleasePoint, utility: str) -> float:
    """Where a point goes across: its distortion, or the resolution that it keeps."""
    if utility == "resolution" or point.distortion is None:
        return _drawn(point.resolution)
    return point.distortion.upper


def _drawn(bits: Bits) -> float:
    """About this many bits: near enough for a drawing, and far quicker than a bound."""
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


def _curves(series: Iterable[Series], dot: Callable[[ReleasePoint], Dot]) -> tuple[MethodCurve, ...]:
    """Each series that has points, with a look of its own as far as looks go."""
    looks = {True: cycle(OURS), False: cycle(OTHERS)}
    return tuple(
        MethodCurve(
            one.name, next(looks[not one.baseline]), not one.baseline, *_unbeaten(map(dot, one.points))
        )
        for one in series
        if one.points
    )


def _posteriors(points: Iterable[ReleasePoint], up: AxisScale) -> tuple[tuple[float, str], ...]:
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
