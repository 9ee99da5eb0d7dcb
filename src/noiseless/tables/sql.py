"""The few pieces of SQL text that are built from names: quoting, and nothing clever."""

from collections.abc import Iterable

SOURCE = "noiseless_source"
"""The name under which a table is visible to a query over it."""


def identifier(name: str) -> str:
    """A column or table name, quoted."""
    return '"' + name.replace('"', '""') + '"'


def identifiers(names: Iterable[str]) -> str:
    """Several names, quoted, with commas between them."""
    return ", ".join(map(identifier, names))


def literal(text: str) -> str:
    """A text, quoted."""
    return "'" + text.replace("'", "''") + "'"
