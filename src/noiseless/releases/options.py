"""What a request's options may hold: numbers as they are written, columns, ranges, keys and hierarchies."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Annotated, cast

from pydantic import AfterValidator, BeforeValidator, Field, InstanceOf, PositiveInt

from noiseless.tables import key_columns
from noiseless.tables.hierarchies import HierarchyRule

_MOST_DIGITS = 50
MAX_BITS = 1000
"""No table holds more; 2 to the power of a limit is worked with."""


def _listed(value: object) -> object:
    """One column's name stands for a list of it."""
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


def _exact(value: object) -> object:
    """A number as it is written; a float by its shortest text, as it was typed."""
    if isinstance(value, bool):
        raise ValueError("takes a number, not true or false")  # noqa: TRY004 - what pydantic catches
    if not isinstance(value, int | float | str | Decimal | Fraction):
        return value
    try:
        number = _rational(value)
    except (InvalidOperation, ValueError, OverflowError, ZeroDivisionError):
        share = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) *%", str(value))
        meant = f"; write {float(share[1]) / 100:g}" if share else ""
        raise ValueError(f"takes a finite number, not {str(value)!r}{meant}") from None
    if number is None or max(len(str(number.numerator)), len(str(number.denominator))) > _MOST_DIGITS:
        raise ValueError(f"takes a number of at most {_MOST_DIGITS} digits")
    return number


def _share(value: Fraction) -> Fraction:
    """A share of the rows."""
    if not 0 <= value <= 1:
        raise ValueError("must be a share from 0 to 1; write 0.02 for 2 %")
    return value


def _counted(value: object) -> object:
    """A whole number; true is none."""
    if isinstance(value, bool):
        raise ValueError("takes a whole number, not true or false")  # noqa: TRY004 - as above
    return value


def _rational(value: float | str | Decimal | Fraction) -> Fraction | None:
    """The rational that is written; None where its digits would fill the memory (1e999999999)."""
    if isinstance(value, int | Fraction):
        return Fraction(value)
    if isinstance(value, str) and "/" in value:
        return Fraction(value) if len(value) <= 3 * _MOST_DIGITS else None
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    return Fraction(number) if not number or abs(number.adjusted()) <= _MOST_DIGITS else None


def exact_number(text: str) -> Fraction:
    """The number that a text says.

    Raises:
        ValueError: it is none, or has too many digits.
    """
    return cast("Fraction", _exact(text))


def _span(value: object) -> object:
    """A declared range as two texts: numbers or days."""
    parts = value.split(":") if isinstance(value, str) else value
    if not isinstance(parts, Sequence) or len(parts) != 2:  # noqa: PLR2004 - low and high
        raise ValueError("takes a range, LO:HI or [LO, HI]")
    return tuple(str(part) for part in parts)


def _ruled(value: object) -> object:
    """A text that writes a rule as that; any other names a file."""
    return (HierarchyRule.read(value) or value) if isinstance(value, str) else value


def _key_sets(value: object) -> object:
    """Each key as a list of columns, or as a text of them with commas."""
    if isinstance(value, str):
        raise ValueError(f"takes several keys; write [{value!r}]")  # noqa: TRY004 - what pydantic catches
    if not isinstance(value, Sequence):
        return value
    keys = (key_columns(key) if isinstance(key, str) else key for key in value)
    return tuple(dict.fromkeys(tuple(dict.fromkeys(key)) for key in keys))


Keys = Annotated[tuple[tuple[str, ...], ...], BeforeValidator(_key_sets)]
Columns = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Number = Annotated[Fraction, BeforeValidator(_exact)]
Share = Annotated[Number, AfterValidator(_share)]
Count = Annotated[PositiveInt, BeforeValidator(_counted)]
NotNegative = Annotated[Number, Field(ge=0)]
InBits = Annotated[Number, Field(ge=0, le=MAX_BITS)]
Seconds = Annotated[float, Field(gt=0)]
Span = Annotated[tuple[str, str], BeforeValidator(_span)]
Tree = Annotated[InstanceOf[HierarchyRule] | Path | Mapping[str, tuple[str, ...]], BeforeValidator(_ruled)]
"""A hierarchy: a rule, a file, or for each value what it is generalised to, step by step."""
