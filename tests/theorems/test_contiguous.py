"""What holds of contiguous cells and of all others; each docstring is the statement."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from noiseless.exact import Bits
from noiseless.measures import information, leakage, maximin
from noiseless.ranges import JointRange, count_blocks
from noiseless.search.contiguous import (
    ContiguousRelease,
    contiguous_release,
    fewest_blocks,
    frontier,
    least_cell_size,
    most_answers,
)

Line = list[tuple[int, frozenset[int]]]


def lines(most: int = 9) -> st.SearchStrategy[Line]:
    """Public values with their sensitive sets."""
    value = st.tuples(st.integers(0, 40), st.frozensets(st.integers(0, 4), min_size=1, max_size=3))
    return st.lists(value, min_size=1, max_size=most, unique_by=lambda pair: pair[0])


def merged_lines() -> st.SearchStrategy[tuple[Line, list[int]]]:
    """The same, and a cell for each value."""
    return lines().flatmap(
        lambda line: st.tuples(
            st.just(line), st.lists(st.integers(0, 3), min_size=len(line), max_size=len(line))
        )
    )


def range_of(line: Line) -> JointRange:
    return JointRange.from_pairs([(s, x) for x, held in line for s in sorted(held)])


def cells_of(labels: list[int]) -> list[int]:
    found: list[int] = np.unique(labels, return_inverse=True)[1].tolist()
    return found


def posterior_of(line: Line, cells: list[int]) -> int:
    return int(range_of(line).merged(cells).posterior_sizes.min())


def width_of(line: Line, cells: list[int]) -> int:
    members = [[x for (x, _), cell in zip(line, cells, strict=True) if cell == own] for own in set(cells)]
    return max(max(values) - min(values) for values in members)


def centroid_of(line: Line, cells: list[int]) -> Fraction:
    members = [[x for (x, _), cell in zip(line, cells, strict=True) if cell == own] for own in set(cells)]
    return max(abs(x - Fraction(sum(values), len(values))) for values in members for x in values)


@given(merged_lines())
def test_contiguous_cells_are_at_most_twice_as_wide(drawn: tuple[Line, list[int]]) -> None:
    """For every partition there are contiguous cells with its posterior that are at most twice as wide."""
    line, labels = drawn
    cells = cells_of(labels)
    found = contiguous_release(range_of(line), posterior=posterior_of(line, cells))
    assert found.distortion <= width_of(line, cells)


@given(merged_lines())
def test_no_partition_is_below_the_bound(drawn: tuple[Line, list[int]]) -> None:
    """Every partition with posterior k has at least the distortion `at_least`: none beats an optimal one."""
    line, labels = drawn
    cells = cells_of(labels)
    k = posterior_of(line, cells)
    found = contiguous_release(range_of(line), posterior=k)
    point = frontier(range_of(line)).best(posterior=k)
    assert found.at_least <= found.distortion <= 2 * point.at_least
    assert found.at_least <= Fraction(width_of(line, cells), 2)


@given(merged_lines())
def test_centroids_of_contiguous_cells(drawn: tuple[Line, list[int]]) -> None:
    """With centroids as codewords the contiguous optimum is below four times that of any partition, whatever
    n.

    A cell's centroid is less than its width away from its values, and never nearer to all of them than its
    midrange: theta <= centroid < 2 theta (or all are 0).
    """
    line, labels = drawn
    cells = cells_of(labels)
    found = contiguous_release(range_of(line), posterior=posterior_of(line, cells))
    other = centroid_of(line, cells)
    assert found.centroid_distortion < 4 * other or found.centroid_distortion == other == 0
    assert found.distortion <= found.centroid_distortion <= 2 * found.distortion


def test_twice_is_approached() -> None:
    """x = 0, m-1, m, 2m-1 with S = a, a, b, b: contiguous cells are 2 - 1/m times as wide as the best."""
    for m in (2, 3, 10, 1000):
        line = [(0, "a"), (m - 1, "a"), (m, "b"), (2 * m - 1, "b")]
        joint = JointRange.from_pairs([(s, x) for x, s in line])
        found = contiguous_release(joint, posterior=2)
        assert joint.merged([0, 1, 0, 1]).posterior_sizes.min() == 2
        assert found.distortion / Fraction(m, 2) == 2 - Fraction(1, m)
        assert found.at_least == Fraction(m, 2)
        assert (found.optimal, found.scope) == (False, "contiguous")


def test_no_such_bound_for_the_resolution() -> None:
    """S = a on the lower half of n values, b on the upper: cells of 2 values do, contiguous ones need n."""
    for half in (1, 2, 50):
        joint = JointRange.from_pairs([("a" if x < half else "b", x) for x in range(2 * half)])
        found = contiguous_release(joint, posterior=2, loss="resolution")
        assert (found.largest_cell, int(found.at_least)) == (2 * half, 2)
        assert joint.merged(np.arange(2 * half) % half).posterior_sizes.min() == 2


@given(merged_lines())
def test_cells_cannot_be_many(drawn: tuple[Line, list[int]]) -> None:
    """A partition with posterior k has at most q cells, q the largest with sum_s min(n_s, q) >= q k."""
    line, labels = drawn
    cells, joint = cells_of(labels), range_of(line)
    k = posterior_of(line, cells)
    assert max(cells) + 1 <= most_answers(joint, k)
    assert max(np.bincount(cells)) >= least_cell_size(joint, k)


@given(lines(), st.integers(0, 6))
def test_leakage_is_that_of_the_posterior(line: Line, quarters: int) -> None:
    """L0(S -> Xh) = log2 |S| / k, and a bound on the leakage is met."""
    joint, bound = range_of(line), Fraction(quarters, 4)
    found = contiguous_release(joint, leakage=bound)
    assert found.leakage == Bits(Fraction(joint.size_x, found.posterior)) <= bound
    assert leakage(joint.merged(found.cells)) == found.leakage
    assert found.maximin <= found.leakage
    assert found.maximin == maximin(joint.merged(found.cells))
    seen = JointRange.from_codes(np.arange(joint.size_y), found.cells)
    assert found.resolution == information(seen)


@given(lines())
def test_the_frontier_rises(line: Line) -> None:
    """Along the frontier posterior and loss rise strictly, from nothing merged to what hides everything."""
    joint = range_of(line)
    for loss in ("distortion", "resolution"):
        points = list(frontier(joint, loss=loss))
        assert all(a.posterior < b.posterior and a.loss < b.loss for a, b in pairwise(points))
        assert points[0].posterior == (joint.posterior_sizes.min() if len(points) > 1 else joint.size_x)
        assert points[-1].leakage == Bits(1)


@given(lines(), st.integers(-100, 100), st.fractions(min_value=Fraction(1, 9), max_value=9))
def test_shifts_and_scales_do_not_matter(line: Line, shift: int, scale: Fraction) -> None:
    """The cells are the same when the line is moved or stretched, and the distortion is stretched alike."""
    moved = [Fraction(x) * scale + shift for x, _ in line]
    before = contiguous_release(range_of(line), leakage=1)
    after = contiguous_release(range_of(line), moved, leakage=1)
    assert before.cells.tolist() == after.cells.tolist()
    assert after.distortion == before.distortion * scale


@given(lines())
def test_mirrors_keep_the_frontier(line: Line) -> None:
    """Read from right to left the line has the same frontier."""
    joint, mirrored = range_of(line), range_of([(-x, held) for x, held in line])
    assert list(frontier(joint)) == list(frontier(mirrored))


@given(merged_lines())
def test_blocks_are_bracketed(drawn: tuple[Line, list[int]]) -> None:
    """No cells within the distortion leave fewer blocks than `lower`; the cells found leave `blocks`."""
    line, labels = drawn
    cells, joint = cells_of(labels), range_of(line)
    found = fewest_blocks(joint, distortion=Fraction(width_of(line, cells), 2), nodes=0)
    assert found.lower <= count_blocks(joint.merged(cells))
    assert found.lower <= found.blocks == count_blocks(joint.merged(found.cells))
    assert found.maximin == maximin(joint.merged(found.cells))
    assert (
        found.distortion
        == Fraction(width_of(line, found.cells.tolist()), 2)
        <= Fraction(width_of(line, cells), 2)
    )


def released(release: ContiguousRelease) -> list[tuple[int, int]]:
    return [(int(low), int(high)) for low, high in release.intervals]


def test_the_example_of_the_paper() -> None:
    """Fig. 1 of [P3] on the line of Example 2: the frontier in full."""
    tenths = {"x1": 2, "x2": 1, "x3": 4, "x4": 3, "x5": 6, "x6": 15, "x7": 10}
    sets = {"x1": "12", "x2": "2", "x3": "3", "x4": "3", "x5": "4", "x6": "5", "x7": "6"}
    joint = JointRange.from_pairs([(s, tenths[x]) for x, held in sets.items() for s in held])
    points = [(point.posterior, point.loss) for point in frontier(joint)]
    assert points == [(k, Fraction(twice, 2)) for k, twice in ((1, 0), (2, 5), (3, 9), (6, 14))]
    assert released(contiguous_release(joint, posterior=3)) == [(1, 4), (6, 15)]
