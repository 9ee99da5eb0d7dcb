"""Sessions killed between price, charge, computation, storage and reply: nothing is lost or given away.

Real processes and SIGKILL, five times at each place; NOISELESS_KILLS says how often.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from noiseless.amounts import Cost
from noiseless.curator import Curator, custody
from noiseless.curator.failpoints import VARIABLE, _Armed
from noiseless.errors import RequestError
from soaking import KILLS

NAMES = ("priced", "charged", "computed", "stored", "replied")
HELPER = Path(__file__).parent / "killed_session.py"
BITS = 9
FIRST, NEXT = 300, 100
"""So many kills a dataset: opening and checking one takes longer the more has happened to it."""

HISTORIES = [min(KILLS, FIRST), *(min(KILLS - begun, NEXT) for begun in range(FIRST, KILLS, NEXT))]

FILE = """
[dataset]
name = "meters"
source = "meters.csv"
[budget]
bits = {bits}
[columns.suburb]
role = "public"
categories = [{suburbs}]
[columns.kwh]
role = "private"
bounds = [0, 1000]
[columns.solar]
role = "private"
type = "boolean"
"""


def write(folder: Path, rounds: int) -> Path:
    """A dataset with three suburbs a round, of three people each."""
    suburbs = [f"s{number:04}" for number in range(3 * rounds)]
    rows = [f"{suburb},{37 * place % 1001},{place % 3 == 0}" for place, suburb in enumerate(suburbs * 3)]
    (folder / "meters.csv").write_text("\n".join(["suburb,kwh,solar", *rows]).lower() + "\n")
    found = folder / "curator.toml"
    names = ", ".join(f'"{suburb}"' for suburb in suburbs)
    found.write_text(FILE.format(bits=BITS, suburbs=names))
    return found


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator["subprocess.Popen[str]"]:
    """A process that has been through a session, to fork from."""
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    command = [sys.executable, str(HELPER), str(write(tmp_path_factory.mktemp("warm"), 1))]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def killed(warm: "subprocess.Popen[str]", failpoint: str, path: Path, number: int) -> bool:
    """Run a round; whether it was killed."""
    assert warm.stdin is not None
    assert warm.stdout is not None
    warm.stdin.write(f"{failpoint} {path} {number}\n")
    warm.stdin.flush()
    code = int(warm.stdout.readline())
    assert code in (0, -signal.SIGKILL), f"the session ended by itself, with {code}"
    return code != 0


def acknowledged(path: Path) -> list[dict[str, list[str]]]:
    note = path.parent / "acknowledged.jsonl"
    return [json.loads(line) for line in note.read_text().splitlines()] if note.exists() else []


def check(path: Path, latest: int | None = None) -> None:
    """All promises, in a session that nobody kills; of what was told the latest is asked again, or all."""
    with Curator.open(path) as curator:
        assert curator.ledger.verify().ok
        before = curator.state
        assert before.total.within(BITS)
        assert all(cost.within(BITS) for cost in before.cells.values())
        charged, answered = set(), set()
        for entry in curator.ledger.entries():
            charged |= {asked["question"] for asked in entry.body.get("questions", ())}
            answered |= set(entry.body.get("answers", {}))
        assert answered <= charged  # no answer without its charge
        for said in acknowledged(path)[-latest if latest else 0 :]:
            reply = curator.ask(*said["batch"])
            assert [str(answer.interval) for answer in reply.answers] == said["answers"]
            assert reply.batch == Cost()
        assert curator.state.total == before.total
        assert custody.PUBLIC in charged


@pytest.mark.parametrize("history", range(len(HISTORIES)))
@pytest.mark.parametrize("name", NAMES)
def test_whenever_a_session_is_killed_every_promise_holds(
    name: str, history: int, tmp_path: Path, warm: "subprocess.Popen[str]"
) -> None:
    kills, chance = HISTORIES[history], Random(history)
    path = write(tmp_path, kills)
    Curator.open(path).close()
    for number in range(kills):
        count = (1, 3, 2, 4)[number] if number < 4 else chance.randint(1, 4)
        assert killed(warm, f"{name}:{count}", path, number)
        check(path, latest=None if number % 50 == 0 else 10)
    check(path)
    with Curator.open(path) as curator:  # what was charged for and never told is free
        pending = [told for told in told_questions(curator) if told not in answered_questions(curator)]
        assert bool(pending) == (name in ("charged", "computed"))


def told_questions(curator: Curator) -> set[str]:
    entries = curator.ledger.entries("meters")
    found = {asked["question"] for entry in entries for asked in entry.body.get("questions", ())}
    return found - {custody.PUBLIC}


def answered_questions(curator: Curator) -> set[str]:
    return {
        question for entry in curator.ledger.entries("meters") for question in entry.body.get("answers", ())
    }


def test_a_process_killed_by_the_environment_leaves_a_ledger_that_goes_on(tmp_path: Path) -> None:
    """At the place where a charge stands without its answer; other places are those of sessions above."""
    path = write(tmp_path, 10)
    asked = "SELECT COUNT(*) FROM meters WHERE kwh > 500"
    code = f"from noiseless.curator import Curator; print(Curator.open({str(path)!r}).ask({asked!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, VARIABLE: "charged"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, ""), done.stderr
    check(path)
    with Curator.open(path) as curator:
        assert curator.state.total.outputs == 2
        reply = curator.ask(asked)
        assert reply.batch.outputs == 1
        assert reply.answers[0].value == sum(37 * place % 1001 > 500 for place in range(9 * 10))
        assert curator.state.total.outputs == 2
        assert curator.ledger.verify().ok
    check(path)


def test_a_variable_that_names_no_place_is_refused() -> None:
    with pytest.raises(RequestError, match="NOISELESS_FAILPOINT is one of priced, charged"):
        _Armed("nowhere")
