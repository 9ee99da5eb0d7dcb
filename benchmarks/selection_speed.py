"""Choosing a release: one ordered column beside a sort of it, how that grows, and several columns."""

import csv
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from measure import best_of, exponent
from noiseless.ranges import JointRange
from noiseless.search.loss import Utility
from noiseless.search.merging import Categories, ColumnCodebook, Hierarchy, Numbers
from noiseless.search.portfolio import Choice, Goal, Problem, Survey, choose, survey
from page import Form, Part, Section, Table

SENSITIVE = 40
ADULT = ("age", "education", "marital-status", "race", "sex", "native-country")
TREES = {"education": "education", "marital-status": "marital", "native-country": "country"}

WISHES: dict[str, Goal] = {
    "posterior 5, distortion": Goal(min_posterior=5, utility="distortion"),
    "posterior 5, distortion, 1 % suppressed": Goal(
        min_posterior=5, utility="distortion", suppress=Fraction(1, 100)
    ),
    "posterior 5, resolution": Goal(min_posterior=5),
    "distortion 1000": Goal(max_distortion=1000, utility="distortion"),
    "weight 1/1000, distortion": Goal(weight=Fraction(1, 1000), utility="distortion"),
}


def rows(values: int = 10**6) -> list[dict[str, Any]]:
    """One line a wish: one numeric column of different values, against a stable argsort of it."""
    problem, column = _line(values)
    return [_row(name, partial(_choose, problem, wish), column) for name, wish in WISHES.items()]


def _row(name: str, task: Callable[[], Any], column: npt.NDArray[np.int64]) -> dict[str, Any]:
    found = task()
    ours, sorting = best_of(2, task, lambda: np.argsort(column, kind="stable"))
    return {
        "wish": name,
        "values": len(column),
        "proved": f"{found.optimal}, {found.scope}",
        "suppressed": found.quality.suppressed_rows,
        "noiseless s": ours,
        "argsort s": sorting,
        "times argsort": ours / sorting,
    }


def growth(sizes: tuple[int, ...] = (10**4, 10**5, 10**6)) -> list[dict[str, Any]]:
    """The exponent of the number of values."""
    found = []
    for name, wish in WISHES.items():
        seconds = []
        for size in sizes:
            problem, _ = _line(size)
            seconds.append(best_of(2, partial(_choose, problem, wish))[0])
        found.append({"wish": name, "exponent of values": exponent(sizes, seconds)})
    return found


def surveys(sizes: tuple[int, ...] = (10**4, 10**5, 10**6)) -> list[dict[str, Any]]:
    """The whole frontier with all baselines, values in order as tables hand them over."""
    found = []
    for size in sizes:
        problem, column = _line(size, in_order=True)
        utilities: tuple[Utility, ...] = ("distortion", "resolution")
        for utility in utilities:
            task = partial(_survey, problem, utility)
            shown = task()
            ours, sorting = best_of(1, task, lambda column=column: np.argsort(column, kind="stable"))  # type: ignore[misc]
            found.append(
                {
                    "survey": f"leakage, {utility}",
                    "values": size,
                    "points": sum(len(series) for series in shown.series),
                    "noiseless s": ours,
                    "argsort s": sorting,
                    "times argsort": ours / sorting,
                }
            )
    return found


def columns(values: int = 20_000, *, adult: bool = True) -> list[dict[str, Any]]:
    """Six columns: made-up ones, and UCI Adult where the folder of real data is named."""
    problems = {"made up": _table(values)}
    if adult and (folder := os.environ.get("NOISELESS_DATA")):
        problems["Adult"] = _adult(Path(folder) / "adult")
    found = []
    for name, problem in problems.items():
        for share in (Fraction(0), Fraction(1, 20)):
            wish = Goal(min_posterior=5, utility="distortion", suppress=share)
            choice: list[Any] = []
            task = partial(_choose, problem, wish)
            seconds = best_of(1, lambda task=task, choice=choice: choice.append(task()))[0]  # type: ignore[misc]
            quality = choice[0].quality
            found.append(
                {
                    "table": name,
                    "rows": int(problem.weights.sum()),
                    "tuples": problem.size,
                    "suppress": float(share),
                    "distortion": float(quality.distortion),
                    "cells": quality.cells,
                    "seconds": seconds,
                }
            )
    return found


def _choose(problem: Problem, wish: Goal) -> Choice:
    """A choice that nothing was made for before."""
    return choose(replace(problem), wish)


def _survey(problem: Problem, utility: Utility) -> Survey:
    """The same for a survey."""
    return survey(replace(problem), utility=utility)


def _line(size: int, *, in_order: bool = False) -> tuple[Problem, npt.NDArray[np.int64]]:
    """Values as a problem, and as a column in no order."""
    rng = np.random.default_rng(0)
    column = rng.permutation(10 * size)[:size]
    joint = JointRange.from_codes(_sensitive(rng, size), np.arange(size))
    return Problem(joint, ColumnCodebook(Numbers(np.sort(column) if in_order else column))), column


def _sensitive(rng: np.random.Generator, size: int) -> npt.NDArray[np.int64]:
    codes: npt.NDArray[np.int64] = np.unique(rng.integers(0, SENSITIVE, size), return_inverse=True)[1]
    return codes


def _table(size: int) -> Problem:
    """Two numbers, two categories and two hierarchies, with clusters."""
    rng = np.random.default_rng(0)
    middles = rng.integers(0, 1000, (50, 2))[rng.integers(0, 50, size)]
    numbers = middles + rng.normal(0, 30, (size, 2)).astype(np.int64)
    tree = {leaf: (f"group {leaf // 5}", f"part {leaf // 20}", "any") for leaf in range(60)}
    parts: list[Any] = [Numbers(column, span=(-1000, 2000)) for column in numbers.T]
    parts += [Categories(rng.integers(0, many, size)) for many in (2, 5)]
    parts += [Hierarchy(rng.integers(0, 60, size).tolist(), tree) for _ in range(2)]
    joint = JointRange.from_codes(_sensitive(rng, size), np.arange(size))
    return Problem(joint, ColumnCodebook(*parts, distance="gower", codeword="interval"))


def _adult(folder: Path) -> Problem:
    with (folder / "adult.csv").open() as file:
        people = list(csv.DictReader(file, skipinitialspace=True))
    keys = [tuple(person[name] for name in ADULT) for person in people]
    joint = JointRange.from_pairs(
        (person["occupation"], key) for person, key in zip(people, keys, strict=True)
    )
    counts, labels, parts = Counter(keys), list(joint.y_labels or ()), []
    for place, name in enumerate(ADULT):
        values = [label[place] for label in labels]
        if name == "age":
            parts.append(Numbers([int(value) for value in values], span=(17, 90)))
        elif name in TREES:
            with (folder / "hierarchies" / f"{TREES[name]}.csv").open() as file:
                tree = {row[0]: tuple(row[1:]) for row in csv.reader(file) if row}
            parts.append(Hierarchy(values, {"?": ("*",), **tree}))  # type: ignore[arg-type]
        else:
            parts.append(Categories(values))  # type: ignore[arg-type]
    book = ColumnCodebook(*parts, distance="gower", codeword="interval")
    return Problem(joint, book, rows=np.array([counts[label] for label in labels]))


INTRODUCTION = """\
Choosing the release of one ordered column for a wish, beside `numpy.argsort(kind="stable")` of the column,
which is the limit; then six columns of several kinds (made up, and UCI Adult where `NOISELESS_DATA` has it)
with at least five sensitive values behind each answer."""


def measured(form: Form) -> Iterator[Part]:
    """One column, its growth, its frontier, and six columns."""
    sizes = (100, 1000) if form.small else (10**3, 10**4, 10**5)
    yield Table(rows(sizes[-1]), "One ordered column")
    yield Table(growth(sizes), "Growth")
    yield Table(surveys(form.sizes(10**4, 10**5, 10**6)), "The whole frontier, with baselines")
    yield Table(columns(form.size(10_000), adult=not form.small), "Six columns")


SECTION = Section("selection", "Choosing a release", INTRODUCTION, measured, "releases")


def main() -> None:
    """Print all tables."""
    scale = 10 if "--small" in sys.argv else 1
    tables = [
        rows(10**6 // scale),
        growth((10**4 // scale, 10**5 // scale, 10**6 // scale)),
        surveys((10**4 // scale, 10**5 // scale, 10**6 // scale)),
        columns(20_000 // scale),
    ]
    for table in tables:
        print(*table[0], sep=" | ")
        for row in table:
            print(*(f"{v:.3g}" if isinstance(v, float) else v for v in row.values()), sep=" | ", flush=True)
        print()


if __name__ == "__main__":
    main()
