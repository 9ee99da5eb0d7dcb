"""Reading the files of the public data sets."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_MISSING_SHARE = 1e-3
"""A household with more missing readings than this is left out."""

_DECIMALS = 3
"""Meters count watt hours; the file has them as floats of 32 bits."""

_HEART = (
    *("age", "sex", "cp", "trestbps", "chol", "fbs", "restecg"),
    *("thalach", "exang", "oldpeak", "slope", "ca", "thal", "num"),
)


def parquet(path: str) -> "pa.Table":
    """A Parquet file as it is."""
    import pyarrow.parquet as pq

    return pq.read_table(path)


def csv(path: str) -> "pa.Table":
    """A CSV file with a header line."""
    import pyarrow.csv as pc

    return pc.read_csv(path)


def meters(path: str) -> Floats:
    """The households that are essentially complete, their few gaps filled with the reading before."""
    table = parquet(path)
    names = [name for name in table.column_names if name != "ts"]
    readings = np.column_stack([np.asarray(table[name].to_numpy(), dtype=np.float64) for name in names])
    gaps = np.isnan(readings)
    kept = gaps.mean(axis=0) <= _MISSING_SHARE
    readings, gaps = np.round(readings[:, kept], _DECIMALS), gaps[:, kept]
    last = np.maximum.accumulate(np.where(gaps, 0, np.arange(len(readings))[:, None]), axis=0)
    filled = np.take_along_axis(readings, last, axis=0)
    first = np.take_along_axis(readings, np.argmin(gaps, axis=0)[None], axis=0)
    return np.where(np.isnan(filled), first, filled)  # a household that begins with a gap


def redd(path: str) -> tuple[Integers, dict[str, Integers]]:
    """The mains, and the circuits by name."""
    table = parquet(path)
    names = [name for name in table.column_names if name != "step"]
    columns = {name: np.array(table[name].to_numpy(), np.int64) for name in names}
    mains = columns.pop("mains")
    return mains, columns


def heart(path: str) -> "pa.Table":
    """The patients, `?` as null, a row that is there twice only once."""
    import pyarrow.csv as pc

    table = pc.read_csv(
        path,
        read_options=pc.ReadOptions(column_names=list(_HEART)),
        convert_options=pc.ConvertOptions(null_values=["?"]),
    )
    rows = list(zip(*table.to_pydict().values(), strict=True))
    first = {row: number for number, row in reversed(list(enumerate(rows)))}
    return table.take(sorted(first.values()))


def adult(path: str) -> "pa.Table":
    """The people, names and texts without the spaces that follow the file's commas."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = csv(path)
    columns = [
        pc.utf8_trim_whitespace(column) if pa.types.is_string(column.type) else column
        for column in table.columns
    ]
    return pa.table(dict(zip((name.strip() for name in table.column_names), columns, strict=True)))
