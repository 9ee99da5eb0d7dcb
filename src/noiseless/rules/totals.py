"""Totals told under a rule of dominance: which are, and what they give away."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from noiseless.arrays import BoolArray
from noiseless.display import json_value
from noiseless.exact import Bits, round_down
from noiseless.rules import Dominance
from noiseless.rules.contributions import Contributions, contributions
from noiseless.tables import Tally
from noiseless.tables.kernels import distinct_values, run_starts

_HAIR = 1e-12
"""More than the rounding of a quotient of floats."""


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
    if unit is None:
        return int(parts.counts[chosen].sum())
    return len(distinct_values(parts.codes(unit)[chosen]))


def _different(tally: Tally, column: str, public: Sequence[str], unit: str | None) -> int:
    """How many different contributions there are, a missing one included."""
    if unit is None:
        return len(tally.project((column,)))
    parts = tally.project((*public, unit, column))
    persons = parts.prefix(len(public) + 1)
    some_missing = len(run_starts(persons)) > len(run_starts(persons[parts.codes(column) > 0]))
    parted = contributions(parts, column, len(public), by_person=True)
    return len(set[int]().union(*(given.amounts.tolist() for given in parted))) + some_missing


def _closest(given: Contributions, chosen: BoolArray) -> Closest | None:
    """The first of the chosen groups in which the second largest contributor overestimates the least."""
    places = np.flatnonzero(chosen)
    if not len(places):
        return None
    rest, largest = given.rest[places], given.largest[places]
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
    return Closest(int(given.group[place]), int(given.number[place]), Fraction(tops[best], bottoms[best]))


def _closer(one: Closest | None, other: Closest | None) -> Closest | None:
    """The closer of two, among equals the first group."""
    found = [closest for closest in (one, other) if closest is not None]
    return min(found, key=lambda closest: (closest.error, closest.group), default=None)
