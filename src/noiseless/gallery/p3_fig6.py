"""Fig. 6 of [P3]: how Algorithm 2 lowers the Lagrangian of the example."""

from itertools import pairwise

from noiseless.gallery.data import Data
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.gallery.p3_fig2 import EXAMPLE, LAMBDA, centroids, in_words, lagrangians
from noiseless.search.merging import MergePath, maximin_path

STOPS = {"U1": 4, "U2": 3}
"""Where the paper's curves end."""


@reproduces(
    "[P3] Fig. 6",
    "Convergence of Algorithm 2 on Example 1",
    "Algorithm 2 lowers the Lagrangian strictly; with lambda = 0.3 it stops at t = 4 with U1 and at t = "
    "3 with U2.",
)
def figure(_: Data) -> Parts:
    """The Lagrangian after each merge, with both utilities."""
    paths = {"U1": maximin_path(EXAMPLE), "U2": maximin_path(EXAMPLE, centroids("4"))}
    heights = {
        name: list(lagrangians(path, LAMBDA, range(path.first_rise(LAMBDA).merges + 1)))
        for name, path in paths.items()
    }
    said = STOPS["U2"]
    yield Panel.of(
        "Algorithm 2, lambda = 0.3",
        "iteration t",
        "Lagrangian",
        *(Curve.of(name, range(len(values)), values) for name, values in heights.items()),
        Curve.dashed("U2, as far as printed", range(said + 1), heights["U2"][: said + 1]),
    )
    yield from (_stops(name, path) for name, path in paths.items())
    yield from (_falls(name, values) for name, values in heights.items())


def _stops(name: str, path: MergePath) -> ClaimCheck:
    end, said = path.first_rise(LAMBDA), STOPS[name]
    return ClaimCheck(
        f"With {name} it stops at t = {said}",
        f"t = {end.merges}: {in_words(end.cells)}, I* = {end.maximin}",
        f"t = {said}",
        end.merges == said,
    )


def _falls(name: str, values: list[float]) -> ClaimCheck:
    changes = [after - before for before, after in pairwise(values)]
    return ClaimCheck(
        f"With {name} the Lagrangian falls strictly in each iteration",
        "it changes by " + ", ".join(f"{change:.4f}" for change in changes),
        "every change is below 0",
        all(change < 0 for change in changes),
    )
