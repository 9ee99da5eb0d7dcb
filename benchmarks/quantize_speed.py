"""Readings into cells against a memory copy with as many threads, and against numpy's own digitize.

Like is compared with like: the copy and the middles of cells are both written to memory that is there and
was touched before, and, apart, both to new memory, where the system's work on its pages costs more than
either. Cells are numbers of one byte in new memory, and are compared with the first of the two copies.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from measure import best_of
from noiseless.collection.local.scalar import LocalQuantizer
from noiseless.questions import Continuum, Lattice
from page import Form, Part, Section, Table
from wording import beside_limit, versus

CELLS = 16
THREADS = 2

Floats = npt.NDArray[np.float64]


def rows(size: int = 10**7) -> list[dict[str, Any]]:
    """One line for each kind of readings: random ones, and those of a meter, many of which lie on edges."""
    rng = np.random.default_rng(0)
    any_number = LocalQuantizer.finest(Continuum.of(0, 10), CELLS)
    thirds = LocalQuantizer.finest(Continuum.of(0, Fraction(10, 3)), CELLS)
    meter = LocalQuantizer.finest(Lattice.of(0, 10, Fraction(1, 1000)), CELLS)
    return [
        _row("any number in 0..10", any_number, rng.random(size) * 10),
        _row("any number, multiples of 0.025", any_number, rng.integers(0, 401, size) / 40),
        _row("any number in 0..10/3, edges that are no floats", thirds, rng.integers(0, 480, size) / 144),
        _row("0..10 in steps of 0.001", meter, rng.integers(0, 10001, size) / 1000),
    ]


def _row(name: str, release: LocalQuantizer, values: Floats) -> dict[str, Any]:
    edges = np.array([_first_float(release.quantizer.edge(cell)) for cell in range(1, release.cells)])
    middles, target = release.midpoints, np.empty_like(values)
    target.fill(0)
    if not (middles.take(np.digitize(values, edges)) == release.release_midpoints(values)).all():
        raise AssertionError("the two disagree")
    with ThreadPoolExecutor(THREADS) as pool:
        copy, codes, told, new_copy, new_told = best_of(
            15,
            lambda: _copy(pool, values, target),
            lambda: release.encode(values),
            lambda: release.release_midpoints(values, out=target),
            lambda: _copy(pool, values, np.empty_like(values)),
            lambda: release.release_midpoints(values),
        )
    (digitize,) = best_of(3, lambda: middles.take(np.digitize(values, edges)))
    return {
        "readings": name,
        "rows": len(values),
        "cells s": codes,
        "middles s": told,
        "copy s": copy,
        "digitize + take s": digitize,
        "cells / copy": codes / copy,
        "middles / copy": told / copy,
        "middles / copy, both new": new_told / new_copy,
        "cells: times faster": digitize / codes,
        "middles: times faster": digitize / told,
        "new middles: times faster": digitize / new_told,
    }


def _first_float(edge: Fraction) -> float:
    """The smallest float at or above an edge: what makes digitize exact."""
    nearest = float(edge)
    return nearest if Fraction(nearest) >= edge else float(np.nextafter(nearest, np.inf))


def _copy(pool: ThreadPoolExecutor, values: Floats, target: Floats) -> None:
    half = len(values) // 2
    parts = (slice(None, half), slice(half, None))
    list(pool.map(lambda part: np.copyto(target[part], values[part]), parts))


INTRODUCTION = f"""\
Doubles in memory told as one of {CELLS} cells (codes), or as the middles of cells, beside a copy of the
column by two threads, which is the limit, and `numpy.digitize` with a gather. Edges are exact: a reading on
an edge always lands in the same cell. Copy and middles are written to memory that was touched before
(`out=`); the columns "new" give new memory to both."""


def measured(form: Form) -> Iterator[Part]:
    """All kinds of readings."""
    found = rows(form.size(10**7))
    yield Table(found)
    yield from versus(found, "cells s", {"digitize": "digitize + take s"}, ("readings",))
    yield beside_limit(found, "cells s", "copy s", "the copy by two threads")


SECTION = Section("quantize", "Quantising readings", INTRODUCTION, measured)

if __name__ == "__main__":
    for line in rows():
        print({name: round(value, 5) if isinstance(value, float) else value for name, value in line.items()})
