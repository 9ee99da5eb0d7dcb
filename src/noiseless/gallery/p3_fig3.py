"""Fig. 3 of [P3]: how Algorithm 1 lowers the Lagrangian of the example."""

from fractions import Fraction

import numpy as np

from noiseless.gallery.data import Data
from noiseless.gallery.figure import ClaimCheck, Panel, Parts, reproduces
from noiseless.gallery.p3_fig2 import (
    EXAMPLE,
    LAMBDA,
    Members,
    centroids,
    descent,
    in_words,
    lagrangians,
    printed,
    steps,
)
from noiseless.search.merging import MergePath, leakage_path

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
def figure(_: Data) -> Parts:
    """The Lagrangian after each iteration, with both utilities."""
    resolution, distortion = leakage_path(EXAMPLE), leakage_path(EXAMPLE, centroids("1"))
    values = {
        "U1, lambda = 0.3": (resolution, LAMBDA),
        "U2, lambda = 2.5": (distortion, DISTORTION_WEIGHT),
    }
    curves = tuple(
        curve
        for name, (path, weight) in values.items()
        for curve in descent(name, _along(path, weight), _stop(path, weight), ": refused")
    )
    yield Panel.of("Algorithm 1", "iteration t", "Lagrangian", *curves)
    yield _stops("U1", resolution, LAMBDA, 3)
    yield _stops("U2", distortion, DISTORTION_WEIGHT, 1)
    yield _falls("U1", _along(resolution, LAMBDA), (-0.5245, -0.4605))
    yield _falls("U2", _along(distortion, DISTORTION_WEIGHT), (-0.375, 0.0758))
    yield _cells("U1", resolution, RESOLUTION_CELLS)
    yield _cells("U2", distortion, DISTORTION_CELLS)
    yield _as_printed(distortion)
    yield (
        "Example 2 prints Q(2) = {x1, x2, x7}, {x3, ..., x6} and returns Q(1) = {x1, x2, x7}, "
        "{x3, x5}, {x4, x6} for U2, which are cells of U1; its Delta L = 0.0758 is that of one "
        "cell. It also writes s6 for s5."
    )
    yield (
        "Line 13 of Algorithm 1 returns Q(t-1); Example 2 with U1 returns Q(3), which lowers the Lagrangian."
    )


def _along(path: MergePath, weight: Fraction) -> list[float]:
    return list(lagrangians(path, weight, path.rounds.tolist()))


def _stop(path: MergePath, weight: Fraction) -> int:
    """The iteration at which the paper's algorithm stops."""
    return int(np.searchsorted(path.rounds, path.first_rise(weight).merges))


def _stops(utility: str, path: MergePath, weight: Fraction, said: int) -> ClaimCheck:
    found = _stop(path, weight)
    return ClaimCheck(
        f"With {utility} and lambda = {float(weight):g} it stops at t = {said}",
        f"t = {found}: {in_words(path.first_rise(weight).cells)}",
        f"t = {said}",
        found == said,
    )


def _falls(utility: str, values: list[float], said: tuple[float, ...]) -> ClaimCheck:
    found = steps(values)[: len(said)]
    return ClaimCheck(
        f"With {utility} the Lagrangian changes by " + ", then ".join(f"{value:.4f}" for value in said),
        ", then ".join(f"{value:.4f}" for value in found),
        "the same to the four digits that are printed",
        bool(np.allclose(found, said, atol=_ROUNDED, rtol=0)),
    )


def _cells(utility: str, path: MergePath, said: tuple[Members, ...]) -> ClaimCheck:
    found = [path[t].cells for t in path.rounds[1 : len(said) + 1].tolist()]
    return ClaimCheck(
        f"With {utility} the iterations make the cells of Example 2 (misprints mended)",
        "; ".join(in_words(cells) for cells in found),
        "the same cells in each iteration",
        tuple(cells.members for cells in found) == said,
    )


def _as_printed(path: MergePath) -> ClaimCheck:
    found = path.first_rise(DISTORTION_WEIGHT).cells
    return ClaimCheck(
        "With U2 the cells {x1, x2, x7}, {x3, x5}, {x4, x6} are returned, as Example 2 ends",
        f"{in_words(found)}, as its own iteration 1 says",
        "the same cells",
        found.members == printed("127", "35", "46"),
    )
