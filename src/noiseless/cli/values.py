"""What people write on the command line, read exactly: numbers, budgets, and what is said of columns."""

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.questions import Span

_MOST_DIGITS = 300
"""Numbers beyond are slips of the pen, and exact arithmetic with them never ends."""


def read_number(option: str, text: str) -> Decimal:
    """A decimal number as it was written, never by way of a float.

    Raises:
        RequestError: it is none, or it is not finite.
    """
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite():
        remedy = "; dates are coarsened by noiseless release, or by rules such as date:month"
        is_day = re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) is not None
        raise RequestError(f"{option} takes a finite decimal number, not {text!r}{remedy * is_day}")
    if max(abs(number.adjusted()), len(number.as_tuple().digits)) > _MOST_DIGITS:
        raise RequestError(f"{option} takes a number of at most {_MOST_DIGITS} digits, and that many zeros")
    return number


def read_budget(text: str | None, option: str = "--budget") -> tuple[Decimal | None, int | None]:
    """A budget as bits or, written "reach K", as a number of answers."""
    if text is None:
        return None, None
    word, _, rest = text.strip().partition(" ")
    if word.lower() == "reach":
        if not rest.strip().isdecimal() or len(rest.strip()) > _MOST_DIGITS:
            raise RequestError(f'{option} "reach K" takes a whole number K, such as "reach 3"')
        return None, int(rest)
    return read_number(option, text), None


def read_assigned(option: str, text: str, shape: str) -> tuple[str, str]:
    """COL=VALUE in its two parts; the column's name may hold = itself, and may stand in double quotes.

    Raises:
        RequestError: it has not this shape.
    """
    column, sign, value = text.rpartition("=")
    if not sign or not column or not value:
        raise RequestError(f"{option} {text!r} is not {shape}")
    quoted = re.fullmatch(r'"(.+)"', column)
    return quoted[1] if quoted else column, value


def read_ranges(
    option: str, texts: Sequence[str] | None, example: str = "weight=0:200:0.5"
) -> dict[str, tuple[Decimal, ...]]:
    """The bounds of columns, and perhaps their steps, written COL=LO:HI[:STEP].

    Raises:
        RequestError: one is written otherwise, or twice.
    """
    ranges: dict[str, tuple[Decimal, ...]] = {}
    shape = f"COL=LO:HI or COL=LO:HI:STEP, such as {example}"
    for text in texts or ():
        name, numbers = read_assigned(option, text, shape)
        parts = numbers.split(":")
        if len(parts) not in (2, 3):
            raise RequestError(f"{option} {text!r} is not {shape}")
        if name in ranges:
            raise RequestError(f"column {name!r} is named twice in {option}; name it once")
        ranges[name] = tuple(read_number(option, part) for part in parts)
    return ranges


def read_spans(option: str, texts: Sequence[str] | None) -> "dict[str, Span]":
    """The domains of columns, written in the same way."""
    ranges = read_ranges(option, texts, "lon=-74:-73:0.001")
    return {name: span(*numbers) for name, numbers in ranges.items()}


def span(low: Decimal, high: Decimal, step: Decimal | None = None) -> "Span":
    """Between two bounds, in steps or not."""
    from noiseless.questions import Continuum, Lattice

    return Continuum.of(low, high) if step is None else Lattice.of(low, high, step)
