"""What an entry does to all that follows from the entries.

Entries are written through these functions, which change the other tables, and checked through them too.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from noiseless.ledger.accounts import FREE, Accounts, AnalystAccount, Shares, Surplus, Surpluses
from noiseless.ledger.entries import Entry, canonical, cost_json, read_cost
from noiseless.ledger.errors import LedgerError
from noiseless.ledger.state import DatasetRow, State, accounts_text

_NO_ENTRY = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What comes of reading what is nothing like an entry."""

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
        except _NO_ENTRY as error:
            raise LedgerError(f"entry {entry.seq} does not say what an entry says") from error

    def _issue(self, entry: Entry) -> None:
        body, key = entry.body, (entry.dataset, entry.body["id"])
        if key in self._standing:
            raise LedgerError(f"entry {entry.seq} issues a token for the second time")
        columns = ("name", "role", "seal", "created", "by", "expires")
        self._standing[key] = SealedToken(*(body[column] for column in columns))

    def _revoke(self, entry: Entry) -> None:
        """One that no entry issued is noted too: anyone who finds it in the table must be able to end it."""
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


PAID = ("charge", "release", "randomised", "publication")
"""The kinds of entries that make people pay."""


class Holdings(Protocol):
    """The accounts of one dataset that do not stand in its own row."""

    def surpluses(self, cells: Sequence[str]) -> Surpluses:
        """The surpluses of some cells, as far as they have any."""

    def every_surplus(self) -> Surpluses:
        """The surpluses of all cells."""

    def quota(self, analyst: str) -> AnalystAccount:
        """What an analyst spent."""


class Effects(NamedTuple):
    """What an entry changes.

    Attributes:
        dataset: the dataset as it is afterwards.
        declares: whether more than its accounts changed.
        forgets_cells: whether the accounts of all cells begin anew, where everybody else's are.
        forgets_analysts: whether those of all analysts do, at nothing.
        version: the version whose questions are told or answered.
        surpluses: those of cells that changed.
        quotas: those of analysts that changed.
        asked: questions charged for.
        answers: answers, by question.
    """

    dataset: DatasetRow
    declares: bool = False
    forgets_cells: bool = False
    forgets_analysts: bool = False
    version: int = 0
    surpluses: Surpluses = MappingProxyType({})
    quotas: Mapping[str, AnalystAccount] = MappingProxyType({})
    asked: Sequence[Mapping[str, Any]] = ()
    answers: Mapping[str, Any] = MappingProxyType({})


def effects(entry: Entry, dataset: DatasetRow | None, holdings: Holdings) -> Effects:
    """What an entry changes.

    Raises:
        LedgerError: it makes no sense after the entries before it.
    """
    try:
        return _effects(entry, dataset, holdings)
    except _NO_ENTRY as error:
        raise LedgerError(f"entry {entry.seq} does not say what an entry says") from error


def _effects(entry: Entry, dataset: DatasetRow | None, holdings: Holdings) -> Effects:
    body = entry.body
    if entry.kind == "dataset":
        if dataset is not None:
            raise LedgerError(f"entry {entry.seq} declares a dataset for the second time")
        return Effects(_declared(entry), declares=True)
    if dataset is None:
        raise LedgerError(f"entry {entry.seq} is about a dataset that was not declared")
    if entry.kind in PAID:
        asked = body.get("questions", ())
        found = paid(
            entry.seq, dataset, charged(entry), analyst=entry.analyst, asked=asked, holdings=holdings
        )
        return found._replace(version=body["version"])
    if entry.kind == "answers":
        return Effects(dataset, version=body["version"], answers=body["answers"])
    if entry.kind == "budget":
        return _rebudgeted(entry, dataset)
    if entry.kind == "version":
        return _versioned(entry, dataset)
    raise LedgerError(f"entry {entry.seq} is of no known kind")


def _declared(entry: Entry) -> DatasetRow:
    body = entry.body
    return DatasetRow(
        id=entry.seq,
        name=entry.dataset,
        version=1,
        declared=entry.seq,
        changed=entry.seq,
        digest=body["digest"],
        record=canonical(body["record"]),
        budget=canonical(body["budget"]),
        analyst_budget=canonical(body["analyst_budget"]),
        accounts=accounts_text(Accounts()),
    )


def _rebudgeted(entry: Entry, dataset: DatasetRow) -> Effects:
    """Other budgets from now on."""
    texts = (canonical(entry.body["budget"]), canonical(entry.body["analyst_budget"]))
    accounts = accounts_text(_carried(dataset.state))
    new = dataset._replace(budget=texts[0], analyst_budget=texts[1], changed=entry.seq, accounts=accounts)
    return Effects(new, declares=True, forgets_cells=accounts != dataset.accounts)


def _carried(state: State) -> Accounts:
    """What was paid, when a version or a budget ends.

    Under a budget that refuses nothing, answers are bounded by what a record can be, not by what was paid:
    there are ways to learn all of it that cost one record more and another one less. A record that paid less
    has no more left than others, so all have paid for the whole record.
    """
    worth = state.record.worth
    if worth is None or state.protects or state.total == FREE:
        return state.accounts
    return Accounts(worth)


def _versioned(entry: Entry, dataset: DatasetRow) -> Effects:
    """Everybody has paid what the dearest paid: who is in which public cell may have changed."""
    body = entry.body
    new = dataset._replace(
        version=body["version"],
        declared=entry.seq,
        changed=entry.seq,
        digest=body["digest"],
        record=canonical(body["record"]),
    )
    anew = not body["carry_over"]
    accounts = accounts_text(Accounts() if anew else Accounts(_carried(dataset.state).total))
    return Effects(new._replace(accounts=accounts), declares=True, forgets_cells=True, forgets_analysts=anew)


def paid(
    seq: int,
    dataset: DatasetRow,
    shares: Shares,
    *,
    analyst: str | None,
    asked: Sequence[Mapping[str, Any]],
    holdings: Holdings,
) -> Effects:
    """What a batch does to the accounts.

    An entry that neither costs anything nor tells anything leaves its number: it cannot disappear unnoticed.
    """
    named: Surpluses = holdings.surpluses(sorted(shares.cells)) if shares.cells else {}
    accounts, changed = dataset.state.accounts.after(shares, named, holdings.every_surplus)
    quotas = {} if analyst is None else {analyst: holdings.quota(analyst).plus(shares.most)}
    traceless = not asked and shares.is_free
    return Effects(
        dataset._replace(accounts=accounts_text(accounts), changed=seq if traceless else dataset.changed),
        declares=traceless,
        version=dataset.version,
        surpluses=changed,
        quotas=quotas,
        asked=asked,
    )


def charged(entry: Entry) -> Shares:
    """What an entry that people pay for makes them pay.

    Raises:
        LedgerError: it does not say so.
    """
    try:
        cells = {cell: read_cost(cost) for cell, cost in entry.body["cells"].items()}
        return Shares(read_cost(entry.body["others"]), cells)
    except _NO_ENTRY as error:
        raise LedgerError(f"entry {entry.seq} does not say what an entry says") from error


def shares_json(shares: Shares) -> dict[str, Any]:
    """What a batch costs, as an entry says it."""
    return {
        "others": cost_json(shares.others),
        "cells": {cell: cost_json(cost) for cell, cost in shares.cells.items()},
    }


@dataclass
class MemoryHoldings:
    """The accounts of one dataset, in memory."""

    cells: dict[str, Surplus] = field(default_factory=dict)
    analysts: dict[str, AnalystAccount] = field(default_factory=dict)

    def surpluses(self, cells: Sequence[str]) -> Surpluses:
        """The surpluses of some cells, as far as they have any."""
        return {cell: self.cells[cell] for cell in cells if cell in self.cells}

    def every_surplus(self) -> Surpluses:
        """The surpluses of all cells."""
        return self.cells

    def quota(self, analyst: str) -> AnalystAccount:
        """What an analyst spent."""
        return self.analysts.get(analyst, AnalystAccount())


@dataclass
class Replay:
    """All datasets, accounts and tokens after some entries."""

    datasets: dict[str, DatasetRow] = field(default_factory=dict)
    holdings: dict[str, MemoryHoldings] = field(default_factory=dict)
    tokens: TokenRegister = field(default_factory=TokenRegister)

    def follow(self, entry: Entry) -> Effects | None:
        """Take one more entry into account; what it changes, if it is not about a token.

        Raises:
            LedgerError: it makes no sense after the entries before it. Where it is nothing like an entry,
                any other error; nothing is taken into account then.
        """
        if entry.kind in {ISSUED, REVOKED}:
            self.tokens.follow(entry)
            return None
        memory = self.holdings.setdefault(entry.dataset, MemoryHoldings())
        found = effects(entry, self.datasets.get(entry.dataset), memory)
        if found.declares and not found.dataset.makes_sense():
            raise LedgerError(f"entry {entry.seq} does not say what an entry says")
        self.datasets[entry.dataset] = found.dataset
        if found.forgets_cells:
            memory.cells.clear()
        if found.forgets_analysts:
            memory.analysts.clear()
        memory.cells.update(found.surpluses)
        memory.analysts.update(found.quotas)
        return found
