"""The console: the files of one folder, and nothing else, under a strict content security policy."""

import hashlib
import mimetypes
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

FOLDER = Path(__file__).parent / "console"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'"
)

_KINDS = {".js": "text/javascript", ".mjs": "text/javascript", ".webmanifest": "application/manifest+json"}
_LEFT_OUT = {".py", ".pyc", ".md", ".map"}


class Page(NamedTuple):
    """A file as it is sent."""

    content: bytes
    kind: str
    tag: str


def pages(folder: Path = FOLDER) -> dict[str, Page]:
    """The files of a folder by their paths; index.html is the folder's own."""
    found = {}
    for file in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if file.is_file() and file.suffix not in _LEFT_OUT and not file.name.startswith("."):
            content = file.read_bytes()
            kind = _KINDS.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
            tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
            found[f"/{file.relative_to(folder).as_posix()}"] = Page(content, kind, tag)
    if "/index.html" in found:
        found["/"] = found["/index.html"]
    return found


def routes(folder: Path = FOLDER) -> list[Route]:
    """One route a file."""
    return [Route(path, _sender(page), methods=["GET"]) for path, page in pages(folder).items()]


def _sender(page: Page):  # type: ignore[no-untyped-def]  # noqa: ANN202 - an endpoint of Starlette
    headers = {
        "Content-Security-Policy": POLICY,
        "Cache-Control": "no-cache",
        "ETag": page.tag,
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Frame-Options": "DENY",
    }

    async def send(request: Request) -> Response:
        request.scope["pattern"] = "console"
        if request.headers.get("if-none-match") == page.tag:
            return Response(status_code=304, headers=headers)
        return Response(page.content, headers=headers, media_type=page.kind)

    return send
