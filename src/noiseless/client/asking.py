"""One dataset of a server: what can be asked about it."""

import secrets
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any
from urllib.parse import quote, urlencode

from noiseless.client.calls import Calls
from noiseless.client.datasets import Dataset, read_dataset
from noiseless.client.errors import BadReply, NotFound
from noiseless.client.history import PastBatch, listed, read_batch
from noiseless.client.listings import Listing, read_sample
from noiseless.client.reading import Members
from noiseless.client.replies import Kind, Quote, Reply, read_reply
from noiseless.display import printable
from noiseless.errors import RequestError
from noiseless.exact import Bits

_PAGE = 100
_SHOWN = 8
_OTHER = "the reply is to another request; ask again, and tell the server's owner"


class RemoteDataset:
    """One dataset of a server; `client["meters"]`.

    Attributes:
        name: what it is called.
    """

    def __init__(self, calls: Calls, name: str, known: Sequence[str] = ()) -> None:
        self._calls, self.name, self._known = calls, name, known

    def __repr__(self) -> str:
        return printable(f"<{self.name!r} at {self._calls.transport.address}>")

    def describe(self) -> Dataset:
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
            key: names the request, for whoever wants to repeat it in another process; made up unless given.

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

    def history(self, limit: int = 20) -> Listing[PastBatch]:
        """Earlier batches and their answers, the latest first: an analyst's own, for an owner everybody's.

        Args:
            limit: how many at most.
        """
        found: list[PastBatch] = []
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

    def change_budget(self, bits: int | Fraction | Decimal | Bits, reason: str) -> Dataset:
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

    def _get(self, below: str, **asked: object) -> Members:
        query = f"?{urlencode(asked)}" if asked else ""
        return self._send("GET", f"{below}{query}")

    def _post(self, body: Mapping[str, object], seed: str | None = None) -> Members:
        return self._send("POST", "/queries", body, seed=seed)

    def _send(
        self,
        method: str,
        below: str,
        body: Mapping[str, object] | None = None,
        *,
        repeatable: bool = True,
        seed: str | None = None,
    ) -> Members:
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
