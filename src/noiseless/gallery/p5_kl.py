"""[P5] Property 1: how large a divergence epsilon-DP admits."""

import math
from fractions import Fraction

from noiseless.exact import Nats
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.gallery.p5_mechanisms import NEAR, WHOLE, at_random, dots, nearest
from noiseless.theory.differential import divergence, dp_to_kl
from noiseless.theory.differential.published_bounds import simple_divergence

EPSILONS = tuple(i / 25 for i in range(1, 101))
SHORT = tuple(i / 50 for i in range(1, 51))
"""Where the printed chain fails."""

PRINTED, TIGHT = "printed (10): min{e, e²}", "tight (11): e tanh(e/2)"
RATIOS = tuple(Fraction(r) for r in ("1.1", "1.5", "2", "3", "5", "10", "20", "50"))
"""Values of e^epsilon of the extreme pairs, rational so that these are exact."""

SMALL = 0.01
HALF = 1e-4


@reproduces(
    "[P5] Property 1",
    "From epsilon-DP to Kullback-Leibler divergence",
    "epsilon-DP implies min{epsilon, epsilon^2} nats of KL-DP; epsilon tanh(epsilon/2) is the best bound.",
)
def figure() -> Parts:
    """The printed and the tight curve, extreme pairs and pairs at random."""
    drawn = [each for each in at_random() if each.epsilon <= EPSILONS[-1]]
    yield Panel.of(
        "KL-DP that follows from epsilon-DP",
        "epsilon",
        "nats",
        Curve.dashed(PRINTED, EPSILONS, simple_divergence),
        Curve.of(TIGHT, EPSILONS, dp_to_kl),
        Curve.dots("extreme binary pairs", (Nats(r).upper for r in RATIOS), map(_extreme, RATIOS)),
        dots("mechanisms at random", drawn, "epsilon", "divergence"),
    )
    yield Panel.of(
        "The chain (82): left below middle below (10)?",
        "epsilon",
        "nats",
        Curve.dashed("(82) left, as printed: tanh(e/2)", SHORT, _left),
        Curve.of(TIGHT, SHORT, dp_to_kl),
        Curve.of("(82) middle: e (1 - exp(-e))", SHORT, _middle),
        Curve.dashed(PRINTED, SHORT, simple_divergence),
        note="The left side has lost a factor e; with it, it is the tight curve",
    )
    yield from _checks()
    broken = [e for e in EPSILONS if _left(e) > _middle(e)]
    example = EPSILONS[4]
    holds = all(
        dp_to_kl(e) <= _middle(e) * (1 + NEAR) <= simple_divergence(e) * (1 + 2 * NEAR) for e in EPSILONS
    )
    yield ClaimCheck(
        "(82), the last step of the proof as printed: (e^eps - 1)(1 - e^-eps) / ((e^eps - 1) + (1 - "
        "e^-eps)) is at most eps (1 - e^-eps).",
        f"no: it is tanh(eps/2), at eps = {example} {_left(example):.4f} against {_middle(example):.4f}; "
        f"false up to eps = {max(broken):.2f}"
        if broken
        else "it holds everywhere",
        "left <= middle at 100 values of epsilon up to 4",
        not broken,
    )
    yield ClaimCheck(
        "Corrected: with the factor eps that the left side of (82) has lost the chain holds, and (10) "
        "with it.",
        "holds at every epsilon" if holds else "fails somewhere",
        "left <= middle <= right at 100 values of epsilon up to 4",
        holds,
        about="ours",
    )


def _extreme(ratio: Fraction) -> float:
    """D(P||Q) of the symmetric binary pair with this ratio of probabilities."""
    p = [ratio / (1 + ratio), 1 / (1 + ratio)]
    return divergence(p, p[::-1])


def _left(epsilon: float) -> float:
    return math.tanh(epsilon / 2)


def _middle(epsilon: float) -> float:
    return epsilon * -math.expm1(-epsilon)


def _checks() -> Parts:
    drawn = at_random()
    loose = max(dp_to_kl(e) / simple_divergence(e) for e in EPSILONS)
    reached = max(abs(_extreme(ratio) - dp_to_kl(Nats(ratio))) for ratio in RATIOS)
    most = nearest((each.divergence, dp_to_kl(each.epsilon)) for each in drawn)
    ratio = dp_to_kl(SMALL) / (SMALL**2 / 2)
    yield ClaimCheck(
        "(10): epsilon-DP implies min{epsilon, epsilon^2} nats of KL-DP.",
        f"true: the tight curve is at most {loose:.3f} of it; at epsilon = 1 it is {dp_to_kl(1):.5f} "
        "instead of 1",
        "the tight curve lies below the printed one at 100 values of epsilon up to 4",
        loose <= 1,
    )
    yield ClaimCheck(
        "(11) is the tightest possible: binary pairs attain epsilon tanh(epsilon/2).",
        f"extreme pairs are within {reached:.0e} nats of it; of {len(drawn)} mechanisms at random none "
        f"exceeds it (at most {most:.3f} of it)",
        f"within {NEAR} nats at {len(RATIOS)} values of epsilon; nothing above",
        reached <= NEAR and most <= WHOLE,
    )
    yield ClaimCheck(
        "For small epsilon it is about epsilon^2 / 2.",
        f"{ratio:.6f} of that at epsilon = {SMALL}",
        f"within {HALF} of 1",
        abs(ratio - 1) <= HALF,
    )
