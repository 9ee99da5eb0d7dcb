"""Fig. 2 of [P3]: the confusability graph of the example, and its finest decomposition."""

from itertools import combinations
from typing import TYPE_CHECKING

from noiseless.gallery.figure import Check, Figure, Outcome
from noiseless.gallery.p3_example import EXAMPLE, graph_panel, in_words, printed
from noiseless.measures import maximin
from noiseless.ranges import confusability_edges, overlap_partition
from noiseless.search.merging import Cells

if TYPE_CHECKING:
    from noiseless.gallery.data import Data

PRINTED = printed("12", "34", "5", "6", "7")


def make(_: "Data") -> Outcome:
    """The graph, its subgraphs by union-find, and all its cuts by enumeration."""
    blocks = overlap_partition(EXAMPLE)
    found = Cells.from_labels(blocks.y_blocks)
    sensitive = blocks.x_blocks.tolist()
    least, cuts = _cuts()
    return Outcome(
        panels=(graph_panel("G_X", Cells.from_labels(range(EXAMPLE.size_y))),),
        checks=(
            Check(
                "The finest decomposition is {x1, x2}, {x3, x4}, {x5}, {x6}, {x7}",
                in_words(found),
                "the same sets",
                found.members == PRINTED,
            ),
            Check(
                "I*(S;X) = log2 5",
                f"{maximin(EXAMPLE)}: {blocks.count} subgraphs",
                "exactly the logarithm of 5",
                maximin(EXAMPLE).ratio == 5,  # noqa: PLR2004 - the paper's number
            ),
            Check(
                "The smallest cut is 0: the graph falls apart",
                f"of all {2**EXAMPLE.size_y - 2} cuts the smallest has {least} edges",
                "0 edges",
                least == 0,
            ),
            Check(
                "The smallest cuts are the unions of subgraphs, but for all of them",
                f"{cuts} cuts have {least} edges, and there are {2**blocks.count - 2} such unions",
                "as many",
                cuts == 2**blocks.count - 2,
            ),
            Check(
                "The overlap partition of S is {s1, s2}, {s3}, {s4}, {s5}, {s6}",
                f"the blocks of s1, ..., s6 are {', '.join(str(block + 1) for block in sensitive)}",
                "the same sets",
                sensitive == [0, 0, 1, 2, 3, 4],
            ),
        ),
    )


def _cuts() -> tuple[int, int]:
    """The fewest edges that a cut crosses, and how many cuts cross so few."""
    edges = confusability_edges(EXAMPLE).tolist()
    sizes = [
        sum((one in inside) != (two in inside) for one, two in edges)
        for many in range(1, EXAMPLE.size_y)
        for inside in combinations(range(EXAMPLE.size_y), many)
    ]
    return min(sizes), sizes.count(min(sizes))


FIGURE = Figure(
    "p3-fig2",
    "[P3] Fig. 2",
    "The confusability graph of Example 1",
    "The graph falls apart into {x1, x2}, {x3, x4}, {x5}, {x6}, {x7}, so that I*(S;X) = log2 5.",
    (),
    make,
)
