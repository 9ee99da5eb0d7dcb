"""How well contributors can estimate what others gave, by rules of magnitudes.

A coalition C of at most m contributors knows its own amounts, and with them the publication leaves it values
from lo to hi of a figure y. It then knows that another contributor j gave at most hi - own(C). Rules want for
every such C and j, where the rest is y - own(C) - v_j:

* p % and (p, q): hi - own(C) >= (1 + p/q) v_j, that is hi >= y + need with need = p/q v_j - rest;
* (n, k): v_j and the n - 1 largest of C have at most k % of hi: need = 100/k times these - y.

Below, lo <= y - need is wanted, as far as what is declared and what C gave leave it. The level for
outsiders is the largest need of all coalitions, so that one whose members know nothing else about the figure
is kept off by that level. The others are asked about here, for figures that are withheld.

A table that fits, and holds what a coalition knows, shows what it cannot exclude: most need no inference of
their own.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise
from math import ceil, floor

import numpy as np
from scipy.sparse import csc_array, csr_array

from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import RequestError
from noiseless.tabulations.coalitions import OwnCells, fitting, narrowed, own_cells, true_to
from noiseless.tabulations.inference import infer
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.magnitudes import Rules, left_open
from noiseless.tabulations.publication import UNBOUNDED, Publication
from noiseless.tabulations.ranges import SumRanges
from noiseless.tabulations.result import ContributorFinding, Estimate
from noiseless.tabulations.witnesses import witness_tables

MAX_COALITIONS = 200_000
MAX_RUNS = 5_000
"""Coalitions that need an inference of their own; what more of them can estimate is not decided."""
MAX_PAIRS = 200_000
"""Coalitions and figures that tables at hand do not settle."""
MAX_ENTRIES = 20_000_000
"""Cells of all tables at hand."""


@dataclass(frozen=True, eq=False)
class CoalitionKnowledge:
    """A publication, and who gave what to its base cells.

    Attributes:
        publication: what is published.
        ranges: what everybody knows of it.
        amounts: base cells x contributors.
        tables: tables that fit the publication.
    """

    publication: Publication
    ranges: SumRanges
    amounts: csr_array
    tables: IntArray

    @cached_property
    def columns(self) -> csc_array:
        """The same amounts by contributor."""
        return csc_array(self.amounts)

    def own(self, members: Sequence[int]) -> OwnCells:
        """What a coalition knows of base cells."""
        return own_cells(self.columns, np.diff(self.amounts.indptr), members)

    def parts(self) -> IntArray:
        """For each base cell its independent part; -1 where everybody knows it."""
        found, inferred = np.full(self.publication.size, -1), self.ranges.found
        found[inferred.constraints.atoms] = inferred.part
        found[inferred.history.lower == inferred.history.upper] = -1
        return found

    @cached_property
    def shared(self) -> csr_array:
        """Contributors x contributors: whether they gave to the same base cell."""
        given = csr_array((np.ones(self.amounts.nnz, np.int32), self.amounts.indices, self.amounts.indptr))
        return csr_array(given.T @ given)

    def informed(self, coalition: int) -> dict[int, set[int]]:
        """For each part the contributors who, with others, may know more of its cells than everybody."""
        history, parts = self.ranges.found.history, self.parts()
        found = dict[int, set[int]]()
        for atom in np.flatnonzero((parts >= 0) & (np.diff(self.amounts.indptr) > 0)).tolist():
            entries = slice(self.amounts.indptr[atom], self.amounts.indptr[atom + 1])
            who, own = self.amounts.indices[entries], self.amounts.data[entries]
            others = int(np.sort(own)[::-1][: coalition - 1].sum())  # at least what partners can add
            more = own + others > history.lower[atom]
            if len(who) <= coalition:
                more[:] = True
            found.setdefault(int(parts[atom]), set()).update(who[more].tolist())
        return found


class WitnessPool:
    """Tables that fit a publication, and which contributors could rule each of them out.

    Attributes:
        tables: a row a table.
        values: the figures of each.
        single: tables x contributors: whether somebody alone does not rule a table out.
        free: whether somebody does not rule it out in any coalition of the size that is asked about.
    """

    def __init__(self, known: CoalitionKnowledge, figures: IntArray, coalition: int) -> None:
        self._known, self._sums = known, known.publication.rows[figures].astype(np.int64)
        self._reach = [_reach(known.amounts, size) for size in (1, coalition)]
        size, many = known.publication.size, known.amounts.shape[1]
        self.tables, self.values = np.zeros((0, size), np.int64), np.zeros((0, len(figures)), np.int64)
        self.single = self.free = np.zeros((0, many), bool)
        self.add(known.tables)

    def add(self, tables: IntArray) -> None:
        """More tables that fit, as far as there is room."""
        tables = tables[: max(0, MAX_ENTRIES // max(1, self.tables.shape[1]) - len(self.tables))]
        self.tables = np.concatenate([self.tables, tables])
        self.values = np.concatenate([self.values, (self._sums @ tables.T).T])
        self.single = np.concatenate([self.single, self._allowed(tables, 0)])
        self.free = np.concatenate([self.free, self._allowed(tables, 1)])

    def _allowed(self, tables: IntArray, kind: int) -> BoolArray:
        amounts, (least, alone) = self._known.amounts, self._reach[kind]
        atoms = np.repeat(np.arange(amounts.shape[0]), np.diff(amounts.indptr))
        truth, found = amounts.sum(axis=1), np.ones((len(tables), amounts.shape[1]), bool)
        for table, allowed in zip(tables, found, strict=True):
            out = (least > table[atoms]) | (alone & (table != truth)[atoms])
            allowed[amounts.indices[out]] = False
        return found

    def unshown(self, wanted: "WantedEnds", size: int) -> Iterator[tuple[int, ...]]:
        """The coalitions of a size that no two tables show to be left enough."""
        inside, extra = list(wanted.inside), size - len(wanted.inside)
        if extra < 0 or (extra == 0 and not wanted.informed):
            return
        fits = fitting(self.tables, self._known.own(inside)) if inside else np.ones(len(self.tables), bool)
        ends, others = self.values[:, wanted.place], wanted.others
        high, low = fits & (ends >= wanted.ends.wanted_upper), fits & (ends <= wanted.below)
        columns, free = self.single[:, others], self.free[:, others]
        near = np.asarray(self._known.shared[inside].sum(axis=0))[others] > 0
        columns[:, near] = free[:, near]  # those who share no cell do not know more together
        found = set(_uncovered(columns[high], columns[low], extra))
        if extra > 1:
            pairs = self._known.shared[others][:, others].tocoo()
            for pair in zip(pairs.row.tolist(), pairs.col.tolist(), strict=True):
                if pair[0] < pair[1]:
                    both = free[:, pair].all(axis=1)
                    rest = np.delete(np.arange(len(others)), pair)
                    sets = _uncovered(free[high & both][:, rest], free[low & both][:, rest], extra - 2)
                    found.update(tuple(sorted((*pair, *rest[list(more)].tolist()))) for more in sets)
        for more in found:
            yield tuple(sorted((*inside, *others[list(more)].tolist())))


def _reach(amounts: csr_array, coalition: int) -> tuple[IntArray, BoolArray]:
    """For each amount the most that a coalition with its giver gave to the cell; whether it may be alone."""
    reach, alone = np.zeros(amounts.nnz, np.int64), np.zeros(amounts.nnz, bool)
    for begin, end in pairwise(amounts.indptr.tolist()):
        own = amounts.data[begin:end]
        largest = np.sort(own)[::-1][:coalition]
        if len(largest):
            reach[begin:end] = np.where(own >= largest[-1], largest.sum(), own + largest[:-1].sum())
            alone[begin:end] = end - begin <= coalition
    return reach, alone


def _uncovered(high: BoolArray, low: BoolArray, size: int) -> Iterator[tuple[int, ...]]:
    """The sets of columns in which no row of `high`, or no row of `low`, is true throughout.

    Such a set has a column that is false in the fullest row of one of them: these are gone through.
    """
    if size == 0:
        if not len(high) or not len(low):
            yield ()
        return
    if size == 1:
        yield from ((int(one),) for one in np.flatnonzero(~(high.any(axis=0) & low.any(axis=0))))
        return
    first = np.zeros(high.shape[1], bool)
    for rows in (high, low):
        first |= ~rows[rows.sum(axis=1).argmax()] if len(rows) else True
    left = np.ones(high.shape[1], bool)
    for one in np.flatnonzero(first).tolist():
        left[one] = False
        places = np.flatnonzero(left)
        for more in _uncovered(high[high[:, one]][:, left], low[low[:, one]][:, left], size - 1):
            yield tuple(sorted((one, *places[list(more)].tolist())))


@dataclass(frozen=True, eq=False)
class WantedEnds:
    """What must stay possible of a figure for coalitions with the same givers to it.

    Attributes:
        place: the figure.
        inside: the members who gave to it.
        others: contributors who did not, and may know more of it than everybody.
        informed: whether one of those inside may.
        ends: the values that must stay possible.
    """

    place: int
    inside: tuple[int, ...]
    others: IntArray
    informed: bool
    ends: Estimate

    @property
    def below(self) -> int:
        """The value that must stay possible below; any, if none must."""
        return UNBOUNDED if self.ends.wanted_lower is None else self.ends.wanted_lower


def estimate_findings(
    known: CoalitionKnowledge,
    rules: Rules,
    figures: IntArray,
    names: Sequence[str],
    deadline: Deadline,
) -> Iterator[ContributorFinding]:
    """Coalitions that estimate somebody's amount in figures better than rules allow, or may do so.

    Of coalitions with a part that can do the same without the others, the part is found.
    """
    pool, runs, said = WitnessPool(known, figures, rules.coalition), 0, set[tuple[tuple[int, ...], int]]()
    wanted = list(_wanted(known, rules, figures))
    for size in range(1, rules.coalition + 1):
        asked = _asked_of(pool, wanted, size, said)
        for members in sorted(asked):
            own = known.own(members)
            values = pool.values[fitting(pool.tables, own)]
            unshown = [
                each
                for each in asked[members]
                if not any((part, each.place) in said for part in _parts(members, size - 1))
                and not (
                    (values[:, each.place] >= each.ends.wanted_upper).any()
                    and (values[:, each.place] <= each.below).any()
                )
            ]
            if not unshown:
                continue
            runs += 1
            who = tuple(names[each] for each in members)
            if runs > MAX_RUNS or deadline.over:
                yield ContributorFinding(who, (), False)
                continue
            rows = known.publication.rows[figures[[each.place for each in unshown]]]
            history = narrowed(known.ranges.found.history, own)
            found = SumRanges(infer(known.publication, history, deadline), rows)
            left = [
                left_open(found.ends(number), each.ends.wanted_lower, each.ends.wanted_upper, 0)
                for number, each in enumerate(unshown)
            ]
            pool.add(true_to(known.publication, witness_tables(found, range(len(unshown)))))
            close = [each for each, enough in zip(unshown, left, strict=True) if enough is False]
            said.update((members, each.place) for each in close)
            if close or None in left:
                yield ContributorFinding(who, (), None not in left, tuple(each.ends for each in close))


def _parts(members: Sequence[int], most: int) -> Iterator[tuple[int, ...]]:
    return (part for size in range(1, most + 1) for part in combinations(members, size))


def _asked_of(
    pool: WitnessPool, wanted: Sequence[WantedEnds], size: int, said: Collection[tuple[tuple[int, ...], int]]
) -> dict[tuple[int, ...], list[WantedEnds]]:
    """What must be left to each coalition of a size that tables at hand do not show to be left enough."""
    found, pairs = dict[tuple[int, ...], list[WantedEnds]](), 0
    for each in wanted:
        if any((part, each.place) in said for part in _parts(each.inside, len(each.inside))):
            continue
        others = [who for who in each.others.tolist() if ((who,), each.place) not in said]
        for members in pool.unshown(replace(each, others=np.array(others, np.int64)), size):
            pairs += 1
            if pairs > MAX_PAIRS:
                raise RequestError(
                    f"more than {MAX_PAIRS:,} coalitions of {size} contributors may estimate something: "
                    "ask for smaller coalitions"
                )
            found.setdefault(members, []).append(each)
    return found


def _wanted(known: CoalitionKnowledge, rules: Rules, figures: IntArray) -> Iterator[WantedEnds]:
    """What coalitions that know more than everybody must be left, by the places of figures."""
    informed, parts = known.informed(rules.coalition), known.parts()
    rows = known.publication.rows[figures].astype(np.int64)
    shares = csr_array(rows @ known.amounts)
    for place, row in enumerate(figures.tolist()):
        atoms = rows.indices[rows.indptr[place] : rows.indptr[place + 1]].astype(np.int64)
        entries = slice(shares.indptr[place], shares.indptr[place + 1])
        given = dict(zip(shares.indices[entries].tolist(), shares.data[entries].tolist(), strict=True))
        given = {who: amount for who, amount in given.items() if amount}
        knowing = set[int]().union(*(informed.get(part, set()) for part in set(parts[atoms].tolist())))
        others, total = np.array(sorted(knowing - set(given)), np.int64), sum(given.values())
        needs = list(_needs(rules, given))
        least, most = _least(known, atoms, ()), max((need for _, need in needs), default=Fraction(0))
        public = known.ranges.ends(row)
        if left_open(public, max(least, floor(total - most)), ceil(total + most), 0) is False:
            continue  # everybody can say too much: that is found without contributors
        for inside, need in needs:
            lower = max(_least(known, atoms, inside), floor(total - need))
            ends = Estimate(
                known.publication.row_name(row), lower if lower < total else None, ceil(total + need)
            )
            yield WantedEnds(place, inside, others, not knowing.isdisjoint(inside), ends)


def _needs(rules: Rules, given: Mapping[int, int]) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Of those who gave to a figure, the coalitions for which more than the figure must stay possible."""
    order, total = sorted(given, key=lambda who: -given[who]), sum(given.values())
    for size in range(min(rules.coalition, len(order)) + 1):
        for inside in combinations(order, size):
            other = next((given[who] for who in order[: size + 1] if who not in inside), 0)
            need = rules.estimate_level([given[who] for who in inside], other, total)
            if need > 0:
                yield inside, need


def _least(known: CoalitionKnowledge, atoms: IntArray, members: Sequence[int]) -> int:
    """The least value of a figure by what is declared, and by what a coalition gave."""
    lower = known.publication.atom_lower[atoms]
    own = known.columns[:, list(members)].sum(axis=1)[atoms] if len(members) else 0
    return int(np.maximum(lower, own).sum())
