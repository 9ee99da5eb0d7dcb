"""Work that nobody waits for ends before it is charged for, and after that it goes on."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator_examples import write_curator
from noiseless.curator import Curator
from noiseless.curator.disclosure import Disclosure
from noiseless.curator.planner import Planner
from noiseless.curator.snapshot import Snapshot
from noiseless.tables import open_table
from noiseless.work import Cancellation, WorkCancelledError, active, check
from waiting import HANGS

TOTAL = "SELECT SUM(kwh) FROM meters"


@pytest.fixture
def curator(tmp_path: Path) -> Iterator[Curator]:
    with Curator.open(write_curator(tmp_path)) as opened:
        yield opened


def test_each_thread_has_its_own() -> None:
    wanted, found = Cancellation(), list[bool]()
    wanted.cancel()
    with wanted.active():
        with pytest.raises(WorkCancelledError):
            check()
        thread = threading.Thread(target=lambda: found.append(active() is wanted))
        thread.start()
        thread.join()
        with Cancellation().active():
            check()
    check()
    assert found == [False]


@pytest.mark.parametrize("ask", [Curator.ask, Curator.price])
def test_what_is_cancelled_is_not_charged_for(curator: Curator, ask: object) -> None:
    wanted = Cancellation()
    wanted.cancel()
    with wanted.active(), pytest.raises(WorkCancelledError):
        ask(curator, TOTAL)  # type: ignore[operator]
    assert curator.state.spent.outputs == 1
    assert curator.ask(TOTAL).batch.outputs == 2


def test_a_long_plan_ends_in_the_middle(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted, planned, plan = Cancellation(), list[object](), Planner._named

    def named(self: Planner, group: object) -> object:
        planned.append(group)
        wanted.cancel()
        return plan(self, group)  # type: ignore[arg-type]

    monkeypatch.setattr(Planner, "_named", named)
    with wanted.active(), pytest.raises(WorkCancelledError):
        curator.price("SELECT suburb, AVG(kwh) FROM meters GROUP BY suburb")
    assert len(planned) == 1


def test_what_is_charged_for_is_finished(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = Cancellation()
    for kind in Disclosure.__subclasses__():
        compute = kind.compute

        def computed(self: Disclosure, snapshot: Snapshot, compute: object = compute) -> object:
            wanted.cancel()
            return compute(self, snapshot)  # type: ignore[operator]

        monkeypatch.setattr(kind, "compute", computed)
    with wanted.active():
        assert curator.ask(TOTAL, "SELECT COUNT(*) FROM meters WHERE solar").batch.outputs == 4
        with pytest.raises(WorkCancelledError):
            curator.ask("SELECT MAX(kwh) FROM meters")


def test_those_who_wait_for_a_reading_leave(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reading itself goes on: it serves everybody."""
    begun, over, take = threading.Event(), threading.Event(), Snapshot.take

    def slow(*arguments: object) -> Snapshot:
        begun.set()
        over.wait(HANGS)
        return take(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Snapshot, "take", slow)
    curator._source._state = None  # as if it was opened anew
    reader = threading.Thread(target=lambda: curator.ask(TOTAL))
    reader.start()
    assert begun.wait(HANGS)
    wanted = Cancellation()
    threading.Timer(0.2, wanted.cancel).start()
    try:
        with wanted.active(), pytest.raises(WorkCancelledError):
            curator.ask("SELECT MAX(kwh) FROM meters")
    finally:
        over.set()
        reader.join()
    assert curator.state.spent.outputs == 2


def test_a_reading_is_interrupted(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()

    def endless(table: object, *_: object) -> None:
        begun.set()
        table.engine.rows("SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b")  # type: ignore[attr-defined]

    monkeypatch.setattr(Snapshot, "take", endless)
    curator._source._state = None
    errors: list[BaseException] = []

    def ask() -> None:
        try:
            curator.ask(TOTAL)
        except BaseException as error:  # noqa: BLE001 - it is looked at below
            errors.append(error)

    reader = threading.Thread(target=ask)
    reader.start()
    assert begun.wait(HANGS)
    while reader.is_alive():
        curator.interrupt()
        time.sleep(0.05)
    assert [type(error) for error in errors] == [WorkCancelledError]
    assert curator.state.spent.outputs == 1
    assert open_table(curator.file.source).count() == 8  # others are not
