"""The grammar of CSV, for files and for pipes: what is held against it reads the same everywhere.

A field stands in quotes from its first character to its last, with quotes inside doubled, or in none; then
it holds no separator and no line end, and no quote at its beginning, not even after spaces. Every line ends
in the same way and has as many fields as the first; a blank line is no record, but a missing value where
there is one column. Engines differ about all else.

The single file that checks certificates is joined from this module too, so it runs on Python 3.9 as it is.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from noiseless.errors import RequestError, SourceError

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NOT_UTF8 = (
    "is not UTF-8 text; name its encoding (--encoding cp1252 to read Western European letters, "
    "cp1250 Central European, cp1251 Cyrillic) and check the result"
)

FINE, MALFORMED, MIXED, RAGGED = range(4)
"""How a scan ended: at the last whole record, or at one with a problem."""

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
"""What may separate fields."""
_LINE_END = re.compile("\r\n|\r|\n")
_QUOTE, _SPACE, _LINE_FEED, _RETURN = 34, 32, 10, 13


class Dialect(NamedTuple):
    """How CSV is written.

    Attributes:
        separator: one character, or one and a space.
        names: the names of the columns.
        header: whether the first line holds them.
    """

    separator: str
    names: tuple[str, ...]
    header: bool


def csv_dialect(label: str, begin: str, names: Sequence[str] | None, separator: str | None = None) -> Dialect:
    """How CSV is written, from its first two lines.

    Args:
        label: what messages call it.
        begin: at least its first two lines, or all of it.
        names: the columns' names when there is no header line.
        separator: what separates fields; recognised, if not given.

    Raises:
        SourceError: the first line is no header, or no text, or separated in more than one way.
        RequestError: names were given, and the first line has another number of fields.
    """
    if not begin:
        raise SourceError(label, "is empty; a table needs a header line and rows")
    line, second = (*_LINE_END.split(begin, maxsplit=2), "")[:2]
    if "\0" in line:
        raise SourceError(label, not_text(begin.encode()[:64]))
    chosen, separator = separator, separator or max(SEPARATORS, key=line.count)
    fields = _split_line(line, separator)
    if all(text.count(separator) == text.count(separator + " ") for text in (line, second)):
        spaced = _split_line(line, separator + " ")
        if spaced is not None and len(spaced) > 1:  # as in "age, workclass": the space belongs to it
            separator, fields = separator + " ", spaced
    if chosen is None:
        _require_certain(label, line, second, separator, fields)
    if fields is None:
        raise SourceError(label, "line 1 is not well-formed; mend its quotes and separators")
    if names is None:
        return Dialect(separator, _header_names(label, fields), header=True)
    if len(names) != len(fields):
        raise RequestError(
            f"{len(names)} column names for {label}, whose first line has {len(fields)} fields; name each"
        )
    return Dialect(separator, tuple(names), header=False)


def _require_certain(label: str, line: str, second: str, separator: str, fields: list[str] | None) -> None:
    """Ask for the separator where another fits both lines too, as often or where the recognised one does not.

    Raises:
        SourceError: which ones it may be.
    """
    more = _split_line(second, separator) if second else fields
    fails = fields is None or (more is not None and len(more) != len(fields))
    fewest = 1 if fails else max(1, line.count(separator[0]))
    for other, words in SEPARATORS.items():
        if other != separator[0] and line.count(other) >= fewest:
            one, two = _split_line(line, other), _split_line(second or line, other)
            if one and two and len(one) == len(two) > 1:
                option = "--separator " + ("tab" if other == "\t" else f"'{other}'")
                both = f"{SEPARATORS[separator[0]]} or by {words}"
                raise SourceError(label, f"may be separated by {both}; say which, as in {option}")


def _split_line(line: str, separator: str) -> list[str] | None:
    """The fields of one line; None when it is not well-formed."""
    data, bounds = line.encode(), dict[tuple[int, int], int]()
    spaced, any_width = len(separator) > 1, -1
    _, status, _, fields, _ = scan_records(
        data, 0, ord(separator[0]), spaced, any_width, (), True, 0, 1, bounds
    )
    return None if status != FINE else [field_text(data, bounds, 0, place) for place in range(fields or 1)]


def field_text(data: bytes, bounds: Mapping[tuple[int, int], int], row: int, place: int) -> str:
    """A field that a scan has found, without its quotes; an empty one where nothing was scanned."""
    if (row, 2 + 2 * place) not in bounds:
        return ""
    text = data[bounds[row, 2 + 2 * place] : bounds[row, 3 + 2 * place]].decode()
    return text[1:-1].replace('""', '"') if text.startswith('"') else text


def _header_names(label: str, fields: Sequence[str]) -> tuple[str, ...]:
    """The columns' names. They are never quoted: without a header line they are somebody's data."""
    names = tuple(field.strip() for field in fields)
    if names == ("",):
        raise SourceError(label, "has a blank first line; delete it")
    if names[0].lower() == "sep=":
        raise SourceError(label, "begins with the line sep= that Excel understands; delete it")
    if "" in names:
        raise SourceError(label, f"column {names.index('') + 1} of the header has no name; give it one")
    if len(set(names)) < len(names):
        first, second = next((names.index(n), i) for i, n in enumerate(names) if names.index(n) < i)
        raise SourceError(
            label,
            f"columns {first + 1} and {second + 1} have the same name; rename one, "
            "or name the columns with --names A,B,C if there is no header line",
        )
    return names


def check_names(label: str, names: Sequence[str]) -> None:
    """Refuse columns that an engine, which does not tell upper from lower case, would confuse.

    Raises:
        SourceError: two names differ by case only, or a name cannot be written.
    """
    if len({name.casefold() for name in names}) < len(names):
        raise SourceError(label, "has columns whose names differ by upper and lower case only; rename them")
    if not all(names) or any("\0" in name for name in names):
        raise SourceError(label, "has a column without a proper name; give it one")


def csv_problem(status: int, fields: int, width: int) -> str:
    """What is wrong with the line at which a scan ended, and how to mend it."""
    return {
        MALFORMED: "is not well-formed; mend its quotes and separators",
        MIXED: "ends in another way than those before; end all in the same",
        RAGGED: f"has {fields} fields where the header has {width}; mend that line",
    }[status]


def csv_error(label: str, status: int, line: int, fields: int, width: int) -> SourceError:
    """The same of a file; lines are numbered by records, blank ones counted."""
    if status == MIXED:
        return SourceError(label, r"has lines that end in different ways; mend them: sed -i 's/\r$//' FILE")
    return SourceError(label, f"line {line} {csv_problem(status, fields, width)}")


def not_text(head: bytes) -> str:
    """What a file is that is not UTF-8 text, by its first bytes, and what to do about it."""
    if head.startswith(b"\x1f\x8b"):
        return "is compressed; unpack it first: gunzip -k IN"
    utf16 = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if utf16 or (len(head) > 1 and not (any(head[::2]) and any(head[1::2]))):
        return "is UTF-16 text; say so (--encoding utf-16) or convert it: iconv -f utf-16 -t utf-8 IN > OUT"
    if b"\0" in head:
        return "is not text; give a CSV, TSV or JSON-lines file, or one whose name ends as its kind does"
    return NOT_UTF8


def scan_records(  # noqa: C901, PLR0911, PLR0912, PLR0917 - a grammar, one function
    data: Any,  # noqa: ANN401 - bytes, or an array of them
    at: int,
    separator: int,
    spaced: bool,
    width: int,
    place: Any,  # noqa: ANN401 - numbers, or an array of them
    final: bool,
    ends: int,
    step: int,
    bounds: Any,  # noqa: ANN401 - an array, or a dictionary as good
) -> tuple[int, int, int, int, int]:
    """The records of some CSV: as it is, or as machine code over arrays, which is some twenty times as fast.

    Invariant: `bounds` holds what was asked of all records before `used`, and `at` stands at the beginning of
    a field, behind a closing quote, or at a byte of a field without quotes.

    Args:
        data: bytes, from `at` on the beginning of a record.
        at: where to begin.
        separator: the byte that separates fields.
        spaced: whether a space follows each separator.
        width: how many fields a record has; -1: as many as it has.
        place: for each field the number of its bounds; -1: they are not wanted. With any width, all are.
        final: whether the data end here; otherwise what may go on is left for later.
        ends: how lines ended before: 1 carriage return, 2 line feed, 3 both; 0: there was none.
        step: 1, or 0 to overwrite the bounds of each record by the next one's.
        bounds: takes, for each record, where it and its wanted fields begin and end.

    Returns:
        How many records there are; how the scan ended; the number of the last record, blank ones counted, and
        its fields; and where the bytes of the records end, with how lines ended: 4 * used + ends.
    """
    size, rows, line, fields, used = len(data), 0, 0, 0, at
    while at < size:
        begin, fields = at, 0
        line += 1
        while True:  # a field
            start = at
            quoted = at < size and data[at] == _QUOTE
            if quoted:
                at += 1
                while at < size and (data[at] != _QUOTE or (at + 1 < size and data[at + 1] == _QUOTE)):
                    at += 2 if data[at] == _QUOTE else 1
                if at >= size and final:
                    return rows, MALFORMED, line, 0, 4 * used + ends
                if at + 1 >= size and not final:  # it is not closed yet, or the quote may be half of two
                    return rows, FINE, line, 0, 4 * used + ends
                at += 1
            more = False
            while at < size and data[at] != _LINE_FEED and data[at] != _RETURN:
                if data[at] == separator and (not spaced or (at + 1 < size and data[at + 1] == _SPACE)):
                    more = True
                    break
                if quoted:
                    if spaced and data[at] == separator and at + 1 == size and not final:
                        return rows, FINE, line, 0, 4 * used + ends
                    return rows, MALFORMED, line, 0, 4 * used + ends
                if data[at] == _QUOTE:
                    before = at - 1
                    while before >= start and data[before] == _SPACE:
                        before -= 1
                    if before < start:
                        return rows, MALFORMED, line, 0, 4 * used + ends
                at += 1
            column = fields if width < 0 else place[fields] if fields < width else -1
            if column >= 0:
                bounds[rows * step, 2 + 2 * column] = start
                bounds[rows * step, 3 + 2 * column] = at
            fields += 1
            if not more:
                break
            at += 2 if spaced else 1
        end, kind = at, 0
        if not final and (at >= size or (data[at] == _RETURN and at + 1 == size)):
            return rows, FINE, line, 0, 4 * used + ends
        if at < size and data[at] == _RETURN:
            at, kind = at + 1, 1
        if at < size and data[at] == _LINE_FEED:
            at, kind = at + 1, kind + 2
        if kind and ends and kind != ends:
            return rows, MIXED, line, 0, 4 * used + ends
        ends = kind or ends
        if end > begin or width == 1:
            if width >= 0 and fields != width:
                return rows, RAGGED, line, fields, 4 * used + ends
            bounds[rows * step, 0] = begin
            bounds[rows * step, 1] = end
            rows += 1
        used = at
    return rows, FINE, line, fields, 4 * used + ends
