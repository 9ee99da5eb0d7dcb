"""The plots of a report, each a small SVG with its texts as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from noiseless.arrays import FloatArray, IntArray
from noiseless.audits import Contribution, Exposure, TableExposure
from noiseless.exact import Bits
from noiseless.ranges import JointRange, overlap_partition
from noiseless.reports.audit_rows import PosteriorBin, posterior_bins
from noiseless.reports.notation import share_text, value_text
from noiseless.reports.pages import FONT, INK, WIDTH, Drawing

_SWEEPS = 4
"""How often each side is ordered by the other."""

_GAP = 0.6
"""The space between two components, in rows."""

BAR, ALARM, QUIET, SPARED = "#4a86c5", "#d9483b", "#8a94a3", "#2e9e6b"
"""Seen on white and on black: the ordinary bar, the one that stands out, two beside it."""

_BLOCK_COLOURS = (BAR, ALARM, SPARED, "#b06ad0", "#c98a12", "#19a0b4", QUIET)
_BLOCK_SHAPES = ((0, 0.0), (4, 0.0), (3, np.pi), (4, np.pi / 4), (5, 0.0))
"""Corners and turn of the markers: circle, diamond, triangle, square, pentagon. With the colours there
are 35 different ones, more than there can be components."""

_MOST_NODES = 30
_MOST_PAIRS = 150
_MOST_COLUMNS = 12
_ROW = 22
_CLOSE = 0.8
_BAR_HEIGHT = 14
_NODE_ROW = 15
_LABEL_LENGTH = 15


@dataclass(frozen=True, eq=False)
class GraphLayout:
    """Heights of the nodes, in rows from the top, and their components from the top.

    The order of the values decides only between places that look alike: a drawing without labels does
    not give away which value is the smallest.
    """

    x_heights: FloatArray
    y_heights: FloatArray
    x_blocks: IntArray
    y_blocks: IntArray
    rows: float


def lay_out(joint: JointRange) -> GraphLayout:
    """Place the nodes: the largest component on top, nodes by the mean height of their neighbours."""
    partition = overlap_partition(joint)
    widths = np.bincount(partition.x_blocks), np.bincount(partition.y_blocks)
    order = np.lexsort((-widths[1], -widths[0], -(widths[0] + widths[1])))
    place = np.empty_like(order)
    place[order] = np.arange(partition.count)
    x_blocks, y_blocks = place[partition.x_blocks], place[partition.y_blocks]
    x_heights, y_heights = _untangled(joint)
    tops = 0.0
    for block in range(partition.count):
        xs = np.flatnonzero(x_blocks == block)
        ys = np.flatnonzero(y_blocks == block)
        tall = max(len(xs), len(ys))
        _spread(x_heights, xs, tops, tall)
        _spread(y_heights, ys, tops, tall)
        tops += tall + _GAP
    return GraphLayout(x_heights, y_heights, x_blocks, y_blocks, tops - _GAP)


def _untangled(joint: JointRange) -> tuple[FloatArray, FloatArray]:
    """A rank for each x and each y such that neighbours have similar ranks."""
    x_ranks = _ranks(-joint.support_sizes.astype(float))
    y_ranks = _ranks(-joint.posterior_sizes.astype(float))
    for _ in range(_SWEEPS):
        y_ranks = _ranks(np.bincount(joint.y, x_ranks[joint.x]) / joint.posterior_sizes)
        x_ranks = _ranks(np.bincount(joint.x, y_ranks[joint.y]) / joint.support_sizes)
    return x_ranks, y_ranks


def _ranks(keys: FloatArray) -> FloatArray:
    ranks = np.empty(len(keys))
    ranks[np.argsort(keys, kind="stable")] = np.arange(len(keys))
    return ranks


def _spread(heights: FloatArray, nodes: IntArray, top: float, tall: int) -> None:
    """Replace the ranks of a component's nodes on one side by heights, evenly over the component's rows."""
    step = tall / len(nodes)
    ordered = nodes[np.argsort(heights[nodes], kind="stable")]
    heights[ordered] = top + step * (np.arange(len(nodes)) + 0.5)


def posterior_plot(exposure: TableExposure, heads: str) -> str:
    """How many rows (persons) sit in groups that leave this many sensitive values possible.

    Args:
        exposure: what to plot.
        heads: what is counted, "rows" or "persons".
    """
    total = exposure.census.heads_in(np.ones(exposure.census.joint.size_y, bool))
    return bins_plot(posterior_bins(exposure), total, heads, exposure.name)


def bins_plot(bins: Sequence[PosteriorBin], total: int, heads: str, name: str) -> str:
    """A bar for each bin of posterior sizes; one value left stands out.

    Args:
        bins: the sizes and how many heads have them.
        total: how many heads there are.
        heads: what is counted, "rows" or "persons".
        name: what is hidden.
    """
    most = max(b.heads for b in bins)
    left = _width("values left", *(b.label for b in bins)) + 8
    counts = [f"{b.heads:,} · {share_text(b.heads, total)}" for b in bins]
    room = WIDTH - left - _width(*counts) - 8
    drawing = Drawing(_ROW * (len(bins) + 1))
    drawing.text(left - 8, _ROW / 2, "values left", align="right")
    drawing.text(left, _ROW / 2, heads)
    for row, (found, count) in enumerate(zip(bins, counts, strict=True), 1):
        middle, alone = _ROW * (row + 0.5), found.last == 1
        length = max(room * found.heads / most, 2 if found.heads else 0)
        colour = ALARM if alone and found.heads else INK
        drawing.text(left - 8, middle, found.label, align="right", bold=alone, colour=colour)
        drawing.bar(left, middle - _BAR_HEIGHT / 2, length, _BAR_HEIGHT, ALARM if alone else BAR)
        drawing.text(left + length + 6, middle, count, bold=alone, colour=colour)
    drawing.line((left, _ROW), (left, _ROW * (len(bins) + 1)), INK)
    return drawing.svg(f"{heads.capitalize()} by how many values of {name} are left")


def contribution_plot(contributions: Sequence[Contribution], exposure: Exposure, heads: str) -> str:
    """What each public column leaks alone, what the others leak without it, and whom that would spare.

    A line shows what all leak together (side information included).

    Args:
        contributions: the columns; the first few are shown.
        exposure: what they contribute to.
        heads: what is counted, "rows" or "persons".
    """
    shown = contributions[:_MOST_COLUMNS]
    together = exposure.entropy - Bits(exposure.min_posterior)
    pinned = exposure.homogeneous_persons
    bars = 3 if pinned else 2
    room = WIDTH - _width("00.00 without", *(f"{c.spared:,} spared" for c in shown)) - 8
    scale = room / max(exposure.entropy.upper, 1)
    tall, reach = _ROW * (1.4 + _CLOSE * bars), scale * together.upper
    drawing = Drawing(_ROW + tall * len(shown))
    side: Literal["left", "right"] = "left" if reach < room / 2 else "right"
    drawing.text(reach, _ROW / 2, f"{together.rounded_up(2)} all together", align=side)
    for number, column in enumerate(shown):
        top = _ROW + tall * number
        alone, without = column.leakage_alone, column.leakage_without
        lengths = [scale * alone.upper, scale * without.upper]
        texts = [f"{alone.rounded_up(2)} alone", f"{without.rounded_up(2)} without"]
        if pinned:
            lengths.append(room * column.spared / pinned)
            texts.append(f"{column.spared:,} spared")
        drawing.text(0, top + _ROW / 2, value_text(column.column, 2 * _LABEL_LENGTH), bold=True)
        for row, (length, text) in enumerate(zip(lengths, texts, strict=True)):
            middle = top + _ROW * (1.4 + _CLOSE * row)
            drawing.bar(0, middle - _BAR_HEIGHT / 2, length, _BAR_HEIGHT, (BAR, QUIET, SPARED)[row])
            drawing.text(room + 8, middle, text)
        drawing.line((reach, top + _ROW), (reach, top + _ROW * (1.8 + _CLOSE)), INK)
    return drawing.svg(f"Bits leaked by each public column alone and without it, and {heads} spared")


def drawable(joint: JointRange) -> bool:
    """Whether a joint range is small enough for a picture."""
    return max(joint.size_x, joint.size_y) <= _MOST_NODES and len(joint) <= _MOST_PAIRS


def bipartite_plot(joint: JointRange, *, reveal: bool = False) -> str | None:
    """The joint range as a picture: sensitive values on the left, groups on the right, a line for each pair.

    Values that are always told apart are in different components, which differ in place,
    shape and colour.

    Args:
        joint: the joint range of a sensitive and a public side.
        reveal: label the nodes with the range's own labels instead of s1, x1, ...

    Returns:
        The picture, or None when the range is too large for one.
    """
    if not drawable(joint):
        return None
    layout = lay_out(joint)
    x_heights = _NODE_ROW * layout.x_heights + _ROW
    y_heights = _NODE_ROW * layout.y_heights + _ROW
    drawing = Drawing(_NODE_ROW * layout.rows + _ROW + 4)
    left, right = WIDTH * 0.34, WIDTH * 0.66
    drawing.text(left, _ROW / 2, "values", align="right")
    drawing.text(right, _ROW / 2, "groups")
    for x, y in zip(joint.x.tolist(), joint.y.tolist(), strict=True):
        colour = _BLOCK_COLOURS[layout.y_blocks[y] % len(_BLOCK_COLOURS)]
        heavy = 3.0 if joint.posterior_sizes[y] == 1 else 1.0
        drawing.line((left, x_heights[x]), (right, y_heights[y]), colour, heavy)
    sensitive = joint.x_labels if reveal else None
    groups = joint.y_labels if reveal else None
    _draw_nodes(drawing, left, x_heights, layout.x_blocks, _labels(x_heights, sensitive, "s"))
    _draw_nodes(drawing, right, y_heights, layout.y_blocks, _labels(y_heights, groups, "x"))
    return drawing.svg("Which sensitive values occur in which groups")


def _labels(heights: FloatArray, labels: Sequence[object] | None, letter: str) -> list[str]:
    """What to write beside each node: its label, or else its number from the top."""
    if labels is not None:
        return [value_text(label, _LABEL_LENGTH) for label in labels]
    places = np.argsort(np.argsort(heights, kind="stable"), kind="stable")
    return [f"{letter}{place}" for place in (places + 1).tolist()]


def _draw_nodes(
    drawing: Drawing, across: float, heights: FloatArray, blocks: IntArray, labels: list[str]
) -> None:
    """One side's nodes, with their labels on the outer side."""
    outer = across < WIDTH / 2
    for height, block, label in zip(heights.tolist(), blocks.tolist(), labels, strict=True):
        shape, turn = _BLOCK_SHAPES[block % len(_BLOCK_SHAPES)]
        colour = _BLOCK_COLOURS[block % len(_BLOCK_COLOURS)]
        drawing.polygon(across, height, shape, turn, colour)
        drawing.text(across + (-9 if outer else 9), height, label, align="right" if outer else "left")


def _width(*texts: str) -> float:
    """About how wide the longest of some short texts is."""
    return 0.6 * FONT * max(map(len, texts))
