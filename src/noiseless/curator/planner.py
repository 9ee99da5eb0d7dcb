"""From a question to what is told about each public group, within its allowance, and back."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import prod
from typing import Any

from noiseless.curator.disclosure import (
    CellDisclosure,
    CellOutputSpace,
    CountsDisclosure,
    Disclosure,
    OutputSpace,
    Participants,
    StoredAnswer,
    fingerprint,
    outputs_of,
    told_blocks,
    weight_of,
)
from noiseless.curator.public_state import Grouping, PublicState
from noiseless.domain import Value
from noiseless.intervals import AnswerInterval
from noiseless.pricing.events import with_absent
from noiseless.pricing.partition import DomainPartition, Predicate
from noiseless.pricing.reach import QuantizedQuery, coarsest, finest
from noiseless.questions import Additive, Attribute, Query, count, total
from noiseless.questions.declared_query import DatasetFunction, DeclaredQuery
from noiseless.questions.filters import Among, Runs, numbers_of, outside
from noiseless.questions.question import Group, Question
from noiseless.questions.row_function import MOST_LISTED, RowFunction
from noiseless.questions.statistics import FilteredMean
from noiseless.ranges.quantizer import Listed
from noiseless.work import Cache, check, foresee, spend

ONE, ZERO = Fraction(1), Fraction(0)

_MOST_REMEMBERED = 2**28
"""Bytes that are remembered; most are positions of a sum, listed once for all groups of a size."""

_LISTED_STEPS = 3
"""What it takes to look at a value that is listed by itself."""
_WRITTEN_STEPS = 18
"""What it takes to write down a cell of its own width, and to keep it."""


@dataclass(frozen=True, eq=False)
class GroupAnswer:
    """What a question comes to for one group.

    Attributes:
        disclosure: what is told; None where everybody knows the answer.
        fixed: the answer that everybody knows; None if there is none.
        labels: the blocks whose rows are counted; None for a count of each value.
        factor: the answer is shift + factor times what is told.
        shift: see `factor`.
    """

    disclosure: Disclosure | None
    fixed: AnswerInterval | None = None
    labels: frozenset[int] | None = None
    factor: Fraction = ONE
    shift: Fraction = ZERO

    def value(self, answer: StoredAnswer | None, number: int = 0) -> AnswerInterval | None:
        """The answer; of a histogram, how many rows have the value with a number."""
        found = self.fixed
        if answer is None:
            pass
        elif type(self.disclosure) is CellDisclosure:
            found = self.disclosure.interval(answer)
        elif type(self.disclosure) is CountsDisclosure:
            found = self._count(self.disclosure, answer["counts"], number)
        if found is None or (self.factor is ONE and self.shift is ZERO):
            return found
        ends = (self.shift + self.factor * found.lower, self.shift + self.factor * found.upper)
        return AnswerInterval(*(ends if self.factor > 0 else ends[::-1]))

    def _count(self, disclosure: CountsDisclosure, counts: list[int], number: int) -> AnswerInterval:
        if self.labels is not None:
            return AnswerInterval.of(sum(counts[label] for label in self.labels))
        label = disclosure.partition.label_at(number)
        alone = disclosure.partition.block_sizes[label] == 1
        return AnswerInterval.of(counts[label] if alone else 0, counts[label])


@dataclass(frozen=True)
class Precision:
    """How fine an answer may be.

    Attributes:
        outputs: how many outputs one person may cause at most.
        error: how far the middle may be from the truth instead; the price is then what that costs.
        least_leakage: whether cells within that error leak least of all people together; else they are few.
    """

    outputs: int
    error: Fraction | None = None
    least_leakage: bool = False

    def scaled(self, factor: Fraction) -> "Precision":
        """The same for a number, of which the answer is this multiple."""
        return self if self.error is None else replace(self, error=self.error / factor)


class Planner:
    """Plans questions about one version of a dataset, and remembers what they came to."""

    def __init__(self, public: PublicState) -> None:
        self.public, self.schema, self.limits = public, public.schema, public.limits
        self._grouping = Grouping(public.schema, public.population)
        self.groups = self._grouping.groups
        self._memory = Cache[Any](_MOST_REMEMBERED)

    def parts(self, question: Question, wish: Precision) -> dict[tuple[Value, ...], GroupAnswer]:
        """What is told about each public group that the question is about, by the values that name it.

        Args:
            question: in its normal form.
            wish: how fine the answers may be.

        Raises:
            RequestError: it cannot be priced; the message says what can.
        """
        parts, groups = {}, self.groups(question.public, question.by)
        if question.aggregate == "variance":
            self._foresee(question, groups, wish)
        for group in groups:
            check()
            parts[group.values] = self._part(question, self._named(group), wish)
        return parts

    def extent(self, question: Question) -> tuple[int, int, int]:
        """How many public groups and cells a question is about at most, and the runs of its private filter.

        Everybody is no cell: what all people are asked together is priced once.
        """
        cells = self._grouping.count(question.public)
        runs = 0 if question.private is None else len(question.private.runs)
        if question.by:
            return cells, cells, runs
        return 1, 0 if cells == len(self.public.population.cells) else cells, runs

    def _part(self, question: Question, people: Participants, wish: Precision) -> GroupAnswer:
        hidden = question.private
        if question.aggregate == "count":
            return (
                GroupAnswer(None, AnswerInterval.of(people.size))
                if hidden is None
                else self._count(people, hidden, wish)
            )
        if question.declared is not None:
            return self._declared(question.declared, people, wish)
        if question.aggregate == "histogram":
            return self._histogram(people, str(question.column), wish)
        if hidden is None:
            return self._plain(question, people, wish)
        if question.aggregate == "sum":
            return self._filtered_sum(question, people, hidden, wish)
        return self._filtered_mean(question, people, hidden, wish)

    def _named(self, group: Group) -> Participants:
        """Who takes part, by the values of their public cells."""

        def named() -> Participants:
            if len(group.cells) == len(self.public.population.cells):
                return Participants(None, group.people, "everybody")
            names = sorted(self.public.cell_names[cell] for cell in group.cells)
            return Participants(group.cells, group.people, fingerprint(names))

        return self._memory.made(group.cells, named, lambda _: len(group.cells))

    # Counts

    def _count(self, people: Participants, hidden: Among, wish: Precision) -> GroupAnswer:
        """Exactly, where the allowance suffices; a person's rows count one by one otherwise."""
        size, rows = hidden.domain.size, min(self.limits.rows, people.size)
        together = people.cells is None or rows == 1  # otherwise a linear form of the rows is cheaper
        if together and (wish.outputs > rows if wish.error is None else rows == 1):
            chosen, alike = self._condition(hidden)
            return GroupAnswer(self._counts(people, chosen.partition, alike), labels=chosen.chosen)
        if hidden.runs[0][0] == 0:  # those who pass and those who do not are one question
            others = replace(hidden, runs=outside(hidden.runs, size))
            return replace(
                self._count(people, others, wish), factor=Fraction(-1), shift=Fraction(people.size)
            )
        attribute = Attribute(hidden.column, range(size))
        what = ("count", hidden.column, hidden.runs)
        listed = self._listed(
            hidden.column, what, lambda: count(1, attribute, numbers_of(hidden.runs), self.limits.rows)
        )
        return GroupAnswer(self._cell(people, what, replace(listed, people=people.size), wish))

    def _histogram(self, people: Participants, name: str, wish: Precision) -> GroupAnswer:
        """Every value, or as many blocks of neighbouring values as the allowance has outputs for."""
        size, rows = self.schema.columns[name].size, min(self.limits.rows, people.size)
        blocks = size
        if wish.error is None:
            blocks = most_blocks(size, rows, wish.outputs, alike=people.cells is None)
        spend(_LISTED_STEPS * blocks)
        starts = (size * block // blocks for block in range(blocks))  # as equal as can be
        return GroupAnswer(self._counts(people, DomainPartition.intervals(name, size, starts)))

    def _condition(self, hidden: Among) -> tuple[Predicate, OutputSpace]:
        def both() -> tuple[Predicate, OutputSpace]:
            made = Predicate.of_runs(hidden.column, hidden.domain.size, hidden.runs)
            return made, told_blocks(made.partition)

        key = ("condition", hidden.column, hidden.runs)
        return self._memory.made(key, both, lambda _: 8 * len(hidden.runs))

    def _counts(
        self, people: Participants, partition: DomainPartition, alike: OutputSpace | None = None
    ) -> CountsDisclosure:
        what = ("counts", *partition.names, self.limits.rows)
        blocks, names = alike or told_blocks(partition), partition.names
        return CountsDisclosure(people, what, self.public.version, blocks, names, partition)

    # Numbers

    def _plain(self, question: Question, people: Participants, wish: Precision) -> GroupAnswer:
        """An aggregate of everybody's values; a mean is a sum divided by a public number."""
        factor = ONE
        if question.aggregate == "mean":
            if self._too_few(people):
                return GroupAnswer(None)
            question, factor = replace(question, aggregate="sum"), Fraction(1, people.size)
        query = self._query(question, people.size)
        kind = "sum" if question.aggregate == "sum" else type(query).__name__
        what = (kind, question.column, getattr(query, "rank", None))
        return GroupAnswer(self._cell(people, what, query, wish.scaled(factor)), factor=factor)

    def _too_few(self, people: Participants) -> bool:
        """Whether a group is too small for a mean."""
        least = self.limits.least_group
        return least is not None and people.cells is not None and people.size < least

    def _declared(self, asked: DeclaredQuery, people: Participants, wish: Precision) -> GroupAnswer:
        """A query of the owner's own: a sum over rows, perhaps divided by a public number, or a number."""
        factor, function, rows = ONE, asked.function, self.limits.rows
        if asked.aggregate == "mean":
            if self._too_few(people):
                return GroupAnswer(None)
            factor = Fraction(1, people.size)
        if isinstance(function, DatasetFunction):
            low, high = map(str, function.bounds)
            what: tuple[Hashable, ...] = ("sql", function.sql, low, high, str(function.sensitivity))
        else:
            what = ("formula", asked.columns[0], function.text)

        def listed() -> Query:
            if isinstance(function, RowFunction):
                spend(_LISTED_STEPS * min(prod(function.sizes), MOST_LISTED))
            return asked.total(1, rows)

        one = self._memory.made(("declared", *what), listed, weight_of)
        query = replace(one, people=people.size)  # type: ignore[type-var]  # all are dataclasses
        told = self._cell(people, what, query, wish.scaled(factor), declared=asked)
        return GroupAnswer(told, factor=factor)

    def _query(self, question: Question, people: int) -> Query:
        """An aggregate of everybody in a group of so many people."""
        attribute = self._attribute(str(question.column))
        key = (question.aggregate, question.column, question.share, people)
        return self._memory.made(key, lambda: question.query(people, attribute, self.limits.rows), weight_of)

    def _foresee(self, question: Question, groups: Iterable[Group], wish: Precision) -> None:
        """Refuse a variance of many groups before anything is listed, rather than after some of them."""
        what, steps = ("Variance", question.column, None), dict[Hashable, int]()
        for people in {group.people for group in groups}:
            key = self._cells_key(what, people, wish)
            steps[self._memory, key] = _steps_of(self._query(question, people))
        foresee(steps)

    def _filtered_sum(
        self, question: Question, people: Participants, hidden: Among, wish: Precision
    ) -> GroupAnswer:
        column = str(question.column)
        attribute = self._attribute(column)
        if hidden.column != column:
            listed = self._listed(
                column, (column,), lambda: total(1, with_absent(attribute), rows=self.limits.rows)
            )
            what = ("sum", column, hidden.column, hidden.runs)
            query = replace(listed, people=people.size)
            added = (attribute, hidden.runs)
            return GroupAnswer(self._cell(people, what, query, wish, passing=hidden, added=added))
        runs, zero = hidden.runs, -attribute.origin / attribute.unit
        if zero.denominator == 1 and 0 <= zero < attribute.size:
            runs = with_number(runs, int(zero))  # whether a value of 0 counts makes no difference
        if runs == ((0, attribute.size),):
            return self._plain(question, people, wish)
        listed = self._listed(
            column, (column, runs), lambda: total(1, attribute, numbers_of(runs), self.limits.rows)
        )
        what, query = ("sum", column, column, runs), replace(listed, people=people.size)
        return GroupAnswer(self._cell(people, what, query, wish, added=(attribute, runs)))

    def _filtered_mean(
        self, question: Question, people: Participants, hidden: Among, wish: Precision
    ) -> GroupAnswer:
        column, least = str(question.column), self.limits.least_group or 1
        if people.size < least:
            return GroupAnswer(None)
        own = hidden.column == column
        numbers = self._passed(hidden.runs) if own else None
        query = FilteredMean(people.size, self._attribute(column), least, numbers)
        what = ("mean", column, hidden.column, hidden.runs, least)
        return GroupAnswer(self._cell(people, what, query, wish, passing=None if own else hidden))

    def _attribute(self, name: str) -> Attribute:
        make = partial(Attribute.of, name, self.schema.columns[name])
        return self._memory.made(("attribute", name), make, lambda _: 0)

    def _listed(self, name: str, key: tuple[Hashable, ...], make: Callable[[], Additive]) -> Additive:
        """A sum that lists what each number contributes: made once for groups of all sizes."""

        def listed() -> Additive:
            spend(_LISTED_STEPS * self.schema.columns[name].size)
            return make()

        return self._memory.made(("listed", *key), listed, lambda made: len(made.contributions))

    def _passed(self, runs: Runs) -> frozenset[int]:
        def passed() -> frozenset[int]:
            spend(sum(stop - start for start, stop in runs))
            return numbers_of(runs)

        return self._memory.made(("numbers", runs), passed, len)

    def _cell(
        self,
        people: Participants,
        what: tuple[Hashable, ...],
        query: Query,
        wish: Precision,
        *,
        passing: Among | None = None,
        added: tuple[Attribute, Runs] | None = None,
        declared: DeclaredQuery | None = None,
    ) -> CellDisclosure:
        """The cell of the answer to a query; `what` says all but how many people there are."""
        key = self._cells_key(what, people.size, wish)

        def cells() -> CellOutputSpace:
            spend(_steps_of(query))
            chosen = _chosen(query, wish)
            spend(_WRITTEN_STEPS * chosen.quantizer.cells if isinstance(chosen.quantizer, Listed) else 0)
            return CellOutputSpace(chosen)

        alike = self._memory.made(key, cells, lambda _: weight_of(query) + sum(map(_length, what)))
        asked, column = (*what, self.limits.rows), query.attribute_name
        columns: tuple[str, ...] = (column,) if passing is None else (column, passing.column)
        function = None
        if declared is not None:
            columns, function = declared.columns, declared.function
        return CellDisclosure(people, asked, self.public.version, alike, columns, passing, added, function)

    def _cells_key(self, what: tuple[Hashable, ...], people: int, wish: Precision) -> tuple[Hashable, ...]:
        return ("cells", what, people, wish.outputs, wish.error, wish.least_leakage)


def _chosen(query: Query, wish: Precision) -> QuantizedQuery:
    """The cells that a wish is for."""
    if wish.error is None:
        return finest(query, wish.outputs)
    if not wish.least_leakage:
        return coarsest(query, wish.error)
    from noiseless.theory.accuracy import least_leaking

    return least_leaking(query, wish.error)


def _steps_of(query: Query) -> int:
    """What it takes to list what a query lists, before its cells are chosen."""
    return _LISTED_STEPS * (weight_of(query) + query.listed // 2)


def _length(part: Hashable) -> int:
    return 2 * len(part) if isinstance(part, tuple) else 0


def with_number(runs: Runs, number: int) -> Runs:
    """The runs with one more number.

    >>> with_number(((1, 3), (4, 6)), 3), with_number(((1, 3),), 2)
    (((1, 6),), ((1, 3),))
    """
    found: list[tuple[int, int]] = []
    for start, stop in sorted((*runs, (number, number + 1))):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(stop, found[-1][1]))
        else:
            found.append((start, stop))
    return tuple(found)


def most_blocks(size: int, rows: int, outputs: int, *, alike: bool) -> int:
    """The most blocks whose exact counts let one person with so many rows cause at most so many outputs.

    Args:
        size: how many values there are.
        rows: how many rows a person has.
        outputs: how many outputs are allowed.
        alike: whether all rows of a person are counted together.
    """
    low, high = 1, size
    while low < high:
        blocks = (low + high + 1) // 2
        told = outputs_of(blocks, rows, alike=alike)
        low, high = (blocks, high) if told <= outputs else (low, blocks - 1)
    return low
