"""Measuring side by side: best of several alternating runs, so that a busy moment hits both."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
WORK = ROOT / "bench"


def best_of(repeats: int, *tasks: Callable[[], Any]) -> list[float]:
    """The shortest time of each task in seconds; the tasks take turns."""
    times = [[_timed(task) for task in tasks] for _ in range(repeats)]
    return [min(column) for column in zip(*times, strict=True)]


def _timed(task: Callable[[], Any]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def in_a_process(code: str, *arguments: str, python: str = sys.executable) -> Any:  # noqa: ANN401 - JSON
    """Run code that prints one line of JSON in a fresh interpreter."""
    command = [python, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return json.loads(done.stdout.splitlines()[-1])


def peak_megabytes() -> float:
    """The largest resident size of this process so far (Linux; `ru_maxrss` would count the parent's too)."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))
