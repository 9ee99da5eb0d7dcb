"""A warm process that forks sessions to be killed: a line `FAILPOINT FILE ROUND` each, its status answers.

A session writes every answer it got to `acknowledged.jsonl`, as somebody who notes down what they were told.
"""

import json
import os
import sys
from pathlib import Path

from noiseless.accounting import BudgetError
from noiseless.curator import Curator, failpoints
from noiseless.domain import Schema
from noiseless.ledger import opening  # noqa: F401 - imported when a ledger is opened
from noiseless.queries.sql import parse


def questions(number: int) -> list[tuple[str, ...]]:
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


def session(failpoint: str, path: Path, number: int) -> None:
    """Ask a round's questions until somebody kills us."""
    failpoints._armed = failpoints._Armed(failpoint)
    note = os.open(path.parent / "acknowledged.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with Curator.open(path) as curator:
        for batch in questions(number):
            try:
                reply = curator.ask(*batch)
            except BudgetError:
                continue
            said = {"batch": batch, "answers": [str(answer.interval) for answer in reply.answers]}
            os.write(note, (json.dumps(said) + "\n").encode())


def main() -> None:
    """Fork a session for each line, and say how it ended; what takes long to import is here before."""
    schema = Schema.parse('columns.kwh = {role = "private", bounds = [0, 10]}')
    parse("SELECT AVG(kwh) FROM meters WHERE kwh > 1", schema, "meters")
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
