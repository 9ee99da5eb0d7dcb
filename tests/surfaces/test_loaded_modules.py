"""A command loads only what it needs: counted in modules, since a test looks at no clock."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import noiseless as nl

HIDE = ("people.csv", "--sensitive", "illness", "--public", "age")
COMMANDS = {
    "audit": ("audit", *HIDE, "--public", "sex"),
    "release": ("release", *HIDE, "--public", "sex", "--min-posterior", "2", "-o", "out.csv"),
    "frontier": ("frontier", *HIDE),
    "verify": ("verify", "certificate.json", "--original", "people.csv", "--released", "released.csv"),
    "plan": ("plan", "--query", "mean", "--n", "100", "--bounds", "0", "1", "--budget", "1"),
    "quantize": (
        *("quantize", "people.csv", "--column", "age", "--bounds", "0", "99", "--budget", "2"),
        *("-o", "out.csv"),
    ),
    "blur": (
        *("blur", "people.csv", "--hypothesis", "age >= 50", "--max-change", "5"),
        *("--bounds", "age=0:99", "-o", "out.csv"),
    ),
}
NEVER = (
    *("matplotlib", "numba", "pandas", "scipy", "sqlglot", "fastapi", "rich"),
    *("noiseless.adversaries", "noiseless.gallery"),
)
"""What none of these commands loads."""
QUESTIONS = ("noiseless.questions", "noiseless.pricing", "noiseless.curator", "noiseless.ledger")
THEORY = ("noiseless.theory", "noiseless.comparison", "noiseless.rules")
UNUSED = {
    "audit": (*QUESTIONS, *THEORY, "noiseless.releases", "noiseless.verification", "noiseless.collection"),
    "release": (*QUESTIONS, *THEORY, "noiseless.collection", "noiseless.audits.auditor"),
    "frontier": (*QUESTIONS, *THEORY, "noiseless.collection", "pyarrow.parquet"),
    "verify": (*QUESTIONS, *THEORY, "noiseless.audits", "noiseless.releases", "noiseless.ranges"),
    "plan": ("noiseless.curator", "noiseless.ledger", "noiseless.audits", "noiseless.releases"),
    "quantize": ("noiseless.curator", "noiseless.ledger", "noiseless.audits", "noiseless.releases"),
    "blur": ("noiseless.curator", "noiseless.ledger", "noiseless.releases"),
}
MOST = {"audit": 66, "release": 135, "frontier": 135, "verify": 58, "plan": 80, "quantize": 93, "blur": 103}
"""At most this many of our modules."""
LOADED = """
import json, sys
from noiseless.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    print(json.dumps([end.code, sorted(sys.modules)]))
"""


def loaded(words: tuple[str, ...], folder: Path) -> set[str]:
    """The modules that a command leaves loaded, and the packages that they are in."""
    rows = [f"{20 + i},{'fm'[i % 2]},{('flu', 'cold', 'none')[i % 3]}" for i in range(60)]
    (folder / "people.csv").write_text("\n".join(["age,sex,illness", *rows]) + "\n")
    if "certificate.json" in words:
        made = nl.release(str(folder / "people.csv"), sensitive="illness", public="age", min_posterior=2)
        made.save(folder / "released.csv", certificate=folder / "certificate.json")
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    code, modules = json.loads(done.stdout.splitlines()[-1])
    assert code == 0, done.stderr
    return set(modules)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_loads_only_what_it_needs(command: str, tmp_path: Path) -> None:
    found = loaded(COMMANDS[command], tmp_path)
    assert [name for name in (*NEVER, *UNUSED[command]) if name in found] == []
    ours = [name for name in found if name.startswith("noiseless.")]
    assert len(ours) <= MOST[command]
