"""What a ledger tells about a dataset, its version, accounts and questions; and the rows that hold it."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from noiseless.amounts import (
    Budget,
    Cost,
    Remainder,
    budget_bits,
    checked_budget,
    fraction_text,
    integer_text,
    read_fraction,
    remainder,
)
from noiseless.ledger.accounts import Accounts, AnalystAccount, Surplus
from noiseless.ledger.entries import canonical, read_budget, read_record, without_earlier
from noiseless.pricing.event import Record


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
    cells: Mapping[str, Cost] = field(default_factory=dict)
    analysts: Mapping[str, AnalystAccount] = field(default_factory=dict)

    @property
    def others(self) -> Cost:
        """The sum of all prices for people in no public cell that was ever named."""
        return self.accounts.others

    @cached_property
    def total(self) -> Cost:
        """The sum of all prices, for those who paid most."""
        return self.accounts.total

    @cached_property
    def spent(self) -> Cost:
        """What those paid who paid most, but never more than the whole record is worth (H0)."""
        return self.record.capped(self.total)

    @cached_property
    def protects(self) -> bool:
        """Whether the budget is less than all there is to know; otherwise it refuses nothing."""
        return self.record.is_protected_by(self.budget)

    @cached_property
    def left(self) -> Remainder:
        """What the budget leaves for a batch about everybody."""
        return remainder(self.budget if self.protects else None, self.spent)

    @property
    def remaining(self) -> int | None:
        """The largest number of outputs that a batch about everybody may have; None without end."""
        return self.left.outputs

    @cached_property
    def disclosed(self) -> bool:
        """Whether somebody's record may be fully disclosed."""
        return without_earlier(self.record).is_disclosed_by(self.total)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What is not protected, if anything."""
        said = []
        if self.budget is not None and not self.protects:
            said.append("the budget is as large as all there is to know of a record: it protects nothing")
        if self.disclosed:
            said.append("as many outputs are paid for as a record has values: some may be fully disclosed")
        return tuple(said)

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
            "remaining": self.left.bits,
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


class DatasetRow(NamedTuple):
    """A row of `ledger_datasets`: what was declared, as canonical JSON, and the accounts as a text."""

    id: int
    name: str
    version: int
    declared: int
    changed: int
    digest: str
    record: str
    budget: str
    analyst_budget: str
    accounts: str

    @property
    def state(self) -> State:
        """What people paid and what is left, without the accounts of single cells and analysts.

        If the row makes no sense, reading it fails as it likes.
        """
        return _state(self)

    def makes_sense(self) -> bool:
        """Whether it is of the right kinds all over; of wrong ones, budgets and records fail as they like."""
        for budget in (self.state.budget, self.state.analyst_budget):
            if budget is not None:
                checked_budget(budget)
        return (type(self.state.spent), type(self.version), type(self.digest)) == (Cost, int, str)


@lru_cache(maxsize=256)
def _state(row: DatasetRow) -> State:
    """The state of a row, which is read again and again: what follows from it is computed once."""
    said = _declared(row.record, row.budget, row.analyst_budget)
    return State(row.name, row.version, row.digest, *said, read_accounts(row.accounts))


@lru_cache(maxsize=256)
def _declared(record: str, *budgets: str) -> tuple[Record, Budget | None, Budget | None]:
    bits, analyst_bits = (read_budget(json.loads(budget)) for budget in budgets)
    return read_record(json.loads(record)), bits, analyst_bits


def accounts_text(accounts: Accounts) -> str:
    """What the others paid and the largest surplus, with the cell that has it: the cell is at the end.

    >>> accounts_text(Accounts()), accounts_text(Accounts(Cost(2), Surplus(3, 2), "north east"))
    ('1 0 1/1 0', '2 0 3/2 0 north east')
    """
    others, most, whose = accounts
    paid = f"{integer_text(others.outputs)} {fraction_text(others.capacity)}"
    found = f"{paid} {ratio_text(most)} {fraction_text(most.capacity)}"
    return found if whose is None else f"{found} {whose}"


def read_accounts(text: str) -> Accounts:
    """The accounts of a text."""
    outputs, capacity, ratio, more, *whose = text.split(" ", 4)
    others = Cost(int(outputs, 0), read_fraction(capacity))
    return Accounts(others, read_surplus(ratio, more), whose[0] if whose else None)


def ratio_text(surplus: Surplus) -> str:
    """The ratio of a surplus."""
    return f"{integer_text(surplus.top)}/{integer_text(surplus.bottom)}"


def read_surplus(ratio: str, capacity: str) -> Surplus:
    """The surplus of a ratio and of bits."""
    top, _, bottom = ratio.partition("/")
    return Surplus(int(top, 0), int(bottom, 0), read_fraction(capacity))


def read_question(row: Sequence[Any]) -> ChargedQuestion:
    """The question of a row."""
    question, grid, people, body, answer, charge = row
    return ChargedQuestion(
        question, grid, people, json.loads(body), None if answer is None else json.loads(answer), charge
    )


@lru_cache(maxsize=4096)
def question_key(what: str, dataset: int, version: int, fingerprint: str) -> int:
    """What stands for a question, a grid or people in an index: 63 bits of a hash.

    >>> question_key("question", 1, 1, "q1") != question_key("question", 1, 2, "q1")
    True
    """
    said = f"{what} {dataset} {version} {fingerprint}".encode()
    return int.from_bytes(hashlib.sha256(said).digest()[:8]) >> 1


class QuestionRow(NamedTuple):
    """A row of `ledger_told`."""

    key: int
    dataset: int
    version: int
    question: str
    grid_key: int | None
    grid: str | None
    people_key: int | None
    people: str | None
    body: str
    charge: int
    answer: str | None = None
    answered: int | None = None


def question_row(dataset: int, version: int, asked: Mapping[str, Any], charge: int) -> QuestionRow:
    """The row of a question that is charged for."""
    question, grid, people = asked["question"], asked["grid"], asked["people"]
    return QuestionRow(
        question_key("question", dataset, version, question),
        dataset,
        version,
        question,
        None if grid is None else question_key("grid", dataset, version, grid),
        grid,
        None if people is None else question_key("people", dataset, version, people),
        people,
        canonical(asked["body"]),
        charge,
    )


class AnswerRow(NamedTuple):
    """What changes in the row of a question that is answered, and what the row is found by."""

    answer: str
    answered: int
    key: int
    question: str


def answer_row(dataset: int, version: int, question: str, answer: object, entry: int) -> AnswerRow:
    """What changes in the row of a question that is answered by an entry."""
    return AnswerRow(canonical(answer), entry, question_key("question", dataset, version, question), question)


@lru_cache(maxsize=4096)
def cell_key(cell: str) -> str:
    """What stands for a cell in an index."""
    return hashlib.sha256(cell.encode()).hexdigest()


def surpluses_of(rows: Iterable[Sequence[Any]]) -> dict[str, Surplus]:
    """The surpluses of rows."""
    return {cell: read_surplus(ratio, capacity) for cell, ratio, capacity in rows}


def surplus_row(dataset: int, cell: str, surplus: Surplus) -> tuple[int, str, str, str, str]:
    """The row of a cell's surplus."""
    return dataset, cell_key(cell), cell, ratio_text(surplus), fraction_text(surplus.capacity)


def quotas_of(rows: Iterable[Sequence[Any]]) -> dict[str, AnalystAccount]:
    """What analysts spent, of rows."""
    return {analyst: AnalystAccount.read(factors, capacity) for analyst, factors, capacity in rows}


def quota_row(dataset: int, analyst: str, spent: AnalystAccount) -> tuple[int, str, str, str]:
    """The row of what an analyst spent."""
    return dataset, analyst, *spent.texts
