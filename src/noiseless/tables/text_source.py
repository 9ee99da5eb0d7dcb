"""A file that is not in UTF-8, or has decimal commas or dates in another order: read as its user says."""

import atexit
import codecs
import re
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from noiseless.display import counted
from noiseless.errors import RequestError, SourceError
from noiseless.examples import not_opened
from noiseless.tables.base import Table
from noiseless.tables.csv_grammar import SEPARATORS, not_text
from noiseless.tables.engine import SOURCE, identifier, literal
from noiseless.tables.written_forms import ALMOST_NUMBER, DECIMAL_COMMA

if TYPE_CHECKING:
    from noiseless.tables.duckdb_table import DuckDBTable

_PARTS = {
    "YYYY": ("[0-9]{4}", "%Y"),
    "YY": ("[0-9]{2}", "%y"),
    "MM": ("[0-9]{1,2}", "%m"),
    "DD": ("[0-9]{1,2}", "%d"),
    "hh": ("[0-9]{1,2}", "%H"),
    "mm": ("[0-9]{1,2}", "%M"),
    "ss": ("[0-9]{1,2}", "%S"),
}
"""The parts of a date: what each looks like, and what the engine calls it."""
_TOKENS = re.compile("YYYY|YY|MM|DD|hh|mm|ss|[^A-Za-z0-9]|T")
_DIRECTIVES = {"%" + what[1:]: part for part, (_, what) in _PARTS.items()}
"""The same parts as programs name them."""
_COMMA_NUMBER = r"-?(0|[1-9][0-9]*|[1-9][0-9]{0,2}([. '\x{00a0}\x{202f}][0-9]{3})+)(,[0-9]+)?"
_SPELT_TABS = {"tab": "\t", r"\t": "\t"}
"""How a tab is written where it cannot be typed."""
_HYPHENATED = re.compile("^latin[-_ ]((?!1$)[0-9]+)$", re.IGNORECASE)
"""Encodings that Python knows as latin2 to latin10 only."""
_ROW = "noiseless_row"
_VALUE = "noiseless_value"
"""What stands for a column in SQL that is the same for all."""
_MOMENTS = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")
_MOST_FORMATS, _LONGEST_FORMAT, _HEAD = 16, 32, 64


@dataclass(frozen=True)
class TextSource(PathLike[str]):
    """A table, and how it is written; whatever opens a table takes it for one.

    Attributes:
        source: the table.
        encoding: what a text file is encoded in: `cp1252`, `latin-2`, `utf-16`, any that Python knows.
        decimal: `,` where 1.234,50 or 1234,50 stands for 1234.5.
        date_format: how dates are written: DD.MM.YYYY; where it has a time too (hh:mm:ss), the day is read.
            Several where columns differ.
        separator: what separates the fields of a CSV file; recognised, if not said.
    """

    source: str
    encoding: str | None = None
    decimal: str | None = None
    date_format: str | Sequence[str] | None = None
    separator: str | None = None

    def __post_init__(self) -> None:
        if self.encoding is not None:
            object.__setattr__(self, "encoding", _HYPHENATED.sub(r"latin\1", self.encoding))
            try:
                "".encode(self.encoding)  # looking it up also finds what is no encoding of texts
            except (LookupError, ValueError):
                raise RequestError(
                    f"there is no encoding {self.encoding!r}; try cp1252 (Western Europe), cp1250 (Central "
                    "Europe), cp1251 (Cyrillic) or utf-16"
                ) from None
        if self.decimal not in (None, ".", ","):
            raise RequestError(f"numbers have a decimal point or comma, not {self.decimal!r}; write . or ,")
        if self.separator is not None:
            object.__setattr__(self, "separator", _SPELT_TABS.get(self.separator, self.separator))
            if self.separator not in SEPARATORS:
                raise RequestError(f"fields are not separated by {self.separator!r}; write , ; | or tab")
        if not isinstance(self.date_format, str | None):
            object.__setattr__(self, "date_format", tuple(self.date_format))
        if len(self.date_formats) > _MOST_FORMATS:
            raise RequestError(f"dates are written in at most {_MOST_FORMATS} ways; leave out --date-format")
        for asked in self.date_formats:
            _date_pattern(asked)

    @property
    def date_formats(self) -> tuple[str, ...]:
        """How dates are written, one or several."""
        said = self.date_format or ()
        return (said,) if isinstance(said, str) else tuple(said)

    @property
    def said(self) -> dict[str, str | list[str]]:
        """How it is written, as far as its user said, as JSON has it."""
        one = {"encoding": self.encoding, "separator": self.separator, "decimal": self.decimal}
        known: dict[str, str | list[str]] = {name: said for name, said in one.items() if said is not None}
        return known | ({"date_format": list(self.date_formats)} if self.date_formats else {})

    def __fspath__(self) -> str:
        return self.source

    def __str__(self) -> str:
        return self.source

    def in_utf8(self, path: Path) -> Path:
        """The file itself, or a copy of it in UTF-8 that only its owner may read, gone when the process ends.

        Raises:
            SourceError: it is not in the encoding that was named.
        """
        if self.encoding is None or codecs.lookup(self.encoding).name == "utf-8":
            return path
        copy = Path(tempfile.mkdtemp(dir=_folder())) / path.name
        try:
            with (
                path.open(encoding=self.encoding, newline="") as read,
                copy.open("x", encoding="utf-8", newline="") as written,
            ):
                shutil.copyfileobj(read, written)
        except UnicodeError:
            raise SourceError(str(path), f"is not {self.encoding} text; name another --encoding") from None
        except OSError as error:
            raise SourceError(str(path), not_opened(path, error)) from None
        return copy

    def read(self, table: "DuckDBTable") -> "DuckDBTable":
        """The table with plain numbers and ISO dates, in each column that is written as was said throughout.

        Raises:
            SourceError: no column is.
        """
        changed = self._dates(table) | (self._numbers(table) if self.decimal == "," else {})
        if not changed:
            return table
        columns = ", ".join(
            f"{changed.get(c, (identifier(c), ''))[0]} AS {identifier(c)}" for c in table.kinds
        )
        kinds = {c: changed[c][1] if c in changed else kind for c, kind in table.kinds.items()}
        if table.textual:
            kinds = dict.fromkeys(kinds, "VARCHAR")
        return replace(table, query=table.over(f"SELECT {columns} FROM {SOURCE}"), kinds=kinds)

    def _dates(self, table: "DuckDBTable") -> dict[str, tuple[str, str]]:
        """For each column of such dates what reads it, as SQL, and its type."""
        days: dict[str, tuple[str, str]] = {}
        for asked in self.date_formats:
            pattern, engine_format = _date_pattern(asked)
            parsed = f"try_strptime({_VALUE}, " + literal(engine_format) + ")"
            test = f"regexp_full_match({_VALUE}, {literal(pattern)}) AND {parsed} IS NOT NULL"
            found = _all_like(table, test)
            moments = (
                [c for c, kind in table.kinds.items() if kind in _MOMENTS] if "%H" in engine_format else []
            )
            if not found and not moments and engine_format != "%Y-%m-%d":
                problem = f"no column holds dates written {asked} in every row"
                for column, strays in stray_rows(table, test).items():
                    problem += (
                        f"; column {column!r} does except in {strays}: blank or mend these, as a column "
                    )
                    problem += "is read in one format"
                raise SourceError(table.label, f"{problem}; check --date-format")
            day = parsed + "::DATE" + "::VARCHAR" * table.textual
            read = {column: (day.replace(_VALUE, identifier(column)), "DATE") for column in found}
            read |= {column: (f"{identifier(column)}::DATE", "DATE") for column in moments}
            days = read | days
        return days

    def _numbers(self, table: "DuckDBTable") -> dict[str, tuple[str, str]]:
        """The same for numbers with decimal commas."""
        found = _all_like(table, f"regexp_full_match({_VALUE}, {literal(_COMMA_NUMBER)})")
        pointed = rf"replace(regexp_replace({_VALUE}, '[. ''\x{{00a0}}\x{{202f}}]', '', 'g'), ',', '.')"
        plain = f"regexp_replace(regexp_replace({pointed}, '(\\.[0-9]*?)0+$', '\\1'), '\\.$', '')"
        number = plain if table.textual else f"{plain}::DOUBLE"
        return {column: (number.replace(_VALUE, identifier(column)), "DOUBLE") for column in found}


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
        test: SQL over `_VALUE`.
        columns: those to look at; all, if none is named.
    """
    texts = [c for c, kind in table.kinds.items() if kind == "VARCHAR" and c in (columns or table.kinds)]
    if not texts:
        return {}
    answers = []
    for column in map(identifier, texts):
        passes, there = f"({test.replace(_VALUE, column)})", f"{column} IS NOT NULL"
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
    test = " OR ".join(f"regexp_matches({_VALUE}, {literal(f)})" for f in (ALMOST_NUMBER, DECIMAL_COMMA))
    found = stray_rows(table, test, columns)
    return found if in_order else {name: each._replace(first=None) for name, each in found.items()}


def _all_like(table: "DuckDBTable", test: str) -> list[str]:
    """The columns of text of which every value that is there passes a test."""
    texts = [column for column, kind in table.kinds.items() if kind == "VARCHAR"]
    if not texts:
        return []
    tests = (
        f"bool_and({test.replace(_VALUE, identifier(c))}) FILTER ({identifier(c)} IS NOT NULL)" for c in texts
    )
    answers = table.fetch(f"SELECT {', '.join(tests)} FROM {SOURCE}")[0]
    return [column for column, answer in zip(texts, answers, strict=True) if answer]


_SAMPLE = 1000
_ORDERS = ("DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "DD-MM-YYYY", "YYYY/MM/DD", "YYYY.MM.DD")
_TIMES = (" hh:mm", " hh:mm:ss", "Thh:mm", "Thh:mm:ss")


def likely_forms(table: "DuckDBTable", *, times: bool = False) -> dict[str, dict[str, list[str]]]:
    """How columns that read as texts may be written, by their first rows: what to say, and of which columns.

    Several forms of dates can fit the same column; then nobody but its owner knows.

    Args:
        table: the table.
        times: also say how to read the days of dates with times.

    >>> from noiseless.tables import open_table
    >>> import pyarrow as pa
    >>> likely_forms(open_table(pa.table({"paid": ["1,5", "2"], "on": ["03/04/1971", "05/06/1972"]})))
    {'decimal': {',': ['paid']}, 'date_format': {'DD/MM/YYYY': ['on'], 'MM/DD/YYYY': ['on']}}
    """
    first = replace(table, query=table.over(f"SELECT * FROM {SOURCE} LIMIT {_SAMPLE}"))
    numbers = _all_like(first, f"regexp_full_match({_VALUE}, {literal(_COMMA_NUMBER)})")
    commas = [c for c in numbers if c not in _all_like(first, f"NOT contains({_VALUE}, ',')")]
    dates = {}
    timed = (f"{order}{time}" for order in (*_ORDERS, "YYYY-MM-DD") for time in _TIMES) if times else ()
    for order in (*_ORDERS, *timed):
        pattern, engine_format = _date_pattern(order)
        parsed = f"try_strptime({_VALUE}, {literal(engine_format)})"
        found = _all_like(first, f"regexp_full_match({_VALUE}, {literal(pattern)}) AND {parsed} IS NOT NULL")
        if found:
            dates[order] = found
    if times and (moments := [c for c, kind in table.kinds.items() if kind in _MOMENTS]):
        order = f"YYYY-MM-DD{_TIMES[1]}"
        dates[order] = [*dates.get(order, ()), *moments]
    return {"decimal": {",": commas} if commas else {}, "date_format": dates}


def _date_pattern(asked: str) -> tuple[str, str]:
    """What dates look like that are written so, as a regular expression and as the engine's format.

    >>> _date_pattern("DD/MM/YYYY")
    ('[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}', '%d/%m/%Y')

    Raises:
        RequestError: it names no day, month and year, or something else.
    """
    spelt = _spelt(asked)
    parts: Sequence[str] = _TOKENS.findall(spelt)
    year = {"YYYY", "YY"} & set(parts)
    once = len(asked) <= _LONGEST_FORMAT and all(parts.count(part) <= 1 for part in _PARTS)
    if "".join(parts) != spelt or not {"DD", "MM"} <= set(parts) or len(year) != 1 or not once:
        raise RequestError(
            f"--date-format {asked[:_LONGEST_FORMAT]!r} has no day, month and year, each once; write it as "
            "DD.MM.YYYY, MM/DD/YYYY or 'YYYY-MM-DD hh:mm:ss'"
        )
    pattern = "".join(_PARTS[part][0] if part in _PARTS else re.escape(part) for part in parts)
    return pattern, "".join(_PARTS[part][1] if part in _PARTS else part for part in parts)


def _spelt(asked: str) -> str:
    """A format as we spell it: days, months and years in capitals, times in small letters.

    >>> [_spelt(asked) for asked in ("dd.mm.yyyy", "%m/%d/%y", "YYYY-MM-DDTHH:MM:SS")]
    ['DD.MM.YYYY', 'MM/DD/YY', 'YYYY-MM-DDThh:mm:ss']
    """
    for directive, part in _DIRECTIVES.items():
        asked = asked.replace(directive, part)
    day, hour, rest = re.split("(hh|$)", asked, maxsplit=1, flags=re.IGNORECASE)
    return day.upper() + (hour + rest).lower()


def file_text(file: Path, encoding: str | None = None) -> str:
    """The text of a file that stands beside a table: in UTF-8, or else in the encoding named for the table.

    Raises:
        OSError: it cannot be opened.
        SourceError: it is in neither.
    """
    known = TextSource(str(file), encoding).encoding
    data = file.read_bytes()
    if b"\0" not in data:
        with suppress(UnicodeDecodeError):
            return data.decode("utf-8-sig")
    if known is None:
        raise SourceError(str(file), not_text(data[:_HEAD]))
    try:
        return data.decode(known)
    except UnicodeError:
        raise SourceError(str(file), f"is neither UTF-8 nor {known} text; name another --encoding") from None


@cache
def _folder() -> str:
    """A folder of this process alone, for copies of files."""
    folder = tempfile.mkdtemp(prefix="noiseless-text-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
