"""A statement planned: what it tells of each public group, and how its reply is made of the answers."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from noiseless.curator.counts_telling import CountsTelling
from noiseless.curator.memory import once
from noiseless.curator.parts import Part
from noiseless.curator.planning import Planner, Wish
from noiseless.curator.tellings import Stored, Telling
from noiseless.domain import Column, Value
from noiseless.exact import Bits
from noiseless.pricing.cost import most_outputs
from noiseless.questions.population import Group
from noiseless.questions.question import Question
from noiseless.questions.sql import Combination, Hints, Row, Statement
from noiseless.questions.sql.statement import Cell

Groups = dict[tuple[Value, ...], Part]

_MOST_REACH = 10**6
"""Nobody has a budget for more outputs of one question."""


CHARACTER_STEPS = 20
"""What it takes to read a character of a new text."""
_GROUP_STEPS = 150
"""What it takes to plan and to price a question about a public group."""
_CELL_STEPS, _RUNS_A_STEP = 4, 8
"""What it takes to price a question for the people of a public cell, and runs of its private filter there."""


@dataclass(frozen=True, eq=False)
class Draft:
    """A statement that was read, and how much work its plan and its price are.

    Attributes:
        sql: as it was asked.
        statement: as it was understood.
        steps: the work, in steps of about a microsecond.
    """

    sql: str
    statement: Statement
    steps: int

    @classmethod
    def of(cls, sql: str, statement: Statement, planner: Planner) -> "Draft":
        """Count the work: it depends on the questions and on public state."""
        steps = 0
        for question in statement.questions:
            groups, cells, runs = planner.extent(question)
            steps += _GROUP_STEPS * groups + cells * (_CELL_STEPS + runs // _RUNS_A_STEP)
        return cls(sql, statement, steps)


@dataclass(frozen=True, eq=False)
class Planned:
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
    classes: Column | None

    @classmethod
    def of(cls, draft: Draft, planner: Planner, default: int, items: Mapping[Hashable, int]) -> "Planned":
        """Plan a statement.

        Args:
            draft: as it was read.
            planner: for the dataset's version.
            default: how many outputs a question may have unless it says otherwise.
            items: where what the plan takes is listed.

        Raises:
            RequestError: it asks what cannot be priced.
        """
        statement = draft.statement
        wish = _wish(statement.hints, default)
        parts = {
            question: {part.group: part for part in planner.parts(question, wish)}
            for question in statement.questions
        }
        groups = planner.groups(statement.groups, statement.by)
        classes = None if statement.histogram is None else planner.schema.columns[statement.histogram]
        return cls(draft.sql, statement, draft.steps, items, groups, parts, classes)

    @once
    def tellings(self) -> tuple[Telling, ...]:
        """All that is told."""
        return tuple(
            [
                part.telling
                for by_group in self.parts.values()
                for part in by_group.values()
                if part.telling is not None
            ]
        )

    def tellings_of(self, question: Question) -> tuple[Telling, ...]:
        """What is told for one question."""
        if len(self.parts) == 1:
            return self.tellings
        return tuple([part.telling for part in self.parts[question].values() if part.telling is not None])

    def told_in(self, place: int) -> tuple[Telling, ...]:
        """What is told for one column of the reply."""
        content = self.statement.columns[place].content
        questions = content.questions if isinstance(content, Combination) else ()
        return tuple(telling for question in questions for telling in self.tellings_of(question))

    def is_about(self, name: str) -> bool:
        """Whether a column is asked about, also by a condition that every value passes."""
        return name.casefold() in self.sql.casefold() or any(
            name == question.column or name in question.by or name in question.where.columns
            for question in self.parts
        )

    @once
    def shared_counts(self) -> str:
        """What to know of a histogram in which several values share a count; empty if none do."""
        if self.classes is None:
            return ""
        told = [part.telling for by_group in self.parts.values() for part in by_group.values()]
        coarse = [t for t in told if isinstance(t, CountsTelling) and t.partition.blocks < t.partition.size]
        if not coarse:
            return ""
        outputs = max(telling.outputs_of_each for telling in coarse)
        remedy = "ask for conditions instead, COUNT(*) FILTER (WHERE ...)"
        if outputs <= _MOST_REACH:
            remedy = f"/*+ reach({outputs}) */ counts each value by itself, for {Bits(outputs)} at most"
        return (
            f"several values of {self.statement.histogram} share one count: each of their rows says 0 up to"
            f" that count, and the middles do not add up; {remedy}"
        )

    def reply(self, answers: Mapping[str, Stored]) -> tuple[tuple[Cell, ...], ...]:
        """The rows of the reply, given the answers by their fingerprints."""
        rows = [row for group in self.groups for row in self._rows(group, answers)]
        if not self.groups and not self.statement.by:
            rows = self._of_nobody()
        return self.statement.reply(rows)

    def _of_nobody(self) -> list[Row]:
        """Counts are 0, in a histogram for every value."""
        if self.classes is None:
            return [Row({}, {})]
        name = str(self.statement.histogram)
        return [Row({name: self.classes.value(number)}, {}) for number in range(self.classes.size)]

    def _rows(self, group: Group, answers: Mapping[str, Stored]) -> list[Row]:
        keys = dict(zip(self.statement.by, group.values, strict=True))
        if self.classes is None:
            return [
                Row(
                    keys,
                    {
                        question: part.value(None if part.telling is None else answers[part.telling.question])
                        for question, by_group in self.parts.items()
                        if (part := by_group.get(group.values)) is not None
                    },
                )
            ]
        asked = {
            question: (part, None if part.telling is None else answers[part.telling.question])
            for question, by_group in self.parts.items()
            if (part := by_group.get(group.values)) is not None
        }
        name = str(self.statement.histogram)
        return [
            Row(
                {**keys, name: self.classes.value(number)},
                {question: part.value(answer, number) for question, (part, answer) in asked.items()},
            )
            for number in range(self.classes.size)
        ]


def _wish(hints: Hints, default: int) -> Wish:
    if hints.reach is not None:
        return Wish(hints.reach)
    if hints.bits is not None:
        return Wish(most_outputs(hints.bits))
    return Wish(default, hints.max_error)
