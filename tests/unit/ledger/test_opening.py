"""Creating, migrating and opening ledgers, and files that are none."""

import multiprocessing
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from noiseless.amounts import Cost
from noiseless.files import reserve_private
from noiseless.ledger import Ledger, LedgerError
from noiseless.ledger.migrations import _STEPS, open_database
from noiseless.ledger.schema import STEPS, TABLES
from noiseless.ledger.transaction import DatabaseTransaction
from postgres import PostgresServer
from waiting import HANGS

pytest_plugins = ["databases"]

FORKS = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
"""Forking beside other threads, those of the test runner, is fine: the child uses nothing of theirs."""


def test_the_steps_lead_to_the_declared_tables(database_url: str) -> None:
    """Rows are written and read by the places of their columns."""

    def columns(session: DatabaseTransaction, table: str) -> tuple[str, ...]:
        cursor = session.put(f"SELECT * FROM {table}")
        assert cursor.fetchall() == []
        return tuple(column[0] for column in cursor.description)

    database = open_database(database_url, create=True, patience=HANGS)
    assert database.read(lambda session: {table: columns(session, table) for table in TABLES}) == TABLES
    database.close()


def test_there_is_a_way_to_every_step() -> None:
    assert tuple(_STEPS) == STEPS


def test_a_ledger_of_a_newer_version_is_left_alone(database_url: str) -> None:
    Ledger.open(database_url).close()
    newer = "UPDATE ledger_schema SET version_num = '9999'"
    if database_url.startswith("sqlite"):
        with closing(sqlite3.connect(database_url.removeprefix("sqlite:///"))) as connection:
            connection.execute(newer)
            connection.commit()
    else:
        PostgresServer.execute(database_url, newer)
    with pytest.raises(LedgerError, match="newer noiseless"):
        Ledger.open(database_url)


def test_a_ledger_that_does_not_say_its_version_is_left_alone(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    Ledger.open(url).close()
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as connection:
        connection.execute("UPDATE ledger_schema SET version_num = ''")
        connection.commit()
    with pytest.raises(LedgerError, match="restore a backup"):
        Ledger.open(url)


def open_and_declare(url: str, number: int) -> None:
    with Ledger.open(url) as ledger:
        ledger.declare("meters", digest="a", budget=3)
        ledger.declare(f"own {number}", digest="a", budget=3)


@FORKS
def test_many_processes_may_create_the_same_ledger(database_url: str) -> None:
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=open_and_declare, args=(database_url, n)) for n in range(8)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0] * 8
    with Ledger.open(database_url) as ledger:
        assert sorted(ledger.datasets()) == ["meters", *(f"own {number}" for number in range(8))]
        assert ledger.verify().entries == 9


def test_other_tables_of_the_database_are_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "mine.db")) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        connection.execute("INSERT INTO alembic_version VALUES ('mine')")
        connection.commit()
        with Ledger.open(tmp_path / "mine.db") as ledger:
            ledger.declare("meters", digest="a", budget=3)
        assert connection.execute("SELECT * FROM alembic_version").fetchall() == [("mine",)]


def test_every_commit_reaches_the_disk(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'a.db'}", create=True, patience=HANGS)
    pragmas = ("journal_mode", "synchronous")
    assert database.read(lambda session: [session.rows(f"PRAGMA {name}")[0][0] for name in pragmas]) == [
        "wal",
        2,
    ]
    database.close()


def test_every_commit_reaches_the_disk_of_a_server(postgres_url: str) -> None:
    PostgresServer.execute(postgres_url, "ALTER ROLE noiseless SET synchronous_commit = off")
    try:
        database = open_database(postgres_url, create=True, patience=HANGS)
        assert database.read(lambda session: session.rows("SHOW synchronous_commit")) == [("on",)]
        database.close()
    finally:
        PostgresServer.execute(postgres_url, "ALTER ROLE noiseless RESET synchronous_commit")


def test_files_that_are_no_ledger_are_named(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("this is no database at all, whatever its name says")
    with pytest.raises(LedgerError, match=r"text\.db: is no SQLite file"):
        Ledger.open(tmp_path / "text.db")
    with pytest.raises(LedgerError, match="cannot be opened; check that its folder exists"):
        Ledger.open(tmp_path / "nowhere" / "a.db")
    with pytest.raises(LedgerError, match="there is no ledger"):
        Ledger.open(tmp_path, create=False)
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE x (y)")
    with pytest.raises(LedgerError, match="there is no ledger"):
        Ledger.open(tmp_path / "other.db", create=False)


def test_odd_names_of_files_are_names_of_files(tmp_path: Path) -> None:
    path = tmp_path / "a b%20c#d&e=f.db"
    with Ledger.open(path) as ledger:
        ledger.declare("meters", digest="a", budget=3)
    assert path.exists()
    with Ledger.open(path, create=False) as ledger:
        assert ledger.datasets() == ["meters"]


@pytest.mark.parametrize("url", ["postgresql://nobody@/db?host=/nowhere", "postgresql://x@127.0.0.1:1/db"])
def test_a_server_that_is_not_there_is_said_at_once(url: str) -> None:
    with pytest.raises(LedgerError, match="the server cannot be reached") as caught:
        Ledger.open(url)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://u:se[cret@127.0.0.1:1/db", "the server cannot be reached"),
        ("postgresql://u:se\u2100cret@127.0.0.1:1/db", "the server cannot be reached"),
        ("postgresql://u:secret@[::1/db", "is no address of PostgreSQL"),
        ("postgresql://u:se cret@/db", "is no address of PostgreSQL"),
    ],
)
def test_odd_addresses_are_refused_without_their_password(url: str, said: str) -> None:
    with pytest.raises(LedgerError, match=said) as caught:
        Ledger.open(url)
    assert "cret" not in str(caught.value)


def test_what_the_server_refuses_is_said(postgres: PostgresServer) -> None:
    url = postgres.url("public").replace("/postgres?", "/nowhere?").replace("noiseless@", "noiseless:secret@")
    with pytest.raises(LedgerError, match='database "nowhere" does not exist') as caught:
        Ledger.open(url)
    assert "secret" not in str(caught.value)


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


def as_nobody(path: Path, expected: str, *, reading: bool = False) -> None:
    """Open a ledger as a user without rights to it."""
    os.setgid(65534)
    os.setuid(65534)
    if reading:
        with Ledger.open(path, create=False) as ledger:
            assert (ledger.datasets(), ledger.verify().ok) == (["meters"], True)
            with pytest.raises(LedgerError, match=expected):
                ledger.change_budget("meters", 2)
        return
    with pytest.raises(LedgerError, match=expected), Ledger.open(path) as ledger:
        ledger.change_budget("meters", 2)


def in_a_child(path: Path, expected: str, *, reading: bool = False) -> None:
    child = multiprocessing.get_context("fork").Process(
        target=as_nobody, args=(path, expected), kwargs={"reading": reading}
    )
    child.start()
    child.join()
    assert child.exitcode == 0


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    """A folder that everybody may enter."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(0o755)
    return tmp_path


@needs_root
@FORKS
def test_a_file_that_may_only_be_read_is_read(open_folder: Path) -> None:
    path = open_folder / "a.db"
    with Ledger.open(path) as ledger:
        ledger.declare("meters", digest="a", budget=3)
        head = ledger.head
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    in_a_child(path, "cannot be written")
    in_a_child(path, "cannot be written", reading=True)
    with Ledger.open(path) as ledger:
        assert ledger.head == head


@needs_root
@FORKS
def test_a_folder_that_may_only_be_read_is_said(open_folder: Path) -> None:
    path = open_folder / "a.db"
    with Ledger.open(path) as ledger:
        ledger.declare("meters", digest="a", budget=3)
    path.chmod(0o666)
    in_a_child(path, "cannot be opened|cannot be written")
    in_a_child(open_folder / "new.db", "cannot be opened")
    with Ledger.open(path) as ledger:
        assert ledger.verify().ok
        ledger.settle("meters", lambda books: books.charge(Cost(2)))


def linked(tmp_path: Path) -> tuple[Path, Path]:
    """A link in one folder, and the file in another one that it leads to by a second link."""
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    link, target = tmp_path / "here" / "link.db", tmp_path / "there" / "ledger.db"
    (tmp_path / "here" / "second.db").symlink_to(Path("..") / "there" / "ledger.db")
    link.symlink_to("second.db")
    return link, target


def test_a_new_ledger_behind_a_link_is_for_its_owner_alone(tmp_path: Path) -> None:
    link, target = linked(tmp_path)
    with Ledger.open(link) as ledger:
        ledger.declare("meters", digest="a", budget=3)
        names = {path.name for path in target.parent.iterdir()}
        assert {"ledger.db", "ledger.db-wal"} <= names
        assert {path.stat().st_mode & 0o777 for path in target.parent.iterdir()} == {0o600}
    assert {path.name for path in link.parent.iterdir()} == {"link.db", "second.db"}


def test_a_ledger_behind_a_link_is_read_with_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link, target = linked(tmp_path)
    with Ledger.open(target) as ledger:
        ledger.declare("meters", digest="a", budget=3)
        with monkeypatch.context() as patch:
            patch.setattr(os, "access", lambda *_: False)  # root may write all files
            with Ledger.open(link, create=False) as reader:
                assert reader.head == ledger.head


def test_an_empty_file_becomes_private_and_a_device_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.touch(0o644)
    Ledger.open(path).close()
    assert path.stat().st_mode & 0o777 == 0o600
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo, 0o644)
    reserve_private(fifo)
    assert fifo.stat().st_mode & 0o777 == 0o644


def test_a_ledger_in_a_file_needs_no_driver_of_servers(tmp_path: Path) -> None:
    opened = f"noiseless.ledger.Ledger.open({str(tmp_path / 'a.db')!r}).verify().ok"
    code = f"import sys, noiseless.ledger, noiseless.cli.ledger; print({opened}, 'psycopg' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True False\n"


def test_without_the_driver_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(LedgerError, match=r"pip install 'noiseless\[curator\]'"):
        Ledger.open("postgresql://nobody@/db?host=/nowhere")
