"""[P5] Example 3: a database whose entries are all equal, behind a differentially private mean."""

import math

import numpy as np

from noiseless.arrays import FloatArray
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.gallery.p5_mechanisms import NEAR
from noiseless.theory.capacity import capacity
from noiseless.theory.differential import dp_to_mi

EPSILONS = (0.1, 0.5, 1.0)
PEOPLE = tuple(int(n) for n in np.unique(np.round(np.geomspace(1, 1_000, 40))))
INDEPENDENT = (1, 2, 4, 8, 16, 32, 64)
BINS = 100
"""Bins a unit of the count, for what has no closed form."""

FEW = 6
"""Entries of the database on which conditional information is computed."""

MOST = 0.99
"""Bits that count as the whole bit."""

CLOSE = 1e-4


def told_by_equal(ratio: float) -> float:
    """I(X;Y) in nats for a fair bit X and Y = X + Laplace noise of scale 1 / ratio, in closed form.

    With a = e^(-ratio/2) it is ln 2 - ln(1 + a^2) - a (pi/2 - 2 arctan a): integrate ln(1 + e^-L) over the
    three stretches of the log-likelihood ratio L. A fair bit is the best prior, so it is the capacity too.
    """
    a = math.exp(-ratio / 2)
    return math.log(2) - math.log1p(a * a) - a * (math.pi / 2 - 2 * math.atan(a))


def told_by_independent(epsilon: float, people: int) -> float:
    """I(X_1;Y) in nats for independent fair bits and the same mechanism, on fine bins."""
    others = [math.comb(people - 1, count) / 2 ** (people - 1) for count in range(people)]
    blurred = np.sum([weight * _bins(epsilon, count, people) for count, weight in enumerate(others)], axis=0)
    beside = np.zeros(BINS)
    rows = np.stack([np.concatenate([blurred, beside]), np.concatenate([beside, blurred])])
    return _information(rows[:, None] / rows.sum())


def _bins(epsilon: float, shift: int, people: int) -> FloatArray:
    """The masses of Laplace noise of scale 1 / epsilon around a count, on bins far beyond all counts."""
    beyond = math.ceil(37 / epsilon) * BINS
    number = np.arange(-beyond, (people - 1) * BINS + beyond) - shift * BINS
    near = np.minimum(np.abs(number), np.abs(number + 1))
    return np.asarray(np.exp(-epsilon / BINS * near) * -math.expm1(-epsilon / BINS) / 2)


@reproduces(
    "[P5] Example 3",
    "A correlated database: the strong adversary is not the worst",
    "If all n entries are the same bit, the epsilon-DP mean tells nearly the whole bit for large n, "
    "while somebody who knows all other entries learns nothing.",
)
def figure() -> Parts:
    """All equal against all independent, over the number of people."""
    equal = {e: [told_by_equal(n * e) / math.log(2) for n in PEOPLE] for e in EPSILONS}
    apart = {e: [told_by_independent(e, n) / math.log(2) for n in INDEPENDENT] for e in EPSILONS}
    bounds = {e: dp_to_mi(e) / math.log(2) for e in EPSILONS}
    yield Panel.of(
        "All entries equal: I(X_i;Y)",
        "people",
        "bits",
        *(Curve.of(f"epsilon = {e}", PEOPLE, equal[e]) for e in EPSILONS),
        Curve.dashed("given all others: I(X_i;Y|X_-i)", (1, PEOPLE[-1]), (0, 0)),
        log_x=True,
    )
    yield Panel.of(
        "Independent entries: I(X_i;Y)",
        "people",
        "bits",
        *(
            curve
            for e in EPSILONS
            for curve in (
                Curve.of(f"epsilon = {e}", INDEPENDENT, apart[e]),
                Curve.dashed(f"epsilon = {e}: MI-DP bound", (1, INDEPENDENT[-1]), bounds[e]),
            )
        ),
        log_x=True,
        log_y=True,
    )
    yield from _checks(equal, apart, bounds)
    yield (
        "The mechanism adds Laplace noise of scale 1 / (n epsilon) to the mean of n bits. If all bits are "
        "equal it is one bit with noise of scale 1 / (n epsilon), in closed form."
    )
    yield (
        "Deterministic privacy has the same limit: the guarantee holds for unrelated records, and equal ones "
        "break it."
    )


def _checks(
    equal: dict[float, list[float]], apart: dict[float, list[float]], bounds: dict[float, float]
) -> Parts:
    enough = {e: next(n for n, bits in zip(PEOPLE, equal[e], strict=True) if bits >= MOST) for e in EPSILONS}
    single = {e: told_by_equal(e) for e in EPSILONS}
    given, alone = (told / math.log(2) for told in _told_by_few())
    searched = capacity(np.stack([_pair(1.0, 0), _pair(1.0, 1)])).upper_nats
    yield ClaimCheck(
        "With all entries equal I(X_i;Y) comes near 1 bit for large n, though the mean is epsilon-DP.",
        "; ".join(f"epsilon = {e}: {MOST} bits from {n} people on" for e, n in enough.items()),
        f"at least {MOST} bits with {PEOPLE[-1]:,} people, rising with n, for each epsilon",
        all(bits == sorted(bits) and bits[-1] >= MOST for bits in equal.values()),
    )
    yield ClaimCheck(
        "Anyone who knows all other entries learns nothing: I(X_i;Y|X_-i) = 0.",
        f"{given:.1e} bits for {FEW} equal entries at epsilon = 1, where I(X_i;Y) is {alone:.3f} bits",
        f"at most {NEAR} bits, and I(X_i;Y) at least half a bit",
        given <= NEAR and alone >= 1 / 2,
    )
    yield ClaimCheck(
        "Corollary 1: if entries are independent, I(X_i;Y) <= I(X_i;Y|X_-i) <= epsilon.",
        "; ".join(
            f"epsilon = {e}: {bits[0]:.4f} bits with 1 person, {bits[-1]:.1e} with {INDEPENDENT[-1]}"
            for e, bits in apart.items()
        ),
        "never above what a single record tells the one who knows the others, and falling with n",
        all(
            bits == sorted(bits, reverse=True)
            and bits[0] <= bounds[e]
            and bits[0] <= single[e] / math.log(2) + CLOSE
            for e, bits in apart.items()
        ),
    )
    yield ClaimCheck(
        "Ours: the closed form is the capacity of the Laplace mechanism on one bit.",
        f"epsilon = 1: {told_by_equal(1.0):.6f} nats; certified search on bins of 1/{BINS}: {searched:.6f}",
        f"within {CLOSE} nats, the bins never above",
        -NEAR <= told_by_equal(1.0) - searched <= CLOSE,
        about="ours",
    )


def _told_by_few() -> tuple[float, float]:
    """I(X_1;Y|X_-1) and I(X_1;Y) in nats at epsilon = 1, for a few entries of which all are equal."""
    counts = np.indices((2,) * FEW).sum(axis=0).ravel()
    rows = np.stack([_bins(1.0, int(count), FEW + 1) for count in counts])
    prior = np.where((counts == 0) | (counts == FEW), 0.5, 0.0)
    joint = (prior[:, None] * rows / rows.sum(axis=1, keepdims=True)).reshape(2, -1, rows.shape[1])
    return _information(joint), _information(joint.sum(axis=1, keepdims=True))


def _information(joint: FloatArray) -> float:
    """I(X;Y|Z) in nats of an array P(x, z, y)."""
    free = joint.sum(axis=2, keepdims=True) * joint.sum(axis=0, keepdims=True)
    ratio = np.divide(
        joint * joint.sum(axis=(0, 2), keepdims=True),
        free,
        out=np.ones_like(joint),
        where=(joint > 0) & (free > 0),
    )
    return float((joint * np.log(ratio)).sum())


def _pair(epsilon: float, value: int) -> FloatArray:
    """The masses of one noisy bit on common bins, with all the tails."""
    masses = np.concatenate([np.zeros(value * BINS), _bins(epsilon, 0, 1), np.zeros((1 - value) * BINS)])
    return np.asarray(masses / masses.sum())
