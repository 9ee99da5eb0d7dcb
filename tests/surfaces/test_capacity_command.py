import json
from collections.abc import Callable
from pathlib import Path

import pytest

from noiseless.cli.main import run

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Write a channel to a file and call the command on it: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def call(text: str, *options: str) -> tuple[int, str, str]:
        Path("channel.csv").write_text(text)
        code = run(["capacity", "channel.csv", *options])
        return code, *capsys.readouterr()

    return call


def test_json(command: Command) -> None:
    code, out, err = command("0.75,0,0.25\n0,0.75,0.25\n", "--format", "json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert set(found) >= {
        "lower",
        "upper",
        "lower_nats",
        "upper_nats",
        "method",
        "converged",
        "inputs",
        "outputs",
    }
    assert found["lower"] <= 0.75 <= found["upper"]
    assert found["upper"] - found["lower"] < 1e-12
    assert (found["method"], found["converged"]) == ("uniform", True)
    assert (found["inputs"], found["outputs"]) == (2, 3)


def test_exact_bits(command: Command) -> None:
    _, out, _ = command("1,0,0,0\n0,1,0,0\n0,0,1,0\n0,0,0,1\n", "--format", "json")
    found = json.loads(out)
    assert found["lower"] == found["upper"] == 2
    assert found["method"] == "exact"


def test_text(command: Command) -> None:
    code, out, _ = command("0.9,0.1\n0.1,0.9\n")
    assert code == 0
    assert out.splitlines()[0] == "Capacity of a channel with 2 inputs and 2 outputs"
    assert "bits         0.5310044064 to 0.5310044065" in out


def test_ends_that_are_not_near_are_said_to_be(command: Command) -> None:
    code, out, _ = command("1,0\n0.25,0.75\n", "--tolerance", "1e-18")
    assert code == 0
    assert "converged    no: the ends are" in out


def test_a_byte_order_mark_and_blank_lines_do_not_matter(command: Command) -> None:
    code, out, _ = command("\ufeff1, 0\n\n0, 1\n", "--format", "json")
    assert code == 0
    assert json.loads(out)["upper"] == 1


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("0.9,0.2\n0.2,0.8\n", (), "row 1 does not sum to 1"),
        ("1.1,-0.1\n0.2,0.8\n", (), "row 1 holds a negative entry"),
        ("nan,1\n0,1\n", (), "no finite number"),
        ("1,0\n", (), "one input"),
        ("1,0\n1,0\n", (), "column 2 is 0 throughout"),
        ("1,0\n1\n", (), "row 2 has 1 entries"),
        ("a,b\n1,0\n0,1\n", (), "has no header"),
        ("", (), "is empty"),
        ("1,0\n0,1\n", ("--tolerance", "0"), "tolerance is a positive number"),
        ("1,0\n0,1\n", ("--tolerance", "nan"), "tolerance is a positive number"),
        ("1,0\n0,1\n", ("--tolerance", "small"), "--tolerance"),
        ("1,0\n0,1\n", ("--time-limit", "0"), "time limit is a positive number"),
        ("1,0\n0,1\n", ("--format", "xml"), "--format"),
    ],
)
def test_a_wrong_request_is_one_line(
    command: Command, text: str, options: tuple[str, ...], said: str
) -> None:
    code, out, err = command(text, *options)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err


@pytest.mark.parametrize("path", [".", "nowhere.csv"])
def test_what_is_no_file_is_one_line(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["capacity", path]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["capacity", "--help"]) == 0
    assert "noiseless capacity channel.csv" in capsys.readouterr().out
