"""Filters: which rows a question is about; sets of a declared column's values, as runs of their numbers.

Filters that let the same values pass have the same normal form. A filter over declared columns is a function
of finitely many numbers. It is built as a decision diagram, a column at a time, public columns first: two
filters are alike exactly when their diagrams are. Runs of numbers with the same outcome stay together, so
that a domain may have any size.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import chain, pairwise, starmap
from typing import TYPE_CHECKING

from noiseless.domain import Schema
from noiseless.errors import RequestError
from noiseless.questions.row_expression import RowExpression

if TYPE_CHECKING:
    from noiseless.questions.derived import Domain

_MOST_NODES = 20_000
"""A filter that needs more is refused: no person writes one."""

_MOST_STEPS = 100_000
"""This many pairs of nodes are combined at most."""

_FAILS, _PASSES = 0, 1
"""The ends of every diagram."""

Runs = tuple[tuple[int, int], ...]
"""Half-open runs of numbers, ascending, that neither touch nor overlap."""


def as_runs(numbers: Iterable[int]) -> Runs:
    """Numbers in any order as runs.

    >>> as_runs([5, 1, 2, 3])
    ((1, 4), (5, 6))
    """
    found: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if found and found[-1][1] == number:
            found[-1] = (found[-1][0], number + 1)
        else:
            found.append((number, number + 1))
    return tuple(found)


def numbers_of(runs: Iterable[Sequence[int]]) -> frozenset[int]:
    """The numbers in runs, one by one."""
    return frozenset(chain.from_iterable(starmap(range, runs)))


def between(first: int, after: int, size: int) -> Runs:
    """The numbers of a domain from `first` on, before `after`."""
    first, after = max(first, 0), min(after, size)
    return ((first, after),) if first < after else ()


def outside(runs: Runs, size: int) -> Runs:
    """All other numbers of a domain.

    >>> outside(((1, 3),), 5)
    ((0, 1), (3, 5))
    """
    ends = [0, *(end for run in runs for end in run), size]
    return tuple((start, stop) for start, stop in zip(ends[::2], ends[1::2], strict=True) if start < stop)


def with_number(runs: Runs, number: int) -> Runs:
    """The runs with one more number.

    >>> with_number(((1, 3), (4, 6)), 3), with_number(((1, 3),), 2)
    (((1, 6),), ((1, 3),))
    """
    found: list[tuple[int, int]] = []
    for start, stop in sorted((*runs, (number, number + 1))):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(stop, found[-1][1]))
        else:
            found.append((start, stop))
    return tuple(found)


class Filter:
    """A condition on a row, which holds or does not."""

    @property
    def columns(self) -> frozenset[str]:
        """The columns it looks at."""
        return frozenset()


@dataclass(frozen=True)
class Everything(Filter):
    """The filter that holds for every row."""


@dataclass(frozen=True)
class Among(Filter):
    """A declared column's value is one of some: what every filter on one column comes to.

    Attributes:
        column: its name.
        runs: the numbers of the values that pass.
        domain: the column, which numbers values; one name stands for one column wherever filters meet.
    """

    column: str
    runs: Runs
    domain: "Domain" = field(repr=False, compare=False)

    @property
    def columns(self) -> frozenset[str]:
        """The one."""
        return frozenset({self.column})


@dataclass(frozen=True)
class _Junction(Filter):
    parts: tuple[Filter, ...]

    @property
    def columns(self) -> frozenset[str]:
        """Those of all parts."""
        return frozenset().union(*[part.columns for part in self.parts])


class AllOf(_Junction):
    """Every part holds."""


class AnyOf(_Junction):
    """At least one part holds."""


NOBODY = AnyOf(())
"""The filter that no row passes."""


@dataclass(frozen=True)
class Not(Filter):
    """The part does not hold."""

    part: Filter

    @property
    def columns(self) -> frozenset[str]:
        """Those of the part."""
        return self.part.columns


def joined(parts: Iterable[Filter]) -> Filter:
    """Filters joined by "and", in one level."""
    kept = [part for part in parts if not isinstance(part, Everything)]
    if not kept:
        return Everything()
    if len(kept) == 1:
        return kept[0]
    return AllOf(tuple(one for part in kept for one in (part.parts if isinstance(part, AllOf) else (part,))))


def parted(whole: Filter) -> tuple[Filter, Filter | None]:
    """A filter in its normal form as the parts on public columns, and all others; None if there are none."""
    parts = whole.parts if isinstance(whole, AllOf) else (whole,)
    hidden = [part for part in parts if any(each.role == "private" for each in domains_of(part).values())]
    return joined([part for part in parts if part not in hidden]), joined(hidden) if hidden else None


def domains_of(whole: Filter) -> "dict[str, Domain]":
    """What the columns in a filter may hold."""
    found, open_parts = dict[str, "Domain"](), [whole]
    while open_parts:
        part = open_parts.pop()
        if isinstance(part, Among):
            found[part.column] = part.domain
        elif isinstance(part, _Junction):
            open_parts += part.parts
        elif isinstance(part, Not):
            open_parts.append(part.part)
    return found


def expression_of(where: Filter) -> RowExpression:
    """A filter as an expression of the row."""
    match where:
        case Everything():
            return RowExpression("constant", (), value=True)
        case Among():
            return RowExpression("among", (RowExpression("column", (), where.column),), where.runs)
        case Not():
            return RowExpression("not", (expression_of(where.part),))
        case AllOf() | AnyOf():
            parts = tuple(expression_of(part) for part in where.parts)
            return RowExpression("and" if isinstance(where, AllOf) else "or", parts)
    raise TypeError(f"no expression for {type(where).__name__}")


def run_count(where: Filter) -> int:
    """How many runs of values a filter in its normal form lists."""
    if isinstance(where, Among):
        return len(where.runs)
    return sum(map(run_count, where.parts)) if isinstance(where, AllOf | AnyOf) else 0


def kind_of(value: object) -> str:
    """Values of one kind can be compared."""
    if isinstance(value, bool):
        return "truth values"
    if isinstance(value, int | Decimal | Fraction):
        return "numbers"
    if value is None:
        return "nothing"
    return "dates" if isinstance(value, date) else "texts"


def normal(whole: Filter, schema: Schema) -> Filter:
    """The normal form of a filter: public parts, then the private one, joined by "and" where possible.

    >>> schema = Schema.parse('columns.age = {role = "private", bounds = [0, 120]}')
    >>> young = Among("age", ((6, 18),), schema.columns["age"])
    >>> normal(young, schema) == normal(Not(Not(AnyOf((young, young)))), schema)
    True
    >>> normal(AnyOf((young, Not(young))), schema)
    Everything()

    Raises:
        RequestError: it is too long to be understood.
    """
    domains = domains_of(whole)
    places = {name: place for place, name in enumerate(schema.columns)}
    order = sorted(domains, key=lambda n: (domains[n].role == "private", places.get(n, len(places)), n))
    diagram = _Diagram(domains, order)
    node = diagram.read(whole)
    first_private = sum(domains[name].role == "public" for name in order)
    hidden = diagram.ends(node, first_private)
    if len(hidden) != 1:  # nobody passes, or different public groups have different private filters
        return diagram.written(node)
    (inner,) = hidden
    public = diagram.written(diagram.cut(node, first_private))
    return joined([public, diagram.written(inner)])


class _Diagram:
    """Nodes (level, starts, children): from each start on, up to the next, the outcome is the child's."""

    def __init__(self, domains: "Mapping[str, Domain]", order: list[str]) -> None:
        self.domains = domains
        self.order = order
        self.nodes: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = [(len(order), (), ())] * 2
        self.known: dict[tuple[int, tuple[int, ...], tuple[int, ...]], int] = {}
        self.combined: dict[tuple[int, int, bool], int] = {}
        self.parts = 0

    def read(self, whole: Filter) -> int:
        """The node of a filter."""
        match whole:
            case Everything():
                return _PASSES
            case Among():
                return self._leaf(whole.column, whole.runs)
            case Not():
                return self._negated(self.read(whole.part), {_FAILS: _PASSES, _PASSES: _FAILS})
            case AllOf():
                return self._all([self.read(part) for part in whole.parts], together=True)
            case AnyOf():
                return self._all([self.read(part) for part in whole.parts], together=False)
        raise TypeError(f"no normal form for {type(whole).__name__}")

    def _leaf(self, name: str, runs: Runs) -> int:
        size = self.domains[name].size
        outcomes = {0: _FAILS}
        for start, stop in runs:
            outcomes |= {start: _PASSES} | ({stop: _FAILS} if stop < size else {})
        return self._node(self.order.index(name), outcomes)

    def _node(self, level: int, outcomes: Mapping[int, int]) -> int:
        """A node from its outcomes by ascending start; equal neighbours are one, one outcome is no choice."""
        starts = list(outcomes)
        kept = [0, *(b for a, b in pairwise(starts) if outcomes[a] != outcomes[b])]
        if len(kept) == 1:
            return outcomes[0]
        key = (level, tuple(kept), tuple(outcomes[start] for start in kept))
        if key not in self.known:
            if len(self.nodes) > _MOST_NODES:
                raise RequestError("the filter is too long; ask several questions with shorter ones")
            self.known[key] = len(self.nodes)
            self.nodes.append(key)
        return self.known[key]

    def _all(self, nodes: list[int], *, together: bool) -> int:
        """All or any of some nodes, in pairs of about equal size."""
        if not nodes:
            return _PASSES if together else _FAILS
        while len(nodes) > 1:
            pairs = zip(nodes[::2], nodes[1::2], strict=False)
            nodes = [self._both(a, b, together=together) for a, b in pairs] + nodes[len(nodes) & ~1 :]
        return nodes[0]

    def _both(self, one: int, two: int, *, together: bool) -> int:
        stops, neutral = (_FAILS, _PASSES) if together else (_PASSES, _FAILS)
        if stops in (one, two):
            return stops
        if two in (one, neutral):
            return one
        if one == neutral:
            return two
        key = (min(one, two), max(one, two), together)
        if key not in self.combined:
            if len(self.combined) > _MOST_STEPS:
                raise RequestError("the filter is too long; ask several questions with shorter ones")
            level = min(self.nodes[one][0], self.nodes[two][0])
            outcomes = self._merged(level, one, two, lambda a, b: self._both(a, b, together=together))
            self.combined[key] = self._node(level, outcomes)
        return self.combined[key]

    def _merged(self, level: int, one: int, two: int, combine: Callable[[int, int], int]) -> dict[int, int]:
        """The outcomes of two nodes, combined over the common refinement of their runs."""
        tables = [dict(self._outcomes(level, node)) for node in (one, two)]
        found, current = {}, [tables[0][0], tables[1][0]]
        for start in sorted(tables[0].keys() | tables[1].keys()):
            current = [table.get(start, before) for table, before in zip(tables, current, strict=True)]
            found[start] = combine(*current)
        return found

    def _outcomes(self, level: int, node: int) -> Iterable[tuple[int, int]]:
        own, starts, children = self.nodes[node]
        return zip(starts, children, strict=True) if own == level else [(0, node)]

    def _negated(self, node: int, done: dict[int, int]) -> int:
        if node not in done:
            level, starts, children = self.nodes[node]
            turned = (self._negated(child, done) for child in children)
            done[node] = self._node(level, dict(zip(starts, turned, strict=True)))
        return done[node]

    def ends(self, node: int, level: int) -> set[int]:
        """The nodes at or beyond a level that a node leads to, without the one where nobody passes."""
        found, seen, open_nodes = set(), {node}, [node]
        while open_nodes:
            current = open_nodes.pop()
            if self.nodes[current][0] >= level:
                found.add(current)
                continue
            fresh = set(self.nodes[current][2]) - seen
            seen |= fresh
            open_nodes += fresh
        return found - {_FAILS}

    def cut(self, node: int, level: int, done: dict[int, int] | None = None) -> int:
        """The node with everybody passing who comes to a level."""
        done = {_FAILS: _FAILS} if done is None else done
        if node not in done:
            own, starts, children = self.nodes[node]
            kept = (self.cut(child, level, done) for child in children)
            done[node] = _PASSES if own >= level else self._node(own, dict(zip(starts, kept, strict=True)))
        return done[node]

    def written(self, node: int) -> Filter:
        """The filter of a node: for each outcome the values that lead to it, and then its own filter."""
        if node in (_FAILS, _PASSES):
            return Everything() if node == _PASSES else NOBODY
        level, starts, children = self.nodes[node]
        name = self.order[level]
        column = self.domains[name]
        runs: dict[int, list[tuple[int, int]]] = {}
        for (start, stop), child in zip(pairwise((*starts, column.size)), children, strict=True):
            runs.setdefault(child, []).append((start, stop))
        runs.pop(_FAILS, None)
        self.parts += len(runs)
        if self.parts > _MOST_NODES:
            raise RequestError("the filter is too long; ask several questions with shorter ones")
        parts = [
            joined([Among(name, tuple(own), column), self.written(child)]) for child, own in runs.items()
        ]
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))
