"""Workloads of random subset sums: how finely a budget lets them be told, with cells or with noise."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from noiseless.adversaries.game import Budget
from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.exact import Bits, round_down
from noiseless.pricing.budget import finest
from noiseless.pricing.catalogue import named_query
from noiseless.pricing.quantized import QuantizedQuery

_FEWEST = 2
"""A subset has at least so many people: fewer would be asked for directly."""

_ROUNDING = 1e-9
"""Noise is so much larger than floats say."""


@dataclass(frozen=True, eq=False)
class Told:
    """What was told of the sums.

    Attributes:
        asked: a row for each question that was answered.
        lower: the sum is not below; with noise, what was told.
        upper: and not above; with noise, the same.
        variances: of the middle about the truth, for truths anywhere in the cell.
    """

    asked: BoolArray
    lower: FloatArray
    upper: FloatArray
    variances: FloatArray

    @property
    def middle(self) -> FloatArray:
        """What a guess is made from."""
        return (self.lower + self.upper) / 2


def random_subsets(people: int, questions: int, rng: np.random.Generator) -> BoolArray:
    """A row for each question; everybody takes part in about half of them."""
    rows: BoolArray = rng.random((questions, people)) < 1 / 2
    rows[rows.sum(axis=1) < _FEWEST] = True
    return rows


@dataclass(frozen=True, eq=False)
class Plan:
    """Which questions fit into a budget, and how fine they are.

    Everybody may cause 1 + sum of (reach - 1) joint outputs over the questions that they take part in (cuts).

    Attributes:
        asked: those that fit, from the first on.
        reach: of each.
    """

    asked: BoolArray
    reach: int

    @classmethod
    def of(cls, asked: BoolArray, outputs: int) -> "Plan":
        """All questions if each can have two outputs, else as many as can."""
        covers = asked.cumsum(axis=0).max(axis=1, initial=0)
        most = int(covers[-1]) if len(covers) else 0
        if most and (outputs - 1) // most >= 1:
            return cls(asked, 1 + (outputs - 1) // most)
        return cls(asked[: int(np.searchsorted(covers, outputs - 1, side="right"))], 2)

    def mechanisms(self, size: int) -> list[QuantizedQuery]:
        """The sums and their cells."""
        return [_sum(int(row.sum()), size, self.reach) for row in self.asked]


@lru_cache(4096)
def _sum(people: int, size: int, reach: int) -> QuantizedQuery:
    query, _ = named_query("sum", people, 0, size - 1, 1)
    return finest(query, reach)


def told_by_cells(asked: BoolArray, mechanisms: Sequence[QuantizedQuery], truth: IntArray) -> Told:
    """The cell of each sum."""
    sums = asked.astype(np.int64) @ truth
    cells = [
        mechanism.quantizer.answer(mechanism.quantizer.cell_at(position))
        for mechanism, position in zip(mechanisms, sums.tolist(), strict=True)
    ]
    lower, upper = (np.array([float(cell[end]) for cell in cells]) for end in (0, 1))
    return Told(asked, lower, upper, (upper - lower) * (upper - lower + 2) / 12)


def told_with_noise(
    asked: BoolArray, truth: IntArray, size: int, scale: float | None, rng: np.random.Generator
) -> Told:
    """Each sum with Gaussian noise, moved into the range of sums; no scale tells nothing.

    Args:
        asked: a row for each question.
        truth: everybody's value, by its number.
        size: how many values there are.
        scale: the standard deviation of the noise.
        rng: where it comes from.
    """
    if scale is None:
        nothing = np.zeros(0)
        return Told(asked[:0], nothing, nothing, nothing)
    sums, counts = asked.astype(np.int64) @ truth, asked.sum(axis=1)
    told = np.clip(sums + rng.normal(0, scale, len(sums)), 0, counts * (size - 1))
    return Told(asked, told, told, np.full(len(sums), scale * scale))


def together(size: int, budget: Budget, cover: int) -> float | None:
    """The noise with which all answers about a person together tell at most the budget.

    To somebody who knows everybody else, m answers are the value with m independent noises, and their mean
    says as much as all of them: the noise of one answer may be sqrt(m) times what one answer needs.
    """
    single = _deviation(size, _as_float(budget))
    return None if single is None else single * math.sqrt(max(cover, 1))


def one_by_one(size: int, budget: Budget, cover: int) -> float | None:
    """The noise with which each answer tells an equal part of the budget: what a ledger adds up."""
    return _deviation(size, _as_float(budget) / max(cover, 1))


def _deviation(size: int, bits: float) -> float | None:
    """The standard deviation with which a value tells at most so many bits; None where nothing may be told.

    The capacity of the Gaussian channel with inputs in [-A, A] is at most log2(1 + sqrt(2 / (pi e)) A / s)
    (McKellips, 2004) and at most log2(1 + A^2 / s^2) / 2.
    """
    if bits <= 0:
        return None
    half = (size - 1) / 2
    by_amplitude = half * math.sqrt(2 / (math.pi * math.e)) / math.expm1(bits * math.log(2))
    by_power = half / math.sqrt(math.expm1(bits * math.log(4)))
    return min(by_amplitude, by_power) * (1 + _ROUNDING)


def _as_float(budget: Budget) -> float:
    return budget.lower if isinstance(budget, Bits) else round_down(budget)
