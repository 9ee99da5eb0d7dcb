"""Releases with limits on bets, widths and persons, beside the same releases with a limit on values left."""

import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from measure import best_of
from noiseless.releases.pipeline import make_release
from noiseless.releases.request import ReleaseRequest
from page import Form, Part, Section, Table

SHARES = np.array([20, 15, 12, 10, 8, 8, 7, 6, 5, 4, 3, 2]) / 100

ASKED: dict[str, dict[str, Any]] = {
    "11 values left": {"min_posterior": 11},
    "30 rows": {"min_rows": 30},
    "30 persons": {"min_rows": 30, "unit": "who"},
    "belief 0.3": {"largest_belief": "0.3"},
    "pointwise leakage 1.5": {"pointwise_leakage": "1.5"},
    "beta-likeness 2": {"beta_likeness": 2},
    "enhanced beta-likeness 2": {"enhanced_beta_likeness": 2},
    "delta-disclosure 3": {"delta_disclosure": 3},
    "entropy l-diversity 8": {"entropy_l_diversity": 8},
    "t-closeness 0.2": {"t_closeness": "0.2"},
    "width 50": {"width": 50, "sensitive": "reading"},
}
"""Limits that merge about as much; the first is what others are held against."""

TABLES = {
    "two numbers": (("x", "y"), 200),
    "a number and a category": (("x", "c"), 200),
    "one number": (("x",), 500),
    "one number, many values": (("x",), None),
}


def visits(rows: int, values: int | None) -> pa.Table:
    """Public columns, an illness with common and rare values, a reading, and whose each row is."""
    rng = np.random.default_rng(1)
    return pa.table(
        {
            "x": rng.integers(0, values or rows // 5, rows),
            "y": rng.integers(0, 200, rows),
            "c": rng.choice(list("abcdefgh"), rows),
            "illness": rng.choice([f"s{number}" for number in range(len(SHARES))], rows, p=SHARES),
            "reading": rng.integers(0, 60, rows),
            "who": rng.integers(0, rows // 2, rows),
        }
    )


def beside_values_left(rows: int) -> Iterator[dict[str, Any]]:
    """A line for each table and limit."""
    for name, (public, values) in TABLES.items():
        table, base = visits(rows, values), None
        for limit, asked in ASKED.items():
            request = ReleaseRequest.of({"sensitive": "illness", "public": public, **asked})
            done = make_release(table, request)
            seconds = best_of(3, partial(make_release, table, request))[0]
            base = base or seconds
            yield {
                "columns": name,
                "rows": rows,
                "limit": limit,
                "cells": done.point.cells,
                "proved": f"{done.optimal}, {done.scope}",
                "seconds": seconds,
                "times values left": seconds / base,
            }


INTRODUCTION = """\
Whole releases of the same table under each limit, from a frame to cells and certificate, beside the release
that leaves 11 of 12 values. Limits on beliefs take no sweep: of one ordered column all runs of values are
looked at, as far as they can matter."""


def measured(form: Form) -> Iterator[Part]:
    """All limits on four tables."""
    yield Table(list(beside_values_left(form.size(10**5))), "Beside a limit on values left")


SECTION = Section("limits", "Releases under limits on bets and widths", INTRODUCTION, measured, "releases")


def main() -> None:
    """Print the table."""
    for row in beside_values_left(10**4 if "--small" in sys.argv else 10**5):
        print(*(f"{v:.3g}" if isinstance(v, float) else v for v in row.values()), sep=" | ", flush=True)


if __name__ == "__main__":
    main()
