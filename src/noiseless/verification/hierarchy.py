"""A generalisation hierarchy as a certificate states it: nodes, what each costs, and who is above whom."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Tree:
    """The tree of a column. A node is its name and all that is above it, so that it is always a tree.

    Attributes:
        paths: for each value its nodes, from its own up to the top; nodes are numbered, parents first.
        names: what each node is called.
        costs: what each node costs: its height, or how many other leaves it could stand for.
    """

    paths: Mapping[str | None, tuple[int, ...]]
    names: tuple[str | None, ...]
    costs: tuple[int, ...]

    @classmethod
    def grow(
        cls, ancestors: Mapping[str, Sequence[str]], values: Sequence[str | None], cost: str
    ) -> "Tree | None":
        """From what is above each value; None when a value that occurs is not there.

        A missing value is a top of its own. Where there are several tops, `*` stands above them all.

        >>> tree = Tree.grow({"a": ["x", "top"], "b": ["top"]}, ["a"], "height")
        >>> tree.cost("x", ["a"]), tree.cost("top", ["a", "b"]), tree.cost("x", ["a", "b"])
        (1, 2, None)
        """
        lines: dict[str | None, tuple[str | None, ...]]
        lines = {value: (value, *above) for value, above in ancestors.items()}
        if not all(value is None or value in lines for value in values):
            return None
        if None in values:
            lines[None] = (None,)
        if len({line[-1] for line in lines.values()}) > 1:
            lines = {value: (*line, "*") for value, line in lines.items()}
        nodes: dict[tuple[int, str | None], int] = {}
        paths = {value: _climb(line, nodes) for value, line in lines.items()}
        return cls(paths, tuple(name for _, name in nodes), _costs(list(nodes), cost))

    @property
    def largest_cost(self) -> int:
        """What the costliest node costs."""
        return max(self.costs)

    def cost(self, name: str | None, values: Sequence[str | None]) -> int | None:
        """What it costs to release some values as the node of a name; None where it is not above them all.

        It is the lowest node of that name above all values; where each value has another node of that name
        above it, the costliest of their lowest ones.
        """
        named = [[node for node in self.paths[value] if self.names[node] == name] for value in values]
        if not all(named):
            return None
        common = set(named[0]).intersection(*named[1:])
        if common:
            return self.costs[max(common)]  # of the nodes on one path the lowest has the highest number
        return max(self.costs[nodes[0]] for nodes in named)

    def between(self, one: str | None, other: str | None) -> int:
        """What the lowest node above two values costs."""
        above = set(self.paths[other])
        return next(self.costs[node] for node in self.paths[one] if node in above)


def _climb(line: Sequence[str | None], nodes: dict[tuple[int, str | None], int]) -> tuple[int, ...]:
    """The nodes of a line of names, from the value up; new ones are added."""
    path, parent = [], -1
    for name in reversed(line):
        parent = nodes.setdefault((parent, name), len(nodes))
        path.append(parent)
    return tuple(reversed(path))


def _costs(nodes: Sequence[tuple[int, str | None]], cost: str) -> tuple[int, ...]:
    """What each node costs; a leaf, which is above no other node, costs nothing."""
    heights, leaves = [0] * len(nodes), [0] * len(nodes)
    for node in range(len(nodes) - 1, -1, -1):  # children come after their parents
        leaves[node] = leaves[node] or 1
        parent = nodes[node][0]
        if parent >= 0:
            heights[parent] = max(heights[parent], heights[node] + 1)
            leaves[parent] += leaves[node]
    return tuple(heights) if cost == "height" else tuple(count - 1 for count in leaves)
