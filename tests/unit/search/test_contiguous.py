"""Contiguous cells of one ordered column: what can be asked, what is answered, and what is refused."""

import csv
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.optimize

from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.ranges import JointRange
from noiseless.search.contiguous import (
    OrderedRange,
    contiguous_release,
    deal,
    fewest_blocks,
    frontier,
    least_cell_size,
)

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


class TestOrderedRange:
    def test_values_are_sorted_and_in_whole_units(self) -> None:
        line = OrderedRange.of(JointRange.from_pairs([("a", 7), ("b", 1), ("c", 4), ("a", 1)]))
        assert line.values == (F(1), F(4), F(7))
        assert (line.places.tolist(), line.lowest, line.unit, line.span) == ([0, 1, 2], F(1), F(3), 2)
        assert [line.joint.posterior(x).tolist() for x in range(3)] == [[0, 1], [2], [0]]
        assert line.order.tolist() == [1, 2, 0]
        assert line.joint.y_labels == [1, 4, 7]
        assert repr(line) == "OrderedRange(3 sensitive values, 3 public ones on a line)"

    @pytest.mark.parametrize(
        "coordinates",
        [
            [0.5, 0.75, 2],
            [Decimal("0.5"), Decimal("0.75"), Decimal(2)],
            [Fraction(1, 2), Fraction(3, 4), 2],
            np.array([0.5, 0.75, 2.0]),
            np.array([0.5, 0.75, 2.0], np.float32),
            [np.float64(0.5), np.float32(0.75), np.int8(2)],
        ],
    )
    def test_coordinates_of_many_kinds(self, coordinates: object) -> None:
        line = OrderedRange.of(JointRange.from_codes([0, 1, 0], [0, 1, 2]), coordinates)  # type: ignore[arg-type]
        assert line.values == (F(1, 2), F(3, 4), F(2))
        assert line.unit == Fraction(1, 4)

    def test_a_float_is_the_rational_that_it_is(self) -> None:
        line = OrderedRange.of(JointRange.from_codes([0, 1], [0, 1]), [0, 0.1])
        assert line.values[1] == Fraction(0.1) != Fraction(1, 10)

    @pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64, np.uint64])
    def test_integers_of_any_type(self, kind: type) -> None:
        line = OrderedRange.of(JointRange.from_codes([0, 1, 0], [0, 1, 2]), np.array([100, 3, 5], kind))
        assert line.values == (F(3), F(5), F(100))

    def test_codes_are_places_where_there_are_no_labels(self) -> None:
        assert OrderedRange.of(JointRange.from_codes([0, 1], [0, 1])).values == (F(0), F(1))

    def test_one_value(self) -> None:
        line = OrderedRange.of(JointRange.from_pairs([("a", 5), ("b", 5)]))
        assert (line.span, line.unit, line.least_posterior) == (0, F(1), 2)

    @pytest.mark.parametrize(
        ("coordinates", "problem"),
        [
            ([1, 2], "one coordinate for each of the 3"),
            ([1, 2, 2], "same coordinate"),
            ([1, 2, float("nan")], "finite numbers"),
            ([1, 2, float("inf")], "finite numbers"),
            ([1, 2, Decimal("NaN")], "finite numbers"),
            (["1", 2, 3], "finite numbers"),
            ([1, 2, None], "finite numbers"),
        ],
    )
    def test_what_is_no_line_is_refused(self, coordinates: list[object], problem: str) -> None:
        with pytest.raises(RequestError, match=problem):
            OrderedRange.of(JointRange.from_codes([0, 1, 0], [0, 1, 2]), coordinates)


class TestRelease:
    def test_all_that_is_said_of_it(self) -> None:
        found = contiguous_release(STAFF, posterior=2)
        assert found.intervals == ((F(30), F(35)), (F(40), F(41)), (F(60), F(62)))
        assert found.codewords == (F(65, 2), F(81, 2), F(61))
        assert (found.posterior, found.leakage, found.maximin) == (2, Bits(Fraction(3, 2)), Bits(1))
        assert (found.distortion, found.centroid_distortion) == (F(5, 2), F(3))
        assert (found.largest_cell, found.resolution) == (3, Bits(Fraction(7, 3)))
        assert found.cells.tolist() == [0, 0, 0, 1, 1, 2, 2]
        assert (found.at_least, found.gap) == (F(5, 2), F(0))
        assert (found.optimal, found.scope) == (True, "all")
        assert "2 of 3 sensitive values" in repr(found)
        assert "<table>" in found._repr_html_()

    def test_cells_are_in_the_coding_that_was_given(self) -> None:
        joint = JointRange.from_pairs([("b", 9), ("a", 0), ("a", 1), ("b", 2)])
        found = contiguous_release(joint, posterior=2)
        assert joint.merged(found.cells).posterior_sizes.min() == 2
        assert found.cells.tolist() == [0, 0, 0, 0]

    def test_non_contiguous_cells_can_be_better(self) -> None:
        joint = JointRange.from_pairs([("a", 0), ("a", 1), ("b", 2), ("b", 3)])
        found = contiguous_release(joint, posterior=2)
        assert (found.distortion, found.at_least, found.gap) == (F(3, 2), F(1), F(1, 2))
        assert (found.optimal, found.scope) == (False, "contiguous")

    def test_a_wish_by_leakage_is_decided_exactly(self) -> None:
        assert contiguous_release(STAFF, leakage=Bits(Fraction(3, 2))).posterior == 2
        assert contiguous_release(STAFF, leakage=Decimal("0.585")).posterior == 2
        assert contiguous_release(STAFF, leakage=Decimal("0.584")).posterior == 3
        assert contiguous_release(STAFF, leakage=0).posterior == 3

    def test_nothing_needs_to_be_merged(self) -> None:
        found = contiguous_release(STAFF, posterior=1)
        assert (found.distortion, found.largest_cell, len(found.begins)) == (F(0), 1, 7)
        both = JointRange.from_pairs([(s, x) for s in "ab" for x in range(5)])
        assert contiguous_release(both, posterior=2).distortion == 0

    def test_the_loss_is_chosen(self) -> None:
        assert contiguous_release(STAFF, largest_cell=3).loss == "resolution"
        assert contiguous_release(STAFF, posterior=2, loss="resolution").largest_cell == 3

    @pytest.mark.parametrize(
        ("wish", "problem"),
        [
            ({}, "give one of"),
            ({"posterior": 2, "leakage": 1}, "give one of"),
            ({"posterior": 0}, "from 1 to 3"),
            ({"posterior": 4}, "from 1 to 3"),
            ({"leakage": -1}, "not negative"),
            ({"distortion": -1}, "not negative"),
            ({"largest_cell": 0}, "at least one"),
            ({"distortion": 1, "loss": "resolution"}, "loss='distortion'"),
            ({"largest_cell": 1, "loss": "distortion"}, "largest_cell for 'resolution'"),
        ],
    )
    def test_what_cannot_be_had_is_refused(self, wish: dict[str, object], problem: str) -> None:
        with pytest.raises(RequestError, match=problem):
            contiguous_release(STAFF, **wish)  # type: ignore[arg-type]


class TestFrontier:
    def test_points(self) -> None:
        curve = frontier(STAFF)
        assert [(point.posterior, point.loss) for point in curve] == [(1, F(0)), (2, F(5, 2)), (3, F(16))]
        assert len(curve) == 3
        assert curve[1].leakage == Bits(Fraction(3, 2))
        assert repr(curve) == "Frontier(3 points, posterior 1 to 3, distortion 0 to 16)"

    def test_wishes(self) -> None:
        curve = frontier(STAFF)
        assert curve.best(posterior=2) == curve.best(distortion=15) == curve.best(leakage=Bits(2)) == curve[1]
        assert curve.best(distortion=10**9).posterior == 3
        assert (
            curve.release(distortion=15).begins.tolist()
            == contiguous_release(STAFF, posterior=2).begins.tolist()
        )
        sizes = frontier(STAFF, loss="resolution")
        assert sizes.best(largest_cell=6) == sizes.best(posterior=2)
        assert sizes.release(largest_cell=6).largest_cell == 3
        with pytest.raises(RequestError, match="give one of"):
            curve.best()

    def test_a_part_of_it(self) -> None:
        line = JointRange.from_pairs([(s, s) for s in range(20)])
        whole, part = frontier(line), frontier(line, up_to=4)
        assert list(part) == list(whole)[: len(part)]
        assert part[-1].posterior == 4
        with pytest.raises(RequestError, match="not followed up to"):
            part.best(posterior=5)
        with pytest.raises(RequestError, match="from 1 to 20"):
            frontier(line, up_to=21)

    def test_the_last_point_of_a_part_is_undominated(self) -> None:
        pairs = JointRange.from_pairs([(s, x) for x in range(4) for s in (2 * x, 2 * x + 1)])
        assert [point.posterior for point in frontier(pairs, up_to=3)] == [2, 4]

    def test_huge_numbers_stay_exact(self) -> None:
        far = 10**40
        joint = JointRange.from_pairs([("a", 0), ("b", 1), ("a", far), ("b", far + 3)])
        found = contiguous_release(joint, posterior=2)
        assert found.intervals == ((F(0), F(1)), (F(far), F(far + 3)))
        assert [point.loss for point in frontier(joint)] == [F(0), F(3, 2)]
        apart = JointRange.from_pairs([("a", 0), ("a", 1), ("b", far)])
        assert frontier(apart)[-1].loss == far // 2

    def test_long_stretches_with_one_sensitive_value(self) -> None:
        """Each cell needs one of the 19 borders, so there are at most 19 cells."""
        size = 20_000
        joint = JointRange.from_codes(np.repeat(np.arange(20), size // 20), np.arange(size))
        curve = frontier(joint)
        assert [point.posterior for point in curve][:3] == [1, 2, 3]
        assert curve.best(posterior=2).loss == Fraction(-(-size // 19) - 1, 2)

    def test_the_heart_data(self, data: Path) -> None:
        joint = heart(data / "heart" / "processed.hungarian.data")
        assert (joint.size_x, joint.size_y, len(joint)) == (38, 154, 281)
        curve = frontier(joint)
        found = [curve.release(posterior=point.posterior) for point in curve]
        assert [(release.posterior, release.distortion) for release in found] == [
            (point.posterior, point.loss) for point in curve
        ]
        assert {release.scope for release in found} == {"all"}
        five = contiguous_release(joint, posterior=5)
        assert (five.distortion, five.scope, len(five.begins)) == (Fraction(137, 2), "all", 45)


class TestCounting:
    def test_bounds_on_the_largest_cell(self) -> None:
        assert [least_cell_size(STAFF, k) for k in (1, 2, 3)] == [1, 3, 4]

    def test_dealing(self) -> None:
        cells = deal(STAFF, 3)
        assert np.bincount(cells).tolist() == [4, 3]
        assert STAFF.merged(cells).posterior_sizes.tolist() == [3, 3]

    def test_dealing_needs_one_sensitive_value_each(self) -> None:
        with pytest.raises(RequestError, match="one sensitive value"):
            deal(JointRange.from_pairs([("a", 0), ("b", 0)]), 1)
        with pytest.raises(RequestError, match="from 1 to 3"):
            deal(STAFF, 4)


class TestFewestBlocks:
    def test_all_that_is_said_of_it(self) -> None:
        joint = JointRange.from_pairs([("a", 0), ("b", 1), ("c", 10), ("d", 11)])
        found = fewest_blocks(joint, distortion=1)
        assert (found.blocks, found.lower, found.optimal, found.proof) == (2, 2, True, "counting")
        assert (found.maximin, found.distortion) == (Bits(2), Fraction(1, 2))
        assert "2, at least 2" in repr(found)
        assert "<table>" in found._repr_html_()

    def test_a_block_with_two_values_joins_two_others(self) -> None:
        joint = JointRange.from_pairs([("b", 0), ("a", 1), ("a", 11), ("c", 12)])
        found = fewest_blocks(joint, distortion=1)
        assert (found.blocks, found.cells.tolist()) == (1, [0, 0, 1, 1])

    def test_where_counting_is_not_enough_the_solver_decides(self) -> None:
        """Counting leaves open whether c, which can be with b or with the first a, joins all three."""
        joint = JointRange.from_pairs([("a", 4), ("a", 5), ("c", 8), ("b", 11)])
        quick, exact = fewest_blocks(joint, distortion=2, nodes=0), fewest_blocks(joint, distortion=2)
        assert (quick.lower, quick.blocks, quick.proof) == (1, 2, "counting")
        assert (exact.lower, exact.blocks, exact.proof) == (2, 2, "solver")

    def test_the_search_is_limited_by_its_nodes_and_never_by_a_clock(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """On a busy machine the same values get the same cells."""
        joint = JointRange.from_pairs([("a", 4), ("a", 5), ("c", 8), ("b", 11)])
        real, options = scipy.optimize.milp, list[object]()

        def noted(*given: object, **named: object) -> object:
            options.append(dict(named["options"]))  # type: ignore[call-overload]
            return real(*given, **named)  # type: ignore[arg-type]

        monkeypatch.setattr(scipy.optimize, "milp", noted)
        fewest_blocks(joint, distortion=2, nodes=7)
        assert options == [{"node_limit": 7}]

    def test_a_distortion_of_nothing_merges_nothing(self) -> None:
        found = fewest_blocks(STAFF, distortion=0)
        assert (found.distortion, found.blocks, found.optimal) == (F(0), 3, True)

    def test_what_is_negative_is_refused(self) -> None:
        with pytest.raises(RequestError, match="not negative"):
            fewest_blocks(STAFF, distortion=-1)
        with pytest.raises(RequestError, match="not negative"):
            fewest_blocks(STAFF, distortion=1, nodes=-1)

    def test_many_values(self) -> None:
        rng = np.random.default_rng(0)
        codes = np.unique(rng.integers(0, 1500, 2000), return_inverse=True)[1]
        found = fewest_blocks(JointRange.from_codes(codes, np.arange(2000)), distortion=2)
        assert found.lower <= found.blocks < 300
