"""Who asks: tokens as they stand in the ledgers, known to this process for less than a second."""

import asyncio
import hmac
import time
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass

from noiseless.ledger import Ledger
from noiseless.ledger.entries import now
from noiseless.ledger.tokens import Role, Token, list_tokens, token_hash, token_id
from noiseless.server.errors import forbidden, not_found, unauthorised, unavailable

_REFRESH, _STALE, _SOONEST = 0.3, 0.8, 0.05
"""Seconds: after which tokens are read again, are not trusted any more, and may be read again at all."""

_NOBODY = token_hash("nobody")


@dataclass(frozen=True)
class Caller:
    """The holder of a valid token.

    Attributes:
        token: what the token is called.
        name: who they are; the account of an analyst.
        roles: their role for each dataset that they may see.
        expires: when the token ends by itself.
    """

    token: str
    name: str
    roles: Mapping[str, Role]
    expires: str | None

    @property
    def role(self) -> Role:
        """Owner, if they are of any dataset."""
        return "owner" if "owner" in self.roles.values() else "analyst"

    @property
    def owned(self) -> list[str]:
        """The datasets that they own."""
        return [name for name, role in self.roles.items() if role == "owner"]

    def require(self, dataset: str) -> None:
        """Refuse those who may not see a dataset.

        Raises:
            ApiError: the same whether there is such a dataset or not.
        """
        if dataset not in self.roles:
            raise not_found()

    def require_owner(self, dataset: str) -> None:
        """Refuse those who do not own a dataset.

        Raises:
            ApiError: the same as above for those who may not see it.
        """
        self.require(dataset)
        if self.roles[dataset] != "owner":
            raise forbidden()


class Callers:
    """All tokens, and who they belong to.

    A token counts for a dataset only in that dataset's own ledger: another ledger may know a dataset of the
    same name, and its owners have no say here.
    """

    def __init__(self, ledgers: Mapping[str, Ledger], pool: Executor, patience: float) -> None:
        """No token is known yet.

        Args:
            ledgers: the ledger of each dataset.
            pool: where ledgers are read.
            patience: how many seconds somebody waits for that.
        """
        self._ledgers, self._pool, self._patience = dict(ledgers), pool, patience
        self._tokens: dict[str, list[Token]] = {}
        self._found: dict[str, tuple[Caller, str | None]] = {}
        self._read_at = float("-inf")
        self._reading: asyncio.Task[None] | None = None
        self._changes = 0

    async def find(self, header: str | None) -> Caller:
        """The caller whose token a request's `Authorization` holds.

        Raises:
            ApiError: it holds no valid token, or tokens cannot be read now.
        """
        scheme, _, text = (header or "").partition(" ")
        name = token_id(text.strip()) if scheme.lower() == "bearer" else None
        if name is None:
            raise unauthorised()
        age, hashed = time.monotonic() - self._read_at, token_hash(text.strip())
        if age > _STALE:
            await self._read_again()
        elif (found := self._caller(name, hashed)) is not None:
            if age > _REFRESH:
                self._begin_reading()
            return found
        else:  # made just now, perhaps
            arrived = time.monotonic()
            await asyncio.sleep(max(0.0, _SOONEST - age))
            if self._read_at < arrived:  # others may have had them read meanwhile
                await self._read_again()
        found = self._caller(name, hashed)
        if found is None:
            raise unauthorised()
        return found

    def forget(self) -> None:
        """Read all tokens again before the next request: one of them was changed here."""
        self._changes += 1
        self._read_at = float("-inf")

    def _caller(self, name: str, hashed: str) -> Caller | None:
        """The holder of a token, of which a hash is known; found once a reading."""
        caller, until = self._found.get(hashed, (None, None))
        if caller is not None and (until is None or now() < until):
            return caller
        hmac.compare_digest(hashed, _NOBODY)  # somebody unknown takes as long
        rows = [row for row in self._tokens.get(name, []) if hmac.compare_digest(hashed, row.hash)]
        at = now()
        valid = [row for row in rows if row.is_valid(at)]
        if not valid:
            return None
        roles = {row.dataset: row.role for row in valid}
        found = Caller(name, valid[0].name, roles, valid[0].expires)
        self._found[hashed] = (found, min((row.expires for row in valid if row.expires), default=None))
        return found

    async def _read_again(self) -> None:
        """Read tokens; a reading that began before now may miss what was changed just now."""
        if self._reading is not None and not self._reading.done():
            await asyncio.wait([self._reading], timeout=self._patience)
        reading = self._begin_reading()
        await asyncio.wait([reading], timeout=self._patience)
        if not reading.done() or reading.cancelled() or reading.exception() is not None:
            raise unavailable("tokens cannot be checked now; ask again")

    def _begin_reading(self) -> asyncio.Task[None]:
        if self._reading is None or self._reading.done():
            self._reading = asyncio.get_running_loop().create_task(self._read())
            self._reading.add_done_callback(_heed)
        return self._reading

    async def _read(self) -> None:
        begun, changes = time.monotonic(), self._changes
        loop = asyncio.get_running_loop()
        found = await asyncio.gather(
            *(
                loop.run_in_executor(self._pool, own_tokens, ledger, self._ledgers)
                for ledger in {id(ledger): ledger for ledger in self._ledgers.values()}.values()
            )
        )
        self._tokens, self._found = {}, {}
        for row in (row for rows in found for row in rows):
            self._tokens.setdefault(row.id, []).append(row)
        if changes == self._changes:
            self._read_at = begun


def own_tokens(ledger: Ledger, ledgers: Mapping[str, Ledger]) -> list[Token]:
    """The tokens of a ledger for datasets that are kept in it."""
    return [token for token in list_tokens(ledger) if ledgers.get(token.dataset) is ledger]


def _heed(task: asyncio.Task[None]) -> None:
    """An error is told to whoever waits for the task, if anybody does."""
    if not task.cancelled():
        task.exception()
