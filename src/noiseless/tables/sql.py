"""The few pieces of SQL text that are built from names: quoting, checking, and nothing clever."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from noiseless.errors import SourceError

SOURCE = "noiseless_source"
"""The name under which a table is visible to a query over it."""


def identifier(name: str) -> str:
    """A column or table name, quoted."""
    return '"' + name.replace('"', '""') + '"'


def identifiers(names: Iterable[str]) -> str:
    """Several names, quoted, with commas between them."""
    return ", ".join(map(identifier, names))


def files(paths: Iterable[Path]) -> str:
    """A list of files; characters that the engine would take for a pattern are escaped."""
    return (
        "[" + ", ".join(literal(re.sub(r"([*?\[])", r"[\1]", str(path.absolute()))) for path in paths) + "]"
    )


def check_names(source: str, names: Sequence[str]) -> None:
    """Refuse columns that the engine, which does not tell upper from lower case, would confuse.

    Raises:
        SourceError: two names differ by case only, or a name cannot be written.
    """
    if len({name.casefold() for name in names}) < len(names):
        raise SourceError(source, "has columns whose names differ by upper and lower case only; rename them")
    if not all(names) or any("\0" in name for name in names):
        raise SourceError(source, "has a column without a proper name; give it one")


def literal(text: str) -> str:
    """A text, quoted."""
    return "'" + text.replace("'", "''") + "'"
