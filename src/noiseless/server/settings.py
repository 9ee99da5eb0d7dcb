"""How a server is set up, and where it listens."""

import secrets
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Literal

Metrics = Literal["open", "owner", "off"]

STOP_SECONDS = 30
"""A server takes so long to stop at most."""


@dataclass(frozen=True)
class Settings:
    """How a server is set up; the limits hold for each of its processes.

    Attributes:
        curators: the curators' files, one a dataset.
        max_body: the most bytes of a request's body.
        max_batch: the most statements of a batch.
        max_sql: the most characters of all its statements.
        rate: requests a second that a token may make in the long run; 0 for no limit.
        burst: requests that it may make at once.
        timeout: seconds until somebody who waits for an answer is told to come back.
        body_timeout: seconds that a request's head, and then its body, may take to arrive.
        patience: seconds to wait for the ledger before somebody is told that it is away.
        threads: how many batches are worked on at the same time.
        waiting: how many requests may wait for that.
        metrics: who may read /metrics: anyone, owners, or nobody.
        log_key: makes the fingerprints in the log; drawn anew for every start.
    """

    curators: tuple[str, ...]
    max_body: int = 1_000_000
    max_batch: int = 100
    max_sql: int = 100_000
    rate: float = 100.0
    burst: int = 200
    timeout: float = 30.0
    body_timeout: float = 10.0
    patience: float = 2.0
    threads: int = 32
    waiting: int = 1000
    metrics: Metrics = "open"
    log_key: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)


@dataclass(frozen=True)
class ListenOptions:
    """Where and how a server listens.

    Attributes:
        host: the address.
        port: the port.
        tls_cert: the file of its certificate; None for plain HTTP.
        tls_key: the file of the certificate's key.
        workers: how many processes.
        log_format: json or text.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    tls_cert: str | None = None
    tls_key: str | None = None
    workers: int = 1
    log_format: str = "json"

    @property
    def url(self) -> str:
        """Where people find it."""
        everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - where a browser finds it
        host = everywhere.get(self.host, self.host)
        host = f"[{host}]" if ":" in host else host
        return f"{'http' if self.tls_cert is None else 'https'}://{host}:{self.port}"

    @property
    def in_the_clear(self) -> bool:
        """Whether tokens and answers leave this machine as plain HTTP, unless a proxy stands before it."""
        if self.tls_cert is not None or self.host == "localhost":
            return False
        try:
            return not ip_address(self.host).is_loopback
        except ValueError:
            return True
