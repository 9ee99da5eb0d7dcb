"""A dataset behind the server: its curator, which changes with its versions, and answers that are known."""

import threading
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from noiseless.accounting.cost import Budget, Cost
from noiseless.curator import Curator, CuratorFile, Reply
from noiseless.errors import NoiselessError, RequestError
from noiseless.ledger import LedgerError, State, UnknownDatasetError
from noiseless.ledger.asked_batches import (
    AskedBatch,
    find_batch,
    note_batch,
    note_batches,
    read_note,
    write_note,
)
from noiseless.ledger.entries import canonical
from noiseless.ledger.sharing import SharedLedger
from noiseless.ledger.wire import budget_json
from noiseless.queries.sql import SqlError
from noiseless.server import replies
from noiseless.server.errors import ApiError, unavailable

Found = TypeVar("Found")

_BUDGET_IN_FILE = "the budget in the file"
_MOST_KNOWN_BYTES = 64_000_000
_MOST_NOTED = 100_000
_REUSED = "that key came with another batch; use a new key for new statements"


class Standing(NamedTuple):
    """What is spent at one moment, and the end of a reply that says so."""

    version: int
    state: State
    body: bytes


class Known(NamedTuple):
    """The answers of a batch that is free, as JSON."""

    version: int
    answers: bytes


@dataclass(frozen=True)
class Answered:
    """What a batch came to.

    Attributes:
        body: the reply, as JSON.
        charge: the number of the entry that charged for it; None if it was free.
        known: its answers, if asking again is known to be free.
    """

    body: bytes
    charge: int | None
    known: Known | None


class Desk:
    """One dataset. Its methods are for worker threads unless they say otherwise."""

    def __init__(self, path: str | Path, ledgers: dict[str, SharedLedger]) -> None:
        self.path = Path(path)
        file = CuratorFile.read(self.path)
        if file.ledger not in ledgers:
            ledgers[file.ledger] = SharedLedger.open(file.ledger)
        self.name, self.ledger = file.name, ledgers[file.ledger]
        self._lock = threading.Lock()
        self._curator = Curator(file, self.ledger)
        self._standing: Standing | None = None
        self._known: OrderedDict[tuple[str, ...], Known] = OrderedDict()
        self._known_bytes = 0
        self._noted: OrderedDict[tuple[str, tuple[str, ...]], None] = OrderedDict()
        self._to_note: deque[AskedBatch] = deque()

    def open(self) -> None:
        """Declare the dataset if it is new, and check that its file says what the ledger does.

        Raises:
            NoiselessError: it does not.
        """
        self._curator = Curator(self._file(), self.ledger)
        _ = self._curator.public

    # The curator of the present version

    def curator(self) -> Curator:
        """The curator of the present version.

        Raises:
            ApiError: the owner's file and the ledger do not agree now.
        """
        found = self._curator
        try:
            _ = found.public
        except LedgerError:
            raise
        except NoiselessError:
            return self._reopened(found)
        return found

    def fresh_curator(self) -> Curator:
        """The same; a version that was declared elsewhere is noticed even before the next question."""
        found = self.curator()
        is_new = self.state().version != found.public.version
        return self._reopened(found) if is_new else found

    def _file(self) -> CuratorFile:
        """The file as it is now; a budget that was changed here since it was written stands."""
        file = CuratorFile.read(self.path)
        if file.name != self.name:
            raise RequestError(f"{self.path.name} is now about another dataset; start the server again")
        try:
            state = self.ledger.state(file.name, cells=(), analysts=())
        except UnknownDatasetError:
            return file
        noted = read_note(self.ledger, file.name, _BUDGET_IN_FILE)
        if state.budget is None or noted != _text(file.budget):
            return file
        return replace(file, budget=state.budget)

    def _reopened(self, stale: Curator) -> Curator:
        with self._lock:
            if self._curator is not stale:
                return self._curator
            try:
                fresh = Curator(self._file(), self.ledger)
                _ = fresh.public
            except LedgerError:
                raise
            except NoiselessError:
                raise unavailable("the owner is changing what is declared; ask again later") from None
            self._curator = fresh
            return fresh

    def _is_stale(self, curator: Curator) -> bool:
        try:
            _ = curator.public
        except NoiselessError:
            return True
        return False

    # Questions

    def price(self, sql: Sequence[str], analyst: str) -> bytes:
        """What a batch would cost, as JSON."""
        curator = self.curator()
        quote = curator.price(*sql, analyst=analyst)
        said = {**replies.account(quote), "allowed": quote.allowed, "dry_run": True}
        return replies.joined(replies.dumped(replies.statements(quote)), said)

    def ask(self, sql: tuple[str, ...], analyst: str, key: str | None) -> Answered:
        """The answers to a batch.

        Raises:
            NoiselessError: it is refused.
            ApiError: the key came with another batch.
        """
        curator = self.curator()
        before = None if key is None else self._with_key(analyst, key, sql)
        try:
            return self._ask(curator, sql, analyst, key, before)
        except SqlError:
            raise
        except RequestError:
            if not self._is_stale(curator):
                raise
            return self._ask(self._reopened(curator), sql, analyst, key, before)

    def _ask(
        self,
        curator: Curator,
        sql: tuple[str, ...],
        analyst: str,
        key: str | None,
        before: AskedBatch | None,
    ) -> Answered:
        public = curator.public
        asked = AskedBatch.now(self.name, analyst, public.version, sql, key)
        charges: list[int] = []

        def note(session: Any, entry: int) -> None:  # noqa: ANN401 - the ledger's own
            charges.append(entry)  # again if the transaction is; the last one stands
            note_batch(session, replace(asked, charge=entry))

        with self.ledger.noting(note):
            reply = curator.ask(*sql, analyst=analyst)
        is_free = replies.free(reply)
        answers = replies.dumped(replies.statements(reply))
        said = {**replies.account(reply), "dry_run": False}
        if key is not None:
            said |= self._as_first_asked(reply, analyst, key, before, sql)
        known = Known(public.version, answers) if is_free and curator.public is public else None
        if is_free:
            self.note_later(asked)
        return Answered(replies.joined(answers, said), charges[-1] if charges else None, known)

    def _with_key(self, analyst: str, key: str, sql: tuple[str, ...]) -> AskedBatch | None:
        found = find_batch(self.ledger, self.name, analyst, key)
        if found is not None and found.sql != sql:
            raise ApiError(409, "key_reused", _REUSED)
        return found

    def _as_first_asked(
        self, reply: Reply, analyst: str, key: str, before: AskedBatch | None, sql: tuple[str, ...]
    ) -> dict[str, Any]:
        """A retried request is told what the first one cost, and that it did not cost it again."""
        first = before or (self._with_key(analyst, key, sql) if replies.free(reply) else None)
        retried = first is not None and replies.free(reply)
        cost: Cost = first.cost if retried and first is not None else reply.batch
        rule = "charged before" if retried and cost != Cost() else reply.rule
        return {**replies.price(cost, rule), "key": key, "repeated": retried}

    # What is known; for the event loop

    def known(self, sql: tuple[str, ...]) -> Known | None:
        """The answers of a batch that is free, if this process knows them."""
        found = self._known.get(sql)
        if found is not None:
            self._known.move_to_end(sql)
        return found

    def remember(self, sql: tuple[str, ...], known: Known) -> None:
        """Keep the answers of a batch that is free."""
        self.forget(sql)
        self._known[sql] = known
        self._known_bytes += _size(sql, known)
        while self._known_bytes > _MOST_KNOWN_BYTES:
            self._known_bytes -= _size(*self._known.popitem(last=False))

    def forget(self, sql: tuple[str, ...]) -> None:
        """Forget the answers of a batch."""
        known = self._known.pop(sql, None)
        if known is not None:
            self._known_bytes -= _size(sql, known)

    def known_reply(self, known: Known, standing: Standing) -> bytes:
        """A reply that costs nothing."""
        return b"".join((b'{"answers":', known.answers, b",", standing.body))

    def note_later(self, asked: AskedBatch) -> None:
        """Have a batch that was free in the history, once; the note may be lost if the server is killed."""
        key = (asked.analyst, asked.sql)
        if key not in self._noted:
            self._noted[key] = None
            self._to_note.append(asked)
            if len(self._noted) > _MOST_NOTED:
                self._noted.popitem(last=False)

    def is_noted(self, analyst: str, sql: tuple[str, ...]) -> bool:
        """Whether a batch is in the history, or soon will be."""
        return (analyst, sql) in self._noted

    def write_notes(self) -> None:
        """Write what is to be noted."""
        several = [self._to_note.popleft() for _ in range(len(self._to_note))]
        note_batches(self.ledger, several)

    def standing(self) -> Standing:
        """What is spent now, as the end of a free reply."""
        state = self.state()
        found = self._standing
        if found is None or found.state != state:
            said = {**replies.price(Cost(), "nothing new"), **replies.standing_of(state), "dry_run": False}
            found = self._standing = Standing(state.version, state, replies.dumped(said)[1:])
        return found

    def state(self) -> State:
        """What is spent now, without the accounts of cells and analysts."""
        return self.ledger.state(self.name, cells=(), analysts=())

    # For the owner

    def change_budget(self, budget: Budget, *, by: str, reason: str) -> int:
        """Record a new budget; that the file has another one is remembered, so that it does no harm."""
        with self._lock:
            file = CuratorFile.read(self.path)
            write_note(self.ledger, self.name, _BUDGET_IN_FILE, _text(file.budget))
            entry = self.ledger.change_budget(self.name, budget, by=by, reason=reason)
            self._curator.file = replace(self._curator.file, budget=budget)
        return entry


def _text(budget: Budget | None) -> str:
    return canonical(budget_json(budget))


def _size(sql: tuple[str, ...], known: Known) -> int:
    return len(known.answers) + sum(map(len, sql)) + 500
