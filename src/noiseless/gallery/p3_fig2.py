"""Example 1 of [P3], and its Fig. 2: the confusability graph, and its finest decomposition."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np

from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.measures import maximin
from noiseless.ranges import JointRange, confusability_edges, overlap_partition
from noiseless.search.loss import Distance
from noiseless.search.merging import Cells, ColumnCodebook, MergePath, MergePoint, Numbers

_HELD = ("s1 s2", "s2", "s3", "s3", "s4", "s5", "s6")
"""Fig. 1: the sensitive values behind x1, ..., x7."""

EXAMPLE = JointRange.from_pairs((s, f"x{i}") for i, held in enumerate(_HELD, 1) for s in held.split())
"""[[S, X]] of Fig. 1."""

_FIRST_SIX = ("0.2", "0.1", "0.4", "0.3", "0.6", "1.5")

LAMBDA = Fraction(3, 10)
"""The weight of most of the examples."""

PLACES = tuple((math.sin(2 * math.pi * i / 7), math.cos(2 * math.pi * i / 7)) for i in range(7))
"""Where x1, ..., x7 are drawn: on a circle, clockwise from the top."""

Members = tuple[tuple[int, ...], ...]


def centroids(seventh: str, distance: Distance = "absolute") -> ColumnCodebook:
    """The numbers (3) of the paper with its centroid codewords; x7 is 1 in Example 2 and 4 in Example 4.

    Args:
        seventh: x7.
        distance: |x - xh|, as the paper writes, or its square, as its Figs. 5 and 6 show.
    """
    values = Numbers([Decimal(value) for value in (*_FIRST_SIX, seventh)])
    return ColumnCodebook(values, distance=distance, codeword="centroid")


def printed(*cells: str) -> Members:
    """Cells as the paper writes them, "13" for {x1, x3}, numbered from 0."""
    return tuple(sorted(tuple(int(digit) - 1 for digit in cell) for cell in cells))


def in_words(cells: Cells) -> str:
    """Cells as text: {x1, x3}, {x2}."""
    return ", ".join("{" + ", ".join(f"x{i + 1}" for i in cell) + "}" for cell in cells.members)


def graph_panel(title: str, cells: Cells) -> Panel:
    """The confusability graph of the example once its values are merged into cells: a colour a subgraph."""
    merged = EXAMPLE.merged(cells.cell_of)
    spots = [PLACES[cell[0]] for cell in cells.members]
    names = ["x" + "".join(str(i + 1) for i in cell) for cell in cells.members]
    lines: list[tuple[float, float]] = []
    for one, two in confusability_edges(merged).tolist():
        lines += [spots[one], spots[two], (math.nan, math.nan)]
    blocks = overlap_partition(merged).y_blocks.tolist()
    curves = [Curve.of("", *zip(*lines, strict=True))] if lines else []
    for number, block in enumerate(dict.fromkeys(blocks), 1):
        own = [i for i, other in enumerate(blocks) if other == block]
        places = zip(*(spots[i] for i in own), strict=True)
        texts = [names[i] for i in own]
        curves.append(Curve.of(f"subgraph {number}", *places, style="dots", texts=texts))
    many = len(dict.fromkeys(blocks))
    subtitle = f"{title}: {many} subgraph" + ("s" if many > 1 else "")
    return Panel.of(subtitle, "", "", *curves, equal=True, bare=True)


@dataclass(frozen=True, eq=False)
class Descent:
    """How an algorithm of [P3] lowers the Lagrangian, iteration by iteration.

    Attributes:
        path: all merges.
        weight: the multiplier lambda.
        values: how many sensitive values there are.
    """

    path: MergePath
    weight: Fraction = LAMBDA
    values: int = EXAMPLE.size_x

    @cached_property
    def heights(self) -> list[float]:
        """The Lagrangian as [P3] writes it, -min log2 |S-range|, or I*, less weight * U."""
        constant = math.log2(self.values) if self.path.objective == "leakage" else 0.0
        if self.path.utility == "resolution":
            constant += float(self.weight) * math.log2(self.path.size)
        return [float(self.path.lagrangian(t, self.weight)) - constant for t in self.path.rounds.tolist()]

    @cached_property
    def steps(self) -> list[float]:
        """By how much each iteration changes it."""
        return [after - before for before, after in pairwise(self.heights)]

    @cached_property
    def end(self) -> MergePoint:
        """Where the paper's algorithm stops."""
        return self.path.first_rise(self.weight)

    @cached_property
    def stop(self) -> int:
        """After which iteration that is."""
        return int(np.searchsorted(self.path.rounds, self.end.merges))

    def curves(self, utility: str, beyond: str) -> Iterator[Curve]:
        """Up to where the algorithm stops, and dashed what comes after it."""
        label, stop = f"{utility}, lambda = {float(self.weight):g}", self.stop
        yield Curve.of(label, range(stop + 1), self.heights[: stop + 1])
        if self.steps[stop:]:
            yield Curve.dashed(label + beyond, range(stop, len(self.heights)), self.heights[stop:])


PRINTED = printed("12", "34", "5", "6", "7")


@reproduces(
    "[P3] Fig. 2",
    "The confusability graph of Example 1",
    "The graph falls apart into {x1, x2}, {x3, x4}, {x5}, {x6}, {x7}, so that I*(S;X) = log2 5.",
)
def figure() -> Parts:
    """The graph, its subgraphs by union-find, and all its cuts by enumeration."""
    blocks = overlap_partition(EXAMPLE)
    found = Cells.from_labels(blocks.y_blocks)
    sensitive = blocks.x_blocks.tolist()
    least, cuts = _cuts()
    yield graph_panel("G_X", Cells.from_labels(range(EXAMPLE.size_y)))
    yield ClaimCheck(
        "The finest decomposition is {x1, x2}, {x3, x4}, {x5}, {x6}, {x7}",
        in_words(found),
        "the same sets",
        found.members == PRINTED,
        about="figure",
    )
    yield ClaimCheck(
        "I*(S;X) = log2 5",
        f"{maximin(EXAMPLE)}: {blocks.count} subgraphs",
        "exactly the logarithm of 5",
        maximin(EXAMPLE).ratio == 5,  # noqa: PLR2004 - the paper's number
    )
    yield ClaimCheck(
        "The smallest cut is 0: the graph falls apart",
        f"of all {2**EXAMPLE.size_y - 2} cuts the smallest has {least} edges",
        "0 edges",
        least == 0,
    )
    yield ClaimCheck(
        "The smallest cuts are the unions of subgraphs, but for all of them",
        f"{cuts} cuts have {least} edges, and there are {2**blocks.count - 2} such unions",
        "as many",
        cuts == 2**blocks.count - 2,
    )
    yield ClaimCheck(
        "The overlap partition of S is {s1, s2}, {s3}, {s4}, {s5}, {s6}",
        f"the blocks of s1, ..., s6 are {', '.join(str(block + 1) for block in sensitive)}",
        "the same sets",
        sensitive == [0, 0, 1, 2, 3, 4],
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
