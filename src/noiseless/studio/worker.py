"""One process beside the studio's that does the work: it can be stopped at any moment, and begins anew."""

import multiprocessing
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Literal

from noiseless.errors import NoiselessError
from noiseless.late_names import spare_pandas

if TYPE_CHECKING:
    from noiseless.studio.jobs import Desk, Tell

State = Literal["waiting", "running", "done", "failed", "stopped"]
_OVER: tuple[State, ...] = ("done", "failed", "stopped")
_MOST_JOBS = 200
"""Results of older jobs are forgotten."""


@dataclass
class Job:
    """Some work that was asked for.

    Attributes:
        number: which one.
        name: the function of `jobs` that does it.
        options: its keywords.
        state: how far it is.
        share: how much of it is done, from 0 to 1; None where nobody knows.
        result: what it found, as JSON has it; while it runs, what it has found so far.
        error: one line, where it failed.
        changed: set whenever any of these changes.
    """

    number: int
    name: str
    options: Mapping[str, Any]
    state: State = "waiting"
    share: float | None = None
    result: Any = None
    error: str | None = None
    version: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition, repr=False)

    def update(
        self,
        state: State,
        *,
        share: float | None = None,
        result: Any = None,  # noqa: ANN401 - JSON
        error: str | None = None,
    ) -> None:
        """Note how far it is; what is over stays as it is."""
        with self.changed:
            if self.state in _OVER:
                return
            found = self.result if state == "running" and result is None else result
            self.state, self.share, self.result, self.error = state, share, found, error
            self.version += 1
            self.changed.notify_all()

    def wait(self, version: int, seconds: float) -> None:
        """Wait until it is further than at a version, or for so long."""
        with self.changed:
            self.changed.wait_for(lambda: self.version > version, seconds)

    def to_dict(self) -> dict[str, Any]:
        """As the page reads it."""
        return {
            "id": self.number,
            "job": self.name,
            "state": self.state,
            "share": self.share,
            "result": self.result,
            "error": self.error,
            "version": self.version,
        }


class Worker:
    """The process and the jobs that were given to it; one is done after the other.

    Args:
        folder: where jobs write their files.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._jobs: dict[int, Job] = {}
        self._queue: list[Job] = []
        self._lock = threading.Condition()
        self._process: Any = None
        self._pipe: Connection | None = None
        self._running: Job | None = None
        self._closing = False
        self._count = 0
        self._thread = threading.Thread(target=self._work, daemon=True, name="studio-jobs")
        self._thread.start()

    def submit(self, name: str, options: Mapping[str, Any]) -> Job:
        """Ask for some work; a job of the same name that still waits is not wanted any more."""
        with self._lock:
            for old in [one for one in self._queue if one.name == name]:
                self._queue.remove(old)
                old.update("stopped")
            self._count += 1
            job = Job(self._count, name, dict(options))
            self._jobs[job.number] = job
            for number in list(self._jobs)[:-_MOST_JOBS]:
                del self._jobs[number]
            self._queue.append(job)
            self._lock.notify_all()
        return job

    def job(self, number: int) -> Job | None:
        """The job of a number, if it is still known."""
        return self._jobs.get(number)

    def done(self, name: str) -> list[Job]:
        """The jobs of a name that are done and still known, the newest first."""
        with self._lock:
            known = list(self._jobs.values())
        return [job for job in reversed(known) if job.name == name and job.state == "done"]

    def stop(self, job: Job) -> None:
        """Stop a job: one that waits is left out; the process of one that runs is killed."""
        with self._lock:
            if job in self._queue:
                self._queue.remove(job)
            job.update("stopped")
            if self._running is job:
                self._kill()

    def close(self) -> None:
        """Stop everything."""
        with self._lock:
            self._closing = True
            for job in (*self._queue, *([self._running] if self._running else [])):
                job.update("stopped")
            self._queue.clear()
            self._kill()
            self._lock.notify_all()
        self._thread.join(timeout=5)

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _work(self) -> None:
        """Give jobs to the process, one after the other, and note what comes back."""
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._queue or self._closing)
                if self._closing:
                    return
                self._running = job = self._queue.pop(0)
                pipe = self._started()
            job.update("running")
            try:
                pipe.send((job.name, dict(job.options)))
                while job.state not in _OVER:
                    kind, content = pipe.recv()
                    job.update(**{"state": "running", **content} if kind == "share" else content)
            except (EOFError, OSError):  # the process is gone: killed by `stop`, or by the system
                job.update("failed", error="the work ended early: the system may be short of memory")
                with self._lock:
                    self._forget()
            finally:
                with self._lock:
                    self._running = None

    def _started(self) -> Connection:
        """The pipe to a process that lives."""
        if self._pipe is None or not self._process.is_alive():
            self._forget()
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=_run, args=(theirs, self._folder), daemon=True)
            self._process.start()
            theirs.close()
        return self._pipe

    def _forget(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None


def _run(pipe: Connection, folder: str) -> None:
    """The process: do what is asked for until nobody asks any more."""
    spare_pandas()
    from noiseless.studio.jobs import Desk

    os.chdir(folder)  # so that pages name the files alone
    desk = Desk(".")
    while True:
        try:
            name, options = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        pipe.send(("over", _outcome(_teller(pipe), desk, name, options)))


def _teller(pipe: Connection) -> "Tell":
    def tell(share: float, found: Any = None) -> None:  # noqa: ANN401 - JSON
        pipe.send(("share", {"share": share, "result": found}))

    return tell


def _outcome(tell: "Tell", desk: "Desk", name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What became of a job; an error of one's own says nothing of the data."""
    try:
        return {"state": "done", "share": 1.0, "result": desk.do(name, options, tell)}
    except NoiselessError as error:
        return {"state": "failed", "error": str(error)}
    except MemoryError:
        return {"state": "failed", "error": "this machine has too little memory for that; take fewer columns"}
    except Exception as error:  # noqa: BLE001 - the page must hear of it, without a value of the data
        return {"state": "failed", "error": f"something failed inside ({type(error).__name__})"}
