"""A dataset behind the server: its curator, which changes with its versions, and replies to questions.

Replies are JSON: statements with all of their numbers, amounts rounded and exactly.
"""

import json
import math
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from noiseless.amounts import Budget, Cost, standing
from noiseless.curator import Curator, CuratorFile
from noiseless.curator.edition import Edition
from noiseless.errors import ColumnError, NoiselessError, RequestError
from noiseless.intervals import Tolerance
from noiseless.ledger import Ledger, LedgerError, State
from noiseless.ledger.analysts import (
    AskedBatch,
    KeyReusedError,
    find_batch,
    find_batches,
    note_batches,
)
from noiseless.replies import Answer, Quote, Reply, Result
from noiseless.server.declarations import note_budget_in_file, read_file
from noiseless.server.errors import UndeclaredError, bad_query, data_changed
from noiseless.work import NUMBER, Cache, WorkCancelledError

Found = TypeVar("Found")

MOST_BYTES = 64_000_000
"""Of answers that a process remembers, of all of its datasets together."""
_MOST_NOTED, _LONGEST_NOTED = 100_000, 10_000
"""How many batches are known to be in the history, and how many characters such a batch has at most."""

Sql = tuple[str, ...]
AnalystKey = tuple[str, str]
"""An analyst, and the idempotency key that came with a batch of theirs."""


class CachedAnswers(NamedTuple):
    """The answers of a batch that is free, as JSON."""

    version: int
    answers: bytes


class StandingSnapshot(NamedTuple):
    """What is spent at one moment, the end of a reply that says so, and batches that came with some keys."""

    state: State
    account: bytes
    batches: Mapping[AnalystKey, AskedBatch]


class FreeBatches:
    """Batches that cost nothing, to be noted in the history; a note may be lost if the server is killed.

    They cost the asker nothing, so long ones are not noted: nobody shall fill a disk with them.
    """

    def __init__(self) -> None:
        self._noted: OrderedDict[int, None] = OrderedDict()
        self._waiting: deque[AskedBatch] = deque()

    def note(self, analyst: str, sql: Sql, asked: Callable[[], AskedBatch]) -> None:
        """Have a batch in the history, once."""
        if sum(map(len, sql)) > _LONGEST_NOTED:
            return
        key = hash((analyst, sql))  # short; where two are the same, a note is missing and nothing else
        if key not in self._noted:
            self._noted[key] = None
            self._waiting.append(asked())
            if len(self._noted) > _MOST_NOTED:
                self._noted.popitem(last=False)

    def take(self) -> list[AskedBatch]:
        """What is to be written now."""
        return [self._waiting.popleft() for _ in range(len(self._waiting))]


class ServedCurator(Curator):
    """A curator that tells what is wrong with its dataset apart from what is wrong with a statement."""

    def _present(self) -> Edition:
        try:
            return super()._present()
        except (LedgerError, WorkCancelledError):
            raise
        except NoiselessError as error:
            raise UndeclaredError(error) from None


class ServedDataset:
    """One dataset. Its methods are for worker threads.

    Attributes:
        name: what it is called.
        ledger: where its charges are kept.
        known: answers that are free, by statements.
        free: batches that cost nothing and are to be noted.
    """

    def __init__(self, path: str | Path, ledgers: dict[str, Ledger], most_known: int) -> None:
        self.path = Path(path)
        file = CuratorFile.read(self.path)
        if file.ledger not in ledgers:
            ledgers[file.ledger] = Ledger.open(file.ledger)
        self.name, self.ledger = file.name, ledgers[file.ledger]
        self.known, self.free = Cache[CachedAnswers](most_known), FreeBatches()
        self._lock, self._noting = threading.Lock(), threading.Lock()
        self._curator = ServedCurator(file, self.ledger)
        self._account: tuple[State | None, bytes] = (None, b"")

    def open(self) -> None:
        """Declare the dataset if it is new, and check that its file says what the ledger does.

        Raises:
            NoiselessError: it does not. What is said is for the owner, who starts the server.
        """
        self._curator = ServedCurator(self._file(), self.ledger)
        try:
            _ = self._curator.public
        except UndeclaredError as error:
            raise error.problem from None

    # The curator of the present version

    def curator(self) -> ServedCurator:
        """The curator of the present version.

        Raises:
            ApiError: the owner's file and the ledger do not agree now.
        """
        found = self._curator
        try:
            _ = found.public
        except UndeclaredError:
            return self._reopened(found)
        return found

    def fresh_curator(self) -> ServedCurator:
        """The same; a version that was declared elsewhere is noticed even before the next question."""
        found = self.curator()
        is_new = self.state().version != found.public.version
        return self._reopened(found) if is_new else found

    def _file(self) -> CuratorFile:
        found = read_file(self.path, self.ledger)
        if found.name != self.name:
            raise RequestError(f"{self.path.name} is now about another dataset; start the server again")
        return found

    def _reopened(self, stale: ServedCurator) -> ServedCurator:
        with self._lock:
            if self._curator is not stale:
                return self._curator
            try:
                fresh = ServedCurator(self._file(), self.ledger)
                _ = fresh.public
            except (LedgerError, WorkCancelledError):
                raise
            except NoiselessError:  # what is wrong is for the owner alone: it may depend on the data
                raise data_changed() from None
            self._curator = fresh
            return fresh

    def _on_present(self, sql: Sql, analyst: str, work: Callable[[ServedCurator], Found]) -> Found:
        """Do some work with the curator of the present version; again if a new one was declared meanwhile.

        Raises:
            ApiError: a statement cannot be priced; which one, and why.
        """
        curator = self.curator()
        try:
            try:
                return work(curator)
            except UndeclaredError:
                curator = self._reopened(curator)
                return work(curator)
        except (RequestError, ColumnError) as error:
            place = 0 if len(sql) == 1 else _first_wrong(curator, sql, analyst)
            raise bad_query(error, place) from error

    def interrupt(self) -> None:
        """Give up a reading of the source: the process ends."""
        self._curator.interrupt()

    # Questions

    def price(self, sql: Sql, analyst: str) -> bytes:
        """What a batch would cost, as JSON.

        Raises:
            ApiError: a statement cannot be priced.
        """
        quote = self._on_present(sql, analyst, lambda curator: curator.price(*sql, analyst=analyst))
        said = {**account(quote), "allowed": quote.allowed, "dry_run": True}
        return joined(dumped(statements(quote)), said)

    def ask(self, sql: Sql, analyst: str, key: str | None) -> tuple[bytes, int | None]:
        """The answers to a batch, as JSON, and the entry that charged for it; None if it was free.

        Raises:
            ApiError: a statement cannot be priced.
            NoiselessError: it is refused; or the key came with another batch.
        """
        before = None if key is None else self._with_key(analyst, key, sql)
        return self._on_present(sql, analyst, partial(self._ask, sql, analyst, key, before))

    def _ask(
        self, sql: Sql, analyst: str, key: str | None, before: AskedBatch | None, curator: ServedCurator
    ) -> tuple[bytes, int | None]:
        public = curator.public
        asked = AskedBatch.now(self.name, analyst, public.version, sql, key)
        charges: list[int] = []

        def note(entry: int, version: int) -> AskedBatch:
            if before is not None and before.version != version:
                raise KeyReusedError("that key came with an earlier version of the data; use a new one")
            charges.append(entry)  # again if the transaction is; the last one stands
            return replace(asked, charge=entry, version=version)

        with self.ledger.noting(note):
            reply = curator.ask(*sql, analyst=analyst)
        is_free = reply.free
        answers = dumped(statements(reply))
        said = {**account(reply), "dry_run": False}
        if key is not None:
            said |= self._as_first_asked(reply, analyst, key, before, sql)
        if is_free and curator.public is public:
            weight = (len(answers) + sum(map(len, sql))) // NUMBER
            self.known.keep(sql, CachedAnswers(public.version, answers), weight)
        if is_free:
            noted = replace(asked, version=curator.public.version, key=None)
            self.free.note(analyst, sql, lambda: noted)
        return joined(answers, said), charges[-1] if charges else None

    def _with_key(self, analyst: str, key: str, sql: Sql) -> AskedBatch | None:
        found = find_batch(self.ledger, self.name, analyst, key)
        if found is not None and found.sql != sql:
            raise KeyReusedError
        return found

    def _as_first_asked(
        self, reply: Reply, analyst: str, key: str, before: AskedBatch | None, sql: Sql
    ) -> dict[str, Any]:
        """A retried request is told what the first one cost, and that it did not cost it again."""
        first = before or (self._with_key(analyst, key, sql) if reply.free else None)
        retried = first is not None and reply.free
        cost: Cost = first.cost if retried and first is not None else reply.batch
        rule = "charged before" if retried and cost != Cost() else reply.rule
        return {**price(cost, rule), "key": key, "repeated": retried}

    def write_notes(self) -> None:
        """Write what is to be noted: when this returns, all of it is written."""
        with self._noting:
            note_batches(self.ledger, self.free.take())

    # What is spent

    def look(self, keys: frozenset[AnalystKey]) -> StandingSnapshot:
        """What is spent now, as the end of a free reply, and the batches that came with some keys."""
        state, (known, account) = self.state(), self._account
        if known != state:
            said = {**price(Cost(), "nothing new"), **standing_of(state), "dry_run": False}
            account = dumped(said)[1:]
            self._account = state, account
        return StandingSnapshot(state, account, find_batches(self.ledger, self.name, keys))

    def state(self) -> State:
        """What is spent now, without the accounts of cells and analysts."""
        return self.ledger.state(self.name, cells=(), analysts=())

    # For the owner

    def change_budget(self, budget: Budget, *, by: str, reason: str) -> int:
        """Record a new budget; that the file has another one is remembered, so that it does no harm."""
        with self._lock:
            note_budget_in_file(self.ledger, CuratorFile.read(self.path), budget)
            entry = self.ledger.change_budget(self.name, budget, by=by, reason=reason)
            self._curator.file = replace(self._curator.file, budget=budget)
        return entry


def _first_wrong(curator: ServedCurator, sql: Sql, analyst: str) -> int | None:
    """The place of the first statement that has no price."""
    for place, text in enumerate(sql):
        try:
            curator.price(text, analyst=analyst)
        except (RequestError, ColumnError):
            return place
        except NoiselessError:
            return None
    return None


def dumped(value: object) -> bytes:
    """JSON without spaces; infinity is the text "inf"."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=False).encode()


def statements(quote: Quote) -> list[dict[str, Any]]:
    """Each statement of a batch with its numbers; a quote has none."""
    return [_statement(result, quote) for result in quote.results]


def _statement(result: Result, quote: Quote) -> dict[str, Any]:
    rows = [_number(answer) for answer in result.answers]
    first = rows[0] if rows else {}
    cost = quote.cost_of(result)
    foretold = result.tolerances or (None,) * len(result.names)
    columns = zip(result.names, result.costs, foretold, strict=True)
    return {
        "sql": result.sql,
        "columns": [_column(*column) for column in columns],
        "rows": rows,
        "value": first.get("value"),
        "lower": first.get("lower"),
        "upper": first.get("upper"),
        "bits": cost.upper,
        "bits_exact": cost.text,
        "free": cost == Cost(),
    }


def _number(answer: Answer) -> dict[str, Any]:
    number = answer.number()
    return number | {name: finite(number[name]) for name in ("value", "lower", "upper")}


def finite(value: float | None) -> float | str | None:
    """A number as JSON can hold it."""
    if value is not None and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def _column(name: str, cost: Cost | None, foretold: Tolerance | None) -> dict[str, Any]:
    """A column; in a quote also how sharp its answers would be."""
    paid = cost or Cost()
    sharp = {} if foretold is None else foretold.to_dict()
    if foretold is not None:
        sharp["worst_error"] = finite(sharp["worst_error"])
    return {
        "name": name,
        "group": cost is None,
        "bits": paid.upper,
        "bits_exact": paid.text,
        "free": paid == Cost(),
        **sharp,
    }


def standing_of(state: State) -> dict[str, Any]:
    """What is spent of a dataset and what is left, with what is to be said about it."""
    return {**standing(state.spent, state.left), "warnings": list(state.warnings)}


def account(quote: Quote) -> dict[str, Any]:
    """What a batch costs, what is spent and what is left."""
    said = {**price(quote.batch, quote.rule), **standing(quote.spent, quote.left)}
    return {**said, "warnings": list(quote.warnings)}


def price(cost: Cost, rule: str) -> dict[str, Any]:
    """What a batch costs."""
    return {"batch_bits": cost.upper, "batch_bits_exact": cost.text, "rule": rule}


def joined(answers: bytes, rest: Mapping[str, Any]) -> bytes:
    """One object of answers that are JSON already and of other members."""
    return b'{"answers":' + answers + b"," + dumped(dict(rest))[1:]


def free_reply(answers: bytes, account: bytes, key: str | None) -> bytes:
    """A reply that costs nothing, of answers and an account that are JSON already."""
    if key is None:
        return b"".join((b'{"answers":', answers, b",", account))
    ending = dumped({"key": key, "repeated": False})[1:]
    return b"".join((b'{"answers":', answers, b",", account[:-1], b",", ending))
