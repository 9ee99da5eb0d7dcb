"""[P5] Lemma 2: how large a delta of (0, delta)-DP a bound on mutual information leaves."""

import itertools
import math
from fractions import Fraction
from functools import cache

from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.gallery.p5_mechanisms import NEAR, WHOLE, MeasuredGuarantees, at_random, dots, nearest
from noiseless.theory.differential import (
    Database,
    delta_floor,
    dp_delta,
    kl_to_delta,
    mi_dp,
    mi_to_delta,
    mi_to_dp,
)
from noiseless.theory.differential.published_bounds import pinsker, simple_variation

INFORMATION = tuple(i / 100 for i in range(1, 81))
PRINTED, TIGHT = "printed: (27), (12)", "tight: (28), and ours"
CURVES = (0.01, 0.1, 0.3)
TARGETS = tuple(i / 8 for i in range(33))
SYMMETRIC = tuple(Fraction(i, 20) for i in range(1, 20))
"""The total variations of binary symmetric channels."""

GRID = 12
"""Binary channels are looked at on a grid of this many probabilities."""

SMALL = 1e-6
CLOSE = 1e-3


@reproduces(
    "[P5] Lemma 2",
    "From mutual information to delta",
    "epsilon nats of MI-DP imply (0, sqrt(2 epsilon))-DP, and at best delta = 1 - 2 h^-1(ln 2 - "
    "epsilon); above ln 2 nothing.",
)
def figure() -> Parts:
    """Printed and tight curves, binary channels and mechanisms at random."""
    binary, drawn = _binary_channels(), at_random()
    falls = {nats: [mi_to_dp(nats, t) for t in TARGETS] for nats in CURVES}
    symmetric = [MeasuredGuarantees.of(_channel((1 + d) / 2, (1 - d) / 2)) for d in SYMMETRIC]
    others = [m for m in (*binary, *drawn) if m.information <= INFORMATION[-1]]
    yield Panel.of(
        "delta that follows from MI-DP",
        "MI-DP, nats",
        "delta",
        Curve.dashed(PRINTED, INFORMATION, simple_variation),
        Curve.of(TIGHT, INFORMATION, mi_to_delta),
        dots("other mechanisms", others, "information", "variation"),
        dots("binary symmetric channels", symmetric, "information", "variation"),
        note="From ln 2 = 0.693 nats on, one noiseless bit, nothing follows",
    )
    yield Panel.of(
        "delta that follows from KL-DP",
        "KL-DP, nats",
        "delta",
        Curve.dashed(PRINTED, INFORMATION, pinsker),
        Curve.of(TIGHT, INFORMATION, kl_to_delta),
    )
    yield Panel.of(
        "(epsilon', delta') from MI-DP (33)",
        "epsilon'",
        "delta'",
        *(Curve.of(f"{nats} nats", TARGETS, curve) for nats, curve in falls.items()),
        *(Curve.dashed("floor", (0, TARGETS[-1]), delta_floor(n)) for n in CURVES),
    )
    everything = (*symmetric, *binary, *at_random())
    loose = nearest((each.variation, simple_variation(each.information)) for each in everything)
    above = nearest((each.variation, mi_to_delta(each.information)) for each in (*binary, *at_random()))
    missed = max(abs(mi_to_delta(each.information) - each.variation) for each in symmetric)
    ratio = mi_to_delta(SMALL) / simple_variation(SMALL)
    yield ClaimCheck(
        "(27): epsilon-MI-DP implies (0, sqrt(2 epsilon))-DP.",
        f"true of all {len(everything)} mechanisms looked at, which use at most {loose:.4f} of it",
        "delta <= sqrt(2 epsilon) for each",
        loose <= WHOLE,
    )
    yield ClaimCheck(
        "(28), delta = 1 - 2 h^-1(ln 2 - epsilon), is the tightest; binary symmetric channels attain it.",
        f"0.1 nats: {mi_to_delta(0.1):.5f}; symmetric channels are within {missed:.0e} of it, the "
        f"{len(binary) + len(at_random())} others use at most {above:.4f} of it",
        f"attained within {NEAR}, nothing above",
        missed <= NEAR and above <= WHOLE,
    )
    yield ClaimCheck(
        "(27) is asymptotically tight for small epsilon.",
        f"tight / printed = {ratio:.6f} at {SMALL} nats",
        f"within {CLOSE} of 1",
        abs(ratio - 1) <= CLOSE,
    )
    yield from _check_ends(falls)


def _channel(first: Fraction, second: Fraction) -> Database:
    return Database.of([[first, 1 - first], [second, 1 - second]])


@cache
def _binary_channels() -> tuple[MeasuredGuarantees, ...]:
    """Binary channels with all pairs of probabilities on a grid, those that are symmetric left out."""
    grid = [Fraction(i, GRID) for i in range(GRID + 1)]
    return tuple(MeasuredGuarantees.of(_channel(a, b)) for a in grid for b in grid if a > b and a + b > 1)


def _check_ends(falls: dict[float, list[float]]) -> Parts:
    bit = Database.of([[1, 0], [0, 1]])
    kept = dp_delta(bit)
    ratio = kl_to_delta(SMALL) / pinsker(SMALL)
    floors = {nats: delta_floor(nats) for nats in CURVES}
    yield ClaimCheck(
        "Above ln 2 nats the implication is vacuous.",
        f"one noiseless bit is {mi_dp(bit).upper_nats:.4f} nats and has delta = {kept}; at 0.69 nats "
        f"delta is {mi_to_delta(0.69):.4f}",
        "delta = 1 at ln 2, below 1 at 0.69",
        kept == 1 and mi_to_delta(math.log(2) + NEAR) == 1 and mi_to_delta(0.69) < 1,
    )
    yield ClaimCheck(
        "(12), Pinsker, is tight up to a constant.",
        f"with both divergences bounded the constant is 1: tight / printed = {ratio:.6f} at {SMALL} nats",
        f"within {CLOSE} of 1",
        abs(ratio - 1) <= CLOSE,
    )
    yield ClaimCheck(
        "(33): a larger epsilon' buys a smaller delta', down to a threshold above 0.",
        "; ".join(
            f"{nats} nats: {c[0]:.4f} to {c[-1]:.4f}, floor {floors[nats]:.4f}" for nats, c in falls.items()
        ),
        "delta' never rises and stays above the floor, which is positive",
        all(
            a >= b >= floors[nats] - NEAR > 0
            for nats, curve in falls.items()
            for a, b in itertools.pairwise(curve)
        ),
    )
