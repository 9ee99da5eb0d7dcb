"""A person's readings over time: what tells each one, and a budget that is kept to exactly."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import floor
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from noiseless.collection.local.scalar import LocalQuantizer
from noiseless.collection.local.vectors import LocalVector
from noiseless.errors import RequestError
from noiseless.exact import Rational, log2_bounds, round_up
from noiseless.pricing.reach import allowed_reach
from noiseless.ranges.spans import Span

LocalMechanism = LocalQuantizer | LocalVector
"""What tells one reading of a person, of one number or of several."""

WhenSpent = Literal["stop", "coarsen"]
"""What happens to a person whose bits run out: nothing is told any more, or less and less."""

_TELLS_SOMETHING = 2
"""The fewest outputs that are no constant."""


@dataclass(frozen=True)
class Spending:
    """What readings tell together: the sum of readings * log2(reach), never rounded.

    >>> two = Spending(((3, 2), (4, 1)))
    >>> two.is_within(Fraction(6)), two.is_within(Fraction(5)), Spending(((4, 3),)).is_within(Fraction(6))
    (True, False, True)

    Attributes:
        parts: pairs of a reach and how many readings have it.
    """

    parts: tuple[tuple[int, int], ...] = ()

    def and_also(self, reach: int, readings: int) -> "Spending":
        """This and more readings."""
        return Spending((*self.parts, (reach, readings)))

    def bounds(self, digits: int = 50) -> tuple[Fraction, Fraction]:
        """Rationals below and above the bits; equal when every reach is a power of 2."""
        ends = [
            (n * low, n * high) for r, n in self.parts for low, high in [log2_bounds(Fraction(r), digits)]
        ]
        return sum((low for low, _ in ends), Fraction(0)), sum((high for _, high in ends), Fraction(0))

    def is_within(self, bits: Fraction) -> bool:
        """Whether a budget pays for it, decided exactly: a sum that is not a whole number is irrational."""
        digits = 50
        while True:
            low, high = self.bounds(digits)
            if high <= bits:
                return True
            if low > bits:
                return False
            digits *= 2

    @property
    def bits(self) -> float:
        """The bits, rounded up."""
        return round_up(self.bounds()[1])


@dataclass(frozen=True)
class Stage:
    """A number of readings of a person, published by one mechanism; None: without end."""

    mechanism: LocalMechanism
    readings: int | None


@dataclass(frozen=True)
class Schedule:
    """What each reading of a person tells, by its number; after the last stage nothing is told.

    >>> from noiseless.questions import Continuum
    >>> fine = LocalQuantizer.finest(Continuum.of(0, 10), 16)
    >>> [(stage.mechanism.cells, stage.readings) for stage in Schedule.coarsening(fine, 64).stages]
    [(16, 8), (8, 5), (4, 4), (2, 9)]
    """

    stages: tuple[Stage, ...]

    @classmethod
    def endless(cls, mechanism: LocalMechanism) -> "Schedule":
        """Every reading alike, without a budget over time."""
        return cls((Stage(mechanism, None),))

    @classmethod
    def of(cls, mechanism: LocalMechanism, bits: Rational, when_spent: WhenSpent) -> "Schedule":
        """The schedule of a rule: `stopping` or `coarsening`."""
        return cls.stopping(mechanism, bits) if when_spent == "stop" else cls.coarsening(mechanism, bits)

    @classmethod
    def stopping(cls, mechanism: LocalMechanism, bits: Rational) -> "Schedule":
        """As many readings as the budget pays for, then nothing."""
        if mechanism.reach == 1:
            return cls.endless(mechanism)
        return cls((Stage(mechanism, affordable(mechanism.reach, _budget(bits))),))

    @classmethod
    def coarsening(cls, mechanism: LocalMechanism, bits: Rational) -> "Schedule":
        """Half the cells whenever half of what was left of the budget is spent.

        The last stage, of two or three outputs, spends what is left; then nothing is told.
        """
        if mechanism.reach == 1:
            return cls.endless(mechanism)
        stages, spent, limit, allowed = [], Spending(), _budget(bits), Fraction(0)
        for current in _halved(mechanism):
            allowed = limit if current.halved() is None else (limit + allowed) / 2
            readings = affordable(current.reach, allowed, spent)
            spent = spent.and_also(current.reach, readings)
            stages.append(Stage(current, readings))
        return cls(tuple(stages))

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The number, from 0, of the first reading after each stage that ends."""
        return tuple(accumulate(stage.readings for stage in self.stages if stage.readings is not None))

    def spending(self, readings: int | None = None) -> Spending:
        """What the first `readings` readings of a person tell together; without a number, all of them.

        Raises:
            RequestError: the schedule has no end, and no number was given.
        """
        found, left = Spending(), readings
        for stage in self.stages:
            if left is None and stage.readings is None:
                raise RequestError("endless readings leak more than any budget; say how many there are")
            taken = min(n for n in (left, stage.readings) if n is not None)
            found = found.and_also(stage.mechanism.reach, taken)
            left = None if left is None else left - taken
        return found


def _halved(mechanism: LocalMechanism) -> Iterator[LocalMechanism]:
    """The mechanism, one of half as many outputs, and so on while there are two or more."""
    current: LocalMechanism | None = mechanism
    while current is not None:
        yield current
        current = current.halved()


def affordable(reach: int, bits: Fraction, spent: Spending | None = None) -> int:
    """How many readings of a reach fit into a budget: the largest T with spent + T log2(reach) <= bits.

    >>> affordable(3, Fraction(8)), affordable(16, Fraction(8))
    (5, 2)
    """
    already = spent or Spending()
    left = bits - already.bounds()[0]
    most = max(0, floor(left / log2_bounds(Fraction(reach))[0]))
    while most and not already.and_also(reach, most).is_within(bits):
        most -= 1
    return most


def _budget(bits: Rational) -> Fraction:
    budget = Fraction(bits)
    if budget < 0:
        raise RequestError("a budget is a number of bits, 0 or more")
    return budget


@dataclass
class Meters:
    """Readings of many persons as they arrive, in chunks; how many each one has had is all that is kept.

    >>> import pyarrow as pa
    >>> from noiseless.questions import Continuum
    >>> fine = LocalQuantizer.finest(Continuum.of(0, 8), 4)
    >>> meters = Meters(Schedule.stopping(fine, 4))
    >>> meters.stages(pa.array(["a", "b", "a", "a"])).tolist(), meters.counts, meters.silent
    ([0, 0, 0, 1], {'a': 3, 'b': 1}, 1)

    Attributes:
        schedule: what each reading of a person tells.
        counts: how many readings each person has had.
        silent: how many readings came when nothing was to be told any more.
    """

    schedule: Schedule
    counts: dict[Hashable, int] = field(default_factory=dict)
    silent: int = 0

    def stages(self, persons: pa.Array) -> npt.NDArray[np.int64]:
        """The stage of each reading of a chunk, which are counted by this; past the last: nothing is told."""
        coded = persons.dictionary_encode(null_encoding="encode")
        distinct = coded.dictionary.to_pylist()
        codes: npt.NDArray[np.int64] = coded.indices.to_numpy().astype(np.int64)
        before = np.array([self.counts.get(person, 0) for person in distinct], np.int64)
        numbers = before[codes] + _occurrences(codes)
        totals = np.bincount(codes, minlength=len(distinct))
        self.counts.update(zip(distinct, (before + totals).tolist(), strict=True))
        found = np.searchsorted(np.array(self.schedule.ends, np.int64), numbers, side="right")
        self.silent += int(np.count_nonzero(found >= len(self.schedule.stages)))
        return found


def local_mechanism(
    spans: Mapping[str, Span],
    *,
    budget: Rational | None = None,
    reach: int | None = None,
    max_error: Rational | None = None,
    missing: bool = False,
) -> LocalMechanism:
    """What tells one reading of a person, of one column or of several.

    >>> from noiseless.questions import Continuum
    >>> local_mechanism({"kwh": Continuum.of(0, 10)}, budget=4).worst_error
    Fraction(5, 16)

    Args:
        spans: the domain of each column.
        budget: the bits that a reading may tell; several columns share them.
        reach: the same as a whole number of outputs.
        max_error: the largest tolerated error, of each column, instead.
        missing: whether a missing value is told too, as one more output.

    Raises:
        RequestError: not exactly one limit is given, or it allows a constant only.
    """
    if sum(limit is not None for limit in (budget, reach, max_error)) != 1:
        raise RequestError(
            "give a budget (--budget 2) or a largest error (--max-error 0.5), and only one of them"
        )
    if missing and len(spans) > 1:
        raise RequestError("missing values are published for one column only; drop them, or fill them")
    (name, span), *others = spans.items()
    if max_error is not None:
        if others:
            return LocalVector.coarsest(spans, max_error)
        return LocalQuantizer.coarsest(span, max_error, name, missing=missing)
    allowed = int(reach or 0) if budget is None else allowed_reach(budget)
    if allowed < _TELLS_SOMETHING:
        raise RequestError(
            "a budget below one bit allows one output only, a constant that says nothing; give 1 bit or more"
        )
    if others:
        return LocalVector.finest(spans, allowed)
    return LocalQuantizer.finest(span, allowed, name, missing=missing)


def _occurrences(codes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """How often each code has occurred before its place."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(codes) else codes
    lengths = np.diff(np.append(starts, len(codes)))
    found = np.empty(len(codes), np.int64)
    found[order] = np.arange(len(codes)) - np.repeat(starts, lengths)
    return found
