"""Fig. 6 of [P2]: what e-privacy says about the leakage, as printed and as it is."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import cast

from noiseless.exact import Nats
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.theory.continuous import IntervalSet
from noiseless.theory.hypothesis.privacy import leakage_bound, leakage_bound_as_printed
from noiseless.theory.hypothesis.ranges import HypothesisRanges

EPSILONS = tuple(Fraction(round(10 ** (6 + k / 16)), 10**6) for k in range(-32, 33))
"""From 1/100 to 100."""

SHOWN = EPSILONS[:49]
"""Up to 10; beyond, what is printed has no room beside what is true."""

SMALL = 0.01


@reproduces(
    "[P2] Fig. 6",
    "Leakage of an e-private policy",
    "The leakage L0(Y;H) of an e-private policy is at most -ln(1 - exp(-e)), which tends to 0 as e grows.",
)
def figure() -> Parts:
    """The three formulas of the paper and the right one, with ranges that attain it."""
    bounds = [leakage_bound(e) for e in EPSILONS]
    printed = [leakage_bound_as_printed(e) for e in EPSILONS]
    leaks = [_example(e) for e in EPSILONS]
    floats = [bound.upper for bound in bounds]
    some = slice(None, None, 4)
    yield Panel.of(
        "Upper bounds of L0(Y;H)",
        "e",
        "L0(Y;H) (nats)",
        Curve.of("ln(1 + 1/e), corrected", SHOWN, floats[: len(SHOWN)]),
        Curve.dashed("-ln(1 - exp(-e)), as printed", SHOWN, printed[: len(SHOWN)]),
        Curve.dashed("-ln(1 - exp(-e - 1)), its proof", SHOWN, _proof),
        Curve.dots("ranges that leak so much", SHOWN[some], leaks[: len(SHOWN)][some]),
        log_x=True,
        log_y=True,
    )
    falls = sum(after < before for before, after in pairwise(floats))
    yield ClaimCheck(
        "More privacy is less leakage",
        f"the bound falls at {falls} of {len(floats) - 1} steps of e",
        "it falls strictly from each e to the next",
        falls == len(floats) - 1,
        about="figure",
    )
    yield ClaimCheck(
        "The bound approaches 0 as the privacy grows",
        f"it is {floats[-1]:.5f} nats at e = 100, and e times it tends to 1",
        f"below {SMALL} at e = 100",
        floats[-1] < SMALL,
        about="figure",
    )
    above = sum(leak.lower > bound for leak, bound in zip(leaks, printed, strict=True))
    at = EPSILONS.index(Fraction(1))
    yield ClaimCheck(
        "Proposition 1: L0(Y;H) <= -ln(1 - exp(-e))",
        f"[0, a] against [0, 1] with a = e/(1+e) leaks more at {above} of {len(leaks)} values of e: "
        f"{float(leaks[at]):.4f} nats at e = 1, where {printed[at]:.4f} are allowed",
        "no e-private pair of ranges leaks more than the printed bound (its end rounded up)",
        above == 0,
    )
    private = all(_ranges(e).privacy().epsilon == e for e in EPSILONS)
    equal = sum(leak == bound for leak, bound in zip(leaks, bounds, strict=True))
    yield ClaimCheck(
        "There is such a bound: e-privacy limits the leakage",
        f"ln(1 + 1/e) holds, and is attained exactly at {equal} of {len(leaks)} values of e",
        "the example is e-private and leaks ln(1 + 1/e), the logarithm of the same rational",
        private and equal == len(leaks),
        about="ours",
    )
    yield (
        "Proposition 1 is corrected: Definition 3 promises Priv >= ln(1 + e), and the printed bound "
        "is what Priv >= e would give. The proof ends with a third formula, which is lower still."
    )


def _proof(e: Fraction) -> float:
    return -math.log1p(-math.exp(-float(e) - 1))


def _example(e: Fraction) -> Nats:
    """L0(Y;H) of [[Y|p0]] = [0, a], [[Y|p1]] = [0, 1] with a = e/(1+e), which is e-private."""
    return cast("Nats", _ranges(e).leakage)


def _ranges(e: Fraction) -> HypothesisRanges[IntervalSet]:
    return HypothesisRanges.of(f"[0, {e / (1 + e)}]", "[0, 1]")
