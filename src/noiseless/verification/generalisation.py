"""What a released text stands for: a node of a hierarchy, a set of categories, an interval."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

_PART = re.compile(r'(?:"((?:[^"]|"")*)"|((?!")[^|]*))(\||\Z)')


@dataclass(frozen=True, eq=False)
class GeneralisationTree:
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
        cls, ancestors: Mapping[str, Sequence[str]], values: Collection[str | None], cost: str
    ) -> "GeneralisationTree | None":
        """From what is above each value; None when a value that occurs is not there.

        A missing value is a top of its own. Where there are several tops, `*` stands above them all.

        >>> tree = GeneralisationTree.grow({"a": ["x", "top"], "b": ["top"]}, ["a"], "height")
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

    def cost(self, name: str | None, values: Collection[str | None]) -> int | None:
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


def read_set(text: str) -> frozenset[str | None] | None:
    """The set that a text like `a|b` writes; None when it writes none.

    Parts stand between bars; one that holds a bar, begins with a quote, or is empty, stands in quotes with
    quotes inside doubled. An empty part without quotes is a missing value.

    >>> read_set('a|"b|c"|') == {"a", "b|c", None}
    True
    >>> read_set("a|a") is None, read_set('"a') is None, read_set('"a"b') is None
    (True, True, True)
    """
    parts: list[str | None] = []
    at = 0
    while True:
        part = _PART.match(text, at)
        if part is None:
            return None
        parts.append(part[2] or None if part[1] is None else part[1].replace('""', '"'))
        at = part.end()
        if not part[3]:
            return frozenset(parts) if len(set(parts)) == len(parts) else None


def interval_text(low: str, high: str) -> str:
    """How an interval of two numbers is written.

    >>> interval_text("35", "39"), interval_text("-3", "5"), interval_text("7", "7")
    ('35-39', '-3 to 5', '7')
    """
    if low == high:
        return low
    return f"{low}-{high}" if low.isdecimal() and high.isdecimal() else f"{low} to {high}"
