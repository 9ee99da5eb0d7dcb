"""Published tables by pytauargus: the engine of tau-Argus, in an empty folder of its own.

The engine leaves scratch files where it runs, and a second job there can read those of the first.
"""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from pytauargus import protect as protect_table  # type: ignore[import-not-found]
from pytauargus._tauargus import audit_jj  # type: ignore[import-not-found]

from peers.protocol import Task, serve


def audit(path: str) -> Task:
    """The intervals of all suppressed cells of a table in the engine's own format."""
    table = str(Path(path).with_suffix(".jj").resolve())

    def task() -> list[list[Any]]:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            found = audit_jj(table)
            os.chdir("/")
        return [[row["cell"], round(row["min"]), round(row["max"]), bool(row["unsafe"])] for row in found]

    return task


def protect(path: str, rule: str) -> Task:
    """Which cells the engine suppresses in a table of records: row, column and status of each cell."""
    records = json.loads(Path(path).resolve().read_text())

    def task() -> list[list[Any]]:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            made = protect_table(
                {key: records[key] for key in ("r", "c", "v")},
                ["r", "c"],
                response="v",
                safety_rules=rule,
                suppress="OPT(1)",
                workdir=folder,
            )
            os.chdir("/")
        return [[row["r"], row["c"], row["status"]] for row in made.tables[0].rows]

    return task


def suppress(path: str, rule: str, method: str) -> Task:
    """The same with groups of neighbours as a hierarchy: each cell with its status and protection levels."""
    records = json.loads(Path(path).resolve().read_text())

    def task() -> list[list[Any]]:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            hierarchies = {}
            for axis in "rc":
                labels, width = sorted(set(records[axis])), records["groups"][axis]
                if width:
                    lines = [
                        f"@{label}" if place % width else f"{axis}g{place // width}\n@{label}"
                        for place, label in enumerate(labels)
                    ]
                    hierarchies[axis] = f"{folder}/{axis}.hrc"
                    Path(hierarchies[axis]).write_text("\n".join(lines) + "\n")
            made = protect_table(
                {key: records[key] for key in ("r", "c", "v")},
                ["r", "c"],
                response="v",
                safety_rules=rule,
                suppress=method,
                workdir=folder,
                hrc=hierarchies or None,
                hierleadstring="@" if hierarchies else None,
            )
            os.chdir("/")
        keys = ("r", "c", "status", "lower", "upper", "cost")
        return [[row[key] for key in keys] for row in made.tables[0].rows]

    return task


if __name__ == "__main__":
    serve({"audit": audit, "protect": protect, "suppress": suppress})
