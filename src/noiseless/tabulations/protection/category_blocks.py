"""Blocks of categories that are published as one, and the figures of a table by blocks."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

from noiseless.arrays import BoolArray, IntArray
from noiseless.tabulations.publication import UNBOUNDED, Classification, Labels, Publication, PublishedTable
from noiseless.tabulations.union import WHOLE

Blocks = tuple[int, ...]
"""For each category of a dimension the first category of its block."""
Merged = tuple[Blocks, ...]
"""The blocks of all dimensions."""
Avoided = tuple[frozenset[int], ...]
"""A figure that must not be published: the categories of its labels, one set for each dimension."""

_Axis = tuple[csr_array, tuple[str | None, ...], tuple[frozenset[int], ...]]
"""New labels x old ones, the names of the new ones, and their categories."""
_NUMBER = re.compile(r"[<>\u2264\u2265]?\s*(\d+(?:\.\d+)?)")
_LONGEST = 60


@dataclass(frozen=True, eq=False)
class MergedFigures:
    """The figures of one table by the labels that are left, an axis for each dimension.

    Attributes:
        values: the figures.
        there: whether the table has all parts of them.
        labels: the labels of each axis; None for a block that has no name yet.
        sets: the categories of each label.
        blocks: whether a label is one block.
    """

    values: IntArray
    there: BoolArray
    labels: tuple[tuple[str | None, ...], ...]
    sets: tuple[tuple[frozenset[int], ...], ...]
    blocks: tuple[tuple[bool, ...], ...]


class TrueGrid:
    """The true figures of one table, an axis for each of its dimensions."""

    def __init__(self, table: PublishedTable, used: tuple[Classification, ...]) -> None:
        self.source, self.used = table, used
        self.dimensions = table.dimensions
        self.places = [
            next(at for at, each in enumerate(used) if each.name == name) for name in table.dimensions
        ]
        self.sets = [
            [label_sets(used[place])[label] for label in labels]
            for place, labels in zip(self.places, table.labels, strict=True)
        ]
        self.values = self.spread(table.lower)
        self.there = self.spread(np.ones(len(table), bool))
        self._stays = dict[tuple[int, Blocks], IntArray]()
        self._axes: dict[tuple[int, Blocks], _Axis] = {}

    def spread(self, figures: np.ndarray) -> np.ndarray:
        """Something of each figure, in its place; 0 where there is none."""
        found = np.zeros(tuple(map(len, self.source.labels)), figures.dtype)
        found[tuple(self.source.codes.T)] = figures
        return found

    def stays(self, axis: int, blocks: Blocks) -> IntArray:
        """Which labels of an axis are still published, as 0 and 1."""
        if (axis, blocks) not in self._stays:
            kept = [is_union(of, blocks) for of in self.sets[axis]]
            self._stays[axis, blocks] = np.array(kept, np.int64)
        return self._stays[axis, blocks]

    def merged(self, state: Merged) -> MergedFigures:
        """The figures of the labels that a state leaves."""
        values, there, parts = self.values, self.there.astype(np.int64), np.ones((), np.int64)
        labels, sets = list[tuple[str | None, ...]](), list[tuple[frozenset[int], ...]]()
        for axis, place in enumerate(self.places):
            members, names, of = self._axis(axis, state[place])
            values, there = _along(members, values, axis), _along(members, there, axis)
            parts = np.multiply.outer(parts, np.diff(members.indptr))
            labels.append(names)
            sets.append(of)
        blocks = tuple(
            tuple(len({state[place][at] for at in each}) == 1 for each in of)
            for place, of in zip(self.places, sets, strict=True)
        )
        return MergedFigures(values, there == parts, tuple(labels), tuple(sets), blocks)

    def _axis(self, axis: int, blocks: Blocks) -> _Axis:
        """New labels x old ones: labels that stay, and blocks that the table's finest labels make up."""
        if (axis, blocks) not in self._axes:
            sets, own = self.sets[axis], self.source.labels[axis]
            found: list[tuple[list[int], str | None, frozenset[int]]] = [
                ([at], own[at], each) for at, each in enumerate(sets) if is_union(each, blocks)
            ]
            known = {each for _, _, each in found}
            for first in sorted(set(blocks)):
                block = frozenset(at for at, each in enumerate(blocks) if each == first)
                if block not in known and (inner := _divided(block, sets)):
                    found.append((inner, None, block))
            found.sort(key=lambda each: min(each[0]))
            rows, names, of = zip(*found, strict=True) if found else ((), (), ())
            indices = np.concatenate([np.zeros(0, np.int64), *map(np.array, rows)]).astype(np.int64)
            starts = np.cumsum([0, *map(len, rows)])
            ones = np.ones(len(indices), np.int64)
            members = csr_array((ones, indices, starts), shape=(len(rows), len(sets)))
            self._axes[axis, blocks] = members, names, of
        return self._axes[axis, blocks]

    def avoided(self, part: MergedFigures, place: list[int]) -> Avoided:
        """A figure by the categories of its labels; a dimension that the table does not have is its total."""
        found = [frozenset(range(len(each.categories))) for each in self.used]
        for axis, at in enumerate(place):
            found[self.places[axis]] = part.sets[axis][at]
        return tuple(found)

    def table(
        self, part: MergedFigures, names: Mapping[str, Mapping[tuple[int, ...], str]]
    ) -> PublishedTable:
        """The table that is published."""
        labels = tuple(
            tuple(
                label if label is not None else names[name][tuple(sorted(of))]
                for label, of in zip(part.labels[axis], part.sets[axis], strict=True)
            )
            for axis, name in enumerate(self.dimensions)
        )
        codes = np.argwhere(part.there).astype(np.int32)
        values = part.values[part.there]
        return replace(self.source, labels=labels, codes=codes, lower=values, upper=values)


def as_read(publication: Publication, before: Publication) -> Publication:
    """The same figures over the categories that the tables show, as somebody sees them who reads the tables.

    Dimensions of which the finest labels of all tables do not make up the categories stay as they are, and so
    do all where bounds are declared: these are of base cells. A dimension of which only its total is left has
    one category, which no label names.

    Args:
        publication: larger categories.
        before: the tables before they were merged, whose groups of all categories are totals.
    """
    if np.any(publication.atom_lower != 0) or np.any(publication.atom_upper < UNBOUNDED):
        return publication
    made = dict[str, Classification]()
    totals = {each.name: _only_totals(each) for each in before.used}
    layered = {each.name for each in before.used if each.groups and not totals[each.name]}
    for each in publication.used:
        sets = label_sets(each)
        shown = dict.fromkeys(
            label
            for table in publication.tables
            if each.name in table.dimensions
            for label in table.labels[table.dimensions.index(each.name)]
        )
        labels = list(shown)
        if labels and totals[each.name].issuperset(labels):
            made[each.name] = Classification(each.name, (WHOLE + labels[0],), dict.fromkeys(labels, (0,)))
            continue
        finest = _divided(frozenset(range(len(each.categories))), [sets[label] for label in labels])
        names = tuple(labels[at] for at in sorted(finest))
        if each.name in layered:  # a hierarchy has an order of its own
            names = tuple(sorted(names, key=lambda label: min(sets[label])))
        groups = {
            label: tuple(at for at, name in enumerate(names) if sets[name] <= sets[label])
            for label in labels
            if label not in names
        }
        whole = all(
            set().union(*(sets[names[at]] for at in of)) == sets[label] for label, of in groups.items()
        )
        made[each.name] = Classification(each.name, names, groups) if names and whole else each
    kept = [made.get(each.name, each) for each in publication.classifications]
    return replace(publication, classifications=tuple(kept))


def _only_totals(own: Classification) -> frozenset[str]:
    """The totals of a dimension without a hierarchy; of one with a hierarchy the top is a category."""
    whole = all(len(of) == len(own.categories) for of in own.groups.values())
    return frozenset(own.groups if whole else ())


def _along(members: csr_array, values: IntArray, axis: int) -> IntArray:
    """Sums of an array along one of its axes."""
    moved = np.moveaxis(values, axis, 0)
    sums = members @ moved.reshape(len(moved), -1)
    return np.moveaxis(sums.reshape(-1, *moved.shape[1:]), 0, axis)


def label_sets(own: Classification) -> dict[str, frozenset[int]]:
    """The categories of each label."""
    found = {label: frozenset({place}) for place, label in enumerate(own.categories)}
    return found | {label: frozenset(of) for label, of in own.groups.items()}


def is_union(of: frozenset[int], blocks: Blocks) -> bool:
    """Whether a set of categories consists of whole blocks."""
    inside = {blocks[at] for at in of}
    return sum(block in inside for block in blocks) == len(of)


def _divided(block: frozenset[int], sets: list[frozenset[int]]) -> list[int]:
    """The finest labels that make up a block; none if they do not."""
    chosen, left = list[int](), set(block)
    for at in sorted(range(len(sets)), key=lambda each: len(sets[each])):
        if sets[at] <= left:
            chosen.append(at)
            left -= sets[at]
    return [] if left else chosen


def merged_blocks(state: Merged, dimension: int, together: set[int] | frozenset[int]) -> Merged:
    """The same with all blocks that meet a set as one."""
    blocks = state[dimension]
    met = {blocks[at] for at in together}
    merged = tuple(min(met) if block in met else block for block in blocks)
    return (*state[:dimension], merged, *state[dimension + 1 :])


def are_adjacent(blocks: Blocks, one: int, other: int) -> bool:
    """Whether nothing stands between two blocks."""
    firsts = sorted(set(blocks))
    return abs(firsts.index(one) - firsts.index(other)) == 1


def are_rising(labels: Labels) -> bool:
    """Whether labels begin with numbers that rise: ages, sizes, years."""
    found = [_NUMBER.match(label) for label in labels]
    numbers = [float(each[1]) for each in found if each is not None]
    return len(numbers) == len(labels) > 1 and all(a < b for a, b in pairwise(numbers))


def block_labels(own: Classification, blocks: Blocks, *, ordered: bool) -> dict[tuple[int, ...], str]:
    """A label for each block of several categories: that of a group, or one made of theirs."""
    known = {tuple(sorted(of)): label for label, of in own.groups.items()}
    taken, found = set(own.labels), dict[tuple[int, ...], str]()
    for first in sorted(set(blocks)):
        of = tuple(at for at, each in enumerate(blocks) if each == first)
        if len(of) == 1:
            continue
        if of in known:
            found[of] = known[of]
            continue
        labels = [own.categories[at] for at in of]
        name = f"{labels[0]} to {labels[-1]}" if ordered else " + ".join(labels)
        if len(name) > _LONGEST:
            name = f"{labels[0]} and {len(labels) - 1} more"
        while name in taken:
            name += "'"
        taken.add(name)
        found[of] = name
    return found
