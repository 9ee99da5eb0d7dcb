"""Channel capacity against libqif and dit, on random channels, and alone on mechanisms of growing size."""

import json
import math
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import laplace, norm

from measure import ROOT, WORK, best_of
from noiseless.measures.capacity import Capacity, capacity
from noiseless.measures.channel import Channel

Matrix = npt.NDArray[np.float64]

_PEERS = ROOT / "benchmarks" / "peers"
TOLERANCE = 1e-9


def geometric(inputs: int, step: float) -> Matrix:
    """The geometric mechanism on 0..inputs-1, clamped, `step` nats between neighbours."""
    places = np.arange(inputs)
    ratio = math.exp(-step)
    matrix = ratio ** np.abs(places[:, None] - places) * (1 - ratio) / (1 + ratio)
    matrix[:, 0], matrix[:, -1] = ratio**places / (1 + ratio), ratio ** places[::-1] / (1 + ratio)
    return _normal(matrix)


def additive(inputs: int, noise: Any) -> Matrix:  # noqa: ANN401 - a frozen distribution of scipy
    """Inputs spread over [0, 1], noise added, outputs in as many bins of equal width, the outer ones open."""
    edges = np.linspace(-6 * noise.std(), 1 + 6 * noise.std(), inputs + 1)
    edges[[0, -1]] = -np.inf, np.inf
    offsets = edges - np.linspace(0, 1, inputs)[:, None]
    below, above = noise.cdf(offsets), noise.sf(offsets)
    tails = np.where(offsets[:, :-1] > 0, above[:, :-1] - above[:, 1:], below[:, 1:] - below[:, :-1])
    return _normal(np.maximum(tails, 0))


def _normal(matrix: Matrix) -> Matrix:
    matrix = matrix[:, matrix.any(axis=0)]
    normal: Matrix = matrix / matrix.sum(axis=1, keepdims=True)
    return normal


def _dirichlet(size: int, concentration: float) -> Matrix:
    return np.random.default_rng(0).dirichlet(np.full(size, concentration), size=size)


MECHANISMS: dict[str, Callable[[int], Matrix]] = {
    "geometric, 2 nats over the range": lambda inputs: geometric(inputs, 2 / (inputs - 1)),
    "geometric, 8 nats over the range": lambda inputs: geometric(inputs, 8 / (inputs - 1)),
    "geometric, 1 nat a step": lambda inputs: geometric(inputs, 1.0),
    "geometric, 0.1 nats a step": lambda inputs: geometric(inputs, 0.1),
    "Laplace, b = 0.5": lambda inputs: additive(inputs, laplace(scale=0.5)),
    "Gauss, sigma = 0.3": lambda inputs: additive(inputs, norm(scale=0.3)),
}
RANDOM: dict[str, Callable[[int], Matrix]] = {
    "rows from Dirichlet(1)": lambda size: _dirichlet(size, 1.0),
    "peaky rows, Dirichlet(0.05)": lambda size: _dirichlet(size, 0.05),
}


def against_peers(size: int = 200) -> list[dict[str, Any]]:
    """Square random channels, to a bracket of 1e-9 nats; libqif to its own 1e-9, dit to its own defaults."""
    return [_peer_row(name, make(size)) for name, make in RANDOM.items()]


def _peer_row(name: str, matrix: Matrix) -> dict[str, Any]:
    path = WORK / "channel.npy"
    WORK.mkdir(exist_ok=True)
    np.save(path, matrix)
    ours, qif, dit = [], [], []
    for _ in range(3):
        ours += best_of(3, lambda: capacity(matrix, tolerance=TOLERANCE))
        qif.append(_run("qif", path, str(TOLERANCE)))
        dit.append(_run("dit", path))
    found = capacity(matrix, tolerance=TOLERANCE)
    _agree(found, qif[0]["bits"], 1e-8)
    _agree(found, dit[0]["bits"], 1e-3)
    return {
        "channel": f"{name}, {len(matrix)} x {matrix.shape[1]}",
        "noiseless s": min(ours),
        "width nats": found.width_nats,
        "libqif s": min(run["seconds"] for run in qif),
        "times faster than libqif": min(run["seconds"] for run in qif) / min(ours),
        "dit s": min(run["seconds"] for run in dit),
        "times faster than dit": min(run["seconds"] for run in dit) / min(ours),
        "dit off by bits": max(found.lower - dit[0]["bits"], dit[0]["bits"] - found.upper, 0.0),
    }


def _agree(found: Capacity, bits: float, tolerance: float) -> None:
    if not found.converged or not found.lower - tolerance <= bits <= found.upper + tolerance:
        raise AssertionError("the two disagree")


def _run(peer: str, *arguments: str | Path) -> dict[str, Any]:
    command = [_python(peer), str(_PEERS / f"{peer}_capacity.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _python(peer: str) -> str:
    """The interpreter that has a peer; its environment is made when it is not there."""
    home = WORK / f"{peer}-venv"
    python = home / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        requirements = str(_PEERS / f"requirements-{peer}.txt")
        subprocess.run([str(python), "-m", "pip", "install", "-q", "-r", requirements], check=True)
    return str(python)


def mechanisms(sizes: tuple[int, ...] = (256, 1024, 4096)) -> list[dict[str, Any]]:
    """Mechanisms with as many outputs as inputs to 1e-9 nats, and how time grows with their size."""
    return [_mechanism_row(name, make, sizes) for name, make in MECHANISMS.items()]


def _mechanism_row(name: str, make: Callable[[int], Matrix], sizes: tuple[int, ...]) -> dict[str, Any]:
    row: dict[str, Any] = {"mechanism": name}
    times = []
    for size in sizes:
        channel = Channel.of(make(size))
        found = capacity(channel, tolerance=TOLERANCE)
        times += best_of(2, partial(capacity, channel, tolerance=TOLERANCE))
        row |= {f"{size} inputs s": times[-1]}
    row["exponent of inputs"] = math.log(times[-1] / times[0]) / math.log(sizes[-1] / sizes[0])
    return row | {"width nats": found.width_nats, "inputs used": found.atoms, "converged": found.converged}


def large(size: int = 1000, tolerance: float = 1e-6) -> list[dict[str, Any]]:
    """Large random channels."""
    found = []
    for name, make in RANDOM.items():
        matrix = make(size)
        ends = capacity(matrix, tolerance=tolerance)
        (seconds,) = best_of(2, partial(capacity, matrix, tolerance=tolerance))
        found.append(
            {"channel": f"{name}, {size} x {size}", "noiseless s": seconds, "width nats": ends.width_nats}
        )
    return found
