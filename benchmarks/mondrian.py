"""A plain Mondrian in compiled code, to compare with."""

import numpy as np
import numpy.typing as npt

from noiseless.search.codebook import ColumnCodebook
from noiseless.search.columns import Categories, Column, Numbers
from noiseless.search.problem import Cells, Problem
from noiseless.tables.kernels import compiled

Codes = npt.NDArray[np.int64]


def plain_mondrian(table: Codes, secrets: Codes, many: int, k: int) -> Codes:  # noqa: C901 - compiled whole
    """Strict Mondrian: halve the widest column at its median while both halves keep k sensitive values."""
    size, columns = table.shape
    whole = np.array([max(table[:, c].max() - table[:, c].min(), 1) for c in range(columns)])
    order, spare, labels = np.arange(size), np.empty(size, np.int64), np.empty(size, np.int64)
    stamps, clock, waiting = np.zeros(many, np.int64), 0, [(0, size)]
    while len(waiting) > 0:
        begin, end = waiting.pop()
        part = order[begin:end].copy()
        labels[part] = begin
        widths = np.empty(columns)
        for c in range(columns):
            low, high = table[part[0], c], table[part[0], c]
            for row in part:
                low, high = min(low, table[row, c]), max(high, table[row, c])
            widths[c] = (high - low) / whole[c]
        for c in np.argsort(-widths):
            middle = np.partition(table[part, c], (len(part) - 1) // 2)[(len(part) - 1) // 2]
            at, back = begin, end
            for row in part:
                if table[row, c] <= middle:
                    spare[at] = row
                    at += 1
                else:
                    back -= 1
                    spare[back] = row
            fine = True
            for first, last in ((begin, at), (at, end)):
                clock, left = clock + 1, 0
                for i in range(first, last):
                    left += stamps[secrets[spare[i]]] != clock
                    stamps[secrets[spare[i]]] = clock
                    if left == k:
                        break
                fine = fine and left == k
            if fine:
                order[begin:end] = spare[begin:end]
                waiting.append((begin, at))
                waiting.append((at, end))
                break
    return labels


def rows_of(problem: Problem, *, by_rows: bool) -> tuple[Codes, Codes]:
    """The public value of each row, and what is counted: rows by their numbers, or sensitive values."""
    if by_rows:
        owners = np.repeat(np.arange(problem.size), problem.weights)
        return owners, np.arange(len(owners))
    return problem.joint.y, problem.joint.x


def mondrian_cells(problem: Problem, k: int, *, by_rows: bool) -> Cells:
    """Mondrian's cells with k rows, or k sensitive values, in each."""
    book = problem.codebook
    columns = book.columns if isinstance(book, ColumnCodebook) else ()
    owners, secrets = rows_of(problem, by_rows=by_rows)
    table = np.stack([_codes(column)[owners] for column in columns], axis=1)
    found = compiled(plain_mondrian)(table, secrets, int(secrets.max()) + 1, k)
    labels = np.empty(problem.size, np.int64)
    labels[owners] = found
    return Cells.from_labels(labels)


def _codes(column: Column) -> Codes:
    """Numbers as they are, categories as they come, leaves of a tree beside their siblings."""
    if isinstance(column, Numbers):
        return column.steps
    if isinstance(column, Categories):
        return column.codes
    found, places = np.unique(column.leaf, return_inverse=True)
    paths = [_path(column.parents.tolist(), node) for node in found.tolist()]
    ranks = {path: rank for rank, path in enumerate(sorted(paths))}
    return np.array([ranks[path] for path in paths])[places.reshape(-1)]


def _path(parents: list[int], node: int) -> tuple[int, ...]:
    """The nodes above a node, the top one first, and itself."""
    return (*(() if parents[node] == node else _path(parents, parents[node])), node)
