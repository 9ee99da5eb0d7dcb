"""Tables of text files, read and counted with nothing but Python: what the single file has for an engine.

It reads CSV, TSV and JSON lines by the rules of the engine, into the same canonical texts.
"""

# ruff: noqa: B905 - Python 3.9 runs this

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from noiseless.errors import SourceError
from noiseless.tables.csv_grammar import (
    BYTE_ORDER_MARK,
    FINE,
    check_names,
    csv_dialect,
    csv_error,
    field_text,
    not_text,
    scan_records,
)
from noiseless.tables.plain_spelling import plain_spelling
from noiseless.verification.certificate import CertifiedRelease, TableFacts, Tuple
from noiseless.verification.certificate_json import parse_json
from noiseless.verification.risks import AnswerTally, Risks, SecretOrder
from noiseless.verification.table_counts import CellExposure, TableCounts, key_cells, partition_faults

_NESTED = "\0lists or objects"
_OTHER_FILES = (".parquet", ".pq", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".db")
_INTEGER = re.compile("0|-?[1-9][0-9]{0,17}")
_DOUBLE = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?")
_MOST_FIGURES = 15
_MIDNIGHT = " 00:00:00"


class PlainTable(NamedTuple):
    """All rows of a file, as raw texts; None is a missing value."""

    columns: tuple[str, ...]
    rows: list[Tuple]

    def distinct_rows(self) -> "PlainTable":
        """The table without exact duplicates of whole rows."""
        return PlainTable(self.columns, list(dict.fromkeys(self.rows)))

    def texts(self, names: Sequence[str], days: Sequence[str] = ()) -> list[Tuple] | None:
        """The canonical texts of some columns, row by row, midnights being days in some of them.

        None where a column is not there.

        Raises:
            SourceError: a column holds lists or objects.
        """
        if not set(names) <= set(self.columns):
            return None
        places = [self.columns.index(name) for name in names]
        columns = [[row[place] for row in self.rows] for place in places]
        if any(_NESTED in column for column in columns):
            raise SourceError(
                "the table", "a column holds lists or objects; this file reads flat tables only"
            )
        days_cut = (_by_days(column) if name in days else column for name, column in zip(names, columns))
        return list(zip(*map(_canonical, days_cut)))


def _canonical(column: list[str | None]) -> list[str | None]:
    """The texts of a column, as numbers where all are numbers and nothing is lost by it."""
    present = {text for text in column if text is not None}
    if all(_INTEGER.fullmatch(text) for text in present):
        return column
    figures = (sum(character in "0123456789" for character in text) for text in present)
    if not all(_DOUBLE.fullmatch(text) for text in present) or max(figures) > _MOST_FIGURES:
        return column
    if len({float(text) for text in present}) < len(present):  # two spellings of one number are two values
        return column
    plain = {text: shortest_decimal(float(text)) for text in present}
    return [None if text is None else plain[text] for text in column]


def _by_days(column: list[str | None]) -> list[str | None]:
    """Days for moments, where all are midnights."""
    if any(text is not None and not text.endswith(_MIDNIGHT) for text in column):
        return column
    return [None if text is None else text[: -len(_MIDNIGHT)] for text in column]


def shortest_decimal(number: float) -> str:
    """The shortest decimal that reads back the same, without an exponent and needless zeros."""
    short = repr(number)
    return plain_digits(f"{Decimal(short):f}" if "e" in short else short)


def plain_digits(digits: str) -> str:
    """Without zeros that say nothing, and without minus zero."""
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return "0" if digits == "-0" else digits


# Files


def open_plain_table(name: str) -> PlainTable:
    """A CSV, TSV or JSON-lines file.

    Raises:
        SourceError: it cannot be read.
    """
    ending = Path(name).suffix.lower()
    if ending in _OTHER_FILES:
        raise SourceError(name, "this file reads CSV, TSV and JSON lines only; use noiseless verify")
    try:
        data = Path(name).read_bytes()
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise SourceError(name, not_text(data[:64])) from None
    except OSError as error:
        raise SourceError(name, f"cannot be opened ({error.strerror})") from None
    if ending in (".jsonl", ".ndjson", ".json"):
        return _json_table(name, text, one_list=ending == ".json")
    if data.startswith(BYTE_ORDER_MARK):
        data, text = data[len(BYTE_ORDER_MARK) :], text[1:]
    return _csv_table(name, data, text, tabs=ending == ".tsv")


def _csv_table(name: str, data: bytes, text: str, *, tabs: bool) -> PlainTable:
    separator, columns, _ = csv_dialect(name, text, None, "\t" if tabs else None)
    check_names(name, columns)
    width, bounds = len(columns), dict[tuple[int, int], int]()
    dialect = (ord(separator[0]), len(separator) > 1, width, range(width))
    rows, status, line, fields, _ = scan_records(data, 0, *dialect, True, 0, 1, bounds)
    if status != FINE:
        raise csv_error(name, status, line, fields, width)
    records = (
        tuple(field_text(data, bounds, row, i) or None for i in range(width)) for row in range(1, rows)
    )
    return PlainTable(columns, list(records))


class _RawNumber(NamedTuple):
    """A number as the file writes it."""

    written: str


def _json_table(name: str, text: str, *, one_list: bool) -> PlainTable:
    """Objects, one a line (or in one list); texts stay texts, numbers are read as doubles."""
    numbers = {"parse_float": _RawNumber, "parse_int": _RawNumber}
    try:
        if one_list and text.lstrip().startswith("["):
            objects = parse_json(text, **numbers)
        else:
            objects = [parse_json(line, **numbers) for line in text.split("\n") if line.strip()]
        json.dumps(objects, ensure_ascii=False).encode()  # half a surrogate pair is no character
    except (ValueError, RecursionError):
        raise SourceError(name, "is not well-formed JSON, one object a line; mend it") from None
    if not isinstance(objects, list) or not all(isinstance(item, dict) for item in objects):
        raise SourceError(name, "holds values that are no objects; write one object a line")
    columns = tuple(dict.fromkeys(key for item in objects for key in item))
    if not columns:
        raise SourceError(name, "has no object with keys; write one object a line")
    check_names(name, columns)
    texts = [_json_texts([item.get(column) for item in objects]) for column in columns]
    return PlainTable(columns, list(zip(*texts)))


def _json_texts(values: list[Any]) -> list[str | None]:
    """The values of a key as texts: texts as they are where it holds only these, else as JSON."""
    if all(value is None or isinstance(value, str) for value in values):
        return values
    return [None if value is None else _json_text(value) for value in values]


def _json_text(value: Any) -> str:  # noqa: ANN401 - any JSON
    if isinstance(value, _RawNumber):
        return _json_number(value.written)
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else _NESTED


def _json_number(written: str) -> str:
    """A number as the engine has it: whole ones as they are, others as the shortest text of a double."""
    if re.fullmatch("-?[0-9]+", written):
        return "0" if written == "-0" else written
    number = float(written)
    if math.isinf(number):
        return written
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    point = len(digits) + int(exponent)
    if number == 0 or -6 < point <= 21:  # noqa: PLR2004 - where exponents begin
        plain = f"{Decimal(repr(number)):f}"
        return plain if "." in plain else f"{plain}.0"
    first, *rest = map(str, digits)
    return f"{'-' * sign}{first}{'.' * bool(rest)}{''.join(rest)}e{point - 1}"


# Counting


def count_plain_tables(
    certificate: CertifiedRelease, original: PlainTable, released: PlainTable
) -> TableCounts:
    """What the checks need of two tables, row by row."""
    columns, options = certificate.columns, certificate.options
    table = original.distinct_rows() if options.distinct_rows else original
    days = [name for name, kind in options.kinds.items() if kind == "date"]
    rows = table.texts(columns.original, days)
    if rows is not None and options.missing == "drop":
        rows = [row for row in rows if None not in row]
    shown = released.texts(columns.released)
    released_facts = None if shown is None else TableFacts(len(shown), _digest(shown, columns.released))
    both = (original.columns, released.columns)
    if rows is None:
        return TableCounts(both, None, released_facts, None, None, None, None, None, {})
    public = slice(len(columns.sensitive), len(columns.sensitive) + len(columns.public))
    values = {row[public] for row in rows}
    times = Counter(member for cell in certificate.cells for member in cell.members)
    strays = (
        sum(number for member, number in times.items() if member not in values),
        sum(number > 1 for member, number in times.items() if member in values),
        sum(value not in times for value in values),
    )
    secrets, spare = _secrets(certificate, rows)
    difference = exposure = None
    if not partition_faults(certificate, strays):
        cell_of = {member: i for i, cell in enumerate(certificate.cells) for member in cell.members}
        keys = [key_cells(certificate, key) for key in certificate.options.keys]
        seen = [{member: key[cell] for member, cell in cell_of.items()} for key in keys]
        exposure = _exposure(certificate, rows, cell_of, secrets)._replace(
            keys=[_exposure(certificate, rows, known, secrets) for known in seen]
        )
        if shown is not None:
            first = public.stop + len(columns.given)
            kept = slice(first, first + len(columns.keep))
            words = [cell.released for cell in certificate.cells]
            difference = _difference((words[cell_of[row[public]]] + row[kept] for row in rows), shown)
    facts = TableFacts(len(rows), _digest(rows, columns.original))
    many = len(set(secrets.values()))
    return TableCounts(both, facts, released_facts, many, len(values), strays, difference, exposure, spare)


def _secrets(certificate: CertifiedRelease, rows: list[Tuple]) -> tuple[dict[Tuple, Tuple], dict[str, int]]:
    """Each combination of sensitive values as it is counted; how many spellings of each column are spare."""
    columns = certificate.columns.sensitive
    written = {row[: len(columns)] for row in rows}
    if certificate.options.spellings == "one":
        return {value: tuple(plain_spelling(text or "") for text in value) for value in written}, {}
    spare = {}
    for place, column in enumerate(columns):
        texts = {value[place] for value in written}
        spare[column] = len(texts) - len({plain_spelling(text or "") for text in texts})
    return {value: value for value in written}, spare


def _difference(expected_rows: Iterable[Tuple], shown: list[Tuple]) -> tuple[int, int]:
    expected, actual = Counter(expected_rows), Counter(shown)
    return sum((expected - actual).values()), sum((actual - expected).values())


def _exposure(
    certificate: CertifiedRelease,
    rows: list[Tuple],
    cell_of: Mapping[Tuple, int],
    secrets: Mapping[Tuple, Tuple],
) -> CellExposure:
    columns, many = certificate.columns, len(certificate.cells)
    a = len(columns.sensitive)
    b = a + len(columns.public)
    c = b + len(columns.given)
    d = c + len(columns.keep)
    held: dict[tuple[int, Tuple, Tuple], Counter[Hashable]] = {}
    persons: dict[tuple[int, Tuple, Tuple], set[Tuple]] = {}
    groups: dict[tuple[int, Tuple, Tuple], set[Tuple]] = {}
    known: dict[Tuple, set[Tuple]] = {}
    counts, posteriors = [0] * many, [len(rows)] * many
    rows_alike: Counter[tuple[int, Tuple, Tuple]] = Counter()
    for row in rows:
        secret, given, cell = secrets[row[:a]], row[b:c], cell_of[row[a:b]]
        group_of_row = (cell, row[c:d], given)
        held.setdefault(group_of_row, Counter())[secret] += 1
        persons.setdefault(group_of_row, set()).add(row[d:])
        groups.setdefault(group_of_row, set()).add(secret)
        rows_alike[group_of_row] += 1
        known.setdefault(given, set()).add(secret)
        counts[cell] += 1
    for (cell, _, _), group in groups.items():
        posteriors[cell] = min(posteriors[cell], len(group))
    sizes = [len(group) for group in groups.values()]
    ratios = {(len(known[given]), len(group)) for (_, _, given), group in groups.items()}
    leakage = max(Fraction(before, after) for before, after in ratios)
    components = _components(groups.values())
    alike = min(rows_alike.values())
    risks = None
    if certificate.claim.risks:
        tallies = [AnswerTally(key[2], counted, len(persons[key])) for key, counted in held.items()]
        order = SecretOrder.of(
            secrets.items(), {value: value for value in secrets.values()}, certificate.options.classes
        )
        risks = Risks(tallies, order, ordered=certificate.options.ordered)
    return CellExposure(min(sizes), max(sizes), components, leakage, posteriors, counts, alike, risks)


def _components(groups: Iterable[set[Tuple]]) -> int:
    """How many classes of sensitive values can always be told apart: union and find."""
    parent: dict[Tuple, Tuple] = {}

    def find(secret: Tuple) -> Tuple:
        while parent.setdefault(secret, secret) != secret:
            parent[secret] = parent[parent[secret]]
            secret = parent[secret]
        return secret

    for group in groups:
        first = find(next(iter(group)))
        for secret in group:
            parent[find(secret)] = first
    return sum(find(secret) == secret for secret in list(parent))


def _digest(rows: Sequence[Tuple], columns: Sequence[str]) -> str:
    """SHA-256 over the columns' names and the hashes of distinct rows, in their order, with their counts."""
    whole = hashlib.sha256((compact_json(list(columns)) + "\n").encode())
    hashes = [
        (hashlib.sha256(compact_json(row).encode()).digest(), count) for row, count in Counter(rows).items()
    ]
    for row_hash, count in sorted(hashes):
        whole.update(row_hash + b"%d\n" % count)
    return "sha256:" + whole.hexdigest()


def compact_json(value: Any) -> str:  # noqa: ANN401 - texts
    """JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
