"""Connected components of a joint range, straight from its pairs, by union-find on one side.

Every y touches the x values of its posterior set, so joining each of them with the first one is enough: the
trees stand on the x side only, and the graph on both sides, or the confusability graph, is never built.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from noiseless.tables import IntArray

Codes = IntArray | list[int]

_SMALL = 50_000
"""Below this many pairs plain Python beats loading the compiled kernel."""


def component_roots(x: IntArray, starts: IntArray, size_x: int) -> IntArray:
    """For each x the smallest x that is connected with it.

    Args:
        x: the x of each pair, pairs grouped by y.
        starts: where each y's pairs begin, and the number of pairs at the end.
        size_x: how many x there are.
    """
    if len(x) < _SMALL:
        parents = list(range(size_x))
        _unite(x.tolist(), starts.tolist(), parents)
        return np.array(parents, np.int64)
    roots = np.arange(size_x)
    _compiled()(x, starts, roots)
    return roots


def _unite(x: Codes, starts: Codes, parent: Codes) -> None:
    """Union by smallest root with path halving; `parent` becomes the root of each x."""
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
            if a < b:
                parent[b] = a
                left -= 1
            elif b < a:
                parent[a] = b
                a = b
                left -= 1
        if left == 0:  # one component: nothing can change any more
            break
    for value in range(len(parent)):  # roots are smallest, so each parent is final before its children
        parent[value] = parent[parent[value]]


@cache
def _compiled() -> Callable[..., Any]:
    """The same function as machine code, compiled once and kept beside this file."""
    import numba

    return numba.njit(cache=True)(_unite)
