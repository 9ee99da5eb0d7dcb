"""Numbers and texts as reports write them; what is rounded is rounded to the safe side."""

import math
import os
import sys
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from itertools import accumulate

from noiseless.display import aligned, printable
from noiseless.exact import Bits
from noiseless.search.loss import Length

_LONGEST = 80
"""How many characters of a user's text are shown."""

_LARGEST_WHOLE = 10**15
"""Whole numbers below this are written without a point, in a column of decimals too."""

_DIGITS = 5
"""How many digits of a distance are shown, and all before the point."""

_SMALLEST_SHARE = Fraction(1, 1000)
"""Shares below this, and as close to one, are shown as bounds."""

_WIDTH = 100
_NARROW = 80
"""Lines of text are as long as the terminal is wide, within these; tables keep to the smaller if they can."""


def upper_text(value: Fraction) -> str:
    """Three significant digits, rounded up.

    >>> upper_text(Fraction(1, 3)), upper_text(Fraction(0)), upper_text(Fraction(1, 2))
    ('0.334', '0', '0.5')
    """
    context = Context(prec=3, rounding=ROUND_CEILING)
    return f"{context.divide(Decimal(value.numerator), Decimal(value.denominator)):f}"


def length_text(length: Length | Fraction | float) -> str:
    """A distance: exact where five digits are enough, else rounded up to that many.

    >>> length_text(Fraction(21, 2)), length_text(Length(2, root=True)), length_text(Fraction(10**7, 3))
    ('10.5', '1.4143', '3,333,334')
    >>> length_text(Fraction(1, 10**6)), length_text(0)
    ('0.000001', '0')
    """
    if isinstance(length, Length):
        length = length.rational or Fraction(length.upper)
    value = Fraction(length)
    places = max(0, _DIGITS - len(str(int(value))) * (value >= 1))
    while 0 < value < Fraction(1, 10**places):
        places += _DIGITS
    whole, rest = divmod(math.ceil(value * 10**places), 10**places)
    return f"{whole:,}.{rest:0{places}d}".rstrip("0").rstrip(".") if places else f"{whole:,}"


def rounding_text(*shown: Bits) -> str:
    """How bits are rounded that stand in a text with two decimals, by the first that is; empty where none is.

    >>> rounding_text(Bits(4), Bits(20)), rounding_text(Bits(8))
    ('Bits are rounded up: 4.33 stands for 4.3219.', '')
    """
    for bits in shown:
        if bits.lower != bits.upper or not bits.lower.is_integer():
            return f"Bits are rounded up: {bits.rounded_up(2)} stands for {bits.lower:.4f}."
    return ""


def share_text(part: int, whole: int) -> str:
    """A share in percent that is 0 or 100 only when it is exactly that.

    >>> share_text(86, 293), share_text(1, 100_000), share_text(99_999, 100_000), share_text(3, 3)
    ('29.4 %', '<0.1 %', '>99.9 %', '100 %')
    """
    share = Fraction(part, whole)
    if share in (0, 1):
        return f"{int(share) * 100} %"
    if share < _SMALLEST_SHARE:
        return "<0.1 %"
    if share > 1 - _SMALLEST_SHARE:
        return ">99.9 %"
    return f"{float(share) * 100:.1f} %"


def value_text(value: object, longest: int = _LONGEST) -> str:
    """A name or a cell's value as text: no control characters, not too long, never empty.

    A wide character, as of Chinese, counts as two.

    >>> value_text(None), value_text(""), value_text("abcdef", 4), value_text((36300.0, None))
    ('(missing)', '(empty)', 'abc…', '36300 & (missing)')
    """
    if value is None:
        return "(missing)"
    if isinstance(value, tuple):  # of several columns
        return " & ".join(value_text(part, longest) for part in value)
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_WHOLE:
        value = int(value)
    text = "".join("\ufffd" if unicodedata.category(c) == "Cc" else c for c in str(value))
    ends = list(accumulate(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text))
    if not ends:
        return "(empty)"
    return text if ends[-1] <= longest else text[: bisect_right(ends, longest - 1)] + "…"


def wrapped(text: str, indent: int = 0, hanging: int = 0) -> str:
    """A paragraph, no line of it too long; names and options stay whole."""
    import textwrap

    width, later = _columns() - indent, " " * hanging
    return textwrap.fill(printable(text), width, break_on_hyphens=False, subsequent_indent=later)


def _columns() -> int:
    try:
        width = os.get_terminal_size(sys.stdout.fileno()).columns
    except (AttributeError, OSError, ValueError):  # no terminal
        return _WIDTH
    return min(max(width, _NARROW), _WIDTH)


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], sides: str = "<") -> str:
    """A titled table: numbers to the right, the columns that `sides` begins with as it says.

    Headings of a table that is wider than a terminal take several lines.
    """
    sides = sides.ljust(len(header), ">")
    for height in (1, 2, 3):
        lines = aligned([*_stacked(header, rows, height), *rows], sides)
        if max(map(len, lines)) <= _NARROW - 2:
            break
    return "\n".join([printable(title), *(f"  {line}" for line in lines)])


def _stacked(header: Sequence[str], rows: Sequence[Sequence[str]], height: int) -> Iterator[tuple[str, ...]]:
    """Headings on at most that many lines, or a word a line, the last beside the rows."""
    import textwrap

    heads = []
    for place, head in enumerate(header):
        width = max(map(len, (*head.split(), *(row[place] for row in rows))), default=0)
        while len(lines := textwrap.wrap(head, width or 1)) > max(height, 1) and width < len(head):
            width += 1
        heads.append(lines)
    most = max(map(len, heads))
    yield from zip(*([""] * (most - len(lines)) + lines for lines in heads), strict=True)
