"""The exact frontier of one ordered column against numpy's stable argsort of that column."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from measure import best_of, copying, exponent
from noiseless.ranges import JointRange
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Numbers
from noiseless.search.loss import Utility
from noiseless.search.mean_loss import LOSSES, MeanLoss
from noiseless.search.optimum import ContiguousOptimum
from noiseless.search.problem import Problem
from page import Form, Part, Plot, Section, Table

Column = npt.NDArray[np.int64]


def _distinct(draw: Callable[[np.random.Generator, int], Column], size: int) -> Column:
    """So many distinct values in random order."""
    rng = np.random.default_rng(0)
    values = np.unique(draw(rng, size + size // 4))
    return rng.permutation(values)[:size]


def _uniform(size: int) -> Column:
    return _distinct(lambda rng, count: rng.integers(0, 10**12, count), size)


def _normal(size: int) -> Column:
    return _distinct(lambda rng, count: (rng.normal(size=count) * 1e11).astype(np.int64), size)


def _grid(size: int) -> Column:
    return np.random.default_rng(0).permutation(size)


def _codes(values: Column) -> Column:
    codes: Column = np.unique(values, return_inverse=True)[1]
    return codes


def _anywhere(public: Column, values: int) -> Column:
    return _codes(np.random.default_rng(1).integers(0, values, len(public)))


def _stretches(public: Column, values: int) -> Column:
    """Sensitive values that stay the same on long stretches, each of which comes back some five times."""
    rng = np.random.default_rng(1)
    count = 5 * values
    of_rank = rng.integers(0, values, count)[np.arange(len(public)) * count // len(public)]
    return _codes(of_rank[np.argsort(np.argsort(public))])


SHAPES: dict[str, tuple[Callable[[int], Column], Callable[[Column, int], Column]]] = {
    "uniform column": (_uniform, _anywhere),
    "whole numbers 0, 1, 2, ...": (_grid, _anywhere),
    "normal column": (_normal, _anywhere),
    "sensitive value constant on long stretches": (_uniform, _stretches),
}


def optimum(public: Column, sensitive: Column, utility: Utility = "distortion") -> ContiguousOptimum:
    """What contiguous cells can do, from loose pairs on."""
    joint = JointRange.from_codes(sensitive, np.arange(len(public)))
    return ContiguousOptimum(Problem(joint, ColumnCodebook(Numbers(public))), utility)


def whole(public: Column, sensitive: Column, utility: Utility = "distortion") -> int:
    """From loose pairs to the whole frontier; how many points it has."""
    return len(optimum(public, sensitive, utility).frontier)


def rows(
    size: int = 10**6,
    values: int = 40,
    shapes: tuple[str, ...] = tuple(SHAPES),
    losses: tuple[Utility, ...] = ("distortion", "resolution"),
) -> list[dict[str, Any]]:
    """One line a shape and a loss: a column of `size` distinct values and so many sensitive ones."""
    return [_row(shape, size, values, loss) for loss in losses for shape in shapes]


def _row(shape: str, size: int, values: int, loss: Utility) -> dict[str, Any]:
    make, hide = SHAPES[shape]
    public = make(size)
    sensitive = hide(public, values)
    points = whole(public, sensitive, loss)  # compiled kernels are loaded
    time, sort = best_of(
        3, partial(whole, public, sensitive, loss), partial(np.argsort, public, kind="stable")
    )
    return {
        "column": shape,
        "loss": loss,
        "values": size,
        "sensitive": values,
        "points": points,
        "copy s": copying(public, sensitive),
        "frontier s": time,
        "argsort s": sort,
        "ratio": time / sort,
    }


def growth(sizes: tuple[int, ...] = (10**4, 10**5, 10**6), values: int = 40) -> list[dict[str, Any]]:
    """Seconds by the length of the column, and the exponent."""
    found = []
    for shape, (make, hide) in SHAPES.items():
        columns = [make(size) for size in sizes]
        tasks = [partial(whole, column, hide(column, values)) for column in columns]
        tasks[0]()
        times = best_of(3, *tasks)
        seconds = {f"{size:,} values s": time for size, time in zip(sizes, times, strict=True)}
        found.append({"column": shape} | seconds | {"exponent of values": exponent(sizes, times)})
    return found


def many(size: int = 10**5, values: int = 1000) -> list[dict[str, Any]]:
    """Many sensitive values, and so many points."""
    return rows(size, values, losses=("distortion",))


def means(size: int = 10**6, values: int = 40, least: int = 5) -> list[dict[str, Any]]:
    """The least mean loss with so many sensitive values and rows in each cell, from loose pairs on."""
    found = []
    for shape in tuple(SHAPES)[:3]:
        make, hide = SHAPES[shape]
        public = make(size)
        sensitive = hide(public, values)
        line: dict[str, Any] = {"column": shape, "values": size, "at least": least}
        for name, loss in LOSSES.items():
            task = partial(_mean, public, sensitive, loss, least)
            task()
            time, sort = best_of(3, task, partial(np.argsort, public, kind="stable"))
            line[f"{name}: times argsort"] = time / sort
        found.append(line)
    return found


def _mean(public: Column, sensitive: Column, loss: MeanLoss, least: int) -> Column | None:
    problem = optimum(public, sensitive).problem
    return ContiguousOptimum(problem, "distortion", rows=least).for_mean(least, loss)


def one(size: int = 10**6, values: int = 10**4) -> list[dict[str, Any]]:
    """Many sensitive values: the best cells for one posterior."""
    found = []
    for shape, (make, hide) in SHAPES.items():
        public = make(size)
        sensitive = hide(public, values)
        times = best_of(
            2,
            lambda public=public, sensitive=sensitive: optimum(public, sensitive).for_posterior(values // 2),  # type: ignore[misc]
            partial(np.argsort, public, kind="stable"),
        )
        found.append(
            {
                "column": shape,
                "values": size,
                "sensitive": values,
                f"one release, posterior {values // 2}, ratio": times[0] / times[1],
            }
        )
    return found


INTRODUCTION = """\
The whole [exact frontier](frontier.md) of one ordered column of different values and 40 sensitive ones,
from loose pairs on, beside `numpy.argsort(kind="stable")` of the column; the limit is a copy of both
columns. Then cells with the least mean loss, one answer for each loss."""


def measured(form: Form) -> Iterator[Part]:
    """All shapes of columns, and growth."""
    sizes = form.sizes(10**4, 10**5, 10**6)
    yield Table(rows(sizes[-1]))
    grown = growth(sizes)
    yield Table(grown, "Growth")
    yield Table(means(sizes[-1]), "The least mean loss")
    lines = {line["column"]: [(size, line[f"{size:,} values s"]) for size in sizes] for line in grown}
    yield Plot("frontier", "Seconds for the whole frontier", "values", "seconds", lines)


SECTION = Section("frontier", "The exact frontier of one ordered column", INTRODUCTION, measured, "releases")


if __name__ == "__main__":
    for made in (rows, growth, many, one, means):
        for line in made():
            print(line, flush=True)
