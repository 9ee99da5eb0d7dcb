"""Sets of numbers and of vectors by their cuts: exact ends, and the algebra that sets of any dimension share.

A cut stands just before or just after a number, so that [a, b) lies between the cuts before a and before b,
(a, b] between those after a and after b, and the point {a} between the cut before a and the cut after it.
Open and closed ends then need no cases.

Rationals may be beyond floats: an infinite float is never added to one or multiplied by it, and `math` is not
asked about them.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import chain, groupby
from numbers import Integral, Real
from typing import Self, SupportsFloat

from noiseless.errors import RequestError
from noiseless.theory.continuous.diagrams import Layers, combined, relabelled, union_of, used_ranks

Number = int | Fraction | Decimal | SupportsFloat | str
"""What a user may write for a number: a float is the rational that it is, "1/3" and "0.1" are exact."""

Endpoint = Fraction | float
"""A rational, or a float that is plus or minus infinity."""

_INFINITE = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf, "∞": math.inf, "-∞": -math.inf}


def endpoint(value: Number) -> Endpoint:
    """The exact number that a user wrote: a rational, or a float when it is infinite.

    Raises:
        RequestError: it is no number.

    >>> endpoint("1/3"), endpoint(0.5), endpoint("-inf")
    (Fraction(1, 3), Fraction(1, 2), -inf)
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, str):
        text = value.strip()
        try:
            return _INFINITE[text] if text in _INFINITE else Fraction(text)
        except (ValueError, ZeroDivisionError):
            raise RequestError("that is no number; write one like 3, 1/3, 0.25, -2e-3 or inf") from None
    if isinstance(value, Integral):
        return Fraction(int(value))
    if isinstance(value, Decimal) and value.is_finite():
        return Fraction(value)
    if isinstance(value, Decimal | Real):
        number = math.nan if isinstance(value, Decimal) and value.is_nan() else float(value)
        if math.isnan(number):
            raise RequestError("NaN is no number that an interval could end at")
        return number if math.isinf(number) else Fraction(number)
    raise RequestError(f"an interval ends at numbers, not at a {type(value).__name__}")


def finite(value: Number) -> Fraction:
    """The exact rational that a user wrote.

    Raises:
        RequestError: it is no number, or infinite.
    """
    exact = endpoint(value)
    if isinstance(exact, float):
        raise RequestError("a finite number is needed here; infinity is none")
    return exact


def is_infinite(end: Endpoint) -> bool:
    """Whether an end is infinite: only then it is a float."""
    return isinstance(end, float)


def total(values: Iterable[Endpoint]) -> Endpoint:
    """The sum of numbers, infinite ones having one sign."""
    added = Fraction(0)
    for value in values:
        if isinstance(value, float):
            return value
        added += value
    return added


def distance(low: Endpoint, high: Endpoint) -> Endpoint:
    """How far two ends are apart."""
    return math.inf if is_infinite(low) or is_infinite(high) else high - low


def linear(slope: Fraction, end: Endpoint, offset: Fraction) -> Endpoint:
    """Slope * end + offset, the slope not being 0."""
    if is_infinite(end):
        return end if slope > 0 else -end
    return slope * end + offset


Cut = tuple[Endpoint, int]
"""A place between numbers: (a, 0) just before a, (a, 1) just after it."""

Axes = tuple[tuple[Cut, ...], ...]
"""The cuts on each axis, ascending."""


def volume(a: Endpoint, b: Endpoint) -> Endpoint:
    """The product of two lengths, 0 times infinity being 0 as in every measure."""
    if not a or not b:
        return Fraction(0)
    return math.inf if is_infinite(a) or is_infinite(b) else a * b


@dataclass(frozen=True, repr=False)
class CutSet:
    """A finite union of boxes in one form only: equal sets of one class are equal objects.

    The constructor trusts its caller. The size of the form grows with the number of places where the set
    changes, not with the volume or, by itself, with the dimension.

    Attributes:
        axes: on each axis the cuts at which the set changes, ascending.
        layers: the diagram over the positions of those cuts.
    """

    axes: Axes
    layers: Layers

    @classmethod
    def _spanned(cls, boxes: Sequence[Sequence[tuple[Cut, Cut]]], dimension: int) -> Self:
        """The union of boxes, each given by the two cuts of its side on every axis."""
        axes = tuple(_in_order(cut for box in boxes for cut in box[i]) for i in range(dimension))
        ranked = [
            tuple(
                (bisect_left(axis, start), bisect_left(axis, stop))
                for axis, (start, stop) in zip(axes, box, strict=True)
            )
            for box in boxes
        ]
        return cls._tight(axes, union_of(ranked, dimension))

    @classmethod
    def _tight(cls, axes: Axes, layers: Layers) -> Self:
        """Forget the cuts at which nothing changes."""
        used = used_ranks(layers)
        ranks = [{old: new for new, old in enumerate(kept)} for kept in used]
        kept = tuple(tuple(axis[rank] for rank in keep) for axis, keep in zip(axes, used, strict=True))
        return cls(kept, relabelled(layers, ranks))

    def __bool__(self) -> bool:
        return bool(self.layers[0])

    def __or__(self, other: Self) -> Self:
        return self._combined(other, lambda _: True)

    def __and__(self, other: Self) -> Self:
        return self._combined(other, lambda inside: inside == [0, 1])

    def __sub__(self, other: Self) -> Self:
        return self._combined(other, lambda inside: inside == [0])

    def __xor__(self, other: Self) -> Self:
        return self._combined(other, lambda inside: inside != [0, 1])

    def __le__(self, other: Self) -> bool:
        return not self - other

    def __lt__(self, other: Self) -> bool:
        return self != other and self <= other

    @property
    def dimension(self) -> int:
        """The dimension of the space it lies in."""
        return len(self.axes)

    @cached_property
    def measure(self) -> Endpoint:
        """Its volume, infinite if it holds boxes of infinite volume."""
        sizes: list[Endpoint] = [Fraction(1)]
        for axis, nodes in zip(reversed(self.axes), reversed(self.layers), strict=True):
            values = [cut[0] for cut in axis]
            sizes = [
                total(
                    volume(distance(values[start], values[stop]), sizes[child]) for start, stop, child in node
                )
                for node in nodes
            ]
        return sizes[0] if sizes else Fraction(0)

    @cached_property
    def count(self) -> int | float:
        """How many points it has: a whole number, or infinity."""
        counts = [1]
        for axis, nodes in zip(reversed(self.axes), reversed(self.layers), strict=True):
            for node in nodes:
                if any(axis[start][0] != axis[stop][0] for start, stop, _ in node):
                    return math.inf
            counts = [sum(counts[child] for _, _, child in node) for node in nodes]
        return counts[0] if counts else 0

    @property
    def is_bounded(self) -> bool:
        """Whether a ball holds it."""
        return not any(is_infinite(cut[0]) for axis in self.axes for cut in axis)

    def _combined(self, other: Self, keep: Callable[[Sequence[int]], bool]) -> Self:
        if not isinstance(other, CutSet):
            return NotImplemented
        if self.dimension != other.dimension:
            raise RequestError("sets of vectors of different dimension cannot be compared or joined")
        axes, diagrams = _aligned((self, other))
        return self._tight(axes, combined(diagrams, keep))


def overlaps(sets: Sequence[CutSet]) -> set[tuple[int, ...]]:
    """Which sets overlap: the numbers of those with a point in common, for every place where several lie."""
    groups: set[tuple[int, ...]] = set()

    def noted(inside: Sequence[int]) -> bool:
        if len(inside) > 1:
            groups.add(tuple(inside))
        return False

    if sets:
        combined(_aligned(sets)[1], noted)
    return groups


def _aligned(sets: Sequence[CutSet]) -> tuple[Axes, list[Layers]]:
    """The cuts of all sets on each axis, and the diagrams over them."""
    axes = tuple(_in_order(chain(*same)) for same in zip(*(each.axes for each in sets), strict=True))
    diagrams = []
    for each in sets:
        pairs = zip(each.axes, axes, strict=True)
        ranks = [{rank: bisect_left(new, cut) for rank, cut in enumerate(old)} for old, new in pairs]
        diagrams.append(relabelled(each.layers, ranks))
    return axes, diagrams


def _in_order(cuts: Iterable[Cut]) -> tuple[Cut, ...]:
    """Cuts ascending, each once; they are compared, for the hash of a rational takes longer."""
    return tuple(cut for cut, _ in groupby(sorted(cuts)))
