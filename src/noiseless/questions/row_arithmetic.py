"""Exact arithmetic on the values of many rows: whole numerators over whole denominators, which never wrap."""

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.errors import RequestError
from noiseless.questions.row_expression import Ints, Kind, Vector, require_days
from noiseless.ranges.spans import WRAPS

_SHORT = 2**20
"""Quotients of shorter numbers are not reduced: that takes longer than all else."""


def _most(data: Ints | int) -> int:
    if isinstance(data, int):
        return abs(data)
    return max(abs(int(data.max())), abs(int(data.min()))) if data.size else 0


def _as(data: Ints | int, bound: int) -> Any:  # noqa: ANN401 - an array or a number
    """The same in Python's own whole numbers where 64 bits might not suffice."""
    if bound < WRAPS or isinstance(data, int):
        return data
    return data.astype(object)


def times(one: Ints | int, two: Ints | int) -> Any:  # noqa: ANN401 - an array or a number
    """The product."""
    bound = _most(one) * _most(two)
    return _as(one, bound) * _as(two, bound)


def _plus(one: Ints, two: Ints) -> Ints:
    bound = _most(one) + _most(two)
    found: Ints = _as(one, bound) + _as(two, bound)
    return found


def over_one_divisor(vectors: Sequence[Vector]) -> tuple[list[Ints], int | Ints]:
    """Numerators over one denominator: the least common one, or for each row the product of all."""
    if all(isinstance(each.below, int) for each in vectors):
        below: Any = lcm(*(int(each.below) for each in vectors))
        return [times(each.data, below // each.below) for each in vectors], below
    below = reduce(times, [each.below for each in vectors])
    return [times(each.data, _exactly_over(below, each.below)) for each in vectors], below


def _exactly_over(below: Any, one: Ints | int) -> Any:  # noqa: ANN401 - an array or a number
    return below // one


def missing_in(vectors: Sequence[Vector]) -> npt.NDArray[np.bool_] | None:
    """Where a value of any vector is missing."""
    masks = [each.null for each in vectors if each.null is not None]
    return reduce(np.logical_or, masks) if masks else None


def require_kind(vectors: Sequence[Vector], kind: Kind, what: str) -> None:
    """Refuse vectors of another kind."""
    if any(each.kind not in (kind, "null") for each in vectors):
        raise RequestError(f"{what} is of something else than {KIND_WORDS[kind]}; give it {KIND_WORDS[kind]}")


KIND_WORDS = {"number": "numbers", "boolean": "conditions", "text": "texts", "date": "dates"}


def as_number(vector: Vector) -> Vector:
    """Truth values as 0 and 1; whole numbers as they are.

    Raises:
        RequestError: a number is not whole: databases round halves in different ways; or it is no number.
    """
    if vector.kind == "boolean":
        return Vector("number", vector.data.astype(np.int64), 1, vector.null)
    require_kind([vector], "number", "a cast to a whole number")
    rest = (
        np.where(vector.null, 0, vector.data % vector.below)
        if vector.null is not None
        else (vector.data % vector.below)
    )
    if rest.any():
        raise RequestError(NOT_WHOLE)
    return vector


NOT_WHOLE = (
    "a cast to a whole number rounds halves differently from database to database; write ROUND or FLOOR"
)


# Arithmetic


def add(parts: Sequence[Vector], _: object) -> Vector:
    """The sum of all parts; a day and numbers are a later day."""
    kinds = [part.kind for part in parts]
    if "date" in kinds:
        return _moved(parts, 1)
    require_kind(parts, "number", "+")
    tops, below = over_one_divisor(parts)
    return Vector("number", reduce(_plus, tops), below, missing_in(parts))


def subtract(parts: Sequence[Vector], _: object) -> Vector:
    """The difference; of two days, how many days apart they are."""
    if parts[0].kind == parts[1].kind == "date":
        return Vector("number", parts[0].data - parts[1].data, 1, missing_in(parts))
    if parts[0].kind == "date":
        return _moved(parts, -1)
    return add([parts[0], negate([parts[1]], None)], None)


BY_A_FRACTION = "a day is moved by a fraction; move it by whole days"


def _moved(parts: Sequence[Vector], sign: int) -> Vector:
    """A day this many days later or earlier."""
    day, *others = sorted(parts, key=lambda part: part.kind != "date")
    require_kind(others, "number", "a number of days")
    other = add(others, None) if len(others) > 1 else others[0]
    if not isinstance(other.below, int) or other.below != 1:
        raise RequestError(BY_A_FRACTION)
    null, moved = missing_in(parts), _plus(day.data, sign * other.data)
    moved = moved if null is None else np.where(null, 0, moved)
    require_days(moved)
    return Vector("date", moved, 1, null)


def negate(parts: Sequence[Vector], _: object) -> Vector:
    """The opposite number."""
    require_kind(parts, "number", "-")
    return Vector("number", -parts[0].data, parts[0].below, parts[0].null)


def multiply(parts: Sequence[Vector], _: object) -> Vector:
    """The product of all parts."""
    require_kind(parts, "number", "*")
    below = reduce(times, [part.below for part in parts])
    return Vector("number", reduce(times, [part.data for part in parts]), below, missing_in(parts))


def divide(parts: Sequence[Vector], _: object) -> Vector:
    """The quotient; in lowest terms where divisors differ and numbers grow long."""
    require_kind(parts, "number", "/")
    one, two = parts
    zero = two.data == 0
    if two.null is not None:
        zero = zero & ~two.null
    if zero.any():
        raise RequestError("an expression may divide by 0; write NULLIF(divisor, 0)")
    divisor = np.where(two.data == 0, 1, two.data)
    top = times(times(one.data, two.below), np.sign(divisor) if divisor.dtype != object else _signs(divisor))
    below = times(one.below, abs(divisor))
    if not divisor.ndim:
        below = int(below) if isinstance(one.below, int) else below
    if not isinstance(below, int) and max(_most(top), _most(below)) > _SHORT:
        shared = np.gcd(*np.broadcast_arrays(top, below))
        shared = np.where(shared == 0, 1, shared)
        top, below = top // shared, below // shared
    return Vector("number", top, below, missing_in(parts))


def _signs(data: Ints) -> Ints:
    return np.where(data < 0, -1, np.where(data > 0, 1, 0))


def power(parts: Sequence[Vector], exponent: Any) -> Vector:  # noqa: ANN401 - a whole number
    """A whole power; the 0th is 1 wherever there is a number."""
    require_kind(parts, "number", "POWER")
    one = Vector("number", parts[0].data * 0 + 1, 1, parts[0].null)
    return reduce(lambda done, _: multiply([done, parts[0]], None), range(exponent), one)


def absolute(parts: Sequence[Vector], _: object) -> Vector:
    """Without its sign."""
    require_kind(parts, "number", "ABS")
    return Vector("number", abs(parts[0].data), parts[0].below, parts[0].null)


def sign(parts: Sequence[Vector], _: object) -> Vector:
    """-1, 0 or 1."""
    require_kind(parts, "number", "SIGN")
    return Vector("number", _signs(parts[0].data), 1, parts[0].null)


def floor(parts: Sequence[Vector], _: object) -> Vector:
    """The largest whole number that is not larger."""
    require_kind(parts, "number", "FLOOR")
    return Vector("number", parts[0].data // parts[0].below, 1, parts[0].null)


def ceiling(parts: Sequence[Vector], _: object) -> Vector:
    """The smallest whole number that is not smaller."""
    return negate([floor([negate(parts, None)], None)], None)


def rounded(parts: Sequence[Vector], places: Any) -> Vector:  # noqa: ANN401 - a whole number
    """Half away from zero, as SQL does."""
    require_kind(parts, "number", "ROUND")
    scale = Fraction(10) ** (places or 0)
    top = times(abs(parts[0].data), 2 * scale.numerator)
    below = times(parts[0].below, scale.denominator)
    whole = (
        (top + below) // times(below, 2)
        if not _is_wide(top, below)
        else ((_as(top, WRAPS) + _as(below, WRAPS)) // times(below, 2))
    )
    found = times(_signs(parts[0].data), whole)
    return Vector("number", times(found, scale.denominator), scale.numerator, parts[0].null)


def _is_wide(one: Ints | int, two: Ints | int) -> bool:
    return _most(one) + _most(two) >= WRAPS


def remainder(parts: Sequence[Vector], _: object) -> Vector:
    """The remainder has the sign of what is divided."""
    quotient = divide(parts, None)
    whole = times(_signs(quotient.data), abs(quotient.data) // quotient.below)
    product = multiply([parts[1], Vector("number", whole, 1, quotient.null)], None)
    return subtract([parts[0], product], None)
