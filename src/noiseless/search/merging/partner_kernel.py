"""The cheapest partner of a cell in Algorithm 1 of [P3], for any columns, as machine code.

What it would call for each cell is written out: a function that was compiled earlier and kept on disk is
never inlined, which costs ten times the work.
"""

# Compiled functions return plain numbers; what they call is untyped.
# mypy: disable-error-code="no-any-return,return-value"

# ruff: noqa: C901, PLR0912, PLR0917 - kernels are long loops over many arrays, taken one by one

from noiseless.arrays import IntArray
from noiseless.search.merging.cost_kernels import (
    ENDLESS,
    HULL,
    LARGEST,
    RESOLUTION,
    SQUARES,
    SUM,
    TABLE,
    Shape,
    Words,
    common,
    less,
    pair_cost,
)
from noiseless.tables.kernels import compiled


def _partner(
    cells: IntArray,
    points: IntArray,
    tree: IntArray,
    penalties: IntArray,
    shape: Shape,
    words: Words,
    wanted: Words,
    alive: IntArray,
    i: int,
) -> int:
    """The first of the cells that cost least together with a cell and have a wanted element; -1 if none has.

    As soon as a pair costs too much (see `bounds_of`) the next one is looked at.
    """
    numbers, categories, nodes, kind, combine = shape
    last, at = cells.shape[1] - 1, 3 * numbers
    how = SUM if kind == RESOLUTION else combine if kind == HULL else LARGEST
    square = combine == SQUARES and kind > HULL
    best, most, below, limit = -1, 0, 1, ENDLESS
    for j in alive:
        total = 0
        if kind == RESOLUTION:
            total = cells[i, last - 3] + cells[j, last - 3]
        for c in range(numbers):
            part = max(cells[i, numbers + c], cells[j, numbers + c]) - min(cells[i, c], cells[j, c])
            total = max(total, part) if how == LARGEST else total + (part * part if how == SQUARES else part)
        if (total * total if square else total) > limit:
            continue
        for c in range(at, at + categories):
            part = 0 if cells[i, c] == cells[j, c] and cells[i, c] >= 0 else 2 * penalties[c - at]
            total = max(total, part) if how == LARGEST else total + (part * part if how == SQUARES else part)
        if (total * total if square else total) > limit:
            continue
        for c in range(at + categories, at + categories + nodes):
            if len(tree) > TABLE:
                part = 2 * tree[TABLE + cells[i, c], cells[j, c]]
            else:
                part = 2 * tree[2, common(tree, cells[i, c], cells[j, c])]
            total = max(total, part) if how == LARGEST else total + (part * part if how == SQUARES else part)
        if (total * total if square else total) > limit or i == j:
            continue
        helps = False
        for w in range(len(wanted)):
            if words[j, w] & wanted[w]:
                helps = True
                break
        if not helps:
            continue
        if kind <= HULL:
            best, limit = j, total - 1
            continue
        top, bottom = pair_cost(cells, points, tree, penalties, shape, i, j)
        if best < 0 or less(top, bottom, most, below):
            best, most, below = j, top, bottom
            under = 4.0 if square else 2.0
            limit = int(min(under * top / bottom * (1 + 1e-9) + 1, 4e18))  # rounded up: `less` decides
    return best


partner = compiled(_partner)
