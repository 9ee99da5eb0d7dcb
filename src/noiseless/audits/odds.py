"""What a bettor wins: how likely each sensitive value is behind an answer, beside how likely it was before.

A posterior set says what stays possible; two values that stay possible may be 99 to 1. Of n rows, n_y are in
group y, n_s have the sensitive value s, n_sy both. A bettor who sees the group believes in s with
q_s = n_sy / n_y, one who does not with p_s = n_s / n; with side information p_s is what that alone makes
believable. All of these are exact fractions. Persons count once for each group and value.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from noiseless.arrays import FloatArray, IntArray
from noiseless.audits.census import Census
from noiseless.exact import Bits, Nats, round_down, round_up
from noiseless.tables.kernels import add_by_code, ranked

Counts = tuple[int, ...]
"""Four counts a, b, c, d of a quotient a b / (c d)."""

NEAR = 1e-9
"""Quotients whose doubles are this close to a bound are compared exactly."""


@dataclass(frozen=True)
class Odds:
    """How often guesses are right, and how far one answer can move a belief.

    Attributes:
        blind_guess: how often the best guess is right that does not look at the release.
        best_guess: how often the best guess is right that does.
        largest_belief: the largest q_s: how sure one can be of a value.
        largest_gain: the largest q_s / p_s.
        largest_loss: the largest p_s / q_s; infinite where a group rules a value out.
        is_enhanced: whether q_s / p_s - 1 <= -ln p_s for every value and group, as enhanced likeness asks.
    """

    blind_guess: Fraction
    best_guess: Fraction
    largest_belief: Fraction
    largest_gain: Fraction
    largest_loss: Fraction | float
    is_enhanced: bool

    @property
    def pointwise_leakage(self) -> Bits:
        """The largest pointwise maximal leakage of a group (Saeidian et al.): log2 of the largest q_s / p_s.

        It is the most that any gambler gains, over any function of the sensitive value, from one answer.
        """
        return Bits(self.largest_gain)

    @property
    def beta_likeness(self) -> Fraction:
        """Basic beta-likeness (Cao and Karras): the largest q_s / p_s - 1."""
        return self.largest_gain - 1

    @property
    def enhanced_beta_likeness(self) -> Fraction | float:
        """The smallest beta with q_s / p_s - 1 <= min(beta, -ln p_s); infinite where there is none."""
        return self.beta_likeness if self.is_enhanced else float("inf")

    @property
    def delta_disclosure(self) -> Nats:
        """The largest |ln(q_s / p_s)| (Brickell and Shmatikov); infinite where a group rules a value out."""
        return Nats(max(self.largest_gain, self.largest_loss))

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON: rounded up, apart from the blind guess, which is what others are held against."""
        likeness = self.enhanced_beta_likeness
        return {
            "blind_guess": round_down(self.blind_guess),
            "blind_guess_exact": str(self.blind_guess),
            "best_guess": round_up(self.best_guess),
            "best_guess_exact": str(self.best_guess),
            "largest_belief": round_up(self.largest_belief),
            "largest_belief_exact": str(self.largest_belief),
            "pointwise_leakage": self.pointwise_leakage.upper,
            "pointwise_leakage_ratio": str(self.largest_gain),
            "beta_likeness": round_up(self.beta_likeness),
            "beta_likeness_exact": str(self.beta_likeness),
            "enhanced_beta_likeness": round_up(likeness) if isinstance(likeness, Fraction) else "inf",
            "delta_disclosure_nats": self.delta_disclosure.upper
            if self.delta_disclosure.is_finite
            else "inf",
        }


def odds(census: Census, side: IntArray | None) -> Odds:
    """The odds of a census.

    Args:
        census: who stands behind each answer.
        side: side information as the cell of each group, where there is any.
    """
    return _Counts.of(census, side).odds


@dataclass(frozen=True, eq=False)
class _Counts:
    """For each pair of a value and a group: n_sy, n_y, n_s and n, the last two within its side information.

    Attributes:
        census: who stands behind each answer.
        cells: the side information of each group.
        groups: n_y of each group.
        before: n_s for each pair.
        sizes: n for each side information.
        blind: how many guesses are right that look at nothing but the side information.
        possible: how many values each side information leaves possible.
    """

    census: Census
    cells: IntArray
    groups: IntArray
    before: IntArray
    sizes: IntArray
    blind: int
    possible: IntArray

    @classmethod
    def of(cls, census: Census, side: IntArray | None) -> "_Counts":
        joint, counts = census.joint, census.pair_counts
        cells = np.zeros(joint.size_y, np.int64) if side is None else side
        groups = np.add.reduceat(counts, joint.starts[:-1])
        keys, places = ranked(cells[joint.y].astype(np.int64) * joint.size_x + joint.x)
        before = add_by_code(places, counts, len(keys))
        owners = keys // joint.size_x
        heads = np.flatnonzero(np.diff(owners, prepend=-1))
        return cls(
            census,
            cells,
            groups,
            before[places],
            np.add.reduceat(before, heads),
            int(np.maximum.reduceat(before, heads).sum()),
            np.diff(heads, append=len(keys)),
        )

    @property
    def odds(self) -> Odds:
        joint, counts = self.census.joint, self.census.pair_counts
        total, most = int(counts.sum()), np.maximum.reduceat(counts, joint.starts[:-1])
        ruled_out = (joint.posterior_sizes < self.possible[self.cells]).any()
        return Odds(
            blind_guess=Fraction(self.blind, total),
            best_guess=Fraction(int(most.sum()), total),
            largest_belief=_largest(most, np.ones_like(most), self.groups, np.ones_like(most)),
            largest_gain=_largest(*self._pairs),
            largest_loss=float("inf") if ruled_out else _largest(*self._pairs[2:], *self._pairs[:2]),
            is_enhanced=self._is_enhanced,
        )

    @cached_property
    def _pairs(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """q_s / p_s of each pair as n_sy n / (n_y n_s)."""
        joint = self.census.joint
        return self.census.pair_counts, self.sizes[self.cells][joint.y], self.groups[joint.y], self.before

    @property
    def _is_enhanced(self) -> bool:
        held, whole, group, before = self._pairs
        slack = np.log(whole / before) + 1 - _quotients(held, whole, group, before)
        if (slack < -NEAR).any():
            return False
        near = np.flatnonzero(slack <= NEAR)
        return keeps_enhanced(_kinds(column[near] for column in self._pairs))


def keeps_enhanced(counts: Iterable[Counts]) -> bool:
    """Whether q_s / p_s - 1 <= -ln p_s for every n_sy, n, n_y, n_s."""
    return all(Nats(Fraction(n, n_s)) >= Fraction(n_sy * n, n_y * n_s) - 1 for n_sy, n, n_y, n_s in counts)


def largest_of(counts: Iterable[Counts]) -> Fraction:
    """The largest a b / (c d)."""
    return max(Fraction(a * b, c * d) for a, b, c, d in counts)


def _largest(a: IntArray, b: IntArray, c: IntArray, d: IntArray) -> Fraction:
    """The largest a b / (c d): doubles find those that are near, whole numbers settle it."""
    found = _quotients(a, b, c, d)
    near = np.flatnonzero(found >= found.max() * (1 - NEAR))
    return largest_of(_kinds(column[near] for column in (a, b, c, d)))


def _quotients(a: IntArray, b: IntArray, c: IntArray, d: IntArray) -> FloatArray:
    return np.asarray((a / c) * (b / d))


def _kinds(columns: Iterable[IntArray]) -> list[Counts]:
    """The different rows of some columns: those that tie in their thousands are mostly alike."""
    table = pa.table({str(place): column for place, column in enumerate(columns)})
    kinds = table.group_by(table.column_names).aggregate([])
    return list(zip(*(column.to_pylist() for column in kinds.columns), strict=True))
