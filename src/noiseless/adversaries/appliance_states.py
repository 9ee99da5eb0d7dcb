"""What an adversary learns of appliances, and how it guesses from one reading which of them are on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from noiseless.adversaries.game import Budget, reach_of
from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.collection.local.scalar import LocalQuantizer
from noiseless.errors import RequestError
from noiseless.questions import Span

_STANDBY = 0.05
"""An appliance draws its standby power, or less, for this share of the time."""

_DISTINCT = 1024
"""Up to this many distinct draws, clusters are exact; more are first pooled into as many equal steps."""

_COMBINATIONS = 2**20

Adversary = Literal["combinatorial", "frequencies"]
"""Who guesses: by the nearest sum of learned states ([P1]), or by what was on at similar readings."""


@dataclass(frozen=True, eq=False)
class Appliance:
    """What was learned of one appliance.

    Attributes:
        name: of its circuit.
        standby: what it draws when it does nothing.
        threshold: its least extra draw when it is on.
        levels: its extra draw in each of its on states, ascending.
    """

    name: str
    standby: float
    threshold: float
    levels: tuple[float, ...]

    @classmethod
    def learn(cls, name: str, draws: FloatArray, threshold: float, levels: int) -> "Appliance":
        """Learn from a circuit's readings; it is on where they exceed the standby power by the threshold."""
        standby = float(np.quantile(draws, _STANDBY, method="lower"))
        above = draws - standby
        return cls(name, standby, threshold, cluster(above[above > threshold], levels))


def cluster(values: FloatArray, clusters: int) -> tuple[float, ...]:
    """The means of the clusters with the least sum of squares: exact k-means; never more than values.

    >>> cluster(np.array([1.0, 2.0, 2.0, 9.0, 11.0, 10.0]), 2)
    (1.6666666666666667, 10.0)
    """
    if not len(values):
        return ()
    points, weights = _histogram(values)
    size, clusters = len(points), min(clusters, len(points))
    # Sums from the left; the cluster of points i to j - 1 has the sums at j less those at i.
    counts, sums, squares = (
        np.concatenate(([0.0], np.cumsum(weights * part))) for part in (1.0, points, points * points)
    )
    heads = counts[None, 1:] - counts[:-1, None]
    total = sums[None, 1:] - sums[:-1, None]
    inside = heads > 0
    cost = squares[None, 1:] - squares[:-1, None] - total**2 / np.where(inside, heads, 1.0)
    cost = np.where(inside, np.maximum(cost, 0.0), np.inf)
    best = cost[0]
    begins = [np.zeros(size, np.int64)]
    for _ in range(clusters - 1):
        tried = cost[1:] + best[:-1, None]
        begins.append(np.argmin(tried, axis=0) + 1)
        best = np.min(tried, axis=0)
    cuts = [size]
    for begin in reversed(begins):
        cuts.append(int(begin[cuts[-1] - 1]))
    cuts.reverse()
    return tuple(
        float((sums[end] - sums[start]) / (counts[end] - counts[start])) for start, end in pairwise(cuts)
    )


def _histogram(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Different values, ascending, and how often each occurs."""
    points, counts = np.unique(values, return_counts=True)
    if len(points) <= _DISTINCT:
        return points, counts.astype(float)
    low, high = points[0], points[-1]
    bins = np.minimum(((points - low) * (_DISTINCT / (high - low))).astype(np.int64), _DISTINCT - 1)
    weights = np.bincount(bins, counts, _DISTINCT)
    sums = np.bincount(bins, counts * points, _DISTINCT)
    filled = weights > 0
    return sums[filled] / weights[filled], weights[filled].astype(float)


def state_combinations(appliances: Sequence[Appliance]) -> tuple[FloatArray, BoolArray]:
    """Every way in which appliances can be in their states, by the power they draw together.

    Returns:
        What they draw above their standby power, ascending, each once; and for each total a row that says
        which appliances are on, of several ways the one with the fewest.

    Raises:
        RequestError: there are too many.
    """
    states = [(0.0, *appliance.levels) for appliance in appliances]
    if prod(map(len, states)) > _COMBINATIONS:
        raise RequestError(
            f"there are more than {_COMBINATIONS:,} combinations of states; name fewer circuits or levels"
        )
    sums = np.array(list(product(*states))).sum(axis=1)
    on = np.array(list(product(*(range(len(levels)) for levels in states)))) > 0
    order = np.lexsort((on.sum(axis=1), sums))
    totals, first = np.unique(sums[order], return_index=True)
    return totals, on[order][first]


def nearest_places(ascending: FloatArray, values: FloatArray) -> npt.NDArray[np.intp]:
    """The place of the number nearest to each value; of two equally near, the smaller.

    >>> nearest_places(np.array([0.0, 10.0, 30.0]), np.array([-4.0, 5.0, 21.0, 99.0])).tolist()
    [0, 0, 2, 2]
    """
    after = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    before = np.maximum(after - 1, 0)
    return np.where(values - ascending[before] <= ascending[after] - values, before, after)


@dataclass(frozen=True, eq=False)
class MeterReadings:
    """What the meter reveals: the few distinct readings, and which of them each row has.

    Attributes:
        values: the distinct readings, ascending.
        codes: the number of each row's reading among them.
    """

    values: FloatArray
    codes: IntArray


@dataclass(frozen=True, eq=False)
class Household:
    """A meter, its appliances, and what was learned of them.

    Attributes:
        meter: the readings as they are in the table.
        powers: the same as floats.
        span: the domain of a reading.
        train: how many rows the adversary learns from.
        on: for each row and appliance, whether it is on.
        appliances: what was learned.
        threshold: how much more an appliance draws when it is on.
    """

    meter: pa.ChunkedArray
    powers: FloatArray
    span: Span
    train: int
    on: BoolArray
    appliances: tuple[Appliance, ...]
    threshold: float

    def told(self, budget: Budget | None, name: str, *, clamp: bool) -> MeterReadings:
        """What the meter reveals within a budget; the readings themselves without one."""
        if budget is None:
            return MeterReadings(*np.unique(self.powers, return_inverse=True))
        told = LocalQuantizer.finest(self.span, reach_of(budget), name)
        codes = told.encode(self.meter, clamp=clamp, floats="decimal")
        return MeterReadings(told.midpoints, codes.astype(np.int64))


def by_combination(house: Household, told: MeterReadings) -> BoolArray:
    """For each reading the combination of states whose total is nearest: combinatorial optimisation [P1].

    It depends on the reading alone, so it is solved once for each distinct one. The draw of the house with
    everything off is taken to be the smallest reading shown.
    """
    smallest = told.values[told.codes[house.train :].min()]
    totals, on = state_combinations(house.appliances)
    return np.asarray(on[nearest_places(totals, told.values - smallest)])


def by_frequency(house: Household, told: MeterReadings) -> BoolArray:
    """For each reading what was on in more than half of the rows learned from that have one like it.

    Readings are alike when they fall into the same step, as wide as the threshold; a step never seen is
    replaced by the nearest one that was.
    """
    steps, of_value = np.unique(np.floor(told.values / house.threshold), return_inverse=True)
    of_row = of_value[told.codes[: house.train]]
    rows = np.bincount(of_row, minlength=len(steps))
    columns = house.on[: house.train].T.astype(float)
    on = np.stack([np.bincount(of_row, column, len(steps)) for column in columns], axis=1)
    met = np.flatnonzero(rows)
    said = 2 * on[met] > rows[met, None]
    return np.asarray(said[nearest_places(steps[met], steps)][of_value], bool)


PLAYERS: Mapping[Adversary, Callable[[Household, MeterReadings], BoolArray]] = {
    "combinatorial": by_combination,
    "frequencies": by_frequency,
}
"""How each adversary guesses: for each distinct reading and each appliance, whether it is on."""
