"""Releases and frontiers against all releases of tiny tables: figures, claims, refusals, and each other."""

# ruff: noqa: ANN401 - points of several kinds are compared

import os
import random
from fractions import Fraction
from typing import Any

import pytest

import noiseless as nl
from noiseless.errors import RequestError
from noiseless.exact import Bits
from oracle import releases as oracle
from oracle.releases import Made, Table

CASES = 12
"""As many tables for each seed."""


def same(point: Any, made: Made) -> bool:
    """Whether a point's figures are those of a release."""
    return (
        point.min_posterior == made.posterior
        and point.leakage == Bits(made.leak)
        and point.maximin == Bits(made.blocks)
        and point.resolution == Bits(made.resolution)
        and point.distortion.squared == made.far
        and point.suppressed_rows == made.rows
        and point.cells == len(made.cells) + bool(made.hidden)
    )


def check_release(table: Table, asked: dict[str, Any]) -> str:
    """Compare one release with all; what became of it."""
    plain = [made for made in table.made if not made.hidden]
    least = min(made.blocks for made in plain)
    fine = [made for made in table.made if oracle.allowed(made, asked, least)]
    try:
        done = nl.release(table.arrow, **table.options, **asked, suppress=table.share)
    except RequestError as error:
        return check_refusal(str(error), fine)
    matching = [made for made in fine if same(done.point, made)]
    assert matching, "the figures are those of no release within the limits"
    mine = oracle.value(matching[0], asked)
    if done.optimal:
        rivals = fine if done.scope == "all" else [made for made in fine if made.contiguous]
        best = min(oracle.value(made, asked) for made in rivals)
        assert not best < mine, f"said to be the best ({done.scope}): {mine}, but {best} is possible"
    if done.gap is not None:
        best = min(oracle.value(made, asked) for made in fine)
        away = float(oracle_value(mine, asked)) - float(oracle_value(best, asked))
        assert away <= done.gap + 1e-9, f"the gap is {done.gap}, but {away} better is possible"
    proved = done.optimal and done.scope == "all"
    if proved:
        assert done.gap == 0
    if oracle.value(matching[0], asked) > min(oracle.value(made, asked) for made in fine):
        return "worse"
    return "proved" if proved else "contiguous" if done.optimal else "best"


def oracle_value(value: Any, asked: dict[str, Any]) -> float:
    """A value in the unit of gaps."""
    import math

    what = oracle.aim(asked)
    if what == "lagrangian":
        return float(value)
    if what == "loss" and asked["utility"] == "distortion":
        return math.sqrt(value)
    return math.log2(value)


def check_refusal(text: str, fine: list[Made]) -> str:
    assert "\n" not in text
    if "exact method" in text:
        return "not applicable"
    if "found" in text.split(";", maxsplit=1)[0]:
        return "missed" if fine else "not found"
    assert not fine, text
    return "impossible"


def check_frontier(table: Table, asked: dict[str, Any]) -> None:
    options = {name: asked[name] for name in ("objective", "utility", "method")}
    plain = [made for made in table.made if not made.hidden]
    try:
        found = nl.frontier(table.arrow, **table.options, **options)
    except RequestError as error:
        assert "exact method" in str(error), error  # noqa: PT017
        return
    least = min(made.blocks for made in plain)
    ours = [(found.points, found.scope)]
    ours += [(series.points, series.scope) for series in found.series]
    for points, scope in ours:
        for point in points:
            matching = [made for made in plain if same(point, made)]
            assert matching, "a point's figures are those of no release"
            rivals = plain if scope == "all" else [m for m in plain if m.contiguous] if scope else []
            if asked["objective"] == "both":
                rivals = [made for made in rivals if made.blocks <= least]
            assert not any(beats(rival, matching[0], asked) for rival in rivals), (scope, point)
    check_baselines(found, asked)
    check_reached(table, found, asked)


def beats(one: Made, other: Made, asked: dict[str, Any]) -> bool:
    pairs = [(oracle.leak(m, asked), oracle.loss(m, asked)) for m in (one, other)]
    return pairs[0] != pairs[1] and pairs[0][0] <= pairs[1][0] and pairs[0][1] <= pairs[1][1]


def as_good(one: Any, other: Any, asked: dict[str, Any]) -> bool:
    """Whether a point gives away no more than another and loses no more."""
    leaks = [p.maximin if asked["objective"] == "maximin" else p.leakage for p in (one, other)]
    if asked["utility"] == "resolution":
        return leaks[0] <= leaks[1] and one.resolution >= other.resolution
    return leaks[0] <= leaks[1] and one.distortion <= other.distortion


def check_baselines(found: Any, asked: dict[str, Any]) -> None:
    """No point of any method lies below the frontier that is drawn."""
    least = min(point.maximin for point in found.points)
    for series in found.series:
        for point in series.points:
            if asked["objective"] == "both" and point.maximin > least:
                continue
            assert any(as_good(one, point, asked) for one in found.points), series.name


def check_reached(table: Table, found: Any, asked: dict[str, Any]) -> None:
    """A release with a point's figures as limits is as good as the point."""
    options = {name: asked[name] for name in ("objective", "utility", "method")}
    for point in found.points:
        leak = point.maximin if asked["objective"] == "maximin" else point.leakage
        name = "max_maximin" if asked["objective"] == "maximin" else "max_leakage"
        bits = Fraction(leak.upper) if leak.ratio != 1 else 0
        done = nl.release(
            table.arrow,
            **table.options,
            **options,
            **{name: str(Fraction(bits).limit_denominator(10**9) + Fraction(1, 10**9))},
        )
        assert as_good(done.point, point, asked), (done.point, point)


def check_consistent(table: Table, asked: dict[str, Any]) -> None:
    """No release without suppressed rows lies below the frontier of its columns."""
    options = {name: asked[name] for name in ("objective", "utility", "method")}
    try:
        done = nl.release(table.arrow, **table.options, **asked)
        found = nl.frontier(table.arrow, **table.options, **options)
    except RequestError:
        return
    assert any(as_good(one, done.point, asked) for one in found.points), (done.point, found.points)


@pytest.mark.parametrize("seed", range(int(os.environ.get("NOISELESS_ORACLE_SEEDS", "2"))))
def test_releases_against_all(seed: int) -> None:
    """Figures are true, "the best" is the best in its scope, and what is refused as impossible is."""
    rng = random.Random(seed)
    for _ in range(CASES):
        table = oracle.random_table(rng)
        for _ in range(4):
            check_release(table, oracle.random_request(rng))


@pytest.mark.parametrize("seed", range(int(os.environ.get("NOISELESS_ORACLE_SEEDS", "2"))))
def test_frontiers_against_all(seed: int) -> None:
    """What a frontier says is true, and it agrees with the releases."""
    rng = random.Random(1000 + seed)
    for _ in range(CASES // 2):
        table = oracle.random_table(rng)
        asked = oracle.random_request(rng)
        check_frontier(table, asked)
        check_consistent(table, asked)
