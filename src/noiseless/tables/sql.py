"""The few pieces of SQL text that are built from names: quoting, and nothing clever."""

import re
from collections.abc import Iterable
from pathlib import Path

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


def literal(text: str) -> str:
    """A text, quoted."""
    return "'" + text.replace("'", "''") + "'"
