"""A question answered through a quantizer: the basic noiseless mechanism."""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.pricing.reach import Reach, reach
from noiseless.questions import Lattice, Query
from noiseless.questions.influence import Positions, length
from noiseless.ranges.quantizer import CellInterval, Quantizer


@dataclass(frozen=True)
class QuantizedQuery:
    """Tell the answer to a question only as the cell it lies in.

    Nothing is drawn at random. What it costs is known before any data is looked at.

    Attributes:
        query: the question.
        quantizer: the cells, over the question's span.

    >>> from noiseless.ranges.quantizer import Uniform
    >>> from noiseless.questions import Attribute, mean
    >>> ages = mean(30, Attribute("age", range(121)))
    >>> told = QuantizedQuery(ages, Uniform(ages.span, 60))
    >>> told.reach.outputs, str(told.bits), told.worst_error == 1
    (3, '1.59 bits', True)

    Guarantee:
        * One person can cause at most `reach` different answers, whatever everybody else has: at most
          `bits`, log2 of it, is told of them, also to whoever knows all the others.
        * The truth lies in the interval that is told; its middle is off by `worst_error` at most.
        * The same question has the same answer every time: asking again tells nothing.
    """

    query: Query
    quantizer: Quantizer

    @cached_property
    def reach(self) -> Reach:
        """How many answers one person can cause."""
        return reach(self.query, self.quantizer)

    @property
    def bits(self) -> Bits:
        """The price: log2 of the reach."""
        return self.reach.bits

    def answer(self, cell: int) -> CellInterval:
        """The values that a cell holds and that can occur: the truth is certainly among them."""
        positions, span = self.query.attainable, self.query.span
        if positions is None or not isinstance(span, Lattice):
            return self.quantizer.answer(cell)
        first, after = (_place(positions, self.quantizer.begin(end)) for end in (cell, cell + 1))
        if first == after:
            raise RequestError("no answer lies in that cell")
        return CellInterval(span.value(positions[first]), span.value(positions[after - 1]))

    @cached_property
    def worst_error(self) -> Fraction:
        """How far the middle of an answer can be from the truth."""
        positions = self.query.attainable
        if positions is None or (isinstance(positions, range) and positions.step == 1):
            return self.quantizer.worst_error
        cells = {self.quantizer.cell_at(position) for position in positions}
        answers = (self.answer(cell) for cell in cells)
        return max(answer.upper - answer.lower for answer in answers) / 2


def _place(positions: Positions, number: int) -> int:
    """How many positions lie below a number; `bisect` takes no range as long as some are."""
    if isinstance(positions, range):
        return min(-(-(number - positions[0]) // positions.step), length(positions))
    return bisect_left(positions, number)
