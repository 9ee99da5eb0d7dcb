"""A release is on or behind the frontier of its table, whatever its targets, and no baseline beats it."""

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from noiseless.errors import RequestError
from noiseless.ranges import JointRange
from noiseless.search.goal import Targets
from noiseless.search.loss import Preference, below
from noiseless.search.measures import Measures
from noiseless.search.merging import Categories, ColumnCodebook, Hierarchy, Numbers
from noiseless.search.portfolio import Goal, Problem, Survey, choose, measure, survey
from soaking import seeds

TREE = {leaf: (f"pair {leaf // 2}", "any") for leaf in range(8)}
COLUMNS = ("one number", "repeated numbers", "two numbers", "number and categories", "hierarchies", "none")


def some_table(rng: random.Random, columns: str, size: int) -> Problem:
    """Public values with one to three of some sensitive ones, and rows."""
    secrets = rng.randint(3, 6)
    pairs = {(rng.randrange(secrets), y) for y in range(size) for _ in range(rng.randint(1, 2))}
    numbers = [rng.sample(range(5 * size), size), [rng.randrange(size) for _ in range(size)]]
    parts: dict[str, list[Any]] = {
        "one number": [Numbers(numbers[0])],
        "repeated numbers": [Numbers(numbers[1])],
        "two numbers": [Numbers(numbers[0]), Numbers(numbers[1])],
        "number and categories": [Numbers(numbers[0]), Categories([rng.choice("abc") for _ in range(size)])],
        "hierarchies": [Hierarchy([rng.randrange(8) for _ in range(size)], TREE) for _ in range(2)],
        "none": [],
    }
    book = ColumnCodebook(*parts[columns]) if parts[columns] else None
    known = sorted({s for s, _ in pairs})
    joint = JointRange.from_codes([known.index(s) for s, _ in pairs], [y for _, y in pairs])
    return Problem(joint, book, rows=np.array([rng.randint(1, 4) for _ in range(size)]))


def some_goals(rng: random.Random, problem: Problem, asked: dict[str, Any]) -> Iterator[Goal]:
    """Limits of every kind, a weight, and limits together."""
    posterior = rng.randint(1, int(problem.largest_posteriors.min()))
    bits, rows = Fraction(rng.randint(0, 25), 10), rng.randint(2, 9)
    yield from (Goal(min_posterior=posterior, **asked), Goal(max_leakage=bits, **asked))
    yield from (Goal(min_rows=rows, **asked), Goal(max_maximin=bits, **asked))
    yield from (Goal(min_resolution=bits, **asked), Goal(min_resolution=bits, min_posterior=2, **asked))
    yield Goal(weight=Fraction(rng.randint(1, 30), 10 * problem.size), **asked)
    if problem.codebook is not None:
        whole = measure(problem, problem.whole).distortion
        assert whole is not None
        distortion = Fraction(whole.upper) * Fraction(rng.randint(1, 9), 10)
        yield Goal(max_distortion=distortion, **asked)
        yield Goal(max_distortion=distortion, min_rows=rows, **asked)


def is_behind(release: Measures, frontier: Survey) -> bool:
    """Whether some point gives away no more and loses no more."""
    objective, utility = frontier.objective, frontier.utility
    return any(
        point.leak(objective) <= release.leak(objective)
        and not below(release.loss(utility), point.loss(utility))
        for point in frontier.unbeaten
    )


def check(rng: random.Random, problem: Problem) -> None:
    asked: dict[str, Any] = {"objective": rng.choice(["leakage", "leakage", "maximin"])}
    asked["utility"] = "resolution" if problem.codebook is None else rng.choice(["resolution", "distortion"])
    prefer: Preference = "worst" if asked["utility"] == "resolution" else rng.choice(["worst", "mean"])
    frontier = survey(replace(problem), prefer=prefer, **asked)
    baselines = [point for series in frontier.series if series.baseline for point in series]
    for goal in some_goals(rng, problem, {**asked, "prefer": prefer}):
        targets = Targets(problem, goal)
        try:
            found = choose(replace(problem), goal).quality
        except RequestError:
            assert not any(map(targets.allow, baselines))
            continue
        assert is_behind(found, frontier), goal
        better = [point for point in baselines if targets.allow(point)]
        assert not any(targets.key(point)[0] < targets.key(found)[0] for point in better), goal


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("seed", seeds(2))
def test_small_tables(columns: str, seed: int) -> None:
    rng = random.Random(f"{columns} {seed}")
    check(rng, some_table(rng, columns, rng.randint(5, 14)))


@pytest.mark.parametrize("columns", COLUMNS)
def test_tables_that_are_searched_level_by_level(columns: str) -> None:
    """Too many values for a release to be the best of a whole survey."""
    rng = random.Random(columns)
    check(rng, some_table(rng, columns, 110))
