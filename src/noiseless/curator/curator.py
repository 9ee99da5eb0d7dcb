"""The session over a private dataset: the only place that runs a mechanism on data and charges for it.

For every batch, in this order: the price, from public state alone; one durable charge for all of it; the
computation; the durable answers; the reply. Whatever is killed when, no answer leaves without its charge.

What a session works with is loaded when a curator is opened, not when the class is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from noiseless.curator.failpoints import pass_failpoint
from noiseless.errors import NoiselessError, RequestError
from noiseless.exact import Bits, Rational

if TYPE_CHECKING:
    from noiseless.amounts import Cost
    from noiseless.curator.disclosure import StoredAnswer
    from noiseless.curator.edition import Edition
    from noiseless.curator.exposure import RealisedExposure
    from noiseless.curator.file import CuratorFile
    from noiseless.curator.private_answer import PrivateAnswer, PrivateCharge
    from noiseless.curator.public_state import PublicState
    from noiseless.curator.transaction import ChargedBatch, Transaction
    from noiseless.curator.workload_plan import WorkloadPlan
    from noiseless.ledger import Books, Ledger, State, Version
    from noiseless.replies import Quote, Reply

ResultT = TypeVar("ResultT")

_TOGETHER = 32
"""This many batches share transactions: more are hardly any faster, and wait for each other."""

LOCAL = "local"
"""Who asks when nobody says so."""


class Curator:
    """Answers SQL about one private table within a budget of bits.

    `Curator.open` reads what the owner declares. `noiseless schema TABLE --curator` drafts such a file.

    >>> curator = Curator.open("patients.toml")
    >>> print(curator.ask("SELECT AVG(age) AS mean FROM patients").answers[0].interval)
    42 to 44.975

    Attributes:
        file: what the owner declares.
        ledger: where charges and answers are kept; the one that the file names unless another is given.
    """

    def __init__(self, file: CuratorFile, ledger: Ledger | None = None) -> None:
        from noiseless.curator.file import CuratorFile
        from noiseless.curator.source import DatasetSource
        from noiseless.ledger import Ledger

        if not isinstance(file, CuratorFile):
            raise RequestError("a Curator is made of a CuratorFile; Curator.open(path) reads one")
        self.file = file
        self.ledger = ledger or Ledger.open(file.ledger)
        self._source = DatasetSource(file)
        self._edition: Edition | None = None

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Self:
        """The curator that a file describes; the first version of its dataset is declared if there is none.

        Args:
            path: the file.

        Raises:
            SchemaError: the file is not well formed.
            RequestError: it says something else than the ledger; its owner records the change first.
            LedgerError: the ledger cannot be opened.
        """
        curator = cls.unchecked(path)
        try:
            curator._present()  # noqa: SLF001 - its own class
        except BaseException:
            curator.close()
            raise
        return curator

    @classmethod
    def unchecked(cls, path: str | PathLike[str]) -> Self:
        """The same whatever the ledger says: for the owner, who declares what is new."""
        from noiseless.curator.file import CuratorFile

        return cls(CuratorFile.read(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        budget = self.file.budget
        bits = budget if isinstance(budget, Bits) else f"{budget} bits"
        return f"Curator({self.file.name!r}, {self.file.path.name!r}, budget: {bits})"

    def close(self) -> None:
        """Close the ledger."""
        self.ledger.close()

    def interrupt(self) -> None:
        """Give up a reading of the source: the process ends."""
        self._source.interrupt()

    # For analysts

    def price(self, *sql: str, analyst: str | None = None) -> Quote:
        """What a batch would cost now; the data is not looked at.

        Raises:
            RequestError: a statement cannot be priced; the message says what can.
        """
        while True:  # again if a new version was declared meanwhile
            edition = self._present()
            asked = self._transaction(edition, sql, analyst or LOCAL)
            quote = self._look(edition, asked.quote)
            if quote is not None:
                return quote

    def ask(self, *sql: str, analyst: str | None = None) -> Reply:
        """The answers to a batch: charged for together, durable before they leave, free ever after.

        Args:
            sql: the statements; what they cost together is fixed before any of them is answered.
            analyst: who asks.

        Raises:
            BudgetError: the batch costs more than is left; nothing was charged, no data was looked at.
            RequestError: a statement cannot be priced; the message says what can.
            SourceError: the source is not the version that was declared; what was charged for is free later.
            LedgerError: the ledger cannot be written; no answer was given.
        """
        while True:  # again if a new version was declared meanwhile
            edition = self._present()
            asked = self._transaction(edition, sql, analyst or LOCAL)
            reply = self._without_data(edition, asked)
            if reply is None:
                self._begin(edition, asked)
                reply = self._replied(asked, *self.ledger.answer(self.file.name, asked.errand()))
            if reply is not None:
                pass_failpoint("replied")
                return reply

    def ask_each(
        self, batches: Iterable[str | Sequence[str]], *, analyst: str | None = None
    ) -> Iterator[Reply | NoiselessError]:
        """Ask batch after batch, as `ask` would; those that wait for the disk together share transactions.

        Many questions are answered sooner like this than one by one, and unlike in one large batch each is
        priced, and refused, by itself.

        Args:
            batches: each a statement, or several that are asked together. Up to 32 are read, and charged
                for, before the reply to the first of them is given.
            analyst: who asks.

        Yields:
            For each batch its reply. If it is refused, or has no answer, the error that `ask` would raise.

        Raises:
            SourceError: the source is not the version that was declared.
            LedgerError: the ledger cannot be written; what was charged for is free when it is asked again.
            RequestError: it is given one text, or the file says something else than the ledger.
        """
        if isinstance(batches, str | bytes) or not isinstance(batches, Iterable):
            raise RequestError("give a list of statements; one alone is for `ask`")
        several = iter(batches)
        while some := list(islice(several, _TOGETHER)):
            together = [tuple(batch) if isinstance(batch, list | tuple) else (batch,) for batch in some]
            yield from self._answered_together(together, analyst or LOCAL)

    def _answered_together(
        self, batches: Sequence[tuple[str, ...]], analyst: str
    ) -> Iterator[Reply | NoiselessError]:
        from noiseless.curator.transaction import of_one_batch

        replies: dict[int, Reply | NoiselessError] = {}
        while len(replies) < len(batches):  # again if a new version was declared meanwhile
            edition = self._present()
            begun: dict[int, Transaction] = {}
            for place in [place for place in range(len(batches)) if place not in replies]:
                try:
                    asked = self._transaction(edition, batches[place], analyst)
                    # What is free says what is spent: behind something new it waits for its turn.
                    reply = None if begun else self._without_data(edition, asked)
                    if begun and not self._source.is_ready(edition.digest):
                        self._source.snapshot(edition.digest, edition.number)  # refuses a changed source
                    if reply is None:
                        self._begin(edition, asked)
                except Exception as error:  # noqa: BLE001 - the others have their replies all the same
                    replies[place] = of_one_batch(error)
                    continue
                if self._edition is not edition:
                    break
                if reply is None:
                    begun[place] = asked
                else:
                    replies[place] = reply
            replies |= self._outcomes(begun)
        for place in range(len(batches)):
            pass_failpoint("replied")
            yield replies[place]

    def _transaction(self, edition: Edition, sql: tuple[str, ...], analyst: str) -> Transaction:
        from noiseless.curator.transaction import Transaction

        return Transaction(edition, edition.batch(sql), analyst, self._source)

    def _begin(self, edition: Edition, asked: Transaction) -> None:
        """A price that takes long is found before the ledger is locked."""
        if asked.batch.is_heavy:
            self._look(edition, asked.price)

    def _outcomes(self, begun: Mapping[int, Transaction]) -> dict[int, Reply | NoiselessError]:
        """What came of batches that are charged for together, but of those asked of an older version."""
        from noiseless.curator.transaction import of_one_batch

        errands = [asked.errand() for asked in begun.values()]
        replies: dict[int, Reply | NoiselessError] = {}
        for place, outcome in zip(begun, self.ledger.answer_each(self.file.name, errands), strict=True):
            if isinstance(outcome, Exception):
                replies[place] = of_one_batch(outcome)
                continue
            try:
                reply = self._replied(begun[place], *outcome)
            except Exception as error:  # noqa: BLE001 - the others have their replies all the same
                replies[place] = of_one_batch(error)
            else:
                replies |= {} if reply is None else {place: reply}
        return replies

    def _without_data(self, edition: Edition, asked: Transaction) -> Reply | None:
        """The reply if this session knows all answers, or the ledger does where data was not looked at yet.

        Raises:
            BudgetError: the batch costs more than is left.
            SourceError: data is needed for the first time, and the source changed: nothing is charged.
        """
        known = asked.answers(edition.known)
        if known is not None:
            state = self.ledger.state(self.file.name, cells=(), analysts=())
            if edition.is_present(state):
                return asked.replied(None, state, known)
            self._edition = None
        if known is not None or self._source.is_ready(edition.digest):
            return None
        looked = self._look(edition, asked.look)
        if looked is None:
            return None
        known = asked.answers(looked.priced.answer)
        if known is None:
            self._source.snapshot(edition.digest, edition.number)  # refuses a changed source
            return None
        edition.remember(known)
        return asked.replied(looked.priced, looked.state, known)

    def _replied(
        self, asked: Transaction, charged: ChargedBatch | None, stored: Mapping[str, StoredAnswer]
    ) -> Reply | None:
        if charged is None:
            self._edition = None
            return None
        return asked.reply(charged, stored)

    def plan_workload(self, asked: Iterable[tuple[str, Rational]], budget: Rational) -> WorkloadPlan:
        """How exactly to ask each of many statements, so that the largest weighted error is least.

        Args:
            asked: statements and how much the error of each weighs.
            budget: the bits that one person may lose in all.

        Raises:
            RequestError: a statement cannot be planned, or the exact counts alone cost more.
        """
        from noiseless.curator.workload_plan import WeightedStatement, workload_plan

        weighted = [WeightedStatement(sql, Fraction(weight)) for sql, weight in asked]
        return workload_plan(self._present(), weighted, budget)

    # For the owner

    def declare_version(self, *, carry_over: bool = True, by: str = "owner") -> Version:
        """Declare the source's present state: a new version even if nothing changed, with the file's budgets.

        Args:
            carry_over: whether what was paid for earlier versions counts for the new one.
            by: who says so.

        Raises:
            NoiselessError: the source is not what the file declares; nothing was written.
        """
        from noiseless.curator import custody

        version = custody.declare(self.file, self.ledger, self._source, carry_over=carry_over, by=by)
        self._edition = None
        return version

    def record_budgets(self, *, by: str = "owner") -> None:
        """Record the budgets of the file, if they are others than the ledger's; the version stays.

        Raises:
            UnknownDatasetError: the dataset was never declared.
        """
        from noiseless.curator import custody

        custody.record_budgets(self.file, self.ledger, by=by)

    def record_release(
        self,
        certificate: Mapping[str, Any] | str | PathLike[str],
        *,
        cells: int | None = None,
        by: str = "owner",
        description: str = "",
    ) -> Cost:
        """Charge for a table release of this dataset; the same one is free the second time.

        Args:
            certificate: of the release, or the file that holds it.
            cells: how many cells there were in all, if they were fixed before the data was seen. Otherwise
                the choice of cells may itself depend on a person's values, and the release costs as much as
                the private columns that went into it can tell.
            by: who released it.
            description: what was released.

        Returns:
            What it costs.

        Raises:
            BudgetError: it costs more than is left.
        """
        from noiseless.curator.custody import certificate_digest, read_certificate, release_cost

        found = read_certificate(certificate)
        cost = release_cost(found, self.public, cells)
        self.ledger.record_release(
            self.file.name, certificate_digest(found), cost, by=by, description=description
        )
        return cost

    def record_private(self, answer: PrivateAnswer, *, by: str = "owner") -> PrivateCharge:
        """Charge for answers of a differentially private tool about this dataset; noise is charged each time.

        Args:
            answer: what the tool promises.
            by: who asked it.

        Returns:
            What they cost, and what then holds.

        Raises:
            BudgetError: they cost more than is left.
        """
        charged = answer.charge(self.public)
        self.ledger.record_randomised(self.file.name, str(answer), charged.cost, by=by)
        return charged

    def exposure(self) -> RealisedExposure:
        """What each person could have made the answers so far be, everybody else's data as it is.

        It depends on private data: it is for the owner's eyes only, and never part of a reply or of a log.

        Raises:
            SourceError: the source is not the version that was declared.
        """
        from noiseless.curator.custody import charged_questions
        from noiseless.curator.exposure import RealisedExposure

        edition = self._present()
        snapshot = self._source.snapshot(edition.digest, edition.number)
        return RealisedExposure.of(
            charged_questions(self.ledger, self.file.name, edition.number), snapshot, edition.public
        )

    @property
    def public(self) -> PublicState:
        """What everybody may know of the present version."""
        return self._present().public

    @property
    def state(self) -> State:
        """What is spent and what is left."""
        return self.ledger.state(self.file.name)

    # Versions

    def _present(self) -> Edition:
        """The present version, as far as this session knows."""
        if self._edition is None:
            from noiseless.curator import custody
            from noiseless.curator.edition import Edition

            public = custody.current(self.file, self.ledger, self._source)
            state = self.ledger.state(self.file.name, cells=(), analysts=())
            self._edition = Edition(public, self.file.name, state.digest, self.file.query_outputs)
        return self._edition

    def _look(self, edition: Edition, work: Callable[[Books], ResultT]) -> ResultT | None:
        """Read the ledger without locking; None, and the version is forgotten, if there is a newer one."""

        def checked(books: Books) -> ResultT | None:
            return work(books) if edition.is_present(books) else None

        found = self.ledger.look(self.file.name, checked)
        if found is None:
            self._edition = None
        return found
