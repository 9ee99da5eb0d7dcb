"""Small helpers for a readable `repr` and for notebooks."""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from noiseless.errors import printable as printable  # noqa: PLC0414 - errors need it too
from noiseless.exact import Bits, round_up

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from matplotlib.axes import Axes

_NUMBER = re.compile(r"[-+]?(\d[\d,]*(\.\d+)?(e[-+]?\d+)?|inf)( bits?| %)?")
_NONE = frozenset({"", "-", "none", "exact"})
"""What stands in a column of numbers where there is none."""


# Tables


Facts = Mapping[str, str] | Sequence[Sequence[str]]
"""Values by their names, or a table: its head, then its rows."""


class FrameMixin:
    """What can be made a frame of, one row for each of its parts."""

    def to_arrow(self) -> "pa.Table":
        """The frame in pyarrow."""
        raise NotImplementedError

    def to_pandas(self) -> "pd.DataFrame":
        """The frame in pandas, which must be installed."""
        return cast("pd.DataFrame", self.to_arrow().to_pandas())

    def to_polars(self) -> "pl.DataFrame":
        """The frame in polars, which must be installed."""
        import polars as pl

        return cast("pl.DataFrame", pl.from_arrow(self.to_arrow()))


def arrow_rows(rows: Iterable[Mapping[str, Any]]) -> "pa.Table":
    """Rows under the names that they have in JSON as a frame; "inf" among numbers is infinity.

    >>> arrow_rows([{"leaked": "inf", "cells": 3}, {"leaked": 1.5, "cells": 4}]).to_pylist()[0]
    {'leaked': inf, 'cells': 3}
    """
    import pyarrow as pa

    listed = list(rows)
    names = dict.fromkeys(name for row in listed for name in row)
    return pa.table({name: _column([row.get(name) for row in listed]) for name in names})


def _column(values: list[Any]) -> list[Any]:
    """Values of one kind: where they are not, numbers of some kind or else texts."""
    kinds = {type(value) for value in values if value is not None}
    texts = [value for value in values if isinstance(value, str)]
    if (
        kinds <= {int, float, str}
        and len(kinds) > (not texts)
        and all(text in ("inf", "-inf") for text in texts)
    ):
        return [None if value is None else float(value) for value in values]
    plain = len(kinds) < 2 and not kinds & {dict, list, tuple}  # noqa: PLR2004 - one kind, or none
    return values if plain else [None if value is None else str(value) for value in values]


class PlotMixin:
    """What draws itself with matplotlib."""

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw it on some axes, or on those of a new figure, and return them.

        Args:
            ax: axes of matplotlib.
        """
        return cast("Axes", import_module(_DRAWN_BY).plot(self, ax))


_DRAWN_BY = "noiseless.reports.views"
"""A room above, which nothing here may import: it is looked up when something is to be drawn."""


class PageMixin:
    """What has a page of HTML."""

    def to_html(self, out: "Path | str | None" = None, **options: Any) -> str:  # noqa: ANN401 - the page's own
        """One page of HTML that needs nothing else, as `--html` writes it.

        Args:
            out: a file to write it to.
            options: what the page shows besides, as the function in `noiseless.reports` takes it.
        """
        return cast("str", import_module(_DRAWN_BY).page(self, out, **options))


class BoardMixin:
    """What has a sheet for the board that decides about it."""

    def summary_html(self, out: "Path | str | None" = None, **options: Any) -> str:  # noqa: ANN401 - the page's own
        """One printable sheet for a disclosure board, as `--summary` writes it.

        Args:
            out: a file to write it to.
            options: as `noiseless.reports.board_html` takes them: `policy`, `written`, `command` and so on.
        """
        return cast("str", import_module(_DRAWN_BY).board(self, out, **options))


class Shown(ABC):
    """What shows itself as a title and facts below it: as text, and in notebooks."""

    @abstractmethod
    def _shown(self) -> tuple[str, Facts]:
        """The title and the facts."""

    def __repr__(self) -> str:
        return text_table(*self._shown())

    def _repr_html_(self) -> str:
        title, facts = self._shown()
        return html_table(title, facts) if isinstance(facts, Mapping) else html_rows(facts, title)


def text_table(title: str, rows: Facts) -> str:
    """A title and aligned lines."""
    lines = aligned(list(rows.items()) if isinstance(rows, Mapping) else rows)
    return "\n".join([printable(title), *(f"  {line}" for line in lines)])


def html_table(title: str, rows: Mapping[str, str], notes: Iterable[str] = ()) -> str:
    """The same as a small HTML table, with lines of text below it.

    Colours are those of the notebook, light or dark; only the alignment is ours.

    >>> html_table("Price", {}, ["nothing new"])
    '<p><b>Price</b></p><p>nothing new</p>'
    """
    cells = "".join(f"<tr>{_cell('th', name)}{_cell('td', value)}</tr>" for name, value in rows.items())
    table = f"<table>{cells}</table>" if cells else ""
    return f"{_titled(title)}{table}{_paragraphs(notes)}"


def aligned(table: Sequence[Sequence[str]], sides: str = "") -> list[str]:
    """A head and rows as lines; each column stands at the left, or where its sign (<, > or ^) says.

    >>> aligned([["suburb", "n"], ["north", "10"]], "<>")
    ['suburb   n', 'north   10']
    """
    table = [list(map(printable, line)) for line in table]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    shapes = [f"{side}{width}" for side, width in zip(sides.ljust(len(widths), "<"), widths, strict=True)]
    return ["  ".join(map(format, line, shapes)).rstrip() for line in table]


def html_rows(table: Sequence[Sequence[str]], title: str = "", notes: Iterable[str] = ()) -> str:
    """A head and rows as a small HTML table; columns of numbers stand at the right."""
    if not table:
        return f"{_titled(title)}{_paragraphs(notes)}"
    sides = ["right" if _numeric(column[1:]) else "left" for column in zip(*table, strict=True)]
    head, *rows = (
        "".join(_cell(tag, cell, side) for cell, side in zip(line, sides, strict=True))
        for tag, line in zip(["th", *["td"] * (len(table) - 1)], table, strict=True)
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"{_titled(title)}<table><tr>{head}</tr>{body}</table>{_paragraphs(notes)}"


def _titled(title: str) -> str:
    return f"<p><b>{escape(title)}</b></p>" if title else ""


def _paragraphs(lines: Iterable[str]) -> str:
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def _cell(tag: str, text: str, side: str = "left") -> str:
    whole = ";white-space:nowrap" if tag == "th" or side == "right" else ""
    return f"<{tag} style='text-align:{side};padding:.3em .7em{whole}'>{escape(text)}</{tag}>"


def _numeric(cells: Sequence[str]) -> bool:
    """Whether all cells are numbers, or say that there is none, and some are."""
    return all(cell in _NONE or _NUMBER.fullmatch(cell) for cell in cells) and not _NONE.issuperset(cells)


def plain_problem(message: str) -> str:
    """What is wrong with a value, in plain words: pydantic's are a programmer's.

    >>> plain_problem("Input should be a valid integer, unable to parse string as an integer")
    'must be a whole number'
    >>> plain_problem("Input should be greater than or equal to 0")
    'must be at least 0'
    """
    said = message.removeprefix("Value error, ").partition(", unable")[0].partition(", got a number")[0]
    for theirs, ours in _PLAIN.items():
        said = said.replace(theirs, ours)
    return said[:1].lower() + said[1:]


_PLAIN = {
    "Input should be": "must be",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
    "greater than": "more than",
    "a valid integer": "a whole number",
    "a valid decimal": "a number",
    "a valid number": "a number",
    "a valid string": "a text",
    "a valid boolean": "true or false",
}


def counted(number: int, things: str) -> str:
    """How many things there are, in words that agree.

    >>> counted(1, "rows"), counted(1200, "rows"), counted(1, "days of rain"), counted(1, "entries")
    ('1 row', '1,200 rows', '1 day of rain', '1 entry')
    """
    return f"{number:,} {singular(things) if number == 1 else things}"


def singular(things: str) -> str:
    """One of some things that are named by a regular plural.

    >>> singular("rows")
    'row'
    """
    first, space, rest = things.partition(" ")
    one = f"{first.removesuffix('ies')}y" if first.endswith("ies") else first.removesuffix("s")
    return f"{one}{space}{rest}"


def verb(number: int, plural: str) -> str:
    """The verb that agrees with a number.

    >>> verb(1, "are"), verb(2, "are"), verb(1, "have"), verb(1, "leave")
    ('is', 'are', 'has', 'leaves')
    """
    return {"are": "is", "have": "has"}.get(plural, f"{plural}s") if number == 1 else plural


# Numbers


def significant(number: Fraction | float, digits: int, rounding: str = ROUND_CEILING) -> Decimal:
    """A finite number with this many significant digits at most; rounded up, unless told otherwise.

    >>> significant(Fraction(1, 3), 4), significant(0.5, 4), significant(Fraction(1, 3), 2, ROUND_FLOOR)
    (Decimal('0.3334'), Decimal('0.5'), Decimal('0.33'))
    """
    exact, context = Fraction(number), Context(prec=digits, rounding=rounding)
    return context.divide(Decimal(exact.numerator), Decimal(exact.denominator)).normalize(context)


def bound_text(value: float | Decimal, places: int, *, up: bool) -> str:
    """A decimal with this many places, rounded up or down.

    >>> bound_text(1.584, 2, up=True), bound_text(1.586, 2, up=False)
    ('1.59', '1.58')
    """
    exact = Decimal(repr(value)) if isinstance(value, float) else value
    rounding = ROUND_CEILING if up else ROUND_FLOOR
    return f"{exact.quantize(Decimal(1).scaleb(-places), rounding):,}"


def kept_text(bits: Bits) -> str:
    """Bits that are kept: two decimals, rounded down.

    >>> kept_text(Bits(3)), kept_text(Bits(8))
    ('1.58', '3.00')
    """
    return bound_text(bits.lower, 2, up=False)


def percent_above(share: Fraction) -> str:
    """A share in per cent with two decimals, rounded up.

    >>> percent_above(Fraction(1, 3)), percent_above(Fraction(0))
    ('33.34 %', '0 %')
    """
    return f"{math.ceil(share * 10_000) / 100:.2f} %" if share else "0 %"


def percent_below(share: Fraction) -> str:
    """A share in per cent with two decimals, rounded down.

    >>> percent_below(Fraction(1, 3)), percent_below(Fraction(0))
    ('33.33 %', '0 %')
    """
    return f"{math.floor(share * 10_000) / 100:.2f} %" if share else "0 %"


def json_fields(found: Any, *left_out: str) -> dict[str, Any]:  # noqa: ANN401 - a dataclass
    """The fields of a result as JSON has them, in their order; bits and fractions are rounded up.

    >>> json_fields(Bits(8)), json_fields(Bits(8), "ratio")
    ({'ratio': 8.0}, {})
    """
    values = {field.name: getattr(found, field.name) for field in fields(found) if field.name not in left_out}
    return {name: _json_number(value) for name, value in values.items()}


def _json_number(value: object) -> object:
    if isinstance(value, Bits):
        return value.upper
    if isinstance(value, Fraction):
        return round_up(value)
    return float(value) if isinstance(value, Decimal) else value


def json_value(value: object) -> object:
    """A value as JSON can hold it."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def time_span(days: Fraction) -> tuple[Fraction, str]:
    """A number of days in the unit that people would use, and that unit; half a day stays one.

    >>> time_span(Fraction(5, 2)), time_span(Fraction(1, 2)), time_span(Fraction(1, 24))
    ((Fraction(5, 2), 'days'), (Fraction(1, 2), 'days'), (Fraction(1, 1), 'hour'))
    """
    smaller = ((24, "hours"), (24 * 60, "minutes"))
    parts, unit = next(((n, name) for n, name in smaller if days * n >= 1), (24 * 60 * 60, "seconds"))
    if days >= 1 or 2 * days % 1 == 0:
        parts, unit = 1, "days"
    return days * parts, singular(unit) if days * parts == 1 else unit
