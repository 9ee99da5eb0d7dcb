"""What a release gives away about one target, from a census on this machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from noiseless import measures
from noiseless.arrays import IntArray
from noiseless.audits import census as anonymity
from noiseless.audits.census import Census
from noiseless.audits.exposure import Exposure
from noiseless.audits.odds import Odds, odds
from noiseless.exact import Bits
from noiseless.ranges import count_blocks
from noiseless.tables import Tally


@dataclass(frozen=True, eq=False)
class TableExposure(Exposure):
    """The measures of one sensitive target, from a census on this machine.

    Attributes:
        census: the joint range and its head counts.
        side: side information as the cell of each group, where there is any.
    """

    census: Census
    side: IntArray | None = None

    @classmethod
    def measure(
        cls,
        tally: Tally,
        target: tuple[str, ...],
        given: Sequence[str],
        public: Sequence[str],
        unit: str | None,
    ) -> "TableExposure":
        """The exposure of `target` to one who knows the columns `given` and sees the columns `public`."""
        return TableExposure(target, *survey(tally, target, given, public, unit))

    @property
    def sensitive_values(self) -> int:
        """The values of the joint range."""
        return self.census.joint.size_x

    @cached_property
    def groups_by_posterior(self) -> Mapping[int, int]:
        """By the sizes that occur."""
        groups = np.bincount(self.census.joint.posterior_sizes)
        return {size: int(groups[size]) for size in np.flatnonzero(groups).tolist()}

    @cached_property
    def leakage(self) -> Bits:
        """With side information, what the release adds to it."""
        return self.total_leakage if self.side is None else measures.leakage(self.census.joint, self.side)

    @cached_property
    def fewest_groups(self) -> int:
        """The smallest support of a sensitive value."""
        return int(self.census.joint.support_sizes.min())

    @cached_property
    def components(self) -> int:
        """The blocks of the joint range."""
        return count_blocks(self.census.joint)

    def heads_with(self, posterior: int) -> int:
        """By the census."""
        return self.census.heads_in(self.census.joint.posterior_sizes == posterior)

    @property
    def k_anonymity(self) -> int:
        """The smallest group."""
        return int(self.census.group_sizes.min())

    @cached_property
    def entropy_l_diversity(self) -> float:
        """Of the group that is least diverse."""
        return anonymity.entropy_l_diversity(self.census)

    @cached_property
    def t_closeness(self) -> Fraction:
        """Of the group that is farthest from the table."""
        return anonymity.t_closeness(self.census)

    @property
    def memberships(self) -> int:
        """By the census."""
        return int(self.census.group_sizes.sum())

    @cached_property
    def odds(self) -> Odds:
        """By the counts of the census."""
        return odds(self.census, self.side)

    @cached_property
    def width(self) -> Fraction | None:
        """Of the group whose values lie closest together."""
        return anonymity.width(self.census)

    @cached_property
    def posterior_histogram(self) -> tuple[tuple[int, int, int], ...]:
        """With the heads of the census."""
        persons = self.census.heads_by(self.census.joint.posterior_sizes)
        return tuple((size, groups, int(persons[size])) for size, groups in self.groups_by_posterior.items())

    def most_telling(self, count: int) -> IntArray:
        """The groups with the smallest posterior sets, among equals the largest groups first."""
        joint, sizes = self.census.joint, self.census.group_sizes
        return np.lexsort((-sizes, joint.posterior_sizes))[:count]


def survey(
    tally: Tally, target: Sequence[str], given: Sequence[str], public: Sequence[str], unit: str | None
) -> tuple[Census, IntArray | None]:
    """The census of a target, and side information as the cell of each group."""
    seen = (*given, *public)
    census = Census.take(tally, seen, target, unit)
    if not given:
        return census, None
    return census, tally.project(seen).prefix_ranks(len(given))
