"""The rounds of the membership game: the published answers, the draws, the play in threads, the verdict."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from noiseless.adversaries.game import Budget, reach_of, stream
from noiseless.adversaries.readings import Readings
from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import RequestError
from noiseless.exact import log2_bounds, round_up
from noiseless.pricing.reach import QuantizedQuery, finest, printed_cells
from noiseless.questions.additive import Additive
from noiseless.ranges.quantizer import Quantizer, Stepped, Uniform

Question = Literal["mean", "sum"]
Recipe = Literal["finest", "printed"]
"""Cells as fine as the budget truly allows, or those of Theorem 8 of [P1] as printed, which is unsound."""

WRAPS = 2**62
"""Sums of products are smaller, so that they fit into 64 bits."""

_LARGEST = 2**31

Adversary = Literal["correlation", "square-error", "peaks"]
ADVERSARIES: tuple[Adversary, ...] = ("correlation", "square-error", "peaks")
Exact = npt.NDArray[np.object_]
"""Whole numbers of any size: products of sums do not fit into 64 bits."""

_TOGETHER = 50
"""Rounds that a thread plays before it asks for more."""


@dataclass(frozen=True)
class Aggregate:
    """A group's answer at one time.

    Attributes:
        question: what is asked of the group.
        budget: the bits leaked about one person, at most; None where the answer is exact.
        recipe: how cells are chosen.
    """

    question: Additive
    budget: Budget | None
    recipe: Recipe = "finest"

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
        """The bits of this many answers, each about another reading of the person, together: prices add."""
        return round_up(log2_bounds(Fraction(self.reach))[1] * times)

    @property
    def worst_error(self) -> float:
        """How far the published answer can be from the truth."""
        return round_up(self.mechanism.worst_error)


def cells_of(quantizer: Quantizer, sums: IntArray) -> tuple[IntArray, IntArray]:
    """The cell of each position on a lattice, and twice its middle: as a quantizer says, for all at once."""
    last = quantizer.last
    if quantizer.cells > last:  # a cell of its own for each value
        return sums, 2 * sums
    if isinstance(quantizer, Stepped):
        small = sums.astype(np.int32) if last < _LARGEST else sums  # their division is ten times as fast
        cells = (small // quantizer.points).astype(np.int64)
        begins = cells * quantizer.points
        return cells, begins + np.minimum(begins + quantizer.points, last + 1) - 1
    cells = np.minimum(sums * quantizer.cells // last, quantizer.cells - 1)
    ends = np.where(cells < quantizer.cells - 1, -(-(cells + 1) * last // quantizer.cells), last + 1)
    return cells, -(-cells * last // quantizer.cells) + ends - 1


@dataclass(frozen=True, eq=False)
class MembershipTranscript:
    """What the adversary sees in each round.

    Attributes:
        truth: which candidate was in the group, 0 or 1.
        coins: for each adversary, what it guesses when both candidates are equally likely.
        own: for each candidate, the sum and the sum of squares of its readings.
        joint: for each aggregate, the sum of (twice) the answers, their products with the readings of each
            candidate, and the peaks in common with each.
        length: how many answers were published.
        weight: how many readings a mean is made of; 1 for a sum.
        shift: twice the others' lower bounds in a sum, in steps; 0 for a mean.
    """

    truth: IntArray
    coins: IntArray
    own: IntArray
    joint: IntArray
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

    def _peaks(self) -> tuple[IntArray, IntArray]:
        return self.joint[:, :, 3], self.joint[:, :, 4]


@dataclass(frozen=True, eq=False)
class MembershipExperiment:
    """Where rounds are played.

    Attributes:
        readings: of all households.
        length: how many answers are published in a round.
        rounds: how many rounds are played with each group size.
        seed: where random numbers begin.
        threads: how many threads share the rounds.
        count: called with the number of further rounds done.
        pair: the candidates of every round, if the adversary chooses them; else two are drawn.
    """

    readings: Readings
    length: int
    rounds: int
    seed: int
    threads: int
    count: Callable[[int], None]
    pair: tuple[int, int] | None = None

    def play(self, size: int, told: Sequence[Aggregate]) -> MembershipTranscript:
        """All rounds with groups of one size; what is drawn depends on the seed and the size alone."""
        rng = stream(self.seed, size)
        others = np.setdiff1d(np.arange(self.readings.households), self.pair or ())
        drawn = rng.permuted(np.tile(others, (self.rounds, 1)), axis=1)
        if self.pair is not None:
            drawn = np.concatenate((np.tile(self.pair, (self.rounds, 1)), drawn), axis=1)
        drawn = drawn[:, : size + 1]
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
        self, pairs: IntArray, members: IntArray, starts: IntArray, told: Sequence[Aggregate]
    ) -> tuple[IntArray, IntArray]:
        quantizers = [one.quantizer for one in told]
        if any(one.cells * one.last >= WRAPS for one in quantizers):
            raise RequestError("the step is too fine for sums in 64 bits; declare a coarser one")
        own, joint = np.zeros((self.rounds, 2, 2), np.int64), np.zeros((self.rounds, len(told), 5), np.int64)

        def part(begin: int, end: int) -> int:
            for r in range(begin, end):
                window = slice(starts[r], starts[r] + self.length)
                sums = self.readings.numbers[members[r], window].sum(axis=0, dtype=np.int64)
                candidates = self.readings.numbers[pairs[r], window].astype(np.int64)
                own[r, :, 0], own[r, :, 1] = candidates.sum(axis=1), (candidates * candidates).sum(axis=1)
                peaks = _peaks(candidates)
                for k, quantizer in enumerate(quantizers):
                    cells, answers = cells_of(quantizer, sums)
                    joint[r, k, 0], joint[r, k, 1:3] = (
                        answers.sum(),
                        np.einsum("it,t->i", candidates, answers),
                    )
                    told_peaks = _peaks(cells)
                    joint[r, k, 3:5] = [np.count_nonzero(each & told_peaks) for each in peaks]
            return end - begin

        begins = range(0, self.rounds, _TOGETHER)
        with ThreadPoolExecutor(self.threads) as pool:
            waiting = [pool.submit(part, begin, min(begin + _TOGETHER, self.rounds)) for begin in begins]
            for finished in as_completed(waiting):
                self.count(finished.result())
        return own, joint


def _peaks(numbers: IntArray) -> BoolArray:
    """Where an inner number of a series is above both its neighbours."""
    found: BoolArray = (numbers[..., 1:-1] > numbers[..., :-2]) & (numbers[..., 1:-1] > numbers[..., 2:])
    return found
