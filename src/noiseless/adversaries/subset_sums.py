"""Random subset sums: how finely a budget lets them be published, and what can be solved from them."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from noiseless.adversaries.game import Budget
from noiseless.amounts import budget_bits
from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.pricing.plan import named_query
from noiseless.pricing.reach import finest
from noiseless.ranges.quantizer import Quantizer

_FEWEST = 2
"""A subset has at least this many people: fewer would be asked for directly."""

_ROUNDING = 1e-9
"""Noise is larger than floats say by this share."""

_SLACK = 1e-9
"""How much certain ranges are widened for rounding, as a share of the numbers that were added up."""

_NEAR_END = 1e-6
_EXACT = 1e-9
"""The variance that stands for none."""


@dataclass(frozen=True, eq=False)
class ReportedSums:
    """The published sums.

    Attributes:
        asked: a row for each question that was answered.
        lower: the sum is not below; with noise, the noisy sum.
        upper: and not above; with noise, the same.
        variances: of the middle about the truth, for truths anywhere in the cell.
    """

    asked: BoolArray
    lower: FloatArray
    upper: FloatArray
    variances: FloatArray

    @classmethod
    def of_nothing(cls, asked: BoolArray) -> "ReportedSums":
        """None of the questions was answered."""
        empty = np.zeros(0)
        return cls(asked[:0], empty, empty, empty)

    @property
    def middle(self) -> FloatArray:
        """What a guess is made from."""
        return (self.lower + self.upper) / 2


def random_subsets(people: int, questions: int, rng: np.random.Generator) -> BoolArray:
    """A row for each question; everybody takes part in about half of them."""
    rows: BoolArray = rng.random((questions, people)) < 1 / 2
    rows[rows.sum(axis=1) < _FEWEST] = True
    return rows


def affordable(asked: BoolArray, outputs: int) -> tuple[BoolArray, int]:
    """The questions that fit into a budget, from the first on, and the reach of each.

    Everybody may cause 1 + sum of (reach - 1) joint outputs over the questions that they take part in (cuts):
    all questions fit if each can have two outputs, else as many as can.
    """
    covers = asked.cumsum(axis=0).max(axis=1, initial=0)
    most = int(covers[-1]) if len(covers) else 0
    if most and (outputs - 1) // most >= 1:
        return asked, 1 + (outputs - 1) // most
    return asked[: int(np.searchsorted(covers, outputs - 1, side="right"))], 2


@lru_cache(4096)
def _cells(people: int, size: int, reach: int) -> Quantizer:
    query, _ = named_query("sum", people, 0, size - 1, 1)
    return finest(query, reach).quantizer


def told_by_cells(asked: BoolArray, reach: int, truth: IntArray, size: int) -> ReportedSums:
    """The cell of each sum, as fine as its reach allows; values are 0 .. size-1."""
    quantizers = [_cells(int(row.sum()), size, reach) for row in asked]
    sums = (asked.astype(np.int64) @ truth).tolist()
    cells = [one.answer(one.cell_at(position)) for one, position in zip(quantizers, sums, strict=True)]
    lower, upper = (np.array([float(cell[end]) for cell in cells]) for end in (0, 1))
    return ReportedSums(asked, lower, upper, (upper - lower) * (upper - lower + 2) / 12)


def told_with_noise(
    asked: BoolArray, truth: IntArray, size: int, scale: float | None, rng: np.random.Generator
) -> ReportedSums:
    """Each sum with Gaussian noise, moved into the range of sums; without a scale nothing is published.

    Args:
        asked: a row for each question.
        truth: everybody's value, by its number.
        size: how many values there are.
        scale: the standard deviation of the noise.
        rng: where it comes from.
    """
    if scale is None:
        return ReportedSums.of_nothing(asked)
    sums, counts = asked.astype(np.int64) @ truth, asked.sum(axis=1)
    told = np.clip(sums + rng.normal(0, scale, len(sums)), 0, counts * (size - 1))
    return ReportedSums(asked, told, told, np.full(len(sums), scale * scale))


def together(size: int, budget: Budget, cover: int) -> float | None:
    """The noise with which all answers about a person together leak at most the budget.

    To somebody who knows everybody else, m answers are the value with m independent noises, and their mean
    says as much as all of them: the noise of one answer may be sqrt(m) times what one answer needs.
    """
    single = _deviation(size, budget)
    return None if single is None else single * math.sqrt(max(cover, 1))


def one_by_one(size: int, budget: Budget, cover: int) -> float | None:
    """The noise with which each answer leaks an equal part of the budget: what a ledger adds up."""
    return _deviation(size, budget, max(cover, 1))


def _deviation(size: int, budget: Budget, parts: int = 1) -> float | None:
    """The noise with which a value leaks at most a part of the budget; None where nothing may leak.

    The capacity of the Gaussian channel with inputs in [-A, A] is at most log2(1 + sqrt(2 / (pi e)) A / s)
    (McKellips, 2004) and at most log2(1 + A^2 / s^2) / 2.
    """
    bits = (budget_bits(budget) or 0.0) / parts
    if bits <= 0:
        return None
    half = (size - 1) / 2
    by_amplitude = half * math.sqrt(2 / (math.pi * math.e)) / math.expm1(bits * math.log(2))
    by_power = half / math.sqrt(math.expm1(bits * math.log(4)))
    return min(by_amplitude, by_power) * (1 + _ROUNDING)


@dataclass(frozen=True, eq=False)
class Ranges:
    """What is certain of each person's value, by its number.

    Attributes:
        low: it is not below.
        high: it is not above.
    """

    low: IntArray
    high: IntArray

    @property
    def left(self) -> IntArray:
        """How many values remain possible."""
        return self.high - self.low + 1

    def hold(self, truth: IntArray) -> bool:
        """Whether the true values are among them."""
        return bool(((self.low <= truth) & (truth <= self.high)).all())


def certain_ranges(asked: BoolArray, lower: FloatArray, upper: FloatArray, most: int) -> Ranges:
    """The least and the largest value of each person that agrees with all answers, by linear programming.

    Each end is one program, solved by HiGHS. What is taken from it are the multipliers alone: whatever they
    are, adding up the answers with them bounds the person's value (weak duality), so that nothing depends on
    the solver's tolerances. A person for whom some solution has the value 0 (or the largest) has no better
    bound there, and no program is solved.

    Args:
        asked: a row for each question: who takes part.
        lower: the sums of values are not below.
        upper: and not above.
        most: values are 0 .. most.
    """
    people = asked.shape[1]
    low, high = np.zeros(people, np.int64), np.full(people, most, np.int64)
    if len(asked):
        programs = _Programs(asked.astype(float), lower, upper, most)
        for person in range(people):
            if programs.seen_low[person] > _NEAR_END:
                low[person] = np.ceil(programs.least(person, 1.0))
            if programs.seen_high[person] < most - _NEAR_END:
                high[person] = np.floor(-programs.least(person, -1.0))
    return Ranges(np.clip(low, 0, most), np.clip(high, 0, most))


class _Programs:
    """Linear programs over the values that agree with all answers, and how far their solutions reach."""

    def __init__(self, matrix: FloatArray, lower: FloatArray, upper: FloatArray, most: int) -> None:
        self.matrix, self.lower, self.upper, self.most = matrix, lower, upper, most
        self.rows = np.vstack([matrix, -matrix])
        self.limits = np.concatenate([upper, -lower])
        self.seen_low = np.full(matrix.shape[1], float(most))
        self.seen_high = np.zeros(matrix.shape[1])

    def least(self, person: int, sign: float) -> float:
        """A number that sign * x_person is not below, as large as linear programming finds one."""
        from scipy.optimize import linprog

        goal = np.zeros(self.matrix.shape[1])
        goal[person] = sign
        solved = linprog(goal, A_ub=self.rows, b_ub=self.limits, bounds=(0, self.most), method="highs")
        trivial = min(sign * self.most, 0.0)
        if solved.x is None:
            return trivial
        self.seen_low = np.minimum(self.seen_low, solved.x)
        self.seen_high = np.maximum(self.seen_high, solved.x)
        return max(self._weighed(goal, np.asarray(solved.ineqlin.marginals, float)), trivial)

    def _weighed(self, goal: FloatArray, marginals: FloatArray) -> float:
        """What the answers say of a goal when they are added up with multipliers, rounded down."""
        multipliers = np.minimum(np.nan_to_num(marginals), 0.0)
        reduced = goal - multipliers @ self.rows
        terms = np.concatenate([multipliers * self.limits, np.minimum(reduced, 0.0) * self.most])
        return float(terms.sum() - _SLACK * (1 + np.abs(terms).sum()))


def best_guess(
    asked: BoolArray, told: FloatArray, variances: FloatArray, most: int, ranges: Ranges | None = None
) -> IntArray:
    """The linear estimate with the least mean square error, for values spread evenly over 0 .. most.

    Args:
        asked: a row for each question: who takes part.
        told: the sums, or the middles of their intervals.
        variances: how far off they are, squared, on average; 0 for exact ones.
        most: the largest value.
        ranges: what is certain; guesses are moved there.
    """
    middle, spread = most / 2, most * (most + 2) / 12
    guess = np.full(asked.shape[1], middle)
    if len(asked):
        matrix = asked.astype(float)
        errors = np.maximum(variances, _EXACT)
        inner = matrix @ matrix.T * spread + np.diag(errors)
        guess += spread * matrix.T @ np.linalg.solve(inner, told - matrix.sum(axis=1) * middle)
    ends = (0, most) if ranges is None else (ranges.low, ranges.high)
    return np.asarray(np.clip(np.rint(guess), *ends), np.int64)
