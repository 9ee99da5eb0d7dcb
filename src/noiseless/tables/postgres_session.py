"""One connection to PostgreSQL, and one transaction in which all that is read belongs to one moment."""

import os
import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from noiseless.errors import SourceError
from noiseless.tables.postgres_address import Address
from noiseless.tables.postgres_errors import readable_connecting, readable_server_errors
from noiseless.tables.sql import identifier

if TYPE_CHECKING:
    import psycopg

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


class Session:
    """A connection that only reads; it ends with the last table that uses it, or with `close`.

    Attributes:
        label: what messages call the table.
    """

    def __init__(self, address: Address) -> None:
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


def connect(address: Address) -> "psycopg.Connection[tuple[Any, ...]]":
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
