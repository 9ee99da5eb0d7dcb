"""[P5] Lemma 3 and Example 2: what (0, delta)-DP says of mutual information depends on the alphabet."""

from fractions import Fraction

from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.gallery.p5_mechanisms import NEAR, WHOLE, at_random, erasure, nearest
from noiseless.theory.differential import delta_to_mi, dp_delta, mi_dp
from noiseless.theory.differential.published_bounds import reverse, reverse_by_inputs, reverse_by_outputs

VALUES = 10
DELTAS = tuple(Fraction(i, 40) for i in range(1, 41))
DELTA = Fraction(1, 10)
SIZES = (2, 4, 10, 30, 100, 300)
"""Alphabets whose erasure channel is measured."""

LARGE = tuple(10**i for i in range(1, 13))
HUGE = 10**300
TWICE = Fraction(21, 10)


@reproduces(
    "[P5] Lemma 3 and Example 2",
    "The erasure channel: delta needs an alphabet",
    "(0, delta)-DP bounds mutual information only for finite alphabets; the erasure channel over N "
    "values has capacity delta ln N, about half of the bound for large N.",
)
def figure() -> Parts:
    """Bounds and the erasure channel over delta and over the alphabet."""
    measured = {delta: mi_dp(erasure(VALUES, delta)).upper_nats for delta in DELTAS[::4]}
    by_size = {size: mi_dp(erasure(size, DELTA)).upper_nats for size in SIZES}
    across = [float(delta) for delta in DELTAS]
    yield Panel.of(
        f"{VALUES} values: MI-DP from (0, delta)-DP",
        "delta",
        "nats",
        Curve.dashed("printed (35)", across, (reverse(d, inputs=VALUES) for d in DELTAS)),
        Curve.dashed("printed (126)", across, (reverse_by_inputs(d, VALUES) for d in DELTAS)),
        Curve.dashed("printed (105)", across, (reverse_by_outputs(d, VALUES + 1) for d in DELTAS)),
        Curve.of("tight: delta ln N", across, (delta_to_mi(d, inputs=VALUES) for d in DELTAS)),
        Curve.dots("erasure channel", measured, measured.values()),
        note=f"(105) with {VALUES + 1} outputs, as the erasure channel has",
    )
    yield Panel.of(
        "delta = 0.1: no bound without an alphabet",
        "values of the entry",
        "nats",
        Curve.dashed("printed (35)", LARGE, (reverse(DELTA, inputs=n) for n in LARGE)),
        Curve.of("tight: delta ln N", LARGE, (delta_to_mi(DELTA, inputs=n) for n in LARGE)),
        Curve.dots("erasure channel", by_size, by_size.values()),
        log_x=True,
    )
    yield from _checks(by_size)


def _checks(by_size: dict[int, float]) -> Parts:
    drawn = at_random()
    off = max(abs(found - delta_to_mi(DELTA, inputs=size)) for size, found in by_size.items())
    kept = all(dp_delta(erasure(size, DELTA)) == DELTA for size in SIZES[:4])
    sizes = [{"inputs": each.inputs, "outputs": each.outputs} for each in drawn]
    printed, sharper = (
        nearest(
            (each.information, bound(each.variation, **size)) for each, size in zip(drawn, sizes, strict=True)
        )
        for bound in (reverse, delta_to_mi)
    )
    scale = {n: reverse(DELTA, inputs=n) / delta_to_mi(DELTA, inputs=n) for n in (10, 10**6, HUGE)}
    yield ClaimCheck(
        "(37): the erasure channel over N values is (0, delta)-DP and has capacity delta ln N.",
        f"delta = {DELTA} for each N: {kept}; capacities within {off:.0e} nats of {DELTA} ln N for N up "
        f"to {SIZES[-1]}",
        f"delta exactly, capacity within {NEAR} nats",
        kept and off <= NEAR,
    )
    yield ClaimCheck(
        "(35): (0, delta)-DP implies 2 h(delta) + 2 delta ln min(|Y|, |X| + 1) nats of MI-DP.",
        f"true of {len(drawn)} mechanisms at random, which use at most {printed:.3f} of it, and of erasures",
        "information <= (35) for each",
        printed <= WHOLE and all(by_size[n] <= reverse(DELTA, inputs=n) for n in SIZES),
    )
    yield ClaimCheck(
        "For large alphabets the bounds are within a factor of about two of the right scaling.",
        "(35) is "
        + ", ".join(f"{ratio:.2f} times the truth for N = {n:.0e}" for n, ratio in scale.items())
        + f"; {float(DELTA)} ln N is attained",
        f"the ratio falls with N, and is at most {float(TWICE)} for N = 1e300",
        list(scale.values()) == sorted(scale.values(), reverse=True) and scale[HUGE] <= TWICE,
    )
    yield ClaimCheck(
        "Ours: delta ln min(|X|, |Y|) is enough, and attained by the erasure channel.",
        f"none of {len(drawn)} mechanisms at random uses more than {sharper:.3f} of it",
        "nothing above",
        sharper <= WHOLE,
        about="ours",
    )
