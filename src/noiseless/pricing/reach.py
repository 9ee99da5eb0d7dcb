"""Reach: how many different answers one person can cause to a question told as the cell it lies in."""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, singledispatch
from math import ceil

import numpy as np

from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.questions import Lattice, Query
from noiseless.questions.base import Images, Influence, Positions, Slide, is_consecutive, length
from noiseless.ranges.quantizer import CellInterval, Quantizer, Uniform
from noiseless.ranges.spans import whole_numbers

_MOST_WORK = 2**24
"""Up to this many pairs of a base and a move are looked at one by one; beyond, reach is a bound."""

_MOVE_STEPS, _BASES_A_STEP = 8, 32
"""What it takes to look at a move from all bases."""
_IMAGES_A_STEP = 16
"""How many positions of images are looked at in a step."""


@dataclass(frozen=True)
class Reach:
    """How many answers one person can cause: so many at most, and really so many if `exact`."""

    outputs: int
    exact: bool

    @property
    def bits(self) -> Bits:
        """The price: log2 of the outputs."""
        return Bits(self.outputs)


def reach(query: Query, quantizer: Quantizer) -> Reach:
    """The reach of telling the answer to a query only as its cell.

    >>> from noiseless.ranges.quantizer import Stepped
    >>> from noiseless.questions import Attribute, mean
    >>> question = mean(1000, Attribute("x", range(101)))
    >>> reach(question, Stepped(question.span, 100))
    Reach(outputs=2, exact=True)
    """
    reached = Reach(0, exact=False)
    for influence in query.influences:
        part = _of(influence, quantizer)
        if part.outputs > reached.outputs:
            reached = part
        elif part.outputs == reached.outputs:
            reached = Reach(part.outputs, reached.exact or part.exact)
    return reached


def steps_of_reach(query: Query) -> int:
    """What it takes to count the reach, for any cells, in steps of about a microsecond."""
    return sum(map(_steps_of, query.influences))


def _steps_of(influence: Influence | Images | Slide) -> int:
    if isinstance(influence, Images):
        return _MOVE_STEPS + influence.table.size // _IMAGES_A_STEP
    if isinstance(influence, Slide) or not _is_counted(influence):
        return 0
    return length(influence.moves) * (_MOVE_STEPS + length(influence.bases) // _BASES_A_STEP)


def _is_counted(influence: Influence) -> bool:
    """Whether pairs of a base and a move are looked at one by one."""
    moves, bases = influence.moves, influence.bases
    regular = is_consecutive(moves) and is_consecutive(bases)
    return not regular and length(moves) * length(bases) <= _MOST_WORK


@singledispatch
def _of(influence: Influence | Images | Slide, quantizer: Quantizer) -> Reach:
    """Exactly where moves and bases are regular or few; otherwise for all places a sweep can be at."""
    if not isinstance(influence, Influence):
        raise TypeError(f"no rule for {type(influence).__name__}")
    moves, bases = influence.moves, influence.bases
    cap = length(moves) if influence.most is None else min(length(moves), influence.most)
    if is_consecutive(moves) and is_consecutive(bases):
        return Reach(min(_sliding(quantizer, influence.sweep, bases[-1], bases[0]), cap), influence.exact)
    if _is_counted(influence):
        return Reach(min(_counted(influence, quantizer), cap), influence.exact)
    return Reach(min(_sliding(quantizer, influence.sweep, bases[-1], 0), cap), exact=False)


@_of.register
def _of_images(influence: Images, quantizer: Quantizer) -> Reach:
    """One more than there are changes of cell between neighbouring positions of an image."""
    cells = quantizer.cells_at(influence.table)
    return Reach(1 + int(np.count_nonzero(np.diff(cells, axis=1), axis=1).max(initial=0)), exact=True)


@_of.register
def _of_slide(influence: Slide, quantizer: Quantizer) -> Reach:
    """A closed interval meets most cells when its end just reaches an edge (Theorem 8 of [P1], corrected).

    With cells of any width it may also meet most of them where it begins at the low end of the span.
    """
    sweep, span = influence.length, quantizer.span
    if not sweep:
        return Reach(1 + influence.more, influence.exact)
    if isinstance(quantizer, Uniform):
        most = min(quantizer.cells, ceil(quantizer.cells * sweep / span.width) + 1)
        return Reach(most + influence.more, influence.exact)
    return Reach(quantizer.most_slid(sweep)[0] + influence.more, influence.exact)


def _counted(influence: Influence, quantizer: Quantizer) -> int:
    """For each base, how many cells the moves meet: one more than there are changes of cell between them."""
    bases = np.asarray(influence.bases, whole_numbers(quantizer.last))
    begins = quantizer.first_points
    met = np.ones(len(bases), np.int64)
    before = np.searchsorted(begins, bases + influence.moves[0], side="right")
    for move in influence.moves[1:]:
        after = np.searchsorted(begins, bases + move, side="right")
        met += after != before
        before = after
    return int(met.max())


def _sliding(quantizer: Quantizer, sweep: int, last: int, first: int) -> int:
    """The most cells that sweep + 1 consecutive points meet, the first of them at a position first..last."""
    if isinstance(quantizer, Uniform) and first == 0:
        return _sliding_uniform(quantizer, sweep, last)
    return quantizer.most_met(sweep, first, last)[0]


def _sliding_uniform(quantizer: Uniform, sweep: int, last: int) -> int:
    """In whole numbers: cell(b + K) - cell(b) is floor(Kq/N) or one more, as b q mod N decides."""
    cells, end = quantizer.cells, quantizer.last
    if cells > end:
        return sweep + 1
    found = 0
    if last + sweep == end:  # the last cell is closed: look at that window by itself
        found = cells - 1 - min(last * cells // end, cells - 1)
        last -= 1
    if last >= 0:
        whole, part = divmod(sweep * cells, end)
        first = first_in_range(cells, end, end - part, end - 1) if part else None
        found = max(found, whole + (first is not None and first <= last))
    return found + 1


def first_in_range(factor: int, modulus: int, low: int, high: int) -> int | None:
    """The least x >= 0 with low <= factor * x mod modulus <= high, if there is one; low is above 0.

    As in Euclid's algorithm: if no multiple of the factor lies in the range itself, the question becomes
    how often to go round the modulus, which is the same question modulo the factor.
    """
    factor %= modulus
    if not factor:
        return None
    if 2 * factor > modulus:
        return first_in_range(modulus - factor, modulus, modulus - high, modulus - low)
    steps = -(-low // factor)
    if steps * factor <= high:
        return steps
    rounds = first_in_range(-modulus % factor, factor, low % factor, high % factor)
    return None if rounds is None else -(-(low + modulus * rounds) // factor)


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
