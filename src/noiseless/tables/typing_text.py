"""Giving types to columns that a text file delivers as text.

A column becomes a number only when nothing is lost by it: whole numbers must be written canonically (`007`
stays text), and decimal numbers must have at most 15 digits and no two spellings of one value.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import uuid4

from noiseless.tables.sql import SOURCE, identifier

if TYPE_CHECKING:
    from noiseless.tables.duckdb_table import DuckDBTable

_INTEGER = "0|-?[1-9][0-9]{0,17}"
_DECIMAL = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?"
_DIGITS_OF_A_DOUBLE = 15
_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_BATCH = 200
"""Columns a query: ten thousand columns in one aggregate would be planned for minutes."""


def typed(table: "DuckDBTable", as_text: Collection[str] = ()) -> "DuckDBTable":
    """The same columns, held in the engine, each with the best type that fits all its values.

    Args:
        table: the columns as texts.
        as_text: columns that stay as they are written.
    """
    name = f"noiseless_text_{uuid4().hex}"
    table.keep(name)
    text = replace(table, query=f"SELECT * FROM {name}", textual=False)
    kinds: dict[str, str] = {}
    for start in range(0, len(text.columns), _BATCH):
        kinds |= _kinds(text, text.columns[start : start + _BATCH])
    kinds |= dict.fromkeys(as_text, "VARCHAR")
    casts = ", ".join(f"{identifier(c)}::{kind} AS {identifier(c)}" for c, kind in kinds.items())
    return replace(text, query=text.over(f"SELECT {casts} FROM {SOURCE}"), kinds=kinds)


def _kinds(text: "DuckDBTable", columns: Sequence[str]) -> dict[str, str]:
    """The type that each column's values allow."""
    tests = ", ".join(_tests(identifier(column)) for column in columns)
    answers = text.fetch(f"SELECT {tests} FROM {SOURCE}")[0]
    kinds = {}
    for position, column in enumerate(columns):
        whole, decimal, date = answers[3 * position : 3 * position + 3]
        decimal = decimal and not whole and _one_spelling_a_number(text, identifier(column))
        kinds[column] = "BIGINT" if whole else "DOUBLE" if decimal else "DATE" if date else "VARCHAR"
    return kinds


def _one_spelling_a_number(text: "DuckDBTable", quoted: str) -> bool:
    """Whether no two texts stand for the same number: `1.5` and `1.50` can be told apart by a reader."""
    counts = f"count(DISTINCT {quoted}) = count(DISTINCT {quoted}::DOUBLE)"
    return bool(text.fetch(f"SELECT {counts} FROM {SOURCE}")[0][0])


def _tests(quoted: str) -> str:
    """Whether all values are whole numbers, decimals, dates; null when there is no value.

    Empty fields must not be asked: null AND false is false.
    """
    digits = f"length(regexp_replace({quoted}, '[^0-9]', '', 'g')) <= {_DIGITS_OF_A_DOUBLE}"
    tests = (
        f"regexp_full_match({quoted}, '{_INTEGER}')",
        f"regexp_full_match({quoted}, '{_DECIMAL}') AND {digits}",
        f"regexp_full_match({quoted}, '{_DATE}') AND TRY_CAST({quoted} AS DATE) IS NOT NULL",
    )
    return ", ".join(f"bool_and({test}) FILTER ({quoted} IS NOT NULL)" for test in tests)
