"""Those who ask: tokens, kept as hashes, and what was asked, in their own words; both beside the chain.

An entry says of each token that it was issued, and that it was revoked.
"""

import hashlib
import json
import re
import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from noiseless.amounts import Cost
from noiseless.errors import NoiselessError, RequestError
from noiseless.ledger.accounts import FREE
from noiseless.ledger.books import checked_text
from noiseless.ledger.entries import Entry, now
from noiseless.ledger.replay import ISSUED, REVOKED, charged, issue_body, revocation_body
from noiseless.ledger.schema import columns_of, everything, insertion

if TYPE_CHECKING:
    from noiseless.ledger.ledger import Ledger
    from noiseless.ledger.transaction import DatabaseTransaction

Role = Literal["owner", "analyst"]
ROLES: tuple[Role, ...] = ("owner", "analyst")

_SHAPE = re.compile(r"nls_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")
_SPAN = re.compile(r"(\d{1,6})\s*([mhdwy])")
_SPANS = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "y": timedelta(days=365),
}

_ALL = f"{everything('ledger_tokens')} ORDER BY created, id, dataset"
_ADD = insertion("ledger_tokens")
_REVOKE = (
    "UPDATE ledger_tokens SET revoked = ?, revoked_by = ? WHERE id = ? AND dataset = ? AND revoked IS NULL"
)


@dataclass(frozen=True)
class Token:
    """What is known of a token, for one dataset; the secret itself is kept nowhere.

    Attributes:
        dataset: the dataset that it is for.
        id: what it is called; no secret.
        name: who has it; an analyst's account.
        role: what they may do.
        hash: the SHA-256 of the secret.
        created: when, in UTC.
        created_by: who made it.
        expires: when it ends by itself, if it does.
        revoked: when it was revoked, if it was.
        revoked_by: who did.
    """

    dataset: str
    id: str
    name: str
    role: Role
    hash: str
    created: str
    created_by: str
    expires: str | None = None
    revoked: str | None = None
    revoked_by: str | None = None

    def is_valid(self, at: str) -> bool:
        """Whether it may be used at a time, written as `now()` does."""
        return self.revoked is None and (self.expires is None or at < self.expires)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, without the hash."""
        return {name: value for name, value in vars(self).items() if name not in {"dataset", "hash"}}


@dataclass(frozen=True)
class NewToken:
    """A token that was just made.

    Attributes:
        text: what its holder sends; it cannot be shown again.
        id: what it is called.
    """

    text: str
    id: str

    @classmethod
    def random(cls) -> "NewToken":
        """A token of 256 random bits."""
        number = secrets.token_hex(8)
        return cls(f"nls_{number}_{secrets.token_urlsafe(32)}", number)


def token_id(text: str) -> str | None:
    """What a token is called; None if it is not written like one.

    >>> token_id("nls_0123456789abcdef_" + "x" * 43), token_id("secret")
    ('0123456789abcdef', None)
    """
    found = _SHAPE.fullmatch(text)
    return None if found is None else found[1]


def token_hash(text: str) -> str:
    """What is kept of a token; it has enough random bits that nothing slower is needed."""
    return hashlib.sha256(text.encode()).hexdigest()


def expiry(text: str | None) -> str | None:
    """A time in UTC from a span such as 30d (m, h, d, w, y), or from a date or time that is written out.

    Raises:
        RequestError: it is neither, or past.

    >>> expiry("2999-12-31")
    '2999-12-31T00:00:00.000000Z'
    """
    if text is None:
        return None
    span = _SPAN.fullmatch(text.strip())
    try:
        if span is not None:
            when = datetime.now(UTC) + int(span[1]) * _SPANS[span[2]]
        else:
            when = datetime.fromisoformat(text.strip())
            when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError):
        raise RequestError(
            "an expiry is a span such as 12h, 30d or 1y, or a date such as 2030-12-31"
        ) from None
    found = f"{when.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"
    if found <= now():
        raise RequestError("the expiry is past; name a later one")
    return found


def add_token(
    ledger: "Ledger",
    datasets: Sequence[str],
    *,
    name: str,
    role: Role,
    token: NewToken,
    expires: str | None = None,
    by: str = "owner",
) -> None:
    """Keep a new token, for some datasets of one ledger.

    Raises:
        RequestError: there is no such role.
        LedgerError: a name cannot be kept.
    """
    if role not in ROLES:
        raise RequestError(f"a role is {' or '.join(ROLES)}")
    checked_text("a name", name, most=100)
    checked_text("who makes a token", by)
    kept = {  # in the order of the columns
        "id": token.id,
        "name": name,
        "role": role,
        "hash": token_hash(token.text),
        "created": now(),
        "created_by": by,
        "expires": expires,
        "revoked": None,
        "revoked_by": None,
    }

    def add(session: "DatabaseTransaction") -> None:
        for dataset in datasets:
            entry = Entry.after(session.head(), dataset, ISSUED, None, issue_body(kept))
            session.append(entry)
            session.put(_ADD, [dataset, *kept.values()])

    ledger.write(add)


def list_tokens(ledger: "Ledger") -> list[Token]:
    """All tokens of a ledger, also those that are no longer valid; one for each dataset."""
    return [Token(*row) for row in ledger.read(lambda session: session.rows(_ALL))]


def revoke_token(ledger: "Ledger", token: str, datasets: Iterable[str], *, by: str = "owner") -> int:
    """End a token for some datasets; for how many of them it had not ended before."""
    checked_text("who revokes a token", by)

    def end(session: "DatabaseTransaction") -> int:
        revoked, count = now(), 0
        for dataset in datasets:
            if session.run(_REVOKE, [revoked, by, token, dataset]):
                body = revocation_body(token, revoked, by)
                session.append(Entry.after(session.head(), dataset, REVOKED, None, body))
                count += 1
        return count

    return ledger.write(end)


# What they asked

_OF_DATASET = (
    f"SELECT {columns_of('ledger_batches')}, {columns_of('ledger_entries')} FROM ledger_batches"
    " LEFT JOIN ledger_entries ON ledger_batches.charge = ledger_entries.seq"
    " WHERE ledger_batches.dataset = ?"
)
_BY_KEYS = f"{_OF_DATASET} AND idempotency = ANY(?)"
_OF_ANALYST = " AND ledger_batches.analyst = ?"
_AFTER_PLACE = (
    " AND ledger_batches.time <= ? AND (ledger_batches.time < ? OR batch > ?"
    " OR batch = ? AND ledger_batches.analyst > ?)"
    " ORDER BY ledger_batches.time DESC, batch, ledger_batches.analyst LIMIT ?"
)
_BEYOND = "g"
"""Sorts after every fingerprint."""

_NOTE_BATCH = f"{insertion('ledger_batches')} ON CONFLICT DO NOTHING"
_MOST_FREE = 1000
_FREE = "dataset = ? AND analyst = ? AND charge IS NULL"
_FORGET = (
    f"DELETE FROM ledger_batches WHERE {_FREE} AND time < (SELECT time FROM ledger_batches"
    f" WHERE {_FREE} ORDER BY time DESC LIMIT 1 OFFSET {_MOST_FREE - 1})"
)
_PUT_NOTE = f"{insertion('ledger_notes')} ON CONFLICT (dataset, name) DO UPDATE SET value = excluded.value"
_NOTE = "SELECT value FROM ledger_notes WHERE dataset = ? AND name = ?"


class KeyReusedError(NoiselessError):
    """An idempotency key came with another batch before."""

    def __init__(self, message: str = "that key came with another batch; use a new one") -> None:
        super().__init__(message)


@dataclass(frozen=True)
class AskedBatch:
    """A batch as somebody asked it for the first time.

    Attributes:
        dataset: the dataset.
        analyst: who asked.
        version: the number of the dataset's version.
        time: when, in UTC.
        sql: the statements.
        charge: the number of the entry that charged for it; None if it was free.
        cost: what it cost.
        key: the idempotency key that came with it.
    """

    dataset: str
    analyst: str
    version: int
    time: str
    sql: tuple[str, ...]
    charge: int | None = None
    cost: Cost = FREE
    key: str | None = None

    @classmethod
    def now(
        cls, dataset: str, analyst: str, version: int, sql: Sequence[str], key: str | None = None
    ) -> "AskedBatch":
        """A batch that is asked now."""
        return cls(dataset, analyst, version, now(), tuple(sql), key=key)

    @property
    def fingerprint(self) -> str:
        """What tells it apart from other batches of the same analyst."""
        text = json.dumps([self.version, self.sql, self.key])
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def place(self) -> str:
        """Where it stands in a history: batches may have been asked at the same time."""
        return f"{self.time} {self.fingerprint} {self.analyst}"

    @property
    def row(self) -> tuple[str, str, str, str, str, str, int | None, str | None]:
        """Its row in the table; what tells it apart comes first."""
        named = (self.dataset, self.analyst, self.fingerprint)
        return *named, str(self.version), self.time, json.dumps(self.sql), self.charge, self.key


def note_charged(session: "DatabaseTransaction", several: Sequence[AskedBatch]) -> None:
    """Note batches within the transaction that charges for them; the first note of each stands.

    Raises:
        KeyReusedError: the key of one came with another batch, at the same time perhaps; nothing is charged.
    """
    keyed = [batch for batch in several if batch.key is not None]
    for batch in several:
        if batch.key is None:
            session.put(_NOTE_BATCH, batch.row)
    if sum(session.run(_NOTE_BATCH, batch.row) for batch in keyed) == len(keyed):
        return
    keys = [batch.key for batch in keyed if batch.key is not None]
    came = {
        (batch.analyst, batch.key, batch.version): batch.sql
        for dataset in {batch.dataset for batch in keyed}
        for batch in _with_keys(session, dataset, keys)
    }
    for batch in keyed:
        if came.get((batch.analyst, batch.key, batch.version), batch.sql) != batch.sql:
            raise KeyReusedError


def _with_keys(session: "DatabaseTransaction", dataset: str, keys: Sequence[str]) -> list[AskedBatch]:
    return [_batch(row) for row in session.rows(_BY_KEYS, [dataset, list(keys)])]


def note_batches(ledger: "Ledger", several: Sequence[AskedBatch]) -> None:
    """Note batches that cost nothing, in a transaction of their own; of each analyst the latest are kept."""
    who = {(batch.dataset, batch.analyst) for batch in several}

    def note(session: "DatabaseTransaction") -> None:
        for batch in several:
            session.put(_NOTE_BATCH, batch.row)
        for dataset, analyst in who:
            session.put(_FORGET, [dataset, analyst, dataset, analyst])

    if several:
        ledger.write(note)


def list_batches(
    ledger: "Ledger", dataset: str, analyst: str | None, *, before: str | None, most: int
) -> list[AskedBatch]:
    """Batches about a dataset, the latest first.

    Args:
        ledger: where they are kept.
        dataset: the dataset.
        analyst: who asked; None for everybody.
        before: only those that come after this place, or are earlier than this time.
        most: how many.
    """
    time, _, rest = (before or "9").partition(" ")
    batch, _, last = rest.partition(" ")
    batch = batch or _BEYOND
    latest, chosen = (
        (_OF_DATASET, [dataset]) if analyst is None else (_OF_DATASET + _OF_ANALYST, [dataset, analyst])
    )
    parameters = [*chosen, time, time, batch, batch, last, most]
    return [
        _batch(row) for row in ledger.read(lambda session: session.rows(latest + _AFTER_PLACE, parameters))
    ]


def find_batches(
    ledger: "Ledger", dataset: str, wanted: Collection[tuple[str, str]]
) -> dict[tuple[str, str], AskedBatch]:
    """The batches that came with idempotency keys, by analyst and key; of several versions the latest."""
    if not wanted:
        return {}
    keys = sorted({key for _, key in wanted})
    several = ledger.read(lambda session: _with_keys(session, dataset, keys))
    by_version = sorted(several, key=lambda batch: batch.version)
    return {(batch.analyst, batch.key): batch for batch in by_version if batch.key is not None}


def find_batch(ledger: "Ledger", dataset: str, analyst: str, key: str) -> AskedBatch | None:
    """The batch that came with an idempotency key."""
    return find_batches(ledger, dataset, [(analyst, key)]).get((analyst, key))


def write_note(ledger: "Ledger", dataset: str, name: str, value: str) -> None:
    """Remember something about a dataset."""
    ledger.write(lambda session: session.put(_PUT_NOTE, [dataset, name, value]))


def read_note(ledger: "Ledger", dataset: str, name: str) -> str | None:
    """What was remembered about a dataset."""
    noted = ledger.read(lambda session: session.rows(_NOTE, [dataset, name]))
    return str(noted[0][0]) if noted else None


def _batch(row: Sequence[Any]) -> AskedBatch:
    dataset, analyst, _, version, time, sql, charge, key, *entry = row
    cost = FREE if charge is None else charged(Entry(*entry)).most
    return AskedBatch(dataset, analyst, int(version), time, tuple(json.loads(sql)), charge, cost, key)
