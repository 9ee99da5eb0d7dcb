"""Which linear forms are combinations of others: exactly, one unknown after the other."""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush

from noiseless.work import spend

Number = Fraction | int
Form = Mapping[Hashable, Number]
"""Multiples of unknown numbers, none of them 0, that are added up."""
Combination = dict[int, Number]
"""Multiples of forms, by their places in a list."""

_MOST_OPERATIONS = 2**18
"""Where combining equations takes more, nothing is found; some seconds."""
_OPERATIONS_A_STEP = 2


def combinations(targets: Sequence[Form], forms: Sequence[Form]) -> list[Combination] | None:
    """How each target is a combination of the forms; None if one of them is not.

    Each unknown number is an equation for the multiples of the forms. The one with the fewest multiples in it
    is solved first, for the multiple that the fewest other equations have, and put into these. Forms that
    make a forest, as counts of runs and totals of groups do, are solved without any that grow.

    >>> combinations([{"a": 1, "b": 1}], [{"a": 1, "b": -1}, {"b": 2}]) == [{0: 1, 1: 1}]
    True
    >>> combinations([{"a": 1}], [{"a": 1, "b": -1}]) is None
    True
    """
    holders: dict[Hashable, list[int]] = {}
    for number, form in enumerate(forms):
        for unknown in form:
            holders.setdefault(unknown, []).append(number)
    reached = _reached(targets, forms, holders)
    if reached is None:
        return None
    wanted: dict[Hashable, dict[int, Number]] = {}
    for place, target in enumerate(targets):
        for unknown, multiple in target.items():
            wanted.setdefault(unknown, {})[place] = multiple
    spend(sum(len(holders[unknown]) for unknown in reached))
    rows = [
        ({number: forms[number][unknown] for number in holders[unknown]}, wanted.get(unknown, {}))
        for unknown in reached
    ]
    return _solved(rows, len(targets))


def _reached(
    targets: Sequence[Form], forms: Sequence[Form], holders: Mapping[Hashable, list[int]]
) -> dict[Hashable, None] | None:
    """The unknown numbers that have to do with the targets; None where no form has one of a target's."""
    reached: dict[Hashable, None] = {unknown: None for target in targets for unknown in target}
    if any(unknown not in holders for unknown in reached):
        return None
    seen, waiting = set[int](), list(reached)
    for unknown in waiting:
        for number in holders[unknown]:
            if number not in seen:
                seen.add(number)
                fresh = [other for other in forms[number] if other not in reached]
                reached.update(dict.fromkeys(fresh))
                waiting += fresh
    return reached


_Row = tuple[dict[int, Number], dict[int, Number]]
"""Multiples of the unknown ones, and what they come to for each target."""


def _solved(rows: list[_Row], targets: int) -> list[Combination] | None:
    within: dict[int, set[int]] = {}
    for place, (multiples, _) in enumerate(rows):
        for number in multiples:
            within.setdefault(number, set()).add(place)
    shortest = [(len(multiples), place) for place, (multiples, _) in enumerate(rows)]
    heapify(shortest)
    left, solved, operations = set(range(len(rows))), list[tuple[int, _Row]](), 0
    while shortest:
        length, place = heappop(shortest)
        multiples, sums = rows[place]
        if place not in left or len(multiples) != length:
            continue
        left.discard(place)
        if not multiples:
            if sums:
                return None
            continue
        number = min(multiples, key=lambda each: len(within[each]))
        operations += len(within[number]) * (len(multiples) + len(sums))
        if operations > _MOST_OPERATIONS:
            return None
        spend(len(within[number]) * (len(multiples) + len(sums)) // _OPERATIONS_A_STEP)
        for each in multiples:
            within[each].discard(place)
        for other in within.pop(number):
            times = -_ratio(rows[other][0][number], multiples[number])
            _add(rows[other][0], multiples, times, within, other)
            _add(rows[other][1], sums, times)
            heappush(shortest, (len(rows[other][0]), other))
        solved.append((number, rows[place]))
    return _put_in(solved, targets)


def _add(
    row: dict[int, Number],
    other: Mapping[int, Number],
    times: Number,
    within: dict[int, set[int]] | None = None,
    place: int = 0,
) -> None:
    """Add a multiple of another row to a row."""
    for key, value in other.items():
        found = row.get(key, 0) + times * value
        if found:
            if within is not None and key not in row:
                within[key].add(place)
            row[key] = found
        else:
            row.pop(key, None)
            if within is not None and key in within:
                within[key].discard(place)


def _put_in(solved: Sequence[tuple[int, _Row]], targets: int) -> list[Combination]:
    """What the multiples are, the last one first; those that may be anything are 0."""
    found: list[Combination] = [{} for _ in range(targets)]
    for number, (multiples, sums) in reversed(solved):
        values = dict(sums)
        for other, multiple in multiples.items():
            if other != number:
                for target, combination in enumerate(found):
                    if other in combination:
                        values[target] = values.get(target, 0) - multiple * combination[other]
        for target, value in values.items():
            if value:
                found[target][number] = _ratio(value, multiples[number])
    return found


def _ratio(value: Number, by: Number) -> Number:
    if by in (1, -1):
        return value * by
    found = Fraction(value) / by
    return int(found) if found.denominator == 1 else found
