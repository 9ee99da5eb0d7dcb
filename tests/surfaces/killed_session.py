"""A warm process that forks sessions to be killed: a line `FAILPOINT FILE ROUND` each, its status answers.

A session writes every answer it got to `acknowledged.jsonl`, as somebody who notes down what they were told.
The argument is a file to warm up with: a first session imports what all need, and takes five times as long.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from noiseless.curator import Curator, failpoints
from noiseless.errors import NoiselessError
from noiseless.pricing import BudgetError
from noiseless.replies import Reply

Batch = tuple[str, ...]
Outcome = Reply | NoiselessError


def questions(number: int) -> list[Batch]:
    """The batches of a round: now and then about everybody, always about three suburbs, one too dear."""
    suburbs = [f"s{3 * number + place:04}" for place in range(3)]
    everybody = f"SELECT COUNT(*) FROM meters WHERE kwh > {number}"
    return [
        *([(everybody,)] if number in (0, 4, 8) else []),
        ("SELECT /*+ bits(10) */ SUM(kwh) FROM meters",),
        *(
            (
                f"SELECT SUM(kwh) FROM meters WHERE suburb = '{suburb}'",
                f"SELECT COUNT(*) FROM meters WHERE solar AND suburb = '{suburb}'",
            )
            for suburb in suburbs
        ),
        (f"SELECT MAX(kwh) FROM meters WHERE suburb = '{suburbs[0]}'",),
    ]


def asked(curator: Curator, batches: list[Batch], *, together: bool) -> Iterator[tuple[Batch, Outcome]]:
    """Each batch and what came of it; in transactions that they share, or not."""
    if together:
        yield from zip(batches, curator.ask_each(batches), strict=True)
        return
    for batch in batches:
        try:
            yield batch, curator.ask(*batch)
        except BudgetError as error:
            yield batch, error


def session(failpoint: str | None, path: Path, number: int) -> None:
    """Ask a round's questions until we are killed."""
    failpoints._armed = failpoints._Armed(failpoint)
    note = os.open(path.parent / "acknowledged.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with Curator.open(path) as curator:
        for batch, outcome in asked(curator, questions(number), together=bool(number % 2)):
            if isinstance(outcome, Reply):
                said = {"batch": batch, "answers": [str(answer.interval) for answer in outcome.answers]}
                os.write(note, (json.dumps(said) + "\n").encode())


def main() -> None:
    """Fork a session for each line, and say how it ended."""
    session(None, Path(sys.argv[1]), 0)
    for line in sys.stdin:
        failpoint, path, number = line.split()
        child = os.fork()
        if not child:
            code = 70
            try:
                session(failpoint, Path(path), int(number))
                code = 0
            finally:
                os._exit(code)
        status = os.waitpid(child, 0)[1]
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
