"""F-scores of guesses in time, with intervals by a bootstrap of blocks of consecutive readings."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noiseless.adversaries.intervals import CONFIDENCE
from noiseless.arrays import BoolArray, FloatArray

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class FScore:
    """How well "on" was guessed.

    Attributes:
        value: the harmonic mean of precision and recall; 0 where nothing was on and nothing said to be.
        low: where its confidence interval begins.
        high: where it ends.
        precision: the share of readings said to be on that are.
        recall: the share of readings that are on and said to be.
    """

    value: float
    low: float
    high: float
    precision: float
    recall: float


@dataclass(frozen=True, eq=False)
class Blocks:
    """Readings in blocks of equal length, which are resampled as wholes.

    Appliances run for minutes and hours, so that neighbouring readings tell the same: resampled one by one
    they would make intervals far too narrow.

    Attributes:
        starts: where each block begins.
        weights: how often each block is drawn in each round of the bootstrap.
    """

    starts: Counts
    weights: FloatArray

    @classmethod
    def draw(cls, rows: int, blocks: int, rounds: int, rng: np.random.Generator) -> "Blocks":
        """Cut rows into blocks and draw the rounds: as many blocks as there are, with replacement."""
        count = min(blocks, rows)
        starts = np.arange(count, dtype=np.int64) * rows // count
        chosen = rng.multinomial(count, np.full(count, 1 / count), size=rounds)
        return cls(starts, chosen.astype(float))

    def sums(self, flags: BoolArray) -> FloatArray:
        """How often each column of flags is true in each block."""
        return np.add.reduceat(flags, self.starts, axis=0, dtype=np.int64).astype(float)

    def scores(self, guessed: BoolArray, truth: BoolArray, really: FloatArray) -> tuple[FScore, list[FScore]]:
        """The mean f-score of all columns, and that of each.

        Args:
            guessed: for each reading and column, whether it is said to be on.
            truth: whether it is on.
            really: the sums of the truth by block.
        """
        right, said = self.sums(guessed & truth), self.sums(guessed)
        value = f_score(right.sum(0), said.sum(0), really.sum(0))
        again = f_score(self.weights @ right, self.weights @ said, self.weights @ really)
        precision = _ratio(right.sum(0), said.sum(0))
        recall = _ratio(right.sum(0), really.sum(0))
        each = [
            FScore(
                float(value[i]),
                *_interval(float(value[i]), again[:, i]),
                float(precision[i]),
                float(recall[i]),
            )
            for i in range(len(value))
        ]
        middle = float(value.mean())
        ends = _interval(middle, again.mean(axis=1))
        return FScore(middle, *ends, float(precision.mean()), float(recall.mean())), each


def f_score(right: FloatArray, said: FloatArray, really: FloatArray) -> FloatArray:
    """2 right / (said + really): the harmonic mean of precision and recall; 0 where all three are 0.

    >>> f_score(np.array([3.0, 0.0]), np.array([4.0, 0.0]), np.array([6.0, 0.0])).tolist()
    [0.6, 0.0]
    """
    return _ratio(2 * right, said + really)


def _ratio(top: FloatArray, bottom: FloatArray) -> FloatArray:
    return np.asarray(top / np.where(bottom > 0, bottom, 1.0), np.float64)


def _interval(value: float, again: FloatArray) -> tuple[float, float]:
    """Percentiles of the bootstrap; the value itself always lies within."""
    low, high = np.quantile(again, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return min(value, float(low)), max(value, float(high))
