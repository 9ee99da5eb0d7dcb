"""Totals under a rule of dominance: who contributes, which are told, what they give away."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from noiseless.arrays import BoolArray, IntArray
from noiseless.display import json_value
from noiseless.errors import ColumnError
from noiseless.exact import Bits, round_down
from noiseless.rules.base import Dominance
from noiseless.rules.exact_values import exact_values
from noiseless.tables import Tally
from noiseless.tables.kernels import heads, ranked, run_starts

WholeArray = npt.NDArray[Any]
"""Whole numbers: of the machine where they fit, of Python where they do not."""

_MOST_WHOLE = 2**62
_MOST_DIGITS = 15
"""This many digits of a decimal survive a floating-point number."""


@dataclass(frozen=True, eq=False)
class Contributions:
    """The contributions to the totals of some groups, each group with one at least.

    Attributes:
        group: the number of each group.
        starts: where the amounts of each group begin, and how many there are at the end.
        amounts: what contributors give, ascending in each group.
        counts: how many contributors give so much.
    """

    group: IntArray
    starts: IntArray
    amounts: WholeArray
    counts: IntArray

    @cached_property
    def number(self) -> IntArray:
        """How many contributors each group has."""
        return np.add.reduceat(self.counts, self.starts[:-1])

    @cached_property
    def total(self) -> WholeArray:
        """The total of each group."""
        return np.add.reduceat(self.amounts * self.counts.astype(self.amounts.dtype), self.starts[:-1])

    def top(self, number: int) -> WholeArray:
        """What the `number` largest contributors give together, or all where there are fewer."""
        place, left = self.starts[1:] - 1, np.full(len(self.group), min(number, int(self.number.max())))
        found = np.zeros(len(self.group), self.amounts.dtype)
        active = np.arange(len(self.group))
        while len(active):
            here = place[active]
            taken = np.minimum(left[active], self.counts[here])
            found[active] += self.amounts[here] * taken.astype(self.amounts.dtype)
            left[active] -= taken
            place[active] -= 1
            active = active[(left[active] > 0) & (place[active] >= self.starts[active])]
        return found


def contributions(
    parts: Tally, column: str, width: int, *, by_person: bool, factor: int = 1
) -> Iterator[Contributions]:
    """Who contributes what: the groups whose numbers fit into the machine's, and those where they do not.

    Groups in which all amounts are missing have no contributor and do not occur.

    Args:
        parts: the combinations of the public columns, the person (if `by_person`), and `column`.
        column: the amounts.
        width: how many public columns there are.
        by_person: whether contributors are persons, each with the sum of their rows.
        factor: totals will be multiplied by as much.

    Raises:
        ColumnError: the column does not hold amounts.
    """
    known = np.flatnonzero(parts.codes(column) > 0)
    whole, place = _amounts(parts, column, known)
    keys, counts = parts.prefix(width), parts.counts[known].astype(np.int64)
    group_of = np.repeat(np.arange(len(run_starts(keys))), np.diff(run_starts(keys), append=len(keys)))[known]
    persons = parts.prefix(width + 1)[known] if by_person else None
    starts = run_starts(group_of)
    group, lengths = group_of[starts], np.diff(starts, append=len(known))
    small = _is_small(whole, place, counts, starts, factor)
    for kind, chosen in ((np.int64, small), (object, ~small)):
        if chosen.any():
            rows = np.repeat(chosen, lengths)
            amounts = whole[place[rows]].astype(kind)
            begins = np.append(0, np.cumsum(lengths[chosen]))
            of_whom = None if persons is None else persons[rows]
            yield _in_order(group[chosen], begins, amounts, counts[rows], of_whom)


def _is_small(
    whole: WholeArray, place: IntArray, counts: IntArray, starts: IntArray, factor: int
) -> BoolArray:
    """For each group whether its total, times a factor, is surely a whole number of the machine."""
    limit = _MOST_WHOLE / 2 / min(factor, _MOST_WHOLE)  # half of what there is: floats are a hair off
    if not len(starts) or float(min(max(whole.max(), 1), _MOST_WHOLE)) * float(counts.sum()) < limit:
        return np.ones(len(starts), bool)
    sizes = np.array([float(min(max(amount, 1), _MOST_WHOLE)) for amount in whole.tolist()])
    most = np.maximum.reduceat(sizes[place], starts)
    return np.asarray(most * np.add.reduceat(counts, starts).astype(float) < limit)


def _in_order(
    group: IntArray, starts: IntArray, amounts: WholeArray, counts: IntArray, persons: IntArray | None
) -> Contributions:
    """The contributions of rows, or of persons with the sum of theirs, ascending in each group."""
    if persons is not None:
        begins = run_starts(persons)
        amounts = np.add.reduceat(amounts * counts.astype(amounts.dtype), begins)
        starts, counts = np.searchsorted(begins, starts), np.ones(len(begins), np.int64)
    owners = np.repeat(np.arange(len(group)), np.diff(starts))
    if ((amounts[1:] < amounts[:-1]) & (owners[1:] == owners[:-1])).any():
        order = np.argsort(amounts, kind="stable")
        order = order[np.argsort(owners[order], kind="stable")]
        amounts, counts = amounts[order], counts[order]
    return Contributions(group, starts, amounts, counts)


# Exact amounts


def _amounts(parts: Tally, column: str, known: IntArray) -> tuple[WholeArray, IntArray]:
    """The different amounts, as whole multiples of one number, and which each combination has."""
    codes = parts.codes(column)[known]
    distinct, place = ranked(codes)
    values = parts.coding(column).decode(distinct)
    whole = _machine_amounts(values)
    if whole is None:
        whole = _python_amounts(column, values)
    if negative := int((whole < 0).sum()):
        raise ColumnError(
            column,
            f"has negative values, {negative:,} different; a rule about totals needs amounts from 0 up",
        )
    return whole, place


def _machine_amounts(values: pa.Array) -> WholeArray | None:
    """Amounts as whole numbers of the machine; None where that is not plain to see."""
    if not len(values):
        return np.empty(0, np.int64)
    if pt.is_integer(values.type) and not pt.is_uint64(values.type):
        return np.asarray(values.cast(pa.int64()))
    if pt.is_decimal128(values.type):
        limbs = np.frombuffer(values.buffers()[1], np.int64).reshape(-1, 2)[values.offset :][: len(values)]
        return limbs[:, 0] if bool((limbs[:, 1] == limbs[:, 0] >> 63).all()) else None
    return _scaled(values.to_numpy(zero_copy_only=False)) if pt.is_float64(values.type) else None


def _scaled(numbers: npt.NDArray[np.float64]) -> IntArray | None:
    """Floating-point numbers as multiples of a power of ten, if 15 digits write them all.

    Of the decimals of 15 digits at most one reads as a given float, so it is the shortest that does.
    """
    most = float(np.abs(numbers).max(initial=0.0))
    if not most < 10.0**_MOST_DIGITS:  # nor a number at all
        return None
    for digits in range(_MOST_DIGITS + 1):
        if most * 10.0**digits >= 10.0**_MOST_DIGITS:
            return None
        scaled = np.rint(numbers * 10.0**digits)
        if bool((scaled / 10.0**digits == numbers).all()):
            return scaled.astype(np.int64)
    return None


def _python_amounts(column: str, values: pa.Array) -> WholeArray:
    """Amounts of any kind as whole numbers of Python."""
    exact = exact_values(column, values)
    if any(isinstance(value, str) or hasattr(value, "toordinal") for value in exact):
        raise ColumnError(column, "does not hold numbers; a rule about totals needs amounts")
    found = np.empty(len(exact), object)
    found[:] = _whole_decimals(exact) if all(type(value) is Decimal for value in exact) else exact
    return found


def _whole_decimals(values: Sequence[Decimal]) -> list[int]:
    """Decimals as multiples of the last place that one of them has."""
    places = max(-int(value.as_tuple().exponent) for value in values)
    with localcontext(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN):
        return [int(value.scaleb(places)) for value in values]


_HAIR = 1e-12
"""More than the rounding of a quotient of floats."""


@dataclass(frozen=True)
class ClosestEstimate:
    """The told group in which one contributor comes closest to another's amount.

    The second largest contributor takes their own amount off the total: the largest has at most what remains.

    Attributes:
        group: the group, numbered by the public columns.
        contributors: how many rows (persons) contribute to its total.
        error: by which share of the largest amount that estimate is too high.
        first_row: the number of a row in the group, counted from 1; None when rows have no numbers.
        values: the group's public values, if asked for.
    """

    group: int
    contributors: int
    error: Fraction
    first_row: int | None = None
    values: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        plain: dict[str, Any] = {
            "contributors": self.contributors,
            "error": round_down(self.error),
            "error_exact": str(self.error),
            "first_row": self.first_row,
        }
        if self.values is not None:
            plain["values"] = {column: json_value(value) for column, value in self.values.items()}
        return plain


@dataclass(frozen=True)
class Totals:
    """The totals of one sensitive column by group, each told or withheld.

    Attributes:
        column: the sensitive column that is added up.
        rules: the rules that a total must pass to be told.
        told: how many totals are told.
        withheld: how many are withheld.
        contributors: how many rows (persons) contribute to a total that is told: anyone who knows the other
            contributors of the group computes the last one's amount.
        bits: what that gives away: log2 of how many different contributions there are (to all groups), a
            missing one included. A contribution is the amount of a row, or the sum of a person's rows.
        alone: how many totals are told that have one contributor: they are that contributor's amount.
        closest: the closest estimate that one contributor can make of another; None when no total of two or
            more is told.
    """

    column: str
    rules: tuple[Dominance, ...]
    told: int
    withheld: int
    contributors: int
    bits: Bits
    alone: int
    closest: ClosestEstimate | None

    @property
    def groups(self) -> int:
        """How many totals there are."""
        return self.told + self.withheld

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "column": self.column,
            "rules": [rule.text for rule in self.rules],
            "groups": self.groups,
            "told": self.told,
            "withheld": self.withheld,
            "contributors": self.contributors,
            "bits": self.bits.upper,
            "alone": self.alone,
            "closest": None if self.closest is None else self.closest.to_dict(),
        }


def totals_of(
    tally: Tally,
    column: str,
    public: Sequence[str],
    unit: str | None,
    rules: Sequence[Dominance],
    *,
    suppressed: BoolArray,
    groups: int,
    whole: Tally,
) -> Totals:
    """Hold the total of a column in every group of the public columns against rules.

    Missing amounts contribute nothing; where all are missing there is no total. Groups are compared in whole
    numbers, all at once.

    Args:
        tally: the combinations as they are told.
        column: the amounts, none of them negative.
        public: the public columns.
        unit: the column that names a person: a contributor is a person, and otherwise a row.
        rules: all must pass.
        suppressed: for each group whether it holds the rows that are withheld: its total is not told.
        groups: how many groups there were before any was suppressed.
        whole: the combinations before any was suppressed.

    Raises:
        ColumnError: the column does not hold amounts.
    """
    parts = tally.project((*public, *([unit] if unit else []), column))
    told, alone, closest = np.zeros(len(suppressed), bool), 0, None
    factor = max(rule.factor for rule in rules)
    for given in contributions(parts, column, len(public), by_person=unit is not None, factor=factor):
        passed = ~suppressed[given.group]
        for rule in rules:
            passed &= rule.passes_each(given).astype(bool)
        told[given.group[passed]] = True
        alone += int((passed & (given.number == 1)).sum())
        closest = _closer(closest, _closest(given, passed & (given.number > 1)))
    return Totals(
        column,
        tuple(rules),
        told=int(told.sum()),
        withheld=groups - int(told.sum()),
        contributors=_heads(parts, column, len(public), unit, told),
        bits=Bits(_different(whole, column, public, unit)),
        alone=alone,
        closest=closest,
    )


def _heads(parts: Tally, column: str, width: int, unit: str | None, told: BoolArray) -> int:
    """How many rows (different persons) contribute to the totals that are told."""
    starts = run_starts(parts.prefix(width))
    chosen = np.repeat(told, np.diff(starts, append=len(parts))) & (parts.codes(column) > 0)
    return heads(chosen, parts.counts, None if unit is None else parts.codes(unit))


def _different(tally: Tally, column: str, public: Sequence[str], unit: str | None) -> int:
    """How many different contributions there are, a missing one included."""
    if unit is None:
        return len(tally.project((column,)))
    parts = tally.project((*public, unit, column))
    persons = parts.prefix(len(public) + 1)
    some_missing = len(run_starts(persons)) > len(run_starts(persons[parts.codes(column) > 0]))
    parted = contributions(parts, column, len(public), by_person=True)
    return len(set[int]().union(*(given.amounts.tolist() for given in parted))) + some_missing


def _closest(given: Contributions, chosen: BoolArray) -> ClosestEstimate | None:
    """The first of the chosen groups in which the second largest contributor overestimates the least."""
    places = np.flatnonzero(chosen)
    if not len(places):
        return None
    rest, largest = (given.total - given.top(2))[places], given.top(1)[places]
    largest = np.where(largest == 0, 1, largest)  # nothing in all: all have nothing, an error of 0
    if rest.dtype != object:  # floats find those that may be the closest
        shares = rest / largest
        near = shares <= shares.min() * (1 + _HAIR)
        places, rest, largest = places[near], rest[near], largest[near]
    best = 0
    tops, bottoms = rest.tolist(), largest.tolist()
    for i in range(1, len(tops)):
        if tops[i] * bottoms[best] < tops[best] * bottoms[i]:
            best = i
    place = places[best]
    return ClosestEstimate(
        int(given.group[place]), int(given.number[place]), Fraction(tops[best], bottoms[best])
    )


def _closer(one: ClosestEstimate | None, other: ClosestEstimate | None) -> ClosestEstimate | None:
    """The closer of two, among equals the first group."""
    found = [closest for closest in (one, other) if closest is not None]
    return min(found, key=lambda closest: (closest.error, closest.group), default=None)
