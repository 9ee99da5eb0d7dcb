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
    """The Lagrangian after each merge, with both utilities; U2 by squared distances and as it is defined."""
    runs = {
        "U1": Descent(maximin_path(EXAMPLE)),
        "U2": Descent(maximin_path(EXAMPLE, centroids("4", "squared"))),
    }
    defined = Descent(maximin_path(EXAMPLE, centroids("4")))
    names = {"U1": "U1", "U2": "U2, squared distance"}
    yield Panel.of(
        "Algorithm 2, lambda = 0.3",
        "iteration t",
        "Lagrangian",
        *(
            Curve.of(names[name], range(run.stop + 1), run.heights[: run.stop + 1])
            for name, run in runs.items()
        ),
        Curve.dashed("U2, |x - xh| as defined", range(defined.stop + 1), defined.heights[: defined.stop + 1]),
    )
    for name, run in runs.items():
        yield ClaimCheck(
            f"With {names[name]} it stops at t = {STOPS[name]}",
            f"t = {run.stop}: {in_words(run.end.cells)}, I* = {run.end.maximin}",
            f"t = {STOPS[name]}",
            run.stop == STOPS[name],
            about="figure",
        )
    for name, run in runs.items():
        changes = run.steps[: run.stop]
        yield ClaimCheck(
            f"With {names[name]} the Lagrangian falls strictly in each iteration",
            "it changes by " + ", ".join(f"{change:.4f}" for change in changes),
            "every change is below 0",
            all(change < 0 for change in changes),
            about="figure",
        )
    yield ClaimCheck(
        f"With U2 by |x - xh|, as Example 4 defines it, it stops at t = {STOPS['U2']}",
        f"t = {defined.stop}: {in_words(defined.end.cells)}, I* = {defined.end.maximin}",
        f"t = {STOPS['U2']}",
        defined.stop == STOPS["U2"],
    )
    yield (
        "The curve of U2 ends at t = 3 as printed if distances are squared, which the paper does not say; by "
        "the distance that it defines the algorithm goes on to I* = 0."
    )
