"""Adversaries who guess from one reading of a house's meter which appliances are on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from noiseless.adversaries.appliance_states import Appliance, Combinations, nearest_places
from noiseless.adversaries.game import Budget, reach_of
from noiseless.arrays import BoolArray, FloatArray
from noiseless.collection.local.scalar import LocalQuantizer
from noiseless.questions import Span

Adversary = Literal["combinatorial", "frequencies"]
"""Who guesses: by the nearest sum of learned states ([P1]), or by what was on when the reading was alike."""


@dataclass(frozen=True, eq=False)
class Readings:
    """What the meter tells: few different readings, and which of them each row has.

    Attributes:
        values: the different readings, ascending.
        codes: the number of each row's reading among them.
    """

    values: FloatArray
    codes: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class House:
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

    def told(self, budget: Budget | None, name: str, *, clamp: bool) -> Readings:
        """What the meter tells with a budget; the readings themselves without."""
        if budget is None:
            return Readings(*np.unique(self.powers, return_inverse=True))
        told = LocalQuantizer.finest(self.span, reach_of(budget), name)
        codes = told.encode(self.meter, clamp=clamp, floats="decimal")
        return Readings(told.midpoints, codes.astype(np.int64))


def by_combination(house: House, told: Readings) -> BoolArray:
    """For each reading the combination of states whose total is nearest: combinatorial optimisation [P1].

    It depends on the reading alone, so that it is solved once for each different one. What the house draws
    when all is off is taken to be the smallest reading that is shown.
    """
    smallest = told.values[told.codes[house.train :].min()]
    return Combinations.of(house.appliances).nearest(told.values - smallest)


def by_frequency(house: House, told: Readings) -> BoolArray:
    """For each reading what was on in more than half of the rows learned from that have one like it.

    Readings are alike when they fall into the same step, as wide as the threshold; a step that was not met
    is taken for the nearest one that was.
    """
    steps, of_value = np.unique(np.floor(told.values / house.threshold), return_inverse=True)
    of_row = of_value[told.codes[: house.train]]
    rows = np.bincount(of_row, minlength=len(steps))
    columns = house.on[: house.train].T.astype(float)
    on = np.stack([np.bincount(of_row, column, len(steps)) for column in columns], axis=1)
    met = np.flatnonzero(rows)
    said = 2 * on[met] > rows[met, None]
    return np.asarray(said[nearest_places(steps[met], steps)][of_value], bool)


PLAYERS: Mapping[Adversary, Callable[[House, Readings], BoolArray]] = {
    "combinatorial": by_combination,
    "frequencies": by_frequency,
}
"""How each adversary guesses: for each different reading and each appliance, whether it is on."""
