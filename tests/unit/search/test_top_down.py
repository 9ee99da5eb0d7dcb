"""Cells cut from the top down, and the mean loss, against their definitions."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless import JointRange
from noiseless.errors import RequestError
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Categories, Column, Hierarchy, Numbers
from noiseless.search.measures import measure
from noiseless.search.portfolio import Goal, choose
from noiseless.search.problem import Cells, Problem, SideInformation
from noiseless.search.top_down import top_down_cells

TREE = {"a1": ("a", "any"), "a2": ("a", "any"), "b1": ("b", "any"), "b2": ("b", "any"), "c": ("any",)}


@st.composite
def columns(draw: st.DrawFn, size: int) -> tuple[list[Column], list[list[Any]]]:
    made: list[Column] = []
    texts: list[list[Any]] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["number", "wide", "category", "tree"]))
        weight = draw(st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(2)]))
        one: Any = {"number": range(8), "wide": (0, 1, 2**70), "category": "xyz", "tree": sorted(TREE)}[kind]
        values = draw(st.lists(st.sampled_from(list(one)), min_size=size, max_size=size))
        if kind == "category":
            made.append(Categories(values, weight=weight))
        elif kind == "tree":
            made.append(Hierarchy(values, TREE, weight=weight))
        else:
            made.append(Numbers(values, weight=weight))
        texts.append(values)
    return made, texts


@st.composite
def problems(draw: st.DrawFn) -> tuple[Problem, list[list[Any]], int]:
    size = draw(st.integers(1, 9))
    made, texts = draw(columns(size))
    secrets = draw(st.integers(1, 5))
    known = draw(st.integers(1, 2))
    cells = list(product(range(secrets), range(size), range(known)))
    pairs = draw(st.sets(st.sampled_from(cells), min_size=1))
    pairs |= {(draw(st.integers(0, secrets - 1)), x, 0) for x in range(size)}
    listed = sorted({(x, a) for _, x, a in pairs})
    joint = JointRange.from_pairs([(s, listed.index((x, a))) for s, x, a in sorted(pairs)])
    order: list[Any] = list(joint.y_labels or ())
    side = None
    if known == 2 and {a for _, a in listed} == {0, 1}:
        side = SideInformation([listed[y][0] for y in order], [listed[y][1] for y in order])
    elif len(listed) != size:
        joint = JointRange.from_pairs(sorted({(s, x) for s, x, _ in pairs}))
    groups = draw(st.none() | st.lists(st.integers(0, 1), min_size=size, max_size=size))
    rows = draw(st.lists(st.integers(1, 4), min_size=size, max_size=size))
    problem = Problem(
        joint,
        ColumnCodebook(*made, distance="max"),
        side,
        np.array(rows),
        None if groups is None else np.array(groups),
    )
    return problem, texts, draw(st.integers(1, 3))


def answers(problem: Problem, members: set[int]) -> dict[int, set[int]]:
    """The sensitive values behind a cell, for each thing that is known besides."""
    found: dict[int, set[int]] = {}
    for s, y in zip(problem.joint.x.tolist(), problem.joint.y.tolist(), strict=True):
        if int(problem.public[y]) in members:
            found.setdefault(int(problem.known[y]), set()).add(s)
    return found


def leaves_enough(problem: Problem, members: set[int], k: int) -> bool:
    return all(len(values) >= k for values in answers(problem, members).values())


@given(problems())
def test_cells_keep_the_limit_and_no_cut_is_left(drawn: tuple[Problem, list[list[Any]], int]) -> None:
    """Every answer leaves k values; and no cut between two values of a column leaves k on both sides."""
    problem, texts, k = drawn
    whole = [
        set(np.flatnonzero(problem.group_of == group).tolist()) for group in set(problem.group_of.tolist())
    ]
    if not all(leaves_enough(problem, group, k) for group in whole):
        return
    made = list(top_down_cells(problem, np.full(len(problem.prior), k)))
    assert len(made) == 3
    for cells in made:
        for cell in map(set, cells.members):
            assert any(cell <= group for group in whole)
            assert leaves_enough(problem, cell, k)
            for values in texts:
                if isinstance(values[0], int):
                    for cut in {values[member] for member in cell} - {max(values[member] for member in cell)}:
                        low = {member for member in cell if values[member] <= cut}
                        assert not (leaves_enough(problem, low, k) and leaves_enough(problem, cell - low, k))


def share(texts: list[Any], cell: list[int]) -> Fraction:
    """The share of a column that a cell spans, by its definition."""
    held = {texts[member] for member in cell}
    if isinstance(texts[0], int):
        whole = max(texts) - min(texts)
        return Fraction(max(held) - min(held), whole) if whole else Fraction(0)
    if texts[0] not in TREE:
        others = len(set(texts)) - 1
        return Fraction(len(held) - 1, others) if others else Fraction(0)
    if len(held) == 1:
        return Fraction(0)
    above = [set(TREE[leaf]) | {leaf} for leaf in TREE]
    node = next(n for n in ("a", "b", "any") if all(n in TREE[leaf] for leaf in held))
    below = sum(node in names for names in above)
    return Fraction(below - 1, len(TREE) - 1)


@given(problems(), st.data())
def test_the_mean_loss_is_the_mean_share_that_cells_span(
    drawn: tuple[Problem, list[list[Any]], int], data: st.DataObject
) -> None:
    problem, texts, _ = drawn
    labels = problem.group_of * 3 + np.array([data.draw(st.integers(0, 2)) for _ in range(problem.size)])
    hidden = labels == labels[0] if data.draw(st.booleans()) else np.zeros(problem.size, bool)
    if hidden.all():
        return
    cells = Cells.from_labels(labels)
    book = problem.codebook
    assert isinstance(book, ColumnCodebook)
    total = weights = Fraction(0)
    for column, values in zip(book.columns, texts, strict=True):
        weights += column.weight
        for cell in cells.members:
            one = Fraction(1) if hidden[cell[0]] else share(values, list(cell))
            total += column.weight * one * int(problem.weights[list(cell)].sum())
    assert measure(problem, cells, hidden).mean_loss == total / (weights * int(problem.weights.sum()))


def test_what_is_preferred_comes_first() -> None:
    rng = np.random.default_rng(3)
    differ = 0
    for _ in range(20):
        numbers = [Numbers(rng.permutation(40)[:30].tolist(), span=(0, 40)) for _ in range(2)]
        secrets = rng.integers(0, 4, 30).tolist()
        problem = Problem(
            JointRange.from_pairs(list(zip(secrets, range(30), strict=True))), ColumnCodebook(*numbers)
        )
        goal = Goal(min_posterior=3, utility="distortion")
        worst, mean = choose(problem, goal).quality, choose(problem, replace(goal, prefer="mean")).quality
        assert worst.distortion is not None
        assert mean.distortion is not None
        assert worst.distortion <= mean.distortion
        assert worst.mean_loss is not None
        assert mean.mean_loss is not None
        assert mean.mean_loss <= worst.mean_loss
        differ += mean.mean_loss < worst.mean_loss
    assert differ


def test_an_unknown_preference_is_refused() -> None:
    with pytest.raises(RequestError, match="'worst' or 'mean'"):
        Goal(min_posterior=2, prefer="median")  # type: ignore[arg-type]


@pytest.mark.parametrize("prefer", ["worst", "mean"])
def test_with_few_values_the_best_of_all_partitions_is_found_and_proved(
    prefer: Literal["worst", "mean"],
) -> None:
    rng = np.random.default_rng(3)
    for _ in range(12):
        size = 6
        numbers = [Numbers(rng.permutation(9)[:size].tolist(), span=(0, 9)) for _ in range(2)]
        secrets = [0, 1, 2, *rng.integers(0, 3, size - 3).tolist()]
        joint = JointRange.from_pairs(list(zip(secrets, range(size), strict=True)))
        problem = Problem(joint, ColumnCodebook(*numbers, distance="gower"))
        found = choose(problem, Goal(min_posterior=2, utility="distortion", prefer=prefer))
        assert (found.optimal, found.scope) == (True, "all")
        losses = []
        for labels in product(range(3), repeat=size):
            other = measure(problem, Cells.from_labels(labels))
            if other.min_posterior >= 2:
                assert other.distortion is not None
                losses.append((other.distortion, other.mean_loss))
        best = min(losses) if prefer == "worst" else min((mean, worst) for worst, mean in losses)[::-1]
        assert (found.quality.distortion, found.quality.mean_loss) == best


def test_numbers_of_numpy_do_not_wrap_around() -> None:
    values = np.array([0, 3, 10**15, 10**15 + 7])
    column = Numbers(values, weight=np.int64(10**9), span=(values.min(), values.max()))  # type: ignore[arg-type]
    problem = Problem(
        JointRange.from_codes(np.array([0, 1, 0, 1]), np.arange(4)), ColumnCodebook(column, column)
    )
    loss = measure(problem, Cells.from_labels([0, 0, 1, 1])).mean_loss
    assert loss == Fraction(3 + 3 + 7 + 7, 4 * (10**15 + 7))
