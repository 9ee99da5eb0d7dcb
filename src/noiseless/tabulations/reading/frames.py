"""Tables from frames: pandas crosstabs and pivot tables by their index, any frame by its columns."""

from collections.abc import Container, Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from noiseless.errors import RequestError
from noiseless.tables import open_table
from noiseless.tables.duckdb_table import at_hand
from noiseless.tables.engine import SOURCE
from noiseless.tabulations.reading.figures import Figures
from noiseless.tabulations.reading.grids import whole_labels

_MISSING = frozenset({"nan", "NaT", "<NA>"})


def frame_figures(
    name: str,
    frame: Any,  # noqa: ANN401 - any frame
    rows: Sequence[str],
    columns: Sequence[str],
    value: str | None,
    *,
    totals: Container[str] = (),
) -> Figures:
    """The figures of a frame.

    Args:
        name: what messages call it.
        frame: a pandas crosstab or pivot table; with `value`, any frame with a row for each figure; with
            `rows`, any frame with a row for each label, and a column for each label of `columns`.
        rows: the dimensions of rows, as the index or the columns are called.
        columns: the dimensions of columns; with `value`, columns as well.
        value: the column of the figures.
        totals: labels of totals, besides the usual ones.

    Raises:
        RequestError: the figures cannot be told from the labels.
    """
    if value is None and _is_indexed(frame):
        return _crosstab(name, frame, rows, columns, totals)
    if value is None and not rows:
        raise RequestError(
            f"{name}: has no index that names its rows; give rows= (the columns of labels) and, where each "
            "row is one figure, value= (its column)"
        )
    data = _columns(frame)
    if missing := [each for each in (*rows, *(columns if value else ()), value) if each and each not in data]:
        raise RequestError(f"{name}: has no column {missing[0]!r}; it has {', '.join(map(repr, data))}")
    if value is not None:
        dimensions = (*rows, *columns) or tuple(each for each in data if each != value)
        labels = zip(*(map(_label, data[each]) for each in dimensions), strict=True)
        return Figures.of(name, dimensions, zip(labels, map(_cell, data[value]), strict=True))
    if len(columns) > 1:
        raise RequestError(
            f"{name}: columns hold one dimension here; give a frame with a row for each figure"
        )
    others = [each for each in data if each not in rows]
    left = [
        whole_labels(f"{name}: a row", labels, totals)
        for labels in zip(*(list(map(_label, data[each])) for each in rows), strict=True)
    ]
    entries = [
        ((*labels, other), _cell(cell))
        for other in others
        for labels, cell in zip(left, data[other], strict=True)
    ]
    return Figures.of(name, (*rows, *(columns or ["columns"])), entries)


def _is_indexed(frame: Any) -> bool:  # noqa: ANN401 - any frame
    """Whether it is pandas' and its index holds labels, not numbers of rows."""
    if not _is_pandas(frame):
        return False
    return type(frame.index).__name__ != "RangeIndex" or frame.index.name is not None


def _is_pandas(frame: object) -> bool:
    return type(frame).__module__.partition(".")[0] == "pandas"


def _crosstab(
    name: str,
    frame: Any,  # noqa: ANN401 - pandas'
    rows: Sequence[str],
    columns: Sequence[str],
    totals: Container[str],
) -> Figures:
    if not hasattr(frame, "columns"):  # a series: figures by their index alone
        frame = frame.to_frame()
        frame.columns = [""]
    left, above = _levels(frame.index), _levels(frame.columns)
    values = frame.to_numpy()
    if above == [("",)] or (frame.shape[1] == 1 and frame.columns.nlevels == 1 and not frame.columns.name):
        above, names = [()], list[Hashable]()
    else:
        names = list(frame.columns.names)
        one = [
            level for level, each in enumerate(names) if each is None and len({a[level] for a in above}) == 1
        ]
        kept = [level for level in range(len(names)) if level not in one or len(names) == 1]
        above, names = [tuple(a[level] for level in kept) for a in above], [names[level] for level in kept]
    if len(names) > 1 and names[0] is None:
        raise RequestError(f"{name}: holds several figures for each cell; choose one, such as frame['sum']")
    dimensions = [
        *_named(list(frame.index.names), rows, "rows", name),
        *_named(names, columns, "columns", name),
    ]
    left = [whole_labels(f"{name}: a row", labels, totals) for labels in left]
    above = [whole_labels(f"{name}: a column", labels, totals) for labels in above]
    known: list[dict[str, int]] = [{} for _ in dimensions]
    split = len(frame.index.names)
    row_codes = [
        [each.setdefault(label, len(each)) for each, label in zip(known[:split], at, strict=True)]
        for at in left
    ]
    column_codes = [
        [each.setdefault(label, len(each)) for each, label in zip(known[split:], at, strict=True)]
        for at in above
    ]
    codes = np.hstack(
        [
            np.repeat(np.array(row_codes, np.int32).reshape(len(left), split), len(above), axis=0),
            np.tile(np.array(column_codes, np.int32).reshape(len(above), len(names)), (len(left), 1)),
        ]
    )
    found = Figures(name, tuple(dimensions), tuple(map(tuple, known)), codes, values.ravel(), lambda _: "")
    return replace(found, place=found.words)


def _named(found: Sequence[Hashable], given: Sequence[str], side: str, name: str) -> list[str]:
    if given and len(given) != len(found):
        raise RequestError(
            f"{name}: has {len(found)} dimension{'s' * (len(found) != 1)} of {side}, not {len(given)}"
        )
    if given:
        return list(given)
    return [
        str(each) if each is not None else side if len(found) == 1 else f"{side} {place}"
        for place, each in enumerate(found, 1)
    ]


def _levels(index: Any) -> list[tuple[str, ...]]:  # noqa: ANN401 - pandas'
    several = index.nlevels > 1
    return [tuple(map(_label, each)) if several else (_label(each),) for each in index]


def _columns(frame: Any) -> dict[str, list[Any]]:  # noqa: ANN401 - any frame
    """The columns of a frame as they are; pandas' may mix numbers and marks, which Arrow cannot hold."""
    if _is_pandas(frame):
        return {str(each): frame[each].tolist() for each in frame.columns}
    table = at_hand(open_table(frame)).arrow(f"SELECT * FROM {SOURCE}")
    return {each: table.column(each).to_pylist() for each in table.column_names}


def _label(value: object) -> str:
    """A label as text: whole floats without their point, as they were before a missing value made them so."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = str(value).strip()
    return "(missing)" if value is None or text in _MISSING else text


def _cell(value: Any) -> object:  # noqa: ANN401 - any value of a frame
    return value.item() if isinstance(value, np.generic) else value
