"""A warm process that forks streams to be killed: a line `PLACE INPUT OUTPUT ARGUMENT ...` each.

A place is `name:count` (the stream kills itself when it gets there for the count-th time), `after:seconds`
(it is killed from outside) or `nowhere`. The exit code of each stream answers.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from noiseless.cli.main import run
from noiseless.collection import stream_state as state
from noiseless.collection import streams as running
from noiseless.collection import streams as sinks
from noiseless.collection.local import readings as arrays  # noqa: F401 - imported when a stream begins
from noiseless.collection.local import schedule as local  # noqa: F401 - the same
from noiseless.reports import notation as numbers  # noqa: F401 - the same
from noiseless.tables import csv_pipe, feeds, json_pipe  # noqa: F401 - the same

PLACES = ("read", "told", "saving", "saved", "half", "written")


class Trap:
    """Kills the process when it is stepped on for the last time."""

    def __init__(self, place: str, count: int) -> None:
        self.place, self.left = place, count

    def step(self, place: str, before: Callable[[], Any] = lambda: None) -> None:
        if place == self.place:
            self.left -= 1
            if self.left == 0:
                before()
                os.kill(os.getpid(), signal.SIGKILL)


class Connection:
    """A connection to SQLite with a trap before and after a transaction ends."""

    def __init__(self, real: Any, trap: Trap) -> None:  # noqa: ANN401 - sqlite3.Connection
        self.real, self.trap = real, trap

    def execute(self, sql: str, *values: Any) -> Any:  # noqa: ANN401 - as the real one
        if sql == "COMMIT":
            self.trap.step("saving")
        found = self.real.execute(sql, *values)
        if sql == "COMMIT":
            self.trap.step("saved")
        return found

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as the real one
        return getattr(self.real, name)


def lay(trap: Trap) -> None:
    """Put the trap into this process."""
    more, save, opened = feeds.Feed.more, state.StreamState.save, state.StreamState._open

    def read(feed: feeds.Feed) -> bool:
        trap.step("read")
        return more(feed)

    def told(memory: state.StreamState, *values: Any) -> None:  # noqa: ANN401 - as the real one
        trap.step("told")
        save(memory, *values)

    def open_and_wrap(memory: state.StreamState) -> None:
        opened(memory)
        memory._connection = Connection(memory._connection, trap)  # type: ignore[assignment]

    def written(write: Callable[[Any, bytes], None]) -> Callable[[Any, bytes], None]:
        def do(sink: sinks.Sink, data: bytes) -> None:
            trap.step("half", lambda: write(sink, data[: len(data) // 2]))
            write(sink, data)
            trap.step("written")

        return do

    for owner, name, value in (
        (feeds.Feed, "more", read),
        (state.StreamState, "save", told),
        (state.StreamState, "_open", open_and_wrap),
        (sinks.FileSink, "write", written(sinks.FileSink.write)),
        (sinks.PipeSink, "write", written(sinks.PipeSink.write)),
    ):
        setattr(owner, name, value)


def stream(place: str, count: int, source: str, output: str, arguments: list[str]) -> int:
    """Run the command in this process."""
    running.CHUNK = 1500
    if count % 2:
        running._LARGE = 0  # the next batch is read while one is made durable
    os.dup2(os.open(source, os.O_RDONLY), 0)
    os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 1)
    lay(Trap(place, count))
    return run(["quantize", "-", *arguments])


def main() -> None:
    """Fork a stream for each line, and say how it ended; what takes long to import is here before."""
    pa.array([0])  # it imports pandas now, where there is one
    for line in sys.stdin:
        where, source, output, *arguments = line.rstrip("\n").split("\t")
        place, _, count = where.partition(":")
        child = os.fork()
        if not child:
            code = 70
            try:
                code = stream(place, int(count) if place in PLACES else 0, source, output, arguments)
            finally:
                os._exit(code)
        if place == "after":
            time.sleep(float(count))
            os.kill(child, signal.SIGKILL)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
