"""Small helpers for a readable `repr`, for notebooks, and for numbers that are certain between two ends."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from html import escape

from noiseless.errors import printable as printable  # noqa: PLC0414 - errors need it too
from noiseless.exact import round_down, round_up

Bound = Fraction | float
"""An end of an interval: exact, or infinite."""

_DIGITS = 6
"""What people read has so many significant digits; JSON and frames have all that a double has."""
_LONGEST_WHOLE = 40
"""Whole numbers of more digits are shown to people with an exponent."""
_LARGEST_WHOLE = 2**53
"""Whole numbers up to here are doubles, and JSON has them without a point."""
_LONGEST_EXACT = 10_000
"""Exact numbers of more bits are not written out: readers of JSON need not take such long ones."""
_NUMBER = re.compile(r"[-+]?(\d[\d,]*(\.\d+)?(e[-+]?\d+)?|inf)( bits?| %)?")
_NONE = frozenset({"", "-", "none", "exact"})
"""What stands in a column of numbers where there is none."""


# Tables


def text_table(title: str, rows: Mapping[str, str]) -> str:
    """A title and aligned lines of name and value."""
    return "\n".join([printable(title), *(f"  {line}" for line in aligned(list(rows.items())))])


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


def html_answer(sql: str, column: str, group: Mapping[str, object], told: str, cost: object) -> str:
    """One number of a reply: what is told, about whom, and what it costs; a cost of True is none."""
    rows = {"told": told, **{name: str(value) for name, value in group.items()}}
    return html_table(column, {**rows, "cost": "free" if cost is True else str(cost), "statement": sql})


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
    """The verb that goes with so many.

    >>> verb(1, "are"), verb(2, "are"), verb(1, "have"), verb(1, "leave")
    ('is', 'are', 'has', 'leaves')
    """
    return {"are": "is", "have": "has"}.get(plural, f"{plural}s") if number == 1 else plural


# Intervals


def shown_interval(
    value: Fraction | None, lower: Bound, upper: Bound, *, may_be_missing: bool = False
) -> str:
    """An interval as people read it: its middle and its ends, which are rounded outwards.

    >>> shown_interval(Fraction(1, 2), Fraction(1, 3), Fraction(2, 3))
    '0.5 (0.333333 to 0.666667)'
    >>> shown_interval(Fraction(7), Fraction(7), Fraction(7), may_be_missing=True)
    '7, or none'
    """
    low, high = _digits(lower, ROUND_FLOOR), _digits(upper, ROUND_CEILING)
    perhaps = ", or none" if may_be_missing else ""
    if value is None:
        return f"{low} to {high}{perhaps}"
    middle = _digits(value, ROUND_HALF_EVEN)
    exact = lower == upper and low == high
    return f"{middle}{perhaps}" if exact else f"{middle} ({low} to {high}{perhaps})"


def _digits(number: Bound, rounding: str) -> str:
    if isinstance(number, float):
        return str(number)
    whole = Decimal(int(number)).adjusted() + 1
    shown = significant(number, _DIGITS if whole > _LONGEST_WHOLE else max(_DIGITS, whole), rounding)
    return f"{shown:g}" if abs(shown.adjusted()) >= _LONGEST_WHOLE else f"{shown:f}"


def significant(number: Fraction | float, digits: int, rounding: str = ROUND_CEILING) -> Decimal:
    """A finite number with so many significant digits at most; rounded up, unless told otherwise.

    >>> significant(Fraction(1, 3), 4), significant(0.5, 4), significant(Fraction(1, 3), 2, ROUND_FLOOR)
    (Decimal('0.3334'), Decimal('0.5'), Decimal('0.33'))
    """
    exact, context = Fraction(number), Context(prec=digits, rounding=rounding)
    return context.divide(Decimal(exact.numerator), Decimal(exact.denominator)).normalize(context)


def rounded_ends(value: Fraction | None, lower: Bound | None, upper: Bound | None) -> dict[str, float | None]:
    """The middle, and ends that are rounded outwards; whole numbers, such as counts, have no point.

    >>> rounded_ends(Fraction(1, 2), Fraction(1, 3), Fraction(2, 3))["lower"] < Fraction(1, 3)
    True
    >>> rounded_ends(Fraction(5, 2), Fraction(2), Fraction(3))
    {'value': 2.5, 'lower': 2, 'upper': 3}
    """
    return {
        "value": None if value is None else _plain(value, nearest),
        "lower": _plain(lower, round_down) if isinstance(lower, Fraction) else lower,
        "upper": _plain(upper, round_up) if isinstance(upper, Fraction) else upper,
    }


def _plain(number: Fraction, rounded: Callable[[Fraction], float]) -> float:
    """A whole number as such where every double is one; otherwise rounded."""
    whole = number.denominator == 1 and abs(number.numerator) <= _LARGEST_WHOLE
    return number.numerator if whole else rounded(number)


def bound_text(value: float | Decimal, places: int, *, up: bool) -> str:
    """A decimal with so many places, rounded up or down.

    >>> bound_text(1.584, 2, up=True), bound_text(1.586, 2, up=False)
    ('1.59', '1.58')
    """
    exact = Decimal(repr(value)) if isinstance(value, float) else value
    rounding = ROUND_CEILING if up else ROUND_FLOOR
    return f"{exact.quantize(Decimal(1).scaleb(-places), rounding):,}"


def percent_above(share: Fraction) -> str:
    """A share in per cent with two decimals, rounded up.

    >>> percent_above(Fraction(1, 3)), percent_above(Fraction(0))
    ('33.34 %', '0 %')
    """
    return f"{math.ceil(share * 10_000) / 100:.2f} %" if share else "0 %"


def nearest(number: Fraction) -> float:
    """The nearest float; infinite where there is none."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def exact_text(number: Bound | None) -> str | None:
    """An exact number as a text; None where there is none, or where it is too long to be written.

    >>> exact_text(Fraction(1, 3)), exact_text(math.inf), exact_text(Fraction(2**20_000))
    ('1/3', None, None)
    """
    if number is None or isinstance(number, float):
        return None
    length = max(number.numerator.bit_length(), number.denominator.bit_length())
    return None if length > _LONGEST_EXACT else str(number)


def json_value(value: object) -> object:
    """A value as JSON can hold it."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
