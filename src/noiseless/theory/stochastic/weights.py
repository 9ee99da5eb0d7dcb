"""Probabilities as whole numbers in the same proportions, so that nothing about them is rounded.

A float is the rational number that it is, so every finite distribution a user can write down has whole-number
weights. They are kept as 64-bit integers when their sum fits and as Python integers otherwise.
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.exact import Rational

Weights = npt.NDArray[Any]
"""64-bit integers, or Python integers in an object array."""

Numbers = npt.ArrayLike | Sequence[Rational | float] | Sequence[Sequence[Rational | float]]
"""A list or a matrix of floats or of exact numbers."""

_FITS = 2**62
"""Sums up to here are computed in 64 bits."""

_MANTISSA = 53
_EXACT_FLOAT = 2**_MANTISSA
_EXACT_SUM_BITS = 20_000
"""Above this many bits a common denominator is no longer worth its time."""


def whole(values: Numbers, what: str) -> tuple[Weights, int]:
    """Whole numbers `w` and a unit with `values = w / unit`, exactly.

    Args:
        values: integers, floats, fractions or decimals; none negative, all finite.
        what: how to call one of them in an error message.

    Raises:
        RequestError: a value is negative, not finite or not a number.
    """
    try:
        array = np.asarray(cast("npt.ArrayLike", values))
    except ValueError:
        raise RequestError(f"the {what} must form a list or a matrix whose rows are equally long") from None
    if array.dtype.kind in "biu":
        weights, unit = array.astype(object if array.dtype == np.uint64 else np.int64), 1
    elif array.dtype.kind == "f":
        weights, unit = _of_floats(array.astype(np.float64), what)
    elif array.dtype.kind == "O":
        weights, unit = _of_objects(array, what)
    else:
        raise RequestError(f"the {what} must be numbers")
    if weights.size and weights.min() < 0:
        raise RequestError(f"the {what} must not be negative")
    return narrowed(weights), unit


def _of_floats(values: npt.NDArray[np.float64], what: str) -> tuple[Weights, int]:
    if not np.isfinite(values).all():
        raise RequestError(f"the {what} must be finite numbers; one is infinite or missing")
    fractions, exponents = np.frexp(values)
    mantissas = np.ldexp(fractions, _MANTISSA).astype(np.int64)
    zeros = np.where(mantissas == 0, 0, np.frexp((mantissas & -mantissas).astype(np.float64))[1] - 1)
    odd, exponents = mantissas >> zeros, exponents.astype(np.int64) - _MANTISSA + zeros
    lowest = int(exponents[odd != 0].min(initial=0))
    shifts = np.where(odd == 0, 0, exponents - lowest)
    weights = np.array(
        [a << b for a, b in zip(odd.ravel().tolist(), shifts.ravel().tolist(), strict=True)], object
    )
    return weights.reshape(values.shape), 1 << -lowest


def _of_objects(values: Weights, what: str) -> tuple[Weights, int]:
    if all(type(value) is int for value in values.flat):
        return values, 1
    exact: list[Fraction] = []
    for value in values.ravel().tolist():
        if not isinstance(value, int | float | Fraction | Decimal | np.integer):
            raise RequestError(f"the {what} must be numbers; one of them is a {type(value).__name__}")
        if isinstance(value, float | Decimal) and not math.isfinite(value):
            raise RequestError(f"the {what} must be finite numbers; one is infinite or missing")
        exact.append(Fraction(int(value) if isinstance(value, np.integer) else value))
    unit = math.lcm(*{value.denominator for value in exact})
    weights = np.array([value.numerator * (unit // value.denominator) for value in exact], object)
    return weights.reshape(values.shape), unit


def narrowed(weights: Weights) -> Weights:
    """The same numbers in 64 bits when their sum fits, else as Python integers."""
    if weights.dtype != object and float(weights.sum(dtype=np.float64)) < _FITS / 2:
        return weights
    wide = weights.astype(object)
    return wide.astype(np.int64) if wide.sum() < _FITS else wide


def times(a: Weights, b: Weights | int) -> Weights:
    """The products a * b, in 64 bits when every product fits."""
    largest = int(a.max(initial=0)) * int(np.max(b, initial=0))
    return a * b if largest < _FITS and a.dtype != object else a.astype(object) * b


def group_sums(values: Weights, starts: IntArray) -> Weights:
    """The sum of each group, groups lying side by side; `starts` ends with the number of values."""
    return np.asarray(np.add.reduceat(values, starts[:-1]))


def distinct(*columns: Weights) -> tuple[IntArray, IntArray]:
    """Where each distinct combination of the columns first stands, and which one each row is."""
    _, keys = np.unique(columns[0], return_inverse=True)
    for column in columns[1:]:
        values, codes = np.unique(column, return_inverse=True)
        _, keys = np.unique(keys * len(values) + codes, return_inverse=True)
    _, positions = np.unique(keys, return_index=True)
    return positions, keys


def best_of_groups(above: Weights, below: Weights, starts: IntArray) -> IntArray:
    """The position of the largest quotient above / below in each group, exactly; all numbers are positive."""
    sizes = np.diff(starts)
    quotients = _quotients(above, below)
    tops = np.maximum.reduceat(quotients, starts[:-1])
    candidates = np.flatnonzero(quotients == np.repeat(tops, sizes))
    groups = np.repeat(np.arange(len(sizes)), sizes)[candidates]
    best = candidates[np.searchsorted(groups, np.arange(len(sizes)))]
    rivals = times(above[candidates], below[best][groups]) > times(above[best][groups], below[candidates])
    for position, group in zip(candidates[rivals].tolist(), groups[rivals].tolist(), strict=True):
        champion = best[group]
        if int(above[position]) * int(below[champion]) > int(above[champion]) * int(below[position]):
            best[group] = position
    return best


def largest_quotient(above: Weights, below: Weights) -> Fraction:
    """The largest above / below, exactly."""
    (best,) = best_of_groups(above, below, np.array([0, len(above)])).tolist()
    return Fraction(int(above[best]), int(below[best]))


def _quotients(above: Weights, below: Weights) -> npt.NDArray[np.float64]:
    """Correctly rounded quotients: whatever is larger exactly is not smaller here."""
    if above.dtype != object != below.dtype and max(above.max(), below.max()) <= _EXACT_FLOAT:
        return np.asarray(above / below)
    return np.array([_quotient(a, b) for a, b in zip(above.tolist(), below.tolist(), strict=True)])


def _quotient(a: int, b: int) -> float:
    try:
        return a / b
    except OverflowError:
        return math.inf


def sums_by_value(factors: Weights, values: Weights) -> list[tuple[int, int]]:
    """The sum of the factors of each distinct value, and that value; values ascend."""
    order = np.argsort(values, kind="stable")
    different, starts = np.unique(values[order], return_index=True)
    totals = group_sums(narrowed(factors[order]), np.append(starts, len(order)))
    return list(zip(totals.tolist(), different.tolist(), strict=True))


def exact_sum(above: Weights, below: Weights) -> Fraction | None:
    """The sum of above / below, unless the common denominator would be huge."""
    pairs = sums_by_value(above, below)
    if sum(bottom.bit_length() for _, bottom in pairs) > _EXACT_SUM_BITS:
        return None
    return sum((Fraction(top, bottom) for top, bottom in pairs), Fraction(0))
