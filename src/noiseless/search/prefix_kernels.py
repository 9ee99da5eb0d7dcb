"""Which first members of cells keep to limits, as plain loops: compiled where there are many.

Notation as in `cut_kernels`. What is behind a value is read entry by entry; `stamps` say for which cell what
is kept of a secret counts, so that nothing is cleared between cells.
"""

# ruff: noqa: PLR0917 - compiled functions take no keywords

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
        found = 0
        for place in range(bounds[cell], bounds[cell + 1]):
            for entry in range(starts[order[place]], starts[order[place] + 1]):
                if stamps[secrets[entry]] != cell + 1:
                    stamps[secrets[entry]] = cell + 1
                    found += 1
            fine[place] = found >= needs[cell]


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
