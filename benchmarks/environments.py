"""Virtual environments of the peers: their pins clash with ours and with each other's."""

import hashlib
import shutil
import subprocess
import sys
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from measure import ROOT, WORK

PEERS = (
    *("pycanon", "anjana", "microagg1d", "dit", "qif"),
    *("diffprivlib", "opendp", "dp-accounting", "pytauargus"),
)

_REQUIREMENTS = ROOT / "benchmarks" / "peers"


def python_of(peer: str) -> str:
    """The interpreter of a peer.

    Raises:
        CalledProcessError: its environment could not be made; it is tried once in a run.
    """
    found = _made(peer)
    if isinstance(found, subprocess.CalledProcessError):
        raise found
    return found


@cache
def _made(peer: str) -> str | subprocess.CalledProcessError:
    """The interpreter; its environment is made where there is none that has these very requirements."""
    requirements = _REQUIREMENTS / f"requirements-{peer}.txt"
    home = WORK / f"{peer}-venv"
    python, done = home / "bin" / "python", home / "requirements"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if not done.exists() or done.read_text() != digest:
        shutil.rmtree(home, ignore_errors=True)
        WORK.mkdir(exist_ok=True)
        install = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        try:
            subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
            subprocess.run([*install, "-r", str(requirements)], check=True)
        except subprocess.CalledProcessError as error:
            return error
        done.write_text(digest)
    return str(python)


@cache
def versions_of(peer: str) -> dict[str, str]:
    """What is installed in a peer's environment."""
    folders = (WORK / f"{peer}-venv").glob("lib/python*/site-packages")
    return {found.name: found.version for found in distributions(path=[str(folder) for folder in folders])}


def made(peer: str) -> bool:
    """Whether a peer's environment is there."""
    return Path(WORK / f"{peer}-venv" / "requirements").exists()
