"""The public columns by kind, hierarchies among them: whether what is released covers its cell, and how far it is from the members."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from noiseless.arrays import IntArray
from noiseless.verification.partition import ColumnLayout
from noiseless.verification.quantities import day_number, is_day, is_number


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
        cls, ancestors: Mapping[str, Sequence[str]], values: Sequence[str | None], cost: str
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
        if text.startswith('"', at):
            part, at = _quoted(text, at + 1)
            if part is None:
                return None
            parts.append(part)
        else:
            end = text.find("|", at)
            end = len(text) if end < 0 else end
            parts.append(text[at:end] or None)
            at = end
        if at == len(text):
            return frozenset(parts) if len(set(parts)) == len(parts) else None
        if text[at] != "|":
            return None
        at += 1


def _quoted(text: str, at: int) -> tuple[str | None, int]:
    """A part in quotes that begins at some place, and where it ends."""
    found = []
    while (end := text.find('"', at)) >= 0:
        found.append(text[at:end])
        if not text.startswith('"', end + 1):
            return '"'.join(found), end + 1
        at = end + 2
    return None, at


def interval_text(low: str, high: str) -> str:
    """How an interval of two numbers is written.

    >>> interval_text("35", "39"), interval_text("-3", "5"), interval_text("7", "7")
    ('35-39', '-3 to 5', '7')
    """
    if low == high:
        return low
    return f"{low}-{high}" if low.isdecimal() and high.isdecimal() else f"{low} to {high}"


Exact = npt.NDArray[Any]
"""Whole numbers: of 64 bits where that is enough, Python's own otherwise."""

_ROOM = 2**60


class CheckedColumn(Protocol):
    """A public column over the cells that are not suppressed."""

    def uncovered(self) -> int:
        """How many cells are released as something that does not cover their members."""

    def medoids(self) -> tuple[str | None, ...]:
        """The value that is released for each cell, where one of its members' is."""

    def differences(self) -> tuple[Exact, Fraction]:
        """How far each member is from what is released for it: whole numbers, and what one of them is."""

    def differing(self) -> IntArray:
        """For each member 1 if it counts as different from what is released for it, else 0."""


@dataclass(frozen=True, eq=False)
class LineColumn:
    """A column of numbers, each the decimal that its text says, or of days.

    What is neither (a missing value, a text) is merged only with its like, and released as it is.
    """

    layout: ColumnLayout
    codeword: str
    days: bool

    def _plain(self, texts: Sequence[str | None]) -> list[str | None]:
        """The numbers or days among some texts; None for all else."""
        is_plain = is_day if self.days else is_number
        return [text if text is not None and is_plain(text) else None for text in texts]

    @cached_property
    def _known(self) -> list[str | None]:
        return self._plain(self.layout.texts)

    @cached_property
    def _read(self) -> list[str | None]:
        return self._plain(self.layout.released)

    @cached_property
    def _places(self) -> int:
        """How many decimals are needed."""
        return max(
            (len(text) - text.rfind(".") - 1 for text in (*self._known, *self._read) if text and "." in text),
            default=0,
        )

    def _scaled(self, texts: Sequence[str | None]) -> Exact:
        """Days, or numbers as whole multiples of the last decimal place; what is neither counts as 0."""
        if self.days:
            found = [0 if text is None else day_number(text) for text in texts]
        elif self._places:
            parts = [("0" if text is None else text).partition(".") for text in texts]
            found = [int(whole + tail.ljust(self._places, "0")) for whole, _, tail in parts]
        else:
            found = [0 if text is None else int(text) for text in texts]
        small = -_ROOM < min(found, default=0) <= max(found, default=0) < _ROOM
        return np.array(found, np.int64 if small else object)

    @cached_property
    def _numbers(self) -> Exact:
        return self._scaled(self._known)

    @cached_property
    def _values(self) -> Exact:
        return self._numbers[self.layout.codes]

    @cached_property
    def _words(self) -> Exact:
        return self._scaled(self._read)

    @cached_property
    def _ends(self) -> tuple[Exact, Exact]:
        starts = self.layout.starts
        return np.minimum.reduceat(self._values, starts), np.maximum.reduceat(self._values, starts)

    @cached_property
    def _with_odd(self) -> npt.NDArray[np.bool_]:
        """The cells in which something is neither a number nor a day."""
        odd = np.array([text is None for text in self._known], bool)
        return np.logical_or.reduceat(odd[self.layout.codes], self.layout.starts)

    def within(self, span: tuple[Fraction, Fraction]) -> bool:
        """Whether all numbers or days lie in a declared range."""
        numbers = self._numbers[[text is not None for text in self._known]]
        below = 10**self._places
        return not len(numbers) or (
            span[0] <= Fraction(int(numbers.min()), below) and Fraction(int(numbers.max()), below) <= span[1]
        )

    def uncovered(self) -> int:
        """How many cells are released as something that does not cover their members."""
        low, high = self._ends
        inside, odd = (low <= self._words) & (self._words <= high), self._with_odd
        first = self.layout.codes[self.layout.starts]
        alike = self.layout.constant
        interval = self._intervals() if self.codeword == "interval" else None
        bad = 0
        for cell, word in enumerate(self.layout.released):
            if odd[cell]:
                bad += not (alike[cell] and word == self.layout.texts[first[cell]])
            elif interval is not None:
                bad += word != interval[cell]
            else:
                bad += not (self._read[cell] is not None and inside[cell])
        return bad

    def _intervals(self) -> list[str]:
        """How the interval of each cell reads."""
        texts = dict(zip(self._numbers.tolist(), self._known, strict=True))
        texts |= {
            number: text for number, text in zip(self._numbers.tolist(), self._known, strict=True) if text
        }
        low, high = (end.tolist() for end in self._ends)
        return [interval_text(texts[a] or "", texts[b] or "") for a, b in zip(low, high, strict=True)]

    def medoids(self) -> tuple[str | None, ...]:
        """The value that is released for each cell."""
        return self.layout.released

    def differences(self) -> tuple[Exact, Fraction]:
        """Distances to what is released; of an interval, from its middle to its ends."""
        unit = Fraction(1, 10**self._places)
        if self.codeword == "interval":
            low, high = self._ends
            return self.layout.spread(np.where(self._with_odd, 0, high - low)), unit / 2
        gaps = abs(self._values - self.layout.spread(self._words))
        return np.where(self.layout.spread(self._with_odd), 0, gaps), unit

    def differing(self) -> IntArray:
        """Whether a member differs from the medoid, or its cell has several values."""
        return self.layout.differing(self.medoids() if self.codeword == "medoid" else None)


@dataclass(frozen=True, eq=False)
class NominalColumn:
    """A column of categories: two are equal or they are not."""

    layout: ColumnLayout
    codeword: str

    def uncovered(self) -> int:
        """How many cells are not released as exactly the set of their members' categories."""
        if self.codeword == "medoid":  # then the whole tuple is a member's
            return 0
        bad = 0
        for cell, word in enumerate(self.layout.released):
            values = self.layout.values_of(cell)
            if word is None or values == {None}:
                bad += not (word is None and values == {None})
            else:
                bad += values != {word} and read_set(word) != values
        return bad

    def medoids(self) -> tuple[str | None, ...]:
        """The category that is released for each cell, without the quotes it may stand in."""
        found = []
        for cell, word in enumerate(self.layout.released):
            values = self.layout.values_of(cell)
            meant = None if word is None or word in values else read_set(word)
            found.append(next(iter(meant)) if meant is not None and len(meant) == 1 else word)
        return tuple(found)

    def differences(self) -> tuple[Exact, Fraction]:
        """0 or 1."""
        return self.differing(), Fraction(1)

    def differing(self) -> IntArray:
        """Whether a member differs from the medoid, or its cell has several values."""
        return self.layout.differing(self.medoids() if self.codeword == "medoid" else None)


@dataclass(frozen=True, eq=False)
class HierarchyColumn:
    """A column of categories that are released as a node above them."""

    layout: ColumnLayout
    codeword: str
    tree: GeneralisationTree | None

    @cached_property
    def _node_costs(self) -> list[int | None]:
        if self.tree is None:
            return [None] * len(self.layout)
        tree = self.tree
        return [
            tree.cost(word, tuple(self.layout.values_of(cell)))
            for cell, word in enumerate(self.layout.released)
        ]

    def uncovered(self) -> int:
        """How many cells are released as a node that is not above all members."""
        if self.tree is None:
            return len(self.layout)
        return 0 if self.codeword == "medoid" else sum(cost is None for cost in self._node_costs)

    def medoids(self) -> tuple[str | None, ...]:
        """The value that is released for each cell."""
        return self.layout.released

    def differences(self) -> tuple[Exact, Fraction]:
        """What the released node costs; with a medoid, the lowest node above it and the member."""
        if self.codeword != "medoid":
            return self.layout.spread(np.array(self._node_costs, np.int64)), Fraction(1)
        tree, texts, known = self.tree, self.layout.texts, dict[tuple[int, str | None], int]()
        assert tree is not None  # noqa: S101 - otherwise no cell is covered
        costs = []
        for code, cell in zip(self.layout.codes.tolist(), self.layout.cell_at.tolist(), strict=True):
            word = self.layout.released[cell]
            if (code, word) not in known:
                known[code, word] = tree.between(texts[code], word)
            costs.append(known[code, word])
        return np.array(costs, np.int64), Fraction(1)

    def differing(self) -> IntArray:
        """Whether a member differs from the medoid, or its cell has several values."""
        return self.layout.differing(self.medoids() if self.codeword == "medoid" else None)
