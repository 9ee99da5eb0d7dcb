"""Fig. 6 of [P3]: how Algorithm 2 lowers the Lagrangian of the example."""

from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.gallery.p3_fig2 import EXAMPLE, Descent, centroids, in_words
from noiseless.search.merging import maximin_path

STOPS = {"U1": 4, "U2": 3}
"""Where the paper's curves end."""


@reproduces(
    "[P3] Fig. 6",
    "Convergence of Algorithm 2 on Example 1",
    "Algorithm 2 lowers the Lagrangian strictly; with lambda = 0.3 it stops at t = 4 with U1 and at t = "
    "3 with U2.",
)
def figure() -> Parts:
    """The Lagrangian after each merge, with both utilities."""
    runs = {
        "U1": Descent(maximin_path(EXAMPLE)),
        "U2": Descent(maximin_path(EXAMPLE, centroids("4"))),
    }
    heights = {name: run.heights[: run.stop + 1] for name, run in runs.items()}
    printed = heights["U2"][: STOPS["U2"] + 1]
    yield Panel.of(
        "Algorithm 2, lambda = 0.3",
        "iteration t",
        "Lagrangian",
        *(Curve.of(name, range(len(values)), values) for name, values in heights.items()),
        Curve.dashed("U2, as far as printed", range(len(printed)), printed),
    )
    for name, run in runs.items():
        yield ClaimCheck(
            f"With {name} it stops at t = {STOPS[name]}",
            f"t = {run.stop}: {in_words(run.end.cells)}, I* = {run.end.maximin}",
            f"t = {STOPS[name]}",
            run.stop == STOPS[name],
        )
    for name, run in runs.items():
        changes = run.steps[: run.stop]
        yield ClaimCheck(
            f"With {name} the Lagrangian falls strictly in each iteration",
            "it changes by " + ", ".join(f"{change:.4f}" for change in changes),
            "every change is below 0",
            all(change < 0 for change in changes),
        )
