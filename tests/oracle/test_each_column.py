"""Limits on each of several sensitive columns by itself: values behind an answer, counted."""

import json
import random
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import noiseless as nl
from noiseless.errors import RequestError
from noiseless.verification import script
from soaking import seeds

SPELLINGS = {"flu": ["flu", " Flu"], "gout": ["gout"], "cold": ["cold", "COLD "], "none": ["none"]}
HIDDEN = ("ill", "pay")


def made(seed: int) -> tuple[pa.Table, dict[str, Any]]:
    """A small table, whose illnesses are spelt in several ways, and what is asked."""
    rng = random.Random(f"{seed} each")
    rows = rng.randint(5, 9)
    table = {
        "x": [rng.randint(0, 5) for _ in range(rows)],
        "ill": [rng.choice(SPELLINGS[rng.choice(list(SPELLINGS))]) for _ in range(rows)],
        "pay": [rng.choice([10.0, 20.0, None]) for _ in range(rows)],
        "seen": [rng.choice("uv") for _ in range(rows)],
    }
    options: dict[str, Any] = {"min_posterior_each": rng.choice([2, 2, 3])}
    options |= rng.choice([{}, {"keep": "seen"}, {"given": "seen"}, {"min_posterior": 4}])
    return pa.table(table), options


def plain(value: Any) -> Any:  # noqa: ANN401 - a text or a number
    return value.strip().lower() if isinstance(value, str) else value


def fewest(table: pa.Table, words: list[Any], options: dict[str, Any]) -> dict[str, int]:
    """How few values of each column are behind a word, with what is kept or given."""
    shown = table["seen"].to_pylist() if {"keep", "given"} & options.keys() else [""] * len(words)
    found = {}
    for column in HIDDEN:
        behind = defaultdict(set)
        for word, seen, value in zip(words, shown, table[column].to_pylist(), strict=True):
            behind[word, seen].add(plain(value))
        found[column] = min(map(len, behind.values()))
    return found


def partitions(values: list[int]) -> Iterator[list[list[int]]]:
    if not values:
        yield []
        return
    first, *rest = values
    for cells in partitions(rest):
        yield [[first], *cells]
        for place in range(len(cells)):
            yield [*cells[:place], [first, *cells[place]], *cells[place + 1 :]]


def least_distortion(table: pa.Table, options: dict[str, Any]) -> Fraction | None:
    """Half the width of the widest cell, in the best of all partitions that keep the limits."""
    xs, best = table["x"].to_pylist(), None
    for cells in partitions(sorted(set(xs))):
        cell_of = {x: number for number, cell in enumerate(cells) for x in cell}
        words = [cell_of[x] for x in xs]
        if min(fewest(table, words, options).values()) < options["min_posterior_each"]:
            continue
        both = defaultdict(set)
        for word, ill, pay in zip(words, table["ill"].to_pylist(), table["pay"].to_pylist(), strict=True):
            both[word].add((plain(ill), pay))
        if "min_posterior" not in options or min(map(len, both.values())) >= options["min_posterior"]:
            width = Fraction(max(max(cell) - min(cell) for cell in cells), 2)
            best = width if best is None else min(best, width)
    return best


@pytest.mark.parametrize("seed", seeds(40))
def test_each_column_keeps_its_limit_at_the_least_loss(seed: int, tmp_path: Path) -> None:
    table, options = made(seed)
    least = least_distortion(table, options)
    asked = {"sensitive": HIDDEN, "public": "x", "keep_order": True, "codeword": "midrange", **options}
    try:
        done = nl.release(table, **asked)
    except RequestError:
        assert least is None or len(set(table["x"].to_pylist())) == 1  # which nothing can be merged with
        return
    found = fewest(table, done.table["x"].to_pylist(), options)
    assert min(found.values()) >= options["min_posterior_each"]
    assert {column: left for column, (left, _) in done.fewest_of_each.items()} == found
    assert done.risks["min_posterior_each"] == min(found.values())
    assert least is not None
    assert done.distortion is not None
    assert done.optimal
    assert done.distortion.squared == least**2
    certificate = done.certificate.to_dict()
    assert both_check(table, done.table, certificate, tmp_path)
    certificate["claim"]["risks"]["min_posterior_each"] = str(min(found.values()) + 1)
    assert not both_check(table, done.table, certificate, tmp_path)


@pytest.mark.parametrize(
    "more", [{"suppress": 0.4}, {"suppress": 0.4, "keep": "seen"}, {"public": ["x", "pay"]}]
)
@pytest.mark.parametrize("seed", seeds(8))
def test_suppressed_rows_and_released_columns_keep_it_too(
    seed: int, more: dict[str, Any], tmp_path: Path
) -> None:
    """Suppressed rows read alike; a sensitive column that is released as its cells is still counted."""
    table, _ = made(seed)
    asked = {"sensitive": HIDDEN, "public": "x", "keep_order": True, "min_posterior_each": 2, **more}
    try:
        done = nl.release(table, **asked)
    except RequestError:
        return
    words = [tuple(row.values()) for row in done.table.to_pylist()]
    left = min(fewest(table, words, {}).values())
    assert left >= 2
    assert done.risks["min_posterior_each"] == left
    assert both_check(table, done.table, done.certificate.to_dict(), tmp_path)


def both_check(table: pa.Table, released: pa.Table, certificate: dict[str, Any], folder: Path) -> bool:
    """Whether both checkers take a certificate; they agree."""
    names = [str(folder / name) for name in ("certificate.json", "original.csv", "released.csv")]
    Path(names[0]).write_text(json.dumps(certificate), "utf-8")
    table.to_pandas().to_csv(names[1], index=False)
    released.to_pandas().to_csv(names[2], index=False)
    alone = script.main([names[0], "--original", names[1], "--released", names[2]]) == 0
    assert alone == nl.verify(names[0], original=names[1], released=names[2]).holds
    return alone
