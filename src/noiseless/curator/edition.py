"""One version of a dataset while a session lasts: statements as they were planned, answers as they stand."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from noiseless.amounts import most_outputs
from noiseless.curator.disclosure import CountsDisclosure, Disclosure, StoredAnswer
from noiseless.curator.fingerprints import written
from noiseless.curator.group_answer import GroupAnswer, Precision
from noiseless.curator.planner import Planner
from noiseless.curator.public_state import PublicState
from noiseless.domain import Value
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.ledger import Books, State
from noiseless.questions.attributes import column_of, key_values
from noiseless.questions.derived import Domain
from noiseless.questions.filters import run_count
from noiseless.questions.question import Group, Question
from noiseless.questions.sql import Hints, KeyColumn, Row, Statement, parse
from noiseless.questions.sql.canonical import write_column
from noiseless.questions.sql.statement import Cell
from noiseless.work import MOST_STEPS, Cache, Work, check, itemised

Groups = dict[tuple[Value, ...], GroupAnswer]

_MOST_REMEMBERED = 2**26
"""Bytes of statements, and of answers, that are remembered."""
_MOST_REACH = 10**6
"""Nobody has a budget for more outputs of one question."""

CHARACTER_STEPS = 20
"""What it takes to read a character of a new text."""
_HEAVY_STEPS = 10_000
"""More of them are some ten milliseconds: too long to keep others from the ledger."""
_GROUP_STEPS = 150
"""What it takes to plan and to price a question about a public group."""
_CELL_WEIGHT = 10
"""A public cell of persons is as heavy as this many numbers."""
_CELL_STEPS, _RUNS_A_STEP = 4, 8
"""What it takes to price a question for the people of a public cell, and runs of its private filter there."""


@dataclass(frozen=True, eq=False)
class StatementPlan:
    """A statement and what it comes to.

    Attributes:
        sql: as it was asked.
        statement: as it was understood.
        steps: how much work its price is.
        items: what else its plan took, by what that was for.
        groups: the public groups that have a row in the reply.
        parts: what each of its questions comes to, by the values that name a group.
        classes: the column of a histogram.
    """

    sql: str
    statement: Statement
    steps: int
    items: Mapping[Hashable, int]
    groups: tuple[Group, ...]
    parts: Mapping[Question, Groups]
    classes: Domain | None

    @cached_property
    def disclosures(self) -> tuple[Disclosure, ...]:
        """All that is told."""
        return tuple(self.told_by(self.parts))

    def told_by(self, questions: Iterable[Question]) -> list[Disclosure]:
        """What is published for some of the questions."""
        parts = [part for question in questions for part in self.parts[question].values()]
        return [told for part in parts for told in part.disclosures]

    def is_about(self, name: str) -> bool:
        """Whether a column is asked about, also by a condition that every value passes."""
        return name.casefold() in self.sql.casefold() or any(
            name == question.column
            or name in question.by
            or name in question.where.columns
            or (question.declared is not None and name in question.declared.columns)
            for question in self.parts
        )

    @cached_property
    def shared_counts(self) -> str:
        """What to know of a histogram in which several values share a count; empty if none do."""
        if self.classes is None:
            return ""
        counted = [told for told in self.disclosures if isinstance(told, CountsDisclosure)]
        coarse = [told for told in counted if told.partition.blocks < told.partition.size]
        if not coarse:
            return ""
        outputs = max(disclosure.outputs_of_each for disclosure in coarse)
        remedy = "ask for conditions instead, COUNT(*) FILTER (WHERE ...)"
        if outputs <= _MOST_REACH:
            remedy = f"/*+ reach({outputs}) */ counts each value alone, for {Bits(outputs)} at most"
        keys = " and ".join(map(write_column, self.statement.classes))
        return (
            f"several values of {keys} share one count: each of their rows shows 0 up to"
            f" that count, and the midpoints do not add up; {remedy}"
        )

    @cached_property
    def whole_domains(self) -> tuple[str, ...]:
        """The columns that can only say the whole domain, or that there is no number: which is paid for."""
        by_column = {
            column.name: self.told_by(column.content.questions)
            for column in self.statement.columns
            if not isinstance(column.content, KeyColumn)
        }
        return tuple(
            name for name, told in by_column.items() if told and all(one.is_whole_domain for one in told)
        )

    @property
    def weight(self) -> int:
        """How many numbers it takes: the published ones, its people, steps and filters, and its text."""
        weight = len(self.sql) // 10 + 10 * len(self.items)
        weight += sum(4 * run_count(question.where) for question in self.parts)
        for disclosure in self.disclosures:
            weight += 70 + disclosure.alike.weight + len(disclosure.people.cells or ())
            weight += len(written(disclosure.what)) // 2
        return weight

    def reply(self, answers: Mapping[str, StoredAnswer]) -> tuple[tuple[Cell, ...], ...]:
        """The rows of the reply, given the answers by their fingerprints."""
        rows = [row for group in self.groups for row in self._rows(group, answers)]
        if not self.groups and not self.statement.by:
            rows = self._of_nobody()
        return self.statement.reply(rows)

    def _of_nobody(self) -> list[Row]:
        """Counts are 0, in a histogram for every value."""
        return [Row(keys, {}) for _, keys in self._classes]

    @cached_property
    def _classes(self) -> list[tuple[int, dict[str, Any]]]:
        """The values of a private GROUP BY, by their numbers; one row without any."""
        if self.classes is None:
            return [(0, {})]
        name = str(self.statement.histogram)
        found = ((number, key_values(name, self.classes, number)) for number in range(self.classes.size))
        return [(number, keys) for number, keys in found if keys is not None]

    def _rows(self, group: Group, answers: Mapping[str, StoredAnswer]) -> list[Row]:
        keys = dict(zip(self.statement.by, group.values, strict=True))
        asked = {
            question: part
            for question, by_group in self.parts.items()
            if (part := by_group.get(group.values)) is not None
        }
        return [
            Row({**keys, **own}, {question: part.shown(answers, number) for question, part in asked.items()})
            for number, own in self._classes
        ]


def _precision(hints: Hints, default: int) -> Precision:
    if hints.reach is not None:
        return Precision(hints.reach)
    if hints.bits is not None:
        return Precision(most_outputs(hints.bits))
    return Precision(default, hints.max_error, hints.least == "leakage")


@dataclass(frozen=True, eq=False)
class Batch:
    """Statements that are asked together.

    Attributes:
        statements: as they were planned.
        disclosures: all that is told, each thing once.
        work: what their price may still take.
    """

    statements: tuple[StatementPlan, ...]
    disclosures: tuple[Disclosure, ...]
    work: Work

    @property
    def is_heavy(self) -> bool:
        """Whether its price takes longer than looking things up in the ledger twice."""
        return MOST_STEPS - self.work.left > _HEAVY_STEPS

    def pricing(self) -> AbstractContextManager[None]:
        """Count the steps of a price; each time the batch is priced it may take what its plan has left."""
        return copy(self.work).counted()

    def notes(self, following: Collection[str]) -> tuple[str, ...]:
        """What readers of the answers must know of the questions; of some, more follows from earlier ones."""
        found = [planned.shared_counts for planned in self.statements if planned.shared_counts]
        if not found and any(
            one.constant is not None and one.question not in following for one in self.disclosures
        ):
            found.append("an answer that never changes says nothing; bits(1) is the least that does")
        wide = dict.fromkeys(name for planned in self.statements for name in planned.whole_domains)
        said = "is the whole domain, or none if too few rows pass; /*+ bits(2) */ narrows it"
        found += [f"{name} {said}" for name in wide]
        return tuple(dict.fromkeys(found))


class Edition:
    """A version, and what the session learnt about it."""

    def __init__(self, public: PublicState, name: str, digest: str, outputs: int) -> None:
        self.public, self.name, self.digest, self.outputs = public, name, digest, outputs
        self.planner = Planner(public)
        self._planned = Cache[StatementPlan](_MOST_REMEMBERED)
        self._answers = Cache[StoredAnswer](_MOST_REMEMBERED)
        self._persons = Cache[Planner](_MOST_REMEMBERED)

    @property
    def number(self) -> int:
        """The version's number."""
        return self.public.version

    def is_present(self, books: Books | State) -> bool:
        """Whether it is the ledger's present version; the same data may come back in a later one."""
        return (books.version, books.digest) == (self.number, self.digest)

    def batch(self, sql: Sequence[str]) -> Batch:
        """Statements, planned; those that came before are remembered.

        Raises:
            RequestError: one cannot be priced, or there is none.
        """
        if not sql:
            raise RequestError("nothing is asked; give at least one SELECT")
        work, statements = Work(), list[StatementPlan | Statement]()
        with work.counted():
            work.spend(CHARACTER_STEPS * sum([len(text) for text in sql if isinstance(text, str)]))
            for text in sql:
                check()
                known = self._planned.get(text) if isinstance(text, str) else None
                statements.append(known or parse(text, self.public.schema, self.name, self.public.limits))
            steps = [
                self.steps(found) if isinstance(found, Statement) else found.steps for found in statements
            ]
            work.spend(sum(steps))
            plans = []
            for text, found, taken in zip(sql, statements, steps, strict=True):
                if isinstance(found, Statement):
                    plans.append(self._plan(text, found, taken))
                    continue
                for thing, spent in found.items.items():  # the same steps when it is remembered
                    work.spend(spent, thing)
                plans.append(found)
        told = {one.question: one for planned in plans for one in planned.disclosures}
        return Batch(tuple(plans), tuple(told.values()), work)

    def _plan(self, sql: str, statement: Statement, steps: int) -> StatementPlan:
        """What a statement comes to; it is remembered.

        Raises:
            RequestError: it asks what cannot be priced.
        """
        planner, wish, parts = self._planner_of(statement), _precision(statement.hints, self.outputs), {}
        with itemised() as items:
            for question in statement.questions:
                parts[question] = planner.parts(question, wish)
            groups = planner.groups(statement.groups, statement.by)
        classes = None if statement.histogram is None else column_of(statement.histogram, planner.schema)
        planned = StatementPlan(sql, statement, steps, items, groups, parts, classes)
        return self._planned.keep(sql, planned, planned.weight)

    def _planner_of(self, statement: Statement) -> Planner:
        """For the rows of the table, or for persons."""
        view = statement.view
        if view is None:
            return self.planner
        found = self._persons.get(view)
        if found is None:
            state = self.public.of_persons(view)
            found = Planner(state.public, view, state.homes)
            self._persons.keep(view, found, len(state.public.population.cells) * _CELL_WEIGHT)
        return found

    def steps(self, statement: Statement) -> int:
        """How much work the plan and the price of a statement are: what it asks, and public state, say so."""
        steps = 0
        for question in statement.questions:
            groups, cells, runs = self._planner_of(statement).extent(question)
            steps += _GROUP_STEPS * groups + cells * (_CELL_STEPS + runs // _RUNS_A_STEP)
        return steps

    def notes(self, batch: Batch, following: Collection[str]) -> tuple[str, ...]:
        """What anyone who reads the answers must know of the columns asked about, and of the questions."""
        asked = (
            note
            for name, note in self.public.notes.items()
            if any(planned.is_about(name) for planned in batch.statements)
        )
        return (*asked, *batch.notes(following))

    def known(self, disclosure: Disclosure) -> StoredAnswer | None:
        """An answer that is known to stand: it is constant, or was in the ledger."""
        if disclosure.constant is not None:  # it stands unless more can follow
            return None if disclosure.adds_up else disclosure.constant
        return self._answers.get(disclosure.question)

    def remember(self, answers: Mapping[str, StoredAnswer]) -> None:
        """Keep answers that stand."""
        for question, answer in answers.items():
            self._answers.keep(question, answer, len(answer.get("counts", ())))
