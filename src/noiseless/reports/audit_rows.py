"""What a page or a text says about an audit, in rows ready to be shown."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.display import counted, percent_above
from noiseless.exact import Bits

if TYPE_CHECKING:
    from noiseless.audits import Audit, TableExposure
    from noiseless.audits.under_rules import UnderRules
    from noiseless.rules.totals import Totals

_MOST_SIZES = 12
"""Up to this many different sizes each has a bin of its own; beyond, bins double in width."""


@dataclass(frozen=True)
class Status:
    """The verdict in a word; `mark` names its shape and colour."""

    mark: str
    words: str


def status_of(audit: "Audit") -> Status:
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


def side_rows(audit: "Audit") -> list[tuple[str, Bits, int]]:
    """What an adversary knows, the bits that leak to it, and how many values are left.

    The side information by itself, the release by itself, and both; empty when there is none.
    """
    side = audit.side_information
    if side is None:
        return []
    alone = int(audit.sensitive_values / side.leakage_alone.ratio)
    return [
        ("only the side information", side.leakage_alone, alone),
        ("only the release", side.leakage_without, side.min_posterior_without),
        ("both", side.leakage_total, audit.min_posterior),
    ]


def key_rows(audit: "Audit") -> list[tuple[str, str, str, str]]:
    """What somebody learns who knows only a key: k, the fewest values left, how often guesses are right."""
    return [
        (
            " + ".join(key),
            f"{worst.k_anonymity:,}",
            f"{worst.min_posterior:,}",
            percent_above(worst.best_guess),
        )
        for key, exposures in audit.by_key.items()
        for worst in (min(exposures, key=lambda exposure: exposure.min_posterior),)
    ]


def closest_words(totals: "Totals") -> tuple[str, str]:
    """How near one contributor comes to another's amount, and a row of that group; empty where none does."""
    from noiseless.audits.under_rules import below

    closest = totals.closest
    if closest is None:
        return "", ""
    return below(closest.error), "" if closest.first_row is None else f"{closest.first_row:,}"


def finest_text(rules: "UnderRules") -> str:
    """The finest cells that leave as many values possible, or why they are not told."""
    from noiseless.audits.under_rules import distance_text

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


def posterior_bins(exposure: "TableExposure") -> tuple[PosteriorBin, ...]:
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
