"""What a release gives away about one target, and what each column and side information add."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

from noiseless.audits.census import GroupSizes
from noiseless.audits.odds import Odds
from noiseless.display import json_fields
from noiseless.exact import Bits, Nats, round_down, round_up
from noiseless.tables.hierarchies import ValueClasses


@dataclass(frozen=True, eq=False)
class Exposure(ABC):
    """The measures of one sensitive target, wherever they are computed; each when it is first asked for.

    Attributes:
        target: the sensitive columns it is about.
        classes: the declared classes of values, of those sensitive columns that have any.
    """

    target: tuple[str, ...]
    classes: Mapping[str, ValueClasses] = field(default_factory=dict, kw_only=True)

    @property
    def name(self) -> str:
        """The target in words: 'age', 'age and sex'."""
        return " and ".join(self.target)

    @property
    @abstractmethod
    def sensitive_values(self) -> int:
        """How many values the target takes: |[[S]]|."""

    @property
    @abstractmethod
    def groups_by_posterior(self) -> Mapping[int, int]:
        """How many groups leave each number of sensitive values possible."""

    @property
    def public_values(self) -> int:
        """How many different groups the adversary sees."""
        return sum(self.groups_by_posterior.values())

    @property
    def pairs(self) -> int:
        """How many pairs of a sensitive value and a group occur."""
        return sum(values * groups for values, groups in self.groups_by_posterior.items())

    @property
    def min_posterior(self) -> int:
        """How many sensitive values the most telling group leaves possible."""
        return min(self.groups_by_posterior)

    @property
    def max_posterior(self) -> int:
        """How many sensitive values the least telling group leaves possible."""
        return max(self.groups_by_posterior)

    @property
    def homogeneous_groups(self) -> int:
        """How many groups give their members' sensitive value away completely."""
        return self.groups_by_posterior.get(1, 0)

    @property
    @abstractmethod
    def posterior_histogram(self) -> tuple[tuple[int, int, int], ...]:
        """(size of the posterior set, groups with that size, rows or persons in them), ascending."""

    @abstractmethod
    def heads_with(self, posterior: int) -> int:
        """How many rows (persons) sit in a group that leaves this many values possible."""

    @cached_property
    def persons_at_min_posterior(self) -> int:
        """How many rows (persons) sit in a group that leaves as few as any."""
        return self.heads_with(self.min_posterior)

    @cached_property
    def homogeneous_persons(self) -> int:
        """How many rows (persons) sit in homogeneous groups."""
        return self.heads_with(1)

    @property
    @abstractmethod
    def leakage(self) -> Bits:
        """L0(S;X), or L0(S -> X|A) with side information: the bits the most telling group gives away."""

    @property
    @abstractmethod
    def fewest_groups(self) -> int:
        """The fewest groups that a sensitive value occurs in."""

    @property
    @abstractmethod
    def components(self) -> int:
        """How many classes of sensitive values can always be told apart."""

    @property
    @abstractmethod
    def k_anonymity(self) -> int:
        """The size of the smallest group."""

    @property
    @abstractmethod
    def entropy_l_diversity(self) -> float:
        """Entropy l-diversity."""

    @property
    @abstractmethod
    def t_closeness(self) -> Fraction:
        """t-closeness."""

    @property
    @abstractmethod
    def odds(self) -> Odds:
        """How often guesses are right, and how far one answer can move a belief."""

    @property
    @abstractmethod
    def width(self) -> Fraction | None:
        """How far apart the values of a group lie at least, in the column's unit or in days.

        The e of (k, e)-anonymity (Zhang et al.): the largest number or date of a group less its smallest.
        None where the target is something else.
        """

    @property
    @abstractmethod
    def min_classes(self) -> int | None:
        """The fewest declared classes that the values of a group are of; None where none are declared.

        The width of categories: two illnesses of one chapter are one class. A missing value is a class.
        """

    @property
    def target_classes(self) -> ValueClasses | None:
        """The classes of the target; several columns together have none."""
        return self.classes.get(self.target[0]) if len(self.target) == 1 else None

    @property
    def blind_guess(self) -> Fraction:
        """How often the best guess is right that does not look at the release."""
        return self.odds.blind_guess

    @property
    def best_guess(self) -> Fraction:
        """How often the best guess is right that does."""
        return self.odds.best_guess

    @property
    def largest_belief(self) -> Fraction:
        """The largest share that one value has of a group."""
        return self.odds.largest_belief

    @property
    def pointwise_leakage(self) -> Bits:
        """The largest pointwise maximal leakage of a group."""
        return self.odds.pointwise_leakage

    @property
    def beta_likeness(self) -> Fraction:
        """Basic beta-likeness."""
        return self.odds.beta_likeness

    @property
    def enhanced_beta_likeness(self) -> Fraction | float:
        """Enhanced beta-likeness; infinite where no beta is enough."""
        return self.odds.enhanced_beta_likeness

    @property
    def delta_disclosure(self) -> Nats:
        """Delta-disclosure; infinite where a group rules a value out."""
        return self.odds.delta_disclosure

    @property
    @abstractmethod
    def sizes(self) -> GroupSizes:
        """How many rows (persons) look alike, group by group."""

    @property
    def prosecutor_risk(self) -> Fraction:
        """The largest chance to pick out somebody who is known to be in the table."""
        return Fraction(1, self.k_anonymity)

    @property
    def marketer_risk(self) -> Fraction:
        """The share of all that are picked out on average, when everybody is looked for."""
        return Fraction(self.public_values, self.memberships)

    @property
    @abstractmethod
    def memberships(self) -> int:
        """How many rows (persons) the groups have, added up."""

    @property
    def not_computed(self) -> tuple[str, ...]:
        """The measures that are left out: asking for one raises a `RequestError`, and in JSON it is null."""
        return ()

    @property
    def entropy(self) -> Bits:
        """H0(S): the bits there are."""
        return Bits(self.sensitive_values)

    @property
    def total_leakage(self) -> Bits:
        """L0(S;(X,A)): what the release and the side information give away together."""
        return Bits(Fraction(self.sensitive_values, self.min_posterior))

    @property
    def leakage_symmetric(self) -> Bits:
        """L0s(S;X) = min(L0(S;X), L0(X;S))."""
        return min(self.total_leakage, Bits(Fraction(self.public_values, self.fewest_groups)))

    @property
    def information(self) -> Bits:
        """I0(S;X): the bits every group gives away."""
        return Bits(Fraction(self.sensitive_values, self.max_posterior))

    @property
    def maximin(self) -> Bits:
        """I*(S;X): the bits that every group tells; a single group can tell more."""
        return Bits(self.components)

    @property
    def distinct_l_diversity(self) -> int:
        """Distinct l-diversity, which is the smallest posterior set."""
        return self.min_posterior

    @property
    def is_unrelated(self) -> bool:
        """Whether every group leaves all values possible: [[S, X]] = [[S]] x [[X]]."""
        return self.pairs == self.sensitive_values * self.public_values

    def to_dict(self) -> dict[str, Any]:
        """The measures under the names they have in JSON; None for those that are not computed."""
        diversity = None if "entropy_l_diversity" in self.not_computed else self.entropy_l_diversity
        closeness = None if "t_closeness" in self.not_computed else self.t_closeness
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
            "entropy_l_diversity": diversity,
            "t_closeness": None if closeness is None else round_up(closeness),
            "t_closeness_exact": None if closeness is None else str(closeness),
            "homogeneous_groups": self.homogeneous_groups,
            "homogeneous_persons": self.homogeneous_persons,
            **self.odds.to_dict(),
            "width": None if self.width is None else round_down(self.width),
            "width_exact": None if self.width is None else str(self.width),
            "min_classes": self.min_classes,
        }


AnyExposure = TypeVar("AnyExposure", bound=Exposure)


def worst_of(exposures: Iterable[AnyExposure], together: AnyExposure) -> AnyExposure:
    """The exposure that fares worst: fewest values left, then most bits leaked.

    Columns that leak nothing by themselves are left aside; where none does, it is all of them together.
    """
    telling = [exposure for exposure in exposures if not exposure.is_unrelated]
    return min(telling, key=lambda e: (e.min_posterior, -e.leakage.ratio)) if telling else together


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
        return json_fields(self)


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
        return json_fields(self)


def most_telling_first(contributions: Iterable[Contribution]) -> tuple[Contribution, ...]:
    """Columns in the order of what leaving each out would save."""
    return tuple(
        sorted(contributions, key=lambda c: (c.leakage_without.ratio, -c.spared, -c.leakage_alone.ratio))
    )
