"""Databases for tests; a module that wants them says `pytest_plugins = ["databases"]`.

`postgres` is a server, `postgres_url` a new empty place on it, and `database_url` that and a SQLite file in
turn. Where no PostgreSQL is installed tests that need one are skipped.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from postgres import PostgresServer, binaries, unprivileged_user


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A running server."""
    try:
        with temporary_server() as server:
            yield server
    except LookupError as error:
        pytest.skip(str(error))


@contextmanager
def temporary_server() -> Iterator[PostgresServer]:
    """A server that is there for a while.

    Raises:
        LookupError: it cannot run here.
    """
    programs, user = binaries(), unprivileged_user()
    if programs is None:
        raise LookupError("no PostgreSQL is installed here")
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # short: a socket's path has 107 characters
    try:
        if user is not None:
            shutil.chown(folder, user)
        folder.chmod(0o755)
        server = PostgresServer(programs, folder, user)
        server.create()
        server.start()
        yield server
        server.stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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
