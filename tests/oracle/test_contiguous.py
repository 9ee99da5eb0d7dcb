"""The contiguous optimum, its frontier and its bounds against all partitions of small lines."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import NamedTuple

import numpy as np
import pytest

from noiseless.ranges import JointRange, count_blocks
from noiseless.search.contiguous import (
    OrderedRange,
    contiguous_release,
    deal,
    fewest_blocks,
    frontier,
    least_cell_size,
)
from noiseless.search.contiguous import sweep as climb
from noiseless.search.contiguous.sweep import LossKind, Sweep, steps

Cells = list[list[int]]


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

    def centroid(self, cells: Cells) -> Fraction:
        worst = Fraction(0)
        for cell in cells:
            centre = Fraction(sum(self.places[i] for i in cell), len(cell))
            worst = max(worst, *(abs(self.places[i] - centre) for i in cell))
        return worst

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
        assert [(point.posterior, int(2 * point.loss)) for point in frontier(joint)] == wide
        many = undominated(line.least(ways, lambda cells: max(map(len, cells))))
        points = frontier(joint, loss="resolution")
        assert [(point.posterior, int(point.loss)) for point in points] == many


def test_releases_are_undominated_and_have_the_most_cells() -> None:
    random = Random(2)
    for line in lines(2, 300, (1, 7)):
        joint, ways = line.joint(random), CONTIGUOUS[len(line.places)]
        least = line.least(ways, line.width)
        for k, width in least.items():
            best = max(other for other in least if least[other] <= width)
            found = contiguous_release(joint, posterior=k)
            assert (found.posterior, int(2 * found.distortion)) == (best, width)
            most = max(
                (len(cells), [cell[0] for cell in cells][::-1])
                for cells in ways
                if line.posterior(cells) >= best and line.width(cells) <= width
            )
            assert found.begins.tolist() == most[1][::-1]
            again = contiguous_release(joint, distortion=Fraction(width, 2))
            assert again.begins.tolist() == found.begins.tolist()
            assert found.centroid_distortion == line.centroid(
                [
                    list(range(a, b))
                    for a, b in zip(found.begins, [*found.begins[1:], len(line.places)], strict=True)
                ]
            )


def test_the_largest_posterior_for_any_bound() -> None:
    for line in lines(3, 200, (1, 6)):
        joint, ways = line.joint(), CONTIGUOUS[len(line.places)]
        curve = frontier(joint)
        for width in range(line.places[-1] - line.places[0] + 2):
            best = max(line.posterior(cells) for cells in ways if line.width(cells) <= width)
            assert contiguous_release(joint, distortion=Fraction(width, 2)).posterior == best
            assert curve.best(distortion=Fraction(width, 2)).posterior == best
        for size in range(1, len(line.places) + 1):
            best = max(line.posterior(cells) for cells in ways if max(map(len, cells)) <= size)
            assert contiguous_release(joint, largest_cell=size).posterior == best


def test_no_partition_at_all_is_below_the_stated_bound() -> None:
    """For every posterior asked for, whether it is one of the frontier or the cells leave more than that."""
    proved = equal = more = 0
    for line in lines(4, 150, (3, 7)):
        joint, ways = line.joint(), ALL[len(line.places)]
        wide, many = line.least(ways, line.width), line.least(ways, lambda cells: max(map(len, cells)))
        curve, sizes = frontier(joint), frontier(joint, loss="resolution")
        for k in range(1, joint.size_x + 1):
            best, found = Fraction(wide[k], 2), contiguous_release(joint, posterior=k)
            assert found.at_least <= best <= found.distortion <= 2 * found.at_least
            assert found.gap == found.distortion - found.at_least
            assert found.optimal == (found.scope == "all")
            assert not found.optimal or found.distortion == best
            assert curve.release(posterior=k).at_least == found.at_least
            proved, equal = proved + found.optimal, equal + (found.distortion == best)
            more += found.posterior > k
            found = contiguous_release(joint, posterior=k, loss="resolution")
            assert found.at_least <= many[k] <= found.largest_cell
            assert not found.optimal or found.largest_cell == many[k]
            assert sizes.release(posterior=k).at_least == found.at_least
        for point in curve:
            found = contiguous_release(joint, distortion=point.loss)
            best = Fraction(wide[found.asked], 2)
            assert found.asked == found.posterior == point.posterior
            assert point.at_least <= found.at_least <= best <= found.distortion == point.loss
        for point in sizes:
            assert point.at_least <= many[point.posterior] <= point.loss
    assert proved > 0.9 * equal  # else the bound would be of little use
    assert more > 20


def test_the_claim_is_about_the_posterior_that_was_asked_for() -> None:
    """One cell leaves 3 and is the best that does; where 2 were asked for, {0, 2} and {1, 3} are better."""
    joint = Line([0, 1, 2, 3], [{2}, {1}, {0}, {0}]).joint()
    for found in (contiguous_release(joint, posterior=2), frontier(joint).release(posterior=2)):
        assert (found.posterior, found.asked, found.distortion) == (3, 2, Fraction(3, 2))
        assert (found.at_least, found.optimal, found.scope) == (Fraction(1), False, "contiguous")
        assert "contiguous cells that leave 2 (distortion)" in repr(found)
    assert contiguous_release(joint, posterior=3).scope == "all"


def test_refuted_widths_have_no_partition_at_all() -> None:
    refuted = 0
    for line in lines(5, 150, (2, 7)):
        ordered = OrderedRange.of(line.joint())
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
            cells = deal(joint, k)
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
        quick = fewest_blocks(joint, distortion=Fraction(width, 2), nodes=0)
        assert quick.lower <= best <= quick.blocks
        exact = fewest_blocks(joint, distortion=Fraction(width, 2))
        assert exact.lower == best == exact.blocks
        assert exact.optimal
        assert quick.distortion <= Fraction(width, 2) >= exact.distortion
        solved += exact.proof == "solver"
    assert solved  # some need the program


def _labels(cells: Cells) -> list[int]:
    found = {i: number for number, cell in enumerate(cells) for i in cell}
    return [found[i] for i in range(len(found))]


@pytest.mark.parametrize("patience", [1, 10, 1000])
@pytest.mark.parametrize("loss", ["distortion", "resolution"])
def test_climbing_agrees_with_a_sweep_for_each_posterior(
    patience: int, loss: LossKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(climb, "PATIENCE", patience)
    for line in lines(8, 60, (10, 40), most=30):
        sweep = Sweep(OrderedRange.of(line.joint()), loss)
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
    line = OrderedRange.of(JointRange.from_pairs(pairs))
    fast, plain = Sweep(line), Sweep(line)
    plain.__dict__["fast"] = False
    assert fast.fast
    assert list(steps(fast)) == list(steps(plain))
    for k in (2, 40, 120):
        width = fast.windows(k).least_width()
        assert fast.windows(k).cells(width).tolist() == plain.windows(k).cells(width).tolist()
        for tried in (width // 2, width - 1):
            assert fast.is_refuted(k, tried) == plain.is_refuted(k, tried)
