"""Published tables as rows of base cells, built from a certificate's JSON with nothing but Python."""

# ruff: noqa: B905, UP045, ANN401 - Python 3.9 runs this; JSON holds anything

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from noiseless.verification.certificate_json import array, record, require, text, texts

MOST_ENTRIES = 60_000_000
"""Base cells in all figures together; more are refused before they are written down."""
_PARTS = ("classifications", "tables", "lower", "upper", "step", "population")
_TABLE = ("name", "kind", "dimensions", "labels", "codes", "lower", "upper")


@dataclass
class TableRows:
    """A publication: figures over base cells; all numbers are whole.

    Attributes:
        rows: the base cells of each figure.
        told: the ends of each figure, None where it has none.
        lower: the least value of each base cell.
        upper: the largest, None where there is no limit.
        names: the table and the labels of each figure.
    """

    rows: list[Sequence[int]]
    told: list[tuple[int, Optional[int]]]
    lower: list[int]
    upper: list[Optional[int]]
    names: list[tuple[str, tuple[str, ...]]]


def table_rows(raw: Any) -> TableRows:
    """Read a publication; raises FormatError where it is not well formed."""
    record(raw, "the publication", _PARTS)
    sets, sizes, order = _classifications(raw["classifications"])
    size = 1
    for many in sizes:
        size *= many
    require(size <= MOST_ENTRIES, "the publication has too many base cells")
    found = TableRows([], [], _bounds(raw["lower"], size, "lower"), [], [])
    upper = raw["upper"]
    found.upper = list(upper) if isinstance(upper, (list, tuple)) else [upper] * size
    require(len(found.upper) == size, "the upper bounds are not one for each base cell")
    require(all(end is None or type(end) is int for end in found.upper), "an upper bound is not whole")
    strides = [1] * len(sizes)
    for place in range(len(sizes) - 2, -1, -1):
        strides[place] = strides[place + 1] * sizes[place + 1]
    entries = 0
    for table in array(raw["tables"], "the tables"):
        for name, cells, ends in _figures(table, sets, sizes, order, strides):
            entries += len(cells)
            require(entries <= MOST_ENTRIES, "the figures have too many base cells")
            found.names.append(name)
            found.rows.append(cells)
            found.told.append(ends)
    return found


def _bounds(value: Any, size: int, where: str) -> list[int]:
    ends = list(value) if isinstance(value, (list, tuple)) else [value] * size
    require(len(ends) == size and all(type(end) is int for end in ends), f"a {where} bound is not whole")
    return ends


def _classifications(raw: Any) -> tuple[list[dict[str, tuple[int, ...]]], list[int], dict[str, int]]:
    """For each classification its labels with their categories, and how many categories it has."""
    sets: list[dict[str, tuple[int, ...]]] = []
    sizes: list[int] = []
    order: dict[str, int] = {}
    for each in array(raw, "the classifications"):
        record(each, "a classification", ("name", "categories", "groups"))
        categories = texts(each["categories"], "the categories")
        labels: dict[str, tuple[int, ...]] = {label: (place,) for place, label in enumerate(categories)}
        require(len(labels) == len(categories), "a classification has a category twice")
        record(each["groups"], "the groups", list(each["groups"]))
        for name, members in each["groups"].items():
            places = array(members, "a group")
            inside = all(type(place) is int and 0 <= place < len(categories) for place in places)
            require(inside and len(set(places)) == len(places), "a group has a member that is no category")
            require(name not in labels, "a classification has a label twice")
            labels[name] = tuple(places)
        require(text(each["name"], "a classification") not in order, "a classification is there twice")
        order[each["name"]] = len(sizes)
        sets.append(labels)
        sizes.append(len(categories))
    return sets, sizes, order


def _figures(
    table: Any,
    sets: Sequence[dict[str, tuple[int, ...]]],
    sizes: Sequence[int],
    order: dict[str, int],
    strides: Sequence[int],
) -> Iterator[tuple[tuple[str, tuple[str, ...]], Sequence[int], tuple[int, Optional[int]]]]:
    """The figures of a table: name, base cells, ends."""
    record(table, "a table", _TABLE)
    dimensions = texts(table["dimensions"], "the dimensions")
    require(len(set(dimensions)) == len(dimensions), "a table has a dimension twice")
    require(all(name in order for name in dimensions), "a table has a dimension that is not classified")
    labels = [texts(of, "the labels") for of in array(table["labels"], "the labels")]
    require(len(labels) == len(dimensions), "a table has not one list of labels for each dimension")
    parts: list[list[tuple[int, ...]]] = []
    for name, listed in zip(dimensions, labels):
        place = order[name]
        require(all(label in sets[place] for label in listed), "a table has a label that is not classified")
        parts.append([tuple(strides[place] * c for c in sets[place][label]) for label in listed])
    totals = [
        range(0, sizes[place] * strides[place], strides[place])
        for name, place in order.items()
        if name not in dimensions
    ]
    codes, lower, upper = (array(table[key], f"the {key}") for key in ("codes", "lower", "upper"))
    require(len(codes) == len(lower) == len(upper), "a table has not as many ends as figures")
    title = text(table["name"], "a table")
    for code, low, high in zip(codes, lower, upper):
        require(isinstance(code, (list, tuple)) and len(code) == len(parts), "a figure has no coordinates")
        require(type(low) is int and (high is None or type(high) is int), "a figure's end is not whole")
        cells: Sequence[int] = (0,)
        for of, place in zip(parts, code):
            require(type(place) is int and 0 <= place < len(of), "a figure has no such label")
            chosen = of[place]
            cells = chosen if cells == (0,) else [a + b for a in cells for b in chosen]
        for whole in totals:
            cells = [a + b for a in cells for b in whole]
        yield (title, tuple(listed[place] for listed, place in zip(labels, code))), cells, (low, high)
