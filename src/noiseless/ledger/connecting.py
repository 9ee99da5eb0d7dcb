"""Connections to SQLite and PostgreSQL."""

import sqlite3
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.pool import QueuePool

from noiseless.ledger.location import sqlite_path

KEPT_OPEN, _MORE = 8, 56
"""How many connections a process keeps, and how many more it may have for a while."""

_CACHE = 16_000  # kilobytes
_LOG = 4000  # pages: questions change pages here and there, which are written back once for many of them
_MAPPED = 2**31 - 2**16  # bytes, the most that SQLite maps; what is written is never written through the map
_CONNECTING = {  # a server that is gone without a word is noticed within a minute
    "connect_timeout": 10,
    "keepalives_idle": 20,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}


def engine_of(url: str, patience: float, *, immutable: bool, read_only: bool) -> Engine:
    """A pool of connections that are ready for use: durable, patient, without transactions of their own."""
    path = sqlite_path(url)
    if path is None:
        given = make_url(url).query
        options = {name: value for name, value in _CONNECTING.items() if name not in given}
        engine = create_engine(url, connect_args={**options, "autocommit": True}, **_pool(patience))
        event.listen(engine, "connect", _ready_postgresql(patience))
        return engine
    mode = "immutable=1" if immutable else "mode=ro" if read_only else "mode=rwc"
    uri = f"file:{quote(str(path))}?{mode}"  # whatever folder the process goes to later

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(uri, uri=True, timeout=patience, isolation_level=None, check_same_thread=False)

    engine = create_engine("sqlite://", creator=connect, paramstyle="named", **_pool(patience))
    event.listen(engine, "connect", _ready_sqlite)
    return engine


def _pool(patience: float) -> dict[str, Any]:
    return {
        "poolclass": QueuePool,
        "pool_size": KEPT_OPEN,
        "max_overflow": _MORE,
        "pool_timeout": patience,
        "pool_reset_on_return": None,  # sessions end their transactions themselves
    }


def _ready_sqlite(connection: Any, _: object) -> None:  # noqa: ANN401 - the driver's own
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA fullfsync = ON")  # where a plain fsync does not reach the disk
    connection.execute(f"PRAGMA cache_size = -{_CACHE}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG}")
    connection.execute(f"PRAGMA mmap_size = {_MAPPED}")  # a question is found as fast among many as among few


def _ready_postgresql(patience: float) -> Callable[[Any, object], None]:
    def ready(connection: Any, _: object) -> None:  # noqa: ANN401 - the driver's own
        connection.execute(
            "SELECT set_config('synchronous_commit', 'on', false)"
            " WHERE current_setting('synchronous_commit') IN ('off', 'local')"
        )
        connection.execute(f"SET lock_timeout = {max(1, int(patience * 1000))}")

    return ready


def has_pipelines() -> bool:
    """Whether statements may go to PostgreSQL together."""
    from psycopg import Pipeline

    return Pipeline.is_supported()
