"""Cells from below, level by level, against what is said of them."""

from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from noiseless import JointRange
from noiseless.search import ascent as module
from noiseless.search.ascent import Ascent, axis_levels
from noiseless.search.axes import axis
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Categories, Column, Hierarchy, Numbers
from noiseless.search.limits import limits_of
from noiseless.search.measures import measure
from noiseless.search.problem import Problem

TREE = {"a1": ("a", "any"), "a2": ("a", "any"), "b1": ("b", "any"), "b2": ("b", "any")}


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Tables of two or three columns, one of them of categories, with rows, groups and sensitive values."""
    size = draw(st.integers(2, 14))
    columns: list[Column] = [Categories(draw(st.lists(st.sampled_from("xyz"), min_size=size, max_size=size)))]
    for _ in range(draw(st.integers(1, 2))):
        if draw(st.booleans()):
            columns.append(Numbers(draw(st.lists(st.integers(0, 9), min_size=size, max_size=size))))
        else:
            columns.append(
                Hierarchy(draw(st.lists(st.sampled_from(sorted(TREE)), min_size=size, max_size=size)), TREE)
            )
    secrets = [(draw(st.integers(0, 3)), x) for x in range(size)]
    groups = draw(st.none() | st.lists(st.integers(0, 1), min_size=size, max_size=size))
    rows = draw(st.lists(st.integers(1, 3), min_size=size, max_size=size))
    return Problem(
        JointRange.from_pairs(secrets),
        ColumnCodebook(*columns, distance=draw(st.sampled_from(["max", "euclidean", "absolute"]))),
        rows=np.array(rows),
        groups=None if groups is None else np.array(groups),
    )


def keeps(problem: Problem, cell: tuple[int, ...], values: int, rows: int) -> bool:
    """Whether a cell leaves so many sensitive values and has so many rows, from the definition."""
    pairs = zip(problem.joint.x.tolist(), problem.public[problem.joint.y].tolist(), strict=True)
    left = {s for s, x in pairs if x in cell}
    return len(left) >= values and int(problem.weights[list(cell)].sum()) >= rows


@given(problems(), st.integers(1, 3), st.integers(1, 4), st.data())
def test_cells_keep_to_limits_groups_and_the_largest_cost(
    problem: Problem, values: int, rows: int, data: st.DataObject
) -> None:
    """Every cell does; and if no cost is set and each group as one cell would do, there are cells."""
    ascent = Ascent.of(problem, limits_of(problem, np.full(len(problem.prior), values), rows))
    assert ascent is not None
    most = data.draw(st.sampled_from([np.inf, 0.0, 1.0, 4.0]))
    cells = ascent.cells(most)
    groups = [tuple(np.flatnonzero(problem.group_of == group).tolist()) for group in set(problem.group_of)]
    if cells is None:
        assert most < np.inf or not all(keeps(problem, group, values, rows) for group in groups)
        return
    for cell in cells.members:
        assert keeps(problem, cell, values, rows)
        assert any(set(cell) <= set(group) for group in groups)
        assert len(cell) == 1 or float(ascent.book.cost(cell)) <= most


def stars(texts: list[tuple[str, ...]], rows: list[int], least: int) -> Fraction:
    """The share of entries that read `*` if each row keeps as many columns as it can, fewest stars first.

    What is left over takes the cell with it that costs least.
    """
    width, left, lost, more = len(texts[0]), set(range(len(texts))), 0, [0]
    for many in range(width + 1):
        for gone in combinations(range(width), many):
            alike: dict[tuple[str, ...], list[int]] = {}
            for x in left:
                alike.setdefault(tuple(t for c, t in enumerate(texts[x]) if c not in gone), []).append(x)
            for members in alike.values():
                held = sum(rows[x] for x in members)
                if held >= least:
                    lost += many * held
                    more.append((width - many) * held)
                    left -= set(members)
    if left:
        lost += width * sum(rows[x] for x in left) + min(more[1:])
    return Fraction(lost, width * sum(rows))


def test_values_stay_or_are_suppressed_one_by_one() -> None:
    """With two levels a column no more is suppressed than by a plain greedy rule, over 30 tables together."""
    rng, ours, plain = np.random.default_rng(5), Fraction(0), Fraction(0)
    for _ in range(30):
        texts = sorted({tuple(str(v) for v in rng.zipf(1.7, 4) % 6) for _ in range(60)})
        rows = rng.integers(1, 5, len(texts))
        flat = {str(v): ("*",) for v in range(6)}
        book = ColumnCodebook(
            *[Hierarchy([t[c] for t in texts], flat) for c in range(4)], distance="absolute"
        )
        problem = Problem(
            JointRange.from_codes(np.zeros(len(texts), int), np.arange(len(texts))), book, rows=rows
        )
        ascent = Ascent.of(problem, limits_of(problem, np.ones(1, int), 5))
        cells = None if ascent is None else ascent.cells()
        assert cells is not None
        ours += measure(problem, cells).mean_loss or 0
        plain += stars(texts, rows.tolist(), 5)
    assert ours <= plain * Fraction(101, 100)


def test_levels_go_from_each_value_to_all_as_one() -> None:
    rows = np.ones(8, int)
    for column in (
        Numbers([0, 1, 2, 3, 40, 41, 90, 99]),
        Categories("aabbccdd"),
        Hierarchy([*TREE, *TREE], TREE),
    ):
        levels = axis_levels(axis(column), rows)
        assert levels[-1].many == 1
        assert levels[0].many == len(np.unique(levels[0].codes)) > levels[-1].many
        for low, high in pairwise(levels):
            assert low.loss < high.loss
            assert len(set(zip(low.codes.tolist(), high.codes.tolist(), strict=True))) == low.many
    assert [level.many for level in axis_levels(axis(Hierarchy(sorted(TREE), TREE)), rows[:4])] == [4, 2, 1]


def test_of_many_values_some_nodes_are_left_out(monkeypatch: Any) -> None:  # noqa: ANN401 - pytest's
    """The work is bounded, and what is found keeps to the limits all the same."""
    rng = np.random.default_rng(0)
    monkeypatch.setattr(module, "WORK", 4000)
    columns = [Categories(rng.integers(0, 9, 300)) for _ in range(5)]
    joint = JointRange.from_codes(np.append([0, 1, 2], rng.integers(0, 3, 297)), np.arange(300))
    problem = Problem(joint, ColumnCodebook(*columns, distance="max"))
    ascent = Ascent.of(problem, limits_of(problem, np.full(1, 3)))
    assert ascent is not None
    cells = ascent.cells()
    assert cells is not None
    assert all(keeps(problem, cell, 3, 3) for cell in cells.members)


def test_numbers_alone_and_very_many_columns_are_left_to_other_methods() -> None:
    joint = JointRange.from_pairs([(0, 0), (1, 1)])
    for columns in ([Numbers([1, 2])] * 2, [Categories("ab")], [Categories("ab")] * 18):
        problem = Problem(joint, ColumnCodebook(*columns, distance="max"))
        assert Ascent.of(problem, limits_of(problem, np.full(1, 2))) is None
