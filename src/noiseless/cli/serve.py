"""`noiseless serve`: the curator behind HTTP."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from noiseless.errors import RequestError

HELP = """Answer questions about private tables over HTTP, with a console for the browser.

One or several curators' files, one a dataset. Whoever asks needs a token: see `noiseless token add`.
SIGTERM and Ctrl-C stop the server; what was charged for is finished first.

Examples:

  noiseless serve meters.toml

  noiseless serve meters.toml heart.toml --host 0.0.0.0 --port 8443 --tls-cert cert.pem --tls-key key.pem

  noiseless serve meters.toml --workers 2 --rate 20 --max-batch 50 --metrics owner
"""


class LogFormat(StrEnum):
    """How the log is written."""

    json = "json"
    text = "text"


class MetricsAccess(StrEnum):
    """Who may read the metrics."""

    open = "open"
    owner = "owner"
    off = "off"


def serve_command(
    curators: Annotated[
        list[str], typer.Argument(metavar="CURATOR.toml..", help="Curators' files, one a dataset.")
    ],
    *,
    host: Annotated[str, typer.Option("--host", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="The port to listen at.")] = 8000,
    tls_cert: Annotated[
        Path | None, typer.Option("--tls-cert", metavar="FILE", help="A certificate (PEM): serve HTTPS.")
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option("--tls-key", metavar="FILE", help="The certificate's key (PEM).")
    ] = None,
    workers: Annotated[int, typer.Option("--workers", min=1, max=64, help="How many processes.")] = 1,
    threads: Annotated[
        int, typer.Option("--threads", min=1, max=256, help="Batches worked on at once in a process.")
    ] = 32,
    max_body: Annotated[
        int, typer.Option("--max-body", min=1000, help="The most bytes of a request's body.")
    ] = 1_000_000,
    max_batch: Annotated[
        int, typer.Option("--max-batch", min=1, help="The most statements of a batch.")
    ] = 100,
    rate: Annotated[
        float, typer.Option("--rate", min=0, help="Requests a second that a token may make; 0: no limit.")
    ] = 100.0,
    burst: Annotated[
        int | None, typer.Option("--burst", min=1, help="Requests at once; twice the rate unless said.")
    ] = None,
    timeout: Annotated[
        float,
        typer.Option("--timeout", min=0.1, help="Seconds until a waiting request is told to come back."),
    ] = 30.0,
    body_timeout: Annotated[
        float, typer.Option("--body-timeout", min=0.1, help="Seconds that a body may take to arrive.")
    ] = 10.0,
    metrics: Annotated[
        MetricsAccess, typer.Option("--metrics", help="Who may read /metrics.")
    ] = MetricsAccess.open,
    log_format: Annotated[
        LogFormat | None,
        typer.Option(
            "--log-format",
            help="JSON lines for programs, text for people; text on a terminal unless said.",
        ),
    ] = None,
) -> None:
    """Serve until told to stop."""
    if (tls_cert is None) != (tls_key is None):
        raise RequestError("--tls-cert and --tls-key go together; give both or neither")
    for file in (tls_cert, tls_key):
        if file is not None and not file.is_file():
            raise RequestError(f"{file}: no such file")
    try:
        from noiseless.server.processes import serve
        from noiseless.server.settings import ListenOptions, Settings
    except ModuleNotFoundError as error:
        raise RequestError("serving needs more: pip install 'noiseless[curator,server]'") from error
    settings = Settings(
        curators=tuple(str(Path(path).absolute()) for path in curators),
        max_body=max_body,
        max_batch=max_batch,
        rate=rate / workers,
        burst=max(1, int(burst or 2 * rate) // workers),
        timeout=timeout,
        body_timeout=body_timeout,
        threads=threads,
        metrics=metrics.value,
    )
    listening = ListenOptions(
        host=host,
        port=port,
        tls_cert=None if tls_cert is None else str(tls_cert),
        tls_key=None if tls_key is None else str(tls_key),
        workers=workers,
        log_format=(log_format or (LogFormat.text if sys.stderr.isatty() else LogFormat.json)).value,
    )
    serve(settings, listening)
