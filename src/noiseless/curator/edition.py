"""One version of a dataset while a session lasts: statements as they were planned, answers as they stand."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass, field

from noiseless.curator.answers import Result
from noiseless.curator.memory import Memory, once
from noiseless.curator.planning import Planner
from noiseless.curator.pricing import Priced
from noiseless.curator.public import PublicState
from noiseless.curator.statements import CHARACTER_STEPS, Draft, Planned
from noiseless.curator.tellings import Stored, Telling
from noiseless.errors import RequestError
from noiseless.ledger import Books, State
from noiseless.pricing.cost import Cost
from noiseless.questions.sql import Key, Reader
from noiseless.work import Work, check

_FREE = Cost()
_MOST_REMEMBERED = 2**26
"""Bytes of statements, and of answers, that are remembered."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Statements that are asked together.

    Attributes:
        statements: as they were planned.
        work: what their price may still take.
    """

    statements: tuple[Planned, ...]
    work: Work = field(default_factory=Work)

    @once
    def tellings(self) -> tuple[Telling, ...]:
        """All that is told, each thing once."""
        found = {telling.question: telling for planned in self.statements for telling in planned.tellings}
        return tuple(found.values())

    def pricing(self) -> AbstractContextManager[None]:
        """Count the steps of a price; each time the batch is priced it may take what its plan has left."""
        return copy(self.work).counted()

    @once
    def notes(self) -> tuple[str, ...]:
        """What whoever reads the answers must know of the questions."""
        shared = tuple(dict.fromkeys(p.shared_counts for p in self.statements if p.shared_counts))
        if shared or all(telling.constant is None for telling in self.tellings):
            return shared
        return (
            "an answer that is the same whatever the data are tells nothing; bits(1) is the least that does",
        )

    def results(self, priced: Priced | None, answers: Mapping[str, Stored] | None) -> tuple[Result, ...]:
        """The rows of each statement, and what its columns cost by themselves.

        Args:
            priced: the price of the batch; None when all of it is free.
            answers: by their fingerprints; None for a quote, which has no rows.
        """
        found = []
        for planned in self.statements:
            check()
            statement, rows = planned.statement, () if answers is None else planned.reply(answers)
            costs = [
                None
                if isinstance(column.content, Key)
                else _FREE
                if priced is None
                else _alone(priced, planned, place)
                for place, column in enumerate(statement.columns)
            ]
            found.append(Result(planned.sql, statement.names, rows, tuple(costs)))
        return tuple(found)


class Edition:
    """A version, and what the session learnt about it."""

    def __init__(self, public: PublicState, name: str, digest: str, outputs: int) -> None:
        self.public, self.digest, self.outputs = public, digest, outputs
        self.planner = Planner(public)
        self.reader = Reader(public.schema, name, public.limits)
        self._planned = Memory[Planned](_MOST_REMEMBERED)
        self._answers = Memory[Stored](_MOST_REMEMBERED)

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
        for text in sql:
            if not isinstance(text, str):
                self.reader.read(text)  # which says what is wrong
        work = Work()
        with work.counted():
            work.spend(CHARACTER_STEPS * sum(map(len, sql)))
            drafts = [self._planned.get(text) or self._read(text) for text in sql]
            work.spend(sum(draft.steps for draft in drafts))
            return Batch(tuple([self._plan(draft, work) for draft in drafts]), work)

    def _read(self, sql: str) -> Draft:
        check()
        return Draft.of(sql, self.reader.read(sql), self.planner)

    def _plan(self, draft: Draft | Planned, work: Work) -> Planned:
        """A plan takes the same steps when it is remembered."""
        if isinstance(draft, Planned):
            for thing, steps in draft.items.items():
                work.spend(steps, thing)
            return draft
        with work.itemised() as items:
            planned = Planned.of(draft, self.planner, self.outputs, items)
        weight = (len(draft.sql) + len(planned.statement.text)) // 10 + sum(map(_weight, planned.tellings))
        weight += 10 * len(planned.items)
        return self._planned.keep(draft.sql, planned, weight)

    def notes(self, batch: Batch) -> tuple[str, ...]:
        """What whoever reads the answers must know of the columns asked about, and of the questions."""
        asked = (
            note
            for name, note in self.public.notes.items()
            if any(planned.is_about(name) for planned in batch.statements)
        )
        return (*asked, *batch.notes)

    def known(self, telling: Telling) -> Stored | None:
        """An answer that is known to stand: it is constant, or was in the ledger."""
        return telling.constant or self._answers.get(telling.question)

    def remember(self, answers: Mapping[str, Stored]) -> None:
        """Keep answers that stand."""
        for question, answer in answers.items():
            self._answers.keep(question, answer, len(answer.get("counts", ())))


def _alone(priced: Priced, planned: Planned, place: int) -> Cost:
    """What a column costs by itself."""
    check()
    return priced.alone(planned.told_in(place))


def _weight(telling: Telling) -> int:
    """How many numbers something told takes: those of its people and of its query, and texts."""
    return 60 + telling.weight + len(telling.people.cells or ()) + len(telling.written) // 2
