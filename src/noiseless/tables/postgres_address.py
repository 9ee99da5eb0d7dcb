"""Where a PostgreSQL table is: `postgresql://user@host/database::schema.table`."""

import re
from dataclasses import dataclass

from noiseless.errors import SourceError

SCHEMES = ("postgresql://", "postgres://", "postgresql+psycopg://")
_EXAMPLE = "write postgresql://user@host/database::schema.table"
_PART = r'"((?:[^"]|"")+)"|([^".]+)'
_DRIVER = "the driver is not installed; install it with: pip install 'noiseless[curator]'"


def is_postgresql(source: str) -> bool:
    """Whether a source is said to be on a PostgreSQL server.

    >>> is_postgresql("postgresql://host/db::people"), is_postgresql("people.csv")
    (True, False)
    """
    return source.startswith(SCHEMES)


@dataclass(frozen=True, repr=False)
class Address:
    """A table's address.

    Attributes:
        database: how to connect, as libpq reads it; it may hold a password and is never shown.
        names: the table's name and, before it, its schema's if one is given.
        label: what messages call the table: no password, and no options, which may hold one too.
    """

    database: str
    names: tuple[str, ...]
    label: str

    @classmethod
    def parse(cls, source: str) -> "Address":
        """The address in a source's name.

        Raises:
            SourceError: it is none; the message does not repeat it.

        >>> Address.parse("postgresql://me:secret@host/db?sslmode=require::public.people")
        Address('postgresql://me@host/db::public.people')
        """
        scheme = next(scheme for scheme in SCHEMES if source.startswith(scheme))
        place, _, table = source.removeprefix(scheme).rpartition("::")
        if not place or "@" in table or "/" in table:  # the colons are of a password or of a host
            raise SourceError("postgresql", f"the address names no table; {_EXAMPLE}")
        database = f"postgresql://{place}"
        names = _names(table)
        return cls(database, names, f"{_shown(database)}::{table}")

    def __repr__(self) -> str:
        return f"Address({self.label!r})"


def _names(table: str) -> tuple[str, ...]:
    """The parts of a name; a part with dots is written in double quotes, as in SQL."""
    if not re.fullmatch(rf"(?:{_PART})(?:\.(?:{_PART}))?", table):
        raise SourceError("postgresql", f"the address ends with no name of a table; {_EXAMPLE}")
    return tuple(quoted.replace('""', '"') or plain for quoted, plain in re.findall(_PART, table))


def _shown(database: str) -> str:
    """The address of a database as it may be shown."""
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        raise SourceError("PostgreSQL", _DRIVER) from None
    try:
        parts = {name: str(value) for name, value in conninfo_to_dict(database).items()}
    except ProgrammingError:
        raise SourceError("postgresql", f"the address cannot be read; {_EXAMPLE}") from None
    user = f"{parts['user']}@" if "user" in parts else ""
    host = parts.get("host", "")
    port = parts.get("port", "")
    place = "" if host.startswith("/") else f"{host}{f':{port}' if port.isdecimal() else ''}"
    return f"postgresql://{user}{place}/{parts.get('dbname', '')}"
