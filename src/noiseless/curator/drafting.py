"""A curator's file to begin with: its sections, and what to ask oneself about the columns of a table."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from noiseless.domain import ColumnSummary
from noiseless.domain.schema import write_comment, write_key, write_text

_FEWEST_ROWS = 10
"""In fewer rows values differ by chance."""
_PEOPLE = {"account", "client", "customer", "employee", "household", "member", "meter", "participant"}
_PEOPLE |= {"patient", "person", "subject", "user"}
_IDENTIFIERS = _PEOPLE | {"id", "identifier", "key", "no", "nr", "number"} | {f"{who}id" for who in _PEOPLE}


def draft_sections(source: str, summaries: Iterable[ColumnSummary] = (), rows: int = 0) -> str:
    """The sections of a curator's file to begin with; the columns are a schema's.

    Args:
        source: the table.
        summaries: of its columns, to see which of them may name persons or rows.
        rows: how many rows it has.

    >>> print(draft_sections("data/half hours.csv").splitlines()[1])
    name = "half_hours"    # what the table is called in SQL
    """
    place = source.rpartition("::")[2] if "::" in source else Path(source).stem
    name = re.sub(r"\W+", "_", place).strip("_") or "dataset"
    return (
        f"[dataset]\nname = {write_text(name)}    # what the table is called in SQL\n"
        f"source = {write_text(source)}    # seen from this file\n"
        "# Without unit and max_rows the budget protects a single row, not all rows of a person.\n"
        '# unit = "..."    # the column that names a person, where one has several rows\n'
        "# max_rows = 2    # the most rows that a person may have\n"
        f"{''.join(map(write_comment, _doubts(summaries, rows)))}\n"
        "[budget]\nbits = 8          # for all answers together, whoever asks: choose it with care\n"
        "query_bits = 1    # for each question, unless it says otherwise\n"
        "# min_group = 5   # the smallest group that a mean over a private filter is told for\n"
    )


def _doubts(summaries: Iterable[ColumnSummary], rows: int) -> Iterator[str]:
    """Columns that may name persons, or only rows."""
    for column in summaries:
        if rows < _FEWEST_ROWS or column.kind not in ("integer", "text"):
            continue
        is_left_out = column.kind == "text" and column.values is None
        name, below = write_key(column.name), "" if is_left_out else ", and delete its table below"
        if column.distinct == rows and not is_left_out:
            yield (
                f"{name} is different in every row: if it only names rows, delete its table below;"
                " it makes a record look larger than what there is to protect"
            )
        elif 1 < column.distinct < rows and _is_identifier(column.name):
            yield (
                f"{name} has {column.distinct:,} different values in {rows:,} rows: if it names a person,"
                f" write unit = {write_text(column.name)} and max_rows{below}"
            )


def _is_identifier(name: str) -> bool:
    """Whether a name sounds like that of an identifier.

    >>> [_is_identifier(name) for name in ("Meter No", "patientId", "user_id", "notes", "Postcode")]
    [True, True, True, False, False]
    """
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)
    return any(word.lower() in _IDENTIFIERS for word in words)
