"""A real PostgreSQL of the tests' own: started in a temporary folder, stopped, killed and restarted at will.

Tests take it from the fixtures of `databases.py`.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from waiting import HANGS

FOLDERS = ("/usr/lib/postgresql", "/usr/pgsql-*", "/opt/homebrew/opt", "/usr/local/opt", "/usr/local/pgsql")
OWNER = "noiseless"

_OPTIONS = {
    "listen_addresses": "''",  # a Unix socket only
    "max_connections": "150",
    "shared_buffers": "16MB",
    "fsync": "off",  # the server may be killed in these tests, the machine is not
}

_WAIT = ("-w", "-t", str(int(HANGS)))


class PostgresServer:
    """A cluster in a temporary folder, reached by a Unix socket in it."""

    def __init__(self, binaries: Path, folder: Path, user: str | None) -> None:
        self.folder = folder
        self._binaries = binaries
        self._user = user
        self._names = (f"ledger_{number}" for number in count(1))

    def create(self) -> None:
        """Create the cluster."""
        self._run("initdb", "-D", self._data, "-U", OWNER, "-A", "trust", "-E", "UTF8", "--no-sync")

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = " ".join(f"-c {name}={value}" for name, value in _OPTIONS.items())
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", self._data, *_WAIT, "-l", log, "-o", f"-k {self.folder} {options}", "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop the server; `immediate` is a crash, without any goodbye to its clients."""
        self._run("pg_ctl", "-D", self._data, *_WAIT, "-m", mode, "stop")

    def restart(self, mode: str = "immediate") -> None:
        """Stop the server and start it again."""
        self.stop(mode)
        self.start()

    def new_url(self) -> str:
        """The URL of something empty: a schema of its own, which takes no time to create."""
        name = next(self._names)
        self.execute(self.url("public"), f"CREATE SCHEMA {name}")
        return self.url(name)

    def url(self, schema: str) -> str:
        """The URL of a schema."""
        return f"postgresql+psycopg://{OWNER}@/postgres?host={self.folder}&options=-csearch_path%3D{schema}"

    @staticmethod
    def execute(url: str, sql: str) -> list[tuple[Any, ...]]:
        """Run a statement as the owner of everything; its rows."""
        import psycopg

        with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(self._binaries / program), *arguments],
            user=self._user,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # a pipe would be kept open by the server
            stderr=subprocess.DEVNULL,
            timeout=HANGS,
            check=False,
        )
        if done.returncode:
            log = self.folder / "log"
            lines = log.read_text().splitlines()[-5:] if log.exists() else []
            raise RuntimeError(f"{program} failed: {' / '.join(lines)}")


def binaries() -> Path | None:
    """The folder of the newest PostgreSQL's programs."""
    on_path = shutil.which("pg_ctl")
    found = [path for folder in FOLDERS for path in Path("/").glob(f"{folder[1:]}/**/bin/initdb")]
    newest = max(found, key=lambda path: [int(part) for part in path.parts if part.isdigit()], default=None)
    if newest is not None:
        return newest.parent
    return Path(on_path).resolve().parent if on_path else None


def unprivileged_user() -> str | None:
    """Who runs the server: PostgreSQL refuses to run as root.

    Raises:
        LookupError: there is nobody to run it.
    """
    if os.geteuid():
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    for name in ("postgres", "nobody"):
        if name in names:
            return name
    raise LookupError("PostgreSQL refuses to run as root, and there is no other user")


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
