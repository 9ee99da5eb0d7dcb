"""What one person can do to an answer under a rule: cells told, totals withheld, and a witness."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement, groupby
from math import ceil, floor
from typing import Any

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.pricing.reach import QuantizedQuery, Reach
from noiseless.questions import (
    Additive,
    Images,
    Influence,
    Lattice,
    LinearOnBox,
    MiddleMedian,
    OrderOnInterval,
    OrderStatistic,
    Query,
    Variance,
)
from noiseless.ranges.quantizer import Quantizer
from noiseless.rules.base import Dominance, number_text


@dataclass(frozen=True)
class AnswerCells:
    """What is published about an answer, in numbers.

    Attributes:
        count: how many different answers there are.
        width: how wide the widest of their cells is.
        error: how far the middle of what is published can be from the truth.
    """

    count: int
    width: Fraction
    error: Fraction


def cells_told(query: Query, quantizer: Quantizer) -> AnswerCells:
    """The cells that hold an answer; all of them, as a bound, where the answers there are were not listed.

    >>> from noiseless.ranges.quantizer import Stepped
    >>> from noiseless.questions import Attribute, Variance
    >>> spread = Variance(2, Attribute("x", range(4)))  # 0, 1, 4 and 9 quarters
    >>> cells_told(spread, Stepped(spread.span, 3))
    AnswerCells(count=3, width=Fraction(3, 4), error=Fraction(1, 8))
    """
    error, positions, span = QuantizedQuery(query, quantizer).worst_error, query.attainable, query.span
    if not isinstance(span, Lattice):
        return AnswerCells(quantizer.cells, 2 * error, error)
    if positions is None or (isinstance(positions, range) and positions.step == 1):
        return AnswerCells(quantizer.cells, 2 * error + span.step, error)
    met = {quantizer.cell_at(position) for position in positions}
    points = max(quantizer.begin(cell + 1) - quantizer.begin(cell) for cell in met)
    return AnswerCells(len(met), span.step * points, error)


def are_exact(query: Query) -> bool:
    """Whether these numbers are exact: all answers there are were listed, or are known to have no gaps."""
    return query.attainable is not None or not isinstance(query.span, Lattice)


Told = Callable[[Fraction], object]

Group = tuple[tuple[Fraction, int], ...]
"""Values, and how many have each."""

_SHOWN = 3
_MOST_VALUES_TRIED = 2**16
"""Of a domain with more values this many are tried where each has to be."""


@dataclass(frozen=True)
class ReachWitness:
    """What the others have, some values that a person may have, and the different answers told of them.

    Attributes:
        others: values, and how many of the others have each.
        values: a person's values, three at most.
        answers: what is published for each of them.
        reach: how many different answers the person causes in all.
    """

    others: tuple[tuple[str | int, int], ...]
    values: tuple[str | int, ...]
    answers: tuple[str | int, ...]
    reach: int

    @classmethod
    def of(
        cls, others: Group, values: Sequence[Fraction], answers: Sequence[object], reach: int
    ) -> "ReachWitness":
        """The same of exact numbers; each value of the others is named once."""
        counts: dict[Fraction, int] = {}
        for value, many in others:
            counts[value] = counts.get(value, 0) + many
        return cls(
            tuple((plain(value), many) for value, many in counts.items() if many),
            tuple(plain(value) for value in values),
            tuple(map(plain, answers)),
            reach,
        )

    def renamed(self, name: Callable[[str | int], str]) -> "ReachWitness":
        """The same with other names for the values."""
        return replace(self, values=tuple(map(name, self.values)))

    def to_dict(self) -> dict[str, Any]:
        """The witness as it stands in JSON."""
        return {
            "others": [list(group) for group in self.others],
            "values": list(self.values),
            "answers": list(self.answers),
        }


def plain(value: object) -> str | int:
    """A value as it stands in JSON: whole numbers as such, all else as exact text.

    >>> plain(Fraction(4)), plain(Fraction(1, 4)), plain(">=90")
    (4, '0.25', '>=90')
    """
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else number_text(value)
    return value if isinstance(value, int) else str(value)


def witness(
    query: Query, quantizer: Quantizer, told: Told, rank: int = 1, beside: Group = ()
) -> ReachWitness:
    """Others with whom one person causes most answers; the most found where all cannot be looked at.

    Args:
        query: a question of the catalogue.
        quantizer: its answers, in cells.
        told: what is published about an answer.
        rank: which of the sorted values an order statistic is.
        beside: further others, who do not matter to the answer.
    """
    if isinstance(query, Variance):
        return _of_variance(query, quantizer, told)
    if isinstance(query, LinearOnBox | OrderOnInterval):
        return _on_continuum(query, quantizer, told, rank, beside)
    (influence,) = query.influences
    if not isinstance(influence, Influence) or not isinstance(
        query, Additive | MiddleMedian | OrderStatistic
    ):
        raise TypeError(f"no witness for {type(query).__name__}")
    sweep, value = influence.sweep, quantizer.value_at
    most, base = quantizer.most_met(sweep, influence.bases[0], influence.bases[-1])
    moves = [0, quantizer.begin(quantizer.cell_at(base) + 1) - base, sweep][: min(most, _SHOWN)]
    if isinstance(query, Additive):
        low, step = query.least, query.unit
        others = _adding_up(query.people, low, step * sweep, step * base)
    else:
        low, step = query.attribute.origin, query.attribute.unit
        middle = low + step * base if isinstance(query, MiddleMedian) else None
        others = _around(query.people, rank, low, low + step * sweep, middle)
    values = [low + step * move for move in moves]
    return ReachWitness.of(others, values, [told(value(base + move)) for move in moves], most)


def _on_continuum(
    query: LinearOnBox | OrderOnInterval, quantizer: Quantizer, told: Told, rank: int, beside: Group
) -> ReachWitness:
    """The same where the person slides the answer over an interval."""
    weight = query.weights[0] if isinstance(query, LinearOnBox) else Fraction(1)
    own = query.attribute.span
    sweep = weight * own.width
    most, base = quantizer.most_slid(sweep)
    cell, end = quantizer.cell(base), base + sweep
    inside = (quantizer.edge(cell + 1) + min(quantizer.edge(cell + 2), end)) / 2 if most > 1 else base
    places = [base, inside, end][: min(most, _SHOWN)]
    if isinstance(query, LinearOnBox):
        others = _adding_up(query.people, own.low, own.width, (base - quantizer.span.low) / weight)
    else:
        others = _around(query.people, rank, own.low, own.high, None)
    values = [own.low + (place - base) / weight for place in places]
    return ReachWitness.of((*others, *beside), values, [told(place) for place in places], most)


def _adding_up(people: int, low: Fraction, width: Fraction, more: Fraction) -> Group:
    """Others whose sum is so much more than the least: as many as possible at the high end."""
    full = floor(more / width) if width else 0
    rest = more - full * width
    return (low + width, full), (low + rest, int(rest > 0)), (low, people - 1 - full - (rest > 0))


def _around(people: int, rank: int, low: Fraction, high: Fraction, middle: Fraction | None) -> Group:
    """Others at both ends, so that the person's value has the rank; one of them perhaps in the middle."""
    if middle is None:
        return (low, rank - 1), (high, people - rank)
    beside = people // 2 - 1
    return (low, beside), (middle, 1), (high, beside)


def _of_variance(query: Variance, quantizer: Quantizer, told: Told) -> ReachWitness:
    """All sets of others while they are few; else all others at the low end."""
    best: list[int] = []
    others: tuple[int, ...] = ()
    for rest in _rests(query):
        cells: dict[int, int] = {}
        for number in _tried(query.attribute.numbers):
            cells.setdefault(quantizer.cell_at(_spread(query, rest, number)), number)
        if len(cells) > len(best):
            best, others = list(cells.values()), rest
    value = query.attribute.value
    group = tuple((value(number), len(list(same))) for number, same in groupby(others))
    return ReachWitness.of(
        group or ((value(0), query.people - 1),),
        [value(number) for number in best[:_SHOWN]],
        [told(quantizer.value_at(_spread(query, others, number))) for number in best[:_SHOWN]],
        len(best),
    )


def _spread(query: Variance, others: tuple[int, ...], number: int) -> int:
    """The position of the variance; others who are not named have the number 0."""
    squares = sum(other * other for other in others) + number * number
    return query.people * squares - (sum(others) + number) ** 2


def _rests(query: Variance) -> Iterator[tuple[int, ...]]:
    """What others may have; none named stands for all of them having the least."""
    if isinstance(query.influences[0], Images):
        yield from combinations_with_replacement(query.attribute.numbers, query.people - 1)
    else:
        yield ()


def _tried(numbers: range | tuple[int, ...]) -> Sequence[int]:
    last = numbers[-1]
    if last < _MOST_VALUES_TRIED:
        return numbers
    return [last * part // _MOST_VALUES_TRIED for part in range(_MOST_VALUES_TRIED + 1)]


WITHHELD = "withheld"

_MOST_TRIED = 100_000
"""This many values of the others are tried; beyond, the reach is a bound."""


@dataclass(frozen=True)
class DominanceTotal:
    """A total, or a mean, of this many people that a rule withholds at times.

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

    def reach(self) -> tuple[Reach, ReachWitness]:
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
        if not best:  # a total of 0 may still pass
            return length(self._passing(low)), low, True
        return best, self.domain.value(where), True

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

    def _witness(self, others: Fraction, reach: int) -> ReachWitness:
        passing, value = self._passing(others), self.domain.value
        failing = [place for place in (0, self.domain.last) if place not in passing][:1]
        told = [*passing[: _SHOWN - 1 - len(failing)], *passing[-1:]]
        places = [*sorted(set(told)), *failing]
        rest = others * (self.people - 1)
        answers = [(rest + value(place)) * self.factor if place in passing else WITHHELD for place in places]
        group: Group = ((others, self.people - 1),)
        return ReachWitness.of(group, [value(place) for place in places], answers, reach)


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
            f"under {rule.text} a published total is exact, with infinitely many values; give a step (--step)"
        )
    if low < 0:
        raise RequestError(
            f"{rule.text} is about contributions that are not negative; bounds begin at 0 or above"
        )
    return Lattice.of(low, high, step)
