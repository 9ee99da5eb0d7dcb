"""Choosing against exhaustive search over all partitions, and over which of their cells is suppressed."""

# ruff: noqa: ANN401 - values of several kinds are compared

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np
import pytest

from cell_costs import cost_by_definition
from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.ranges import JointRange
from noiseless.search.loss import Codeword, Lagrangian, Objective, Utility, below
from noiseless.search.merging import Categories, ColumnCodebook, Hierarchy, Length, Numbers, SideInformation
from noiseless.search.portfolio import Choice, Goal, Problem, choose, survey
from soaking import seeds

TREE = {leaf: (f"pair {leaf // 2}", "any") for leaf in range(6)}
Partition = tuple[tuple[int, ...], ...]


def partitions(values: list[int]) -> Iterator[list[list[int]]]:
    """All ways of putting values into cells."""
    if not values:
        yield []
        return
    first, rest = values[0], values[1:]
    for smaller in partitions(rest):
        yield [[first], *smaller]
        for place, cell in enumerate(smaller):
            yield [*smaller[:place], [first, *cell], *smaller[place + 1 :]]


@dataclass(frozen=True)
class Point:
    """A partition and its measures, by definition."""

    cells: list[list[int]]
    hidden: list[int]
    leak: Fraction
    blocks: int
    posterior: int
    alike: int
    kept: int
    largest: int
    distortion: Length | None
    rows: int
    size: int
    contiguous: bool

    @property
    def resolution(self) -> Fraction:
        return Fraction(self.kept, self.largest)

    def loss(self, utility: str) -> Any:
        if utility == "distortion":
            return self.distortion
        return Bits(Fraction(self.size) / self.resolution)


class Shown(Problem):
    """What is seen besides is released too, and no prior knowledge: it tells of S as the cells do."""

    @cached_property
    def prior(self) -> IntArray:
        return np.full(int(self.seen.max()) + 1, self.joint.size_x)


@dataclass(frozen=True, eq=False)
class World:
    """Triples (s, x, a), with all that is known of the x."""

    triples: frozenset[tuple[int, int, int]]
    size: int
    book: ColumnCodebook | None
    rows: list[int]  # of each pair (x, a) of an x
    groups: list[int]
    line: list[int] | None
    sided: bool
    shown: bool = False

    @cached_property
    def problem(self) -> Problem:
        s: dict[int, int] = {}
        y: dict[tuple[int, int], int] = {}
        pairs = [
            (s.setdefault(t[0], len(s)), y.setdefault((t[1], t[2]), len(y)))
            for t in sorted(self.triples, key=lambda t: (t[1], t[2], t[0]))
        ]
        joint = JointRange.from_codes(*zip(*pairs, strict=True))
        known = {a: i for i, a in enumerate(dict.fromkeys(a for _, a in y))}
        side = SideInformation([x for x, _ in y], [known[a] for _, a in y]) if self.sided else None
        groups = np.array(self.groups) if len(set(self.groups)) > 1 else None
        kind = Shown if self.shown else Problem
        return kind(joint, self.book, side, np.array([self.rows[x] for x, _ in y]), groups)

    @cached_property
    def weights(self) -> Counter[int]:
        """How many rows each x has."""
        return sum((Counter({x: self.rows[x]}) for x, _ in {t[1:] for t in self.triples}), Counter())

    def points(self, *, suppress: bool) -> Iterator[Point]:
        """All partitions; one cell, which may reach over groups, can be what is suppressed."""
        for cells in partitions(list(range(self.size))):
            mixed = [cell for cell in cells if len({self.groups[x] for x in cell}) > 1]
            if not mixed:
                yield self.point(cells, [])
            for hidden in (mixed or cells) if suppress and len(mixed) < 2 and len(cells) > 1 else []:
                yield self.point(cells, hidden)

    def point(self, cells: list[list[int]], hidden: list[int]) -> Point:
        answers: dict[tuple[tuple[int, ...], int], set[int]] = {}
        pairs: dict[tuple[tuple[int, ...], int], set[int]] = {}
        prior: dict[int, set[int]] = {}
        for s, x, a in self.triples:
            cell = next(tuple(c) for c in cells if x in c)
            answers.setdefault((cell, a), set()).add(s)
            pairs.setdefault((cell, a), set()).add(x)
            prior.setdefault(0 if self.shown else a, set()).add(s)
        shown = [cell for cell in cells if cell[0] not in hidden]
        return Point(
            cells,
            hidden,
            max(Fraction(len(prior[a * (not self.shown)]), len(held)) for (_, a), held in answers.items()),
            blocks(list(answers.values())),
            min(len(held) for held in answers.values()),
            min(sum(self.rows[x] for x in held) for held in pairs.values()),
            self.size - len(hidden),
            max(len(cell) for cell in shown),
            None if self.book is None else max(self.cost(tuple(cell)) for cell in shown),
            sum(self.weights[x] for x in hidden),
            self.size,
            self._contiguous(shown, hidden),
        )

    @cached_property
    def _costs(self) -> dict[tuple[int, ...], Length]:
        return {}

    def cost(self, cell: tuple[int, ...]) -> Length:
        assert self.book is not None
        if cell not in self._costs:
            self._costs[cell] = cost_by_definition(self.book, cell)
        return self._costs[cell]

    def _contiguous(self, shown: list[list[int]], hidden: list[int]) -> bool:
        """Whether cells are runs of the values of their group that are not suppressed."""
        place = self.line or list(range(self.size))
        for group in set(self.groups):
            own = [x for x in range(self.size) if self.groups[x] == group and x not in hidden]
            order = sorted(own, key=place.__getitem__)
            rank = {x: i for i, x in enumerate(order)}
            for cell in shown:
                if self.groups[cell[0]] == group:
                    places = [rank[x] for x in cell]
                    if max(places) - min(places) + 1 != len(places):
                        return False
        return True


def blocks(sets: list[set[int]]) -> int:
    left = [set(held) for held in sets]
    found = 0
    while left:
        grown = left.pop()
        while True:
            near = [held for held in left if held & grown]
            if not near:
                break
            for held in near:
                grown |= held
                left.remove(held)
        found += 1
    return found


def allowed(point: Point, wish: Goal, world: World, least: int) -> bool:
    return (
        point.rows <= wish.suppress * world.weights.total()
        and (wish.min_rows is None or point.alike >= wish.min_rows)
        and (wish.min_posterior is None or point.posterior >= wish.min_posterior)
        and (wish.objective != "both" or point.blocks == least)
        and (wish.max_leakage is None or at_most(point.leak, wish.max_leakage))
        and (wish.max_maximin is None or at_most(Fraction(point.blocks), wish.max_maximin))
        and (wish.max_distortion is None or (point.distortion or Length(0)) <= wish.max_distortion)
        and (wish.min_resolution is None or not below_limit(point.resolution, wish.min_resolution))
    )


@cache
def at_most(ratio: Fraction, limit: Any) -> bool:
    return bool(Bits(ratio) <= limit)


@cache
def below_limit(ratio: Fraction, limit: Any) -> bool:
    return bool(Bits(ratio) < limit)


def value(point: Point, wish: Goal) -> Any:
    leak = Fraction(point.blocks) if wish.objective == "maximin" else point.leak
    if wish.aim == "loss":
        return point.loss(wish.utility)
    if wish.aim == "leak":
        return Bits(leak)
    return Lagrangian(leak, point.loss(wish.utility), Fraction(wish.weight or 0))


def less(first: Any, second: Any) -> bool:
    return first.compare(second) < 0 if isinstance(first, Lagrangian) else first < second


def random_world(rng: random.Random) -> World:
    size, sensitive = rng.choice([2, 3, 4, 5, 5, 6]), rng.randint(2, 4)
    known = rng.choice([1, 1, 1, 2])
    triples = set()
    for x in range(size):
        for a in rng.sample(range(known), rng.randint(1, known)):
            for s in rng.sample(range(sensitive), min(sensitive, rng.choice([1, 1, 1, 2]))):
                triples.add((s, x, a))
    if len({s for s, _, _ in triples}) < 2:
        triples |= {(0, 0, 0), (1, 0, 0)}
    sided = len({a for _, _, a in triples}) > 1
    line, book = None, None
    kind = rng.randint(0, 5)
    if kind <= 2:
        line = rng.sample(range(rng.choice([size, 3 * size, 40])), size)
        word: Codeword = rng.choice(["midrange", "midrange", "interval", "centroid", "medoid"])
        weight = rng.choice([Fraction(1), Fraction(1), Fraction(2, 3)])
        book = ColumnCodebook(Numbers(line, weight=weight), codeword=word)
    elif kind <= 4:
        columns: list[Any] = [Numbers([rng.randint(0, 9) for _ in range(size)], span=(0, 9))]
        if rng.random() < 0.5:
            columns.append(Numbers([rng.randint(0, 5) for _ in range(size)], span=(0, 9)))
        if rng.random() < 0.5:
            columns.append(Categories([rng.randint(0, 2) for _ in range(size)]))
        if rng.random() < 0.5:
            columns.append(Hierarchy([rng.randint(0, 5) for _ in range(size)], TREE))
        book = ColumnCodebook(
            *columns,
            distance=rng.choice(["absolute", "euclidean", "squared", "max", "gower", "hamming"]),
            codeword=rng.choice(["midrange", "interval", "centroid", "medoid"]),
        )
    groups = [rng.randint(0, 1) for _ in range(size)] if rng.random() < 0.2 else [0] * size
    rows = [rng.choice([1, 1, 1, 2, 4]) for _ in range(size)]
    return World(frozenset(triples), size, book, rows, groups, line, sided, sided and rng.random() < 0.4)


def random_wish(rng: random.Random, world: World) -> Goal:
    options: dict[str, Any] = {
        "objective": rng.choice(["leakage", "leakage", "leakage", "maximin", "both"]),
        "utility": rng.choice(["resolution", "distortion"]) if world.book else "resolution",
    }
    hides = {
        "min_posterior": rng.randint(1, 4),
        "min_rows": rng.randint(1, 6),
        "max_leakage": rng.choice([0, Fraction(1, 2), 1, Bits(Fraction(4, 3)), Fraction(585, 1000)]),
        "max_maximin": rng.choice([0, 1, Bits(3)]),
    }
    keeps: dict[str, Any] = {"min_resolution": rng.choice([0, Fraction(1, 2), 1, Bits(3)])}
    if world.book:
        keeps["max_distortion"] = rng.choice([0, Fraction(1, 2), 1, 3, Length(5, root=True), 8])
    picked = rng.choice(["hide", "hide", "keep", "both", "weight"])
    if picked in ("hide", "both"):
        for name in rng.sample(sorted(hides), rng.choice([1, 1, 2])):
            options[name] = hides[name]
    if picked in ("keep", "both"):
        for name in rng.sample(sorted(keeps), rng.choice([1, 1, 2]) if len(keeps) > 1 else 1):
            options[name] = keeps[name]
    if picked == "weight":
        options["weight"] = rng.choice([0, Fraction(1, 10), Fraction(1, 2), 1, 3])
        if rng.random() < 0.3:
            options["min_posterior"] = hides["min_posterior"]
    if rng.random() < 0.3:
        options["suppress"] = rng.choice([Fraction(1, 5), Fraction(1, 3), Fraction(1, 2)])
    options["method"] = rng.choice(["auto", "auto", "greedy"])
    return Goal(**options)


def check_measures(choice: Choice, world: World) -> Point:
    """All that a choice says of its cells is so."""
    cells = [list(cell) for cell in choice.cells.members]
    hidden = np.flatnonzero(choice.suppressed).tolist()
    point = world.point(cells, hidden)
    found = choice.quality
    assert (found.leakage, found.maximin) == (Bits(point.leak), Bits(point.blocks))
    assert (found.min_posterior, found.largest_cell) == (point.posterior, point.largest)
    assert found.min_rows == point.alike
    assert (found.resolution.ratio, found.distortion) == (point.resolution, point.distortion)
    assert (found.suppressed_rows, found.suppressed_values) == (point.rows, len(hidden))
    assert found.cells == len(cells)
    return point


class Count:
    """How often something was so."""

    def __init__(self) -> None:
        self.of: dict[str, int] = {}

    def add(self, name: str) -> None:
        self.of[name] = self.of.get(name, 0) + 1


def compare(world: World, wish: Goal, points: list[Point], count: Count) -> None:
    least = min(point.blocks for point in points if not point.hidden)
    fine = [point for point in points if allowed(point, wish, world, least)]
    try:
        choice = choose(world.problem, wish)
    except RequestError as error:
        text = str(error)
        assert "\n" not in text
        if "was not found" in text:
            count.add("not found though possible" if fine else "not found, impossible")
        else:
            assert not fine, text
            count.add("impossible")
        return
    point = check_measures(choice, world)
    assert allowed(point, wish, world, least)
    mine, best = value(point, wish), min_value(fine, wish)
    assert not less(mine, best)
    if choice.optimal and choice.scope == "all":
        assert not less(best, mine), (choice, best)
        assert choice.gap == 0
        count.add("optimal, proved")
    else:
        count.add("worse than the best" if less(best, mine) else "optimal, not proved")
    if choice.gap is not None:
        check_gap(choice, mine, best)
    if choice.optimal and choice.scope == "contiguous":
        in_order = [point for point in fine if point.contiguous]
        assert not less(min_value(in_order, wish), mine)
        count.add("contiguous")


def min_value(points: list[Point], wish: Goal) -> Any:
    best = value(points[0], wish)
    for point in points[1:]:
        one = value(point, wish)
        best = one if less(one, best) else best
    return best


def check_gap(choice: Choice, mine: Any, best: Any) -> None:
    """The best of all partitions is no further away than the gap says."""
    assert choice.gap is not None
    assert choice.gap >= 0
    if choice.at_least is not None:
        assert not best < choice.at_least
    if isinstance(mine, Lagrangian):
        away = -best.above(mine)  # a float that is not above the difference
    elif isinstance(mine, Bits):
        away = (mine - best).lower
    else:
        away = float(mine) - float(best) - 1e-12
    assert away <= choice.gap


@pytest.mark.parametrize("seed", seeds(2))
def test_against_all_partitions(seed: int) -> None:
    rng = random.Random(seed)
    count = Count()
    for _ in range(25):
        world = random_world(rng)
        points = list(world.points(suppress=True))
        for _ in range(8):
            compare(world, random_wish(rng, world), points, count)
    assert count.of["optimal, proved"] > 60
    assert count.of["impossible"] > 10


def line_world(rng: random.Random) -> World:
    """A line on which sensitive values come in runs: there contiguous cells are often not the best."""
    size = rng.randint(4, 6)
    line = sorted(rng.sample(range(12), size))
    held = [*sorted(rng.choices(range(3), k=size - 2)), 0, 1]
    triples = frozenset((s, x, 0) for x, s in enumerate(held))
    word: Codeword = rng.choice(["midrange", "interval"])
    rows = [rng.choice([1, 1, 2]) for _ in range(size)]
    groups = [rng.choice([0, 0, 0, 1]) for _ in range(size)] if rng.random() < 0.3 else [0] * size
    return World(triples, size, ColumnCodebook(Numbers(line), codeword=word), rows, groups, line, sided=False)


@pytest.mark.parametrize("seed", seeds(2))
def test_exact_against_contiguous_partitions(seed: int) -> None:
    """The exact method alone: the best of contiguous cells whatever is limited, and it says so."""
    rng = random.Random(seed)
    count = Count()
    for _ in range(30):
        world = line_world(rng)
        points = list(world.points(suppress=True))
        for _ in range(6):
            wish = replace(random_wish(rng, world), objective="leakage", method="exact")
            if wish.max_maximin is not None:
                continue
            in_order = [p for p in points if p.contiguous and allowed(p, wish, world, 1)]
            compare(world, wish, points, count)
            if in_order and not wish.suppress and not _dealt(world, wish):
                choice = choose(world.problem, wish)
                assert not less(min_value(in_order, wish), value(check_measures(choice, world), wish))
                assert choice.optimal
    assert count.of["contiguous"] > 5


def _dealt(world: World, wish: Goal) -> bool:
    """Whether cells may be dealt, which beats contiguous ones without a proof where values have several s."""
    return wish.utility == "resolution" and world.book is not None


def test_surveys() -> None:
    """Every point is what it says; no partition beats one of which that is said."""
    rng = random.Random(0)
    proved = 0
    for _ in range(60):
        world = random_world(rng)
        points = list(world.points(suppress=False))
        objective: Objective = rng.choice(["leakage", "leakage", "maximin", "both"])
        utility: Utility = rng.choice(["resolution", "distortion"]) if world.book else "resolution"
        found = survey(world.problem, objective=objective, utility=utility)
        for series in found.series:
            for one in series:
                assert one.partition is not None
                cells = [list(cell) for cell in one.partition.members]
                point = world.point(cells, [])
                assert (one.leakage, one.maximin) == (Bits(point.leak), Bits(point.blocks))
                assert one.loss(utility) == point.loss(utility)
                if one.scope is not None:
                    rivals = [p for p in points if one.scope == "all" or p.contiguous]
                    assert not any(_beats(rival, point, objective, utility) for rival in rivals)
                    proved += 1
        ours = [point for series in found.series if not series.baseline for point in series]
        for one in ours:
            assert any(
                best.leak(objective) <= one.leak(objective)
                and not below(one.loss(utility), best.loss(utility))
                for best in found.undominated
            ) or (objective == "both" and one.maximin > found.undominated[0].maximin)
    assert proved > 50


def _beats(rival: Point, point: Point, objective: Objective, utility: Utility) -> bool:
    leaks = [Fraction(p.blocks) if objective == "maximin" else p.leak for p in (rival, point)]
    return leaks[0] <= leaks[1] and below(rival.loss(utility), point.loss(utility))
