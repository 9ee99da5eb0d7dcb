"""The walk over a grid of places for edges, for any push-forward in certified bounds."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import ceil, floor

from noiseless.domain.enclosures import Enclosure
from noiseless.theory.accuracy.pushforward import NOTHING, WHOLE, Volume
from noiseless.theory.accuracy.walk import fewest_steps, first_enough, largest_target, last_near

MOST_PLACES, MOST_STEPS = 2**11, 32
"""About how many places for edges are tried in all, and how many within the width of a cell."""

_SCALE = 2**40
"""Shares are counted in this part of the whole, rounded to the safe side."""


@dataclass(frozen=True)
class Grid:
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
        ends = last_near(self.places, self.places, self.width)

        def path(target: int) -> list[int] | None:
            return fewest_steps(first_enough(starts, stops, target), ends, len(self.places) - 1)

        def attained(target: int) -> int | None:
            found = path(target)
            return min(stops[b] - starts[a] for a, b in pairwise(found)) if found else None

        best = largest_target(attained, 0, floor(most * _SCALE))
        found = path(best) if best else None
        return [self.places[place] for place in found] if found else None

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
        known_levels = dict(zip(self.places, self.levels, strict=True))
        starts = [floor(self._level(low, known_levels).lower * _SCALE) for low in lows]
        stops = [ceil(self._level(high, known_levels).upper * _SCALE) for high in highs]
        ends = last_near(highs, lows, self.width)

        def attained(target: int) -> int | None:
            found = fewest_steps(first_enough(starts, stops, target), ends, len(lows) - 1)
            return None if found is None else target

        best = largest_target(attained, floor(known * _SCALE), floor(most * _SCALE))
        return min(most, Fraction(best + 1, _SCALE))

    def _level(self, place: Fraction, known: dict[Fraction, Enclosure]) -> Enclosure:
        return known[place] if place in known else self.volume.below(place)
