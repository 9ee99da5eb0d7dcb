"""Text files: their dialect, how the engine reads them, and where each field of a block lies."""

import codecs
import mmap
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from noiseless.errors import SourceError
from noiseless.examples import not_opened
from noiseless.tables.csv_grammar import (
    BYTE_ORDER_MARK,
    FINE,
    Dialect,
    check_names,
    csv_dialect,
    csv_error,
    not_text,
    scan_records,
)
from noiseless.tables.duckdb_table import DuckDBTable
from noiseless.tables.engine import SOURCE, OwnEngine, files, identifier, literal
from noiseless.tables.feeds import count_lines
from noiseless.tables.kernels import compiled

_LONGEST_LINE = 2**26


def common_dialect(
    paths: Sequence[Path], names: Sequence[str] | None, separator: str | None = None
) -> Dialect:
    """How text files with equal headers are written.

    Args:
        paths: one or more files.
        names: the columns' names when the files have no header line.
        separator: what separates fields; recognised, if not given.

    Raises:
        SourceError: a file has another header, or no such separator.
    """
    dialect = first_dialect(paths[0], names, separator)
    for path in paths[1:]:
        if first_dialect(path, names, separator) != dialect:
            raise SourceError(str(path), f"has another header than {paths[0]}; read them apart")
    return dialect


def read_csv_sql(paths: Sequence[Path], dialect: Dialect, longest: int) -> str:
    """The SQL of a table function that reads text files as text columns c0, c1, ...

    Args:
        paths: one or more files.
        dialect: how they are written.
        longest: no line has more bytes; the engine holds some times as many for each thread.
    """
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(dialect.names)))
    return (
        f"read_csv({files(paths)}, columns = {{{columns}}}, auto_detect = false, "
        f"header = {str(dialect.header).lower()}, delim = {literal(dialect.separator)}, "
        """quote = '"', escape = '"', nullstr = '', strict_mode = true, null_padding = false, """
        f"max_line_size = {longest}, buffer_size = {2 * longest}, hive_partitioning = false)"
    )


def first_dialect(
    path: Path, names: Sequence[str] | None, separator: str | None = None, encoding: str | None = None
) -> Dialect:
    """How a text file is written, by its first two lines.

    Args:
        path: the file.
        names: the columns' names when it has no header line.
        separator: what separates fields; recognised, if not given.
        encoding: what it is encoded in, if not in UTF-8.

    Raises:
        SourceError: they are no header, not in this encoding, or have no such separator.
    """
    try:
        with path.open(encoding=encoding or "utf-8-sig", newline="") as file:
            lines = list(islice(file, 2))
    except UnicodeDecodeError:
        with path.open("rb") as data:
            raise SourceError(str(path), not_text(data.read(64))) from None
    except OSError as error:
        raise SourceError(str(path), not_opened(path, error)) from None
    if separator is not None and lines and separator not in lines[0]:
        raise SourceError(str(path), f"no columns are separated by {separator!r}; check --separator")
    tabs = path.suffix.lower() == ".tsv"
    return csv_dialect(str(path), "".join(lines), names, separator or ("\t" if tabs else None))


def open_json(source: str, paths: Sequence[Path], layout: str) -> DuckDBTable:
    """A table whose columns are the keys of all objects.

    Texts stay texts, numbers are typed like those of a CSV file when they are selected; a key that holds
    texts beside other things, and anything nested, is compared as JSON.

    Args:
        source: what messages call it.
        paths: the files.
        layout: `newline_delimited`, or `auto` for a file that holds one array.
    """
    reader = f"read_json_objects({files(paths)}, format = '{layout}', hive_partitioning = false)"
    objects = DuckDBTable(OwnEngine.start(), f"SELECT json FROM {reader}", {"json": "JSON"}, source)
    strange, double = objects.fetch(_PROBLEMS)[0]
    if strange:
        raise SourceError(source, f"holds {strange:,} values that are no objects; write one object a line")
    if double:
        raise SourceError(source, f"has {double:,} objects in which a key stands twice; mend them")
    names = [name for (name,) in objects.fetch(_KEYS)]
    if not names:
        raise SourceError(source, "has no object with keys; write one object a line")
    check_names(source, names)
    kinds = (f"json_type(json, {_path(name)})" for name in names)
    texts = ", ".join(f"bool_and(coalesce({kind} IN ('VARCHAR', 'NULL'), true))" for kind in kinds)
    plain = objects.fetch(f"SELECT {texts} FROM {SOURCE}")[0]
    columns = ", ".join(_column(name, plain=text) for name, text in zip(names, plain, strict=True))
    query = objects.over(f"SELECT {columns} FROM {SOURCE}")
    return DuckDBTable(objects.engine, query, dict.fromkeys(names, "VARCHAR"), source, textual=True)


_PROBLEMS = f"""
SELECT count(*) FILTER (WHERE json_type(json) <> 'OBJECT'),
       count(*) FILTER (WHERE len(json_keys(json)) <> len(list_distinct(json_keys(json)))) FROM {SOURCE}
"""

_KEYS = f"""
SELECT key FROM (SELECT unnest(json_keys(json)) AS key, row_number() OVER () AS row FROM {SOURCE})
GROUP BY key ORDER BY min(row), key
"""


def _path(name: str) -> str:
    """A key as a JSON pointer, in which no character but `~` and `/` means anything."""
    return literal("/" + name.replace("~", "~0").replace("/", "~1"))


def _column(name: str, *, plain: bool) -> str:
    """One key as text: the text itself when it only holds texts, else its JSON; null is missing."""
    if plain:
        return f"json_extract_string(json, {_path(name)}) AS {identifier(name)}"
    return f"nullif(json_extract(json, {_path(name)})::VARCHAR, 'null') AS {identifier(name)}"


Bounds = npt.NDArray[np.int32]

_LARGE = 2**14
"""This many bytes are worth loading machine code for."""

_LARGE_FILE = 2**20
"""The same where no kernel has been loaded yet."""

_HEAD, _PIECE, _PLAIN_PIECE = 64, 2**20, 2**20
_LINE_FEED = 10


def check_csv(path: Path, separator: str, width: int) -> int:
    """Hold a file against the grammar; how many bytes a line has at most, as far as that is seen.

    Args:
        path: a file that is not empty.
        separator: one character, or one and a space.
        width: how many fields each record has.

    Raises:
        SourceError: it does not keep to it; the message says in which line, counting one a record.
    """
    nothing, one = np.full(width, -1, np.int64), np.empty((1, 2), np.int32)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        _require_unicode(path, data)
        begin = len(BYTE_ORDER_MARK) if data[: len(BYTE_ORDER_MARK)] == BYTE_ORDER_MARK else 0
        if len(separator) == 1 and _is_plain(data, begin, ord(separator), width):
            return _PLAIN_PIECE
        dialect = (begin, ord(separator[0]), len(separator) > 1, width, nothing, True, 0, 0, one)
        if len(data) < _LARGE_FILE:
            _, status, line, fields, _ = scan_records(data[:], *dialect)
        else:
            view = np.frombuffer(data, np.uint8)
            _, status, line, fields, _ = compiled(scan_records)(view, *dialect)
            del view  # of what is closed next
    if status != FINE:
        raise csv_error(str(path), status, line, fields, width)
    return _LONGEST_LINE


def _require_unicode(path: Path, data: mmap.mmap) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _PIECE):
            decoder.decode(data[start : start + _PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise SourceError(str(path), not_text(data[:_HEAD])) from None


def _is_plain(data: bytes | mmap.mmap, at: int, separator: int, width: int) -> bool:
    """Whether each line is a record of `width` fields, without quotes and blank lines.

    The grammar accepts all such files; to see it, no machine code has to be loaded.
    """
    if data.find(b'"') >= 0:
        return False
    lines = returns = both = 0
    while at < len(data):
        end = data.rfind(b"\n", at, at + _PLAIN_PIECE) + 1 or len(data)
        if end - at > _PLAIN_PIECE:
            return False
        piece = data[at:end]
        whole = piece.endswith(b"\n")
        marks = np.frombuffer(piece if whole else piece + b"\n", np.uint8)
        is_end = marks[(marks == separator) | (marks == _LINE_FEED)] == _LINE_FEED
        last = is_end[width - 1 :: width]
        if len(is_end) != width * len(last) or not last.all() or np.count_nonzero(is_end) != len(last):
            return False
        lines, returns, both = (
            lines + len(last) - (not whole),
            returns + piece.count(b"\r"),
            both + piece.count(b"\r\n"),
        )
        at = end
    return returns == both and both in (0, lines)


class CsvScan(NamedTuple):
    """The rows at the beginning of some bytes.

    Attributes:
        bounds: for each row where it begins and ends, and where each wanted field does.
        used: how many bytes they take.
        status: how the scan ended.
        fields: how many fields a ragged row has.
        ends: how lines end, for the next scan.
    """

    bounds: Bounds
    used: int
    status: int
    fields: int
    ends: int


def scan_csv(
    data: bytes, separator: str, width: int, columns: list[int], *, final: bool, ends: int = 0
) -> CsvScan:
    """The rows of some CSV.

    Args:
        data: bytes that begin with a record.
        separator: one character, or one and a space.
        width: how many fields a record has.
        columns: the places, ascending, of the fields whose bounds are wanted.
        final: whether the last record may end without a line end.
        ends: how lines ended in bytes before these.
    """
    lines = count_lines(data) if ends > 1 else data.count(b"\n") + data.count(b"\r")
    bounds = np.empty((lines + 1, 2 + 2 * len(columns)), np.int32)
    place = np.full(width, -1, np.int64)
    place[columns] = np.arange(len(columns))
    dialect = (0, ord(separator[0]), len(separator) > 1, width, place, final, ends, 1, bounds)
    rows, status, _, fields, both = run(scan_records, data, *dialect)
    return CsvScan(bounds[:rows], both // 4, status, fields, both % 4)


def run(function: Any, data: bytes, *arguments: Any) -> Any:  # noqa: ANN401 - a kernel's
    """Run a kernel: as it is over few bytes, as machine code over many."""
    if len(data) < _LARGE:
        return function(data, *arguments)
    return compiled(function)(np.frombuffer(data, np.uint8), *arguments)
