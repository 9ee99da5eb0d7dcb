"""Maximin information of loose pairs against scipy's connected components on the same codes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import noiseless as nl
from measure import best_of, copying, exponent
from page import Form, Part, Section, Table
from wording import versus

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
        "copy s": copying(x, y),
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


def growth(sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    """Seconds by pairs for a range with many components, and the exponent of pairs."""
    found = [_row(size, size, size) for size in sizes]
    return [
        {"by": name.removesuffix(" s")}
        | {f"{size:,} pairs s": line[name] for size, line in zip(sizes, found, strict=True)}
        | {"exponent of pairs": exponent(sizes, [line[name] for line in found])}
        for name in ("noiseless s", "scipy s", "copy s")
    ]


INTRODUCTION = """\
`nl.maximin(nl.JointRange.from_codes(x, y))` on distinct pairs in random order, beside
`scipy.sparse.csgraph.connected_components` on the same codes (which is also the oracle of the tests). The
limit is a copy of the codes."""


def measured(form: Form) -> Iterator[Part]:
    """All shapes of ranges, and growth."""
    found = rows(form.size(10**7))
    yield Table(found)
    yield from versus(found, "noiseless s", {"scipy": "scipy s"}, ("range",))
    yield Table(growth(form.sizes(10**5, 10**6, 10**7)), "Growth, as many values as pairs on both sides")


SECTION = Section("components", "Maximin information of loose pairs", INTRODUCTION, measured)
