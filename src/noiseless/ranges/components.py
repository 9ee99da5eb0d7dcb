"""Connected components of a joint range, straight from its pairs, by union-find on one side.

Joining each x of a posterior set with the first x seen there is enough: the trees stand on one side only, and
neither the bipartite graph nor the confusability graph is ever built. The loops stop when one component is
left, which with few values on a side is soon.
"""

from collections.abc import Callable

import numpy as np

from noiseless.arrays import IntArray
from noiseless.tables.kernels import compiled

Codes = IntArray | list[int]

_SMALL = 50_000
"""Below this many pairs plain Python beats loading the compiled kernel."""


def roots_of_groups(x: IntArray, starts: IntArray, size_x: int) -> IntArray:
    """For each x the smallest x that is connected with it.

    Args:
        x: the x of each pair, pairs grouped by y.
        starts: where each y's pairs begin, and the number of pairs at the end.
        size_x: how many x there are.
    """
    return _run(_unite_groups, [x, starts], size_x)


def roots_of_pairs(x: IntArray, y: IntArray, size_x: int, size_y: int) -> IntArray:
    """For each x the smallest x that is connected with it; pairs in any order."""
    return _run(_unite_pairs, [x, y, np.full(size_y, -1)], size_x)


def _run(unite: Callable[..., None], inputs: list[IntArray], size_x: int) -> IntArray:
    if len(inputs[0]) < _SMALL:
        parents = list(range(size_x))
        unite(*(array.tolist() for array in inputs), parents)
        return np.array(parents, np.int64)
    roots = np.arange(size_x)
    compiled(unite)(*inputs, roots)
    return roots


# Union by smallest root, with path halving. The two loops differ in how they find the first x of a y; they
# are written out because a compiled function that takes another one cannot be kept on disk.


def _unite_groups(x: Codes, starts: Codes, parent: Codes) -> None:
    left = len(parent) - 1
    for group in range(len(starts) - 1):
        a = x[starts[group]]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        for pair in range(starts[group] + 1, starts[group + 1]):
            b = x[pair]
            while parent[b] != b:
                parent[b] = parent[parent[b]]
                b = parent[b]
            if a != b:
                a, b = min(a, b), max(a, b)
                parent[b] = a
                left -= 1
        if left == 0:
            break
    for value in range(len(parent)):  # roots are smallest, so each parent is final before its children
        parent[value] = parent[parent[value]]


def _unite_pairs(x: Codes, y: Codes, first: Codes, parent: Codes) -> None:
    left = len(parent) - 1
    for pair in range(len(x)):
        b = x[pair]
        a = first[y[pair]]
        if a < 0:
            first[y[pair]] = b
            continue
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a != b:
            parent[max(a, b)] = min(a, b)
            left -= 1
            if left == 0:
                break
    for value in range(len(parent)):
        parent[value] = parent[parent[value]]
