"""Releases and frontiers against all releases of tiny tables: figures, claims, refusals, and each other."""

# ruff: noqa: ANN401 - points of several kinds are compared

import math
import random
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

import noiseless as nl
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.releases import pipeline
from noiseless.search import bounds, greedy, improvement, methods, portfolio
from noiseless.search.loss import below
from noiseless.work import Cancellation
from oracle import releases as oracle
from oracle.releases import Made, Table
from soaking import seeds

SEEDS = seeds(1)


def same(point: Any, made: Made) -> bool:
    """Whether a point's figures are those of a release."""
    return bool(
        point.min_posterior == made.posterior
        and point.min_rows == made.alike
        and point.leakage == Bits(made.leak)
        and point.maximin == Bits(made.blocks)
        and point.resolution == Bits(made.resolution)
        and point.distortion.squared == made.far
        and point.suppressed_rows == made.rows
        and point.cells == len(made.cells) + bool(made.hidden)
        and point.mean_loss == made.mean
    )


def as_good(one: Any, other: Any, asked: dict[str, Any]) -> bool:
    """Whether a point gives away no more than another and loses no more."""
    leaks = [p.maximin if asked["objective"] == "maximin" else p.leakage for p in (one, other)]
    if asked["utility"] == "resolution":
        return bool(leaks[0] <= leaks[1] and one.resolution >= other.resolution)
    return bool(leaks[0] <= leaks[1] and one.distortion <= other.distortion)


def in_its_unit(value: Any, asked: dict[str, Any]) -> float:
    """What is made small, in the unit of gaps: bits, or a distance."""
    if oracle.aim(asked) == "lagrangian":
        return float(value)
    if oracle.aim(asked) == "loss" and asked.get("prefer") == "mean":
        return float(value)
    by_distance = oracle.aim(asked) == "loss" and asked["utility"] == "distortion"
    return math.sqrt(value) if by_distance else math.log2(value)


def least_blocks(table: Table) -> int:
    return min(made.blocks for made in table.made if not made.hidden)


def check_release(table: Table, asked: dict[str, Any]) -> str:
    """Compare one release with all; what became of it."""
    fine = [made for made in table.made if oracle.allowed(made, asked, least_blocks(table))]
    options: dict[str, Any] = {**table.options, **asked, "suppress": table.share}
    try:
        done = nl.release(table.arrow, **options)
    except RequestError as error:
        check_advice(str(error), table, asked)
        return check_refusal(str(error), fine)
    matching = [made for made in fine if same(done.point, made)]
    assert matching, "the figures are those of no release within the limits"
    mine, best = (min(oracle.value(made, asked) for made in some) for some in (matching, fine))
    if done.optimal:
        rivals = fine if done.scope == "all" else [made for made in fine if made.contiguous]
        assert not any(oracle.value(made, asked) < mine for made in rivals), f"not the best: {done.scope}"
        assert done.scope != "all" or done.gap == 0
    if done.gap is not None:
        assert in_its_unit(mine, asked) - in_its_unit(best, asked) <= done.gap + 1e-9, "the gap is larger"
    if mine > best:
        return "worse"
    return f"proved, {done.scope}" if done.optimal else "best"


def check_refusal(text: str, fine: list[Made]) -> str:
    """What is refused as impossible is impossible; that nothing was found is no such claim."""
    assert "\n" not in text
    if "exact method" in text:
        return "not applicable"
    if "found" in text.split(";", maxsplit=1)[0]:
        return "missed" if fine else "not found"
    assert not fine, text
    return "impossible"


def check_advice(text: str, table: Table, asked: dict[str, Any]) -> None:
    """What a refusal says to be possible is, and the most that it says to be possible is the most."""
    keeps = {name: asked[name] for name in ("max_distortion", "min_resolution") if name in asked}
    kept = [made for made in table.made if oracle.allowed(made, {"objective": "leakage"} | keeps, 0)]
    for how, figure in re.findall(r"the largest posterior (possible|found) is ([\d,]+)", text):
        most = max(made.posterior for made in kept)
        assert int(figure) == most if how == "possible" else int(figure) <= most, text
    for figure in re.findall(r"ask for a minimum posterior of (\d+) or less", text):
        assert any(made.posterior >= int(figure) for made in table.made), text
    for figure in re.findall(r"ask for a minimum number of rows of (\d+) or less", text):
        assert any(made.alike >= int(figure) for made in table.made), text
    for figure in re.findall(r"ask for a largest leakage of ([\d.]+) or more", text):
        assert any(oracle.at_most(made.leak, Fraction(figure)) for made in table.made), text
    for figure in re.findall(r"whatever is merged; ask for ([\d.]+) or more", text):
        assert any(oracle.at_most(Fraction(made.blocks), Fraction(figure)) for made in table.made), text


def check_frontier(table: Table, asked: dict[str, Any]) -> None:
    """Points are what they say, what is proved of them is so, and releases reach them."""
    options: dict[str, Any] = {**table.options, **{n: asked[n] for n in ("objective", "utility", "method")}}
    try:
        found = nl.frontier(table.arrow, **options)
    except RequestError as error:
        assert "exact method" in str(error), error  # noqa: PT017 - nothing else may be refused
        return
    check_points(table, found, asked)
    assert found.points
    check_methods(found, asked, Bits(least_blocks(table)))
    for point in found.points:
        check_reached(table, options, point, asked)


def check_points(table: Table, found: Any, asked: dict[str, Any]) -> None:
    """Points are what they say, and what is proved of them is so."""
    plain = [made for made in table.made if not made.hidden]
    rivals = [m for m in plain if asked["objective"] != "both" or m.blocks == least_blocks(table)]
    for points, scope in [(found.points, found.scope), *((one.points, one.scope) for one in found.series)]:
        among = rivals if scope == "all" else [m for m in rivals if m.contiguous] if scope else []
        for point in points:
            made = next((made for made in plain if same(point, made)), None)
            assert made is not None, "a point's figures are those of no release"
            assert not any(beats(rival, made, asked) for rival in among), (scope, point)


def beats(one: Made, other: Made, asked: dict[str, Any]) -> bool:
    """Whether a release is better than another in one thing and as good in the other."""
    pairs = [(oracle.leak(m, asked), oracle.loss(m, asked)) for m in (one, other)]
    return pairs[0] != pairs[1] and pairs[0][0] <= pairs[1][0] and pairs[0][1] <= pairs[1][1]


def check_methods(found: Any, asked: dict[str, Any], least: Bits) -> None:
    """No point of any method, others' included, lies below the frontier."""
    for series in found.series:
        for point in series.points:
            if asked["objective"] != "both" or point.maximin <= least:
                assert any(as_good(one, point, asked) for one in found.points), series.name


def check_reached(table: Table, options: dict[str, Any], point: Any, asked: dict[str, Any]) -> None:
    """A release within what a point gives away is as good as the point."""
    leak = point.maximin if asked["objective"] == "maximin" else point.leakage
    limit = "max_maximin" if asked["objective"] == "maximin" else "max_leakage"
    bits = 0 if leak.ratio == 1 else Fraction(math.ceil(leak.upper * 10**9), 10**9)
    done = nl.release(table.arrow, **{**options, limit: bits})
    assert as_good(done.point, point, asked), (done.point, point)


def check_consistent(table: Table, asked: dict[str, Any]) -> None:
    """No release without suppressed rows lies below the frontier of its columns."""
    options: dict[str, Any] = {**table.options, **{n: asked[n] for n in ("objective", "utility", "method")}}
    try:
        done = nl.release(table.arrow, **{**table.options, **asked})
    except RequestError:
        return
    found = nl.frontier(table.arrow, **options)
    assert any(as_good(one, done.point, asked) for one in found.points), (done.point, found.points)


@pytest.mark.parametrize("seed", SEEDS)
def test_releases_against_all(seed: int) -> None:
    """Figures are true, "the best" is the best in its scope, and what is refused as impossible is."""
    rng = random.Random(seed)
    for _ in range(10):
        table = oracle.random_table(rng, 5)
        for _ in range(3):
            check_release(table, oracle.random_request(rng))


@pytest.mark.parametrize("seed", SEEDS)
def test_frontiers_against_all(seed: int) -> None:
    """What a frontier says is true, no method beats it, releases reach it, and none lies below it."""
    rng = random.Random(1000 + seed)
    for _ in range(5):
        table, asked = oracle.random_table(rng, 5), oracle.random_request(rng)
        check_frontier(table, asked)
        check_consistent(table, asked)


def numbers(*rows: tuple[int | None, str], **changes: Any) -> Table:
    """A table of one column of numbers; the letters k and g are what is kept and given."""
    known: dict[str, Any] = {
        "keep": False,
        "given": False,
        "codeword": "midrange",
        "distance": None,
        "share": Fraction(0),
    }
    full = tuple((x, "p", "u", s) for x, s in rows)
    return Table((oracle.Column("x", "number"),), full, **known | changes)


BLANK = ((None, "a"), (1, "a"), (1, "b"), (2, "a"), (2, "b"))
LEAKAGE = {"objective": "leakage", "utility": "distortion", "method": "auto"}


@pytest.mark.parametrize("beside", [{}, {"keep": True}, {"given": True}])
@pytest.mark.parametrize(
    "limit", [{"max_distortion": Fraction(1, 5)}, {"min_posterior": 2}, {"max_leakage": Fraction(0)}]
)
def test_blanks_are_suppressed_with_numbers(beside: dict[str, bool], limit: dict[str, Any]) -> None:
    table = numbers(*BLANK, share=Fraction(3, 5), **beside)
    assert check_release(table, LEAKAGE | limit) == "proved, all"
    done = nl.release(table.arrow, **table.options, **limit, suppress=table.share)
    assert (done.point.leakage, done.point.suppressed_rows) == (Bits(1), 3)


def test_without_enough_rows_to_suppress_blanks_are_refused() -> None:
    table = numbers(*BLANK, share=Fraction(2, 5))
    assert check_release(table, LEAKAGE | {"min_posterior": 2}) in ("not found", "impossible")
    with pytest.raises(RequestError, match="missing values of 'x' are never merged with numbers"):
        nl.release(table.arrow, **table.options, min_posterior=2, suppress=table.share)


def test_as_much_lost_with_more_left_beats_a_point() -> None:
    """{0, 2}, {3, 14}, {12} leaves three values with cells of two: no point of two values is undominated."""
    secrets = {0: "41", 2: "0", 3: "1", 12: "413", 14: "02"}
    rows = [(x, f"s{s}") for x, held in secrets.items() for s in held]
    table = numbers(*rows, codeword="interval")
    check_frontier(table, {"objective": "leakage", "utility": "resolution", "method": "auto"})


@pytest.mark.parametrize("utility", ["resolution", "distortion"])
@pytest.mark.parametrize("objective", ["leakage", "both", "maximin"])
def test_cells_with_one_middle_are_one_cell(objective: str, utility: str) -> None:
    rows = [(0, "a"), (1, "b"), (2, "c"), (4, "d"), (5, "a"), (6, "b")]
    asked = {"objective": objective, "utility": utility, "method": "auto"}
    check_frontier(numbers(*rows), asked)
    check_consistent(numbers(*rows), asked | {"min_posterior": 2})


def test_a_refusal_says_nothing_that_meets_the_limits() -> None:
    """What "it takes" is more than what was allowed."""
    table = pa.table({"x": ["a", "a", "b", "c", "c", "d"], "s": list("ababca")})
    with pytest.raises(RequestError) as refused:
        nl.release(table, sensitive="s", public="x", min_posterior=3, min_resolution=1, max_distortion=7)
    assert "it takes a distortion" not in str(refused.value)


def test_ties_between_what_joins_the_suppressed_are_tried() -> None:
    """The blank must be suppressed with the 2, though the 0 brings as much: the rest needs that."""
    rows = [(0, "a"), (0, "a"), (1, "b"), (1, "b"), (1, "a"), (2, "c"), (3, "a"), (None, "a")]
    table = numbers(*rows, share=Fraction(1, 4))
    asked = {"objective": "leakage", "utility": "resolution", "method": "greedy", "min_posterior": 2}
    assert check_release(table, asked) in ("best", "proved, all")


LOOKALIKE = ((1, "a"), (2, "b"), ("1-2", "a"), ("1-2", "b"), (5, "a"), (6, "b"))


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("limit", [{"min_posterior": 2}, {"min_posterior": 2, "max_distortion": Fraction(1)}])
def test_no_cell_reads_as_a_text_among_the_numbers(width: int, limit: dict[str, Any]) -> None:
    """1 and 2 in a cell would read as the text 1-2 does, and be told from nothing."""
    columns = (oracle.Column("x", "number", text=True), oracle.Column("y", "number"))[:width]
    rows = tuple((x, *[0] * (width - 1), "p", "u", s) for x, s in LOOKALIKE)
    table = replace(numbers((1, "a"), codeword="interval"), columns=columns, rows=rows)
    for utility in ("distortion", "resolution"):
        asked = {"objective": "leakage", "utility": utility, "method": "auto"}
        check_release(table, asked | limit)
        check_frontier(table, asked)


def test_the_largest_posterior_is_not_that_of_the_least_leakage() -> None:
    """The least leakage leaves 4 values, the largest posterior is 6: as many are not possible for each g."""
    held = {(0, "a"): range(1, 7), (100, "a"): range(7, 13), (50, "b"): range(1, 5), (52, "b"): range(5, 9)}
    rows = tuple((x, "p", g, f"s{s}") for (x, g), those in held.items() for s in those)
    table = replace(numbers((1, "a"), given=True), rows=rows)
    assert check_release(table, LEAKAGE | {"min_posterior": 7, "max_distortion": Fraction(3)}) == "impossible"


@pytest.mark.parametrize("limit", [{"max_leakage": Fraction(0)}, {"min_posterior": 4}])
def test_a_bound_that_no_release_reaches_is_no_advice(limit: dict[str, Any]) -> None:
    table = numbers((1, "a"), (2, "b"), (3, "c"), (None, "d"), share=Fraction(3, 5))
    assert check_release(table, LEAKAGE | limit) == "impossible"
    with pytest.raises(RequestError, match="was not found with so few suppressed rows; allow more leakage;"):
        nl.release(table.arrow, **table.options, max_leakage=Fraction(1, 2), suppress=table.share)


# --- more values than are searched together -------------------------------------------------------------

FEW = ((methods, "FEW_VALUES"), (portfolio, "ALL_LEVELS"))
MANY = {
    "searched one by one": [*FEW],
    "no paths": [*FEW, (greedy, "MOST_VALUES")],
    "only some levels": [*FEW, (portfolio, "PAIRS_WORK"), (portfolio, "POINTS_WORK")],
    "nothing improved": [
        *(
            *FEW,
            (greedy, "MOST_VALUES"),
            (bounds, "MOST_VALUES"),
        ),
        *((portfolio, "MOST_IMPROVED"), (improvement, "MOST_IMPROVED"), (improvement, "MOST_FOR_HALVING")),
    ],
}
"""The numbers of values beyond which searches leave something out, as if every table had more."""


def make_many(patched: pytest.MonkeyPatch, which: str) -> None:
    for module, name in MANY[which]:
        patched.setattr(module, name, 0)
    patched.setattr(portfolio, "FEWEST", 3)


class Counted(Cancellation):
    """A time limit that is over after so many looks at the clock."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.left = looks

    def check(self) -> None:
        self.left -= 1
        if self.left < 0:
            self.cancel()
        super().check()


def stopped(table: Table, options: dict[str, Any], looks: int, patched: pytest.MonkeyPatch) -> Any:
    """The frontier within a time limit."""
    patched.setattr(pipeline, "Cancellation", lambda _: Counted(looks))
    return nl.frontier(table.arrow, **options, time_limit=1)


def with_trees(table: Table, rng: random.Random) -> dict[str, Any]:
    """The options of a table, some of its categories in hierarchies."""
    names = [c.name for i, c in enumerate(table.columns) if c.kind == "category" and rng.random() < 0.7]
    trees = {name: {leaf: ("ab" if leaf in "ab" else "cd", "*") for leaf in "abcd"} for name in names}
    lacks = {name for i, name in enumerate("xyz"[: len(table.columns)]) if None in {r[i] for r in table.rows}}
    trees = {name: tree for name, tree in trees.items() if name not in lacks}
    plain = not trees or table.distance in ("hamming", "discrete")
    return table.options if plain else {**table.options, "hierarchy": trees}


@pytest.mark.parametrize("which", sorted(MANY))
def test_frontiers_of_many_values(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A frontier that goes on to the end has what it shows, and releases for its levels, on or behind it."""
    make_many(monkeypatch, which)
    rng, released = random.Random(2000), 0
    for _ in range(12):
        table, asked = oracle.random_table(rng, 6), oracle.random_request(rng)
        options = {**with_trees(table, rng), **{n: asked[n] for n in ("objective", "utility", "method")}}
        try:
            found = stopped(table, options, 10**6, monkeypatch)
        except RequestError as error:
            assert "exact method" in str(error), error  # noqa: PT017 - nothing else may be refused
            continue
        check_methods(found, asked, min(point.maximin for point in found.points))
        for point in found.points if asked["objective"] == "leakage" else ():
            released += check_behind(table, {**options, "min_posterior": point.min_posterior}, found, asked)
    assert released


def check_behind(table: Table, options: dict[str, Any], found: Any, asked: dict[str, Any]) -> bool:
    """A release without suppressed rows is on or behind a frontier; whether there is one."""
    try:
        done = nl.release(table.arrow, **options)
    except RequestError:
        return False
    assert any(as_good(one, done.point, asked) for one in found.points), (done.point, found.points)
    return True


@pytest.mark.parametrize("seed", range(4))
def test_no_release_of_many_values_lies_before_the_frontier(seed: int) -> None:
    """The search of a release for a level is that of the frontier with the same options."""
    rng = random.Random(seed)
    size, secrets = rng.randint(700, 2500), rng.randint(3, 5)
    columns = {
        "a": rng.sample(range(3 * size), size),
        "b": [rng.randrange(9) for _ in range(size)],
        "c": [f"c{rng.randrange(12)}" for _ in range(size)],
    }
    table = pa.table({**columns, "s": [rng.randrange(secrets) for _ in range(size)]})
    public = rng.choice(["a", ["a", "b"], ["a", "c"], ["a", "b", "c"]])
    options: dict[str, Any] = {"sensitive": "s", "public": public}
    options |= rng.choice([{}, {"min_rows": rng.randint(2, 8)}])
    options |= rng.choice([{}, {"prefer": "mean"}, {"utility": "resolution"}])
    points, utility = nl.frontier(table, **options).points, options.get("utility", "distortion")
    for k in range(1, secrets + 1):
        done = nl.release(table, **options, min_posterior=k).point
        assert any(
            one.leakage <= done.leakage and not below(done.loss(utility), one.loss(utility)) for one in points
        ), (options, done, points)


@pytest.mark.parametrize("which", sorted(MANY))
def test_a_frontier_that_goes_on_loses_nothing(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With more time every point stays or is beaten, what is called proved is so, and no end is claimed."""
    make_many(monkeypatch, which)
    rng = random.Random(3000)
    for _ in range(4):
        table = oracle.random_table(rng, 5)
        asked = {**oracle.random_request(rng), "method": "auto"}
        options = {**table.options, **{n: asked[n] for n in ("objective", "utility", "method")}}
        before: Any = None
        for looks in (1, 3, 6, 10, 15, 25, 10**6):
            found = stopped(table, options, looks, monkeypatch)
            check_points(table, found, asked)
            for point in before.points if before is not None and asked["objective"] != "both" else ():
                assert any(as_good(one, point, asked) for one in found.points), (looks, point)
            before = found
