"""Declaring datasets, their versions and their budgets."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from noiseless.amounts import Budget
from noiseless.ledger.accounts import FREE
from noiseless.ledger.books import OpenBooks, checked_text, find_dataset
from noiseless.ledger.entries import (
    Entry,
    budget_json,
    canonical,
    read_record,
    record_json,
    with_earlier,
    without_earlier,
)
from noiseless.ledger.errors import LedgerError
from noiseless.ledger.replay import MemoryHoldings, effects
from noiseless.ledger.rows import DatasetRow
from noiseless.ledger.state import Version
from noiseless.ledger.statements import ADD_DATASET
from noiseless.pricing.event import Record

if TYPE_CHECKING:
    from noiseless.ledger.database import LedgerDatabase
    from noiseless.ledger.transaction import DatabaseTransaction


@dataclass(frozen=True)
class Declaration:
    """What is declared of a dataset; record and budgets as canonical JSON."""

    dataset: str
    digest: str
    record: str
    budget: str
    analyst_budget: str
    by: str

    @classmethod
    def of(
        cls,
        dataset: str,
        *,
        digest: str,
        budget: Budget | None,
        analyst_budget: Budget | None,
        record: Record | None,
        by: str,
    ) -> "Declaration":
        """A declaration in the ledger's own words.

        Raises:
            LedgerError: a name or the digest cannot be kept.
            RequestError: a budget makes no sense.
        """
        return cls(
            checked_text("a dataset's name", dataset),
            checked_text("a digest", digest),
            canonical(record_json(record)),
            canonical(budget_json(budget)),
            canonical(budget_json(analyst_budget)),
            checked_text("who declares a dataset", by),
        )

    def has_data_of(self, dataset: DatasetRow) -> bool:
        """Whether a dataset's version is the one declared."""
        alone = canonical(record_json(without_earlier(dataset.record)))
        return self.digest == dataset.digest and self.record in (dataset.record_text, alone)

    def has_budgets_of(self, dataset: DatasetRow) -> bool:
        """Whether a dataset's budgets are those declared."""
        return (self.budget, self.analyst_budget) == (dataset.budget_text, dataset.analyst_budget_text)


def declare(
    database: "LedgerDatabase",
    wanted: Declaration,
    *,
    new_version: bool,
    carry_over: bool,
    change_budget: bool,
) -> Version:
    """Declare a dataset, or say that it is as it was declared."""

    def changed(session: "DatabaseTransaction") -> Version:
        dataset = find_dataset(session, wanted.dataset)
        if dataset is None:
            return _added(session, wanted)
        books = OpenBooks(session, dataset)
        if new_version or not wanted.has_data_of(dataset):
            _new_version(books, dataset, wanted, asked_for=new_version, carry_over=carry_over)
        if not wanted.has_budgets_of(dataset):
            _new_budgets(books, dataset, wanted, asked_for=change_budget)
        return _version(books.dataset, is_new=new_version)

    present = database.read(lambda session: find_dataset(session, wanted.dataset))
    is_declared = present is not None and wanted.has_data_of(present) and wanted.has_budgets_of(present)
    if present is not None and is_declared and not new_version:
        return _version(present)
    return database.write(changed)


def _version(dataset: DatasetRow, *, is_new: bool = False) -> Version:
    return Version(dataset.name, dataset.version, dataset.digest, dataset.declared, is_new)


def _added(session: "DatabaseTransaction", wanted: Declaration) -> Version:
    """A new dataset."""
    body = {
        "version": 1,
        "digest": wanted.digest,
        "record": json.loads(wanted.record),
        "budget": json.loads(wanted.budget),
        "analyst_budget": json.loads(wanted.analyst_budget),
        "by": wanted.by,
    }
    entry = Entry.after(session.head(), wanted.dataset, "dataset", None, body)
    dataset = effects(entry, None, MemoryHoldings()).dataset
    session.append(entry)
    session.put(ADD_DATASET, dataset.row)
    return _version(dataset, is_new=True)


def _new_version(
    books: OpenBooks, dataset: DatasetRow, wanted: Declaration, *, asked_for: bool, carry_over: bool
) -> None:
    if not asked_for:
        what = "data" if wanted.digest != dataset.digest else "record's domain"
        raise LedgerError(
            f"the {what} of {dataset.name!r} changed since version {dataset.version}; declare a new version"
        )
    record = json.loads(wanted.record)
    if record is not None and carry_over and dataset.accounts.total != FREE:
        record = record_json(with_earlier(read_record(record), dataset.record))
    body = {
        "version": dataset.version + 1,
        "digest": wanted.digest,
        "record": record,
        "carry_over": carry_over,
        "by": wanted.by,
    }
    books.follow("version", body)


def _new_budgets(books: OpenBooks, dataset: DatasetRow, wanted: Declaration, *, asked_for: bool) -> None:
    if not asked_for:
        raise LedgerError(
            f"the budgets of {dataset.name!r} differ from those in the ledger; change them by change_budget"
        )
    _write_budgets(books, wanted.budget, wanted.analyst_budget, wanted.by, "declared")


def change_budgets(
    books: OpenBooks,
    budget: Budget | None,
    analyst_budget: Budget | Literal["keep"] | None,
    *,
    by: str,
    reason: str,
) -> int:
    """Set the budgets of a dataset; the number of the entry."""
    checked_text("who changes a budget", by)
    new = canonical(budget_json(budget))
    if analyst_budget == "keep":
        return _write_budgets(books, new, books.dataset.analyst_budget_text, by, reason)
    return _write_budgets(books, new, canonical(budget_json(analyst_budget)), by, reason)


def _write_budgets(books: OpenBooks, budget: str, analyst_budget: str, by: str, reason: str) -> int:
    body = {
        "budget": json.loads(budget),
        "analyst_budget": json.loads(analyst_budget),
        "by": by,
        "reason": reason,
    }
    return books.follow("budget", body)
