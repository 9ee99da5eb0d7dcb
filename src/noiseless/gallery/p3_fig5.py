"""Fig. 5 of [P3]: how Algorithm 2 joins the subgraphs of the example, with the distortion as utility."""

from noiseless.gallery.data import Data
from noiseless.gallery.figure import ClaimCheck, Panel, Parts, reproduces
from noiseless.gallery.p3_fig2 import (
    EXAMPLE,
    LAMBDA,
    centroids,
    graph_panel,
    in_words,
    lagrangians,
    printed,
    steps,
)
from noiseless.search.merging import MergePath, maximin_path

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
def figure(_: Data) -> Parts:
    """The graph after each merge, on beyond where the paper stops."""
    path = maximin_path(EXAMPLE, centroids("4"))
    yield from (_graph(path, t) for t in range(1, len(path)))
    yield _third(path)
    yield _stop(path)
    yield ("With a weight of 0.78 or more the fourth merge would be refused; with the paper's 0.3 it is not.")


def _graph(path: MergePath, t: int) -> Panel:
    beyond = ", beyond the paper" if t > SAID else ""
    return graph_panel(f"t = {t}{beyond}", path[t].cells)


def _third(path: MergePath) -> ClaimCheck:
    cells = path[SAID].cells
    return ClaimCheck(
        "After three iterations the cells are {x1, x4}, {x3, x5, x6}, {x2}, {x7}, in two subgraphs",
        f"{in_words(cells)}; {int(path.components[SAID])} subgraphs",
        "the same cells, 2 subgraphs",
        cells.members == THIRD and int(path.components[SAID]) == 2,  # noqa: PLR2004 - the paper's number
    )


def _stop(path: MergePath) -> ClaimCheck:
    step = steps(list(lagrangians(path, LAMBDA, (SAID, SAID + 1))))[0]
    end = path.first_rise(LAMBDA)
    return ClaimCheck(
        "With lambda = 0.3 the algorithm stops there",
        f"it goes on to {in_words(end.cells)} with I* = {end.maximin}: the fourth merge changes the "
        f"Lagrangian by {step:.4f}",
        f"it stops after {SAID} merges",
        end.merges == SAID,
    )
