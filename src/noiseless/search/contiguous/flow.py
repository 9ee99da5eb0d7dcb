"""The fewest blocks that cells of a width can leave, as a mixed-integer program with a flow.

A cell is named by its leftmost value i, and an arc (i, j) says that value j may be in it. Each block needs
one unit of flow, sent through cells from a block that is a root: each component needs a root, and one is
enough.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray

_SLACK = 1e-4
"""How far the solver's dual bound may be off: it works to 1e-6."""

_Rows = list[tuple[dict[int, float], float, float]]


def solved(places: list[int], blocks: list[int], width: int, nodes: int) -> tuple[IntArray | None, int]:
    """The best cells that the solver found, and its lower bound on how many blocks are left.

    The search ends after so many nodes of its tree, not after some time: the same program always has the same
    solution. The cells are read off by rounding; whether they are narrow enough is checked in whole numbers.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    program = _Program(places, np.unique(blocks, return_inverse=True)[1].tolist(), width)
    limits = LinearConstraint(
        program.matrix, [row[1] for row in program.rows], [row[2] for row in program.rows]
    )
    found = milp(
        program.cost,
        integrality=program.whole,
        bounds=Bounds(*program.bounds),
        constraints=limits,
        options={"node_limit": nodes},
    )
    bound = found.mip_dual_bound
    lower = 1 if bound is None or not math.isfinite(bound) else math.ceil(bound - _SLACK)
    return None if found.x is None else program.cells(found.x), lower


@dataclass(frozen=True)
class _Program:
    """Variables: whether an arc is used, the flow along it, each block's supply, whether it is a root."""

    places: list[int]
    blocks: list[int]
    width: int

    @cached_property
    def arcs(self) -> dict[tuple[int, int], int]:
        """The arcs, numbered."""
        size = len(self.places)
        pairs = ((i, j) for i in range(size) for j in range(i, size))
        near = [(i, j) for i, j in pairs if self.places[j] - self.places[i] <= self.width]
        return {arc: number for number, arc in enumerate(near)}

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return max(self.blocks) + 1

    @property
    def offsets(self) -> tuple[int, int, int, int]:
        """Where flows, supplies and roots begin, and how many variables there are."""
        arcs = len(self.arcs)
        return arcs, 2 * arcs, 2 * arcs + self.count, 2 * arcs + 2 * self.count

    @cached_property
    def rows(self) -> _Rows:
        """The constraints: coefficients, lower end, upper end."""
        return [*self._cell_rows(), *self._flow_rows()]

    def _cell_rows(self) -> _Rows:
        """Each value is in one cell, and in one that has its leftmost value."""
        size = len(self.places)
        into: _Rows = [
            ({n: 1.0 for (_, j), n in self.arcs.items() if j == value}, 1, 1) for value in range(size)
        ]
        opened: _Rows = [
            ({n: 1.0, self.arcs[i, i]: -1.0}, -np.inf, 0) for (i, j), n in self.arcs.items() if i != j
        ]
        return into + opened

    def _flow_rows(self) -> _Rows:
        """Flow only along arcs that are used; a cell keeps none, a block one unit; only roots supply."""
        flow, supply, root, _ = self.offsets
        most = float(self.count)
        found: _Rows = []
        for number in self.arcs.values():
            found.append(({flow + number: 1.0, number: -most}, -np.inf, 0))
            found.append(({flow + number: 1.0, number: most}, 0, np.inf))
        for cell in range(len(self.places)):
            found.append(({flow + n: 1.0 for (i, _), n in self.arcs.items() if i == cell}, 0, 0))
        for block in range(self.count):
            inflow = {flow + n: 1.0 for (_, j), n in self.arcs.items() if self.blocks[j] == block}
            found.append((inflow | {supply + block: 1.0}, 1, 1))
            found.append(({supply + block: 1.0, root + block: -most}, -np.inf, 0))
        return found

    @property
    def matrix(self) -> Any:  # noqa: ANN401 - a sparse array of scipy
        """The coefficients."""
        from scipy.sparse import coo_array

        entries = [
            (row, column, value)
            for row, (line, _, _) in enumerate(self.rows)
            for column, value in line.items()
        ]
        rows, columns, values = zip(*entries, strict=True)
        return coo_array((values, (rows, columns)), shape=(len(self.rows), self.offsets[3])).tocsr()

    @property
    def cost(self) -> IntArray:
        """The roots are counted."""
        return (np.arange(self.offsets[3]) >= self.offsets[2]).astype(np.int64)

    @property
    def whole(self) -> IntArray:
        """Arcs and roots are whole."""
        used: IntArray = (np.arange(self.offsets[3]) < self.offsets[0]).astype(np.int64)
        return used + self.cost

    @property
    def bounds(self) -> tuple[IntArray, IntArray]:
        """The ends of each variable."""
        flow, supply, root, size = self.offsets
        low, high = np.zeros(size, np.int64), np.ones(size, np.int64)
        low[flow:supply], high[flow:root] = -self.count, self.count
        return low, high

    def cells(self, solution: npt.NDArray[np.float64]) -> IntArray | None:
        """The cell of each value: the arc that is used most, if that makes cells of the width."""
        chosen = [
            max((solution[n], i) for (i, j), n in self.arcs.items() if j == value)[1]
            for value in range(len(self.places))
        ]
        if any(self.places[j] - self.places[i] > self.width for j, i in enumerate(chosen)):
            return None
        found: IntArray = np.unique(chosen, return_inverse=True)[1]
        return found
