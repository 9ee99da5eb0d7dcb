"""How long `import noiseless` takes in a fresh interpreter, and the first touch of what most people use."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import noiseless
from measure import best_of, in_a_process
from page import Form, Part, Section, Table

INTRODUCTION = """\
Parts are loaded when they are first used. The limit is an interpreter that imports what every program has
loaded anyway (`typing` and `importlib`). Below it the first touch of a name: seconds of CPU time of a whole
process, beside one that imports numpy and DuckDB. The aim is one and a half times as long. Below that the
first use, on the bundled table: the limit of it is DuckDB that counts the same values and Arrow that hands
them to numpy, for which Arrow loads pandas where it is installed."""

TOUCHED = ("audit", "release", "Curator")

FILE = Path(noiseless.__file__).parent / "data" / "patients.csv"
COUNTED = f"SELECT age, illness, count(*) AS n FROM '{FILE}' GROUP BY ALL"
ROLES = "sensitive='illness', public='age'"
ASKED = f"""
import shutil, tempfile, noiseless as nl
with tempfile.TemporaryDirectory() as folder:
    shutil.copytree({str(FILE.parent)!r}, folder, dirs_exist_ok=True)
    with nl.Curator.open(folder + "/patients.toml") as curator:
        curator.ask("SELECT AVG(age) FROM patients")
"""
USED = {
    "DuckDB and Arrow": f"import duckdb; duckdb.sql({COUNTED!r}).to_arrow_table()['n'].to_numpy()",
    "nl.audit(...)": f"import noiseless as nl; nl.audit({str(FILE)!r}, {ROLES})",
    "nl.release(...)": f"import noiseless as nl; nl.release({str(FILE)!r}, {ROLES}, min_posterior=2)",
    "nl.Curator.open(...).ask(...)": ASKED,
}


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
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, "-c", code], check=True, env=plain)  # compiled, as what is installed is
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(form: Form) -> Iterator[Part]:
    """The import alone, and with what an audit needs."""
    repeats = 2 if form.small else 5
    names = {"import noiseless": "noiseless", "limit": "typing, importlib", "with numpy": "noiseless, numpy"}
    yield Table([{"what": name, "s": seconds(what, repeats)} for name, what in names.items()])
    codes = {"limit": "import numpy, duckdb"}
    codes |= {f"nl.{name}": f"import noiseless as nl; nl.{name}" for name in TOUCHED}
    codes |= USED
    turns = [{name: cpu(code) for name, code in codes.items()} for _ in range(repeats)]
    least = {name: min(turn[name] for turn in turns) for name in codes}
    rows = [{"touched": name, "CPU s": s, "of the limit": s / least["limit"]} for name, s in least.items()]
    yield Table(rows, "The first touch")


SECTION = Section("import", "Import", INTRODUCTION, measured)
