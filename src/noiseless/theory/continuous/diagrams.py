"""Unions of boxes as layered diagrams of slabs: the machinery below `BoxSet`.

Along the first axis a set is cut into slabs in which its section does not change; each section is a set with
one axis less, and sections that occur twice are stored once. Coordinates are ranks (positions in a list of
cuts), so everything here is integers. Two sets over the same cuts are equal exactly when their diagrams are.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

Slab = tuple[int, int, int]
"""Where a slab begins, where it ends, and the number of its section in the next layer."""

Node = tuple[Slab, ...]
Layers = tuple[tuple[Node, ...], ...]
"""The nodes of each axis; the set is node 0 of the first layer, and empty when that layer is."""

RankBox = tuple[tuple[int, int], ...]
"""A box: where it begins and ends on each axis."""

ABSENT = -1
"""The number of the empty section. Below the last axis there is section 0 only: the whole."""


class _Builder:
    """Collects the nodes of each layer, equal ones once."""

    def __init__(self, dimension: int) -> None:
        self.nodes: list[dict[Node, int]] = [{} for _ in range(dimension)]

    def add(self, layer: int, slabs: Sequence[Slab]) -> int:
        """The number of the node with these slabs, in ascending order; touching ones alike are joined."""
        joined: list[Slab] = []
        for slab in slabs:
            if slab[2] == ABSENT:
                continue
            if joined and joined[-1][1:] == (slab[0], slab[2]):
                joined[-1] = (joined[-1][0], slab[1], slab[2])
            else:
                joined.append(slab)
        if not joined:
            return ABSENT
        known = self.nodes[layer]
        return known.setdefault(tuple(joined), len(known))

    def finish(self, root: int) -> Layers:
        """The layers below a root."""
        return _numbered([list(nodes) for nodes in self.nodes], root)


def _numbered(layers: Sequence[Sequence[Node]], root: int) -> Layers:
    """What lies below a root, nodes being numbered in the order in which they are met."""
    numbered: list[tuple[Node, ...]] = []
    wanted = [] if root == ABSENT else [root]
    for layer, nodes in enumerate(layers):
        number: dict[int, int] = {0: 0} if layer + 1 == len(layers) else {}
        numbered.append(
            tuple(
                tuple(
                    (start, stop, number.setdefault(child, len(number))) for start, stop, child in nodes[old]
                )
                for old in wanted
            )
        )
        wanted = list(number)
    return tuple(numbered)


_FEW = 32
"""How many boxes are swept at once; more are split, because unions of large boxes are simpler than they."""


def union_of(boxes: Sequence[RankBox], dimension: int) -> Layers:
    """The union of boxes."""
    if len(boxes) <= _FEW or dimension == 1:
        return _swept(boxes, dimension)
    half = len(boxes) // 2
    first, second = union_of(boxes[:half], dimension), union_of(boxes[half:], dimension)
    return combined(first, second, lambda here, there: here or there)


def _swept(boxes: Sequence[RankBox], dimension: int) -> Layers:
    """The union of boxes, by a sweep along each axis in turn."""
    builder = _Builder(dimension)
    met: dict[tuple[int, tuple[int, ...]], int] = {}

    def section(axis: int, active: tuple[int, ...]) -> int:
        if axis == dimension:
            return 0
        key = (axis, active)
        if key not in met:
            met[key] = builder.add(axis, slabs(axis, active))
        return met[key]

    def slabs(axis: int, active: tuple[int, ...]) -> list[Slab]:
        if axis + 1 == dimension:
            return _joined(sorted({boxes[box][axis] for box in active}))
        changes: dict[int, list[int]] = {}
        for box in active:
            for rank in boxes[box][axis]:
                changes.setdefault(rank, []).append(box)
        current: set[int] = set()
        slabs_here: list[Slab] = []
        before = 0
        for rank in sorted(changes):
            if current:
                slabs_here.append((before, rank, section(axis + 1, tuple(sorted(current)))))
            current.symmetric_difference_update(changes[rank])
            before = rank
        return slabs_here

    root = section(0, tuple(range(len(boxes)))) if boxes else ABSENT
    return builder.finish(root)


def _joined(stretches: Sequence[tuple[int, int]]) -> list[Slab]:
    """The union of stretches sorted by their start."""
    joined: list[Slab] = []
    for start, stop in stretches:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], stop), 0)
        else:
            joined.append((start, stop, 0))
    return joined


def combined(a: Layers, b: Layers, keep: Callable[[bool, bool], bool]) -> Layers:
    """The points that `keep` wants, given whether they lie in each of two sets (never where in neither)."""
    dimension = len(a)
    builder = _Builder(dimension)
    met: dict[tuple[int, int, int], int] = {}

    def section(axis: int, i: int, j: int) -> int:
        if axis == dimension:
            return 0 if keep(i != ABSENT, j != ABSENT) else ABSENT
        if (i == ABSENT and not keep(False, True)) or (j == ABSENT and not keep(True, False)):
            return ABSENT
        key = (axis, i, j)
        if key not in met:
            left = a[axis][i] if i != ABSENT else ()
            right = b[axis][j] if j != ABSENT else ()
            met[key] = builder.add(
                axis,
                [(start, stop, section(axis + 1, u, v)) for start, stop, u, v in _overlay(left, right)],
            )
        return met[key]

    return builder.finish(section(0, 0 if a[0] else ABSENT, 0 if b[0] else ABSENT))


def _overlay(left: Node, right: Node) -> Iterator[tuple[int, int, int, int]]:
    """The stretches over which two nodes both keep still, with their sections."""
    ranks = sorted({rank for node in (left, right) for slab in node for rank in slab[:2]})
    i = j = 0
    for start, stop in pairwise(ranks):
        while i < len(left) and left[i][1] <= start:
            i += 1
        while j < len(right) and right[j][1] <= start:
            j += 1
        u = left[i][2] if i < len(left) and left[i][0] <= start else ABSENT
        v = right[j][2] if j < len(right) and right[j][0] <= start else ABSENT
        if u != ABSENT or v != ABSENT:
            yield start, stop, u, v


def below(layers: Layers, depth: int, node: int) -> Layers:
    """The set with `depth` axes less that a node of that layer stands for."""
    return _numbered(layers[depth:], node)


def paths(layers: Layers, depth: int) -> Iterator[tuple[RankBox, int]]:
    """The disjoint boxes in the first `depth` axes, each with the number of its section below."""
    stack: list[tuple[RankBox, int]] = [((), 0)] if layers[0] else []
    while stack:
        box, node = stack.pop()
        if len(box) == depth:
            yield box, node
            continue
        for start, stop, child in reversed(layers[len(box)][node]):
            stack.append(((*box, (start, stop)), child))


def relabelled(layers: Layers, ranks: Sequence[Mapping[int, int]]) -> Layers:
    """The same diagram over other lists of cuts, in which the old cuts keep their order."""
    return tuple(
        tuple(tuple((new[start], new[stop], child) for start, stop, child in node) for node in nodes)
        for nodes, new in zip(layers, ranks, strict=True)
    )


def used_ranks(layers: Layers) -> list[list[int]]:
    """The ranks that occur on each axis, ascending."""
    return [sorted({rank for node in nodes for slab in node for rank in slab[:2]}) for nodes in layers]
