"""The feasibility walk: can one step from the smallest answer to the largest, each step being one cell?"""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import ceil, floor

from noiseless.intervals import Enclosure
from noiseless.theory.accuracy.pushforward import NOTHING, WHOLE, Volume

MOST_PLACES, MOST_STEPS = 2**11, 32
"""About how many places for edges are tried in all, and how many within the width of a cell."""

_SCALE = 2**40
"""Shares are counted in this part of the whole, rounded to the safe side."""


def best_walk(
    starts: Sequence[int], stops: Sequence[int], ends: Sequence[int], known: int, most: int
) -> tuple[int, list[int] | None]:
    """The largest smallest amount that the steps from the first place to the last can have, and such a walk.

    Args:
        starts: what lies before each place, as the start of a cell.
        stops: what lies before each place, as the end of a cell; both ascend.
        ends: the last place that a step from each place can reach; they ascend.
        known: an amount that some walk has.
        most: no walk has more.

    Returns:
        The amount, and of the walks with it one with the fewest steps; None where not even `known` has one.
    """

    def walk(target: int) -> list[int] | None:
        enough = [bisect_left(stops, start + target) for start in starts]
        return fewest_steps(enough, ends, len(starts) - 1)

    def attained(target: int) -> int | None:
        places = walk(target)
        return None if places is None else min(stops[b] - starts[a] for a, b in pairwise(places))

    best = largest_target(attained, known, most)
    return best, walk(best)


def fewest_steps(first: Sequence[int], last: Sequence[int], goal: int) -> list[int] | None:
    """The places from 0 to the goal with the fewest steps, or None when it cannot be reached.

    A step from a place leads to any of its `first` to its `last`, both of which ascend; so the places from
    which one can step to a place are neighbours, and this window only moves upwards.

    >>> fewest_steps([1, 3, 3, 3, 5], [2, 3, 4, 4, 4], 4)
    [0, 2, 4]
    """
    before, steps = [-1] * (goal + 1), [0] + [goal + 1] * goal
    window: deque[int] = deque()  # places reached, ascending, none with more steps than a later one
    entering = 0
    for place in range(1, goal + 1):
        while entering < place and first[entering] <= place:
            if steps[entering] <= goal:
                while window and steps[window[-1]] > steps[entering]:
                    window.pop()
                window.append(entering)
            entering += 1
        while window and last[window[0]] < place:
            window.popleft()
        if window:
            before[place], steps[place] = window[0], steps[window[0]] + 1
    if steps[goal] > goal:
        return None
    path = [goal]
    while path[-1]:
        path.append(before[path[-1]])
    return path[::-1]


def largest_target(attained: Callable[[int], int | None], known: int, most: int) -> int:
    """The largest feasible whole target.

    What a try attains carries the search on: of a thousand people bisection alone takes 20 times as long.

    Args:
        attained: what a target's best try attains, at least the target; None if the target is not feasible.
        known: a feasible target.
        most: no larger target is feasible.
    """
    low, high = known, most + 1
    while high - low > 1:
        better = attained(low + 1)  # the optimum is often met long before bisection closes in on it
        if better is None:
            return low
        low = better
        middle = (low + high) // 2
        if middle > low:
            better = attained(middle)
            low, high = (low, middle) if better is None else (better, high)
    return low


@dataclass(frozen=True)
class EdgeGrid:
    """Places for edges, counted from both ends in the same parts of 2e, so that end cells can be full.

    Attributes:
        volume: the push-forward.
        width: 2e.
    """

    volume: Volume
    width: Fraction

    @cached_property
    def places(self) -> list[Fraction]:
        """All places, ascending."""
        span = self.volume.span
        cells = max(1, ceil(span.width / self.width))
        step = self.width / max(2, min(MOST_STEPS, MOST_PLACES // (2 * cells)))
        count = floor(span.width / step)
        return sorted(
            {span.low, span.high}
            | {span.low + k * step for k in range(count + 1)}
            | {span.high - k * step for k in range(count + 1)}
        )

    @cached_property
    def levels(self) -> list[Enclosure]:
        """The share below each place."""
        return [NOTHING, *map(self.volume.below, self.places[1:-1]), WHOLE]

    def best_edges(self, most: Fraction) -> list[Fraction] | None:
        """Edges among the places with the largest certified smallest share, and of those the fewest.

        Args:
            most: no policy has a larger smallest share.
        """
        starts = [ceil(level.upper * _SCALE) for level in self.levels]
        stops = [floor(level.lower * _SCALE) for level in self.levels]
        ends = [bisect_right(self.places, place + self.width) - 1 for place in self.places]
        best, walk = best_walk(starts, stops, ends, 0, floor(most * _SCALE))
        return [self.places[place] for place in walk] if best and walk else None

    def bound(self, known: Fraction, most: Fraction) -> Fraction:
        """No policy has a larger smallest share: the same walk, with every doubt in the policy's favour.

        A place now stands for all edges up to the next one: a cell between two of them is wide enough if any
        two edges are near enough, and holds as much as the farthest two. The walk begins and ends anywhere
        between an end of the span and the answer nearest to it that surely occurs.

        Args:
            known: a smallest share that some policy has.
            most: a bound that is known.
        """
        sure, inner = self.volume.sure, list(pairwise(self.places))
        lows = [self.places[0], *(low for low, _ in inner), sure.high]
        highs = [sure.low, *(high for _, high in inner), self.places[-1]]
        lows, highs = list(accumulate(lows[::-1], min))[::-1], list(accumulate(highs, max))
        levels = dict(zip(self.places, self.levels, strict=True))
        levels |= {end: self.volume.below(end) for end in (sure.low, sure.high) if end not in levels}
        starts = [floor(levels[low].lower * _SCALE) for low in lows]
        stops = [ceil(levels[high].upper * _SCALE) for high in highs]
        ends = [bisect_right(lows, high + self.width) - 1 for high in highs]
        best, _ = best_walk(starts, stops, ends, floor(known * _SCALE), floor(most * _SCALE))
        return min(most, Fraction(best + 1, _SCALE))
