"""Proposing a schema from a summary of the data, for a person to check and to vouch for."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Literal, NamedTuple

from noiseless.display import Facts, Shown, counted
from noiseless.domain.base import Column
from noiseless.domain.columns import BooleanColumn, CategoryColumn, DateColumn, NumberColumn
from noiseless.domain.literals import DIGITS
from noiseless.domain.schema import Schema, write_column, write_comment, write_key, write_value
from noiseless.errors import SchemaError

MOST_CATEGORIES = 100
_UNKNOWN = "unknown"
"""The category that missing values may count as."""
_CHOICE = "choose"
"""What stands for the owner's choice; no number, day or truth value, so a file that keeps it is refused."""
_COUNTED = "a value of the domain: all answers take missing ones for it"
_NONE: Mapping[str, str] = MappingProxyType({})

_HEADER = (
    "This is a proposal, made from the data. True bounds must come from knowledge of the quantity"
    " and not from the data: bounds taken from the data leak its extremes. Check the bounds or"
    " categories of every column and its role: private, or public for what everyone may know."
    ' Then delete the line "proposal = true".'
)


@dataclass(frozen=True)
class ColumnSummary:
    """What a proposal needs to know of a column's data.

    Attributes:
        name: the column's name.
        kind: what its values are.
        missing: how many values are missing.
        distinct: how many different values there are, missing ones aside.
        low: the smallest number or day.
        high: the largest number or day.
        decimals: how many digits after the point the numbers need.
        values: the different values when they are few.
    """

    name: str
    kind: Literal["integer", "decimal", "boolean", "date", "text"]
    missing: int
    distinct: int
    low: int | Decimal | date | None = None
    high: int | Decimal | date | None = None
    decimals: int = 0
    values: tuple[str | int, ...] | None = None


@dataclass(frozen=True, repr=False)
class Proposal(Shown):
    """A proposed schema and, for every column of the data, why it is as it is or was left out.

    Attributes:
        schema: the columns.
        notes: of each column of the data, why it is as it is or was left out.
        gaps: of columns with missing values, the line that says what they count as: its owner chooses.
    """

    schema: Schema
    notes: Mapping[str, str]
    gaps: Mapping[str, str]

    def _shown(self) -> tuple[str, Facts]:
        rows = [["column", "role", "holds", "note"]]
        for name, note in self.notes.items():
            column = self.schema.columns.get(name)
            rows.append([name, *(("", "") if column is None else (column.role, column.explain())), note])
        columns = counted(len(self.schema.columns), "columns")
        return f"Proposed schema of {columns}, to be checked by a person", rows

    def dump(self, *, sections: str = "") -> str:
        """The schema as TOML with the notes as comments; columns left out are comments only.

        Args:
            sections: other tables of the file, which stand before the columns.
        """
        parts = [write_comment(_HEADER) + "proposal = true\n", *([sections] if sections else [])]
        for name, note in self.notes.items():
            column = self.schema.columns.get(name)
            table = write_column(name, column) if column else ""
            choice = f"# {self.gaps[name]}    # {_COUNTED}\n" if name in self.gaps else ""
            parts.append(write_comment(f"{write_key(name)}: {note}") + table + choice)
        return "\n".join(parts)


class _Guess(NamedTuple):
    column: Column | None
    note: str
    gap: str = ""


def propose(summaries: Iterable[ColumnSummary], misread: Mapping[str, str] = _NONE) -> Proposal:
    """A schema that fits the data, marked as a proposal; every column is private, to be safe.

    Args:
        summaries: what each column holds.
        misread: of texts that stand for something else how to have them read; they are left out until then.

    Raises:
        SchemaError: no column can be proposed.
    """
    guesses = {
        one.name: _Guess(None, f"left out: {misread[one.name]}")
        if one.kind == "text" and one.name in misread
        else _guess(one)
        for one in summaries
    }
    columns = {name: guess.column for name, guess in guesses.items() if guess.column}
    if not columns:
        raise SchemaError(
            "no column can be proposed: each has no values or is text with more than"
            f" {MOST_CATEGORIES} different ones; write the schema by hand"
        )
    notes = {name: guess.note for name, guess in guesses.items()}
    gaps = {name: guess.gap for name, guess in guesses.items() if guess.gap}
    return Proposal(Schema(columns, proposal=True), MappingProxyType(notes), MappingProxyType(gaps))


def _guess(summary: ColumnSummary) -> _Guess:
    if summary.distinct == 0:
        return _Guess(None, "left out: every value is missing; declare by hand what it may hold")
    guess = _guess_column(summary)
    column = guess.column
    if column is None or not summary.missing:
        return guess
    without = "1 row has none" if summary.missing == 1 else f"{summary.missing:,} rows have none"
    note = f"{guess.note}; {without}: choose what these count as below, or fill them in"
    if isinstance(column, CategoryColumn):
        known = tuple(dict.fromkeys([*column.categories, _UNKNOWN]))
        column = CategoryColumn(role="private", categories=known)
        return _Guess(column, note, f"missing = {write_value(_UNKNOWN)}")
    return _Guess(column, note, f"missing = {write_value(_CHOICE)}")  # any value of ours would move the sums


def _guess_column(summary: ColumnSummary) -> _Guess:
    match summary:
        case ColumnSummary(kind="boolean"):
            return _Guess(BooleanColumn(role="private"), "true or false")
        case ColumnSummary(kind="text"):
            return _guess_categories(summary)
        case ColumnSummary(low=date() as low, high=date() as high):
            return _guess_days(low, high)
        case ColumnSummary(low=int() | Decimal() as low, high=int() | Decimal() as high):
            return _guess_numbers(Decimal(low), Decimal(high), summary.decimals)
        case _:
            return _Guess(None, "left out: no smallest and largest value; declare them by hand")


def _guess_categories(summary: ColumnSummary) -> _Guess:
    if summary.values is None or len(summary.values) > MOST_CATEGORIES:
        many = f"text with {summary.distinct:,} different values, as identifiers have"
        return _Guess(None, f"left out: {many}; or declare its categories")
    values = sorted(summary.values, key=lambda value: (isinstance(value, str), value))
    column = CategoryColumn(role="private", categories=values)
    return _Guess(column, "the categories are those seen: add those that could occur")


def _guess_days(low: date, high: date) -> _Guess:
    bounds = date(low.year, 1, 1), date(high.year, 12, 31)
    note = "days; the bounds are guesses, the whole years around the data: put in the true ones"
    return _Guess(DateColumn(role="private", bounds=bounds), note)


def _guess_numbers(low: Decimal, high: Decimal, decimals: int) -> _Guess:
    try:
        column = NumberColumn(
            role="private", bounds=_widen(low, high, decimals), step=Decimal(f"1E-{decimals}")
        )
    except SchemaError:
        return _Guess(None, f"left out: infinite or over {DIGITS} digits long; declare it by hand")
    resolution = f"numbers with {decimals} decimal{'s' * (decimals > 1)}" if decimals else "whole numbers"
    return _Guess(column, f"{resolution}; the bounds are guesses, widened: put in the true ones")


def _widen(low: Decimal, high: Decimal, decimals: int) -> tuple[Decimal, Decimal]:
    """Round numbers at least a step outside the data, on the same side of zero.

    Round means a multiple of the span's leading power of ten: 28..66 becomes 20..70.
    """
    if not (low.is_finite() and high.is_finite()):
        return low, high
    span = high - low
    power = max(span.adjusted(), -decimals) if span else -decimals
    unit, step = Fraction(10) ** power, Fraction(1, 10**decimals)
    below = math.floor((Fraction(low) - step) / unit)
    above = math.ceil((Fraction(high) + step) / unit)
    if low >= 0:
        below = max(below, 0)
    elif high <= 0:
        above = min(above, 0)
    return Decimal(f"{below}E{power}"), Decimal(f"{above}E{power}")
