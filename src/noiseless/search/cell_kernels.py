"""What cutting and growing cells does to each member, as plain loops: compiled where there are many.

Notation: `order` holds the members of cells one after the other, within a cell in a column's order; cell c
lies from `bounds[c]` up to `bounds[c + 1]`. A cut at place i parts the members up to i from those behind.
With fewer members numpy does the same in `cuts`.

Cells are grown within packs, in loops that run on lists too: pack p holds the members from `bounds[p]` up to
`bounds[p + 1]`. With d columns, `places[m * d + a]` is where member m lies in column a: a number times what a
unit counts, or the code of a category. A cell spans the numbers between its extremes, and `scales[a]` for
each of its categories but one; columns of numbers have a scale below 0.
"""

# ruff: noqa: PLR0917, PLR0912, PLR0915, C901 - compiled functions take no keywords, and call no others

from noiseless.arrays import BoolArray, FloatArray, IntArray

Row = IntArray | list[int]
Numbers = FloatArray | list[float]

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


def grow(
    bounds: Row,
    places: Numbers,
    scales: Numbers,
    starts: Row,
    secrets: Row,
    rows: Row,
    needs: Row,
    least: int,
    most: int,
    stamps: Row,
    lows: Numbers,
    highs: Numbers,
    has: Row,
    free: Row,
    labels: Row,
) -> None:
    """Give each member the number of a cell in its pack: cells are grown one after the other.

    A cell begins with the member farthest from the cell before. It takes the one that widens it least, of
    those with a secret that it does not have as long as it needs more, until it has as many secrets and rows
    as it needs. Those that are left over in the end have no number (-1).

    Invariant: `lows` and `highs` are the ends of the cell that is grown, `has` tells whose categories it has,
    what is stamped with the clock are its secrets, and `free` lists, from `begin` up to `last`, the members
    that have no number, in their order.
    """
    d, clock = len(scales), 0
    for pack in range(len(bounds) - 1):
        begin, end, need = bounds[pack], bounds[pack + 1], needs[pack]
        if end - begin > most:
            for m in range(begin, end):
                labels[m] = 0
            continue
        cell, growing, distinct, held, last = -1, False, 0, 0, end
        for m in range(begin, end):
            free[m] = m
        for a in range(d):
            lows[a] = highs[a] = places[begin * d + a] if scales[a] < 0 else 0.0
            if scales[a] >= 0:
                for m in range(begin, end):
                    has[m * d + a] = places[m * d + a] == places[begin * d + a]
        while True:
            best, worth, at = -1, 0.0, begin
            for spot in range(begin, last):
                m = free[spot]
                fresh = not growing or distinct >= need
                entry = starts[m]
                while not fresh and entry < starts[m + 1]:
                    fresh = stamps[secrets[entry]] != clock
                    entry += 1
                if not fresh:
                    continue
                value, row = 0.0, m * d
                for a in range(d):
                    if scales[a] < 0:
                        place, low, high = places[row + a], lows[a], highs[a]
                        if place > high:
                            value += place - low
                        elif place < low:
                            value += high - place
                        else:
                            value += high - low
                    elif not has[row + a]:
                        value += scales[a]
                    if growing and value >= worth and best >= 0:
                        break
                if best < 0 or (value < worth if growing else value > worth):
                    best, worth, at = m, value, spot
            if not growing:
                clock, distinct, held = clock + 1, 0, 0
                for spot in range(begin, last):
                    m = free[spot]
                    held += rows[m]
                    for entry in range(starts[m], starts[m + 1]):
                        distinct += stamps[secrets[entry]] != clock
                        stamps[secrets[entry]] = clock
                if best < 0 or distinct < need or held < least:
                    break
                cell, clock, distinct, held = cell + 1, clock + 1, 0, 0
                for a in range(d):
                    lows[a] = highs[a] = places[best * d + a]
                    if scales[a] >= 0:
                        for m in range(begin, end):
                            has[m * d + a] = False
            last -= 1
            for spot in range(at, last):
                free[spot] = free[spot + 1]
            labels[best], held = cell, held + rows[best]
            for entry in range(starts[best], starts[best + 1]):
                distinct += stamps[secrets[entry]] != clock
                stamps[secrets[entry]] = clock
            for a in range(d):
                place = places[best * d + a]
                if place < lows[a]:
                    lows[a] = place
                elif place > highs[a]:
                    highs[a] = place
                if scales[a] >= 0 and not has[best * d + a]:
                    for m in range(begin, end):
                        has[m * d + a] = has[m * d + a] or places[m * d + a] == places[best * d + a]
            growing = distinct < need or held < least


def join_nearest(bounds: Row, places: Numbers, scales: Numbers, labels: Row) -> None:
    """Give each member that is in no cell (-1) the cell of the member of its pack that is nearest to it."""
    d = len(scales)
    for pack in range(len(bounds) - 1):
        begin, end = bounds[pack], bounds[pack + 1]
        for m in range(begin, end):
            if labels[m] >= 0:
                continue
            best, worth = 0, -1.0
            for other in range(begin, end):
                if labels[other] < 0:
                    continue
                value = 0.0
                for a in range(d):
                    if scales[a] < 0:
                        value += abs(places[m * d + a] - places[other * d + a])
                    elif places[m * d + a] != places[other * d + a]:
                        value += scales[a]
                if worth < 0 or value < worth:
                    best, worth = labels[other], value
            labels[m] = -2 - best  # still free: none joins another that is left over
        for m in range(begin, end):
            labels[m] = max(labels[m], -2 - labels[m])
