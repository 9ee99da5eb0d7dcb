"""[P5] Theorem 1: MI-DP lies between epsilon-DP and (epsilon, delta)-DP."""

import itertools
import math
from fractions import Fraction
from functools import cache

from noiseless.exact import Nats
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.gallery.p5_mechanisms import NEAR, WHOLE, MeasuredGuarantees, at_random, dots, erasure, nearest
from noiseless.theory.differential import (
    Database,
    delta_to_mi,
    dp_to_delta,
    dp_to_dp,
    dp_to_kl,
    dp_to_mi,
    kl_dp,
    mi_dp,
    mi_to_delta,
    smallest_delta,
)

EPSILONS = tuple(i / 25 for i in range(1, 76))
INFORMATION = tuple(i / 50 for i in range(81))
DECILES = tuple(Fraction(i, 10) for i in range(1, 10))
MOST_VALUES = 5
"""The largest alphabet of the mechanisms at random."""

STEPS = (1, 2, 3, 4, 6, 8, 11, 15)
HUNDREDTH = 0.01
RATIOS = tuple(Fraction(r) for r in ("1.2", "2", "4", "9"))
FAILURES = (Fraction(0), Fraction(1, 20), Fraction(3, 10))


def rare(step: int) -> MeasuredGuarantees:
    """Outputs of probability t and t^2: divergence falls with t, and epsilon = ln(1/t) rises."""
    t = Fraction(1, 2 ** (step + 1))
    return MeasuredGuarantees.of(Database.of([[t, 1 - t], [t**2, 1 - t**2]]))


def near_erasure(step: int) -> MeasuredGuarantees:
    """An erasure channel on a bit with a little of the other value: information falls, divergence rises."""
    told = Fraction(1, 2 * step)
    wrong = told / 2 ** (4 * step**2)
    return MeasuredGuarantees.of(
        Database.of([[told - wrong, wrong, 1 - told], [wrong, told - wrong, 1 - told]])
    )


@reproduces(
    "[P5] Theorem 1",
    "The sandwich of definitions",
    "Mutual-information differential privacy is weaker than epsilon-DP and stronger than (epsilon, "
    "delta)-DP, and equal to the latter for finite alphabets; the first steps cannot be reversed.",
)
def figure() -> Parts:
    """The chain of implications, the room between two of them, and why none can be reversed."""
    thin, leaky = [rare(step) for step in range(1, 12)], [near_erasure(step) for step in STEPS]
    yield Panel.of(
        "What epsilon-DP implies at best",
        "epsilon",
        "nats, or delta",
        Curve.dashed("", EPSILONS, EPSILONS),
        Curve.of("KL-DP, nats", EPSILONS, dp_to_kl),
        Curve.of("MI-DP, nats", EPSILONS, dp_to_mi),
        Curve.of("(0, delta)-DP", EPSILONS, dp_to_delta),
        note="Dashed: epsilon itself",
    )
    # Both ends are attained: by binary symmetric channels above, by erasures below.
    symmetric = [MeasuredGuarantees.of(Database.of([[1 - p, p], [p, 1 - p]])) for p in DECILES[:5]]
    erased = [MeasuredGuarantees.of(erasure(MOST_VALUES, delta)) for delta in DECILES]
    yield Panel.of(
        "MI-DP and delta: between two bounds",
        "MI-DP, nats",
        "delta",
        Curve.of("delta at most: (28)", INFORMATION, mi_to_delta),
        Curve.of(
            f"delta at least, with {MOST_VALUES} values", INFORMATION, lambda n: n / math.log(MOST_VALUES)
        ),
        dots("mechanisms at random", at_random(), "information", "variation"),
        dots("attained", (*symmetric, *erased), "information", "variation"),
        note="Attained by binary symmetric channels and by erasures",
    )
    deltas, told = zip(*_one_nat().values(), strict=True)
    yield Panel.of(
        "No way back",
        "parameter of the weaker guarantee",
        "parameter of the stronger guarantee",
        Curve.of("epsilon against KL-DP", (m.divergence for m in thin), (m.epsilon for m in thin)),
        Curve.of("KL-DP against MI-DP", (m.information for m in leaky), (m.divergence for m in leaky)),
        Curve.of("MI-DP against delta", deltas, told),
        log_x=True,
        log_y=True,
        note="Three families of mechanisms: one parameter falls to 0, the other does not",
    )
    yield from _check_chain()
    yield from _check_strict(thin, leaky)
    # A pair that attains the trade-off between epsilon and delta at every target.
    missed = []
    for ratio in RATIOS:
        for failure in FAILURES:
            right, wrong = ((1 - failure) * part / (1 + ratio) for part in (ratio, 1))
            p, q = [failure, Fraction(0), right, wrong], [Fraction(0), failure, wrong, right]
            for target in (Fraction(1), (1 + ratio) / 2, ratio):
                found = smallest_delta(p, q, Nats(target))
                missed.append(float(found) - dp_to_dp(Nats(ratio), failure, target=Nats(target)))
    yield ClaimCheck(
        "Equality (D), Property 3: (eps, delta) implies (eps', delta') with the tightest possible trade-off.",
        f"attained at {sum(abs(m) <= NEAR for m in missed)} of {len(missed)} combinations, exceeded at "
        f"{sum(m > NEAR for m in missed)}",
        f"a pair of distributions attains the formula within {NEAR} at each",
        max(map(abs, missed)) <= NEAR,
    )


def _check_chain() -> Parts:
    drawn = at_random()
    chain = (
        ("KL-DP from epsilon", nearest((m.divergence, dp_to_kl(m.epsilon)) for m in drawn)),
        ("MI-DP from KL-DP", nearest((m.information, m.divergence) for m in drawn)),
        ("delta from MI-DP", nearest((m.variation, mi_to_delta(m.information)) for m in drawn)),
    )
    back = nearest(
        (m.information, delta_to_mi(m.variation, inputs=m.inputs, outputs=m.outputs)) for m in drawn
    )
    yield ClaimCheck(
        "epsilon-DP implies KL-DP implies MI-DP implies (0, delta)-DP (20).",
        f"no bound is exceeded by any of {len(drawn)} mechanisms at random; used at most: "
        + ", ".join(f"{share:.3f} of {name}" for name, share in chain),
        "measured <= bound for each step and mechanism",
        max(share for _, share in chain) <= WHOLE,
    )
    yield ClaimCheck(
        "(18): with a finite alphabet (0, delta)-DP implies MI-DP too.",
        f"delta ln min(|X|, |Y|) is exceeded by none; at most {back:.3f} of it is used",
        "measured <= bound for each mechanism",
        back <= WHOLE,
    )
    yield ClaimCheck(
        "In the limit of small parameters each follows from the next stronger one (Definition 8).",
        f"epsilon = 0.001: {dp_to_kl(0.001):.1e} nats KL-DP, {dp_to_mi(0.001):.1e} nats MI-DP, delta "
        f"{mi_to_delta(dp_to_mi(0.001)):.1e}",
        "all at most epsilon",
        max(dp_to_kl(0.001), dp_to_mi(0.001), mi_to_delta(dp_to_mi(0.001))) <= 1e-3,  # noqa: PLR2004 - epsilon
    )


def _check_strict(thin: list[MeasuredGuarantees], leaky: list[MeasuredGuarantees]) -> Parts:
    bit = erasure(2, Fraction(1, 100))
    yield ClaimCheck(
        "(A) is strict: KL-DP implies no epsilon-DP, even with two outputs.",
        f"divergence {thin[0].divergence:.2f} to {thin[-1].divergence:.3f} nats while epsilon rises from "
        f"{thin[0].epsilon:.2f} to {thin[-1].epsilon:.2f}",
        "divergence falls and epsilon rises from each mechanism to the next",
        _falls([m.divergence for m in thin]) and _falls([-m.epsilon for m in thin]),
    )
    yield ClaimCheck(
        "(B) is strict: MI-DP implies no KL-DP.",
        f"information {leaky[0].information:.2f} to {leaky[-1].information:.4f} nats while divergence "
        f"rises from {leaky[0].divergence:.2f} to {leaky[-1].divergence:.2f}; an erasure channel has "
        f"{mi_dp(bit).upper_nats:.4f} and {kl_dp(bit)}",
        "information falls and divergence rises from each mechanism to the next; infinite for erasures",
        _falls([m.information for m in leaky])
        and _falls([-m.divergence for m in leaky])
        and math.isinf(kl_dp(bit)),
    )
    yield ClaimCheck(
        "Without a bound on the alphabet (0, delta)-DP implies no MI-DP.",
        "erasures of exp(1/delta) values tell 1 nat at every delta: "
        + ", ".join(
            f"{told:.3f} nats at delta = {delta:.3f} with {values} values"
            for values, (delta, told) in _one_nat().items()
        ),
        f"within {HUNDREDTH} of 1 nat although delta falls",
        all(abs(told - 1) <= HUNDREDTH for _, told in _one_nat().values()),
    )


@cache
def _one_nat() -> dict[int, tuple[float, float]]:
    """Of some alphabets: a delta with which their erasure channel tells about one nat, and what it tells."""
    found = {}
    for values in (5, 20, 100, 400):
        delta = Fraction(1 / math.log(values)).limit_denominator(1_000)
        found[values] = (float(delta), mi_dp(erasure(values, delta)).upper_nats)
    return found


def _falls(numbers: list[float]) -> bool:
    return all(a > b for a, b in itertools.pairwise(numbers))
