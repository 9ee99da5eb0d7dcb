"""The durable record of charges and answers."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

from noiseless.amounts import Budget, Cost
from noiseless.ledger import statements
from noiseless.ledger.accounts import Shares
from noiseless.ledger.books import Books, OpenBooks
from noiseless.ledger.entries import Anchor, Entry, budget_json, record_json
from noiseless.ledger.errors import LedgerError
from noiseless.ledger.group_commit import Answered, GroupCommit, Note, Settlement, Task, only_free
from noiseless.ledger.location import normal_url
from noiseless.ledger.state import ChargedQuestion, State, Version
from noiseless.pricing.event import Record

if TYPE_CHECKING:
    from noiseless.ledger.database import LedgerDatabase
    from noiseless.ledger.integrity import ChainReport
    from noiseless.ledger.transaction import DatabaseTransaction

Found = TypeVar("Found")

PATIENCE = 30.0
"""Seconds to wait for a lock, or for a server that is restarted."""


class Ledger:
    """Append-only entries chained by hash, in SQLite or PostgreSQL.

    Every charge is one durable transaction under a lock of the dataset, so that budgets hold whatever number
    of processes and servers share the ledger, and whatever is killed when. Threads that charge or store at
    the same time share transactions.

    >>> from noiseless.amounts import Cost
    >>> from noiseless.ledger import NewQuestion
    >>> with Ledger.open("sqlite:///example.db") as ledger:
    ...     _ = ledger.declare("meters", digest="5a1e", budget=3)
    ...     asked = [NewQuestion("q1")]
    ...     _ = ledger.settle("meters", lambda books: books.charge(Cost(4), analyst="ann", questions=asked))
    ...     _ = ledger.store("meters", {"q1": {"lower": 1, "upper": 2}})
    ...     ledger.state("meters").remaining, ledger.verify().ok
    (2, True)
    """

    def __init__(self, database: "LedgerDatabase") -> None:
        self._database, self._commits = database, GroupCommit(database)
        self._here = threading.local()

    @classmethod
    def open(cls, address: str | Path, *, create: bool = True, patience: float = PATIENCE) -> Self:
        """Open a ledger; it is created, or brought up to date, if need be.

        Args:
            address: `sqlite:///file.db`, a path, or `postgresql+psycopg://user@host/database`.
            create: whether a ledger that is not there is created; otherwise that is an error, and a file that
                may only be read is opened for reading.
            patience: seconds to wait for a lock, or for a server that is restarted.

        Raises:
            LedgerError: it cannot be opened.
        """
        url = normal_url(address)
        from noiseless.ledger.migrations import open_database

        try:
            return cls(open_database(url, create=create, patience=patience))
        except ImportError as error:
            raise LedgerError(
                "a ledger in PostgreSQL needs psycopg: pip install 'noiseless[curator]'"
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Ledger({self._database.where!r})"

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    def read(self, work: Callable[["DatabaseTransaction"], Found]) -> Found:
        """Read the tables at one moment, without locking; again if the connection breaks."""
        return self._database.read(work)

    def write(self, work: Callable[["DatabaseTransaction"], Found]) -> Found:
        """Write to the tables in one durable transaction; again if that is certain not to have happened."""
        return self._database.write(work)

    # Datasets

    def declare(
        self,
        dataset: str,
        *,
        digest: str,
        budget: Budget | None,
        analyst_budget: Budget | None = None,
        record: Record | None = None,
        new_version: bool = False,
        carry_over: bool = True,
        change_budget: bool = False,
        by: str = "owner",
    ) -> Version:
        """Declare a dataset, or say that it is as it was declared.

        Args:
            dataset: its name.
            digest: the digest of its data.
            budget: bits (int, Fraction, Decimal), a reach k as `Bits(k)`, or None for no end.
            analyst_budget: what each analyst may make the dataset pay.
            record: the declared private attributes of one person.
            new_version: declare a new version, also of the same data: that they did not change is nobody's
                business.
            carry_over: whether what was paid for earlier versions counts for the new one.
            change_budget: change the budgets if they differ.
            by: who says so.

        Raises:
            LedgerError: something differs from what was declared, and the change was not asked for.
        """
        from noiseless.ledger.declarations import Declaration, declare

        budgets = (budget_json(budget), budget_json(analyst_budget))
        wanted = Declaration(dataset, digest, record_json(record), *budgets, by)
        return declare(
            self._database,
            wanted,
            new_version=new_version,
            carry_over=carry_over,
            change_budget=change_budget,
        )

    def change_budget(
        self,
        dataset: str,
        budget: Budget | None,
        *,
        analyst_budget: Budget | Literal["keep"] | None = "keep",
        by: str = "owner",
        reason: str = "",
    ) -> int:
        """Set a dataset's budget, and that of its analysts if one is given; the number of the entry.

        A budget may be lowered below what is spent: nothing new is answered then.
        """
        from noiseless.ledger.declarations import change_budgets

        return self.settle(
            dataset, lambda books: change_budgets(books, budget, analyst_budget, by=by, reason=reason)
        )

    def datasets(self) -> list[str]:
        """The names of all datasets, in the order in which they were declared."""
        rows = self.read(lambda session: session.rows(statements.ALL_DATASETS))
        return [str(row[1]) for row in rows]

    def state(
        self, dataset: str, *, cells: Iterable[str] | None = None, analysts: Iterable[str] | None = None
    ) -> State:
        """What people paid and what is left, read without locking.

        Args:
            dataset: its name.
            cells: the public cells whose accounts are wanted; None for all.
            analysts: the analysts whose accounts are wanted; None for all.

        Raises:
            UnknownDatasetError: there is no such dataset.
        """
        wanted = (None if cells is None else list(cells), None if analysts is None else list(analysts))
        if wanted == ([], []):
            return self._database.look(lambda session: Books.of(session, dataset).state)
        return self.look(dataset, lambda books: books.state_with(*wanted))

    def told(
        self,
        dataset: str,
        *,
        questions: Iterable[str] = (),
        grids: Iterable[str] = (),
        people: Iterable[str] = (),
    ) -> list[ChargedQuestion]:
        """The questions of the present version that were charged for, by their fingerprints; oldest first."""
        by = (set(questions), set(grids), set(people))
        return self.look(dataset, lambda books: books.told(questions=by[0], grids=by[1], people=by[2]))

    def look(self, dataset: str, work: Callable[[Books], Found]) -> Found:
        """Read a dataset's books at one moment, without locking; again if the connection breaks."""
        return self.read(lambda session: work(Books.of(session, dataset)))

    # Charges and answers

    def settle(self, dataset: str, work: Callable[[OpenBooks], Found]) -> Found:
        """Do some work on a dataset's locked books and make it durable.

        It is done again when the server went away and it is certain that nothing was written; when it is not
        certain, the entry is looked up first. The transaction may hold the work of other threads too.

        Args:
            dataset: its name.
            work: what to do; perhaps more than once.

        Raises:
            UnknownDatasetError: there is no such dataset.
            LedgerUnavailableError: the ledger is locked, or the server went away; unless it says otherwise it
                is certain that nothing was written.
        """
        task = self._task(Settlement(work))
        self._commits.settle(dataset, [task])
        found: Found = task.outcome()
        return found

    def store(
        self, dataset: str, answers: Mapping[str, Mapping[str, Any]], *, version: int | None = None
    ) -> dict[str, Mapping[str, Any]]:
        """Keep the answers of questions that were charged for, in one durable transaction.

        The first answer of a question stands; storing another one changes nothing.

        Args:
            dataset: its name.
            answers: answers by the fingerprints of their questions; plain JSON.
            version: the version that they were charged for; the present one unless said.

        Returns:
            The answers that stand.

        Raises:
            LedgerError: a question was never charged for.
        """
        if not answers:
            return {}
        task = Task(Settlement(lambda _: None), answers=(version, answers))
        self._commits.settle(dataset, [task])
        stood: dict[str, Mapping[str, Any]] = task.outcome()
        return stood

    def answer(self, dataset: str, errand: Settlement[Found]) -> Answered[Found]:
        """Settle, and when that is durable compute answers and store them."""
        task = self._task(errand)
        self._commits.settle(dataset, [task])
        answered: Answered[Found] = task.outcome()
        return answered

    def answer_each(
        self, dataset: str, errands: Sequence[Settlement[Found]]
    ) -> list[Answered[Found] | Exception]:
        """As `answer` for one after the other, in durable transactions that they share.

        Returns:
            What came of each, or why nothing did.
        """
        tasks = [self._task(errand) for errand in errands]
        self._commits.settle(dataset, tasks)
        return [task.found if task.error is None else task.error for task in tasks]

    def _task(self, errand: Settlement[Any]) -> Task:
        if getattr(self._here, "free", False):
            errand = errand._replace(work=partial(only_free, errand.work))
        return Task(errand, getattr(self._here, "note", None))

    def noting(self, note: Note) -> AbstractContextManager[None]:
        """What this thread charges for meanwhile is noted with it; if `note` raises, it is undone."""
        return self._meanwhile("note", note)

    def for_free(self) -> AbstractContextManager[None]:
        """What this thread asks for meanwhile is refused, by a `WouldChargeError`, unless it is free."""
        return self._meanwhile("free", True)

    @contextmanager
    def _meanwhile(self, what: str, value: object) -> Iterator[None]:
        setattr(self._here, what, value)
        try:
            yield
        finally:
            delattr(self._here, what)

    def record_release(
        self,
        dataset: str,
        certificate: str,
        price: Shares | Cost,
        *,
        by: str = "owner",
        description: str = "",
    ) -> int:
        """Charge for a table release; a release with the same certificate is free the second time.

        Args:
            dataset: its name.
            certificate: the digest of the release's certificate.
            price: what it costs.
            by: who released it.
            description: what was released.

        Returns:
            The number of the entry that charged for it.

        Raises:
            BudgetError: it costs more than is left.
        """
        return self.settle(
            dataset,
            lambda books: books.release(certificate, Shares.of(price), by=by, description=description),
        )

    def record_randomised(
        self,
        dataset: str,
        mechanism: str,
        price: Shares | Cost,
        *,
        analyst: str | None = None,
        by: str = "owner",
    ) -> int:
        """Charge for a randomised release; running it again costs again.

        Raises:
            BudgetError: it costs more than is left.
        """
        said = {"mechanism": mechanism, "by": by}
        return self.settle(dataset, lambda books: books.pay("randomised", Shares.of(price), analyst, said))

    # The chain

    @property
    def head(self) -> Anchor:
        """The last entry's place. Kept elsewhere, `verify(expect=...)` shows that nothing was rewritten."""
        return self.read(lambda session: session.head())

    def entries(self, dataset: str | None = None, after: int = 0) -> Iterator[Entry]:
        """The entries of the ledger, or of one dataset, after a number, in their order."""
        while page := self.read(partial(statements.read_page, dataset=dataset, after=after)):
            after = page[-1][0]
            for row in page:
                yield Entry(*row)

    def verify(self, expect: Anchor | Sequence[Any] | str | None = None) -> "ChainReport":
        """Check the chain, and all that follows from it, against a replay of all entries.

        Args:
            expect: a place in the chain that was noted elsewhere, as `Anchor`, (seq, hash) or "seq:hash".
        """
        from noiseless.ledger.integrity import verify_session

        if isinstance(expect, str):
            expect = Anchor.read(expect)
        place = None if expect is None else Anchor(*expect)
        return self.read(lambda session: verify_session(session, place))

    def export(self, path: str | Path, form: str | None = None, *, dataset: str | None = None) -> int:
        """Write the entries into a new CSV or JSON file; how many there were.

        Args:
            path: the file.
            form: "csv" or "json"; by the file's name unless said.
            dataset: only the entries of one dataset.

        Raises:
            LedgerError: the file is there already, or cannot be written.
        """
        from noiseless.ledger.backups import export

        return export(self, Path(path), form, dataset)

    def backup(self, path: str | Path) -> int:
        """Write a backup into a new file while others go on: of SQLite a database, else all entries as JSON.

        Returns:
            The number of entries in it.

        Raises:
            LedgerError: the file is there already, or cannot be written.
        """
        from noiseless.ledger.backups import backup

        return backup(self._database, Path(path))

    def restore(self, path: str | Path) -> int:
        """Fill an empty ledger from a backup or a JSON export, checking every entry; how many there were.

        Raises:
            LedgerError: this ledger is not empty, or the file is no unbroken chain; nothing is written then.
        """
        from noiseless.ledger.backups import restore

        return restore(self._database, Path(path))
