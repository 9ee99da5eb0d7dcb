"""Where a ledger is: its address, and the one that a curator's file names."""

import os
import tomllib
from pathlib import Path
from typing import Any

from noiseless.ledger.errors import LedgerError

_POSTGRESQL = ("postgresql+psycopg://", "postgresql://", "postgres://")
_SQLITE = ("sqlite+pysqlite:///", "sqlite:///")
_EXAMPLES = "write sqlite:///ledger.db or postgresql+psycopg://user@host/database"


def normal_url(address: str | Path) -> str:
    """The URL of a ledger; a bare path is a SQLite file.

    Raises:
        LedgerError: no ledger can be there.

    >>> normal_url("postgresql://host/db"), normal_url("sqlite:///a.db"), normal_url("a.db")
    ('postgresql+psycopg://host/db', 'sqlite:///a.db', 'sqlite:///a.db')
    """
    text = str(address)
    for prefix in _POSTGRESQL:
        if text.startswith(prefix):
            return _POSTGRESQL[0] + text.removeprefix(prefix)
    for prefix in _SQLITE:
        if text.startswith(prefix):
            path = text.removeprefix(prefix)
            return f"sqlite:///{_checked_path(path)}"
    if "://" in text:
        raise LedgerError(f"{shown(text)!r} is no address of a ledger; {_EXAMPLES}")
    return f"sqlite:///{_checked_path(text)}"


def _checked_path(path: str) -> str:
    if not path or path.startswith((":", "file:")):
        raise LedgerError(f"{path!r} is no file: a ledger must outlive its process; {_EXAMPLES}")
    if "?" in path:
        raise LedgerError(f"{path!r}: a ledger's file has no options, and no ? in its name; {_EXAMPLES}")
    return path


def sqlite_path(url: str) -> Path | None:
    """The file of a SQLite ledger, behind all links: its log lies beside it, not beside a link."""
    named = _named_path(url)
    return None if named is None else Path(os.path.realpath(named))


def _named_path(url: str) -> Path | None:
    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:///") else None


def shown(url: str) -> str:
    """An address as it may be shown: without its password.

    >>> shown("postgresql+psycopg://me:secret@host/db"), shown("sqlite:///a.db")
    ('postgresql://me@host/db', 'a.db')
    """
    scheme, sign, rest = url.partition("://")
    if scheme.startswith("sqlite") and sign:
        return rest.removeprefix("/")
    who, at, where = rest.rpartition("@")
    return f"{scheme.partition('+')[0]}{sign}{who.partition(':')[0]}{at}{where.partition('?')[0]}"


def beside(folder: Path, dataset: str, url: str | None = None) -> str:
    """The URL that a file in a folder names: a SQLite file is relative to it, and beside it if none is named.

    >>> beside(Path("/data"), "meters"), beside(Path("/data"), "meters", "sqlite:///kept/l.db")
    ('sqlite:////data/meters-ledger.db', 'sqlite:////data/kept/l.db')
    """
    normal = normal_url(f"sqlite:///{dataset}-ledger.db" if url is None else url)
    path = _named_path(normal)
    return normal if path is None else f"sqlite:///{folder.absolute() / path}"


def of_curator_file(path: Path) -> tuple[str, str]:
    """The ledger's URL and the dataset's name in a curator's file.

    Raises:
        LedgerError: the file cannot be read, or does not name its dataset.
    """
    try:
        content: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise LedgerError(f"{path}: {(error.strerror or 'cannot be read').lower()}") from error
    except UnicodeDecodeError as error:
        raise LedgerError(f"{path}: is no TOML file; name a curator's file or a ledger's URL") from error
    except tomllib.TOMLDecodeError as error:
        raise LedgerError(f"{path}: is no curator's file, for it is not valid TOML: {error}") from error
    name = content.get("dataset", {}).get("name") if isinstance(content.get("dataset"), dict) else None
    ledger = content.get("ledger", {})
    url = ledger.get("url") if isinstance(ledger, dict) else None
    if not isinstance(name, str) or not isinstance(url, str | None):
        raise LedgerError(f"{path}: has no [dataset] name = \"...\"; name a curator's file or a ledger's URL")
    return beside(path.absolute().parent, name, url), name


def locate(target: str) -> tuple[str, str | None]:
    """The ledger's URL and the dataset that a curator's file or a URL names."""
    if target.endswith(".toml") and "://" not in target:
        return of_curator_file(Path(target))
    return normal_url(target), None
