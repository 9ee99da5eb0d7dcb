"""Optimal microaggregation of one column, beside microagg1d: how long it takes and what is lost."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from measure import WORK
from noiseless.arrays import IntArray
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Numbers
from noiseless.search.mean_loss import SquaredError
from page import Form, Part, Section, Table
from side_by_side import OURS, Contender, Outcome, Race, columns_of, peaks_of, seconds_of
from wording import beside_limit, growth, versus

MICROAGG = Contender("microagg1d", "microagg1d_work", "microagg1d")
SORT = Contender("argsort", "numpy_work", work="sort")

INTRODUCTION = """\
A column of different whole numbers in groups of at least k that have the least
[squared error](frontier.md#the-mean-loss), from the numbers in any order to the group of each. noiseless adds
and compares whole numbers, microagg1d floats, with the method that it takes by default. The limit is
`numpy.argsort(kind="stable")`. Lost is the squared error as a share of that in one group."""


def measured(form: Form) -> Iterator[Part]:
    """Growing columns, and larger groups."""
    sizes, largest = ((10**3, 10**4), 10**4) if form.small else ((10**4, 10**5, 10**6), 10**6)
    contenders = (OURS, MICROAGG)
    race = Race((*contenders, SORT), "microaggregate", form, repeats=5)
    times, losses, peaks = (list[dict[str, Any]]() for _ in range(3))
    for size, k in (*((size, 5) for size in sizes), (largest, 20), (largest, 100)):
        path = _numbers(size)
        found = race.run(path=str(path), k=k, out=str(path.with_suffix("")))
        head = {"k": k, "numbers": size}
        times.append(head | seconds_of(found))
        losses.append(head | {f"{one.name}: lost": _lost(path, found[one.name]) for one in contenders})
        peaks.append(head | peaks_of(found))
    yield Table(times, "Seconds")
    yield from versus(times, "noiseless s", {"microagg1d": "microagg1d s"}, ("k", "numbers"))
    yield beside_limit(times, "noiseless s", "argsort s", "the sort")
    yield race.first_calls()
    grown = [line for line in times if line["k"] == times[0]["k"]]
    yield Table(growth(grown, "numbers", columns_of(contenders)), "Growth: the exponent of numbers")
    yield Table(losses, "Squared error, as a share")
    theirs = {"microagg1d": "microagg1d: lost"}
    yield from versus(losses, "noiseless: lost", theirs, ("k", "numbers"), what="squared error")
    yield Table(peaks, "Peak memory of the process")


def _numbers(size: int) -> Path:
    WORK.mkdir(exist_ok=True)
    path = WORK / f"whole-numbers-{size}.npy"
    np.save(path, np.random.default_rng(0).permutation(10 * size)[:size])
    return path


def _lost(path: Path, outcome: Outcome) -> float | str:
    if not outcome.finished:
        return str(outcome.seconds)
    numbers, groups = np.load(path), np.load(outcome.value["out"])
    cells: IntArray = np.unique(groups, return_inverse=True)[1]
    one, none = np.ones(len(numbers), np.int64), np.zeros(len(numbers), bool)
    return float(SquaredError().total(ColumnCodebook(Numbers(numbers)).axes, cells, none, one))


SECTION = Section(
    "peers-microaggregation", "Microaggregation, beside microagg1d", INTRODUCTION, measured, "peers"
)
