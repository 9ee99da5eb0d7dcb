"""Controlled rounding and merged categories: time, and how near to the least loss."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from measure import best_of
from noiseless.tabulations import Classification, Publication, PublishedTable
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.protection import ProposedTables, ProtectionMethod, TrueTables
from noiseless.tabulations.protection.categories import MergedCategories
from noiseless.tabulations.protection.rounding import ControlledRounding
from page import Form, Part, Section, Table

BASE = Fraction(5)
INTRODUCTION = """\
Random counts below 60 with all totals: figures [rounded](protect-tables.md#rounding) to multiples of 5 that
add up, and ordered categories [merged](protect-tables.md#merging) until no count from 1 to 4 is left.
*Proved* is the least loss that is proved, as a share of the loss. The time is that of the proposal, without
its audit."""


def measured(form: Form) -> Iterator[Part]:
    """One line a table and a method."""
    rounded = [((20, 20), None)] if form.small else [((100, 100), None), ((200, 200), None), ((100, 100), 10)]
    merged = [((6, 6), None)] if form.small else [((12, 12), None), ((20, 20), None)]
    rows = [_row(ControlledRounding(BASE), 1, *each) for each in rounded]
    names = ("d0", "d1")
    yield Table(rows + [_row(MergedCategories(names), 5, *each) for each in merged])


def _row(method: ProtectionMethod, threshold: int, shape: Sequence[int], width: int | None) -> dict[str, Any]:
    tables = _tables(shape, width, threshold)
    found = list[ProposedTables]()

    def proposed() -> None:
        found.append(next(method.proposals(tables, Deadline())))

    (seconds,) = best_of(3, proposed)
    last = found[-1]
    assert last.bound is not None, "both methods prove one"
    return {
        "table": " x ".join(map(str, shape)) + (f", groups of {width}" if width else ""),
        "figures": len(tables.truth),
        "method": method.name,
        "s": seconds,
        "loss": last.loss,
        "proved": last.bound / last.loss if last.loss else 1.0,
    }


def _tables(shape: Sequence[int], width: int | None, threshold: int) -> TrueTables:
    """All groups and totals of random counts."""
    values = np.random.default_rng(prod(shape)).integers(0, 60, tuple(shape))
    known = list[Classification]()
    for axis, many in enumerate(shape):
        groups = {"All": tuple(range(many))}
        for begin in range(0, many, width or many) if width else ():
            groups[f"from {begin}"] = tuple(range(begin, min(begin + (width or many), many)))
        known.append(Classification(f"d{axis}", tuple(f"c{each}" for each in range(many)), groups))
        members = np.eye(len(known[-1].labels), many, dtype=np.int64)
        for place, of in enumerate(groups.values(), many):
            members[place, list(of)] = 1
        values = np.moveaxis(np.tensordot(members, values, (1, axis)), 0, axis)
    table = PublishedTable.of_grid("t", {each.name: each.labels for each in known}, values, values)
    return TrueTables(Publication(tuple(known), (table,)), {"threshold": threshold})


SECTION = Section("rounding", "Rounded and merged tables", INTRODUCTION, measured)


if __name__ == "__main__":
    for shape, width in (((100, 100), None), ((200, 200), None), ((100, 100), 10)):
        print(_row(ControlledRounding(BASE), 1, shape, width))
    for shape in ((12, 12), (20, 20)):
        print(_row(MergedCategories(("d0", "d1")), 5, shape, None))
