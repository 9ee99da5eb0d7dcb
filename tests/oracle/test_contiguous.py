"""The contiguous optimum, its frontier and its bounds against all partitions of small lines."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from noiseless.arrays import IntArray
from noiseless.exact import Bits
from noiseless.ranges import JointRange, count_blocks
from noiseless.search import problem as merging
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Numbers
from noiseless.search.contiguous import sweep as climb
from noiseless.search.contiguous.blocks import fewest_blocks
from noiseless.search.contiguous.line import OrderedRange, least_cell_size
from noiseless.search.contiguous.sweep import Sweep, steps
from noiseless.search.loss import Length, Utility
from noiseless.search.measures import Measures, measure
from noiseless.search.optimum import ContiguousOptimum, deal_cells
from noiseless.search.problem import Problem
from noiseless.search.strips import LineStrip, Room

Cells = list[list[int]]


def optimum(joint: JointRange, utility: Utility = "distortion", **limits: Any) -> ContiguousOptimum:  # noqa: ANN401
    places = list(joint.y_labels or ())
    return ContiguousOptimum(Problem(joint, ColumnCodebook(Numbers(places))), utility, **limits)


def measured(best: ContiguousOptimum, labels: IntArray | None) -> Measures:
    assert labels is not None
    return measure(best.problem, merging.Cells.from_labels(labels))


def line_of(joint: JointRange) -> OrderedRange:
    return OrderedRange.of(joint, np.array(joint.y_labels))


class Line(NamedTuple):
    places: list[int]
    sets: list[set[int]]

    def joint(self, shuffled: Random | None = None) -> JointRange:
        """The range, its public values coded in another order than theirs on the line."""
        pairs = [(s, place) for place, held in zip(self.places, self.sets, strict=True) for s in sorted(held)]
        if shuffled:
            shuffled.shuffle(pairs)
        return JointRange.from_pairs(pairs)

    def posterior(self, cells: Cells) -> int:
        return min(len(set().union(*(self.sets[i] for i in cell))) for cell in cells)

    def width(self, cells: Cells) -> int:
        return max(self.places[max(cell)] - self.places[min(cell)] for cell in cells)

    def least(self, ways: list[Cells], loss: Callable[[Cells], int]) -> dict[int, int]:
        """The least loss for each posterior."""
        found: dict[int, int] = {}
        for cells in ways:
            for k in range(1, self.posterior(cells) + 1):
                found[k] = min(found.get(k, 10**9), loss(cells))
        return found


def contiguous(size: int) -> list[Cells]:
    cuts = (chosen for count in range(size) for chosen in combinations(range(1, size), count))
    return [
        [list(range(a, b)) for a, b in zip((0, *chosen), (*chosen, size), strict=True)] for chosen in cuts
    ]


def partitions(size: int) -> Iterator[Cells]:
    if not size:
        yield []
        return
    for smaller in partitions(size - 1):
        for number in range(len(smaller)):
            yield [[*cell, size - 1] if i == number else cell for i, cell in enumerate(smaller)]
        yield [*smaller, [size - 1]]


CONTIGUOUS = {size: contiguous(size) for size in range(1, 10)}
ALL = {size: list(partitions(size)) for size in range(1, 8)}


def lines(seed: int, count: int, sizes: tuple[int, int], most: int = 5) -> Iterator[Line]:
    """Random lines: sensitive values at random, several for an x, or constant on long stretches."""
    random = Random(seed)
    for _ in range(count):
        size = random.randint(*sizes)
        places = sorted(random.sample(range(random.choice((size, 2 * size, 5 * size))), size))
        values = random.randint(1, most)
        sets: list[set[int]] = []
        several = random.choice((1, 1, 3))
        while len(sets) < size:
            held = {random.randrange(values) for _ in range(random.randint(1, several))}
            sets += [held] * random.choice((1, 1, random.randint(1, 4)))
        yield Line(places, sets[:size])


def undominated(least: dict[int, int]) -> list[tuple[int, int]]:
    return [(k, loss) for k, loss in least.items() if least.get(k + 1, 10**9) > loss]


@pytest.mark.parametrize(("count", "sizes"), [(2000, (1, 6)), (50, (9, 9))])
def test_the_frontier_is_that_of_all_contiguous_cells(count: int, sizes: tuple[int, int]) -> None:
    random = Random(0)
    for line in lines(1, count, sizes):
        joint, ways = line.joint(random), CONTIGUOUS[len(line.places)]
        wide = undominated(line.least(ways, line.width))
        assert optimum(joint).frontier == [(k, Length(Fraction(width, 2))) for k, width in wide]
        many = undominated(line.least(ways, lambda cells: max(map(len, cells))))
        assert optimum(joint, "resolution").frontier == [(k, Bits(size)) for k, size in many]


def begins(line: Line, joint: JointRange, labels: IntArray | None) -> list[int]:
    """Where the cells begin, in the order of the line."""
    assert labels is not None
    cell = dict(zip(joint.y_labels or (), labels.tolist(), strict=True))
    along = [cell[place] for place in line.places]
    return [i for i in range(len(along)) if not i or along[i] != along[i - 1]]


def test_releases_are_undominated_and_have_the_most_cells() -> None:
    random = Random(2)
    for line in lines(2, 300, (1, 7)):
        joint, ways = line.joint(random), CONTIGUOUS[len(line.places)]
        best = optimum(joint)
        least = line.least(ways, line.width)
        for k, width in least.items():
            most = max(other for other in least if least[other] <= width)
            labels = best.for_posterior(k)
            found = measured(best, labels)
            assert (found.min_posterior, found.distortion) == (most, Length(Fraction(width, 2)))
            finest = max(
                (len(cells), [cell[0] for cell in cells][::-1])
                for cells in ways
                if line.posterior(cells) >= most and line.width(cells) <= width
            )
            assert begins(line, joint, labels) == finest[1][::-1]
            again = optimum(joint, distortion=Length(Fraction(width, 2))).for_loss()
            assert begins(line, joint, again) == begins(line, joint, labels)


def test_the_largest_posterior_for_any_bound() -> None:
    for line in lines(3, 200, (1, 6)):
        joint, ways = line.joint(), CONTIGUOUS[len(line.places)]
        for width in range(line.places[-1] - line.places[0] + 2):
            most = max(line.posterior(cells) for cells in ways if line.width(cells) <= width)
            best = optimum(joint, distortion=Length(Fraction(width, 2)))
            assert measured(best, best.for_loss()).min_posterior == most
        for size in range(1, len(line.places) + 1):
            most = max(line.posterior(cells) for cells in ways if max(map(len, cells)) <= size)
            best = optimum(joint, "resolution", values=size)
            assert measured(best, best.for_loss()).min_posterior == most


def test_no_partition_at_all_is_below_the_stated_bound() -> None:
    """For every posterior asked for, whether it is one of the frontier or the cells leave more than that."""
    proved = equal = more = 0
    for line in lines(4, 150, (3, 7)):
        joint, ways = line.joint(), ALL[len(line.places)]
        wide, many = line.least(ways, line.width), line.least(ways, lambda cells: max(map(len, cells)))
        by_width, by_size = optimum(joint), optimum(joint, "resolution")
        for k in range(1, joint.size_x + 1):
            best, found = Length(Fraction(wide[k], 2)), measured(by_width, by_width.for_posterior(k))
            bound, distortion = by_width.least_of_any(k), found.distortion
            assert isinstance(bound, Length)
            assert distortion is not None
            assert bound <= best <= distortion <= Length(2 * bound.value)
            proved, equal = proved + (distortion == bound), equal + (distortion == best)
            more += found.min_posterior > k
            size = measured(by_size, by_size.for_posterior(k)).largest_cell
            least = by_size.least_of_any(k)
            assert isinstance(least, Bits)
            assert least.ratio <= many[k] <= size
        assert by_width.least_of_any(joint.size_x + 1) is None
    assert proved > 0.9 * equal  # else the bound would be of little use
    assert more > 20


def test_the_claim_is_about_the_posterior_that_was_asked_for() -> None:
    """One cell leaves 3 and is the best that does; where 2 were asked for, {0, 2} and {1, 3} are better."""
    best = optimum(Line([0, 1, 2, 3], [{2}, {1}, {0}, {0}]).joint())
    found = measured(best, best.for_posterior(2))
    assert (found.min_posterior, found.distortion) == (3, Length(Fraction(3, 2)))
    assert (best.least_of_any(2), best.least_of_any(3)) == (Length(1), Length(Fraction(3, 2)))


def test_refuted_widths_have_no_partition_at_all() -> None:
    refuted = 0
    for line in lines(5, 150, (2, 7)):
        ordered = line_of(line.joint())
        least = line.least(ALL[len(line.places)], line.width)
        for k, width in least.items():
            for tried in range(ordered.span + 1):
                if Sweep(ordered).is_refuted(k, tried):
                    refuted += 1
                    assert tried * ordered.unit < width
    assert refuted > 100


def test_dealing_is_optimal_where_every_value_has_one_sensitive_value() -> None:
    random = Random(6)
    for _ in range(120):
        size = random.randint(1, 7)
        line = Line(list(range(size)), [{random.randrange(4)} for _ in range(size)])
        joint = line.joint()
        for k, best in line.least(ALL[size], lambda cells: max(map(len, cells))).items():
            cells = deal_cells(optimum(joint, "resolution").problem, optimum(joint, "resolution").strips, k)
            assert cells is not None
            assert least_cell_size(joint, k) == best == np.bincount(cells).max()
            assert joint.merged(cells).posterior_sizes.min() >= k


def test_fewest_blocks_against_all_partitions() -> None:
    random, solved = Random(7), 0
    for line in lines(7, 200, (2, 7), most=7):
        joint, width = line.joint(), random.randint(0, 8)
        best = min(
            count_blocks(joint.merged(_labels(cells)))
            for cells in ALL[len(line.places)]
            if line.width(cells) <= width
        )
        ordered = line_of(joint)
        units = min(int(width / ordered.unit), ordered.span)
        quick, exact = fewest_blocks(ordered, units, nodes=0), fewest_blocks(ordered, units)
        assert quick.lower <= best <= quick.blocks
        assert exact.lower == best == exact.blocks
        for found in (quick, exact):
            assert found.blocks == count_blocks(joint.merged(found.cells))
            members = [np.flatnonzero(found.cells == cell).tolist() for cell in set(found.cells.tolist())]
            assert line.width(members) <= width
        solved += exact.proof == "solver"
    assert solved  # some need the program


def _labels(cells: Cells) -> list[int]:
    found = {i: number for number, cell in enumerate(cells) for i in cell}
    return [found[i] for i in range(len(found))]


@pytest.mark.parametrize("patience", [1, 10, 1000])
@pytest.mark.parametrize("utility", ["distortion", "resolution"])
def test_climbing_agrees_with_a_sweep_for_each_posterior(
    patience: int, utility: Utility, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(climb, "PATIENCE", patience)
    for line in lines(8, 60, (10, 40), most=30):
        sweep = Sweep(line_of(line.joint()), utility)
        found = list(steps(sweep))
        for step in found[1:]:
            windows = sweep.windows(step.posterior)
            assert (step.width, step.cover) == (windows.least_width(), windows.cover_width())
        for k in range(1, sweep.line.joint.size_x + 1):
            width = next(step.width for step in found if step.posterior >= k)
            assert sweep.windows(k).is_possible(width)
            assert width == 0 or not sweep.windows(k).is_possible(width - 1)


@pytest.mark.parametrize("several", [1, 3])
def test_compiled_loops_agree_with_plain_ones(several: int) -> None:
    rng = np.random.default_rng(several)
    size = 1500
    x = np.sort(rng.choice(10**9, size, replace=False))
    pairs = [(int(s), int(place)) for place in x for s in rng.integers(0, 140, rng.integers(1, several + 1))]
    line = line_of(JointRange.from_pairs(pairs))
    fast, plain = Sweep(line), Sweep(line)
    plain.__dict__["fast"] = False
    assert fast.fast
    assert list(steps(fast)) == list(steps(plain))
    for k in (2, 40, 120):
        width = fast.windows(k).least_width()
        cells = [
            LineStrip(one, line.order, 0, Fraction(1)).cut(k, Room(width, size)) for one in (fast, plain)
        ]
        assert np.array_equal(*cells)  # type: ignore[arg-type]
        for tried in (width // 2, width - 1):
            assert fast.is_refuted(k, tried) == plain.is_refuted(k, tried)
