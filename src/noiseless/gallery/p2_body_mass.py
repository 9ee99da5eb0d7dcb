"""Example 3 of [P2], shared by its figures: whether somebody is obese, hidden in heights and weights."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from noiseless.collection.blur import Blur, ContinuousBlur

if TYPE_CHECKING:
    from noiseless.gallery.data import Data

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

HYPOTHESIS = "weight >= 30*(height/100)**2"
"""A body mass index of 30 or more."""

RANGES = {"weight": (0, 200), "height": (0, 250)}
"""In kilograms and centimetres, as the paper declares them."""

SHORTEST = 100
"""A height below this is a typing error: the survey has one, 62 cm."""

Policy = Literal["collapse", "stretch"]
"""The paper's policy, or ours."""

POLICIES: tuple[tuple[Policy, str], ...] = (
    ("collapse", "collapsed, as printed"),
    ("stretch", "paired, ours"),
)


@dataclass(frozen=True)
class People:
    """Who answered both questions.

    Attributes:
        height: in whole centimetres.
        weight: in whole kilograms.
        asked: how many answers the survey has.
        mistyped: how many of those who gave both were left out for an impossible height.
    """

    height: Integers
    weight: Integers
    asked: int
    mistyped: int

    @classmethod
    def of(cls, data: "Data") -> "People":
        """The survey's."""
        table = data.young_people().select(["Height", "Weight"])
        asked = len(table)
        table = table.drop_null()
        height, weight = (np.asarray(table[name].to_numpy(), np.int64) for name in ("Height", "Weight"))
        kept = height >= SHORTEST
        return cls(height[kept], weight[kept], asked, int(np.count_nonzero(~kept)))

    def __len__(self) -> int:
        return len(self.height)

    @property
    def obese(self) -> Flags:
        """Who is obese, decided in whole numbers: weight >= 30 (height/100)^2."""
        return 1000 * self.weight >= 3 * self.height**2

    def within(self, change: int) -> Flags:
        """Whose weight is within so many kilograms of the boundary."""
        near: Flags = np.abs(1000 * self.weight - 3 * self.height**2) <= 1000 * change
        return near

    def released(self, change: int, policy: Policy) -> Floats:
        """The weights that are reported when none may move by more than a number of kilograms.

        The paper's policy reports the boundary, 30 (height/100)^2, which is seldom a whole number; ours stays
        on the declared lattice of whole kilograms.
        """
        if change == 0:
            return self.weight.astype(np.float64)
        if policy == "collapse":
            return np.where(self.within(change), 3 * self.height**2 / 1000, self.weight)
        return blurred(self.height, self.weight, change).astype(np.float64)

    def described(self) -> tuple[str, ...]:
        """What a reader must know about the rows."""
        left = f"{self.mistyped} with a height below {SHORTEST} cm, a typing error, left out"
        return (
            (
                f"{len(self):,} of {self.asked:,} answers have a height and a weight ({left}); "
                f"{np.count_nonzero(self.obese)} of these people are obese."
            ),
        )


def blurred(height: Integers, weight: Integers, change: int) -> Integers:
    """Whole kilograms, blurred on their lattice; a number is its own place on it, for both begin at 0."""
    fibres = lattice_blur(change).lattice.fibres({"height": height})
    return np.asarray(fibres.release(weight), np.int64)


@cache
def lattice_blur(change: int, mode: Policy = "stretch") -> Blur:
    """The blur of whole kilograms and centimetres."""
    return Blur.of(HYPOTHESIS, max_change=change, bounds=RANGES, mode=mode)


def continuous_blur(rho: Fraction, mode: Policy = "stretch") -> ContinuousBlur:
    """The blur of real numbers that moves nothing by more than 1/rho."""
    return ContinuousBlur.of(HYPOTHESIS, RANGES, max_change=1 / rho, mode=mode)
