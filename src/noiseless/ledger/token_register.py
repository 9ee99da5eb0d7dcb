"""Tokens as the entries have them: issued, revoked, and forgotten by a restore.

An entry names a token by its id and seals it: the seal is a digest of the hash that servers compare with. So
nobody can put another secret under a token's name unnoticed, and an export holds nothing to check a guess by
but a digest of a digest of 256 random bits.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from noiseless.ledger.entries import Entry
from noiseless.ledger.errors import LedgerError

ISSUED, REVOKED = "token", "revocation"
"""The kinds of entries about tokens. They cost nothing, and a dataset need not be declared before them."""


class SealedToken(NamedTuple):
    """What the entries say of one token: the columns of its row, with the seal in the place of the hash."""

    name: str
    role: str
    seal: str
    created: str
    created_by: str
    expires: str | None
    revoked: str | None = None
    revoked_by: str | None = None


def seal(token: str, hashed: str) -> str:
    """What an entry says of the hash of a token's secret.

    >>> seal("0123456789abcdef", "ab" * 32)[:8]
    '406ccb45'
    """
    return hashlib.sha256(f"{token} {hashed}".encode()).hexdigest()


def issue_body(row: Mapping[str, Any], *, found: bool = False) -> dict[str, Any]:
    """The body of an entry that issues a token.

    Args:
        row: the token's row.
        found: whether it was there before tokens had entries: what was done to it until then, nobody knows.
    """
    said = {key: row[key] for key in ("id", "name", "role", "created", "expires")}
    return {**said, "by": row["created_by"], "seal": seal(row["id"], row["hash"]), "found": found}


def revocation_body(token: str | None, revoked: str, by: str) -> dict[str, Any]:
    """The body of an entry that revokes a token; None for all of a dataset, whose rows are gone."""
    return {"id": token, "revoked": revoked, "by": by}


@dataclass
class TokenRegister:
    """All tokens after some entries."""

    _standing: dict[tuple[str, str], SealedToken | None] = field(default_factory=dict)

    @property
    def datasets(self) -> list[str]:
        """The datasets that have tokens, valid or not."""
        return sorted({dataset for dataset, _ in self._standing})

    def follow(self, entry: Entry) -> None:
        """Take one more entry into account.

        Raises:
            LedgerError: it makes no sense after the entries before it.
        """
        try:
            if entry.kind == ISSUED:
                self._issue(entry)
            else:
                self._revoke(entry)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise LedgerError(f"entry {entry.seq} does not say what an entry says") from error

    def _issue(self, entry: Entry) -> None:
        body, key = entry.body, (entry.dataset, entry.body["id"])
        if key in self._standing:
            raise LedgerError(f"entry {entry.seq} issues a token for the second time")
        columns = ("name", "role", "seal", "created", "by", "expires")
        self._standing[key] = SealedToken(*(body[column] for column in columns))

    def _revoke(self, entry: Entry) -> None:
        """One that no entry issued is noted too: whoever finds it in the table must be able to end it."""
        token, revoked, by = (entry.body[column] for column in ("id", "revoked", "by"))
        if token is None:
            self._standing = {key: one for key, one in self._standing.items() if key[0] != entry.dataset}
            return
        before = self._standing.get((entry.dataset, token))
        after = None if before is None else before._replace(revoked=revoked, revoked_by=by)
        self._standing[entry.dataset, token] = after

    def differ(self, rows: Iterable[Sequence[Any]]) -> Iterator[str]:
        """Tokens that are too many, too few or changed."""
        missing = dict(self._standing)
        for dataset, token, name, role, hashed, *more in rows:
            known = missing.pop((dataset, token), None)
            if known is None:
                yield f"no entry issues token {token} of dataset {dataset!r}; revoke it"
            elif known != (name, role, seal(token, hashed), *more):
                yield f"token {token} of dataset {dataset!r} is not what its entries say"
        for dataset, token in missing:
            yield f"token {token} of dataset {dataset!r} is missing"
