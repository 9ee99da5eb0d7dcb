"""Declaring datasets, their versions and their budgets."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

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
from noiseless.ledger.state import DatasetRow, Version
from noiseless.ledger.statements import ADD_DATASET

if TYPE_CHECKING:
    from noiseless.ledger.database import LedgerDatabase
    from noiseless.ledger.transaction import DatabaseTransaction


@dataclass(frozen=True)
class Declaration:
    """What is declared of a dataset; record and budgets as an entry says them."""

    dataset: str
    digest: str
    record: dict[str, Any] | None
    budget: dict[str, str] | None
    analyst_budget: dict[str, str] | None
    by: str

    def __post_init__(self) -> None:
        checked_text("a dataset's name", self.dataset)
        checked_text("a digest", self.digest)
        checked_text("who declares a dataset", self.by)

    def has_data_of(self, dataset: DatasetRow) -> bool:
        """Whether a dataset's version is the one declared."""
        alone = canonical(record_json(without_earlier(dataset.state.record)))
        return self.digest == dataset.digest and canonical(self.record) in (dataset.record, alone)

    def has_budgets_of(self, dataset: DatasetRow) -> bool:
        """Whether a dataset's budgets are those declared."""
        texts = (canonical(self.budget), canonical(self.analyst_budget))
        return texts == (dataset.budget, dataset.analyst_budget)


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
        "record": wanted.record,
        "budget": wanted.budget,
        "analyst_budget": wanted.analyst_budget,
        "by": wanted.by,
    }
    entry = Entry.after(session.head(), wanted.dataset, "dataset", None, body)
    dataset = effects(entry, None, MemoryHoldings()).dataset
    session.append(entry)
    session.put(ADD_DATASET, dataset)
    return _version(dataset, is_new=True)


def _new_version(
    books: OpenBooks, dataset: DatasetRow, wanted: Declaration, *, asked_for: bool, carry_over: bool
) -> None:
    if not asked_for:
        what = "data" if wanted.digest != dataset.digest else "record's domain"
        raise LedgerError(
            f"the {what} of {dataset.name!r} changed since version {dataset.version}; declare a new version"
        )
    record = wanted.record
    if record is not None and carry_over and dataset.state.total != FREE:
        record = record_json(with_earlier(read_record(record), dataset.state.record))
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
    said = {"budget": wanted.budget, "analyst_budget": wanted.analyst_budget}
    books.follow("budget", {**said, "by": wanted.by, "reason": "declared"})


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
    each = budget_json(books.state.analyst_budget if analyst_budget == "keep" else analyst_budget)
    said = {"budget": budget_json(budget), "analyst_budget": each}
    return books.follow("budget", {**said, "by": by, "reason": reason})
