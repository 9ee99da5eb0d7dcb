"""What an adversary believes of a value before any answer: whole weights on a lattice, or densities."""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from noiseless.arrays import IntArray
from noiseless.errors import RequestError

PRIORS = ("uniform", "triangular", "table")
"""Every value alike; the middle likeliest and the ends least; as frequent as in the table."""


def lattice_prior(name: str, size: int, positions: IntArray) -> IntArray:
    """The weight of each value of a domain.

    >>> lattice_prior("triangular", 5, np.array([0])).tolist()
    [1, 2, 3, 2, 1]
    >>> lattice_prior("table", 3, np.array([0, 2, 2])).tolist()
    [1, 0, 2]

    Args:
        name: one of `PRIORS`.
        size: how many values there are.
        positions: the people's values, by their numbers.

    Raises:
        RequestError: there is no such prior.
    """
    numbers = np.arange(size, dtype=np.int64)
    found: Mapping[str, IntArray] = {
        "uniform": np.ones(size, np.int64),
        "triangular": np.minimum(numbers + 1, size - numbers),
        "table": np.bincount(positions, minlength=size).astype(np.int64),
    }
    if name not in found:
        raise RequestError(f"the prior is one of {', '.join(PRIORS)}, not {name!r}")
    return found[name]


def triangular_density(length: Fraction, power: int) -> tuple[Fraction, Fraction]:
    """A least density rho, and how long the part of the range is on which the triangular one keeps to it.

    The density peaks at 2 / length in the middle and is 0 at the ends, where Theorem 4 of [P1] says nothing.
    On the part where it is at least rho the theorem holds for the error made there; of all rho the one that
    makes rho * part^(p+1) largest is 2 / ((p + 2) length).
    """
    density = 2 / ((power + 2) * length)
    return density, length * (1 - density * length / 2)
