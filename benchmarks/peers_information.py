"""Common and mutual information of pairs, beside dit."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from measure import WORK, copying
from page import Form, Part, Plot, Section, Table
from side_by_side import OURS, Contender, Race, columns_of, peaks_of, seconds_of
from wording import growth, points_of, versus

DIT = Contender("dit", "dit_work", "dit")
_PAIRS_OF_A_BLOCK = 5

INTRODUCTION = """\
Gacs and Korner's common information and Shannon's mutual information of a table of pairs with their counts,
from the lists to the number. dit works with floats and builds the lattice of all events, which doubles with
every block; noiseless finds the blocks by union-find and encloses both numbers with certainty. The limit
beside them is a copy of the three columns. The numbers agree to 1e-9."""


def measured(form: Form) -> Iterator[Part]:
    """Few blocks for common information, as dit allows no more; growing tables for mutual information."""
    blocks = (2, 4) if form.small else (2, 4, 5, 6, 1000)
    pairs = (20, 2000) if form.small else (100, 1000, 5000, 50_000)
    sizes = {
        "common information": tuple(_PAIRS_OF_A_BLOCK * count for count in blocks),
        "mutual information": pairs,
    }
    contenders = (OURS, DIT)
    race = Race(contenders, "information", form)
    times, peaks = list[dict[str, Any]](), list[dict[str, Any]]()
    for kind, counts in sizes.items():
        for count in counts:
            path, limit = _pairs(count // _PAIRS_OF_A_BLOCK)
            found = race.run(kind, path=str(path), kind=kind)
            values = [outcome.value for outcome in found.values() if outcome.finished]
            if any(not math.isclose(value, values[0], rel_tol=1e-9, abs_tol=1e-9) for value in values):
                raise AssertionError(f"{kind}: they disagree: {values}")
            head = {"measure": kind, "pairs": count}
            times.append(head | {"bits": values[0] if values else "", "copy s": limit} | seconds_of(found))
            peaks.append(head | peaks_of(found))
    columns = columns_of(contenders)
    yield Table(times, "Seconds")
    yield from versus(times, "noiseless s", {"dit": "dit s"}, ("measure", "pairs"))
    yield race.first_calls()
    yield Table(growth(times, "pairs", columns, ("measure",)), "Growth: the exponent of pairs")
    yield Table(peaks, "Peak memory of the process")
    mine = [row for row in times if row["measure"] == "mutual information"]
    lines = {name: points_of(mine, "pairs", column) for name, column in columns.items()}
    lines["copy of the columns"] = points_of(mine, "pairs", "copy s")
    yield Plot("information", "Seconds to find mutual information", "pairs", "seconds", lines)


def _pairs(blocks: int) -> tuple[Path, float]:
    """Blocks of five pairs each: a star of three values of X and of Y around one of each."""
    rng = np.random.default_rng(0)
    first = 3 * np.arange(blocks)[:, None]
    x, y = (first + np.array(star) for star in ((0, 0, 0, 1, 2), (0, 1, 2, 0, 0)))
    rows = np.array([x.ravel(), y.ravel(), rng.integers(1, 10, x.size)])
    WORK.mkdir(exist_ok=True)
    path = WORK / f"pairs-{blocks}.npy"
    np.save(path, rows)
    return path, copying(*rows)


SECTION = Section(
    "peers-information", "Common and mutual information, beside dit", INTRODUCTION, measured, "peers"
)
