"""Cell suppression beside tau-Argus: the same records and levels, the cost, and who learns what."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from measure import WORK
from noiseless.tabulations.audit import audit_tables
from page import Form, Part, Section, Table
from peers.magnitude_tables import amounts_of, classification, publication_of, wanted_levels
from side_by_side import OURS, Contender, Outcome, Race
from wording import versus

RULE = "P(10,1)|FREQ(3,10)"
ARGUS = Contender("pytauargus", "tauargus_work", "pytauargus")

COST = """\
Cell suppression of tables of amounts with their totals, made of random records. pytauargus (method OPT, rule
`P(10,1)|FREQ(3,10)`) names the sensitive cells and their protection levels, rounded; noiseless protects the
same cells from outsiders at these levels and 1 more, at the same costs, the cells' values. *Secondary* is
the cost of what is withheld besides; *proved* says what share of the cost of all that is withheld might be
avoidable. The time of noiseless, of which it gets 50 s at most, includes the exact audit of the result;
pytauargus runs once in a fresh process and an empty folder. Where it does not finish, the levels are worked
out from the same rule. *Seed* is that of the random records: some tables are far harder than others of their
size."""

LEARN = """\
What the patterns of pytauargus leave, by the exact audit: contributors who are alone in a withheld cell
subtract what is theirs, and know a sensitive figure of others exactly; figures whose levels are not kept. OPT
ignores single contributors, MOD has options for them, which are on. noiseless protects the same tables from
every contributor by default (p = 10 %, 3 contributors), and its result passes the same audit."""


def costs(form: Form) -> Iterator[Part]:
    """The same tables and levels."""
    rows = list[dict[str, Any]]()
    for name, size, groups, *seeds in _shapes(form):
        for seed in seeds or (len(name),):
            path = _records(seed, size, groups)
            rows.append({"table": name, "seed": seed, **_compared(form, path)})
    yield Table(rows, "Cost and seconds")
    yield from versus(rows, "noiseless s", {"pytauargus": "pytauargus s"}, ("table", "seed"))


def _compared(form: Form, path: Path) -> dict[str, Any]:
    """One table, protected by both."""
    theirs, records = _peer(form, path, "OPT(1)"), json.loads(path.read_text())
    levels, secondary = _levels(records), None
    if theirs.finished:
        levels = [[r, c, low + 1, high + 1] for r, c, status, low, high, _ in theirs.value if status == "U"]
        secondary = sum(each[5] for each in theirs.value if each[2] == "M")
    file = path.with_name(f"{path.stem}-levels.json")
    file.write_text(json.dumps(levels))
    ours = Race((OURS,), "suppress", form, repeats=2 if theirs.finished else 0).run(
        path=str(path), levels=str(file), contributors=False
    )["noiseless"]
    safe, loss, gap = ours.value
    if not safe:
        raise AssertionError("noiseless found no safe pattern")
    return {
        "cells": len(publication_of(records).row_names),
        "sensitive": len(levels),
        "pytauargus secondary": "-" if secondary is None else secondary,
        "noiseless secondary": loss,
        "proved": "yes" if gap == 0 else f"within {100 * gap:.1f} %",
        "pytauargus s": theirs.seconds,
        "noiseless s": ours.seconds,
    }


def _levels(records: dict[str, Any]) -> list[list[Any]]:
    """The sensitive cells by `RULE`, and how far below and above must stay possible, and 1 more."""
    above: dict[str, dict[str, list[str]]] = {"r": {}, "c": {}}
    for axis in "rc":
        each = classification(records, axis)
        for place, label in enumerate(each.categories):
            above[axis][label] = [label, *(name for name, of in each.groups.items() if place in of)]
    amounts = defaultdict[tuple[str, str], list[float]](list)
    for row, column, amount in zip(*(records[key] for key in "rcv"), strict=True):
        for cell in product(above["r"][row], above["c"][column]):
            amounts[cell].append(amount)
    found = list[list[Any]]()
    for cell, given in amounts.items():
        given.sort()
        level = given[-1] / 10 - sum(given[:-2])
        if level <= 0 and len(given) < 3:
            level = sum(given) / 10
        if level > 0:
            found.append([*cell, round(level) + 1, round(level) + 1])
    return found


def contributors(form: Form) -> Iterator[Part]:
    """What is known all the same."""
    rows = list[dict[str, Any]]()
    for name, size, groups in _small_shapes(form):
        path = _records(len(name), size, groups)
        for method in ("OPT(1)", "MOD(1,5,1,1,1)"):
            theirs = _peer(form, path, method)
            if theirs.finished:
                rows.append(
                    {"table": name, "pattern": f"pytauargus {method[:3]}", **_left(path, theirs.value)}
                )
        empty = path.with_name("no-levels.json")
        empty.write_text("[]")
        ours = Race((OURS,), "suppress", form, repeats=0).run(
            path=str(path), levels=str(empty), contributors=True
        )["noiseless"]
        safe = ours.value[0]
        rows.append(
            {
                "table": name,
                "pattern": "noiseless",
                "contributors who learn": 0 if safe else "refused",
                "levels not kept": 0 if safe else "refused",
            }
        )
    yield Table(rows, "Contributors who learn a sensitive figure exactly")


def _shapes(form: Form) -> Sequence[tuple[Any, ...]]:
    """Names, sizes, groups, and seeds where there are several."""
    if form.small:
        return (("6 x 6", (6, 6), {"r": 0, "c": 0}), ("6(3) x 4", (6, 4), {"r": 3, "c": 0}))
    return (
        ("20 x 20", (20, 20), {"r": 0, "c": 0}),
        ("50 x 50", (50, 50), {"r": 0, "c": 0}),
        ("100 x 100", (100, 100), {"r": 0, "c": 0}),
        ("40 in groups x 20", (40, 20), {"r": 5, "c": 0}),
        ("30 in groups x 30 in groups", (30, 30), {"r": 5, "c": 5}, 27, 1, 2, 3, 4),
        ("100 in groups x 80", (100, 80), {"r": 5, "c": 0}, 1, 2, 3),
        ("84 in groups x 84 in groups", (84, 84), {"r": 5, "c": 5}, 1, 2, 3),
    )


def _small_shapes(form: Form) -> Sequence[tuple[Any, ...]]:
    """Tables whose contributors the exact audit goes through, one by one, in seconds."""
    if form.small:
        return _shapes(form)
    return (
        ("20 x 20", (20, 20), {"r": 0, "c": 0}),
        ("20 in groups x 12", (20, 12), {"r": 5, "c": 0}),
        ("15 in groups x 15 in groups", (15, 15), {"r": 5, "c": 5}),
    )


def _records(seed: int, size: tuple[int, int], groups: dict[str, int]) -> Path:
    chance = np.random.default_rng(seed)
    cells = [
        (f"r{row:02}", f"c{col:02}")
        for row, col in np.ndindex(*size)
        for _ in range(int(chance.choice([1, 2, 3, 5, 8, 12], p=[0.1, 0.1, 0.2, 0.2, 0.2, 0.2])))
    ]
    amounts = (10 * (1 + chance.pareto(1.5, len(cells)))).astype(int).astype(float)
    records = {"r": [row for row, _ in cells], "c": [col for _, col in cells], "v": amounts.tolist()}
    WORK.mkdir(exist_ok=True)
    path = WORK / f"protect-{size[0]}-{size[1]}-{groups['r']}-{groups['c']}-{seed}.json"
    path.write_text(json.dumps({**records, "groups": groups}))
    return path


def _peer(form: Form, path: Path, method: str) -> Outcome:
    race = Race((ARGUS,), "suppress", form, repeats=0)
    return race.run(path=str(path), rule=RULE, method=method)["pytauargus"]


def _left(path: Path, chosen: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """What the exact audit says of a pattern of the peer."""
    records = json.loads(path.read_text())
    true = publication_of(records)
    hidden = publication_of(records, [(r, c) for r, c, status, *_ in chosen if status != "S"])
    audit = audit_tables(
        hidden,
        rules={"p_percent": 10, "threshold": 3},
        contributions=amounts_of(true, records),
        time_limit=30,
    )
    levels = wanted_levels(true, [[r, c, low, up] for r, c, status, low, up, _ in chosen if status == "U"])
    broken = 0
    for level in levels:
        cell = audit.cells[level.row]
        broken += cell.lower > (level.lower or 0) or (
            cell.upper is not None and cell.upper < (level.upper or 0)
        )
    return {
        "contributors who learn": sum(bool(each.learns) for each in audit.contributors),
        "levels not kept": broken,
    }


SECTIONS = (
    Section("peers-suppression", "Cell suppression, beside pytauargus", COST, costs, "peers"),
    Section("peers-suppression-safe", "Patterns and contributors", LEARN, contributors, "peers"),
)
