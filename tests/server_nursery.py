"""One interpreter that imports everything and forks servers on demand, so that many of them cost little.

It reads a JSON object a line from its standard input and answers each with one: `start` (a server with some
arguments, a log and perhaps a failpoint; its process id), and `poll` (the exit code, minus the signal, or
null).
"""

import json
import os
import signal
import sys
from functools import partialmethod

import pyarrow as pa
import typer
import uvicorn.protocols.http.httptools_impl

from noiseless.cli.serve import serve_command
from noiseless.curator import failpoints
from noiseless.ledger import migrations as opening
from noiseless.questions import sql
from noiseless.server import app, protocol, settings
from noiseless.server import processes as running
from waiting import HANGS

BEFORE = (opening, sql, app, protocol, running, uvicorn, pa.array([0]))
"""What takes long is imported before the fork; an array imports pandas, where there is one."""

CHILDREN: set[int] = set()
"""Servers that run."""


def start(arguments: list[str], log: str, failpoint: str | None) -> int:
    child = os.fork()
    if child:
        CHILDREN.add(child)
        return child
    code = 1
    try:
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(out, 2)
        failpoints._armed = failpoints._Armed(failpoint)
        patient = partialmethod(settings.Settings.__init__, patience=HANGS)
        settings.Settings.__init__ = patient  # type: ignore[assignment]
        command = typer.Typer()
        command.command()(serve_command)
        command(arguments, standalone_mode=False)
        code = 0
    except BaseException as error:  # noqa: BLE001 - the log has it
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
    finally:
        os._exit(code)


def poll(child: int) -> int | None:
    found, status = os.waitpid(child, os.WNOHANG)
    if found:
        CHILDREN.remove(child)
    return os.waitstatus_to_exitcode(status) if found else None


if __name__ == "__main__":
    for line in sys.stdin:
        wanted = json.loads(line)
        answer = start(**wanted["start"]) if "start" in wanted else poll(wanted["poll"])
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    for child in CHILDREN:  # of tests that failed
        os.kill(child, signal.SIGKILL)
