"""What the shells offer when the tabulator key is pressed."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from documentation import option_names
from noiseless.cli.main import application, run
from reference_pages.commands import commands
from waiting import HANGS

TABLE = Path(__file__).parents[2] / "src" / "noiseless" / "data" / "patients.csv"
COMMAND = Path(sys.executable).with_name("noiseless")


def completed(
    shell: str, line: str, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[str]:
    """What a shell is told when a line stands before the cursor; a line may end in the middle of a word."""
    words = shlex.split(line)
    patch.setenv("_NOISELESS_COMPLETE", f"complete_{shell}")
    patch.setenv("COMP_WORDS", line)
    patch.setenv("COMP_CWORD", str(len(words) - (not line.endswith(" "))))
    patch.setenv("_TYPER_COMPLETE_ARGS", line)
    patch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    with pytest.raises(SystemExit) as ended:
        get_command(application()).main([], prog_name="noiseless")
    assert ended.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    if shell == "zsh":
        return [quoted for line in lines for quoted in re.findall(r'^(?:_arguments .*\(\()?"([^"]*)"', line)]
    return [line.split("\t")[0] for line in lines if line]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(TABLE, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


SHELLS = ("bash", "zsh", "fish")


@pytest.mark.parametrize("shell", SHELLS)
def test_commands_complete(
    shell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert completed(shell, "noiseless aud", monkeypatch, capsys) == ["audit"]


@pytest.mark.parametrize("shell", SHELLS)
def test_options_and_their_choices_complete(
    shell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert completed(shell, "noiseless audit --sens", monkeypatch, capsys) == ["--sensitive"]
    assert completed(shell, "noiseless audit x.csv --format ", monkeypatch, capsys) == ["text", "json"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("noiseless audit patients.csv --sensitive ", ["patient", "age", "sex", "postcode", "illness"]),
        ("noiseless audit patients.csv --sensitive illness --public p", ["patient", "postcode"]),
        ("noiseless audit --sensitive age patients.csv --unit pat", ["patient"]),
        ("noiseless release patients.csv --public i", ["illness"]),
        ("noiseless release patients.csv --hierarchy po", ["postcode="]),
        ("noiseless quantize patients.csv --column a", ["age"]),
        ("noiseless attack homogeneity patients.csv --public s", ["sex"]),
    ],
)
def test_columns_of_the_table_complete(
    shell: str,
    line: str,
    offered: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert completed(shell, line, monkeypatch, capsys) == offered


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "line",
    [
        "noiseless audit --sensitive ",
        "noiseless audit nobody.csv --sensitive ",
        "noiseless audit patients.csv --sensitive zz",
        "noiseless audit postgresql://nobody@nowhere/db::people --public ",
        "noiseless release patients.csv --hierarchy postcode=",
        "noiseless audit broken.parquet --public ",
    ],
)
def test_nothing_is_offered_where_nothing_is_known(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("broken.parquet").write_bytes(b"PAR1")
    assert completed("bash", line, monkeypatch, capsys) == []


def test_a_space_in_a_name_is_escaped_for_bash(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "t.csv").write_text("blood pressure,age\n1,2\n")
    assert completed("bash", "noiseless audit t.csv --public b", monkeypatch, capsys) == ["blood\\ pressure"]
    assert completed("fish", "noiseless audit t.csv --public b", monkeypatch, capsys) == ["blood pressure"]


def test_every_option_that_takes_a_column_completes() -> None:
    """Wherever a table is named on the same line."""
    missing = [
        f"noiseless {words} {parameter.opts[0]}"
        for words, command in commands()
        if any(parameter.name == "table" for parameter in command.params)
        for parameter in command.params
        if "COL" in (parameter.metavar or "") and parameter._custom_shell_complete is None
    ]
    assert missing == []


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_are_shown(
    shell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_NOISELESS_COMPLETE", f"source_{shell}")
    with pytest.raises(SystemExit) as ended:
        get_command(application()).main([], prog_name="noiseless")
    assert ended.value.code == 0
    script = capsys.readouterr().out
    assert f"_NOISELESS_COMPLETE=complete_{shell}" in script
    assert "noiseless" in script


def test_the_options_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    names = list(option_names(get_command(application())))
    assert {"--install-completion", "--show-completion"} <= set(names)
    assert run(["--help"]) == 0
    assert "--install-completion" not in capsys.readouterr().out  # the page about installing has it


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_in_a_real_shell(folder: Path) -> None:
    """Bash loads the script that is installed and asks the command itself."""
    del folder
    script = """
    source <(_NOISELESS_COMPLETE=source_bash noiseless)
    COMP_WORDS=(noiseless audit patients.csv --sensitive ill); COMP_CWORD=4
    _noiseless_completion noiseless; echo "${COMPREPLY[@]}"
    """
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    shown = subprocess.run(
        ["bash", "--norc", "-c", script],
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=True,
    )
    assert shown.stdout.split() == ["illness"]
