"""Values led to cells, against the definition: each goes where it loses least, given those before it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from noiseless import JointRange
from noiseless.arrays import IntArray
from noiseless.search.axes import shares
from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Categories, Column, Hierarchy, Numbers
from noiseless.search.homes import led_home
from noiseless.search.problem import Problem

TREE = {"a1": ("a", "any"), "a2": ("a", "any"), "b1": ("b", "any"), "b2": ("b", "any")}


@st.composite
def places(draw: st.DrawFn) -> tuple[Problem, ColumnCodebook, IntArray]:
    """Public values with rows, a few of them in cells within their group, the others left over (-1)."""
    size = draw(st.integers(3, 12))
    columns: list[Column] = []
    for kind in draw(st.lists(st.sampled_from(["numbers", "categories", "tree"]), min_size=1, max_size=3)):
        if kind == "numbers":
            columns.append(Numbers(draw(st.lists(st.integers(0, 9), min_size=size, max_size=size))))
        elif kind == "categories":
            columns.append(Categories(draw(st.lists(st.sampled_from("wxyz"), min_size=size, max_size=size))))
        else:
            columns.append(
                Hierarchy(draw(st.lists(st.sampled_from(sorted(TREE)), min_size=size, max_size=size)), TREE)
            )
    book = ColumnCodebook(
        *columns,
        distance=draw(st.sampled_from(["max", "euclidean", "absolute", "squared"])),
        codeword=draw(st.sampled_from(["interval", "midrange", "centroid"])),
    )
    groups = np.array(draw(st.lists(st.integers(0, 1), min_size=size, max_size=size)))
    labels = np.array(draw(st.lists(st.integers(-1, 2), min_size=size, max_size=size)))
    labels[0] = max(labels[0], 0)
    labels = np.where(labels < 0, -1, labels * 2 + groups)  # no cell reaches over groups
    rows = np.array(draw(st.lists(st.integers(1, 3), min_size=size, max_size=size)))
    problem = Problem(
        JointRange.from_pairs([(0, x) for x in range(size)]),
        book,
        rows=rows,
        groups=groups if draw(st.booleans()) else None,
    )
    return problem, book, np.unique(labels, return_inverse=True)[1] - (labels.min() < 0)


@given(places(), st.sampled_from([np.inf, 12.0, 5.0, 2.0]))
def test_each_value_goes_where_it_loses_least(
    given_places: tuple[Problem, ColumnCodebook, IntArray], most: float
) -> None:
    """Of the cells of its group that stay within a limit with it; if there is none, nothing is found."""
    problem, book, labels = given_places
    left = np.flatnonzero(labels < 0)
    found = led_home(problem, book, labels, left, most)
    cells = {label: np.flatnonzero(labels == label).tolist() for label in set(labels.tolist()) - {-1}}
    for group in sorted(set(problem.group_of[left].tolist())):
        own = {name: cell for name, cell in cells.items() if problem.group_of[cell[0]] == group}
        for value in left[problem.group_of[left] == group].tolist():
            adds = {name: added(problem, book, cell, value, most) for name, cell in own.items()}
            least = min(adds.values(), default=np.inf)
            if least == np.inf:
                assert found is None
                return
            if found is None:
                names = [name for name in adds if adds[name] < np.inf]
                if len(names) > 1:
                    return  # which of equals was taken decides whether the others fit: not followed here
                chosen = names[0]
            else:
                (chosen,) = {n for n, cell in own.items() if found.cell_of[cell[0]] == found.cell_of[value]}
                assert adds[chosen] <= least + 1e-9
            cells[chosen].append(value)
    assert found is not None
    assert sorted(map(sorted, cells.values())) == sorted(map(sorted, found.members))


def added(problem: Problem, book: ColumnCodebook, cell: list[int], value: int, most: float) -> float:
    """What a value adds to the loss of a cell; infinite if the cell then costs more than a limit."""
    one, both = np.array(cell), np.array([*cell, value])
    start = np.zeros(1, np.int64)
    if book.lengths(*book.cell_costs(both, start))[0] > most:
        return np.inf
    lost = [
        float(shares(book.axes, part, start)[0]) * int(problem.weights[part].sum()) for part in (both, one)
    ]
    return lost[0] - lost[1]
