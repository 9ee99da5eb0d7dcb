"""Cells grown within packs, as plain loops that run on lists or, compiled, on arrays.

Notation: pack p holds the members from `bounds[p]` up to `bounds[p + 1]`. With d columns, `places[m * d + a]`
is where member m lies in column a: a number times what a unit counts, or the code of a category. A cell spans
the numbers between its extremes, and `scales[a]` for each of its categories but one; columns of numbers have
a scale below 0.
"""

# ruff: noqa: PLR0917, PLR0912, PLR0915, C901 - compiled functions take no keywords, and call no others

from noiseless.arrays import FloatArray, IntArray

Row = IntArray | list[int]
Numbers = FloatArray | list[float]


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


def categories_held(codes: IntArray, bounds: IntArray, most: int, found: IntArray) -> None:
    """How many different codes each cell has; of those with more members than the most none is counted."""
    for cell in range(len(bounds) - 1):
        found[cell] = 0
        if bounds[cell + 1] - bounds[cell] > most:
            continue
        for i in range(bounds[cell], bounds[cell + 1]):
            first = bounds[cell]
            while codes[first] != codes[i]:
                first += 1
            found[cell] += first == i
