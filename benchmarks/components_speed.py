"""Maximin information of loose pairs against scipy's connected components on the same codes."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import noiseless as nl
from measure import best_of

Codes = npt.NDArray[np.int64]

SHAPES = ((50, 2 * 10**7), (10**4, 10**6), (10**6, 10**6), (10**7, 10**7), (3 * 10**7, 3 * 10**7))


def rows(pairs: int = 10**7) -> list[dict[str, Any]]:
    """One line a shape of the range."""
    return [_row(nx, ny, pairs) for nx, ny in SHAPES]


def _row(nx: int, ny: int, pairs: int) -> dict[str, Any]:
    x, y = _distinct_pairs(nx, ny, pairs)
    blocks = nl.maximin(nl.JointRange.from_codes(x, y)).ratio
    ours, theirs = best_of(
        3, lambda: nl.maximin(nl.JointRange.from_codes(x, y)), lambda: _scipy_components(x, y)
    )
    if blocks != _scipy_components(x, y):
        raise AssertionError("the two disagree")
    return {
        "range": f"{x.max() + 1:,} x {y.max() + 1:,}",
        "pairs": len(x),
        "components": int(blocks),
        "noiseless s": ours,
        "scipy s": theirs,
        "times faster": theirs / ours,
    }


def _distinct_pairs(nx: int, ny: int, pairs: int) -> tuple[Codes, Codes]:
    rng = np.random.default_rng(0)
    keys = np.sort(rng.integers(0, nx * ny, pairs + pairs // 50))
    keys = keys[np.append(True, keys[1:] != keys[:-1])]
    rng.shuffle(keys)
    sides = np.divmod(keys[:pairs], ny)
    x, y = (np.unique(side, return_inverse=True)[1] for side in sides)
    return x, y


def _scipy_components(x: Codes, y: Codes) -> int:
    first = int(x.max()) + 1
    size = first + int(y.max()) + 1
    graph = coo_array((np.ones(len(x), np.int8), (x, y + first)), shape=(size, size)).tocsr()
    return int(connected_components(graph, directed=False)[0])
