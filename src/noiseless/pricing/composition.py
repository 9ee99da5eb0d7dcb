"""The rules of composition: bounds on the number of joint answers that one person can cause.

Each rule is a pure function of whole numbers; docs/prices.md says in plain words why it holds. `best_parts`
looks for the mixture of them, of products, and of steps within the atoms of partitions
(`DomainPartition.spread`) with the smallest bound for answers about the same person.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from heapq import nlargest
from itertools import accumulate
from math import comb, prod
from operator import add, itemgetter
from typing import NamedTuple

from noiseless.pricing.answer_tables import most_joint_answers
from noiseless.pricing.event import Footprint, Record, merged
from noiseless.pricing.partition import DomainPartition, independently_refined, refined
from noiseless.work import spend

_MOST_WORK = 10**6
"""Parallel hyperplanes are told apart while classes times dimensions are at most this many."""
_MOST_THRESHOLDS = 8


class OutputBound(NamedTuple):
    """At most this many joint outputs, and the rule that says so."""

    outputs: int
    rule: str


def hyperplanes(classes: Sequence[int], dimensions: int) -> OutputBound:
    """The cells into which classes of parallel hyperplanes cut a space of this many dimensions.

    They are at most the sets of up to `dimensions` hyperplanes that meet, and of a parallel class only one is
    in such a set (the no-broken-circuit sets of the arrangement). Sharper than sum_{i<=d} C(m,i) over all
    m hyperplanes; with one dimension it is the rule of cuts, with as many dimensions as classes the product.
    Boundary points belong to one side; finitely many points allow to shift each hyperplane past them.

    >>> hyperplanes([1, 1, 1], 2), hyperplanes([3, 3, 3], 1)
    (OutputBound(outputs=7, rule='hyperplanes'), OutputBound(outputs=10, rule='hyperplanes'))
    """
    useful = [size for size in classes if size]
    if dimensions >= len(useful):
        return OutputBound(prod(size + 1 for size in useful), "hyperplanes")
    if len(useful) * dimensions > _MOST_WORK:
        total = sum(useful)
        return OutputBound(sum(comb(total, i) for i in range(dimensions + 1)), "hyperplanes")
    spend(len(useful) * dimensions)
    meeting = [1] + [0] * dimensions  # how many sets of i hyperplanes of different classes
    for size in useful:
        for i in range(dimensions, 0, -1):
            meeting[i] += meeting[i - 1] * size
    return OutputBound(sum(meeting), "hyperplanes")


def grouped(reaches: Iterable[int]) -> OutputBound:
    """GROUP BY a private column: 1 + sum of (N_g - 1), N_g counting "absent".

    A person is in one group; all other groups answer as if the person were absent.
    """
    return OutputBound(1 + sum(reach - 1 for reach in reaches), "groups")


def several_rows(outputs: Iterable[int], rows: int) -> OutputBound:
    """A person with this many rows is in at most as many public groups: the product of the largest bounds."""
    return OutputBound(prod(nlargest(rows, outputs)), "rows")


def equal_rows(blocks: int, rows: int) -> OutputBound:
    """Counts over all rows tell how many of a person's rows are in each block, not which."""
    return OutputBound(comb(blocks + rows - 1, rows), "partition")


def capped(bound: OutputBound, values: int | None) -> OutputBound:
    """Never more outputs than the record has values: then it may be fully disclosed."""
    return bound if values is None or bound.outputs < values else OutputBound(values, "record")


@dataclass(frozen=True)
class PricePart:
    """What is published about some attributes of the record together.

    Attributes:
        attributes: the attributes, related by answers that depend on several of them.
        outputs: at most this many joint answers.
        rule: the rules that gave the bound.
        disclosed: whether the bound is the number of values: nothing of them is protected any more.
    """

    attributes: tuple[str, ...]
    outputs: int
    rule: str
    disclosed: bool


def best_parts(footprints: Iterable[Footprint], record: Record) -> tuple[PricePart, ...]:
    """A bound for each set of related attributes; joint answers are at most the product of the bounds."""
    useful = merged([footprint for footprint in footprints if footprint.outputs > 1])
    parts = []
    for names, related in sorted(_components(useful), key=itemgetter(0)):
        parts.append(_part(names, related, record))
    return tuple(parts)


def _components(footprints: Sequence[Footprint]) -> list[tuple[tuple[str, ...], list[Footprint]]]:
    """Attributes that some answer depends on together, and the answers about them."""
    found: list[tuple[set[str], list[Footprint]]] = []
    for footprint in footprints:
        joined: tuple[set[str], list[Footprint]] = (set(footprint.attributes), [footprint])
        apart = []
        for names, members in found:
            if names.isdisjoint(footprint.attributes):
                apart.append((names, members))
            else:
                joined = (joined[0] | names, members + joined[1])
        found = [*apart, joined]
    return [(tuple(sorted(names)), members) for names, members in found]


def _part(names: tuple[str, ...], footprints: Sequence[Footprint], record: Record) -> PricePart:
    values = record.values(names)
    alone = len(footprints) == 1 and footprints[0].answers == 1
    if alone and record.rows_of(names) == 1:  # no mixture bounds a single answer by less than its reach
        best = OutputBound(footprints[0].outputs, "reach")
    else:
        bounds = _of_rows(footprints, record) if record.rows > 1 else _of_one_row(footprints, record)
        best = min([*bounds, *_counted(names, footprints)], key=lambda bound: bound.outputs)
    found = capped(best, values)
    return PricePart(names, found.outputs, "reach" if alone else found.rule, found.outputs == values)


def _counted(names: tuple[str, ...], footprints: Sequence[Footprint]) -> Iterator[OutputBound]:
    """All that a person can be is looked at, where that is little: an attribute with few values."""
    tables = [table for footprint in footprints for table in footprint.tables if table is not None]
    if len(names) == 1 and len(tables) == sum(len(footprint.tables) for footprint in footprints):
        found = most_joint_answers(tables)
        if found is not None:
            yield OutputBound(found, "counted")


def _of_one_row(footprints: Sequence[Footprint], record: Record) -> Iterator[OutputBound]:
    """All mixtures: which attributes select, and up to how many pieces answers are taken as cuts."""
    for limit in _thresholds(footprints):
        for selecting in _selections(footprints):
            bound = _Mixture(footprints, selecting, limit, record).bound()
            if bound is not None:
                yield bound
        if any(footprint.direction is not None for footprint in footprints):
            yield _arranged(footprints, limit)


def _thresholds(footprints: Sequence[Footprint]) -> list[int]:
    """Taking an answer with p pieces as cuts pays exactly when p is at most the outputs so far.

    So the best choice takes all answers with up to some number of pieces; all numbers that occur are tried.
    """
    pieces = sorted({footprint.pieces for footprint in footprints if footprint.axis})
    return [0, *pieces[: _MOST_THRESHOLDS - 1], *pieces[_MOST_THRESHOLDS - 1 :][-1:]]


def _selections(footprints: Sequence[Footprint]) -> list[tuple[str, ...]]:
    """Sets of attributes whose atoms may select what is seen of the others."""
    found = {
        footprint.selector.names
        for footprint in footprints
        if footprint.selector and len(footprint.attributes) > 1
    }
    every = tuple(sorted(set().union(*found))) if found else ()
    return list(dict.fromkeys([(), *sorted(found), every]))


class _Mixture:
    """One mixture: atoms of the selecting attributes, steps along the others within each atom, products."""

    def __init__(
        self, footprints: Sequence[Footprint], selecting: tuple[str, ...], limit: int, record: Record
    ) -> None:
        self.selecting, self.record = frozenset(selecting), record
        self.left = 1  # what is multiplied
        self.selectors: list[DomainPartition] = []
        self.plain: dict[str, int] = defaultdict(int)
        self.seen: dict[str, list[tuple[DomainPartition, tuple[int, ...]]]] = defaultdict(list)
        self.own: dict[str, list[DomainPartition]] = defaultdict(list)
        self.linear: dict[Hashable, int] = defaultdict(int)
        self.dimensions: set[str] = set()
        self.rules: set[str] = set()
        for footprint in footprints:
            rule = self._take(footprint, limit)
            self.rules.add(rule)
            if rule == "product":
                self.left *= footprint.outputs

    def _take(self, footprint: Footprint, limit: int) -> str:
        """Put an answer where it belongs and name the rule; what belongs nowhere is multiplied."""
        selector, axis = footprint.selector, footprint.axis
        if footprint.direction is not None:
            self.linear[footprint.direction] += footprint.cuts[0]
            self.dimensions |= set(footprint.attributes)
            return "hyperplanes"
        if axis is None:
            return "product" if selector is None else self._take_blocks(selector)
        if footprint.pieces > limit:
            return "product"
        if selector is None:
            self.plain[axis] += footprint.cuts[0]
            return "cuts"
        if self.selecting.issuperset(selector.names) and axis not in self.selecting:
            self.selectors.append(selector)
            self.seen[axis].append((selector, footprint.cuts))
            return "filter"
        return "product"

    def _take_blocks(self, blocks: DomainPartition) -> str:
        if self.selecting.issuperset(blocks.names):
            self.selectors.append(blocks)
        elif len(blocks.names) == 1:
            self.own[blocks.names[0]].append(blocks)
        else:
            return "product"
        return "partition"

    def bound(self) -> OutputBound | None:
        """The number of outputs, or None when the selecting attributes have too many combinations."""
        self.left *= hyperplanes(list(self.linear.values()), len(self.dimensions)).outputs
        along = [name for name in {**self.plain, **self.seen, **self.own} if name not in self.selecting]
        own = {name: refined(self.own[name]) for name in along if self.own[name]}
        name = " and ".join(sorted(self.rules)) or "product"
        if not self.selectors:
            inner = prod(self._outputs(axis, self.plain[axis], own) for axis in along)
            outer = prod(self._outputs(axis, self.plain[axis], own) for axis in self.selecting)
            return OutputBound(inner * outer * self.left, name)
        independent = independently_refined(self.selectors)
        if independent is None:
            return None
        if len(independent) == 1 and len(independent[0].names) == 1:
            (atoms,) = independent
            seen = self._seen_by_atom(atoms, along)
            found = self._selected(atoms, [self._weight(along, steps, own) for steps in seen])
        else:
            alike = [Counter(self._seen_by_atom(atoms, along)) for atoms in independent]
            joint = reduce(_joined, alike)
            found = sum(times * self._weight(along, steps, own) for steps, times in joint.items())
            found *= prod(1 + self.plain[axis] for axis in self.selecting)
        return OutputBound(found * self.left, name)

    def _seen_by_atom(self, atoms: DomainPartition, along: Sequence[str]) -> list[tuple[int, ...]]:
        """How many steps are seen in each atom, along each axis."""
        by_axis = []
        for axis in along:
            seen = [pair for pair in self.seen[axis] if set(pair[0].names) <= set(atoms.names)]
            by_axis.append(_steps_by_atom(atoms, seen))
        return list(zip(*by_axis, strict=True)) if along else [()] * atoms.blocks

    def _weight(self, along: Sequence[str], seen: tuple[int, ...], own: dict[str, DomainPartition]) -> int:
        """The outputs of an atom in which this many steps are seen."""
        return prod(
            self._outputs(axis, self.plain[axis] + steps, own)
            for axis, steps in zip(along, seen, strict=True)
        )

    def _outputs(self, axis: str, steps: int, own: dict[str, DomainPartition]) -> int:
        """Steps along an attribute, together with its own blocks, never more than its values."""
        outputs = own[axis].spread(steps) if axis in own else 1 + steps
        size = self.record.sizes[axis]
        return outputs if size is None else min(outputs, size)

    def _selected(self, atoms: DomainPartition, weights: Sequence[int]) -> int:
        """The outputs of all atoms of one attribute; steps along it part atoms."""
        stepping = {axis: self.plain[axis] for axis in self.selecting if self.plain[axis]}
        if not stepping:
            return sum(weights)
        own = stepping.pop(atoms.names[0], 0)
        return atoms.spread(own, weights) * prod(1 + steps for steps in stepping.values())


def _joined(one: Counter[tuple[int, ...]], two: Counter[tuple[int, ...]]) -> Counter[tuple[int, ...]]:
    """How many atoms of independent attributes see how many steps along each axis: steps add up."""
    spend(len(one) * len(two))
    found: Counter[tuple[int, ...]] = Counter()
    for first, times in one.items():
        for second, as_often in two.items():
            found[tuple(map(add, first, second))] += times * as_often
    return found


def _steps_by_atom(
    atoms: DomainPartition, seen: Sequence[tuple[DomainPartition, tuple[int, ...]]]
) -> list[int]:
    """How many steps are seen in each atom: add up the changes from run to run along the domain."""
    spend(len(atoms.starts) + sum(len(selector.starts) for selector, _ in seen))
    changes: dict[int, int] = defaultdict(int)
    for selector, steps in seen:
        part = _placed(selector, steps, atoms)
        before = 0
        for start, now in part:
            changes[start] += now - before
            before = now
    places = sorted(changes)
    sums = list(accumulate(changes[place] for place in places))
    return [sums[bisect_right(places, first) - 1] if places else 0 for first in atoms.representatives]


def _placed(
    selector: DomainPartition, steps: Sequence[int], atoms: DomainPartition
) -> Iterator[tuple[int, int]]:
    """Where a selector's runs begin among the atoms, and the steps seen in them."""
    if selector.names == atoms.names:
        yield from (
            (start, steps[label]) for start, label in zip(selector.starts, selector.labels, strict=True)
        )
        return
    lifted = selector.lifted(atoms.names, atoms.sizes)
    # Lifting numbers blocks anew, as they first appear: look each one's number up in the selector.
    strides = [prod(atoms.sizes[place + 1 :]) for place in range(len(atoms.sizes))]
    for start in lifted.starts:
        number = 0
        for name, size in zip(selector.names, selector.sizes, strict=True):
            place = atoms.names.index(name)
            number = number * size + start // strides[place] % atoms.sizes[place]
        yield start, steps[selector.label_at(number)]


def _arranged(footprints: Sequence[Footprint], limit: int) -> OutputBound:
    """Linear forms of several attributes and steps along single ones: hyperplanes; the rest is multiplied."""
    classes: dict[Hashable, int] = defaultdict(int)
    attributes: set[str] = set()
    left = 1
    for footprint in footprints:
        selector, axis = footprint.selector, footprint.axis
        if footprint.direction is not None:
            attributes |= set(footprint.attributes)
            classes[footprint.direction] += footprint.cuts[0]
        elif axis is not None and selector is None and footprint.pieces <= limit:
            attributes.add(axis)
            classes[axis] += footprint.cuts[0]
        elif axis is None and selector is not None and len(selector.names) == 1 and selector.is_contiguous:
            attributes.add(selector.names[0])
            classes[selector.names[0]] += selector.blocks - 1
        else:
            left *= footprint.outputs
    found = hyperplanes(list(classes.values()), len(attributes))
    return OutputBound(found.outputs * left, "hyperplanes" if left == 1 else "hyperplanes and product")


def _of_rows(footprints: Sequence[Footprint], record: Record) -> Iterator[OutputBound]:
    """Several rows a person: each row has attributes of its own, of which answers are linear forms."""
    yield OutputBound(prod(footprint.outputs for footprint in footprints), "product")
    of_person = [each for each in footprints if record.rows_of(each.attributes) == 1]
    if of_person:  # what is the same in all rows, and all else
        one_row = replace(record, rows=1)
        best = min(_of_one_row(of_person, one_row), key=lambda bound: bound.outputs)
        rest = [each for each in footprints if record.rows_of(each.attributes) > 1]
        others = min((each.outputs for each in _of_rows(rest, record)), default=1) if rest else 1
        yield OutputBound(best.outputs * others, best.rule if not rest else f"{best.rule} and product")
    levels = [footprint.levels for footprint in footprints if footprint.levels is not None]
    alike = independently_refined(levels) if len(levels) == len(footprints) else None
    if alike is not None:
        yield _of_blocks(alike, footprints, record)
    total, rules = 1, set()
    told = [
        footprint for footprint in footprints if footprint.axis is None and footprint.selector is not None
    ]
    atoms = independently_refined([part.selector for part in told if part.selector is not None])
    if atoms:
        rules.add("partition")
        total *= _of_blocks(atoms, told, record).outputs
    spaces: dict[Hashable, list[int]] = defaultdict(list)
    for footprint in footprints:
        if footprint.space is not None:
            spaces[footprint.space].append(footprint.cuts[0])
        elif footprint.axis is not None or footprint.selector is None or not atoms:
            rules.add("product")
            total *= footprint.outputs
    for classes in spaces.values():
        rules.add("hyperplanes")
        total *= hyperplanes(classes, record.rows).outputs
    yield OutputBound(total, " and ".join(sorted(rules)))


def _of_blocks(
    atoms: Sequence[DomainPartition], footprints: Sequence[Footprint], record: Record
) -> OutputBound:
    """Answers that depend on the atom of each row: on how many rows are in each, if all count alike."""
    blocks = prod(part.blocks for part in atoms)
    if all(footprint.everybody for footprint in footprints):
        return equal_rows(blocks, record.rows)
    return OutputBound(blocks**record.rows, "partition")
