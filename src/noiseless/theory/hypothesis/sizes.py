"""How large a set of outputs is: finite sets are counted (bits), continuous ones measured (nats)."""

import math
from fractions import Fraction
from typing import Any, Protocol, Self, runtime_checkable

from noiseless.errors import RequestError
from noiseless.exact import Bits, Nats
from noiseless.theory.continuous.intervals import IntervalSet

Size = int | Fraction | float
"""A count or a measure; a float only when infinite."""

Amount = Bits | Nats | float
"""The logarithm of a size: `Bits` of a count, `Nats` of a measure. Bits have no infinity: there the logarithm
of 0 is the float -inf, and a ratio to 0 is inf. `float(amount)` serves all three."""


@runtime_checkable
class MeasuredSet(Protocol):
    """A continuous set with its Lebesgue measure: `IntervalSet`, `BoxSet`."""

    @property
    def measure(self) -> Fraction | float:
        """The Lebesgue measure."""


class OutputSet(Protocol):
    """A range of outputs: a `frozenset`, or a `MeasuredSet` with the same operators."""

    def __or__(self, other: Self, /) -> Self: ...
    def __and__(self, other: Self, /) -> Self: ...
    def __sub__(self, other: Self, /) -> Self: ...
    def __xor__(self, other: Self, /) -> Self: ...
    def __contains__(self, value: Any, /) -> bool: ...  # noqa: ANN401 - a label, a number or a point


def as_outputs(outputs: Any) -> Any:  # noqa: ANN401 - the set that goes with what came in
    """A measured set as it is, the interval set that a text describes, or else a finite set.

    >>> as_outputs([1, 2, 1]), as_outputs("[0, 1)")
    (frozenset({1, 2}), IntervalSet.parse('[0, 1)'))

    Raises:
        RequestError: it is no set.
        ExpressionError: a text describes no interval set.
    """
    if isinstance(outputs, str):
        return IntervalSet.parse(outputs)
    if isinstance(outputs, MeasuredSet):
        return outputs
    try:
        return frozenset(outputs)
    except TypeError:
        raise RequestError(
            "outputs are given as a set of hashable values, an interval set or a box set"
        ) from None


def is_counted(outputs: object) -> bool:
    """Whether the set is finite and its size a count."""
    return isinstance(outputs, frozenset)


def size_of(outputs: object) -> Size:
    """The count of a finite set, the Lebesgue measure of a continuous one.

    >>> size_of(frozenset({"a", "b"})), size_of(IntervalSet.parse("[0, 1/2) | {3}"))
    (2, Fraction(1, 2))
    """
    if isinstance(outputs, MeasuredSet):
        return outputs.measure
    if isinstance(outputs, frozenset):
        return len(outputs)
    raise TypeError(f"a {type(outputs).__name__} is no set of outputs")


def amount(size: Size, *, counted: bool) -> Amount:
    """The logarithm of a size.

    >>> amount(3, counted=True), amount(0, counted=True), amount(0, counted=False)
    (Bits(3), -inf, Nats(0))
    """
    if not counted:
        return Nats(size)
    if size == 0:
        return -math.inf
    return math.inf if is_infinite(size) else Bits(Fraction(size))


def log_ratio(top: Size, bottom: Size, *, counted: bool) -> Amount:
    """The logarithm of one size over another.

    Raises:
        RequestError: both are 0 or both are infinite.
    """
    return amount(quotient(top, bottom), counted=counted)


def quotient(top: Size, bottom: Size) -> Size:
    """One size over another, infinite when only the latter is 0.

    Raises:
        RequestError: both are 0 or both are infinite.
    """
    if top == bottom and (top == 0 or is_infinite(top)):
        raise RequestError(
            "the ratio of two sizes has no value when both are 0 or both infinite; give ranges that are "
            "bounded and larger than single points"
        )
    if bottom == 0 or is_infinite(top):
        return math.inf
    return Fraction(0) if is_infinite(bottom) else Fraction(top) / Fraction(bottom)


def is_infinite(size: Size) -> bool:
    """Whether a size is infinite; `math.isinf` fails for whole numbers that are beyond floats."""
    return isinstance(size, float) and math.isinf(size)
