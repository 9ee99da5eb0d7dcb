"""Bounds on the mean loss against all partitions of a few public values."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from noiseless import JointRange
from noiseless.search import cell_cover
from noiseless.search.columns import Categories, Column, Hierarchy, Numbers
from noiseless.search.goal import Goal, Targets
from noiseless.search.mean_bounds import least_mean_loss
from noiseless.search.measures import Measures, measure
from noiseless.search.merging import ColumnCodebook
from noiseless.search.portfolio import choose
from noiseless.search.problem import Cells, Problem, SideInformation
from oracle.releases import partitions
from soaking import TIMES, soaking

SEEDS = range(4 * TIMES if soaking() else 4)
TREE = {"a": ("ab", "*"), "b": ("ab", "*"), "c": ("cd", "*"), "d": ("cd", "*"), "e": ("e", "*")}


@dataclass(frozen=True)
class World:
    """A problem with a few values, and what may be suppressed."""

    problem: Problem
    share: Fraction

    def partitions(self) -> Iterator[tuple[Cells, np.ndarray]]:
        """All partitions, with every set of values that may be suppressed."""
        problem = self.problem
        for sets in range(2**problem.size - 1):
            hidden = (sets >> np.arange(problem.size)) % 2 == 1
            if int(problem.weights[hidden].sum()) > self.share * int(problem.weights.sum()):
                continue
            for cells in partitions(np.flatnonzero(~hidden).tolist()):
                if all(len(set(problem.group_of[cell].tolist())) == 1 for cell in cells):
                    gone = [np.flatnonzero(hidden).tolist()] if sets else []
                    yield Cells.from_members([*cells, *gone]), hidden

    @property
    def made(self) -> list[Measures]:
        return [measure(self.problem, cells, hidden) for cells, hidden in self.partitions()]


def random_column(rng: random.Random, size: int) -> Column:
    kind = rng.choice(["numbers", "numbers", "categories", "tree"])
    weight = Fraction(rng.choice([1, 1, 2, 6]), rng.choice([1, 3]))
    if kind == "numbers":
        steps = [rng.randrange(rng.choice([3, 12])) for _ in range(size)]
        return Numbers(steps, weight=weight, span=rng.choice([None, (-3, 20)]))
    values = [rng.choice("abcde") for _ in range(size)]
    return (
        Categories(values, weight=weight) if kind == "categories" else Hierarchy(values, TREE, weight=weight)
    )


def random_world(rng: random.Random, most: int) -> World:
    """Columns of all kinds with weights, rows, groups, what is known besides, and rows to suppress."""
    size = rng.randrange(2, most + 1)
    known = 2 if rng.random() < 0.3 else 1
    pairs = [(x, a) for x in range(size) for a in range(known) if a == 0 or rng.random() < 0.7]
    if len({a for _, a in pairs}) < known:
        known, pairs = 1, [(x, 0) for x in range(size)]
    secrets = rng.randrange(2, 5)
    held = [
        (s, y) for y in range(len(pairs)) for s in range(secrets) if rng.random() < 0.35 or s == y % secrets
    ]
    s, y = (np.unique(part, return_inverse=True)[1] for part in zip(*held, strict=True))
    columns = [random_column(rng, size) for _ in range(rng.choice([1, 1, 2, 2, 3]))]
    side = SideInformation(*zip(*pairs, strict=True)) if known > 1 else None
    problem = Problem(
        JointRange.from_codes(s, y),
        ColumnCodebook(*columns, distance="max"),
        side,
        np.array([rng.choice([1, 1, 1, 2, 5]) for _ in pairs]) if rng.random() < 0.6 else None,
        np.array([rng.randrange(2) for _ in range(size)]) if rng.random() < 0.2 else None,
    )
    return World(problem, rng.choice([Fraction(0), Fraction(0), Fraction(1, 4), Fraction(1, 2)]))


@pytest.mark.parametrize("seed", SEEDS)
def test_no_partition_loses_less_on_average(seed: int) -> None:
    """However many rows are suppressed, and whatever an answer must hold; some bounds are near."""
    rng, reached = random.Random(seed), 0
    for _ in range(20):
        world = random_world(rng, 5)
        made = world.made
        for _ in range(3):
            k, rows = rng.randrange(1, 5), rng.choice([1, 1, 2, 4])
            fine = [
                one.mean_loss or Fraction(0)
                for one in made
                if one.min_posterior >= k and one.min_rows >= rows
            ]
            need = np.full(len(world.problem.prior), k)
            found = rng.choice(
                [None, Cells.from_labels([rng.randrange(2) for _ in range(world.problem.size)])]
            )
            bound = least_mean_loss(world.problem, need, rows, found)
            if fine and bound is not None:
                assert bound <= min(fine), (k, rows)
                reached += 2 * bound >= min(fine) > 0
    assert reached > 2


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_said_of_a_choice_is_so(seed: int) -> None:
    """The least mean loss is one, and with `prefer="mean"` what is proved to be the best is."""
    rng = random.Random(1000 + seed)
    for _ in range(10):
        world = random_world(rng, 5)
        goal = Goal(
            utility="distortion",
            min_posterior=rng.randrange(1, 4),
            min_rows=rng.choice([None, None, 2, 3]),
            suppress=world.share,
            prefer=rng.choice(["mean", "worst"]),
        )
        targets = Targets(world.problem, goal)
        fine = [one for one in world.made if targets.allow(one)]
        if not fine or world.problem.joint.size_x == 1:
            continue
        choice, least = choose(world.problem, goal), min(one.mean_loss or Fraction(0) for one in fine)
        assert choice.least_mean_loss is None or choice.least_mean_loss <= least
        if choice.optimal and goal.prefer == "mean" and choice.scope == "all":
            assert choice.quality.mean_loss == least


@pytest.mark.parametrize("seed", SEEDS)
def test_the_cheapest_partition_is_found(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From whatever is known; with little to look at, what is said to be the least is no more than that."""
    rng, better = random.Random(2000 + seed), 0
    for few in [False] * 16 + [True] * 8:
        monkeypatch.setattr(cell_cover, "GROWN", rng.randrange(40) if few else 10**6)
        monkeypatch.setattr(cell_cover, "LOOKED_AT", rng.randrange(40) if few else 10**6)
        world, rows = random_world(rng, 5), rng.choice([None, 3])
        goal = Goal(
            "leakage", "distortion", None, rng.randrange(2, 4), rows, suppress=world.share, prefer="mean"
        )
        targets = Targets(world.problem, goal)
        made = [(measure(world.problem, *one), one[0]) for one in world.partitions()]
        fine = [(one.mean_loss or Fraction(0), cells) for one, cells in made if targets.allow(one)]
        if not fine or not min(mean for mean, _ in fine):
            continue
        known, cells = rng.choice([max(fine, key=lambda one: one[0]), rng.choice(fine)])
        found, least = cell_cover.CellCover(targets, known, cells).best, min(mean for mean, _ in fine)
        assert found is not None
        if found.better is not None:
            better += 1
            seen = measure(world.problem, Cells.from_labels(found.better.labels), found.better.hidden)
            assert targets.allow(seen)
            known = seen.mean_loss or known
        assert found.least <= least <= known
        assert few or found.least == known
    assert better > 0
