"""[P4] Fig. 1: which pairs of numbers lead to which answer, for their average."""

from fractions import Fraction

from noiseless.gallery.figure import Area, ClaimCheck, Panel, Parts, reproduces
from noiseless.gallery.p4_example_iv1 import QUALITY, has_fewest_regions, listed, mean_of_two, middles
from noiseless.theory.accuracy import fewest_cells, polygons

PRINTED = (Fraction(-3, 2), Fraction(-1, 2), Fraction(1, 2), Fraction(3, 2))
"""The answers b_1 to b_4 of the paper."""


@reproduces(
    "[P4] Fig. 1",
    "The regions behind four answers: the average of two numbers",
    "The optimal policy for the average of two numbers in [-2, 2] and gamma = 2 tells which of four "
    "strips of the square the two numbers lie in, and that is the same as rounding the average.",
)
def figure() -> Parts:
    """Cut the square by the optimal policy, exactly."""
    policy = fewest_cells(mean_of_two(), 1 / QUALITY)
    regions = polygons(mean_of_two(), policy.quantizer)
    told = middles(policy.quantizer)
    areas = tuple(
        Area(f"X{i}", tuple((float(x), float(y)) for x, y in region), f"X{i}\n{float(b):g}")
        for i, (region, b) in enumerate(zip(regions, told, strict=True), start=1)
    )
    sizes = tuple(_area(region) for region in regions)
    yield Panel.of("Regions of one answer", "x1", "x2", *areas, equal=True)
    yield Panel.of(
        "What remains possible behind each answer",
        "answer told",
        "volume of the region",
        *(
            Area.box(area.label, (float(b) - 0.35, float(b) + 0.35), (0, float(size)), str(size))
            for area, b, size in zip(areas, told, sizes, strict=True)
        ),
        note="The corners hold 2 of 16: L0 = ln 8 nats",
    )
    yield ClaimCheck(
        "The optimal policy for gamma = 2 has four regions, with the answers -1.5, -0.5, 0.5 and 1.5.",
        f"{policy.cells} regions, with the answers {listed(told)}",
        "the same answers, exactly",
        told == PRINTED,
        about="figure",
    )
    yield has_fewest_regions(policy)
    yield ClaimCheck(
        "The regions are strips across the square, cut at x1 + x2 = -2, 0 and 2, and fill it.",
        f"volumes {listed(sizes)}, {sum(sizes)} together",
        "volumes 2, 6, 6, 2 of 16, exactly",
        list(sizes) == [2, 6, 6, 2],
        about="figure",
    )
    yield "L0 counts the smallest region, I* the number of regions: here the same policy is best for both."


def _area(corners: tuple[tuple[Fraction, Fraction], ...]) -> Fraction:
    """Of a polygon, by the shoelace formula."""
    following = corners[1:] + corners[:1]
    return (
        abs(sum((a * d - b * c for (a, b), (c, d) in zip(corners, following, strict=True)), Fraction(0))) / 2
    )
