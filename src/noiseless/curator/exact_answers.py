"""Answers that are exact: numbers that add up, over the people they are about, a function of each row."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import Any

from noiseless.curator.disclosure import (
    CellDisclosure,
    CountsDisclosure,
    Disclosure,
    Participants,
    StoredAnswer,
    weight_of,
)
from noiseless.curator.fingerprints import column_key, read_cells, read_partition
from noiseless.curator.public_state import PublicState
from noiseless.curator.step_functions import (
    EVERYWHERE,
    Place,
    StepFunction,
    StepFunctions,
    UnreadableError,
    among,
    columns_of,
    constant,
    listed,
    plus,
    product,
)
from noiseless.errors import ColumnError, RequestError
from noiseless.intervals import AnswerInterval
from noiseless.ledger import ChargedQuestion
from noiseless.pricing.events import with_absent
from noiseless.pricing.partition import DomainPartition
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Additive, Attribute, count, total
from noiseless.questions.additive import RowTotal
from noiseless.questions.attributes import attribute_of, column_of
from noiseless.questions.base import is_consecutive
from noiseless.questions.derived import DerivedColumn
from noiseless.questions.filters import numbers_of
from noiseless.questions.row_function import read_row_function
from noiseless.questions.statistics import FilteredMean
from noiseless.work import Cache, WorkError, spend

_EXACT = ["stepped", 1]
"""The cells of a sum that is told exactly."""
_MOST_BEGINS = 4096
"""Whether each of this many cells of their own widths holds one sum is looked at."""
_MOST_REMEMBERED = 2**26
"""Bytes of functions that are remembered."""
_PLACE_WEIGHT, _WEIGHT_STEPS, _TWO = 5, 4, 2


@dataclass(frozen=True, eq=False)
class ExactAnswer:
    """Numbers that are sums over rows, and how an answer holds them.

    Attributes:
        functions: what each number is the sum of.
        query: the sum whose position is told, for as many rows as it is about; None for counts.
        begins: the positions that cells stand for, where those are not all.
        running: whether numbers are counts up to the end of a block, from the first one on.
        cells: what its number is told in, where that is not told exactly.
    """

    functions: tuple[StepFunction, ...]
    query: Additive | RowTotal | None = None
    begins: tuple[int, ...] = ()
    running: bool = False
    cells: QuantizedQuery | None = None

    @property
    def error(self) -> Fraction:
        """How far the middles of the numbers can be from the truth."""
        return Fraction(0) if self.cells is None else self.cells.worst_error

    def intervals(self, answer: StoredAnswer) -> list[AnswerInterval]:
        """What is certain of the numbers."""
        if self.cells is not None:
            return [AnswerInterval(*self.cells.answer(answer["cell"]))]
        return [AnswerInterval.of(number) for number in self.numbers(answer)]

    def numbers(self, answer: StoredAnswer) -> list[Fraction | int]:
        """The numbers."""
        if self.query is None:
            counts: list[Fraction | int] = list(answer["counts"])
            return list(accumulate(counts[:-1])) if self.running else counts
        position = self.begins[answer["cell"]] if self.begins else answer["cell"]
        return [self.query.least * self.query.people + self.query.unit * position]

    def answer(self, disclosure: Disclosure, numbers: Sequence[Fraction | int]) -> StoredAnswer:
        """The answer that they are, or are computed from."""
        if not isinstance(disclosure, CellDisclosure):
            return {"counts": list(map(_whole, numbers))}
        query, quantizer = disclosure.mechanism.query, disclosure.mechanism.quantizer
        if isinstance(query, FilteredMean):
            rows, added = numbers
            return {"cell": None if rows < query.least_group else quantizer.cell(Fraction(added) / rows)}
        if not isinstance(query, Additive | RowTotal):
            raise TypeError(f"a {type(query).__name__} does not add up")
        position = (numbers[0] - query.least * query.people) / query.unit
        return {"cell": quantizer.cell_at(_whole(position))}


class ExactAnswers:
    """What the exact answers about a version add up; remembered."""

    def __init__(self, public: PublicState) -> None:
        self.public, self._steps = public, StepFunctions(public.schema)
        self._memory = Cache[Any](_MOST_REMEMBERED)

    def asked(self, disclosure: Disclosure) -> ExactAnswer | None:
        """The numbers that an answer is computed from; None if these do not add up."""
        told = (disclosure.what, disclosure.alike.text)
        return self._made(("asked", *told), lambda: self._asked(disclosure))

    def told(
        self, told: ChargedQuestion, people: Participants, *, in_cells: bool = False
    ) -> ExactAnswer | None:
        """The numbers that an answer says exactly, or also in cells; None if these do not add up."""
        made = self._made(("told", told.question), lambda: self._told(told.body, people))
        if made is not None or not in_cells:
            return made
        return self._made(("in cells", told.question), lambda: self._told_in_cells(told.body, people))

    def _made(self, key: object, make: Any) -> ExactAnswer | None:  # noqa: ANN401 - a function
        def made() -> tuple[ExactAnswer | None]:
            try:
                return (make(),)
            except WorkError:
                raise
            except (UnreadableError, RequestError, ColumnError):
                return (None,)

        return self._memory.made(key, made, _weight)[0]

    def _asked(self, disclosure: Disclosure) -> ExactAnswer | None:
        what = disclosure.what
        if isinstance(disclosure, CountsDisclosure):
            return ExactAnswer(tuple(self._steps.blocks(disclosure.partition)))
        if not isinstance(disclosure, CellDisclosure):
            return None
        query = disclosure.mechanism.query
        if isinstance(query, FilteredMean):
            _, column, hidden, runs, _, rows = what
            both = (("count", hidden, runs, rows), ("sum", column, hidden, runs, rows))
            return ExactAnswer(tuple(map(self._added, both)))
        if isinstance(query, Additive | RowTotal):
            return ExactAnswer((self._added(what),))
        return None

    def _is_of(self, body: Mapping[str, Any], people: Participants) -> bool:
        """Whether the columns of a question are those of these people, where rows are persons."""
        view = None if people.view is None else people.view.text
        return bool(body.get("persons") == view or body["what"][1] in self.public.schema.columns)

    def _told_in_cells(self, body: Mapping[str, Any], people: Participants) -> ExactAnswer | None:
        cells = body.get("cells", [])
        if not cells or len(cells) > _MOST_BEGINS or not self._is_of(body, people):
            return None
        query = replace(self._query(body["what"]), people=people.size)
        spend(_WEIGHT_STEPS * (weight_of(query) + len(cells)))
        told = QuantizedQuery(query, read_cells(cells, query.span))
        if query.attainable is not None and not is_consecutive(query.attainable):
            spend(_WEIGHT_STEPS * told.quantizer.cells)  # each has its own width
        return ExactAnswer((self._added(body["what"]),), query, cells=told)

    def _told(self, body: Mapping[str, Any], people: Participants) -> ExactAnswer | None:
        what = body["what"]
        if not self._is_of(body, people):
            return None
        blocks = read_partition(body)
        if blocks is not None:
            return self._counted(blocks)
        cells = body.get("cells", [])
        if not cells or not may_be_exact(cells):
            return None
        query = replace(self._query(what), people=people.size)
        begins = () if cells == _EXACT else tuple(cells[1:])
        if begins:
            spend(_WEIGHT_STEPS * weight_of(query))
            if not isinstance(query.attainable, tuple) or not set(begins).issuperset(query.attainable):
                return None  # several sums are in one cell
        return ExactAnswer((self._added(what),), query, begins)

    def _counted(self, blocks: DomainPartition) -> ExactAnswer:
        """Counts of neighbouring blocks as those of all blocks up to one: each has one step."""
        (name,) = blocks.names
        if not blocks.is_contiguous or name not in self.public.schema.columns:
            return ExactAnswer(tuple(self._steps.blocks(blocks)))
        return ExactAnswer(
            tuple(among(name, ((0, start),), blocks.size) for start in blocks.starts[1:]), running=True
        )

    def _added(self, what: Sequence[Any]) -> StepFunction:
        """What rows contribute to a sum."""
        kind, name, *rest = what
        if kind == "count":
            return self._steps.condition(name, rest[0])
        if kind == "formula":
            function = read_row_function(rest[0], self.public.schema)
            if function.listed is None:
                raise UnreadableError
            one = function.total(1, 1)
            worth = listed(list(function.columns), function.contributions())
            return plus(constant(one.least), worth, one.unit)
        if kind != "sum":
            raise UnreadableError
        value, domain = self._steps.value(name), column_of(name, self.public.schema)
        if rest[0] is not None:
            return product(value, self._steps.condition(rest[0], rest[1]))
        if isinstance(domain, DerivedColumn) and domain.nullable:
            raise UnreadableError
        return value

    def _query(self, what: Sequence[Any]) -> Additive | RowTotal:
        """The sum for one row, which says how its positions are numbered."""
        kind, name, *rest = what
        if kind == "formula":
            return read_row_function(rest[0], self.public.schema).total(1, what[-1])
        domain = column_of(name, self.public.schema)
        spend(_WEIGHT_STEPS * (domain.size if rest[0] is not None else 1))
        if kind == "count":
            return count(1, Attribute(name, range(domain.size)), numbers_of(rest[0]), what[-1])
        if kind != "sum":
            raise UnreadableError
        attribute = attribute_of(name, domain)
        if rest[0] is None:
            return total(1, attribute, rows=what[-1])
        if rest[0] == name and name in self.public.schema.columns:
            return total(1, attribute, numbers_of(rest[1]), what[-1])
        return total(1, with_absent(attribute), rows=what[-1])


def _weight(made: tuple[ExactAnswer | None]) -> int:
    if made[0] is None:
        return 1
    cells = 0 if made[0].cells is None else weight_of(made[0].cells.query)
    return cells + len(made[0].begins) + _PLACE_WEIGHT * sum(map(len, made[0].functions))


def _whole(number: Fraction | int) -> int:
    found = Fraction(number)
    if found.denominator > 1:
        raise ValueError("what adds up from exact answers is whole")
    return int(found)


# How questions are found again: under the columns that they are about, or under a place


def place_key(version: int, place: Place, people: str, *, in_cells: bool = False) -> str:
    """What conditions are found by, of which a place is the first or the last; also sums told in cells."""
    first, *others = place
    text = f"{column_key(version, first.column, people)}:{first.start}"
    if first.power or others:
        text += json.dumps([first.power, *others])
    text += " in cells" if in_cells else ""
    return hashlib.sha256(text.encode()).hexdigest()


def places_of(functions: Sequence[StepFunction], public: Sequence[str]) -> list[Place]:
    """The places of private columns in functions, in their order."""
    found = {
        tuple(factor for factor in place if factor.column not in public)
        for function in functions
        for place in function
    }
    return sorted(found - {EVERYWHERE})


def keys_of(disclosure: Disclosure) -> tuple[str | None, str | None]:
    """The two keys that a question which is charged for is found by, beside its own.

    Counts of a condition are found by their first and last places, for there may be very many; counts of
    more blocks by the columns; answers in cells by their question, an exact sum by its column too, and
    another one by its first place among those in cells.
    """
    answers, people, version = disclosure.people.kin.answers, disclosure.people.name, disclosure.version
    cells = disclosure.alike.told.get("cells")
    is_exact = cells is None or may_be_exact(cells)
    exact = answers.asked(disclosure) if is_exact or disclosure.adds_up else None
    if exact is None:
        return disclosure.grid, None if cells is not None else disclosure.around
    public = answers.public.schema.public
    places = places_of(exact.functions, public)
    if not places:
        return disclosure.grid, None
    low, high = (place_key(version, places[end], people, in_cells=not is_exact) for end in (0, -1))
    if cells is not None and (not is_exact or disclosure.what[0] == "count"):
        return disclosure.grid, low
    columns = [name for name in columns_of(exact.functions) if name not in public]
    first, last = (column_key(version, columns[end], people) for end in (0, -1))
    if cells is not None:
        return disclosure.grid, first
    if len(exact.functions) > _TWO:
        return disclosure.grid if first == last else first, last
    return low, high if high != low else None


def may_be_exact(cells: Sequence[Any]) -> bool:
    """Whether a cell may stand for one position."""
    return cells == _EXACT or (cells[0] == "begins" and len(cells) <= _MOST_BEGINS)
