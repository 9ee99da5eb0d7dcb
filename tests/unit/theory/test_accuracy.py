import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from noiseless.errors import ExpressionError, RequestError
from noiseless.exact import Bits, Nats
from noiseless.intervals import Enclosure
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import (
    Attribute,
    Continuum,
    Lattice,
    LinearOnBox,
    OrderOnInterval,
    Quantity,
    Variance,
    Weighted,
    count,
    maximum,
    mean,
    median,
    total,
)
from noiseless.ranges.quantizer import Edged, Uniform
from noiseless.theory.accuracy import (
    AccuracyPolicy,
    DatasetCounts,
    FunctionVolume,
    LinearVolume,
    RegionGrid,
    adversary_error,
    fewest_cells,
    least_leakage,
    polygons,
)
from noiseless.theory.accuracy.enclosed_functions import Intervals
from noiseless.theory.accuracy.regions import UNSURE
from noiseless.theory.accuracy.uniform_sums import UniformSum
from noiseless.theory.accuracy.walk import fewest_steps

HALF = Fraction(1, 2)
SQUARE = [(-2, 2), (-2, 2)]
MEAN = LinearVolume.of((HALF, HALF), SQUARE)


def test_the_relaxed_optimum_of_example_iv_1() -> None:
    found = fewest_cells(MEAN, HALF)
    assert found.maximin == 2  # log2 of 4 cells, where [P4] writes 4
    assert (found.quality, found.privacy_by_maximin) == (2, 0.5)
    assert [found.quantizer.answer(k).value for k in range(4)] == [Fraction(v, 2) for v in (-3, -1, 1, 3)]
    assert [share.lower for share in found.shares] == [Fraction(k, 8) for k in (1, 3, 3, 1)]
    assert found.leakage == Nats(8)
    assert found.privacy_by_leakage == pytest.approx(1 / math.log(8))
    assert found.gap == Nats(1)


def test_a_policy_reads_well() -> None:
    found = least_leakage(MEAN, Fraction(10, 19))
    text = repr(found)
    assert text.startswith("4 cells")
    assert "leakage L0(X;Y)            1.9769 nats (the least possible)" in text
    told = found.to_dict()
    assert told["smallest_share_exact"] == "50/361"
    assert told["leakage_nats"] >= math.log(361 / 50) >= told["least_leakage_nats"]
    assert told["edges_exact"][1] == "-18/19"
    assert told["optimal_in"] == "all"


def test_one_cell_is_enough() -> None:
    for found in (fewest_cells(MEAN, 2), least_leakage(MEAN, 5)):
        assert [found.cells, found.smallest_share, found.bound, found.optimal_in] == [1, 1, 1, "all"]
        assert found.leakage == Nats(1)
        assert found.privacy_by_leakage == found.privacy_by_maximin == math.inf


def test_a_question_and_its_push_forward_are_the_same() -> None:
    query = LinearOnBox((HALF, HALF), Quantity("x", Continuum.of(-2, 2)))
    assert least_leakage(query, Fraction(2, 3)) == least_leakage(MEAN, Fraction(2, 3))
    assert QuantizedQuery(query, least_leakage(query, HALF).quantizer).reach.outputs == 3


def test_cells_of_equal_volume() -> None:
    """Where ends hold more than their part, all cells hold the same, as near as 12 digits tell."""
    found = least_leakage(LinearVolume.of((1, 1), [(0, 1), (0, 1)]), Fraction(19, 50))
    assert (found.cells, found.bound) == (3, Fraction(2 * 19**2, 50**2))
    wider = least_leakage(LinearVolume.of((1, 1), [(0, 1), (0, 1)]), Fraction(49, 100))
    assert (wider.cells, wider.bound, wider.optimal_in) == (3, Fraction(1, 3), None)
    assert Fraction(1, 3) - wider.smallest_share < Fraction(1, 10**10)
    assert wider.quantizer.edge(1) ** 2 / 2 == wider.shares[0].lower


def test_one_number_is_cut_into_equal_parts() -> None:
    found = least_leakage(LinearVolume.of((3,), [(0, 1)]), Fraction(2, 5))
    assert [found.quantizer.edge(k) for k in range(5)] == [Fraction(3 * k, 4) for k in range(5)]
    assert found.optimal_in == "all"


@pytest.mark.parametrize(
    ("people", "cells", "exact"), [(10, 7, True), (100, 5, True), (2000, 4, True), (30_000, 3, False)]
)
def test_many_people(people: int, cells: int, exact: bool) -> None:
    volume = LinearVolume.of([Fraction(1, people)] * people, [(0, 1)] * people)
    found = least_leakage(volume, Fraction(1, 2 * cells))
    assert found.cells == cells
    assert found.exact == exact
    first = Fraction(people, cells) ** people / math.factorial(people) if people <= cells else None
    assert first is None or found.smallest_share == first
    assert 0 < found.smallest_share <= found.bound
    assert found.leakage.upper < math.inf


def test_many_different_weights() -> None:
    weights = [10**6 + k**5 for k in range(20)]
    volume = LinearVolume.of(weights, [(0, 1)] * 20)
    half = volume.below(volume.span.width / 2)
    third = volume.below(volume.span.width * Fraction(9, 20))
    assert half == Enclosure.exactly(HALF)
    assert 0 < third.width < Fraction(1, 2**40)
    assert 0.2 < third.lower < third.upper < 0.3
    assert volume.below(volume.span.width * Fraction(11, 20)).lower == 1 - third.upper
    found = least_leakage(volume, volume.span.width / 7)
    assert found.cells == 4
    assert found.gap.upper < 1e-6


def test_quantiles() -> None:
    law = UniformSum(((1, 2), (3, 1)))
    for share in (Fraction(0), Fraction(1, 7), HALF, Fraction(4, 5)):
        level = law.quantile(share)
        assert abs(law.below(level).lower - share) < Fraction(1, 10**10)
    assert UniformSum(((5, 1),)).quantile(Fraction(1, 3)) == Fraction(5, 3)


def test_a_constant_question() -> None:
    volume = LinearVolume.of((0, 0), SQUARE)
    assert volume.span == Continuum(Fraction(0), Fraction(0))
    assert volume.below(Fraction(0)) == Enclosure(Fraction(0), Fraction(1))
    assert least_leakage(volume, 1).leakage == Nats(1)
    assert adversary_error(volume, Uniform(volume.span, 1)).smallest.squared == 8


@pytest.mark.parametrize(
    ("asked", "datasets"),
    [
        (total(3, Attribute("x", range(3))), 27),
        (mean(3, Attribute("x", (0, 1, 5))), 27),
        (count(4, Attribute("x", range(5)), {0, 3}), 625),
        (Weighted((Fraction(2), Fraction(-1), Fraction(0)), Attribute("x", range(3))), 27),
        (maximum(3, Attribute("x", (0, 2, 3, 7))), 64),
        (median(3, Attribute("x", range(4))), 64),
        (median(4, Attribute("x", range(3))), 81),
        (Variance(3, Attribute("x", range(4))), 64),
    ],
)
def test_datasets_are_counted(asked: Variance, datasets: int) -> None:
    counts = DatasetCounts.of(asked)
    assert counts.total == datasets
    assert list(counts.positions) == list(asked.attainable or ())
    found = least_leakage(asked, asked.span.width / 5)
    assert isinstance(found.leakage, Bits)
    assert found.leakage == Bits(1 / found.smallest_share)
    assert sum(share.lower for share in found.shares) == 1
    assert "leakage" in found.to_dict()


def test_every_answer_by_itself() -> None:
    found = fewest_cells(total(2, Attribute("x", range(3))), 0)
    assert [found.cells, found.worst_error, found.quality] == [5, 0, math.inf]
    assert found.smallest_share == Fraction(1, 9)


def test_a_thousand_yes_or_no() -> None:
    asked = count(1000, Attribute("x", range(2)), {1})
    found = least_leakage(asked, 249)
    assert (found.cells, found.optimal_in) == (3, "contiguous")
    assert found.smallest_share < found.bound <= Fraction(1, 3)
    uneven = least_leakage(asked, 40)
    assert uneven.smallest_share == sum(Fraction(math.comb(1000, k), 2**1000) for k in range(81))


@pytest.mark.parametrize(
    ("call", "error", "remedy"),
    [
        (lambda: fewest_cells(MEAN, -1), RequestError, "above 0"),
        (lambda: least_leakage(MEAN, 0), RequestError, "above 0"),
        (lambda: least_leakage(MEAN, Fraction(1, 10**9)), RequestError, "so small an error"),
        (lambda: LinearVolume.of((1,), SQUARE), RequestError, "a weight and a side"),
        (lambda: LinearVolume.of((1,), [(1, 1)]), RequestError, "smaller to a larger"),
        (
            lambda: DatasetCounts.of(OrderOnInterval(3, Quantity("x", Continuum.of(0, 1)))),
            RequestError,
            "step",
        ),
        (lambda: DatasetCounts.of(Variance(99, Attribute("x", range(99)))), RequestError, "no quicker way"),
        (lambda: DatasetCounts.of(total(99, Attribute("x", range(999)))), RequestError, "told apart"),
        (lambda: FunctionVolume.of_formula("x +", {"x": (0, 1)}), ExpressionError, "missing"),
        (lambda: FunctionVolume.of_formula("x + y", {"x": (0, 1)}), RequestError, "bounds of y"),
        (lambda: FunctionVolume.of_formula("x", {"x": (1, 0)}), RequestError, "smaller to a larger"),
        (lambda: FunctionVolume.of_formula("1 / x", {"x": (-1, 1)}), RequestError, "divide by 0"),
        (
            lambda: FunctionVolume.of_formula("x", {f"{k}": (0, 1) for k in "abcdefx"}),
            RequestError,
            "between 1",
        ),
        (lambda: FunctionVolume.of_callable(lambda x: x, [(0, 1)], -1), RequestError, "not negative"),
        (lambda: FunctionVolume.of_callable(float, [(0, 1)], 1), RequestError, "a float"),  # type: ignore[arg-type]
        (
            lambda: polygons(LinearVolume.of((1,), [(0, 1)]), Uniform(Continuum.of(0, 1), 2)),
            RequestError,
            "two",
        ),
    ],
)
def test_requests_that_make_no_sense(call: object, error: type[Exception], remedy: str) -> None:
    with pytest.raises(error, match=remedy):
        call()  # type: ignore[operator]


def test_polygons_of_figure_1() -> None:
    regions = polygons(MEAN, Uniform(MEAN.span, 4))
    assert [len(region) for region in regions] == [3, 4, 4, 3]
    areas = [_area(region) for region in regions]
    assert areas == [2, 6, 6, 2]
    assert [list(map(int, corner)) for corner in regions[1]] == [[-2, 0], [0, -2], [2, -2], [-2, 2]]


def _area(corners: tuple[tuple[Fraction, Fraction], ...]) -> Fraction:
    around = pairwise([*corners, corners[0]])
    return sum((a[0] * b[1] - a[1] * b[0] for a, b in around), Fraction(0)) / 2


def test_pixels_of_figure_2() -> None:
    bowl = FunctionVolume.of_formula("x1**2 + 2*x2**2", {"x1": (-2, 2), "x2": (-2, 2)}, boxes=2**8)
    grid = RegionGrid.of(bowl, Uniform(bowl.span, 12), pixels=64)
    middles = [(a + b) / 2 for a, b in pairwise(grid.horizontal)]
    true = np.array([[int(x * x + 2 * y * y) for x in middles] for y in middles])
    assert (grid.middles == true).all()
    sure = grid.numbers != UNSURE
    assert (grid.numbers[sure] == true[sure]).all()
    assert ((grid.lowest <= true) & (true <= grid.highest)).all()
    assert 0.2 < sure.mean() < 0.9
    with pytest.raises(RequestError, match="power of 2"):
        RegionGrid.of(bowl, Uniform(bowl.span, 12), pixels=65)


def test_a_formula_with_abs_max_and_a_quotient() -> None:
    """|x| / (1 + max(y, 0)) on [-1,1]^2: below 1/2 lie 1/2 of y < 0, and (1 + y) / 2 of y > 0."""
    volume = FunctionVolume.of_formula("abs(x) / (1 + max(y, 0))", {"x": (-1, 1), "y": (-1, 1)}, boxes=2**12)
    assert volume.span == Continuum(Fraction(0), Fraction(1))
    found = volume.below(HALF)
    assert found.lower <= Fraction(5, 8) <= found.upper
    assert found.width < Fraction(1, 400)


def test_a_function_that_stands_still() -> None:
    """Where a function is constant on a set of volume, the bounds hold both sides of the jump."""
    volume = FunctionVolume.of_formula("max(x, 0)", {"x": (-1, 1)}, boxes=2**8)
    at = volume.below(Fraction(0))
    assert at.lower == 0
    assert at.upper >= HALF
    above = volume.below(Fraction(1, 4))
    assert above.lower <= Fraction(5, 8) <= above.upper
    found = least_leakage(volume, Fraction(3, 20))
    assert found.worst_error <= Fraction(3, 20)
    assert found.smallest_share <= found.bound


def test_a_callable_with_its_lipschitz_constant() -> None:
    volume = FunctionVolume.of_callable(lambda x, y: (x + y) / 2, SQUARE, 1, boxes=2**10)
    for level in (Fraction(-3, 2), Fraction(0), Fraction(1, 3)):
        bounds, exact = volume.below(level), MEAN.below(level).lower
        assert bounds.lower <= exact <= bounds.upper
    assert volume.span.low <= -2
    assert volume.span.high >= 2
    found = least_leakage(volume, 1)
    assert found.worst_error <= 1
    assert 0 < found.smallest_share <= least_leakage(MEAN, 1).bound <= found.bound
    assert not adversary_error(volume, found.quantizer).exact


def test_bounds_by_volume_for_many_people_of_different_weights() -> None:
    weights = [Fraction(k) for k in range(1, 11)]
    volume = LinearVolume.of(weights, [(0, 1)] * 10)
    few = LinearVolume.of(weights[:3], [(0, 1)] * 3)
    cells = Uniform(few.span, 3)
    exact = adversary_error(few, cells)
    assert exact.exact
    bounded = adversary_error(volume, Uniform(volume.span, 3))
    assert not bounded.exact
    assert 0 < bounded.smallest <= bounded.largest


def test_a_share_that_cannot_be_certified_leaks_without_end() -> None:
    policy = AccuracyPolicy(
        Edged.of(Continuum.of(0, 1), []), HALF, HALF, (Enclosure(Fraction(0), HALF),), HALF, 1
    )
    assert policy.leakage == policy.gap == Nats(math.inf)
    assert policy.privacy_by_leakage == 0
    assert policy.to_dict()["leakage_nats"] == "inf"
    assert not policy.exact


def test_float_intervals_hold_what_rationals_give() -> None:
    with np.errstate(all="ignore"):
        third, tenth = Intervals.of(Fraction(1, 3)), Intervals.of(Fraction(-1, 10))
        for found, exact in [
            (third + tenth, Fraction(7, 30)),
            (third * tenth, Fraction(-1, 30)),
            (third / tenth, Fraction(-10, 3)),
            (tenth**3, Fraction(-1, 1000)),
            (abs(tenth), Fraction(1, 10)),
            (third - tenth, Fraction(13, 30)),
        ]:
            assert Fraction(float(found.low)) <= exact <= Fraction(float(found.high))
            assert float(found.high) - float(found.low) < 1e-14
        through = Intervals(np.array([-1.0]), np.array([2.0]))
        assert (third / through).low == -np.inf
        square = through**2
        assert -1e-9 < square.low <= 0
        assert 4 <= square.high < 4 + 1e-9
        huge = Intervals(np.array([1e308]), np.array([1e308]))
        assert (huge * huge).high == np.inf
        assert (huge * huge).low > 1e308


def test_steps() -> None:
    assert fewest_steps([0], [0], 0) == [0]
    assert fewest_steps([1, 2], [1, 1], 2) is None
    assert fewest_steps([1, 2, 3], [1, 2, 3], 3) == [0, 1, 2, 3]
    assert DatasetCounts(Lattice(Fraction(0), Fraction(1), 0), (0,), (5,)).fewest(Fraction(0)) == [0]
