"""What a fitted transformer writes, held against the definition of its limits, row by row."""

from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import noiseless as nl
from noiseless.search.loss import Codeword

ROWS = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from("ab"), st.integers(0, 3)), min_size=4, max_size=14
)


def released_rows(out: pd.DataFrame) -> list[tuple[str, ...]]:
    """Each row as a reader sees it; all that is missing looks the same."""
    words = out.astype(object).where(out.notna(), "*")
    return [tuple(map(str, row)) for row in words.itertuples(index=False)]


@pytest.mark.parametrize("codeword", ["midrange", "centroid", "medoid", "interval"])
@settings(max_examples=6)
@given(ROWS, st.integers(2, 3), st.integers(1, 3))
def test_every_row_leaves_enough_values_and_looks_like_enough_rows(
    codeword: Codeword, rows: list[tuple[int, str, int]], least: int, alike: int
) -> None:
    table = pd.DataFrame(rows, columns=["age", "sex", "ill"])
    assume(table["ill"].nunique() >= least)
    assume(len(table) >= alike)
    assume(len(table[["age", "sex"]].drop_duplicates()) > 1)  # one value reveals nothing, and is refused
    releaser = nl.NoiselessReleaser(min_posterior=least, min_rows=alike, codeword=codeword)
    out = releaser.set_output(transform="pandas").fit_transform(table[["age", "sex"]], table["ill"])
    seen = released_rows(out)
    behind = defaultdict(set)
    for row, secret in zip(seen, table["ill"], strict=True):
        behind[row].add(secret)
    assert min(map(len, behind.values())) >= least
    assert min(Counter(seen).values()) >= alike


@settings(max_examples=6)
@given(ROWS, ROWS)
def test_new_rows_read_as_some_cell_of_the_old_ones_or_nothing(
    rows: list[tuple[int, str, int]], later: list[tuple[int, str, int]]
) -> None:
    table, new = (pd.DataFrame(each, columns=["age", "sex", "ill"]) for each in (rows, later))
    assume(table["ill"].nunique() >= 2)
    assume(len(table[["age", "sex"]].drop_duplicates()) > 1)
    releaser = nl.NoiselessReleaser(codeword="interval").set_output(transform="pandas")
    words = set(released_rows(releaser.fit_transform(table[["age", "sex"]], table["ill"])))
    assert set(released_rows(releaser.transform(new[["age", "sex"]]))) <= words | {("*", "*")}
    old = released_rows(releaser.transform(table[["age", "sex"]]))
    known = {row[:2]: word for row, word in zip(rows, old, strict=True)}
    for row, word in zip(later, released_rows(releaser.transform(new[["age", "sex"]])), strict=True):
        assert known.get(row[:2], word) == word


def test_the_oracle_would_notice() -> None:
    out = pd.DataFrame({"age": [1.0, np.nan], "sex": ["a", "a"]})
    assert released_rows(out) == [("1.0", "a"), ("*", "a")]
