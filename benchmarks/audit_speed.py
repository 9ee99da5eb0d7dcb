"""The audit against DuckDB's own `count(DISTINCT s) ... GROUP BY x1..x4`, on the same Parquet file."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

import noiseless as nl
from measure import best_of, copying, exponent, in_a_process, scanning
from page import Form, Part, Plot, Section, Table
from tables import PUBLIC, SHAPES, TEXTS, amounts, arrays, parquet
from wording import beside_limit, versus
from wording import growth as grown

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
        "copy s": "" if text else copying(*arrays(path)),
        "DuckDB scan s": scanning(path, (*PUBLIC, "s"), text=text),
        "audit s": ours,
        "DuckDB count(distinct) s": engine,
        "ratio": ours / engine,
    }


def growth(sizes: tuple[int, ...] = (10**5, 10**6, 10**7)) -> list[dict[str, Any]]:
    """Seconds by rows, and the exponent of rows."""
    found = []
    for shape in SHAPES:
        paths = [parquet(shape, size) for size in sizes]
        times = best_of(3, *(partial(core_of_an_audit, path) for path in paths))
        seconds = {f"{size:,} rows s": time for size, time in zip(sizes, times, strict=True)}
        found.append({"table": shape} | seconds | {"exponent of rows": exponent(sizes, times)})
    return found


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


def totals_told(path: Path, rule: str) -> object:
    """The totals of all groups, told or withheld under a rule, and what those told give away."""
    found = nl.audit(path, sensitive="amount", public="g", rule=f"amount={rule}")
    return found.rules and found.rules.totals


def grouped_alone(path: Path) -> None:
    """What DuckDB needs for what the rules are about: how many, how much, and the largest."""
    query = f"SELECT count(*), sum(amount), max(amount, 3) FROM '{path}' GROUP BY g"
    _ENGINE.sql(query).to_arrow_table()


def totals(groups: int) -> list[dict[str, Any]]:
    """One line a rule, for so many groups of five rows each."""
    path, found = amounts(groups), []
    for rule in ("p-percent:10", "nk:2:85", "15/15"):
        totals_told(path, rule)
        ours, engine = best_of(3, partial(totals_told, path, rule), partial(grouped_alone, path))
        found.append(
            {
                "rule": rule,
                "groups": groups,
                "audit s": ours,
                "DuckDB group by s": engine,
                "ratio": ours / engine,
            }
        )
    return found


INTRODUCTION = """\
Four public columns and one sensitive column. The audit finds k, l, the sizes of all posterior sets, L0 and
I* together. It stands beside DuckDB's own `SELECT count(DISTINCT s) ... GROUP BY x1, x2, x3, x4` alone on
the same file, and beside two limits: a copy of the five columns in memory, and DuckDB's scan of them from
the file.

Whole numbers are packed into one key a row inside DuckDB, of 32 bits where that is enough, and keys are
counted in slots or sorted, which beats hash tables. Numbers whose ranges do not fit together into 63 bits
need two keys and a radix sort. Few combinations of texts are grouped by DuckDB itself, and the tally is
built from its result: there DuckDB alone is faster."""

TOTALS = """\
Groups of five rows on average, and the totals of their amounts under rules of dominance: which are told,
whom they expose, and which contributor comes closest to another. It stands beside DuckDB's own `SELECT
count(*), sum(amount), max(amount, 3) ... GROUP BY g` alone. The audit counts rows by group and amount, as it
does for what the rows themselves would give away, and then compares whole numbers, all groups at once."""

MEMORY = """\
The peak of a fresh process that audits the same files, beside the size of the five columns (4 bytes a
value)."""


def audited(form: Form) -> Iterator[Part]:
    """Times and their growth."""
    sizes = form.sizes(10**5, 10**6, 10**7)
    found = rows(sizes[1:])
    yield Table(found)
    yield from versus(found, "audit s", {"DuckDB's count": "DuckDB count(distinct) s"}, ("table", "rows"))
    yield beside_limit(found, "audit s", "DuckDB scan s", "DuckDB's scan of the file")
    grown = growth(sizes)
    yield Table(grown, "Growth")
    lines = {line["table"]: [(size, line[f"{size:,} rows s"]) for size in sizes] for line in grown}
    yield Plot("audit", "Seconds to audit a Parquet file", "rows", "seconds", lines)


def added_up(form: Form) -> Iterator[Part]:
    """Times under rules about totals, and their growth."""
    sizes = form.sizes(10**4, 10**5, 10**6)
    found = [line for size in sizes for line in totals(size)]
    yield Table(found)
    yield beside_limit(found, "audit s", "DuckDB group by s", "DuckDB's grouping alone")
    yield Table(
        grown(found, "groups", {"audit": "audit s", "DuckDB": "DuckDB group by s"}, ["rule"]), "Growth"
    )


def remembered(form: Form) -> Iterator[Part]:
    """Peaks of memory."""
    yield Table(memory(form.size(10**7)))


SECTIONS = (
    Section("audit", "The audit of a Parquet file", INTRODUCTION, audited),
    Section("totals", "Totals under a rule", TOTALS, added_up),
    Section("memory", "Memory of an audit", MEMORY, remembered),
)
