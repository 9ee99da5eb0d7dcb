"""Accuracy first ([P4], sections III and IV): what is optimal, what not; each docstring is the statement."""

import math
from fractions import Fraction
from itertools import combinations, pairwise

import pytest
from flint import arb
from hypothesis import assume, given
from hypothesis import strategies as st

from noiseless.exact import ball
from noiseless.intervals import Enclosure
from noiseless.pricing.reach import coarsest
from noiseless.questions import Attribute, Continuum, Lattice, LinearOnBox, Quantity, Variance, total
from noiseless.ranges.quantizer import Edged, Stepped, Uniform
from noiseless.theory.accuracy import (
    DatasetCounts,
    FunctionVolume,
    LinearVolume,
    RegionGrid,
    adversary_error,
    fewest_cells,
    largest_share,
    least_leakage,
)
from noiseless.theory.accuracy import function_volume as functions
from noiseless.theory.accuracy.uniform_sums import Tilt, ends, share_below
from noiseless.theory.accuracy.walk import EdgeGrid
from noiseless.theory.continuous.boxes import Box
from noiseless.theory.polytopes import Distance, Polytope, mean_errors, slab_volume

HALF = Fraction(1, 2)


@st.composite
def linear_volumes(draw: st.DrawFn, least: int = 1, most: int = 4) -> LinearVolume:
    size = draw(st.integers(least, most))
    weights = [Fraction(draw(st.integers(-4, 4)), draw(st.integers(1, 3))) for _ in range(size)]
    sides = [(low, low + draw(st.integers(1, 3))) for low in [draw(st.integers(-2, 2)) for _ in range(size)]]
    assume(any(weights))
    return LinearVolume.of(weights, sides)


CELLS = st.fractions(Fraction(1, 2), 9, max_denominator=12)
"""How many cells of width 2e the span is long."""


def error_for(volume: LinearVolume | FunctionVolume, cells: Fraction) -> Fraction:
    return volume.span.width / cells / 2


@given(linear_volumes(), st.fractions(0, 1, max_denominator=24))
def test_the_push_forward_of_a_linear_query(volume: LinearVolume, share: Fraction) -> None:
    """F(t) = vol{c . x <= t} / vol is a piecewise polynomial, found by inclusion and exclusion."""
    level = volume.span.low + volume.span.width * share
    exact = slab_volume(Box.of(*volume.sides), volume.normal, volume.span.low, level) / volume.size
    assert volume.below(level) == Enclosure.exactly(exact)


@given(st.lists(st.integers(1, 9), min_size=8, max_size=10), st.fractions(Fraction(1, 20), HALF))
def test_balls_hold_the_push_forward(weights: list[int], share: Fraction) -> None:
    """Fourier inversion with a bounded tail, and Chernoff's bound, enclose what corners give exactly."""
    law = LinearVolume.of(weights, [(0, 1)] * len(weights)).law
    level = Fraction(law.length) * share
    exact = law.below(level).lower
    low, high = ends(share_below(law.weights, Fraction(law.length, 2) - level, 64))
    assert low <= exact <= high
    assert high - low < Fraction(1, 2**50)
    below, above = Tilt(law.weights).bounds(level)
    assert below <= exact <= above


@given(linear_volumes(), CELLS)
def test_least_leakage_of_a_linear_query(volume: LinearVolume, cells: Fraction) -> None:
    """The optimum of Theorem IV.3 for (10a) is min(F(ymin + 2e), 1 / ceil((ymax - ymin) / 2e))."""
    error = error_for(volume, cells)
    found = least_leakage(volume, error)
    assert found.cells == found.least_cells == math.ceil(cells)
    assert found.worst_error <= error
    first = volume.below(volume.span.low + 2 * error).lower
    assert found.bound == min(first, Fraction(1, found.cells))
    assert found.bound * (1 - Fraction(1, 10**9)) <= found.smallest_share <= found.bound
    if first * found.cells <= 1:
        assert found.smallest_share == found.bound
        assert found.optimal_in == "all"
    assert found.exact
    assert sum(share.lower for share in found.shares) == 1


@given(linear_volumes(), st.fractions(Fraction(3, 2), 5, max_denominator=6))
def test_the_walk_finds_the_same_optimum(volume: LinearVolume, cells: Fraction) -> None:
    """Steps b in [F^-1(F(a) + m), a + 2e] lead from ymin to ymax up to near the optimum m, and not above."""
    error = error_for(volume, cells)
    grid, best = EdgeGrid(volume, 2 * error), least_leakage(volume, error)
    edges = grid.best_edges(Fraction(1))
    assert edges is not None
    assert max(b - a for a, b in pairwise(edges)) <= 2 * error
    walked = min(share.lower for share in volume.shares(edges))
    assert walked <= best.bound <= grid.bound(walked, Fraction(1))
    assert walked >= best.bound * Fraction(9, 10)


@given(linear_volumes(), st.integers(1, 9))
def test_equal_cells_are_optimal_when_they_fit(volume: LinearVolume, cells: int) -> None:
    """If (ymax - ymin) / 2e is whole, the uniform quantizer has least L0(X;Y) too, for every linear query."""
    error = error_for(volume, Fraction(cells))
    uniform, best = fewest_cells(volume, error), least_leakage(volume, error)
    assert uniform.smallest_share == uniform.bound == best.smallest_share
    assert uniform.optimal_in == best.optimal_in == "all"


def test_example_iv_1() -> None:
    """The mean of two numbers in [-2,2]: at gamma = 2 equal cells are optimal, at gamma = 1.9 and 1.3 not."""
    query = LinearOnBox((HALF, HALF), Quantity("x", Continuum.of(-2, 2)))
    at = {gamma: 1 / Fraction(gamma) for gamma in ("2", "1.9", "1.3")}
    uniform = {gamma: fewest_cells(query, error).smallest_share for gamma, error in at.items()}
    best = {gamma: least_leakage(query, error).smallest_share for gamma, error in at.items()}
    assert uniform == {"2": Fraction(1, 8), "1.9": Fraction(1, 8), "1.3": Fraction(2, 9)}
    assert best == {"2": Fraction(1, 8), "1.9": Fraction(50, 361), "1.3": Fraction(50, 169)}
    cells = least_leakage(query, at["1.3"])
    assert [cells.quantizer.edge(k) for k in range(4)] == [-2, Fraction(-6, 13), Fraction(6, 13), 2]


@given(linear_volumes(), CELLS, st.lists(st.fractions(0, 1, max_denominator=40), max_size=9))
def test_no_cells_do_better(volume: LinearVolume, cells: Fraction, places: list[Fraction]) -> None:
    """Whatever the edges, if cells are at most 2e wide the smallest share is at most the bound."""
    span, width = volume.span, 2 * error_for(volume, cells)
    edges = [span.low]
    for place in sorted(places):
        edges.append(max(edges[-1], min(edges[-1] + width, span.low + span.width * place)))
    while edges[-1] < span.high:
        edges.append(min(edges[-1] + width, span.high))
    assert min(share.lower for share in volume.shares(edges)) <= largest_share(volume, width / 2)


@st.composite
def dataset_counts(draw: st.DrawFn) -> DatasetCounts:
    """A few answers on a lattice, and how many datasets lead to each."""
    counts = {draw(st.integers(0, 6)): draw(st.integers(1, 2)) for _ in range(draw(st.integers(1, 5)))}
    ordered = dict(sorted(counts.items()))
    return DatasetCounts(Lattice(Fraction(0), Fraction(1), 6), tuple(ordered), tuple(ordered.values()))


@given(dataset_counts(), st.integers(0, 6))
def test_runs_of_datasets_are_optimal(counts: DatasetCounts, width: int) -> None:
    """Of all partitions of datasets into sets at most 2e wide in their answers, sorted runs are optimal."""
    points = [p for p, times in zip(counts.positions, counts.counts, strict=True) for _ in range(times)]
    assume(len(points) <= 7)
    best = max(
        min(map(len, blocks))
        for blocks in _partitions(points)
        if all(max(block) - min(block) <= width for block in blocks)
    )
    assert counts.largest_smallest(Fraction(width, 2)) == best


@given(dataset_counts(), st.integers(0, 6))
def test_contiguous_cells_on_a_lattice(counts: DatasetCounts, width: int) -> None:
    """The exact optimum over contiguous cells, with the fewest cells; never above the bound for all."""
    error, size = Fraction(width, 2), len(counts.positions)
    tries = [
        (min(_held(counts, cuts)), -len(cuts))
        for chosen in range(size)
        for cuts in combinations(range(1, size), chosen)
        if all(counts.positions[b - 1] - counts.positions[a] <= width for a, b in pairwise((0, *cuts, size)))
    ]
    share, cells = max(tries)
    found = least_leakage(counts, error)
    assert (found.smallest_share, found.cells) == (Fraction(share, counts.total), 1 - cells)
    assert found.smallest_share <= found.bound
    assert found.worst_error <= error
    assert fewest_cells(counts, error).cells == found.least_cells == 1 + min(-cuts for _, cuts in tries)


def test_contiguous_cells_need_not_be_optimal_on_lattices() -> None:
    """Counts 3, 3, 1, 1 at 0, 1, 2, 3 and 2e = 2: {0, 2}, {1, 3} leave 4, contiguous cells at most 3."""
    counts = DatasetCounts(Lattice(Fraction(0), Fraction(1), 3), (0, 1, 2, 3), (3, 3, 1, 1))
    found = least_leakage(counts, Fraction(1))
    assert found.smallest_share == Fraction(3, 8)
    assert found.bound == Fraction(4, 8) == Fraction(3 + 1, 8)
    assert found.optimal_in == "contiguous"


def test_equal_runs_of_points_need_not_be_fewest() -> None:
    """Values 0, 3, 4, 7, 8 and e = 1/2: 5 runs of two points are in use, 3 that begin at answers suffice."""
    asked = total(1, Attribute("x", (0, 3, 4, 7, 8)))
    used = {Stepped(asked.span, 2).cell_at(position) for position in asked.attainable}
    assert (len(used), fewest_cells(asked, HALF).cells, coarsest(asked, HALF).quantizer.cells) == (5, 3, 3)


def _held(counts: DatasetCounts, cuts: tuple[int, ...]) -> list[int]:
    return [counts.before[b] - counts.before[a] for a, b in pairwise((0, *cuts, len(counts.positions)))]


def _partitions(items: list[int]) -> list[list[list[int]]]:
    if not items:
        return [[]]
    first, rest = items[0], items[1:]
    found = []
    for blocks in _partitions(rest):
        found.append([[first], *blocks])
        found += [[*blocks[:k], [first, *block], *blocks[k + 1 :]] for k, block in enumerate(blocks)]
    return found


@given(linear_volumes(2, 3), st.fractions(0, 1, max_denominator=16))
def test_a_formula_s_bounds_hold_the_push_forward(volume: LinearVolume, share: Fraction) -> None:
    """The certified bounds of a formula hold the exact share of the same linear query."""
    names = [f"x{k}" for k in range(volume.dimension)]
    text = " + ".join(
        f"({w.numerator}) / {w.denominator} * {n}" for w, n in zip(volume.normal, names, strict=True)
    )
    found = FunctionVolume.of_formula(text, dict(zip(names, volume.sides, strict=True)), boxes=2**8)
    level = volume.span.low + volume.span.width * share
    exact, bounds = volume.below(level).lower, found.below(level)
    assert bounds.lower <= exact <= bounds.upper
    assert bounds.upper - bounds.lower < Fraction(1, 2**20)
    assert found.span.low <= volume.span.low <= volume.span.high <= found.span.high


BOWL = FunctionVolume.of_formula("x1**2 + 2*x2**2", {"x1": (-2, 2), "x2": (-2, 2)}, boxes=2**12)


@given(st.fractions(0, 4, max_denominator=32))
def test_ellipses(level: Fraction) -> None:
    """The share of [-2,2]^2 with x1^2 + 2 x2^2 <= t is pi t / (16 sqrt 2) for t <= 4."""
    area = arb.pi() * ball(level) / (16 * arb(2).sqrt())
    low, high = ends(area)
    found = BOWL.below(level)
    assert found.lower <= high
    assert low <= found.upper
    assert found.upper - found.lower < Fraction(1, 500)


def test_corollary_iv_1_needs_no_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    """x1^2 + 2 x2^2 has level sets in two pieces above 4, in four above 8; the fewest cells are 12 still."""
    monkeypatch.setattr(functions, "MOST_BOXES", 2**14)
    on_axis = [Fraction(k, 8) ** 2 for k in range(-16, 17)]
    assert max(on_axis) == 4  # no point with x2 = 0 lies above 4, but points on both sides of it do
    grid = RegionGrid.of(BOWL, Uniform(BOWL.span, 12), pixels=128)
    assert [grid.pieces(cell) for cell in range(12)] == [1] * 5 + [2] * 4 + [
        4
    ] * 3  # [4, 5) and [8, 9) meet at the sides
    found = fewest_cells(BOWL, HALF)
    assert found.cells == found.least_cells == 12
    assert [found.quantizer.answer(cell).value for cell in range(12)] == [k + HALF for k in range(12)]


@pytest.mark.parametrize("weights", [(1, 1), (-3, 2), (0, 1)])
@pytest.mark.parametrize("cells", [Fraction(1, 2), Fraction(1), Fraction(7, 3), Fraction(4), Fraction(9)])
def test_fewest_is_said_where_it_is_proved(
    weights: tuple[int, int], cells: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """least_cells <= ceil((ymax - ymin) / 2e) <= cells, whatever is known of the range of a function."""
    for name in ("MOST_BOXES", "MOST_CALLS"):
        monkeypatch.setattr(functions, name, 2**9)
    volume = LinearVolume.of(weights, [(-2, 2)] * 2)
    error, (a, b) = error_for(volume, cells), weights
    called = FunctionVolume.of_callable(lambda x, y: a * x + b * y, [(-2, 2)] * 2, abs(a) + b, boxes=2**8)
    written = FunctionVolume.of_formula(f"{a}*x + {b}*y", {"x": (-2, 2), "y": (-2, 2)}, boxes=2**8)
    for function in (called, written):
        found = fewest_cells(function, error)
        assert found.least_cells <= math.ceil(cells) <= found.cells
        assert ("the fewest possible" in repr(found)) == (found.cells == found.least_cells)


def test_the_fewest_cells_of_a_callable_are_not_known() -> None:
    """Example IV.1 of [P4] as a callable: 4 cells do, 5 are found, and 5 are not called the fewest."""
    mean = FunctionVolume.of_callable(lambda x, y: (x + y) / 2, [(-2, 2)] * 2, lipschitz=Fraction(71, 100))
    found = fewest_cells(mean, HALF)
    assert repr(found).startswith("5 cells (no policy has fewer than 4)")
    assert fewest_cells(LinearVolume.of((HALF, HALF), [(-2, 2)] * 2), HALF).cells == 4


def test_the_coarsest_cells_of_many_datasets_are_not_the_fewest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where datasets are too many to list, answers that no dataset has are covered too."""
    asked = Variance(2, Attribute("x", range(21)))
    few = coarsest(asked, 1).quantizer.cells
    monkeypatch.setattr("noiseless.questions.statistics._MOST", 0)
    many = coarsest(Variance(2, Attribute("x", range(21))), 1)
    assert few < many.quantizer.cells
    assert many.worst_error <= 1


def test_on_the_line_equal_cells_need_not_leak_least(monkeypatch: pytest.MonkeyPatch) -> None:
    """[P4] has Theorems IV.2 and IV.3 equal for X on the line: for x^2 on [0, 2], e = 3/5, by I* alone."""
    monkeypatch.setattr(functions, "MOST_BOXES", 2**14)
    square, error = FunctionVolume.of_formula("x**2", {"x": (0, 2)}), Fraction(3, 5)
    equal, best = fewest_cells(square, error), least_leakage(square, error)
    assert equal.cells == best.cells == equal.least_cells == 4
    assert float(equal.leakage) == pytest.approx(math.log(2 / (2 - math.sqrt(3))))  # 2.0101
    assert float(best.leakage) == pytest.approx(math.log(2 / (2 - math.sqrt(2.8))), abs=1e-3)  # 1.8119
    assert best.leakage.upper < equal.leakage.lower


def test_cells_of_the_bowl(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal cells of x1^2 + 2 x2^2 leak least at gamma = 2, and more than others at gamma = 10/13."""
    monkeypatch.setattr(functions, "MOST_BOXES", 2**14)
    assert fewest_cells(BOWL, HALF).gap.upper < 1e-2
    error = Fraction(13, 10)
    equal, best = fewest_cells(BOWL, error), least_leakage(BOWL, error)
    assert best.worst_error <= error
    assert best.smallest_share > max(share.upper for share in equal.shares[-1:])
    assert best.gap.upper < 1e-2
    assert best.smallest_share <= best.bound


@given(linear_volumes(2, 3), st.integers(1, 5))
def test_dmin_and_dmax_of_linear_cells(volume: LinearVolume, cells: int) -> None:
    """The adversary's errors are the Chebyshev radii of the cells, and never below the bound by volume."""
    quantizer = Uniform(volume.span, cells)
    found = adversary_error(volume, quantizer)
    slabs = [
        Polytope.slab(Box.of(*volume.sides), volume.normal, *quantizer.answer(cell)) for cell in range(cells)
    ]
    assert found.exact
    assert found.errors == tuple(slab.radius for slab in slabs)
    assert found.smallest == min(found.errors) <= found.largest


@given(st.integers(2, 12), st.integers(0, 20))
def test_example_iv_2(people: int, more: int) -> None:
    """dmin = (R/q) sqrt(n (n-1)) for 2 <= n <= q: it does depend on n, where [P4] has 150 sqrt(2) / q."""
    cells = people + more
    heights = LinearVolume.of([Fraction(1, people)] * people, [(100, 250)] * people)
    found = adversary_error(heights, Uniform(heights.span, cells))
    assert found.smallest == Distance(Fraction(150, cells) ** 2 * people * (people - 1))
    assert (found.smallest, found.largest) == mean_errors(people, cells, 150)
    printed = Distance(Fraction(150, cells) ** 2 * 2)
    assert (found.smallest == printed) == (people == 2)


def test_example_iv_2_needs_a_small_gamma() -> None:
    """For 10 cm and n = 2 gamma must be at most 21/75; the printed "larger than 22/75" grants less."""
    heights = LinearVolume.of([HALF, HALF], [(100, 250)] * 2)

    def granted(gamma: Fraction) -> Distance:
        policy = fewest_cells(heights, 1 / gamma)
        return adversary_error(heights, policy.quantizer).smallest

    assert granted(Fraction(21, 75)) >= 10
    assert granted(Fraction(22, 75)) < 10
    assert all(granted(Fraction(cells, 75)) < 10 for cells in (22, 23, 40))


@given(st.integers(2, 4), st.lists(st.fractions(0, 1, max_denominator=9), max_size=3))
def test_errors_of_means_with_unequal_cells(people: int, places: list[Fraction]) -> None:
    """For sums and means the centre of a cell is on the diagonal: any edges, any number of people."""
    volume = LinearVolume.of([Fraction(-1)] * people, [(0, 3)] * people)
    quantizer = Edged.of(volume.span, [volume.span.low + volume.span.width * place for place in places])
    slabs = [
        Polytope.slab(Box.of(*volume.sides), volume.normal, *quantizer.answer(cell))
        for cell in range(quantizer.cells)
    ]
    assert adversary_error(volume, quantizer).errors == tuple(slab.radius for slab in slabs)
