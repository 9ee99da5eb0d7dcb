"""`noiseless serve`: the curator behind HTTP."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from noiseless.cli.options import CuratorsArgument, option
from noiseless.errors import RequestError

HELP = """Answer questions over HTTP, with a console in the browser.

Name one curator's file for each dataset. Analysts need a token: see `noiseless token add`.
SIGTERM and Ctrl-C stop the server once it has finished what was already charged.

Examples:

  noiseless serve meters.toml

  noiseless serve meters.toml heart.toml --host 0.0.0.0 --port 8443 --tls-cert cert.pem --tls-key key.pem

  noiseless serve meters.toml --workers 2 --rate 20 --max-batch 50 --metrics owner
"""


def serve_command(
    curators: CuratorsArgument,
    *,
    host: Annotated[str, option("The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, option("The port to listen at.", min=1, max=65535)] = 8000,
    tls_cert: Annotated[Path | None, option("A certificate (PEM): serve HTTPS.", "FILE")] = None,
    tls_key: Annotated[Path | None, option("The certificate's key (PEM).", "FILE")] = None,
    workers: Annotated[int, option("How many processes.", min=1, max=64)] = 1,
    threads: Annotated[int, option("Batches worked on at once in a process.", min=1, max=256)] = 32,
    max_body: Annotated[int, option("The most bytes of a request's body.", min=1000)] = 1_000_000,
    max_batch: Annotated[int, option("The most statements of a batch.", min=1)] = 100,
    rate: Annotated[float, option("Requests a second that a token may make; 0: no limit.", min=0)] = 100.0,
    burst: Annotated[int | None, option("Requests at once; twice the rate by default.", min=1)] = None,
    timeout: Annotated[float, option("Seconds until a waiting request is asked to retry.", min=0.1)] = 30.0,
    body_timeout: Annotated[float, option("Seconds that a body may take to arrive.", min=0.1)] = 10.0,
    metrics: Annotated[Literal["open", "owner", "off"], option("Who may read /metrics.")] = "open",
    log_format: Annotated[
        Literal["json", "text"] | None,
        option("JSON lines for programs, text for people; text on a terminal by default."),
    ] = None,
) -> None:
    """Serve until told to stop."""
    if (tls_cert is None) != (tls_key is None):
        raise RequestError("--tls-cert and --tls-key go together; give both or neither")
    for file in (tls_cert, tls_key):
        if file is not None and not file.is_file():
            raise RequestError(f"{file}: there is no such file; check the name and the folder")
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
        metrics=metrics,
    )
    listening = ListenOptions(
        host=host,
        port=port,
        tls_cert=None if tls_cert is None else str(tls_cert),
        tls_key=None if tls_key is None else str(tls_key),
        workers=workers,
        log_format=log_format or ("text" if sys.stderr.isatty() else "json"),
    )
    serve(settings, listening)
