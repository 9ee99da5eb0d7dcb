"""The page for a disclosure board: one printed sheet a release or an audit."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from noiseless import __version__
from noiseless.audits import Audit, TableAudit
from noiseless.audits.policy import PolicyResult
from noiseless.errors import RequestError, SourceError
from noiseless.releases.results import Release
from noiseless.reports.board_rows import Board
from noiseless.reports.pages import environment
from noiseless.verification.certificate_json import FORMAT

_MOST_FILES = 4
"""This many files have a line of their own; more are listed as one."""


@dataclass(frozen=True)
class FileDigest:
    """What a file is for, which it is, and the SHA-256 of its bytes."""

    role: str
    name: str
    sha256: str


def board_html(
    result: Audit | Release,
    policy: PolicyResult | None = None,
    *,
    read: Sequence[Path | str] = (),
    written: Sequence[Path | str] = (),
    command: str = "",
    made: date | None = None,
) -> str:
    """A release or an audit as one sheet for those who decide about it: no script, no network.

    It holds counts, the names of columns and files, and no value of the data.

    Args:
        result: the release, or the audit.
        policy: the outcome of a policy's checks on an audit.
        read: files that were read beside the table: a policy, a configuration.
        written: files that were written: the released table, its certificate.
        command: the command that made it, if one did.
        made: the day; by default today (UTC), or that of the environment's SOURCE_DATE_EPOCH.

    Raises:
        NoiselessError: a file cannot be read, or SOURCE_DATE_EPOCH is no number of seconds.
    """
    sources: Sequence[Path] = ()
    if isinstance(result, Release):
        board, sources = Board.of_release(result), result.sources
    else:
        board = Board.of_audit(result, policy)
        sources = result.table.files if isinstance(result, TableAudit) else ()
    files = [*_digests("read", [*sources, *map(Path, read)]), *_digests("written", list(map(Path, written)))]
    template = environment().get_template("board.html.j2")
    return template.render(
        board=board,
        is_release=isinstance(result, Release),
        is_certified=isinstance(result, Release) and any(map(_is_certificate, written)),
        files=files,
        command=command,
        made=(made or _today()).isoformat(),
        version=__version__,
    )


def _digests(role: str, paths: Sequence[Path]) -> list[FileDigest]:
    """A line for each file; many are one, by the lines that sha256sum prints for them."""
    found = [FileDigest(role, str(path), _sha256(path)) for path in dict.fromkeys(paths)]
    if len(found) <= _MOST_FILES:
        return found
    listed = "".join(f"{file.sha256}  {file.name}\n" for file in found)
    name = f"{len(found):,} files, {found[0].name} to {found[-1].name}: sha256sum of their sha256sum"
    return [FileDigest(role, name, hashlib.sha256(listed.encode()).hexdigest())]


def _is_certificate(path: Path | str) -> bool:
    """Whether a file is the certificate of a release, by how it begins."""
    try:
        with Path(path).open("rb") as file:
            return FORMAT.encode() in file.read(200)
    except OSError as error:
        raise SourceError(str(path), f"cannot be read ({error.strerror})") from None


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(str(path), f"cannot be read ({error.strerror})") from None


def _today() -> date:
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if seconds is None:
        return datetime.now(UTC).date()
    if not seconds.isdecimal():
        raise RequestError("SOURCE_DATE_EPOCH is no number of seconds; write, for example, 1767225600")
    return datetime.fromtimestamp(int(seconds), UTC).date()
