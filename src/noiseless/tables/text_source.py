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
from typing import TYPE_CHECKING

from noiseless.errors import RequestError, SourceError
from noiseless.examples import not_opened
from noiseless.tables.csv_grammar import SEPARATORS, not_text
from noiseless.tables.date_forms import ISO, ORDERS, TIMES, VALUE, DateForm, usual_forms
from noiseless.tables.engine import SOURCE, identifier, literal
from noiseless.tables.stray_rows import any_like, columns_like, stray_rows

if TYPE_CHECKING:
    from noiseless.tables.duckdb_table import DuckDBTable

_COMMA_NUMBER = r"-?(0|[1-9][0-9]*|[1-9][0-9]{0,2}([. '\x{00a0}\x{202f}][0-9]{3})+)(,[0-9]+)?"
_SPELT_TABS = {"tab": "\t", r"\t": "\t"}
"""How a tab is written where it cannot be typed."""
_HYPHENATED = re.compile("^latin[-_ ]((?!1$)[0-9]+)$", re.IGNORECASE)
"""Encodings that Python knows as latin2 to latin10 only."""
_MOMENTS = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")
_MOST_FORMATS, _HEAD = 16, 64


@dataclass(frozen=True)
class TextSource(PathLike[str]):
    """A table, and how it is written; whatever opens a table takes it for one.

    Attributes:
        source: the table.
        encoding: what a text file is encoded in: `cp1252`, `latin-2`, `utf-16`, any that Python knows.
        decimal: `,` where 1.234,50 or 1234,50 stands for 1234.5.
        date_format: how dates are written: DD.MM.YYYY; where it has a time too (hh:mm:ss), the day is read.
            Several where dates differ.
        separator: what separates the fields of a CSV file; recognised, if not said.
        sheet: the sheet of an Excel file; the first, if not said.
    """

    source: str
    encoding: str | None = None
    decimal: str | None = None
    date_format: str | Sequence[str] | None = None
    separator: str | None = None
    sheet: str | None = None

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
            DateForm.of(asked)

    @property
    def date_formats(self) -> tuple[str, ...]:
        """How dates are written, one or several."""
        said = self.date_format or ()
        return (said,) if isinstance(said, str) else tuple(said)

    @property
    def said(self) -> dict[str, str | list[str]]:
        """How it is written, as far as its user said, as JSON has it."""
        one = {name: getattr(self, name) for name in ("encoding", "separator", "decimal", "sheet")}
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
        """For each column of such dates what reads it, as SQL, and its type: in one form, or else in several.

        In several where each date has one of the forms that were said, or all that it has name the same day.
        """
        forms = [DateForm.of(asked) for asked in self.date_formats]
        found = [columns_like(table, form.test) for form in forms]
        alone = {column for columns in found for column in columns}
        test, day = _in_any(forms)
        both = [c for c in columns_like(table, test) if c not in alone] if len(forms) > 1 else []
        moments = [c for c, kind in table.kinds.items() if kind in _MOMENTS]
        read = dict.fromkeys(both, day)
        for asked, form, columns in reversed(list(zip(self.date_formats, forms, found, strict=True))):
            read |= dict.fromkeys(columns, form.day)
            used = columns or (form.is_timed and moments) or any_like(table, form.test, both)
            if not used and form != DateForm.of(ISO):
                raise SourceError(table.label, _no_such_dates(table, asked, form))
        if any(form.is_timed for form in forms):
            read = dict.fromkeys(moments, f"{VALUE}::DATE") | read
        text = "::VARCHAR" * table.textual
        return {c: (f"({sql.replace(VALUE, identifier(c))}){text}", "DATE") for c, sql in read.items()}

    def _numbers(self, table: "DuckDBTable") -> dict[str, tuple[str, str]]:
        """The same for numbers with decimal commas."""
        found = columns_like(table, f"regexp_full_match({VALUE}, {literal(_COMMA_NUMBER)})")
        pointed = rf"replace(regexp_replace({VALUE}, '[. ''\x{{00a0}}\x{{202f}}]', '', 'g'), ',', '.')"
        plain = f"regexp_replace(regexp_replace({pointed}, '(\\.[0-9]*?)0+$', '\\1'), '\\.$', '')"
        number = plain if table.textual else f"{plain}::DOUBLE"
        return {column: (number.replace(VALUE, identifier(column)), "DOUBLE") for column in found}


def _in_any(forms: Sequence[DateForm]) -> tuple[str, str]:
    """Whether a value has one of some forms, and the same day in all that it has; and that day, as SQL."""
    days = [f"({form.day})" for form in forms]
    day = f"coalesce({', '.join(days)}, NULL)"
    return " AND ".join([f"{day} IS NOT NULL", *(f"coalesce({one} = {day}, true)" for one in days)]), day


def _no_such_dates(table: "DuckDBTable", asked: str, form: DateForm) -> str:
    """What is wrong where no column holds dates that are written as asked."""
    problem = f"no column holds dates written {asked} in every row"
    for column, strays in stray_rows(table, form.test).items():
        problem += (
            f"; column {column!r} does except in {strays}: blank or mend these, or repeat --date-format "
        )
        problem += "for dates written otherwise"
    return f"{problem}; check --date-format"


_SAMPLE = 1000


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
    numbers = columns_like(first, f"regexp_full_match({VALUE}, {literal(_COMMA_NUMBER)})")
    commas = [c for c in numbers if c not in columns_like(first, f"NOT contains({VALUE}, ',')")]
    dates = {}
    for order in usual_forms() if times else ORDERS:
        if order != ISO and (found := columns_like(first, DateForm.of(order).test)):
            dates[order] = found
    if times and (moments := [c for c, kind in table.kinds.items() if kind in _MOMENTS]):
        order = f"{ISO}{TIMES[1]}"
        dates[order] = [*dates.get(order, ()), *moments]
    return {"decimal": {",": commas} if commas else {}, "date_format": dates}


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
