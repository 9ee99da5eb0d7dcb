"""What a command costs on a small table, the first time that it runs on a machine and later."""

import os
import random
import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from page import Form, Part, Section, Table, Words

INTRODUCTION = """\
Seconds of CPU time (user and system, all threads) of a whole process on a CSV file of 2,000 rows, beside
those of `python -c "import numpy, duckdb"` in the same turn. *First* is with an empty cache of compiled
kernels, *again* with what the first run left behind. *No bytecode* is without any `__pycache__` as well, as
right after an installation that does not compile."""

ROWS = 2000
LIMIT_FIRST, LIMIT_AGAIN = 2, 1
"""What is aimed at, in seconds."""

CURATOR = """\
[dataset]
name = "people"
source = "people.csv"
[budget]
bits = 40
query_bits = 1
[columns.sex]
role = "public"
categories = ["f", "m"]
[columns.age]
role = "private"
bounds = [0, 120]
step = 1
"""

HIDE = ("people.csv", "--sensitive", "illness")
COMMANDS: Mapping[str, Sequence[str]] = {
    "audit": ("audit", *HIDE, "--public", "age", "--public", "sex"),
    "audit --html": ("audit", *HIDE, "--public", "age", "--public", "sex", "--html", "audit.html"),
    "release, one column": (
        *("release", *HIDE, "--public", "age", "--min-posterior", "3"),
        *("-o", "released.csv", "--certificate", "certificate.json"),
    ),
    "release, three columns": (
        *("release", *HIDE, "--public", "age", "--public", "sex", "--public", "postcode"),
        *("--min-posterior", "3", "-o", "three.csv"),
    ),
    "frontier, one column": ("frontier", *HIDE, "--public", "age"),
    "frontier, three columns": (
        *("frontier", *HIDE, "--public", "age", "--public", "sex", "--public", "postcode"),
    ),
    "verify": ("verify", "certificate.json", "--original", "people.csv", "--released", "released.csv"),
    "plan": ("plan", "--query", "mean", "--n", str(ROWS), "--bounds", "0", "100", "--budget", "2"),
    "query": ("query", "curator.toml", "SELECT AVG(age) FROM people"),
    "quantize": (
        *("quantize", "people.csv", "--column", "chol", "--bounds", "0", "500"),
        *("--budget", "3", "-o", "quantized.csv"),
    ),
    "blur": (
        *("blur", "people.csv", "--hypothesis", "chol >= 240", "--max-change", "10"),
        *("--bounds", "chol=100:500", "-o", "blurred.csv"),
    ),
}


def measured(form: Form) -> Iterator[Part]:
    """Every command, the first time and again."""
    rows = list[dict[str, Any]]()
    with TemporaryDirectory() as folder:
        here = Path(folder)
        _write_table(here)
        for name, words in COMMANDS.items():
            rows.append({"command": name, **_costs(words, here, 1 if form.small else 3)})
    yield Table(rows)
    late = [
        f"{row['command']} ({row['first s']:.2g} s, {row['again s']:.2g} s)"
        for row in rows
        if row["first s"] > LIMIT_FIRST or row["again s"] > LIMIT_AGAIN
    ]
    aim = f"The aim is {LIMIT_FIRST} s the first time and {LIMIT_AGAIN} s after it."
    yield Words(f"{aim} Not kept here: {'; '.join(late)}." if late else f"{aim} Every command keeps it.")


def _costs(words: Sequence[str], here: Path, turns: int) -> dict[str, float]:
    """The least of several turns, of the limit and of each way to begin."""
    found: dict[str, list[float]] = {"limit s": [], "first s": [], "again s": [], "no bytecode s": []}
    command = (sys.executable, "-m", "noiseless", *words)
    for _ in range(turns):
        with TemporaryDirectory() as empty:
            kernels = {"NUMBA_CACHE_DIR": f"{empty}/kernels"}
            fresh = {"NUMBA_CACHE_DIR": f"{empty}/none", "PYTHONPYCACHEPREFIX": f"{empty}/bytecode"}
            found["limit s"].append(_cpu((sys.executable, "-c", "import numpy, duckdb"), here, {}))
            found["first s"].append(_cpu(command, here, kernels))
            found["again s"].append(_cpu(command, here, kernels))
            found["no bytecode s"].append(_cpu(command, here, fresh))
    least = {name: min(times) for name, times in found.items()}
    return {**least, "first / limit": least["first s"] / least["limit s"]}


def _cpu(command: Sequence[str], here: Path, variables: Mapping[str, str]) -> float:
    """Seconds of CPU time of a process and its children."""
    before = _used()
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, cwd=here, env={**plain, **variables}, capture_output=True, check=True)
    return _used() - before


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _write_table(here: Path) -> None:
    draw = random.Random(5)
    lines = ["age,sex,postcode,chol,illness"]
    for _ in range(ROWS):
        illness = draw.choice(["flu", "cold", "asthma", "none", "none"])
        person = (draw.randint(18, 90), draw.choice("fm"), draw.randint(8000, 8039), draw.randint(120, 400))
        lines.append(",".join(map(str, (*person, illness))))
    (here / "people.csv").write_text("\n".join(lines) + "\n")
    (here / "curator.toml").write_text(CURATOR)


SECTION = Section("first-run", "The first run of a command", INTRODUCTION, measured)
