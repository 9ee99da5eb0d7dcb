"""Small helpers for a readable `repr` and for notebooks."""

from collections.abc import Mapping
from html import escape


def text_table(title: str, rows: Mapping[str, str]) -> str:
    """A title and aligned lines of name and value."""
    width = max(map(len, rows))
    return "\n".join([title, *(f"  {name:<{width}}  {value}" for name, value in rows.items())])


def html_table(title: str, rows: Mapping[str, str]) -> str:
    """The same as a small HTML table."""
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th><td>{escape(value)}</td></tr>"
        for name, value in rows.items()
    )
    return f"<p><b>{escape(title)}</b></p><table>{cells}</table>"
