"""The oracle of published tables is right itself: on known cases, and against the whole product."""

import json
from fractions import Fraction
from itertools import combinations, product
from math import prod
from pathlib import Path
from typing import Any

import pytest

from oracle.tabulation_oracle import (
    Group,
    Knowledge,
    Row,
    World,
    contradictions,
    dominance,
    exactly,
    implies,
    own_knowledge,
    p_percent,
    prior_posterior,
    protected,
    rounded,
    total,
)
from oracle.tabulation_worlds import random_publication

GOLDEN: dict[str, dict[str, Any]] = {
    case["id"]: case
    for case in json.loads((Path(__file__).parent / "tables_golden.json").read_text("utf-8"))["cases"]
}


def golden_world(case: dict[str, Any]) -> World:
    rows = [
        rounded(total(row["of"]), row["round"], row["told"])
        if "round" in row
        else exactly(total(row["of"]), row["exact"])
        for row in case["published"]
    ]
    return World({name: tuple(case["domain"][name]) for name in case["cells"]}, tuple(rows))


@pytest.mark.parametrize("name", [name for name, case in GOLDEN.items() if "published" in case])
def test_golden_cases(name: str) -> None:
    case, expected = GOLDEN[name], GOLDEN[name]["expected"]
    world = golden_world(case)
    knowledge = Knowledge.of(world)
    assert len(knowledge.tables) == expected["tables"]
    assert {of: sorted(knowledge.values(form)) for of, form in case["forms"].items()} == expected["values"]
    assert [of for of, form in case["forms"].items() if knowledge.disclosed(form)] == expected["disclosed"]
    for of, form in case["forms"].items():
        values = knowledge.values(form)
        assert [min(values), max(values)] == expected["range"][of]
        assert knowledge.bits_left(form) == pytest.approx(expected["bits_left"][of], abs=1e-4)
        assert implies(world, form, values)
        assert len(values) == 1 or not implies(world, form, values - {max(values)})
    assert world.possible()
    assert contradictions(world, 2) == []


def test_golden_suppression() -> None:
    """No cheaper pattern protects the primary cell of g17, and only the named one does at that cost."""
    asked = GOLDEN["g17"]["optimise"]
    table = {f"x{i}{j}": value for i, row in enumerate(asked["table"]) for j, value in enumerate(row)}
    lines = [[name for name in table if name[axis] == str(at)] for axis in (1, 2) for at in range(3)]
    margins = [exactly(total(line), sum(table[name] for name in line)) for line in [*lines, list(table)]]
    ends: list[int] = asked["protect"]["x00"]

    def protects(hidden: set[str]) -> bool:
        shown = [exactly({name: 1}, value) for name, value in table.items() if name not in hidden]
        values = Knowledge.of(World(dict.fromkeys(table, (0, 40)), (*margins, *shown))).values({"x00": 1})
        return min(values) <= ends[0] and max(values) >= ends[1]

    cost = asked["optimal_cost"]
    others = [set(chosen) for size in range(5) for chosen in combinations(list(table)[1:], size)]
    affordable = [more for more in others if sum(table[name] for name in more) <= cost]
    good = [more for more in affordable if protects({"x00"} | more)]
    assert good == [{f"x{i}{j}" for i, j in asked["pattern"]}]
    assert sum(table[name] for name in good[0]) == cost


def test_golden_rounding() -> None:
    """No additive table has every cell and every margin of g19 rounded to a neighbour."""
    case = GOLDEN["g19"]
    places = list(product(*map(range, case["shape"])))
    truth = dict(zip(places, case["table"], strict=True))
    names = {at: "".join(map(str, at)) for at in places}
    rows = []
    for pattern in product(*((*range(size), None) for size in case["shape"])):
        summed = [at for at in places if all(p in {None, a} for p, a in zip(pattern, at, strict=True))]
        value = sum(truth[at] for at in summed)
        ends = value // case["base"], -(-value // case["base"])
        rows.append(Row(total([names[at] for at in summed]), *ends))
    world = World(dict.fromkeys(names.values(), (0, 9)), tuple(rows))
    assert len(world.tables()) == case["expected"]["roundings"] == 0


def test_golden_contributors() -> None:
    case = GOLDEN["g21"]
    values, expected = list(map(Fraction, case["contributions"])), case["expected"]
    first, second, third = case["contributions"]
    level = p_percent(values, Fraction(case["p"]))
    assert level == Fraction(expected["upl"])
    assert (level > 0) is expected["sensitive"]
    assert (dominance(values, 1, Fraction(75)) > 0) is expected["nk_1_75"]
    assert prior_posterior(values, Fraction(10), Fraction(100)) == level
    assert p_percent(values, Fraction(10), coalition=2) == Fraction(558, 10)
    total_of_cell = expected["total"]
    assert not protected({total_of_cell}, total_of_cell, level, level)
    assert protected(range(606, 685), 645, level, level)
    assert not protected(range(606, 684), 645, level, level)
    assert not protected(range(607, 685), 645, level, level)
    assert not protected(range(606, 685), 645, level, level, Fraction(79))
    assert expected["second_largest_upper_estimate"] == total_of_cell - second
    assert expected["third_upper_estimate"] == total_of_cell - third
    given = {"c": {"A": first, "B": second, "C": third}, "d": {"B": 4}}
    assert own_knowledge(given, {"B"}) == (Row({"c": 1}, second, None), Row({"d": 1}, 4, 4))
    assert own_knowledge(given, {"A", "B", "C"}) == (Row({"c": 1}, 645, 645), Row({"d": 1}, 4, 4))


def test_persons() -> None:
    """Three people, at most two of whom have the flu; one who has it learns that another one does not."""
    world = World({"flu": (0, 3), "none": (0, 3)}, (exactly({"flu": 1, "none": 1}, 3), Row({"flu": 1}, 1, 2)))
    group = Group(Knowledge.of(world), {"flu": {"flu": 1}, "none": {"none": 1}})
    assert group.possible == group.certain == {"flu", "none"}
    assert not group.disclosed
    seen = group.seen_by("flu")
    assert seen is not None
    assert (seen.possible, seen.certain) == ({"flu", "none"}, {"none"})
    seen = group.seen_by("none")
    assert seen is not None
    assert (seen.possible, seen.certain) == ({"flu", "none"}, {"flu"})
    alone = Group(Knowledge.of(world.but(Row({"none": 1}, 1, 1))), group.secrets).seen_by("none")
    assert alone is not None
    assert alone.disclosed
    assert (
        Group(Knowledge.of(World({"flu": (0, 0), "none": (1, 3)}, ())), group.secrets).seen_by("flu") is None
    )


def test_the_search_finds_what_the_whole_product_has() -> None:
    compared = empty = 0
    for seed in range(400):
        world = random_publication(seed).world
        ranges = [range(low, high + 1) for low, high in world.bounds.values()]
        if prod(map(len, ranges)) > 3_000 or len(world.rows) > 10:
            continue
        fitting = []
        for table in product(*ranges):
            values = dict(zip(world.bounds, table, strict=True))
            if all(row.fits(sum(values[name] for name in row.form)) for row in world.rows):
                fitting.append(table)
        compared += 1
        assert sorted(world.tables()) == fitting, seed
        assert world.possible() is bool(fitting)
        if not fitting:
            empty += 1
            for rows in contradictions(world):
                assert not world.only(rows).possible()
                assert all(world.only(rows - {row}).possible() for row in rows)
    assert compared > 60
    assert empty > 5
