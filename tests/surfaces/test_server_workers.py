"""Processes of one server that are killed: others take their place, and none is left when it ends."""

import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from curator_examples import write_curator
from server_examples import Process, get, is_running
from soaking import KILLS
from waiting import wait_until

ROUNDS = max(1, KILLS // 50)


def until(holds: Callable[[], object]) -> None:
    wait_until(holds, "the workers")


def kill(*pids: int) -> None:
    """Kill processes that the log says are running: one may have ended before its end is logged."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def answers(server: Process) -> bool:
    try:
        return get(f"{server.url}/readyz", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


@pytest.fixture
def server(tmp_path: Path) -> Process:
    return Process(write_curator(tmp_path), options=("--workers", "2"))


def test_workers_that_are_killed_are_replaced(server: Process) -> None:
    """One and, in the same second, its successor, which has hardly begun; then all of them at once."""
    with server:
        for _ in range(ROUNDS):
            first = server.workers()[0]
            kill(first)
            until(lambda: first not in server.workers() and len(server.workers()) == 2)  # noqa: B023
            kill(server.workers()[-1])
            until(lambda: answers(server))
            before = server.workers()
            kill(*before)
            until(lambda: len(set(server.workers()) - set(before)) == 2)  # noqa: B023
            until(lambda: answers(server))
        before = server.workers()
        kill(*before)
        until(lambda: set(server.workers()) - set(before))
        assert server.stop() == 0  # while they start
        pids = [line["pid"] for line in server.lines() if line["event"] == "worker started"]
        assert not any(map(is_running, pids))


def test_workers_end_with_the_one_that_looks_after_them(server: Process) -> None:
    """It is killed in a way that it cannot tell the others, one of which is starting."""
    for _ in range(ROUNDS):
        with server:
            until(lambda: len([line for line in server.lines() if line["event"] == "started"]) == 2)
            kill(server.workers()[0])
            until(lambda: len([line for line in server.lines() if line["event"] == "worker started"]) == 3)
            last = server.workers()
            server.kill()
            until(lambda: not any(map(is_running, last)))  # noqa: B023
        server.log.unlink()
