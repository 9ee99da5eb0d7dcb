"""How long `import noiseless` takes in a fresh interpreter, and the first touch of what most people use."""

import resource
import subprocess
import sys
from collections.abc import Iterator

from measure import best_of, in_a_process
from page import Form, Part, Section, Table

INTRODUCTION = """\
Parts are loaded when they are first used. The limit is an interpreter that imports what every program has
loaded anyway (`typing` and `importlib`). Below it the first touch of a name: seconds of CPU time of a whole
process, beside one that imports numpy and DuckDB. The aim is one and a half times as long."""

TOUCHED = ("audit", "release", "Curator")


def seconds(what: str, repeats: int) -> float:
    """The shortest time of an import, each in a fresh interpreter."""
    clock = "time.perf_counter()"
    code = f"import time, json; t = {clock}; import {what}; print(json.dumps({clock} - t))"
    found: list[float] = []
    best_of(repeats, lambda: found.append(float(in_a_process(code))))
    return min(found)


def cpu(code: str) -> float:
    """Seconds of CPU time of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(form: Form) -> Iterator[Part]:
    """The import alone, and with what an audit needs."""
    repeats = 2 if form.small else 5
    names = {"import noiseless": "noiseless", "limit": "typing, importlib", "with numpy": "noiseless, numpy"}
    yield Table([{"what": name, "s": seconds(what, repeats)} for name, what in names.items()])
    codes = {"limit": "import numpy, duckdb"}
    codes |= {f"nl.{name}": f"import noiseless as nl; nl.{name}" for name in TOUCHED}
    turns = [{name: cpu(code) for name, code in codes.items()} for _ in range(repeats)]
    least = {name: min(turn[name] for turn in turns) for name in codes}
    rows = [{"touched": name, "CPU s": s, "of the limit": s / least["limit"]} for name, s in least.items()]
    yield Table(rows, "The first touch")


SECTION = Section("import", "Import", INTRODUCTION, measured)
