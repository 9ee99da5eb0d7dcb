"""A dataset's books, open for reading or for charging."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from noiseless.amounts import Cost, most_outputs
from noiseless.ledger.accounts import AnalystAccount, Shares, Surplus, Surpluses, require
from noiseless.ledger.entries import Entry
from noiseless.ledger.errors import LedgerError, QuotaError, UnknownDatasetError
from noiseless.ledger.replay import Effects, effects, paid, shares_json
from noiseless.ledger.rows import (
    DatasetRow,
    PrefetchedQuestions,
    accounts_text,
    cell_key,
    find_questions,
    question_keys,
    question_row,
    quota_row,
    quotas_of,
    read_question,
    store,
    surplus_row,
    surpluses_of,
)
from noiseless.ledger.state import ChargedQuestion, Lookups, NewQuestion, State

if TYPE_CHECKING:
    from noiseless.ledger.transaction import DatabaseTransaction

_LONGEST_NAME = 500
_MOST_ANALYSTS = 100
"""What more of them spent is read again."""


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


def _dataset(name: str, rows: Sequence[Sequence[Any]]) -> DatasetRow | None:
    """The dataset of a row, if there is one."""
    try:
        return DatasetRow.of_row(rows[0]) if rows else None
    except (ValueError, TypeError, ArithmeticError) as error:
        raise LedgerError(
            f"the accounts of {name!r} cannot be read; see `noiseless ledger verify`"
        ) from error


def dataset_of(name: str, rows: Sequence[Sequence[Any]]) -> DatasetRow:
    """The dataset of a row.

    Raises:
        UnknownDatasetError: there is none.
    """
    found = _dataset(name, rows)
    if found is None:
        raise UnknownDatasetError(name)
    return found


def _wanted(dataset: DatasetRow, lookups: Lookups) -> list[Any]:
    """The parameters of `Statements.fetch`."""
    told = [question_keys(dataset, what, some) for what, some in lookups.fingerprints.items()]
    cells = [cell_key(cell) for cell in lookups.cells]
    return [*told, dataset.id, cells, dataset.id, list(lookups.analysts)]


class Books:
    """What the ledger holds about one dataset, at one moment."""

    def __init__(self, session: "DatabaseTransaction", dataset: DatasetRow) -> None:
        self._session = session
        self._dataset = dataset
        self._surpluses: dict[str, Surplus | None] = {}
        self._spent: dict[str, AnalystAccount] = {}
        self._fetched: PrefetchedQuestions | None = None

    @classmethod
    def find(cls, session: "DatabaseTransaction", name: str, *, lock: bool = False) -> "DatasetRow | None":
        """A dataset by its name."""
        if lock:
            return _dataset(name, session.locked(name)[0])
        return _dataset(name, session.rows(session.statements.dataset, {"name": name}))

    @classmethod
    def of(cls, session: "DatabaseTransaction", name: str) -> "Books":
        """The books of a dataset.

        Raises:
            UnknownDatasetError: there is none of that name.
        """
        return cls(session, dataset_of(name, session.rows(session.statements.dataset, {"name": name})))

    @property
    def dataset(self) -> DatasetRow:
        """The dataset's own row."""
        return self._dataset

    @property
    def version(self) -> int:
        """The number of the present version."""
        return self._dataset.version

    @property
    def digest(self) -> str:
        """The digest of its data."""
        return self._dataset.digest

    @property
    def state(self) -> State:
        """What people paid and what is left, without the accounts of single cells and analysts."""
        return self._dataset.state({}, {})

    def state_with(self, cells: Iterable[str] | None = None, analysts: Iterable[str] | None = None) -> State:
        """The same with the accounts of some cells and analysts; None for all of them."""
        self._session.flush()
        others = self._dataset.accounts.others
        surpluses = self.every_surplus() if cells is None else self.surpluses(list(cells))
        named = {cell: surplus.over(others) for cell, surplus in surpluses.items()}
        quotas = self._every_quota() if analysts is None else self._quotas(list(analysts))
        return self._dataset.state(named, quotas)

    def told(
        self, *, questions: Iterable[str] = (), grids: Iterable[str] = (), people: Iterable[str] = ()
    ) -> list[ChargedQuestion]:
        """The questions of this version that were charged for, by any of their fingerprints; oldest first."""
        wanted = (("question", questions), ("grid", grids), ("people", people))
        asked = {what: set(some) for what, some in wanted if some}
        if self._fetched is not None and self._fetched.holds(self._session, asked):
            return self._fetched.told(asked)
        return find_questions(self._session, self._dataset, asked)

    def fetch(self, lookups: Lookups) -> None:
        """Look up in one round trip what some work is going to need; without round trips there is no need."""
        if self._session.has_round_trips:
            found = self._session.rows(self._session.statements.fetch, _wanted(self._dataset, lookups))
            self._take(lookups, found)

    def _take(self, lookups: Lookups, found: Iterable[Sequence[Any]]) -> None:
        """Know what was looked up."""
        rows: dict[str, list[Sequence[Any]]] = {"told": [], "surplus": [], "quota": []}
        for row in found:
            rows[row[0]].append(row[1:])
        told = [read_question(row) for row in rows["told"]]
        self._fetched = PrefetchedQuestions(
            self._session.flushes, lookups.fingerprints, {each.question: each for each in told}
        )
        surpluses, quotas = ([row[:3] for row in rows[what]] for what in ("surplus", "quota"))
        self._surpluses = {**dict.fromkeys(lookups.cells), **surpluses_of(surpluses)}
        self._spent = {**dict.fromkeys(lookups.analysts, AnalystAccount()), **quotas_of(quotas)}

    def require(self, price: Shares | Cost, *, analyst: str | None = None) -> None:
        """Refuse what `charge` would refuse; nothing is written.

        Raises:
            BudgetError: the batch costs more than is left.
            QuotaError: more than the analyst may make the dataset pay.
        """
        shares = Shares.of(price)
        dataset = self._dataset
        named: Surpluses = self.surpluses(sorted(shares.cells)) if shares.cells else {}
        require(
            dataset.accounts,
            shares,
            budget=dataset.budget,
            record=dataset.record,
            named=named,
            every=self.every_surplus,
        )
        quota = dataset.analyst_budget
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
            rows = self._session.search(self._session.statements.surpluses, keys, self._dataset.id)
            known.update(dict.fromkeys(missing))
            known.update(surpluses_of(rows))
        return {cell: surplus for cell in cells if (surplus := known[cell]) is not None}

    def every_surplus(self) -> Surpluses:
        """The surpluses of all cells."""
        self._session.flush()
        rows = self._session.rows(self._session.statements.all_surpluses, {"dataset": self._dataset.id})
        return surpluses_of(rows)

    def quota(self, analyst: str) -> AnalystAccount:
        """What an analyst's batches made the dataset pay."""
        if analyst not in self._spent:
            self._spent[analyst] = self._quotas([analyst]).get(analyst, AnalystAccount())
        return self._spent[analyst]

    def _quotas(self, analysts: Sequence[str]) -> dict[str, AnalystAccount]:
        found = self._session.search(self._session.statements.quotas, analysts, self._dataset.id)
        return quotas_of(found)

    def _every_quota(self) -> dict[str, AnalystAccount]:
        return quotas_of(
            self._session.rows(self._session.statements.all_quotas, {"dataset": self._dataset.id})
        )


class OpenBooks(Books):
    """The books of a dataset while nobody else charges for it; durable when they are closed."""

    @classmethod
    def locked(cls, session: "DatabaseTransaction", name: str, lookups: Lookups | None = None) -> "OpenBooks":
        """The books of a dataset, locked until the end of the transaction.

        Args:
            session: the transaction.
            name: of the dataset.
            lookups: what is going to be looked up, if that is known.

        Raises:
            UnknownDatasetError: there is none of that name.
        """
        known = session.remembered(name)
        if known is not None:
            dataset, spent = known
            books = cls(session, dataset)
            books._spent = dict(spent)
            return books
        if lookups is None:
            return cls(session, dataset_of(name, session.locked(name)[0]))
        # Where to look depends on the dataset's version, which is most likely the last one that was seen.
        last = session.last_seen(name)
        rows, fetched = session.locked(name, None if last is None else _wanted(last[0], lookups))
        books = cls(session, dataset_of(name, rows))
        if last is not None and fetched is not None and last[0].place == books.dataset.place:
            books._take(lookups, fetched)
        else:
            books.fetch(lookups)
        session.remember(name, (books.dataset, {}))
        return books

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
        dataset, said = self._dataset, [asked.to_dict() for asked in questions]
        body = {**more, **shares_json(shares), "version": dataset.version}
        if said:
            body["questions"] = said
        entry = Entry.after(self._session.locked_head(), dataset.name, kind, analyst, body)
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

    def store(
        self, answers: Mapping[str, Mapping[str, Any]], version: int | None = None
    ) -> dict[str, Mapping[str, Any]]:
        """Keep answers of questions that were charged for; the first one stands. The answers that stand.

        Raises:
            LedgerError: a question was never charged for.
        """
        dataset, written = self._dataset, self._session.written
        if version is not None and version != dataset.version:
            dataset = dataset._replace(version=version)
        found = store(self._session, dataset, answers, self._fetched if dataset is self._dataset else None)
        if self._session.written != written:
            self._remember()
        return found

    def follow(self, kind: str, body: Mapping[str, Any]) -> int:
        """Write an entry that nobody pays for, and do what it says."""
        entry = Entry.after(self._session.locked_head(), self._dataset.name, kind, None, body)
        return self._write(entry, effects(entry, self._dataset, self))

    def _write(self, entry: Entry, done: Effects) -> int:
        """Append an entry and change all that follows from it."""
        session, statements = self._session, self._session.statements
        number = self._dataset.id
        session.append(entry)
        if done.declares:
            session.flush()
            session.run(statements.change_dataset, {"of_id": number, **done.dataset.changing})
        elif done.dataset.accounts != self._dataset.accounts:
            accounts = accounts_text(done.dataset.accounts)
            session.put(statements.change_accounts, number, (accounts, number))
        self._put_cells(done)
        self._put_analysts(done)
        for said in done.asked:
            session.put_told(question_row(number, done.version, said, entry.seq))
        self._dataset = done.dataset
        self._remember()
        return entry.seq

    def _remember(self) -> None:
        """Nobody needs to read again what is true after the last entry."""
        spent = self._spent if len(self._spent) <= _MOST_ANALYSTS else {}
        self._session.remember(self._dataset.name, (self._dataset, dict(spent)))

    def _put_cells(self, done: Effects) -> None:
        session, number = self._session, self._dataset.id
        if done.forgets_cells:
            self._surpluses = {}
            session.run(session.statements.forget_cells, {"dataset": number})
        self._surpluses.update(done.surpluses)
        for cell, surplus in done.surpluses.items():
            session.put(session.statements.put_surplus, (number, cell), surplus_row(number, cell, surplus))

    def _put_analysts(self, done: Effects) -> None:
        session, number = self._session, self._dataset.id
        if done.forgets_analysts:
            self._spent = {}
            session.run(session.statements.forget_analysts, {"dataset": number})
        self._spent.update(done.quotas)
        for analyst, spent in done.quotas.items():
            session.put(session.statements.put_quota, (number, analyst), quota_row(number, analyst, spent))
