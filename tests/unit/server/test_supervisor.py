"""Processes that are looked after: each that ends is replaced, all of them stop in time."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from noiseless.server import processes as supervisor
from server_examples import is_running
from soaking import FEWER_KILLS as KILLS
from waiting import HANGS, wait_until

SCRIPT = Path(__file__).parents[2] / "supervised.py"


class Supervised:
    """A supervisor in a process of its own, and what it says."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process, self.log = process, log

    def said(self, event: str) -> list[dict[str, Any]]:
        lines = self.log.read_text().splitlines()
        return [line for text in lines if text.endswith("}") and (line := json.loads(text))["event"] == event]

    def running(self) -> list[int]:
        ended = {line["pid"] for line in self.said("worker ended")}
        return [line["pid"] for line in self.said("worker started") if line["pid"] not in ended]

    def until(self, holds: Callable[[], bool]) -> None:
        def happened() -> bool:
            assert self.process.poll() is None, self.log.read_text()
            return holds()

        wait_until(happened, "the supervisor")


@contextmanager
def supervised(
    folder: Path, kind: str, count: int, stop_seconds: float = 30, pause: float = 10
) -> Iterator[Supervised]:
    log = folder / "log"
    command = [sys.executable, str(SCRIPT), kind, str(count), str(stop_seconds), str(pause)]
    with log.open("wb") as stderr, subprocess.Popen(command, stderr=stderr) as process:
        try:
            yield Supervised(process, log)
        finally:
            process.kill()


def test_each_that_is_killed_is_replaced(tmp_path: Path) -> None:
    """One or all of them, at any time, also right after they began; and then they all stop at once."""
    chance = random.Random(1)
    with supervised(tmp_path, "calm", 3, pause=0.01) as found:
        for kill in range(KILLS):
            found.until(lambda: len(found.running()) == 3)
            begun = len(found.said("worker started"))
            killed = found.running()[: chance.choice([1, 3])]
            time.sleep(chance.choice([0, 0.05]))
            for pid in killed:
                os.kill(pid, signal.SIGKILL)
            found.until(lambda: len(found.said("worker started")) == begun + len(killed))  # noqa: B023
            assert all(line["exit_code"] == -signal.SIGKILL for line in found.said("worker ended")), kill
        found.until(lambda: len(found.running()) == 3)
        last = found.running()
        found.process.send_signal(signal.SIGTERM)
        assert found.process.wait(HANGS) == 0
        assert not any(map(is_running, last))
        assert not found.said("worker killed")


def test_those_that_do_not_stop_in_time_are_killed(tmp_path: Path) -> None:
    with supervised(tmp_path, "deaf", 2, stop_seconds=0.3) as found:
        found.until(lambda: len(found.said("deaf")) == len(found.running()) == 2)  # said in any order
        last = found.running()
        found.process.send_signal(signal.SIGINT)
        assert found.process.wait(HANGS) == 0
        assert not any(map(is_running, last))
        assert {line["pid"] for line in found.said("worker killed")} == set(last)


def test_a_storm_calms_down_and_still_stops(tmp_path: Path) -> None:
    """Those that end again and again are started later and later; meanwhile a signal is heeded at once."""
    with supervised(tmp_path, "weak", 1) as found:
        found.until(lambda: len(found.said("worker ended")) == 4)
        assert [line["again_in"] for line in found.said("worker ended")][:4] == [0, 0.5, 1, 2]
        found.process.send_signal(signal.SIGTERM)
        assert found.process.wait(HANGS) == 0


def test_a_pause_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_after = supervisor.Supervisor(lambda: None, 1, stop_seconds=1)  # type: ignore[arg-type,return-value]
    place = supervisor._Place()
    clock = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    pauses = []
    for _ in range(2000):
        place.begun = clock[0]
        looked_after._delay(place)
        pauses.append(place.due - clock[0])
        clock[0] = place.due
    assert pauses[:8] == [0, 0.5, 1, 2, 4, 8, 10, 10]
    assert max(pauses) == 10
    clock[0] += 60
    looked_after._delay(place)
    assert place.due == clock[0]  # one that ran for a while is replaced at once
