"""Drivers' errors in plain words, without what they may quote."""

import sqlite3

import pytest

from noiseless.ledger.errors import (
    LedgerError,
    LedgerUnavailableError,
    LostConnectionError,
    explain_connecting,
    explain_postgresql,
    explain_sqlite,
)

SECRET = "a private value"


def sqlite_error(name: str) -> sqlite3.Error:
    error = sqlite3.OperationalError(SECRET)
    error.sqlite_errorname = name
    return error


class ServerError(Exception):
    def __init__(self, state: str | None) -> None:
        super().__init__(SECRET)
        self.sqlstate = state


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("SQLITE_FULL", "the disk is full"),
        ("SQLITE_IOERR_WRITE", "cannot be read or written"),
        ("SQLITE_READONLY_DIRECTORY", "cannot be written"),
        ("SQLITE_CANTOPEN", "cannot be opened"),
        ("SQLITE_NOTADB", "is no SQLite file"),
        ("SQLITE_CORRUPT_INDEX", "is damaged"),
        ("SQLITE_CONSTRAINT_TRIGGER", "refuses a change of an entry"),
        ("SQLITE_ERROR", "does not have the tables"),
        ("SQLITE_ODD", "failed (SQLITE_ODD)"),
        ("SQLITE_BUSY_SNAPSHOT", "is locked by another program"),
    ],
)
def test_errors_of_sqlite_are_said_in_words(name: str, meaning: str) -> None:
    found = explain_sqlite(sqlite_error(name), "a.db")
    assert str(found).startswith(f"a.db: {meaning}")
    assert SECRET not in str(found)
    assert isinstance(found, LedgerUnavailableError) == name.startswith("SQLITE_BUSY")


@pytest.mark.parametrize(
    ("state", "broken", "kind"),
    [
        ("55P03", False, LedgerUnavailableError),
        ("57P01", False, LostConnectionError),
        ("40001", False, LostConnectionError),
        ("40P01", False, LostConnectionError),
        ("08006", False, LostConnectionError),
        (None, True, LostConnectionError),
        ("53100", False, LedgerError),
        ("25006", False, LedgerError),
        ("XX000", False, LedgerError),
        (None, False, LedgerError),
    ],
)
def test_errors_of_postgresql_are_said_in_words(state: str | None, broken: bool, kind: type) -> None:
    found = explain_postgresql(ServerError(state), "postgresql://host/db", broken=broken)
    assert type(found) is kind
    assert str(found).startswith("postgresql://host/db: ")
    assert SECRET not in str(found)


def test_a_server_that_was_there_is_waited_for() -> None:
    refused = Exception("connection failed: Connection refused\n\tIs the server running?")
    starting = Exception("connection failed: FATAL:  the database system is starting up")
    assert type(explain_connecting(refused, "x", was_reached=False)) is LedgerError
    assert type(explain_connecting(refused, "x", was_reached=True)) is LostConnectionError
    assert type(explain_connecting(starting, "x", was_reached=False)) is LostConnectionError
