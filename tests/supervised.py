"""A supervisor of processes that do nothing, for tests: `python supervised.py KIND COUNT STOP_SECONDS PAUSE`.

They sleep (`calm`), sleep and heed no SIGTERM (`deaf`), or end at once (`weak`), and say so before. After
at most PAUSE seconds another one begins. The log goes to stderr.
"""

import json
import multiprocessing
import os
import signal
import sys
import time
from multiprocessing.process import BaseProcess

from noiseless.server import processes as supervisor
from noiseless.server.telemetry import set_up_logging


def work(kind: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN if kind == "deaf" else signal.SIG_DFL)
    os.write(2, json.dumps({"event": kind, "pid": os.getpid()}).encode() + b"\n")
    time.sleep(0 if kind == "weak" else 1000)


def main(kind: str, count: str, stop_seconds: str, pause: str) -> None:
    set_up_logging("json")
    supervisor._LONGEST_PAUSE = float(pause)

    def start() -> BaseProcess:
        process = multiprocessing.get_context("fork").Process(target=work, args=(kind,), daemon=True)
        process.start()
        return process

    supervisor.Supervisor(start, int(count), stop_seconds=float(stop_seconds)).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
