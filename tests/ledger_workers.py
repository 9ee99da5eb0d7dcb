"""Processes that use a ledger at the same time, and are killed: run by `surfaces/test_ledger_processes.py`.

One interpreter imports everything and forks the others, so that dozens of real processes cost little. It
reads a JSON list a line, the name of a function and what it is given, and prints what comes of it and an exit
code. What a process was told by the ledger it writes to a file of its own before it goes on: that is what it
acknowledged.
"""

import json
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from pathlib import Path

from noiseless.amounts import Cost
from noiseless.ledger import Entry, Ledger, LedgerError, NewQuestion, OpenBooks, Shares
from noiseless.ledger.transaction import DatabaseTransaction
from noiseless.pricing.history import BudgetError
from waiting import HANGS

REFUSED, FAILED = 7, 9
DATASET = "meters"


def forked(work: Callable[[], int]) -> int:
    """Start a process; its id."""
    child = os.fork()
    if child:
        return child
    try:
        code = work()
    except BaseException as error:  # noqa: BLE001 - whatever it is, the parent hears of it
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        code = FAILED
    os._exit(code)


def exit_codes(children: list[int]) -> list[int]:
    """Wait for processes; minus the signal for those that were killed."""
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def race(url: str, processes: int) -> list[int]:
    """Many processes ask for the last bit at the same moment."""
    ready, start = os.pipe(), os.pipe()

    ledger = Ledger.open(url, patience=HANGS)

    def ask() -> int:
        ledger.state(DATASET)  # on a connection of its own, ready before the start
        os.write(ready[1], b".")
        os.close(start[1])
        os.read(start[0], 1)  # returns when the parent closes its end
        try:
            ledger.settle(
                DATASET, lambda books: books.charge(Cost(2), questions=[NewQuestion(str(os.getpid()))])
            )
        except BudgetError:
            return REFUSED
        return 0

    children = [forked(ask) for _ in range(processes)]
    for _ in children:
        os.read(ready[0], 1)
    os.close(start[1])
    return exit_codes(children)


class Acknowledged:
    """What a process was told, written down line by line."""

    def __init__(self, folder: str) -> None:
        self.path = Path(folder) / f"{os.getpid()}-{time.monotonic_ns()}"
        self.questions = (f"{self.path.name}.{number}" for number in count(1))
        self._file = os.open(self.path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def note(self, kind: str, question: str, value: int) -> None:
        os.write(self._file, f"{kind} {question} {value}\n".encode())


def ask_for_ever(ledger: Ledger, told: Acknowledged, enough: Path | None = None) -> int:
    """Charge for one question after the other, and store its answer, until a file says that it is enough."""
    while enough is None or not enough.exists():
        question = next(told.questions)
        number = int(question.rpartition(".")[2])
        cell = f"cell {number % 3}"

        def charge(books: OpenBooks, question: str = question, cell: str = cell) -> int | None:
            price = Shares(Cost(1), {cell: Cost(2)})
            return books.charge(price, analyst="ann", questions=[NewQuestion(question, grid=cell)])

        seq = ledger.settle(DATASET, charge)
        told.note("charged", question, seq or 0)
        ledger.store(DATASET, {question: {"value": number}})
        told.note("answered", question, number)
    return 0


def kills(url: str, folder: str, rounds: int, processes: int) -> list[int]:
    """Kill processes in the middle of whatever they do, again and again."""
    chance = random.Random(1)

    def ask() -> int:
        with Ledger.open(url) as ledger:
            return ask_for_ever(ledger, Acknowledged(folder))

    def lines() -> int:
        return sum(file.read_bytes().count(b"\n") for file in Path(folder).iterdir())

    killed = []
    for _ in range(rounds):
        wanted = lines() + chance.randint(1, 12)
        children = [forked(ask) for _ in range(processes)]
        while lines() < wanted:
            time.sleep(0.001)
        for child in children:
            time.sleep(chance.uniform(0, 0.004))
            os.kill(child, signal.SIGKILL)
        killed += exit_codes(children)
    return killed


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at(url: str, folder: str, place: str) -> list[int]:
    """Kill a process at one place of a charge, and then at the same place of an answer."""
    commit, append, put = DatabaseTransaction.commit, DatabaseTransaction.append, DatabaseTransaction.put

    def append_and_die(session: DatabaseTransaction, entry: Entry) -> None:
        append(session, entry)
        die()

    def put_and_die(session: DatabaseTransaction, sql: str, parameters: Sequence[object] = ()) -> object:
        found = put(session, sql, parameters)
        if not sql.startswith("SELECT"):
            die()
        return found

    def write_and_die(session: DatabaseTransaction) -> None:
        session.rows("SELECT 1")  # all that was sent before is written
        die()

    def commit_and_die(session: DatabaseTransaction) -> None:
        commit(session)
        die()

    def charge(question: str, *, answer: bool) -> int:
        with Ledger.open(url) as ledger:
            told = Acknowledged(folder)
            if answer:
                ledger.settle(DATASET, lambda books: books.charge(Cost(2), questions=[NewQuestion(question)]))
                told.note("charged", question, 0)
            changes = {
                "appended": ("append", append_and_die),
                "changed": ("put", put_and_die),
                "written": ("commit", write_and_die),
                "before commit": ("commit", die),
                "after commit": ("commit", commit_and_die),
            }
            setattr(DatabaseTransaction, *changes[place])
            if answer:
                ledger.store(DATASET, {question: {"value": 1}})
                told.note("answered", question, 1)
            else:
                ledger.settle(DATASET, lambda books: books.charge(Cost(2), questions=[NewQuestion(question)]))
                told.note("charged", question, 0)
        return 0

    return exit_codes([forked(lambda: charge("q1", answer=False)), forked(lambda: charge("q2", answer=True))])


def load(url: str, folder: str, enough: str, processes: int) -> list[int]:
    """Processes that ask without a pause until a file says that it is enough."""

    def ask() -> int:
        with Ledger.open(url, patience=HANGS) as ledger:
            return ask_for_ever(ledger, Acknowledged(folder), Path(enough))

    return exit_codes([forked(ask) for _ in range(processes)])


def full_disk(url: str, folder: str, size: int) -> str:
    """Files may not grow beyond a size; then they may again."""
    with Ledger.open(url) as ledger:
        told, before = Acknowledged(folder), resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            ask_for_ever(ledger, told)
        except LedgerError as error:
            message = str(error)
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert ledger.verify().ok
        return message


def main() -> None:
    """Fork a process for each line."""
    commands: dict[str, Callable[..., object]] = {
        "race": race,
        "kills": kills,
        "kill_at": kill_at,
        "load": load,
        "full_disk": full_disk,
    }

    def work(name: str, *given: object) -> int:
        signal.alarm(int(HANGS))
        print(json.dumps(commands[name](*given)), flush=True)
        return 0

    for line in sys.stdin:
        print(*exit_codes([forked(partial(work, *json.loads(line)))]), flush=True)


if __name__ == "__main__":
    main()
