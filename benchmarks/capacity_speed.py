"""Channel capacity of mechanisms of growing size, and of large random channels."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import laplace, norm

from measure import best_of, copying, exponent
from noiseless.theory.capacity import capacity
from noiseless.theory.channel import Channel
from page import Form, Part, Plot, Section, Table

Matrix = npt.NDArray[np.float64]

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
    row["copy of the largest s"] = copying(make(sizes[-1]))
    row["exponent of inputs"] = exponent(sizes, times)
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


INTRODUCTION = f"""\
[Capacity](capacity.md) to a certified bracket of {TOLERANCE:g} nats, for mechanisms with as many outputs as
inputs; then random channels to 1e-6 nats. The limit is a copy of the matrix. Further above it stands beside
peers."""


def measured(form: Form) -> Iterator[Part]:
    """Mechanisms and random channels."""
    sizes = (32, 128) if form.small else (256, 1024, 4096)
    found = mechanisms(sizes)
    yield Table(found, "Mechanisms")
    lines = {row["mechanism"]: [(size, row[f"{size} inputs s"]) for size in sizes] for row in found}
    yield Plot("mechanisms", "Seconds to find the capacity of a mechanism", "inputs", "seconds", lines)
    yield Table(large(form.size(1000)), "Random channels")


SECTION = Section("capacity", "Channel capacity of mechanisms", INTRODUCTION, measured)
