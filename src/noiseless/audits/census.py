"""Who stands behind each answer: the joint range of a sensitive and a public side, with head counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from noiseless.arrays import BoolArray, IntArray
from noiseless.ranges import JointRange
from noiseless.tables import Tally
from noiseless.tables.kernels import add_runs, distinct_values, heads_by_code, run_starts


class Membership(NamedTuple):
    """Who is in which group, each person once a group (and, with several rows, in several groups)."""

    groups: IntArray
    persons: IntArray


@dataclass(frozen=True, eq=False)
class Census:
    """A joint range [[S, Y]] with head counts, S sensitive and Y what an adversary sees.

    A *group* is a value of Y, its *posterior set* is [[S|y]]. Heads are rows, or persons with a unit.

    Attributes:
        joint: the joint range.
        pair_counts: how many heads have each pair.
        group_sizes: how many heads are in each group.
        ordered: whether the order of the sensitive values means something.
        members: who is in which group, where heads are persons.
    """

    joint: JointRange
    pair_counts: IntArray
    group_sizes: IntArray
    ordered: bool
    members: Membership | None = None

    @classmethod
    def take(cls, tally: Tally, seen: Sequence[str], sensitive: Sequence[str], unit: str | None) -> "Census":
        """Count from a tally of at least the columns `seen`, `sensitive` and `unit`."""
        pairs = tally.project((*seen, *sensitive))
        ordered = len(sensitive) == 1 and pairs.coding(sensitive[0]).ordered
        joint = JointRange.from_tally(pairs, len(seen))
        if unit is None:
            return cls(joint, pairs.counts, add_runs(pairs.counts, joint.starts), ordered)
        holders = tally.project((*seen, *sensitive, unit)).counted_once().project((*seen, *sensitive))
        membership = tally.project((*seen, unit))
        starts, persons = membership.split_last()
        sizes = np.diff(starts)
        members = Membership(np.repeat(np.arange(len(sizes)), sizes), persons)
        return cls(joint, holders.counts, sizes, ordered, members)

    def heads_in(self, chosen: BoolArray) -> int:
        """How many rows (different persons) are in the chosen groups together."""
        if self.members is None:
            return int(self.group_sizes[chosen].sum())
        return len(distinct_values(self.members.persons[chosen[self.members.groups]]))

    def heads_by(self, codes: IntArray) -> IntArray:
        """How many rows (persons) are in a group with each code, from 0 on, given the code of each group."""
        size = int(codes.max()) + 1
        if self.members is None:
            return heads_by_code(codes, self.group_sizes, None, size)
        groups, persons = self.members
        return heads_by_code(codes[groups], self.pair_counts, persons, size)


def cells_of_groups(tally: Tally, width: int, group_width: int) -> IntArray:
    """The cell (the first `width` columns) of each group (the first `group_width` columns), numbered."""
    groups = tally.prefix(group_width)
    keys = tally.prefix(width)[run_starts(groups)]
    starts = np.zeros(len(keys), np.int64)
    starts[run_starts(keys)[1:]] = 1
    return np.cumsum(starts)
