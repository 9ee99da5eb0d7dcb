"""Finite mechanisms that the figures of [P5] share: those of its examples, and mechanisms drawn at random."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Self

import numpy as np

from noiseless.gallery.figure import Curve
from noiseless.theory.differential import Database, dp_delta, dp_epsilon, kl_dp, mi_dp

DRAWN = 150
"""How many mechanisms are drawn."""

SEED = 0
NEAR = 1e-9
"""More than the brackets of capacities are wide, and than floats are off."""

WHOLE = 1 + 1e-6
"""A bound is kept if at most this share of it is used: brackets and floats are off by less."""


@dataclass(frozen=True)
class MeasuredGuarantees:
    """The guarantees that a mechanism on one entry keeps.

    Attributes:
        epsilon: it is epsilon-DP; possibly infinite.
        divergence: its KL-DP in nats.
        information: its MI-DP in nats.
        variation: it is (0, variation)-DP.
        inputs: how many values the entry has.
        outputs: how many outputs there are.
    """

    epsilon: float
    divergence: float
    information: float
    variation: float
    inputs: int
    outputs: int

    @classmethod
    def of(cls, mechanism: Database) -> Self:
        """Measure a mechanism."""
        return cls(
            dp_epsilon(mechanism).upper,
            kl_dp(mechanism),
            mi_dp(mechanism).upper_nats,
            float(dp_delta(mechanism)),
            mechanism.sizes[0],
            mechanism.outputs,
        )


@cache
def at_random() -> tuple[MeasuredGuarantees, ...]:
    """Mechanisms with 2 to 6 inputs and 2 to 6 outputs, from nearly useless to nearly open.

    Half of them mix their rows with the rows' mean, so that likelihood ratios are moderate; half say nothing
    with some probability, as erasures do.
    """
    draw = np.random.Generator(np.random.PCG64(SEED))
    found = []
    for number in range(DRAWN):
        inputs, outputs = int(draw.integers(2, 7)), int(draw.integers(2, 6))
        rows = draw.dirichlet(np.full(outputs, draw.choice([0.1, 1.0, 3.0])), size=inputs)
        rows = 0.99 * rows + 0.01 / outputs
        share = draw.uniform(0.1, 0.98)
        silence = np.full((inputs, 1), 1 - share)
        mixed = share * rows + (1 - share) * rows.mean(axis=0)
        told = np.hstack([share * rows, silence]) if number % 2 else mixed
        found.append(MeasuredGuarantees.of(Database.of(told)))
    return tuple(found)


def dots(label: str, mechanisms: Iterable[MeasuredGuarantees], x: str, y: str) -> Curve:
    """A dot for each mechanism: one of its guarantees against another."""
    places = [(getattr(one, x), getattr(one, y)) for one in mechanisms]
    return Curve.dots(label, *zip(*places, strict=True))


def erasure(values: int, delta: Fraction) -> Database:
    """Example 2 of [P5]: the entry is told with probability delta, otherwise nothing is."""
    return Database.from_function(lambda x: {x: delta, "nothing": 1 - delta}, range(values))


def subset_selection(epsilon: float, values: int) -> float:
    """The capacity in nats of subset selection over this many values, with subsets of the best size.

    Subsets with the entry in them are e^epsilon times as likely as others. With p the share of values that a
    subset holds and Z = 1 + p (e^epsilon - 1), the divergence of each row from the uniform output is
    epsilon p e^epsilon / Z - ln Z: the capacity, by symmetry.
    """
    sizes = np.arange(1, values) / values
    total = 1 + sizes * math.expm1(epsilon)
    return float((epsilon * sizes * math.exp(epsilon) / total - np.log(total)).max())


def nearest(pairs: Iterable[tuple[float, float]]) -> float:
    """How much of a bound is used at most, of pairs (measured, bound), but for what brackets are wide."""
    return max((measured - NEAR) / bound for measured, bound in pairs)
