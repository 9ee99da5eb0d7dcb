"""Others and a person who show that one really causes so many answers: values of the domain, no data."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement, groupby
from math import floor
from typing import Any

from noiseless.questions import (
    Additive,
    EqualOnBox,
    Images,
    Influence,
    MiddleMedian,
    OrderOnInterval,
    OrderStatistic,
    Query,
    Variance,
)
from noiseless.ranges.quantizer import Quantizer
from noiseless.rules.base import number_text

Told = Callable[[Fraction], object]

Group = tuple[tuple[Fraction, int], ...]
"""Values, and how many have each."""

_SHOWN = 3
_MOST_TRIED = 2**16
"""Of a domain with more values so many are tried where each has to be."""


@dataclass(frozen=True)
class Witness:
    """What the others have, some values that a person may have, and the different answers told of them.

    Attributes:
        others: values, and how many of the others have each.
        values: a person's values, three at most.
        answers: what is told for each of them.
        reach: how many different answers the person causes in all.
    """

    others: tuple[tuple[str | int, int], ...]
    values: tuple[str | int, ...]
    answers: tuple[str | int, ...]
    reach: int

    @classmethod
    def of(
        cls, others: Group, values: Sequence[Fraction], answers: Sequence[object], reach: int
    ) -> "Witness":
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

    def renamed(self, name: Callable[[str | int], str]) -> "Witness":
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


def witness(query: Query, quantizer: Quantizer, told: Told, rank: int = 1, beside: Group = ()) -> Witness:
    """Others with whom one person causes most answers; the most found where all cannot be looked at.

    Args:
        query: a question of the catalogue.
        quantizer: its answers, in cells.
        told: what is told of an answer.
        rank: which of the sorted values an order statistic is.
        beside: further others, who do not matter to the answer.
    """
    if isinstance(query, Variance):
        return _of_variance(query, quantizer, told)
    if isinstance(query, EqualOnBox | OrderOnInterval):
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
    return Witness.of(others, values, [told(value(base + move)) for move in moves], most)


def _on_continuum(
    query: EqualOnBox | OrderOnInterval, quantizer: Quantizer, told: Told, rank: int, beside: Group
) -> Witness:
    """The same where the person slides the answer over an interval."""
    weight = query.weight if isinstance(query, EqualOnBox) else Fraction(1)
    own = query.quantity.span
    sweep = weight * own.width
    most, base = quantizer.most_slid(sweep)
    cell, end = quantizer.cell(base), base + sweep
    inside = (quantizer.edge(cell + 1) + min(quantizer.edge(cell + 2), end)) / 2 if most > 1 else base
    places = [base, inside, end][: min(most, _SHOWN)]
    if isinstance(query, EqualOnBox):
        others = _adding_up(query.people, own.low, own.width, (base - quantizer.span.low) / weight)
    else:
        others = _around(query.people, rank, own.low, own.high, None)
    values = [own.low + (place - base) / weight for place in places]
    return Witness.of((*others, *beside), values, [told(place) for place in places], most)


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


def _of_variance(query: Variance, quantizer: Quantizer, told: Told) -> Witness:
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
    return Witness.of(
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
    if last < _MOST_TRIED:
        return numbers
    return [last * part // _MOST_TRIED for part in range(_MOST_TRIED + 1)]
