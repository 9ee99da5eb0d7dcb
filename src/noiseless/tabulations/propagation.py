"""Bounds of base cells by propagation: what each figure, by itself, leaves to the cells that it adds up.

For a figure L <= sum of x_j <= U, cell j is at most U minus the least that the others can be, and at least L
minus the most that they can be. Rounds of this end in a fixpoint, or are stopped: bounds are true at any
time. Every improvement is remembered with the figure that it came from, so that a proof can be written later.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array, csr_array

from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import RequestError
from noiseless.tabulations.publication import UNBOUNDED, Publication
from noiseless.tabulations.refutation import Multipliers

Side = Literal["lower", "upper"]
ROUNDS = 60
_LARGE = 2**61


class Improvement(NamedTuple):
    """A bound of one base cell, and the figures that it follows from, with what was known before."""

    round: int
    atom: int
    side: Side
    value: int
    multipliers: Multipliers


class _Round(NamedTuple):
    side: Side
    atoms: IntArray
    values: IntArray
    reasons: IntArray | Sequence[Multipliers]


@dataclass(eq=False)
class BoundHistory:
    """Lower and upper bounds of all base cells, and how they came about.

    Attributes:
        lower: what is known by now, one for each atom.
        upper: what is known by now, `UNBOUNDED` where there is no bound.
    """

    lower: IntArray
    upper: IntArray
    _rounds: list[_Round] = field(default_factory=list)
    _index: tuple[int, dict[Side, tuple[list[int], list[int]]]] | None = None

    @property
    def now(self) -> int:
        """How many rounds of improvements there were."""
        return len(self._rounds)

    @property
    def contradiction(self) -> int | None:
        """A base cell whose bounds contradict each other."""
        crossed = np.flatnonzero(self.lower > self.upper)
        return int(crossed[0]) if len(crossed) else None

    def improve(
        self, side: Side, atoms: IntArray, values: IntArray, reasons: IntArray | Sequence[Multipliers]
    ) -> None:
        """Take better bounds over; each has a row that tells it, or multipliers of rows."""
        if len(atoms):
            (self.lower if side == "lower" else self.upper)[atoms] = values
            self._rounds.append(_Round(side, atoms, values, reasons))

    def reason(self, atom: int, side: Side, before: int) -> Improvement | None:
        """The last improvement of a bound in the rounds before one; None if it is the declared bound."""
        if self._index is None or self._index[0] != self.now:
            self._index = self.now, {"lower": self._indexed("lower"), "upper": self._indexed("upper")}
        keys, places = self._index[1][side]
        found = bisect_left(keys, atom * self.now + before) - 1
        if found < 0 or keys[found] // self.now != atom:
            return None
        number, place = keys[found] % self.now, places[found]
        told = self._rounds[number]
        reason = told.reasons[place]
        if not isinstance(reason, tuple):
            reason = ((int(reason), -1 if side == "lower" else 1),)
        return Improvement(number, atom, side, int(told.values[place]), reason)

    def _indexed(self, side: Side) -> tuple[list[int], list[int]]:
        """Atom and round of each improvement as one number, in order, and its place in the round."""
        rounds = [(number, told.atoms) for number, told in enumerate(self._rounds) if told.side == side]
        none = np.zeros(0, np.int64)
        keys = np.concatenate([none, *(atoms * self.now + number for number, atoms in rounds)])
        places = np.concatenate([none, *(np.arange(len(atoms)) for _, atoms in rounds)])
        order = np.argsort(keys, kind="stable")
        return keys[order].tolist(), places[order].tolist()


def declared_bounds(
    publication: Publication, lower: IntArray | None = None, upper: IntArray | None = None
) -> BoundHistory:
    """The bounds that are declared (or known besides), and what figures about one base cell add to them."""
    lower = (publication.atom_lower if lower is None else lower).copy()
    upper = (publication.atom_upper if upper is None else upper).copy()
    history, matrix = BoundHistory(lower, upper), publication.rows
    single = np.flatnonzero(np.diff(matrix.indptr) == 1)
    atoms = matrix.indices[matrix.indptr[single]].astype(np.int64)
    tells = publication.told_upper[single] < upper[atoms]
    history.improve("upper", *_best(atoms[tells], -publication.told_upper[single[tells]], single[tells], -1))
    tells = publication.told_lower[single] > lower[atoms]
    history.improve("lower", *_best(atoms[tells], publication.told_lower[single[tells]], single[tells], 1))
    if float(np.abs(history.lower).sum(dtype=np.float64)) > _LARGE:
        raise RequestError("the figures add up to more than 2^61 steps: choose a larger step")
    return history


def _best(
    atoms: IntArray, values: IntArray, rows: IntArray, sign: int
) -> tuple[IntArray, IntArray, IntArray]:
    """The largest value for each atom, with its row."""
    if len(atoms) == np.count_nonzero(np.bincount(atoms)):  # mostly each atom has one
        return atoms, sign * values, rows
    order = np.lexsort((-values, atoms))
    first = order[np.r_[True, np.diff(atoms[order]) != 0]] if len(order) else order
    return atoms[first], sign * values[first], rows[first]


@dataclass(frozen=True, eq=False)
class FreeRows:
    """The figures over the base cells that are not yet known, and what is left to add up there.

    Attributes:
        rows: the number of each figure in the publication.
        atoms: the number of each base cell in the publication.
        matrix: figures x base cells.
        lower: the least that these cells add up to.
        upper: the most, `UNBOUNDED` where there is no limit.
        broken: the multiplier of a figure all of whose cells are known, and add up to something else.
    """

    rows: IntArray
    atoms: IntArray
    matrix: csr_array
    lower: IntArray
    upper: IntArray
    broken: Multipliers = ()

    @classmethod
    def of(cls, publication: Publication, history: BoundHistory) -> "FreeRows":
        """The figures with a free cell that say more than nothing; cells without such a figure stay in."""
        every = cls(
            np.arange(len(publication.told_lower)),
            np.arange(publication.size),
            publication.rows,
            publication.told_lower,
            publication.told_upper,
        )
        return every.restricted(history)

    def restricted(self, history: BoundHistory) -> "FreeRows":
        """The same without cells that have become known."""
        lower, upper = history.lower[self.atoms], history.upper[self.atoms]
        free = lower < upper
        entries = free[self.matrix.indices]
        known = _sums(np.where(entries, 0, lower[self.matrix.indices]), self.matrix.indptr)
        counts = _sums(entries.astype(np.int64), self.matrix.indptr)
        keep = counts > 0
        starts = np.r_[0, np.cumsum(counts[keep])].astype(np.int32)
        places = (np.cumsum(free) - 1).astype(np.int32)
        indices = places[self.matrix.indices[entries]]
        matrix = csr_array(
            (np.ones(len(indices), np.int8), indices, starts), shape=(int(keep.sum()), int(free.sum()))
        )
        wrong = ~keep & ((known < self.lower) | (known > self.upper))
        broken = tuple(
            (int(self.rows[k]), 1 if known[k] > self.upper[k] else -1) for k in np.flatnonzero(wrong)
        )
        end = self.upper[keep]
        return FreeRows(
            self.rows[keep],
            self.atoms[free],
            matrix,
            self.lower[keep] - known[keep],
            np.where(end < UNBOUNDED, end - known[keep], UNBOUNDED),
            broken[:1],
        )

    def chosen(self, rows: BoolArray) -> "FreeRows":
        """Some of the rows."""
        return FreeRows(self.rows[rows], self.atoms, self.matrix[rows], self.lower[rows], self.upper[rows])

    def told_more(self, history: BoundHistory) -> BoolArray:
        """Whether each row says anything that the bounds of its cells do not say."""
        least, most, open_ends = self._activities(history)
        return (least < self.lower) | (self.upper < UNBOUNDED) & ((open_ends > 0) | (most > self.upper))

    def improvements(self, history: BoundHistory) -> Iterator[tuple[Side, IntArray, IntArray, IntArray]]:
        """What one round of propagation finds: for each side atoms, bounds, and the rows that tell them."""
        if not self.matrix.shape[0]:
            return
        least, most, open_ends = self._activities(history)
        columns = self.matrix.tocsc()
        lower, upper = history.lower[self.atoms], history.upper[self.atoms]
        slack = np.where(self.upper < UNBOUNDED, self.upper - least, UNBOUNDED)
        tightest = _extremes(slack, columns, np.minimum, UNBOUNDED)
        yield "upper", *self._told(columns, slack, tightest, lower + tightest < upper, lower + tightest)
        need = self.lower - most
        closed = np.where(open_ends == 0, need, -UNBOUNDED)
        alone = np.where(open_ends == 1, need, -UNBOUNDED)
        bounded = upper < UNBOUNDED
        for values, where, base in ((closed, bounded, upper), (alone, ~bounded, np.zeros_like(upper))):
            largest = _extremes(values, columns, np.maximum, -UNBOUNDED)
            better = where & (largest > -UNBOUNDED) & (base + largest > lower)
            yield "lower", *self._told(columns, values, largest, better, base + largest)

    def _activities(self, history: BoundHistory) -> tuple[IntArray, IntArray, IntArray]:
        """The least and the most that each row's cells add up to, and how many have no upper bound."""
        lower, upper = history.lower[self.atoms], history.upper[self.atoms]
        limit = _LARGE // max(1, len(upper))  # a sum of smaller ones fits
        unbounded = upper > limit
        entries, starts = self.matrix.indices, self.matrix.indptr
        most = _sums(np.where(unbounded, 0, upper)[entries], starts)
        return _sums(lower[entries], starts), most, _sums(unbounded.astype(np.int64)[entries], starts)

    def _told(
        self, columns: csc_array, values: IntArray, best: IntArray, better: BoolArray, bounds: IntArray
    ) -> tuple[IntArray, IntArray, IntArray]:
        """The atoms with a better bound, the bounds, and the first row that tells each."""
        atoms = np.flatnonzero(better)
        starts, counts = columns.indptr[atoms], np.diff(columns.indptr)[atoms]
        begins = np.cumsum(counts) - counts
        places = np.arange(int(counts.sum())) + np.repeat(starts - begins, counts)
        rows = columns.indices[places]
        hits = np.flatnonzero(values[rows] == np.repeat(best[atoms], counts))
        first = hits[np.searchsorted(hits, begins)] if len(atoms) else hits
        return self.atoms[atoms], bounds[atoms], self.rows[rows[first]]


def propagate(publication: Publication, history: BoundHistory) -> FreeRows:
    """Improve bounds round by round; what is left to find out. Stops early at a contradiction."""
    free = FreeRows.of(publication, history)
    for _ in range(ROUNDS):
        if history.contradiction is not None or free.broken:
            break
        before = history.now
        for found in list(free.improvements(history)):
            history.improve(*found)
        if history.now == before:
            break
        free = free.restricted(history) if history.contradiction is None else free
    return free


def _sums(values: IntArray, starts: npt.NDArray[np.signedinteger]) -> IntArray:
    """Sums of consecutive entries; none is empty."""
    return np.add.reduceat(values, starts[:-1]) if len(starts) > 1 else np.zeros(0, np.int64)


def _extremes(values: IntArray, columns: csc_array, of: np.ufunc, nothing: int) -> IntArray:
    """The extreme of each column's values; `nothing` where a column has none."""
    found = np.full(columns.shape[1], nothing, np.int64)
    filled = np.flatnonzero(np.diff(columns.indptr))
    if len(filled):
        found[filled] = of.reduceat(values[columns.indices], columns.indptr[filled])
    return found
