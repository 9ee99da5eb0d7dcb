"""Limits on cells: what they are made of, and that many entries are read as few are."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from noiseless import JointRange
from noiseless.arrays import BoolArray, IntArray
from noiseless.search import entries
from noiseless.search.distribution_limits import BeliefLimit, ClosenessLimit, PresenceLimit
from noiseless.search.entropy_limit import EntropyLimit
from noiseless.search.limits import EntryLimit, PosteriorLimit, RowLimit, WidthLimit
from noiseless.search.problem import Problem, SideInformation


def problem(rng: Random, size: int, *, side: bool = False) -> Problem:
    """Public values with one to three of seven sensitive values each."""
    pairs = {(rng.randrange(7), y) for y in range(size) for _ in range(rng.randint(1, 3))}
    pairs |= {(s, 0) for s in range(7)}
    joint = JointRange.from_codes(np.array([s for s, _ in pairs]), np.array([y for _, y in pairs]))
    rows = np.array([rng.randint(1, 4) for _ in range(size)])
    if not side:
        groups = None if rng.random() < 0.5 else np.array([rng.randrange(2) for _ in range(size)])
        return Problem(joint, rows=rows, groups=groups)
    known = SideInformation([y // 2 for y in range(size)], [y % 2 for y in range(size)])
    return Problem(joint, side=known, rows=rows)


def every_limit(rng: Random, made: Problem) -> list[EntryLimit]:
    counts = np.array([rng.randint(1, 4) for _ in range(len(made.joint))])
    return [
        PosteriorLimit.of(made, np.full(len(made.prior), rng.randint(1, 5))),
        RowLimit.of(made, rng.randint(1, 9)),
        WidthLimit.of(made, [3, 1, 4, 1, 5, 9, 2], rng.randint(0, 8)),
        BeliefLimit.of(made, counts, [Fraction(rng.randint(1, 7), 7) for _ in range(7)]),
        BeliefLimit.by_leakage(made, counts, Fraction(rng.randint(4, 12), 4)),
        ClosenessLimit.of(made, counts, Fraction(rng.randint(1, 9), 10), ordered=False),
        ClosenessLimit.of(made, counts, Fraction(rng.randint(1, 9), 20), ordered=True),
        EntropyLimit.of(made, counts, Fraction(rng.randint(2, 10), 2)),
        presence(rng, made, counts),
    ]


def presence(rng: Random, made: Problem, counts: IntArray) -> PresenceLimit:
    """A share that a secret must have, for each with what is known beside it."""
    known = made.seen[made.public[made.joint.y]]
    values, kinds = np.unique(known * 7 + made.joint.x, return_inverse=True)
    present = np.minimum(np.bincount(values // 7, minlength=len(made.prior)), rng.randint(1, 3))
    least = [Fraction(rng.randint(0, 3), 20) for _ in values]
    return PresenceLimit.of(made, counts, least, kinds.reshape(-1), present)


def some_cells(rng: Random, made: Problem) -> tuple[IntArray, IntArray, IntArray]:
    """Public values in any order, as cells that each lie in one group; their cells, and where these begin."""
    order = np.array(rng.sample(range(made.size), rng.randint(1, made.size)))
    order = order[np.argsort(made.group_of[order], kind="stable")]
    first = np.append(True, made.group_of[order[1:]] != made.group_of[order[:-1]])
    first |= np.array([rng.random() < 0.1 for _ in order])
    return order, np.cumsum(first) - 1, np.flatnonzero(first)


def inner_cuts(found: BoolArray, starts: IntArray) -> list[bool]:
    """What is said of cuts; what is said of the last members of cells means nothing."""
    ends = set((starts[1:] - 1).tolist())
    return [bool(cut) for place, cut in enumerate(found.tolist()) if place not in ends]


@pytest.mark.parametrize("side", [False, True])
def test_many_entries_are_read_as_few_are(side: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "compiled", lambda loop: loop)
    rng, allowed = Random(1), 0
    for _ in range(60):
        made = problem(rng, 2 * rng.randint(1, 15), side=side)
        order, cells, starts = some_cells(rng, made)
        for limit in every_limit(rng, made):
            many = replace(limit, entries=replace(limit.entries, fast=True))
            cuts = inner_cuts(limit.cuts(order, cells, starts), starts)
            assert inner_cuts(many.cuts(order, cells, starts), starts) == cuts
            first = limit.prefixes(order, cells, starts).tolist()
            assert many.prefixes(order, cells, starts).tolist() == first
            allowed += sum(cuts)
    assert allowed > 100


def test_an_entropy_that_is_met_exactly_is_met_in_loops_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """8^8 = 4^8 4^4: in doubles the two are too near to tell, and neither is a number of equal counts."""
    monkeypatch.setattr(entries, "compiled", lambda loop: loop)
    made = Problem(JointRange.from_codes(np.arange(5), np.zeros(5, np.int64)))
    one, counts = np.zeros(1, np.int64), np.array([4, 1, 1, 1, 1])
    for least, kept in ((4, True), (4 + Fraction(1, 10**15), False), (4 - Fraction(1, 10**15), True)):
        limit = EntropyLimit.of(made, counts, least)
        many = replace(limit, entries=replace(limit.entries, fast=True))
        assert many.prefixes(one, one, one).tolist() == limit.prefixes(one, one, one).tolist() == [kept]


@pytest.mark.parametrize("side", [False, True])
def test_a_limit_of_some_values_is_the_limit_of_all(side: bool) -> None:
    rng = Random(2)
    for _ in range(40):
        made = problem(rng, 2 * rng.randint(1, 15), side=side)
        order, cells, starts = some_cells(rng, made)
        for limit in every_limit(rng, made):
            part = limit.take(order).cuts(np.arange(len(order)), cells, starts)
            assert part.tolist() == limit.cuts(order, cells, starts).tolist()


def test_cells_without_members_keep_to_every_limit() -> None:
    made = problem(Random(3), 6)
    for limit in every_limit(Random(3), made):
        assert limit.met(np.zeros(6, np.int64), 3)[1:].all()


def test_shares_are_compared_exactly() -> None:
    """A third is neither 0.333... nor a float; and rows may be more than floats can tell apart."""
    made = Problem(JointRange.from_codes(np.array([0, 1, 2]), np.zeros(3, np.int64)))
    rows, one = np.array([2**60, 2**60, 2**60]), np.zeros(1, np.int64)
    assert BeliefLimit.of(made, rows, Fraction(1, 3)).met(one, 1).all()
    assert not BeliefLimit.of(made, rows + np.array([1, 0, 0]), Fraction(1, 3)).met(one, 1).any()
    assert not BeliefLimit.of(made, rows, Fraction(1, 3) - Fraction(1, 10**30)).met(one, 1).any()
    assert BeliefLimit.by_leakage(made, rows, 1).met(one, 1).all()


def test_a_share_of_zero_allows_no_row_with_the_value() -> None:
    made = Problem(JointRange.from_codes(np.array([0, 1, 1]), np.array([0, 0, 1])))
    limit = BeliefLimit.of(made, np.array([1, 1, 5]), [0, 1])
    assert limit.met(np.array([0, 1]), 2).tolist() == [False, True]


def test_widths_are_counted_in_the_numbers_themselves() -> None:
    made = Problem(JointRange.from_codes(np.array([0, 1]), np.zeros(2, np.int64)))
    one = np.zeros(1, np.int64)
    for numbers, wide in (([Fraction(1, 3), Fraction(1, 2)], Fraction(1, 6)), ([0, 2**70], Fraction(2**70))):
        assert WidthLimit.of(made, numbers, wide).met(one, 1).all()
        assert not WidthLimit.of(made, numbers, wide + Fraction(1, 10**9)).met(one, 1).any()
