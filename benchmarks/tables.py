"""The tables that the benchmarks run on: one Parquet file each, made once."""

from pathlib import Path
from typing import Any

import duckdb
import numpy.typing as npt

from measure import WORK

PUBLIC = ("x1", "x2", "x3", "x4")

SHAPES = {
    # name: how many values each public column and the sensitive one take
    "few groups": (8, 8, 8, 6, 50),
    "millions of groups": (60, 60, 50, 30, 50),
    "wide numbers": (10**9, 10**9, 50, 30, 50),
}

TEXTS = ("few groups", "millions of groups")
"""Shapes that are measured as texts too."""


def parquet(shape: str, rows: int, *, text: bool = False) -> Path:
    """A Parquet file of whole numbers (or of texts), the same every time."""
    kind = "text" if text else "int"
    path = WORK / f"{shape.replace(' ', '-')}-{rows}-{kind}.parquet"
    if not path.exists():
        WORK.mkdir(exist_ok=True)
        columns = ", ".join(
            _column(name, size, salt, text=text)
            for salt, (name, size) in enumerate(zip((*PUBLIC, "s"), SHAPES[shape], strict=True))
        )
        duckdb.sql(f"COPY (SELECT {columns} FROM range({rows}) t(i)) TO '{path}' (FORMAT parquet)")
    return path


def amounts(groups: int) -> Path:
    """A Parquet file of amounts in so many groups, five rows each on average and one at least."""
    path = WORK / f"amounts-{groups}.parquet"
    if not path.exists():
        WORK.mkdir(exist_ok=True)
        group = f"CASE WHEN i < {groups} THEN i ELSE hash(i * 31) % {groups} END"
        columns = f"({group})::INTEGER AS g, (hash(i * 31 + 1000003) % 1000)::INTEGER AS amount"
        duckdb.sql(f"COPY (SELECT {columns} FROM range({5 * groups}) t(i)) TO '{path}' (FORMAT parquet)")
    return path


def arrays(path: Path) -> list[npt.NDArray[Any]]:
    """The columns of a file in memory."""
    with duckdb.connect() as engine:
        return list(engine.sql(f"FROM '{path}'").fetchnumpy().values())


def _column(name: str, size: int, salt: int, *, text: bool) -> str:
    number = f"(hash(i * 31 + {salt} * 1000003) % {size})"
    return f"'{name} value ' || {number} AS {name}" if text else f"{number}::INTEGER AS {name}"
