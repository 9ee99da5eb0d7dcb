"""Public tables that a dataset's owner lets analysts join: a key, and what is known of each."""

import hashlib
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from noiseless.domain.literals import as_text, read_day
from noiseless.errors import RequestError
from noiseless.questions.row_expression import Kind, Plain

MOST_KEYS = 2**16
"""A table with more keys is refused."""


@dataclass(frozen=True)
class PublicTable:
    """A table with a row for each key.

    Attributes:
        name: what it is called in SQL.
        key: the column of its keys.
        columns: its columns: pairs of a key, as a text, and a value, where there is one.
    """

    name: str
    key: str
    columns: tuple[tuple[str, tuple[tuple[str, Plain], ...]], ...]

    @classmethod
    def of(cls, name: str, key: str, rows: dict[str, list[object]]) -> "PublicTable":
        """The table of some columns.

        Raises:
            RequestError: it has no keys, too many, or one of them twice.
        """
        keys = [None if value is None else text_of(value) for value in rows.get(key, [])]
        if not keys or None in keys or len(set(keys)) < len(keys) or len(keys) > MOST_KEYS:
            raise RequestError(
                f"table {name!r} needs a column {key!r} in which no value is missing or there twice,"
                f" and at most {MOST_KEYS:,} of them"
            )
        columns = {}
        for column, values in rows.items():
            kept = [(one, v) for one, v in zip(map(str, keys), values, strict=True) if v is not None]
            read = _read([v for _, v in kept])
            columns[column] = tuple((one, value) for (one, _), value in zip(kept, read, strict=True))
        return cls(name, key, tuple(columns.items()))

    @cached_property
    def digest(self) -> str:
        """What tells it from another content under the same name."""
        return hashlib.sha256(repr((self.key, sorted(map(repr, self.columns)))).encode()).hexdigest()[:12]

    @cached_property
    def by_name(self) -> dict[str, tuple[tuple[str, Plain], ...]]:
        """Its columns by their names."""
        return dict(self.columns)


def text_of(value: object) -> str:
    """A key as a text: files do not tell numbers and texts apart."""
    if isinstance(value, bool):
        return str(value).lower()
    return as_text(Decimal(value)) if isinstance(value, int | Decimal) else str(value)


def key_of(text: str, kind: Kind) -> Plain:
    """A key as a value of a column of some kind; None if it is none."""
    try:
        match kind:
            case "number":
                return Fraction(Decimal(text))
            case "date":
                return read_day(text)
            case "boolean":
                return {"true": True, "false": False}.get(text.lower())
    except (ValueError, ArithmeticError):
        return None
    return text


def _read(values: list[object]) -> list[Plain]:
    """Values of a column; texts as numbers, days or truth values where all of them are."""
    plain = [plain_of(value) for value in values]
    if all(isinstance(value, str) for value in plain):
        kinds: tuple[Kind, ...] = ("number", "date", "boolean")
        for kind in kinds:
            read = [key_of(str(value), kind) for value in plain]
            if None not in read:
                return read
    return plain


def plain_of(value: object) -> Plain:
    """A value of a table as expressions have it.

    Raises:
        RequestError: it is of no kind that they know.
    """
    match value:
        case None | bool() | str():
            return value
        case int() | Decimal():
            return Fraction(value)
        case float():
            return Fraction(Decimal(repr(value)))
        case datetime():
            return value.date()
        case date():
            return value
    raise RequestError(
        "a public table holds something else than numbers, texts, dates and truth values; convert it"
    )
