"""CSV and JSON lines that arrive through a pipe: whole records as soon as they are there, few at a time."""

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, Protocol

import pyarrow as pa

from noiseless.errors import SourceError, UnknownColumnError
from noiseless.tables.engine_errors import _NOT_UTF8
from noiseless.tables.text_files import _header, _separator

LABEL = "standard input"
_CHUNK = 2**20
_LONGEST = 2**26

Columns = dict[str, pa.Array]
Released = tuple[dict[str, pa.Array], Sequence[bool] | None]
Change = Callable[[Columns], Released]
"""From some columns of a chunk to what takes their place, and which rows are kept (None: all)."""


class Pipe(Protocol):
    """A table that arrives in chunks."""

    is_text: bool
    """Whether values are written as texts; otherwise as JSON."""

    def run(self, columns: Sequence[str], change: Change, out: BinaryIO) -> int:
        """Read all chunks and write each one with columns replaced, at once; how many rows were written."""


def open_pipe(stream: BinaryIO, names: Sequence[str] | None = None) -> Pipe:
    """A pipe of JSON lines when its first character is `{`, of CSV otherwise.

    Raises:
        SourceError: it is empty or no text.
    """
    records = _records(stream)
    first = next(records, b"")
    if not first.strip():
        raise SourceError(LABEL, "is empty; a table needs a header line and rows")
    if first.lstrip().startswith(b"{"):
        return JsonPipe(first, records)
    return CsvPipe.begin(_text(first).removeprefix("\ufeff"), records, names)


def _records(stream: BinaryIO) -> Iterator[bytes]:
    """Bytes that end with a record: cut at line ends outside quotes."""
    pending = b""
    read = getattr(stream, "read1", stream.read)  # what is there, without waiting for more
    while chunk := read(_CHUNK):
        pending += chunk
        cut = _last_end(pending)
        if cut:
            yield pending[:cut]
            pending = pending[cut:]
        elif len(pending) > _LONGEST:
            raise SourceError(LABEL, "has a record of more than 64 MB; mend its quotes")
    if pending:
        yield pending


def _last_end(data: bytes) -> int:
    """Where the last record that is whole ends: at a line end with an even number of quotes before it."""
    end = data.rfind(b"\n") + 1
    odd = data.count(b'"', 0, end) % 2
    while end and odd:
        before = data.rfind(b"\n", 0, end - 1) + 1
        odd = (odd + data.count(b'"', before, end)) % 2
        end = before
    return end


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise SourceError(LABEL, _NOT_UTF8) from None


@dataclass
class CsvPipe:
    """Rows of fields, written as they were read but for the columns that are replaced."""

    header: tuple[str, ...]
    dialect: dict[str, Any]
    has_header: bool
    first: str
    rest: Iterator[bytes]
    is_text: bool = True
    separator: str | None = None
    """What separates fields in what is written; the same as in what was read unless set."""

    @classmethod
    def begin(cls, text: str, rest: Iterator[bytes], names: Sequence[str] | None) -> "CsvPipe":
        """Read the header."""
        line = text.splitlines()[0]
        separator = _separator(line)
        spaced = line.count(separator) == line.count(separator + " ") > 0
        dialect: dict[str, Any] = {"delimiter": separator, "skipinitialspace": spaced, "strict": True}
        fields = next(csv.reader([line], **dialect), [])
        if names is None:
            return cls(_header(Path(LABEL), fields), dialect, has_header=True, first=text, rest=rest)
        if len(names) != len(fields):
            raise SourceError(
                LABEL, f"has {len(fields)} fields in its first line, not {len(names)}; name each column"
            )
        return cls(tuple(names), dialect, has_header=False, first=text, rest=rest)

    def run(self, columns: Sequence[str], change: Change, out: BinaryIO) -> int:
        """Chunk by chunk."""
        for column in columns:
            if column not in self.header:
                raise UnknownColumnError(column, self.header, from_text=True)
        places = {column: self.header.index(column) for column in columns}
        separator = self.separator or self.dialect["delimiter"]
        self._write([self.header], separator, out)
        written = 0
        for rows in self._chunks():
            given = {c: pa.array([row[i] or None for row in rows], pa.string()) for c, i in places.items()}
            released, kept = change(given)
            for column, values in released.items():
                for row, value in zip(rows, values.to_pylist(), strict=True):
                    row[places[column]] = "" if value is None else value
            chosen = rows if kept is None else [row for row, keep in zip(rows, kept, strict=True) if keep]
            self._write(chosen, separator, out)
            written += len(chosen)
        return written

    def _chunks(self) -> Iterator[list[list[str]]]:
        line, text = 1, self.first
        skip = self.has_header
        while True:
            rows = []
            reader = csv.reader(StringIO(text, newline=""), **self.dialect)
            try:
                for row in reader:
                    if row and skip:
                        skip = False
                    elif row:
                        self._check(row, line + reader.line_num - 1)
                        rows.append(row)
            except csv.Error:
                self._refuse(line + reader.line_num - 1, "is not well-formed; mend its quotes and separators")
            if rows:
                yield rows
            line += reader.line_num
            more = next(self.rest, None)
            if more is None:
                return
            text = _text(more)

    def _check(self, row: list[str], line: int) -> None:
        if len(row) != len(self.header):
            self._refuse(
                line, f"has {len(row)} fields where the header has {len(self.header)}; mend that line"
            )

    @staticmethod
    def _refuse(line: int, problem: str) -> NoReturn:
        raise SourceError(LABEL, f"line {line:,} {problem}")

    @staticmethod
    def _write(rows: Sequence[Sequence[str]], separator: str, out: BinaryIO) -> None:
        text = StringIO(newline="")
        csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
        out.write(text.getvalue().encode("utf-8"))
        out.flush()


class _Written(float):
    """A float of a JSON text that remembers how it was written."""

    text: str

    @classmethod
    def read(cls, text: str) -> "_Written":
        found = cls(text)
        found.text = text
        return found


@dataclass
class JsonPipe:
    """Objects, one a line, written as they were read but for the keys that are replaced."""

    first: bytes
    rest: Iterator[bytes]
    is_text: bool = False

    def run(self, columns: Sequence[str], change: Change, out: BinaryIO) -> int:
        """Chunk by chunk."""
        written, line = 0, 0
        chunk: bytes | None = self.first
        while chunk is not None:
            lines = _text(chunk).splitlines()
            objects = [self._object(text, line + i) for i, text in enumerate(lines, start=1) if text.strip()]
            line += len(lines)
            if objects:
                written += self._run(objects, columns, change, out)
            chunk = next(self.rest, None)
        return written

    @staticmethod
    def _run(objects: list[dict[str, Any]], columns: Sequence[str], change: Change, out: BinaryIO) -> int:
        for column in columns:
            if not any(column in found for found in objects):
                names = list(dict.fromkeys(name for found in objects for name in found))
                raise UnknownColumnError(column, names, from_text=True)
        given = {c: pa.array([_as_text(found.get(c)) for found in objects], pa.string()) for c in columns}
        released, kept = change(given)
        for column, values in released.items():
            for found, value in zip(objects, values.to_pylist(), strict=True):
                found[column] = value
        chosen = objects if kept is None else [o for o, keep in zip(objects, kept, strict=True) if keep]
        try:
            lines = [json.dumps(found, ensure_ascii=False, allow_nan=False) + "\n" for found in chosen]
        except ValueError:
            raise SourceError(LABEL, "holds a number that is too large for JSON; mend it") from None
        out.write("".join(lines).encode("utf-8"))
        out.flush()
        return len(chosen)

    @staticmethod
    def _object(text: str, line: int) -> dict[str, Any]:
        try:
            found = json.loads(text, parse_float=_Written.read, object_pairs_hook=_once)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise SourceError(LABEL, f"line {line:,} is no object whose keys stand once; mend that line")
        return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _as_text(value: Any) -> str | None:  # noqa: ANN401 - any JSON
    """A value as it was written; what is no number stays something that is none."""
    if value is None or isinstance(value, str):
        return value or None
    if isinstance(value, _Written):
        return value.text
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return "NaN" if isinstance(value, float) and value != value else "?"  # noqa: PLR0124 - NaN alone is not itself
