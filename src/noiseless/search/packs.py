"""Packs of a few values, whose cells are grown and not cut: they may overlap, and hold fewer values."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from noiseless.arrays import FloatArray, IntArray
from noiseless.search.axes import Axis, CategoryAxis, begins, shares, sizes_of
from noiseless.search.batches import CellBatch, CutCells
from noiseless.search.cell_kernels import grow, join_nearest
from noiseless.search.cuts import PACK
from noiseless.search.entries import Entries, stable_order
from noiseless.search.limits import Limit, PosteriorLimit, RowLimit
from noiseless.tables.kernels import compiled


class Wants(NamedTuple):
    """What a cell must hold.

    Attributes:
        entries: the sensitive values behind each public value.
        need: how many different ones there must be, for each code of what is seen.
        counted: the rows of each public value.
        least: how many rows there must be.
    """

    entries: Entries
    need: IntArray
    counted: Entries
    least: int

    @classmethod
    def of(cls, limits: Sequence[Limit]) -> "Wants | None":
        """What limits want; None where that is not a number of different values, of rows, or one of each."""
        values = [limit for limit in limits if isinstance(limit, PosteriorLimit) and limit.entries.alone]
        rows = [limit for limit in limits if isinstance(limit, RowLimit) and limit.entries.alone]
        if len(values) > 1 or len(rows) > 1 or not 0 < len(limits) == len(values) + len(rows):
            return None
        entries, counted = (values or rows)[0].entries, (rows or values)[0].entries
        return cls(
            entries,
            values[0].need if values else np.zeros(entries.many_seen, np.int64),
            counted,
            rows[0].least if rows else 0,
        )


def grown_cells(axes: Sequence[Axis], packs: CellBatch, wants: Wants, *, fast: bool) -> CutCells:
    """The places of members in packs, by the cells that are grown of them; a large pack stays as it is.

    Args:
        axes: the columns.
        packs: the packs, as a batch of cells.
        wants: what a cell of their members must hold.
        fast: whether loops are compiled.
    """
    entries, bounds = wants.entries, np.append(packs.starts, len(packs))
    places = np.stack([_scaled(axis, codes) for axis, codes in zip(axes, packs.codes, strict=True)], axis=1)
    scales = np.array([axis.scale if isinstance(axis, CategoryAxis) else -1.0 for axis in axes])
    needs = wants.need[entries.seen[entries.starts[packs.starts]]]
    given = (
        bounds,
        places.reshape(-1),
        scales,
        entries.starts,
        entries.secrets,
        wants.counted.weights,
        needs,
    )
    stamps, ends = np.zeros(entries.many_secrets, np.int64), np.zeros(2 * len(axes))
    state = (
        stamps,
        ends[: len(axes)],
        ends[len(axes) :],
        np.zeros(places.size, bool),
        np.zeros(len(packs), np.int64),
        np.full(len(packs), -1),
    )
    if not fast:
        given, state = (tuple(part.tolist() for part in parts) for parts in (given, state))
    (compiled(grow) if fast else grow)(*given, wants.least, PACK, *state)
    (compiled(join_nearest) if fast else join_nearest)(*given[:3], state[-1])
    keys = np.repeat(np.arange(len(packs.starts)), np.diff(bounds)) * PACK + np.asarray(state[-1])
    order = stable_order(keys)
    return CutCells(order, np.flatnonzero(begins(keys[order])))


def _scaled(axis: Axis, codes: IntArray) -> FloatArray:
    """Where members lie in a column, for cells to grow: in a hierarchy neighbours are near each other."""
    if isinstance(axis, CategoryAxis):
        return codes.astype(np.float64)
    return np.asarray(axis.points[codes].astype(np.float64) * axis.scale)


def losses(axes: Sequence[Axis], cells: CellBatch, rows: IntArray) -> FloatArray:
    """About what cells lose; those that are larger than a pack do not count."""
    columns = [replace(axis, codes=codes) for axis, codes in zip(axes, cells.codes, strict=True)]
    total = shares(columns, np.arange(len(cells)), cells.starts) * np.add.reduceat(rows, cells.starts)
    return np.where(sizes_of(cells.starts, len(cells)) <= PACK, total, 0.0)
