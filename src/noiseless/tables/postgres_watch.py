"""Whether a table on PostgreSQL may have changed since it was read, without reading it again."""

import os
import threading

from noiseless.errors import SourceError
from noiseless.tables.postgres_address import Address, is_postgresql
from noiseless.tables.postgres_catalogue import find_table, state_of
from noiseless.tables.postgres_session import Session


class StateWatch:
    """A connection, outside any transaction, that tells a table's state as often as it is asked."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._process = 0

    @classmethod
    def of(cls, source: str) -> "StateWatch | None":
        """The watch over a source; None for one that is not on a server."""
        return cls(source) if is_postgresql(source) else None

    def now(self) -> tuple[str, ...] | None:
        """The state as `PostgresTable.state` has it; None if nothing tells, or the server does not answer."""
        with self._lock:
            was_open = self._session is not None and self._process == os.getpid()
            try:
                return self._told()
            except SourceError:
                self._session = None
                if not was_open:
                    return None
            try:
                return self._told()  # a connection may have been lost since the last question
            except SourceError:
                self._session = None
                return None

    def _told(self) -> tuple[str, ...] | None:
        address = Address.parse(self._source)
        if self._session is None or self._process != os.getpid():
            self._session, self._process = Session(address), os.getpid()
        return state_of(self._session.rows, find_table(self._session, address.names))

    def close(self) -> None:
        """End the connection."""
        with self._lock:
            if self._session is not None:
                self._session.close()
            self._session = None
