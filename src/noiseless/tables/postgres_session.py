"""One connection to PostgreSQL: its address, its one transaction, and errors without values or passwords."""

import os
import re
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from noiseless.errors import SourceError
from noiseless.tables.engine import POSTGRESQL, identifier

if TYPE_CHECKING:
    import psycopg

_EXAMPLE = "write postgresql://user@host/database::schema.table"
_PART = r'"((?:[^"]|"")+)"|([^".]+)'
_DRIVER = "the driver is not installed; install it with: pip install 'noiseless[curator]'"


@dataclass(frozen=True, repr=False)
class PostgresAddress:
    """A table's address.

    Attributes:
        database: how to connect, as libpq reads it; it may hold a password and is never shown.
        names: the table's name and, before it, its schema's if one is given.
        label: what messages call the table: no password, and no options, which may hold one too.
    """

    database: str
    names: tuple[str, ...]
    label: str

    @classmethod
    def parse(cls, source: str) -> "PostgresAddress":
        """The address in a source's name.

        Raises:
            SourceError: it is none; the message does not repeat it.

        >>> PostgresAddress.parse("postgresql://me:secret@host/db?sslmode=require::public.people")
        PostgresAddress('postgresql://me@host/db::public.people')
        """
        scheme = next(scheme for scheme in POSTGRESQL if source.startswith(scheme))
        place, _, table = source.removeprefix(scheme).rpartition("::")
        if not place or "@" in table or "/" in table:  # the colons are of a password or of a host
            raise SourceError("postgresql", f"the address names no table; {_EXAMPLE}")
        database = f"postgresql://{place}"
        names = _names(table)
        return cls(database, names, f"{_shown(database)}::{table}")

    def __repr__(self) -> str:
        return f"PostgresAddress({self.label!r})"


def _names(table: str) -> tuple[str, ...]:
    """The parts of a name; a part with dots is written in double quotes, as in SQL."""
    if not re.fullmatch(rf"(?:{_PART})(?:\.(?:{_PART}))?", table):
        raise SourceError("postgresql", f"the address ends with no name of a table; {_EXAMPLE}")
    return tuple(quoted.replace('""', '"') or plain for quoted, plain in re.findall(_PART, table))


def _shown(database: str) -> str:
    """The address of a database as it may be shown."""
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        raise SourceError("PostgreSQL", _DRIVER) from None
    try:
        parts = {name: str(value) for name, value in conninfo_to_dict(database).items()}
    except ProgrammingError:
        raise SourceError("postgresql", f"the address cannot be read; {_EXAMPLE}") from None
    user = f"{parts['user']}@" if "user" in parts else ""
    host = parts.get("host", "")
    port = parts.get("port", "")
    place = "" if host.startswith("/") else f"{host}{f':{port}' if port.isdecimal() else ''}"
    return f"postgresql://{user}{place}/{parts.get('dbname', '')}"


_REFUSALS = (
    ("password|authentication|pg_hba", "lets this user not in; check the user, and PGPASSWORD or ~/.pgpass"),
    ("database .* does not exist", "has no such database; check the address"),
    ("role .* does not exist", "knows no such user; check the address"),
    ("too many (clients|connections)|remaining connection slots", "has no free connection; try again later"),
    ("ssl|certificate", "could not be reached securely; check sslmode and the certificates"),
)

_STATES = {
    "57014": "took too long, or was cancelled on the server; read fewer columns, or allow more time:"
    " postgresql://host/database?options=-cstatement_timeout%3D7200000::table",
    "55P03": "is locked by somebody who changes it; try again later",
    "42501": "may not be read by this user; its owner says: GRANT SELECT ON ... TO ...",
    "42P01": "is gone; check the name",
    "22008": "holds a moment that no other system knows; leave it out, or mend the data",
    "22003": "holds a moment beyond the year 294,246, or a number out of range; mend the data",
    "25P02": "an earlier step failed; open the table again",
    "25P03": "was open without being read for longer than the server allows; open it again",
    "53100": "could not be grouped: the server's disk is full; read fewer columns",
    "53200": "could not be grouped: the server has no memory left; read fewer columns",
    "40001": "is on a standby that had to go on; try again, or read from the primary",
    "22021": "holds text that is not UTF-8; convert the database",
    "22P05": "holds text that cannot be written in UTF-8; convert the database",
}


@contextmanager
def readable_connecting(label: str) -> Iterator[None]:
    """Re-raise what went wrong when connecting as a `SourceError` without a password."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        text = str(error)
        for pattern, problem in _REFUSALS:
            if re.search(pattern, text, re.IGNORECASE):
                raise SourceError(label, f"the server {problem}") from None
        problem = "cannot be reached; check the address, and whether the server is running"
        raise SourceError(label, f"the server {problem}") from None


@contextmanager
def readable_server_errors(label: str) -> Iterator[None]:
    """Re-raise what the server says about a table as a `SourceError` that holds no value of the data."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        raise SourceError(label, _problem(error)) from None


def _problem(error: "psycopg.Error") -> str:
    import psycopg

    known = _STATES.get(error.sqlstate or "")
    if known is not None:
        return known
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return "the connection to the server is lost; open the table again"
    return f"could not be read ({type(error).__name__})"


_OLDEST = 130000
_CONNECTING = {  # a server that is gone without a word is noticed within a minute
    "connect_timeout": 10,
    "keepalives_idle": 20,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
    "application_name": "noiseless",
}
_SETTINGS = {  # texts of values must not depend on how the server or the user is set up
    "extra_float_digits": "3",  # floating-point numbers are sent so that nothing is lost
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "bytea_output": "hex",
}
_TIMEOUTS = {"statement_timeout": "3600000", "lock_timeout": "60000"}
"""In milliseconds, where neither the server, the user nor the address sets one."""

_BLOCK = 2**24


class PostgresSession:
    """A connection that only reads; it ends with the last table that uses it, or with `close`.

    Attributes:
        label: what messages call the table.
    """

    def __init__(self, address: PostgresAddress) -> None:
        self.label = address.label
        self._lock = threading.RLock()
        self._connection = connect(address)
        self._end = weakref.finalize(self, _closed, self._connection, os.getpid())

    def close(self) -> None:
        """End the transaction and the connection."""
        self._end()

    def begin(self, relation: str, *, lock: bool) -> None:
        """Begin the transaction in which a table is read.

        Its snapshot is taken after the table is locked against being emptied or rewritten (ACCESS SHARE, as
        any reading does): PostgreSQL would show a table that was emptied meanwhile as empty, whatever the
        snapshot. Those who write rows are not kept waiting.
        """
        self.rows("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        if lock:
            self.rows(f"LOCK TABLE {relation} IN ACCESS SHARE MODE")

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows of a statement's result."""
        with self._lock, readable_server_errors(self.label):
            cursor = self._connection.execute(sql.encode(), parameters or None)
            return cursor.fetchall() if cursor.description else []

    def copy(self, sql: str, types: Mapping[str, pa.DataType]) -> pa.Table:
        """A query's result as an Arrow table.

        Args:
            sql: the query.
            types: what its columns are called here, and the types in which their texts are read.
        """
        sink = pa.BufferOutputStream()
        statement = f"COPY ({sql}) TO STDOUT (FORMAT csv)".encode()
        with (
            self._lock,
            readable_server_errors(self.label),
            self._connection.cursor() as cursor,
            cursor.copy(statement) as copy,
        ):
            for line in copy:
                sink.write(line)
        return self._parsed(sink.getvalue(), types)

    def _parsed(self, sent: pa.Buffer, types: Mapping[str, pa.DataType]) -> pa.Table:
        """CSV as the server writes it: nothing is a missing value, and "" an empty text."""
        from pyarrow import csv

        if not sent.size:
            return pa.table({name: pa.array([], kind) for name, kind in types.items()})
        try:
            return csv.read_csv(
                pa.BufferReader(sent),
                csv.ReadOptions(column_names=list(types), block_size=_BLOCK),
                csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
                csv.ConvertOptions(
                    column_types=dict(types),
                    null_values=[""],
                    true_values=["t"],
                    false_values=["f"],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
        except pa.ArrowInvalid:
            problem = "has values that cannot be taken over, such as texts of many megabytes"
            raise SourceError(self.label, f"{problem}; leave those columns out") from None


def connect(address: PostgresAddress) -> "psycopg.Connection[tuple[Any, ...]]":
    """A connection set up so that values are sent whole.

    Raises:
        SourceError: the server cannot be reached, lets nobody in, or is too old.
    """
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    given = conninfo_to_dict(address.database)
    options: dict[str, Any] = {name: value for name, value in _CONNECTING.items() if name not in given}
    with readable_connecting(address.label):
        connection = psycopg.connect(
            address.database, autocommit=True, prepare_threshold=None, client_encoding="utf8", **options
        )
    try:
        _prepare(connection, address.label)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: "psycopg.Connection[tuple[Any, ...]]", label: str) -> None:
    if connection.info.server_version < _OLDEST:
        raise SourceError(label, "the server is older than PostgreSQL 13; export the table to a file")
    settings = [f"set_config('{name}', '{value}', false)" for name, value in _SETTINGS.items()]
    settings += [
        f"CASE WHEN current_setting('{name}') = '0' THEN set_config('{name}', '{value}', false) END"
        for name, value in _TIMEOUTS.items()
    ]
    with readable_server_errors(label):
        connection.execute(f"SELECT {', '.join(settings)}".encode())


def relation(names: Sequence[str]) -> str:
    """The name of a table, quoted."""
    return ".".join(map(identifier, names))


def _closed(connection: "psycopg.Connection[tuple[Any, ...]]", process: int) -> None:
    """Close a connection in the process that opened it: a fork must not end its parent's."""
    if os.getpid() == process:
        connection.close()
