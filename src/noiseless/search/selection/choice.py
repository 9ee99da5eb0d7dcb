"""A chosen partition: what it is worth, and what is proved about it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from noiseless.arrays import BoolArray
from noiseless.display import html_table, text_table
from noiseless.exact import Bits
from noiseless.search.merging.cells import Cells
from noiseless.search.merging.length import Length
from noiseless.search.selection.measures import Measures
from noiseless.search.selection.problem import Problem

Scope = Literal["contiguous", "all"]
Value = Literal["distortion", "resolution", "leakage", "maximin", "lagrangian"]


@dataclass(frozen=True, eq=False, repr=False)
class Choice:
    """The cells chosen for a wish. All measures are recounted from the cells alone.

    Attributes:
        problem: what was to be chosen.
        cells: the cell of each public value; suppressed values are a cell of their own.
        suppressed: which public values are suppressed.
        quality: what the cells give away and keep.
        method: how they were found: `exact, contiguous`, `greedy`, `dealing`, `fewest blocks` or `unchanged`.
        value: what was made as small as possible (resolution: as large).
        optimal: whether it is proved that no cells in `scope` do better within the limits.
        gap: by how much any other partition could be better at most, rounded up: in bits or, for the
            distortion, in its own unit; 0 only if none is better; None if no bound is known.
        scope: among which partitions `optimal` holds: `all`, or those with `contiguous` cells.
        proof: in words, what shows it.
        at_least: the exact bound behind the gap: the least distortion, largest cell (as Bits of its size),
            leakage or maximin information that any partition within the limits has.
    """

    problem: Problem
    cells: Cells
    suppressed: BoolArray
    quality: Measures
    method: str
    value: Value
    optimal: bool
    gap: float | None
    scope: Scope
    proof: str
    at_least: Bits | Length | None = None

    @cached_property
    def suppressed_cells(self) -> tuple[int, ...]:
        """The numbers of the cells that hold suppressed values."""
        return tuple(np.unique(self.cells.cell_of[self.suppressed]).tolist())

    def _rows(self) -> dict[str, str]:
        found = self.quality
        gap = "not known" if self.gap is None else f"at most {self.gap:.4g}" if self.gap else "none"
        rows = {
            "method": self.method,
            "cells": f"{found.cells:,} for {self.problem.size:,} values",
            "min posterior": f"{found.min_posterior:,} of {self.problem.joint.size_x:,}",
            "leakage": str(found.leakage),
            "maximin": str(found.maximin),
            "largest cell": f"{found.largest_cell:,} values",
            "distortion": "-" if found.distortion is None else str(found.distortion),
            "suppressed": f"{found.suppressed_rows:,} rows",
            "optimal": f"{'yes' if self.optimal else 'not proved'}, {self.value}, {self.scope} cells",
            "gap": gap,
        }
        if not found.suppressed_rows:
            del rows["suppressed"]
        return rows

    def __repr__(self) -> str:
        return text_table("Choice", self._rows())

    def _repr_html_(self) -> str:
        return html_table("Choice", self._rows())
