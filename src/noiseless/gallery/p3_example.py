"""Example 1 of [P3], shared by its figures: seven public values, and pictures of their graph."""

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from noiseless.gallery.figure import Curve, Panel
from noiseless.ranges import JointRange, confusability_edges, overlap_partition
from noiseless.search.merging import Cells, ColumnCodebook, MergePath, Numbers

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


def centroids(seventh: str) -> ColumnCodebook:
    """The numbers (3) of the paper with its centroid codewords; x7 is 1 in Example 2 and 4 in Example 4."""
    return ColumnCodebook(Numbers([Decimal(value) for value in (*_FIRST_SIX, seventh)]), codeword="centroid")


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
    return Panel(subtitle, "", "", tuple(curves), equal=True, bare=True)


def lagrangians(path: MergePath, weight: Fraction, points: Sequence[int]) -> Iterator[float]:
    """The Lagrangian as [P3] writes it at points of a path: -min log2 |S-range|, or I*, less weight * U."""
    constant = 0.0
    if path.objective == "leakage":
        constant += math.log2(EXAMPLE.size_x)
    if path.utility == "resolution":
        constant += float(weight) * math.log2(path.size)
    return (float(path.lagrangian(t, weight)) - constant for t in points)


def steps(values: Sequence[float]) -> list[float]:
    """How much each value is above the one before."""
    return [after - before for before, after in pairwise(values)]
