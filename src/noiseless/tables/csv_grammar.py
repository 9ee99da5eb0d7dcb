"""The grammar of CSV: every file is held against it before the engine splits it into fields.

A field stands in quotes from its first character to its last, with quotes inside doubled, or in none; then
it holds no separator and no line end, and no quote at its beginning, not even after spaces. Every line ends
in the same way and has as many fields as the first; a blank line is no record. Engines differ about all else.
"""


# Arguments are bytes or arrays, and numbers; numba ships no types.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"
# ruff: noqa: ANN001, ANN202, C901, PLR0912 - a grammar, one function
# ruff: noqa: PLR2004 - numbers are bytes

import codecs
import mmap
import re
from pathlib import Path

# Arguments are bytes or arrays, and numbers; numba ships no types.
# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,untyped-decorator"
# ruff: noqa: ANN001, ANN202, PLR0917, C901, PLR0912 - grammars, one function a rule
# ruff: noqa: PLR2004 - numbers are bytes
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.extending import register_jitable

from noiseless.errors import SourceError
from noiseless.tables.engine import NOT_UTF8
from noiseless.tables.feeds import count_lines
from noiseless.tables.kernels import compiled

_LARGE_FILE = 2**20
"""So many bytes are worth loading machine code for."""

_FINE, _MALFORMED, _MIXED, _RAGGED = range(4)
_MARK, _GZIP, _UTF16 = b"\xef\xbb\xbf", b"\x1f\x8b", (b"\xff\xfe", b"\xfe\xff")
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
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        _require_unicode(path, data)
        begin = len(_MARK) if data[: len(_MARK)] == _MARK else 0
        arguments = (begin, ord(separator[0]), len(separator) > 1, width)
        if len(data) < _LARGE_FILE:
            status, line, fields = _check(data[:], *arguments)
        else:
            view = np.frombuffer(data, np.uint8)
            status, line, fields = compiled(_check)(view, *arguments)
            del view  # of what is closed next
    if status != _FINE:
        problems = {
            _MALFORMED: f"line {line} is not well-formed; mend its quotes and separators",
            _MIXED: r"has lines that end in different ways; mend them: sed -i 's/\r$//' FILE",
            _RAGGED: f"line {line} has {fields} fields where the header has {width}; mend that line",
        }
        raise SourceError(str(path), problems[status])


def _require_unicode(path: Path, data: mmap.mmap) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _PIECE):
            decoder.decode(data[start : start + _PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise SourceError(str(path), no_text(data[:_HEAD])) from None


def no_text(head: bytes) -> str:
    """What a file is that is not UTF-8 text, by its first bytes, and what to do about it."""
    if head.startswith(_GZIP):
        return "is compressed; unpack it first: gunzip -k IN"
    if head.startswith(_UTF16) or (len(head) > 1 and not (any(head[::2]) and any(head[1::2]))):
        return "is UTF-16 text; convert it first: iconv -f utf-16 -t utf-8 IN > OUT"
    if b"\0" in head:
        return "is not text; give a CSV, TSV, JSON-lines, Parquet or Excel file"
    return NOT_UTF8


def split_line(line: str, separator: str) -> list[str] | None:
    r"""The fields of one line; None when it is not well-formed.

    >>> split_line('age, "ward, bed"', ", "), split_line('age, "ward"', ",")
    (['age', 'ward, bed'], None)
    """
    mark = re.escape(separator)
    field = re.compile(f'(?:"((?:[^"]|"")*)"|((?! *")(?:(?!{mark}).)*))({mark}|\\Z)', re.DOTALL)
    fields, at = [], 0
    while True:
        found = field.match(line, at)
        if found is None:
            return None
        fields.append(found[2] if found[1] is None else found[1].replace('""', '"'))
        at = found.end()
        if not found[3]:
            return fields


def _check(data, at, separator, spaced, width):
    size, line, ends = len(data), 0, 0
    while at < size:
        begin, fields = at, 0
        line += 1
        while True:  # a field
            fields += 1
            start, quoted = at, at < size and data[at] == 34
            if quoted:
                at += 1
                while at < size:
                    if data[at] != 34:
                        at += 1
                    elif at + 1 < size and data[at + 1] == 34:
                        at += 2
                    else:
                        break
                if at >= size:
                    return _MALFORMED, line, 0
                at += 1
            over = False
            while at < size and data[at] != 10 and data[at] != 13:
                if data[at] == separator and (not spaced or (at + 1 < size and data[at + 1] == 32)):
                    over = True
                    break
                if quoted:
                    return _MALFORMED, line, 0
                if data[at] == 34:
                    before = at - 1
                    while before >= start and data[before] == 32:
                        before -= 1
                    if before < start:
                        return _MALFORMED, line, 0
                at += 1
            if not over:
                break
            at += 2 if spaced else 1
        end, kind = at, 0
        if at < size and data[at] == 13:
            at, kind = at + 1, 1
        if at < size and data[at] == 10:
            at, kind = at + 1, kind + 2
        if kind and ends and kind != ends:
            return _MIXED, line, 0
        ends = kind
        if (end > begin or width == 1) and fields != width:
            return _RAGGED, line, fields
    return _FINE, line, 0


FINE, MALFORMED, RAGGED, TWICE, ESCAPED = range(5)
"""How a scan ended: at the last whole record, or at one with a problem."""

_LARGE = 2**14
"""So many bytes are worth loading machine code for."""

Bounds = npt.NDArray[np.int32]


def scan_csv(
    data: bytes, separator: int, width: int, columns: list[int], *, spaced: bool, final: bool
) -> tuple[Bounds, int, int, int]:
    """The rows of some CSV.

    Args:
        data: bytes that begin with a record.
        separator: what separates fields.
        width: how many fields a record has.
        columns: the places, ascending, of the fields whose bounds are wanted.
        spaced: whether spaces after a separator belong to it.
        final: whether the last record may end without a line end.

    Returns:
        For each row where it begins and ends and where each wanted field does; how many bytes they take; how
        the scan ended; and how many fields a ragged row has.
    """
    bounds = np.empty((count_lines(data) + 1, 2 + 2 * len(columns)), np.int32)
    place = np.full(width, -1, np.int64)
    place[columns] = np.arange(len(columns))
    numbers = (separator, width, place, spaced, final, bounds)
    rows, used, status, fields = run(_scan_csv, data, *numbers)
    return bounds[:rows], used, status, fields


def run(function: Any, data: bytes, *arguments: Any) -> Any:  # noqa: ANN401 - a kernel's
    """Run a kernel: as it is over few bytes, as machine code over many."""
    if len(data) < _LARGE:
        return function(data, *arguments)
    return compiled(function)(np.frombuffer(data, np.uint8), *arguments)


def _scan_csv(data, separator, width, place, spaced, final, bounds):
    size, at, rows, used = len(data), 0, 0, 0
    while at < size:
        begin, field = at, 0
        while True:
            if spaced:
                while at < size and data[at] == 32:
                    at += 1
            start = at
            if at < size and data[at] == 34:
                at = _quoted(data, at, final)
                if at < 0:
                    return rows, used, FINE if at == -1 else MALFORMED, 0
            else:
                while at < size:
                    byte = data[at]
                    if byte == separator or byte == 10 or byte == 13 or byte == 34:  # noqa: PLR1714 - faster
                        break
                    at += 1
            column = place[field] if field < width else -1
            if column >= 0:
                bounds[rows, 2 + 2 * column] = start
                bounds[rows, 3 + 2 * column] = at
            field += 1
            if at >= size or data[at] != separator:
                break
            at += 1
        end = at
        if at < size and data[at] == 13:
            at += 1
        if at >= size:
            if not final:
                return rows, used, FINE, 0
        elif data[at] != 10:
            return rows, used, MALFORMED, 0
        at += 1
        if end > begin:
            if field != width:
                return rows, used, RAGGED, field
            bounds[rows, 0] = begin
            bounds[rows, 1] = end
            rows += 1
        used = min(at, size)
    return rows, used, FINE, 0


@register_jitable
def _quoted(data, at, final):
    """The end of a quoted field; -1: it is not there yet, -2: it is never closed."""
    at += 1
    while at < len(data):
        if data[at] == 34:
            if at + 1 < len(data) and data[at + 1] == 34:
                at += 1
            elif at + 1 == len(data) and not final:
                return -1
            else:
                return at + 1
        at += 1
    return -2 if final else -1
