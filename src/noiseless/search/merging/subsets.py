"""Agglomeration over subsets: IAC-MDSF, which [P3] compares with in its Fig. 9 (its reference [50])."""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray, IntArray
from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.ranges import JointRange
from noiseless.search.problem import Cells

_LEAST = 1e-12
"""Changes of the Lagrangian that floats cannot tell from none."""

MOST_ENTRIES = 3 * 10**7
"""Before a merge all pairs of cells are looked at, for each sensitive value: at no more than this many."""


def submodular_agglomeration(
    joint: JointRange, weight: Rational | float, counts: npt.ArrayLike | None = None
) -> Cells:
    """IAC-MDSF of Ding and Sadeghi (ITW 2019, Algorithm 1), [50] of [P3], for the privacy funnel.

    IAC-MDSF stands for iterative agglomerative clustering by minimising differences of submodular functions.
    It starts with every public value as a cell of its own, and merges the *subset* of cells that lowers
    I(S;Xh) - weight I(X;Xh) most, until none lowers it. Merging the cells W changes that by
    (1 - weight) A(W) - B(W), where A and B are what merging W changes H(Xh) and H(Xh|S) by: two submodular
    functions. The best W is looked for by an algorithm for such differences.

    What the description leaves open, and what is done here: [50] says "existing MDSF algorithms", and they
    find local minima; here it is ModMod (Iyer and Bilmes, UAI 2012), started from the best pair, so that no
    merge is worse than that of a pairwise algorithm. Probabilities are the table's frequencies. [P3] does
    not say whether it ran [50] with this Lagrangian or with its own, of which it says itself (footnote 18)
    that it is no such difference; this is [50] as it was published. Floats are good enough: nothing is
    claimed of the cells that is not measured anew.

    Args:
        joint: [[S, X]].
        weight: the multiplier lambda; from 1 on nothing is ever merged.
        counts: how many rows have each pair, in the order of `joint`; one each if not given.

    >>> joint = JointRange.from_pairs([("a", 0), ("b", 0), ("a", 1), ("b", 1), ("c", 2)])
    >>> submodular_agglomeration(joint, 0.25).members
    ((0, 2), (1,))
    >>> submodular_agglomeration(joint, 1).members
    ((0,), (1,), (2,))

    Raises:
        RequestError: the weight is negative, or there are too many values.
    """
    kept = float(1 - Fraction(weight))
    if kept > 1:
        raise RequestError("a weight is not negative")
    if joint.size_y**2 * joint.size_x > MOST_ENTRIES:
        raise RequestError("there are too many values for agglomeration over subsets")
    held = np.ones(len(joint)) if counts is None else np.asarray(counts, float)
    shares = np.zeros((joint.size_y, joint.size_x))
    shares[joint.y, joint.x] = held / held.sum()
    labels = np.arange(joint.size_y)
    while len(shares) > 1:
        change = MergeChange(shares, kept)
        chosen = change.best_subset()
        if change.of(chosen) >= -_LEAST:
            break
        first, gone = chosen.argmax(), chosen.copy()
        gone[first] = False
        shares[first] = shares[chosen].sum(axis=0)
        numbers = np.where(chosen, first, np.arange(len(shares)))
        labels = np.cumsum(~gone)[numbers[labels]] - 1
        shares = shares[~gone]
    return Cells.from_labels(labels)


class MergeChange:
    """What merging a subset of cells changes the Lagrangian of [50] by: kept * A(W) - B(W)."""

    def __init__(self, shares: FloatArray, kept: float) -> None:
        """Take the cells as they are.

        Args:
            shares: P(s, cell), a row for each cell.
            kept: 1 - weight.
        """
        self.shares, self.kept = shares, kept
        self.masses = shares.sum(axis=1)
        self._alone = _entropies(shares).sum(axis=1)

    def of(self, chosen: npt.NDArray[np.bool_]) -> float:
        """The change, in bits."""
        return float(self._outer(self.masses[chosen].sum(), self.masses[chosen])) - self._inner(chosen)

    def _outer(self, together: FloatArray | float, parts: FloatArray) -> FloatArray:
        return np.asarray(self.kept * (_entropies(together) - _entropies(parts).sum()))

    def _inner(self, chosen: npt.NDArray[np.bool_]) -> float:
        return float(_entropies(self.shares[chosen].sum(axis=0)).sum() - self._alone[chosen].sum())

    def best_pair(self) -> npt.NDArray[np.bool_]:
        """The pair that lowers it most; of equals the first."""
        many = len(self.shares)
        least, best = np.inf, (0, 1)
        for one in range(many - 1):
            joined = self.shares[one] + self.shares[one + 1 :]
            inner = _entropies(joined).sum(axis=1) - self._alone[one] - self._alone[one + 1 :]
            masses = _entropies(self.masses)
            outer = _entropies(self.masses[one] + self.masses[one + 1 :]) - masses[one] - masses[one + 1 :]
            found = self.kept * outer - inner
            other = int(found.argmin())
            if found[other] < least - _LEAST:
                least, best = float(found[other]), (one, one + 1 + other)
        chosen = np.zeros(many, bool)
        chosen[list(best)] = True
        return chosen

    def best_subset(self) -> npt.NDArray[np.bool_]:
        """A local minimum by ModMod, from the best pair on: never worse than it."""
        chosen = self.best_pair()
        now = self.of(chosen)
        while True:
            lower = self._lower(chosen)
            found = [np.asarray(upper - lower < 0) for upper in self._uppers(chosen)]
            values = [self.of(one) if one.sum() > 1 else np.inf for one in found]
            best = int(np.argmin(values))
            if values[best] >= now - _LEAST:
                return chosen
            chosen, now = found[best], values[best]

    def _uppers(self, chosen: npt.NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
        """Two modular functions above kept * A, which agree with it at the subset (up to a constant)."""
        alone, inside = _entropies(self.masses), float(self.masses[chosen].sum())
        total = float(self.masses.sum())

        def gain(base: FloatArray | float) -> FloatArray:
            return np.asarray(self.kept * (_entropies(base + self.masses) - _entropies(base) - alone))

        within = np.where(chosen, inside - self.masses, inside)
        first = np.where(chosen, gain(within), 0.0)
        second = np.where(chosen, gain(np.maximum(total - self.masses, 0)), gain(within))
        return first, second

    def _lower(self, chosen: npt.NDArray[np.bool_]) -> FloatArray:
        """A modular function below B, which agrees with it at the subset: by a chain through it."""
        base = self.shares[chosen].sum(axis=0)
        gains = _entropies(base + self.shares).sum(axis=1) - _entropies(base).sum() - self._alone
        order: IntArray = np.lexsort((np.arange(len(gains)), -gains, ~chosen))
        sums = np.cumsum(self.shares[order], axis=0)
        values = _entropies(sums).sum(axis=1) - np.cumsum(self._alone[order])
        found = np.empty(len(gains))
        found[order] = np.diff(values, prepend=0.0)
        return found


def _entropies(shares: FloatArray | float) -> FloatArray:
    """- p log2 p of each."""
    held = np.asarray(shares, float)
    return np.asarray(-held * np.log2(np.where(held > 0, held, 1.0)))
