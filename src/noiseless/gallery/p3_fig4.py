"""Fig. 4 of [P3]: how Algorithm 2 joins the subgraphs of the example, with the resolution as utility."""

from fractions import Fraction
from itertools import combinations

import numpy as np

from noiseless.exact import Bits
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.gallery.p3_fig2 import EXAMPLE, LAMBDA, Descent, Members, graph_panel, in_words, printed
from noiseless.ranges import overlap_partition
from noiseless.search.merging import maximin_path

CELLS: tuple[Members, ...] = (
    printed("13", "2", "4", "5", "6", "7"),
    printed("13", "25", "4", "6", "7"),
    printed("13", "25", "46", "7"),
    printed("137", "25", "46"),
)
"""Q(1), ..., Q(4) of Example 3."""

FIRST = -0.0219
FOOTNOTE = 3
_ROUNDED = 5e-5


@reproduces(
    "[P3] Fig. 4",
    "Algorithm 2 joins subgraphs (resolution)",
    "Each iteration of Algorithm 2 joins two subgraphs; after four of them I* has fallen from log2 5 to 0.",
)
def figure() -> Parts:
    """The graph after each merge."""
    path = maximin_path(EXAMPLE)
    yield from (graph_panel(f"t = {t}", path[t].cells) for t in range(len(path)))
    told = [float(point.maximin) for point in path]
    yield Panel.of("I*(S;Xh) after each merge", "iteration t", "bits", Curve.of("I*", range(len(path)), told))
    found = [path[t].cells for t in range(1, len(path))]
    yield ClaimCheck(
        "Example 3: the cells after each iteration",
        "; ".join(in_words(cells) for cells in found[-2:]) + " at the end",
        "the same cells in all four iterations",
        tuple(cells.members for cells in found) == CELLS,
        about="figure",
    )
    counts = path.components.tolist()
    yield ClaimCheck(
        "The number of subgraphs falls from 5 to 1, one an iteration",
        ", ".join(map(str, counts)),
        "5, 4, 3, 2, 1",
        counts == [5, 4, 3, 2, 1],
        about="figure",
    )
    step = Descent(path).steps[0]
    yield ClaimCheck(
        "The first merge changes the Lagrangian by -0.0219",
        f"{step:.4f}",
        "the same to four digits",
        bool(np.isclose(step, FIRST, atol=_ROUNDED, rtol=0)),
    )
    end = path.first_rise(LAMBDA)
    yield ClaimCheck(
        "With lambda = 0.3 all four merges are made: I* = 0 and I0(X;Xh) = log2 7/3",
        f"it stops after {end.merges} merges with I* = {end.maximin} and I0 = log2 {end.resolution.ratio}",
        "4 merges, I* = 0 and I0 = log2 7/3 exactly",
        (end.merges, end.maximin, end.resolution) == (4, Bits(1), Bits(Fraction(7, 3))),
    )
    smallest = _third_unions()
    yield ClaimCheck(
        "Footnote 11: if x5 and x6 are merged first, the smallest union in iteration 3 has 3 values",
        f"it has {max(smallest)} at most, whichever of the {len(smallest)} smallest unions iteration 2 "
        "makes: two values are still single and in different subgraphs",
        "3 values",
        min(smallest) == FOOTNOTE,
    )
    yield (
        "The definition of the candidates prints that subgraphs do not meet the two cells, where "
        "they have to; and Example 3 prints a minus before lambda, where its value, -0.0219, has a "
        "plus."
    )


def _third_unions() -> list[int]:
    """The size of the smallest union in iteration 3, for each second merge of two single values."""
    start = overlap_partition(EXAMPLE)
    found = []
    for one, two in combinations((0, 1, 2, 3, 6), 2):  # the values that are single once x5 and x6 are merged
        if start.y_blocks[one] == start.y_blocks[two]:
            continue
        labels = list(range(EXAMPLE.size_y))
        labels[5], labels[two] = labels[4], labels[one]
        codes = np.unique(labels, return_inverse=True)[1]
        blocks = start.after_merge(codes).y_blocks
        sizes = np.bincount(codes)
        found.append(
            min(
                int(sizes[codes[i]] + sizes[codes[j]])
                for i, j in combinations(range(EXAMPLE.size_y), 2)
                if blocks[i] != blocks[j]
            )
        )
    return found
