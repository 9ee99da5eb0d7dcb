"""Who stands behind each answer: the joint range of a sensitive and a public side, with head counts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from noiseless.ranges import JointRange
from noiseless.tables import IntArray, Tally
from noiseless.tables.kernels import run_starts


@dataclass(frozen=True, eq=False)
class Census:
    """A joint range [[S, Y]] with counts, S sensitive and Y what an adversary sees.

    A *group* is a value of Y, its *posterior set* is [[S|y]]. Counts are rows, or persons where a unit is named.

    Attributes:
        joint: the joint range.
        pair_counts: how many rows (persons) have each pair.
        group_sizes: how many rows (persons) are in each group.
        ordered: whether the order of the sensitive values means something.
    """

    joint: JointRange
    pair_counts: IntArray
    group_sizes: IntArray
    ordered: bool

    @classmethod
    def take(cls, tally: Tally, seen: Sequence[str], sensitive: Sequence[str], unit: str | None) -> "Census":
        """Count from a tally of at least the columns `seen`, `sensitive` and `unit`."""
        width = len(seen)
        if unit is None:
            pairs = tally.project((*seen, *sensitive))
            sizes = None
        else:
            persons = tally.project((*seen, *sensitive, unit)).counted_once()
            pairs = persons.project((*seen, *sensitive))
            members = tally.project((*seen, unit)).counted_once()
            sizes = members.project(seen).counts
        joint = JointRange.from_tally(pairs, width)
        if sizes is None:
            sizes = np.add.reduceat(pairs.counts, joint.starts[:-1])
        ordered = len(sensitive) == 1 and pairs.coding(sensitive[0]).ordered
        return cls(joint, pairs.counts, sizes, ordered)

    def persons_with_posterior(self, size: int) -> int:
        """How many rows (persons) sit in groups whose posterior set has `size` values."""
        return int(self.group_sizes[self.joint.posterior_sizes == size].sum())


def cells_of_groups(tally: Tally, width: int, group_width: int) -> IntArray:
    """For each group (the first `group_width` columns), the number of its cell (the first `width` of these)."""
    groups = tally.prefix(group_width)
    keys = tally.prefix(width)[run_starts(groups)]
    starts = np.zeros(len(keys), np.int64)
    starts[run_starts(keys)[1:]] = 1
    return np.cumsum(starts)
