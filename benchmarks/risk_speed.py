"""What risks cost beside the audit that counts them, and minimal uniques beside DuckDB's grouping."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

import noiseless as nl
from measure import WORK, best_of
from page import Form, Part, Section, Table, Words, cell
from tables import PUBLIC, SHAPES, parquet
from wording import beside_limit
from wording import growth as grown

_ENGINE = duckdb.connect()
_SIZES = (2, 3, 5, 8, 12, 20, 40, 80, 120, 200)
"""How many values each of ten columns takes."""
KEYS = tuple(f"k{place}" for place in range(len(_SIZES)))


def core(path: Path, *, risks: bool) -> tuple[Any, ...]:
    """k, the sizes of all posterior sets, L0 and I*; and what a bettor wins, the width, the risks of rows."""
    found = nl.audit(path, sensitive="s", public=PUBLIC)
    known = (found.k_anonymity, found.posterior_histogram, found.leakage, found.maximin)
    if not risks:
        return known
    return (*known, found.odds, found.width, found.prosecutor_risk, found.marketer_risk, found.sizes)


def rows(sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    """One line a shape and a size."""
    found = []
    for shape in SHAPES:
        for size in sizes:
            path = parquet(shape, size)
            core(path, risks=True)
            plain, more = best_of(4, partial(core, path, risks=False), partial(core, path, risks=True))
            found.append(
                {"table": shape, "rows": size, "audit s": plain, "with risks s": more, "ratio": more / plain}
            )
    return found


def keyed(rows: int) -> Path:
    """A Parquet file of ten columns, the same every time."""
    path = WORK / f"keys-{rows}.parquet"
    if not path.exists():
        WORK.mkdir(exist_ok=True)
        columns = ", ".join(
            f"(hash(i * 31 + {salt} * 1000003) % {size})::INTEGER AS {name}"
            for salt, (name, size) in enumerate(zip(KEYS, _SIZES, strict=True))
        )
        secret = "(hash(i * 31 + 77) % 50)::INTEGER AS s"
        duckdb.sql(f"COPY (SELECT {columns}, {secret} FROM range({rows}) t(i)) TO '{path}' (FORMAT parquet)")
    return path


def grouped(path: Path) -> None:
    """What DuckDB needs to count the rows of each combination."""
    _ENGINE.sql(f"SELECT count(*) FROM '{path}' GROUP BY {', '.join(KEYS)}").to_arrow_table()


def uniques(sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    """One line a size: all minimal uniques of up to three of ten columns."""
    found = []
    for size in sizes:
        path = keyed(size)
        audit = nl.audit(path, sensitive="s", public=KEYS)
        ours, engine = best_of(3, partial(audit.uniques, 3), partial(grouped, path))
        unique = audit.uniques(3).unique_rows
        found.append(
            {
                "rows": size,
                "rows singled out": unique,
                "minimal uniques s": ours,
                "DuckDB group by s": engine,
                "ratio": ours / engine,
            }
        )
    return found


RISKS = """\
The same tables as above: k, the sizes of all posterior sets, L0 and I*, first alone and then with what a
bettor wins (guesses, beliefs, pointwise leakage, beta-likeness, delta-disclosure), the width of groups, and
the risks of prosecutor and marketer with the number of groups of each size. Entropy l-diversity and
t-closeness are not among them."""

UNIQUES = """\
Ten columns with 2 to 200 values, and all minimal uniques of up to three of them: 175 combinations of columns.
They stand beside DuckDB's `SELECT count(*) ... GROUP BY` all ten columns, which finds the rows that are
unique on all of them, and no more."""


def risked(form: Form) -> Iterator[Part]:
    """Times with and without risks."""
    found = rows(form.sizes(10**6, 10**7))
    yield Table(found)
    ratios = [line["ratio"] for line in found]
    yield Words(f"With risks an audit takes {cell(min(ratios))} to {cell(max(ratios))} times as long.")


def singled(form: Form) -> Iterator[Part]:
    """Times of minimal uniques, and their growth."""
    found = uniques(form.sizes(10**5, 10**6))
    yield Table(found)
    yield beside_limit(found, "minimal uniques s", "DuckDB group by s", "DuckDB's grouping")
    times = {"minimal uniques": "minimal uniques s", "DuckDB": "DuckDB group by s"}
    yield Table(grown(found, "rows", times, []), "Growth")


SECTIONS = (
    Section("risks", "Risks in an audit", RISKS, risked),
    Section("uniques", "Minimal uniques", UNIQUES, singled),
)
