"""Where SQL runs, the few pieces of its text that are built from names, and errors that quote no data."""

import atexit
import ctypes
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import duckdb
import pyarrow as pa

from noiseless.errors import NoiselessError, SourceError
from noiseless.tables.csv_grammar import NOT_UTF8, check_names

ROOT = "noiseless_root"
"""The name under which a caller's relation is visible to queries."""

POSTGRESQL = ("postgresql://", "postgres://", "postgresql+psycopg://")
"""How the address of a table on a PostgreSQL server begins."""


IN_PLACE = "USE_TMP_FILE false"
"""An option of COPY: write into the file that is there, which keeps its permissions."""


@dataclass(frozen=True)
class OwnEngine:
    """A connection of one's own: temporary tables and registered frames are private to it."""

    connection: (
        "duckdb.DuckDBPyConnection"  # in quotes: DuckDB complains at exit of classes that hold its types
    )

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

    def give_back(self) -> None:
        """Give memory that is held free back to the system: the engine does so when its limit is set anew."""
        ((limit,),) = self.rows("SELECT current_setting('memory_limit')")
        self.rows(f"SET memory_limit = '{limit}'")


def give_back() -> None:
    """The same of Arrow's memory and of malloc's, which keep what was freed for arrays to come."""
    pa.default_memory_pool().release_unused()
    _trim()(0)


@cache
def _trim() -> Callable[[int], object]:
    with suppress(AttributeError, OSError, TypeError):  # glibc has it
        return cast("Callable[[int], object]", ctypes.CDLL(None).malloc_trim)
    return lambda _: None


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

    relation: "duckdb.DuckDBPyRelation"

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query's result."""
        return cast("duckdb.DuckDBPyRelation", self.relation.query(ROOT, sql)).fetchall()

    def arrow(self, sql: str) -> pa.Table:
        """A query's result as an Arrow table."""
        return cast("duckdb.DuckDBPyRelation", self.relation.query(ROOT, sql)).to_arrow_table()


Engine = OwnEngine | CallersEngine
"""What can run a query."""


@cache
def _database(process: int) -> "duckdb.DuckDBPyConnection":
    """One database a process (starting one takes 25 ms); what it has used goes back to the system."""
    return duckdb.connect(
        config={"temp_directory": _spill_folder(process), "allocator_background_threads": "true"}
    )


atexit.register(_database.cache_clear)  # DuckDB complains on stderr of connections that outlive its module


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


_RAGGED = re.compile(r"on Line: (\d+).*?Expected Number of Columns: (\d+) Found: (\d+)", re.DOTALL)
_LINE = re.compile(r"on Line: (\d+)")


@contextmanager
def readable_errors(label: str) -> Iterator[None]:
    """Re-raise what DuckDB says about a source as a `SourceError` that holds no value of the data."""
    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except duckdb.Error as error:
        raise _explained(label, error) from None
    except RuntimeError as error:
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise
    except UnicodeDecodeError:
        raise SourceError(label, NOT_UTF8) from None


def _explained(label: str, error: duckdb.Error) -> NoiselessError:
    """What is wrong, without the engine's own words."""
    text = str(error)
    problem = f"could not be read ({type(error).__name__}); is it really of this format?"
    if found := _RAGGED.search(text):
        line, expected, fields = (int(g) for g in found.groups())
        problem = f"line {line} has {fields} fields where the header has {expected}; mend that line"
    elif re.search(r"unicode|utf-?8|invalid byte", text, re.IGNORECASE):
        problem = NOT_UTF8
    elif found := _LINE.search(text):
        problem = f"line {found[1]} is not well-formed; mend its quotes and separators"
    elif isinstance(error, duckdb.OutOfMemoryException):
        problem = "does not fit into memory and temporary space; free some disk space"
    elif re.search(r"permission denied|read-?only file", text, re.IGNORECASE):
        problem = "may not be read or written; check its permissions"
    elif isinstance(error, duckdb.InvalidInputException) and label.lower().endswith((".csv", ".tsv", ".txt")):
        problem = (
            "could not be read; is it really of this format? Lines that end in different ways are mended by"
            r" sed -i 's/\r$//' FILE"
        )
    return SourceError(label, problem)


SOURCE = "noiseless_source"
"""The name under which a table is visible to a query over it."""


def identifier(name: str) -> str:
    """A column or table name, quoted."""
    return '"' + name.replace('"', '""') + '"'


def identifiers(names: Iterable[str]) -> str:
    """Several names, quoted, with commas between them."""
    return ", ".join(map(identifier, names))


def renamed(label: str, names: Sequence[str]) -> str:
    """What gives columns c0, c1, ... their real names.

    Raises:
        SourceError: the engine would confuse some of them.
    """
    check_names(label, names)
    return ", ".join(f"c{i} AS {identifier(name)}" for i, name in enumerate(names))


def files(paths: Iterable[Path]) -> str:
    """A list of files; characters that the engine would take for a pattern are escaped."""
    return (
        "[" + ", ".join(literal(re.sub(r"([*?\[])", r"[\1]", str(path.absolute()))) for path in paths) + "]"
    )


def literal(text: str) -> str:
    """A text, quoted."""
    return "'" + text.replace("'", "''") + "'"
