"""Disclosure rules against their definitions: every dataset of a tiny domain is enumerated."""

from collections.abc import Callable, Hashable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from math import gcd, lcm
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import noiseless as nl
from noiseless.errors import RequestError
from noiseless.rules import KINDS
from noiseless.rules.rule_plan import RulePlan
from oracle.rules import (
    Answer,
    World,
    equal_divisions,
    is_dominance,
    is_log2_rounded_down,
    is_log2_rounded_up,
    most_met,
    passes,
    period,
    told,
    widest,
)

MOST_VALUES = {1: 12, 2: 8, 3: 6, 4: 4}
"""How many values a record may have, that all datasets of so many people are soon enumerated."""

directions = st.sampled_from(["", ":half-away", ":half-even", ":down", ":up"])
bases = st.sampled_from(
    ["0.1", "0.3", "0.5", "0.75", "1", "1.25", "2", "2.5", "3", "4", "5", "7", "10", "20"]
)
marks = st.sampled_from(["-3", "0", "0.7", "2", "2.5", "5", "11"])
percents = st.sampled_from(["5.5", "10", "15", "25", "30", "33.3", "35", "40", "50", "60", "75", "85", "99"])
roundings = st.builds("round:{}{}".format, bases, directions)
COARSENINGS = {
    "round": roundings,
    "digits": st.integers(1, 3).map("digits:{}".format),
    "top": marks.map("top:{}".format),
    "bottom": marks.map("bottom:{}".format),
}
coarsenings = st.one_of(*COARSENINGS.values())
least_cells = st.builds("min-cell:{}{}".format, st.integers(1, 6), st.sampled_from(["", ":zeros"]))
DOMINANCES = {
    "nk": st.builds("nk:{}:{}".format, st.integers(1, 4), percents),
    "p-percent": st.sampled_from(["1", "10", "25", "50", "80", "100", "150", "300"]).map(
        "p-percent:{}".format
    ),
    "customers": st.builds("customers:{}:{}".format, st.integers(1, 4), percents),
}
dominances = st.one_of(*DOMINANCES.values())
OTHERS = {"census-counts", "min-cell", "date", "prefix"}
"""Rules that have strategies of their own."""


def test_every_rule_is_priced_against_its_definition() -> None:
    assert {*COARSENINGS, *DOMINANCES, *OTHERS} == set(KINDS)


def lattice(low: Fraction, step: Fraction, size: int) -> tuple[Fraction, ...]:
    return tuple(low + step * number for number in range(size))


@st.composite
def worlds(draw: st.DrawFn, rules: st.SearchStrategy[str], queries: Sequence[str]) -> World:
    """Bounds of any sign, steps that need not divide the base."""
    query, rule = draw(st.sampled_from(queries)), draw(rules)
    if query == "count":
        return World(query, draw(st.integers(1, 8)), (Fraction(0), Fraction(1)), rule)
    people = 1 if query == "value" else draw(st.integers(1, 4))
    step = Fraction(draw(st.sampled_from([1, 1, 2, 3, 7])), draw(st.sampled_from([1, 1, 2, 3, 10])))
    low = Fraction(draw(st.integers(-8, 8)), draw(st.sampled_from([1, 1, 2, 3])))
    size = draw(st.integers(1, 25 if query == "value" else MOST_VALUES[people]))
    return World(query, people, lattice(abs(low) if is_dominance(rule) else low, step, size), rule)


@st.composite
def counted(draw: st.DrawFn) -> World:
    """Whole numbers under the census rule, around the ends of its bands."""
    low, step = draw(st.sampled_from([0, 5, 13, 14, 90, 96, 470, 970])), draw(st.sampled_from([1, 2, 7, 25]))
    query, people = draw(st.sampled_from(["sum", "min", "max"])), draw(st.integers(1, 3))
    return World(
        query, people, lattice(Fraction(low), Fraction(step), draw(st.integers(1, 6))), "census-counts"
    )


def planned(world: World) -> RulePlan:
    people = None if world.query == "value" else world.people
    if world.query == "count":
        return nl.plan("count", n=people, rule=world.rule)
    bounds, steps = (world.domain[0], world.domain[-1]), {b - a for a, b in pairwise(world.domain)}
    step = min(steps, default=Fraction(1))
    return nl.plan(world.query, n=people, bounds=bounds, step=step, rule=world.rule)


rule_of: Callable[[str], Any] = nl.rule
"""Reads a rule, whose kind decides what can be asked of it."""


def read(answer: int | str) -> Answer:
    """An answer as JSON has it: whole numbers, exact texts of others, labels."""
    try:
        return Fraction(answer)
    except ValueError:
        return str(answer)


def check_witness(world: World, found: dict[str, Any]) -> None:
    """The others and the values are declared ones, and they cause what is said."""
    others = tuple(Fraction(value) for value, times in found["witness"]["others"] for _ in range(times))
    assert len(others) == world.people - 1
    assert set(others) <= set(world.domain)
    caused = world.caused(others)
    shown = [Fraction(value) for value in found["witness"]["values"]]
    answers = [read(answer) for answer in found["witness"]["answers"]]
    assert answers == [caused[value] for value in shown]
    assert len(set(answers)) == len(answers) == min(3, found["witness_reach"])
    assert found["witness_reach"] == len(set(caused.values()))


def check_finest(world: World, plan: RulePlan) -> None:
    """The cells beside a rule leak no more, and no equal cells that leak no more have a smaller error."""
    assert plan.finest is not None
    cell = plan.finest.mechanism.quantizer.cell
    assert most_met(cell, world.images) <= plan.finest.reach <= world.reach
    assert 2 * plan.finest.worst_error == widest(behind({y: cell(y) for y in world.truths}))
    if len(world.truths) > 12:
        return
    shifted = world.query != "variance"  # of which only cells from the low end are looked at
    sound = [
        division
        for division in equal_divisions(world.truths, shifted=shifted)
        if most_met(division.__getitem__, world.images) <= world.reach
    ]
    assert 2 * plan.finest.worst_error <= min(widest(behind(division)) for division in sound)


def check_verdict(world: World, plan: RulePlan) -> None:
    assert plan.finest is not None
    if "instead of" in plan.verdict:
        assert plan.finest.worst_error < world.worst_error
    if "no equal cells" in plan.verdict:
        assert plan.finest.worst_error >= world.worst_error
    if "protects nothing" in plan.verdict or "tells everything" in plan.verdict:
        assert world.reach == max(len(image) for image in world.images)


def behind(division: dict[Fraction, int]) -> list[set[Fraction]]:
    return [{y for y, own in division.items() if own == cell} for cell in set(division.values())]


def check(world: World) -> None:
    plan = planned(world)
    found = plan.to_dict()
    assert found["reach"] >= world.reach
    assert found["reach_exact"], "domains are tiny"
    assert found["reach"] == found["witness_reach"] == world.reach
    assert is_log2_rounded_up(found["bits"], world.reach)
    assert is_log2_rounded_down(found["entropy_of_record"], len(world.domain))
    assert found["withheld"] == world.may_withhold
    assert (found["warning"] is not None) == (world.reach >= len(world.domain) > 1)
    check_witness(world, found)
    check_finest(world, plan)
    if is_dominance(world.rule) and world.may_withhold:
        assert found["cells"] == (1 if len(world.cells) == 1 else None)
        assert found["worst_error"] is None
    else:
        assert found["cells"] == len(world.cells)
        if world.rule.startswith("min-cell:") and world.query != "count" and world.may_withhold:
            assert found["worst_error"] is None
        else:
            assert Fraction(found["worst_error_exact"]) == world.worst_error
            assert Fraction(found["worst_error"]) >= world.worst_error
            check_verdict(world, plan)


EVERY = ("count", "sum", "mean", "min", "max", "median", "variance", "value")


@given(worlds(coarsenings, EVERY))
def test_coarsenings(world: World) -> None:
    check(world)


@given(worlds(least_cells, EVERY[:-1]))
def test_least_cells(world: World) -> None:
    check(world)


@given(worlds(dominances, ("sum", "mean")))
def test_dominance(world: World) -> None:
    check(world)


@given(counted())
def test_census_counts(world: World) -> None:
    check(world)


@given(dominances, st.integers(5, 9), st.integers(0, 12), st.integers(2, 4), st.integers(1, 3))
def test_dominance_among_more_people(rule: str, people: int, low: int, size: int, step: int) -> None:
    world = World("sum", people, lattice(Fraction(low), Fraction(step), size), rule)
    found = planned(world).to_dict()
    assert found["reach"] == world.reach
    check_witness(world, found)


@given(
    coarsenings,
    st.sampled_from(["sum", "mean"]),
    st.integers(1, 30),
    st.tuples(st.integers(-60, 60), st.integers(1, 25), st.sampled_from([1, 2, 3, 10])),
)
def test_sums_of_many(rule: str, name: str, people: int, values: tuple[int, int, int]) -> None:
    """Of the others only their total matters, and that is any number of the lattice."""
    low, last, parts = values
    shared, first, step = people if name == "mean" else 1, Fraction(low, 2), Fraction(1, parts)
    labels = [told(rule, (people * first + step * place) / shared) for place in range(people * last + 1)]
    cuts = [0]
    for before, after in pairwise(labels):
        cuts.append(cuts[-1] + (before != after))
    plan = nl.plan(name, n=people, bounds=(first, first + step * last), step=step, rule=rule)
    assert plan.reach == 1 + max(cuts[place + last] - cuts[place] for place in range(len(cuts) - last))
    assert plan.cells == cuts[-1] + 1
    longest = max(cuts.count(cell) for cell in range(cuts[-1] + 1))
    assert plan.worst_error == (longest - 1) * step / shared / 2


# --- any number between the bounds ----------------------------------------------------------------


@st.composite
def continua(draw: st.DrawFn) -> World:
    """Values on a grid so fine that it has all edges, all ends and a point between any two of them."""
    query = draw(st.sampled_from(["sum", "mean", "min", "max", "median", "value"]))
    people = 1 if query == "value" else draw(st.integers(1, 3))
    base = Fraction(draw(st.sampled_from(["0.5", "1", "2", "2.5", "3"])))
    unit = base / draw(st.integers(1, 3))
    low = unit * draw(st.integers(-5, 5))
    rule = f"round:{Decimal(base.numerator) / base.denominator}{draw(directions)}"
    if draw(st.integers(0, 3)) == 0:
        base, rule, low = Fraction(1), "digits:1", max(abs(low), Fraction(1))
    high = low + unit * draw(st.integers(1, 5))
    if rule == "digits:1" and draw(st.booleans()):
        low, high = -high, -low
    grid = _common(low, high, base / 2 * (people if query == "mean" else 1)) / 2
    if query == "median" and people == 2:
        grid /= 2
    size = int((high - low) / grid) + 1
    assume(size <= {1: 200, 2: 40, 3: 20}[people])
    return World(query, people, lattice(low, grid, size), rule)


def _common(*numbers: Fraction) -> Fraction:
    """The largest number of which all are multiples."""
    below = lcm(*(number.denominator for number in numbers))
    return Fraction(gcd(*(int(number * below) for number in numbers)), below)


@given(continua())
def test_any_number_between_the_bounds(world: World) -> None:
    people = None if world.query == "value" else world.people
    low, high = world.domain[0], world.domain[-1]
    plan = nl.plan(world.query, n=people, bounds=(low, high), rule=world.rule)
    assert plan.reach >= world.reach
    if plan.reach_exact:
        assert plan.reach == plan.witness_reach == world.reach
    witness = plan.to_dict()["witness"]
    others = [Fraction(value) for value, times in witness["others"] for _ in range(times)]
    own = [Fraction(value) for value in witness["values"]]
    assert len(others) == world.people - 1
    assert all(low <= value <= high for value in [*others, *own])
    assert [read(answer) for answer in witness["answers"]] == [world.answer([*others, x]) for x in own]
    assert plan.cells == len(world.cells)
    gap = max(b - a for a, b in pairwise(world.truths))
    assert plan.worst_error is not None
    assert world.worst_error <= plan.worst_error <= world.worst_error + gap
    assert plan.finest is not None
    assert most_met(plan.finest.mechanism.quantizer.cell, world.images) <= plan.finest.reach <= plan.reach


# --- where the reach is a bound -------------------------------------------------------------------


def true_reach_of_variance(people: int, last: int, label: Callable[[Fraction], Hashable]) -> int:
    """As `World.reach` for the values 0..last, but fast: n^2 times a variance is a whole number."""
    names: dict[Hashable, int] = {}
    largest = (people // 2) * (people - people // 2) * last**2
    labels = [names.setdefault(label(Fraction(y, people**2)), len(names)) for y in range(largest + 1)]
    own = np.arange(last + 1)
    others = np.array(list(combinations_with_replacement(range(last + 1), people - 1)))
    sums, squares = others.sum(axis=1)[:, None] + own, (others**2).sum(axis=1)[:, None] + own**2
    caused = np.sort(np.array(labels)[people * squares - sums**2], axis=1)
    return 1 + int((np.diff(caused, axis=1) != 0).sum(axis=1).max())


@pytest.mark.parametrize("rule", ["top:90", "round:20", "digits:1"])
def test_a_bound_is_no_licence_to_leak_more(rule: str) -> None:
    """Cells that are said to tell no more must not, though nobody counted what the rule tells."""
    world = World("variance", 3, lattice(Fraction(0), Fraction(1), 61), rule)
    true = true_reach_of_variance(3, 60, lambda truth: told(rule, truth))
    plan = planned(world)
    assert plan.reach >= true >= plan.witness_reach
    assert true == plan.reach or not plan.reach_exact
    check_witness(world, plan.to_dict())
    assert plan.finest is not None
    leak = true_reach_of_variance(3, 60, plan.finest.mechanism.quantizer.cell)
    assert leak <= plan.finest.reach
    assert leak <= true


# --- what is told ---------------------------------------------------------------------------------

numbers = st.one_of(
    st.fractions(-2000, 2000, max_denominator=40),
    st.builds(lambda base, halves: Fraction(base) * halves / 2, bases, st.integers(-41, 41)),
    st.builds(
        lambda power, parts: Fraction(10) ** power - Fraction(1, 10**parts),
        st.integers(-4, 9),
        st.integers(0, 6),
    ),
    st.builds(lambda digit, power: digit * Fraction(10) ** power, st.integers(-99, 99), st.integers(-9, 9)),
)


@given(coarsenings, numbers)
def test_what_is_told_of_a_number(rule: str, number: Fraction) -> None:
    forms: list[int | Fraction | Decimal] = [number]
    if number.denominator == 1:
        forms.append(int(number))
    if 10**12 % number.denominator == 0:
        forms.append(Decimal(number.numerator) / number.denominator)
    for form in forms:
        answer = rule_of(rule).told(form)
        assert (answer if isinstance(answer, str) else Fraction(answer)) == told(rule, number)


@pytest.mark.parametrize(
    ("rule", "number", "answer"),
    [
        ("round:5", "2.5", "5"),
        ("round:5", "-2.5", "-5"),
        ("round:5:half-even", "2.5", "0"),
        ("round:5:half-even", "-7.5", "-10"),
        ("round:5:down", "-1", "-5"),
        ("round:5:up", "-1", "0"),
        ("round:0.01", "1.005", "1.01"),
        ("round:0.1", "-0.05", "-0.1"),
        ("digits:2", "9.99", "10"),
        ("digits:2", "-0.0995", "-0.1"),
        ("digits:1", "95", "100"),
        ("digits:3", "0", "0"),
    ],
)
def test_golden_numbers(rule: str, number: str, answer: str) -> None:
    assert told(rule, Fraction(number)) == Fraction(answer)
    assert rule_of(rule).told(Decimal(number)) == Decimal(answer)


def test_census_counts_are_told_by_their_bands() -> None:
    ends = (15, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
    near = [
        end + by for end in ends for by in (-500, -50, -25, -5, -1, 0, 1, 5, 25, 50, 250, 500, 1_500, 5_000)
    ]
    rule = rule_of("census-counts")
    for number in [*range(1_100), *(n for n in near if n >= 0)]:
        answer = rule.told(number)
        assert (answer if isinstance(answer, str) else Fraction(answer)) == told(
            "census-counts", Fraction(number)
        )
    assert [rule.told(n) for n in (14, 15, 25, 99, 125, 9_950, 1_000_500, 1_001_500)] == (
        ["<15", 20, 30, 100, 150, 10_000, 1_000_000, 1_002_000]
    )


@given(dominances, st.lists(st.fractions(0, 30, max_denominator=3), max_size=6))
def test_which_totals_pass(rule: str, contributions: list[Fraction]) -> None:
    assert rule_of(rule).passes(contributions) == passes(rule, contributions)


@given(least_cells, st.integers(0, 9))
def test_which_counts_pass(rule: str, count: int) -> None:
    assert rule_of(rule).passes(count) == (not isinstance(told(rule, Fraction(count)), str))


# --- dates and codes ------------------------------------------------------------------------------

periods = st.sampled_from(["year", "quarter", "month", "week", "decade"])


@given(periods, st.dates(), st.integers(0, 500))
def test_dates(kind: str, first: date, days: int) -> None:
    assume(first.toordinal() + days <= date.max.toordinal())
    every = [first + timedelta(day) for day in range(days + 1)]
    rule = f"date:{kind}"
    answers = [period(kind, day) for day in every]
    assert [rule_of(rule).told(day) for day in every] == answers
    plan = nl.plan("value", bounds=(every[0], every[-1]), rule=rule)
    assert plan.reach == plan.cells == plan.witness_reach == len(set(answers))
    assert plan.reach_exact
    longest = max(answers.count(answer) for answer in set(answers))
    assert plan.worst_error == Fraction(longest - 1, 2)
    witness = plan.to_dict()["witness"]
    shown = [date.fromisoformat(value) for value in witness["values"]]
    assert all(every[0] <= day <= every[-1] for day in shown)
    assert witness["answers"] == [period(kind, day) for day in shown]
    assert is_log2_rounded_down(plan.to_dict()["entropy_of_record"], len(every))


@given(st.integers(0, 5), st.integers(1, 4), st.data())
def test_prefixes(kept: int, length: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, 10**length - 1))
    last = data.draw(st.integers(first, min(first + 400, 10**length - 1)))
    codes = [f"{number:0{length}}" for number in range(first, last + 1)]
    answers = [code[:kept] + "*" * (length - kept) for code in codes]
    assert [rule_of(f"prefix:{kept}").told(code) for code in codes] == answers
    plan = nl.plan("value", bounds=(codes[0], codes[-1]), rule=f"prefix:{kept}")
    assert plan.reach == plan.cells == plan.witness_reach == len(set(answers))
    witness = plan.to_dict()["witness"]
    assert [answers[codes.index(value)] for value in witness["values"]] == witness["answers"]


# --- what cannot be priced ------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["top:5", "bottom:5", "digits:2", "15/15", "min-cell:2"])
def test_infinitely_many_answers_are_refused(rule: str) -> None:
    with pytest.raises(RequestError, match="infinitely many"):
        nl.plan("sum", n=20, bounds=(0, 10), rule=rule)
