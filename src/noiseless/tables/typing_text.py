"""Giving types to columns that a text file delivers as text.

A column becomes a number only when nothing is lost by it: whole numbers must be written canonically (`007`
stays text), and decimal numbers must have at most 15 digits and no two spellings of one value.
"""

import duckdb

from noiseless.tables.relations import over
from noiseless.tables.sql import SOURCE, identifier

_INTEGER = "0|-?[1-9][0-9]{0,17}"
_DECIMAL = r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?"
_DIGITS_OF_A_DOUBLE = 15
_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_BATCH = 200
"""Columns a query: ten thousand columns in one aggregate would be planned for minutes."""


def typed(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """The same columns, held in the engine, each with the best type that fits all its values."""
    name = f"noiseless_text_{id(relation)}"
    over(relation, f"CREATE OR REPLACE TEMP TABLE {identifier(name)} AS SELECT * FROM {SOURCE}")
    text = over(relation, f"SELECT * FROM {identifier(name)}")
    casts = []
    for start in range(0, len(text.columns), _BATCH):
        casts += _casts(text, text.columns[start : start + _BATCH])
    return over(text, f"SELECT {', '.join(casts)} FROM {SOURCE}")


def _casts(text: duckdb.DuckDBPyRelation, columns: list[str]) -> list[str]:
    """The SQL that reads each column as the type its values allow."""
    tests = ", ".join(_tests(identifier(column)) for column in columns)
    answers = over(text, f"SELECT {tests} FROM {SOURCE}").fetchall()[0]
    casts = []
    for position, column in enumerate(columns):
        quoted = identifier(column)
        whole, decimal, date = answers[3 * position : 3 * position + 3]
        decimal = decimal and not whole and _one_spelling_a_number(text, quoted)
        kind = "BIGINT" if whole else "DOUBLE" if decimal else "DATE" if date else "VARCHAR"
        casts.append(f"{quoted}::{kind} AS {quoted}")
    return casts


def _one_spelling_a_number(text: duckdb.DuckDBPyRelation, quoted: str) -> bool:
    """Whether no two texts stand for the same number: `1.5` and `1.50` can be told apart by a reader."""
    counts = f"count(DISTINCT {quoted}) = count(DISTINCT {quoted}::DOUBLE)"
    return bool(over(text, f"SELECT {counts} FROM {SOURCE}").fetchall()[0][0])


def _tests(quoted: str) -> str:
    """Whether all values are whole numbers, decimals, dates; null when there is no value."""
    digits = f"length(regexp_replace({quoted}, '[^0-9]', '', 'g')) <= {_DIGITS_OF_A_DOUBLE}"
    return (
        f"bool_and(regexp_full_match({quoted}, '{_INTEGER}')), "
        f"bool_and(regexp_full_match({quoted}, '{_DECIMAL}') AND {digits}), "
        f"bool_and(regexp_full_match({quoted}, '{_DATE}') AND TRY_CAST({quoted} AS DATE) IS NOT NULL)"
    )
