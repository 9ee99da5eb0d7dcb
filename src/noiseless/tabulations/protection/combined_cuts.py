"""Cuts that follow from other cuts because a cell is withheld or not, and never by halves.

Covers (Carr, Fleischer, Leung and Phillips, SODA 2000): if some cells are not enough for a cut, even all of
them together, the others make up for the rest, and none of them counts for more than that. Counts (Chvatal,
Discrete Mathematics 4, 1973): each cell counts as a number of units, rounded up, and so does what is needed.
Halves (Caprara and Fischetti, Mathematical Programming 74, 1996): a sum of cuts in which nearly all factors
are even is divided by 2, and what is odd on its right side rounded up.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, csr_array

from noiseless.arrays import BoolArray, FloatArray, IntArray

GRID = 2.0**17
"""Factors of cuts are rounded up to multiples of one part in this many: cuts err to the weak side."""
_GAIN = 1e-3
_NEAR = 0.5
"""Slack of cuts that are looked at."""
_LEAST = 0.2
"""Factors below this are not what the others are counted by."""
_ALIKE = 0.9
_TIGHT = 1e-6
_MOST, _KEPT = 30, 80
"""Cuts of one round, and sums that are halved for it."""


@dataclass(frozen=True, eq=False)
class SuppressionCut:
    """Of these cells some must be withheld: factors that add up to at least a number.

    Attributes:
        cells: the cells, 1 where withheld and 0 where not.
        factors: how much each counts; negative for a cell that needs others if it is withheld itself.
        least: what they must add up to.
    """

    cells: IntArray
    factors: FloatArray
    least: float = 1.0

    def lacks(self, withheld: FloatArray) -> float:
        """By how much a pattern, or a mixture of patterns, violates the cut; below 0 if it does not."""
        return self.least - float(self.factors @ withheld[self.cells])


def combined_cuts(rows: csr_array, least: FloatArray, withheld: FloatArray) -> list[SuppressionCut]:
    """Cuts that a mixture of patterns violates, those that cut most off, and not two that are much alike.

    Args:
        rows: cuts x cells: the factors of the cuts that are known.
        least: what each adds up to at least.
        withheld: how much of each cell the mixture withholds.
    """
    near = np.flatnonzero(rows @ withheld - least < _NEAR)
    rows, least = csr_array(rows[near]), least[near]
    found = [*_covers(rows, least, withheld), *_halves(rows, least, withheld)]
    if not found:
        return []
    norms = np.array([np.linalg.norm(each.factors) for each in found])
    depth = np.array([each.lacks(withheld) for each in found]) / norms
    best = np.argsort(-depth, kind="stable")[: 3 * _MOST]
    entries = np.concatenate([found[each].factors / norms[each] for each in best])
    columns = np.concatenate([found[each].cells for each in best])
    starts = np.cumsum([0, *(len(found[each].cells) for each in best)])
    scaled = csr_array((entries, columns, starts), shape=(len(best), len(withheld)))
    like, taken = (scaled @ scaled.T).toarray() > _ALIKE, list[int]()
    for place in range(len(best)):
        if len(taken) < _MOST and not like[place, taken].any():
            taken.append(place)
    return [found[best[place]] for place in taken]


def _covers(rows: csr_array, least: FloatArray, withheld: FloatArray) -> list[SuppressionCut]:
    """Of each cut whose factors differ, the most violated one without some of the cells withheld most."""
    found = list[SuppressionCut]()
    for row in np.flatnonzero(least > 0).tolist():
        chosen = slice(rows.indptr[row], rows.indptr[row + 1])
        factors, cells = rows.data[chosen] / least[row], rows.indices[chosen].astype(np.int64)
        own = withheld[cells]
        if factors.min() <= 0 or factors.min() >= 1 or np.all((own <= 0) | (own >= 1)):
            continue
        order = np.argsort(-own, kind="stable")
        cells, factors = cells[order], np.minimum(factors[order], 1.0)
        if (cut := _cover(cells, factors, own[order])) is not None:
            found.append(cut)
    return found


def _cover(cells: IntArray, factors: FloatArray, shares: FloatArray) -> SuppressionCut | None:
    best, found, without = 1 - _GAIN, None, np.r_[0.0, np.cumsum(factors)]
    for out in range(len(cells)):
        left = (1 - without[out]) * (1 - 1e-12)
        if left <= _GAIN or (out and shares[out - 1] <= 0):
            break
        rest, own = np.minimum(np.ceil(factors[out:] / left * GRID) / GRID, 1.0), shares[out:]
        if out and rest @ own < best:
            best, found = float(rest @ own), SuppressionCut(cells[out:], rest)
        units = np.unique(rest[(rest < 1) & (rest >= _LEAST) & (own > 0)])
        if len(units):  # multiples of the grid: these quotients are whole where they should be
            needed = np.ceil(1 / units)
            counts = np.minimum(np.ceil(rest / units[:, None]), needed[:, None])
            sums = (counts @ own) / needed
            unit = int(np.argmin(sums))
            if sums[unit] < best:
                best, found = (
                    float(sums[unit]),
                    SuppressionCut(cells[out:], counts[unit], float(needed[unit])),
                )
    return found


def _halves(rows: csr_array, least: FloatArray, withheld: FloatArray) -> list[SuppressionCut]:
    """Sums of cuts, by elimination of odd factors, whose halves cut the mixture off."""
    whole = csr_array((np.ceil(rows.data), rows.indices, rows.indptr), shape=rows.shape)
    sums = _ParityTable(whole, least, withheld)
    sums.look(np.arange(len(least)))
    used = np.zeros(len(least), bool)
    for column in np.argsort(-sums.price, kind="stable").tolist():
        rest = np.flatnonzero(sums.odd[:, column] & ~used & (sums.slack < 1))
        if len(rest):
            pivot = int(rest[np.argmin(sums.slack[rest])])
            if sums.slack[pivot] <= _TIGHT:
                used[pivot] = True
                sums.eliminate(pivot, rest[rest != pivot])
    return sums.halved()


class _ParityTable:
    """Sums of cuts with whole factors, as far as these are odd.

    Cells that are withheld altogether count on the right side; those that are not withheld cost nothing.
    """

    def __init__(self, rows: csr_array, least: FloatArray, withheld: FloatArray) -> None:
        self.rows, self.least, self.withheld = rows, least, withheld
        free = np.flatnonzero((withheld > _GAIN) & (withheld < 1 - _GAIN))
        self.free, shares = free, withheld[free]
        self.price, self.flip = np.minimum(shares, 1 - shares), (shares > 0.5).astype(float)  # noqa: PLR2004
        odd = csr_array((rows.data % 2, rows.indices, rows.indptr), shape=rows.shape)
        self.odd = csc_array(odd)[:, free].toarray() > 0
        self.right = (least + odd @ (withheld >= 1 - _GAIN)) % 2 > 0
        self.slack = np.maximum(rows @ withheld - least, 0.0)
        self.of = np.eye(len(least), dtype=bool)
        self.found = list[tuple[float, BoolArray, int]]()

    def eliminate(self, pivot: int, rest: IntArray) -> None:
        """Add one sum to others."""
        self.odd[rest] ^= self.odd[pivot]
        self.of[rest] ^= self.of[pivot]
        self.right[rest] ^= self.right[pivot]
        self.slack[rest] += self.slack[pivot]
        self.look(rest[self.slack[rest] < 1])

    def look(self, sums: IntArray) -> None:
        """Keep those whose halves cut the mixture off: odd factors are rounded to where least is lost.

        Where the right side is even then, the factor is rounded the other way that adds least.
        """
        if not len(sums):
            return
        odd = self.odd[sums]
        lost = self.slack[sums] + odd @ self.price
        even = (self.right[sums] + odd @ self.flip) % 2 == 0
        turns = np.where(odd, 1 - 2 * self.price, 1.0) if odd.shape[1] else np.ones((len(sums), 1))
        turned = np.argmin(turns, axis=1)
        lost += np.where(even, turns[np.arange(len(sums)), turned], 0.0)
        for at in np.flatnonzero(lost < 1 - _GAIN).tolist():
            other = int(self.free[turned[at]]) if even[at] else -1
            self.found.append((float(lost[at]), self.of[sums[at]].copy(), other))

    def halved(self) -> list[SuppressionCut]:
        """The halves of what was kept."""
        kept, made = sorted(self.found, key=lambda each: each[0])[:_KEPT], list[SuppressionCut]()
        for _, of, other in kept:
            parts = np.flatnonzero(of).tolist()
            spans = [slice(self.rows.indptr[part], self.rows.indptr[part + 1]) for part in parts]
            columns = np.concatenate([self.rows.indices[span] for span in spans])
            entries = np.concatenate([self.rows.data[span] for span in spans])
            total = np.bincount(columns, entries, len(self.withheld))
            odd = np.flatnonzero(total % 2)
            down = self.withheld[odd] > 0.5  # noqa: PLR2004 - nearer to 1
            down[odd == other] ^= True
            total[odd] += np.where(down, -1.0, 1.0)
            right = float(self.least[parts].sum()) - int(down.sum())
            cells = np.flatnonzero(total)
            cut = SuppressionCut(cells, total[cells] / 2, float(np.ceil(right / 2)))
            if len(cells) and cut.lacks(self.withheld) > _GAIN:
                made.append(cut)
        return made
