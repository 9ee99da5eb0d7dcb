"""The rows in which a column is written otherwise than in most: one typing error makes it one of texts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from noiseless.display import counted
from noiseless.tables.base import Table
from noiseless.tables.date_forms import ISO, VALUE, DateForm, usual_forms
from noiseless.tables.engine import SOURCE, identifier, literal
from noiseless.tables.written_forms import ALMOST_DATE, ALMOST_NUMBER, DECIMAL_COMMA

if TYPE_CHECKING:
    from noiseless.tables.duckdb_table import DuckDBTable

_ROW = "noiseless_row"


class StrayRows(NamedTuple):
    """The rows in which a column is written otherwise than in most: never their values.

    Attributes:
        rows: how many they are.
        first: the number of the first, from 1; None where rows have no order.
    """

    rows: int
    first: int | None

    def __str__(self) -> str:
        where = "" if self.first is None else f" (the first is row {self.first:,})"
        return counted(self.rows, "rows") + where


def stray_rows(table: "DuckDBTable", test: str, columns: Sequence[str] = ()) -> dict[str, StrayRows]:
    """The columns of text of which more than half of what is there, and not all, passes a test.

    Args:
        table: the table, its rows in order.
        test: SQL over `VALUE`.
        columns: those to look at; all, if none is named.
    """
    texts = [c for c, kind in table.kinds.items() if kind == "VARCHAR" and c in (columns or table.kinds)]
    if not texts:
        return {}
    answers = []
    for column in map(identifier, texts):
        passes, there = f"({test.replace(VALUE, column)})", f"{column} IS NOT NULL"
        fails = f"FILTER ({there} AND NOT {passes})"
        answers.append(f"count(*) FILTER ({there} AND {passes}), count(*) {fails}, min({_ROW}) {fails}")
    numbered = f"(SELECT row_number() OVER () AS {_ROW}, * FROM {SOURCE})"
    found = iter(table.fetch(f"SELECT {', '.join(answers)} FROM {numbered}")[0])
    return {
        column: StrayRows(rows, first)
        for column, fit, rows, first in zip(texts, found, found, found, strict=True)
        if 0 < rows < fit
    }


def stray_numbers(table: Table, columns: Sequence[str], *, in_order: bool = True) -> dict[str, StrayRows]:
    """The same for numbers, with decimal points or commas; none where rows stay on their server.

    >>> from noiseless.tables import open_table
    >>> import pyarrow as pa
    >>> found = stray_numbers(open_table(pa.table({"pay": ["1,5", "n.a.", None, "2", "7,25"]})), ["pay"])
    >>> str(found["pay"])
    '1 row (the first is row 2)'
    """
    from noiseless.tables.duckdb_table import DuckDBTable

    if not isinstance(table, DuckDBTable) or table.weighted or not columns:
        return {}
    test = " OR ".join(f"regexp_matches({VALUE}, {literal(f)})" for f in (ALMOST_NUMBER, DECIMAL_COMMA))
    found = stray_rows(table, test, columns)
    return found if in_order else {name: each._replace(first=None) for name, each in found.items()}


class StrayDates(NamedTuple):
    """How most rows of a column write dates, and which do not.

    Attributes:
        forms: how most do, and all those where several forms fit them as well; or the two ways that fit all.
        rows: the rows that do not; None if there are two ways.
    """

    forms: tuple[str, ...]
    rows: StrayRows | None

    @property
    def words(self) -> str:
        """What the column holds."""
        if self.rows is None:
            return "holds dates written in two ways"
        return f"holds dates like {' or '.join(self.forms)} except in {self.rows}"

    @property
    def remedy(self) -> str:
        """What to do."""
        if self.rows is None:
            return "add " + " ".join(f"--date-format {form!r}" for form in self.forms) + " to read both"
        mended = "blank or mend those rows"
        return (
            mended if self.forms[0].startswith(ISO) else f"{mended}, and add --date-format {self.forms[0]!r}"
        )


def stray_dates(table: Table, columns: Sequence[str], *, in_order: bool = True) -> dict[str, StrayDates]:
    """The columns of text that hold dates, most of them written in one way, and not all.

    >>> from noiseless.tables import open_table
    >>> import pyarrow as pa
    >>> table = open_table(pa.table({"born": ["17.08.1951", "17.O8.1951", "1.2.1960"]}))
    >>> stray_dates(table, ["born"])["born"].words
    'holds dates like DD.MM.YYYY except in 1 row (the first is row 2)'
    """
    from noiseless.tables.duckdb_table import DuckDBTable

    if not isinstance(table, DuckDBTable) or table.weighted:
        return {}
    texts = [column for column in columns if table.kinds[column] == "VARCHAR"]
    found = {column: _mostly(table, column) for column in texts}
    return {
        column: each if in_order or each.rows is None else each._replace(rows=each.rows._replace(first=None))
        for column, each in found.items()
        if each is not None
    }


def _mostly(table: "DuckDBTable", column: str) -> StrayDates | None:
    """How most rows of a column write dates; None where all do in one way, or not even half."""
    like = f"count(*) FILTER (regexp_matches({identifier(column)}, {literal(ALMOST_DATE)}))"
    there, likely = table.fetch(f"SELECT count({identifier(column)}), {like} FROM {SOURCE}")[0]
    if 2 * likely <= there:
        return None
    tests = {form: DateForm.of(form).test.replace(VALUE, identifier(column)) for form in usual_forms()}
    counts = ", ".join(f"count(*) FILTER ({test})" for test in tests.values())
    fits = table.fetch(f"SELECT {counts} FROM {SOURCE}")[0]
    most = max(fits)
    if most in (0, there) or 2 * most <= there:
        return None
    best = tuple(form for form, fit in zip(tests, fits, strict=True) if fit == most)
    others = [form for form, fit in zip(tests, fits, strict=True) if most + fit == there]
    if len(best) == 1 and others:
        both = f"count(*) FILTER (({tests[best[0]]}) OR ({tests[others[0]]}))"
        if table.fetch(f"SELECT {both} FROM {SOURCE}")[0][0] == there:
            return StrayDates((best[0], others[0]), None)
    rows = stray_rows(table, DateForm.of(best[0]).test, [column])[column]
    return StrayDates(best, rows)


def columns_like(table: "DuckDBTable", test: str) -> list[str]:
    """The columns of text of which every value that is there passes a test, SQL over `VALUE`."""
    texts = [column for column, kind in table.kinds.items() if kind == "VARCHAR"]
    if not texts:
        return []
    tests = (
        f"bool_and({test.replace(VALUE, identifier(c))}) FILTER ({identifier(c)} IS NOT NULL)" for c in texts
    )
    answers = table.fetch(f"SELECT {', '.join(tests)} FROM {SOURCE}")[0]
    return [column for column, answer in zip(texts, answers, strict=True) if answer]


def any_like(table: "DuckDBTable", test: str, columns: Sequence[str]) -> bool:
    """Whether a value of some columns passes a test, SQL over `VALUE`."""
    passed = " OR ".join(f"coalesce(bool_or({test.replace(VALUE, identifier(c))}), false)" for c in columns)
    return bool(columns) and bool(table.fetch(f"SELECT {passed} FROM {SOURCE}")[0][0])
