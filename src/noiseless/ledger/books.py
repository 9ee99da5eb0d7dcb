"""A dataset's books, open for reading or for charging."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from noiseless.amounts import Cost, most_outputs
from noiseless.ledger import statements
from noiseless.ledger.accounts import AnalystAccount, Shares, Surplus, Surpluses, require
from noiseless.ledger.entries import Entry
from noiseless.ledger.errors import LedgerError, QuotaError, UnknownDatasetError
from noiseless.ledger.replay import Effects, effects, paid, shares_json
from noiseless.ledger.state import (
    ChargedQuestion,
    DatasetRow,
    NewQuestion,
    State,
    answer_row,
    cell_key,
    question_key,
    question_row,
    quota_row,
    quotas_of,
    read_question,
    surplus_row,
    surpluses_of,
)

if TYPE_CHECKING:
    from noiseless.ledger.transaction import DatabaseTransaction

_LONGEST_NAME = 500
PUBLISHED = "publication"
"""The fingerprint by which the tables that were published of a population are found."""


class RecordedPublication(NamedTuple):
    """Tables that were published.

    Attributes:
        population: whom they are about.
        entry: the number of their entry.
        is_present: whether they are about the present version of the population's data.
        question: the fingerprint that their digest makes.
        body: the tables, and what was promised of them.
    """

    population: str
    entry: int
    is_present: bool
    question: str
    body: Mapping[str, Any]


def checked_text(what: str, text: str, *, most: int | None = _LONGEST_NAME) -> str:
    """A text that every database can keep and find.

    Raises:
        LedgerError: it is empty, too long, or holds a character that is none.
    """
    if not isinstance(text, str) or not text or "\x00" in text or (most is not None and len(text) > most):
        raise LedgerError(f"{what} is a text of 1 to {most or 'any number of'} characters")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise LedgerError(f"{what} holds a character that is none") from error
    return text


def find_dataset(session: "DatabaseTransaction", name: str) -> DatasetRow | None:
    """A dataset by its name."""
    rows = session.rows(statements.DATASET, [name])
    try:
        dataset = DatasetRow(*rows[0]) if rows else None
        _ = None if dataset is None else dataset.state
    except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
        raise LedgerError(
            f"the accounts of {name!r} cannot be read; see `noiseless ledger verify`"
        ) from error
    return dataset


class Books:
    """What the ledger holds about one dataset, at one moment.

    Attributes:
        dataset: the dataset's own row.
    """

    def __init__(self, session: "DatabaseTransaction", dataset: DatasetRow) -> None:
        self._session, self.dataset = session, dataset
        self._surpluses: dict[str, Surplus | None] = {}
        self._spent: dict[str, AnalystAccount] = {}

    @classmethod
    def of(cls, session: "DatabaseTransaction", name: str) -> Self:
        """The books of a dataset.

        Raises:
            UnknownDatasetError: there is none of that name.
        """
        dataset = find_dataset(session, name)
        if dataset is None:
            raise UnknownDatasetError(name)
        return cls(session, dataset)

    @property
    def version(self) -> int:
        """The number of the present version."""
        return self.dataset.version

    @property
    def digest(self) -> str:
        """The digest of its data."""
        return self.dataset.digest

    @property
    def state(self) -> State:
        """What people paid and what is left, without the accounts of single cells and analysts."""
        return self.dataset.state

    def state_with(self, cells: Iterable[str] | None = None, analysts: Iterable[str] | None = None) -> State:
        """The same with the accounts of some cells and analysts; None for all of them."""
        others = self.state.others
        surpluses = self.every_surplus() if cells is None else self.surpluses(list(cells))
        named = {cell: surplus.over(others) for cell, surplus in surpluses.items()}
        quotas = self._every_quota() if analysts is None else self._quotas(list(analysts))
        return replace(self.state, cells=named, analysts=quotas)

    def told(
        self,
        *,
        questions: Collection[str] = (),
        grids: Collection[str] = (),
        people: Collection[str] = (),
        version: int | None = None,
    ) -> list[ChargedQuestion]:
        """The questions that were charged for, by any of their fingerprints; oldest first.

        Others that happen to have the same keys are left out.

        Args:
            questions: their own fingerprints.
            grids: those of their grids.
            people: those of who takes part.
            version: the version that they were charged for; the present one unless said.
        """
        place = (self.dataset.id, version or self.dataset.version)
        wanted = {"question": questions, "grid": grids, "people": people}
        keys = {
            what: [question_key(what, *place, each) for each in some] for what, some in wanted.items() if some
        }
        if not keys:
            return []
        sql = " UNION ALL ".join([statements.TOLD_BY[what] for what in keys])
        told = {
            row[0]: row
            for row in self._session.rows(sql, list(keys.values()))
            if row[0] in questions or row[1] in grids or row[2] in people
        }
        return sorted(map(read_question, told.values()), key=lambda one: (one.charge, one.question))

    @staticmethod
    def every_publication(session: "DatabaseTransaction") -> list[RecordedPublication]:
        """The tables that were published of all populations, in the order of their entries."""
        found = list[RecordedPublication]()
        for row in session.rows(statements.ALL_DATASETS):
            books = Books(session, DatasetRow(*row))
            for version in range(1, books.version + 1):
                told = books.told(people=[PUBLISHED], version=version)
                is_present = version == books.version
                found += [
                    RecordedPublication(books.dataset.name, one.charge, is_present, one.question, one.body)
                    for one in told
                ]
        return sorted(found, key=lambda one: one.entry)

    def require(self, price: Shares | Cost, *, analyst: str | None = None) -> None:
        """Refuse what `charge` would refuse; nothing is written.

        Raises:
            BudgetError: the batch costs more than is left.
            QuotaError: more than the analyst may make the dataset pay.
        """
        shares = Shares.of(price)
        state = self.state
        named: Surpluses = self.surpluses(sorted(shares.cells)) if shares.cells else {}
        require(
            state.accounts,
            shares,
            budget=state.budget,
            record=state.record,
            named=named,
            every=self.every_surplus,
        )
        quota = state.analyst_budget
        if analyst is not None and quota is not None and not shares.is_free:
            before, asked = self.quota(analyst).cost, shares.most
            if not (before + asked).within(quota):
                raise QuotaError(analyst, before, asked, most_outputs(quota, before), quota)

    # The accounts that do not stand in the dataset's own row

    def surpluses(self, cells: Sequence[str]) -> Surpluses:
        """The surpluses of some cells, as far as they have any."""
        known = self._surpluses
        if missing := [cell for cell in cells if cell not in known]:
            keys = [cell_key(checked_text("a cell", cell, most=None)) for cell in missing]
            rows = self._session.rows(statements.SURPLUSES, [self.dataset.id, keys])
            known.update(dict.fromkeys(missing))
            known.update(surpluses_of(rows))
        return {cell: surplus for cell in cells if (surplus := known[cell]) is not None}

    def every_surplus(self) -> Surpluses:
        """The surpluses of all cells."""
        return surpluses_of(self._session.rows(statements.ALL_SURPLUSES, [self.dataset.id]))

    def quota(self, analyst: str) -> AnalystAccount:
        """What an analyst's batches made the dataset pay."""
        if analyst not in self._spent:
            self._spent[analyst] = self._quotas([analyst]).get(analyst, AnalystAccount())
        return self._spent[analyst]

    def _quotas(self, analysts: Sequence[str]) -> dict[str, AnalystAccount]:
        return quotas_of(self._session.rows(statements.QUOTAS, [self.dataset.id, list(analysts)]))

    def _every_quota(self) -> dict[str, AnalystAccount]:
        return quotas_of(self._session.rows(statements.ALL_QUOTAS, [self.dataset.id]))


class OpenBooks(Books):
    """The books of a dataset in a transaction that writes, and nobody else does; durable at its end."""

    def charge(
        self, price: Shares | Cost, *, analyst: str | None = None, questions: Sequence[NewQuestion] = ()
    ) -> int | None:
        """Charge for a batch of questions, all or nothing.

        Returns:
            The number of the entry; None if nobody pays and no question is new, and then none is written.

        Raises:
            BudgetError: the batch costs more than is left.
            QuotaError: more than the analyst may make the dataset pay.
        """
        shares = Shares.of(price)
        if shares.is_free and not self._any_new(questions):
            return None
        return self.pay("charge", shares, analyst, {}, questions)

    def _any_new(self, questions: Sequence[NewQuestion]) -> bool:
        wanted = {asked.question for asked in questions}
        return len(self.told(questions=wanted)) < len(wanted)

    def pay(
        self,
        kind: str,
        shares: Shares,
        analyst: str | None,
        more: Mapping[str, Any],
        questions: Sequence[NewQuestion] = (),
    ) -> int:
        """Write an entry that people pay for."""
        if analyst is not None:
            checked_text("an analyst's name", analyst)
        for asked in questions:
            for text in (asked.question, asked.grid, asked.people):
                if text is not None:
                    checked_text("a fingerprint", text)
        self.require(shares, analyst=analyst)
        dataset, said = self.dataset, [asked.to_dict() for asked in questions]
        body = {**more, **shares_json(shares), "version": dataset.version}
        if said:
            body["questions"] = said
        entry = Entry.after(self._session.head(), dataset.name, kind, analyst, body)
        return self._write(
            entry, paid(entry.seq, dataset, shares, analyst=analyst, asked=said, holdings=self)
        )

    def release(self, certificate: str, shares: Shares, *, by: str, description: str) -> int:
        """Charge for a table release, once; the entry that did."""
        released = NewQuestion(f"release:{certificate}", body={"description": description})
        before = self.told(questions=[released.question])
        if before:
            return before[0].charge
        return self.pay("release", shares, None, {"certificate": certificate, "by": by}, [released])

    def publish(self, digest: str, body: Mapping[str, Any], *, by: str, after: Sequence[int]) -> int | None:
        """Record published tables, once; the entry that does. Nobody pays: what they tell is no answer.

        Args:
            digest: the digest of the tables and of what is promised of them.
            body: both.
            by: who published them.
            after: the entries of all publications that they were checked with.

        Returns:
            The number of the entry; None if others were published since, and then none is written.
        """
        new = NewQuestion(f"{PUBLISHED}:{digest}", people=PUBLISHED, body=body)
        before = self.told(questions=[new.question])
        if before:
            return before[0].charge
        if [one.entry for one in self.every_publication(self._session)] != list(after):
            return None
        return self.pay("publication", Shares(), None, {"digest": digest, "by": by}, [new])

    def store(
        self, answers: Mapping[str, Mapping[str, Any]], version: int | None = None
    ) -> dict[str, Mapping[str, Any]]:
        """Keep answers of questions that were charged for; the first one stands. The answers that stand.

        Raises:
            LedgerError: a question was never charged for.
        """
        dataset, session, version = self.dataset, self._session, version or self.dataset.version
        known = self.told(questions=answers.keys(), version=version)
        if missing := len(answers) - len(known):
            raise LedgerError(f"{missing:,} answers are of questions that were never charged for")
        standing = {told.question: told.answer for told in known if told.answer is not None}
        fresh = {question: answer for question, answer in answers.items() if question not in standing}
        if fresh:
            body = {"version": version, "answers": fresh}
            entry = Entry.after(session.head(), dataset.name, "answers", None, body)
            for question, answer in fresh.items():
                row = answer_row(dataset.id, version, question, answer, entry.seq)
                session.put(statements.ANSWER, row)
            session.append(entry)
        return {**standing, **fresh}

    def follow(self, kind: str, body: Mapping[str, Any]) -> int:
        """Write an entry that nobody pays for, and do what it says."""
        entry = Entry.after(self._session.head(), self.dataset.name, kind, None, body)
        return self._write(entry, effects(entry, self.dataset, self))

    def _write(self, entry: Entry, done: Effects) -> int:
        """Append an entry and change all that follows from it."""
        session, number = self._session, self.dataset.id
        session.append(entry)
        if done.declares:
            session.put(statements.CHANGE_DATASET, [*done.dataset[2:], number])
        elif done.dataset.accounts != self.dataset.accounts:
            session.put(statements.CHANGE_ACCOUNTS, [done.dataset.accounts, number])
        if done.forgets_cells:
            self._surpluses = {}
            session.put(statements.FORGET_CELLS, [number])
        self._surpluses.update(done.surpluses)
        for cell, surplus in done.surpluses.items():
            session.put(statements.PUT_SURPLUS, surplus_row(number, cell, surplus))
        if done.forgets_analysts:
            self._spent = {}
            session.put(statements.FORGET_ANALYSTS, [number])
        self._spent.update(done.quotas)
        for analyst, spent in done.quotas.items():
            session.put(statements.PUT_QUOTA, quota_row(number, analyst, spent))
        for said in done.asked:
            session.put(statements.PUT_TOLD, question_row(number, done.version, said, entry.seq))
        self.dataset = done.dataset
        return entry.seq
