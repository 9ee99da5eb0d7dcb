"""Lovasz's number of random graphs, certified, beside the float solver alone and beside a general solver."""

import itertools
import random
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from measure import best_of, copying
from noiseless.theory.zero_error import Graph, lovasz_theta
from noiseless.theory.zero_error.semidefinite import solve
from page import Form, Part, Section, Table
from wording import NOT_RUN, growth, versus

SIZES = (25, 50, 100)
DENSITIES = (0.1, 0.5, 0.9)

GENERAL = 50
"""The largest graph given to the general solver: its cone of order 100 takes minutes."""


def rows(sizes: tuple[int, ...] = SIZES, general: int = GENERAL) -> list[dict[str, Any]]:
    """One line a graph: seconds, and how far apart the two certified ends are."""
    _general(_graph(5, 0.5).matrix)  # loads what it needs
    return [_row(size, density, general) for size in sizes for density in DENSITIES]


def _row(size: int, density: float, general: int) -> dict[str, Any]:
    graph = _graph(size, density)
    edges = graph.matrix
    found = lovasz_theta(graph)
    certified, alone = best_of(2, lambda: lovasz_theta(graph), lambda: solve(edges))
    peer = best_of(1, lambda: _general(edges))[0] if size <= general else None
    return {
        "nodes": size,
        "density": density,
        "theta": float(found.upper),
        "certified gap / theta": float((found.upper - found.lower) / found.upper),
        "copy s": copying(edges),
        "certified s": certified,
        "solver alone s": alone,
        "certified / alone": certified / alone,
        "Clarabel s": NOT_RUN if peer is None else peer,
        "times faster": "" if peer is None else peer / certified,
    }


def _graph(size: int, density: float) -> Graph:
    chance = random.Random(0)
    pairs = itertools.combinations(range(size), 2)
    return Graph.from_edges(size, [pair for pair in pairs if chance.random() < density])


def _general(edges: npt.NDArray[np.bool_]) -> float:
    """The primal program through cvxpy, as most people would write it; nothing is certified."""
    cp: Any = import_module("cvxpy")
    size = len(edges)
    matrix = cp.Variable((size, size), PSD=True)
    first, second = np.nonzero(np.triu(edges))
    problem = cp.Problem(cp.Maximize(cp.sum(matrix)), [cp.trace(matrix) == 1, matrix[first, second] == 0])
    return float(problem.solve(solver=cp.CLARABEL))


INTRODUCTION = f"""\
Lovasz's number of random graphs between two certified ends, beside the float solver alone and beside
Clarabel through cvxpy, which certifies nothing (to {GENERAL} nodes only: at 100 it takes minutes). The
limit is a copy of the matrix of edges."""


def measured(form: Form) -> Iterator[Part]:
    """Growing graphs."""
    found = rows((8, 16) if form.small else SIZES)
    yield Table(found)
    yield from versus(found, "certified s", {"Clarabel": "Clarabel s"}, ("nodes", "density"))
    columns = {"certified": "certified s", "Clarabel": "Clarabel s"}
    yield Table(growth(found, "nodes", columns, ("density",)), "Growth: the exponent of nodes")


SECTION = Section("theta", "Lovasz's number", INTRODUCTION, measured)


if __name__ == "__main__":
    for row in rows():
        print(", ".join(f"{name} {value}" for name, value in row.items()), flush=True)
