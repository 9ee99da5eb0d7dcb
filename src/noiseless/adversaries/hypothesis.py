"""The hypothesis game [P2]: a yes/no fact about each row, tested from what a blur or noise releases."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from typing import Any

import numpy as np

from noiseless.adversaries.columns import positions_of
from noiseless.adversaries.game import Game, Progress, Score, reported, require_sound
from noiseless.arrays import BoolArray, IntArray
from noiseless.collection.blur import Blur
from noiseless.collection.blur.fibres import Fibres, Mode
from noiseless.collection.blur.lattice import ColumnBounds
from noiseless.domain import Schema
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational, round_down
from noiseless.tables import open_table
from noiseless.tables.replacement import DeclaredColumns, MissingRows

Weights = Callable[[IntArray], IntArray]
"""How much prior weight lies below each point: a distribution of the compared column, in whole numbers."""

PRIORS = ("uniform", "table")
MEASURE = "share of rows whose fact is found out"
_MOST_STEPS = 2**30
"""Up to this, products of numbers of steps are exact in 64 bits."""


def hypothesis(
    table: Any,  # noqa: ANN401 - any frame or source
    hypothesis: str,
    *,
    max_changes: Iterable[Rational | float],
    bounds: ColumnBounds | None = None,
    schema: Schema | str | PathLike[str] | None = None,
    mode: Mode = "stretch",
    prior: str = "uniform",
    missing: MissingRows = "error",
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Game:
    """What an adversary finds out about a yes/no fact before and after a blur, and after noise of equal size.

    One adversary names a fact only when it is certain (the tests of [P2]); the score is the share of the
    table's rows that this decides. The other always names the likelier answer under a prior; the score is the
    share of rows for which that is right, a tie counting one half. Beside the blur stands noise that moves
    a value as far: any whole number of steps up to D, each equally likely. Nothing is drawn: averages over
    the noise are exact.

    Args:
        table: any table.
        hypothesis: the fact: a comparison of one column with an expression of others.
        max_changes: D, the most that a value may move; one blur each.
        bounds: for each column of the hypothesis its lowest and highest value and, unless it is 1, its step.
        schema: declared domains, or the file that holds them; `bounds` stand over it.
        mode: of the blur, "stretch" or "collapse".
        prior: what the betting adversary believes of the compared column, whatever the others are: "uniform"
            over the declared range, or the "table" column's own frequencies.
        missing: whether rows without a value are left out or an error.
        names: the columns' names, for text files without a header line.
        progress: called with the number of blurs done and their total.

    Raises:
        ExpressionError: the hypothesis cannot be read.
        RequestError: a domain is missing, or a change is too small.
        UnsoundError: a promise of the blur was found broken.
    """
    if prior not in PRIORS:
        raise RequestError(f"the prior is one of {', '.join(PRIORS)}")
    declared = schema if schema is None or isinstance(schema, Schema) else Schema.read(schema)
    blurs = [
        Blur.of(hypothesis, max_change=change, bounds=bounds, schema=declared, mode=mode)
        for change in max_changes
    ]
    if not blurs:
        raise RequestError("name at least one largest change")
    blurs.sort(key=lambda blur: blur.max_change)
    if blurs[-1].steps > _MOST_STEPS:
        raise RequestError(f"a value moves by more than {_MOST_STEPS:,} steps; declare a coarser step")
    first, fact = blurs[0], blurs[0].hypothesis
    read = DeclaredColumns.read(open_table(table, names=names), first.schema, fact.columns, missing)
    places = {name: positions_of(read.values(name), first.columns[name]) for name in read.columns}
    others = {name: places[name] for name in fact.others}
    rows = CountedRows(places[fact.column], read.tally.counts)
    results = [score for blur in reported(blurs, progress) for score in _protected(blur, rows, others, prior)]
    # Without a blur every fact can be read off.
    results += [
        Score(None, 1.0, 1.0, 1.0, _details(Fraction(0), release, adversary, 0.0))
        for release in ("blur", "noise")
        for adversary in ("certain", "likely")
    ]
    above = rows.points >= first.fibres(others).split
    settings = {
        "hypothesis": str(fact),
        "column": fact.column,
        "rows": int(rows.counts.sum()),
        "true": int(rows.counts[above if fact.sign in (">=", ">") else ~above].sum()),
        "mode": mode,
        "prior": prior,
    }
    return Game("hypothesis", MEASURE, None, settings, tuple(results), ("release", "adversary"))


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Rows of a table, those that are alike together.

    Attributes:
        points: the point of the compared column, in each row's fibre.
        counts: how many rows are alike.
    """

    points: IntArray
    counts: IntArray


@dataclass(frozen=True)
class DecisionRates:
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


def table_weights(rows: CountedRows) -> Weights:
    """A point is as likely as it is frequent among some rows, whatever the other columns are."""
    distinct, place = np.unique(rows.points, return_inverse=True)
    below = np.append(0, np.cumsum(np.bincount(place, rows.counts).astype(np.int64)))
    return lambda ends: np.asarray(below[np.searchsorted(distinct, ends, side="left")], np.int64)


def against_blur(fibres: Fibres, rows: CountedRows, reach: int, weights: Weights) -> DecisionRates:
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
    # Twice how often the likelier side is true; counted once where both are equally likely.
    likelier = np.where(below == above, 1, 2 * ((above > below) == truth))
    right = np.where(merged, likelier, 2)
    total = int(counts.sum())
    return DecisionRates(
        Fraction(int(counts[~merged].sum()), total), Fraction(int((counts * right).sum()), 2 * total)
    )


def against_noise(
    split: IntArray, last: int, rows: CountedRows, reach: int, weights: Weights
) -> DecisionRates:
    """The same against noise: a whole number of steps up to `reach`, each equally likely, is added.

    The released value lies within `reach` of the truth, so it decides unless points of both sides do. Among
    values that do not decide, the weight below the boundary falls and that above it rises with the value, so
    one search finds where the test changes its mind. Shares are averages over the noise.

    Args:
        split: the lowest point above the boundary in each row's fibre.
        last: the largest point.
        rows: the rows.
        reach: the most that is added or taken away, in steps.
        weights: the adversary's prior.
    """
    points, counts = rows.points, rows.counts
    inside = (split >= 1) & (split <= last)
    first, after = split - reach, split + reach  # released values in [first, after) decide nothing

    def leaning(told: IntArray) -> IntArray:
        """The weight above the boundary less that below it, over the points that may be behind a value."""
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
    return DecisionRates(Fraction(certain, whole), Fraction(int((counts * twice).sum()), 2 * whole))


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
    """Both answers really lead to the released value; where none is hidden the value is unchanged."""
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


def _protected(blur: Blur, rows: CountedRows, others: Mapping[str, IntArray], prior: str) -> Iterator[Score]:
    """The scores against one blur and against as much noise."""
    size = blur.compared.size
    weights = uniform_weights(size) if prior == "uniform" else table_weights(rows)
    fibres = blur.fibres(others)
    rates = {
        "blur": against_blur(fibres, rows, blur.steps, weights),
        "noise": against_noise(fibres.split, size - 1, rows, blur.steps, weights),
    }
    promised = {"blur": round_down(blur.protected_share), "noise": None}
    for release, rate in rates.items():
        for adversary, share in (("certain", rate.certain), ("likely", rate.right)):
            details = _details(blur.max_change, release, adversary, promised[release])
            yield Score(Bits(size), float(share), float(share), float(share), details)


def _details(change: Fraction, release: str, adversary: str, promised: float | None) -> dict[str, Any]:
    return {
        "max_change": float(change),
        "release": release,
        "adversary": adversary,
        "protected_share": promised,
    }
