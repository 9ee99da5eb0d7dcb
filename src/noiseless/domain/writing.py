"""Writing TOML: names, values, columns and comments that read back as what they were."""

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from textwrap import wrap

from noiseless.domain.base import Column
from noiseless.domain.reading import as_text

WIDTH = 100
"""Longer lists are written one item a line, longer comments are broken."""


def write_column(name: str, column: Column) -> str:
    """A column as a table of a schema file."""
    lines = [f"[columns.{write_key(name)}]"]
    if column.kind == "boolean":
        lines.append('type = "boolean"')
    keys = sorted(type(column).model_fields, key=lambda key: key == "missing")
    fields = ((key, getattr(column, key)) for key in keys)
    lines += [f"{key} = {_value(value)}" for key, value in fields if value is not None]
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


def _value(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case Decimal():
            return as_text(value)
        case str():
            return write_text(value)
        case Sequence():
            return _list([_value(item) for item in value])
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
