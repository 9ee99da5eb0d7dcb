"""Streams against reading their lines, and tables larger than memory: time by rows, and the memory it takes.

A stream comes through a real pipe from `cat`. It is compared with what Python needs to read the same lines
from the same pipe: with `csv` for CSV, with orjson for JSON lines.
"""

import csv
import io
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, cast

import duckdb

from measure import WORK, best_of, exponent, in_a_process
from noiseless.collection.local.quantization import quantize_pipe
from noiseless.collection.local.scalar import LocalQuantizer
from noiseless.collection.local.schedule import Schedule
from noiseless.collection.streams import quantize_stream
from noiseless.questions import Lattice
from page import Form, Part, Section, Table

METER = LocalQuantizer.finest(Lattice.of(0, 10, Fraction(1, 1000)), 16, "kwh")
BUDGETS = Schedule.coarsening(METER, 400)
_FILE_ROWS = 10**7
_HOUSEHOLDS = 5000

_QUANTIZE = """
import json, sys, time
sys.path.insert(0, "benchmarks")
from measure import peak_megabytes
from noiseless.collection.local import quantize
from streams_speed import METER
start = time.perf_counter()
quantize(sys.argv[1], METER, sys.argv[2])
print(json.dumps([time.perf_counter() - start, peak_megabytes()]))
"""

_LINES = """
import json, sys, time
sys.path.insert(0, "benchmarks")
from measure import peak_megabytes
from streams_speed import _lines, _piped, releases
ending, name, size, households = sys.argv[1:]
release = releases(ending)[name]
path = _lines(int(size), ending, int(households))
_piped(_lines(10**4, ending), release)
start = time.perf_counter()
_piped(path, release)
print(json.dumps([time.perf_counter() - start, peak_megabytes()]))
"""

_AUDIT = """
import json, sys, time
sys.path.insert(0, "benchmarks")
from measure import peak_megabytes
import noiseless as nl
start = time.perf_counter()
found = nl.audit(sys.argv[1], sensitive="s", public=("x1", "x2", "x3"))
found.k_anonymity, found.distinct_l_diversity, found.posterior_histogram, found.leakage, found.maximin
print(json.dumps([time.perf_counter() - start, peak_megabytes()]))
"""


def rows(size: int = 10**6) -> list[dict[str, Any]]:
    """One line for each format and kind of release."""
    found = []
    for ending, reading in (("csv", _read_csv), ("jsonl", _read_json)):
        path = _lines(size, ending)
        for name, release in releases(ending).items():
            _piped(path, release)  # compiled kernels are loaded, the file is in the page cache
            plain, told = best_of(5, partial(_piped, path, reading), partial(_piped, path, release))
            found.append(
                {
                    "stream": f"{ending}, {name}",
                    "rows": size,
                    "reading lines s": plain,
                    "release s": told,
                    "speed / reading": plain / told,
                    "rows a second": size / told,
                }
            )
    return found


def releases(ending: str) -> dict[str, Callable[[BinaryIO], Any]]:
    """What is done with a stream, by its kind."""
    return {
        "cells": lambda stream: quantize_pipe(stream, METER, _nowhere()),
        "cells, persons counted": lambda stream: quantize_pipe(stream, BUDGETS, _nowhere(), unit="household"),
        "cells, persons kept on disk": partial(_durably, ending),
    }


def line_growth(sizes: tuple[int, ...] = (10**6, 10**7, 10**8), runs: int = 3) -> list[dict[str, Any]]:
    """Time and peak memory by the number of lines; each run is a fresh process that is warm when it begins.

    The last stream is of more and more households, 200 readings each: a person that a block of lines names
    costs a look-up, so time grows with these as well, up to one a line.
    """
    streams = [(ending, name, 0) for ending in ("csv", "jsonl") for name in releases(ending)]
    found = []
    for ending, name, readings in (*streams, ("csv", "cells, persons counted", 200)):
        times: dict[int, float] = {}
        for size in sizes:
            households = size // readings if readings else _HOUSEHOLDS
            turns = 1 if size > _FILE_ROWS else runs
            times[size], peak = min(
                in_a_process(_LINES, ending, name, str(size), str(households)) for _ in range(turns)
            )
            line = {"stream": f"{ending}, {name}", "rows": size, "households": households}
            line |= {"seconds": times[size], "rows a second": size / times[size], "peak MB": peak}
            line["exponent from the first"] = "" if size == sizes[0] else _exponent(times, sizes[0], size)
            found.append(line)
    return found


def growth(sizes: tuple[int, ...] = (10**6, 10**7, 10**8), runs: int = 3) -> list[dict[str, Any]]:
    """Time and peak memory of quantising and auditing Parquet folders, and the exponents of rows.

    Each run is a fresh process, and loading what it needs takes about as long as a million rows do: the
    exponent from the first size flatters, the one from 10^7 to 10^8 hardly does.
    """
    found = []
    for name, code in (("quantise to Parquet", _QUANTIZE), ("audit", _AUDIT)):
        times: dict[int, float] = {}
        for before, size in zip((None, *sizes), sizes, strict=False):
            seconds, peak = min(_fresh(code, size) for _ in range(1 if size > _FILE_ROWS else runs))
            times[size] = seconds
            line = {"work": name, "rows": size, "seconds": seconds, "peak MB": peak}
            for title, other in (("exponent from the size before", before), ("from the first", sizes[0])):
                line[title] = "" if other in (None, size) else _exponent(times, other, size)
            found.append(line)
    return found


def _exponent(times: dict[int, float], small: int, large: int) -> float:
    return exponent((small, large), (times[small], times[large]))


def _fresh(code: str, size: int) -> tuple[float, float]:
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        seconds, peak = in_a_process(code, f"{_folder(size)}/*.parquet", f"{folder}/out.parquet")
    return seconds, peak


def _piped(path: Path, work: Callable[[BinaryIO], Any]) -> None:
    with subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE) as process:
        work(cast("BinaryIO", process.stdout))


def _read_csv(stream: BinaryIO) -> None:
    for _ in csv.reader(io.TextIOWrapper(stream, "utf-8", newline="")):
        pass


def _read_json(stream: BinaryIO) -> None:
    loads = import_module("orjson").loads  # pip install orjson: nothing else here needs it
    for line in stream:
        loads(line)


def _durably(ending: str, stream: BinaryIO) -> None:
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        quantize_stream(stream, BUDGETS, f"{folder}/out.{ending}", f"{folder}/state", unit="household")


def _nowhere() -> BinaryIO:
    return Path("/dev/null").open("wb")


def _lines(size: int, ending: str, households: int = _HOUSEHOLDS) -> Path:
    """Readings of households, as they come from their meters."""
    WORK.mkdir(exist_ok=True)
    others = "" if households == _HOUSEHOLDS else f"-{households}"
    path = WORK / f"readings-{size}{others}.{ending}"
    if not path.exists():
        kind = "FORMAT csv, HEADER" if ending == "csv" else "FORMAT json"
        columns = (
            f"'h' || (hash(i) % {households}) AS household, (i % 24)::INTEGER AS hour,"
            " ((hash(i * 7 + 5) % 10001) / 1000)::DECIMAL(6,3) AS kwh"
        )
        duckdb.sql(f"COPY (SELECT {columns} FROM range({size}) t(i)) TO '{path}' ({kind})")
    return path


def _folder(size: int) -> Path:
    """A folder of Parquet files of at most 10^7 rows each."""
    folder = WORK / f"meters-{size}"
    if not folder.exists():
        made = WORK / f"meters-{size}.making"
        made.mkdir(parents=True, exist_ok=True)
        for part, begin in enumerate(range(0, size, _FILE_ROWS)):
            values = ", ".join(
                f"(hash(i * 7 + {salt}) % {count})::INTEGER AS {name}"
                for salt, (name, count) in enumerate(
                    {"household": 10**6, "x1": 8, "x2": 60, "x3": 50, "s": 50}.items()
                )
            )
            last = min(begin + _FILE_ROWS, size)
            query = (
                f"SELECT {values}, (hash(i * 7 + 5) % 10001) / 1000 AS kwh FROM range({begin}, {last}) t(i)"
            )
            duckdb.sql(f"COPY ({query}) TO '{made}/part-{part:03}.parquet' (FORMAT parquet)")
        made.rename(folder)
    return folder


INTRODUCTION = """\
Readings that come through a pipe as [lines](streams.md), told as cells, beside what Python needs only to
read the same lines from the same pipe (`csv`, or orjson for JSON lines), which is the limit. Then folders
of Parquet files quantised and audited by fresh processes, with their peak of memory."""


def measured(form: Form) -> Iterator[Part]:
    """Lines through a pipe, and files of growing size."""
    yield Table(rows(form.size(10**6)), "Lines through a pipe")
    if form.small:
        yield Table(growth((10**5, 10**6), 1), "Files")
    else:
        yield Table(growth((10**6, 10**7, 3 * 10**7)), "Files")


SECTION = Section("streams", "Streams and large files", INTRODUCTION, measured)


if __name__ == "__main__":
    for line in (*rows(), *line_growth(), *growth()):
        print({name: round(value, 4) if isinstance(value, float) else value for name, value in line.items()})
