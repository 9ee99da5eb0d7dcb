"""Numbers that add up over people and values, and how they follow from questions that were charged for."""

import hashlib
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

from noiseless.curator.disclosure import (
    CellDisclosure,
    CountsDisclosure,
    Disclosure,
    Participants,
    StoredAnswer,
    SumPremise,
    weight_of,
)
from noiseless.curator.fingerprints import fingerprint, read_partition
from noiseless.ledger import ChargedQuestion
from noiseless.pricing.partition import DomainPartition, Predicate
from noiseless.questions import Additive
from noiseless.questions.additive import RowTotal
from noiseless.work import spend

Lookup = Callable[[Sequence[str]], list[ChargedQuestion]]
"""Finds the questions that were charged for, by their keys."""

_EXACT = ["stepped", 1]
"""The cells of a sum that is told exactly."""
_MOST_BEGINS = 4096
"""Whether each of this many cells of their own widths holds one sum is looked at."""
_MOST_NODES = 64
"""This many ends of runs are gone through from one to the next, for one group of people."""
_MOST_REMEMBERED = 2**12
"""This many keys are remembered."""
_WEIGHT_STEPS = 4
"""What it takes to list a number of a sum."""


@dataclass(frozen=True)
class Derivation:
    """How an answer follows.

    Attributes:
        premises: the questions it follows from.
        compute: the answer, given theirs.
    """

    premises: tuple[ChargedQuestion, ...]
    compute: Callable[[], StoredAnswer] = field(compare=False, repr=False)

    @property
    def answer(self) -> StoredAnswer | None:
        """The answer; None where one of theirs was never stored."""
        return None if any(told.answer is None for told in self.premises) else self.compute()


class _Edge(NamedTuple):
    """Counted rows with values from one number on, up to before another."""

    told: ChargedQuestion
    labels: frozenset[int]
    low: int
    high: int

    @property
    def rows(self) -> int:
        return 0 if self.told.answer is None else sum(self.told.answer["counts"][n] for n in self.labels)


class _Count(NamedTuple):
    """A number of rows: a constant and counts, added or taken off."""

    constant: int
    edges: tuple[tuple[int, _Edge], ...]

    def plus(self, other: "_Count", sign: int = 1) -> "_Count":
        edges = tuple((sign * times, edge) for times, edge in other.edges)
        return _Count(self.constant + sign * other.constant, self.edges + edges)

    @property
    def value(self) -> int:
        return self.constant + sum(times * edge.rows for times, edge in self.edges)


_NOTHING = _Count(0, ())


def ends(partition: DomainPartition) -> tuple[int, int] | None:
    """Where the one run of a condition begins and ends; None if it has several.

    >>> ends(DomainPartition.intervals("x", 9, [3])), ends(DomainPartition.of("x", "aabba"))
    ((3, 9), (2, 4))
    """
    if partition.labels == (0, 1):
        return partition.starts[1], partition.size
    return partition.starts[1:] if partition.labels == (0, 1, 0) else None  # type: ignore[return-value]  # two


def keys_of(disclosure: Disclosure) -> tuple[str | None, str | None]:
    """The two keys that a question which is charged for is found by, beside its own."""
    if not isinstance(disclosure, CountsDisclosure) or disclosure.around is None:
        return disclosure.grid, disclosure.findable
    found = ends(disclosure.partition)
    if found is None:
        return disclosure.grid, disclosure.findable
    low, high = found
    upper = _node(disclosure.around, high) if high < disclosure.partition.size else None
    return _node(disclosure.around, low), disclosure.findable or upper


@lru_cache(_MOST_REMEMBERED)
def _grid(version: int, what: tuple[object, ...], name: str) -> str:
    """The same people are looked at again and again: everybody, above all."""
    return fingerprint([version, what, name])


@lru_cache(_MOST_REMEMBERED)
def _around(version: int, column: str, name: str) -> str:
    return fingerprint([version, "counts", column, name])


def _node(around: str, number: int) -> str:
    return hashlib.sha256(f"{around}:{number}".encode()).hexdigest()


def claims_of(disclosure: Disclosure) -> Iterator["Claim"]:
    """Numbers that the answer can be computed of; of a mean a count and a sum."""
    claim = claim_of(disclosure)
    if claim is not None:
        yield claim
    elif isinstance(disclosure, CellDisclosure) and disclosure.summed is not None:
        yield from of_mean(disclosure, disclosure.summed)


def of_mean(disclosure: CellDisclosure, summed: SumPremise) -> "tuple[CountsClaim, SumClaim]":
    """The count and the sum over the filter of a mean."""
    people, version, passing = disclosure.people, disclosure.version, summed.passing
    condition = Predicate.of_runs(passing.column, passing.domain.size, passing.runs)
    (chosen,) = condition.chosen
    return CountsClaim(people, version, condition.partition, chosen), SumClaim(
        people, version, summed.what, summed.query
    )


def claim_of(disclosure: Disclosure) -> "Claim | None":
    """The numbers that the answer is; None if they do not add up."""
    if isinstance(disclosure, CountsDisclosure) and len(disclosure.columns) == 1:
        people, blocks = disclosure.people, disclosure.partition
        return CountsClaim(people, disclosure.version, blocks, around=disclosure.around)
    if isinstance(disclosure, CellDisclosure) and isinstance(
        query := disclosure.mechanism.query, Additive | RowTotal
    ):
        return SumClaim(disclosure.people, disclosure.version, disclosure.what, lambda: query, disclosure)
    return None


@dataclass(frozen=True)
class SumClaim:
    """The position of an exact sum: positions add up."""

    people: Participants
    version: int
    what: tuple[object, ...]
    query: Callable[[], Additive | RowTotal]
    asked: CellDisclosure | None = None

    def keys(self, people: Participants) -> list[str]:
        """Without a question with one of these keys nothing is known of such people."""
        if people is self.people and self.asked is not None:
            return [self.asked.grid]
        return [_grid(self.version, self.what, people.name)]

    @property
    def own_keys(self) -> list[str]:
        """Where to look for what these people were asked."""
        return self.keys(self.people)

    def known(self, lookup: Lookup, people: Participants) -> Derivation | None:
        """How the numbers of such people follow from what they were asked."""
        for told in lookup(self.keys(people)):
            positions = self._positions(told.body.get("cells", ()), people)
            if positions is not None:
                return Derivation((told,), lambda: {"position": positions[_cell(told)]})  # noqa: B023 - returned
        return None

    def _positions(self, cells: Sequence[Any], people: Participants) -> Sequence[int] | None:
        """The only position that a sum can have in each cell; None if there are several in one."""
        if cells == _EXACT:
            return range(sys.maxsize)
        if not cells or cells[0] != "begins" or len(cells) > _MOST_BEGINS:
            return None
        query = replace(self.query(), people=people.size)
        spend(_WEIGHT_STEPS * weight_of(query))
        begins = cells[1:]
        positions = query.attainable
        fits = isinstance(positions, tuple) and set(begins).issuperset(positions)
        return begins if fits else None

    def total(self, parts: Sequence[tuple[int, Callable[[], StoredAnswer]]]) -> StoredAnswer:
        """The answer, given those of parts, which are added or taken off."""
        position = sum(sign * compute()["position"] for sign, compute in parts)
        if self.asked is None:
            return {"position": position}
        return {"cell": self.asked.mechanism.quantizer.cell_at(position)}


def _cell(told: ChargedQuestion) -> int:
    return 0 if told.answer is None else int(told.answer["cell"])


@dataclass(frozen=True)
class CountsClaim:
    """How many rows are in each block of a column's values.

    With F(v) rows whose values have numbers below v, a count of one run is F(end) - F(start); F is known at
    both ends of the domain. Runs that were counted connect their ends: a block follows where within each
    connected set of numbers, but that of the ends of the domain, F is added as often as it is taken off.
    """

    people: Participants
    version: int
    partition: DomainPartition
    passing: int = 0
    around: str | None = None

    def _around(self, people: Participants) -> str:
        if people is self.people and self.around is not None:
            return self.around
        return _around(self.version, self.partition.names[0], people.name)

    @property
    def own_keys(self) -> list[str]:
        """Where to look for what these people were asked."""
        around = self._around(self.people)
        return [around, *(_node(around, number) for number in self.partition.starts[1:_MOST_NODES])]

    def keys(self, people: Participants) -> list[str]:
        """Without a question with one of these keys nothing is known of such people."""
        around, starts = self._around(people), self.partition.starts
        return [around] if len(starts) == 1 else [around, _node(around, starts[1])]

    def known(self, lookup: Lookup, people: Participants) -> Derivation | None:
        """How the numbers of such people follow from what they were asked."""
        blocks = self._blocks(self._potentials(lookup, people))
        if blocks is None:
            return None
        premises = {edge.told.question: edge.told for block in blocks for _, edge in block.edges}
        return Derivation(tuple(premises.values()), lambda: {"counts": [block.value for block in blocks]})

    def total(self, parts: Sequence[tuple[int, Callable[[], StoredAnswer]]]) -> StoredAnswer:
        """The answer, given those of parts, which are added or taken off."""
        signed = [(sign, compute()["counts"]) for sign, compute in parts]
        return {"counts": [sum(s * counts[n] for s, counts in signed) for n in range(self.partition.blocks)]}

    def _blocks(self, potentials: dict[int, tuple[int, _Count]]) -> list[_Count] | None:
        """The count of each block; None where one does not follow."""
        found = [_NOTHING] * self.partition.blocks
        uneven: dict[tuple[int, int], int] = defaultdict(int)
        stops = (*self.partition.starts[1:], self.partition.size)
        for start, stop, label in zip(self.partition.starts, stops, self.partition.labels, strict=True):
            for number, sign in ((stop, 1), (start, -1)):
                root, count = potentials[number]
                uneven[label, root] += sign if root else 0
                found[label] = found[label].plus(count, sign)
        return None if any(uneven.values()) else found

    def _potentials(self, lookup: Lookup, people: Participants) -> dict[int, tuple[int, _Count]]:
        """F of each number that matters, less F of the first number that it is connected with."""
        around, size = self._around(people), self.partition.size
        found = {0: (0, _NOTHING), size: (0, _Count(people.size, ()))}
        adjacent = self._adjacent(lookup, around)
        for root in self.partition.starts:
            if root in found:
                continue
            reached = {root: _NOTHING}
            waiting = [root]
            for number in waiting:
                for edge, other, sign in adjacent.get(number, ()):
                    if other not in reached:
                        reached[other] = reached[number].plus(_Count(0, ((1, edge),)), sign)
                        waiting.append(other)
            grounded = next((number for number in (0, size) if number in reached), None)
            base = _NOTHING if grounded is None else found[grounded][1].plus(reached[grounded], -1)
            ground = root if grounded is None else 0
            found |= {
                number: (ground, base.plus(count)) for number, count in reached.items() if number not in found
            }
        return found

    def _adjacent(self, lookup: Lookup, around: str) -> dict[int, list[tuple[_Edge, int, int]]]:
        """The runs that were counted, by their ends, as far as they can be reached from ours."""
        found: dict[int, list[tuple[_Edge, int, int]]] = defaultdict(list)
        seen, waiting = {0, self.partition.size}, [n for n in self.partition.starts if n]
        told: set[str] = set()
        while waiting and len(seen) < _MOST_NODES:
            numbers = [number for number in dict.fromkeys(waiting) if number not in seen]
            numbers = numbers[: _MOST_NODES - len(seen)]
            seen.update(numbers)
            waiting = []
            for row in lookup([around, *(_node(around, number) for number in numbers)]):
                if row.question in told:
                    continue
                told.add(row.question)
                for edge in _edges(row, self.partition.size):
                    found[edge.low].append((edge, edge.high, 1))
                    found[edge.high].append((edge, edge.low, -1))
                    if edge.low and edge.high < self.partition.size:  # otherwise F is known at its end
                        waiting += [edge.low, edge.high]
        return found


Claim = CountsClaim | SumClaim
"""Numbers of some people that add up over people."""


def _edges(told: ChargedQuestion, size: int) -> list[_Edge]:
    """What counts of blocks say of runs: all of them where each block is a run."""
    blocks = read_partition(told.body)
    if blocks is None or blocks.size != size:
        return []
    if blocks.is_contiguous:
        return [
            _Edge(told, frozenset(range(place)), 0, start)
            for place, start in enumerate(blocks.starts)
            if place
        ]
    found = ends(blocks)
    return [] if found is None else [_Edge(told, frozenset({1}), *found)]
