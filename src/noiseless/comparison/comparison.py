"""A noiseless answer beside randomised ones that tell as many bits about one person."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from noiseless.comparison import (
    AdditiveNoise,
    Exponential,
    GaussianNoise,
    GeometricNoise,
    LaplaceNoise,
    RandomisedMechanism,
    RandomisedResponse,
)
from noiseless.comparison.additive_noise import Noise
from noiseless.comparison.calibration import calibrated, counted_by_response
from noiseless.comparison.rounded_noise import Rounding
from noiseless.display import Facts, FrameMixin, PlotMixin, Shown, arrow_rows, bound_text, significant
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational, round_up
from noiseless.pricing.plan import declared_bounds, named_query, whole_reach
from noiseless.pricing.reach import QuantizedQuery, allowed_reach, finest
from noiseless.questions import Lattice, Query, Slide
from noiseless.questions.base import length
from noiseless.ranges.quantizer import Stepped

if TYPE_CHECKING:
    import pyarrow as pa


_STEPS, _FEWEST = 8, 128
"""One person's sweep is divided into this many steps for each of the 2^bits answers, and into at least this
many in all, if values are not coarser."""

_MOST_POINTS = 2**60

_BLOCK = 256
"""Capacities are computed for sweeps of this many steps; longer ones are bounded by those of their parts."""

LEAST_BITS = Fraction(1, 20)

_MOST_PEOPLE = 10**15

_ONE_BY_ONE = 10**6
"""At most this many people are asked one by one in the example of randomised response."""


@dataclass(frozen=True)
class ComparisonRow:
    """One mechanism of a comparison.

    Attributes:
        name: "noiseless", "laplace", ...
        worst_error: the largest error that can occur.
        mean_error: the expected absolute error, for truths spread evenly over the range.
        bits: what one person can tell through the answer at most.
        parameter: what was chosen to keep to the bits.
        epsilon: the mechanism's level of differential privacy; None where it has none.
        example: what it answers to the comparison's example.
    """

    name: str
    worst_error: float
    mean_error: float
    bits: float
    parameter: dict[str, float]
    epsilon: float | None
    example: float


@dataclass(frozen=True, repr=False)
class Comparison(Shown, FrameMixin, PlotMixin):
    """Mechanisms that answer one question at equal bits.

    Attributes:
        query: the question's name.
        people: how many take part.
        bits: the bits leaked about one person, at most; of a reach, log2 of it rounded down.
        resolution: the step of the lattice on which noise was added; answers are rounded to it first.
        sweep: how many of these steps one person moves the answer.
        seed: of the example.
        truth: a true answer, drawn for the example.
        mechanisms: what was compared, the noiseless one first.
    """

    query: str
    people: int
    bits: Fraction
    resolution: Fraction
    sweep: int
    seed: int
    truth: float
    mechanisms: tuple[ComparisonRow, ...]

    def to_arrow(self) -> "pa.Table":
        """A row for each mechanism."""
        return arrow_rows(vars(mechanism) for mechanism in self.mechanisms)

    def to_dict(self) -> dict[str, Any]:
        """All results under the names they have in JSON."""
        return {
            "query": self.query,
            "n": self.people,
            "bits": float(self.bits),
            "resolution": float(self.resolution),
            "resolution_exact": str(self.resolution),
            "sweep": self.sweep,
            "seed": self.seed,
            "truth": self.truth,
            "mechanisms": [vars(mechanism) for mechanism in self.mechanisms],
        }

    def _shown(self) -> tuple[str, Facts]:
        bits = f"{float(self.bits):g} bit{'s' * (self.bits != 1)}"
        rows = [["", "worst error", "mean error", "bits", "epsilon"]]
        for one in self.mechanisms:
            epsilon = "-" if one.epsilon is None else f"{one.epsilon:.3g}"
            errors = (f"{significant(one.worst_error, 4):f}", f"{one.mean_error:.4g}")
            rows.append([one.name, *errors, bound_text(one.bits, 3, up=True), epsilon])
        return f"{self.query} of {self.people:,} people, {bits} from one person at most", rows


def compare(
    query: str,
    *,
    n: int,
    bounds: tuple[Rational, Rational] | None = None,
    bits: Rational | None = None,
    reach: int | None = None,
    step: Rational | None = None,
    seed: int = 0,
) -> Comparison:
    """A noiseless answer beside Laplace, geometric and Gaussian noise, and others where they apply.

    Each noise is the smallest with which the answer leaks at most `bits` bits of one person: an upper bound
    on the capacity of the channel from that person to the answer, whatever the others' values (MI-DP of [P5];
    for the noiseless answer, log2 of the reach).

    Args:
        query: count, sum, mean, min, max, median or variance.
        n: how many people take part.
        bounds: the smallest and the largest value a person can have; a count needs none.
        bits: the bits leaked about one person, at most.
        reach: the same as a whole number of answers, log2 of which are the bits.
        step: the resolution of values; without it they can be any number between the bounds.
        seed: of the example.

    Raises:
        RequestError: there is no such question, or the bits are too few to compare anything.

    >>> found = compare("mean", n=1000, bounds=(0, 1), bits=1)
    >>> [mechanism.name for mechanism in found.mechanisms], found.mechanisms[0].worst_error
    (['noiseless', 'laplace', 'geometric', 'gaussian'], 0.0005)
    """
    if (bits is None) == (reach is None):
        raise RequestError("give bits or a reach, and only one of them")
    allowed = allowed_reach(Fraction(bits)) if bits is not None else whole_reach(reach)
    budget = Fraction(bits) if bits is not None else Fraction(Bits(allowed).lower)
    if budget < LEAST_BITS:
        raise RequestError(
            f"bits are compared from {float(LEAST_BITS)} on; noise would hide the answer below"
        )
    if n > _MOST_PEOPLE:
        raise RequestError(f"comparisons are drawn for at most {_MOST_PEOPLE:,} people; give a smaller n")
    question, _ = named_query(query, n, *declared_bounds(query, bounds), step)
    scene = _Scene.of(question, budget, allowed, seed)
    rows = [scene.noiseless(), *scene.noisy()]
    if query == "count":
        rows.append(_by_response(n, scene))
    resolution = scene.rounding.lattice.step
    return Comparison(query, n, budget, resolution, scene.sweep, seed, float(scene.truth), tuple(rows))


@dataclass(frozen=True)
class _Scene:
    """A question, how its answers are rounded to the lattice on which noise is added, and an example."""

    question: Query
    budget: Fraction
    reach: int
    rounding: Rounding
    sweep: int
    truth: Fraction
    seed: int

    @classmethod
    def of(cls, question: Query, budget: Fraction, reach: int, seed: int) -> "_Scene":
        """Divide one person's sweep finely enough for the bits, and no finer than values are."""
        most = max(_FEWEST, math.ceil(_STEPS * 2 ** min(float(budget), math.log2(_MOST_POINTS))))
        nobody = RequestError("nobody moves the answer: there is nothing to compare")
        span = question.span
        share = Fraction(int(np.random.default_rng(seed).integers(0, 10**6)), 10**6)
        if isinstance(span, Lattice):
            sweep = max(i.sweep for i in question.influences if not isinstance(i, Slide))
            if not sweep:
                raise nobody
            points = max(-(-sweep // most), -(-span.last // _MOST_POINTS))
            rounding = Rounding.of_points(span, points)
            possible = question.attainable or range(span.last + 1)
            truth = span.value(possible[round(share * (length(possible) - 1))])
            steps = min(-(-sweep // points), rounding.lattice.last)
            return cls(question, budget, reach, rounding, steps, truth, seed)
        farthest = max(i.length for i in question.influences if isinstance(i, Slide))
        if not farthest:
            raise nobody
        most = min(most, math.floor(_MOST_POINTS * farthest / span.width))
        rounding = Rounding.of_interval(span, farthest / most)
        return cls(question, budget, reach, rounding, most, span.low + share * span.width, seed)

    def noiseless(self) -> ComparisonRow:
        """The finest quantizer within the bits."""
        mechanism = finest(self.question, self.reach)
        quantizer = mechanism.quantizer
        return ComparisonRow(
            "noiseless",
            round_up(mechanism.worst_error),
            float(mean_error(mechanism)),
            mechanism.bits.upper if mechanism.reach.outputs > 1 else 0.0,
            {"cells": quantizer.cells},
            None,
            float(mechanism.answer(quantizer.cell(self.truth)).value),
        )

    def noisy(self) -> Iterator[ComparisonRow]:
        """Noise whose scale keeps to the bits; the exponential mechanism where one base is all there is."""
        lattice, steps = self.rounding.lattice, float(self.rounding.lattice.step)
        for kind in (LaplaceNoise, GeometricNoise, GaussianNoise):
            make = _maker(lattice, kind)
            has_epsilon = kind is not GaussianNoise
            yield self._compared(kind.name, make, lambda scale: {"scale": scale * steps}, has_epsilon)
        if self.sweep != lattice.last or self.sweep > _BLOCK:
            return
        yield self._compared(
            "exponential",
            lambda scale: Exponential(lattice, 1 / (2 * scale)),
            lambda scale: {"rate": 1 / (2 * scale * steps)},
            True,
        )
        if self.question.people == 1:
            yield self._compared(
                "randomised response",
                lambda scale: RandomisedResponse.for_epsilon(lattice, 1 / scale),
                lambda scale: {"keep": 1 / (1 + lattice.last * math.exp(-1 / scale))},
                True,
            )

    def _compared(
        self,
        name: str,
        make: Callable[[float], RandomisedMechanism],
        parameter: Callable[[float], dict[str, float]],
        has_epsilon: bool,
    ) -> ComparisonRow:
        scale, bits = self._calibrated(make)
        rounding, position = self.rounding, self.rounding.position(self.truth)
        if scale is None:  # rounding alone does not tell more
            errors = round_up(rounding.worst), float(rounding.mean_error)
            return ComparisonRow(name, *errors, bits, {}, math.inf, float(rounding.told(position)))
        mechanism = make(scale)
        example = int(mechanism.sample(np.array([position]), self.seed)[0])
        per_scale = 1 if isinstance(mechanism, RandomisedResponse) else self.sweep
        return ComparisonRow(
            name,
            round_up(self.question.span.width),
            rounding.mean_error_of(mechanism),
            bits,
            parameter(scale),
            per_scale / scale if has_epsilon else None,
            float(rounding.told(example)),
        )

    def _calibrated(self, make: Callable[[float], RandomisedMechanism]) -> tuple[float | None, float]:
        """As `calibrated`; a long sweep in blocks.

        An adversary given the block of the input learns log2 of the number of blocks from it, and the rest
        from the channel of that block: the capacity is at most the sum of both.
        """
        everything = Bits(self.sweep + 1)
        if self.sweep <= _BLOCK or everything <= self.budget:
            return calibrated(make, self.sweep, self.budget)
        blocks = -(-(self.sweep + 1) // (_BLOCK + 1))
        which = Fraction(Bits(blocks).upper)
        scale, bits = calibrated(make, -(-(self.sweep + 1) // blocks) - 1, self.budget - which)
        if scale is None:  # every input may have an answer of its own
            return None, everything.upper
        return scale, min(round_up(Fraction(bits) + which), round_up(self.budget))


def _maker(lattice: Lattice, kind: type[Noise]) -> Callable[[float], RandomisedMechanism]:
    return lambda scale: AdditiveNoise(lattice, kind(scale))


def _by_response(people: int, scene: _Scene) -> ComparisonRow:
    """A count by randomised response: everybody's own bit is told by lot, and the bias taken out."""
    own = Lattice(Fraction(0), Fraction(1), 1)
    scale, bits = calibrated(lambda s: RandomisedResponse.for_epsilon(own, 1 / s), 1, scene.budget)
    keep = 1.0 if scale is None else RandomisedResponse.for_epsilon(own, 1 / scale).keep
    told = truth = int(scene.truth)
    if scale is not None:
        if people <= _ONE_BY_ONE:
            heard = int(RandomisedResponse(own, keep).sample(np.arange(people) < truth, scene.seed).sum())
        else:
            rng = np.random.default_rng(scene.seed)
            heard = int(rng.binomial([truth, people - truth], [keep, 1 - keep]).sum())
        told = min(max(round((heard - people * (1 - keep)) / (2 * keep - 1)), 0), people)
    return ComparisonRow(
        "randomised response",
        0.0 if scale is None else float(people),
        counted_by_response(people, keep),
        bits,
        {"keep": keep},
        math.inf if scale is None else 1 / scale,
        float(told),
    )


def mean_error(mechanism: QuantizedQuery) -> Fraction:
    """The mean distance of an answer's middle from the truth, for truths spread evenly over those there are.

    >>> from noiseless.questions import Attribute, total
    >>> mean_error(finest(total(10, Attribute("x", range(11))), 2))
    Fraction(250, 101)
    """
    quantizer, span = mechanism.quantizer, mechanism.query.span
    if not isinstance(span, Lattice):
        return span.width / quantizer.cells / 4
    possible = mechanism.query.attainable
    if possible is not None and length(possible) <= span.last:
        told = ((mechanism.answer(quantizer.cell_at(p)), span.value(p)) for p in possible)
        return sum((abs(answer.value - truth) for answer, truth in told), Fraction(0)) / len(possible)
    if isinstance(quantizer, Stepped):
        whole, rest = divmod(span.last + 1, quantizer.points)
        sizes = [(quantizer.points, whole), (rest, 1)]
    else:
        begins = [quantizer.begin(cell) for cell in range(quantizer.cells + 1)]
        sizes = [(after - before, 1) for before, after in pairwise(begins)]
    # m neighbouring points are floor(m^2 / 4) steps away from their middle, all together
    return span.step * Fraction(sum(size * size // 4 * times for size, times in sizes), span.last + 1)
