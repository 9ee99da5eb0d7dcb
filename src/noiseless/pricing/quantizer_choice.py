"""The finest quantizer for a budget, and the coarsest one for an accuracy."""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor, inf
from operator import itemgetter

from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational, floor_of_power
from noiseless.pricing.reach import QuantizedQuery, steps_of_reach
from noiseless.questions import Images, Influence, Lattice, Query, Slide
from noiseless.questions.base import length
from noiseless.ranges.quantizer import Edged, Quantizer, Stepped, Uniform
from noiseless.work import check, spend

_MOST_BITS = 10_000
"""More bits than any record has: a budget beyond is a slip of the pen."""

_CELL_STEPS = 20
"""What it takes to make, to count and to write down a cell of its own width."""

_ALL = 2**11
"""On a lattice of at most so many points every equal division is tried."""


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
    tried. Where the exact answer is allowed, because a person has at most so many values, it is the finest.

    Raises:
        RequestError: not even a constant is allowed.
    """
    if allowed < 1:
        raise RequestError("a mechanism has at least one output; allow a reach of 1 or more")
    found = [QuantizedQuery(query, quantizer) for quantizer in _candidates(query, allowed)]
    answers = len(query.attainable) if isinstance(query.attainable, tuple) else 0
    spend(len(found) * (answers + steps_of_reach(query)))
    sound = []
    for mechanism in found:
        check()
        if mechanism.reach.outputs <= allowed:
            sound.append((mechanism.worst_error, mechanism.quantizer.cells, mechanism))
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
    elif allowed > 1:
        yield Stepped(span, min(ceil(Fraction(sweep, allowed - 1)), ceil(Fraction(span.last + 1, allowed))))


def _most_caused(influence: Influence | Images | Slide) -> int | float:
    """How many different answers one person can cause at most when they are told exactly."""
    if isinstance(influence, Images):
        return max(map(len, influence.listed))
    if isinstance(influence, Slide):
        return inf
    moves = length(influence.moves)
    return moves if influence.most is None else min(moves, influence.most)


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
        raise RequestError(
            "a mean over a private filter tells at least whether enough rows pass; allow it 1 bit or more"
        )
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


def _covering(span: Lattice, positions: tuple[int, ...], steps: int) -> Edged:
    """Where answers leave gaps, each cell begins at the first answer that is not covered yet."""
    begins: list[int] = []
    for position in positions:
        if not begins or position - begins[-1] > steps:
            begins.append(position)
    spend(_CELL_STEPS * len(begins))
    return Edged.of(span, [span.value(begin) for begin in begins])


def printed_cells(query: Query, budget: Rational | Bits) -> int:
    """How many cells the recipe printed as Theorem 8 of [P1] allows, unsoundly: floor(2**budget R / S)."""
    span = query.span
    step = span.step if isinstance(span, Lattice) else Fraction(1)
    sweep = max(i.length if isinstance(i, Slide) else i.sweep * step for i in query.influences)
    ratio = span.width / sweep if sweep else Fraction(1)
    if isinstance(budget, Bits):
        return max(floor(budget.ratio * ratio), 1)
    return max(floor_of_power(Fraction(budget), ratio), 1)
