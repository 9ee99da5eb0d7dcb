"""What cutting cells does to each of their members, as plain loops: compiled where there are many.

Notation: `order` holds the members of cells one after the other, within a cell in a column's order; cell c
lies from `bounds[c]` up to `bounds[c + 1]`. A cut at place i parts the members up to i from those behind.
With fewer members numpy does the same in `cuts`.
"""

# ruff: noqa: PLR0917, PLR0912, C901 - compiled functions take no keywords, and call no others

from noiseless.arrays import BoolArray, FloatArray, IntArray

NUMBERS, CATEGORIES, TREE = range(3)


def part_spans(
    order: IntArray,
    bounds: IntArray,
    codes: IntArray,
    points: FloatArray,
    kind: int,
    counts: FloatArray,
    nodes: IntArray,
    parents: IntArray,
    lasts: IntArray,
    fine: BoolArray,
    left: FloatArray,
    right: FloatArray,
    spans: FloatArray,
) -> None:
    """How much of a column each cell spans, and both parts of each fine cut; none is between equal codes.

    Invariant: `held` counts the categories before that of place i, and `node` is above all up to i.
    """
    for cell in range(len(bounds) - 1):
        begin, end = bounds[cell], bounds[cell + 1]
        first, last = begin, end - 2
        while first <= last and not fine[first]:
            first += 1
        while first <= last and not fine[last]:
            last -= 1
        if first > last:
            continue
        low, high = codes[order[begin]], codes[order[end - 1]]
        node, span = 0, 0.0
        if kind == NUMBERS:
            span = points[order[end - 1]] - points[order[begin]]
        elif kind == CATEGORIES:
            for i in range(begin + 1, end):
                span += codes[order[i]] != codes[order[i - 1]]
        else:
            other = nodes[low]
            while lasts[other] < high:
                other = parents[other]
            node, span = nodes[low], counts[other]
        spans[cell] = span
        if kind == CATEGORIES:
            first = begin
        code, held = codes[order[first]], 0.0
        for i in range(first, last + 1):
            following = codes[order[i + 1]]
            if following == code:
                fine[i] = False
                continue
            if fine[i] and kind == NUMBERS:
                left[i] = points[order[i]] - points[order[begin]]
                right[i] = points[order[end - 1]] - points[order[i + 1]]
            elif fine[i] and kind == CATEGORIES:
                left[i], right[i] = held, span - held - 1.0
            elif fine[i]:
                while lasts[node] < code:
                    node = parents[node]
                other = nodes[following]
                while lasts[other] < high:
                    other = parents[other]
                left[i], right[i] = counts[node], counts[other]
            held += 1.0
            code = following


def best_cuts(
    order: IntArray,
    bounds: IntArray,
    rows: IntArray,
    fine: BoolArray,
    left: FloatArray,
    right: FloatArray,
    spans: FloatArray,
    mean: bool,
    large: int,
    least: int,
    few: int,
    only: bool,
    gains: FloatArray,
    cuts: IntArray,
) -> None:
    """For each cell the fine cut that gains most, and what it gains; -1 where none is fine.

    Invariant: at place i `before` counts the rows up to i.
    """
    even = len(rows) == 0
    for cell in range(len(bounds) - 1):
        begin, end = bounds[cell], bounds[cell + 1]
        cuts[cell], gains[cell] = -1, 0.0
        first, last = begin, end - 2
        while first <= last and not fine[first]:
            first += 1
        while first <= last and not fine[last]:
            last -= 1
        if first > last:
            continue
        whole, before, rest = end - begin, first + 1 - begin, last + 1 - begin
        if not even:
            whole, before, rest = 0, 0, 0
            for i in range(begin, end):
                whole += rows[order[i]]
                if i == first:
                    before = whole
                if i == last:
                    rest = whole
        unit = max(1, min(before, whole - rest))
        before -= 1 if even else rows[order[first]]
        for i in range(first, last + 1):
            before += 1 if even else rows[order[i]]
            if not fine[i]:
                continue
            after = whole - before
            one, other = left[i], right[i]
            if whole < few * unit:
                one /= max(1, before // unit)
                other /= max(1, after // unit)
            elif only:
                one *= before / (unit * max(1, before // unit))
                other *= after / (unit * max(1, after // unit))
            if mean:
                gain = spans[cell] * whole - one * before - other * after
            else:
                gain = spans[cell] - max(one, other)
            less = min(before, after)
            if whole > large and less * least < whole:
                gain = gain * less / (whole * whole)
            if cuts[cell] < 0 or gain > gains[cell]:
                gains[cell], cuts[cell] = gain, i


def mark(
    order: IntArray, bounds: IntArray, number: int, chosen: IntArray, cuts: IntArray, behind: BoolArray
) -> None:
    """Mark the members behind the cuts of cells that are cut along this column."""
    for cell in range(len(bounds) - 1):
        if chosen[cell] == number:
            for i in range(cuts[cell] + 1, bounds[cell + 1]):
                behind[order[i]] = True


def divide(
    order: IntArray,
    bounds: IntArray,
    behind: BoolArray,
    cuts: IntArray,
    targets: IntArray,
    found: IntArray,
) -> None:
    """Write the cells that are cut as two each, in the same order; those that are not have no target.

    Invariant: `front` and `back` are the next free places of the parts.
    """
    for cell in range(len(bounds) - 1):
        front = targets[cell]
        if front < 0:
            continue
        back = front + cuts[cell] + 1 - bounds[cell]
        for i in range(bounds[cell], bounds[cell + 1]):
            member = order[i]
            if behind[member]:
                found[back] = member
                back += 1
            else:
                found[front] = member
                front += 1
