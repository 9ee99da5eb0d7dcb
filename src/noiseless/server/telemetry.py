"""A log of one JSON object a line, and counters for Prometheus: never what was asked or answered."""

import contextlib
import hashlib
import json
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

LOGGER = "noiseless.server"

_ENCODER = json.JSONEncoder(default=str)


class JsonLines(logging.Formatter):
    """One JSON object a line; of an exception, whose message may quote data, only its kind and place."""

    def format(self, record: logging.LogRecord) -> str:
        """A line."""
        return _ENCODER.encode(_fields(record))


class PlainLines(logging.Formatter):
    """The same for people."""

    def format(self, record: logging.LogRecord) -> str:
        """A line."""
        fields = _fields(record)
        head = [fields.pop("time"), fields.pop("level"), fields.pop("event")]
        return " ".join([*head, *(f"{name}={value}" for name, value in fields.items() if value is not None)])


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    when = datetime.fromtimestamp(record.created, UTC).replace(tzinfo=None)
    fields: dict[str, Any] = {
        "time": f"{when.isoformat(timespec='milliseconds')}Z",
        "level": record.levelname.lower(),
        "event": record.getMessage() if record.name == LOGGER else "uvicorn",
    }
    if record.name != LOGGER:
        fields["message"] = record.getMessage()
    fields |= getattr(record, "fields", {})
    if record.exc_info and record.exc_info[1] is not None:
        fields |= exception_fields(record.exc_info[1])
    return fields


def exception_fields(error: BaseException) -> dict[str, Any]:
    """The kind of an exception and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    places = [f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames]
    return {"error": type(error).__name__, "places": places}


class _Stderr(logging.Handler):
    """Writes to whatever stderr is when a line is written."""

    def emit(self, record: logging.LogRecord) -> None:
        with contextlib.suppress(OSError, ValueError):  # a log that cannot be written stops nobody
            sys.stderr.write(f"{self.format(record)}\n")


def set_up_logging(form: str) -> None:
    """Send the log to stderr: this server's own lines and those of uvicorn that are worth it."""
    handler = _Stderr()
    handler.setFormatter(PlainLines() if form == "text" else JsonLines())
    for name, level in ((LOGGER, logging.INFO), ("uvicorn.error", logging.INFO), ("asyncio", logging.ERROR)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
    logging.getLogger("uvicorn.access").disabled = True
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False  # no line says them


def log(event: str, level: int = logging.INFO, **fields: object) -> None:
    """Write a line."""
    logger = logging.getLogger(LOGGER)
    if logger.isEnabledFor(level):
        # where it is called from is in no line, and takes longer to find than the rest
        logger.handle(logger.makeRecord(LOGGER, level, "", 0, event, (), None, extra={"fields": fields}))


def fingerprint(key: str, sql: Sequence[str]) -> str:
    """What stands for a batch in the log; without the key nobody can try out what was asked.

    >>> fingerprint("k", ["SELECT 1"]) == fingerprint("k", ["SELECT 1"])
    True
    """
    text = "\0".join(sql).encode("utf-8", "backslashreplace")
    return hashlib.blake2b(text, digest_size=8, key=key.encode()).hexdigest()


FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Where the processes of one server share their counters."""

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The counters of one process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        registry = self._registry
        self.requests = Counter(
            "noiseless_requests", "Requests", ["method", "route", "status"], registry=registry
        )
        self.seconds = Histogram(
            "noiseless_request_seconds",
            "How long requests took",
            ["route"],
            buckets=_SECONDS,
            registry=registry,
        )
        self.batches = Counter(
            "noiseless_batches",
            "Batches: new (charged for), free, priced, or refused for their budget",
            ["outcome"],
            registry=registry,
        )
        self._outcomes = {name: self.batches.labels(name) for name in ("new", "free", "priced", "refused")}
        self._known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self.questions = Counter(
            "noiseless_statements", "Statements of batches that were answered", registry=registry
        )
        self.working = Gauge(
            "noiseless_working",
            "Requests that wait for an answer now",
            registry=registry,
            multiprocess_mode="livesum",
        )

    def batch(self, outcome: str, statements: int) -> None:
        """One more batch."""
        self._outcomes[outcome].inc()
        if statements:
            self.questions.inc(statements)

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """One more request."""
        key = (method, route, status)
        if key not in self._known:
            self._known[key] = (self.requests.labels(method, route, str(status)), self.seconds.labels(route))
        requests, took = self._known[key]
        requests.inc()
        took.observe(seconds)

    def page(self) -> bytes:
        """What Prometheus reads: the counters of all processes of this server."""
        if not os.environ.get(FOLDER):
            return generate_latest(self._registry)
        from prometheus_client.multiprocess import MultiProcessCollector

        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)
