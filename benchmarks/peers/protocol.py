"""How work is run and timed in a process of its own, by us and by every peer: the standard library alone.

`python -m peers.NAME '{"work": ..., "arguments": {...}, "limit": 60, "repeats": 5}'` prints one line of JSON.
Reading the data comes before the clock starts. Work that takes longer than the limit is stopped.
"""

import json
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

Task = Callable[[], Any]

_PATIENCE = 0.15
"""Work is repeated while all runs together took less than this share of the limit, and at least once if the
first took less than a third of it."""


class StoppedError(Exception):
    """The work took too long."""


def peak_megabytes() -> float:
    """The largest resident size of this process so far (Linux; `ru_maxrss` would count the parent's too)."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def serve(works: Mapping[str, Callable[..., Task]]) -> None:
    """Do what the command line asks for: make a task, time it several times, and print what came of it."""
    request = json.loads(sys.argv[1])
    task = works[request["work"]](**request["arguments"])
    found = timed(task, request["limit"], request["repeats"])
    print(json.dumps(found | {"peak_mb": peak_megabytes()}))


def timed(task: Task, limit: float, repeats: int) -> dict[str, Any]:
    """The first and the shortest time, that of the processor, and what came of it; or that it was stopped.

    The first run of several is left out of the shortest: it compiles and fills caches, for everybody alike.
    """
    previous = signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, limit)
    begun, times, value = time.perf_counter(), list[float](), None
    busy = list[float]()
    try:
        while not times or (
            len(times) <= repeats
            and time.perf_counter() - begun < limit * (_PATIENCE if len(times) > 1 else 1 / 3)
        ):
            start, used = time.perf_counter(), time.process_time()
            value = task()
            times.append(time.perf_counter() - start)
            busy.append(time.process_time() - used)
    except StoppedError:
        if not times:
            return {"stopped": limit}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    shortest = {"seconds": min(times[1:] or times), "cpu": min(busy[1:] or busy)}
    return {"first": times[0], "runs": len(times), "value": value} | shortest


def _stop(signum: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signal calls it
    raise StoppedError
