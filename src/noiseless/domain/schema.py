"""Schemas: the declared columns of a table, and the TOML files that hold them, read and written."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from os import PathLike
from pathlib import Path
from textwrap import wrap
from types import MappingProxyType
from typing import Any, Self

from noiseless.display import Facts, Shown, counted
from noiseless.domain.base import Column
from noiseless.domain.columns import read_column
from noiseless.domain.literals import as_text
from noiseless.errors import SchemaError
from noiseless.examples import where_from
from noiseless.work import Cache

WIDTH = 100
"""Longer lists are written one item a line, longer comments are broken."""
_MOST_DERIVED = 2**27
"""Bytes of derived attributes that are remembered."""


def write_column(name: str, column: Column) -> str:
    """A column as a table of a schema file."""
    lines = [f"[columns.{write_key(name)}]"]
    if column.kind == "boolean":
        lines.append('type = "boolean"')
    keys = sorted(type(column).model_fields, key=lambda key: key == "missing")
    fields = ((key, getattr(column, key)) for key in keys)
    lines += [f"{key} = {write_value(value)}" for key, value in fields if value is not None]
    return "\n".join(lines) + "\n"


def write_key(name: str) -> str:
    """A name as a key, in quotes where it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else write_text(name)


def write_text(text: str) -> str:
    """A text in quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{"".join(map(_escape_unprintable, escaped))}"'


def write_comment(text: str) -> str:
    """A text as lines of comment; nothing in it can end the comment."""
    escaped = "".join(map(_escape_unprintable, text))
    lines = wrap(escaped, WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return "".join(f"# {line}\n" for line in lines)


def write_value(value: object) -> str:
    """A value, or a list of them, as TOML."""
    match value:
        case bool():
            return str(value).lower()
        case Decimal():
            return as_text(value)
        case str():
            return write_text(value)
        case Sequence():
            return _list([write_value(item) for item in value])
        case date():
            return value.isoformat()
        case _:
            return str(value)


def _list(items: Sequence[str]) -> str:
    line = f"[{', '.join(items)}]"
    return line if len(line) <= WIDTH else "[\n" + "".join(f"  {item},\n" for item in items) + "]"


def _escape_unprintable(character: str) -> str:
    if character.isprintable():
        return character
    short = character <= "\uffff"
    return f"\\u{ord(character):04x}" if short else f"\\U{ord(character):08x}"


@dataclass(frozen=True, repr=False)
class Schema(Shown):
    """What each column of a table may hold, and whether it is public or private.

    >>> schema = Schema.parse('columns.kwh = {role = "private", bounds = [0, 10], step = 0.001}')
    >>> schema.private, schema.columns["kwh"].size
    (('kwh',), 10001)
    >>> schema
    Schema of 1 column
      column  role     holds
      kwh     private  0..10 in steps of 0.001 (10,001 values)

    Attributes:
        columns: the columns by name, in order; at least one.
        proposal: whether it was guessed from the data, so that nobody vouches for it yet.
    """

    columns: Mapping[str, Column]
    proposal: bool = False

    def __post_init__(self) -> None:
        if not self.columns:
            raise SchemaError("has no columns; write e.g. [columns.kwh] and below it its role and bounds")
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))

    @cached_property
    def derived(self) -> Cache[Any]:
        """Attributes derived of its columns, by their names: made once, remembered within bounds."""
        return Cache(_MOST_DERIVED)

    @cached_property
    def public_tables(self) -> dict[tuple[str, str], Any]:
        """Tables that its columns can be looked up in, by their names and digests."""
        return {}

    def _shown(self) -> tuple[str, Facts]:
        vouched = ", a proposal made from the data" if self.proposal else ""
        found = [[name, column.role, column.explain()] for name, column in self.columns.items()]
        title = f"Schema of {counted(len(self.columns), 'columns')}{vouched}"
        return title, [["column", "role", "holds"], *found]

    def __reduce__(self) -> tuple[type[Self], tuple[dict[str, Column], bool]]:
        return type(self), (dict(self.columns), self.proposal)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """The schema in a file, which may be a curator's file.

        Raises:
            SchemaError: the file cannot be read or is not well formed, in one line that names it.
        """
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            problem = f"there is no such file; {where_from(str(path))}"
        except IsADirectoryError:
            problem = "is a directory; name the schema file in it"
        except OSError as error:
            problem = f"cannot be read: {error.strerror}"
        except UnicodeDecodeError:
            problem = "is not text in UTF-8; save it as TOML in that encoding"
        else:
            return cls.parse(text, origin=str(path))
        raise SchemaError(f"{path}: {problem}")

    @classmethod
    def parse(cls, text: str, origin: str = "schema") -> Self:
        """The schema in a text; tables other than [columns] are left to those they are for.

        Args:
            text: TOML.
            origin: where the text is from, for error messages.

        Raises:
            SchemaError: it is not well formed, in one line that says how to mend it.
        """
        try:
            document = _load(text)
            columns = {name: _read(name, table) for name, table in _tables(document).items()}
            return cls(columns, _proposal(document))
        except SchemaError as error:
            raise SchemaError(f"{origin}: {error}") from None

    def dump(self) -> str:
        """The schema as TOML, which `parse` reads back as the same schema."""
        flag = ["proposal = true\n"] if self.proposal else []
        return "\n".join(flag + [write_column(name, column) for name, column in self.columns.items()])

    @property
    def public(self) -> tuple[str, ...]:
        """The names of the public columns."""
        return tuple(name for name, column in self.columns.items() if column.role == "public")

    @property
    def private(self) -> tuple[str, ...]:
        """The names of the private columns."""
        return tuple(name for name, column in self.columns.items() if column.role == "private")

    def require_declared(self) -> None:
        """Refuse a proposal: a guarantee rests on bounds that hold whatever the data.

        Raises:
            SchemaError: it is a proposal.
        """
        if self.proposal:
            raise SchemaError(
                "the schema is a proposal made from the data; true bounds must not come from the"
                " data: check every column, then delete the line 'proposal = true'"
            )


def _load(text: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(f"is not valid TOML: {error}") from None
    except (ValueError, ArithmeticError):
        raise SchemaError("holds a number with too many digits; write a shorter one") from None
    except RecursionError:
        raise SchemaError("holds lists that are nested too deeply; write flat ones") from None


def _tables(document: Mapping[str, object]) -> Mapping[str, object]:
    tables = document.get("columns", {})
    if not isinstance(tables, dict):
        raise SchemaError("columns must be tables; write e.g. [columns.kwh] and below it its keys")
    return tables


def _read(name: str, table: object) -> Column:
    try:
        return read_column(table)
    except SchemaError as error:
        raise SchemaError(f"column {name!r}: {error}") from None


def _proposal(document: Mapping[str, object]) -> bool:
    proposal = document.get("proposal", False)
    if not isinstance(proposal, bool):
        raise SchemaError("proposal must be true or false; write proposal = true or delete it")
    return proposal
