"""How the mean or the sum of a group is told: through noiseless' own quantizers, or as it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from noiseless.adversaries.game import Budget, reach_of
from noiseless.errors import RequestError
from noiseless.exact import log2_bounds, round_up
from noiseless.pricing.budget import finest, printed_cells
from noiseless.pricing.quantized import QuantizedQuery
from noiseless.questions.additive import Additive, mean, total
from noiseless.questions.attribute import Attribute
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
