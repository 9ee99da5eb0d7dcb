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

from noiseless.arrays import BoolArray, FloatArray, IntArray
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

    A *prior* is a value together with side information.

    Attributes:
        census: who stands behind each answer.
        cells: the side information of each group.
        groups: n_y of each group.
        places: the prior of each pair.
        before: n_s of each prior.
        whole: n of each prior.
        blind: how many guesses are right that look at nothing but the side information.
        possible: how many values each side information leaves possible.
    """

    census: Census
    cells: IntArray
    groups: IntArray
    places: IntArray
    before: IntArray
    whole: IntArray
    blind: int
    possible: IntArray

    @classmethod
    def of(cls, census: Census, side: IntArray | None) -> "_Counts":
        joint, counts = census.joint, census.pair_counts
        cells = np.zeros(joint.size_y, np.int64) if side is None else side
        priors = joint.x if side is None else cells[joint.y].astype(np.int64) * joint.size_x + joint.x
        keys, places = ranked(priors)
        before = add_by_code(places, counts, len(keys))
        heads = np.flatnonzero(np.diff(keys // joint.size_x, prepend=-1))
        possible = np.diff(heads, append=len(keys))
        return cls(
            census,
            cells,
            np.add.reduceat(counts, joint.starts[:-1]),
            places,
            before,
            np.repeat(np.add.reduceat(before, heads), possible),
            int(np.maximum.reduceat(before, heads).sum()),
            possible,
        )

    @property
    def odds(self) -> Odds:
        joint, counts = self.census.joint, self.census.pair_counts
        total, most = int(counts.sum()), np.maximum.reduceat(counts, joint.starts[:-1])
        ruled_out = (joint.posterior_sizes < self.possible[self.cells]).any()
        beliefs, gains = most / self.groups, self._gains
        surest = np.flatnonzero(beliefs >= beliefs.max() * (1 - NEAR))
        ones = np.ones_like(surest)
        return Odds(
            blind_guess=Fraction(self.blind, total),
            best_guess=Fraction(int(most.sum()), total),
            largest_belief=largest_of(_kinds((most[surest], ones, self.groups[surest], ones))),
            largest_gain=largest_of(self._counts(gains >= gains.max() * (1 - NEAR))),
            largest_loss=float("inf")
            if ruled_out
            else largest_of((c, d, a, b) for a, b, c, d in self._counts(gains <= gains.min() * (1 + NEAR))),
            is_enhanced=self._is_enhanced,
        )

    @cached_property
    def _gains(self) -> FloatArray:
        """q_s / p_s of each pair."""
        shares = self.census.pair_counts / self.groups[self.census.joint.y]
        return np.asarray(shares * (self.whole / self.before)[self.places])

    def _counts(self, chosen: BoolArray) -> list[Counts]:
        """n_sy, n, n_y, n_s of the chosen pairs, each kind once."""
        near = np.flatnonzero(chosen)
        group, prior = self.census.joint.y[near], self.places[near]
        return _kinds(
            (self.census.pair_counts[near], self.whole[prior], self.groups[group], self.before[prior])
        )

    @property
    def _is_enhanced(self) -> bool:
        slack = (np.log(self.whole / self.before) + 1)[self.places] - self._gains
        return not (slack < -NEAR).any() and keeps_enhanced(self._counts(slack <= NEAR))


def keeps_enhanced(counts: Iterable[Counts]) -> bool:
    """Whether q_s / p_s - 1 <= -ln p_s for every n_sy, n, n_y, n_s."""
    return all(Nats(Fraction(n, n_s)) >= Fraction(n_sy * n, n_y * n_s) - 1 for n_sy, n, n_y, n_s in counts)


def largest_of(counts: Iterable[Counts]) -> Fraction:
    """The largest a b / (c d)."""
    return max(Fraction(a * b, c * d) for a, b, c, d in counts)


def _kinds(columns: Iterable[IntArray]) -> list[Counts]:
    """The different rows of some columns: those that tie in their thousands are mostly alike."""
    table = pa.table({str(place): column for place, column in enumerate(columns)})
    kinds = table.group_by(table.column_names).aggregate([])
    return list(zip(*(column.to_pylist() for column in kinds.columns), strict=True))
