"""Files that hold something private are their owner's alone, from the first byte."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator_examples import write_curator
from noiseless.cli.main import run
from noiseless.ledger import Ledger
from noiseless.ledger.analysts import list_tokens, token_hash
from noiseless.tables import open_table
from noiseless.tables.duckdb_table import DuckDBTable
from noiseless.tables.engine import OwnEngine, spill_folder
from noiseless.tables.replacement import ordered_writer

AUDIT = ("audit", "meters.csv", "--sensitive", "heating", "--public", "suburb", "--records")
WRITERS = {
    "the ledger, its log and locks, and the key": ("query", "curator.toml", "SELECT COUNT(*) FROM meters"),
    "a token": ("token", "add", "curator.toml", "--name", "ann", "--out", "ann.token"),
    "a token beside JSON": ("token", "add", "curator.toml", "--name", "a", "-o", "a", "--format", "json"),
    "a backup": ("ledger", "backup", "curator.toml", "-o", "backup.db"),
    "an export as JSON": ("ledger", "export", "curator.toml", "-o", "entries.json"),
    "an export as CSV": ("ledger", "export", "curator.toml", "-o", "entries.csv"),
    "a restored ledger": ("ledger", "restore", "kept.db", "sqlite:///restored.db"),
    "exposure as CSV": ("dataset", "exposure", "curator.toml", "-o", "exposure.csv"),
    "exposure as Parquet": ("dataset", "exposure", "curator.toml", "-o", "exposure.parquet"),
    "exposure as JSON lines": ("dataset", "exposure", "curator.toml", "-o", "exposure.jsonl"),
    "a page that shows values": (*AUDIT[:-1], "--html", "report.html", "--show-values"),
    "risks as CSV": (*AUDIT, "records.csv"),
    "risks as TSV": (*AUDIT, "records.tsv"),
    "risks as Parquet": (*AUDIT, "records.parquet"),
    "risks as JSON lines": (*AUDIT, "records.jsonl"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A curator's folder where everything is open to everybody, unless it is made for its owner alone."""
    monkeypatch.chdir(tmp_path)
    write_curator(tmp_path)
    with Ledger.open("sqlite:///meters-ledger.db") as ledger:
        ledger.backup("kept.db")
    assert run(["dataset", "declare", "curator.toml"]) == 0

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a file that is narrowed afterwards was open before")

    for name in ("chmod", "fchmod"):
        monkeypatch.setattr(os, name, refuse)
    before = os.umask(0)
    yield tmp_path
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.lstat().st_mode) for file in folder.iterdir()}


@pytest.mark.parametrize("arguments", WRITERS.values(), ids=list(WRITERS))
def test_what_is_private_is_its_owners_alone(folder: Path, arguments: tuple[str, ...]) -> None:
    for path in folder.glob("meters-*"):
        if arguments[0] == "query":
            path.unlink()  # and so made anew
    before = set(modes(folder))
    assert run(list(arguments)) == 0
    made = {name: mode for name, mode in modes(folder).items() if name not in before}
    assert made
    assert set(made.values()) == {0o600}


@pytest.mark.parametrize("name", ["exposure.csv", "records.csv"])
def test_a_file_that_was_open_to_everybody_is_replaced(folder: Path, name: str) -> None:
    (folder / name).write_text("mine")
    assert modes(folder)[name] == 0o666
    command = (*AUDIT, name) if name == "records.csv" else ("dataset", "exposure", "curator.toml", "-o", name)
    assert run(list(command)) == 0
    assert modes(folder)[name] == 0o600


def test_a_ledger_that_is_open_has_no_file_for_others(folder: Path) -> None:
    with Ledger.open(folder / "new.db") as ledger:
        ledger.declare("meters", digest="a", budget=3)
        ledger.change_budget("meters", 2)
        made = {name: mode for name, mode in modes(folder).items() if name.startswith("new.db")}
    assert set(made) == {"new.db", "new.db-wal", "new.db-shm", "new.db-next", "new.db-turn"}
    assert set(made.values()) == {0o600}


def test_an_empty_file_becomes_a_ledger_of_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    path.touch()
    path.chmod(0o666)
    Ledger.open(path).close()
    assert modes(tmp_path)["ledger.db"] == 0o600


def test_a_written_token_is_valid_and_is_not_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["token", "add", "curator.toml", "--name", "ann", "--out", "ann.token"]) == 0
    text = (folder / "ann.token").read_text().strip()
    said = capsys.readouterr().out
    with Ledger.open(folder / "meters-ledger.db") as ledger:
        (token,) = list_tokens(ledger)
    assert token.hash == token_hash(text)
    assert said == f"the token {token.id} was written to ann.token\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["curator.toml", "--out", "meters.csv"], "meters.csv: is there already; name a new file"),
        (["curator.toml", "--out", "link"], "link: is there already; name a new file"),
        (["curator.toml", "--out", "nowhere/x"], "nowhere/x: cannot be written"),
        (["nowhere.toml", "--out", "x"], "nowhere.toml: there is no such file"),
        (["curator.toml", "nowhere.toml", "--out", "x"], "nowhere.toml: there is no such file"),
        (["curator.toml", "--out", "x", "--expires", "2001-01-01"], "the expiry is past"),
    ],
)
def test_a_token_that_cannot_be_written_is_not_made(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (folder / "link").symlink_to("target")
    content = (folder / "meters.csv").read_text()
    assert run(["token", "add", "--name", "ann", *arguments]) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert (said.err.count("\n"), said.out) == (1, "")
    assert (folder / "meters.csv").read_text() == content
    assert not {"x", "target"} & set(modes(folder))
    with Ledger.open(folder / "meters-ledger.db") as ledger:
        assert list_tokens(ledger) == []


def test_what_spills_to_disk_is_seen_by_nobody_else(tmp_path: Path) -> None:
    """Its files have the engine's own modes; nobody can open their folder."""
    import duckdb

    assert stat.S_IMODE(Path(spill_folder()).parent.stat().st_mode) == 0o700
    with duckdb.connect(tmp_path / "t.duckdb") as connection:
        connection.execute("CREATE TABLE t (x INTEGER)")
    table = open_table(f"duckdb:///{tmp_path / 't.duckdb'}::t")
    assert isinstance(table, DuckDBTable)
    for engine in (OwnEngine.start(), OwnEngine(ordered_writer()), table.engine):
        assert engine.rows("SELECT current_setting('temp_directory')") == [(spill_folder(),)]


SPILLING = """
import os
from noiseless.tables.engine import OwnEngine, spill_folder

os.umask(0)
engine = OwnEngine.start()
engine.rows("SET threads = 1")
engine.rows("SET memory_limit = '50MB'")
engine.rows("CREATE TABLE t AS SELECT md5(range::VARCHAR) AS h FROM range(2000000)")
folder = os.path.dirname(spill_folder())
print(folder, oct(os.stat(folder).st_mode & 0o777), bool(os.listdir(spill_folder())))
"""


@pytest.mark.parametrize("taken", ["", "folder", "link"])
def test_what_spills_is_in_a_folder_of_ones_own_and_gone_in_the_end(tmp_path: Path, taken: str) -> None:
    name = tmp_path / f"noiseless-spill-{os.getuid()}"
    if taken == "folder":
        name.mkdir()
        name.chmod(0o777)
    elif taken == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        name.symlink_to("elsewhere")
    place = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", SPILLING]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=place)
    folder, mode, spilled = done.stdout.split()
    assert (mode, spilled) == ("0o700", "True")
    assert (folder == str(name)) == (not taken)
    assert list(Path(folder).iterdir()) == []
