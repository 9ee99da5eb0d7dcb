"""CSV that arrives through a pipe."""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from noiseless.errors import SourceError, UnknownColumnError
from noiseless.tables.csv_grammar import BYTE_ORDER_MARK, FINE, NOT_UTF8, Dialect, csv_dialect, csv_problem
from noiseless.tables.feeds import LABEL, Feed, Mark
from noiseless.tables.pipes import Columns, Pipe, PipeBatch, Scan, one_place
from noiseless.tables.text_files import scan_csv

_QUOTE = 34
_LINE_END = re.compile(b"\r\n|\r|\n")


@dataclass(frozen=True, eq=False)
class CsvBatch(PipeBatch):
    """Rows of fields, and where the columns stand that were asked for, from left to right.

    Attributes:
        dialect: how rows are written.
        columns: the columns whose bounds are there: with another separator, all of them.
        asked: those that were asked for.
        separator: what is to separate fields instead, if that is something else.
    """

    dialect: Dialect
    columns: tuple[str, ...]
    asked: tuple[str, ...]
    separator: str | None

    def given(self) -> Columns:
        """The texts of fields; an empty one is missing."""
        return {column: self._texts(self.columns.index(column)) for column in self.asked}

    def written(self, released: Mapping[str, pa.Array], kept: object = None) -> bytes:
        """Fields that are not replaced stay byte for byte, unless another separator is wanted."""
        if self.separator is not None:
            return self._separated(self.separator, released, kept)
        chosen = [column for column in self.columns if column in released]
        places = [2 + 2 * self.columns.index(column) for column in chosen]
        told = [one_place(released[column], self._quoted) for column in chosen]
        ends = [place + 1 for place in places]
        return self.joined(self.bounds[:, places], self.bounds[:, ends], told, kept)

    def _quoted(self, value: str | None) -> str:
        """A value as a field; a row of one empty field is no blank line."""
        text = "" if value is None else value
        special = any(mark in text for mark in (self.dialect.separator[0], '"', "\n", "\r"))
        if special or (not text and len(self.dialect.names) == 1):
            return '"' + text.replace('"', '""') + '"'
        return text

    def _texts(self, place: int) -> pa.StringArray:
        begins, ends = self.bounds[:, 2 + 2 * place], self.bounds[:, 3 + 2 * place]
        quoted = (np.frombuffer(self.data + b"\n", np.uint8)[begins] == _QUOTE) & (ends > begins)
        if not quoted.any():
            texts = self.slices(begins, ends)
        else:
            texts = pc.replace_substring(self.slices(begins + quoted, ends - quoted), '""', '"')
        empty = pc.equal(texts, "")
        return pc.if_else(empty, None, texts) if pc.any(empty).as_py() else texts

    def _separated(self, separator: str, released: Mapping[str, pa.Array], kept: object) -> bytes:
        """Rows written anew, with another separator."""
        texts = [released[c] if c in released else self._texts(i) for i, c in enumerate(self.columns)]
        rows = list(zip(*(column.to_pylist() for column in texts), strict=True))
        if kept is not None:
            rows = [row for row, keep in zip(rows, np.asarray(kept), strict=True) if keep]
        return _separated(separator, rows)


class CsvPipe(Pipe):
    """A header line and rows of fields, by the grammar that files keep to."""

    is_text = True

    def __init__(self, feed: Feed, dialect: Dialect, line: bytes) -> None:
        self.feed = feed
        self.dialect = dialect
        self._line = line
        self._separator: str | None = None
        self._ends = 0

    @classmethod
    def begin(cls, feed: Feed, names: Sequence[str] | None) -> "CsvPipe":
        """Read the header.

        Raises:
            SourceError: it is none.
        """
        while not feed.ended and len(_LINE_END.split(feed.pending, maxsplit=2)) <= 2:  # noqa: PLR2004 - two lines
            feed.more()
        if feed.pending.startswith(BYTE_ORDER_MARK):
            feed.advance(len(BYTE_ORDER_MARK))
        lines = _LINE_END.split(feed.pending, maxsplit=2)[:2]
        try:
            dialect = csv_dialect(LABEL, b"\n".join(lines).decode("utf-8"), names)
        except UnicodeDecodeError:
            raise SourceError(LABEL, NOT_UTF8) from None
        pipe = cls(feed, dialect, lines[0])
        if dialect.header:
            end = _LINE_END.search(feed.pending)
            feed.advance(len(feed.pending) if end is None else end.end())
            pipe._ends = 0 if end is None else {b"\r": 1, b"\n": 2, b"\r\n": 3}[end[0]]
        return pipe

    def separate_by(self, separator: str) -> None:
        """Write rows with another separator."""
        if separator != self.dialect.separator[0]:
            self._separator = separator

    @property
    def preamble(self) -> bytes:
        """The header line, as it was."""
        if not self.dialect.header or self._separator is not None:
            return _separated(self._separator or self.dialect.separator[0], [self.dialect.names])
        return self._line + b"\n"

    def check(self, columns: Sequence[str]) -> None:
        """Whether the header has them."""
        for column in columns:
            if column not in self.dialect.names:
                raise UnknownColumnError(column, self.dialect.names, from_text=True)

    def scan(self, data: bytes, columns: Sequence[str], *, final: bool) -> Scan:
        """The rows at the beginning of some bytes."""
        names, separator = self.dialect.names, self.dialect.separator
        asked = tuple(sorted(columns, key=names.index))
        wanted = asked if self._separator is None else names
        places = [names.index(column) for column in wanted]
        found = scan_csv(data, separator, len(names), places, final=final, ends=self._ends)
        self._ends = found.ends
        problem = None if found.status == FINE else csv_problem(found.status, found.fields, len(names))
        batch = CsvBatch(data, Mark(), found.bounds, self.dialect, wanted, asked, self._separator)
        return batch, found.used, problem


def _separated(separator: str, rows: Sequence[Sequence[str | None]]) -> bytes:
    text = StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8")
