"""Small parts: rates, numbers as JSON, settings, grouped transactions."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from noiseless.accounting.cost import Cost
from noiseless.accounting.history import BudgetError
from noiseless.exact import Bits
from noiseless.ledger import Asked, Errand, LedgerError, OpenBooks
from noiseless.ledger.asked_batches import (
    AskedBatch,
    KeyReusedError,
    find_batch,
    find_batches,
    list_batches,
    note_batches,
    read_note,
    write_note,
)
from noiseless.ledger.sharing import SharedLedger, WouldChargeError
from noiseless.ledger.side_tables import write
from noiseless.ledger.tokens import NewToken, add_token, list_tokens
from noiseless.server.amounts import exact_bits, exact_budget
from noiseless.server.errors import ApiError
from noiseless.server.limits import Rates
from noiseless.server.replies import finite
from noiseless.server.settings import Settings

pytest_plugins = ["databases"]


def test_rates() -> None:
    rates = Rates(2, 3)
    for _ in range(3):
        rates.take("a", at=0)
    with pytest.raises(ApiError) as refused:
        rates.take("a", at=0)
    assert refused.value.headers == {"Retry-After": "1"}
    rates.take("b", at=0)
    rates.take("a", at=0.5)
    with pytest.raises(ApiError):
        rates.take("a", at=0.6)
    for _ in range(3):
        rates.take("a", at=100)
    for _ in range(1000):
        Rates(0, 1).take("a")


def test_numbers_as_json() -> None:
    assert [finite(value) for value in (1.5, float("inf"), float("-inf"), None)] == [1.5, "inf", "-inf", None]
    assert exact_bits(Cost(1)) == "0"
    assert exact_bits(Cost(2**5000)) == "5000"
    assert exact_bits(Cost(6, Fraction(1, 3))) == "log2(6) + 1/3"
    assert exact_budget(Bits(Fraction(7, 2))) == "log2(7/2)"


def test_settings_reach_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOISELESS_SERVER", "")
    settings = Settings(("a.toml", "b.toml"), max_batch=3)
    settings.publish()
    assert Settings.published() == settings
    assert settings.log_key not in repr(settings)


def opened(url: str, budget: int = 100) -> SharedLedger:
    ledger = SharedLedger.open(url)
    ledger.declare("meters", digest="d", budget=budget)
    return ledger


def together(ledger: SharedLedger, *works: object) -> list[object]:
    """Run works so that all but the first wait at the same time, and share a transaction."""
    first, others = threading.Event(), threading.Event()
    outcomes: list[object] = [None] * len(works)

    def hold(books: OpenBooks) -> None:
        del books
        first.set()
        others.wait(10)

    def run(place: int, work: object) -> None:
        try:
            outcomes[place] = ledger.settle("meters", work)  # type: ignore[arg-type]
        except Exception as error:  # noqa: BLE001 - it is looked at below
            outcomes[place] = error

    threads = [threading.Thread(target=ledger.settle, args=("meters", hold))]
    threads += [threading.Thread(target=run, args=pair) for pair in enumerate(works)]
    threads[0].start()
    first.wait(10)
    for thread in threads[1:]:
        thread.start()
    queue = ledger._queues["meters"]
    while len(queue._callers) < len(works):
        pass
    others.set()
    for thread in threads:
        thread.join(20)
    return outcomes


def charge(question: str, outputs: int = 2):  # type: ignore[no-untyped-def]  # noqa: ANN201 - some work
    return lambda books: books.charge(Cost(outputs), questions=[Asked(question)])


def test_work_that_waits_at_the_same_time_shares_a_transaction(database_url: str) -> None:
    with opened(database_url) as ledger:
        found = together(ledger, *(charge(f"q{number}") for number in range(8)))
        assert sorted(found) == list(range(2, 10))  # type: ignore[type-var]
        assert ledger.state("meters").others == Cost(2**8)
        assert ledger.verify().ok


def test_a_refusal_leaves_the_others_alone(database_url: str) -> None:
    with opened(database_url, budget=2) as ledger:
        found = together(ledger, charge("q1"), charge("q2", 2**9), charge("q3"), charge("q4"))
        assert sum(isinstance(each, BudgetError) for each in found) == 2
        assert ledger.state("meters").others == Cost(4)
        assert ledger.verify().ok


@pytest.mark.parametrize("error", [LedgerError("half"), RuntimeError("half")])
def test_work_that_fails_half_done_is_undone_and_the_others_are_not(
    database_url: str, error: Exception
) -> None:
    def half(books: OpenBooks) -> None:
        books.charge(Cost(2), questions=[Asked("half")])
        raise error

    with opened(database_url) as ledger:
        found = together(ledger, charge("q1"), half, charge("q2"))
        assert found[1] is error
        assert {found[0], found[2]} == {2, 3}
        assert ledger.state("meters").others == Cost(4)
        assert ledger.told("meters", questions=["half"]) == []
        assert ledger.verify().ok


def test_an_answer_without_its_charge_spoils_nothing(database_url: str) -> None:
    with opened(database_url) as ledger:
        ledger.settle("meters", charge("q1"))
        found = together(
            ledger,
            charge("q2"),
            lambda books: books.store({"q1": {"cell": 1}, "never": {"cell": 2}}),
            lambda books: books.store({"q1": {"cell": 3}}),
        )
        assert isinstance(found[1], LedgerError)
        assert found[2] == {"q1": {"cell": 3}}
        assert ledger.verify().ok


def test_answers_of_several_callers_share_an_entry(database_url: str) -> None:
    with opened(database_url) as ledger:
        for number in range(6):
            ledger.settle("meters", charge(f"q{number}"))
        ledger.store("meters", {"q0": {"cell": 0}})
        before = ledger.head.seq
        first, others = threading.Event(), threading.Event()

        def hold(_: OpenBooks) -> None:
            first.set()
            others.wait(10)

        with ThreadPoolExecutor(8) as pool:
            pool.submit(ledger.settle, "meters", hold)
            first.wait(10)
            asked = [pool.submit(ledger.store, "meters", {f"q{n}": {"cell": n + 1}}) for n in range(6)]
            never = pool.submit(ledger.store, "meters", {"q1": {"cell": 2}})
            while len(ledger._queues["meters"]._callers) < 7:
                pass
            others.set()
            found = [each.result() for each in asked]
            assert never.result() == {"q1": {"cell": 2}}
        assert found == [{"q0": {"cell": 0}}, *({f"q{n}": {"cell": n + 1}} for n in range(1, 6))]
        assert ledger.head.seq == before + 1
        with pytest.raises(LedgerError):
            ledger.store("meters", {"never": {"cell": 1}})
        assert ledger.verify().ok


def test_quick_answers_are_computed_by_whoever_writes(database_url: str) -> None:
    """Charged in one transaction and answered in the next one, all together; nobody else's error is mine."""
    with opened(database_url, budget=5) as ledger:
        first, others, ends = threading.Event(), threading.Event(), dict[str, str]()

        def hold(_: OpenBooks) -> None:
            first.set()
            others.wait(10)

        def ask(question: str) -> object:
            def compute(seq: int | None) -> tuple[int, dict[str, dict[str, int]]]:
                assert [told.charge for told in ledger.told("meters", questions=[question])] == [seq]
                ends[question] = threading.current_thread().name
                if question == "q3":
                    raise ZeroDivisionError
                return 1, {} if question == "q4" else {question: {"cell": int(question[1:])}}

            return ledger.answer("meters", Errand(charge(question), compute), is_quick=True)

        with ThreadPoolExecutor(9) as pool:
            pool.submit(ledger.settle, "meters", hold)
            first.wait(10)
            asked = [pool.submit(ask, f"q{number}") for number in range(6)]
            while len(ledger._queues["meters"]._callers) < 6:
                pass
            others.set()
            outcomes = [each.exception(20) or each.result() for each in asked]
        refused = [each for each in outcomes if isinstance(each, BudgetError)]
        assert len(refused) == 1  # 5 bits suffice for five
        assert len(set(ends.values())) == 1
        stored = {f"q{n}": {"cell": n} for n in range(6) if n not in (3, 4)}
        for number, outcome in enumerate(outcomes):
            if outcome not in refused and number not in (3, 4):
                assert outcome[1] == {f"q{number}": stored[f"q{number}"]}  # type: ignore[index]
        if outcomes[3] not in refused:
            assert isinstance(outcomes[3], ZeroDivisionError)
        if outcomes[4] not in refused:
            assert outcomes[4][1] == {}  # type: ignore[index]
        kinds = [entry.kind for entry in ledger.entries()]
        assert kinds == ["dataset", *["charge"] * 5, "answers"]
        assert ledger.verify().ok


def test_for_free_means_free(database_url: str) -> None:
    with opened(database_url) as ledger:
        with ledger.for_free(), pytest.raises(WouldChargeError):
            ledger.settle("meters", charge("q1"))
        assert ledger.state("meters").others == Cost()
        ledger.settle("meters", charge("q1"))
        with ledger.for_free():
            assert (
                ledger.settle("meters", lambda books: books.charge(Cost(), questions=[Asked("q1")])) is None
            )


def test_batches_and_notes(database_url: str) -> None:
    with opened(database_url) as ledger:
        asked = AskedBatch.now("meters", "ann", 1, ["SELECT 1"], key="k")

        def note(entry: int, version: int) -> AskedBatch:
            return replace(asked, charge=entry, version=version)

        with ledger.noting(note):
            entry = ledger.settle("meters", charge("q1", 8))
            ledger.settle("meters", lambda books: books.store({"q1": {"cell": 1}}))
        (found,) = list_batches(ledger, "meters", "ann", before=None, most=10)
        assert (found.charge, found.cost, found.sql, found.key) == (entry, Cost(8), ("SELECT 1",), "k")
        assert list_batches(ledger, "meters", "bob", before=None, most=10) == []
        assert list_batches(ledger, "meters", None, before=found.time, most=10) == []
        assert find_batch(ledger, "meters", "ann", "k") == found
        assert find_batch(ledger, "meters", "ann", "other") is None


def test_a_key_that_came_with_another_batch_undoes_the_charge(database_url: str) -> None:
    with opened(database_url) as ledger:
        for sql, number in (("SELECT 1", 1), ("SELECT 1", 2), ("SELECT 2", 3)):
            asked = AskedBatch.now("meters", "ann", 1, [sql], key="k")

            def note(entry: int, version: int, asked: AskedBatch = asked) -> AskedBatch:
                return replace(asked, charge=entry, version=version)

            with ledger.noting(note):
                if sql == "SELECT 1":
                    ledger.settle("meters", charge(f"q{number}", 2))
                    continue
                head = ledger.head
                with pytest.raises(KeyReusedError):
                    ledger.settle("meters", charge(f"q{number}", 2))
                assert ledger.head == head
        bob = AskedBatch.now("meters", "bob", 1, ["SELECT 2"], key="k")
        note_batches(ledger, [bob, bob])
        wanted = [("ann", "k"), ("bob", "k"), ("cy", "k")]
        found = find_batches(ledger, "meters", wanted)
        assert {who: batch.sql for (who, _), batch in found.items()} == {
            "ann": ("SELECT 1",),
            "bob": ("SELECT 2",),
        }


def test_tables_that_servers_made_before_the_step_are_kept(database_url: str) -> None:
    with opened(database_url) as ledger:
        add_token(ledger, ["meters"], name="ann", role="owner", token=NewToken.random())
        note_batches(ledger, [AskedBatch.now("meters", "ann", 1, [sql], key=sql) for sql in ("a", "b")])
        back = [f"DROP INDEX ledger_batches_{name}" for name in ("by_key", "by_time", "free")]
        same = "UPDATE ledger_batches SET idempotency = 'same'"
        earlier = "UPDATE ledger_schema SET version_num = '0001'"
        write(ledger, lambda session: [session.run(sql) for sql in (*back, same, earlier)])
    with SharedLedger.open(database_url) as ledger:
        assert [token.name for token in list_tokens(ledger)] == ["ann"]
        assert {batch.key for batch in list_batches(ledger, "meters", None, before=None, most=9)} == {
            "same",
            None,
        }
        write_note(ledger, "meters", "a", "1")
        write_note(ledger, "meters", "a", "2")
        assert (read_note(ledger, "meters", "a"), read_note(ledger, "meters", "b")) == ("2", None)
        assert ledger.verify().ok


def test_processes_take_turns_only_at_sqlite_files(tmp_path: Path) -> None:
    with opened(f"sqlite:///{tmp_path / 'l.db'}") as ledger:
        ledger.settle("meters", charge("q1"))
        assert {path.name for path in tmp_path.glob("*-turn")} == {"l.db-turn"}


def test_of_batches_that_cost_nothing_the_latest_are_kept(database_url: str) -> None:
    def asked(number: int, who: str = "ann") -> AskedBatch:
        return AskedBatch("meters", who, 1, f"2030-01-01T00:00:{number:06d}Z", (f"SELECT {number}",))

    with opened(database_url) as ledger:
        note_batches(ledger, [asked(number) for number in range(900)])
        note_batches(ledger, [asked(0, "bob")])
        note_batches(ledger, [asked(number) for number in range(900, 1100)])
        found = list_batches(ledger, "meters", "ann", before=None, most=2000)
        assert [batch.sql[0] for batch in found] == [f"SELECT {number}" for number in range(1099, 99, -1)]
        assert len(list_batches(ledger, "meters", "bob", before=None, most=9)) == 1
