"""Contiguous cells of one ordered column: what can be asked, what is answered, and what is refused."""

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np

from noiseless.exact import Bits
from noiseless.ranges import JointRange
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Numbers
from noiseless.search.contiguous.blocks import FewestBlocks, fewest_blocks
from noiseless.search.deals import deal_cells, least_cell_size
from noiseless.search.loss import Length, Utility
from noiseless.search.measures import measure
from noiseless.search.optimum import ContiguousOptimum
from noiseless.search.problem import Cells, Problem
from noiseless.search.strips import LineStrip

F = Fraction

STAFF = JointRange.from_pairs(
    [("flu", 30), ("flu", 31), ("cold", 35), ("flu", 40), ("ague", 41), ("cold", 60), ("ague", 62)]
)


def heart(path: Path) -> JointRange:
    """Age hidden, cholesterol public; a missing one is -9, as in the unprocessed file."""
    with path.open() as file:
        rows = dict.fromkeys(tuple(row) for row in csv.reader(file))
    assert len(rows) == 293
    return JointRange.from_pairs([(int(row[0]), -9 if row[4] == "?" else int(row[4])) for row in rows])


def optimum(joint: JointRange, utility: Utility = "distortion") -> ContiguousOptimum:
    return ContiguousOptimum(Problem(joint, ColumnCodebook(Numbers(list(joint.y_labels or ())))), utility)


def cells_of(best: ContiguousOptimum, k: int) -> Cells:
    labels = best.for_posterior(k)
    assert labels is not None
    return Cells.from_labels(labels)


class TestLine:
    def test_values_are_sorted_and_in_whole_units(self) -> None:
        joint = JointRange.from_pairs([("a", 7), ("b", 1), ("c", 4), ("a", 1)])
        line = LineStrip.of(joint, np.array([7, 1, 4]))
        assert (line.places.tolist(), line.step, line.span) == ([0, 1, 2], 3, 2)
        assert [line.joint.posterior(x).tolist() for x in range(3)] == [[0, 1], [2], [0]]
        assert line.members.tolist() == [1, 2, 0]

    def test_one_value(self) -> None:
        line = LineStrip.of(JointRange.from_pairs([("a", 5), ("b", 5)]), np.array([5]))
        assert (line.span, line.step) == (0, 1)


class TestOptimum:
    def test_the_best_cells_for_a_posterior(self) -> None:
        best = optimum(STAFF)
        assert cells_of(best, 2).members == ((0, 1, 2), (3, 4), (5, 6))
        found = measure(best.problem, cells_of(best, 2))
        assert (found.min_posterior, found.leakage, found.maximin) == (2, Bits(F(3, 2)), Bits(1))
        assert (found.distortion, found.largest_cell) == (Length(F(5, 2)), 3)
        assert best.least_of_any(2) == Length(F(5, 2))
        assert measure(best.problem, cells_of(best, 1)).distortion == Length(0)
        assert measure(best.problem, cells_of(optimum(STAFF, "resolution"), 2)).largest_cell == 3

    def test_cells_are_in_the_coding_that_was_given(self) -> None:
        joint = JointRange.from_pairs([("b", 9), ("a", 0), ("a", 1), ("b", 2)])
        assert cells_of(optimum(joint), 2).members == ((0, 1, 2, 3),)

    def test_non_contiguous_cells_can_be_better(self) -> None:
        best = optimum(JointRange.from_pairs([("a", 0), ("a", 1), ("b", 2), ("b", 3)]))
        assert measure(best.problem, cells_of(best, 2)).distortion == Length(F(3, 2))
        assert best.least_of_any(2) == Length(1)

    def test_the_frontier(self) -> None:
        assert optimum(STAFF).frontier == [(1, Length(0)), (2, Length(F(5, 2))), (3, Length(16))]

    def test_huge_numbers_stay_exact(self) -> None:
        far = 10**40
        best = optimum(JointRange.from_pairs([("a", 0), ("b", 1), ("a", far), ("b", far + 3)]))
        assert cells_of(best, 2).members == ((0, 1), (2, 3))
        assert best.frontier == [(1, Length(0)), (2, Length(F(3, 2)))]
        apart = JointRange.from_pairs([("a", 0), ("a", 1), ("b", far)])
        assert optimum(apart).frontier[-1] == (2, Length(far // 2))

    def test_long_stretches_with_one_sensitive_value(self) -> None:
        """Each cell needs one of the 19 borders, so there are at most 19 cells."""
        size = 20_000
        joint = JointRange.from_codes(np.repeat(np.arange(20), size // 20), np.arange(size))
        found = ContiguousOptimum(Problem(joint, ColumnCodebook(Numbers(range(size)))), "distortion").frontier
        assert [k for k, _ in found][:3] == [1, 2, 3]
        assert found[1][1] == Length(F(-(-size // 19) - 1, 2))

    def test_the_heart_data(self, data: Path) -> None:
        joint = heart(data / "heart" / "processed.hungarian.data")
        assert (joint.size_x, joint.size_y, len(joint)) == (38, 154, 281)
        best = optimum(joint)
        for k, loss in best.frontier:
            found = measure(best.problem, cells_of(best, k))
            assert (found.min_posterior, found.distortion) == (k, loss)
            assert best.least_of_any(k) == loss
        five = cells_of(best, 5)
        assert (measure(best.problem, five).distortion, len(five)) == (Length(F(137, 2)), 45)


class TestCounting:
    def test_bounds_on_the_largest_cell(self) -> None:
        assert [least_cell_size(STAFF, k) for k in (1, 2, 3)] == [1, 3, 4]

    def test_dealing(self) -> None:
        best = optimum(STAFF, "resolution")
        cells = deal_cells(best.strips, 3)
        assert cells is not None
        assert np.bincount(cells).tolist() == [4, 3]
        assert STAFF.merged(cells).posterior_sizes.tolist() == [3, 3]
        assert deal_cells(best.strips, 4) is None


def blocks(joint: JointRange, width: int, **options: int) -> FewestBlocks:
    line = LineStrip.of(joint, np.array(joint.y_labels))
    return fewest_blocks(line, width // line.step, **options)


class TestFewestBlocks:
    def test_all_that_is_said_of_it(self) -> None:
        found = blocks(JointRange.from_pairs([("a", 0), ("b", 1), ("c", 10), ("d", 11)]), 2)
        assert (found.blocks, found.lower, found.proof) == (2, 2, "counting")
        assert found.cells.tolist() == [0, 0, 1, 1]

    def test_a_block_with_two_values_joins_two_others(self) -> None:
        found = blocks(JointRange.from_pairs([("b", 0), ("a", 1), ("a", 11), ("c", 12)]), 2)
        assert (found.blocks, found.cells.tolist()) == (1, [0, 0, 1, 1])

    def test_where_counting_is_not_enough_all_cells_are_looked_at(self) -> None:
        """Counting leaves open whether c, which can be with b or with the first a, joins all three."""
        joint = JointRange.from_pairs([("a", 4), ("a", 5), ("c", 8), ("b", 11)])
        quick, exact = blocks(joint, 4, nodes=0), blocks(joint, 4)
        assert (quick.lower, quick.blocks, quick.proof) == (1, 2, "counting")
        assert (exact.lower, exact.blocks, exact.proof) == (2, 2, "search")
        given_up = blocks(joint, 4, nodes=1)
        assert (given_up.lower, given_up.blocks, given_up.proof) == (1, 2, "counting")

    def test_a_width_of_nothing_merges_nothing(self) -> None:
        found = blocks(STAFF, 0)
        assert (len(set(found.cells.tolist())), found.blocks, found.lower) == (7, 3, 3)

    def test_many_values(self) -> None:
        rng = np.random.default_rng(0)
        codes = np.unique(rng.integers(0, 1500, 2000), return_inverse=True)[1]
        joint = JointRange.from_codes(codes, np.arange(2000))
        found = fewest_blocks(LineStrip.of(joint, np.arange(2000)), 4)
        assert found.lower <= found.blocks < 300
