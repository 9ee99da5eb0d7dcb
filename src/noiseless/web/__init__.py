"""What console and studio share in the browser: modules, styles, and how the files of a page are found."""

import hashlib
import mimetypes
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent

_KINDS = {".js": "text/javascript", ".mjs": "text/javascript", ".webmanifest": "application/manifest+json"}
_LEFT_OUT = {".py", ".pyc", ".md", ".map"}


class Page(NamedTuple):
    """A file as it is sent."""

    content: bytes
    kind: str
    tag: str


def pages(folder: Path) -> dict[str, Page]:
    """The shared files and those of a folder by their paths; index.html is the folder's own."""
    if not folder.is_dir():
        return {}
    found = _files(HERE) | _files(folder)
    if "/index.html" in found:
        found["/"] = found["/index.html"]
    return found


def _files(folder: Path) -> dict[str, Page]:
    found = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.suffix not in _LEFT_OUT and not file.name.startswith("."):
            content = file.read_bytes()
            kind = _KINDS.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
            tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
            found[f"/{file.relative_to(folder).as_posix()}"] = Page(content, kind, tag)
    return found
