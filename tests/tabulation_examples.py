"""Published tables that tests share."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from noiseless.tabulations import Classification, Publication, PublishedTable, Told
from noiseless.tabulations.publication import UNBOUNDED, Kind

GOLDEN = json.loads((Path(__file__).parent / "oracle" / "tables_golden.json").read_text("utf-8"))["cases"]
"""Cases whose answers were found by enumeration."""
CASES = {case["id"]: case for case in GOLDEN if "published" in case}


def rows_of(case: dict[str, Any]) -> list[tuple[list[str], Told]]:
    return [
        (row["of"], Told.exact(row["exact"]) if "exact" in row else Told.rounded(row["told"], row["round"]))
        for row in case["published"]
    ]


def publication_of(case: dict[str, Any]) -> Publication:
    return Publication.of_rows(
        case["cells"], [tuple(case["domain"][name]) for name in case["cells"]], rows_of(case)
    )


def forms_of(case: dict[str, Any]) -> dict[str, dict[str, list[str]]]:
    return {name: {"atom": list(form)} for name, form in case["forms"].items()}


def holes_case(*, beside: bool = False) -> Publication:
    """The cube of g07 with two cells at 2: these cells can be 0, 2 or 4, and nothing between.

    With a cell y of 0 or 1 beside it, which is 0 where x011 is 0: then their sum is 0, 2, 3, 4 or 5.
    """
    case = CASES["g07"]
    truth = {name: 6 if low == high else 1 for name, (low, high) in case["domain"].items()}
    truth |= {"x011": 2, "x012": 2}
    rows = [(row["of"], Told.exact(sum(truth[name] for name in row["of"]))) for row in case["published"]]
    rows += [(["x012", "y"], Told(0, 4))] * beside
    names, ends = [*case["cells"], *["y"] * beside], [*[(0, 20)] * len(truth), *[(0, 1)] * beside]
    return Publication.of_rows(names, ends, rows)


def flat(name: str, many: int) -> Classification:
    return hierarchy(name, many, many)


def hierarchy(name: str, many: int, width: int) -> Classification:
    """Categories, groups of `width` neighbours, and the total."""
    groups = {f"{name}{at}-": tuple(range(at, min(many, at + width))) for at in range(0, many, width)}
    chosen = groups if width < many else {}
    return Classification(
        name, tuple(f"{name}{at}" for at in range(many)), {**chosen, "All": tuple(range(many))}
    )


def with_margins(values: np.ndarray, dimensions: Sequence[Classification]) -> np.ndarray:
    """A table with all its groups and totals."""
    for axis, each in enumerate(dimensions):
        members = np.zeros((len(each.labels), len(each.categories)), np.int64)
        members[range(len(each.categories)), range(len(each.categories))] = 1
        for place, group in enumerate(each.groups.values(), len(each.categories)):
            members[place, list(group)] = 1
        values = np.moveaxis(np.tensordot(members, values, (1, axis)), 0, axis)
    return values


def withheld(
    values: np.ndarray, dimensions: Sequence[Classification], hidden: np.ndarray, kind: Kind = "count"
) -> Publication:
    """One table with all margins, in which some inner cells are withheld."""
    full = with_margins(values, dimensions)
    hide = np.zeros(full.shape, bool)
    hide[tuple(slice(0, many) for many in values.shape)] = hidden
    table = PublishedTable.of_grid(
        "t",
        {each.name: each.labels for each in dimensions},
        np.where(hide, 0, full),
        np.where(hide, UNBOUNDED, full),
        kind,
    )
    return Publication(tuple(dimensions), (table,))
