"""Fig. 3 of [P3]: how Algorithm 1 lowers the Lagrangian of the example."""

from fractions import Fraction
from itertools import chain

import numpy as np

from noiseless.gallery.figure import ClaimCheck, Panel, Parts, reproduces
from noiseless.gallery.p3_fig2 import EXAMPLE, Descent, Members, centroids, in_words, printed
from noiseless.search.merging import leakage_path

DISTORTION_WEIGHT = Fraction(5, 2)

RESOLUTION_CELLS: tuple[Members, ...] = (
    printed("127", "35", "46"),
    printed("127", "3456"),
    printed("1234567"),
)
"""Q(1), Q(2), Q(3) of Example 2 with U1."""

DISTORTION_CELLS: tuple[Members, ...] = (printed("124", "35", "67"), printed("1234567"))
"""Q(1) and what Q(2) must be for its own Delta L, with U2."""

_ROUNDED = 5e-5


@reproduces(
    "[P3] Fig. 3",
    "Convergence of Algorithm 1 on Example 1",
    "Algorithm 1 lowers the Lagrangian strictly; it stops at t = 3 with U1 and lambda = 0.3, at t = 1 "
    "with U2 and lambda = 2.5.",
)
def figure() -> Parts:
    """The Lagrangian after each iteration, with both utilities."""
    runs = {
        "U1": Descent(leakage_path(EXAMPLE)),
        "U2": Descent(leakage_path(EXAMPLE, centroids("1")), DISTORTION_WEIGHT),
    }
    curves = chain.from_iterable(run.curves(utility, ": refused") for utility, run in runs.items())
    yield Panel.of("Algorithm 1", "iteration t", "Lagrangian", *curves)
    for (utility, run), said in zip(runs.items(), (3, 1), strict=True):
        yield ClaimCheck(
            f"With {utility} and lambda = {float(run.weight):g} it stops at t = {said}",
            f"t = {run.stop}: {in_words(run.end.cells)}",
            f"t = {said}",
            run.stop == said,
            about="figure",
        )
    for (utility, run), changes in zip(runs.items(), ((-0.5245, -0.4605), (-0.375, 0.0758)), strict=True):
        steps = run.steps[: len(changes)]
        yield ClaimCheck(
            f"With {utility} the Lagrangian changes by " + ", then ".join(f"{c:.4f}" for c in changes),
            ", then ".join(f"{step:.4f}" for step in steps),
            "the same to the four digits that are printed",
            bool(np.allclose(steps, changes, atol=_ROUNDED, rtol=0)),
            about="figure",
        )
    for (utility, run), members in zip(runs.items(), (RESOLUTION_CELLS, DISTORTION_CELLS), strict=True):
        iterations = [run.path[t].cells for t in run.path.rounds[1 : len(members) + 1].tolist()]
        yield ClaimCheck(
            f"With {utility} the iterations make the cells of Example 2 (misprints mended)",
            "; ".join(in_words(cells) for cells in iterations),
            "the same cells in each iteration",
            tuple(cells.members for cells in iterations) == members,
        )
    end = runs["U2"].end.cells
    yield ClaimCheck(
        "With U2 the cells {x1, x2, x7}, {x3, x5}, {x4, x6} are returned, as Example 2 ends",
        f"{in_words(end)}, as its own iteration 1 says",
        "the same cells",
        end.members == printed("127", "35", "46"),
    )
    yield (
        "Example 2 prints Q(2) = {x1, x2, x7}, {x3, ..., x6} and returns Q(1) = {x1, x2, x7}, "
        "{x3, x5}, {x4, x6} for U2, which are cells of U1; its Delta L = 0.0758 is that of one "
        "cell. It also writes s6 for s5."
    )
    yield (
        "Line 13 of Algorithm 1 returns Q(t-1); Example 2 with U1 returns Q(3), which lowers the Lagrangian."
    )
