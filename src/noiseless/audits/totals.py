"""Totals told under a rule of dominance: which are, and what they give away."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.audits.census import BoolArray
from noiseless.audits.exact_columns import exact_values
from noiseless.audits.witness import json_value
from noiseless.errors import ColumnError
from noiseless.exact import Bits, round_down
from noiseless.mechanisms.rules import Dominance
from noiseless.tables import Tally
from noiseless.tables.kernels import distinct_values, run_starts

_MOST_WHOLE = 2**62
"""Sums below this are added by machine."""


@dataclass(frozen=True)
class Closest:
    """The told group in which one contributor comes closest to another's amount.

    Whoever is second largest takes their own amount off the total: the largest has at most what remains.

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
        contributors: how many rows (persons) contribute to a total that is told: whoever knows the other
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
    closest: Closest | None

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

    Missing amounts contribute nothing. The total of suppressed rows is never told.

    Args:
        tally: the combinations as they are told.
        column: the amounts, none of them negative.
        public: the public columns.
        unit: the column that names a person: a contributor is a person, and otherwise a row.
        rules: all must pass.
        suppressed: for each group whether its rows are suppressed.
        groups: how many groups there were before any was suppressed.
        whole: the combinations before any was suppressed.

    Raises:
        ColumnError: the column does not hold amounts.
    """
    parts = tally.project((*public, *([unit] if unit else []), column))
    told, closest, alone = np.zeros(len(suppressed), bool), None, 0
    for group, amounts in _contributions(parts, column, len(public), by_person=unit is not None):
        if suppressed[group] or not amounts or not all(rule.passes(amounts) for rule in rules):
            continue
        told[group] = True
        if len(amounts) == 1:
            alone += 1
        elif closest is None or _error(amounts) < closest.error:
            closest = Closest(group, len(amounts), _error(amounts))
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
    keys = parts.prefix(width)
    chosen = told[np.searchsorted(keys[run_starts(keys)], keys)] & (parts.codes(column) > 0)
    if unit is None:
        return int(parts.counts[chosen].sum())
    return len(distinct_values(parts.codes(unit)[chosen]))


def _different(tally: Tally, column: str, public: Sequence[str], unit: str | None) -> int:
    """How many different contributions there are, a missing one included."""
    if unit is None:
        return len(tally.project((column,)))
    parts = tally.project((*public, unit, column))
    amounts, known = _amounts(parts, column)
    starts = run_starts(parts.prefix(len(public) + 1))
    sums = np.add.reduceat(amounts * parts.counts.astype(amounts.dtype), starts)
    has = np.logical_or.reduceat(known, starts)
    return len(set(sums[has].tolist())) + (not has.all())


def _error(amounts: Sequence[int]) -> Fraction:
    """By which share of the largest amount (the first) the second largest contributor overestimates it."""
    largest = amounts[0]
    return Fraction(sum(amounts[2:]), largest) if largest else Fraction(0)  # nothing in all: all have nothing


def _contributions(
    parts: Tally, column: str, width: int, *, by_person: bool
) -> Iterator[tuple[int, list[int]]]:
    """Each group with what its contributors have, the largest first, in units that are the same for all.

    Args:
        parts: the combinations of the public columns, the person (if `by_person`), and `column`.
        column: the amounts.
        width: how many public columns there are.
        by_person: whether contributors are persons, each with the sum of their rows.
    """
    amounts, known = _amounts(parts, column)
    starts = np.append(run_starts(parts.prefix(width)), len(parts))
    if by_person:
        amounts = amounts * parts.counts.astype(amounts.dtype)
        persons = parts.prefix(width + 1)
    for group, (begin, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        span = np.flatnonzero(known[begin:end]) + begin
        if by_person and len(span):
            found = np.add.reduceat(amounts[span], run_starts(persons[span]))
        else:
            found = np.repeat(amounts[span], parts.counts[span])
        yield group, np.sort(found)[::-1].tolist()


def _amounts(parts: Tally, column: str) -> tuple[npt.NDArray[Any], BoolArray]:
    """What each combination has, as whole multiples of one number, and whether it has any."""
    codes = parts.codes(column)
    distinct, place = np.unique(codes, return_inverse=True)
    values = exact_values(column, parts.coding(column).decode(distinct))
    if any(value is not None and not _is_number(value) for value in values):
        raise ColumnError(column, "does not hold numbers; a rule about totals needs amounts")
    if negative := sum(value is not None and value < 0 for value in values):
        raise ColumnError(
            column,
            f"has negative values, {negative:,} different; a rule about totals needs amounts from 0 up",
        )
    exact = [Fraction(0 if value is None else value) for value in values]
    bottom = lcm(*{value.denominator for value in exact})
    whole = [int(value * bottom) for value in exact]
    small = max(whole, default=0) * max(parts.total, 1) < _MOST_WHOLE
    return np.array(whole, np.int64 if small else object)[place.reshape(-1)], codes > 0


def _is_number(value: object) -> bool:
    return not isinstance(value, str) and not hasattr(value, "toordinal")
