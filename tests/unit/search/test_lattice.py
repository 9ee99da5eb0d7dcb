"""The search for levels: what rules nodes out, what is suppressed, and what is proved."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from noiseless.errors import RequestError
from noiseless.ranges import JointRange
from noiseless.search import lattice, lattice_bounds, level_choice
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Hierarchy, Numbers
from noiseless.search.generalisation import Generalisations
from noiseless.search.goal import Goal, Targets
from noiseless.search.lattice import FullDomain, LatticeSearch, failing_values, full_domain
from noiseless.search.level_choice import choose_levels, raised, survey_levels
from noiseless.search.limits import limits_of
from noiseless.search.measures import measure
from noiseless.search.problem import Cells, Problem, SideInformation

PAIRS = {leaf: (f"pair {leaf // 2}", f"half {leaf // 4}", "any") for leaf in range(8)}


def problem_of(secrets: list[int], *columns: Hierarchy, rows: list[int] | None = None) -> Problem:
    """A problem with one sensitive value behind each public value."""
    joint = JointRange.from_codes(secrets, np.arange(len(secrets)))
    return Problem(joint, ColumnCodebook(*columns), rows=None if rows is None else np.array(rows))


def grid(seed: int, columns: int = 3, size: int = 60) -> Problem:
    """Distinct tuples of leaves, a secret each."""
    rng = np.random.default_rng(seed)
    tuples = np.unique(rng.integers(0, 8, (size, columns)), axis=0)
    secrets = np.unique(rng.integers(0, 5, len(tuples)), return_inverse=True)[1]
    trees = [Hierarchy(column.tolist(), PAIRS) for column in tuples.T]
    return problem_of(secrets.tolist(), *trees, rows=rng.integers(1, 4, len(tuples)).tolist())


def found(problem: Problem, goal: Goal) -> FullDomain:
    best = full_domain(Targets(problem, goal))
    assert best is not None
    return best


def test_levels_and_names_that_stay_the_same() -> None:
    column = Hierarchy(["a", "b", "c"], {"a": ("a", "top"), "b": ("p", "top"), "c": ("p", "top")})
    assert column.height == 2
    assert [column.labels[node] for node in column.above(1)] == ["a", "p", "p"]
    assert column.raised(1).leaf[0] == column.leaf[0], "it is called as the value is, and costs nothing"
    assert column.node_costs[column.raised(1).leaf].tolist() == [0, 1, 1]


def test_the_level_is_what_costs_and_not_the_lowest_node() -> None:
    problem = problem_of([0, 0, 1, 1], Hierarchy([0, 1, 4, 5], PAIRS))
    choice, levels = choose_levels(problem, Goal(min_posterior=2, utility="distortion"))
    assert levels == (3,)
    assert choice.quality.distortion == 3
    assert (choice.scope, choice.optimal, choice.gap, choice.method) == (
        "full-domain",
        True,
        None,
        "exact, full-domain",
    )
    on = raised(problem, (2,))
    measured = measure(on, Cells.from_labels([0, 0, 1, 1]))
    assert measured.distortion == 2
    assert measured.mean_loss == Fraction(3, 7)


def test_nothing_need_be_lost() -> None:
    joint = JointRange.from_pairs([("s", 0), ("t", 0), ("s", 1), ("t", 1)])
    problem = Problem(joint, ColumnCodebook(Hierarchy([0, 1], PAIRS)))
    choice, levels = choose_levels(problem, Goal(min_posterior=2, utility="distortion"))
    assert (levels, choice.scope, choice.gap, choice.optimal) == ((0,), "all", 0.0, True)


def test_a_value_fails_by_what_is_known_of_it_and_not_its_cell() -> None:
    """A cell that fails for one reader may be fine for others below: only values that fail are known to."""
    tree = {"a": ("x", "any"), "b": ("x", "any"), "c": ("y", "any")}
    joint = JointRange.from_pairs([("s", 0), ("t", 0), ("s", 1), ("t", 2)])
    side = SideInformation([0, 1, 2], [0, 1, 1])
    problem = Problem(joint, ColumnCodebook(Hierarchy(["a", "b", "c"], tree)), side, np.array([5, 1, 1]))
    limits, cells = limits_of(problem, np.array([2, 2])), np.array([0, 0, 1])
    assert failing_values(problem, limits, cells, 2).below.tolist() == [False, True, True]
    best = found(problem, Goal(min_posterior=2, utility="distortion", suppress=Fraction(2, 7)))
    assert best.levels == (0,)
    assert best.hidden.tolist() == [False, True, True]
    assert best.proved
    rows = limits_of(problem, np.array([1, 1]), 2)
    assert failing_values(problem, rows, cells, 2).below.tolist() == [False, True, True]
    search = LatticeSearch(Generalisations.of(problem), rows)
    assert search._hides(np.array([False, True, True]))
    assert not search._hides(np.array([True, True, False]))


def test_what_is_suppressed_keeps_the_limit_too() -> None:
    """One value alone would be told by the star: a cell that could stay is suppressed with it."""
    tree = {"a": ("any",), "b": ("any",), "c": ("any",)}
    joint = JointRange.from_pairs([("s", 0), ("s", 1), ("t", 1), ("s", 2), ("t", 2)])
    problem = Problem(joint, ColumnCodebook(Hierarchy(["a", "b", "c"], tree)), rows=np.array([1, 4, 3]))
    best = found(problem, Goal(min_posterior=2, utility="distortion", suppress=Fraction(1, 2)))
    assert (best.levels, best.hidden.tolist(), best.proved) == ((0,), [True, False, True], True)
    tight = found(problem, Goal(min_posterior=2, utility="distortion", suppress=Fraction(3, 8)))
    assert tight.levels == (1,)
    assert not tight.hidden.any()


def test_a_cell_that_reads_as_suppressed_is_suppressed_with_the_others() -> None:
    tree = {"a": ("*", "*"), "b": ("p", "*"), "c": ("q", "*")}
    joint = JointRange.from_pairs([("s", 0), ("t", 0), ("s", 1), ("t", 1), ("s", 2)])
    problem = Problem(joint, ColumnCodebook(Hierarchy(["a", "b", "c"], tree)), rows=np.array([2, 9, 1]))
    lattice_ = Generalisations.of(problem)
    assert [lattice_.star(lattice_.cells((level,))) for level in range(3)] == [None, 0, 0]
    search = LatticeSearch(lattice_, limits_of(problem, np.array([2])), budget=3, nodes=1)
    node = search._settled(lattice_.cells((1,)), np.array([False, False, True]))
    assert node is not None
    assert node.gone.tolist() == [True, False, True]
    small = LatticeSearch(lattice_, limits_of(problem, np.array([2])), budget=2)
    assert small._settled(lattice_.cells((1,)), np.array([False, False, True])) is None


def test_sets_of_cells_come_in_the_order_of_their_loss() -> None:
    gone = np.array([True, False, False, False, False])
    rows, lost = np.array([1, 2, 1, 3, 2]), np.array([1, 5, 5, 2, 9])
    sets = [tuple(np.flatnonzero(more).tolist()) for more in lattice._completed(gone, rows, lost, 5)]
    fine = {
        (0, *some)
        for many in range(4)
        for some in itertools.combinations(range(1, 5), many)
        if rows[list(some)].sum() <= 5
    }
    assert len(sets) == len(set(sets))
    assert set(sets) == fine
    losses = [int(lost[list(one)].sum()) for one in sets]
    assert losses == sorted(losses)


@pytest.mark.parametrize("prefer", ["worst", "mean"])
@pytest.mark.parametrize("seed", range(4))
def test_rounded_bounds_and_lattices_that_are_not_held(
    seed: int, prefer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounds of few bits rule out less and never too much; without any nothing is proved."""
    problem = grid(seed)
    goal = Goal(min_posterior=3, utility="distortion", suppress=Fraction(1, 10), prefer=prefer)  # type: ignore[arg-type]
    best = found(problem, goal)
    assert best.proved
    loss = choose_levels(problem, goal)[0].quality
    monkeypatch.setattr(lattice_bounds, "_BITS", 4)
    rounded = choose_levels(problem, goal)[0]
    assert rounded.optimal
    assert (rounded.quality.distortion, rounded.quality.mean_loss) == (loss.distortion, loss.mean_loss)
    monkeypatch.setattr(lattice_bounds, "MOST_NODES", 1)
    loose = choose_levels(problem, goal)[0]
    assert not loose.optimal
    assert (loose.method, loose.scope) == ("full-domain", "full-domain")
    assert loose.quality.min_posterior >= 3


def test_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = grid(1)
    search = LatticeSearch(Generalisations.of(problem), limits_of(problem, np.array([3])), nodes=3)
    assert not search.run()
    assert search.looked == 3
    assert search.found is not None
    monkeypatch.setattr(
        lattice, "TRIES", 0
    )  # no set of cells is tried: what could be better is not ruled out
    some = LatticeSearch(Generalisations.of(problem), limits_of(problem, np.array([3])), budget=10)
    assert not some.run()


def test_rows_that_look_alike() -> None:
    problem = grid(2)
    best = found(problem, Goal(min_rows=6, utility="distortion", suppress=Fraction(1, 5), prefer="mean"))
    assert best.proved
    assert np.bincount(best.labels, problem.weights)[np.unique(best.labels)].min() >= 6
    assert problem.weights[best.hidden].sum() <= problem.weights.sum() / 5


def test_trees_for_columns_that_have_none() -> None:
    numbers = Problem(JointRange.from_codes([0, 1, 0, 1], range(4)), ColumnCodebook(Numbers([0, 1, 6, 7])))
    targets = Targets(numbers, Goal(min_posterior=2, utility="distortion"))
    with pytest.raises(RequestError, match="needs a hierarchy for each public column"):
        full_domain(targets)
    best = full_domain(targets, [Hierarchy([0, 1, 6, 7], PAIRS)])
    assert best is not None
    assert (best.levels, Cells.from_labels(best.labels).members) == ((1,), ((0, 1), (2, 3)))


def test_a_largest_distortion() -> None:
    problem = grid(3)
    free = choose_levels(problem, Goal(min_posterior=2, utility="distortion", suppress=Fraction(1, 10)))[0]
    most = free.quality.distortion
    assert most is not None
    same = Goal(min_posterior=2, utility="distortion", suppress=Fraction(1, 10), max_distortion=most)
    assert choose_levels(problem, same)[0].quality.distortion == most
    less = Goal(
        min_posterior=2,
        utility="distortion",
        suppress=Fraction(1, 10),
        max_distortion=most.value - Fraction(1, 9),
    )
    with pytest.raises(RequestError, match="no full-domain generalisation was found within these limits"):
        choose_levels(problem, less)


@pytest.mark.parametrize(
    "goal",
    [
        Goal(max_distortion=1, utility="distortion"),
        Goal(weight=1, utility="distortion"),
        Goal(min_posterior=2),
        Goal(min_posterior=2, utility="distortion", objective="maximin"),
        Goal(min_posterior=2, utility="distortion", max_maximin=0),
        Goal(min_posterior=2, utility="distortion", method="greedy"),
    ],
)
def test_other_aims_are_refused(goal: Goal) -> None:
    with pytest.raises(RequestError, match="full-domain recoding needs a limit on what is given away"):
        choose_levels(grid(0), goal)


def test_a_name_that_returns_is_refused() -> None:
    column = Hierarchy(["a", "b"], {"a": ("p", "a", "top"), "b": ("q", "b", "top")})
    with pytest.raises(RequestError, match="a name stands on two levels and another one between"):
        full_domain(Targets(problem_of([0, 1], column), Goal(min_posterior=2, utility="distortion")))


def test_medoids_are_refused() -> None:
    book = ColumnCodebook(Hierarchy([0, 1], PAIRS), codeword="medoid")
    with pytest.raises(RequestError, match="publishes levels and no medoids"):
        Generalisations.of(Problem(JointRange.from_codes([0, 1], [0, 1]), book))


def test_the_frontier_of_levels_ends_where_all_is_one() -> None:
    survey = survey_levels(grid(4))
    assert survey.scope == "full-domain"
    points = survey.unbeaten
    assert points[0].distortion == 0
    assert points[-1].leakage == 0
    assert all(one.leakage > other.leakage for one, other in itertools.pairwise(points))
    assert points[-1].setting.startswith("levels ")
    assert points[-1].partition is not None
    assert len(points[-1].partition) == points[-1].cells


def test_a_frontier_that_is_not_followed_to_its_end_proves_nothing_of_its_last_point(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = survey_levels(grid(4)).unbeaten
    monkeypatch.setattr(level_choice, "node_limit", lambda _: 30)
    survey = survey_levels(grid(4))
    assert survey.series[0].note
    assert survey.unbeaten[-1].leakage > whole[-1].leakage
    assert survey.scope is None
    assert survey.unbeaten[0].scope == "full-domain"
