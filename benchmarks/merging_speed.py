"""Merging public columns: how the greedy paths grow, and the literal algorithms."""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from measure import best_of, exponent
from noiseless.ranges import JointRange
from noiseless.search.merging import (
    ColumnCodebook,
    MergePath,
    Numbers,
    constrained_path,
    leakage_path,
    maximin_path,
)
from page import Form, Part, Section, Table

Codes = npt.NDArray[np.int64]

WEIGHT = 0.5
RUNS: dict[str, Callable[[JointRange, ColumnCodebook | None], MergePath]] = {
    "Algorithm 1": leakage_path,
    "Algorithm 2": maximin_path,
    "problem (7)": lambda joint, codebook: constrained_path(joint, WEIGHT, codebook),
}
SENSITIVE = 40


def _random(place: Codes, rng: np.random.Generator) -> Codes:
    return rng.integers(0, SENSITIVE, len(place))


def _runs(place: Codes, rng: np.random.Generator) -> Codes:  # noqa: ARG001 - as the others
    return place * SENSITIVE // len(place)


def _halves(place: Codes, rng: np.random.Generator) -> Codes:  # noqa: ARG001
    return place * 2 // len(place)


SHAPES = {
    "40 values of S at random": _random,
    "S constant on 40 runs": _runs,
    "S constant on 2 runs": _halves,
}


def growth(sizes: tuple[int, ...] = (200, 500, 1000)) -> list[dict[str, Any]]:
    """One numeric column of different values: seconds by the number of values, and the exponent."""
    found = []
    for shape, make in SHAPES.items():
        for name, run in RUNS.items():
            for utility in ("U1", "U2"):
                seconds = [_seconds(size, make, run, utility == "U2") for size in sizes]
                told = {f"{size:,} values s": time for size, time in zip(sizes, seconds, strict=True)}
                line = {"path": f"{name}, {utility}", "sensitive": shape} | told
                found.append(line | {"exponent of values": exponent(sizes, seconds)})
    return found


def _seconds(size: int, make: Callable[..., Codes], run: Callable[..., MergePath], distortion: bool) -> float:
    joint, column = _column(size, make)
    return best_of(2, lambda: run(joint, ColumnCodebook(Numbers(column)) if distortion else None))[0]


def general(values: int = 1000) -> list[dict[str, Any]]:
    """Two columns: 40 sensitive values, and as many as public ones."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, 10_000, (values, 2))
    found = []
    for sensitive in (SENSITIVE, values):
        codes = np.append(np.arange(sensitive), rng.integers(0, sensitive, values - sensitive))
        joint = JointRange.from_codes(rng.permutation(codes), np.arange(values))
        for word in ("midrange", "centroid"):
            columns = [Numbers(column) for column in table.T]
            codebook = ColumnCodebook(*columns, distance="euclidean", codeword=word)
            for name, run in RUNS.items():
                task = partial(run, joint, codebook)
                path: list[MergePath] = []
                seconds = best_of(1, lambda task=task, path=path: path.append(task()))[0]  # type: ignore[misc]
                row = {"path": f"{name}, U2", "codeword": word, "values": values, "sensitive": sensitive}
                found.append(row | {"merges": len(path[0]) - 1, "seconds": seconds})
    return found


def literal(values: int = 150) -> list[dict[str, Any]]:
    """The algorithms word for word (the tests' oracle) beside arrays."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from oracle import merging

    rng = np.random.default_rng(0)
    numbers, codes = rng.permutation(10 * values)[:values].tolist(), rng.integers(0, 6, values).tolist()
    rule = merging.Range(frozenset((s, x, 0) for x, s in enumerate(codes)))
    joint = JointRange.from_codes(np.unique(codes, return_inverse=True)[1], np.arange(values))
    codebook = ColumnCodebook(Numbers(numbers))

    def cost(cell: frozenset[int]) -> int:
        return int(max(numbers[x] for x in cell) - min(numbers[x] for x in cell))

    times = best_of(
        1,
        lambda: list(merging.algorithm_1(rule, cost)),
        lambda: leakage_path(joint, codebook),
    )
    return [dict(zip(("values", "literal s", "noiseless s"), (values, *times), strict=True))]


def _column(size: int, make: Callable[..., Codes]) -> tuple[JointRange, Codes]:
    """A joint range with one sensitive value a public one, and the public numbers in no order."""
    rng = np.random.default_rng(0)
    column = rng.permutation(10 * size)[:size]
    place = np.empty(size, np.int64)
    place[np.argsort(column)] = np.arange(size)
    codes = np.unique(make(place, rng), return_inverse=True)[1]
    return JointRange.from_codes(codes, np.arange(size)), column


INTRODUCTION = """\
The [greedy paths](merging.md) of one column of different values and its sensitive ones, which are quadratic;
then two columns together; then the algorithms word for word, which are the oracle of the tests."""


def measured(form: Form) -> Iterator[Part]:
    """One column, two columns and the literal algorithms."""
    yield Table(growth((20, 50, 100) if form.small else (200, 500, 1000)), "One column")
    yield Table(general(100 if form.small else 1000), "Two columns")
    yield Table(literal(60 if form.small else 150), "Algorithm 1 word for word")


SECTION = Section("merging", "Greedy merging", INTRODUCTION, measured, "releases")


def main() -> None:
    """Print all tables."""
    scale = 10 if "--small" in sys.argv else 1
    tables = [growth((200 // scale, 500 // scale, 1000 // scale)), general(1000 // scale), literal()]
    for table in tables:
        print(*table[0], sep=" | ")
        for row in table:
            print(*(f"{v:.3g}" if isinstance(v, float) else v for v in row.values()), sep=" | ", flush=True)
        print()


if __name__ == "__main__":
    main()
