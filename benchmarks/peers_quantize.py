"""Readings into cells, beside numpy's digitize and a copy: time, growth and memory."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from measure import WORK
from page import Form, Part, Plot, Section, Table
from side_by_side import Contender, Race, columns_of, peaks_of, seconds_of
from wording import beside_limit, growth, points_of, versus

CELLS, HIGH = 16, 10

INTRODUCTION = f"""\
Readings between 0 and {HIGH} told as one of {CELLS} cells: noiseless (exact edges, two threads),
`numpy.digitize` (one thread) and, as the limit, a copy of the readings by numpy (one thread) to memory that
was touched before. Further below are more kinds of readings and a copy by two threads."""


def measured(form: Form) -> Iterator[Part]:
    """Growing columns."""
    contenders = (
        Contender("noiseless", "noiseless_work", arguments={"bounds": [0, HIGH], "cells": CELLS}),
        Contender(
            "digitize",
            "numpy_work",
            work="quantise",
            arguments={"edges": [HIGH * cell / CELLS for cell in range(1, CELLS)]},
        ),
        Contender("copy", "numpy_work", work="copy"),
    )
    race = Race(contenders, "quantise", form, repeats=15)
    times, peaks = list[dict[str, Any]](), list[dict[str, Any]]()
    WORK.mkdir(exist_ok=True)
    for size in (10**4, 10**6) if form.small else (10**5, 10**6, 10**7):
        path = WORK / f"numbers-{size}.npy"
        np.save(path, np.random.default_rng(0).random(size) * HIGH)
        found = race.run(path=str(path))
        times.append({"readings": size} | seconds_of(found))
        peaks.append({"readings": size, "column MB": 8 * size / 2**20} | peaks_of(found))
    columns = columns_of(contenders)
    yield Table(times, "Seconds")
    yield from versus(times, "noiseless s", {"digitize": "digitize s"}, ("readings",))
    yield beside_limit(times, "noiseless s", "copy s", "the copy")
    yield race.first_calls()
    yield Table(growth(times, "readings", columns), "Growth: the exponent of readings")
    yield Table(peaks, "Peak memory of the process, the readings included")
    lines = {name: points_of(times, "readings", column) for name, column in columns.items()}
    yield Plot("quantize", f"Seconds to tell readings in {CELLS} cells", "readings", "seconds", lines)


SECTION = Section("peers-quantize", "Quantising, beside numpy and a copy", INTRODUCTION, measured, "peers")
