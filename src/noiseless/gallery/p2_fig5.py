"""Fig. 5 of [P2]: how blurring changes the histogram of heights and weights."""

from itertools import pairwise

import numpy as np

from noiseless.arrays import FloatArray
from noiseless.gallery.data import Data
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, Raster, reproduces
from noiseless.gallery.p2_fig4 import POLICIES, Policy, Respondents, blurred

SHOWN = (5, 10, 20)
"""1/rho of the histograms, in kilograms."""

CHANGES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40)

HEIGHTS = np.arange(145, 211, 2.5)
WEIGHTS = np.arange(35, 171, 4)
"""The cells of the histograms; nearly everybody lies within them, and the others count in the outermost."""


@reproduces(
    "[P2] Fig. 5",
    "Heights and weights, blurred",
    "With less accuracy rho the histogram of reported heights and weights changes more drastically.",
    needs=("young-people",),
)
def figure(data: Data) -> Parts:
    """Histograms for three accuracies, by the paper's policy and by ours, and how far they have moved."""
    people = Respondents.of(data)
    original = _histogram(people, people.released(0, "stretch"))
    moved = {policy: _distances(people, original, policy) for policy, _ in POLICIES}
    yield _panel("as they are", original)
    yield Panel.of(
        "How far the histogram moves",
        "1/rho (kg)",
        "total variation",
        *(Curve.of(name, CHANGES, moved[policy]) for policy, name in POLICIES),
    )
    shares = [people.within(change).mean() for change in CHANGES]
    everybody = max(1, int(np.count_nonzero(people.obese)))
    obese = [np.count_nonzero(people.within(change) & people.obese) / everybody for change in CHANGES]
    yield Panel.of(
        "Who is hidden",
        "1/rho (kg)",
        "share within 1/rho of the threshold",
        Curve.of("of all people", CHANGES, shares),
        Curve.of("of the obese", CHANGES, obese),
    )
    for policy, name in POLICIES:
        for change in SHOWN:
            reported = _histogram(people, people.released(change, policy))
            yield _panel(f"rho = 1/{change}, {name}", reported, change)
    shown = {policy: [rows[CHANGES.index(change)] for change in SHOWN] for policy, rows in moved.items()}
    words = "; ".join(
        f"{name}: " + ", ".join(f"{value:.1%}" for value in shown[policy]) for policy, name in POLICIES
    )
    yield ClaimCheck(
        "With less accuracy the histogram changes more drastically",
        f"total variation from the original at rho = 1/5, 1/10, 1/20: {words}",
        "it grows strictly from each of the three to the next, by both policies",
        all(before < after for rows in shown.values() for before, after in pairwise([0.0, *rows])),
        about="figure",
    )
    worst = {
        change: max(
            float(np.abs(people.released(change, policy) - people.weight).max()) for policy, _ in POLICIES
        )
        for change in CHANGES
    }
    most = max(moved / change for change, moved in worst.items())
    yield ClaimCheck(
        "No reported weight is further than 1/rho from the true one",
        f"the largest move is {most:.2f} / rho over {len(CHANGES)} accuracies and both policies",
        "every move is at most 1/rho",
        most <= 1 + 1e-12,  # the boundary is a float
    )
    yield _undecided(people)
    yield people.described()
    yield _left(people)


def _histogram(people: Respondents, weights: FloatArray) -> FloatArray:
    """How many people are in each cell: a row a weight."""
    heights = np.clip(people.height, HEIGHTS[0], HEIGHTS[-1])
    clipped = np.clip(weights, WEIGHTS[0], WEIGHTS[-1])
    counts: FloatArray = np.histogram2d(clipped, heights, bins=(WEIGHTS, HEIGHTS))[0]
    return counts


def _panel(title: str, counts: FloatArray, change: int = 0) -> Panel:
    line = np.linspace(HEIGHTS[0], HEIGHTS[-1], 40)
    boundary = 30 * (line / 100) ** 2
    curves = [Curve.of("body mass index 30", line, boundary)]
    if change:
        edges = [*(boundary - change), np.nan, *(boundary + change)]
        curves.append(Curve.dashed("1/rho from it", [*line, np.nan, *line], edges))
    ends = (HEIGHTS[0], HEIGHTS[-1]), (WEIGHTS[0], WEIGHTS[-1])
    shades = np.where(counts > 0, counts, np.nan)
    image = Raster.of("people", *ends, shades, dark=True)  # as in the paper: darker is more frequent
    return Panel.of(title, "height (cm)", "reported weight (kg)", *curves, image)


def _distances(people: Respondents, original: FloatArray, policy: Policy) -> list[float]:
    """The total variation between the reported histogram and the original, for each change."""
    found = []
    for change in CHANGES:
        reported = _histogram(people, people.released(change, policy))
        found.append(float(np.abs(reported - original).sum()) / (2 * len(people)))
    return found


def _undecided(people: Respondents) -> ClaimCheck:
    """Whether everybody near the boundary is really hidden: by looking at all weights they might have."""
    heights, weights = (grid.ravel() for grid in np.meshgrid(np.unique(people.height), np.arange(201)))
    obese = 1000 * weights >= 3 * heights**2
    told = near = 0
    for change in SHOWN:
        outputs = zip(heights.tolist(), blurred(heights, weights, change).tolist(), strict=True)
        causes: dict[tuple[int, int], set[bool]] = {}
        for output, cause in zip(outputs, obese.tolist(), strict=True):
            causes.setdefault(output, set()).add(cause)
        reported = blurred(people.height, people.weight, change)
        pairs = zip(people.height.tolist(), reported.tolist(), strict=True)
        both = np.array([len(causes[pair]) > 1 for pair in pairs])
        within = people.within(change)
        near += int(np.count_nonzero(within))
        told += int(np.count_nonzero(within & ~both))
    return ClaimCheck(
        "Near the threshold nobody can be tested for obesity",
        f"of {near} reports from within 1/rho of it (at the three accuracies) {told} give the answer away",
        "for every such report both answers have a true weight, of all 201, that leads to it",
        told == 0,
    )


def _left(people: Respondents) -> str:
    parts = []
    for change in SHOWN:
        within = people.within(change)
        hidden = int(np.count_nonzero(within & people.obese))
        parts.append(f"{np.count_nonzero(within)} people ({hidden} obese) at rho = 1/{change}")
    return (
        "The blur protects who is near the threshold and nobody else: "
        + ", ".join(parts)
        + ". Of all others the answer can still be read off."
    )
