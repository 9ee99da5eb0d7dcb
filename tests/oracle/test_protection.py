"""What protects tables is held against all patterns and all tables that fit, on tables small enough."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod
from random import Random
from typing import Any

import numpy as np
import pytest

from noiseless.tabulations import Classification, Publication, PublishedTable, Told
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.magnitudes import ContributorAmounts
from noiseless.tabulations.protection import ProtectionMethod, ProtectionOutcome, TrueTables, protect
from noiseless.tabulations.protection.awareness import awareness
from noiseless.tabulations.protection.intervals import PartialSuppression
from noiseless.tabulations.protection.rounding import ControlledRounding
from noiseless.tabulations.protection.suppression import CellSuppression
from noiseless.tabulations.publication import Kind
from oracle.protection_oracle import TinyProblem, Want

MOST_FIGURES = 13


def two_way(random: Random) -> tuple[list[Classification], list[list[str]]]:
    return [_flat("r", 2), _flat("c", random.choice((2, 3)))], [["r", "c"]]


def hierarchical(random: Random) -> tuple[list[Classification], list[list[str]]]:
    groups = {"r01": (0, 1), "All": (0, 1, 2)}
    return [Classification("r", ("r0", "r1", "r2"), groups), _flat("c", 2, total=random.random() < 0.2)], [
        ["r", "c"]
    ]


def linked(random: Random) -> tuple[list[Classification], list[list[str]]]:
    third = [["b", "c"]] * (random.random() < 0.5)
    return [_flat("a", 2), _flat("b", 2, total=False), _flat("c", 2, total=False)], [
        ["a", "b"],
        ["a", "c"],
        *third,
    ]


def crossed(random: Random) -> tuple[list[Classification], list[list[str]]]:
    """Any sets of six base cells: what fractions leave, whole numbers often do not."""
    groups = {
        f"g{number}": tuple(sorted(random.sample(range(6), random.randint(2, 4)))) for number in range(5)
    }
    return [Classification("r", tuple(f"r{place}" for place in range(6)), groups)], [["r"]]


def _flat(name: str, many: int, *, total: bool = True) -> Classification:
    everything = {"All": tuple(range(many))} if total else {}
    return Classification(name, tuple(f"{name}{place}" for place in range(many)), everything)


SHAPES = {"two-way": two_way, "hierarchy": hierarchical, "linked": linked, "crossed": crossed}


def drawn(random: Random, shape: str, kind: Kind) -> tuple[TinyProblem, TrueTables] | None:
    """A random true table twice: as the definition has it, and as the package takes it."""
    classifications, dimensions = SHAPES[shape](random)
    many = prod(len(each.categories) for each in classifications)
    most, largest = (4, 2) if many > 6 else (6, 4)
    truth = np.array([min(largest, random.choice((0, 1, 1, 2, 2, 3, 4))) for _ in range(many)])
    tables = [table(f"t{number}", of, classifications, truth, kind) for number, of in enumerate(dimensions)]
    publication = Publication(tuple(classifications), tuple(tables), 0, most)
    matrix = publication.rows.toarray()
    figures = tuple(dict.fromkeys(tuple(np.flatnonzero(row).tolist()) for row in matrix))
    given = [_shared(random, int(value), kind) for value in truth]
    coalition, limit = random.choice((1, 1, 2)), random.choice((2, 3))
    rules: dict[str, Any] = {"coalition": coalition}
    rules |= {"threshold": limit} if kind == "count" else {"p_percent": 20 * limit}
    wants = list[Want]()
    for number, of in enumerate(figures):
        amounts = Counter[str]()
        for atom in of:
            amounts.update(given[atom])
        y, level = sum(amounts.values()), _level(list(amounts.values()), 20 * limit, coalition)
        if kind == "count" and 0 < y < limit:
            wants.append(Want(number, 0, limit))
        elif kind == "magnitude" and level > 0:
            wants.append(Want(number, max(0, math.floor(y - level)), math.ceil(y + level), 1))
    if len(figures) > MOST_FIGURES or not wants:
        return None
    records = [
        (name, publication.atom_name(atom), amount)
        for atom, shares in enumerate(given)
        for name, amount in shares.items()
    ]
    problem = TinyProblem(
        tuple(truth.tolist()),
        ((0, most),) * many,
        figures,
        tuple(wants),
        tuple(given),
        coalition,
        20 * limit if kind == "magnitude" else 0,
    )
    return problem, TrueTables(publication, rules, ContributorAmounts.of(publication, records))


def _level(amounts: list[int], share: int, coalition: int) -> Fraction:
    """The protection level of the p % rule; not above 0 where a figure is not sensitive."""
    ordered = sorted(amounts, reverse=True)
    return Fraction(share * ordered[0], 100) - sum(ordered[1 + coalition :]) if ordered else Fraction(0)


def table(
    name: str, of: list[str], classifications: list[Classification], truth: np.ndarray, kind: Kind
) -> PublishedTable:
    """The true figures of all labels of some dimensions."""
    grid = truth.reshape([len(each.categories) for each in classifications])
    labels = [
        {label: (place,) for place, label in enumerate(each.categories)} | dict(each.groups)
        if each.name in of
        else {"": tuple(range(len(each.categories)))}
        for each in classifications
    ]
    cells = [
        (
            [label for label, _ in chosen if label],
            Told.exact(int(grid[np.ix_(*(members for _, members in chosen))].sum())),
        )
        for chosen in product(*(each.items() for each in labels))
    ]
    return PublishedTable.of(name, of, cells, kind)


def _shared(random: Random, value: int, kind: Kind) -> dict[str, int]:
    """A base cell shared out: persons of 1 each, or one or two contributors."""
    if kind == "count":
        return {f"p{random.randrange(10**9)}": 1 for _ in range(value)}
    names = random.sample("ABCD", random.choice((1, 1, 2)))
    first = random.randint(0, max(0, value - 1)) if len(names) > 1 else 0
    return {name: amount for name, amount in zip(names, (value - first, first), strict=False) if amount}


def pattern_of(problem: TinyProblem, tables: TrueTables, outcome: ProtectionOutcome) -> set[int]:
    """The figures of the definition's problem that are withheld."""
    assert outcome.publication is not None
    hidden = outcome.publication.told_lower < outcome.publication.told_upper
    sets = {tuple(np.flatnonzero(row).tolist()) for row in tables.matrix[np.flatnonzero(hidden)].toarray()}
    return {number for number, of in enumerate(problem.figures) if of in sets}


@pytest.mark.parametrize("shape", list(SHAPES))
@pytest.mark.parametrize("kind", ["count", "magnitude"])
def test_intervals_leave_what_rules_want(shape: str, kind: Kind) -> None:
    seen = 0
    for seed in range(4):
        random = Random(f"intervals {shape} {kind} {seed}")
        if (made := drawn(random, shape, kind)) is None:
            continue
        problem, tables = made
        grid = random.choice((1, 2, 3))
        outcome = protect(tables, [PartialSuppression(Fraction(grid))]).outcomes[0]
        published = outcome.publication
        if problem.cheapest([1] * len(problem.figures)) is None:
            assert published is None, seed
        if published is None:
            continue
        fits = np.ones(len(problem.tables), bool)
        for row, low, high in zip(
            tables.matrix.toarray(), published.told_lower, published.told_upper, strict=True
        ):
            sums = problem.tables @ row
            fits &= (low <= sums) & (sums <= high)
            assert low == high or (low % grid == 0 and (high % grid == 0 or high > 10**6))
        assert fits[(problem.tables == np.array(problem.truth)).all(axis=1)].all()
        assert problem.safe_within(fits), seed
        assert outcome.proposal is not None
        assert outcome.proposal.bound is not None
        assert outcome.proposal.bound <= outcome.proposal.loss
        seen += 1
    assert seen


def test_who_knows_the_rule_is_left_with_the_tables_for_which_it_publishes_the_same() -> None:
    """Every table within the bounds is protected, and those are kept that give the same publication."""
    compared = 0
    methods: list[ProtectionMethod] = [
        CellSuppression(),
        PartialSuppression(Fraction(2)),
        ControlledRounding(Fraction(3)),
    ]

    @cache
    def rule(cells: tuple[int, ...], number: int) -> ProtectionOutcome:
        own = [_flat("r", 2), _flat("c", 2)]
        made = Publication(tuple(own), (table("t", ["r", "c"], own, np.array(cells), "count"),), 0, 2)
        return protect(TrueTables(made, {"threshold": 2}), [methods[number]]).outcomes[0]

    for seed, (number, method) in product(range(2), enumerate(methods)):
        random = Random(f"aware {seed}")
        outcome = rule(tuple(random.choice((1, 1, 2)) for _ in range(4)), number)
        if outcome.publication is None:
            continue
        found = awareness(outcome, method, "count", Deadline())
        alike = list[np.ndarray]()
        for cells in product(range(3), repeat=4):
            other = rule(cells, number).publication
            if other is not None and all(
                np.array_equal(getattr(other, end), getattr(outcome.publication, end))
                for end in ("told_lower", "told_upper")
            ):
                alike.append(np.array(cells))
        sensitive = outcome.tables.matrix[np.flatnonzero(outcome.tables.sensitive)].toarray()
        values = [len({int(row @ cells) for cells in alike}) for row in sensitive]
        assert (found.left, found.fewest, found.decided) == (len(alike), min(values), True)
        assert found.holds is (min(values) > 1)
        compared += 1
    assert compared


def test_where_no_figure_is_sensitive_who_knows_the_rule_learns_of_none() -> None:
    own = (_flat("r", 2), _flat("c", 2))
    figures = table("t", ["r", "c"], list(own), np.array([2, 0, 0, 2]), "count")
    tables = TrueTables(Publication(own, (figures,), 0, 2), {"threshold": 2})
    for method in list[ProtectionMethod]([CellSuppression(), ControlledRounding(Fraction(3))]):
        outcome = protect(tables, [method]).outcomes[0]
        assert awareness(outcome, method, "count", Deadline()).holds


@pytest.mark.parametrize("shape", list(SHAPES))
@pytest.mark.parametrize("kind", ["count", "magnitude"])
def test_suppression_is_the_cheapest_that_is_safe(shape: str, kind: Kind) -> None:
    seen = 0
    for seed in range(6):
        random = Random(f"{shape} {kind} {seed}")
        if (made := drawn(random, shape, kind)) is None:
            continue
        problem, tables = made
        costs = [random.choice((1, 1, 2, 5)) for _ in problem.figures]
        rows = [tuple(np.flatnonzero(row).tolist()) for row in tables.matrix.toarray()]
        first = [rows.index(of) for of in problem.figures]  # figures that are there twice cost once
        weights = np.zeros(len(rows))
        weights[first] = costs
        outcome = protect(replace(tables, costs=weights), [CellSuppression()]).outcomes[0]
        cheapest = problem.cheapest(costs)
        assert outcome.safe is (cheapest is not None), (seed, outcome.refusal)
        if cheapest is not None:
            pattern = pattern_of(problem, tables, outcome)
            assert problem.safe(pattern), (seed, pattern)
            assert outcome.proposal is not None
            assert sum(costs[figure] for figure in pattern) == outcome.proposal.loss == cheapest, seed
            assert outcome.proposal.optimal
            seen += 1
    assert seen
