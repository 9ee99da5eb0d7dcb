"""Against pycanon, which lives in a virtual environment of its own because its pins clash with ours."""

import json
import subprocess
import sys
from functools import partial
from typing import Any

import pandas as pd

import noiseless as nl
from measure import ROOT, WORK, best_of
from tables import PUBLIC, parquet

_PEERS = ROOT / "benchmarks" / "peers"


def pycanon_python() -> str:
    """The interpreter that has pycanon; its environment is made when it is not there."""
    home = WORK / "pycanon-venv"
    python = home / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        requirements = str(_PEERS / "requirements-pycanon.txt")
        subprocess.run([str(python), "-m", "pip", "install", "-q", "-r", requirements], check=True)
    return str(python)


def rows(size: int = 10**6) -> list[dict[str, Any]]:
    """k-anonymity and l-diversity of a frame that is already in memory."""
    found = []
    for shape, count in (("few groups", size), ("millions of groups", size // 10)):
        path = parquet(shape, count)
        frame = pd.read_parquet(path)
        _k_and_l(frame)
        (ours,) = best_of(7, partial(_k_and_l, frame))
        command = [pycanon_python(), str(_PEERS / "pycanon_anonymity.py"), str(path), ",".join(PUBLIC), "s"]
        theirs = min((_run(command) for _ in range(3)), key=lambda t: t["seconds"]["k"] + t["seconds"]["l"])
        if (theirs["values"]["k"], theirs["values"]["l"]) != _k_and_l(frame):
            raise AssertionError("the two disagree")
        seconds = theirs["seconds"]["k"] + theirs["seconds"]["l"]
        found.append(
            {
                "table": shape,
                "rows": count,
                "noiseless s": ours,
                "pycanon s": seconds,
                "times faster": seconds / ours,
            }
        )
    return found


def _run(command: list[str]) -> dict[str, Any]:
    done = subprocess.run([*command, "--functions", "k,l"], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _k_and_l(frame: pd.DataFrame) -> tuple[int, int]:
    found = nl.audit(frame, sensitive="s", public=PUBLIC)
    return found.k_anonymity, found.distinct_l_diversity
