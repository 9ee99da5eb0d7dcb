"""Limits on cells against their definitions, row by row: which cells keep to them, and where they are cut."""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import NamedTuple

import numpy as np
import pytest

from noiseless import JointRange
from noiseless.arrays import IntArray
from noiseless.search import distribution_limits
from noiseless.search.distribution_limits import (
    BeliefLimit,
    ClosenessLimit,
    PresenceLimit,
    fraction_below,
)
from noiseless.search.entropy_limit import EntropyLimit
from noiseless.search.limits import Limit, PosteriorLimit, RowLimit, WidthLimit
from noiseless.search.problem import Problem, SideInformation
from oracle.definitions import emd_exact

TABLES = 180
HUGE = 2**40


class Row(NamedTuple):
    """A row of a table: its public value, what is seen besides, and its sensitive value."""

    x: int
    a: int
    s: int


Rows = list[Row]
Holds = Callable[[Rows], bool]


class Case(NamedTuple):
    """A table, a limit of it, and what the limit says of the rows behind an answer."""

    rows: Rows
    limit: Limit
    holds: Holds


def table(rng: Random) -> Rows:
    values, known, secrets = rng.randint(1, 6), rng.randint(1, 2), rng.randint(1, 5)
    rows = [
        Row(rng.randrange(values), rng.randrange(known), rng.randrange(secrets))
        for _ in range(rng.randint(1, 20))
    ]
    codes = [sorted({row[place] for row in rows}) for place in range(3)]  # with none left out
    return [Row(*(codes[place].index(row[place]) for place in range(3))) for row in rows]


def problem_of(rows: Rows) -> tuple[Problem, IntArray]:
    """What is merged, and how many rows each pair has."""
    seen = sorted({(row.x, row.a) for row in rows})
    coded = [(seen.index((row.x, row.a)), row.s) for row in rows]
    joint = JointRange.from_codes(np.array([s for _, s in coded]), np.array([y for y, _ in coded]))
    counts = [coded.count(pair) for pair in zip(joint.y.tolist(), joint.x.tolist(), strict=True)]
    side = None
    if any(row.a for row in rows):
        side = SideInformation([x for x, _ in seen], [a for _, a in seen])
    held = [sum((row.x, row.a) == pair for row in rows) for pair in seen]
    return Problem(joint, side=side, rows=np.array(held)), np.array(counts)


def share(rows: Rows, s: int) -> Fraction:
    return Fraction(sum(row.s == s for row in rows), len(rows))


def some(rng: Random, rows: Rows) -> Rows:
    """Some of the rows: limits that such rows just keep to are asked for."""
    return rng.sample(rows, rng.randint(1, len(rows)))


def posterior(rng: Random, rows: Rows) -> tuple[Limit, Holds]:
    problem, _ = problem_of(rows)
    k = rng.randint(1, 4)
    limit = PosteriorLimit.of(problem, np.full(len(problem.prior), k))
    return limit, lambda behind: len({row.s for row in behind}) >= k


def heads(rng: Random, rows: Rows) -> tuple[Limit, Holds]:
    problem, _ = problem_of(rows)
    k = rng.randint(1, 8)
    return RowLimit.of(problem, k), lambda behind: len(behind) >= k


def width(rng: Random, rows: Rows) -> tuple[Limit, Holds]:
    problem, _ = problem_of(rows)
    wide = rng.choice([1, 2**70])
    numbers = [
        None if rng.random() < 0.2 else wide * Fraction(rng.randint(-9, 9), rng.randint(1, 3))
        for _ in range(problem.joint.size_x)
    ]

    def spread(behind: Rows) -> Fraction:
        """A missing value lies nowhere."""
        found = [number for row in behind if (number := numbers[row.s]) is not None]
        return max(found) - min(found) if found else Fraction(0)

    e = spread(some(rng, rows))
    return WidthLimit.of(problem, numbers, e), lambda behind: spread(behind) >= e


def belief(rng: Random, rows: Rows) -> tuple[Limit, Holds]:
    problem, counts = problem_of(rows)

    def largest(behind: Rows) -> Fraction:
        return max(share(behind, row.s) for row in behind)

    most = largest(some(rng, rows))
    limit = BeliefLimit.of(problem, counts * rng.choice([1, HUGE]), most)
    return limit, lambda behind: largest(behind) <= most


def bet(rng: Random, rows: Rows) -> tuple[Limit, Holds]:
    """Pointwise maximal leakage, max_s n_sy n / (n_s n_y)."""
    problem, counts = problem_of(rows)

    def gain(behind: Rows) -> Fraction:
        return max(share(behind, row.s) / share(rows, row.s) for row in behind)

    most = gain(some(rng, rows)) - rng.choice([Fraction(0), Fraction(1, 2**70)])
    return BeliefLimit.by_leakage(problem, counts, most), lambda behind: gain(behind) <= most


def closeness(rng: Random, rows: Rows, *, ordered: bool) -> tuple[Limit, Holds]:
    problem, counts = problem_of(rows)
    secrets = sorted({row.s for row in rows})

    def distance(behind: Rows) -> Fraction:
        own, whole = ([share(part, s) for s in secrets] for part in (behind, rows))
        return emd_exact(own, whole, ordered)

    most = distance(some(rng, rows))
    limit = ClosenessLimit.of(problem, counts * rng.choice([1, HUGE]), most, ordered=ordered)
    return limit, lambda behind: distance(behind) <= most


def presence(rng: Random, rows: Rows) -> tuple[Limit, Holds]:
    """Each value that there is with an a has at least its share behind each answer with that a."""
    problem, counts = problem_of(rows)
    pairs = sorted({(row.a, row.s) for row in rows})
    known = [(int(problem.known[y]), int(s)) for y, s in zip(problem.joint.y, problem.joint.x, strict=True)]
    kinds = np.array([pairs.index(pair) for pair in known])
    least = {
        pair: rng.choice([Fraction(0), Fraction(1, 9), Fraction(1, 4), Fraction(2, 5)]) for pair in pairs
    }
    present = np.array([sum(a == code for a, _ in pairs) for code in range(len(problem.known_prior))])

    def holds(behind: Rows) -> bool:
        a = behind[0].a
        there = [s for known, s in pairs if known == a]
        return all(any(row.s == s for row in behind) and share(behind, s) >= least[a, s] for s in there)

    limit = PresenceLimit.of(problem, counts * rng.choice([1, HUGE]), [*least.values()], kinds, present)
    return limit, holds


def entropy(rng: Random, rows: Rows) -> tuple[Limit, Holds]:
    """n^n >= l^n times all c^c."""
    problem, counts = problem_of(rows)
    least = rng.choice([Fraction(1), Fraction(2), Fraction(3), Fraction(rng.randint(10, 40), 10)])

    def holds(behind: Rows) -> bool:
        held = [sum(row.s == s for row in behind) for s in {row.s for row in behind}]
        return bool(least ** len(behind) * math.prod(c**c for c in held) <= len(behind) ** len(behind))

    return EntropyLimit.of(problem, counts, least), holds


KINDS: dict[str, Callable[[Random, Rows], tuple[Limit, Holds]]] = {
    "posterior": posterior,
    "rows": heads,
    "width": width,
    "belief": belief,
    "pointwise leakage": bet,
    "presence": presence,
    "entropy": entropy,
    "equal closeness": lambda rng, rows: closeness(rng, rows, ordered=False),
    "ordered closeness": lambda rng, rows: closeness(rng, rows, ordered=True),
}


def keeps(case: Case, members: Sequence[int]) -> bool:
    """Whether all that is behind a cell keeps to the limit, with each thing that is seen besides."""
    behind = [row for row in case.rows if row.x in members]
    return all(case.holds([row for row in behind if row.a == a]) for a in {row.a for row in behind})


def check_cells(rng: Random, case: Case, size: int) -> None:
    cell_of = np.array([rng.randrange(4) for _ in range(size)])
    met = case.limit.met(cell_of, 4)
    assert met.tolist() == [keeps(case, np.flatnonzero(cell_of == cell).tolist()) for cell in range(4)]
    merged = case.limit.met(np.where(cell_of == 1, 0, cell_of), 4)
    assert merged[0] or not (met[0] and met[1])
    plain = 0 in cell_of and not any(row.a for row in case.rows)
    assert merged[0] or not case.limit.grows or not met[0] or not plain
    behind = [row for row in case.rows if case.limit.failing(cell_of)[row.x]]
    assert {cell_of[row.x] for row in behind} == set(np.flatnonzero(~met).tolist())


def check_cuts(rng: Random, case: Case, size: int) -> None:
    order = rng.sample(range(size), rng.randint(1, size))
    first = np.array([True, *(rng.random() < 0.2 for _ in order[1:])])
    starts = np.flatnonzero(first)
    found = case.limit.cuts(np.array(order), np.cumsum(first) - 1, starts)
    for begin, end in itertools.pairwise([*starts.tolist(), len(order)]):
        for cut in range(begin + 1, end):
            assert found[cut - 1] == (keeps(case, order[begin:cut]) and keeps(case, order[cut:end]))


@pytest.mark.parametrize("kind", KINDS)
def test_cells_and_cuts_are_as_limits_define_them(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which cells keep to a limit; that two which do keep to it merged; and which cuts leave two."""
    rng = Random(kind)
    for number in range(TABLES):
        monkeypatch.setattr(distribution_limits, "_AT_ONCE", 4 if number % 2 else 2**20)
        rows = table(rng)
        case = Case(rows, *KINDS[kind](rng, rows))
        size = 1 + max(row.x for row in rows)
        check_cells(rng, case, size)
        for _ in range(3):
            check_cuts(rng, case, size)


def test_the_fraction_below() -> None:
    """The largest fraction with a small denominator that is no more."""
    rng = Random("below")
    for _ in range(300):
        number, most = Fraction(rng.randint(0, 10**9), rng.randint(1, 10**6)), rng.randint(1, 40)
        every = [Fraction(math.floor(number * bottom), bottom) for bottom in range(1, most + 1)]
        assert fraction_below(number, most) == max(every)
