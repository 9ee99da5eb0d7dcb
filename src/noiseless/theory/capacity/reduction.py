"""What of a channel matters: equal inputs are one input, proportional outputs are one output."""

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray
from noiseless.theory.capacity.divergence import IndexArray, row_parts

_SAME = 1e-12
"""Columns are proportional when they differ by less, relatively. Merging them is post-processing and guides
the search alone: brackets are worked out on the outputs as they were given."""

_WHIFF = 1e-40


def lifted(prior: FloatArray, kept: IndexArray, inputs: int) -> FloatArray:
    """A prior of the rows that were kept as one of all inputs."""
    whole = np.zeros(inputs)
    whole[kept] = prior
    return whole


def distinct_rows(matrix: FloatArray) -> IndexArray:
    """The first of each set of equal rows: told apart by their marks, then compared."""
    marks = _marks(matrix)
    if len(np.unique(marks)) == len(matrix):
        return np.arange(len(matrix))
    first: dict[int, list[int]] = {}
    for number, mark in enumerate(marks.tolist()):
        alike = first.setdefault(mark, [])
        if not any(np.array_equal(matrix[number], matrix[other]) for other in alike):
            alike.append(number)
    return np.sort(np.concatenate(list(first.values()))).astype(np.int64)


def _marks(matrix: FloatArray) -> npt.NDArray[np.uint64]:
    """A number for each row, the same for equal rows: a sum of products of their bits that wraps around."""
    weights = np.random.default_rng(0).integers(0, 2**64 - 1, matrix.shape[1], np.uint64)
    marks = np.empty(len(matrix), np.uint64)
    for part in row_parts(matrix):
        bits = (matrix[part] + 0.0).view(np.uint64)  # -0.0 becomes 0.0
        bits ^= bits >> np.uint64(
            32
        )  # round numbers differ in their upper bits alone, and those would be lost
        marks[part] = np.einsum("ij,j->i", bits, weights)
    return marks


def are_disjoint(rows: FloatArray) -> bool:
    """Whether no output can be caused by two of the rows."""
    return bool(((rows != 0).sum(axis=0) <= 1).all())


def merge_columns(matrix: FloatArray) -> FloatArray:
    """The channel with proportional columns added up; itself when there are none."""
    groups = _proportional(matrix)
    if groups is None:
        return matrix
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return np.ascontiguousarray(np.add.reduceat(matrix[:, order], starts, axis=1))


def without_whiffs(matrix: FloatArray) -> FloatArray:
    """The matrix without entries so small that their products are no normal floats, which are slow.

    This too is for the search alone.
    """
    whiffs = (matrix < _WHIFF) & (matrix > 0)
    return np.where(whiffs, 0.0, matrix) if whiffs.any() else matrix


def _proportional(matrix: FloatArray) -> IndexArray | None:
    """A label for each column, equal for proportional ones, in their order; None when no two are.

    The ratio of two random positive sums is the same for proportional columns; where ratios agree, columns
    are compared.
    """
    draw = np.random.default_rng(0)
    first, second = (np.einsum("i,ij->j", draw.random(len(matrix)) + 0.5, matrix) for _ in range(2))
    ratios = first / np.maximum(second, np.finfo(float).tiny)
    order = np.argsort(ratios, kind="stable")
    close = np.flatnonzero(np.diff(ratios[order]) <= _SAME * ratios[order[1:]])
    close = close[_agree(matrix, order[close], order[close + 1])]
    if not len(close):
        return None
    apart = np.ones(len(order), np.int64)
    apart[close + 1] = 0
    labels = np.empty(len(order), np.int64)
    labels[order] = np.cumsum(apart)
    _, first, which = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[which]


def _agree(matrix: FloatArray, left: IndexArray, right: IndexArray) -> npt.NDArray[np.bool_]:
    """Whether columns are proportional, pair by pair."""
    agree = np.ones(len(left), np.bool_)
    if not len(left):
        return agree
    sums = matrix.sum(axis=0)
    scale = sums[left] / sums[right]
    for part in row_parts(matrix):
        ours, theirs = matrix[part][:, left], matrix[part][:, right] * scale
        agree &= (np.abs(ours - theirs) <= _SAME * ours).all(axis=0)
    return agree
