"""A noiseless answer beside randomised ones that tell as many bits about one person."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from noiseless.errors import RequestError
from noiseless.exact import Rational, round_up
from noiseless.mechanisms.quantized import QuantizedQuery
from noiseless.mechanisms.quantizer import Stepped
from noiseless.mechanisms.randomised import (
    AdditiveNoise,
    Exponential,
    GaussianNoise,
    GeometricNoise,
    LaplaceNoise,
    Randomised,
    RandomisedResponse,
)
from noiseless.policies.budget import allowed_reach, finest
from noiseless.policies.calibration import calibrated, counted_by_response
from noiseless.policies.catalogue import named_query
from noiseless.queries import Lattice, Query, Slide
from noiseless.queries.influence import length

_COARSEST, _FINEST = 128, 256
"""Into so many steps one person's sweep is divided for the comparison, if the lattice is not coarser."""

LEAST_BITS = Fraction(1, 20)

_MOST_PEOPLE = 10**15

_ONE_BY_ONE = 10**6
"""So many people at most are asked one by one in the example of randomised response."""


@dataclass(frozen=True)
class Compared:
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


@dataclass(frozen=True)
class Comparison:
    """Mechanisms that answer one question at equal bits.

    Attributes:
        query: the question's name.
        people: how many take part.
        bits: the bits that one person may tell.
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
    mechanisms: tuple[Compared, ...]

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


def compare(
    query: str,
    *,
    n: int,
    bounds: tuple[Rational, Rational],
    bits: Rational,
    step: Rational | None = None,
    seed: int = 0,
) -> Comparison:
    """A noiseless answer beside Laplace, geometric and Gaussian noise, and others where they apply.

    Each noise is as small as lets one person tell at most so many bits through the answer: the capacity of
    the channel from that person to the answer, whatever others' values are, bounded from above (MI-DP of
    [P5]; for the noiseless answer it is log2 of the reach).

    Args:
        query: count, sum, mean, min, max, median or variance.
        n: how many people take part.
        bounds: the smallest and the largest value a person can have.
        bits: the bits that one person may tell.
        step: the resolution of values; without it they can be any number between the bounds.
        seed: of the example.

    Raises:
        RequestError: there is no such question, or the bits are too few to compare anything.
    """
    budget = Fraction(bits)
    if budget < LEAST_BITS:
        raise RequestError(
            f"bits are compared from {float(LEAST_BITS)} on; noise would hide the answer below"
        )
    if n > _MOST_PEOPLE:
        raise RequestError(f"comparisons are drawn for at most {_MOST_PEOPLE:,} people; give a smaller n")
    question, _ = named_query(query, n, *bounds, step)
    scene = _Scene.of(question, budget, seed)
    found = [scene.noiseless(), *scene.noisy()]
    if query == "count":
        found.append(_by_response(n, scene))
    return Comparison(
        query,
        n,
        budget,
        scene.lattice.step,
        scene.sweep,
        seed,
        float(scene.truth),
        tuple(found),
    )


@dataclass(frozen=True)
class _Scene:
    """A question, the lattice on which noise is added, and an example."""

    question: Query
    budget: Fraction
    lattice: Lattice
    sweep: int
    rounding: tuple[Fraction, Fraction]
    """The mean and the worst error of rounding to the lattice."""
    truth: Fraction
    seed: int

    @classmethod
    def of(cls, question: Query, budget: Fraction, seed: int) -> "_Scene":
        """Divide one person's sweep finely enough for the bits, and no finer than values are."""
        import numpy as np

        most = min(_FINEST, max(_COARSEST, math.ceil(8 * 2 ** min(float(budget), 8.0))))
        span = question.span
        share = Fraction(int(np.random.default_rng(seed).integers(0, 10**6)), 10**6)
        if isinstance(span, Lattice):
            sweep = max(i.sweep for i in question.influences if not isinstance(i, Slide))
            if not sweep:
                raise RequestError("nobody moves the answer: there is nothing to compare")
            points = -(-sweep // most)
            lattice = Lattice(span.low, span.step * points, -(-span.last // points))
            rounding = span.step * Fraction(points * points // 4, points), span.step * (points // 2)
            possible = question.attainable or range(span.last + 1)
            truth = span.value(possible[round(share * (length(possible) - 1))])
            return cls(question, budget, lattice, -(-sweep // points), rounding, truth, seed)
        farthest = max(i.length for i in question.influences if isinstance(i, Slide))
        if not farthest:
            raise RequestError("nobody moves the answer: there is nothing to compare")
        step = farthest / most
        lattice = Lattice(span.low, step, math.ceil(span.width / step))
        return cls(question, budget, lattice, most, (step / 4, step / 2), span.low + share * span.width, seed)

    def noiseless(self) -> Compared:
        """The finest quantizer within the bits."""
        mechanism = finest(self.question, allowed_reach(self.budget))
        quantizer = mechanism.quantizer
        return Compared(
            "noiseless",
            round_up(mechanism.worst_error),
            float(mean_error(mechanism)),
            mechanism.bits.upper if mechanism.reach.outputs > 1 else 0.0,
            {"cells": quantizer.cells},
            None,
            float(mechanism.answer(quantizer.cell(self.truth)).value),
        )

    def noisy(self) -> Iterator[Compared]:
        """Noise whose scale keeps to the bits; the exponential mechanism where one base is all there is."""
        steps = float(self.lattice.step)
        for kind in (LaplaceNoise, GeometricNoise, GaussianNoise):
            make = _maker(self.lattice, kind)
            yield self._compared(
                kind(1.0).name, make, lambda scale: {"scale": scale * steps}, kind is not GaussianNoise
            )
        if self.sweep == self.lattice.last:
            yield self._compared(
                "exponential",
                lambda scale: Exponential(self.lattice, 1 / (2 * scale)),
                lambda scale: {"rate": 1 / (2 * scale * steps)},
                True,
            )
        if self.sweep == self.lattice.last and self.question.people == 1:
            yield self._compared(
                "randomised response",
                lambda scale: RandomisedResponse.for_epsilon(self.lattice, 1 / scale),
                lambda scale: {"keep": 1 / (1 + self.lattice.last * math.exp(-1 / scale))},
                True,
            )

    def _compared(
        self,
        name: str,
        make: Callable[[float], Randomised],
        parameter: Callable[[float], dict[str, float]],
        has_epsilon: bool,
    ) -> Compared:
        import numpy as np

        scale, bits = calibrated(make, self.sweep, self.budget)
        mean, worst = self.rounding
        position = min(round((self.truth - self.lattice.low) / self.lattice.step), self.lattice.last)
        if scale is None:  # exact answers do not tell more
            return Compared(
                name, round_up(worst), float(mean), bits, {}, math.inf, float(self.lattice.value(position))
            )
        mechanism = make(scale)
        same = _unmoved(mechanism)
        example = int(mechanism.sample(np.array([position]), self.seed)[0])
        per_scale = {"exponential": self.sweep, "randomised response": 1}.get(name, self.sweep)
        return Compared(
            name,
            round_up(self.question.span.width),
            mechanism.mean_error + same * float(mean),
            bits,
            parameter(scale),
            per_scale / scale if has_epsilon else None,
            float(self.lattice.value(example)),
        )


def _maker(lattice: Lattice, kind: Callable[[float], Any]) -> Callable[[float], Randomised]:
    return lambda scale: AdditiveNoise(lattice, kind(scale))


def _unmoved(mechanism: Randomised) -> float:
    """How often the answer is the rounded truth itself: only there does rounding matter to the mean error."""
    import numpy as np

    if isinstance(mechanism, AdditiveNoise):
        return float(mechanism.noise.mass(np.zeros(1, np.int64))[0])
    middle = mechanism.lattice.last // 2
    return float(mechanism.probabilities([middle])[0, middle])


def _by_response(people: int, scene: _Scene) -> Compared:
    """A count by randomised response: everybody's own bit is told by lot, and the bias taken out."""
    import numpy as np

    own = Lattice(Fraction(0), Fraction(1), 1)
    scale, bits = calibrated(lambda s: RandomisedResponse.for_epsilon(own, 1 / s), 1, scene.budget)
    keep = 1.0 if scale is None else RandomisedResponse.for_epsilon(own, 1 / scale).keep
    error = counted_by_response(people, keep)
    truth = int(scene.truth)
    told = truth
    if scale is not None:
        if people <= _ONE_BY_ONE:
            heard = int(RandomisedResponse(own, keep).sample(np.arange(people) < truth, scene.seed).sum())
        else:
            heard = int(
                np.random.default_rng(scene.seed).binomial([truth, people - truth], [keep, 1 - keep]).sum()
            )
        told = min(max(round((heard - people * (1 - keep)) / (2 * keep - 1)), 0), people)
    return Compared(
        "randomised response",
        0.0 if scale is None else float(people),
        error,
        bits,
        {"keep": keep},
        math.inf if scale is None else 1 / scale,
        float(told),
    )


def mean_error(mechanism: QuantizedQuery) -> Fraction:
    """The mean distance of an answer's middle from the truth, for truths spread evenly over those there are.

    >>> from noiseless.queries import Attribute, total
    >>> mean_error(finest(total(10, Attribute("x", range(11))), 2))
    Fraction(250, 101)
    """
    quantizer, span = mechanism.quantizer, mechanism.query.span
    if not isinstance(span, Lattice):
        return span.width / quantizer.cells / 4
    possible = mechanism.query.attainable
    if possible is not None and length(possible) <= span.last:
        found = ((mechanism.answer(quantizer.cell_at(p)), span.value(p)) for p in possible)
        return sum((abs(answer.value - truth) for answer, truth in found), Fraction(0)) / len(possible)
    if isinstance(quantizer, Stepped):
        whole, rest = divmod(span.last + 1, quantizer.points)
        sizes = [(quantizer.points, whole), (rest, 1)]
    else:
        begins = [quantizer.begin(cell) for cell in range(quantizer.cells + 1)]
        sizes = [(after - before, 1) for before, after in pairwise(begins)]
    # m neighbouring points are floor(m^2 / 4) steps away from their middle, all together
    return span.step * Fraction(sum(size * size // 4 * times for size, times in sizes), span.last + 1)
