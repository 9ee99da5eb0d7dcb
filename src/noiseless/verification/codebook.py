"""Whether released tuples cover their cells, and how far they are from the public values at most.

All of it follows from the certificate, once its members are known to be the public values. Distances are
whole numbers of a unit, a fraction, so that they are exact and add up fast.
"""

# ruff: noqa: B905 - Python 3.9 runs this

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from noiseless.verification.certificate import Cell, CertifiedRelease, Options, Tuple
from noiseless.verification.generalisation import GeneralisationTree, interval_text, read_set
from noiseless.verification.quantities import ExactLength, is_number, point_in_time

_COUNTING = ("hamming", "discrete")
_SQUARING = ("euclidean", "squared")
_LONGEST = 10**500
"""Larger scales are not computed with: sums of squares would have thousands of digits."""


class CheckedColumn:
    """A public column of the codebook; with a medoid, what is released for a cell is one of its members.

    Attributes:
        unit: what a difference of 1 is.
    """

    unit = Fraction(1)

    def __init__(self, codeword: str) -> None:
        self.codeword = codeword

    def covers(self, word: str | None, parts: Tuple) -> bool:
        """Whether what is released covers the members' values."""
        raise NotImplementedError

    def medoid(self, word: str | None, parts: Tuple) -> str | None:
        """The value that is released, where one of the members' is."""
        del parts
        return word

    def differences(self, word: str | None, parts: Tuple) -> Sequence[int]:
        """How far each member is from what is released for it."""
        raise NotImplementedError

    def differing(self, word: str | None, parts: Tuple) -> Sequence[int]:
        """Whether each member differs from the medoid, or the cell has several values."""
        if self.codeword != "medoid":
            return [int(len(set(parts)) > 1)] * len(parts)
        one = self.medoid(word, parts)
        return [int(part != one) for part in parts]


class LineColumn(CheckedColumn):
    """A column of numbers, each the decimal that its text says, or of days and moments, in days.

    What is neither (a missing value, a text) is merged only with its like, and released as it is.
    """

    def __init__(self, codeword: str, values: set[str | None], words: set[str | None], *, days: bool) -> None:
        super().__init__(codeword)
        texts = [text for text in values | words if text is not None]
        if days:
            points = {text: point for text in texts if (point := point_in_time(text)) is not None}
            parts = math.lcm(*(point.denominator for point in points.values()))
            self._numbers = {text: int(point * parts) for text, point in points.items()}
        else:
            plain = list(filter(is_number, texts))
            places = max((len(text.partition(".")[2]) for text in plain), default=0)
            parts = 10**places
            self._numbers = {text: _scaled(text, places) for text in plain}
        self._step = Fraction(1, parts)
        self._texts = {number: text for text, number in self._numbers.items()}
        self._values = [self._numbers[text] for text in self._numbers if text in values]
        self.unit = self._step / (2 if codeword == "interval" else 1)

    def _of(self, parts: Tuple) -> list[int] | None:
        """The members' numbers, if all have one."""
        numbers = [self._numbers.get(part) for part in parts]  # type: ignore[arg-type]  # None has none
        return None if None in numbers else numbers  # type: ignore[return-value]  # as was just seen

    def covers(self, word: str | None, parts: Tuple) -> bool:
        """Whether it lies between the ends, is the interval of these, or is the one value there is."""
        numbers = self._of(parts)
        if numbers is None:
            return set(parts) == {word}
        low, high = min(numbers), max(numbers)
        if self.codeword == "interval":
            return word == interval_text(self._texts[low], self._texts[high])
        released = self._numbers.get(word)  # type: ignore[arg-type]  # None has none
        return released is not None and low <= released <= high

    def differences(self, word: str | None, parts: Tuple) -> Sequence[int]:
        """Distances to what is released; of an interval, from its middle to its ends."""
        numbers = self._of(parts)
        if numbers is None or word is None:
            return [0] * len(parts)
        if self.codeword == "interval":
            return [max(numbers) - min(numbers)] * len(parts)
        released = self._numbers[word]
        return [abs(number - released) for number in numbers]

    def within(self, span: tuple[Fraction, Fraction]) -> bool:
        """Whether all numbers or days lie in a declared range."""
        values = self._values
        return not values or (span[0] <= min(values) * self._step and max(values) * self._step <= span[1])


def _scaled(text: str, places: int) -> int:
    """A number as a whole multiple of the last decimal place."""
    whole, _, tail = text.partition(".")
    return int(whole + tail.ljust(places, "0"))


class NominalColumn(CheckedColumn):
    """A column of categories: two are equal or they are not."""

    def covers(self, word: str | None, parts: Tuple) -> bool:
        """Whether it is exactly the set of the members' categories."""
        if self.codeword == "medoid":  # then the whole tuple is a member's
            return True
        values = frozenset(parts)
        if word is None or values == {None}:
            return word is None and values == {None}
        return values == {word} or read_set(word) == values

    def medoid(self, word: str | None, parts: Tuple) -> str | None:
        """The category that is released, without the quotes it may stand in."""
        meant = None if word is None or word in parts else read_set(word)
        return next(iter(meant)) if meant is not None and len(meant) == 1 else word

    def differences(self, word: str | None, parts: Tuple) -> Sequence[int]:
        """0 or 1."""
        return self.differing(word, parts)


class HierarchyColumn(CheckedColumn):
    """A column of categories that are released as a node above them."""

    def __init__(self, codeword: str, tree: GeneralisationTree | None) -> None:
        super().__init__(codeword)
        self.tree = tree
        self._known: dict[tuple[str | None, str | None], int] = {}

    def covers(self, word: str | None, parts: Tuple) -> bool:
        """Whether it is a node above all members."""
        if self.tree is None:
            return False
        return self.codeword == "medoid" or self.tree.cost(word, set(parts)) is not None

    def differences(self, word: str | None, parts: Tuple) -> Sequence[int]:
        """What the released node costs; with a medoid, the lowest node above it and the member."""
        tree = self.tree
        if tree is None:  # then no cell is covered
            raise ValueError
        if self.codeword != "medoid":
            return [tree.cost(word, set(parts)) or 0] * len(parts)
        for part in set(parts):
            if (part, word) not in self._known:
                self._known[part, word] = tree.between(part, word)
        return [self._known[part, word] for part in parts]


@dataclass(frozen=True, eq=False)
class CertifiedCodebook:
    """What is released for each cell that is not suppressed, column by column.

    Attributes:
        certificate: where it is stated.
    """

    certificate: CertifiedRelease

    @property
    def _options(self) -> Options:
        return self.certificate.options

    @cached_property
    def _shown(self) -> list[Cell]:
        return [cell for cell in self.certificate.cells if not cell.suppressed]

    @cached_property
    def _columns(self) -> Mapping[str, CheckedColumn]:
        return {name: self._column(place, name) for place, name in enumerate(self.certificate.columns.public)}

    def _column(self, place: int, name: str) -> CheckedColumn:
        options, cells = self._options, self.certificate.cells
        kind, codeword = options.kinds[name], options.codeword
        if kind == "category":
            return NominalColumn(codeword)
        values = {member[place] for cell in cells for member in cell.members}  # of suppressed cells too
        if kind == "hierarchy":
            hierarchy = self.certificate.hierarchies[name]
            return HierarchyColumn(
                codeword, GeneralisationTree.grow(hierarchy, values, options.hierarchy_cost)
            )
        words = {cell.released[place] for cell in self._shown}
        return LineColumn(codeword, values, words, days=kind == "date")

    def uncovered(self) -> dict[str, int]:
        """For each column how many cells are released as something that does not cover their members.

        With `medoid` also how many cells are not released as one of their members.
        """
        faults = {f"column {name!r}": 0 for name in self._columns}
        faults["the medoid"] = 0
        columns = list(zip(faults, self._columns.values()))
        for cell in self._shown:
            parts = list(zip(*cell.members))
            for (where, column), word, values in zip(columns, cell.released, parts):
                faults[where] += not column.covers(word, values)
            if self._options.codeword == "medoid":
                words = zip(self._columns.values(), cell.released, parts)
                faults["the medoid"] += tuple(c.medoid(word, of) for c, word, of in words) not in cell.members
        return {where: count for where, count in faults.items() if count}

    def scale_fault(self) -> str | None:
        """What is wrong with weights, and with the declared ranges that the distance of Gower divides by."""
        for name, column in self._columns.items():
            if self._options.distance == "gower" and isinstance(column, LineColumn):
                span = self._options.spans.get(name)
                if span is None or not column.within(span):
                    return f"column {name!r} has no declared range that holds all its numbers"
        factors, one = self._factors
        if max(one.denominator, *factors) > _LONGEST:
            return "weights and declared ranges have too many digits"
        return None

    @cached_property
    def _factors(self) -> tuple[list[int], Fraction]:
        """For each column what to multiply its differences with, and what 1 is then."""
        units = [self._unit(name, column) for name, column in self._columns.items()]
        below = 1
        for unit in units:
            below = below * unit.denominator // math.gcd(below, unit.denominator)
        return [int(unit * below) for unit in units], Fraction(1, below)

    def _unit(self, name: str, column: CheckedColumn) -> Fraction:
        """What a difference of 1 in a column weighs."""
        options = self._options
        weight = options.weights.get(name, Fraction(1))
        if options.distance in _COUNTING:
            return weight if isinstance(column, NominalColumn) else Fraction(1)
        unit = column.unit * weight
        if options.distance == "gower":
            unit /= len(self._columns)
            if isinstance(column, HierarchyColumn) and column.tree is not None:
                unit /= max(1, column.tree.largest_cost)
            if isinstance(column, LineColumn):
                low, high = options.spans[name]
                unit /= high - low
        return unit

    def distances(self, cell: Cell) -> list[int]:
        """How far each member of a cell is from what is released, on one scale; squared if Euclidean.

        All released tuples must be known to cover their cells, and declared ranges to be there.
        """
        terms = list(self._terms(cell))
        if self._options.distance in ("max", "discrete"):
            return list(map(max, zip(*terms)))
        if self._options.distance in _SQUARING:
            terms = [[number * number for number in term] for term in terms]
        return terms[0] if len(terms) == 1 else list(map(sum, zip(*terms)))

    def _terms(self, cell: Cell) -> Iterator[list[int]]:
        counting = self._options.distance in _COUNTING
        parts = zip(*cell.members)
        for column, factor, word, values in zip(
            self._columns.values(), self._factors[0], cell.released, parts
        ):
            different = column.differing(word, values) if counting else column.differences(word, values)
            yield [factor * number for number in different]

    @cached_property
    def worst(self) -> int:
        """The largest distance, on the scale of `distances`."""
        return max((max(self.distances(cell)) for cell in self._shown), default=0)

    @property
    def distortion(self) -> ExactLength:
        """The largest distance."""
        unit = self._factors[1]
        if self._options.distance in _SQUARING:
            squared = self.worst * unit**2
            return ExactLength(squared if self._options.distance == "euclidean" else squared**2)
        return ExactLength((self.worst * unit) ** 2)
