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
from noiseless.display import percent_above, percent_below
from noiseless.exact import Bits, Nats, round_down, round_up
from noiseless.ranges import JointRange
from noiseless.tables.kernels import add_by_code, add_runs, distinct_codes, ranked

Counts = tuple[int, ...]
"""Four counts a, b, c, d of a quotient a b / (c d)."""

_ROOM = 2**62

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
    def blind_text(self) -> str:
        """The blind guess in per cent: rounded down beside the best guess, unless the two are equal."""
        return (percent_above if self.blind_guess == self.best_guess else percent_below)(self.blind_guess)

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
    joint, counts = census.joint, census.pair_counts
    cells = np.zeros(joint.size_y, np.int64) if side is None else side
    # A prior is a value together with side information: n_s of each, and how many values each of this has.
    priors = joint.x if side is None else cells[joint.y].astype(np.int64) * joint.size_x + joint.x
    keys, places = ranked(priors)
    before = add_by_code(places, counts, len(keys))
    firsts = np.flatnonzero(np.diff(keys // joint.size_x, prepend=-1))
    possible = np.diff(firsts, append=len(keys))
    whole = np.repeat(np.add.reduceat(before, firsts), possible)
    held, groups, prior = _kinds_of_pairs(counts, add_runs(counts, joint.starts), joint, places)
    found = _Counts(held, groups, before[prior], whole[prior])
    alone = joint.size_y == len(counts)
    most = counts if alone else np.maximum.reduceat(counts, joint.starts[:-1])
    ruled_out = (joint.posterior_sizes < possible[cells]).any()
    return Odds(
        blind_guess=Fraction(int(np.maximum.reduceat(before, firsts).sum()), int(counts.sum())),
        best_guess=Fraction(int(most.sum()), int(counts.sum())),
        largest_belief=found.largest_belief,
        largest_gain=found.largest_gain,
        largest_loss=float("inf") if ruled_out else found.largest_loss,
        is_enhanced=found.is_enhanced,
    )


def _kinds_of_pairs(
    counts: IntArray, groups: IntArray, joint: JointRange, places: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """The different n_sy, n_y and priors that pairs have, each once, from one number for each pair."""
    most, room = int(counts.max()) + 1, (int(counts.max()) + 1) * (int(groups.max()) + 1)
    if room * (int(places.max()) + 1) >= _ROOM:  # different sizes are fewer than the largest of them
        (helds, counts), (sizes, groups) = ranked(counts), ranked(groups)
        most, room = len(helds), len(helds) * len(sizes)
    else:
        helds, sizes = np.arange(most), np.arange(room // most)
    keys = np.repeat(groups.astype(np.int64), joint.posterior_sizes)
    keys *= most
    keys += counts
    keys += places.astype(np.int64) * room
    priors, rest = np.divmod(distinct_codes(keys), room)
    return helds[rest % most], sizes[rest // most], priors


@dataclass(frozen=True, eq=False)
class _Counts:
    """For each kind of pair of a value and a group: n_sy, n_y, and within side information n_s and n.

    Pairs are many, and their counts mostly few: each kind is looked at once.

    Attributes:
        held: n_sy.
        groups: n_y.
        before: n_s.
        whole: n.
    """

    held: IntArray
    groups: IntArray
    before: IntArray
    whole: IntArray

    @cached_property
    def _gains(self) -> FloatArray:
        """q_s / p_s."""
        return np.asarray((self.held / self.groups) * (self.whole / self.before))

    @property
    def largest_belief(self) -> Fraction:
        """The largest q_s."""
        beliefs = self.held / self.groups
        surest = np.flatnonzero(beliefs >= beliefs.max() * (1 - NEAR))
        ones = np.ones_like(surest)
        return largest_of(_kinds((self.held[surest], ones, self.groups[surest], ones)))

    @property
    def largest_gain(self) -> Fraction:
        """The largest q_s / p_s."""
        return largest_of(self._chosen(self._gains >= self._gains.max() * (1 - NEAR)))

    @property
    def largest_loss(self) -> Fraction:
        """The largest p_s / q_s of values that a group does not rule out."""
        near = self._chosen(self._gains <= self._gains.min() * (1 + NEAR))
        return largest_of((c, d, a, b) for a, b, c, d in near)

    @property
    def is_enhanced(self) -> bool:
        """Whether q_s / p_s - 1 <= -ln p_s everywhere."""
        slack = np.log(self.whole / self.before) + 1 - self._gains
        return not (slack < -NEAR).any() and keeps_enhanced(self._chosen(slack <= NEAR))

    def _chosen(self, chosen: BoolArray) -> list[Counts]:
        """n_sy, n, n_y, n_s of the chosen kinds, each once."""
        near = np.flatnonzero(chosen)
        return _kinds((self.held[near], self.whole[near], self.groups[near], self.before[near]))


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
