"""From a question to what is published about each public group, within its allowance, and back."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import prod
from typing import Any

from noiseless.curator.disclosure import (
    CellDisclosure,
    CellOutputSpace,
    CountsDisclosure,
    Participants,
    weight_of,
)
from noiseless.curator.fingerprints import fingerprint
from noiseless.curator.group_answer import ONE, ZERO, GroupAnswer, Precision
from noiseless.curator.kinship import Kinship
from noiseless.curator.output_space import OutputSpace, most_blocks, told_blocks
from noiseless.curator.public_state import Grouping, PublicState
from noiseless.domain import Value
from noiseless.intervals import AnswerInterval
from noiseless.pricing.events import with_absent
from noiseless.pricing.partition import DomainPartition, Predicate
from noiseless.pricing.reach import QuantizedQuery, coarsest, finest
from noiseless.questions import Additive, Attribute, Query, count, total
from noiseless.questions.attributes import attribute_of, classes_where, column_of
from noiseless.questions.declared_query import DatasetFunction, DeclaredQuery
from noiseless.questions.derived import DerivedColumn, Domain
from noiseless.questions.filters import Among, Runs, expression_of, numbers_of, outside, with_number
from noiseless.questions.person_view import PersonView
from noiseless.questions.question import ORDERED, Group, Question
from noiseless.questions.row_function import MOST_LISTED, RowFunction
from noiseless.questions.sql.canonical import write_filter
from noiseless.questions.statistics import FilteredMean, FilteredOrder, FilteredVariance
from noiseless.ranges.quantizer import Listed
from noiseless.work import Cache, check, foresee, spend

_MOST_REMEMBERED = 2**28
"""Bytes that are remembered; most are positions of a sum, listed once for all groups of a size."""

_LISTED_STEPS = 3
"""What it takes to look at a value that is listed by itself."""
_WRITTEN_STEPS = 18
"""What it takes to write down a cell of its own width, and to keep it."""


class Planner:
    """Plans questions about one version of a dataset, and remembers what they came to."""

    def __init__(
        self, public: PublicState, view: PersonView | None = None, homes: Sequence[frozenset[int]] = ()
    ) -> None:
        """Plan questions about rows, or about the persons of a view, whose own rows are in some `homes`."""
        self.public, self.schema, self.limits = public, public.schema, public.limits
        self.view, self._homes = view, homes
        self._grouping = Grouping(public.schema, public.population)
        self.groups = self._grouping.groups
        self._memory = Cache[Any](_MOST_REMEMBERED)
        self._kinship = Kinship(public, self._named)

    def parts(self, question: Question, wish: Precision) -> dict[tuple[Value, ...], GroupAnswer]:
        """What is published about each public group that the question is about, by the values that name it.

        Args:
            question: in its normal form.
            wish: how fine the answers may be.

        Raises:
            RequestError: it cannot be priced; the message says what can.
        """
        parts, groups = {}, self.groups(question.public, question.by)
        if question.aggregate == "variance" and not question.is_filtered:
            self._foresee(question, groups, wish)
        for group in groups:
            check()
            people = self._named(group.cells)
            parts[group.values] = (
                self._part(question, people, wish)
                if question.classes is None
                else self._classes(question, people, wish)
            )
        return parts

    def _classes(self, question: Question, people: Participants, wish: Precision) -> GroupAnswer:
        """An aggregate for each value of a private column, over the rows that have it and pass the filter."""
        name, domain, numbers = self._joint(str(question.classes), question.private)
        if question.aggregate == "count":
            return replace(self._histogram(people, name, wish), numbers=numbers)
        nobody = AnswerInterval.of(0) if question.aggregate == "sum" else None
        each = []
        for number in numbers:
            if number is None:
                each.append(GroupAnswer(None, nobody))
                continue
            own = Among(name, ((number, number + 1),), domain)
            each.append(self._part(replace(question, private=own, classes=None), people, wish))
        return GroupAnswer(None, each=tuple(each))

    def _joint(self, name: str, private: Among | None) -> tuple[str, Domain, tuple[int | None, ...]]:
        """The column whose values are those of GROUP BY where a filter passes, and their numbers in it."""

        def made() -> tuple[str, Domain, tuple[int | None, ...]]:
            passing = None if private is None else (expression_of(private), write_filter(private))
            spend(_LISTED_STEPS * column_of(name, self.schema).size)
            return classes_where(name, self.schema, passing)

        return self._memory.made(("joint", name, private), made, lambda joint: len(joint[2]))

    def extent(self, question: Question) -> tuple[int, int, int]:
        """How many public groups and cells a question is about at most, and the runs of its private filter.

        Everybody is no cell: what all people are asked together is priced once.
        """
        cells = self._grouping.count(question.public)
        if question.classes is not None and question.aggregate != "count":
            classes = column_of(question.classes, self.schema).size
            return cells * classes if question.by else classes, cells * classes, 0
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
        return self._filtered(question, people, hidden, wish)

    def _named(self, cells: frozenset[int]) -> Participants:
        """Who takes part, by the values of their public cells."""

        def named() -> Participants:
            size = sum([self.public.population.sizes[cell] for cell in cells])
            of = "" if self.view is None else f"persons by {fingerprint(self.public.population.columns)} "
            if len(cells) == len(self.public.population.cells):
                return Participants(None, size, f"{of}everybody", self._kinship, self.view)
            name = fingerprint(sorted(self.public.cell_names[cell] for cell in cells))
            homes = None if self.view is None else frozenset[int]().union(*(self._homes[c] for c in cells))
            return Participants(cells, size, of + name, self._kinship, self.view, homes)

        return self._memory.made(cells, named, lambda _: len(cells))

    # Counts

    def _count(self, people: Participants, hidden: Among, wish: Precision) -> GroupAnswer:
        """Exactly, where the allowance suffices; a person's rows count one by one otherwise."""
        size, rows = hidden.domain.size, self._rows(hidden.domain, people)
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
        column = column_of(name, self.schema)
        size, rows = column.size, self._rows(column, people)
        blocks = size
        if wish.error is None:
            blocks = most_blocks(size, rows, wish.outputs, alike=people.cells is None)
        spend(_LISTED_STEPS * blocks)
        starts = (size * block // blocks for block in range(blocks))  # as equal as can be
        return GroupAnswer(self._counts(people, DomainPartition.intervals(name, size, starts)))

    def _rows(self, column: Domain, people: Participants) -> int:
        """In how many rows of a person a column may differ."""
        return 1 if column.per else min(self.limits.rows, people.size)

    def _condition(self, hidden: Among) -> tuple[Predicate, OutputSpace]:
        def both() -> tuple[Predicate, OutputSpace]:
            made = Predicate.of_runs(hidden.column, hidden.domain.size, hidden.runs)
            return made, told_blocks(made.partition, hidden.domain)

        key = ("condition", hidden.column, hidden.runs)
        return self._memory.made(key, both, lambda _: 8 * len(hidden.runs))

    def _counts(
        self, people: Participants, partition: DomainPartition, alike: OutputSpace | None = None
    ) -> CountsDisclosure:
        rows = 1 if column_of(partition.names[0], self.schema).per else self.limits.rows
        what = ("counts", *partition.names, rows)
        names, derived = partition.names, self._derived(*partition.names)
        blocks = alike or told_blocks(partition, derived[0] if derived else None)
        return CountsDisclosure(people, what, self.public.version, blocks, names, derived, partition)

    def _derived(self, *names: str) -> tuple[DerivedColumn, ...]:
        """Those of some columns that are not declared."""
        found = (column_of(name, self.schema) for name in names if name not in self.schema.columns)
        return tuple(each for each in found if isinstance(each, DerivedColumn))

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
        """An aggregate of everybody in a group of this many people."""
        attribute = self._attribute(str(question.column), days=True)
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
        if hidden.column != column or column not in self.schema.columns:
            listed = self._listed(
                column, (column,), lambda: total(1, with_absent(attribute), rows=self.limits.rows)
            )
            what = ("sum", column, hidden.column, hidden.runs)
            query = replace(listed, people=people.size)
            added = (attribute, hidden.runs)
            return GroupAnswer(self._cell(people, what, query, wish, passing=hidden, added=added))
        runs = _with_zero(hidden.runs, attribute)
        if runs == ((0, attribute.size),):
            return self._plain(question, people, wish)
        listed = self._listed(
            column, (column, runs), lambda: total(1, attribute, numbers_of(runs), self.limits.rows)
        )
        what, query = ("sum", column, column, runs), replace(listed, people=people.size)
        return GroupAnswer(self._cell(people, what, query, wish, added=(attribute, runs)))

    def _filtered(
        self, question: Question, people: Participants, hidden: Among, wish: Precision
    ) -> GroupAnswer:
        """A mean, an order statistic or a variance of the rows that pass; none where they are too few."""
        column, least, rows = str(question.column), self.limits.least_group or 1, self.limits.rows
        if people.size < least:
            return GroupAnswer(None)
        attribute = self._attribute(column, days=question.aggregate in ORDERED)
        what: tuple[Hashable, ...] = (question.aggregate, column, hidden.column, hidden.runs, least)
        query: Query
        if question.aggregate == "mean":
            own = self._is_own(column, hidden)
            numbers = self._passed(hidden.runs) if own else None
            query = FilteredMean(people.size, attribute, least, numbers, rows)
            return GroupAnswer(self._cell(people, what, query, wish, passing=None if own else hidden))
        if question.aggregate == "variance":
            query = FilteredVariance(people.size, attribute, least, rows)
        else:
            share = {"min": ZERO, "max": ONE, "median": None}.get(question.aggregate, question.share)
            query = FilteredOrder(people.size, attribute, least, share)
            what = ("order", column, hidden.column, hidden.runs, least, None if share is None else str(share))
        return GroupAnswer(self._cell(people, what, query, wish, passing=hidden))

    def _is_own(self, column: str, hidden: Among) -> bool:
        """Whether a filter is on the very column that is aggregated: a declared one, numbered alike."""
        return hidden.column == column and column in self.schema.columns

    def _attribute(self, name: str, *, days: bool = False) -> Attribute:
        make = partial(attribute_of, name, column_of(name, self.schema), days=days)
        return self._memory.made(
            ("attribute", name, days),
            make,
            lambda made: 0 if isinstance(made.numbers, range) else len(made.numbers),
        )

    def _listed(self, name: str, key: tuple[Hashable, ...], make: Callable[[], Additive]) -> Additive:
        """A sum that lists what each number contributes: made once for groups of all sizes."""

        def listed() -> Additive:
            spend(_LISTED_STEPS * column_of(name, self.schema).size)
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
        derived = self._derived(*columns)
        version = self.public.version
        return CellDisclosure(people, asked, version, alike, columns, derived, passing, added, function)

    def _cells_key(self, what: tuple[Hashable, ...], people: int, wish: Precision) -> tuple[Hashable, ...]:
        return ("cells", what, people, wish)


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


def _with_zero(runs: Runs, attribute: Attribute) -> Runs:
    """What passes, and 0: whether a value of 0 counts makes no difference to a sum."""
    zero = -attribute.origin / attribute.unit
    return with_number(runs, int(zero)) if zero.denominator == 1 and 0 <= zero < attribute.size else runs
