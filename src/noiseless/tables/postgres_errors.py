"""Turning the server's errors, which quote the data, into one line that does not."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from noiseless.errors import SourceError

if TYPE_CHECKING:
    import psycopg

_CONNECTING = (
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
        for pattern, problem in _CONNECTING:
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
