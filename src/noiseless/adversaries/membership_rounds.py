"""The rounds of the membership game: drawn, played in threads, and judged in whole numbers."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from noiseless.adversaries.aggregates import Aggregate, cell_tables
from noiseless.adversaries.game import stream
from noiseless.adversaries.membership_kernel import player
from noiseless.adversaries.readings import Readings

Adversary = Literal["correlation", "square-error", "peaks"]
ADVERSARIES: tuple[Adversary, ...] = ("correlation", "square-error", "peaks")

Numbers = npt.NDArray[np.int64]
Exact = npt.NDArray[np.object_]
"""Whole numbers of any size: products of sums do not fit into 64 bits."""

_TOGETHER = 50
"""Rounds that a thread plays before it asks for more."""


@dataclass(frozen=True, eq=False)
class Played:
    """What the adversary sees in each round.

    Attributes:
        truth: which candidate was in the group, 0 or 1.
        coins: for each adversary, what it guesses when both candidates are equally likely.
        own: for each candidate, the sum and the sum of squares of its readings.
        joint: for each aggregate, the sum of (twice) the answers, their products with the readings of each
            candidate, and the peaks in common with each.
        length: how many answers were told.
        weight: how many readings a mean is made of; 1 for a sum.
        shift: twice the others' lower bounds in a sum, in steps; 0 for a mean.
    """

    truth: Numbers
    coins: Numbers
    own: Numbers
    joint: Numbers
    length: int
    weight: int
    shift: Fraction

    def wins(self, adversary: Adversary) -> list[int]:
        """In how many rounds the adversary is right, for each aggregate."""
        likely: dict[Adversary, Callable[[], tuple[Any, Any]]] = {
            "correlation": self._correlations,
            "square-error": self._nearness,
            "peaks": self._peaks,
        }
        first, second = likely[adversary]()
        coins = self.coins[:, ADVERSARIES.index(adversary), None]
        guess = np.where(first == second, coins, second > first)
        return [int(won) for won in (guess == self.truth[:, None]).sum(axis=0)]

    def _correlations(self) -> tuple[Exact, Exact]:
        """Squares of correlations with their signs, times what both share; 0 where one is constant."""
        answers = self.joint[:, :, 0].astype(object)
        covariances, variances = [], []
        for i in range(2):
            total, squares = (self.own[:, i, at, None].astype(object) for at in range(2))
            covariances.append(self.length * self.joint[:, :, 1 + i].astype(object) - total * answers)
            variance = self.length * squares - total * total
            variances.append(np.where(variance == 0, 1, variance))
        first, second = (c * abs(c) * v for c, v in zip(covariances, reversed(variances), strict=True))
        return first, second

    def _nearness(self) -> tuple[Exact, Exact]:
        """Minus the sum of squares of reading minus answer, times the weight, without what both share."""
        first, second = (
            self.joint[:, :, 1 + i].astype(object)
            - self.weight * self.own[:, i, 1, None].astype(object)
            + self.shift * self.own[:, i, 0, None].astype(object)
            for i in range(2)
        )
        return first, second

    def _peaks(self) -> tuple[Numbers, Numbers]:
        return self.joint[:, :, 3], self.joint[:, :, 4]


@dataclass(frozen=True, eq=False)
class Arena:
    """Where rounds are played.

    Attributes:
        readings: of all households.
        length: how many answers are told in a round.
        rounds: how many rounds are played with each group size.
        seed: where random numbers begin.
        threads: how many threads share the rounds.
        count: told how many more rounds are done.
    """

    readings: Readings
    length: int
    rounds: int
    seed: int
    threads: int
    count: Callable[[int], None]

    def play(self, size: int, told: Sequence[Aggregate]) -> Played:
        """All rounds with groups of one size; what is drawn depends on the seed and the size alone."""
        rng = stream(self.seed, size)
        everybody = np.tile(np.arange(self.readings.households), (self.rounds, 1))
        drawn = rng.permuted(everybody, axis=1)[:, : size + 1]
        truth = rng.integers(0, 2, self.rounds)
        coins = rng.integers(0, 2, (self.rounds, len(ADVERSARIES)))
        starts = rng.integers(0, self.readings.times - self.length + 1, self.rounds)
        pairs, members = drawn[:, :2].copy(), drawn[:, 1:].copy()
        members[:, 0] = np.where(truth, pairs[:, 1], pairs[:, 0])
        own, joint = self._run(pairs, members, starts, told)
        weight = int(1 / told[0].question.factor)
        lattice = self.readings.lattice
        shift = 2 * (size - weight) * lattice.low / lattice.step
        return Played(truth, coins, own, joint, self.length, weight, shift)

    def _run(
        self, pairs: Numbers, members: Numbers, starts: Numbers, told: Sequence[Aggregate]
    ) -> tuple[Numbers, Numbers]:
        play, peaks = player(self.rounds * len(told) * self.length), _peaks_of(self.readings)
        tables = cell_tables([one.quantizer for one in told])
        own, joint = np.zeros((self.rounds, 2, 2), np.int64), np.zeros((self.rounds, len(told), 5), np.int64)

        def part(begin: int, end: int) -> int:
            some = slice(begin, end)
            drawn = pairs[some], members[some], starts[some]
            play(self.readings.numbers, peaks, *drawn, self.length, *tables, own[some], joint[some])
            return end - begin

        part(0, 0)  # compiles here what is not yet: threads would do so at once
        begins = range(0, self.rounds, _TOGETHER)
        with ThreadPoolExecutor(self.threads) as pool:
            waiting = [pool.submit(part, begin, min(begin + _TOGETHER, self.rounds)) for begin in begins]
            for finished in as_completed(waiting):
                self.count(finished.result())
        return own, joint


def _peaks_of(readings: Readings) -> npt.NDArray[np.uint8]:
    """1 where a reading is above both its neighbours."""
    numbers = readings.numbers
    found = np.zeros(numbers.shape, np.uint8)
    inner = numbers[:, 1:-1]
    found[:, 1:-1] = (inner > numbers[:, :-2]) & (inner > numbers[:, 2:])
    return found
