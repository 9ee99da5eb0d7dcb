"""Tests of "column >= boundary" from a blurred or a noisy record: which rows they decide, or guess right.

All is counted in points of the compared column, exactly. A fibre is all values of the compared column while
the other columns, which the adversary sees, stand still.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from noiseless.adversaries.soundness import require_sound
from noiseless.arrays import BoolArray, IntArray
from noiseless.collection.blur.pairing import Fibres

Weights = Callable[[IntArray], IntArray]
"""How much prior weight lies below each point: a distribution of the compared column, in whole numbers."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a table, those that are alike together.

    Attributes:
        points: the point of the compared column, in each row's fibre.
        counts: how many rows are alike.
    """

    points: IntArray
    counts: IntArray


@dataclass(frozen=True)
class Outcome:
    """How a test fares on the rows of a table.

    Attributes:
        certain: the share of rows whose answer is known for certain (on average over the noise, if any).
        right: the share of rows whose answer the best test names, a tie counting one half.
    """

    certain: Fraction
    right: Fraction


def uniform_weights(size: int) -> Weights:
    """All points of a column are equally likely."""
    return lambda points: np.clip(points, 0, size)


def table_weights(rows: Rows) -> Weights:
    """A point is as likely as it is frequent among some rows, whatever the other columns are."""
    distinct, place = np.unique(rows.points, return_inverse=True)
    below = np.append(0, np.cumsum(np.bincount(place, rows.counts).astype(np.int64)))
    return lambda ends: np.asarray(below[np.searchsorted(distinct, ends, side="left")], np.int64)


def against_blur(fibres: Fibres, rows: Rows, reach: int, weights: Weights) -> Outcome:
    """The best tests of somebody who knows the blur and sees what it releases.

    Args:
        fibres: what the blur does in each row's fibre.
        rows: the rows.
        reach: how many steps the blur may move a point.
        weights: the adversary's prior.
    """
    points, counts = rows.points, rows.counts
    merged = fibres.contain(points)
    lower, upper = _halves(fibres, points)
    _check_witnesses(fibres, points, merged, (lower, upper), reach)
    below, above = (weights(end) - weights(start) for start, end in (lower, upper))
    truth = points >= fibres.split
    right = np.where(merged, _twice_right(below, above, truth), 2)
    total = int(counts.sum())
    return Outcome(
        Fraction(int(counts[~merged].sum()), total), Fraction(int((counts * right).sum()), 2 * total)
    )


def against_noise(split: IntArray, last: int, rows: Rows, reach: int, weights: Weights) -> Outcome:
    """The same against noise: a whole number of steps up to `reach`, each equally likely, is added.

    What is told lies within `reach` of the truth, so that it decides unless points of both sides do. Among
    those that do not, the weight below the boundary falls and that above it rises with what is told, and one
    search finds where the test changes its mind. Shares are averages over the noise.

    Args:
        split: the lowest point above the boundary in each row's fibre.
        last: the largest point.
        rows: the rows.
        reach: the most that is added or taken away, in steps.
        weights: the adversary's prior.
    """
    points, counts = rows.points, rows.counts
    inside = (split >= 1) & (split <= last)
    first, after = split - reach, split + reach  # what is told from `first` to before `after` decides nothing

    def leaning(told: IntArray) -> IntArray:
        """The weight above the boundary less that below it, of the points that may be behind what is told."""
        low, high = np.maximum(told - reach, 0), np.minimum(told + reach, last) + 1
        return (weights(high) - weights(split)) - (weights(split) - weights(low))

    level = _first_where(lambda told: leaning(told) >= 0, first, after)
    rising = _first_where(lambda told: leaning(told) > 0, first, after)
    told_first, told_after = points - reach, points + reach + 1
    undecided = np.where(inside, _overlap(first, after, told_first, told_after), 0)
    ties = np.where(inside, _overlap(level, rising, told_first, told_after), 0)
    truth = points >= split
    named = np.where(
        truth, _overlap(rising, after, told_first, told_after), _overlap(first, level, told_first, told_after)
    )
    twice = 2 * (2 * reach + 1 - undecided) + np.where(inside, 2 * named, 0) + ties
    whole = int(counts.sum()) * (2 * reach + 1)
    certain = int((counts * (2 * reach + 1 - undecided)).sum())
    return Outcome(Fraction(certain, whole), Fraction(int((counts * twice).sum()), 2 * whole))


def _halves(fibres: Fibres, points: IntArray) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
    """Where the points below and those above the boundary that share a released value begin and end.

    As the blur pairs them: half h of `size` points has the runs ceil(j size / n) to ceil((j + 1) size / n).
    """
    first, split, after = fibres.first, fibres.split, fibres.last + 1
    if fibres.target is not None:
        return (first, split), (split, after)
    below, above = np.maximum(split - first, 1), np.maximum(after - split, 1)
    pairs = np.minimum(below, above)
    is_above = points >= split
    place = np.where(is_above, points - split, points - first)
    run = place * pairs // np.where(is_above, above, below)

    def edges(start: IntArray, size: IntArray) -> tuple[IntArray, IntArray]:
        return start - (-run * size // pairs), start - (-(run + 1) * size // pairs)

    return edges(first, below), edges(split, above)


def _check_witnesses(
    fibres: Fibres,
    points: IntArray,
    merged: BoolArray,
    halves: tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]],
    reach: int,
) -> None:
    """Both answers really lead to what is released; where none is hidden the value stays as it is."""
    released = fibres.release(points)
    require_sound(bool((released == points)[~merged].all()), "a value that hides nothing is left as it is")
    require_sound(bool((np.abs(released - points) <= reach).all()), "no value moves further than allowed")
    for start, end in halves:
        for witness in (start, end - 1):
            same = fibres.release(np.where(merged, witness, points)) == released
            require_sound(bool(same.all()), "both answers lead to what is released")
    (low_start, low_end), (high_start, high_end) = halves
    held = ((low_start <= points) & (points < low_end)) | ((high_start <= points) & (points < high_end))
    require_sound(bool(held[merged].all()), "the truth is among what the adversary holds possible")
    apart = (low_start < low_end) & (low_end <= fibres.split) & (fibres.split <= high_start)
    apart &= high_start < high_end
    require_sound(bool(apart[merged].all()), "a hidden answer has a value behind it on either side")


def _twice_right(below: IntArray, above: IntArray, truth: BoolArray) -> IntArray:
    """Twice how often the likelier side is the true one; 1 where both are equally likely."""
    return np.where(below == above, 1, 2 * ((above > below) == truth)).astype(np.int64)


def _overlap(first: IntArray, after: IntArray, start: IntArray, end: IntArray) -> IntArray:
    return np.asarray(np.maximum(np.minimum(after, end) - np.maximum(first, start), 0))


def _first_where(holds: Callable[[IntArray], BoolArray], first: IntArray, after: IntArray) -> IntArray:
    """The first place from which on something holds that holds from some place on: `after` if nowhere."""
    low, high = first.copy(), after.copy()
    while (low < high).any():
        middle = (low + high) // 2
        found = holds(middle) | (low >= high)
        high = np.where(found & (low < high), middle, high)
        low = np.where(~found, middle + 1, low)
    return low
