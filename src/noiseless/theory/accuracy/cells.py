"""Cells for a tolerated error: the fewest of them, and those that leak least ([P4], section IV)."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.intervals import Enclosure
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Additive, Lattice, LinearOnBox, OrderStatistic, Query, Span
from noiseless.ranges.quantizer import Edged, Quantizer, Uniform
from noiseless.theory.accuracy.counts import DatasetCounts
from noiseless.theory.accuracy.peaks import MOST_PEOPLE, LatticeSumLaw, LinearLaw, full_cells, peaked_law
from noiseless.theory.accuracy.policy import AccuracyPolicy
from noiseless.theory.accuracy.pushforward import WHOLE, LinearVolume, Volume
from noiseless.theory.accuracy.walk import EdgeGrid
from noiseless.work import spend

MOST_CELLS = 2**13
"""A policy with more cells is not worked out."""

_NEAR = Fraction(999, 1000)
"""A policy that leaves this part of a bound is not compared with a closer one."""

_FEW = 2**11
"""With few answers on a lattice, or few cells times people, every choice of cells is weighed."""

_LEAST_STEPS = 2**19
"""What it takes at most to find the cells of a question that is asked of a curator."""

_POSITIVE = "a tolerated error is a number above 0"

_MIDDLE = 2
"""Two cells, or one, are left in the middle."""

AnswerSource = Query | Volume | DatasetCounts
"""A question, or its push-forward."""


def fewest_cells(asked: AnswerSource, error: Rational) -> AccuracyPolicy:
    """As few cells as are known to keep an error: least I*(Y;g(Y)) (Theorem IV.2 of [P4]).

    ceil((ymax - ymin) / 2e) equal cells over an interval. Its Corollary IV.1 needs no condition: whatever the
    question, a policy's sets cover an interval of answers by pieces that are at most 2e wide. On a lattice
    each cell begins at the first answer that is not covered yet.

    For linear queries and on a lattice no policy has fewer. Of other functions ymin and ymax are enclosed:
    the cells cover all answers that there can be, `least_cells` counts those that there are for certain, and
    only where the two agree are the cells the fewest. For a callable they often differ by one.

    >>> from noiseless.questions import Continuum, Quantity
    >>> mean = LinearOnBox((Fraction(1, 2),) * 2, Quantity("x", Continuum.of(-2, 2)))
    >>> found = fewest_cells(mean, Fraction(1, 2))
    >>> found.cells, found.maximin, found.quality, found.leakage
    (4, Bits(4), Fraction(2, 1), Nats(8))
    """
    source, tolerated = pushed(asked), _tolerated(error)
    if isinstance(source, DatasetCounts):
        return source.policy(source.fewest(tolerated), tolerated)
    cells = _cells_across(source.span, tolerated)
    quantizer = Uniform(source.span, cells)
    edges = [quantizer.edge(cell) for cell in range(cells + 1)]
    closer = source.refined([*edges, *_ends(source, tolerated)])
    return _policy(closer, quantizer, tolerated, closer.shares(edges))


def least_leakage(asked: AnswerSource, error: Rational) -> AccuracyPolicy:
    """The cells within an error that leave the most behind the most telling answer: least L0(X;Y).

    Theorem IV.3 of [P4] for the measure (10a). Contiguous cells of the answer are optimal among all policies
    as long as no single answer has volume: give the sets in the order of their answers the same volumes as
    consecutive runs, and each run lies within the set's own 2e.

    For a linear query on a box the optimum is min(F(ymin + 2e), 1 / ceil((ymax - ymin) / 2e)), F being the
    share of the volume below a level: no policy does better at either end or in the mean, and cells that are
    2e wide outside and of equal volume inside attain it. For other functions a walk over a grid finds cells
    and a bound; on a lattice contiguous cells are optimised exactly, and others might do better.

    >>> from noiseless.questions import Continuum, Quantity
    >>> mean = LinearOnBox((Fraction(1, 2),) * 2, Quantity("x", Continuum.of(-2, 2)))
    >>> found = least_leakage(mean, Fraction(10, 19))
    >>> found.smallest_share, found.optimal_in, fewest_cells(mean, Fraction(10, 19)).smallest_share
    (Fraction(50, 361), 'all', Fraction(1, 8))

    Raises:
        RequestError: the error is not positive, or too small to work the cells out.
    """
    tolerated = _tolerated(error)
    if (found := _at_once(asked, tolerated)) is not None:
        return found
    source = pushed(asked)
    if isinstance(source, DatasetCounts):
        return source.policy(source.least_leaking(tolerated), tolerated, "contiguous")
    cells = _cells_across(source.span, tolerated)
    if isinstance(source, LinearVolume):
        edges, shares = _linear_cells(source, 2 * tolerated, cells)
        quantizer = Edged(source.span, tuple(edges))
        return _policy(source, quantizer, tolerated, shares)
    return _walked(source, tolerated)


def _at_once(asked: AnswerSource, error: Fraction) -> AccuracyPolicy | None:
    """Cells of full width where these are optimal and finding others would take long."""
    if isinstance(asked, DatasetCounts) or (law := peaked_law(asked)) is None:
        return None
    if isinstance(asked.span, Lattice):
        is_few = isinstance(law, LatticeSumLaw) and asked.span.last <= _FEW
        _require_few(0 if is_few else _cells_on(asked.span, error))
    else:
        cells = _cells_across(asked.span, error)
        is_few = isinstance(law, LinearLaw) and cells * law.law.count <= _FEW
    return None if is_few else full_cells(law, asked.span, error)


def least_leaking(query: Query, error: Fraction) -> QuantizedQuery:
    """The same for a question that a curator is asked: only where it is found at once.

    Raises:
        RequestError: it is not known, or would take long.
    """
    if not isinstance(query, Additive | OrderStatistic):
        raise RequestError("the least leakage of such an answer is not known; leave least(leakage) out")
    law, span = peaked_law(query), query.span
    _require_few(_cells_on(span, error))
    spend(_LEAST_STEPS)
    is_small = query.people * span.last <= _FEW or (isinstance(law, LatticeSumLaw) and span.last <= _FEW)
    if is_small:
        return QuantizedQuery(query, least_leakage(query, error).quantizer)
    found = None if law is None else full_cells(law, span, error)
    if found is None:
        raise RequestError("the least leakage of these answers takes long to find; leave least(leakage) out")
    return QuantizedQuery(query, found.quantizer)


def pushed(asked: AnswerSource) -> Volume | DatasetCounts:
    """The push-forward of a question.

    Raises:
        RequestError: it is not known, or there are too many people.
    """
    people = asked.people if isinstance(asked, Query) else getattr(asked, "dimension", 0)
    if people > MOST_PEOPLE:
        raise RequestError(f"the datasets of more than {MOST_PEOPLE:,} people are not worked out")
    if isinstance(asked, Volume | DatasetCounts):
        return asked
    if isinstance(asked, LinearOnBox):
        return LinearVolume.of_query(asked)
    return DatasetCounts.of(asked)


def largest_share(volume: Volume, error: Fraction) -> Fraction:
    """No policy within the error leaves a larger smallest share than this.

    The set that holds the smallest answer lies below ymin + 2e, the one with the largest above ymax - 2e, and
    there are at least ceil((ymax - ymin) / 2e) sets.
    """
    sure, width = volume.sure, 2 * error
    if sure.width <= width:
        return Fraction(1)
    first, last = (volume.below(level) for level in _ends(volume, error))
    ends = first.upper, 1 - last.lower
    return min(*ends, Fraction(1, ceil(sure.width / width)))


def _linear_cells(
    volume: LinearVolume, width: Fraction, cells: int
) -> tuple[list[Fraction], list[Enclosure]]:
    """Edges and shares: cells 2e wide at both ends, and between them cells of equal volume.

    Outer cells are added while the next one would hold less than an equal part of what is left; so the
    smallest share is as large as possible, then the next smallest, and so on. All is symmetric.
    """
    low, length = volume.span.low, volume.span.width
    if cells == 1:
        return [low, low + length], [WHOLE]
    outer = [low]
    held = Fraction(0)
    while (left := cells - 2 * (len(outer) - 1)) > _MIDDLE:
        following = volume.below(outer[-1] + width).upper
        if (following - held) * left >= 1 - 2 * held:
            break
        outer.append(outer[-1] + width)
        held = following
    edges = _with_equal_parts(volume, outer, cells, width)
    half = [volume.below(edge) for edge in edges]
    middle = 2 * low + length
    mirrored = [middle - edge for edge in reversed(edges)]
    if cells % 2 == 0:
        edges.append(middle / 2)
        half.append(Enclosure.exactly(Fraction(1, 2)))
    shares = [after - before for before, after in pairwise(half)]
    centre = [] if cells % 2 == 0 else [WHOLE - half[-1] - half[-1]]
    return [*edges, *mirrored], [*shares, *centre, *reversed(shares)]


def _with_equal_parts(
    volume: LinearVolume, outer: list[Fraction], cells: int, width: Fraction
) -> list[Fraction]:
    """The edges below the middle edge or cell, those of equal parts rounded but never too far apart."""
    edges, half = list(outer), (cells - 1) // 2
    held = volume.below(outer[-1]).lower
    parts = cells - 2 * (len(outer) - 1)
    last = (2 * volume.span.low + volume.span.width - width * (1 if cells % 2 else 2)) / 2
    for number in range(len(outer), half + 1):
        guess = volume.guess(held + (1 - 2 * held) * Fraction(number - len(outer) + 1, parts))
        needed = last - width * (half - number)  # else what is left would need wider cells
        edges.append(max(min(guess, edges[-1] + width), needed))
    return edges


def _walked(volume: Volume, error: Fraction) -> AccuracyPolicy:
    """For any function: the best cells on a grid, or equal ones where no share can be certified."""
    grid = EdgeGrid(volume, 2 * error)
    most = largest_share(volume, error)
    edges = grid.best_edges(most)
    if edges is None:
        return fewest_cells(volume, error)
    closer = volume.refined([*edges, *_ends(volume, error)])
    policy = _policy(closer, Edged(volume.span, tuple(edges)), error, closer.shares(edges))
    if policy.bound * _NEAR <= policy.smallest_share:
        return policy
    return replace(policy, bound=grid.bound(policy.smallest_share, policy.bound))


def _ends(volume: Volume, error: Fraction) -> tuple[Fraction, Fraction]:
    """The levels that bound what the first and the last cell can hold."""
    return volume.sure.low + 2 * error, volume.sure.high - 2 * error


def _policy(volume: Volume, quantizer: Quantizer, error: Fraction, shares: list[Enclosure]) -> AccuracyPolicy:
    bound = largest_share(volume, error)
    best = min(share.lower for share in shares) >= bound
    least = max(1, ceil(volume.sure.width / (2 * error)))
    return AccuracyPolicy(
        quantizer,
        error,
        quantizer.worst_error,
        tuple(shares),
        bound,
        least,
        optimal_in="all" if best else None,
    )


def _tolerated(error: Rational) -> Fraction:
    tolerated = Fraction(error)
    if tolerated < 0:
        raise RequestError(_POSITIVE)
    return tolerated


def _cells_across(span: Span, error: Fraction) -> int:
    """How many cells it takes that are as wide as the error allows, which is above 0; not too many."""
    if not error:
        raise RequestError(_POSITIVE)
    cells = max(1, ceil(span.width / (2 * error)))
    _require_few(cells)
    return cells


def _cells_on(span: Lattice, error: Fraction) -> int:
    """The same on a lattice."""
    return ceil(Fraction(span.last + 1, floor(2 * error / span.step) + 1))


def _require_few(cells: int) -> None:
    if cells > MOST_CELLS:
        raise RequestError(f"so small an error needs {cells:,} cells; up to {MOST_CELLS:,} are worked out")
