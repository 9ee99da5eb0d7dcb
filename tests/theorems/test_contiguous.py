"""What holds of contiguous cells and of all others; each docstring is the statement."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from noiseless.exact import Bits
from noiseless.measures import information, leakage, maximin
from noiseless.ranges import JointRange, count_blocks
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Numbers
from noiseless.search.contiguous.blocks import fewest_blocks
from noiseless.search.deals import least_cell_size, most_answers
from noiseless.search.loss import Length, Utility, below
from noiseless.search.measures import measure
from noiseless.search.optimum import ContiguousOptimum
from noiseless.search.problem import Cells, Problem
from noiseless.search.strips import LineStrip

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


def optimum(joint: JointRange, utility: Utility = "distortion") -> ContiguousOptimum:
    return ContiguousOptimum(Problem(joint, ColumnCodebook(Numbers(list(joint.y_labels or ())))), utility)


def release(best: ContiguousOptimum, k: int) -> Cells:
    labels = best.for_posterior(k)
    assert labels is not None
    return Cells.from_labels(labels)


def distortion(best: ContiguousOptimum, k: int) -> Fraction:
    found = measure(best.problem, release(best, k)).distortion
    assert found is not None
    return found.value


def bound(best: ContiguousOptimum, k: int) -> Fraction:
    found = best.least_of_any(k)
    assert isinstance(found, Length)
    return found.value


@given(merged_lines())
def test_contiguous_cells_are_at_most_twice_as_wide(drawn: tuple[Line, list[int]]) -> None:
    """For every partition there are contiguous cells with its posterior that are at most twice as wide."""
    line, labels = drawn
    cells = cells_of(labels)
    assert distortion(optimum(range_of(line)), posterior_of(line, cells)) <= width_of(line, cells)


@given(merged_lines())
def test_no_partition_is_below_the_bound(drawn: tuple[Line, list[int]]) -> None:
    """Every partition with posterior k has at least the distortion of the bound."""
    line, labels = drawn
    cells, best = cells_of(labels), optimum(range_of(line))
    k = posterior_of(line, cells)
    cover = best.strips[0].cover_width(k) * best.strips[0].unit
    assert bound(best, k) <= distortion(best, k) <= 2 * cover
    assert cover <= bound(best, k) <= Fraction(width_of(line, cells), 2)


@given(merged_lines())
def test_centroids_of_contiguous_cells(drawn: tuple[Line, list[int]]) -> None:
    """With centroids as codewords the contiguous optimum is below four times that of any partition, whatever
    n.

    A cell's centroid is less than its width away from its values, and never nearer to all of them than its
    midrange: theta <= centroid < 2 theta (or all are 0).
    """
    line, labels = drawn
    cells = cells_of(labels)
    best, k = optimum(range_of(line)), posterior_of(line, cells)
    ours, other = centroid_of(line, release(best, k).cell_of.tolist()), centroid_of(line, cells)
    assert ours < 4 * other or ours == other == 0
    assert distortion(best, k) <= ours <= 2 * distortion(best, k)


def test_twice_is_approached() -> None:
    """x = 0, m-1, m, 2m-1 with S = a, a, b, b: contiguous cells are 2 - 1/m times as wide as the best."""
    for m in (2, 3, 10, 1000):
        line = [(0, "a"), (m - 1, "a"), (m, "b"), (2 * m - 1, "b")]
        joint = JointRange.from_pairs([(s, x) for x, s in line])
        best = optimum(joint)
        assert joint.merged([0, 1, 0, 1]).posterior_sizes.min() == 2
        assert distortion(best, 2) / Fraction(m, 2) == 2 - Fraction(1, m)
        assert bound(best, 2) == Fraction(m, 2)


def test_no_such_bound_for_the_resolution() -> None:
    """S = a on the lower half of n values, b on the upper: cells of 2 values do, contiguous ones need n."""
    for half in (1, 2, 50):
        joint = JointRange.from_pairs([("a" if x < half else "b", x) for x in range(2 * half)])
        best = optimum(joint, "resolution")
        assert measure(best.problem, release(best, 2)).largest_cell == 2 * half
        assert best.least_of_any(2) == Bits(2)
        assert joint.merged(np.arange(2 * half) % half).posterior_sizes.min() == 2


@given(merged_lines())
def test_cells_cannot_be_many(drawn: tuple[Line, list[int]]) -> None:
    """A partition with posterior k has at most q cells, q the largest with sum_s min(n_s, q) >= q k."""
    line, labels = drawn
    cells, joint = cells_of(labels), range_of(line)
    k = posterior_of(line, cells)
    assert max(cells) + 1 <= most_answers(joint, k)
    assert max(np.bincount(cells)) >= least_cell_size(joint, k)


@given(lines(), st.integers(1, 5))
def test_leakage_is_that_of_the_posterior(line: Line, k: int) -> None:
    """L0(S -> Xh) = log2 |S| / k, and I*(S; Xh) is no more."""
    joint = range_of(line)
    best = optimum(joint)
    cells = release(best, min(k, joint.size_x))
    found = measure(best.problem, cells)
    assert (
        found.leakage
        == Bits(Fraction(joint.size_x, found.min_posterior))
        <= Bits(Fraction(joint.size_x, min(k, joint.size_x)))
    )
    assert leakage(joint.merged(cells.cell_of)) == found.leakage
    assert maximin(joint.merged(cells.cell_of)) == found.maximin <= found.leakage
    assert found.resolution == information(JointRange.from_codes(np.arange(joint.size_y), cells.cell_of))


@given(lines())
def test_the_frontier_rises(line: Line) -> None:
    """Along the frontier posterior and loss rise strictly, from nothing merged to what hides everything."""
    joint = range_of(line)
    utilities: tuple[Utility, ...] = ("distortion", "resolution")
    for utility in utilities:
        points = optimum(joint, utility).frontier
        assert all(a[0] < b[0] and below(a[1], b[1]) for a, b in pairwise(points))
        assert points[0][0] == (joint.posterior_sizes.min() if len(points) > 1 else joint.size_x)
        assert points[-1][0] == joint.size_x


@given(lines(), st.integers(-100, 100), st.fractions(min_value=Fraction(1, 9), max_value=9))
def test_shifts_and_scales_do_not_matter(line: Line, shift: int, scale: Fraction) -> None:
    """The cells are the same when the line is moved or stretched, and the distortion is stretched alike."""
    joint = range_of(line)
    k = -(-joint.size_x // 2)
    before = optimum(joint)
    moved = Numbers([Fraction(x) * scale + shift for x in joint.y_labels or ()])
    after = ContiguousOptimum(Problem(joint, ColumnCodebook(moved)), "distortion")
    assert release(before, k) == release(after, k)
    assert distortion(after, k) == distortion(before, k) * scale


@given(lines())
def test_mirrors_keep_the_frontier(line: Line) -> None:
    """Read from right to left the line has the same frontier."""
    joint, mirrored = range_of(line), range_of([(-x, held) for x, held in line])
    assert optimum(joint).frontier == optimum(mirrored).frontier


@given(merged_lines())
def test_blocks_are_bracketed(drawn: tuple[Line, list[int]]) -> None:
    """No cells within the distortion leave fewer blocks than `lower`; the cells found leave `blocks`."""
    line, labels = drawn
    cells, joint = cells_of(labels), range_of(line)
    ordered = LineStrip.of(joint, np.array(joint.y_labels))
    found = fewest_blocks(ordered, min(width_of(line, cells) // ordered.step, ordered.span), nodes=0)
    assert found.lower <= count_blocks(joint.merged(cells))
    assert found.lower <= found.blocks == count_blocks(joint.merged(found.cells))
    assert width_of(line, found.cells.tolist()) <= width_of(line, cells)


def test_the_example_of_the_paper() -> None:
    """Fig. 1 of [P3] on the line of Example 2: the frontier in full."""
    tenths = {"x1": 2, "x2": 1, "x3": 4, "x4": 3, "x5": 6, "x6": 15, "x7": 10}
    sets = {"x1": "12", "x2": "2", "x3": "3", "x4": "3", "x5": "4", "x6": "5", "x7": "6"}
    joint = JointRange.from_pairs([(s, tenths[x]) for x, held in sets.items() for s in held])
    best = optimum(joint)
    assert best.frontier == [
        (k, Length(Fraction(twice, 2))) for k, twice in ((1, 0), (2, 5), (3, 9), (6, 14))
    ]
    places = [sorted(tenths[f"x{x + 1}"] for x in cell) for cell in release(best, 3).members]
    assert places == [[1, 2, 3, 4], [6, 10, 15]]
