"""CSV that arrives through a pipe."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.errors import SourceError, UnknownColumnError
from noiseless.tables.csv_grammar import FINE, RAGGED, scan_csv
from noiseless.tables.engine import NOT_UTF8
from noiseless.tables.feeds import LABEL, Feed, Mark
from noiseless.tables.pipes import Columns, Pipe, PipeBatch, Scan, one_place
from noiseless.tables.text_files import header_names, likely_separator

_QUOTE = 34
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class PipeDialect:
    """How rows are written, and how they are to be.

    Attributes:
        header: the names of the columns.
        separator: what separates fields.
        spaced: whether a space after it belongs to it.
        wanted: what is to separate fields instead, if that is something else.
    """

    header: tuple[str, ...]
    separator: str
    spaced: bool = False
    wanted: str | None = None

    def quoted(self, value: str | None) -> str:
        """A value as a field; a row of one empty field is no blank line."""
        text = "" if value is None else value
        special = any(mark in text for mark in (self.separator, '"', "\n", "\r"))
        if special or (not text and len(self.header) == 1):
            return '"' + text.replace('"', '""') + '"'
        return text

    def rewritten(self, rows: list[list[str]]) -> bytes:
        """Rows with the other separator."""
        text = StringIO(newline="")
        csv.writer(text, delimiter=self.wanted or self.separator, lineterminator="\n").writerows(rows)
        return text.getvalue().encode("utf-8")

    def fields(self, lines: str) -> list[list[str]]:
        """The fields of whole rows."""
        reader = csv.reader(
            StringIO(lines, newline=""),
            delimiter=self.separator,
            skipinitialspace=self.spaced,
            strict=True,
        )
        return list(reader)


@dataclass(frozen=True, eq=False)
class CsvBatch(PipeBatch):
    """Rows of fields, and where the columns stand that were asked for, from left to right."""

    dialect: PipeDialect
    columns: tuple[str, ...]

    def given(self) -> Columns:
        """The texts of fields; an empty one is missing."""
        return {column: self._texts(place) for place, column in enumerate(self.columns)}

    def written(self, released: Mapping[str, pa.Array], kept: object = None) -> bytes:
        """Fields that are not replaced stay byte for byte, unless another separator is wanted."""
        chosen = [column for column in self.columns if column in released]
        if self.dialect.wanted is not None:
            return self._rewritten(released, kept)
        places = [2 + 2 * self.columns.index(column) for column in chosen]
        told = [one_place(released[column], self.dialect.quoted) for column in chosen]
        ends = [place + 1 for place in places]
        return self.joined(self.bounds[:, places], self.bounds[:, ends], told, kept)

    def _texts(self, place: int) -> pa.StringArray:
        begins, ends = self.bounds[:, 2 + 2 * place], self.bounds[:, 3 + 2 * place]
        quoted = (np.frombuffer(self.data + b"\n", np.uint8)[begins] == _QUOTE) & (ends > begins)
        if not quoted.any():
            found = self.slices(begins, ends)
        else:
            found = pc.replace_substring(self.slices(begins + quoted, ends - quoted), '""', '"')
        empty = pc.equal(found, "")
        return pc.if_else(empty, None, found) if pc.any(empty).as_py() else found

    def _rewritten(self, released: Mapping[str, pa.Array], kept: object) -> bytes:
        rows = self.dialect.fields(self.joined(self.bounds[:, :0], self.bounds[:, :0], (), None).decode())
        for column, values in released.items():
            place = self.dialect.header.index(column)
            for row, value in zip(rows, values.to_pylist(), strict=True):
                row[place] = "" if value is None else value
        if kept is not None:
            rows = [row for row, keep in zip(rows, np.asarray(kept), strict=True) if keep]
        return self.dialect.rewritten(rows)


class CsvPipe(Pipe):
    """A header line and rows of fields; quotes only around whole fields, and doubled inside them."""

    is_text = True

    def __init__(self, feed: Feed, dialect: PipeDialect, header: bytes | None) -> None:
        self.feed = feed
        self.dialect = dialect
        self._line = header

    @classmethod
    def begin(cls, feed: Feed, names: Sequence[str] | None) -> "CsvPipe":
        """Read the header.

        Raises:
            SourceError: it is none.
        """
        end = feed.pending.find(b"\n")
        line = feed.pending if end < 0 else feed.pending[: end + 1]
        try:
            text = line.removeprefix(_BOM).decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise SourceError(LABEL, NOT_UTF8) from None
        separator = likely_separator(text)
        spaced = text.count(separator) == text.count(separator + " ") > 0
        try:
            (fields,) = PipeDialect((), separator, spaced).fields(text) or [[]]
        except (csv.Error, ValueError):
            raise SourceError(LABEL, "has a first line that is no header; mend its quotes") from None
        if names is None:
            header = header_names(Path(LABEL), fields)
            feed.advance(len(line))
            return cls(feed, PipeDialect(header, separator, spaced), text.encode("utf-8"))
        if len(names) != len(fields):
            raise SourceError(
                LABEL, f"has {len(fields)} fields in its first line, not {len(names)}; name each column"
            )
        if line.startswith(_BOM):
            feed.advance(len(_BOM))
        return cls(feed, PipeDialect(tuple(names), separator, spaced), None)

    def separate_by(self, separator: str) -> None:
        """Write rows with another separator."""
        if separator != self.dialect.separator:
            self.dialect = replace(self.dialect, wanted=separator)

    @property
    def preamble(self) -> bytes:
        """The header line, as it was."""
        if self._line is None or self.dialect.wanted is not None:
            return self.dialect.rewritten([[*self.dialect.header]])
        return self._line + b"\n"

    def check(self, columns: Sequence[str]) -> None:
        """Whether the header has them."""
        for column in columns:
            if column not in self.dialect.header:
                raise UnknownColumnError(column, self.dialect.header, from_text=True)

    def scan(self, data: bytes, columns: Sequence[str], *, final: bool) -> Scan:
        """The rows at the beginning of some bytes."""
        header = self.dialect.header
        ordered = sorted(columns, key=header.index)
        places = [header.index(column) for column in ordered]
        bounds, used, status, fields = scan_csv(
            data, ord(self.dialect.separator), len(header), places, spaced=self.dialect.spaced, final=final
        )
        problem: Any = None
        if status == RAGGED:
            problem = f"has {fields} fields where the header has {len(header)}; mend that line"
        elif status != FINE:
            problem = "is not well-formed; mend its quotes and separators"
        return CsvBatch(data, Mark(), bounds, self.dialect, tuple(ordered)), used, problem
