"""Measuring side by side: best of several alternating runs, so that a busy moment hits both."""

import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from peers.protocol import peak_megabytes

__all__ = ["ROOT", "WORK", "best_of", "copying", "exponent", "in_a_process", "peak_megabytes", "scanning"]

ROOT = Path(__file__).parents[1]
WORK = ROOT / "bench"

_ENGINE = duckdb.connect()


def best_of(repeats: int, *tasks: Callable[[], Any]) -> list[float]:
    """The shortest time of each task in seconds; the tasks take turns."""
    times = [[_timed(task) for task in tasks] for _ in range(repeats)]
    return [min(column) for column in zip(*times, strict=True)]


def _timed(task: Callable[[], Any]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The power of the size with which time grows: the slope of the best line through the logarithms."""
    if len(sizes) < 2 or min(seconds) <= 0:
        return math.nan
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def copying(*columns: npt.NDArray[Any]) -> float:
    """A limit of the machine: seconds to copy the columns to memory that was touched before."""
    targets = [np.copy(column) for column in columns]

    def copy() -> None:
        for target, column in zip(targets, columns, strict=True):
            np.copyto(target, column)

    return best_of(5, copy)[0]


def scanning(path: Path | str, columns: Sequence[str], *, text: bool = False) -> float:
    """A limit of the engine: seconds in which DuckDB reads columns and adds them (or their lengths) up."""
    sums = ", ".join(f"sum(strlen({name}))" if text else f"sum({name})" for name in columns)
    return best_of(5, partial(_fetch, f"SELECT {sums} FROM '{path}'"))[0]


def _fetch(query: str) -> None:
    _ENGINE.sql(query).fetchall()


def in_a_process(code: str, *arguments: str, python: str = sys.executable) -> Any:  # noqa: ANN401 - JSON
    """Run code that prints one line of JSON in a fresh interpreter."""
    command = [python, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return json.loads(done.stdout.splitlines()[-1])
