"""Which first members of cells keep to limits, as plain loops: compiled where there are many.

Notation as in `cell_kernels`. What is behind a value is read entry by entry; `stamps` say for which cell what
is kept of a secret counts, so that nothing is cleared between cells.
"""

# ruff: noqa: PLR0917 - compiled functions take no keywords

import math

from noiseless.arrays import BoolArray, IntArray


def belief_prefixes(
    order: IntArray,
    bounds: IntArray,
    starts: IntArray,
    secrets: IntArray,
    rows: IntArray,
    kinds: IntArray,
    tops: IntArray,
    bottoms: IntArray,
    most: int,
    held: IntArray,
    stamps: IntArray,
    fine: BoolArray,
) -> None:
    """Mark the first members in which no secret has more than its share, `tops / bottoms`.

    Invariant: `need` is the number of rows that the secret which needs most needs to be no more, or `most`,
    which is more than there are: so products stay within 64 bits.
    """
    for cell in range(len(bounds) - 1):
        total = need = 0
        for place in range(bounds[cell], bounds[cell + 1]):
            for entry in range(starts[order[place]], starts[order[place] + 1]):
                secret, kind = secrets[entry], kinds[entry]
                if stamps[secret] != cell + 1:
                    stamps[secret], held[secret] = cell + 1, 0
                held[secret] += rows[entry]
                total += rows[entry]
                if tops[kind] * need < held[secret] * bottoms[kind]:
                    more = -(-held[secret] * bottoms[kind] // tops[kind]) if tops[kind] else most
                    need = min(more, most)
            fine[place] = need <= total


def distinct_prefixes(
    order: IntArray,
    bounds: IntArray,
    starts: IntArray,
    secrets: IntArray,
    needs: IntArray,
    stamps: IntArray,
    fine: BoolArray,
) -> None:
    """Mark the first members that have as many different secrets as needed."""
    for cell in range(len(bounds) - 1):
        found, place = 0, bounds[cell]
        while found < needs[cell] and place < bounds[cell + 1]:
            for entry in range(starts[order[place]], starts[order[place] + 1]):
                if stamps[secrets[entry]] != cell + 1:
                    stamps[secrets[entry]] = cell + 1
                    found += 1
            place += 1
        for enough in range(max(place - 1, bounds[cell]), bounds[cell + 1]):
            fine[enough] = found >= needs[cell]


def width_prefixes(
    order: IntArray,
    bounds: IntArray,
    starts: IntArray,
    secrets: IntArray,
    ranks: IntArray,
    points: IntArray,
    least: int,
    fine: BoolArray,
) -> None:
    """Mark the first members whose numbers lie far enough apart; a rank of -1 is no number."""
    for cell in range(len(bounds) - 1):
        low, high = len(points), -1
        for place in range(bounds[cell], bounds[cell + 1]):
            for entry in range(starts[order[place]], starts[order[place] + 1]):
                rank = ranks[secrets[entry]]
                if rank >= 0:
                    low, high = min(low, rank), max(high, rank)
            fine[place] = (points[high] - points[low] if high >= 0 else 0) >= least


def entropy_prefixes(
    order: IntArray,
    bounds: IntArray,
    starts: IntArray,
    secrets: IntArray,
    rows: IntArray,
    top: int,
    bottom: int,
    held: IntArray,
    near: BoolArray,
    fine: BoolArray,
) -> None:
    """Mark the first members with an entropy of ln(top / bottom) at least, and what is too near to tell.

    Invariant: `own` is the sum of c log2 c over secrets with c rows. Where all c are equal, exp(entropy) is
    the number of secrets.
    """
    least = math.log2(top / bottom) if top > bottom else -1.0
    for cell in range(len(bounds) - 1):
        held[:] = 0
        total, found, most, own, steps = 0, 0, 0, 0.0, 0
        for place in range(bounds[cell], bounds[cell + 1]):
            for entry in range(starts[order[place]], starts[order[place] + 1]):
                secret = secrets[entry]
                if held[secret]:
                    own -= held[secret] * math.log2(held[secret])
                else:
                    found += 1
                held[secret] += rows[entry]
                own += held[secret] * math.log2(held[secret])
                total += rows[entry]
                most = max(most, held[secret])
                steps += 2
            spare = total * math.log2(total) - total * least - own
            if most * found == total:
                fine[place] = found * bottom >= top
            elif abs(spare) > (steps + 4) * (total * math.log2(total) + total) * 2.0**-48:
                fine[place] = spare > 0
            else:
                near[place] = True


def closeness_prefixes(
    order: IntArray,
    bounds: IntArray,
    starts: IntArray,
    secrets: IntArray,
    rows: IntArray,
    table: IntArray,
    total: int,
    ordered: bool,
    units: int,
    rest: int,
    bottom: int,
    held: IntArray,
    fine: BoolArray,
) -> None:
    """Mark the first members whose secrets are distributed about as in the table.

    What is moved, times the rows and the table's total, is at most (units + rest / bottom) times the rows.
    """
    for cell in range(len(bounds) - 1):
        held[:] = 0
        many = 0
        for place in range(bounds[cell], bounds[cell + 1]):
            for entry in range(starts[order[place]], starts[order[place] + 1]):
                held[secrets[entry]] += rows[entry]
                many += rows[entry]
            moved = gap = 0
            for secret in range(len(table)):
                excess = held[secret] * total - table[secret] * many
                gap = gap + excess if ordered else max(excess, 0)
                moved += abs(gap)
            fine[place] = moved <= units * many + rest * many // bottom
