"""Counters for Prometheus: requests, how long they took, what became of batches; no dataset is named."""

import os

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

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
