"""Examples of distributions and randomised mechanisms for property tests, as exact fractions."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from noiseless.theory.differential.database import Database

Row = tuple[Fraction, ...]


def normalised(weights: Sequence[int]) -> Row:
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


@st.composite
def rows(draw: st.DrawFn, count: int, outputs: int, least: int = 0) -> list[Row]:
    """So many distributions, of small whole-number weights."""
    weights = st.lists(st.integers(least, 6), min_size=outputs, max_size=outputs).filter(any)
    return [normalised(draw(weights)) for _ in range(count)]


@st.composite
def pairs(draw: st.DrawFn, least: int = 0, most: int = 5) -> tuple[Row, Row]:
    """Two distributions over the same outcomes."""
    p, q = draw(rows(2, draw(st.integers(2, most)), least))
    return p, q


@st.composite
def channels(draw: st.DrawFn, least: int = 0) -> Database:
    """A database with one entry: random rows, rows in a band of likelihood ratios, or a known mechanism."""
    kind = draw(st.sampled_from(["random", "band", "subset", "erasure"]))
    inputs, ratio = draw(st.integers(2, 4)), draw(st.integers(2, 9))
    if kind == "random":
        return Database.of(table(draw(rows(inputs, draw(st.integers(2, 4)), least))))
    if kind == "band":
        return Database.of(table(draw(bands(inputs, draw(st.integers(2, 4)), ratio))))
    size = draw(st.integers(1, inputs - 1))
    if kind == "subset" or least:
        return subset_selection(inputs, size, ratio)
    return erasure(inputs, Fraction(1, ratio))


@st.composite
def bands(draw: st.DrawFn, inputs: int, outputs: int, ratio: int) -> list[Row]:
    """Rows whose weights lie between a common row and `ratio` times it."""
    common = draw(st.lists(st.integers(1, 5), min_size=outputs, max_size=outputs))
    factors = st.lists(st.integers(1, ratio), min_size=outputs, max_size=outputs)
    return [normalised([a * b for a, b in zip(common, draw(factors), strict=True)]) for _ in range(inputs)]


@st.composite
def databases(draw: st.DrawFn, least: int = 0, entries: int = 2) -> Database:
    """A mechanism on a database of two or three entries of two or three values."""
    sizes = [draw(st.integers(2, 3 if entries == 2 else 2)) for _ in range(entries)]
    outputs = draw(st.integers(2, 3))
    count = int(np.prod(sizes))
    return Database.of(table(draw(rows(count, outputs, least))).reshape(*sizes, outputs))


@st.composite
def priors(draw: st.DrawFn, sizes: Sequence[int]) -> npt.NDArray[Any]:
    """A prior over the values of all entries."""
    count = int(np.prod(sizes))
    return table(draw(rows(1, count))).reshape(*sizes)


def table(entries: Sequence[Row]) -> npt.NDArray[Any]:
    """Fractions as an array."""
    return np.array(entries, object)


def subset_selection(inputs: int, size: int, ratio: int) -> Database:
    """Release a set of `size` inputs, the right ones `ratio` times as likely: ln(ratio)-DP."""
    subsets = list(combinations(range(inputs), size))
    return Database.of(table([normalised([ratio if x in s else 1 for s in subsets]) for x in range(inputs)]))


def erasure(inputs: int, delta: Fraction) -> Database:
    """Example 2 of [P5]: the input with probability delta, otherwise nothing."""
    return Database.from_function(lambda x: {x: delta, "erased": 1 - delta}, range(inputs))
