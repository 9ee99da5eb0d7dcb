"""The estimation game [P1]: a Bayesian adversary's error against the sharp bound that a budget promises."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from noiseless.adversaries.columns import MissingRows, read_private
from noiseless.adversaries.game import (
    Budget,
    Game,
    Progress,
    Score,
    as_budgets,
    reach_of,
    reported,
    require_sound,
)
from noiseless.adversaries.posteriors import (
    PRIORS,
    Errors,
    Posteriors,
    lattice_error_bound,
    lattice_prior,
    partition_errors,
    root_down,
    triangular_cell_errors,
    triangular_density,
    uniform_cell_errors,
)
from noiseless.arrays import IntArray
from noiseless.collection.local import LocalQuantizer
from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.pricing.plan import named_query
from noiseless.pricing.reach import finest
from noiseless.questions import Lattice
from noiseless.ranges.quantizer import Quantizer
from noiseless.theory.estimation import estimation_error_bound

TOLD = ("value", "sum")
BOUND = "bound"
BUDGETS = tuple(range(7))
_MEASURES = {
    1: "mean absolute error of the posterior mean",
    2: "root mean square error of the posterior mean",
}
_ROUNDING = 1e-9


@dataclass(frozen=True)
class _Asked:
    """What a game is about: the column's people, what is published about them, and the error's power."""

    size: int
    step: Fraction
    positions: IntArray
    told: tuple[str, ...]
    power: int

    def root(self, error: float) -> float:
        """An error in the column's own unit: the p-th root, times the step."""
        return float(error ** (1 / self.power) * float(self.step))


def estimate(
    table: Any,  # noqa: ANN401 - any frame or source
    column: str,
    *,
    bounds: tuple[Rational, Rational],
    step: Rational | None = 1,
    budgets: Iterable[Budget | Rational | str] = BUDGETS,
    priors: Sequence[str] | None = None,
    told: Sequence[str] | None = None,
    power: int = 2,
    missing: MissingRows = "error",
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Game:
    """How well a person's value is estimated from a quantised answer, beside the least error promised.

    The adversary has a prior on the value, knows everybody else's, and names the posterior mean. Published is
    the cell of the person's own value, or that of the sum over the table, each as fine as the budget allows.
    The score is (E|X - Xh|^p)^(1/p) under the prior; of a sum, its mean over the table's people. No estimate
    from this many outputs has a smaller error than the bound (Theorem 4 of [P1], corrected; on a lattice the
    best of all partitions), and each play checks that. Nothing is random.

    Args:
        table: any table; a row is a person.
        column: the private column of numbers.
        bounds: the smallest and the largest possible value.
        step: the resolution of values; None for any number, where only the value itself is published.
        budgets: bits leaked about one person, at most.
        priors: of "uniform", "triangular" and, on a lattice, "table" (the column's own frequencies); all of
            them if not given.
        told: of "value" and "sum"; both if not given.
        power: p, 1 or 2.
        missing: whether rows without a value are left out or an error.
        names: the columns' names, for text files without a header line.
        progress: called with the number of budgets done and their total.

    Raises:
        RequestError: a number or a name makes no sense.
        UnsoundError: an estimate was better than the bound.
    """
    if power not in _MEASURES:
        raise RequestError("the error is absolute (power 1) or squared (power 2)")
    wanted = as_budgets(budgets)
    chosen = tuple(priors if priors is not None else PRIORS if step is not None else PRIORS[:2])
    given = tuple(told if told is not None else TOLD if step is not None else TOLD[:1])
    _check_names("priors", chosen, PRIORS if step is not None else PRIORS[:2])
    _check_names("told", given, TOLD if step is not None else TOLD[:1])
    settings: dict[str, Any] = {"column": column, "power": power}
    if step is None:
        length = Fraction(bounds[1]) - Fraction(bounds[0])
        if length <= 0:
            raise RequestError("the bounds are two numbers, the smaller one first")
        play = partial(_on_interval, length, priors=chosen, power=power)
    else:
        people = read_private(table, column, bounds=bounds, step=step, missing=missing, names=names)
        settings["people"] = people.people
        asked = _Asked(people.size, people.step, people.positions, given, power)
        known = {name: Posteriors(lattice_prior(name, people.size, people.positions)) for name in chosen}
        play = partial(_on_lattice, asked, priors=known)
    results = [score for budget in reported(wanted, progress) for score in play(budget)]
    results += [  # an adversary who sees the value, or the exact sum, is never off
        Score(None, 0.0, 0.0, 0.0, {"prior": prior, "told": way, "bound": 0.0})
        for prior in chosen
        for way in given
    ]
    return Game("estimate", _MEASURES[power], None, settings, tuple(results), ("prior", "told"))


def _check_names(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    if not names or any(name not in known for name in names):
        raise RequestError(f"{what} are of {', '.join(known)}, each named by itself")


def _on_interval(length: Fraction, budget: Budget, priors: Sequence[str], power: int) -> list[Score]:
    """Equal cells of an interval."""
    cells, found = reach_of(budget), list[Score]()
    for prior in priors:
        density, part = 1 / length, length
        errors = uniform_cell_errors(length, cells, power)
        if prior == "triangular":
            density, part = triangular_density(length, power)
            errors = triangular_cell_errors(length, cells, power)
        bound = root_down(estimation_error_bound(part, cells, power, density), power)
        score = errors.expected ** (1 / power)
        _check_bound(score, bound)
        found += _scores(budget, prior, bound, {"value": (score, {"worst_error": errors.worst})})
    return found


def _on_lattice(asked: _Asked, budget: Budget, priors: Mapping[str, Posteriors]) -> list[Score]:
    outputs, found = reach_of(budget), list[Score]()
    for prior, posteriors in priors.items():
        bound = root_down(lattice_error_bound(posteriors.weights, outputs, asked.power), asked.power)
        bound *= float(asked.step)
        lines = {told: _played(asked, told, outputs, posteriors, bound) for told in asked.told}
        found += _scores(budget, prior, bound, lines)
    return found


def _scores(
    budget: Budget, prior: str, bound: float, lines: Mapping[str, tuple[float, Mapping[str, Any]]]
) -> Iterator[Score]:
    for told, (score, more) in lines.items():
        yield Score(budget, score, score, score, {"prior": prior, "told": told, "bound": bound, **more})
    yield Score(budget, bound, bound, bound, {"prior": prior, "told": BOUND, "bound": bound})


def _played(
    asked: _Asked, told: str, outputs: int, posteriors: Posteriors, bound: float
) -> tuple[float, dict[str, Any]]:
    """The expected error, averaged over the people; and how far the means are from their values."""
    values, counts = np.unique(asked.positions, return_counts=True)
    cells = _value_cells(asked, outputs) if told == "value" else _sum_cells(asked, outputs, values)
    known: dict[tuple[int, ...], Errors] = {}
    expected, off = list[float](), list[float]()
    for value, edges in zip(values.tolist(), cells, strict=True):
        if edges not in known:
            known[edges] = partition_errors(posteriors, edges, asked.power)
            _check_bound(asked.root(known[edges].expected), bound)
        place = int(np.searchsorted(edges, value, side="right")) - 1
        require_sound(edges[place] <= value < edges[place + 1], "the truth lies in the published cell")
        first, mass = posteriors.means(np.array([edges[place]]), np.array([edges[place + 1]]))
        expected.append(known[edges].expected)
        off.append(abs(value - first[0] / mass[0]) ** asked.power)
    people = len(asked.positions)
    score = asked.root(math.fsum(e * c for e, c in zip(expected, counts.tolist(), strict=True)) / people)
    realised = asked.root(math.fsum(o * c for o, c in zip(off, counts.tolist(), strict=True)) / people)
    more = {
        "worst_error": max(errors.worst for errors in known.values()) * float(asked.step),
        "least": asked.root(min(expected)),
        "on_table": realised,
    }
    return score, more


def _check_bound(score: float, bound: float) -> None:
    require_sound(score >= bound * (1 - _ROUNDING), "no estimate has a smaller error than the bound")


def _value_cells(asked: _Asked, outputs: int) -> Iterator[tuple[int, ...]]:
    """The cells of a person's own value: the same for all."""
    quantizer = LocalQuantizer.finest(Lattice.of(0, asked.size - 1, 1), outputs).quantizer
    edges = tuple(quantizer.begin(cell) for cell in range(quantizer.cells + 1))
    return (edges for _ in np.unique(asked.positions))


def _sum_cells(asked: _Asked, outputs: int, values: IntArray) -> Iterator[tuple[int, ...]]:
    """What the cell of the sum says about a person with each value, everybody else's being known."""
    query, _ = named_query("sum", len(asked.positions), 0, asked.size - 1, 1)
    quantizer = finest(query, outputs).quantizer
    total = int(asked.positions.sum())
    return (cut_by_sum(quantizer, total - value, asked.size) for value in values.tolist())


def cut_by_sum(quantizer: Quantizer, base: int, size: int) -> tuple[int, ...]:
    """Where the cells of a sum cut the values 0 .. size-1 of one person, the others' sum being a base.

    >>> from noiseless.ranges.quantizer import Stepped
    >>> cut_by_sum(Stepped(Lattice.of(0, 100, 1), 4), 10, 10)
    (0, 2, 6, 10)
    """
    first, last = quantizer.cell_at(base), quantizer.cell_at(base + size - 1)
    inner = (quantizer.begin(cell) - base for cell in range(first + 1, last + 1))
    return (0, *inner, size)
