"""Merging categories: coarser tables, all of whose figures are true and exact.

Categories of each dimension fall into blocks, the same in all tables; what is published are the figures of
blocks, and of groups and totals that are unions of blocks. Ordered categories merge with their neighbours,
those of a hierarchy into what stands above them, others with any. A figure is lost if one of its labels is.

Coarser tables say less, and lose more: so blocks are merged in the order of what is lost, and the first ones
that the exact audit proves safe lose least of all. A figure that must not be published is only avoided by
merging a block inside one of its labels with one outside; while there is one, nothing else is tried.

The search of `noiseless.search` chooses cells of records, each judged by itself; here blocks of all
dimensions cross, and the audit judges them together, so that it does not fit.
"""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappop, heappush

import numpy as np

from noiseless.errors import RequestError
from noiseless.tabulations.audit import TabulationAudit
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.magnitudes import protection_levels
from noiseless.tabulations.protection.category_blocks import (
    Avoided,
    Merged,
    MergedFigures,
    TrueGrid,
    are_adjacent,
    are_rising,
    block_labels,
    label_sets,
    merged_blocks,
)
from noiseless.tabulations.protection.method import ImpossibleError, ProposedTables
from noiseless.tabulations.protection.problem import TrueTables
from noiseless.tabulations.publication import Classification, Publication

MAX_WORK = 100_000_000
"""Figures of all ways to merge that are looked at in the order of their loss; then merges are greedy."""
_OVERHEAD = 10
"""What each way costs besides, in merges and in hundreds of figures."""
_TRIED = 25
"""Figures to be avoided among which the one with fewest ways out is looked for."""
_NAMED = 3


@dataclass(frozen=True)
class MergedCategories:
    """Publish fewer, larger categories.

    Attributes:
        ordered: the dimensions whose categories stand in an order; None: those whose labels begin with
            rising numbers.
    """

    ordered: tuple[str, ...] | None = None

    name = "merge"

    def proposals(
        self, tables: TrueTables, deadline: Deadline
    ) -> Generator[ProposedTables, TabulationAudit, None]:
        """Blocks in the order of what is lost.

        Raises:
            ImpossibleError: even the totals alone are not safe.
        """
        lattice = MergedLattice(tables, self.ordered)
        heap, seen, work = [(0.0, 0, lattice.finest)], {lattice.finest}, 0
        while heap:
            loss, _, state = heappop(heap)
            if work > MAX_WORK or deadline.over:
                yield from _greedy(lattice, loss, deadline)
                return
            further = lattice.further(state)
            if further is None:
                yield lattice.proposal(state, loss)
                further = lattice.all_merges(state)
            work += (len(further) + _OVERHEAD) * (len(tables.truth) + 100 * _OVERHEAD)
            for each in further:
                if each not in seen:
                    seen.add(each)
                    heappush(heap, (lattice.loss(each), len(seen), each))
        raise ImpossibleError("no categories can be merged so that the tables are safe: even totals are not")


def _greedy(lattice: "MergedLattice", bound: float, deadline: Deadline) -> Iterator[ProposedTables]:
    """One merge after the other, each that which loses least for every figure that it avoids."""
    state = lattice.finest
    while not deadline.over:
        avoided = lattice.avoided(state)
        if avoided:
            ways = dict.fromkeys(way for each in avoided[:_TRIED] for way in lattice.ways_out(state, each))
        else:
            state = _dissolved(lattice, state)
            yield lattice.proposal(state, bound)
            ways = dict.fromkeys(lattice.all_merges(state))
        if not ways:
            return
        lost, before = lattice.loss(state), len(avoided)
        prices = {way: (before - len(lattice.avoided(way)), lattice.loss(way) - lost) for way in ways}
        state = min(ways, key=lambda way: prices[way][1] / max(prices[way][0], 0.5))


def _dissolved(lattice: "MergedLattice", state: Merged) -> Merged:
    """Without the blocks that nothing needs any more, the dearest first."""
    blocks = [
        (dimension, first)
        for dimension, of in enumerate(state)
        for first in sorted(set(of))
        if of.count(first) > 1
    ]
    for dimension, first in sorted(blocks, key=lambda each: -state[each[0]].count(each[1])):
        own = tuple(at if block == first else block for at, block in enumerate(state[dimension]))
        finer = (*state[:dimension], own, *state[dimension + 1 :])
        if not lattice.avoided(finer):
            state = finer
    return state


class MergedLattice:
    """All ways to merge categories, what they publish and what they lose."""

    def __init__(self, tables: TrueTables, ordered: tuple[str, ...] | None) -> None:
        self.tables, self.used = tables, tables.publication.used
        names = [each.name for each in self.used]
        if ordered is not None and (unknown := [name for name in ordered if name not in names]):
            raise RequestError(f"ordered: no table has a dimension {unknown[0]!r}")
        self.ordered = {
            each.name
            for each in self.used
            if (each.name in ordered if ordered is not None else are_rising(each.categories))
        }
        self.finest: Merged = tuple(tuple(range(len(each.categories))) for each in self.used)
        self.grids = [TrueGrid(table, self.used) for table in tables.publication.tables]
        weights, first = tables.weights, 0
        self.weights = list[np.ndarray]()
        for grid, table in zip(self.grids, tables.publication.tables, strict=True):
            self.weights.append(grid.spread(weights[first : first + len(table)]))
            first += len(table)

    @cached_property
    def _above(self) -> tuple[tuple[frozenset[int], ...], ...]:
        """For each dimension its groups below the total, the smallest first."""
        return tuple(
            tuple(
                sorted(
                    {frozenset(of) for of in each.groups.values() if 1 < len(of) < len(each.categories)},
                    key=lambda of: (len(of), sorted(of)),
                )
            )
            for each in self.used
        )

    def loss(self, state: Merged) -> float:
        """The weights of all figures that are no longer published."""
        lost = 0.0
        for grid, weights in zip(self.grids, self.weights, strict=True):
            kept = weights
            for axis in reversed(range(len(grid.places))):
                kept = kept @ grid.stays(axis, state[grid.places[axis]])
            lost += float(weights.sum() - kept)
        return lost

    def further(self, state: Merged) -> list[Merged] | None:
        """What must be tried next: one of these merges, whatever is merged besides; None: perhaps nothing."""
        avoided = self.avoided(state)
        return min((self.ways_out(state, each) for each in avoided[:_TRIED]), key=len) if avoided else None

    def avoided(self, state: Merged) -> list[Avoided]:
        """Figures that would be published and must not be: sensitive ones, and groups with one secret."""
        rules, found = self.tables.parsed_rules, list[Avoided]()
        if self.tables.publication.kind == "magnitude":
            publication = self.publication(state)
            rows = [level.row for level in protection_levels(publication, rules, self.tables.contributions)]
            sets = {each.name: label_sets(each) for each in publication.used}
            for row in rows:
                name, labels = publication.row_name(row)
                table = next(each for each in publication.tables if each.name == name)
                of = dict(zip(table.dimensions, labels, strict=True))
                found.append(tuple(_categories(each, of, sets) for each in publication.used))
            return found
        for grid in self.grids:
            part = grid.merged(state)
            if rules.threshold is not None:
                small = part.there & (part.values > 0) & (part.values < rules.threshold)
                found += [grid.avoided(part, place) for place in np.argwhere(small).tolist()]
            found += self._alike(grid, part)
        return found

    def _alike(self, grid: "TrueGrid", part: "MergedFigures") -> Iterator[Avoided]:
        """Groups whose members, or all but one of them, have one secret for certain."""
        secret = self.tables.secret
        if secret is None or secret not in grid.dimensions:
            return
        axis = grid.dimensions.index(secret)
        finest = [place for place, of in enumerate(part.sets[axis]) if part.blocks[axis][place]]
        values = np.moveaxis(part.values, axis, -1)[..., finest]
        there = np.moveaxis(part.there, axis, -1)[..., finest].all(axis=-1)
        for place in map(tuple, np.argwhere(there)):
            held = [(int(values[place][at]), finest[at]) for at in np.flatnonzero(values[place]).tolist()]
            ones = [each for each in held if len(part.sets[axis][each[1]]) == 1]
            if len(held) == 1 and ones:
                known = ones[0][1]
            elif len(held) == 2 and (alone := [own for own in ones if held[held.index(own) - 1][0] == 1]):  # noqa: PLR2004
                known = alone[0][1]
            else:
                continue
            yield grid.avoided(part, [*place[:axis], known, *place[axis:]])

    def ways_out(self, state: Merged, figure: Avoided) -> list[Merged]:
        """The merges after which a figure is no longer published: across the border of one of its labels."""
        found = list[Merged]()
        for dimension, of in enumerate(figure):
            blocks = state[dimension]
            inside, outside = (
                sorted({blocks[at] for at in of}),
                sorted(set(blocks) - {blocks[at] for at in of}),
            )
            if not outside:
                continue
            if above := self._above[dimension]:
                larger = next((group for group in above if group > of), frozenset(range(len(blocks))))
                found.append(merged_blocks(state, dimension, larger))
            else:
                near = self.used[dimension].name in self.ordered
                found += [
                    merged_blocks(state, dimension, {one, other})
                    for one in inside
                    for other in outside
                    if not near or are_adjacent(blocks, one, other)
                ]
        return list(dict.fromkeys(found))

    def all_merges(self, state: Merged) -> list[Merged]:
        """All merges of two blocks, or into one group."""
        found = list[Merged]()
        for dimension, blocks in enumerate(state):
            firsts = sorted(set(blocks))
            if above := self._above[dimension]:
                whole = frozenset(range(len(blocks)))
                found += [merged_blocks(state, dimension, group) for group in (*above, whole)]
            else:
                near = self.used[dimension].name in self.ordered
                found += [
                    merged_blocks(state, dimension, {one, other})
                    for at, one in enumerate(firsts)
                    for other in firsts[at + 1 :]
                    if not near or are_adjacent(blocks, one, other)
                ]
        return [each for each in dict.fromkeys(found) if each != state]

    def publication(self, state: Merged) -> Publication:
        """What is published: the labels that are left, with their true figures."""
        before = self.tables.publication
        names = {
            each.name: block_labels(each, blocks, ordered=each.name in self.ordered)
            for each, blocks in zip(self.used, state, strict=True)
        }
        own = {
            each.name: replace(
                each,
                groups={
                    **each.groups,
                    **{label: of for of, label in names[each.name].items() if label not in each.groups},
                },
            )
            for each in self.used
        }
        tables = tuple(grid.table(grid.merged(state), names) for grid in self.grids)
        kept = tuple(own.get(each.name, each) for each in before.classifications)
        return replace(before, classifications=kept, tables=tuple(t for t in tables if len(t)))

    def proposal(self, state: Merged, bound: float) -> ProposedTables:
        """What is published, and what it costs; nothing that loses less than the bound is safe."""
        words = list[str]()
        for each, blocks in zip(self.used, state, strict=True):
            merged = [
                label for of, label in block_labels(each, blocks, ordered=each.name in self.ordered).items()
            ]
            if merged:
                more = f" and {len(merged) - _NAMED} more" * (len(merged) > _NAMED)
                words.append(f"{each.name}: {', '.join(map(repr, merged[:_NAMED]))}{more}")
        return ProposedTables(
            self.publication(state),
            self.loss(state),
            bound,
            "figures given up",
            f"categories merged ({'; '.join(words)})" if words else "nothing merged",
        )


def _categories(
    own: Classification, of: Mapping[str, str], sets: Mapping[str, Mapping[str, frozenset[int]]]
) -> frozenset[int]:
    return sets[own.name][of[own.name]] if own.name in of else frozenset(range(len(own.categories)))
