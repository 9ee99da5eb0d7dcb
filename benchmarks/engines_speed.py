"""An audit inside a database server against the bare GROUP BY that it needs, on the same table."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import psycopg

import noiseless as nl
from measure import ROOT, best_of, scanning
from page import Form, Part, Section, Table, Words
from tables import PUBLIC, parquet

sys.path.insert(0, str(ROOT / "tests"))
from postgres import OWNER, PostgresServer, binaries, unprivileged_user

_KINDS = {"few groups": (False, True), "millions of groups": (False, True)}


def postgresql(rows: int = 10**6) -> list[dict[str, Any]]:
    """One line a table: few groups and about as many as there are rows, of whole numbers and of texts."""
    with _server() as address:
        return [
            _measured(address, shape, rows, text=text) for shape, kinds in _KINDS.items() for text in kinds
        ]


def _measured(address: str, shape: str, rows: int, *, text: bool) -> dict[str, Any]:
    _load(address, parquet(shape, rows, text=text), text=text)
    columns = ", ".join((*PUBLIC, "s"))
    query = f"SELECT {columns}, count(*) FROM t GROUP BY {columns}"
    with psycopg.connect(address, autocommit=True) as connection:

        def counted() -> None:
            connection.execute(f"SELECT count(*) FROM ({query}) g".encode())

        def fetched() -> None:
            with connection.cursor() as cursor, cursor.copy(f"COPY ({query}) TO STDOUT".encode()) as copy:
                for _ in copy:
                    pass

        def audited() -> None:
            _core(f"{address}::t")

        audited()  # compiled kernels are loaded, the table is in memory
        ours, bare, taken = best_of(3, audited, counted, fetched)
    return {
        "table": f"{shape}, {'texts' if text else 'whole numbers'}",
        "rows": rows,
        "DuckDB scan s": scanning(parquet(shape, rows, text=text), (*PUBLIC, "s"), text=text),
        "audit s": ours,
        "GROUP BY s": bare,
        "GROUP BY, groups fetched s": taken,
        "ratio": ours / bare,
        "ratio to fetched": ours / taken,
    }


def _core(source: str) -> tuple[Any, ...]:
    found = nl.audit(source, sensitive="s", public=PUBLIC)
    return found.k_anonymity, found.posterior_histogram, found.leakage, found.maximin


def _load(address: str, path: Path, *, text: bool) -> None:
    kind = "text" if text else "integer"
    columns = ", ".join(f"{name} {kind}" for name in (*PUBLIC, "s"))
    with tempfile.TemporaryDirectory() as folder, psycopg.connect(address, autocommit=True) as connection:
        file = Path(folder) / "rows.csv"
        duckdb.sql(f"COPY (FROM '{path}') TO '{file}' (FORMAT csv, HEADER false)")
        connection.execute(f"DROP TABLE IF EXISTS t; CREATE TABLE t ({columns})".encode())
        with (
            connection.cursor() as cursor,
            cursor.copy("COPY t FROM STDIN (FORMAT csv)") as copy,
            file.open("rb") as lines,
        ):
            while block := lines.read(2**20):
                copy.write(block)
        connection.execute("VACUUM ANALYZE t")


@contextmanager
def _server() -> Iterator[str]:
    """The address of a server that is started for this."""
    programs = binaries()
    if programs is None:
        raise SystemExit("no PostgreSQL is installed here")
    user = unprivileged_user()
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    server = PostgresServer(programs, folder, user)
    try:
        if user is not None:
            shutil.chown(folder, user)
        folder.chmod(0o755)
        server.create()
        server.start()
        try:
            yield f"postgresql://{OWNER}@/postgres?host={folder}&options=-cwork_mem%3D256MB"
        finally:
            server.stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


INTRODUCTION = """\
The audit of a table in [PostgreSQL](postgresql.md), beside the bare GROUP BY that it needs, counted in the
server, and beside the same with its groups fetched, which is the limit. DuckDB's scan of the same columns
in a Parquet file shows what the server costs."""


def measured(form: Form) -> Iterator[Part]:
    """PostgreSQL, where it is installed."""
    if binaries() is None:
        yield Words("PostgreSQL is not installed where this page was made.")
    else:
        yield Table(postgresql(form.size(10**6)))


SECTION = Section("postgresql", "PostgreSQL", INTRODUCTION, measured, "engines")


if __name__ == "__main__":
    for line in postgresql(int(sys.argv[1]) if len(sys.argv) > 1 else 10**6):
        print(line)
