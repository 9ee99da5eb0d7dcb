"""The mean error of a randomised answer, the rounding to its lattice included."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np

from noiseless.comparison import AdditiveNoise, RandomisedMechanism
from noiseless.questions import Continuum, Lattice

_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class RoundingBin:
    """The true answers that are rounded to one point of a lattice, offsets from it in the lattice's steps.

    Attributes:
        weight: how many they are.
        offsets: the sum of their offsets.
        distances: the sum of their distances.
    """

    weight: Fraction
    offsets: Fraction
    distances: Fraction


@dataclass(frozen=True)
class Rounding:
    """True answers that are spread evenly over their range, rounded to a lattice that begins where they do.

    Halves are rounded up. All points but the first and the last have equal bins.

    Attributes:
        lattice: the lattice. Answers above the range are moved to its end.
        total: how many true answers there are.
        worst: the largest error of rounding.
        first: the first bin.
        inner: those between.
        last: the last bin.
        beyond: how far the last point lies above the range, in steps.
    """

    lattice: Lattice
    total: Fraction
    worst: Fraction
    first: RoundingBin
    inner: RoundingBin
    last: RoundingBin
    beyond: Fraction

    @classmethod
    def of_points(cls, span: Lattice, points: int) -> "Rounding":
        """To every point of a lattice whose position is a multiple of `points`."""
        last = floor(Fraction(span.last, points) + _HALF)
        below, above = points // 2, (points - 1) // 2  # a bin is -below..above points about its own
        end = span.last - last * points
        return cls(
            Lattice(span.low, span.step * points, last),
            Fraction(span.last + 1),
            span.step * below,
            _bin_of_points(0, above, points),
            _bin_of_points(-below, above, points),
            _bin_of_points(-below, end, points),
            Fraction(max(-end, 0), points),
        )

    @classmethod
    def of_interval(cls, span: Continuum, step: Fraction) -> "Rounding":
        """To the multiples of a step."""
        total = span.width / step
        last = floor(total + _HALF)
        end = total - last
        return cls(
            Lattice(span.low, step, last),
            total,
            step / 2,
            _bin_of_interval(Fraction(0), _HALF),
            _bin_of_interval(-_HALF, _HALF),
            _bin_of_interval(-_HALF, end),
            max(-end, Fraction(0)),
        )

    def position(self, truth: Fraction) -> int:
        """Where a true answer is rounded to."""
        return floor((truth - self.lattice.low) / self.lattice.step + _HALF)

    def told(self, position: int) -> Fraction:
        """What is published for a position."""
        inside = position - self.beyond if position == self.lattice.last else Fraction(position)
        return self.lattice.low + inside * self.lattice.step

    @property
    def mean_error(self) -> Fraction:
        """Of rounding alone."""
        inner = self.inner.distances * (self.lattice.last - 1)
        distances = self.first.distances + inner + self.last.distances - self.beyond * self.last.weight
        return distances / self.total * self.lattice.step

    def mean_error_of(self, mechanism: RandomisedMechanism) -> float:
        """Of a mechanism on the rounded answer.

        An answer on another point than the rounded truth is farther from that than the truth is, so that a
        true answer's offset adds to the error or takes from it, whichever side the answer is on.
        """
        steps = self._added(mechanism) if isinstance(mechanism, AdditiveNoise) else self._of_matrix(mechanism)
        return steps * float(self.lattice.step)

    def _added(self, mechanism: AdditiveNoise) -> float:
        """Noise is symmetric, so offsets matter in the end bins only; shifts end where the range does.

        Lattices have up to 2^60 points, far too many for the matrix.
        """
        noise, end = mechanism.noise, self.lattice.last
        shifts = np.arange(1, min(noise.size, end) + 1)
        masses, farther = noise.mass(shifts), 0.0
        if noise.size > end:
            farther = float(noise.tail(np.array([end + 1]))[0])
        unmoved = float(noise.mass(np.zeros(1, np.int64))[0])
        cut = float(masses @ (shifts * (end + 0.5 - shifts / 2))) + farther * end * (end + 1) / 2
        at_an_end = float(masses @ shifts) + farther * end
        upwards, not_upwards = (1 - unmoved) / 2, (1 + unmoved) / 2
        to_the_end = float(masses[-1]) + farther if noise.size >= end else 0.0  # from the first point
        first, inner, last, beyond = self.first, self.inner, self.last, float(self.beyond)
        fewer = [float(inner.weight - edge.weight) for edge in (first, last)]
        errors = (
            float(inner.weight) * 2 * cut
            - sum(fewer) * at_an_end
            + float(inner.distances) * (end - 1) * unmoved
            + float(first.distances + last.distances) * not_upwards
            + float(last.offsets - first.offsets) * upwards
        )
        moved = float(inner.weight) * (not_upwards + at_an_end)
        moved -= fewer[0] * to_the_end + fewer[1] * not_upwards
        return (errors - beyond * moved) / float(self.total)

    def _of_matrix(self, mechanism: RandomisedMechanism) -> float:
        positions = np.arange(self.lattice.last + 1)
        matrix = mechanism.probabilities(range(len(positions)))
        bins = [self.first, *[self.inner] * (len(positions) - 2), self.last]
        numbers = [(float(one.weight), float(one.offsets), float(one.distances)) for one in bins]
        weights, offsets, distances = np.array(numbers).T
        away = positions - positions[:, None]  # the answer's position less the truth's
        errors = weights[:, None] * np.abs(away) - np.sign(away) * offsets[:, None] + np.diag(distances)
        errors[:, -1] -= weights * float(self.beyond)
        return float((matrix * errors).sum()) / float(self.total)


def _bin_of_points(first: int, last: int, points: int) -> RoundingBin:
    """Whole offsets, of which this many make a step."""
    inside = [Fraction(n * (n + 1), 2) for n in (max(-first, 0), max(last, 0))]  # first <= 0
    below = inside[0] - (Fraction(-last * (-last - 1), 2) if last < 0 else 0)
    return RoundingBin(Fraction(last - first + 1), (inside[1] - below) / points, (inside[1] + below) / points)


def _bin_of_interval(first: Fraction, last: Fraction) -> RoundingBin:
    """All offsets between two; the first is 0 or below."""
    distances = first * first / 2 + (last * last / 2 if last > 0 else -last * last / 2)
    return RoundingBin(last - first, (last * last - first * first) / 2, distances)
