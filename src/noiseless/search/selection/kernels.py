"""The loops of choosing that numpy cannot express, as machine code."""

# Compiled functions return plain numbers; what they call is untyped.
# mypy: disable-error-code="no-any-return,return-value"

# ruff: noqa: PLR0917 - kernels are long loops over many arrays, taken one by one

import numpy as np

from noiseless.arrays import IntArray
from noiseless.search.merging.cost_kernels import Shape, Words, bounds_of, join, less, pair_cost
from noiseless.tables.kernels import compiled


def _costs_of_cells(
    cells: IntArray,
    points: IntArray,
    tree: IntArray,
    penalties: IntArray,
    shape: Shape,
    order: IntArray,
    starts: IntArray,
    tops: IntArray,
    bottoms: IntArray,
) -> None:
    """What each cell costs; its members are order[starts[c]:starts[c + 1]]."""
    for cell in range(len(starts) - 1):
        first, last = order[starts[cell]], order[starts[cell + 1] - 1]
        if first == last:
            continue
        for at in range(starts[cell] + 1, starts[cell + 1] - 1):
            join(cells, tree, shape, first, order[at])
        tops[cell], bottoms[cell] = pair_cost(cells, points, tree, penalties, shape, first, last)


costs_of_cells = compiled(_costs_of_cells)


def _radii(
    cells: IntArray,
    tree: IntArray,
    penalties: IntArray,
    shape: Shape,
    words: Words,
    alive: IntArray,
    centres: IntArray,
    found: IntArray,
) -> None:
    """For each centre and each k what a cell with it and with k elements costs at least; -1 if none has k.

    A cell that holds the centre and another value costs at least the bound of the two, so one with k elements
    costs at least as much as the nearest values that have k together. `found[c, k - 1]` is a numerator (see
    `bounds_of`).
    """
    bounds = np.empty(len(alive), np.int64)
    held = np.empty(words.shape[1], np.uint64)
    for c in range(len(centres)):
        bounds_of(cells, tree, penalties, shape, centres[c], alive, bounds)
        held[:] = np.uint64(0)
        count = 0
        for k in range(found.shape[1]):
            found[c, k] = -1
        for place in np.argsort(bounds):
            before = count
            for w in range(len(held)):
                fresh = words[alive[place], w] & ~held[w]
                held[w] |= fresh
                while fresh:
                    fresh &= fresh - np.uint64(1)
                    count += 1
            for k in range(before, min(count, found.shape[1])):
                found[c, k] = bounds[place]
            if count >= found.shape[1]:
                break


radii = compiled(_radii)


def _reached(
    cells: IntArray,
    tree: IntArray,
    penalties: IntArray,
    shape: Shape,
    words: Words,
    alive: IntArray,
    centres: IntArray,
    top: int,
    bottom: int,
    found: IntArray,
) -> None:
    """For each centre how many elements those have together that may share a cell of some cost with it."""
    bounds = np.empty(len(alive), np.int64)
    held = np.empty(words.shape[1], np.uint64)
    for c in range(len(centres)):
        under = bounds_of(cells, tree, penalties, shape, centres[c], alive, bounds)
        held[:] = np.uint64(0)
        for place in range(len(alive)):
            if not less(top, bottom, bounds[place], under):
                for w in range(len(held)):
                    held[w] |= words[alive[place], w]
        count = 0
        for w in range(len(held)):
            word = held[w]
            while word:
                word &= word - np.uint64(1)
                count += 1
        found[c] = count


reached = compiled(_reached)


def _gather(cells: IntArray, tree: IntArray, shape: Shape, row: int, members: IntArray) -> None:
    """Make a row the cell of some values; who follows whom is not kept."""
    for k in range(cells.shape[1]):
        cells[row, k] = cells[members[0], k]
    for at in range(1, len(members)):
        join(cells, tree, shape, row, members[at])


gather = compiled(_gather)
