"""The database of a process."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import atexit

atexit.register(lambda: print("held:", engine._database.cache_info().currsize))  # after what comes later

import noiseless as nl
from noiseless.tables import engine

nl.open_table("patients.csv")
print("held:", engine._database.cache_info().currsize)
"""


def test_the_database_is_let_go_before_the_interpreter_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    script = f"import noiseless\nnoiseless.write_examples()\n{SCRIPT}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["held: 1", "held: 0"]
    assert not done.stderr
