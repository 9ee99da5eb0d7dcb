"""Reach: how many different answers one person can cause to a question told as the cell it lies in.

The finest cells for a reach, and the coarsest ones for an accuracy, are chosen here too.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, singledispatch
from math import ceil, floor, inf
from operator import itemgetter

import numpy as np

from noiseless.amounts import floor_of_power
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational
from noiseless.questions import Lattice, Query
from noiseless.questions.base import Images, Influence, Positions, Slide, is_consecutive, length
from noiseless.ranges.quantizer import CellInterval, Listed, Quantizer, Stepped, Uniform
from noiseless.ranges.spans import whole_numbers
from noiseless.work import check, spend

_MOST_WORK = 2**24
"""Up to this many pairs of a base and a move are looked at one by one; beyond, reach is a bound."""

_MOVE_STEPS, _BASES_A_STEP = 8, 32
"""What it takes to look at a move from all bases."""
_IMAGES_A_STEP = 16
"""How many positions of images are looked at in a step."""
_MOST_BITS = 10_000
"""More bits than any record has: a budget beyond is a slip of the pen."""

_TOO_FEW = "an answer over a private filter reveals at least whether enough rows pass; allow it 1 bit or more"

_CELL_STEPS = 2
"""What it takes to make and to count a cell of its own width."""

_ALL = 2**11
"""On a lattice of at most this many points every equal division is tried."""


@dataclass(frozen=True)
class Reach:
    """How many answers one person can cause: this many at most, and really this many if `exact`."""

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
          `bits`, log2 of it, is told of them, also to anyone who knows all the others.
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
        place, widest, cells = 0, 0, self.quantizer
        while place < length(positions):  # from cell to cell: there may be many more positions
            after = _place(positions, cells.begin(cells.cell_at(positions[place]) + 1))
            place, widest = after, max(widest, positions[after - 1] - positions[place])
        return (cells.value_at(widest) - cells.value_at(0)) / 2


def allowed_reach(bits: Rational) -> int:
    """How many outputs a budget allows: floor(2**bits), in whole numbers.

    >>> from decimal import Decimal
    >>> allowed_reach(3), allowed_reach(Decimal("1.58")), allowed_reach(Decimal("1.585"))
    (8, 2, 3)
    """
    budget = as_finite(bits)
    if budget is None or not 0 <= budget <= _MOST_BITS:
        raise RequestError(f"a budget is a number of bits between 0 and {_MOST_BITS:,}")
    return floor_of_power(budget)


def as_finite(number: Rational) -> Fraction | None:
    """The number exactly; None for one that is infinite or none at all."""
    try:
        return Fraction(number)
    except (OverflowError, ValueError):
        return None


def finest(query: Query, allowed: int) -> QuantizedQuery:
    """As fine a quantizer as is known that lets one person cause at most `allowed` answers.

    `surely_finest` says where no other one has a smaller worst error.

    On a continuum q = max(k, floor((k - 1) R / S)) equal cells (Theorem 8 of [P1], corrected), where k is
    less by the further answers that one person can cause, such as that too few rows pass. On a lattice
    cells of ceil(K / (k - 1)) points each: were all cells shorter, k + 1 of them would lie within a person's
    sweep. On small lattices, where answers can leave gaps, every equal division from the low end on is
    tried. Where the exact answer is allowed, because a person has at most this many values, it is the finest.

    Raises:
        RequestError: not even a constant is allowed.
    """
    if allowed < 1:
        raise RequestError("a mechanism has at least one output; allow a reach of 1 or more")
    found = [QuantizedQuery(query, quantizer) for quantizer in _candidates(query, allowed)]
    answers = len(query.attainable) if isinstance(query.attainable, tuple) else 0
    spend(len(found) * (answers + counting_steps(query)))
    sound = []
    for mechanism in found:
        check()
        if mechanism.reach.outputs <= allowed:
            sound.append((mechanism.worst_error, mechanism.quantizer.cells, mechanism))
    if not sound:
        raise RequestError(_TOO_FEW)
    return min(sound, key=itemgetter(0, 1))[2]


def _candidates(query: Query, allowed: int) -> Iterator[Quantizer]:
    span = query.span
    yield Uniform(span, 1)
    if not isinstance(span, Lattice):
        yield Uniform(span, _cells_of_continuum(query, allowed))
        return
    if span.last <= _ALL and not _regular(query):
        yield from (Stepped(span, points) for points in range(1, span.last + 1))
        yield from (Uniform(span, cells) for cells in range(2, span.last + 1))
        return
    sweep = max(i.sweep for i in query.influences if not isinstance(i, Slide))
    if all(_most_caused(i) <= allowed for i in query.influences):  # then the exact answer is allowed too
        yield Stepped(span, 1)
    elif (left := allowed - max(getattr(i, "more", 0) for i in query.influences)) > 1:
        yield Stepped(span, min(ceil(Fraction(sweep, left - 1)), ceil(Fraction(span.last + 1, left))))


def _most_caused(influence: Influence | Images | Slide) -> int | float:
    """How many different answers one person can cause at most when they are told exactly."""
    if isinstance(influence, Images):
        return max(map(len, influence.listed))
    if isinstance(influence, Slide):
        return inf
    return influence.cap


def surely_finest(query: Query) -> bool:
    """Whether `finest` is proved to have the least worst error of all cells, equal or not.

    It is where one person sweeps over consecutive points of a lattice, or slides over an interval, from any
    place, and the span is that sweep or a multiple of it. Were all cells of a continuum narrower than
    S / (k - 1), an interval that begins just before the first edge would meet k + 1 of them.
    """
    if not all(influence.exact for influence in query.influences):
        return False
    if isinstance(query.span, Lattice):
        return _regular(query)
    sweep = max(i.length for i in query.influences if isinstance(i, Slide))
    return not sweep or (query.span.width / sweep).denominator == 1


def _regular(query: Query) -> bool:
    """Whether one person sweeps over consecutive points, from any place: there the rule is the best."""
    return all(
        isinstance(influence, Influence)
        and isinstance(influence.moves, range)
        and isinstance(influence.bases, range)
        and influence.moves.step == influence.bases.step == 1
        for influence in query.influences
    )


def _cells_of_continuum(query: Query, allowed: int) -> int:
    slide = max((i for i in query.influences if isinstance(i, Slide)), key=lambda i: i.length)
    left = allowed - slide.more
    if left < 1:
        raise RequestError(_TOO_FEW)
    if not slide.length:
        if slide.more:
            return 1
        raise RequestError("nobody moves the answer: the bounds are equal")
    return max(left, floor((left - 1) * query.span.width / slide.length))


def coarsest(query: Query, error: Rational) -> QuantizedQuery:
    """As few cells as are known whose middles are never farther than `error` from the truth.

    ceil((ymax - ymin) / 2e) cells on a continuum, cells of floor(2e / step) + 1 points on a lattice, fewer
    where answers leave gaps (Theorem IV.2 of [P4]). They are the fewest, and the maximin information I*(Y;
    g(Y)), log2 of their number, is the least, where the answers that occur are known: not for a variance, or
    a sum of irregular values, whose answers are too many to list.

    Raises:
        RequestError: the error is negative, or 0 on a continuum.
    """
    span, tolerated = query.span, as_finite(error)
    if tolerated is None or tolerated < 0 or (tolerated == 0 and not isinstance(span, Lattice)):
        raise RequestError("a tolerated error is a number above 0")
    if isinstance(span, Lattice):
        steps = floor(2 * tolerated / span.step)
        if isinstance(query.attainable, tuple):
            return QuantizedQuery(query, _covering(span, query.attainable, steps))
        return QuantizedQuery(query, Stepped(span, min(steps, span.last) + 1))
    return QuantizedQuery(query, Uniform(span, max(1, ceil(span.width / (2 * tolerated)))))


def _covering(span: Lattice, positions: tuple[int, ...], steps: int) -> Listed:
    """Where answers leave gaps, each cell begins at the first answer that is not covered yet."""
    begins, place = [0], 0
    while place < len(positions):
        begins.append(positions[place])
        place = bisect_right(positions, positions[place] + steps, place)
    spend(_CELL_STEPS * len(begins))
    return Listed(span, tuple(dict.fromkeys(begins)))


def printed_cells(query: Query, budget: Rational | Bits) -> int:
    """How many cells the recipe printed as Theorem 8 of [P1] allows, unsoundly: floor(2**budget R / S)."""
    span = query.span
    step = span.step if isinstance(span, Lattice) else Fraction(1)
    sweep = max(i.length if isinstance(i, Slide) else i.sweep * step for i in query.influences)
    ratio = span.width / sweep if sweep else Fraction(1)
    if isinstance(budget, Bits):
        return max(floor(budget.ratio * ratio), 1)
    return max(floor_of_power(Fraction(budget), ratio), 1)


def counting_steps(query: Query) -> int:
    """What it takes to count the reach of a query, for any cells, in steps of about a microsecond."""
    return sum(map(_steps_of, query.influences))


def _steps_of(influence: Influence | Images | Slide) -> int:
    """What it takes to count the reach, for any cells, in steps of about a microsecond."""
    if isinstance(influence, Images):
        return _MOVE_STEPS + influence.table.size // _IMAGES_A_STEP
    if isinstance(influence, Slide) or not is_counted(influence):
        return 0
    return length(influence.moves) * (_MOVE_STEPS + length(influence.bases) // _BASES_A_STEP)


def is_counted(influence: Influence) -> bool:
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
    cap, more = influence.cap, influence.more
    if is_consecutive(moves) and is_consecutive(bases):
        met = _sliding(quantizer, influence.sweep, bases[-1], bases[0])
        return Reach(min(met + more, cap), influence.exact)
    if is_counted(influence):
        return Reach(min(_counted(influence, quantizer) + more, cap), influence.exact)
    return Reach(min(_sliding(quantizer, influence.sweep, bases[-1], 0) + more, cap), exact=False)


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


def _place(positions: Positions, number: int) -> int:
    """How many positions lie below a number; `bisect` takes no range as long as some are."""
    if isinstance(positions, range):
        return min(-(-(number - positions[0]) // positions.step), length(positions))
    return bisect_left(positions, number)
