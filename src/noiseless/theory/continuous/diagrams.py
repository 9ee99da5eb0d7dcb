"""Unions of boxes as layered diagrams of slabs: the machinery below `BoxSet`.

Along the first axis a set is cut into slabs in which its section does not change; each section is a set with
one axis less, and sections that occur twice are stored once. Coordinates are ranks (positions in a list of
cuts), so everything here is integers. Two sets over the same cuts are equal exactly when their diagrams are.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

Slab = tuple[int, int, int]
"""Where a slab begins, where it ends, and the number of its section in the next layer."""

Node = tuple[Slab, ...]
Layers = tuple[tuple[Node, ...], ...]
"""The nodes of each axis; the set is node 0 of the first layer, and empty when that layer is."""

_Passing = tuple[tuple[int, int], ...]
"""The numbers of the sets that pass somewhere, each with its node there."""

RankBox = tuple[tuple[int, int], ...]
"""A box: where it begins and ends on each axis."""

ABSENT = -1
"""The number of the empty section. Below the last axis there is section 0 only: the whole."""


def _joined(slabs: Iterable[Slab]) -> Node:
    """Slabs in ascending order without those that are empty, touching ones with one section made one."""
    joined: list[Slab] = []
    for slab in slabs:
        if slab[2] == ABSENT:
            continue
        if joined and joined[-1][1:] == (slab[0], slab[2]):
            joined[-1] = (joined[-1][0], slab[1], slab[2])
        else:
            joined.append(slab)
    return tuple(joined)


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
    if not boxes:
        return ((),) * dimension
    if len(boxes) <= _FEW:
        sets: list[Layers] = [tuple((((start, stop, 0),),) for start, stop in box) for box in boxes]
    else:
        half = len(boxes) // 2
        sets = [union_of(boxes[:half], dimension), union_of(boxes[half:], dimension)]
    return combined(sets, lambda _: True)


def combined(sets: Sequence[Layers], keep: Callable[[Sequence[int]], bool]) -> Layers:
    """The points that `keep` wants, given the numbers of the sets in which they lie (never where in none).

    A sweep along each axis in turn: a section depends on nothing but the nodes that pass there, so that equal
    ones are computed once.
    """
    dimension = len(sets[0])
    nodes: list[dict[Node, int]] = [{} for _ in range(dimension)]  # of each layer, equal ones once
    met: dict[tuple[int, _Passing], int] = {}

    def section(axis: int, passing: _Passing) -> int:
        if axis == dimension:
            return 0 if keep([place for place, _ in passing]) else ABSENT
        key = (axis, passing)
        if key not in met:
            node = _joined(slabs(axis, passing))
            met[key] = nodes[axis].setdefault(node, len(nodes[axis])) if node else ABSENT
        return met[key]

    def slabs(axis: int, passing: _Passing) -> Iterator[Slab]:
        begin: dict[int, list[tuple[int, int]]] = {}
        end: dict[int, list[tuple[int, int]]] = {}
        for place, node in passing:
            for start, stop, child in sets[place][axis][node]:
                begin.setdefault(start, []).append((place, child))
                end.setdefault(stop, []).append((place, child))
        current: set[tuple[int, int]] = set()
        before = 0
        for rank in sorted({*begin, *end}):
            if current:
                yield before, rank, section(axis + 1, tuple(sorted(current)))
            current.difference_update(end.get(rank, ()))
            current.update(begin.get(rank, ()))
            before = rank

    passing = tuple((place, 0) for place, layers in enumerate(sets) if layers[0])
    root = section(0, passing) if passing else ABSENT
    return _numbered([list(known) for known in nodes], root)


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
