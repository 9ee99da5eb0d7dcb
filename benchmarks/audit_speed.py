"""The audit against DuckDB's own `count(DISTINCT s) ... GROUP BY x1..x4`, on the same Parquet file."""

import math
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

import noiseless as nl
from measure import best_of, in_a_process
from tables import PUBLIC, SHAPES, TEXTS, parquet

_ENGINE = duckdb.connect()

_PEAK = """
import json, sys
sys.path.insert(0, "benchmarks")
from audit_speed import core_of_an_audit
from measure import peak_megabytes
from tables import parquet
core_of_an_audit(parquet("millions of groups", 300_000))
before = peak_megabytes()
core_of_an_audit(sys.argv[1])
print(json.dumps([before, peak_megabytes()]))
"""


def core_of_an_audit(path: Path | str) -> tuple[Any, ...]:
    """k, l, the sizes of all posterior sets, L0 and I*."""
    found = nl.audit(path, sensitive="s", public=PUBLIC)
    return (
        found.k_anonymity,
        found.distinct_l_diversity,
        found.posterior_histogram,
        found.leakage,
        found.maximin,
    )


def engine_alone(path: Path | str) -> None:
    """What DuckDB needs to count the distinct sensitive values of each group."""
    query = f"SELECT count(DISTINCT s) FROM '{path}' GROUP BY {', '.join(PUBLIC)}"
    _ENGINE.sql(query).to_arrow_table()


def rows(sizes: tuple[int, ...] = (10**6, 10**7)) -> list[dict[str, Any]]:
    """One line a shape, a kind of values and a size."""
    kinds = [(shape, text) for shape in SHAPES for text in (False, True) if shape in TEXTS or not text]
    return [_row(shape, size, text=text) for shape, text in kinds for size in sizes]


def _row(shape: str, size: int, *, text: bool) -> dict[str, Any]:
    path = parquet(shape, size, text=text)
    core_of_an_audit(path)  # compiled kernels are loaded, files are in the page cache
    ours, engine = best_of(4, lambda: core_of_an_audit(path), lambda: engine_alone(path))
    return {
        "table": f"{shape}, {'texts' if text else 'whole numbers'}",
        "rows": size,
        "audit s": ours,
        "DuckDB count(distinct) s": engine,
        "ratio": ours / engine,
    }


def growth(small: int = 10**6, large: int = 10**7) -> dict[str, float]:
    """The exponent of time against rows."""
    exponents = {}
    for shape in SHAPES:
        paths = [parquet(shape, size) for size in (small, large)]
        times = best_of(3, *(partial(core_of_an_audit, path) for path in paths))
        exponents[shape] = math.log(times[1] / times[0]) / math.log(large / small)
    return exponents


def memory(size: int = 10**7) -> list[dict[str, Any]]:
    """Peak memory of an audit beside the size of its columns (five 4-byte integers a row)."""
    found = []
    for shape in SHAPES:
        before, after = in_a_process(_PEAK, str(parquet(shape, size)))
        columns = 5 * 4 * size / 2**20
        found.append(
            {
                "table": shape,
                "columns MB": columns,
                "idle process MB": before,
                "peak MB": after,
                "growth / columns": (after - before) / columns,
            }
        )
    return found
