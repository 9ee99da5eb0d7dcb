"""Files that noiseless 0.1.0 wrote are read by this version: certificates, ledgers, backups, streams.

`tests/fixtures/make_v0_1.sh` says how they were made.
"""

import io
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from noiseless.cli.main import run
from noiseless.verification import script

WRITTEN = Path(__file__).parents[1] / "fixtures" / "v0_1"
CERTIFICATES = sorted(path.stem for path in WRITTEN.glob("*.json") if path.stem != "ledger")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy, in which anything may be changed."""
    copy = tmp_path / "written"
    shutil.copytree(WRITTEN, copy)
    (copy / "patients-digest.key").chmod(0o600)
    monkeypatch.chdir(copy)
    return copy


def result(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:  # noqa: ANN401 - JSON
    assert run([*arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", CERTIFICATES)
@pytest.mark.usefixtures("folder")
def test_a_certificate_still_holds(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    files = (f"{name}.json", "--original", "patients.csv", "--released", f"{name}.csv")
    assert result(capsys, "verify", *files)["holds"]
    assert script.main(list(files)) == 0


@pytest.mark.parametrize("name", CERTIFICATES)
def test_a_certificate_is_applied(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = result(capsys, "release", "patients.csv", "--apply", f"{name}.json", "-o", "again.csv")
    assert (found["known_rows"], found["holds"]) == (found["rows"], True)
    assert (folder / "again.csv").read_bytes() == (folder / f"{name}.csv").read_bytes()


@pytest.mark.usefixtures("folder")
def test_a_ledger_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert result(capsys, "ledger", "verify", "patients.toml")["chain_ok"]
    asked = ("SELECT AVG(age) FROM patients", "SELECT sex, MAX(age) FROM patients GROUP BY sex")
    again = result(capsys, "query", "patients.toml", *asked, "--analyst", "bob")
    assert again["batch_bits"] == 0
    new = result(capsys, "query", "patients.toml", "SELECT MIN(age) FROM patients", "--analyst", "bob")
    assert new["spent"] > again["spent"] > 0
    assert [token["name"] for token in result(capsys, "token", "list", "patients.toml")["tokens"]] == [
        "ann",
        "olga",
    ]
    assert result(capsys, "ledger", "verify", "patients.toml")["chain_ok"]


@pytest.mark.parametrize("saved", ["backup.db", "ledger.json"])
@pytest.mark.usefixtures("folder")
def test_a_backup_is_restored(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    entries = json.loads(Path("ledger.json").read_text())["entries"]
    assert run(["ledger", "restore", saved, "sqlite:///restored.db"]) == 0
    capsys.readouterr()
    restored = result(capsys, "ledger", "show", "sqlite:///restored.db")["entries"]
    assert [entry["hash"] for entry in restored][: len(entries)] == [entry["hash"] for entry in entries]


def test_a_stream_that_was_stopped_goes_on(
    folder: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    options = (
        *("--column", "kwh", "--bounds", "0", "100", "--step", "0.1", "--budget", "3"),
        *("--unit", "household", "--total-budget", "30"),
    )
    readings = (folder / "households.csv").read_bytes()
    first = (folder / "streamed.csv").read_bytes()

    def told(*more: str) -> bytes:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(readings)))
        assert run(["quantize", "-", *options, *more]) == 0
        return capsysbinary.readouterr().out

    rest = told("--state", "stream.state", "--resume", "--received", str(len(first)))
    assert first + rest == told()
