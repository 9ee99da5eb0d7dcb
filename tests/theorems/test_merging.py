"""What holds of the merging algorithms of [P3]; each docstring is the statement."""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from examples import FIGURE_1, joint_ranges
from noiseless import measures as m
from noiseless.exact import Bits
from noiseless.ranges import JointRange
from noiseless.search.loss import Lagrangian
from noiseless.search.measures import cell_costs, measure
from noiseless.search.merging import (
    Cells,
    ColumnCodebook,
    Length,
    MergePath,
    Numbers,
    constrained_path,
    leakage_path,
    maximin_path,
)
from noiseless.search.problem import Problem

NOTHING = Bits(1)
WEIGHTS = st.fractions(0, 5, max_denominator=12)


@st.composite
def lines(draw: st.DrawFn) -> tuple[JointRange, ColumnCodebook]:
    """A joint range and a number for each public value."""
    joint = draw(joint_ranges(7))
    numbers = st.lists(st.integers(0, 20), min_size=joint.size_y, max_size=joint.size_y)
    return joint, ColumnCodebook(
        Numbers(draw(numbers)), codeword=draw(st.sampled_from(["midrange", "centroid"]))
    )


def figure_1() -> JointRange:
    return JointRange.from_pairs(sorted(FIGURE_1, key=lambda pair: (str(pair[1]), str(pair[0]))))


def paths(joint: JointRange, codebook: ColumnCodebook | None) -> list[MergePath]:
    return [leakage_path(joint, codebook), maximin_path(joint, codebook)]


@given(lines())
def test_a_path_says_what_its_cells_are_worth(case: tuple[JointRange, ColumnCodebook]) -> None:
    """L0, I*, the smallest posterior set, U1 and U2 of each point are those of its cells, measured anew."""
    joint, codebook = case
    for path in (*paths(joint, codebook), constrained_path(joint, Fraction(1, 3), codebook)):
        for point in path:
            found = measure(Problem(joint, codebook), point.cells)
            assert (point.leakage, point.maximin) == (found.leakage, found.maximin)
            assert (point.min_posterior, point.resolution) == (found.min_posterior, found.resolution)
            assert point.distortion == found.distortion


@given(lines())
def test_merging_never_gives_more_away(case: tuple[JointRange, ColumnCodebook]) -> None:
    """Along a path L0 and I* never grow, U1 never grows, and the midrange's distortion never falls."""
    joint, codebook = case
    for path in paths(joint, codebook):
        for before, after in pairwise(path):
            assert after.leakage <= before.leakage
            assert after.maximin <= before.maximin
            assert after.resolution <= before.resolution
            if codebook.word == "midrange" and before.distortion is not None and after.distortion is not None:
                assert before.distortion <= after.distortion


def test_the_centroids_distortion_may_fall() -> None:
    """max_Q' d = max{d(X1 u X2), max_Q d} of [P3] fails for centroids: here merging lowers the largest."""
    codebook = ColumnCodebook(Numbers([0, 10, 11, 12, 1, 2, 3]), codeword="centroid")
    parts = Cells.from_members([[0, 1, 2, 3], [4, 5, 6]])
    whole = Cells.from_members([[0, 1, 2, 3, 4, 5, 6]])
    assert max(cell_costs(codebook, whole)) < max(cell_costs(codebook, parts))


@given(joint_ranges(7))
def test_where_the_algorithms_end(joint: JointRange) -> None:
    """Algorithm 1 ends with L0 = 0; Algorithm 2 and problem (7) end with I* = 0."""
    assert leakage_path(joint).last.leakage == NOTHING
    assert maximin_path(joint).last.maximin == NOTHING
    assert constrained_path(joint, 1).last.maximin == NOTHING


@given(joint_ranges(7))
def test_algorithm_2_takes_one_subgraph_a_step(joint: JointRange) -> None:
    """Algorithm 2 makes exactly 2^I*(S;X) - 1 merges, each of which lowers the number of subgraphs by one."""
    path = maximin_path(joint)
    assert path.components.tolist() == list(range(int(m.maximin(joint).ratio), 0, -1))


@given(joint_ranges(7))
def test_each_iteration_of_algorithm_1_lifts_the_smallest_posterior(joint: JointRange) -> None:
    """Each iteration of Algorithm 1 strictly raises min |[[S|X]]|."""
    path = leakage_path(joint)
    smallest = path.min_posteriors[path.rounds].tolist()
    assert all(before < after for before, after in pairwise(smallest))


@given(lines(), WEIGHTS)
def test_the_best_point_is_never_worse_than_the_first_stop(
    case: tuple[JointRange, ColumnCodebook], weight: Fraction
) -> None:
    """The path's best point has a Lagrangian at most that of the stop of [P3], and of every other point."""
    for path in paths(*case):
        best = path.lagrangian(path.best(weight).merges, weight)
        assert best.compare(path.lagrangian(path.first_rise(weight).merges, weight)) <= 0
        assert all(best.compare(path.lagrangian(t, weight)) <= 0 for t in range(len(path)))


def test_the_first_rise_misses_the_best_point() -> None:
    """Stopping at the first rise misses the path's best point: Fig. 1 of [P3], U1, lambda = 0.65."""
    path, weight = leakage_path(figure_1()), Fraction(65, 100)
    assert (path.first_rise(weight).merges, path.best(weight).merges) == (0, 6)


@given(lines(), st.integers(1, 7))
def test_targets_are_met_with_the_least_loss(case: tuple[JointRange, ColumnCodebook], k: int) -> None:
    """The point chosen for k sensitive values has them, and no point that has them loses less."""
    joint, codebook = case
    path = leakage_path(joint, codebook)
    point = path.meeting(min_posterior=k)
    enough = [other for other in path if other.min_posterior >= k]
    assert (point is None) == (not enough)
    if point is not None:
        assert point.min_posterior >= k
        assert point.leakage <= Bits(Fraction(joint.size_x, k))
        assert all(point.distortion <= other.distortion for other in enough if other.distortion is not None)  # type: ignore[operator]


@given(lines(), st.integers(0, 10))
def test_a_limit_on_distortion(case: tuple[JointRange, ColumnCodebook], limit: int) -> None:
    """The point chosen for a distortion keeps to it, and no point that keeps to it leaks less."""
    path = leakage_path(*case)
    point = path.meeting(max_distortion=limit)
    assert point is not None
    assert point.distortion is not None
    assert point.distortion <= limit
    short = [other for other in path if other.distortion is not None and other.distortion <= limit]
    assert all(point.leakage <= other.leakage for other in short)


@given(lines())
def test_the_frontier_is_undominated_and_complete(case: tuple[JointRange, ColumnCodebook]) -> None:
    """Every point of a path is beaten or equalled by one of its frontier, no two of which beat each other."""
    for path in paths(*case):
        front = [(path.leak(point.merges), path.loss(point.merges)) for point in path.frontier()]
        for t in range(len(path)):
            assert any(leak <= path.leak(t) and loss <= path.loss(t) for leak, loss in front)  # type: ignore[operator]
        for (leak, loss), (other_leak, other_loss) in pairwise(front):
            assert leak > other_leak
            assert loss < other_loss  # type: ignore[operator]


@given(joint_ranges(6))
def test_releasing_pairs(joint: JointRange) -> None:
    """[[S, (S, X)]] leaks everything before merging: each pair has one sensitive value."""
    pairs = JointRange.from_codes(joint.x, np.arange(len(joint)))
    assert m.leakage(pairs) == m.entropy(joint)
    assert leakage_path(pairs).last.leakage == NOTHING


@given(joint_ranges(7))
def test_phi_as_printed_lowers_nothing(joint: JointRange) -> None:
    """Phi of [P3] V-A1 has pairs with the same S-range: to merge one leaves every posterior set as it is."""
    for joint_range in (joint, figure_1()):
        ranges = [set(joint_range.posterior(x).tolist()) for x in range(joint_range.size_y)]
        for i, j in combinations(range(joint_range.size_y), 2):
            cells = np.unique([i if x == j else x for x in range(joint_range.size_y)], return_inverse=True)[1]
            merged = joint_range.merged(cells)
            sizes = [int(merged.posterior_sizes[cells[x]]) for x in range(joint_range.size_y)]
            same = ranges[i] == ranges[j]
            assert (sizes == [len(found) for found in ranges]) == same
            assert not same or m.leakage(merged) == m.leakage(joint_range)


def test_footnote_11_is_false() -> None:
    """Footnote 11 of [P3]: with {x5, x6} merged first the smallest union at the third step is 3. It is 2."""
    joint = figure_1()
    twice = [0, 1, 0, 2, 3, 3, 4]  # x5 with x6, then x1 with x3
    thrice = [0, 1, 0, 2, 3, 3, 1]  # x2 with x7: single values, of different subgraphs still
    assert m.maximin(joint.merged(thrice)).ratio == m.maximin(joint.merged(twice)).ratio - 1


@given(
    st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9), st.integers(1, 9)),
    st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(3, 10)]),
)
def test_lagrangians_compare_exactly(numbers: tuple[int, int, int, int], weight: Fraction) -> None:
    """log a + (p/q) log b < log c + (p/q) log d iff a^q b^p < c^q d^p."""
    a, b, c, d = (Fraction(number) for number in numbers)
    p, q = weight.as_integer_ratio()
    first, second = a**q * b**p, c**q * d**p
    found = Lagrangian(a, Bits(b), weight).compare(Lagrangian(c, Bits(d), weight))
    assert found == (first > second) - (first < second)


def test_lagrangians_with_lengths() -> None:
    """log2(8) + 2 * 1 = log2(2) + 2 * 2, and a root is never mistaken for a rational near it."""
    assert (
        Lagrangian(Fraction(8), Length(1), Fraction(2)).compare(
            Lagrangian(Fraction(2), Length(2), Fraction(2))
        )
        == 0
    )
    root, near = Length(2, root=True), Length(Fraction(665857, 470832))
    one = Fraction(1)
    assert Lagrangian(one, root, one).compare(Lagrangian(one, near, one)) == -1
    assert Lagrangian(one, near, one).compare(Lagrangian(one, root, one)) == 1
    tiny = Length(
        Fraction(14142135623730950488016887242096980785696718753769480731766797379907324784621, 10**76)
    )
    assert Lagrangian(one, root, one).compare(Lagrangian(one, tiny, one)) == 1
