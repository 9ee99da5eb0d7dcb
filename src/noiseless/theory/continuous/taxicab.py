"""The taxicab partition of a continuous joint range: which values every answer tells apart.

A product of sets is connected. A point of a line is connected with what shares its x or its y; so the blocks
that hold a product spread along the lines, step by step, until nothing is added. What is left of the lines
then is never connected with a product, and each of its points with countably many others at most: if a whole
stretch is left, there are infinitely many blocks.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from noiseless.errors import RequestError
from noiseless.ranges.joint import roots_of_pairs
from noiseless.theory.continuous.boxes import Box, BoxSet
from noiseless.theory.continuous.cuts import overlaps
from noiseless.theory.continuous.pieces import Line

if TYPE_CHECKING:
    from noiseless.theory.continuous.joint import ContinuousRange

_STEPS = 1000
"""How often blocks are spread along lines. On the graph of a function two steps are enough; on other ranges
lines may pass a block on for ever, as y = x and y = x/2 do."""


@dataclass(frozen=True)
class Block:
    """A block of the taxicab partition: all pairs of the joint range whose x, or whose y, lies in it."""

    x: BoxSet
    y: BoxSet


def count_taxicab_blocks(joint: "ContinuousRange") -> int | float:
    """How many blocks the taxicab partition has, infinity if there are infinitely many.

    Raises:
        RequestError: it was not settled after a thousand steps along crossing lines.

    >>> from noiseless.theory.continuous import ContinuousRange
    >>> step = ContinuousRange.from_function([("[0, 1)", 0, 0), ("[1, 2]", 0, 1)])
    >>> line = ContinuousRange.from_function([("[0, 1]", 1, 0)])
    >>> count_taxicab_blocks(step), count_taxicab_blocks(line)
    (2, inf)
    """
    blocks = _blocks(joint)
    return math.inf if blocks is None else len(blocks)


def taxicab_partition(joint: "ContinuousRange") -> tuple[Block, ...]:
    """The unique taxicab partition of a joint range (Definition II.2 of [P4]), if it is finite.

    Raises:
        RequestError: it has infinitely many blocks, or it was not settled (see `count_taxicab_blocks`).
    """
    blocks = _blocks(joint)
    if blocks is None:
        raise RequestError("the taxicab partition has infinitely many blocks; merge Y into cells first")
    return tuple(blocks)


def _blocks(joint: "ContinuousRange") -> list[Block] | None:
    behind: dict[BoxSet, list[BoxSet]] = {}
    for where, posterior in joint.boxes.sections(joint.size_y):
        behind.setdefault(posterior, []).append(BoxSet.of(where))
    blocks = _joined([Block(x, _union(ys)) for x, ys in behind.items()])
    if not joint.lines:
        return blocks
    for _ in range(_STEPS):
        spread = [_spread(block, joint.lines) for block in blocks]
        if spread == blocks:
            return _with_rest(blocks, joint.lines)
        blocks = _joined(spread)
    raise RequestError(
        f"after {_STEPS:,} steps along crossing lines the blocks still grow; merge Y into cells to count them"
    )


def _union(sets: Sequence[BoxSet]) -> BoxSet:
    return BoxSet.union((box for boxes in sets for box in boxes), dimension=sets[0].dimension)


def _spread(block: Block, lines: Iterable[Line]) -> Block:
    """A block with what the lines connect with it directly."""
    x, y = block.x.as_intervals(), block.y.as_intervals()
    for line in lines:
        x, y = x | line.over(y), y | line.inverse.over(x)
    return Block(BoxSet.from_intervals(x), BoxSet.from_intervals(y))


def _with_rest(blocks: list[Block], lines: Iterable[Line]) -> list[Block] | None:
    """The blocks and those of the points on lines that no block reached; None if these are a stretch."""
    reached = _union([block.x for block in blocks]).as_intervals() if blocks else None
    points = []
    for line in lines:
        rest = line.domain if reached is None else line.domain - reached
        if rest.measure:
            return None
        for value in rest.points:
            y, x = line.at(value).sides
            points.append(Block(BoxSet.of(Box((x,))), BoxSet.of(Box((y,)))))
    return _joined([*blocks, *points])


def _joined(blocks: Sequence[Block]) -> list[Block]:
    """Blocks that share an x or a y made one."""
    meeting = [*overlaps([block.x for block in blocks]), *overlaps([block.y for block in blocks])]
    members = np.array([*chain(*meeting)], np.int64)
    numbers = np.repeat(np.arange(len(meeting)), [len(group) for group in meeting])
    roots = roots_of_pairs(members, numbers, len(blocks), len(meeting))
    groups: dict[int, list[Block]] = {}
    for root, block in zip(roots.tolist(), blocks, strict=True):
        groups.setdefault(root, []).append(block)
    return [
        group[0] if len(group) == 1 else Block(_union([b.x for b in group]), _union([b.y for b in group]))
        for group in groups.values()
    ]
