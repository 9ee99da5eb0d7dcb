"""Sums over people of functions of a row, as multiples of unknown numbers.

An unknown number is the sum of a place over a class of people: those of public cells that all sums treat
alike.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property

from noiseless.curator.disclosure import Participants
from noiseless.curator.elimination import Form, Number
from noiseless.curator.public_state import PublicState
from noiseless.curator.step_functions import EVERYWHERE, Place, StepFunction
from noiseless.work import spend

Members = frozenset[int]
"""Public cells."""
Sums = tuple[Participants, Sequence[StepFunction]]
"""Some people, and the functions whose sums over them are looked at."""

_PLACE_STEPS = 2


class LinearForms:
    """Forms of some sums, in the same unknown numbers.

    A class is made of public cells whose people are treated alike by all sums. Who is in it is public, and
    so is how often a step along a public column is 1 there: such sums are no unknown numbers.
    """

    def __init__(self, public: PublicState, sums: Sequence[Sums]) -> None:
        self._public, self._sums = public, sums
        self._parts = [[list(self._parted(people, one)) for one in functions] for people, functions in sums]

    def __iter__(self) -> Iterator[tuple[list[Form], list[Number]]]:
        """The forms of each of the sums, and what public numbers add to them."""
        for several in self._parts:
            forms, constants = list[Form](), list[Number]()
            for parts in several:
                form, constant = dict[Hashable, Number](), Fraction(0)
                for members, place, multiple, size in parts:
                    if place == EVERYWHERE:
                        constant += multiple * size
                        continue
                    for number in self._classes[members]:
                        value = form.get((number, place), 0) + multiple
                        form[number, place] = value
                forms.append({unknown: value for unknown, value in form.items() if value})
                constants.append(constant)
            yield forms, constants

    def _parted(
        self, people: Participants, function: StepFunction
    ) -> Iterator[tuple[Members, Place, Number, int]]:
        """The function by who can have its places, with their number: steps along public columns say who."""
        members = people.kin.everybody if people.cells is None else people.cells
        columns, sizes = self._public.population.columns, self._public.population.sizes
        spend(_PLACE_STEPS * len(function))
        for place, multiple in function.items():
            own = [factor for factor in place if factor.column in columns]
            if not own:
                yield members, place, multiple, people.size
                continue
            rest = tuple(factor for factor in place if factor.column not in columns)
            spend(_PLACE_STEPS * len(members))
            weights: dict[Number, set[int]] = {}
            for cell in members:
                weight: Number = 1
                for column, start, power in own:
                    number = self._numbers[columns.index(column)][cell]
                    weight *= (number >= start) * number**power
                weights.setdefault(weight, set()).add(cell)
            for weight, cells in weights.items():
                if weight:
                    yield frozenset(cells), rest, multiple * weight, sum(sizes[cell] for cell in cells)

    @cached_property
    def _numbers(self) -> list[list[int]]:
        """The number of each public cell's value, by column."""
        population, columns = self._public.population, self._public.schema.columns
        return [
            [columns[name].index(cell[place]) or 0 for cell in population.cells]
            for place, name in enumerate(population.columns)
        ]

    @cached_property
    def _members(self) -> list[Members]:
        every: Iterable[Members] = (
            members for several in self._parts for parts in several for members, *_ in parts
        )
        return list(dict.fromkeys(every))

    @cached_property
    def _classes(self) -> dict[Members, list[int]]:
        """The classes of which some people consist."""
        if len(self._members) == 1:
            return {self._members[0]: [0]}
        spend(_PLACE_STEPS * sum(map(len, self._members)))
        within: dict[int, list[int]] = {}
        for number, members in enumerate(self._members):
            for cell in members:
                within.setdefault(cell, []).append(number)
        found: dict[Members, list[int]] = {members: [] for members in self._members}
        for number, alike in enumerate(dict.fromkeys(map(tuple, within.values()))):
            for place in alike:
                found[self._members[place]].append(number)
        return found
