"""Relative accounts say the same as an account for everybody."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.amounts import Budget, Cost, dearest
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.ledger.accounts import Accounts, Shares, Surplus, require
from noiseless.ledger.entries import UNKNOWN_RECORD
from noiseless.pricing.event import Record
from noiseless.pricing.history import BudgetError

costs = st.builds(
    Cost, st.integers(1, 6), st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 3), Fraction(2)])
)
cells = st.dictionaries(st.sampled_from("abcd"), costs, max_size=3)
batches = st.lists(st.builds(Shares, costs, cells), max_size=8)
budgets = st.one_of(
    st.integers(0, 12), st.fractions(0, 12, max_denominator=20), st.integers(1, 5000).map(Bits)
)
EVERYBODY = (None, *"abcd")


class Books:
    """The accounts as the ledger keeps them, all in memory."""

    def __init__(self, budget: Budget | None = None, record: Record = UNKNOWN_RECORD) -> None:
        self.budget = budget
        self.record = record
        self.accounts = Accounts()
        self.surpluses: dict[str, Surplus] = {}

    def charge(self, shares: Shares) -> None:
        named = {cell: self.surpluses[cell] for cell in shares.cells if cell in self.surpluses}
        require(
            self.accounts,
            shares,
            budget=self.budget,
            record=self.record,
            named=named,
            every=lambda: self.surpluses,
        )
        self.accounts, changed = self.accounts.after(shares, named, lambda: self.surpluses)
        self.surpluses |= changed

    def account(self, cell: str | None) -> Cost:
        if cell is None or cell not in self.surpluses:
            return self.accounts.others
        return self.surpluses[cell].over(self.accounts.others)


def share(shares: Shares, cell: str | None) -> Cost:
    return shares.others if cell is None else shares.cells.get(cell, shares.others)


@given(batches)
def test_everybody_has_paid_the_sum_of_their_shares(asked: list[Shares]) -> None:
    books, plain = Books(), dict.fromkeys(EVERYBODY, Cost())
    for shares in asked:
        books.charge(shares)
        plain = {cell: before + share(shares, cell) for cell, before in plain.items()}
        assert {cell: books.account(cell) for cell in EVERYBODY} == plain
        named = {cell: plain[cell] for cell in books.surpluses}
        assert not books.accounts.total.exceeds(dearest(named.values(), plain[None]))
        assert not dearest(named.values(), plain[None]).exceeds(books.accounts.total)


@given(batches, budgets)
def test_a_batch_is_refused_exactly_when_somebody_would_be_overdrawn(
    asked: list[Shares], budget: Budget
) -> None:
    books, plain = Books(budget), dict.fromkeys(EVERYBODY, Cost())
    for shares in asked:
        after = {cell: before + share(shares, cell) for cell, before in plain.items()}
        within = all(after[cell].within(budget) for cell in (None, *books.surpluses, *shares.cells))
        if within or shares.is_free:
            books.charge(shares)
            plain = after
        else:
            with pytest.raises(BudgetError) as caught:
                books.charge(shares)
            assert not (caught.value.spent + caught.value.asked).within(budget)
        assert {cell: books.account(cell) for cell in EVERYBODY} == plain


def test_nothing_new_is_told_after_the_budget_was_lowered_below_what_is_spent() -> None:
    books = Books(5)
    books.charge(Shares(cells={"a": Cost(16)}))
    books.budget = 3
    for shares in (Shares(cells={"b": Cost(2)}), Shares(Cost(2)), Shares(cells={"a": Cost(2)})):
        with pytest.raises(BudgetError) as caught:
            books.charge(shares)
        assert caught.value.remaining == 0
    books.charge(Shares())


def test_a_named_cell_that_is_the_dearest_hides_nobody() -> None:
    books = Books(4)
    books.charge(Shares(cells={"a": Cost(8), "b": Cost(6)}))
    with pytest.raises(BudgetError) as caught:
        books.charge(Shares(Cost(3), {"a": Cost(1)}))
    assert (caught.value.spent, caught.value.remaining) == (Cost(6), 2)
    books.charge(Shares(Cost(2), {"a": Cost(1)}))
    assert books.accounts.total == Cost(12)


def test_the_dearest_cell_may_fall_behind() -> None:
    books = Books()
    books.charge(Shares(cells={"a": Cost(3), "b": Cost(2)}))
    books.charge(Shares(Cost(5), {"a": Cost(1)}))
    assert (books.accounts.dearest_cell, books.accounts.total) == ("b", Cost(10))
    books.charge(Shares(Cost(5), {"a": Cost(1), "b": Cost(1)}))
    assert (books.accounts.dearest_cell, books.accounts.total) == (None, Cost(25))


def test_a_budget_of_all_there_is_to_know_refuses_nothing() -> None:
    books = Books(3, Record.of({"x": 8}))
    books.charge(Shares(Cost(2**40)))
    assert books.accounts.total == Cost(2**40)
    books.budget = 2
    with pytest.raises(BudgetError):
        books.charge(Shares(Cost(2)))


@pytest.mark.parametrize("cost", [Cost(0), Cost(-2), Cost(2, Fraction(-1))])
def test_a_price_below_nothing_is_refused(cost: Cost) -> None:
    for shares in ({"others": cost}, {"cells": {"a": cost}}):
        with pytest.raises(RequestError):
            Shares(**shares)


@given(st.integers(1, 10**6), st.integers(0, 25))
def test_whole_bits_are_compared_by_whole_numbers(outputs: int, budget: int) -> None:
    assert Cost(outputs).within(budget) == Cost(outputs).within(Fraction(budget)) == (outputs <= 2**budget)
