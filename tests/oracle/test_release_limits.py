"""Releases within limits on bets, widths and persons, against all releases of tiny tables.

Every figure is counted row by row, from the definitions of docs/risk.md; nothing of the search is used.
"""

# ruff: noqa: ANN401 - limits of several kinds

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

import noiseless as nl
from noiseless.errors import RequestError
from noiseless.releases.problem import PreparedTable
from noiseless.releases.request import ReleaseRequest
from noiseless.releases.source import ReleaseSource
from noiseless.search import (
    all_partitions,
    bounds,
    cell_cover,
    greedy,
    interval_cells,
    methods,
    portfolio,
)
from noiseless.search.goal import Goal, Targets
from oracle import releases as oracle
from oracle.definitions import emd_exact
from oracle.releases import Made, Table
from oracle.test_releases import beats, in_its_unit, same
from soaking import seeds

SEEDS = seeds(1)
DIGITS = 60

Groups = list[tuple[list[Any], list[Any], list[Any]]]
"""For each answer the secrets of its rows, those of all rows with its side information, and its persons."""


def answers(table: Table, cell_of: Callable[[int], Any], secret: Callable[[Any], Any]) -> Groups:
    """The rows behind each answer: a cell, with what is kept and given."""
    place = {t: x for x, t in enumerate(table.tuples)}
    held, known, who = defaultdict(list), defaultdict(list), defaultdict(list)
    for number, row in enumerate(table.rows):
        kept, given, s = row[table.width :]
        seen = (cell_of(place[row[: table.width]]), kept * table.keep, given * table.given)
        held[seen].append(secret(s))
        known[seen[2]].append(secret(s))
        who[seen].append(PERSONS[number % len(PERSONS)])
    return [(behind, known[seen[2]], who[seen]) for seen, behind in held.items()]


PERSONS = (1, 1, 2, 3, 2, 4, 4, 5)
"""Whose each row is, again and again."""


def share(values: list[Any], one: Any) -> Fraction:
    return Fraction(values.count(one), len(values))


def gains(behind: list[Any], before: list[Any]) -> list[Fraction]:
    return [share(behind, s) / share(before, s) for s in sorted(set(before))]


def largest_belief(groups: Groups, limit: Fraction, _: list[Any]) -> bool:
    return all(share(behind, s) <= limit for behind, _, _ in groups for s in behind)


def pointwise_leakage(groups: Groups, limit: Fraction, _: list[Any]) -> bool:
    return all(oracle.at_most(max(gains(b, before)), limit) for b, before, _ in groups)


def beta_likeness(groups: Groups, limit: Fraction, _: list[Any]) -> bool:
    return all(max(gains(b, before)) - 1 <= limit for b, before, _ in groups)


def enhanced_beta_likeness(groups: Groups, limit: Fraction, everybody: list[Any]) -> bool:
    def fine(behind: list[Any], before: list[Any], s: Any) -> bool:
        p, q = share(before, s), share(behind, s)
        with localcontext(prec=DIGITS):
            room = -(Decimal(p.numerator) / p.denominator).ln()
        return q / p - 1 <= Fraction(room)

    kept = all(fine(behind, before, s) for behind, before, _ in groups for s in set(behind))
    return kept and beta_likeness(groups, limit, everybody)


def delta_disclosure(groups: Groups, limit: Fraction, _: list[Any]) -> bool:
    def fine(ratio: Fraction) -> bool:
        if not ratio:
            return False
        with localcontext(prec=DIGITS):
            return abs(Fraction((Decimal(ratio.numerator) / ratio.denominator).ln())) < limit

    return all(fine(ratio) for behind, before, _ in groups for ratio in gains(behind, before))


def entropy_l_diversity(groups: Groups, limit: Fraction, _: list[Any]) -> bool:
    def fine(behind: list[Any]) -> bool:
        n, powers = len(behind), math.prod(c**c for c in Counter(behind).values())
        return bool(limit**n * powers <= n**n)

    return all(fine(behind) for behind, _, _ in groups)


def t_closeness(groups: Groups, limit: Fraction, everybody: list[Any]) -> bool:
    values = sorted(set(everybody))
    whole = [share(everybody, s) for s in values]
    ordered = not isinstance(everybody[0], str)
    return all(emd_exact([share(b, s) for s in values], whole, ordered) <= limit for b, _, _ in groups)


def width(groups: Groups, limit: Fraction, _: list[Any]) -> bool:
    return all(max(behind) - min(behind) >= limit for behind, _, _ in groups)


def min_classes(groups: Groups, limit: int, _: list[Any]) -> bool:
    return all(len({CLASSES[s] for s in behind}) >= limit for behind, _, _ in groups)


CLASSES = {"s0": "a", "s1": "b", "s2": "a", "s3": "b"}


def min_rows(groups: Groups, limit: int, _: list[Any]) -> bool:
    return all(len(set(persons)) >= limit for _, _, persons in groups)


LIMITS: dict[str, tuple[Callable[[Groups, Any, list[Any]], bool], list[Any]]] = {
    "largest_belief": (largest_belief, [Fraction(1, 3), Fraction(1, 2), Fraction(3, 5), Fraction(3, 4)]),
    "pointwise_leakage": (pointwise_leakage, [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)]),
    "beta_likeness": (beta_likeness, [Fraction(1, 5), Fraction(1, 2), Fraction(1), Fraction(2)]),
    "enhanced_beta_likeness": (enhanced_beta_likeness, [Fraction(1, 2), Fraction(1), Fraction(3)]),
    "delta_disclosure": (delta_disclosure, [Fraction(1, 3), Fraction(7, 10), Fraction(3, 2)]),
    "entropy_l_diversity": (entropy_l_diversity, [Fraction(3, 2), Fraction(17, 10), Fraction(2)]),
    "t_closeness": (t_closeness, [Fraction(1, 10), Fraction(1, 4), Fraction(2, 5)]),
    "width": (width, [1, Fraction(5, 2), 4, 6]),
    "min_classes": (min_classes, [1, 2]),
    "min_rows": (min_rows, [2, 3]),
}
"""What each limit means, and some that are asked for."""

NUMBERS = (Fraction(0), Fraction(1, 2), Fraction(3), Fraction(7))
"""The sensitive values as numbers."""


def number(text: str) -> Fraction:
    return NUMBERS[int(text[1:])]


def given(table: Table, limits: list[str]) -> tuple[pa.Table, Callable[[Any], Any], dict[str, Any]]:
    """The table as it is handed over, its secrets as they count, and options."""
    made, options = table.arrow, dict[str, Any](table.options)
    secret: Callable[[Any], Any] = str
    if "min_classes" in limits:
        options["classes"] = {value: (f"{name}{name}", name, "*") for value, name in CLASSES.items()}
        options["class_level"] = 2
    elif {"width", "delta_disclosure"} & {*limits} or ("t_closeness" in limits and table.share):
        secret = number
        texts = [str(float(number(text))) for text in made["s"].to_pylist()]
        made = made.set_column(made.column_names.index("s"), "s", pa.array([float(t) for t in texts]))
    if "min_rows" in limits:
        persons = [PERSONS[place % len(PERSONS)] for place in range(len(made))]
        made = made.append_column("who", pa.array(persons))
        options["unit"] = "who"
    return made, secret, options


def check_limits(table: Table, asked: dict[str, Any], limits: dict[str, Any]) -> str:
    """Compare one release with all; what became of it."""
    made_of, secret, options = given(table, list(limits))
    everybody = [secret(row[-1]) for row in table.rows]

    def holds(cell_of: Callable[[int], Any]) -> bool:
        groups = answers(table, cell_of, secret)
        return all(LIMITS[name][0](groups, limit, everybody) for name, limit in limits.items())

    def keeps(made: Made) -> bool:
        owner = {x: place for place, cell in enumerate(made.cells) for x in cell}
        return holds(lambda x: owner.get(x, -1))

    fine = [made for made in table.made if oracle.allowed(made, asked, 0) and keeps(made)]
    try:
        done = nl.release(made_of, **{**options, **asked, **limits, "suppress": table.share})
    except RequestError as error:
        text = str(error)
        assert "cannot be computed" not in text
        if "found" in text.split(";", maxsplit=1)[0]:
            return "missed" if fine else "not found"
        assert not fine, text
        return "impossible"
    check_tables(table, done, holds)
    matching = [made for made in fine if same(done.point, made)]
    assert matching, "the figures are those of no release within the limits"
    aims = asked | {"min_posterior": asked.get("min_posterior", 1)}
    mine, best = (min(oracle.value(made, aims) for made in some) for some in (matching, fine))
    if done.optimal:
        rivals = fine if done.scope == "all" else [made for made in fine if made.contiguous]
        assert not any(oracle.value(made, aims) < mine for made in rivals), f"not the best: {done.scope}"
        assert done.scope != "all" or done.gap == 0
    if done.gap is not None:
        assert in_its_unit(mine, aims) - in_its_unit(best, aims) <= done.gap + 1e-9, "the gap is larger"
    if done.least_mean_loss is not None:
        assert done.least_mean_loss <= min(made.mean for made in fine)
    found = nl.verify(done.certificate.to_dict(), original=made_of, released=done.table)
    assert found.holds, found
    if mine > best:
        return "worse"
    return f"proved, {done.scope}" if done.optimal else "best"


def check_tables(table: Table, done: Any, holds: Callable[[Callable[[int], Any]], bool]) -> None:
    """What the certificate lists as cells, which verification holds against the two tables, keeps limits."""
    texts = [tuple(made) for made in _texts(table)]
    cell = {tuple(m): i for i, one in enumerate(done.certificate["partition"]) for m in one["members"]}
    assert holds(lambda x: cell[texts[x]])


def _texts(table: Table) -> list[tuple[str | None, ...]]:
    """The public tuples as canonical texts."""
    firsts = [next(i for i, row in enumerate(table.rows) if row[: table.width] == t) for t in table.tuples]
    columns = [table.arrow[column.name].to_pylist() for column in table.columns]
    return [tuple(None if c[i] is None else str(c[i]) for c in columns) for i in firsts]


@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("seed", SEEDS)
def test_releases_keep_limits_and_prove_no_more_than_is_true(seed: int, name: str) -> None:
    """Limits hold in what is released, "the best" is the best, and what is refused cannot be had."""
    rng = random.Random(f"{seed} {name}")
    became = Counter[str]()
    for _ in range(6):
        table = oracle.random_table(rng, 5)
        asked: dict[str, Any] = {"objective": "leakage"}
        asked["utility"] = rng.choice(["distortion", "distortion", "resolution"])
        asked["method"] = rng.choice(["auto", "auto", "auto", "greedy"])
        if asked["utility"] == "distortion":
            asked["prefer"] = rng.choice(["worst", "mean"])
        if rng.random() < 0.3:
            asked["max_distortion"] = rng.choice([Fraction(1, 2), Fraction(2), Fraction(5)])
        if rng.random() < 0.3:
            asked["min_posterior"] = 2
        for limit in rng.sample(LIMITS[name][1], 2):
            became[check_limits(table, asked, {name: limit})] += 1
    assert became["missed"] <= 1, became


@pytest.mark.parametrize("seed", SEEDS)
def test_several_limits_hold_together(seed: int) -> None:
    """A conjunction of limits is a limit."""
    rng = random.Random(f"{seed} several")
    for _ in range(8):
        table = oracle.random_table(rng, 5)
        names = rng.sample(sorted(LIMITS.keys() - {"min_rows", "min_classes"}), 2)
        names = rng.choice(
            [names, ["min_rows", "width"], ["min_rows", "min_classes"]]
        )  # beliefs are of rows, not of persons
        limits = {name: rng.choice(LIMITS[name][1]) for name in names}
        check_limits(table, {"objective": "leakage", "utility": "distortion", "method": "auto"}, limits)


@pytest.mark.parametrize("name", LIMITS)
def test_limits_hold_where_values_are_many(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same by the methods for many values, which are tried on few."""
    for module, attribute in (
        *((methods, "FEW_VALUES"), (methods, "MOST_VALUES"), (portfolio, "ALL_LEVELS")),
        *((greedy, "MOST_VALUES"), (bounds, "MOST_VALUES")),
        *((all_partitions, "MOST_VALUES"), (cell_cover, "MOST_VALUES"), (interval_cells, "WORK")),
    ):
        monkeypatch.setattr(module, attribute, 0)
    rng = random.Random(f"many {name}")
    for _ in range(4):
        table = oracle.random_table(rng, 5)
        asked = {"objective": "leakage", "utility": "distortion", "method": "auto"}
        check_limits(table, asked, {name: rng.choice(LIMITS[name][1])})


@pytest.mark.parametrize("name", ["largest_belief", "delta_disclosure", "t_closeness", "width", "min_rows"])
def test_all_points_of_a_frontier_keep_limits(name: str) -> None:
    """Points are releases within the limits, and no such release beats one that is proved."""
    rng = random.Random(f"frontier {name}")
    shown = 0
    for _ in range(8):
        table, limit = oracle.random_table(rng, 5), rng.choice(LIMITS[name][1])
        made_of, secret, options = given(table, [name])
        everybody = [secret(row[-1]) for row in table.rows]
        utility = rng.choice(["distortion", "resolution"])
        asked = {"objective": "leakage", "utility": utility}
        fine = []
        for made in table.made:
            owner = {x: place for place, cell in enumerate(made.cells) for x in cell}
            groups = answers(table, owner.get, secret)
            if not made.hidden and LIMITS[name][0](groups, limit, everybody):
                fine.append(made)
        try:
            found = nl.frontier(made_of, utility=utility, **{name: limit}, **options)
        except RequestError:
            assert not fine
            continue
        for point in found.points:
            mine = [made for made in fine if same(point, made)]
            assert mine, "a point is no release within the limits"
            scope = point.scope
            rivals = fine if scope == "all" else [m for m in fine if m.contiguous] if scope else []
            assert not any(beats(rival, mine[0], asked) for rival in rivals), scope
            shown += 1
    assert shown


@pytest.mark.parametrize("fast", [False, True])
def test_runs_of_a_line_are_the_best_of_all(fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Contiguous cells with the least largest width, and among them the least mean; or the least mean."""
    monkeypatch.setattr(interval_cells, "FIRST", 1)
    monkeypatch.setattr(interval_cells, "AT_ONCE", 5)
    monkeypatch.setattr(interval_cells, "SMALL", 0 if fast else 2**17)
    rng = random.Random("runs")
    for _ in range(25):
        places = sorted(rng.sample(range(30), rng.randint(2, 8)))
        rows = [(x, rng.choice("abc")) for x in places for _ in range(rng.randint(1, 3))]
        belief, wide = rng.choice([Fraction(1, 2), Fraction(3, 5), Fraction(3, 4)]), rng.choice([None, 9, 12])
        if len({s for _, s in rows}) < 2:
            continue

        def worth(cells: list[list[int]], rows: list[tuple[int, str]] = rows) -> tuple[Fraction, Fraction]:
            spans = [(max(cell) - min(cell), sum(x in cell for x, _ in rows)) for cell in cells]
            return Fraction(max(span for span, _ in spans), 2), Fraction(sum(a * b for a, b in spans))

        fine = []
        for cuts in range(2 ** (len(places) - 1)):
            cells = [[places[0]]]
            for place, x in enumerate(places[1:]):
                cells += [[]] * (cuts >> place & 1)
                cells[-1] = [*cells[-1], x]
            held = [[s for x, s in rows if x in cell] for cell in cells]
            kept = all(share(group, s) <= belief for group in held for s in group)
            if kept and (wide is None or worth(cells)[0] <= wide):
                fine.append(worth(cells))
        table = pa.table({"x": [x for x, _ in rows], "s": [s for _, s in rows]})
        for prefer in ("worst", "mean"):
            problem = PreparedTable.of(
                ReleaseSource.read(
                    table, ReleaseRequest.of({"sensitive": "s", "public": "x", "largest_belief": belief})
                )
            ).problem
            goal = Goal(utility="distortion", prefer=prefer, limited=True, max_distortion=wide)
            labels = interval_cells.IntervalCells(Targets(problem, goal)).labels
            assert (labels is None) == (not fine)
            if labels is not None:
                found = [
                    [x for x, at in zip(places, labels, strict=True) if at == cell] for cell in set(labels)
                ]
                first = 1 if prefer == "mean" else 0
                assert worth(found)[first] == min(one[first] for one in fine)
                assert prefer == "mean" or worth(found) == min(fine)
