"""Who may ask: tokens, kept as hashes; an entry says of each that it was issued, and that it was revoked."""

import hashlib
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from noiseless.errors import RequestError
from noiseless.ledger.books import checked_text
from noiseless.ledger.entries import Entry, now
from noiseless.ledger.replay import ISSUED, REVOKED, issue_body, revocation_body
from noiseless.ledger.schema import everything, insertion

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
    """What is kept of a token; it has so many random bits that nothing slower is needed."""
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
