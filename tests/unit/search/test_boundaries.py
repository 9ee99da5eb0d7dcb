"""Limits that are met exactly: each bound and each choice against its definition, where an equal would do."""

import itertools
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from noiseless.ranges import JointRange
from noiseless.search.all_partitions import AllPartitions
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Categories, Hierarchy, Numbers
from noiseless.search.dissolution import Dissolution
from noiseless.search.generalisation import Generalisations
from noiseless.search.goal import Goal, Targets
from noiseless.search.lattice import LatticeSearch, full_domain
from noiseless.search.lattice_bounds import NodeBounds
from noiseless.search.limits import limits_of
from noiseless.search.loss import Distance
from noiseless.search.measures import measure
from noiseless.search.problem import Cells, Problem

UNEVEN = {"a": ("A", "any"), "b": ("A", "any"), "c": ("A", "any"), "d": ("D", "any"), "e": ("D", "any")}
"""On the level between them A costs two other leaves, D one."""


def uneven(seed: int) -> tuple[Problem, list[Hierarchy]]:
    """Tuples of two hierarchies whose nodes of one level cost differently."""
    rng = np.random.default_rng(seed)
    tuples = np.unique(rng.choice(list(UNEVEN), (5, 2)), axis=0)
    trees = [Hierarchy(column.tolist(), UNEVEN, cost="leaves") for column in tuples.T]
    secrets = np.unique(rng.integers(0, 3, len(tuples)), return_inverse=True)[1]
    distance: Distance = "max" if seed % 2 else "absolute"
    book = ColumnCodebook(*trees, distance=distance)
    rows = rng.integers(1, 4, len(tuples))
    return Problem(JointRange.from_codes(secrets, np.arange(len(tuples))), book, rows=rows), trees


def subsets(size: int) -> Iterator[tuple[int, ...]]:
    return itertools.chain.from_iterable(itertools.combinations(range(size), n) for n in range(size + 1))


@pytest.mark.parametrize("seed", range(4))
def test_a_cell_whose_rows_fill_the_budget_may_be_suppressed(seed: int) -> None:
    """A node costs no less than its bound, whichever cells within the budget are suppressed."""
    problem, trees = uneven(seed)
    combine = max if problem.codebook.distance == "max" else sum  # type: ignore[union-attr]
    lattice, tight = Generalisations.of(problem), 0
    for budget in range(int(problem.weights.sum())):
        bounds = NodeBounds(lattice, budget)
        for levels in itertools.product(*(range(level + 1) for level in lattice.top)):
            above = [tree.above(level).tolist() for tree, level in zip(trees, levels, strict=True)]
            nodes = list(zip(*above, strict=True))
            cells = sorted(set(nodes))
            rows = [int(problem.weights[[node == cell for node in nodes]].sum()) for cell in cells]
            costs = [
                combine(int(t.node_costs[n]) for t, n in zip(trees, cell, strict=True)) for cell in cells
            ]
            least = min(
                max(costs[cell] for cell in range(len(cells)) if cell not in gone)
                for gone in subsets(len(cells))
                if len(gone) < len(cells) and sum(rows[cell] for cell in gone) <= budget
            )
            assert bounds.costs[levels] <= least
            tight += int(bounds.costs[levels]) == least
    assert tight


def test_a_level_is_not_ruled_out_that_the_budget_just_allows() -> None:
    """All of A suppressed leaves D, which costs less; one row less may be suppressed, and A must be shown."""
    tree = Hierarchy(list(UNEVEN), UNEVEN, cost="leaves")
    joint = JointRange.from_codes([0, 1, 0, 0, 1], range(5))
    problem = Problem(joint, ColumnCodebook(tree))
    costs = [NodeBounds(Generalisations.of(problem), budget).costs.tolist() for budget in (2, 3)]
    assert costs == [[0, 2, 4], [0, 1, 4]]
    goal = Goal(min_posterior=2, utility="distortion", suppress=Fraction(3, 5))
    found = full_domain(Targets(problem, goal))
    assert found is not None
    assert (found.levels, found.hidden.tolist(), found.proved) == ((1,), [True] * 3 + [False] * 2, True)


def test_a_cell_that_reads_as_suppressed_counts_in_the_budget_and_alone_it_is_shown() -> None:
    tree = {"a": ("*", "*"), "b": ("p", "*"), "c": ("q", "*")}
    joint = JointRange.from_pairs([("s", 0), ("t", 0), ("s", 1), ("t", 1), ("s", 2), ("t", 2)])
    problem = Problem(joint, ColumnCodebook(Hierarchy(["a", "b", "c"], tree)), rows=np.array([2, 9, 1]))
    lattice = Generalisations.of(problem)
    search = LatticeSearch(lattice, limits_of(problem, np.array([2])), budget=12)
    nothing = search._settled(lattice.cells((1,)), np.zeros(3, bool))
    assert nothing is not None
    assert not nothing.gone.any()
    for budget, fits in ((2, False), (3, True)):
        search = LatticeSearch(lattice, limits_of(problem, np.array([2])), budget=budget)
        node = search._settled(lattice.cells((1,)), np.array([False, False, True]))
        assert (node is not None) == fits
        assert node is None or node.gone.tolist() == [True, False, True]


def partitions(values: list[int]) -> Iterator[list[list[int]]]:
    if not values:
        yield []
        return
    first, *rest = values
    for others in subsets(len(rest)):
        cell = [first, *(rest[other] for other in others)]
        for more in partitions([value for value in rest if value not in cell]):
            yield [cell, *more]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("prefer", ["worst", "mean"])
def test_the_best_of_all_partitions_is_the_best_of_all_partitions(seed: int, prefer: str) -> None:
    """Every partition, and every cell of it that may be suppressed: budgets and needs that are just met."""
    rng = np.random.default_rng(seed)
    size, need = 5, 2
    secrets = np.unique(rng.integers(0, 3, size), return_inverse=True)[1]
    secrets[:2] = 0, 1
    columns = Numbers(rng.integers(0, 9, size)), Categories(rng.integers(0, 3, size).tolist())
    rows = rng.integers(1, 4, size)
    joint = JointRange.from_codes(np.unique(secrets, return_inverse=True)[1], np.arange(size))
    problem = Problem(joint, ColumnCodebook(*columns, distance="max"), rows=rows)
    met = set()
    for budget in range(int(rows.sum())):
        share = Fraction(budget, int(rows.sum()))
        goal = Goal(min_posterior=need, utility="distortion", suppress=share, prefer=prefer)  # type: ignore[arg-type]
        found, keys = AllPartitions(Targets(problem, goal)).best, []
        for cells in partitions(list(range(size))):
            for hidden in [[], *(cells if len(cells) > 1 else [])]:
                gone = np.isin(np.arange(size), hidden)
                point = measure(problem, Cells.from_members(cells), gone)
                if point.min_posterior >= need and point.suppressed_rows <= budget:
                    assert point.distortion is not None
                    assert point.mean_loss is not None
                    loss = (point.distortion, point.mean_loss)
                    keys.append(loss if prefer == "worst" else loss[::-1])
        assert found is not None
        best = (found.distortion, found.mean)
        assert (best if prefer == "worst" else best[::-1]) == min(keys)
        met.add(int(rows[found.hidden].sum()) == budget > 0)
        point = measure(problem, Cells.from_labels(found.labels), found.hidden)
        assert point.min_posterior >= need
    assert met


@pytest.mark.parametrize("weight", [Fraction(1), Fraction(1, 3)])
def test_a_dissolved_cell_joins_others_that_then_cost_as_much_as_they_may(weight: Fraction) -> None:
    """0 and 2 cost as much with 1 as without: 1 joins them, and only 5 is withheld."""
    numbers = Numbers([0, 2, 1, 5], weight=weight)
    problem = Problem(JointRange.from_codes([0, 1, 0, 1], range(4)), ColumnCodebook(numbers))
    found = Dissolution(problem, Cells.from_labels([0, 0, 1, 1])).least(1)
    assert found is not None
    assert (found[0].tolist(), found[1].tolist()) == ([0, 0, 0, 2], [False, False, False, True])
