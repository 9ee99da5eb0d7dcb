"""Plans that begin with an error: the least leakage within one, and the finest cells that leave one.

An adversary who sees the answer estimates the whole dataset; dmin of [P4] is the error that is left whatever
the answer is. Equal cells of a sum leave least at a corner of the box, where everybody is at an end:

* a cell no wider than n / (2n - 1) of a person's range holds a copy of the corner, moved, wherever it lies;
* a wider one that is no corner reaches a sum b of at least twice its width w, and datasets with that sum
  alone leave b - 1/4 - b^2/n (squared, in ranges of a person), which is least at b = 2w; a corner leaves
  w - w^2/n at most, which is no more from four people and four cells on.
"""

from dataclasses import dataclass
from typing import Any

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.pricing.plan import ONE_LIMIT, Plan, Promise, chosen_plan, declared_bounds, named_query
from noiseless.pricing.reach import QuantizedQuery, as_finite, printed_cells
from noiseless.questions import Lattice, MiddleMedianOnInterval, OrderOnInterval, OrderStatistic, Query
from noiseless.ranges.quantizer import CellInterval, Listed, Quantizer, Uniform
from noiseless.theory.accuracy.adversary import adversary_error, symmetric_radii
from noiseless.theory.accuracy.cells import MOST_CELLS, least_leakage
from noiseless.theory.accuracy.function_volume import FunctionVolume
from noiseless.theory.accuracy.peaks import OrderVolume
from noiseless.theory.accuracy.policy import AccuracyPolicy
from noiseless.theory.accuracy.pushforward import Volume
from noiseless.theory.polytopes import Distance

_MANY = 4
"""With at least this many people and cells, a corner is the cell with the least error."""


@dataclass(frozen=True)
class LeastLeakage(Promise):
    """No policy within the error leaks less of the whole dataset, or how far from that it can be."""

    policy: AccuracyPolicy

    @property
    def line(self) -> str:
        """The leakage and what is proved of it."""
        scope = {
            "all": "no policy within that error leaks less",
            "contiguous": "no other intervals within that error leak less",
            None: f"no policy within that error leaks less than {self.policy.least_leakage}",
        }
        proved = scope[self.policy.optimal_in]
        return f"It leaks {self.policy.leakage} of the whole dataset, L0(X;Y): {proved}."

    def to_dict(self) -> dict[str, Any]:
        """The leakage, the least one possible, and among which policies it is proved to be least."""
        told = self.policy.to_dict()
        unit = "" if self.policy.counted else "_nats"
        names = (f"leakage{unit}", f"least_leakage{unit}", "smallest_share", "optimal_in", "edges_exact")
        return {name: told[name] for name in names}


@dataclass(frozen=True)
class AdversaryOff(Promise):
    """Whatever the answer, nobody's estimate of the whole dataset is surely nearer than this."""

    error: Distance

    @property
    def line(self) -> str:
        """The error that everybody is granted."""
        return f"An estimate of the whole dataset is off by up to {self.error} or more, whatever the answer."

    def to_dict(self) -> dict[str, Any]:
        """The error, rounded down."""
        return {"adversary_error": self.error.lower}


def answer_source(name: str, query: Query) -> Query | Volume:
    """What the law of an answer is read off: of order statistics on an interval a name says the rank."""
    if isinstance(query, OrderOnInterval) and not isinstance(query, MiddleMedianOnInterval):
        rank = {"min": 1, "max": query.people}.get(name, (query.people + 1) // 2)
        return OrderVolume(query.span, query.people, rank)
    return query


def least_leakage_plan(
    query: str,
    n: int,
    bounds: tuple[Rational, Rational] | None,
    step: Rational | None,
    max_error: Rational,
) -> Plan:
    """The answer within an error that leaks least of the whole dataset (Theorem IV.3 of [P4]).

    >>> from fractions import Fraction
    >>> found = least_leakage_plan("mean", 1000, (0, 1), None, Fraction(1, 7))
    >>> found.cells, found.promise.policy.optimal_in, str(found.promise.policy.leakage)
    (4, 'all', '296.7539 nats')

    Raises:
        RequestError: the least leakage of such a question is not worked out.
    """
    question, values = named_query(query, n, *declared_bounds(query, bounds), step)
    if (error := as_finite(max_error)) is None:
        raise RequestError("a tolerated error is a number above 0")
    policy = least_leakage(answer_source(query, question), error)
    mechanism = QuantizedQuery(question, policy.quantizer)
    return Plan(query, n, mechanism, values, printed_cells(question, mechanism.bits), LeastLeakage(policy))


def function_plan(
    volume: FunctionVolume,
    *,
    budget: Rational | None = None,
    reach: int | None = None,
    max_error: Rational | None = None,
    least: str = "cells",
) -> Plan:
    """A plan of any function of a few people's values: a formula, or a callable with a Lipschitz constant.

    >>> from fractions import Fraction
    >>> bowl = FunctionVolume.of_formula("x1**2 + 2*x2**2", {"x1": (-2, 2), "x2": (-2, 2)})
    >>> function_plan(bowl, max_error=Fraction(1, 2)).cells, function_plan(bowl, budget=1).cells
    (12, 2)

    Raises:
        RequestError: not exactly one of budget, reach and max_error is given.
    """
    if sum(limit is not None for limit in (budget, reach, max_error)) != 1:
        raise RequestError(ONE_LIMIT)
    query = volume.query
    if least == "cells" or max_error is None or (error := as_finite(max_error)) is None:
        return chosen_plan("function", query, None, budget=budget, reach=reach, max_error=max_error)
    policy = least_leakage(volume, error)
    mechanism = QuantizedQuery(query, policy.quantizer)
    cells = printed_cells(query, mechanism.bits)
    return Plan("function", query.people, mechanism, None, cells, LeastLeakage(policy))


def adversary_plan(
    query: str,
    n: int,
    bounds: tuple[Rational, Rational] | None,
    step: Rational | None,
    error: Rational,
) -> Plan:
    """The finest equal cells that leave every estimate of the whole dataset an error (Example IV.2 of [P4]).

    >>> found = adversary_plan("mean", 2, (100, 250), None, 10)
    >>> found.cells, found.worst_error, str(found.promise.error)
    (21, Fraction(25, 7), '10.1015')

    Raises:
        RequestError: even a constant leaves less, or nothing is known of such a question.
    """
    question, values = named_query(query, n, *declared_bounds(query, bounds), step)
    wanted = as_finite(error)
    if wanted is None or wanted <= 0:
        raise RequestError("an adversary's error is a number above 0")
    quantizer, granted = finest_with_error(answer_source(query, question), Distance(wanted**2))
    mechanism = QuantizedQuery(question, quantizer)
    return Plan(query, n, mechanism, values, printed_cells(question, mechanism.bits), AdversaryOff(granted))


def finest_with_error(asked: Query | Volume, wanted: Distance) -> tuple[Quantizer, Distance]:
    """The most equal cells behind each of which the best estimate may be off by as much, and the least error.

    More cells are too many: their first one leaves less, and narrower ones leave even less.
    """
    whole = _first_radius(asked, 1)
    if whole < wanted:
        raise RequestError(
            f"even a constant answer leaves an estimate of the dataset no more than {whole}; ask for less"
        )
    few, many = 1, 2
    while _is_finer(asked, many) and _first_radius(asked, many) >= wanted:
        few, many = many, 2 * many
    while many - few > 1:
        middle = (few + many) // 2
        ample = _is_finer(asked, middle) and _first_radius(asked, middle) >= wanted
        few, many = (middle, many) if ample else (few, middle)
    for cells in range(few, 0, -1):
        quantizer = _equal(asked, cells)
        least = _least_error(asked, quantizer)
        if least >= wanted:
            return quantizer, least
    raise AssertionError("one cell leaves enough")  # pragma: no cover - it was looked at first


def _is_finer(asked: Query | Volume, cells: int) -> bool:
    return not isinstance(asked.span, Lattice) or cells <= asked.span.last + 1


def _equal(asked: Query | Volume, cells: int) -> Quantizer:
    """Cells of the same width; on a lattice some hold a point more than the first."""
    span = asked.span
    if not isinstance(span, Lattice):
        return Uniform(span, cells)
    if cells > MOST_CELLS:
        raise RequestError(f"so small an error leaves {cells:,} cells; up to {MOST_CELLS:,} are listed")
    return Listed(span, tuple(cell * (span.last + 1) // cells for cell in range(cells)))


def _first_radius(asked: Query | Volume, cells: int) -> Distance:
    """The error that is left behind the first of a number of equal cells."""
    span = asked.span
    if isinstance(span, Lattice):
        return _radius(asked, CellInterval(span.low, span.value((span.last + 1) // cells - 1)))
    return _radius(asked, CellInterval(span.low, span.low + span.width / cells))


def _radius(asked: Query | Volume, cell: CellInterval) -> Distance:
    found = symmetric_radii(asked, [cell])
    if found is None:
        raise RequestError(
            "an adversary's error is known for counts, sums, means, minima, maxima and medians of odd numbers"
        )
    return found[0]


def _least_error(asked: Query | Volume, quantizer: Quantizer) -> Distance:
    """The least error behind any cell: that behind the first of many cells of a sum."""
    cells = quantizer.cells
    people = asked.dimension if isinstance(asked, Volume) else asked.people
    is_sum = not isinstance(asked, OrderStatistic | OrderVolume)
    if is_sum and (cells >= 2 * people - 1 or min(cells, people) >= _MANY):
        return _first_radius(asked, cells)
    if cells > MOST_CELLS:
        raise RequestError(f"so small an error leaves {cells:,} cells; up to {MOST_CELLS:,} are looked at")
    return adversary_error(asked, quantizer).smallest
