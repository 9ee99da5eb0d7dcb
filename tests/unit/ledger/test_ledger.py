"""What a ledger keeps, on SQLite and on PostgreSQL."""

import multiprocessing
import threading
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from noiseless.amounts import Cost
from noiseless.exact import Bits
from noiseless.ledger import (
    Ledger,
    LedgerError,
    LedgerUnavailableError,
    NewQuestion,
    OpenBooks,
    QuotaError,
    Settlement,
    Shares,
    UnknownDatasetError,
)
from noiseless.ledger.transaction import DatabaseTransaction
from noiseless.pricing.event import Record
from noiseless.pricing.history import BudgetError

pytest_plugins = ["databases"]


@pytest.fixture
def ledger(database_url: str) -> Iterator[Ledger]:
    with Ledger.open(database_url) as found:
        yield found
        assert found.verify().problems == ()


def charge(
    ledger: Ledger, price: Shares | Cost, *questions: NewQuestion, analyst: str | None = None
) -> int | None:
    return ledger.settle("meters", lambda books: books.charge(price, analyst=analyst, questions=questions))


# Declarations


def test_a_dataset_is_declared_once(ledger: Ledger) -> None:
    first = ledger.declare("meters", digest="a1", budget=3, record=Record.of({"kwh": 100}))
    assert (first.number, first.digest, first.seq, first.is_new) == (1, "a1", 1, True)
    again = ledger.declare("meters", digest="a1", budget=3, record=Record.of({"kwh": 100}))
    assert (again.number, again.seq, again.is_new) == (1, 1, False)
    assert [entry.kind for entry in ledger.entries()] == ["dataset"]
    assert ledger.datasets() == ["meters"]


def test_a_dataset_must_be_declared(ledger: Ledger) -> None:
    with pytest.raises(UnknownDatasetError, match="declare it first"):
        ledger.state("meters")
    with pytest.raises(UnknownDatasetError):
        charge(ledger, Cost(2))
    with pytest.raises(UnknownDatasetError):
        ledger.store("meters", {"q": {}})


def test_changed_data_needs_a_new_version(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a1", budget=9)
    charge(ledger, Shares(Cost(2), {"north": Cost(4)}), NewQuestion("q", grid="g"), analyst="ann")
    ledger.store("meters", {"q": {"value": 1}})
    with pytest.raises(LedgerError, match="the data of 'meters' changed since version 1"):
        ledger.declare("meters", digest="b2", budget=9)
    with pytest.raises(LedgerError, match="the record's domain of 'meters' changed"):
        ledger.declare("meters", digest="a1", budget=9, record=Record.of({"kwh": 3}))
    second = ledger.declare("meters", digest="b2", budget=9, new_version=True)
    assert (second.number, second.is_new) == (2, True)
    state = ledger.state("meters")
    assert (state.version, state.digest, state.others) == (2, "b2", Cost(4))
    assert (state.cells, state.spent_of("ann")) == ({}, Cost(4))
    assert ledger.told("meters", questions=["q"], grids=["g"]) == []


def test_whoever_moves_to_another_cell_takes_along_what_was_paid(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=3)
    charge(ledger, Shares(Cost(1), {"north": Cost(4), "south": Cost(3)}))
    ledger.declare("meters", digest="b", budget=3, new_version=True)
    for cell in ("north", "south", "west"):
        with pytest.raises(BudgetError):
            charge(ledger, Shares(Cost(1), {cell: Cost(3)}))
    charge(ledger, Shares(Cost(1), {"west": Cost(2)}))
    assert ledger.state("meters").total == Cost(8)
    assert ledger.verify().ok


def test_budgets_begin_anew_when_the_owner_says_so(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a1", budget=9)
    charge(ledger, Shares(Cost(2), {"north": Cost(4)}), analyst="ann")
    ledger.declare("meters", digest="b2", budget=9, new_version=True, carry_over=False, by="me")
    state = ledger.state("meters")
    assert (state.total, state.cells, state.analysts) == (Cost(), {}, {})
    said = list(ledger.entries())[-1]
    assert (said.kind, said.body["carry_over"], said.body["by"]) == ("version", False, "me")
    charge(ledger, Cost(2))
    assert ledger.state("meters").total == Cost(2)


def test_budgets_change_only_when_asked_to(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a1", budget=3, analyst_budget=2)
    with pytest.raises(LedgerError, match="budgets of 'meters' differ"):
        ledger.declare("meters", digest="a1", budget=4, analyst_budget=2)
    ledger.declare("meters", digest="a1", budget=Fraction(7, 2), analyst_budget=2, change_budget=True)
    assert ledger.state("meters").budget == Fraction(7, 2)
    ledger.change_budget("meters", Bits(5), by="me", reason="asked to")
    state = ledger.state("meters")
    assert (state.budget, state.analyst_budget) == (Bits(5), 2)
    assert list(ledger.entries())[-1].body["reason"] == "asked to"
    ledger.change_budget("meters", None, analyst_budget=None)
    state = ledger.state("meters")
    assert (state.budget, state.analyst_budget, state.remaining) == (None, None, None)


@pytest.mark.parametrize("name", ["", "a\x00b", "\ud800", "x" * 501])
def test_names_that_no_database_keeps_are_refused(ledger: Ledger, name: str) -> None:
    with pytest.raises(LedgerError, match="a dataset's name"):
        ledger.declare(name, digest="a", budget=1)
    ledger.declare("meters", digest="a", budget=1)
    with pytest.raises(LedgerError):
        charge(ledger, Cost(2), analyst=name)
    with pytest.raises(LedgerError):
        charge(ledger, Cost(2), NewQuestion(name))


def test_any_other_text_is_kept(ledger: Ledger) -> None:
    odd = 'a\'; DROP TABLE x; -- "%s" %(x)s :y ? \\ \n\U0001f600é'
    ledger.declare(odd, digest=odd, budget=1, by=odd)
    ledger.settle(
        odd,
        lambda books: books.charge(
            Shares(cells={odd * 200: Cost(2)}),
            analyst=odd,
            questions=[NewQuestion(odd, odd, odd, {odd: odd})],
        ),
    )
    ledger.store(odd, {odd: {odd: odd}})
    assert ledger.told(odd, people=[odd])[0].answer == {odd: odd}
    assert ledger.state(odd, cells=[odd * 200], analysts=[odd]).cells == {odd * 200: Cost(2)}


# Charges


def test_a_charge_is_an_entry(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a1", budget=3)
    seq = charge(ledger, Cost(4), NewQuestion("q1", "g1", "p1", {"sql": "SELECT"}), analyst="ann")
    assert seq == 2
    entry = next(ledger.entries(after=1))
    assert (entry.kind, entry.analyst, entry.dataset) == ("charge", "ann", "meters")
    assert entry.body["others"] == {"outputs": "4"}
    assert entry.body["questions"][0]["body"] == {"sql": "SELECT"}
    state = ledger.state("meters")
    assert (state.spent, state.remaining) == (Cost(4), 2)
    assert ledger.head == entry.anchor


def test_a_refused_batch_leaves_nothing(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a1", budget=3)
    charge(ledger, Cost(4))
    with pytest.raises(BudgetError) as caught:
        charge(ledger, Cost(3), NewQuestion("q"))
    error = caught.value
    assert (error.spent, error.asked, error.remaining, error.budget) == (Cost(4), Cost(3), 2, 3)
    assert ledger.state("meters").spent == Cost(4)
    assert ledger.told("meters", questions=["q"]) == []
    assert charge(ledger, Cost(2)) == 3


def test_budgets_are_compared_exactly(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=Fraction(158, 100))
    with pytest.raises(BudgetError):
        charge(ledger, Cost(3))
    ledger.change_budget("meters", Bits(3))
    charge(ledger, Cost(3))
    assert ledger.state("meters").remaining == 1


def test_public_cells_have_accounts_of_their_own(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=3)
    charge(ledger, Shares(cells={"north": Cost(8), "south": Cost(2)}))
    with pytest.raises(BudgetError):
        charge(ledger, Shares(cells={"north": Cost(2)}))
    with pytest.raises(BudgetError):
        charge(ledger, Cost(2))
    charge(ledger, Shares(cells={"south": Cost(4)}))
    charge(ledger, Shares(Cost(2), {"north": Cost(), "south": Cost()}))
    state = ledger.state("meters")
    assert (state.others, state.cells) == (Cost(2), {"north": Cost(8), "south": Cost(8)})
    assert ("west" in state.cells, state.others) == (False, Cost(2))
    assert ledger.state("meters", cells=["south", "west"]).cells == {"south": Cost(8)}
    assert ledger.state("meters", cells=()).cells == {}


def test_analysts_have_quotas_on_top(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=5, analyst_budget=2)
    charge(ledger, Shares(cells={"north": Cost(2), "south": Cost(3)}), analyst="ann")
    with pytest.raises(QuotaError, match=r"analyst 'ann': the batch costs 1\.00 bits") as caught:
        charge(ledger, Cost(2), analyst="ann")
    assert (caught.value.analyst, caught.value.spent, caught.value.remaining) == ("ann", Cost(3), 1)
    charge(ledger, Cost(4), analyst="ben")
    charge(ledger, Cost(2))
    assert {name: tally.cost for name, tally in ledger.state("meters").analysts.items()} == {
        "ann": Cost(3),
        "ben": Cost(4),
    }
    some = ledger.state("meters", analysts=["ben", "eve"])
    assert (list(some.analysts), some.spent_of("ben"), some.spent_of("eve")) == (["ben"], Cost(4), Cost())
    with pytest.raises(BudgetError, match=r"^the batch"):
        charge(ledger, Cost(4), analyst="eve")


def test_nothing_new_is_answered_below_what_is_spent(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=5)
    charge(ledger, Shares(cells={"north": Cost(16)}), NewQuestion("q"))
    ledger.change_budget("meters", 2)
    state = ledger.state("meters")
    assert (state.remaining, state.spent) == (0, Cost(16))
    for price in (Cost(2), Shares(cells={"south": Cost(2)})):
        with pytest.raises(BudgetError):
            charge(ledger, price)
    assert charge(ledger, Shares(), NewQuestion("q")) is None
    ledger.store("meters", {"q": {"value": 1}})


def test_a_record_is_worth_no_more_than_all_of_it(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=None, record=Record.of({"kwh": 10}))
    charge(ledger, Cost(100))
    state = ledger.state("meters")
    assert (state.total, state.spent, state.disclosed) == (Cost(100), Cost(10), True)


def test_versions_together_are_worth_more_than_one_record(ledger: Ledger) -> None:
    record = Record.of({"x": 4})
    ledger.declare("meters", digest="a", budget=3, record=record)
    charge(ledger, Cost(4))
    charge(ledger, Cost(4))  # a budget of 3 bits refuses nothing about a record of 2
    again: dict[str, Any] = {"budget": 3, "record": record, "new_version": True}
    assert ledger.declare("meters", digest="b", **again).is_new
    state = ledger.state("meters")
    assert (state.protects, state.disclosed, state.spent.outputs) == (True, True, 4)
    charge(ledger, Cost(2))
    with pytest.raises(BudgetError):
        charge(ledger, Cost(2))
    assert ledger.declare("meters", digest="b", **again).number == 3
    ledger.declare("meters", digest="c", carry_over=False, **again)
    assert not ledger.state("meters").protects
    assert ledger.verify().ok


@pytest.mark.parametrize("budget", [2, None])
def test_when_a_budget_that_refused_nothing_ends_all_have_paid_for_the_whole_record(
    ledger: Ledger, budget: int | None
) -> None:
    ledger.declare("meters", digest="a", budget=budget, record=Record.of({"x": 4}))
    charge(ledger, Shares(Cost(1), {"north": Cost(2)}))
    ledger.change_budget("meters", Fraction(5, 2))
    state = ledger.state("meters")
    assert (state.others, state.total, state.cells) == (Cost(4), Cost(4), {})
    ledger.change_budget("meters", 1)
    with pytest.raises(BudgetError):
        charge(ledger, Cost(2))
    assert ledger.verify().ok


def test_what_costs_nothing_is_written_only_if_it_is_new(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=0)
    assert charge(ledger, Shares()) is None
    assert charge(ledger, Shares(), NewQuestion("q")) == 2
    assert charge(ledger, Shares(), NewQuestion("q")) is None
    assert charge(ledger, Shares(), NewQuestion("q"), NewQuestion("r")) == 3
    assert [told.charge for told in ledger.told("meters", questions=["q", "r"])] == [2, 3]


def test_several_charges_of_one_transaction_add_up(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=3, analyst_budget=3)
    north = Shares(cells={"north": Cost(4)})

    def charge_twice(books: OpenBooks) -> None:
        books.charge(north, analyst="ann")
        assert books.state_with(["north"], ["ann"]).cells == {"north": Cost(4)}
        books.charge(north, analyst="ann")

    with pytest.raises(BudgetError):
        ledger.settle("meters", charge_twice)
    assert ledger.state("meters").total == Cost()
    shares = Shares(cells={"north": Cost(2)})
    ledger.settle("meters", lambda books: [books.charge(shares, analyst="ann") for _ in range(2)])
    state = ledger.state("meters")
    assert (state.cells, state.spent_of("ann")) == ({"north": Cost(4)}, Cost(4))


def test_an_exception_undoes_the_charge(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=3)
    with pytest.raises(ZeroDivisionError):
        ledger.settle("meters", lambda books: 1 / (books.charge(Cost(2)) - 2))  # type: ignore[operator]
    assert ledger.state("meters").spent == Cost()


def test_what_would_be_refused_can_be_asked(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=3, analyst_budget=1)
    ledger.look("meters", lambda books: books.require(Cost(2), analyst="ann"))
    with pytest.raises(QuotaError):
        ledger.look("meters", lambda books: books.require(Cost(4), analyst="ann"))
    with pytest.raises(BudgetError):
        ledger.look("meters", lambda books: books.require(Shares(cells={"x": Cost(9)})))
    assert ledger.head.seq == 1


def test_costs_of_thousands_of_bits_are_kept(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=20_000)
    charge(ledger, Shares(Cost(3**10_000, Fraction(1, 3)), {"x": Cost(7**5_000)}), analyst="ann")
    state = ledger.state("meters")
    assert (state.others, state.cells["x"]) == (Cost(3**10_000, Fraction(1, 3)), Cost(7**5_000))


# Questions and answers


def test_questions_are_found_by_their_fingerprints(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=99)
    for number in range(6):
        asked = NewQuestion(
            f"q{number}", f"g{number % 2}", f"p{number % 3}" if number < 4 else None, {"n": number}
        )
        charge(ledger, Cost(2), asked)

    def found(**wanted: list[str]) -> set[str]:
        return {told.question for told in ledger.told("meters", **wanted)}

    assert found(questions=["q1", "q5", "q9"]) == {"q1", "q5"}
    assert found(grids=["g0"]) == {"q0", "q2", "q4"}
    assert found(people=["p0"], questions=["q5", "q0"]) == {"q0", "q3", "q5"}
    assert found() == found(questions=[], grids=["none"]) == set()
    told = ledger.told("meters", questions=["q3"])[0]
    assert (told.grid, told.people, told.body, told.answer, told.charge) == ("g1", "p0", {"n": 3}, None, 5)


def test_the_first_answer_stands(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=99)
    charge(ledger, Cost(2), NewQuestion("q1"), NewQuestion("q2"))
    assert ledger.store("meters", {"q1": {"value": 1.5}}) == {"q1": {"value": 1.5}}
    both = ledger.store("meters", {"q1": {"value": 2.5}, "q2": {}})
    assert both == {"q1": {"value": 1.5}, "q2": {}}
    entries = ledger.head.seq
    assert ledger.store("meters", {"q2": {"value": 3}, "q1": {}}) == both
    assert ledger.head.seq == entries
    assert {told.question: told.answer for told in ledger.told("meters", questions=["q1", "q2"])} == both


def test_an_answer_without_a_charge_is_refused(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=99)
    charge(ledger, Cost(2), NewQuestion("q1"))
    with pytest.raises(LedgerError, match="never charged"):
        ledger.store("meters", {"q1": {"value": 1}, "q2": {"value": 1}})
    assert ledger.told("meters", questions=["q1"])[0].answer is None
    with pytest.raises(LedgerError, match="plain JSON"):
        ledger.store("meters", {"q1": {"value": float("nan")}})


def test_an_answer_belongs_to_the_version_it_was_charged_for(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=99)
    charge(ledger, Cost(2), NewQuestion("q"))
    ledger.declare("meters", digest="b", budget=99, new_version=True)
    with pytest.raises(LedgerError, match="never charged"):
        ledger.store("meters", {"q": {"value": 1}})
    ledger.store("meters", {"q": {"value": 1}}, version=1)
    charge(ledger, Cost(2), NewQuestion("q"))
    assert ledger.told("meters", questions=["q"])[0].answer is None
    ledger.store("meters", {"q": {"value": 2}})
    assert ledger.told("meters", questions=["q"])[0].answer == {"value": 2}


def test_a_batch_of_thousands_of_questions_is_one_charge(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=99)
    names = [f"q{number}" for number in range(3000)]
    cells = {f"cell {number}": Cost(2) for number in range(1500)}
    charge(ledger, Shares(Cost(), cells), *(NewQuestion(name, f"g{name}") for name in names))
    ledger.store("meters", {name: {"value": 1} for name in names})
    assert len(ledger.told("meters", questions=names, grids=[f"g{name}" for name in names])) == 3000
    assert (ledger.head.seq, len(ledger.state("meters").cells)) == (3, 1500)


def test_questions_whose_keys_collide_are_not_mixed_up(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("books", "state"):
        monkeypatch.setattr(f"noiseless.ledger.{module}.question_key", lambda *_: 7)
    with Ledger.open(database_url) as ledger:
        ledger.declare("meters", digest="a", budget=99)
        charge(ledger, Cost(2), NewQuestion("q1", "g1"))
        assert ledger.told("meters", questions=["q2"], grids=["g2"]) == []
        with pytest.raises(LedgerError, match="same key as another one"):
            charge(ledger, Cost(2), NewQuestion("q2", "g1"))
        with pytest.raises(LedgerError, match="never charged"):
            ledger.store("meters", {"q2": {"value": 2}})
        charge(ledger, Cost(2), NewQuestion("q1", "g1"))
        assert ledger.state("meters").spent == Cost(4)
        assert ledger.store("meters", {"q1": {"value": 1}}) == {"q1": {"value": 1}}
        assert ledger.verify().ok


# Releases


def test_a_table_release_is_charged_once(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=3)
    seq = ledger.record_release("meters", "cert1", Cost(4), by="me", description="kwh by suburb")
    assert ledger.record_release("meters", "cert1", Cost(4)) == seq
    with pytest.raises(BudgetError):
        ledger.record_release("meters", "cert2", Cost(4))
    assert ledger.state("meters").spent == Cost(4)
    entry = list(ledger.entries())[-1]
    assert (entry.kind, entry.body["certificate"], entry.body["by"]) == ("release", "cert1", "me")


def test_a_randomised_release_costs_every_time(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=1)
    noisy = Cost(1, Fraction(1, 2))
    ledger.record_randomised("meters", "geometric", noisy, analyst="ann")
    ledger.record_randomised("meters", "geometric", noisy)
    with pytest.raises(BudgetError):
        ledger.record_randomised("meters", "geometric", noisy)
    state = ledger.state("meters")
    assert (state.spent, state.spent_of("ann")) == (Cost(1, Fraction(1)), noisy)


# Many at once


def test_datasets_share_a_chain_and_nothing_else(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=1)
    ledger.declare("visits", digest="b", budget=1)
    charge(ledger, Cost(2), NewQuestion("q"))
    assert ledger.state("visits").spent == Cost()
    assert ledger.told("visits", questions=["q"]) == []
    assert [entry.seq for entry in ledger.entries("visits")] == [2]
    assert [entry.seq for entry in ledger.entries("meters", after=1)] == [3]


def test_threads_share_a_ledger(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=20)

    def ask(number: int) -> None:
        for turn in range(5):
            charge(ledger, Cost(2), NewQuestion(f"q{number}.{turn}"))
            ledger.store("meters", {f"q{number}.{turn}": {"value": number}})
            ledger.state("meters")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.state("meters").spent == Cost(2**20)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # forking beside the runner's threads
def test_a_child_process_uses_connections_of_its_own(ledger: Ledger) -> None:
    ledger.declare("meters", digest="a", budget=20)
    charge(ledger, Cost(2))
    child = multiprocessing.get_context("fork").Process(target=charge, args=(ledger, Cost(2)))
    child.start()
    child.join()
    assert child.exitcode == 0
    charge(ledger, Cost(2))
    assert ledger.state("meters").spent == Cost(8)


def test_entries_come_in_pages(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noiseless.ledger.statements._MOST", 2)
    ledger.declare("meters", digest="a", budget=20)
    for _ in range(4):
        charge(ledger, Cost(2))
    assert [entry.seq for entry in ledger.entries()] == [1, 2, 3, 4, 5]
    assert [entry.seq for entry in ledger.entries("meters", after=2)] == [3, 4, 5]


def test_a_ledger_locked_for_too_long_says_so(database_url: str) -> None:
    with Ledger.open(database_url) as first, Ledger.open(database_url, patience=0.2) as second:
        first.declare("meters", digest="a", budget=20)

        def charge_and_hold(books: OpenBooks) -> None:
            books.charge(Cost(2))
            with pytest.raises(LedgerUnavailableError, match="locked by another") as caught:
                charge(second, Cost(2))
            assert caught.value.certain
            assert second.state("meters").spent == Cost()

        first.settle("meters", charge_and_hold)
        charge(second, Cost(2))
        assert first.state("meters").spent == Cost(4)


def test_a_ledger_that_is_not_there_is_not_created_by_reading(database_url: str) -> None:
    with pytest.raises(LedgerError, match="there is no ledger"):
        Ledger.open(database_url, create=False)
    Ledger.open(database_url).close()
    Ledger.open(database_url, create=False).close()


# What is remembered between transactions


def test_what_others_wrote_in_between_is_seen(database_url: str) -> None:
    """A process remembers the accounts after its own last entry; any other entry makes it read again."""
    with Ledger.open(database_url) as mine, Ledger.open(database_url) as other:
        mine.declare("meters", digest="a", budget=4, analyst_budget=99)
        mine.declare("visits", digest="a", budget=9)
        for turn in range(4):
            charge((mine, other, mine, mine)[turn], Cost(2), NewQuestion(f"q{turn}"), analyst="ann")
        for ledger in (mine, other):
            assert ledger.state("meters").spent_of("ann") == Cost(16)
            with pytest.raises(BudgetError):
                charge(ledger, Cost(2), NewQuestion("q4"))
        other.change_budget("meters", 5)
        other.settle("visits", lambda books: books.charge(Cost(2), questions=[NewQuestion("v1")]))
        charge(mine, Cost(2), NewQuestion("q5"), analyst="ann")
        other.declare("meters", digest="b", budget=5, analyst_budget=99, new_version=True, carry_over=False)
        look = mine.settle(
            "meters", lambda books: (books.version, books.digest, books.state.total, books.quota("ann").cost)
        )
        assert look == (2, "b", Cost(), Cost())
        assert mine.verify().ok


def _both(books: OpenBooks, *prices: Cost) -> None:
    for number, price in enumerate(prices):
        books.charge(price, analyst="ann", questions=[NewQuestion(f"u{number}")])


def test_what_was_undone_is_not_remembered(database_url: str) -> None:
    with Ledger.open(database_url) as ledger:
        ledger.declare("meters", digest="a", budget=4)
        charge(ledger, Cost(2), NewQuestion("q1"), analyst="ann")
        for more in (Cost(4), Cost(8)):
            with pytest.raises(BudgetError):
                ledger.settle("meters", lambda books: _both(books, Cost(4), more))  # noqa: B023
        assert charge(ledger, Cost(8), NewQuestion("q3"), analyst="ann") == 3
        assert ledger.state("meters").spent_of("ann") == ledger.state("meters").total == Cost(16)
        assert ledger.verify().ok


def test_answers_are_computed_when_the_charge_is_durable(database_url: str) -> None:
    with Ledger.open(database_url) as ledger, Ledger.open(database_url) as other:
        ledger.declare("meters", digest="a", budget=9)

        def compute(seq: int | None) -> tuple[int, dict[str, dict[str, int]]]:
            assert [told.charge for told in other.told("meters", questions=["q1"])] == [seq]
            return 1, {"q1": {"cell": 3}}

        errand = Settlement(lambda books: books.charge(Cost(2), questions=[NewQuestion("q1")]), compute)
        found = ledger.answer("meters", errand)
        assert found == (2, {"q1": {"cell": 3}})


def test_each_errand_is_settled_by_itself_in_shared_transactions(database_url: str) -> None:
    """A refusal, work that fails half done and answers that cannot be computed concern nobody else."""

    def errand(
        question: str, outputs: int = 2, *, half: bool = False, fails: bool = False
    ) -> Settlement[int | None]:
        def work(books: OpenBooks) -> int | None:
            charged = books.charge(Cost(outputs), questions=[NewQuestion(question)])
            if half:
                raise LedgerError("half done")
            return charged

        def compute(seq: int | None) -> tuple[int, dict[str, dict[str, int]]]:
            (told,) = other.told("meters", questions=[question])
            assert seq in (None, told.charge)
            if fails:
                raise ZeroDivisionError
            return 1, {question: {"cell": 3}}

        return Settlement(work, compute)

    with Ledger.open(database_url) as ledger, Ledger.open(database_url) as other:
        ledger.declare("meters", digest="a", budget=4)
        found = ledger.answer_each("meters", [errand("q1"), errand("dear", 2**9), errand("q2")])
        assert (found[0], found[2]) == ((2, {"q1": {"cell": 3}}), (3, {"q2": {"cell": 3}}))
        assert isinstance(found[1], BudgetError)
        assert [entry.kind for entry in ledger.entries()] == ["dataset", "charge", "charge", "answers"]
        several = [errand("half", half=True), errand("q3"), errand("q4", fails=True), errand("q1", 1)]
        half, third, fourth, first = ledger.answer_each("meters", several)
        assert isinstance(half, LedgerError)
        assert third == (5, {"q3": {"cell": 3}})
        assert isinstance(fourth, ZeroDivisionError)
        assert first == (None, {"q1": {"cell": 3}})
        assert ledger.told("meters", questions=["half"]) == []
        assert ledger.state("meters").others == Cost(2**4)
        assert ledger.answer_each("meters", []) == []


def test_a_connection_that_was_interrupted_is_not_used_again(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it was in the middle of, it holds no lock, and nobody reads on from there."""
    with Ledger.open(database_url) as ledger, Ledger.open(database_url) as other:
        ledger.declare("meters", digest="a", budget=9)
        begin = DatabaseTransaction.begin

        def interrupted(session: DatabaseTransaction, *, writes: bool) -> None:
            begin(session, writes=writes)
            session.head()
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(DatabaseTransaction, "begin", interrupted)
            with pytest.raises(KeyboardInterrupt):
                charge(ledger, Cost(2), NewQuestion("q1"))
            with pytest.raises(KeyboardInterrupt):
                ledger.settle("meters", lambda books: books.charge(Cost(2), questions=[NewQuestion("q2")]))
        assert charge(other, Cost(2), NewQuestion("q3")) == 2
        assert charge(ledger, Cost(2), NewQuestion("q4")) == 3
        assert ledger.verify().ok


def test_parameters_are_in_the_order_of_the_columns(database_url: str) -> None:
    """Rows are written by their places: a column that moves must move in both."""
    with Ledger.open(database_url) as ledger:
        ledger.declare("meters", digest="a", budget=9, analyst_budget=8)
        price = Shares(Cost(2), {"north": Cost(3)})
        charge(ledger, price, NewQuestion("q1", "g1", "p1", {"cells": 3}), NewQuestion("q2"), analyst="ann")
        ledger.store("meters", {"q2": {"cell": 1}})
        first, second = ledger.told("meters", questions=["q1", "q2"])
        assert (first.question, first.grid, first.people) == ("q1", "g1", "p1")
        assert (first.body, first.answer, first.charge) == ({"cells": 3}, None, 2)
        assert (second.question, second.grid, second.answer) == ("q2", None, {"cell": 1})
        assert ledger.state("meters").cells == {"north": Cost(3)}
        assert ledger.state("meters").spent_of("ann") == Cost(3)
