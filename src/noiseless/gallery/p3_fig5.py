"""Fig. 5 of [P3]: how Algorithm 2 joins the subgraphs of the example, with the distortion as utility."""

from noiseless.gallery.figure import ClaimCheck, Parts, reproduces
from noiseless.gallery.p3_fig2 import EXAMPLE, Descent, centroids, graph_panel, in_words, printed
from noiseless.search.merging import maximin_path

THIRD = printed("14", "356", "2", "7")
"""Q(3) of Example 4."""

SAID = 3
"""The iteration after which Example 4 stops."""


@reproduces(
    "[P3] Fig. 5",
    "Algorithm 2 joins subgraphs (distortion)",
    "With the distortion as utility and lambda = 0.3 Algorithm 2 stops after three iterations, with two "
    "subgraphs left.",
)
def figure() -> Parts:
    """The graph after each merge, on beyond where the paper stops."""
    path = maximin_path(EXAMPLE, centroids("4"))
    for t in range(1, len(path)):
        beyond = ", beyond the paper" if t > SAID else ""
        yield graph_panel(f"t = {t}{beyond}", path[t].cells)
    cells = path[SAID].cells
    yield ClaimCheck(
        "After three iterations the cells are {x1, x4}, {x3, x5, x6}, {x2}, {x7}, in two subgraphs",
        f"{in_words(cells)}; {int(path.components[SAID])} subgraphs",
        "the same cells, 2 subgraphs",
        cells.members == THIRD and int(path.components[SAID]) == 2,  # noqa: PLR2004 - the paper's number
        about="figure",
    )
    squared, run = Descent(maximin_path(EXAMPLE, centroids("4", "squared"))), Descent(path)
    yield ClaimCheck(
        "With lambda = 0.3 the algorithm stops there: by squared distances",
        f"it stops after {squared.end.merges} merges, with {in_words(squared.end.cells)}: the fourth would "
        f"change the Lagrangian by {squared.steps[SAID]:+.4f}",
        f"it stops after {SAID} merges, with the printed cells",
        squared.end.merges == SAID and squared.end.cells.members == THIRD,
        about="figure",
    )
    step, end = run.steps[SAID], run.end
    yield ClaimCheck(
        "With lambda = 0.3 the algorithm stops there: by d(x, xh) = |x - xh|, as Example 4 defines it",
        f"it goes on to {in_words(end.cells)} with I* = {end.maximin}: the fourth merge changes the "
        f"Lagrangian by {step:.4f}",
        f"it stops after {SAID} merges",
        end.merges == SAID,
    )
    yield (
        "The figure stops at t = 3 as printed if distances are squared (`--distance squared`), which Example "
        "4 does not say; by the distance that it defines, a weight of 0.78 or more would be needed."
    )
