"""What an entry does to all that follows from the entries.

Whoever writes an entry changes the other tables by these functions, and so does whoever checks them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from noiseless.ledger.accounts import FREE, Accounts, Shares, Surplus, Surpluses
from noiseless.ledger.entries import Entry, canonical
from noiseless.ledger.errors import LedgerError
from noiseless.ledger.rows import Dataset
from noiseless.ledger.tally import Tally
from noiseless.ledger.token_register import ISSUED, REVOKED, TokenRegister
from noiseless.ledger.wire import cost_json, read_cost
from noiseless.pricing.cost import Cost

PAID = ("charge", "release", "randomised")
"""The kinds of entries that make people pay."""


class Holdings(Protocol):
    """The accounts of one dataset that do not stand in its own row."""

    def surpluses(self, cells: Sequence[str]) -> Surpluses:
        """The surpluses of some cells, as far as they have any."""

    def every_surplus(self) -> Surpluses:
        """The surpluses of all cells."""

    def quota(self, analyst: str) -> Tally:
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

    dataset: Dataset
    declares: bool = False
    forgets_cells: bool = False
    forgets_analysts: bool = False
    version: int = 0
    surpluses: Surpluses = MappingProxyType({})
    quotas: Mapping[str, Tally] = MappingProxyType({})
    asked: Sequence[Mapping[str, Any]] = ()
    answers: Mapping[str, Any] = MappingProxyType({})


def effects(entry: Entry, dataset: Dataset | None, holdings: Holdings) -> Effects:
    """What an entry changes.

    Raises:
        LedgerError: it makes no sense after the entries before it.
    """
    try:
        return _effects(entry, dataset, holdings)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise LedgerError(f"entry {entry.seq} does not say what an entry says") from error


def _effects(entry: Entry, dataset: Dataset | None, holdings: Holdings) -> Effects:
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


def _declared(entry: Entry) -> Dataset:
    body = entry.body
    return Dataset(
        id=entry.seq,
        name=entry.dataset,
        version=1,
        declared=entry.seq,
        changed=entry.seq,
        digest=body["digest"],
        record_text=canonical(body["record"]),
        budget_text=canonical(body["budget"]),
        analyst_budget_text=canonical(body["analyst_budget"]),
        accounts=Accounts(),
    )


def _rebudgeted(entry: Entry, dataset: Dataset) -> Effects:
    """Other budgets from now on."""
    texts = (canonical(entry.body["budget"]), canonical(entry.body["analyst_budget"]))
    accounts = _carried(dataset)
    new = dataset._replace(
        budget_text=texts[0], analyst_budget_text=texts[1], changed=entry.seq, accounts=accounts
    )
    return Effects(new, declares=True, forgets_cells=accounts != dataset.accounts)


def _carried(dataset: Dataset) -> Accounts:
    """What was paid, when a version or a budget ends.

    Under a budget that refuses nothing, answers are bounded by what a record can be, not by what was paid:
    there are ways to learn all of it that cost one record more and another one less. Whoever paid less has
    no more left than others, so all have paid for the whole record.
    """
    values = dataset.record.values()
    if values is None or dataset.history.protects or dataset.accounts.total == FREE:
        return dataset.accounts
    return Accounts(Cost(values))


def _versioned(entry: Entry, dataset: Dataset) -> Effects:
    """Everybody has paid what the dearest paid: who is in which public cell may have changed."""
    body = entry.body
    new = dataset._replace(
        version=body["version"],
        declared=entry.seq,
        changed=entry.seq,
        digest=body["digest"],
        record_text=canonical(body["record"]),
    )
    anew = not body["carry_over"]
    accounts = Accounts() if anew else Accounts(_carried(dataset).total)
    return Effects(new._replace(accounts=accounts), declares=True, forgets_cells=True, forgets_analysts=anew)


def paid(
    seq: int,
    dataset: Dataset,
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
    accounts, changed = dataset.accounts.after(shares, named, holdings.every_surplus)
    quotas = {} if analyst is None else {analyst: holdings.quota(analyst).plus(shares.most)}
    traceless = not asked and shares.is_free
    return Effects(
        dataset.after(accounts, seq if traceless else dataset.changed),
        declares=traceless,
        version=dataset.version,
        surpluses=changed,
        quotas=quotas,
        asked=asked,
    )


def charged(entry: Entry) -> Shares:
    """What an entry that people pay for makes them pay."""
    cells = {cell: read_cost(cost) for cell, cost in entry.body["cells"].items()}
    return Shares(read_cost(entry.body["others"]), cells)


def shares_json(shares: Shares) -> dict[str, Any]:
    """What a batch costs, as an entry says it."""
    return {
        "others": cost_json(shares.others),
        "cells": {cell: cost_json(cost) for cell, cost in shares.cells.items()},
    }


@dataclass
class Memory:
    """The accounts of one dataset, in memory."""

    cells: dict[str, Surplus] = field(default_factory=dict)
    analysts: dict[str, Tally] = field(default_factory=dict)

    def surpluses(self, cells: Sequence[str]) -> Surpluses:
        """The surpluses of some cells, as far as they have any."""
        return {cell: self.cells[cell] for cell in cells if cell in self.cells}

    def every_surplus(self) -> Surpluses:
        """The surpluses of all cells."""
        return self.cells

    def quota(self, analyst: str) -> Tally:
        """What an analyst spent."""
        return self.analysts.get(analyst, Tally())


@dataclass
class Replay:
    """All datasets, accounts and tokens after some entries."""

    datasets: dict[str, Dataset] = field(default_factory=dict)
    holdings: dict[str, Memory] = field(default_factory=dict)
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
        memory = self.holdings.setdefault(entry.dataset, Memory())
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
