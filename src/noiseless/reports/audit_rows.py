"""What a page or a text says about an audit, in rows ready to be shown."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.audits import Audit, TableExposure
from noiseless.audits.under_rules import UnderRules, below, change_text, distance_text
from noiseless.display import counted
from noiseless.exact import Bits
from noiseless.rules.totals import Totals

_MOST_SIZES = 12
"""Up to this many different sizes each has a bin of its own; beyond, bins double in width."""


@dataclass(frozen=True)
class Status:
    """The verdict in a word; `mark` names its shape and colour."""

    mark: str
    words: str


def status_of(audit: Audit) -> Status:
    """How private a release is for the target that fares worst, all sensitive columns together included."""
    return worst_status((target.min_posterior, target.sensitive_values) for target in audit.targets)


def worst_status(targets: Iterable[tuple[int, int]]) -> Status:
    """The same for pairs: how many values are left at worst, and of how many."""
    hidden = [(left, values) for left, values in targets if values > 1]
    if not hidden:
        return Status("void", "Nothing to protect")
    if any(left == 1 for left, _ in hidden):
        return Status("bad", "Not private")
    if all(left == values for left, values in hidden):
        return Status("good", "Private")
    return Status("partly", "Partly private")


@dataclass(frozen=True)
class SideRow:
    """What one kind of adversary learns."""

    knows: str
    leaked: Bits
    left: int


def side_rows(audit: Audit) -> list[SideRow]:
    """The side information by itself, the release by itself, and both; empty when there is none."""
    side = audit.side_information
    if side is None:
        return []
    alone = int(audit.sensitive_values / side.leakage_alone.ratio)
    return [
        SideRow("only the side information", side.leakage_alone, alone),
        SideRow("only the release", side.leakage_without, side.min_posterior_without),
        SideRow("both", side.leakage_total, audit.min_posterior),
    ]


class ChangeRow(NamedTuple):
    """What rules did to a column."""

    column: str
    values: str
    rows: int
    largest: str


def change_rows(rules: UnderRules) -> list[ChangeRow]:
    """What became of each coarsened column."""
    return [
        ChangeRow(c.column, f"{c.before:,} → {c.after:,}", c.changed_rows, change_text(c))
        for c in rules.changes
    ]


class TotalRow(NamedTuple):
    """The totals of one column."""

    column: str
    rules: str
    told: int
    withheld: int
    contributors: int
    alone: int
    bits: str
    error: str
    row: str
    values: dict[str, Any] | None


def total_rows(totals: tuple[Totals, ...]) -> list[TotalRow]:
    """What the totals of each column give away."""
    return [
        TotalRow(
            t.column,
            ", ".join(rule.text for rule in t.rules),
            t.told,
            t.withheld,
            t.contributors,
            t.alone,
            t.bits.rounded_up(2),
            "" if t.closest is None else below(t.closest.error),
            "" if t.closest is None or t.closest.first_row is None else f"{t.closest.first_row:,}",
            None if t.closest is None else t.closest.values,
        )
        for t in totals
    ]


def finest_text(rules: UnderRules) -> str:
    """The finest cells that leave as many values possible, or why they are not told."""
    finest = rules.finest
    if finest is None:
        return f"Not compared with chosen cells: {rules.finest_reason}."
    if not finest.largest_change:
        left = counted(finest.min_posterior, "values")
        return f"Not compared with chosen cells: the table as it is leaves no fewer at worst ({left})."
    return (
        f"The finest cells of {finest.column} that leave as many values: {counted(finest.cells, 'cells')}, "
        f"at least {finest.min_posterior:,} left, largest change "
        f"{distance_text(finest.largest_change, days=finest.days)};"
        f" I* {finest.maximin.rounded_up(2)} bits, k-anonymity {finest.k_anonymity:,}."
    )


@dataclass(frozen=True)
class PosteriorBin:
    """The groups whose posterior sets have `first` to `last` values.

    Attributes:
        first: the smallest size.
        last: the largest size.
        groups: how many groups there are.
        heads: how many rows (different persons) are in them.
    """

    first: int
    last: int
    groups: int
    heads: int

    @property
    def label(self) -> str:
        """The sizes in words: '2', '3-4'."""
        return f"{self.first:,}" + (f"\u2013{self.last:,}" if self.last > self.first else "")


def posterior_bins(exposure: TableExposure) -> tuple[PosteriorBin, ...]:
    """The sizes of an exposure's posterior sets, ascending; size 1 is there even when it is empty."""
    return _bins(exposure.census.joint.posterior_sizes, exposure.census.heads_in)


def cell_bins(posteriors: IntArray, rows: IntArray) -> tuple[PosteriorBin, ...]:
    """The same of a release's cells.

    >>> [(b.label, b.groups, b.heads) for b in cell_bins(np.array([5, 7, 5]), np.array([40, 3, 2]))]
    [('1', 0, 0), ('5', 2, 42), ('7', 1, 3)]

    Args:
        posteriors: how many values each cell leaves.
        rows: how many rows it has.
    """
    return _bins(posteriors, lambda inside: int(rows[inside].sum()))


def _bins(sizes: IntArray, heads: Callable[[BoolArray], int]) -> tuple[PosteriorBin, ...]:
    present = np.unique(sizes).tolist()
    smallest, largest = present[0], present[-1]
    spans = [(size, size) if len(present) <= _MOST_SIZES else _doubling(size) for size in present]
    bins = list[PosteriorBin]()
    for first, last in dict.fromkeys([(1, 1), *spans]):
        # Sizes below the smallest that occurs, or above the largest, are not named; an empty bin stays.
        low, high = (max(first, smallest) if last >= smallest else first), min(last, largest)
        inside = (low <= sizes) & (sizes <= high)
        bins.append(PosteriorBin(low, high, int(np.count_nonzero(inside)), heads(inside)))
    return tuple(bins)


def _doubling(size: int) -> tuple[int, int]:
    """The bin 1, 2, 3-4, 5-8, 9-16, ... that holds a size: one more bit is left in each."""
    bits = (size - 1).bit_length()
    return (2 ** (bits - 1) + 1 if bits else 1), 2**bits
