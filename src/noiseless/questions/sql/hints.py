"""Hints: what the analyst would like to spend on each question, or how exact each answer is to be."""

import re
from fractions import Fraction

from noiseless.questions.sql.errors import SqlError
from noiseless.questions.sql.statement import Hints
from noiseless.questions.sql.writing import write_number

_HINT = re.compile(
    r"\s*(bits|reach|max_error)\s*\(\s*(\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})\s*\)\s*", re.IGNORECASE
)
_MOST_BITS = 10_000
_KINDS = "one of bits(2), reach(4) and max_error(0.5)"


def read_hints(text: str) -> Hints:
    """What is written in a hint.

    >>> read_hints(" bits(1.5) ")
    Hints(bits=Fraction(3, 2), reach=None, max_error=None)

    Raises:
        SqlError: it is no hint, or the number makes no sense.
    """
    found = _HINT.fullmatch(text)
    if found is None:
        raise SqlError("{} is no hint", f"give {_KINDS}", written=text.strip())
    number = Fraction(found[2].rstrip(".") if found[2] != "." else 0)
    match found[1].lower():
        case "bits" if number <= _MOST_BITS:
            return Hints(bits=number)
        case "reach" if number.denominator == 1 and number >= 1:
            return Hints(reach=int(number))
        case "max_error":
            return Hints(max_error=number)
    raise SqlError(
        "the number in the hint makes no sense",
        f"bits are between 0 and {_MOST_BITS:,}, a reach is a whole number above 0",
    )


def write_hints(hints: Hints) -> str:
    """The hint as it is written after SELECT; empty when there is none."""
    if hints.bits is not None:
        return f"/*+ bits({write_number(hints.bits)}) */ "
    if hints.reach is not None:
        return f"/*+ reach({hints.reach}) */ "
    if hints.max_error is not None:
        return f"/*+ max_error({write_number(hints.max_error)}) */ "
    return ""
