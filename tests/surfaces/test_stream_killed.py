"""Streams killed at any moment and resumed: the output is that of a run nobody killed, and nobody pays twice.

Real processes and SIGKILL, at each place once and once at any moment, or a fifth of NOISELESS_KILLS times.
"""

import json
import random
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from soaking import FEWER_KILLS

HELPER = Path(__file__).parent / "stream_worker.py"
PLACES = ("half", "saving", "saved", "written", "told", "read")
KILLS = max(FEWER_KILLS, len(PLACES) + 1)
OPTIONS = (
    *("--column", "kwh", "--bounds", "0", "10", "--step", "0.001", "--budget", "4"),
    *("--unit", "home", "--total-budget", "60", "--when-spent", "coarsen"),
)
ROWS = 700


@pytest.fixture(scope="module")
def warm() -> Iterator["subprocess.Popen[str]"]:
    """A process that has imported everything, to fork from."""
    with subprocess.Popen(
        [sys.executable, HELPER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


class Stream:
    """A folder with an input, and runs over it."""

    def __init__(self, folder: Path, ending: str, warm: "subprocess.Popen[str]") -> None:
        self.folder, self.ending, self.warm = folder, ending, warm
        chosen = random.Random(7)
        rows = [(f"h{chosen.randrange(40)}", f"{chosen.randrange(10001) / 1000:.3f}") for _ in range(ROWS)]
        self.readings = Counter(home for home, _ in rows)
        lines = {
            "csv": ["home,note,kwh", *(f'{home},"a, ""b""",{kwh}' for home, kwh in rows)],
            "jsonl": [f'{{"kwh": {kwh}, "home": "{home}"}}' for home, kwh in rows],
        }[ending]
        self.source = folder / f"in.{ending}"
        self.source.write_text("\n".join(lines) + "\n")
        self.state = folder / "stream.state"
        self.out = folder / f"out.{ending}"
        assert self.run("nowhere", "-o", str(folder / f"expected.{ending}")) == 0
        self.expected = (folder / f"expected.{ending}").read_bytes()

    def run(self, place: str, *arguments: str, output: str = "/dev/null") -> int:
        """One run; its exit code."""
        assert self.warm.stdin is not None
        assert self.warm.stdout is not None
        line = [place, str(self.source), output, *OPTIONS, *arguments]
        self.warm.stdin.write("\t".join(line) + "\n")
        self.warm.stdin.flush()
        return int(self.warm.stdout.readline())

    @property
    def charged(self) -> Counter[str]:
        """How many readings each person has been charged for."""
        with sqlite3.connect(self.state) as connection:
            found = Counter(dict(connection.execute("SELECT person, readings FROM persons").fetchall()))
        connection.close()
        return found

    def told(self) -> Counter[str]:
        """How many whole rows of each person have left."""
        lines = self.out.read_text().split("\n")[:-1] if self.out.exists() else []
        if self.ending == "csv":
            return Counter(line.split(",")[0] for line in lines[1:])
        return Counter(json.loads(line)["home"] for line in lines)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_file_is_the_same_as_if_nobody_had_killed_the_stream(
    ending: str, tmp_path: Path, warm: "subprocess.Popen[str]"
) -> None:
    stream = Stream(tmp_path, ending, warm)
    again = ("--state", str(stream.state), "--resume", "-o", str(stream.out))
    chosen, kills, number = random.Random(KILLS), 0, 0
    while kills < KILLS:
        places = [*(f"{place}:{1 + number % 4}" for place in PLACES), f"after:{chosen.random() * 0.2}"]
        where = places[number % len(places)]
        code = stream.run(where, *again)
        assert code in (0, -signal.SIGKILL), f"the stream ended by itself, with {code}"
        kills, number = kills + (code != 0), number + 1
        if code == 0:  # it was faster: begin anew
            assert stream.out.read_bytes() == stream.expected
            assert stream.charged == stream.readings
            stream.out.unlink()
            stream.state.unlink()
        elif stream.out.exists():
            assert stream.told() <= stream.charged  # a charge comes before what it pays for
            assert stream.charged <= stream.readings
    for _ in range(2):  # the second time there is nothing left to do
        assert stream.run("nowhere", *again) == 0
        assert stream.out.read_bytes() == stream.expected
        assert stream.charged == stream.readings
    assert not [path.name for path in tmp_path.iterdir() if "part" in path.name or "-wal" in path.name]


@pytest.mark.parametrize("known", [True, False])
def test_a_pipe_gets_the_last_batch_again_or_what_its_reader_lacks(
    known: bool, tmp_path: Path, warm: "subprocess.Popen[str]"
) -> None:
    """Exactly once for a reader who says how much it has, at least once for others."""
    stream = Stream(tmp_path, "csv", warm)
    has, kills, number = b"", 0, 0
    while kills < KILLS or has != stream.expected:
        part = tmp_path / f"part{number}"
        part.touch()
        place = f"{PLACES[number % len(PLACES)]}:{2 + number % 3}" if kills < KILLS else "nowhere"
        said = ("--received", str(len(has))) if known and stream.state.exists() else ()
        code = stream.run(place, "--state", str(stream.state), "--resume", *said, output=str(part))
        assert code in (0, -signal.SIGKILL), f"the stream ended by itself, with {code}"
        kills, number = kills + (code != 0), number + 1
        got = part.read_bytes()
        begin = len(has) if known else stream.expected.find(got)
        assert 0 <= begin <= len(has)
        assert stream.expected[begin : begin + len(got)] == got
        has = stream.expected[: max(len(has), begin + len(got))]
        assert stream.charged <= stream.readings
        if code == 0:
            assert has == stream.expected
            assert stream.charged == stream.readings
            if kills < KILLS:  # it was faster: begin anew
                stream.state.unlink()
                has = b""
