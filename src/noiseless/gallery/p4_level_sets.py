"""[P4] Corollary IV.1: are the level sets of x1^2 + 2 x2^2 on [-2, 2]^2 connected?"""

from fractions import Fraction

from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.gallery.p4_example_iv1 import ON_X1, ON_X2, bowl, bowl_level, bowl_policy
from noiseless.theory.accuracy import RegionGrid

HIGHEST = 12
DRAWN = (2, 4, 6, 8, 10)
PIXELS = 128


@reproduces(
    "[P4] Corollary IV.1",
    "The level sets of the quadratic question",
    "Quantizing the answer is optimal if every level set of the question is connected, and x1^2 + 2 "
    "x2^2 on [-2, 2]^2 is such a question.",
)
def figure() -> Parts:
    """Count the pieces of each level set, and of each region for certain."""
    policy = bowl_policy()
    grid = RegionGrid.of(bowl(), policy.quantizer, pixels=PIXELS)
    regions = [grid.pieces(cell) for cell in range(policy.cells)]
    levels = [Fraction(i, 20) for i in range(1, 20 * HIGHEST + 1)]
    pieces = [level_pieces(level) for level in levels]
    across = (Curve.of(f"f = {level}", *zip(*bowl_level(level), strict=True)) for level in DRAWN)
    square = Curve.dashed("", (-2, 2, 2, -2, -2), (-2, -2, 2, 2, -2))
    middles = [cell + 0.5 for cell in range(policy.cells)]
    yield Panel.of("Level sets of x1² + 2 x2²", "x1", "x2", *across, square, equal=True)
    yield Panel.of(
        "Into how many pieces a level set falls",
        "level y",
        "pieces",
        Curve.steps("level set", levels, pieces),
        Curve.dots("region of Fig. 2 (at least)", middles, regions),
        Curve.dashed("the condition of Corollary IV.1", (0, HIGHEST), (1, 1)),
    )
    answers = (policy.cells, policy.least_cells)
    apart = sum(count > 1 for count in pieces) / len(pieces)
    yield ClaimCheck(
        "x1^2 + 2 x2^2 on [-2, 2]^2 meets the condition of Corollary IV.1: every level set is connected.",
        f"no: level sets fall into 2 pieces above 4 and into 4 above 8, {apart:.0%} of all levels",
        f"one piece at each of the {len(levels)} levels 1/20, 2/20, ..., 12",
        apart == 0,
    )
    yield ClaimCheck(
        "Corrected: above 4 the level sets fall apart, and the regions of Fig. 2 with them.",
        f"regions X1 to X12 have for certain at least {', '.join(map(str, regions))} pieces",
        "certified pieces: 1 up to X5, 2 from X6 to X9 (X5 and X9 hang together at the levels 4 and 8), "
        "then 4",
        regions == [level_pieces(Fraction(cell)) for cell in range(HIGHEST)],
        about="ours",
    )
    yield ClaimCheck(
        "Rounding the answer to 12 equal cells is the optimal policy for I* and gamma = 2.",
        f"{answers[0]} answers; no policy has fewer than {answers[1]}: the condition is not needed",
        "as many answers as the fewest possible, exactly",
        answers == (HIGHEST, HIGHEST),
    )
    yield (
        "On the axis x2 = 0 of the square f is at most 4, and on x1 = 0 at most 8. A level set above "
        "4 has points on both sides of the first axis and none on it, above 8 also of the second."
    )
    yield (
        "The conclusion needs no such condition: answers fill an interval, and each set of a policy "
        "covers a piece of it at most 2/gamma wide, whatever the question looks like."
    )


def level_pieces(level: Fraction) -> int:
    """The number of connected pieces of {f = level} in the square, for 0 <= level <= 12.

    The set is symmetric, and in each quadrant it is one arc. Arcs of neighbouring quadrants meet if the arc
    reaches the axis between them.
    """
    joined = (level <= ON_X1) + (level <= ON_X2)
    return {2: 1, 1: 2, 0: 4}[joined]
