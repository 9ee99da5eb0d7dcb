"""Where linear programming is exact: figures that are two laminar families.

Sets are laminar if any two are apart or nested. Rows that are two laminar families make a totally unimodular
matrix (Edmonds), a network in fact: then every bound is attained by integers, and the values of a figure have
no holes. Two sets cross if they meet and none holds the other; two families exist if and only if the graph of
crossing sets is bipartite.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from noiseless.arrays import BoolArray, IntArray

_Places = npt.NDArray[np.signedinteger]


@dataclass(frozen=True, eq=False)
class Families:
    """Two laminar families, as forests.

    Attributes:
        family: 0 or 1 for each row; -1 for rows that belong to an odd circle of crossing sets.
        parent: the smallest row of the same family that holds each row, or -1.
        homes: for each family, the smallest row that holds each atom, or -1.
    """

    family: IntArray
    parent: IntArray
    homes: tuple[IntArray, IntArray]


def two_families(matrix: csr_array) -> Families:
    """Split rows into two laminar families as far as the graph of crossing rows is bipartite."""
    sizes = np.diff(matrix.indptr).astype(np.int64)
    many = matrix.shape[0]
    meets = _common(matrix)
    one, other, common = meets.row, meets.col, meets.data
    crossing = common < np.minimum(sizes[one], sizes[other])
    family = _sides(one[crossing], other[crossing], many)
    rank = np.lexsort((np.arange(many), sizes))
    place = np.empty(many, np.int64)
    place[rank] = np.arange(many)
    holds = (common == sizes[one]) & (place[other] > place[one]) & (family[one] == family[other])
    parent = _smallest(one[holds], other[holds], place, rank, many)
    rows = np.repeat(np.arange(many), sizes)
    homes = [
        _smallest(matrix.indices[of], rows[of], place, rank, matrix.shape[1])
        for of in (family[rows] == 0, family[rows] == 1)
    ]
    return Families(family, parent, (homes[0], homes[1]))


def _sides(one: _Places, other: _Places, many: int) -> IntArray:
    """A side for each node so that edges join different sides; -1 in parts that are not bipartite.

    In the double cover, with the edges (i, j') and (i', j), a part is bipartite if and only if i and i' are
    in different components.
    """
    cover = coo_array(
        (np.ones(2 * len(one), np.int8), (np.r_[one, one + many], np.r_[other + many, other])),
        shape=(2 * many, 2 * many),
    )
    label = connected_components(cover, directed=False)[1]
    return np.where(label[:many] == label[many:], -1, (label[:many] > label[many:]).astype(np.int64))


def _smallest(of: _Places, rows: _Places, place: IntArray, rank: IntArray, many: int) -> IntArray:
    """For each of many things the row of least rank among those listed beside it, or -1."""
    best = np.full(many, len(place), np.int64)
    np.minimum.at(best, of, place[rows])
    return np.where(best < len(place), rank[np.minimum(best, len(place) - 1)] if len(place) else -1, -1)


def implied_rows(matrix: csr_array, lower: IntArray, upper: IntArray) -> dict[int, list[int]]:
    """The rows that others fill without overlap, all of them exact, and these: they link nothing new.

    The largest are tried first; a row that could be filled in another way only is not found. One that is
    published to be something else than the others add up to is not implied: it contradicts them.
    """
    sizes = np.diff(matrix.indptr).astype(np.int64)
    meets = _common(matrix)
    one, other, common = meets.row, meets.col, meets.data
    place = np.lexsort((np.arange(len(sizes)), sizes)).argsort()
    inside = (common == sizes[one]) & (place[one] < place[other]) & (lower == upper)[one]
    one, other = one[inside], other[inside]
    order = np.lexsort((-sizes[one], other))
    one, other = one[order], other[order]
    begins = np.searchsorted(other, np.arange(len(sizes) + 1))
    filled, implied = np.zeros(matrix.shape[1], bool), dict[int, list[int]]()
    for row in np.unique(other).tolist():
        left, parts = int(sizes[row]), list[int]()
        for child in one[begins[row] : begins[row + 1]].tolist():
            cells = matrix.indices[matrix.indptr[child] : matrix.indptr[child + 1]]
            if len(cells) <= left and not filled[cells].any():
                filled[cells] = True
                left -= len(cells)
                parts.append(child)
                if not left:
                    break
        filled[matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]] = False
        if not left and lower[row] <= lower[parts].sum() <= upper[row]:
            implied[row] = parts
    return implied


def _common(matrix: csr_array) -> coo_array:
    """How many atoms each two rows share."""
    wide = csr_array((np.ones(matrix.nnz, np.int32), matrix.indices, matrix.indptr), shape=matrix.shape)
    return (wide @ wide.T).tocoo()


def components(matrix: csr_array) -> IntArray:
    """The component of each atom: atoms that figures link, directly or not."""
    rows, atoms = matrix.shape
    entries = matrix.tocoo()
    graph = coo_array(
        (np.ones(entries.nnz, np.int8), (entries.row + atoms, entries.col)),
        shape=(atoms + rows, atoms + rows),
    )
    return connected_components(graph, directed=False)[1][:atoms].astype(np.int64)


def rows_within(matrix: csr_array, atoms: BoolArray) -> BoolArray:
    """The rows all of whose atoms are among some; for unions of components, those that meet them."""
    first = matrix.indices[matrix.indptr[:-1]] if matrix.shape[0] else np.zeros(0, np.int64)
    return atoms[first]


def matrix_of(rows: Sequence[IntArray], columns: int) -> csr_array:
    """Sets of places as rows of 0 and 1."""
    counts = np.array([0, *map(len, rows)])
    indices = np.concatenate([np.zeros(0, np.int64), *rows]).astype(np.int32)
    return csr_array(
        (np.ones(len(indices), np.int8), indices, np.cumsum(counts).astype(np.int32)),
        shape=(len(rows), columns),
    )
