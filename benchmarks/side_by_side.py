"""The same work by us and by others, each in a fresh process of its own, smaller sizes first."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from environments import python_of
from measure import ROOT
from page import Form, Words, cell
from wording import FAILED, NOT_RUN, STOPPED

_HOME = ROOT / "benchmarks"

_GRACE = 60
"""Seconds beside the limit for starting, reading the data and stopping."""


@dataclass(frozen=True)
class Contender:
    """Who does the work.

    Attributes:
        name: as the page calls them.
        module: the module of `peers` that does it.
        environment: whose virtual environment it runs in; None for our own.
        work: what it calls the work, where that differs from what others call it.
        arguments: what only this contender is told.
    """

    name: str
    module: str
    environment: str | None = None
    work: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def python(self) -> str:
        """Its interpreter."""
        return sys.executable if self.environment is None else python_of(self.environment)


OURS = Contender("noiseless", "noiseless_work")


@dataclass(frozen=True)
class Outcome:
    """What came of one contender's work at one size.

    Attributes:
        seconds: the shortest time; "stopped", "failed" or "not run" where there is none.
        first: the time of the first run, with all that is compiled or loaded then.
        peak_mb: the largest resident size of the process, data and libraries included.
        cpu: the shortest time of the processor, which does not depend on what else runs.
        value: what the work returned.
    """

    seconds: float | str
    first: float | None = None
    peak_mb: float | None = None
    value: Any = None
    cpu: float | None = None

    @property
    def finished(self) -> bool:
        """Whether there is a time."""
        return not isinstance(self.seconds, str)


class Race:
    """Contenders at growing sizes: who was stopped at a size is not asked again at a larger one."""

    def __init__(self, contenders: Sequence[Contender], work: str, form: Form, repeats: int = 5) -> None:
        self.contenders, self.work, self.form, self.repeats = contenders, work, form, repeats
        self._stopped: set[tuple[str, str]] = set()
        self._extra: dict[str, float] = {}

    def run(self, label: str = "", /, **arguments: Any) -> dict[str, Outcome]:  # noqa: ANN401 - JSON
        """All contenders at one size of one kind of work."""
        return {contender.name: self._one(contender, label, arguments) for contender in self.contenders}

    def leave_out(self, contender: Contender, label: str) -> None:
        """A contender takes no part in one kind of work."""
        self._stopped.add((contender.name, label))

    def _one(self, contender: Contender, label: str, arguments: Mapping[str, Any]) -> Outcome:
        if (contender.name, label) in self._stopped:
            return Outcome(NOT_RUN)
        mine = {**arguments, **contender.arguments}
        outcome = run(contender, contender.work or self.work, mine, self.form.limit, self.repeats)
        if not outcome.finished:
            self._stopped.add((contender.name, label))
        elif outcome.first is not None:
            extra = outcome.first - float(outcome.seconds)
            self._extra[contender.name] = max(extra, self._extra.get(contender.name, 0.0))
        return outcome

    def first_calls(self) -> Words:
        """What the first call of a process takes more than the times in the tables."""
        told = ", ".join(f"{name} {cell(seconds)} s" for name, seconds in self._extra.items())
        return Words(f"The first call of a process takes longer, at most by: {told}.")


def run(contender: Contender, work: str, arguments: Mapping[str, Any], limit: float, repeats: int) -> Outcome:
    """One contender's work in a fresh process; a peer that cannot do it has failed, and we must not."""
    request = {"work": work, "arguments": arguments, "limit": limit, "repeats": repeats}
    try:
        command = [contender.python, "-m", f"peers.{contender.module}", json.dumps(request)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=_HOME, timeout=limit + _GRACE
        )
    except subprocess.TimeoutExpired:
        return Outcome(STOPPED)
    except subprocess.CalledProcessError as error:
        why = f"{contender.name}, {work}: {' '.join((error.stderr or str(error)).split()[-40:])}"
        if contender.environment is None:
            raise RuntimeError(why) from error
        print(why, file=sys.stderr)
        return Outcome(FAILED)
    found = json.loads(done.stdout.splitlines()[-1])
    if "stopped" in found:
        return Outcome(STOPPED, peak_mb=found["peak_mb"])
    return Outcome(found["seconds"], found["first"], found["peak_mb"], found["value"], found["cpu"])


def seconds_of(outcomes: Mapping[str, Outcome]) -> dict[str, float | str]:
    """The columns of seconds, one a contender."""
    return {f"{name} s": outcome.seconds for name, outcome in outcomes.items()}


def peaks_of(outcomes: Mapping[str, Outcome]) -> dict[str, float | str]:
    """The columns of peak memory, one a contender."""
    return {
        f"{name} MB": NOT_RUN if outcome.peak_mb is None else outcome.peak_mb
        for name, outcome in outcomes.items()
    }


def columns_of(contenders: Sequence[Contender]) -> dict[str, str]:
    """Each contender's column of seconds."""
    return {contender.name: f"{contender.name} s" for contender in contenders}
