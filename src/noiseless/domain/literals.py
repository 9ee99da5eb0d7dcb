"""Reading the numbers and days that people declare, and that data holds, without rounding any."""

from datetime import date, datetime
from decimal import Decimal
from numbers import Integral, Rational, Real

DIGITS = 300
"""The most digits before or after the point: more than data has, few enough to hold exactly."""


def read_number(value: object) -> Decimal:
    """A number as the decimal that it is written as, without trailing zeros.

    Args:
        value: a whole number, a Decimal, or a float, which is read as the shortest decimal that
            reads back as it. Those of numpy will do; booleans are no numbers.

    Raises:
        ValueError: it is no number, is not finite, or has too many digits; the message goes on
            from "must be a number, ".
    """
    if isinstance(value, Decimal):
        number = value
    elif isinstance(value, Integral) and not isinstance(value, bool):
        number = Decimal(int(value))
    elif isinstance(value, Real) and not isinstance(value, Rational):
        number = Decimal(repr(float(value)))
    else:
        raise ValueError(f"not {type(value).__name__}")  # noqa: TRY004 (pydantic wants it)
    if not number.is_finite():
        raise ValueError("not inf or nan")
    if number.adjusted() >= DIGITS or int(number.as_tuple().exponent) < -DIGITS:
        raise ValueError(f"of at most {DIGITS} digits before and after the point")
    return Decimal(as_text(number))


def as_text(number: Decimal) -> str:
    """A number in plain digits: no exponent, no trailing zeros, no negative zero."""
    text = f"{number:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def read_day(value: object) -> date:
    """A date, or a text that is one in ISO 8601.

    Raises:
        ValueError: it is neither; the message goes on from "must be a date, ".
    """
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise ValueError("like 2020-12-31") from None
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    raise ValueError(f"not {type(value).__name__}")
