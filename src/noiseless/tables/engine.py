"""Where SQL runs: on a connection of ours, or through a relation of the caller's."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol, cast

import duckdb
import pyarrow as pa

ROOT = "noiseless_root"
"""The name under which a caller's relation is visible to queries."""


IN_PLACE = "USE_TMP_FILE false"
"""An option of COPY: write into the file that is there, which keeps its permissions."""


class Engine(Protocol):
    """What can run a query."""

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query's result."""

    def arrow(self, sql: str) -> pa.Table:
        """A query's result as an Arrow table."""


@dataclass(frozen=True)
class OwnEngine:
    """A connection of one's own: temporary tables and registered frames are private to it."""

    connection: duckdb.DuckDBPyConnection

    @classmethod
    def start(cls) -> "OwnEngine":
        """A new connection to this process's in-memory database."""
        return cls(_database(os.getpid()).cursor())

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query's result."""
        with _forgotten_when_broken():
            return self.connection.execute(sql).fetchall()

    def arrow(self, sql: str) -> pa.Table:
        """A query's result as an Arrow table."""
        with _forgotten_when_broken():
            return self.connection.sql(sql).to_arrow_table()


@contextmanager
def _forgotten_when_broken() -> Iterator[None]:
    """After an internal error a database answers nothing any more: the next connection is to a new one."""
    try:
        yield
    except (duckdb.InternalException, duckdb.FatalException):
        _database.cache_clear()
        raise


@dataclass(frozen=True)
class CallersEngine:
    """A relation of the caller's, on a connection that is nobody else's business."""

    relation: duckdb.DuckDBPyRelation

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query's result."""
        return cast("duckdb.DuckDBPyRelation", self.relation.query(ROOT, sql)).fetchall()

    def arrow(self, sql: str) -> pa.Table:
        """A query's result as an Arrow table."""
        return cast("duckdb.DuckDBPyRelation", self.relation.query(ROOT, sql)).to_arrow_table()


@cache
def _database(process: int) -> duckdb.DuckDBPyConnection:
    """One database a process (starting one takes 25 ms)."""
    return duckdb.connect(config={"temp_directory": _spill_folder(process)})


def spill_folder() -> str:
    """Where this process puts what does not fit into memory: a temporary folder that nobody else may open."""
    return _spill_folder(os.getpid())


@cache
def _spill_folder(process: int) -> str:
    """In the user's own folder; the engine makes it when something spills, and removes it at the end."""
    user = getattr(os, "getuid", int)()
    folder = Path(tempfile.gettempdir()) / f"noiseless-spill-{user}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == user and not status.st_mode & 0o077
    if not is_own:  # somebody else took the name
        folder = Path(tempfile.mkdtemp(prefix="noiseless-spill-"))
    return str(folder / str(process))
