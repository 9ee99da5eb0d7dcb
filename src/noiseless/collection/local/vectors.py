"""Several private numbers of one person, told together: a box of cells, and a budget split over its sides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import prod
from typing import Any

from noiseless.collection.local.float_cells import CodeArray
from noiseless.collection.local.readings import Floats
from noiseless.collection.local.scalar import LocalQuantizer, cells_for_error
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational
from noiseless.ranges.quantizer import CellInterval
from noiseless.ranges.spans import Lattice, Span

_HALVINGS = 48
"""After this many halvings of the error few cells are left to try one by one."""


@dataclass(frozen=True)
class LocalVector:
    """Tell each coordinate as its cell; a person can cause every combination of cells.

    >>> from noiseless.questions import Continuum
    >>> city = {"lat": Continuum.of(40, 41), "lon": Continuum.of(-75, -73)}
    >>> place = LocalVector.finest(city, reach=32)
    >>> place.cells, place.bits, place.worst_error
    ((4, 8), Bits(32), Fraction(1, 8))

    Attributes:
        coordinates: a quantizer for each.
        weights: what an error of 1 in each coordinate counts.

    Guarantee:
        * A reading tells at most the logarithm of the product of the numbers of cells.
        * Each coordinate is off by half of its own cell at most; one that is clamped, by as much as it lies
          outside, besides.
    """

    coordinates: tuple[LocalQuantizer, ...]
    weights: tuple[Fraction, ...]

    @classmethod
    def finest(
        cls, spans: Mapping[str, Span], reach: int, weights: Mapping[str, Rational] | None = None
    ) -> "LocalVector":
        """The split of a budget with the smallest worst error, the largest weighted one of all coordinates.

        The product of cells is at most `reach`. What is left when the worst error cannot fall any more goes
        to the next worst coordinates, as far as it lets them improve.

        Args:
            spans: the domain of each coordinate.
            reach: how many outputs one person may cause.
            weights: what an error of 1 counts in each coordinate; 1 where none is given.

        Raises:
            RequestError: there is no coordinate, no output is allowed, or a weight is not above 0.
        """
        scales = _weights(spans, weights)
        if reach < 1:
            raise RequestError("a release has at least one cell; allow a larger reach")
        domains = list(spans.values())
        cells = _split(domains, scales, reach)
        found = [
            LocalQuantizer.finest(span, count, name)
            for (name, span), count in zip(spans.items(), cells, strict=True)
        ]
        return cls(tuple(found), scales)

    @classmethod
    def coarsest(
        cls, spans: Mapping[str, Span], error: Rational, weights: Mapping[str, Rational] | None = None
    ) -> "LocalVector":
        """The fewest cells with a worst weighted error of at most `error`."""
        scales = _weights(spans, weights)
        found = [
            LocalQuantizer.coarsest(span, Fraction(error) / scale, name)
            for (name, span), scale in zip(spans.items(), scales, strict=True)
        ]
        return cls(tuple(found), scales)

    def halved(self) -> "LocalVector | None":
        """The finest release with half as many outputs; None when one would be left."""
        names = [part.name for part in self.parts]
        spans = {part.name: part.span for part in self.parts}
        weights = dict(zip(names, self.weights, strict=True))
        found = LocalVector.finest(spans, self.reach // 2, weights)
        return found if found.reach > 1 else None

    @property
    def parts(self) -> tuple[LocalQuantizer, ...]:
        """Its coordinates, under the name that a single number has for itself."""
        return self.coordinates

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of each coordinate."""
        return tuple(part.cells for part in self.parts)

    @property
    def reach(self) -> int:
        """How many outputs one person can cause: all combinations."""
        return prod(part.reach for part in self.parts)

    @property
    def bits(self) -> Bits:
        """The price of one vector."""
        return Bits(self.reach)

    @property
    def entropy_of_record(self) -> Bits | None:
        """H0 of the vector; None when a coordinate is a continuum."""
        entropies = [part.entropy_of_record for part in self.parts]
        known = [entropy for entropy in entropies if entropy is not None]
        return reduce(Bits.__add__, known) if len(known) == len(entropies) else None

    @property
    def worst_error(self) -> Fraction:
        """The largest weighted error of a coordinate."""
        errors = zip(self.weights, self.parts, strict=True)
        return max(weight * part.worst_error for weight, part in errors)

    def release(self, values: Sequence[Rational]) -> tuple[CellInterval, ...]:
        """What is published about one exact vector: a box that certainly holds it."""
        return tuple(part.release(value) for part, value in zip(self.parts, values, strict=True))

    def encode(
        self,
        readings: Sequence[Any],
        *,
        clamp: bool = False,
        floats: Floats = "binary",
    ) -> tuple[CodeArray, ...]:
        """The cells of many vectors: an array for each coordinate, as `LocalQuantizer.encode`."""
        if len(readings) != len(self.parts):
            raise RequestError(f"{len(self.parts)} coordinates are declared, {len(readings)} given")
        columns = zip(self.parts, readings, strict=True)
        return tuple(part.encode(column, clamp=clamp, floats=floats) for part, column in columns)


def _weights(spans: Mapping[str, Span], weights: Mapping[str, Rational] | None) -> tuple[Fraction, ...]:
    if not spans:
        raise RequestError("a vector has at least one coordinate")
    given = weights or {}
    if unknown := given.keys() - spans.keys():
        raise RequestError(f"weights are given for {', '.join(sorted(unknown))}, which is no coordinate")
    found = tuple(Fraction(given.get(name, 1)) for name in spans)
    if min(found) <= 0:
        raise RequestError("a weight is a number above 0")
    return found


def _split(spans: Sequence[Span], weights: Sequence[Fraction], reach: int) -> list[int]:
    """The cells of each coordinate: halve the error while that fits, then refine the worst, one at a time.

    All counts are always the fewest for some error, so that refining the worst coordinate until it no longer
    fits ends at the smallest worst error.
    """

    def fewest(error: Fraction) -> list[int]:
        return [cells_for_error(span, error / weight) for span, weight in zip(spans, weights, strict=True)]

    low, high = Fraction(0), max(w * span.width for w, span in zip(weights, spans, strict=True))
    cells = [1] * len(spans)
    for _ in range(_HALVINGS if high else 0):
        middle = (low + high) / 2
        tried = fewest(middle)
        if prod(tried) <= reach:
            cells, high = tried, middle
        else:
            low = middle
    _refine(cells, spans, weights, reach)
    return cells


def _refine(cells: list[int], spans: Sequence[Span], weights: Sequence[Fraction], reach: int) -> None:
    """Give the worst coordinate that can still improve the fewest cells that do improve it."""
    left = set(range(len(cells)))
    while left:
        errors = {i: weights[i] * LocalQuantizer.finest(spans[i], cells[i]).worst_error for i in left}
        worst = max(left, key=lambda i: errors[i])
        better = _next_cells(spans[worst], cells[worst]) if errors[worst] else None
        if better is None or prod(cells) // cells[worst] * better > reach:
            left.remove(worst)
        else:
            cells[worst] = better


def _next_cells(span: Span, cells: int) -> int | None:
    """The fewest cells whose worst error is below that of `cells`; None when there are none."""
    if not isinstance(span, Lattice):
        return cells + 1
    points = -(-(span.last + 1) // cells) - 1
    return -(-(span.last + 1) // points) if points else None
