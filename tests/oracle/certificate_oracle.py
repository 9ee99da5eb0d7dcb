"""A checker of certificates that shares no code with the package: what the tests hold it against.

It was written from the pages "Verifying" and "The certificate" of the documentation and the JSON Schema, in
plain Python, and reads CSV, TSV and JSON lines by itself.
"""

# ruff: noqa: ANN401, B905, N818, UP007, UP045 - any JSON comes in here, and Python 3.9 reads it

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, Optional, Union

Text = Optional[str]  # a value as text; None is a missing one
Value = tuple[Text, ...]
Shown = Union[int, str, None]

FORMAT, VERSION = "noiseless-certificate", 1
LARGEST = 2**62


class Unusable(Exception):
    """A file cannot be used; the message says what to do."""


class Malformed(Exception):
    """The certificate is not well formed; the message names the part."""


class Check(NamedTuple):
    """A claim beside what was found."""

    name: str
    holds: bool
    claimed: Shown
    found: Shown


# --- tables ------------------------------------------------------------------------------------------------


class Table:
    """All rows of a file, as raw texts."""

    def __init__(self, columns: Sequence[str], rows: list[list[Text]]) -> None:
        self.columns, self.rows = list(columns), rows

    def without_duplicates(self) -> Table:
        """Each row once."""
        return Table(self.columns, [list(row) for row in dict.fromkeys(map(tuple, self.rows))])

    def read(self, names: Sequence[str], days: Sequence[str] = ()) -> list[Value]:
        """The canonical texts of some columns, row by row; midnights are days in some of them."""
        places = [self.columns.index(name) for name in names]
        columns = [[row[place] for row in self.rows] for place in places]
        if any(NESTED in column for column in columns):
            raise Unusable("a column holds lists or objects; this file reads flat tables only")
        found = (by_days(column) if name in days else column for name, column in zip(names, columns))
        return list(zip(*map(canonical, found)))


NESTED = "\0lists or objects"
INTEGER = re.compile("0|-?[1-9][0-9]{0,17}")
DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?")


def canonical(column: list[Text]) -> list[Text]:
    """The texts of a column, as numbers where all are numbers and nothing is lost by it."""
    present = {text for text in column if text is not None}
    if all(INTEGER.fullmatch(text) for text in present):
        return column
    digits = (sum(character in "0123456789" for character in text) for text in present)
    if not all(DECIMAL.fullmatch(text) for text in present) or max(digits) > 15:
        return column
    if len({float(text) for text in present}) < len(present):  # two spellings of one number are two values
        return column
    known = {text: plain_number(float(text)) for text in present}
    return [None if text is None else known[text] for text in column]


def by_days(column: list[Text]) -> list[Text]:
    """Days for moments, where all are midnights."""
    midnight = " 00:00:00"
    if any(text is not None and not text.endswith(midnight) for text in column):
        return column
    return [None if text is None else text[: -len(midnight)] for text in column]


def plain_number(number: float) -> str:
    """The shortest decimal that reads back the same, without an exponent and needless zeros."""
    text = f"{Decimal(repr(number)):f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def open_table(name: str) -> Table:
    """A CSV, TSV or JSON-lines file."""
    ending = Path(name).suffix.lower()
    if ending in (".parquet", ".pq", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".db"):
        raise Unusable(f"{name}: this file reads CSV, TSV and JSON lines only; use noiseless verify")
    try:
        data = Path(name).read_bytes()
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Unusable(f"{name}: {no_text(data)}") from None
    except OSError as error:
        raise Unusable(f"{name}: cannot be opened ({error.strerror})") from None
    if ending in (".jsonl", ".ndjson", ".json"):
        return json_table(name, text, one_list=ending == ".json")
    if "\0" in re.split("[\r\n]", text, maxsplit=1)[0]:
        raise Unusable(f"{name}: {no_text(data)}")
    return csv_table(name, text.removeprefix("\ufeff"), tabs=ending == ".tsv")


def no_text(data: bytes) -> str:
    """What a file is that is not UTF-8 text, and what to do about it."""
    head = data[:64]
    if head.startswith(b"\x1f\x8b"):
        return "is compressed; unpack it first: gunzip -k IN"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or (
        len(head) > 1 and not (any(head[::2]) and any(head[1::2]))
    ):
        return "is UTF-16 text; convert it first: iconv -f utf-16 -t utf-8 IN > OUT"
    if b"\0" in head:
        return "is not text; give a CSV, TSV or JSON-lines file"
    return "is not UTF-8 text; convert it first, for example: iconv -f latin1 -t utf-8 IN > OUT"


def csv_table(name: str, text: str, tabs: bool) -> Table:
    """One fixed dialect: nothing is guessed from the rows."""
    if not text:
        raise Unusable(f"{name}: is empty; a table needs a header line and rows")
    lines = re.split("\r\n|\r|\n", text, maxsplit=2)[:2]
    first, second = [*lines, ""][:2]
    separator = "\t" if tabs else max(",;\t|", key=first.count)
    if all(line.count(separator) == line.count(separator + " ") for line in (first, second)):
        records = list(csv_records(name, first, separator + " ", strict=False))
        if records and len(records[0][1]) > 1:
            separator += " "
    header = csv_header(name, next((fields for _, fields in csv_records(name, first, separator)), []))
    rows = []
    for number, fields in csv_records(name, text, separator):
        if not fields and len(header) > 1:
            continue
        if len(fields or [None]) != len(header):
            raise Unusable(
                f"{name}: line {number} has {len(fields)} fields where the header has {len(header)}; "
                "mend that line"
            )
        rows.append(fields or [None])
    return Table(header, rows[1:])


def csv_header(name: str, fields: list[Text]) -> list[str]:
    """The columns' names."""
    header = [(field or "").strip() for field in fields]
    if header in ([], [""]):
        raise Unusable(f"{name}: has a blank first line; delete it")
    if "" in header:
        raise Unusable(f"{name}: column {header.index('') + 1} of the header has no name; give it one")
    for place, field in enumerate(header):
        if header.index(field) < place:
            first = header.index(field) + 1
            raise Unusable(f"{name}: columns {first} and {place + 1} have the same name; rename one")
    proper_names(name, header)
    return header


def proper_names(name: str, columns: Sequence[str]) -> None:
    """Refuse names that an engine cannot tell apart or write."""
    if len({column.casefold() for column in columns}) < len(columns):
        raise Unusable(f"{name}: has columns whose names differ by upper and lower case only; rename them")
    if not all(columns) or any("\0" in column for column in columns):
        raise Unusable(f"{name}: has a column without a proper name; give it one")


def csv_records(
    name: str, text: str, separator: str, strict: bool = True
) -> Iterator[tuple[int, list[Text]]]:
    """The records of a CSV file, numbered; an empty field is a missing value, a blank line has no fields.

    A field stands in quotes as a whole, or begins with none, not even after spaces.
    """
    mark = re.escape(separator)
    field = re.compile(f'(?:"([^"]*(?:""[^"]*)*)"|((?! *")(?:(?!{mark})[^\r\n])*))({mark}|\r\n|\r|\n|\\Z)')
    fields: list[Text] = []
    end, at, number = "", 0, 1
    while at < len(text) or fields:
        found = field.match(text, at)
        if found is None:
            if strict:
                raise Unusable(f"{name}: line {number} is not well-formed; mend its quotes and separators")
            return
        value = found[2] if found[1] is None else found[1].replace('""', '"')
        fields.append(value or None)
        at = found.end()
        if found[3] == separator:
            continue
        if end and found[3] and found[3] != end:
            raise Unusable(f"{name}: has lines that end in different ways; mend them: sed -i 's/\\r$//' FILE")
        end = end or found[3]
        blank = fields == [None] and found[1] is None
        yield number, [] if blank else fields
        number, fields = number + 1, []
        if not found[3]:
            return


def json_table(name: str, text: str, one_list: bool) -> Table:
    """Objects, one a line (or in one list); texts stay texts, numbers are read as doubles."""
    try:
        if one_list and text.lstrip().startswith("["):
            objects = parse_json(text)
        else:
            objects = [parse_json(line) for line in text.split("\n") if line.strip()]
        json.dumps(objects, ensure_ascii=False).encode()  # half a surrogate pair is no character
    except (ValueError, RecursionError):
        raise Unusable(f"{name}: is not well-formed JSON, one object a line; mend it") from None
    if not isinstance(objects, list) or not all(isinstance(item, dict) for item in objects):
        raise Unusable(f"{name}: holds values that are no objects; write one object a line")
    columns = list(dict.fromkeys(key for item in objects for key in item))
    if not columns:
        raise Unusable(f"{name}: has no object with keys; write one object a line")
    proper_names(name, columns)
    rows: list[list[Text]] = [[] for _ in objects]
    for column in columns:
        values = [item.get(column) for item in objects]
        only_texts = all(value is None or isinstance(value, str) for value in values)
        for row, value in zip(rows, values):
            row.append(value if only_texts or value is None else json_text(value))
    return Table(columns, rows)


class RawNumber(NamedTuple):
    """A number as the file writes it."""

    written: str


class DoubleKey(ValueError):
    """Two readers of an object in which a key stands twice may each believe another value."""


def once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys stand once each."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise DoubleKey
    return found


def refuse(constant: str) -> None:
    """NaN and infinity are no JSON."""
    raise ValueError(constant)


def parse_json(text: str) -> Any:
    """A line of a table; numbers stay as they are written."""
    return json.loads(
        text, object_pairs_hook=once_each, parse_constant=refuse, parse_float=RawNumber, parse_int=RawNumber
    )


def json_text(value: Any) -> str:
    """A JSON value of a column that does not hold texts only, as text."""
    if isinstance(value, RawNumber):
        return json_number(value.written)
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else NESTED


def json_number(raw: str) -> str:
    """A number: whole ones as they are, others as the shortest text of a double."""
    if re.fullmatch("-?[0-9]+", raw):
        return "0" if raw == "-0" else raw
    number = float(raw)
    if math.isinf(number):
        return raw
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    point = len(digits) + int(exponent)
    if number == 0 or -6 < point <= 21:
        plain = f"{Decimal(repr(number)):f}"
        return plain if "." in plain else f"{plain}.0"
    mantissa = "".join(map(str, digits))
    mantissa = mantissa[0] + ("." + mantissa[1:] if len(mantissa) > 1 else "")
    return f"{'-' * sign}{mantissa}e{point - 1}"


def table_digest(rows: Sequence[Value], columns: Sequence[str]) -> str:
    """SHA-256 over the columns' names and the hashes of distinct rows, in their order, with their counts."""
    whole = hashlib.sha256((compact_json(list(columns)) + "\n").encode())
    hashes = [
        (hashlib.sha256(compact_json(row).encode()).digest(), count) for row, count in Counter(rows).items()
    ]
    for row_hash, count in sorted(hashes):
        whole.update(row_hash + b"%d\n" % count)
    return "sha256:" + whole.hexdigest()


def compact_json(value: Any) -> str:
    """JSON without spaces, characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- spellings of a value ----------------------------------------------------------------------------------

HIDDEN = (
    *((0x00, 0x08), (0x0E, 0x1B), (0x7F, 0x84), (0x86, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C)),
    *((0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E)),
    *((0x2060, 0x206F), (0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)),
    *((0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF)),
)
PRINTED = {
    "'": (0x2018, 0x2019, 0x201A, 0x201B, 0x2032, 0x2B9, 0x2BC, 0xB4),
    '"': (0x201C, 0x201D, 0x201E, 0x201F, 0xAB, 0xBB),
    "-": (0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212),
}
KEYS = {code: key for key, codes in PRINTED.items() for code in codes}


def meant(text: Text) -> str:
    """What all spellings of a value have in common; a missing value and a blank one are alike.

    Capitals, white space, invisible characters, quotes around it and compatible forms of a character are left
    aside; decimal numbers and moments are what they amount to.
    """
    shown = "".join(
        character
        for character in unicodedata.normalize("NFD", text or "")
        if not any(low <= ord(character) <= high for low, high in HIDDEN)
    )
    for _ in range(2):
        shown = unicodedata.normalize("NFKD", shown.casefold())
    words = " ".join(shown.translate(KEYS).split())
    while len(words) >= 2 and words[0] == words[-1] and words[0] in ("'", '"'):
        words = words[1:-1].strip()
    if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,9})?", words):
        mantissa, _, exponent = words.partition("e")
        figures = mantissa.lstrip("+-").replace(".", "")
        kept = figures.rstrip("0")
        scale = int(exponent or 0) - len(mantissa.partition(".")[2]) + len(figures) - len(kept)
        return f"{'-' * words.startswith('-')}{kept.lstrip('0')}e{scale}" if kept else "0e0"
    moment = re.fullmatch(
        r"([0-9]{4}-[0-9]{2}-[0-9]{2})[t ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?(\.[0-9]+)?", words
    )
    if moment and (moment[3] or not moment[4]):
        second = (moment[3] or ":00") + (moment[4] or ".").rstrip("0")
        return moment[1] if moment[2] + second == "00:00:00." else f"{moment[1]} {moment[2]}{second}"
    return words


# --- exact quantities --------------------------------------------------------------------------------------


def read_fraction(written: Any) -> Fraction:
    """The rational that "38/5", "-3", "2.5" or a JSON number stands for."""
    if isinstance(written, (int, Decimal)) and not isinstance(written, bool):
        if (
            isinstance(written, Decimal)
            and max(abs(written.adjusted()), len(written.as_tuple().digits)) > 400
        ):
            raise ValueError("too large, too small or too long")
        return Fraction(written)
    if isinstance(written, str):
        found = re.fullmatch("(-?[0-9]{1,2000})(?:/([0-9]{1,2000}))?", written)
        if found and int(found[2] or 1):
            return Fraction(int(found[1]), int(found[2] or 1))
        found = re.fullmatch(r"(-?[0-9]{1,400})\.([0-9]{1,400})", written)
        if found:
            return Fraction(int(found[1] + found[2]), 10 ** len(found[2]))
    raise ValueError("not a number")


class Root(NamedTuple):
    """A length, kept as its square."""

    squared: Fraction

    def __str__(self) -> str:
        whole = Fraction(math.isqrt(self.squared.numerator), math.isqrt(self.squared.denominator))
        return str(whole) if whole**2 == self.squared else f"sqrt({self.squared})"


class Log(NamedTuple):
    """A number of bits, kept as the ratio whose log2 it is."""

    ratio: Fraction

    def __str__(self) -> str:
        return f"log2({self.ratio})"

    def compare(self, limit: Fraction | Log) -> int:
        """-1, 0 or 1 as it is less than, equal to or more than a limit; never rounded."""
        if isinstance(limit, Log):
            return (self.ratio > limit.ratio) - (self.ratio < limit.ratio)
        top, bottom = self.ratio.numerator, self.ratio.denominator
        if not top & (top - 1) and not bottom & (bottom - 1):
            whole = top.bit_length() - bottom.bit_length()
            return (whole > limit) - (whole < limit)
        digits = 50
        while True:
            low, high = self.bounds(digits)
            if high < limit:
                return -1
            if low > limit:
                return 1
            digits *= 2

    def bounds(self, digits: int) -> tuple[Fraction, Fraction]:
        """Rationals below and above; each rounded operation is off by far less than the slack."""
        with localcontext(Context(prec=digits)):
            above, below = Decimal(self.ratio.numerator).ln(), Decimal(self.ratio.denominator).ln()
            middle = Fraction((above - below) / Decimal(2).ln())
            slack = Fraction(max(above, below, Decimal(1))) * 16 / 10 ** (digits - 2)
        return middle - slack, middle + slack


def read_length(written: Any) -> Root:
    """A length such as "21/2", "10.5" or "sqrt(2)"."""
    found = re.fullmatch(r"sqrt\((.*)\)", written) if isinstance(written, str) else None
    value = read_fraction(found[1] if found else written)
    if value < 0:
        raise ValueError("negative")
    return Root(value if found else value**2)


def read_bits(written: Any) -> Fraction | Log:
    """A limit in bits: a rational, or exactly "log2(38/5)"."""
    found = re.fullmatch(r"log2\((.*)\)", written) if isinstance(written, str) else None
    if not found:
        return read_fraction(written)
    ratio = read_fraction(found[1])
    if ratio <= 0:
        raise ValueError("not positive")
    return Log(ratio)


def is_number(text: Text) -> bool:
    """Whether a canonical text is a number."""
    plain = text is not None and re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?", text)
    return bool(plain) and text != "-0" and len(text or "") <= 1000


def is_day(text: Text) -> bool:
    """Whether a canonical text is a day."""
    found = re.fullmatch("([0-9]{4})-([0-9]{2})-([0-9]{2})", text or "")
    if not found:
        return False
    year, month, day = (int(part) for part in found.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= month <= 12 and 1 <= day <= (31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def day_number(text: str) -> int:
    """A day as a whole number."""
    year, month, day = (int(part) for part in text.split("-"))
    before = sum((31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[: month - 1])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    leaps = 0 if year == 0 else (year - 1) // 4 - (year - 1) // 100 + (year - 1) // 400 + 1
    return 365 * year + leaps + before + (leap and month > 2) + day


def read_day(written: Any) -> Fraction:
    """A day or moment of a declared range."""
    found = moment_number(written) if isinstance(written, str) else None
    if found is None:
        raise ValueError("not a day")
    return found


def moment_number(text: str) -> Fraction | None:
    """A day, or a moment of one, in days; None for anything else."""
    day, rest = text[:10], text[10:].removesuffix("+00") if len(text) > 13 else text[10:]
    if not is_day(day) or not rest:
        return Fraction(day_number(day)) if is_day(text) else None
    clock = re.fullmatch(r"[ T](\d\d):(\d\d)(:\d\d(\.\d{1,9})?)?", rest, re.ASCII)
    if clock is None or (clock[4] or "1").endswith("0"):
        return None
    seconds = Fraction((clock[3] or ":0")[1:])
    if int(clock[1]) > 23 or int(clock[2]) > 59 or seconds >= 60:
        return None
    return day_number(day) + Fraction(int(clock[1]) * 60 + int(clock[2]), 1440) + seconds / 86_400


def read_set(text: str) -> frozenset[Text] | None:
    """The set that `a|b` writes; parts may be in quotes, an empty part is a missing value."""
    parts: list[Text] = []
    part = re.compile(r'(?:"((?:[^"]|"")*)"|((?!")[^|]*))(\||\Z)')
    at = 0
    while True:
        found = part.match(text, at)
        if not found:
            return None
        parts.append(found[2] or None if found[1] is None else found[1].replace('""', '"'))
        at = found.end()
        if found[3] == "":
            return frozenset(parts) if len(set(parts)) == len(parts) else None


# --- the certificate ---------------------------------------------------------------------------------------


def read_certificate(name: str) -> dict[str, Any]:
    """The certificate's JSON object."""
    try:
        text = Path(name).read_text("utf-8-sig")
        raw = json.loads(text, object_pairs_hook=once_each, parse_constant=refuse, parse_float=Decimal)
    except DoubleKey:
        raise Unusable(f"{name}: is no certificate: a key stands twice in an object") from None
    except OSError as error:
        raise Unusable(f"{name}: cannot be opened ({error.strerror})") from None
    except RecursionError:
        raise Unusable(f"{name}: is no certificate: it is nested too deeply") from None
    except ValueError:
        raise Unusable(f"{name}: is no certificate: it is not well-formed JSON") from None
    if not isinstance(raw, dict):
        raise Unusable(f"{name}: is no certificate: it does not hold one JSON object")
    if raw.get("format") != FORMAT:
        raise Unusable(f'{name}: is no certificate: its "format" is not "{FORMAT}"')
    if type(raw.get("version")) is not int or raw["version"] != VERSION:
        raise Unusable(f"{name}: is a certificate of another version than {VERSION}, which this file reads")
    return raw


TOP = (
    *("format", "version", "tool", "created", "columns", "options", "original", "released", "hierarchies"),
    *("partition", "claim", "target", "witness", "stated"),
)
COUNTS = (
    *("sensitive_values", "public_values", "cells", "min_posterior", "max_posterior", "components"),
    "suppressed_rows",
)
EXACT = ("leakage_exact", "maximin_exact", "resolution_exact", "distortion_exact")
FLOATS = ("leakage", "maximin", "resolution", "distortion")
KNOWN = {
    "codeword": ("midrange", "centroid", "medoid", "interval"),
    "distance": (None, "absolute", "euclidean", "squared", "max", "gower", "hamming", "discrete"),
    "missing": ("value", "drop", "error"),
    "hierarchy_cost": ("height", "leaves"),
    "spellings": ("one", "own"),
}
LIMITS = {
    "max_leakage": read_bits,
    "max_maximin": read_bits,
    "min_resolution": read_bits,
    "max_distortion": read_length,
    "suppress": read_fraction,
}


def need(condition: Any, problem: str) -> None:
    """Refuse what is not as it must be."""
    if not condition:
        raise Malformed(problem)


def record(value: Any, where: str, keys: Sequence[str]) -> None:
    """An object with exactly these keys."""
    need(isinstance(value, dict), f"{where} is not an object")
    for key in keys:
        need(key in value, f"{where} has no {key}")
    need(len(value) == len(keys), f"{where} has a key of an unknown name")


def quantity(read: Any, value: Any, where: str) -> Any:
    """Something exact, written as a text or a number."""
    need(isinstance(value, (str, int, Decimal)) and not isinstance(value, bool), f"{where} is not a number")
    try:
        return read(value)
    except ValueError:
        raise Malformed(f"{where} is not a number of its kind") from None


def count(value: Any, where: str) -> int:
    """A whole number that counts."""
    need(type(value) is int and 0 <= value < LARGEST, f"{where} is not a count")
    return int(value)


def texts(value: Any, where: str) -> list[str]:
    """A list of texts."""
    need(isinstance(value, list), f"{where} is not a list")
    for item in value:
        need(type(item) is str, f"{where} is not a text")
    writable(value, where)
    return list(value)


def writable(values: Sequence[Text], where: str) -> None:
    """Texts made of characters."""
    try:
        "".join(value for value in values if value is not None).encode()
    except UnicodeEncodeError:
        raise Malformed(f"{where} has a text that is not Unicode") from None


def tuples(value: Any, where: str, width: int) -> list[Value]:
    """A list of public values."""
    need(isinstance(value, list), f"{where} is not a list")
    for item in value:
        need(
            isinstance(item, list) and len(item) == width,
            f"{where} has a value without a text for each public column",
        )
        need(
            all(part is None or type(part) is str for part in item),
            f"{where} has a value that is neither a text nor null",
        )
    writable([part for item in value for part in item], where)
    return [tuple(item) for item in value]


def plain(value: Any, where: str, depth: int = 20) -> Any:
    """Anything that is only shown: not nested too deeply, and writable."""
    need(depth, f"{where} is nested too deeply")
    if isinstance(value, dict):
        writable(list(value), where)
        return {key: plain(item, where, depth - 1) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item, where, depth - 1) for item in value]
    if isinstance(value, str):
        writable([value], where)
    return float(value) if isinstance(value, Decimal) else value


class Cell(NamedTuple):
    """A cell of the partition."""

    released: Value
    members: list[Value]
    rows: int
    posterior: int
    suppressed: bool


class Certificate:
    """A certificate, every part of the type that it must have."""

    def __init__(self, raw: dict[str, Any]) -> None:
        record(raw, "the certificate", TOP)
        record(raw["tool"], "tool", ("name", "version"))
        for where, value in (
            *((f"tool.{key}", raw["tool"][key]) for key in raw["tool"]),
            ("created", raw["created"]),
        ):
            need(type(value) is str, f"{where} is not a text")
            writable([value], where)
        self._columns(raw["columns"])
        self._options(raw["options"])
        self.tables = {}
        for table in ("original", "released"):
            facts = raw[table]
            record(facts, table, ("rows", "digest"))
            rows = count(facts["rows"], f"{table}.rows")
            is_digest = type(facts["digest"]) is str and re.fullmatch("sha256:[0-9a-f]{64}", facts["digest"])
            need(is_digest, f"{table}.digest is not sha256: and 64 hexadecimal digits")
            self.tables[table] = (rows, facts["digest"])
        self._hierarchies(raw["hierarchies"])
        self._cells(raw["partition"])
        self._claim(raw["claim"])
        self._target(raw["target"])
        self._witness(raw["witness"])
        need(isinstance(raw["stated"], dict), "stated is not an object")
        used = {
            "codeword",
            "distance",
            "missing",
            "kinds",
            "weights",
            "spans",
            "hierarchy_cost",
            "distinct_rows",
            "spellings",
        }
        self.not_checked = {
            "created": raw["created"],
            "tool": raw["tool"],
            "stated": plain(raw["stated"], "stated"),
            "options": plain(
                {key: value for key, value in raw["options"].items() if key not in used}, "options"
            ),
        }

    def _columns(self, raw: Any) -> None:
        roles = ("sensitive", "public", "given", "keep")
        record(raw, "columns", roles)
        self.sensitive, self.public, self.given, self.keep = (texts(raw[r], f"columns.{r}") for r in roles)
        self.original = self.sensitive + self.public + self.given + self.keep
        self.released = self.public + self.keep
        need(self.sensitive and self.public, "columns names no sensitive or no public column")
        for part in (self.sensitive, self.public):
            named = [*part, *self.given, *self.keep]
            need(len(set(named)) == len(named), "columns names a column twice")

    def _options(self, raw: Any) -> None:
        need(isinstance(raw, dict), "options is not an object")
        for name in ("codeword", "distance", "missing", "kinds"):
            need(name in raw, f"options has no {name}")
        record(raw["kinds"], "options.kinds", self.public)
        kinds = ("number", "date", "category", "hierarchy")
        for kind in raw["kinds"].values():
            need(type(kind) is str and kind in kinds, f"options.kinds is none of {', '.join(kinds)}")
        self.kinds = raw["kinds"]
        self.weights = {c: quantity(read_fraction, w, "options.weights") for c, w in self._of(raw, "weights")}
        self.spans = {}
        for column, span in self._of(raw, "spans"):
            need(isinstance(span, list), "options.spans is not a list")
            read = read_day if self.kinds[column] == "date" else read_fraction
            ends = [quantity(read, end, "options.spans") for end in span]
            need(
                len(ends) == 2 and ends[0] < ends[1],
                "options.spans has a range that does not go from a lower to a higher end",
            )
            self.spans[column] = ends
        need(min(self.weights.values(), default=0) >= 0, "options.weights has a negative weight")
        self.codeword = self._one_of(raw, "codeword", None)
        self.distance = self._one_of(raw, "distance", None)
        self.missing = self._one_of(raw, "missing", None)
        self.cost = self._one_of(raw, "hierarchy_cost", "height")
        self.spellings = self._one_of(raw, "spellings", "own")
        self.distinct = raw.get("distinct_rows", False)
        need(type(self.distinct) is bool, "options.distinct_rows is neither true nor false")

    def secret(self, values: Value) -> Value:
        """Sensitive values as they are counted: with one for all its spellings, or each as it is written."""
        return tuple(map(meant, values)) if self.spellings == "one" else values

    def _of(self, raw: Any, name: str) -> Any:
        found = raw.get(name, {})
        need(isinstance(found, dict), f"options.{name} is not an object")
        need(set(found) <= set(self.public), f"options.{name} names a column that is not public")
        return found.items()

    @staticmethod
    def _one_of(raw: Any, name: str, default: Any) -> Any:
        value, known = raw.get(name, default), KNOWN[name]
        words = ", ".join(str(word) for word in known if word is not None)
        fits = value is None or type(value) is str
        need(fits and value in known, f"options.{name} is none of {words}")
        return value

    def _hierarchies(self, raw: Any) -> None:
        record(raw, "hierarchies", [c for c in self.public if self.kinds[c] == "hierarchy"])
        self.hierarchies: dict[str, dict[str, list[str]]] = {}
        for column, tree in raw.items():
            where = f"hierarchies of column {column!r}"
            need(isinstance(tree, dict), f"{where} is not an object")
            writable(list(tree), where)
            self.hierarchies[column] = {value: texts(above, where) for value, above in tree.items()}

    def _cells(self, raw: Any) -> None:
        need(isinstance(raw, list), "partition is not a list")
        self.cells: list[Cell] = []
        for number, cell in enumerate(raw):
            where = f"cell {number} of the partition"
            record(cell, where, Cell._fields)
            released = tuples([cell["released"]], where, len(self.public))[0]
            members = tuples(cell["members"], where, len(self.public))
            rows, posterior = (
                count(cell["rows"], f"rows of {where}"),
                count(cell["posterior"], f"posterior of {where}"),
            )
            need(type(cell["suppressed"]) is bool, f"suppressed of {where} is neither true nor false")
            self.cells.append(Cell(released, members, rows, posterior, cell["suppressed"]))
        need(self.cells, "the partition has no cell")

    def _claim(self, raw: Any) -> None:
        record(raw, "claim", (*COUNTS, *EXACT, *FLOATS))
        self.ratios = {name: quantity(read_fraction, raw[name], f"claim.{name}") for name in EXACT[:3]}
        need(min(self.ratios.values()) > 0, "claim has the logarithm of a number that is not positive")
        self.counts = {name: count(raw[name], f"claim.{name}") for name in COUNTS}
        exact = raw["distortion_exact"]
        self.distortion = None if exact is None else quantity(read_length, exact, "claim.distortion_exact")
        self.floats: dict[str, float | None] = {}
        for name in FLOATS:
            value = raw[name]
            nothing = value is None and name == "distortion"
            is_numeric = nothing or (isinstance(value, (int, Decimal)) and not isinstance(value, bool))
            need(is_numeric, f"claim.{name} is not a number")
            try:
                self.floats[name] = None if value is None else float(value)
            except OverflowError:
                self.floats[name] = math.inf
            finite = self.floats[name] is None or math.isfinite(self.floats[name] or 0)
            need(finite, f"claim.{name} is not a finite number")

    def _target(self, raw: Any) -> None:
        need(isinstance(raw, dict), "target is not an object")
        self.target: dict[str, Any] = {}
        for name, limit in raw.items():
            if name in ("min_posterior", "min_rows"):
                self.target[name] = count(limit, f"target.{name}")
            else:
                need(name in LIMITS, "target has a limit of an unknown name")
                self.target[name] = quantity(LIMITS[name], limit, f"target.{name}")

    def _witness(self, raw: Any) -> None:
        names = ("posterior_cell", "largest_cell", "distortion_cell", "distortion_member")
        record(raw, "witness", names)
        count(raw["posterior_cell"], "witness.posterior_cell")
        for name in names[1:3]:
            if raw[name] is not None:
                count(raw[name], f"witness.{name}")
        self.witness = dict(raw)
        if raw["distortion_member"] is not None:
            member = tuples([raw["distortion_member"]], "witness.distortion_member", len(self.public))
            self.witness["distortion_member"] = member[0]


# --- hierarchies, codewords, distances ---------------------------------------------------------------------


class Tree:
    """A generalisation hierarchy; a node is its name and all names above it."""

    def __init__(self, above: dict[str, list[str]], values: set[Text], cost: str) -> None:
        lines: dict[Text, Value] = {value: (value, *names) for value, names in above.items()}
        self.complete = all(value is None or value in lines for value in values)
        if None in values:
            lines[None] = (None,)
        if len({line[-1] for line in lines.values()}) > 1:
            lines = {value: (*line, "*") for value, line in lines.items()}
        self.names: list[Text] = []
        parents: list[int] = []
        known: dict[tuple[int, Text], int] = {}
        self.paths: dict[Text, list[int]] = {}
        for value, line in lines.items():
            node, path = -1, []
            for name in reversed(line):
                if (node, name) not in known:
                    known[node, name] = len(self.names)
                    self.names.append(name)
                    parents.append(node)
                node = known[node, name]
                path.append(node)
            self.paths[value] = path[::-1]
        heights, leaves = [0] * len(parents), [0] * len(parents)
        for node in reversed(range(len(parents))):
            leaves[node] = max(leaves[node], 1)
            if parents[node] >= 0:
                heights[parents[node]] = max(heights[parents[node]], heights[node] + 1)
                leaves[parents[node]] += leaves[node]
        self.costs = heights if cost == "height" else [number - 1 for number in leaves]

    def cost(self, name: Text, values: set[Text]) -> int | None:
        """What it costs to release values as the node of a name; None where it is not above them all."""
        named = [[node for node in self.paths[value] if self.names[node] == name] for value in values]
        if not all(named):
            return None
        common = set(named[0]).intersection(*named)
        return self.costs[max(common)] if common else max(self.costs[nodes[0]] for nodes in named)

    def between(self, one: Text, other: Text) -> int:
        """What the lowest node above two values costs."""
        return next(self.costs[node] for node in self.paths[one] if node in self.paths[other])


class Codebook:
    """What is released for the cells that are not suppressed."""

    def __init__(self, certificate: Certificate, values: set[Value]) -> None:
        self.certificate = certificate
        self.medoid = certificate.codeword == "medoid"
        self.counting = certificate.distance in ("hamming", "discrete")
        self.column_values = [{value[place] for value in values} for place in range(len(certificate.public))]
        self.trees = {
            column: Tree(certificate.hierarchies[column], self.column_values[place], certificate.cost)
            for place, column in enumerate(certificate.public)
            if certificate.kinds[column] == "hierarchy"
        }

    def number(self, column: str, text: Text) -> Fraction | None:
        """The number or day of a text; None for anything else."""
        if text is None:
            return None
        if self.certificate.kinds[column] == "date":
            return moment_number(text)
        return Fraction(text) if is_number(text) else None

    def uncovered(self) -> dict[str, int]:
        """For each column how many cells are released as something that does not cover their members."""
        faults = {f"column {column!r}": 0 for column in self.certificate.public}
        faults["the medoid"] = 0
        for cell in self.certificate.cells:
            if cell.suppressed:
                continue
            for place, column in enumerate(self.certificate.public):
                parts = {member[place] for member in cell.members}
                faults[f"column {column!r}"] += not self._covers(column, cell.released[place], parts)
            faults["the medoid"] += self.medoid and self._meant(cell) not in cell.members
        return {where: number for where, number in faults.items() if number}

    def _covers(self, column: str, word: Text, parts: set[Text]) -> bool:
        kind = self.certificate.kinds[column]
        if kind == "category":
            if word is None or parts == {None}:
                return self.medoid or (word is None and parts == {None})
            return self.medoid or frozenset(parts) in (frozenset({word}), read_set(word))
        if kind == "hierarchy":
            tree = self.trees[column]
            return tree.complete and (self.medoid or tree.cost(word, parts) is not None)
        numbers = [(self.number(column, part), part) for part in parts]
        plain = [(number, part) for number, part in numbers if number is not None]
        if len(plain) < len(numbers):
            return parts == {word}
        (low, low_text), (high, high_text) = min(plain), max(plain)
        if self.certificate.codeword == "interval":
            dash = "-" if str(low_text).isdecimal() and str(high_text).isdecimal() else " to "
            return word == (low_text if low == high else f"{low_text}{dash}{high_text}")
        released = self.number(column, word)
        return released is not None and low <= released <= high

    def _meant(self, cell: Cell) -> Value:
        """The member that a medoid is; categories may stand in quotes."""
        found = list(cell.released)
        for place, column in enumerate(self.certificate.public):
            word, parts = found[place], {member[place] for member in cell.members}
            if self.certificate.kinds[column] == "category" and word is not None and word not in parts:
                written = read_set(word)
                found[place] = next(iter(written)) if written is not None and len(written) == 1 else word
        return tuple(found)

    def spans_fault(self) -> str | None:
        """What is wrong with the declared ranges that the distance of Gower divides by."""
        certificate = self.certificate
        for place, column in enumerate(certificate.public):
            if certificate.distance == "gower" and certificate.kinds[column] in ("number", "date"):
                span = certificate.spans.get(column)
                numbers = [self.number(column, text) for text in self.column_values[place]]
                inside = span and all(number is None or span[0] <= number <= span[1] for number in numbers)
                if not inside:
                    return f"column {column!r} has no declared range that holds all its numbers"
        return None

    def distances(self) -> dict[Value, Fraction]:
        """The distance of each public value to what is released for it, squared if Euclidean."""
        found = {}
        for cell in self.certificate.cells:
            if not cell.suppressed:
                meant = self._meant(cell) if self.medoid else cell.released
                parts = [{member[i] for member in cell.members} for i in range(len(self.certificate.public))]
                fixed = [self._of_cell(i, meant[i], parts[i]) for i in range(len(parts))]
                for member in cell.members:
                    found[member] = self._combined(
                        [
                            self._of_member(i, member[i], meant[i]) if part is None else part
                            for i, part in enumerate(fixed)
                        ]
                    )
        return found

    def _of_cell(self, place: int, word: Text, parts: set[Text]) -> Fraction | None:
        """A column's difference where it is the same for all members of a cell."""
        column, certificate = self.certificate.public[place], self.certificate
        kind = certificate.kinds[column]
        line = kind in ("number", "date")
        if line and None in [self.number(column, part) for part in parts] and not self.counting:
            return Fraction(0)
        if self.medoid or (line and not self.counting and certificate.codeword != "interval"):
            return None
        if self.counting or kind == "category":
            return self._scaled(column, Fraction(len(parts) > 1))
        if kind == "hierarchy":
            return self._scaled(column, Fraction(self.trees[column].cost(word, parts) or 0))
        numbers = [number for number in (self.number(column, part) for part in parts) if number is not None]
        return self._scaled(column, (max(numbers) - min(numbers)) / 2)

    def _of_member(self, place: int, part: Text, word: Text) -> Fraction:
        column = self.certificate.public[place]
        kind = self.certificate.kinds[column]
        if self.counting or kind == "category":
            return self._scaled(column, Fraction(part != word))
        if kind == "hierarchy":
            return self._scaled(column, Fraction(self.trees[column].between(part, word)))
        here, there = self.number(column, part), self.number(column, word)
        return self._scaled(column, abs((here or Fraction(0)) - (there or Fraction(0))))

    def _scaled(self, column: str, difference: Fraction) -> Fraction:
        certificate, kind = self.certificate, self.certificate.kinds[column]
        weight: Fraction = certificate.weights.get(column, Fraction(1))
        if self.counting:
            return difference * (weight if kind == "category" else 1)
        if certificate.distance == "gower":
            weight /= len(certificate.public)
            if kind == "hierarchy":
                weight /= max(1, *self.trees[column].costs)
            if kind in ("number", "date"):
                low, high = certificate.spans[column]
                weight /= high - low
        return difference * weight

    def _combined(self, parts: list[Fraction]) -> Fraction:
        if self.certificate.distance in ("max", "discrete"):
            return max(parts)
        if self.certificate.distance in ("euclidean", "squared"):
            return sum((part**2 for part in parts), Fraction(0))
        return sum(parts, Fraction(0))


# --- what a release gives away -----------------------------------------------------------------------------


class Exposure:
    """What somebody who sees a cell and the kept columns, and knows the given ones, can tell."""

    def __init__(self, certificate: Certificate, rows: list[Value], cell_of: dict[Value, int]) -> None:
        a = len(certificate.sensitive)
        b = a + len(certificate.public)
        c = b + len(certificate.given)
        groups: dict[tuple[int, Value, Value], set[Value]] = {}
        known: dict[Value, set[Value]] = {}
        value_of = {row[:a]: certificate.secret(row[:a]) for row in rows}
        self.rows = [0] * len(certificate.cells)
        for row, number in Counter(rows).items():
            secret, given, cell = value_of[row[:a]], row[b:c], cell_of[row[a:b]]
            groups.setdefault((cell, row[c:], given), set()).add(secret)
            known.setdefault(given, set()).add(secret)
            self.rows[cell] += number
        sizes = [len(secrets) for secrets in groups.values()]
        self.min_posterior, self.max_posterior = min(sizes), max(sizes)
        self.posteriors = [LARGEST] * len(certificate.cells)
        for (cell, _, _), secrets in groups.items():
            self.posteriors[cell] = min(self.posteriors[cell], len(secrets))
        self.leakage = max(Fraction(len(known[seen[2]]), len(secrets)) for seen, secrets in groups.items())
        self.components = self._components(groups.values())
        self.min_rows = min(Counter((cell_of[row[a:b]], row[b:]) for row in rows).values())

    @staticmethod
    def _components(groups: Any) -> int:
        """How many classes of sensitive values can always be told apart: union and find."""
        parent: dict[Value, Value] = {}

        def find(secret: Value) -> Value:
            while parent.setdefault(secret, secret) != secret:
                parent[secret] = parent[parent[secret]]
                secret = parent[secret]
            return secret

        for secrets in groups:
            first = find(next(iter(secrets)))
            for secret in secrets:
                parent[find(secret)] = first
        return sum(find(secret) == secret for secret in list(parent))


# --- the checks --------------------------------------------------------------------------------------------


class Findings(NamedTuple):
    """All checks, what is not checked, and what to bear in mind."""

    checks: list[Check]
    not_checked: dict[str, Any]
    notes: list[str]


def verify(raw: dict[str, Any], original: Table, released: Table) -> Findings:
    """Make all checks."""
    name = f"{FORMAT} {VERSION}"
    try:
        certificate = Certificate(raw)
    except Malformed as error:
        return Findings([Check("format", False, name, str(error))], {}, [])
    verifier = Verifier(certificate, original, released)
    checks = [Check("format", True, name, name), *verifier.checks()]
    return Findings(checks, certificate.not_checked, verifier.notes())


class Verifier:
    """A certificate beside the two tables; what cannot be found out is None."""

    def __init__(self, certificate: Certificate, original: Table, released: Table) -> None:
        self.certificate, self.original, self.released = certificate, original, released
        self.rows: list[Value] | None = None
        self.released_rows: list[Value] | None = None
        if all(column in original.columns for column in certificate.original):
            table = original.without_duplicates() if certificate.distinct else original
            days = [column for column in certificate.public if certificate.kinds[column] == "date"]
            self.rows = table.read(certificate.original, days)
            if certificate.missing == "drop":
                self.rows = [row for row in self.rows if None not in row]
        if all(column in released.columns for column in certificate.released):
            self.released_rows = released.read(certificate.released)
        start = len(certificate.sensitive)
        self.public = slice(start, start + len(certificate.public))
        self.values: set[Value] | None = (
            None if self.rows is None else {row[self.public] for row in self.rows}
        )
        self.cell_of, self.partition_words = self._match()
        self.exposure: Exposure | None = None
        self.uncovered: dict[str, int] | None = None
        self.distances: dict[Value, Fraction] | None = None
        self.distance_fault: str | None = None
        if self.rows is not None and self.values is not None and self.cell_of is not None:
            self.exposure = Exposure(certificate, self.rows, self.cell_of)
            codebook = Codebook(certificate, self.values)
            self.uncovered = codebook.uncovered()
            if not self.uncovered and certificate.distance is not None:
                self.distance_fault = codebook.spans_fault()
                self.distances = None if self.distance_fault else codebook.distances()

    def _match(self) -> tuple[dict[Value, int] | None, str | None]:
        """The cell of each public value, and what was found in words."""
        if self.values is None:
            return None, None
        cells = self.certificate.cells
        times = Counter(member for cell in cells for member in cell.members)
        faults = {
            "members that do not occur": sum(n for member, n in times.items() if member not in self.values),
            "members listed more than once": sum(
                n > 1 for member, n in times.items() if member in self.values
            ),
            "public values in no cell": sum(value not in times for value in self.values),
            "cells without members": sum(not cell.members for cell in cells),
            "cells that read like another": len(cells) - len({cell.released for cell in cells}),
            "suppressed cells that do not read *": sum(
                cell.suppressed and set(cell.released) != {"*"} for cell in cells
            ),
        }
        words = ", ".join(f"{number:,} {fault}" for fault, number in faults.items() if number)
        if words:
            return None, words
        found = {member: number for number, cell in enumerate(cells) for member in cell.members}
        return found, f"{len(self.values):,} public values in {len(cells):,} cells"

    def checks(self) -> Iterator[Check]:
        """Every check but that of the format, in order."""
        yield from self._tables()
        yield from self._partition()
        yield from self._measures()
        yield self._target()
        yield self._witnesses()

    def notes(self) -> list[str]:
        """What to bear in mind: values that differ in spelling only, where each counts for itself."""
        found = []
        for place, column in enumerate(self.certificate.sensitive):
            texts = {row[place] for row in self.rows or [] if self.certificate.spellings == "own"}
            spare = len(texts) - len(set(map(meant, texts)))
            if spare:
                found.append(
                    f"{spare:,} of the values of {column!r} differ from others in spelling only; this "
                    "certificate counts each for itself, so fewer may be left than it says"
                )
        return found

    def _tables(self) -> Iterator[Check]:
        certificate = self.certificate
        faults = [
            f"the original has no {c!r}" for c in certificate.original if c not in self.original.columns
        ]
        faults += [
            f"the release has no {c!r}" for c in certificate.released if c not in self.released.columns
        ]
        faults += [
            f"the release has {c!r} besides" for c in self.released.columns if c not in certificate.released
        ]
        named = "the columns named, and no others in the release"
        yield Check("columns", not faults, named, ", ".join(faults) or named)
        pairs = ((self.rows, certificate.original), (self.released_rows, certificate.released))
        for (name, (number, digest)), (rows, columns) in zip(certificate.tables.items(), pairs):
            yield equal(f"{name}_rows", number, None if rows is None else len(rows))
            yield equal(f"{name}_digest", digest, None if rows is None else table_digest(rows, columns))

    def _partition(self) -> Iterator[Check]:
        holds = self.cell_of is not None
        yield Check("partition", holds, "every public value in one cell", self.partition_words)
        same, words = self._release()
        yield Check("release", same, "each row as its cell", words)
        faults = self.uncovered
        words = None if faults is None else "every cell"
        if faults:
            words = ", ".join(f"{number:,} cells not covered by {where}" for where, number in faults.items())
        yield Check("codewords", faults == {}, "released tuples cover their cells", words)
        words = None if self.exposure is None else self._count_faults(self.exposure) or "all agree"
        yield Check("partition_counts", words == "all agree", "rows and posterior of each cell", words)

    def _release(self) -> tuple[bool, str | None]:
        if self.rows is None or self.cell_of is None or self.released_rows is None:
            return False, None
        cells, start = self.certificate.cells, self.public.stop + len(self.certificate.given)
        expected = Counter(cells[self.cell_of[row[self.public]]].released + row[start:] for row in self.rows)
        actual = Counter(self.released_rows)
        missing, strange = sum((expected - actual).values()), sum((actual - expected).values())
        if not missing and not strange:
            return True, f"{len(self.released_rows):,} rows agree"
        return False, f"{missing:,} rows are missing, {strange:,} should not be there"

    def _count_faults(self, exposure: Exposure) -> str:
        faults = []
        cells = list(enumerate(self.certificate.cells))
        rows = [number for number, cell in cells if cell.rows != exposure.rows[number]]
        posteriors = [number for number, cell in cells if cell.posterior != exposure.posteriors[number]]
        for what, wrong in (("rows", rows), ("posteriors", posteriors)):
            if wrong:
                faults.append(f"{len(wrong):,} cells have other {what}, the first is cell {wrong[0]}")
        return ", ".join(faults)

    def _resolution(self) -> Fraction | None:
        if self.cell_of is None:
            return None
        sizes = [len(cell.members) for cell in self.certificate.cells if not cell.suppressed]
        return Fraction(sum(sizes), max(sizes)) if sizes else Fraction(1)

    def _suppressed(self, exposure: Exposure) -> int:
        return sum(exposure.rows[i] for i, cell in enumerate(self.certificate.cells) if cell.suppressed)

    def _measures(self) -> Iterator[Check]:
        certificate, exposure = self.certificate, self.exposure
        secrets = None
        if self.rows is not None:
            secrets = len(
                {certificate.secret(row) for row in {row[: self.public.start] for row in self.rows}}
            )
        found: dict[str, int | None] = {
            "sensitive_values": secrets,
            "public_values": None if self.values is None else len(self.values),
            "cells": None if self.cell_of is None else len(certificate.cells),
            "min_posterior": None if exposure is None else exposure.min_posterior,
            "max_posterior": None if exposure is None else exposure.max_posterior,
            "components": None if exposure is None else exposure.components,
        }
        for name, number in found.items():
            yield equal(name, certificate.counts[name], number)
        ratios = {
            "leakage": None if exposure is None else exposure.leakage,
            "maximin": None if exposure is None else Fraction(exposure.components),
            "resolution": self._resolution(),
        }
        for name, ratio in ratios.items():
            yield logarithm(name, certificate.ratios[f"{name}_exact"], certificate.floats[name], ratio)
        yield self._distortion()
        hidden = None if exposure is None else self._suppressed(exposure)
        yield equal("suppressed_rows", certificate.counts["suppressed_rows"], hidden)

    def _largest(self) -> Root | None:
        if self.distances is None:
            return None
        worst = max(self.distances.values(), default=Fraction(0))
        return Root(worst if self.certificate.distance == "euclidean" else worst**2)

    def _distortion(self) -> Check:
        claimed, rounded = self.certificate.distortion, self.certificate.floats["distortion"]
        words = None if claimed is None else str(claimed)
        if self.certificate.distance is None:
            return Check("distortion", claimed is None and rounded is None, words, "no distance is stated")
        found = self._largest()
        if found is None:
            return Check("distortion", False, words, self.distance_fault)
        check = equal("distortion", words, str(found))
        if not check.holds:
            return check
        if rounded is not None and rounded >= 0:
            far = max(Fraction(0), Fraction(rounded) - slack(rounded))
            if far**2 <= found.squared <= Fraction(rounded) ** 2:
                return check
        return badly_rounded(check, rounded, "larger, or far smaller")

    def _target(self) -> Check:
        target, exposure, resolution = self.certificate.target, self.exposure, self._resolution()
        asked = ", ".join(f"{name} {limit}" for name, limit in target.items()) or "nothing"
        if not target:
            return Check("target", True, asked, asked)
        if exposure is None or resolution is None:
            return Check("target", False, asked, None)
        reached: dict[str, Any] = {
            "min_posterior": exposure.min_posterior,
            "min_rows": exposure.min_rows,
            "max_leakage": Log(exposure.leakage),
            "max_maximin": Log(Fraction(exposure.components)),
            "min_resolution": Log(resolution),
            "max_distortion": self._largest(),
            "suppress": Fraction(self._suppressed(exposure), sum(exposure.rows)),
        }
        missed = [name for name, limit in target.items() if not met(name, reached[name], limit)]
        words = (f"{name} is {'not known' if reached[name] is None else reached[name]}" for name in missed)
        return Check("target", not missed, asked, ", ".join(words) or asked)

    def _witnesses(self) -> Check:
        witness = self.certificate.witness
        names = ("posterior_cell", "largest_cell", "distortion_cell")
        claimed = ", ".join(f"{name} {witness[name]}" for name in names)
        if self.exposure is None:
            return Check("witnesses", False, claimed, None)
        faults = list(self._witness_faults(self.exposure))
        return Check("witnesses", not faults, claimed, f"wrong: {', '.join(faults)}" if faults else claimed)

    def _witness_faults(self, exposure: Exposure) -> Iterator[str]:
        cells, witness = self.certificate.cells, self.certificate.witness
        cell = witness["posterior_cell"]
        if cell >= len(cells) or exposure.posteriors[cell] != exposure.min_posterior:
            yield "posterior_cell"
        sizes = [0 if cell.suppressed else len(cell.members) for cell in cells]
        if not any(sizes):
            return
        cell = witness["largest_cell"]
        if cell is None or cell >= len(cells) or sizes[cell] != max(sizes):
            yield "largest_cell"
        cell, member = witness["distortion_cell"], witness["distortion_member"]
        if self.distances is None:
            if cell is not None or member is not None:
                yield "distortion_cell"
        elif cell is None or member is None:
            yield "distortion_cell"
        elif (
            (self.cell_of or {}).get(member) != cell
            or cells[cell].suppressed
            or self.distances[member] != max(self.distances.values())
        ):
            yield "distortion_member"


def equal(name: str, claimed: Shown, found: Shown) -> Check:
    """A claim that holds when the two agree; what was not found agrees with nothing."""
    return Check(name, found is not None and claimed == found, claimed, found)


def logarithm(name: str, claimed: Fraction, rounded: float | None, found: Fraction | None) -> Check:
    """A number of bits: its exact ratio, and the rounded form, which must be on the safe side and near."""
    check = equal(name, f"log2({claimed})", None if found is None else f"log2({found})")
    if found is None or not check.holds:
        return check
    if rounded is not None:
        near, far = Fraction(rounded), slack(rounded)
        low, high = (near, near + far) if name == "resolution" else (near - far, near)
        if Log(found).compare(low) >= 0 >= Log(found).compare(high):
            return check
    return badly_rounded(check, rounded, f"about {math.log2(found):.6f} bits")


def slack(rounded: float) -> Fraction:
    """How far the exact number may be from a rounded one."""
    return max(Fraction(1), abs(Fraction(rounded))) / 1000


def badly_rounded(check: Check, rounded: float | None, true: str) -> Check:
    """A claim whose exact form is right and whose rounded form is not."""
    return Check(
        check.name, False, f"{check.claimed}, written as {rounded}", f"{check.found}, which is {true}"
    )


def met(name: str, reached: Any, limit: Any) -> bool:
    """Whether a limit is kept."""
    if reached is None:
        return False
    if isinstance(reached, Log):
        order = reached.compare(limit)
        return order >= 0 if name.startswith("min_") else order <= 0
    return bool(reached >= limit if name.startswith("min_") else reached <= limit)
