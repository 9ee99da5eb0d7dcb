"""Many processes at once, killed and starved: no charge is lost or made twice, no budget is exceeded."""

import json
import shutil
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from noiseless.amounts import Cost
from noiseless.ledger import ChargedQuestion, Ledger, LedgerUnavailableError, NewQuestion, OpenBooks
from noiseless.ledger.transaction import DatabaseTransaction
from postgres import PostgresServer
from soaking import FEWER_KILLS as KILLS
from waiting import HANGS, wait_until

pytest_plugins = ["databases"]

WORKERS = Path(__file__).parents[1] / "ledger_workers.py"
KILLED, REFUSED = -9, 7


@pytest.fixture(scope="module")
def workers() -> Iterator["subprocess.Popen[str]"]:
    """A process that has imported everything, to fork from."""
    with subprocess.Popen(
        [sys.executable, WORKERS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


Run = Callable[..., Any]


@pytest.fixture
def run(workers: "subprocess.Popen[str]") -> Run:
    """Runs a function there; what came of it."""

    def do(*arguments: object) -> Any:  # noqa: ANN401 - JSON
        assert workers.stdin is not None
        assert workers.stdout is not None
        workers.stdin.write(json.dumps(arguments) + "\n")
        workers.stdin.flush()
        found = json.loads(workers.stdout.readline())
        assert not isinstance(found, int), f"it ended with {found}"
        assert workers.stdout.readline() == "0\n"
        return found

    return do


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where processes note what they were told."""
    found = tmp_path / "acknowledged"
    found.mkdir()
    return found


def declared(url: str, budget: int | None) -> None:
    with Ledger.open(url) as ledger:
        ledger.declare("meters", digest="a", budget=budget)


def acknowledged(folder: Path) -> list[tuple[str, str, int]]:
    """What processes were told; whoever was killed while writing has told nothing with its last line."""
    found = []
    for file in folder.iterdir():
        for line in file.read_text().splitlines(keepends=True):
            if line.endswith("\n"):
                kind, question, value = line.split()
                found.append((kind, question, int(value)))
    return found


def check(url: str, folder: Path) -> Counter[str]:
    """Whatever was acknowledged is there and nothing was charged twice; how often each kind was."""
    with Ledger.open(url) as ledger:
        report = ledger.verify()
        assert report.problems == ()
        charges: Counter[str] = Counter()
        for entry in ledger.entries():
            if entry.kind == "charge":
                charges.update(asked["question"] for asked in entry.body["questions"])
        assert set(charges.values()) <= {1}
        told: dict[str, ChargedQuestion] = {
            found.question: found for found in ledger.told("meters", questions=charges)
        }
        lines = acknowledged(folder)
        for kind, question, value in lines:
            if kind == "charged":
                assert question in charges
            else:
                assert told[question].answer == {"value": value}
        assert ledger.state("meters").spent.outputs <= 2 ** len(charges)
        return Counter(kind for kind, *_ in lines)


def test_of_24_processes_one_gets_the_last_bit(run: Run, database_url: str) -> None:
    declared(database_url, 5)
    with Ledger.open(database_url) as ledger:
        ledger.settle("meters", lambda books: books.charge(Cost(16)))
    codes = run("race", database_url, 24)
    assert Counter(codes) == {0: 1, REFUSED: 23}
    with Ledger.open(database_url) as ledger:
        assert ledger.state("meters").spent == Cost(32)
        assert (ledger.verify().ok, ledger.head.seq) == (True, 3)


def test_processes_killed_at_any_moment_lose_nothing(run: Run, database_url: str, folder: Path) -> None:
    declared(database_url, None)
    codes = run("kills", database_url, str(folder), max(KILLS, 12), 3)
    assert set(codes) == {KILLED}
    found = check(database_url, folder)
    assert found["charged"] > 12
    assert found["answered"] > 12


@pytest.mark.parametrize("place", ["appended", "changed", "before commit", "written", "after commit"])
def test_a_process_killed_at_a_place_is_all_or_nothing(
    run: Run, database_url: str, folder: Path, place: str
) -> None:
    declared(database_url, 2)
    assert run("kill_at", database_url, str(folder), place) == [KILLED, KILLED]
    assert check(database_url, folder) == {"charged": 1}
    with Ledger.open(database_url) as ledger:
        told = {found.question: found.answer for found in ledger.told("meters", questions=["q1", "q2"])}
        if place == "after commit":
            assert told == {"q1": None, "q2": {"value": 1}}
            assert ledger.state("meters").remaining == 1
        else:
            assert told == {"q2": None}
            assert ledger.state("meters").remaining == 2
        ledger.store("meters", {question: {"value": 1} for question in told})
        assert ledger.verify().ok


def test_a_full_disk_is_said_and_charges_nothing(run: Run, tmp_path: Path, folder: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    declared(url, None)
    for size in (150_000, 175_123, 190_001):
        message = run("full_disk", url, str(folder), size)
        assert message.startswith(f"{tmp_path / 'ledger.db'}: ")
        assert "make room" in message
        assert "\n" not in message
    assert check(url, folder)["answered"] > 3


def test_a_full_file_system_is_said_and_charges_nothing(run: Run, tmp_path: Path, folder: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "none", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        url = f"sqlite:///{disk / 'ledger.db'}"
        declared(url, None)
        message = run("full_disk", url, str(folder), 10**9)
        assert "make room" in message
        assert check(url, folder)["answered"] > 3
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_server_restarted_under_load_loses_nothing(
    run: Run, own_postgres: PostgresServer, tmp_path: Path, folder: Path
) -> None:
    postgres_url, enough = own_postgres.new_url(), tmp_path / "enough"
    declared(postgres_url, None)
    codes: list[int] = []
    load = threading.Thread(
        target=lambda: codes.extend(run("load", postgres_url, str(folder), str(enough), 4))
    )
    load.start()
    try:
        wait_until(lambda: len(list(folder.iterdir())) == 4, "all have reached the server once")
        for mode in ("immediate", "fast", "immediate"):
            wanted = len(acknowledged(folder)) + 20
            wait_until(lambda: len(acknowledged(folder)) >= wanted, "the ledger is asked")  # noqa: B023 - at once
            own_postgres.restart(mode)
    finally:
        enough.touch()
        load.join()
    assert codes == [0] * 4
    found = check(postgres_url, folder)
    assert found["answered"] > 20
    with Ledger.open(postgres_url) as ledger:
        charges = [entry for entry in ledger.entries() if entry.kind == "charge"]
    assert len(charges) == found["charged"]


# The server goes away at the worst moment


@contextmanager
def commits(url: str, monkeypatch: pytest.MonkeyPatch, *, done: bool) -> Iterator[None]:
    """The next commit ends in a lost connection: after it was done, or before."""
    real = DatabaseTransaction.commit

    def lost(session: DatabaseTransaction) -> None:
        monkeypatch.setattr(DatabaseTransaction, "commit", real)
        if done:
            session._driver.execute("COMMIT")
        (process,) = session.rows("SELECT pg_backend_pid()")[0]
        PostgresServer.execute(
            url,
            f"SELECT pg_terminate_backend({process}, {HANGS * 1000:.0f})",
        )
        real(session)

    monkeypatch.setattr(DatabaseTransaction, "commit", lost)
    yield


def charge(books: OpenBooks) -> int | None:
    return books.charge(Cost(2), questions=[NewQuestion("q")])


def test_a_charge_whose_commit_was_not_heard_of_is_looked_up(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared(postgres_url, 1)
    with Ledger.open(postgres_url) as ledger, commits(postgres_url, monkeypatch, done=True):
        assert ledger.settle("meters", charge) == 2
        assert (ledger.head.seq, ledger.state("meters").spent) == (2, Cost(2))
        assert ledger.verify().ok


def test_a_charge_that_was_not_committed_is_made_again(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared(postgres_url, 1)
    with Ledger.open(postgres_url) as ledger, commits(postgres_url, monkeypatch, done=False):
        assert ledger.settle("meters", charge) == 2
        assert (ledger.head.seq, ledger.state("meters").spent) == (2, Cost(2))
        assert ledger.verify().ok


def test_what_cannot_be_known_is_said(own_postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    postgres_url = own_postgres.new_url()
    declared(postgres_url, 1)
    with Ledger.open(postgres_url) as ledger:
        ledger._database.patience = 0.1  # for as long as the server is away

        def lost(session: DatabaseTransaction) -> None:
            own_postgres.stop("immediate")
            session.run("COMMIT")

        with monkeypatch.context() as patch:
            patch.setattr(DatabaseTransaction, "commit", lost)
            with pytest.raises(LedgerUnavailableError, match="it is not known") as caught:
                ledger.settle("meters", charge)
            with pytest.raises(LedgerUnavailableError, match="the server went away"):
                ledger.state("meters")
        own_postgres.start()
        ledger._database.patience = HANGS
        assert not caught.value.certain
        assert ledger.settle("meters", charge) == 2
        assert ledger.verify().ok


def test_a_backup_of_a_killed_ledger_is_whole(run: Run, tmp_path: Path, folder: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    declared(url, None)
    run("kills", url, str(folder), 2, 2)
    copy = tmp_path / "copy.db"
    for suffix in ("", "-wal"):  # what a crashed machine leaves behind
        if (left := tmp_path / f"ledger.db{suffix}").exists():
            shutil.copy(left, f"{copy}{suffix}")
    check(f"sqlite:///{copy}", folder)
