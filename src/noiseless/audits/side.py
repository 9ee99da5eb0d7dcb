"""The effect of side information: what the release gives away with it and without it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from noiseless.exact import Bits


@dataclass(frozen=True)
class SideInformation:
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
