"""Databases for tests; a module that wants them says `pytest_plugins = ["databases"]`.

`postgres` is a server, `postgres_url` a new empty place on it, and `database_url` that and a SQLite file in
turn; `own_postgres` is a server that a test may stop. Where no PostgreSQL is installed tests that need one
are skipped.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from postgres import PostgresServer, temporary_server


@contextmanager
def _running() -> Iterator[PostgresServer]:
    try:
        with temporary_server() as server:
            yield server
    except LookupError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A running server that all tests share; nobody stops it."""
    with _running() as server:
        yield server


@pytest.fixture
def own_postgres() -> Iterator[PostgresServer]:
    """A running server that the test may stop."""
    with _running() as server:
        yield server


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> str:
    """A new empty place on the server."""
    return postgres.new_url()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new database of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'ledger.db'}"
    return str(request.getfixturevalue("postgres_url"))
