"""Bytes held against the grammar of CSV: whole files, and what has come through a pipe so far."""

import codecs
import mmap
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from noiseless.errors import SourceError
from noiseless.tables.csv_grammar import BYTE_ORDER_MARK, FINE, csv_error, not_text, scan_records
from noiseless.tables.feeds import count_lines
from noiseless.tables.kernels import compiled

Bounds = npt.NDArray[np.int32]

_LARGE = 2**14
"""So many bytes are worth loading machine code for."""

_LARGE_FILE = 2**20
"""The same where no kernel has been loaded yet."""

_HEAD, _PIECE = 64, 2**24


def check_csv(path: Path, separator: str, width: int) -> None:
    """Hold a file against the grammar.

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
        dialect = (begin, ord(separator[0]), len(separator) > 1, width, nothing, True, 0, 0, one)
        if len(data) < _LARGE_FILE:
            _, status, line, fields, _ = scan_records(data[:], *dialect)
        else:
            view = np.frombuffer(data, np.uint8)
            _, status, line, fields, _ = compiled(scan_records)(view, *dialect)
            del view  # of what is closed next
    if status != FINE:
        raise csv_error(str(path), status, line, fields, width)


def _require_unicode(path: Path, data: mmap.mmap) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _PIECE):
            decoder.decode(data[start : start + _PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise SourceError(str(path), not_text(data[:_HEAD])) from None


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
