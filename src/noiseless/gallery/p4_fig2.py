"""[P4] Fig. 2: which pairs of numbers lead to which answer, for x1^2 + 2 x2^2."""

from fractions import Fraction

from noiseless.gallery.figure import Area, ClaimCheck, Curve, Panel, Parts, Raster, reproduces
from noiseless.gallery.p4_example_iv1 import SIDE, bowl, bowl_level, bowl_policy, has_fewest_regions, middles
from noiseless.theory.accuracy import RegionGrid

PIXELS = 128
CELLS = 12


@reproduces(
    "[P4] Fig. 2",
    "The regions behind twelve answers: a quadratic question",
    "The optimal policy for x1^2 + 2 x2^2 on [-2, 2]^2 and gamma = 2 tells which of twelve rings the "
    "two numbers lie in, and that is the same as rounding the answer.",
)
def figure() -> Parts:
    """Paint the square by the optimal policy, with certified pixels."""
    policy = bowl_policy()
    grid = RegionGrid.of(bowl(), policy.quantizer, pixels=PIXELS)
    shares = [float(share.lower + share.upper) / 2 for share in policy.shares]
    painted = Raster.of("i of the region Xi", SIDE, SIDE, grid.middles + 1.0)
    edges = tuple(Curve.of("", *zip(*bowl_level(level), strict=True)) for level in range(1, policy.cells))
    bars = tuple(Area.box("share", (i + 0.1, i + 0.9), (0, share)) for i, share in enumerate(shares))
    names = tuple((i + 0.5, f"X{i + 1}") for i in range(policy.cells))
    yield Panel.of("Regions of one answer", "x1", "x2", *edges, painted, equal=True)
    yield Panel.of(
        "What remains possible behind each answer",
        "region",
        "share of all datasets",
        *bars,
        x_ticks=names,
        note=f"X12 keeps {min(shares):.4f}: L0 = {policy.leakage}",
    )
    told = middles(policy.quantizer)
    sure = float((grid.numbers >= 0).mean())
    same = bool((grid.numbers == grid.middles)[grid.numbers >= 0].all())
    yield ClaimCheck(
        "The optimal policy for gamma = 2 has twelve regions, with the answers b_i = i - 0.5.",
        f"{policy.cells} regions, with answers from {told[0]} to {told[-1]}",
        "b_i = i - 1/2 for i = 1..12, exactly",
        told == tuple(i - Fraction(1, 2) for i in range(1, CELLS + 1)),
        about="figure",
    )
    yield has_fewest_regions(policy)
    yield ClaimCheck(
        "The regions are rings i <= x1^2 + 2 x2^2 < i + 1, cut off by the square.",
        f"{sure:.0%} of the pixels lie in one ring for certain, all as painted; the others are crossed "
        "by an edge",
        "no pixel is painted otherwise than its certified region, at least half are certain",
        same and sure >= 1 / 2,
        about="figure",
    )
    yield "The paper says that this question has connected level sets; it has not (p4-level-sets)."
