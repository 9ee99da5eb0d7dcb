"""`noiseless convert` as users type it."""

import json
from typing import Any

import pytest

from noiseless.cli.main import run


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = run(["convert", *arguments, "--format", "json"])
    shown = capsys.readouterr()
    assert not shown.err
    return code, json.loads(shown.out)


@pytest.mark.parametrize(
    ("arguments", "key", "expected"),
    [
        ("--from dp --to mi --epsilon 1", "epsilon", 0.12330),
        ("--from dp --to mi --epsilon 1 --as-printed", "epsilon", 0.46212),
        ("--from dp --to kl --epsilon 1", "epsilon", 0.46212),
        ("--from mi --to delta --epsilon 0.1", "delta", 0.43959),
        ("--from delta --to mi --delta 0.1 --inputs 1000", "epsilon", 0.69078),
        ("--from delta --to mi --delta 0.1 --outputs 8", "epsilon", 0.20794),
        ("--from dp --to delta --epsilon 1 --delta 0.1", "delta", 0.51591),
        ("--from mi --to dp --epsilon 0.1 --target-epsilon 1", "delta", 0.27640),
        ("--from kl --to mi --epsilon 1/2", "epsilon", 0.5),
        ("--from dp --to kl --epsilon 1e-3", "epsilon", 5e-7),
    ],
)
def test_answers(capsys: pytest.CaptureFixture[str], arguments: str, key: str, expected: float) -> None:
    code, found = answer(capsys, *arguments.split())
    assert code == 0
    assert found[key] == pytest.approx(expected, abs=5e-6)
    assert found["unit"] == ("probability" if "--to delta" in arguments else "nats")
    assert isinstance(found["statement"], str)
    assert isinstance(found["tight"], bool)


def test_keys(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(answer(capsys, *["--from", "dp", "--to", "mi", "--epsilon", "1"])[1]) == {
        "epsilon",
        "unit",
        "statement",
        "tight",
    }
    assert set(answer(capsys, *["--from", "mi", "--to", "delta", "--epsilon", "1"])[1]) == {
        "delta",
        "unit",
        "statement",
        "tight",
    }


@pytest.mark.parametrize(
    "arguments",
    [
        "--from mi --to dp --epsilon 0.1",
        "--from delta --to mi --delta 0.1",
        "--from kl --to dp --epsilon 0.1",
    ],
)
def test_no_is_exit_code_1(capsys: pytest.CaptureFixture[str], arguments: str) -> None:
    code, found = answer(capsys, *arguments.split())
    assert code == 1
    assert found["epsilon"] == "inf"
    assert found["statement"].startswith("No ")


def test_text_is_the_statement(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", "--from", "dp", "--to", "mi", "--epsilon", "1"]) == 0
    assert (
        capsys.readouterr().out == "1-DP implies 0.123302-MI-DP (nats; 0.177887 bits), the best possible.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--from dp --to mi", "epsilon is missing"),
        ("--from delta --to mi", "delta is missing"),
        ("--from dp --to mi --epsilon=-1", "epsilon is negative"),
        ("--from dp --to mi --epsilon nan", "--epsilon takes a number"),
        ("--from dp --to mi --epsilon one", "--epsilon takes a number"),
        ("--from dp --to mi --epsilon 1/0", "--epsilon takes a number"),
        ("--from dp --to mi --epsilon sNaN", "--epsilon takes a number"),
        ("--from dp --to mi --epsilon 1e999999999", "exponent"),
        ("--from dp --to mi --epsilon 1e-999999999", "exponent"),
        ("--from dp --to mi --epsilon 1 --delta 1.5", "delta is a probability"),
        ("--from dp --to mi --epsilon 1 --inputs 1", "from 2 on"),
        ("--from dp --to mi --epsilon 1 --inputs many", "--inputs"),
        ("--from dp --to rdp --epsilon 1", "no kind of guarantee"),
        ("--to mi --epsilon 1", "--from"),
    ],
)
def test_wrong_requests_are_one_line(
    capsys: pytest.CaptureFixture[str], arguments: str, message: str
) -> None:
    assert run(["convert", *arguments.split()]) == 2
    shown = capsys.readouterr()
    assert not shown.out
    assert message in shown.err
    assert shown.err.count("\n") == 1
