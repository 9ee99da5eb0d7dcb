"""The rounds of the membership game: how a group's answer is told, what is drawn, played in threads, and judged."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from noiseless.adversaries.game import Budget, reach_of, stream
from noiseless.adversaries.membership_kernel import player
from noiseless.adversaries.readings import Readings
from noiseless.errors import RequestError
from noiseless.exact import log2_bounds, round_up
from noiseless.pricing.quantizer_choice import finest, printed_cells
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions.additive import Additive, mean, total
from noiseless.questions.base import Attribute
from noiseless.ranges.quantizer import Quantizer, Stepped, Uniform

Question = Literal["mean", "sum"]
Recipe = Literal["finest", "printed"]
"""Cells as fine as the budget truly allows, or those of Theorem 8 of [P1] as printed, which is unsound."""

_MOST_CELLS = 2**24
"""More cells do not fit into caches, and tell what nothing protects."""


@dataclass(frozen=True)
class Aggregate:
    """A group's answer at one time.

    Attributes:
        question: what is asked of the group.
        budget: the bits that one person may tell; None where the answer is told as it is.
        recipe: how cells are chosen.
    """

    question: Additive
    budget: Budget | None
    recipe: Recipe = "finest"

    @classmethod
    def of(
        cls,
        query: Question,
        people: int,
        attribute: Attribute,
        budget: Budget | None,
        recipe: Recipe = "finest",
    ) -> "Aggregate":
        """The mean or the sum of some people's values."""
        ask = mean if query == "mean" else total
        return cls(ask(people, attribute), budget, recipe)

    @cached_property
    def mechanism(self) -> QuantizedQuery:
        """The question with its cells; one for each value where nothing is protected."""
        if self.budget is None:
            return QuantizedQuery(self.question, Stepped(self.question.span, 1))
        if self.recipe == "printed":
            cells = printed_cells(self.question, self.budget)
            return QuantizedQuery(self.question, Uniform(self.question.span, cells))
        return finest(self.question, reach_of(self.budget))

    @property
    def quantizer(self) -> Quantizer:
        """The cells."""
        return self.mechanism.quantizer

    @property
    def reach(self) -> int:
        """How many answers one person can cause, at one time."""
        return self.mechanism.reach.outputs

    def total_bits(self, times: int) -> float:
        """What so many answers, each about another reading of the person, tell of them: prices add."""
        return round_up(log2_bounds(Fraction(self.reach))[1] * times)

    @property
    def worst_error(self) -> float:
        """How far what is told can be from the truth."""
        return round_up(self.mechanism.worst_error)


class CellTables(NamedTuple):
    """The cells of several quantizers as the kernel wants them; see there."""

    begins: npt.NDArray[np.int64]
    middles: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]
    scales: npt.NDArray[np.float64]


def cell_tables(quantizers: Sequence[Quantizer]) -> CellTables:
    """The first position of each cell, and twice its middle.

    Raises:
        RequestError: there are more cells than can be held.
    """
    begins, middles, offsets, scales = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [], []
    filled = 0
    for quantizer in quantizers:
        offsets.append(filled)
        if quantizer.cells > quantizer.last:  # a cell of its own for each value
            scales.append(0.0)
            continue
        if quantizer.cells > _MOST_CELLS:
            raise RequestError("the budget makes more than 2^24 cells; declare a coarser step")
        first = _begins(quantizer)
        begins.append(first)
        middles.append(np.append(first[:-1] + first[1:] - 1, 0))
        scales.append(quantizer.cells / (quantizer.last + 1))
        filled += len(first)
    return CellTables(
        np.concatenate(begins), np.concatenate(middles), np.array(offsets, np.int64), np.array(scales)
    )


def _begins(quantizer: Quantizer) -> npt.NDArray[np.int64]:
    """The first position of each cell, and the position after the last one."""
    numbers = np.arange(quantizer.cells + 1)
    if isinstance(quantizer, Stepped):
        return np.minimum(numbers * quantizer.points, quantizer.last + 1)
    return np.array([quantizer.begin(int(cell)) for cell in numbers[:-1]] + [quantizer.last + 1])


Adversary = Literal["correlation", "square-error", "peaks"]
ADVERSARIES: tuple[Adversary, ...] = ("correlation", "square-error", "peaks")

Numbers = npt.NDArray[np.int64]
Exact = npt.NDArray[np.object_]
"""Whole numbers of any size: products of sums do not fit into 64 bits."""

_TOGETHER = 50
"""Rounds that a thread plays before it asks for more."""


@dataclass(frozen=True, eq=False)
class MembershipTranscript:
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
class MembershipExperiment:
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

    def play(self, size: int, told: Sequence[Aggregate]) -> MembershipTranscript:
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
        return MembershipTranscript(truth, coins, own, joint, self.length, weight, shift)

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
