"""Cells cut from the top down, and the mean loss, against their definitions."""

import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless import JointRange
from noiseless.errors import RequestError
from noiseless.search import batches, cuts, entries, packs, top_down
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Categories, Column, Hierarchy, Numbers
from noiseless.search.distribution_limits import BeliefLimit, ClosenessLimit
from noiseless.search.limits import Limit, PosteriorLimit, RowLimit, WidthLimit
from noiseless.search.loss import below
from noiseless.search.mean_loss import LOSSES
from noiseless.search.measures import measure
from noiseless.search.merging.baselines import mondrian
from noiseless.search.portfolio import Goal, choose, survey
from noiseless.search.problem import Cells, Problem, SideInformation
from noiseless.search.top_down import top_down_cells
from noiseless.work import Cancellation
from soaking import seeds

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
    rows = draw(st.lists(st.integers(1, 4), min_size=joint.size_y, max_size=joint.size_y))
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
    made = list(top_down_cells(problem, [PosteriorLimit.of(problem, np.full(len(problem.prior), k))]))
    assert len(made) == 2
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


@given(problems(), st.lists(st.integers(0, 3), min_size=9, max_size=9), st.sampled_from(sorted(LOSSES)))
def test_what_is_suppressed_loses_no_less_than_as_a_cell(
    drawn: tuple[Problem, list[list[Any]], int], labels: list[int], loss: str
) -> None:
    """So that the mean loss needs no suppressed rows, where they keep to the same limits as a cell."""
    plain = replace(drawn[0], groups=None, loss=LOSSES[loss])
    book = plain.codebook
    assert isinstance(book, ColumnCodebook)
    if loss == "squares" and not all(isinstance(column, Numbers) for column in book.columns):
        return
    cells = Cells.from_labels(labels[: plain.size])
    hidden = cells.cell_of == 0
    if cells.count > 1:
        shown, suppressed = measure(plain, cells).mean_loss, measure(plain, cells, hidden).mean_loss
        assert shown is not None
        assert suppressed is not None
        assert suppressed >= shown


def test_many_values_are_not_suppressed_for_the_mean_loss() -> None:
    rng = np.random.default_rng(4)
    joint = JointRange.from_codes(np.arange(600) % 7, np.arange(600))
    problem = Problem(joint, ColumnCodebook(*(Numbers(one) for one in rng.integers(0, 99, (2, 600)))))
    goal = Goal(utility="distortion", prefer="mean", min_posterior=3)
    found = choose(problem, replace(goal, suppress=Fraction(1, 5)))
    assert found.quality == choose(problem, goal).quality
    assert not found.quality.suppressed_rows


def test_what_is_preferred_comes_first() -> None:
    rng = np.random.default_rng(3)
    differ = 0
    for _ in seeds(8):
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
            if list(dict.fromkeys(labels)) != sorted(set(labels)):
                continue  # the same cells in another order
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


def table(
    rng: Random, size: int, *, kinds: Sequence[str] = ("few", "many", "huge", "names", "tree")
) -> Problem:
    """Some columns of several kinds, and one to three sensitive values a row."""
    made: list[Column] = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.choice(kinds)
        if kind == "tree":
            made.append(Hierarchy([rng.choice(sorted(TREE)) for _ in range(size)], TREE))
        elif kind == "names":
            made.append(Categories([rng.randrange(rng.choice([3, size])) for _ in range(size)]))
        else:
            top, unit = {"few": (4, 1), "many": (10**6, 1), "huge": (40, 2**70)}[kind]
            made.append(Numbers([unit * rng.randint(0, top) for _ in range(size)]))
    pairs = {(rng.randrange(7), row) for row in range(size)}
    pairs |= {(rng.randrange(7), rng.randrange(size)) for _ in range(rng.choice([0, size]))}
    secrets = sorted({s for s, _ in pairs})
    joint = JointRange.from_codes(
        np.array([secrets.index(s) for s, _ in pairs]), np.array([row for _, row in pairs])
    )
    rows = None if rng.random() < 0.5 else np.array([rng.randint(1, 4) for _ in range(size)])
    groups = None if rng.random() < 0.5 else np.array([rng.randrange(2) for _ in range(size)])
    return Problem(
        joint, ColumnCodebook(*made, distance="max", codeword="interval"), rows=rows, groups=groups
    )


def needs(problem: Problem, k: int) -> PosteriorLimit:
    return PosteriorLimit.of(problem, np.minimum(k, problem.largest_posteriors))


def every_way(problem: Problem, limit: PosteriorLimit, *, fast: bool) -> list[Cells]:
    """What is cut for the mean loss and for the largest, grown, and put together for the largest loss."""
    book = problem.codebook
    assert isinstance(book, ColumnCodebook)
    limit = replace(limit, entries=replace(limit.entries, fast=fast))
    search = top_down.TopDown(book.axes, problem.weights, [limit], fast)
    order = np.argsort(problem.group_of, kind="stable")
    groups = batches.CutCells(order, np.flatnonzero(np.diff(problem.group_of[order], prepend=-1)))
    made = search.cut(groups, "mean")
    grown = search.grow(made)
    found = [made.cells, grown, search.cut(groups, "worst").cells, top_down._worst(book, search, made, grown)]
    return [one.cells for one in found]


@pytest.mark.parametrize(("large", "batch"), [(4096, 2**15), (40, 60), (12, 1000)])
def test_loops_that_are_compiled_find_the_same_cells(
    large: int, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What numpy does for few values and loops do for many is the same, to the last cell."""
    rng = Random(large)
    for module in (batches, cuts):
        monkeypatch.setattr(module, "LARGE", large)
    monkeypatch.setattr(top_down, "BATCH", batch)
    for module in (cuts, entries, packs):
        monkeypatch.setattr(module, "compiled", lambda loop: loop)
    for _ in range(12):
        problem = table(rng, rng.randint(5, 150))
        limit = needs(problem, rng.randint(1, 4))
        assert every_way(problem, limit, fast=True) == every_way(problem, limit, fast=False)


def every_limit(rng: Random, problem: Problem, counts: Any) -> list[Limit]:  # noqa: ANN401 - an array
    secrets = problem.joint.size_x
    return [
        needs(problem, rng.randint(1, 4)),
        RowLimit.of(problem, rng.randint(1, 9)),
        WidthLimit.of(problem, [rng.randint(0, 9) for _ in range(secrets)], rng.randint(0, 4)),
        BeliefLimit.of(problem, counts, Fraction(rng.randint(1, 6), 6)),
        BeliefLimit.by_leakage(problem, counts, Fraction(rng.randint(4, 12), 4)),
        ClosenessLimit.of(problem, counts, Fraction(rng.randint(1, 9), 10), ordered=rng.random() < 0.5),
    ]


def test_cells_keep_to_every_limit() -> None:
    rng, cut = Random(2), 0
    for _ in range(60):
        problem = table(rng, rng.randint(5, 90))
        counts = np.array([rng.randint(1, 3) for _ in range(len(problem.joint))])
        asked = rng.sample(every_limit(rng, problem, counts), rng.randint(1, 3))
        whole = Cells.from_labels(problem.group_of)
        if not all(limit.met(whole.cell_of, whole.count).all() for limit in asked):
            continue
        for cells in top_down_cells(problem, asked):
            assert all(limit.met(cells.cell_of, cells.count).all() for limit in asked)
            cut += cells.count > whole.count
    assert cut > 40


def test_names_become_cells_that_are_no_larger_than_needed() -> None:
    rng = Random(3)
    names = 2000
    joint = JointRange.from_codes(np.array([rng.randrange(40) for _ in range(names)]), np.arange(names))
    problem = Problem(joint, ColumnCodebook(Categories(range(names)), codeword="interval"))
    for cells in top_down_cells(problem, [needs(problem, 5)]):
        assert names / cells.count < 5.02


def test_numbers_are_never_lost_more_than_by_plain_mondrian() -> None:
    rng, better = Random(4), 0
    for _ in range(40):
        problem = table(rng, rng.randint(6, 120), kinds=("few", "many"))
        problem = Problem(problem.joint, problem.codebook)
        assert isinstance(problem.codebook, ColumnCodebook)
        k = rng.randint(2, 4)
        plain = measure(problem, mondrian(problem.joint, problem.codebook.columns, k)).mean_loss
        ours = measure(problem, next(top_down_cells(problem, [needs(problem, k)]))).mean_loss
        assert plain is not None
        assert ours is not None
        assert ours <= plain
        better += ours < plain
    assert better > 20


def test_some_tens_of_values_lose_no_more_than_cells_cut_for_their_own_limits() -> None:
    """Also where it is rows that are asked for, and not a number of sensitive values."""
    rng = Random(5)
    for _ in range(3):
        problem, rows = replace(table(rng, rng.randint(70, 100)), groups=None), rng.randint(3, 8)
        plain = measure(problem, next(top_down_cells(problem, [RowLimit.of(problem, rows)])))
        assert plain.mean_loss is not None
        assert plain.distortion is not None
        for prefer in ("mean", "worst"):
            ours = choose(problem, Goal(utility="distortion", prefer=prefer, min_rows=rows)).quality
            assert ours.min_rows >= rows
            assert ours.mean_loss is not None
            assert ours.distortion is not None
            assert prefer == "worst" or ours.mean_loss <= plain.mean_loss
            assert prefer == "mean" or not plain.distortion < ours.distortion


def test_what_a_release_finds_for_a_level_alone_is_on_the_frontier() -> None:
    rng = Random(26)
    problem = replace(table(rng, rng.randint(14, 22), kinds=("few", "names", "tree")), groups=None)
    shown = survey(problem, utility="distortion").unbeaten
    for prefer in ("worst", "mean"):
        ours = choose(problem, Goal(utility="distortion", min_posterior=2, prefer=prefer)).quality
        assert any(
            one.leakage <= ours.leakage and not below(ours.loss("distortion"), one.loss("distortion"))
            for one in shown
        )


THREE_LEFT = (
    "15:1:0 19:1:2 36:1000:0 40:1000:1 5:2:0 39:1000:0 54:1000:2 54:1:1 55:2:0 46:1:1 17:0:1 19:1:0 "
    "14:2:2 28:1:2 3:7:1 33:0:1 14:1:1 6:7:1 55:2:0 13:2:0 27:2:2 35:0:0 53:7:0 17:7:0 33:0:1 "
    "56:1:1 29:2:0 42:7:0 14:1000:2 59:7:2 39:7:1 1:2:0 52:2:2 7:1000:2 59:1:2 17:1:1 19:1000:1 "
    "50:1:0 44:1000:1 4:1000:0 31:7:2 40:1000:1 16:1:0 58:0:1 49:1:2 50:0:0 21:7:0 11:2:0 10:0:0 "
    "47:1000:2 40:2:2 32:1:2 33:2:0 40:1000:1 41:1:1"
)
"""Of each row a category, a number and a sensitive value: cells that leave three values lose less here than
any that are found for two."""


def test_all_levels_that_a_release_is_chosen_from_leave_the_rows_that_it_asks_for() -> None:
    rows = [one.split(":") for one in THREE_LEFT.split()]
    hidden = JointRange.from_pairs((secret, (text, int(number))) for text, number, secret in rows)
    texts, numbers = zip(*(hidden.y_labels or ()), strict=True)
    counts = Counter((text, int(number)) for text, number, _ in rows)
    book = ColumnCodebook(
        Categories(texts), Numbers(numbers, span=(0, 1000)), distance="gower", codeword="interval"
    )
    problem = Problem(hidden, book, rows=np.array([counts[one] for one in hidden.y_labels or ()]))
    within = replace(problem, limits=(RowLimit.of(problem, 7),))
    least = min(
        point.mean_loss or 0
        for series in survey(within, utility="distortion").series
        for point in series
        if point.min_posterior >= 2 and point.min_rows >= 7
    )
    ours = choose(problem, Goal(utility="distortion", prefer="mean", min_posterior=2, min_rows=7)).quality
    assert (ours.mean_loss or 0) <= least


def test_few_values_wait_for_no_compiler() -> None:
    code = """
import sys
import numpy as np
from noiseless import JointRange
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Numbers
from noiseless.search.limits import PosteriorLimit
from noiseless.search.problem import Problem
from noiseless.search.top_down import top_down_cells
from noiseless.work import Cancellation
rng = np.random.default_rng(0)
joint = JointRange.from_codes(rng.integers(0, 9, 2000), np.arange(2000))
problem = Problem(joint, ColumnCodebook(*(Numbers(rng.integers(0, 99, 2000)) for _ in range(3))))
assert len(list(top_down_cells(problem, [PosteriorLimit.of(problem, np.array([5]))]))) == 2
assert "numba" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_compiled_loops_in_threads_find_the_same_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(top_down, "BATCH", 300)
    rng = np.random.default_rng(5)
    size = 3000
    columns = Numbers(rng.integers(0, 10**6, size)), Categories(rng.integers(0, 9, size))
    joint = JointRange.from_codes(rng.integers(0, 40, size), np.arange(size))
    problem = Problem(joint, ColumnCodebook(*columns, distance="max", codeword="interval"))
    limit = needs(problem, 5)
    assert every_way(problem, limit, fast=True) == every_way(problem, limit, fast=False)


class Patience(Cancellation):
    """Work that is over when it was asked about so often."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    @property
    def is_over(self) -> bool:
        self.times -= 1
        return self.times < 0


def test_what_is_not_cut_in_time_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (batches, cuts):
        monkeypatch.setattr(module, "LARGE", 100)
    monkeypatch.setattr(top_down, "BATCH", 100)
    rng = np.random.default_rng(3)
    numbers = Numbers(rng.integers(0, 10**6, 400)), Numbers(rng.integers(0, 99, 400))
    joint = JointRange.from_codes(rng.integers(0, 9, 400), np.arange(400))
    problem = Problem(joint, ColumnCodebook(*numbers, distance="max"))
    limit = needs(problem, 5)
    counts = []
    for times in (0, 3, 10**6):
        with Patience(times).active():
            found = list(top_down_cells(problem, [limit]))
        assert all(limit.met(cells.cell_of, cells.count).all() for cells in found)
        counts.append(found[0].count)
    assert counts[0] == 1 < counts[1] < counts[2]


def test_a_search_that_is_stopped_gives_the_cells_that_were_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(top_down, "BATCH", 500)
    monkeypatch.setattr(batches, "LARGE", 500)
    rng = np.random.default_rng(3)
    columns = [Numbers(rng.integers(0, 10**6, 2000)) for _ in range(2)]
    joint = JointRange.from_codes(rng.integers(0, 9, 2000), np.arange(2000))
    problem = Problem(joint, ColumnCodebook(*columns))
    with Patience(5).active():
        found = choose(problem, Goal(min_posterior=5, utility="distortion"))
    assert found.method == "top-down"
    assert (found.gap, found.quality.min_posterior >= 5) == (None, True)
    assert found.cells.count > 1


@pytest.mark.parametrize("fast", [False, True])
def test_progress_is_the_share_of_the_values_whose_cells_are_cut(
    monkeypatch: pytest.MonkeyPatch, *, fast: bool
) -> None:
    monkeypatch.setattr(top_down, "BATCH", 300)
    monkeypatch.setattr(batches, "LARGE", 300)
    monkeypatch.setattr(top_down, "SMALL", 0 if fast else 10**9)
    rng = np.random.default_rng(4)
    columns = [Numbers(rng.integers(0, 10**6, 2000)) for _ in range(2)]
    joint = JointRange.from_codes(rng.integers(0, 40, 2000), np.arange(2000))
    problem = Problem(joint, ColumnCodebook(*columns))
    told = list[float]()
    choose(problem, Goal(min_posterior=5, utility="distortion"), told.append)
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0, 1)
    assert len(set(told)) > 10
