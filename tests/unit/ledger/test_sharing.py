"""Callers who share durable transactions: each gets its own, whatever becomes of the others."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from noiseless.amounts import Cost
from noiseless.ledger import Ledger, LedgerError, LedgerUnavailableError, NewQuestion, OpenBooks, Settlement
from noiseless.ledger.group_commit import WouldChargeError
from noiseless.pricing.history import BudgetError
from waiting import HANGS, wait_until

pytest_plugins = ["databases"]


def opened(url: str, budget: int = 100) -> Ledger:
    ledger = Ledger.open(url)
    ledger.declare("meters", digest="d", budget=budget)
    return ledger


def wait_for(ledger: Ledger, callers: int) -> None:
    """Wait until so many are asleep until somebody has written."""
    queue = ledger._commits._queues["meters"]
    wait_until(lambda: len(queue.changed._waiters) >= callers, "all wait")  # type: ignore[attr-defined]


def together(ledger: Ledger, *works: object, gone: int = 0) -> list[object]:
    """Run works so that all wait at the same time and share a transaction, but for those who do not wait."""
    first, others = threading.Event(), threading.Event()
    outcomes: list[object] = [None] * len(works)

    def hold(books: OpenBooks) -> None:
        del books
        first.set()
        others.wait(HANGS)

    def run(place: int, work: object) -> None:
        try:
            outcomes[place] = ledger.settle("meters", work)  # type: ignore[arg-type]
        except BaseException as error:  # noqa: BLE001 - it is looked at below
            outcomes[place] = error

    threads = [threading.Thread(target=ledger.settle, args=("meters", hold))]
    threads += [threading.Thread(target=run, args=pair) for pair in enumerate(works)]
    threads[0].start()
    first.wait(HANGS)
    for thread in threads[1:]:
        thread.start()
    wait_for(ledger, len(works) - gone)
    others.set()
    for thread in threads:
        thread.join(HANGS)
    return outcomes


def charge(question: str, outputs: int = 2):  # type: ignore[no-untyped-def]  # noqa: ANN201 - some work
    return lambda books: books.charge(Cost(outputs), questions=[NewQuestion(question)])


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
        books.charge(Cost(2), questions=[NewQuestion("half")])
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
            others.wait(HANGS)

        with ThreadPoolExecutor(8) as pool:
            pool.submit(ledger.settle, "meters", hold)
            first.wait(HANGS)
            asked = [pool.submit(ledger.store, "meters", {f"q{n}": {"cell": n + 1}}) for n in range(6)]
            never = pool.submit(ledger.store, "meters", {"q1": {"cell": 2}})
            wait_for(ledger, 7)
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
            others.wait(HANGS)

        def ask(question: str) -> object:
            def compute(seq: int | None) -> tuple[int, dict[str, dict[str, int]]]:
                assert [told.charge for told in ledger.told("meters", questions=[question])] == [seq]
                ends[question] = threading.current_thread().name
                if question == "q3":
                    raise ZeroDivisionError
                return 1, {} if question == "q4" else {question: {"cell": int(question[1:])}}

            return ledger.answer("meters", Settlement(charge(question), compute, is_quick=True))

        with ThreadPoolExecutor(9) as pool:
            pool.submit(ledger.settle, "meters", hold)
            first.wait(HANGS)
            asked = [pool.submit(ask, f"q{number}") for number in range(6)]
            wait_for(ledger, 6)
            others.set()
            outcomes = [each.exception(HANGS) or each.result() for each in asked]
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


def test_slow_answers_keep_nobody_waiting(database_url: str) -> None:
    with opened(database_url) as ledger, ThreadPoolExecutor(2) as pool:
        begun, go = threading.Event(), threading.Event()

        def slowly(_: int | None) -> tuple[int, dict[str, dict[str, int]]]:
            begun.set()
            assert go.wait(HANGS)
            return 1, {"slow": {"cell": 1}}

        quick = Settlement(charge("also"), lambda _: (1, {"also": {"cell": 3}}), is_quick=True)
        slow = pool.submit(ledger.answer_each, "meters", [Settlement(charge("slow"), slowly), quick])
        assert begun.wait(HANGS)
        found = ledger.answer(
            "meters", Settlement(charge("q1"), lambda _: (1, {"q1": {"cell": 2}}), is_quick=True)
        )
        assert found[1] == {"q1": {"cell": 2}}
        go.set()
        assert [each[1] for each in slow.result(HANGS)] == [{"slow": {"cell": 1}}, {"also": {"cell": 3}}]  # type: ignore[index]
        assert ledger.answer_each("meters", []) == []
        assert ledger.verify().ok


def test_who_is_interrupted_while_writing_for_all_keeps_nobody_waiting(database_url: str) -> None:
    def interrupted(_: OpenBooks) -> None:
        raise KeyboardInterrupt

    with opened(database_url) as ledger:
        with pytest.raises(KeyboardInterrupt):
            ledger.settle("meters", interrupted)
        outcomes = together(ledger, charge("q1"), interrupted, charge("q3"))
        assert sorted(map(str, map(type, outcomes))) == [
            "<class 'KeyboardInterrupt'>",
            *["<class 'noiseless.ledger.errors.LedgerUnavailableError'>"] * 2,
        ]
        unavailable = [each for each in outcomes if isinstance(each, LedgerUnavailableError)]
        assert not any(each.certain for each in unavailable)
        assert ledger.settle("meters", charge("q4")) == 2
        assert ledger.verify().ok


def test_who_is_interrupted_while_asleep_is_waited_for_by_nobody(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(database_url) as ledger:
        queue = ledger._commits._queue("meters")
        real = queue.changed.wait

        def wait() -> bool:
            monkeypatch.setattr(queue.changed, "wait", real)  # whoever is the first
            raise KeyboardInterrupt

        monkeypatch.setattr(queue.changed, "wait", wait)
        outcomes = together(ledger, charge("q1"), charge("q2"), charge("q3"), gone=1)
        (left,) = [place for place, each in enumerate(outcomes, 1) if isinstance(each, KeyboardInterrupt)]
        assert sorted(each for each in outcomes if isinstance(each, int)) == [2, 3]
        assert ledger.settle("meters", charge("q4")) == 4
        assert ledger.told("meters", questions=[f"q{left}"]) == []


def test_a_child_does_not_wait_for_the_threads_of_its_parent(database_url: str) -> None:
    """SQLite itself takes their locks for the child's own: it is told so, and does not wait for ever."""
    opened(database_url).close()
    patience = 0.3 if database_url.startswith("sqlite") else HANGS
    with Ledger.open(database_url, patience=patience) as ledger, ThreadPoolExecutor(1) as pool:
        begun, go = threading.Event(), threading.Event()

        def hold(_: OpenBooks) -> None:
            begun.set()
            go.wait(HANGS)

        held = pool.submit(ledger.settle, "meters", hold)
        assert begun.wait(HANGS)
        child = os.fork()
        if not child:
            code = 1
            try:
                code = 10 + int(ledger.settle("meters", charge("q1")))
            except LedgerUnavailableError:
                code = 20
            finally:  # a child must not go on as a test
                os._exit(code)
        go.set()
        held.result(HANGS)
        expected = 20 if database_url.startswith("sqlite") else 12
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == expected


def test_for_free_means_free(database_url: str) -> None:
    with opened(database_url) as ledger:
        with ledger.for_free(), pytest.raises(WouldChargeError):
            ledger.settle("meters", charge("q1"))
        assert ledger.state("meters").others == Cost()
        ledger.settle("meters", charge("q1"))
        with ledger.for_free():
            assert (
                ledger.settle("meters", lambda books: books.charge(Cost(), questions=[NewQuestion("q1")]))
                is None
            )
