"""A client of a server, `nl.connect(url, token)`, and one dataset of it: what can be asked about it."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, urlencode

from noiseless.client.calls import Calls, Patience
from noiseless.client.datasets import (
    DatasetDescription,
    DatasetSummary,
    TokenHolder,
    read_dataset,
    read_datasets,
    read_session,
)
from noiseless.client.errors import BadReply, NotFound
from noiseless.client.frames import Listing, read_sample
from noiseless.client.json_objects import JsonObject
from noiseless.client.replies import BatchRecord, Kind, listed, read_batch, read_reply
from noiseless.client.transport import Address, BearerToken, Transport
from noiseless.display import printable
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.replies import Quote, Reply

_PAGE = 100
_SHOWN = 8
_OTHER = "the reply belongs to another request; ask again, and report it to the server's owner"


class RemoteDataset:
    """One dataset of a server; `client["meters"]`.

    Attributes:
        name: what it is called.
    """

    def __init__(self, calls: Calls, name: str, known: Sequence[str] = ()) -> None:
        self._calls, self.name, self._known = calls, name, known

    def __repr__(self) -> str:
        return printable(f"<{self.name!r} at {self._calls.transport.address}>")

    def describe(self) -> DatasetDescription:
        """Its columns, its budget and what is spent of it."""
        return read_dataset(self._get(""))

    def price(self, *sql: str) -> Quote:
        """What a batch would cost; nothing is charged, and no data is touched.

        Args:
            sql: statements, which are priced together.

        Raises:
            BadQuestion: a statement cannot be read, or what it asks for cannot be told.
        """
        return self._of(sql, read_reply(self._post({"queries": _statements(sql), "dry_run": True}), Quote))

    def ask(self, *sql: str, key: str | None = None) -> Reply:
        """The answers to a batch, which is charged for together, once.

        A try whose reply is lost is repeated under the same key: it is free then, and the reply says what
        the first try cost.

        Args:
            sql: statements, which are priced together.
            key: names the request, to repeat it from another process; made up unless given.

        Raises:
            BadQuestion: a statement cannot be read, or what it asks for cannot be told.
            BudgetRefused: it costs more than is left.
        """
        name = secrets.token_hex(16) if key is None else key
        found = self._post({"queries": _statements(sql), "dry_run": False, "key": name}, name)
        if "key" in found and found.text("key") != name:
            raise BadReply(_OTHER)
        return self._of(sql, read_reply(found, Reply))

    def sample(self, rows: int = 20, seed: int = 1) -> Listing[Mapping[str, Any]]:
        """Synthetic rows to try statements on, drawn from the declared domain and never from the data.

        Args:
            rows: how many, up to 1000.
            seed: the same seed draws the same rows.
        """
        return read_sample(self._get("/sample", rows=rows, seed=seed))

    def history(self, limit: int = 20) -> Listing[BatchRecord]:
        """Earlier batches and their answers, the latest first: an analyst's own, for an owner everybody's.

        Args:
            limit: how many at most.
        """
        found: list[BatchRecord] = []
        before: str | None = None
        while len(found) < limit:
            asked = {} if before is None else {"before": before}
            page = self._get("/history", limit=str(min(limit - len(found), _PAGE)), **asked)
            batches = [read_batch(each) for each in page.objects("batches")]
            found += batches
            before = page.text_or_none("next")
            if before is None or not batches:
                break
        return listed(found[: max(limit, 0)])

    # For owners

    def ledger(self, after: int = 0, limit: int = 100) -> Listing[Mapping[str, Any]]:
        """Entries of the ledger, in their order; for owners.

        Args:
            after: only those after this number.
            limit: how many, up to 1000.
        """
        entries = self._get("/ledger", after=after, limit=limit).objects("entries")
        names = ("seq", "time", "kind", "analyst", "hash")
        columns = {name: [entry.values.get(name) for entry in entries] for name in names}
        shown = {"hash": [str(value)[:12] for value in columns["hash"]]}
        title = f"{len(entries)} entr{'y' if len(entries) == 1 else 'ies'} of the ledger"
        return Listing(tuple(entry.values for entry in entries), title, columns, shown)

    def exposure(self) -> Mapping[str, Any]:
        """How many rows the answers so far expose how much, without saying whose; for owners."""
        return self._get("/exposure").values

    def change_budget(self, bits: int | Fraction | Decimal | Bits, reason: str) -> DatasetDescription:
        """Record another budget in the ledger; for owners. It is never sent twice.

        Args:
            bits: a number of bits, or `Bits(k)` for a reach of k outputs.
            reason: why, for the ledger.
        """
        body = {"bits": _budget_text(bits), "reason": reason}
        self._send("POST", "/budget", body, repeatable=False)
        return self.describe()

    @staticmethod
    def _of(sql: tuple[str, ...], found: Kind) -> Kind:
        """A reply, if it is one to these statements."""
        if tuple(result.sql for result in found.results) != sql:
            raise BadReply(_OTHER)
        return found

    @property
    def _path(self) -> str:
        return f"/v1/datasets/{quote(self.name, safe='')}"

    def _get(self, below: str, **asked: object) -> JsonObject:
        query = f"?{urlencode(asked)}" if asked else ""
        return self._send("GET", f"{below}{query}")

    def _post(self, body: Mapping[str, object], seed: str | None = None) -> JsonObject:
        return self._send("POST", "/queries", body, seed=seed)

    def _send(
        self,
        method: str,
        below: str,
        body: Mapping[str, object] | None = None,
        *,
        repeatable: bool = True,
        seed: str | None = None,
    ) -> JsonObject:
        try:
            return self._calls.send(method, f"{self._path}{below}", body, repeatable=repeatable, seed=seed)
        except NotFound as error:
            if self.name in self._known:
                raise
            raise NotFound(
                self._unknown(),
                status=error.status,
                code=error.code,
                details=error.details,
                request_id=error.request_id,
            ) from None

    def _unknown(self) -> str:
        """What is said where the server knows no such dataset, or does not tell this token of it."""
        seen = f"it may see {listed_names(self._known)}" if self._known else "it is for none"
        return printable(f"no dataset is called {self.name!r}, or this token may not see it: {seen}")


def listed_names(names: Sequence[str]) -> str:
    """The first names of a list."""
    return ", ".join(map(repr, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")


def _statements(sql: tuple[str, ...]) -> list[str]:
    if not sql:
        raise RequestError("there is no statement; write ask('SELECT ...')")
    if not all(isinstance(text, str) for text in sql):
        raise RequestError("statements are texts; write ask(*statements) for a list of them")
    return list(sql)


def _budget_text(bits: int | Fraction | Decimal | Bits) -> str:
    """A budget as the server reads it; a decimal, because a float's last digit is what nobody meant."""
    if isinstance(bits, Bits):
        if bits.ratio.denominator != 1:
            raise RequestError("a reach is a whole number of outputs; write Bits(3)")
        return f"reach {bits.ratio.numerator}"
    if isinstance(bits, bool | float) or not isinstance(bits, int | Fraction | Decimal):
        raise RequestError('a budget is exact; write Decimal("1.58"), a whole number, or Bits(3) for a reach')
    if isinstance(bits, Fraction):
        decimal = Decimal(bits.numerator) / Decimal(bits.denominator)
        if Fraction(decimal) != bits:
            raise RequestError("a budget is a decimal number of bits, or Bits(3) for a reach")
        return f"{decimal:f}"
    return f"{Decimal(bits):f}"


_FIRST_SECONDS = 10.0
_FIRST_TRIES = 4
"""How long and how often `connect` tries: who mistypes an address does not want to wait."""


def connect(
    url: str,
    token: str,
    *,
    timeout: float = 60.0,
    patience: float = 180.0,
    max_bytes: int = 64_000_000,
    ca_file: str | Path | None = None,
    insecure: bool = False,
) -> "Client":
    """A client of the server at an address, once the server has accepted the token.

    Args:
        url: such as https://data.example.org, or http://localhost:8000.
        token: as `noiseless token add` made it. It is sent to this address and nowhere else.
        timeout: seconds for one try.
        patience: seconds for all tries of a call. A call that cannot charge twice is tried again if the
            connection fails or the server is busy.
        max_bytes: the most bytes of a reply.
        ca_file: certificates (PEM) to trust instead of the system's.
        insecure: whether plain HTTP to another machine is allowed. Certificates are always checked.

    Raises:
        RequestError: the address is not valid, or the token must not be sent there.
        Unauthorised: the token is not valid.
        Unreachable: there is no server.
    """
    if not (timeout > 0 and patience > 0 and max_bytes > 0):
        raise RequestError("timeout, patience and max_bytes are more than 0")
    transport = Transport(
        Address.read(url, insecure=insecure),
        BearerToken(token),
        timeout=timeout,
        max_bytes=max_bytes,
        ca_file=ca_file,
    )
    return Client(Calls(transport, replace(Patience(), total=patience)))


class Client:
    """A server's datasets, for the holder of a token; made by `connect`.

    Its connections are kept for the next call; it may be used by several threads, and closed by `close` or at
    the end of a `with`. Where a token is for one dataset, that one is meant unless another is named;
    `client["meters"]` names one.

    Attributes:
        session: whose token it is, as it was when the client was made.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self.session: TokenHolder = read_session(
            calls.send(
                "GET", "/v1/session", total=min(_FIRST_SECONDS, calls.patience.total), tries=_FIRST_TRIES
            )
        )

    def __repr__(self) -> str:
        names = ", ".join(self.session.datasets) or "none"
        return printable(f"<{self.session.role} {self.session.name!r} at {self.url}; datasets: {names}>")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all connections; the next call makes a new one."""
        self._calls.transport.close()

    @property
    def url(self) -> str:
        """Where the server is."""
        return str(self._calls.transport.address)

    def __getitem__(self, name: str) -> RemoteDataset:
        if not isinstance(name, str):
            raise TypeError("a dataset has a name; write client['meters']")
        return RemoteDataset(self._calls, name, self.session.datasets)

    def datasets(self) -> Listing[DatasetSummary]:
        """All datasets that the token may see, with what is spent of each."""
        return read_datasets(self._calls.send("GET", "/v1/datasets"))

    def dataset(self, name: str | None = None) -> DatasetDescription:
        """A dataset's columns, its budget and what is spent of it.

        Args:
            name: which; not needed when the token is for one.
        """
        return (self._only() if name is None else self[name]).describe()

    def price(self, *sql: str) -> Quote:
        """What a batch would cost; as `RemoteDataset.price`, for the token's only dataset."""
        return self._only().price(*sql)

    def ask(self, *sql: str, key: str | None = None) -> Reply:
        """The answers to a batch; as `RemoteDataset.ask`, for the token's only dataset."""
        return self._only().ask(*sql, key=key)

    def sample(self, rows: int = 20, seed: int = 1) -> Listing[Mapping[str, Any]]:
        """Synthetic rows to try statements on; as `RemoteDataset.sample`, for the token's only dataset."""
        return self._only().sample(rows, seed)

    def history(self, limit: int = 20) -> Listing[BatchRecord]:
        """Earlier batches; as `RemoteDataset.history`, for the token's only dataset."""
        return self._only().history(limit)

    # For owners

    def tokens(self) -> Listing[Mapping[str, Any]]:
        """The tokens of the datasets that the caller owns; their secrets are kept nowhere."""
        found = self._calls.send("GET", "/v1/tokens").objects("tokens")
        names = ("id", "name", "role", "datasets", "expires", "valid")
        columns = {name: [each.values.get(name) for each in found] for name in names}
        columns["datasets"] = [", ".join(each.texts("datasets")) for each in found]
        title = f"{len(found)} token{'s' * (len(found) != 1)}"
        return Listing(tuple(each.values for each in found), title, columns)

    def add_token(
        self,
        name: str,
        *,
        role: str = "analyst",
        datasets: Sequence[str] | None = None,
        expires: str | None = None,
    ) -> str:
        """A new token, which cannot be shown again; for owners. The request is never sent twice.

        Args:
            name: who gets it; an analyst's account.
            role: analyst or owner.
            datasets: what it is for; all that the caller owns unless said.
            expires: a span such as 12h, 30d or 1y, or a date; None for never.
        """
        body: dict[str, Any] = {"name": name, "role": role, "expires": expires}
        if datasets is not None:
            body["datasets"] = list(datasets)
        return self._calls.send("POST", "/v1/tokens", body, repeatable=False).text("token")

    def revoke_token(self, token: str) -> None:
        """End a token; for owners.

        Args:
            token: its `id`, as in `tokens`.
        """
        self._calls.send("DELETE", f"/v1/tokens/{quote(token, safe='')}")

    def _only(self) -> RemoteDataset:
        names = self.session.datasets
        if len(names) == 1:
            return self[names[0]]
        if not names:
            raise RequestError("the token is for no dataset; ask its owner for another")
        raise RequestError(
            f"the token is for several datasets; write client[{names[0]!r}].ask(...): {listed_names(names)}"
        )
