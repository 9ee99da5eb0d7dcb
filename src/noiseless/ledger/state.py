"""What a ledger tells about a dataset: its version and accounts, and its questions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from noiseless.amounts import Budget, Cost, budget_bits, integer_text, remaining_bits
from noiseless.ledger.accounts import Accounts, AnalystAccount
from noiseless.ledger.entries import without_earlier
from noiseless.pricing.event import Record
from noiseless.pricing.history import History


@dataclass(frozen=True)
class Version:
    """A version of a dataset.

    Attributes:
        dataset: its name.
        number: 1 for the first version.
        digest: the digest of its data.
        seq: the ledger's entry that declared it.
        is_new: whether it was declared just now.
    """

    dataset: str
    number: int
    digest: str
    seq: int
    is_new: bool = False


@dataclass(frozen=True)
class State:
    """What a dataset's people paid, and what is left.

    Attributes:
        dataset: its name.
        version: the number of its version.
        digest: the digest of that version's data.
        record: the declared private attributes of one person, and what earlier versions could tell where
            these were paid for too.
        budget: bits (int, Fraction), a reach k as `Bits(k)`, or None for no end.
        analyst_budget: what each analyst may make the dataset pay, or None for no end.
        accounts: what people paid who are in no public cell that was ever named, and what others paid more.
        cells: the accounts of the public cells that were asked for; a cell without one paid as `others`.
        analysts: what the batches of the analysts asked for made the dataset pay.
    """

    dataset: str
    version: int
    digest: str
    record: Record
    budget: Budget | None
    analyst_budget: Budget | None
    accounts: Accounts
    cells: Mapping[str, Cost]
    analysts: Mapping[str, AnalystAccount]

    @property
    def others(self) -> Cost:
        """The sum of all prices for people in no public cell that was ever named."""
        return self.accounts.others

    @property
    def total(self) -> Cost:
        """The sum of all prices, for those who paid most."""
        return self.accounts.total

    @property
    def spent(self) -> Cost:
        """The same, but never more than the whole record is worth (H0)."""
        return self.history.spent

    @property
    def remaining(self) -> int | None:
        """The largest number of outputs that a batch about everybody may have; None without end."""
        return self.history.remaining

    @property
    def disclosed(self) -> bool:
        """Whether somebody's record may be fully disclosed."""
        return History(without_earlier(self.record), self.budget, others=self.total).disclosed

    @property
    def protects(self) -> bool:
        """Whether the budget is less than all there is to know; otherwise it refuses nothing."""
        return self.history.protects

    @property
    def history(self) -> History:
        """The accounts of those who paid most, as a history."""
        return History(self.record, self.budget, others=self.total)

    @property
    def remaining_bits(self) -> float | None:
        """Bits that are left for a batch about everybody, rounded down; None without end."""
        return remaining_bits(self.budget, self.total) if self.protects else None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON; bits are rounded to the safe side."""
        return {
            "dataset": self.dataset,
            "version": self.version,
            "digest": self.digest,
            "budget": budget_bits(self.budget),
            "analyst_budget": budget_bits(self.analyst_budget),
            "spent": self.spent.upper,
            "spent_outputs": _plain(self.spent.outputs),
            "remaining": self.remaining_bits,
            "remaining_outputs": None if self.remaining is None else _plain(self.remaining),
            "disclosed": self.disclosed,
            "analysts": {name: tally.upper for name, tally in sorted(self.analysts.items())},
            "cells": {name: cost.upper for name, cost in sorted(self.cells.items())},
        }

    def spent_of(self, analyst: str) -> Cost:
        """What an analyst who was asked for made the dataset pay."""
        return self.analysts.get(analyst, AnalystAccount()).cost


def _plain(value: int) -> int | str:
    """An integer in JSON; a text when it is too long for that."""
    text = integer_text(value)
    return text if text.startswith("0x") else value


@dataclass(frozen=True)
class NewQuestion:
    """A question that is charged for.

    Attributes:
        question: its fingerprint.
        grid: the fingerprint without the cells of its answer, to find finer and coarser answers.
        people: a fingerprint of who takes part, for questions that must be found by it.
        body: whatever is needed to answer and to price it again; plain JSON.
    """

    question: str
    grid: str | None = None
    people: str | None = None
    body: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {"question": self.question, "grid": self.grid, "people": self.people, "body": self.body}


@dataclass(frozen=True)
class ChargedQuestion:
    """A question that was charged for.

    Attributes:
        question: its fingerprint.
        grid: the fingerprint without the cells of its answer.
        people: the fingerprint of who takes part.
        body: what was kept of it.
        answer: its answer; None if none was stored, and then computing it is free.
        charge: the entry that charged for it.
    """

    question: str
    grid: str | None
    people: str | None
    body: Mapping[str, Any]
    answer: Mapping[str, Any] | None
    charge: int
