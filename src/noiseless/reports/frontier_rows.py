"""What pages and texts say of a frontier: what each method needs, some of its points, and what is proved."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from noiseless.display import kept_text
from noiseless.exact import Bits
from noiseless.releases.results import ReleaseFrontier
from noiseless.reports.notation import length_text
from noiseless.search.loss import Length
from noiseless.search.measures import ReleasePoint
from noiseless.search.survey import Series

T = TypeVar("T")

_MOST_LEVELS = 6
_LEFT = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
"""How many values left people ask for."""


@dataclass(frozen=True)
class LeakageLevel:
    """So much may be given away.

    Attributes:
        leak: at most this many bits.
        left: how many values are left then; None where that depends on more.
    """

    leak: Bits
    left: int | None

    @property
    def text(self) -> str:
        """In words."""
        return f"{self.leak.rounded_up(2)} bits" if self.left is None else f"{self.left:,} left"


@dataclass(frozen=True)
class MethodRow:
    """What a method loses at each level: as text, and whether no method loses less."""

    name: str
    baseline: bool
    needs: tuple[tuple[str, bool], ...]


def levels_of(frontier: ReleaseFrontier) -> tuple[LeakageLevel, ...]:
    """A few levels that can be reached, the loosest first: round numbers of values left, or some points."""
    points = frontier.points
    if frontier.objective != "maximin" and _counts_values(frontier):
        total = frontier.sensitive_values
        reached = max((point.min_posterior for point in points), default=1)
        left = [number for number in _LEFT if number < reached] + [reached] * (reached > 1)
        few = reached - 1 <= _MOST_LEVELS
        chosen = list(range(2, reached + 1)) if few else spread(left, _MOST_LEVELS)
        return tuple(LeakageLevel(Bits(Fraction(total, number)), number) for number in chosen)
    leaks = sorted({point.leak(frontier.objective) for point in points}, reverse=True)
    return tuple(LeakageLevel(leak, None) for leak in spread(leaks[1:] or leaks, _MOST_LEVELS))


def _counts_values(frontier: ReleaseFrontier) -> bool:
    """Whether the leakage is that of the fewest values left: there is no side information."""
    total = frontier.sensitive_values
    return all(point.leakage.ratio * point.min_posterior == total for point in frontier.points)


def method_rows(frontier: ReleaseFrontier, levels: Sequence[LeakageLevel]) -> tuple[MethodRow, ...]:
    """What each method that has points loses at each level; "-" where none was found."""
    reached = [series for series in frontier.series if series.points]
    losses = [[_least(frontier, series.points, level) for level in levels] for series in reached]
    rows = list[MethodRow]()
    for series, found in zip(reached, losses, strict=True):
        needs = tuple(
            ("-", False)
            if loss is None
            else (loss_text(loss), not any(_less(row[i], loss) for row in losses))
            for i, loss in enumerate(found)
        )
        rows.append(MethodRow(series.name, series.baseline, needs))
    return tuple(rows)


def _least(
    frontier: ReleaseFrontier, points: Sequence[ReleasePoint], level: LeakageLevel
) -> Length | Bits | None:
    """The smallest distortion, or the largest resolution, of some points within a level."""
    within = [point for point in points if point.leak(frontier.objective) <= level.leak]
    if frontier.utility == "resolution":
        return max((point.resolution for point in within), default=None)
    return min((point.distortion for point in within if point.distortion is not None), default=None)


def _less(one: Length | Bits | None, other: Length | Bits) -> bool:
    """Whether one loss is known and smaller (a resolution: larger)."""
    if isinstance(one, Bits) and isinstance(other, Bits):
        return one > other
    return isinstance(one, Length) and isinstance(other, Length) and one < other


def loss_text(loss: Length | Bits) -> str:
    """A distortion, or bits that are kept."""
    return kept_text(loss) if isinstance(loss, Bits) else length_text(loss)


def spread(items: Sequence[T], most: int) -> list[T]:
    """At most this many of some items, first and last among them, evenly.

    >>> spread(range(10), 4), spread("ab", 4)
    ([0, 3, 6, 9], ['a', 'b'])
    """
    if len(items) <= most:
        return list(items)
    return [items[round(i * (len(items) - 1) / (most - 1))] for i in range(most)]


def scope_words(frontier: ReleaseFrontier) -> str:
    """What is proved of a frontier, and whether a release may do better."""
    if frontier.is_complete:
        return _proved(frontier)
    where = "lie between its points" if frontier.scope in ("all", "full-domain") else "do better"
    return f"{_proved(frontier)} A release with another target may {where}."


def _proved(frontier: ReleaseFrontier) -> str:
    if frontier.scope == "all":
        return "Proved: no way of merging values beats a point of this frontier."
    if frontier.scope == "contiguous":
        return (
            "Proved: no contiguous cells (runs of neighbouring values) beat a point of this frontier. Other "
            "cells might."
        )
    if frontier.scope == "full-domain":
        return (
            "Proved: no other choice of a level for each column beats a point of this frontier. Cells that "
            "are chosen one by one (--recoding local) might."
        )
    return (
        "No method listed here beats any of these. It is not proved that nothing does, or that no others lie "
        "between them."
    )


def title_words(frontier: ReleaseFrontier) -> str:
    """What the points are called: undominated where that is proved, at least among contiguous cells."""
    what = "undominated releases" if frontier.scope else "best trade-offs found"
    return what if len(frontier.points) != 1 else what.replace("releases", "release").replace("offs", "off")


def note_words(frontier: ReleaseFrontier) -> str:
    """Why the frontier ends before all values are left, as a sentence."""
    return f"{frontier.note[:1].upper()}{frontier.note[1:]}." if frontier.note else ""


def method_notes(frontier: ReleaseFrontier) -> list[str]:
    """What was left out of a method's points and why, and which methods get nowhere."""
    found = [f"{one.name}: {one.note}" for one in frontier.series if one.note]
    nowhere = "it finds no release that gives away less than the table as it is"
    return found + [f"{one.name}: {nowhere}" for one in frontier.series if goes_nowhere(one, frontier)]


def goes_nowhere(series: Series, frontier: ReleaseFrontier) -> bool:
    """Whether a baseline finds nothing but the table as it is: in a plot others would hide it."""
    if not (series.baseline and series.points and frontier.points):
        return False
    most = frontier.points[0].leak(frontier.objective)
    return all(point.leak(frontier.objective) >= most for point in series.points)
