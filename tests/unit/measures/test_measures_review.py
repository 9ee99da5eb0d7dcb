"""Hypothesis tests, indistinguishability, continuous ranges: against their own oracles, beyond floats too."""

import itertools
import math
import random
from decimal import Decimal
from fractions import Fraction

import pytest

from noiseless import measures as continuous
from noiseless.errors import NoiselessError
from noiseless.theory.continuous.boxes import Box, BoxSet
from noiseless.theory.continuous.intervals import Interval, IntervalSet
from noiseless.theory.continuous.joint import ContinuousRange
from noiseless.theory.continuous.pieces import as_boxes
from noiseless.theory.continuous.taxicab import count_taxicab_blocks
from noiseless.theory.distortion import max_distortion, min_distortion
from noiseless.theory.hypothesis import Privacy
from noiseless.theory.hypothesis.privacy import quotient
from noiseless.theory.indistinguishability import linear_indistinguishability
from noiseless.theory.linear_query import LinearQuery
from noiseless.theory.polytopes import Distance

_HUGE = 10**400
_LAST = 9
"""Cells 1, 3, ..., 9 are the numbers 0..4, the even ones between are open intervals."""


def _place(cell: int) -> Fraction:
    return Fraction(cell - 1, 2)


def _cell(cell: int) -> Interval:
    return Interval.point(_place(cell)) if cell % 2 else Interval.of(_place(cell - 1), _place(cell + 1), "()")


def _set(cells: set[int]) -> IntervalSet:
    return IntervalSet.union(map(_cell, cells))


def _length(cells: set[int]) -> int:
    return sum(cell % 2 == 0 for cell in cells)


def _some(rng: random.Random) -> set[int]:
    starts = [rng.randint(1, _LAST) for _ in range(rng.randint(1, 2))]
    return {cell for a in starts for cell in range(a, min(a + rng.choice([0, 0, 1, 2, 4]), _LAST) + 1)}


def _drawn(rng: random.Random) -> tuple[ContinuousRange, set[tuple[int, int]], set[tuple[int, int]]]:
    """A joint range, its pairs of cells that are products, and those that lines cross as diagonals."""
    products = [(_some(rng), _some(rng)) for _ in range(rng.randint(0, 3))]
    lines = []
    for _ in range(rng.randint(0 if products else 1, 2)):
        slope, offset = rng.choice([(1, rng.randint(-2, 2)), (-1, rng.randint(2, 6))])
        domain = {c for c in _some(rng) if 0 <= slope * _place(c) + offset <= 4}
        lines += [(domain, slope, offset)] if domain else []
    pairs = {pair for xs, ys in products for pair in itertools.product(xs, ys)}
    crossed = {(c, int(2 * (slope * _place(c) + offset)) + 1) for d, slope, offset in lines for c in d}
    pairs |= {pair for pair in crossed if pair[0] % 2}
    if not products and not lines:
        return _drawn(rng)
    joint = ContinuousRange.of(
        [(_set(xs), _set(ys)) for xs, ys in products],
        [(_set(d), slope, offset) for d, slope, offset in lines],
    )
    return joint, pairs, crossed - pairs


@pytest.mark.parametrize("seed", range(60))
def test_measures_of_continuous_ranges_on_a_grid_of_points_and_open_intervals(seed: int) -> None:
    joint, pairs, diagonals = _drawn(random.Random(seed))
    xs, ys = ({pair[side] for pair in pairs | diagonals} for side in (0, 1))
    behind = {y: {x for x, other in pairs if other == y} for y in ys}
    size = len if all(x % 2 for x in xs) else _length
    isolated = {y for y in ys if not {y - 1, y + 1} & ys}
    assert (joint.range_x, joint.range_y) == (_set(xs), _set(ys))
    assert continuous.entropy(joint).ratio == size(xs)
    assert continuous.disarray(joint).ratio == min(map(size, behind.values()))
    open_part = [y for y in ys if y % 2 == 0 or y in isolated]
    assert continuous.conditional_entropy(joint).ratio == max(size(behind[y]) for y in open_part)
    label: dict[tuple[str, int], tuple[str, int]] = {}

    def find(node: tuple[str, int]) -> tuple[str, int]:
        while label.setdefault(node, node) != node:
            node = label[node]
        return node

    for x, y in pairs | diagonals:
        label[find(("x", x))] = find(("y", y))
    held = {find(("x", x)) for x, _ in pairs}
    loose = {find(("x", x)) for x, _ in diagonals} - held
    assert count_taxicab_blocks(joint) == (math.inf if loose else len(held))
    for y in ys:
        radius = _radius(as_boxes(joint.posterior(_place(y))).as_intervals())
        assert min_distortion(joint) <= radius
        assert y not in open_part or max_distortion(joint) >= radius


def _radius(values: IntervalSet) -> Fraction:
    low, high = Fraction(values.hull.low), Fraction(values.hull.high)
    middle = (low + high) / 2
    tried = (Fraction(min(max(middle, i.low), i.high)) for i in values)
    return min(max(c - low, high - c) for c in tried)


@pytest.mark.parametrize("seed", range(40))
def test_linear_queries_by_trying_every_place_where_a_run_of_cells_changes(seed: int) -> None:
    rng = random.Random(seed)
    size, cells = rng.randint(1, 4), rng.randint(1, 9)
    bounds = [(a, a + Fraction(rng.randint(1, 4), rng.randint(1, 2))) for a in (rng.randint(-3, 3),) * size]
    query = LinearQuery.of([Fraction(rng.randint(1, 4), rng.randint(1, 3)) for _ in range(size)], bounds)
    width, most, apart = query.span / cells, 0, False
    for span in query.spans:
        rest = query.span - span
        edges = {k * width - shift for k in range(cells + 1) for shift in (0, rest)} | {Fraction(0), span}
        places = sorted(edge for edge in edges if 0 <= edge <= span)
        places += [(a + b) / 2 for a, b in itertools.pairwise(places)]
        runs = [
            set(range(min(cells - 1, t // width), min(cells - 1, (t + rest) // width) + 1)) for t in places
        ]
        most = max(most, *(len(a ^ b) for a, b in itertools.product(runs, runs)))
        apart |= any(not a & b for a, b in itertools.product(runs, runs))
    found = linear_indistinguishability(query, cells)
    assert (found.size, found.separated) == (most, apart)


def test_sets_may_end_beyond_floats() -> None:
    """A rational that no float holds beside an infinite end, which is one."""
    ray = IntervalSet.of((_HUGE, "inf"))
    assert ray.measure == math.inf
    assert ray.affine(1, _HUGE) == IntervalSet.of((2 * _HUGE, "inf"))
    assert ray.affine(-_HUGE, 0) == IntervalSet.of(("-inf", -(_HUGE**2)))
    assert ray.plus(ray) == IntervalSet.of((2 * _HUGE, "inf"))
    assert IntervalSet.of((0, _HUGE)).measure == _HUGE
    assert BoxSet.of(Box.of((0, _HUGE), (0, 2))).measure == 2 * _HUGE
    assert BoxSet.of(Box.of((0, "inf"), (0, _HUGE))).measure == math.inf
    assert BoxSet.of(Box.of((0, "inf"), (0, 0))).measure == 0
    line = ContinuousRange.from_function([((_HUGE, "inf"), 2, _HUGE)])
    assert line.posterior(3 * _HUGE) == IntervalSet.of_points([_HUGE])
    with pytest.raises(KeyError):
        line.posterior(math.inf)
    assert max_distortion(line) == 0


def test_distances_and_sizes_beyond_floats() -> None:
    assert Distance(_HUGE**2).exact == _HUGE
    assert Distance(_HUGE).lower == 1e200
    assert quotient(_HUGE, 2) == _HUGE // 2
    assert Privacy("Y", _HUGE, 1, counted=True).nats == pytest.approx(400 * math.log(10))
    for wrong in (Decimal("NaN"), math.nan, -1):
        with pytest.raises(ValueError, match="root"):
            Distance(wrong)


def test_priv_in_nats_keeps_its_digits() -> None:
    tiny = Privacy("X", 10**30 + 1, 10**30, counted=True)
    assert Fraction(tiny.nats) <= Fraction(1, 10**30) < Fraction(tiny.nats) * (1 + Fraction(1, 2**50))
    assert str(tiny) == "0.0000 bits (reference [[X]])"
    assert str(Privacy("X", 10**90 + 1, 10**90, counted=False)) == "0.0000 nats (reference [[X]])"
    assert Privacy("X", 7, 7, counted=True).nats == 0
    assert Privacy("X", 7, 0, counted=True).nats == math.inf
    assert Privacy("X", 0, 7, counted=True).nats == -math.inf
    assert Privacy("X", 1, 2, counted=True).nats == pytest.approx(-math.log(2))
    with pytest.raises(NoiselessError):
        Privacy("X", 0, 0, counted=True)
