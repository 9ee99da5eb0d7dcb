"""The bracket of a capacity, certain because the divergences that prove its ends carry their error with them.

The channel is the matrix M with each row divided by its exact sum S; q is a positive vector with sum Q. With

    T(x) = sum_y (M ln(M/q) - M + q),     z = Q / S,
    D(M(x)/S || q/Q) = T(x)/S + (ln z - z + 1),

every term of T is at least 0, and the bracket is at most 0 and at least -(z-1)^2 for z >= 1/2. So the
rounding of sums enters to second order only, and divergences far below the rounding unit keep their digits.

The error is counted for any order of summation; logarithms are trusted to 8 units in the last place (NumPy
promises 4). The entries of M may each be off by 2 units of rounding, from reading decimals and from dividing
by the row's sum: what is bounded holds for the numbers that were meant, too.
"""

import math
from dataclasses import dataclass
from decimal import ROUND_FLOOR
from typing import Self

import numpy as np
import numpy.typing as npt

from noiseless.arrays import FloatArray
from noiseless.display import Facts, Shown, significant
from noiseless.exact import Bits, Nats

IndexArray = npt.NDArray[np.int64]

FLOOR = 2.0**-1000
"""No entry of q lies below: quotients by it neither overflow nor lose digits."""

_LN2 = math.log(2)
_UNIT = 2.0**-53
_PER_LOGARITHM = 30 * _UNIT
"""On M |ln(M/q)|: quotient 3, logarithm 16, product 1, entries of M 2, and room."""
_PER_DIFFERENCE = 4 * _UNIT
_TINY = 1e-30
"""More than second-order terms of the rounding unit and numbers below the smallest normal float add up to."""
_ROOM = 1 + 1e-6
"""On errors, which are sums of floats themselves."""
_CHUNK = 1 << 15
"""Entries worked on at a time: temporaries stay in the cache."""


@dataclass(frozen=True, eq=False, repr=False)
class Capacity(Shown):
    """The capacity max_p I(p; W) lies certainly between `lower` and `upper`.

    Attributes:
        lower_nats: I(p; W) of the prior, rounded down.
        upper_nats: max_x D(W(x) || q) of the output, rounded up; never above
            ln min(inputs, outputs).
        prior: the prior p that attains the lower end.
        output: the distribution q of outputs that proves the upper end.
        method: "exact" (inputs are told apart completely or not at all), "uniform" (the uniform prior is
            optimal: symmetric channels), "newton" or "blahut-arimoto".
        converged: whether the ends are as near to each other as was asked for.
        exact: the capacity as an exact number where it is known, otherwise None.
    """

    lower_nats: float
    upper_nats: float
    prior: FloatArray
    output: FloatArray
    method: str
    converged: bool
    exact: Bits | None = None

    @property
    def inputs(self) -> int:
        """How many inputs the channel has."""
        return len(self.prior)

    @property
    def outputs(self) -> int:
        """How many outputs the channel has."""
        return len(self.output)

    @property
    def lower(self) -> float:
        """The lower end in bits, rounded down."""
        if self.exact is not None:
            return self.exact.lower + 0.0  # not -0.0
        return max(0.0, _next(self.lower_nats / _LN2, -math.inf))

    @property
    def upper(self) -> float:
        """The upper end in bits, rounded up."""
        if self.exact is not None:
            return self.exact.upper
        return min(_next(self.upper_nats / _LN2, math.inf), Bits(min(self.inputs, self.outputs)).upper)

    @property
    def width_nats(self) -> float:
        """How far the ends are apart, rounded up."""
        return ends_apart(self.lower_nats, self.upper_nats)

    @property
    def atoms(self) -> int:
        """How many inputs the prior uses."""
        return int((self.prior > 0).sum())

    def _shown(self) -> tuple[str, Facts]:
        title = f"Capacity of a channel with {self.inputs:,} inputs and {self.outputs:,} outputs"
        return title, {
            "bits": between(self.lower, self.upper),
            "nats": between(self.lower_nats, self.upper_nats),
            "method": self.method,
            "inputs used": f"{self.atoms:,}",
            "converged": "yes" if self.converged else f"no: the ends are {self.width_nats:.1e} nats apart",
        }


def exact_capacity(count: int, prior: FloatArray, output: FloatArray) -> Capacity:
    """The capacity ln `count`, known exactly."""
    lower, upper = (Nats(count).lower, Nats(count).upper) if count > 1 else (0.0, 0.0)
    return Capacity(lower, upper, prior, output, "exact", converged=True, exact=Bits(count))


def between(lower: float, upper: float) -> str:
    """Two ends with ten digits, rounded outwards."""
    down, up = f"{significant(lower, 10, ROUND_FLOOR):g}", f"{significant(upper, 10):g}"
    return down if down == up else f"{down} to {up}"


def ends_apart(lower: float, upper: float) -> float:
    """The difference of two floats, rounded up."""
    return max(0.0, math.nextafter(upper - lower, math.inf)) if upper > lower else 0.0


def _next(value: float, towards: float) -> float:
    """Two floats on: further than a rounded ln 2 and a rounded quotient can be off."""
    return math.nextafter(math.nextafter(value, towards), towards)


@dataclass(frozen=True, eq=False)
class ChannelRows:
    """The rows of a channel and sum_y M ln M of each, to rounding."""

    matrix: FloatArray
    negentropies: FloatArray

    @classmethod
    def of(cls, matrix: FloatArray) -> Self:
        """Work out the negentropies."""
        return cls(matrix, np.einsum("ij,ij->i", matrix, np.log(np.maximum(matrix, FLOOR))))

    def __len__(self) -> int:
        return len(self.matrix)

    def only(self, which: IndexArray) -> Self:
        """Some of the rows."""
        if len(which) == len(self):
            return self
        return type(self)(self.matrix[which], self.negentropies[which])

    def gains(self, output: FloatArray) -> FloatArray:
        """D(W(x) || q) of each row, to rounding: what an input brings where the output is q."""
        return self.negentropies - self.matrix @ np.log(output)


def divergences(matrix: FloatArray, output: FloatArray) -> tuple[FloatArray, FloatArray]:
    """D(M(x)/S || q/Q) of each row, from below and from above; `output` is q, with a sum of at least S/2."""
    sums = np.empty((4, len(matrix)))
    step = max(1, _CHUNK // matrix.shape[1])
    for start in range(0, len(matrix), step):
        part = slice(start, start + step)
        sums[:, part] = _sums(matrix[part], output)
    value, logarithms, differences, total = sums
    outputs = len(output)
    relative = (outputs + 8) * _UNIT
    error = _PER_LOGARITHM * logarithms + _PER_DIFFERENCE * differences + relative * value
    error = error * _ROOM + _TINY
    off = np.abs(output.sum() / total - 1) + 4 * relative
    below = (value - error) / total * (1 - relative) - off**2 - _TINY
    return np.maximum(below, 0), (value + error) / total * (1 + relative)


def _sums(rows: FloatArray, output: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """T, sum M |ln(M/q)|, sum |M - q| and S.

    Where M is within half of q the difference is exact, and log1p keeps the digits that log would lose.
    """
    difference = rows - output
    near = np.abs(difference) <= 0.5 * output
    quotient = np.divide(np.where(near, difference, np.maximum(rows, FLOOR)), output)
    products = rows * np.where(
        near, np.log1p(np.where(near, quotient, 0)), np.log(np.where(near, 1, quotient))
    )
    value = np.maximum((products - difference).sum(axis=1), 0)
    return value, np.abs(products).sum(axis=1), np.abs(difference).sum(axis=1), rows.sum(axis=1)


def information(rows: ChannelRows, prior: FloatArray) -> float:
    """Certainly not above I(p; M/S) with p the prior, rescaled to sum to 1: the lower end of a capacity.

    I(p) = sum_x p D(M(x)/S || q/Q) - D(pM/S || q/Q) for any q; with q = pM as floats compute it, the last
    term is at most the square of the relative error of q.
    """
    atoms = np.flatnonzero(prior)
    used, weights = rows.only(atoms), prior[atoms] / prior[atoms].sum()
    output = output_of(used.matrix, weights)
    below, _ = divergences(used.matrix, output)
    rounding = (sum(rows.matrix.shape) + 16) * _UNIT
    off = 4 * (rounding + float(np.abs(used.matrix.sum(axis=1) - 1).max()))
    value = float(weights @ below / weights.sum()) * (1 - rounding) - off**2 - _TINY
    return max(value, 0.0)


def largest_divergence(rows: ChannelRows, output: FloatArray) -> float:
    """Certainly not below max_x D(M(x)/S || q/Q): an upper end of the capacity, whatever q is."""
    _, above = divergences(rows.matrix, output)
    return float(above.max())


def output_of(matrix: FloatArray, prior: FloatArray) -> FloatArray:
    """The distribution q = pM of outputs, kept above `FLOOR`."""
    output: FloatArray = np.maximum(prior @ matrix, FLOOR)
    return output
