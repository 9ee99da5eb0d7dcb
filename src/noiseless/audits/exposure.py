"""What a release gives away about one target, and what each column and side information add."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from noiseless import measures
from noiseless.arrays import IntArray
from noiseless.audits import anonymity
from noiseless.audits.census import Census, cells_of_groups
from noiseless.exact import Bits, round_up
from noiseless.ranges import count_blocks
from noiseless.tables import Tally


@dataclass(frozen=True, eq=False)
class Exposure:
    """The measures of one sensitive target; each is computed when first asked for.

    Attributes:
        target: the sensitive columns it is about.
        census: the joint range and its head counts.
        side: side information as the cell of each group, where there is any.
    """

    target: tuple[str, ...]
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
    ) -> "Exposure":
        """The exposure of `target` to one who knows the columns `given` and sees the columns `public`."""
        return Exposure(target, *survey(tally, target, given, public, unit))

    @property
    def name(self) -> str:
        """The target in words: 'age', 'age and sex'."""
        return " and ".join(self.target)

    @property
    def sensitive_values(self) -> int:
        """How many values the target takes: |[[S]]|."""
        return self.census.joint.size_x

    @property
    def pairs(self) -> int:
        """How many pairs of a sensitive value and a group occur."""
        return len(self.census.joint)

    @cached_property
    def entropy(self) -> Bits:
        """H0(S): the bits there are."""
        return measures.entropy(self.census.joint)

    @cached_property
    def leakage(self) -> Bits:
        """L0(S;X), or L0(S -> X|A) with side information: the bits the most telling group gives away."""
        return measures.leakage(self.census.joint, self.side)

    @cached_property
    def information(self) -> Bits:
        """I0(S;X): the bits every group gives away."""
        return measures.information(self.census.joint)

    @cached_property
    def maximin(self) -> Bits:
        """I*(S;X): the bits that every group tells; a single group can tell more."""
        return Bits(self.components)

    @cached_property
    def leakage_symmetric(self) -> Bits:
        """L0s(S;X) = min(L0(S;X), L0(X;S))."""
        return measures.symmetric_leakage(self.census.joint)

    @cached_property
    def components(self) -> int:
        """How many classes of sensitive values can always be told apart."""
        return count_blocks(self.census.joint)

    @cached_property
    def min_posterior(self) -> int:
        """How many sensitive values the most telling group leaves possible."""
        return int(self.census.joint.posterior_sizes.min())

    @cached_property
    def max_posterior(self) -> int:
        """How many sensitive values the least telling group leaves possible."""
        return int(self.census.joint.posterior_sizes.max())

    @cached_property
    def persons_at_min_posterior(self) -> int:
        """How many rows (persons) sit in a group that leaves that few."""
        return self.census.heads_with_posterior(self.min_posterior)

    @property
    def distinct_l_diversity(self) -> int:
        """Distinct l-diversity, which is the smallest posterior set."""
        return self.min_posterior

    @cached_property
    def entropy_l_diversity(self) -> float:
        """Entropy l-diversity."""
        return anonymity.entropy_l_diversity(self.census)

    @cached_property
    def t_closeness(self) -> Fraction:
        """t-closeness."""
        return anonymity.t_closeness(self.census)

    @cached_property
    def homogeneous(self) -> IntArray:
        """The groups whose members all share one sensitive value, largest first."""
        return anonymity.homogeneous_groups(self.census)

    @property
    def homogeneous_groups(self) -> int:
        """How many groups give their members' sensitive value away completely."""
        return len(self.homogeneous)

    @cached_property
    def homogeneous_persons(self) -> int:
        """How many rows (persons) sit in homogeneous groups."""
        return self.census.heads_with_posterior(1)

    @cached_property
    def posterior_histogram(self) -> tuple[tuple[int, int, int], ...]:
        """(size of the posterior set, groups with that size, rows or persons in them), ascending."""
        sizes = self.census.joint.posterior_sizes
        persons = self.census.heads_by_posterior()
        groups = np.bincount(sizes, minlength=len(persons))
        return tuple((int(s), int(groups[s]), int(persons[s])) for s in np.flatnonzero(groups))

    def most_telling(self, count: int) -> IntArray:
        """The groups with the smallest posterior sets, among equals the largest groups first."""
        joint, sizes = self.census.joint, self.census.group_sizes
        return np.lexsort((-sizes, joint.posterior_sizes))[:count]

    def to_dict(self) -> dict[str, Any]:
        """The measures under the names they have in JSON."""
        return {
            "sensitive_values": self.sensitive_values,
            "pairs": self.pairs,
            "entropy": self.entropy.upper,
            "leakage": self.leakage.upper,
            "leakage_ratio": str(self.leakage.ratio),
            "information": self.information.upper,
            "maximin": self.maximin.upper,
            "leakage_symmetric": self.leakage_symmetric.upper,
            "min_posterior": self.min_posterior,
            "max_posterior": self.max_posterior,
            "persons_at_min_posterior": self.persons_at_min_posterior,
            "components": self.components,
            "distinct_l_diversity": self.distinct_l_diversity,
            "entropy_l_diversity": self.entropy_l_diversity,
            "t_closeness": round_up(self.t_closeness),
            "t_closeness_exact": str(self.t_closeness),
            "homogeneous_groups": self.homogeneous_groups,
            "homogeneous_persons": self.homogeneous_persons,
        }


def survey(
    tally: Tally,
    target: Sequence[str],
    given: Sequence[str],
    public: Sequence[str],
    unit: str | None,
) -> tuple[Census, IntArray | None]:
    """The census of a target, and side information as the cell of each group."""
    seen = (*given, *public)
    census = Census.take(tally, seen, target, unit)
    if not given:
        return census, None
    return census, cells_of_groups(tally.project((*seen, *target)), len(given), len(seen))


@dataclass(frozen=True)
class SideInformationEffect:
    """The same release for an adversary who does not know the side information A, and A by itself.

    Attributes:
        leakage_without: L0(S;X).
        maximin_without: I*(S;X).
        min_posterior_without: the smallest |[[S|x]]|.
        leakage_alone: L0(S;A): what A gives away without the release.
        leakage_total: L0(S;(X,A)): what both give away together.
    """

    leakage_without: Bits
    maximin_without: Bits
    min_posterior_without: int
    leakage_alone: Bits
    leakage_total: Bits

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "leakage_without": self.leakage_without.upper,
            "maximin_without": self.maximin_without.upper,
            "min_posterior_without": self.min_posterior_without,
            "leakage_alone": self.leakage_alone.upper,
            "leakage_total": self.leakage_total.upper,
        }


@dataclass(frozen=True)
class Contribution:
    """What one public column adds to the exposure.

    Attributes:
        column: the public column.
        leakage_alone: L0 when only this column is published.
        leakage_without: L0 when all others are.
        min_posterior_without: the fewest values left when all others are.
        k_without: k-anonymity when all others are.
        spared: how many rows (persons) would no longer be pinned down to one sensitive value without it.
    """

    column: str
    leakage_alone: Bits
    leakage_without: Bits
    min_posterior_without: int
    k_without: int
    spared: int

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "column": self.column,
            "leakage_alone": self.leakage_alone.upper,
            "leakage_without": self.leakage_without.upper,
            "min_posterior_without": self.min_posterior_without,
            "k_without": self.k_without,
            "spared": self.spared,
        }


def most_telling_first(contributions: Iterable[Contribution]) -> tuple[Contribution, ...]:
    """Columns in the order of what leaving each out would save."""
    return tuple(
        sorted(contributions, key=lambda c: (c.leakage_without.ratio, -c.spared, -c.leakage_alone.ratio))
    )
