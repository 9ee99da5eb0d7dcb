"""Totals under a dominance rule: what one person can do to them, "withheld" being an answer too."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.pricing.reach import Reach
from noiseless.ranges.spans import Lattice
from noiseless.rules.base import Dominance
from noiseless.rules.witness import Group, Witness

WITHHELD = "withheld"

_MOST_TRIED = 100_000
"""So many values of the others are tried; beyond, the reach is a bound."""

_SHOWN = 3


@dataclass(frozen=True)
class Totals:
    """A total, or a mean, of so many people that a rule withholds at times.

    Attributes:
        rule: the rule.
        people: how many contribute.
        domain: what a person can contribute; nothing negative.
        factor: 1 for a total, 1 / people for a mean.
    """

    rule: Dominance
    people: int
    domain: Lattice
    factor: Fraction

    @property
    def may_withhold(self) -> bool:
        """Whether the rule withholds some total."""
        return not self.rule.always_passes(self.people, self.domain.low, self.domain.high)

    def reach(self) -> tuple[Reach, Witness]:
        """The answers that one person can cause, and others with whom a person causes most of those found.

        The answers told differ from each other, so the reach is the most values of a person that let the
        total be told, and one for "withheld" if not all do. Others who all have the same let most pass.
        """
        most, others, exact = self._best()
        every = self.domain.last + 1
        found = length(self._passing(others))
        outputs = found + (found < every)
        bound = min(most + 1, every)
        reach = Reach(outputs, exact=True) if exact or bound == outputs else Reach(bound, exact=False)
        return reach, self._witness(others, outputs)

    def _best(self) -> tuple[int, Fraction, bool]:
        """The most values that pass, what all others have then, and whether it is certainly the most.

        With others at m the values between lam m and mu m pass. Where mu m is beyond the domain, fewer pass
        the larger m is; below, at most floor((mu m - max(low, lam m)) / step) + 1 do, which grows with m.
        """
        low, high, step = self.domain.low, self.domain.high, self.domain.step
        if self.people == 1:
            return length(self._passing(Fraction(0))), Fraction(0), True
        turn = self._turn()
        place = min(max(ceil((turn - low) / step), 0), self.domain.last)
        best, where = length(self._passing(self.domain.value(place))), place
        for tried in range(place - 1, -1, -1):
            others = self.domain.value(tried)
            interval = self.rule.passing(self.people, others)
            end = high if interval.high is None else min(interval.high, high)
            bound = max(floor((end - max(low, interval.low)) / step) + 1, 0)
            if bound <= best:
                break
            if place - tried > _MOST_TRIED:
                return bound, self.domain.value(where), False
            count = length(self._passing(others))
            if count > best:
                best, where = count, tried
        if not best:
            return self._zeros()
        return best, self.domain.value(where), True

    def _zeros(self) -> tuple[int, Fraction, bool]:
        """Where nothing else passes, a total of 0 still does."""
        return length(self._passing(self.domain.low)), self.domain.low, True

    def _turn(self) -> Fraction:
        """The least that others can have for the domain's high end to pass, if something above 0 passes."""
        unit = self.rule.passing(self.people, Fraction(1))
        if unit.high is None:
            return self.domain.low
        return self.domain.high / unit.high if unit.high > 0 else self.domain.high

    def _passing(self, others: Fraction) -> range:
        """The positions of the domain that pass."""
        interval = self.rule.passing(self.people, others)
        low, step, last = self.domain.low, self.domain.step, self.domain.last
        first = max(ceil((interval.low - low) / step), 0)
        end = last if interval.high is None else min(floor((interval.high - low) / step), last)
        return range(first, max(end + 1, first))

    def _witness(self, others: Fraction, reach: int) -> Witness:
        passing, value = self._passing(others), self.domain.value
        failing = [place for place in (0, self.domain.last) if place not in passing][:1]
        told = [*passing[: _SHOWN - 1 - len(failing)], *passing[-1:]]
        places = [*sorted(set(told)), *failing]
        rest = others * (self.people - 1)
        answers = [(rest + value(place)) * self.factor if place in passing else WITHHELD for place in places]
        group: Group = ((others, self.people - 1),)
        return Witness.of(group, [value(place) for place in places], answers, reach)


def length(positions: range) -> int:
    """How many there are, also where `len` would overflow."""
    return max(positions.stop - positions.start, 0)


def domain_of_total(
    rule: Dominance, query: str, low: Rational, high: Rational, step: Rational | None
) -> Lattice:
    """What a person contributes.

    Raises:
        RequestError: it is nothing that a dominance rule is about.
    """
    if query not in {"sum", "mean"}:
        raise RequestError(f"{rule.text} is about totals: ask for a sum or a mean, not for a {query}")
    if step is None:
        raise RequestError(
            f"under {rule.text} a told total is exact, infinitely many answers; give a step (--step)"
        )
    if low < 0:
        raise RequestError(
            f"{rule.text} is about contributions that are not negative; bounds begin at 0 or above"
        )
    return Lattice.of(low, high, step)
