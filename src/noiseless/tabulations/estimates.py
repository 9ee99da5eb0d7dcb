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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import ceil, comb, floor

import numpy as np
from scipy.sparse import csc_array, csr_array

from noiseless.arrays import IntArray
from noiseless.errors import RequestError
from noiseless.tabulations.coalitions import OwnCells, fitting, narrowed, own_cells
from noiseless.tabulations.inference import infer
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.magnitudes import Rules, left_open
from noiseless.tabulations.publication import UNBOUNDED, Publication
from noiseless.tabulations.ranges import SumRanges
from noiseless.tabulations.result import ContributorFinding, Estimate

MAX_COALITIONS = 200_000
MAX_RUNS = 5_000
"""Coalitions that need an inference of their own; what more of them can estimate is not decided."""
MAX_PAIRS = 2_000_000
"""Coalitions and figures that are looked at together."""


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


def estimate_findings(
    known: CoalitionKnowledge,
    rules: Rules,
    figures: IntArray,
    names: Sequence[str],
    deadline: Deadline,
) -> Iterator[ContributorFinding]:
    """Coalitions that estimate somebody's amount in figures better than rules allow, or may do so."""
    sums = known.publication.rows[figures].astype(np.int64)
    values, runs = (sums @ known.tables.T).T, 0
    wanted = _wanted(known, rules, figures)
    for members in sorted(wanted, key=lambda each: (len(each), each)):
        own = known.own(members)
        mine = values[fitting(known.tables, own)][:, [place for place, _ in wanted[members]]]
        high = (mine >= [each.wanted_upper for _, each in wanted[members]]).any(axis=0)
        low = (mine <= [_below(each) for _, each in wanted[members]]).any(axis=0)
        unshown = [wanted[members][place] for place in np.flatnonzero(~(high & low)).tolist()]
        if not unshown:
            continue
        runs += 1
        who = tuple(names[each] for each in members)
        if runs > MAX_RUNS or deadline.over:
            yield ContributorFinding(who, (), False)
            continue
        rows = known.publication.rows[figures[[place for place, _ in unshown]]]
        history = narrowed(known.ranges.found.history, own)
        found = SumRanges(infer(known.publication, history, deadline), rows)
        left = [
            left_open(found.ends(number), each.wanted_lower, each.wanted_upper, 0)
            for number, (_, each) in enumerate(unshown)
        ]
        close = tuple(each for (_, each), enough in zip(unshown, left, strict=True) if enough is False)
        if close or None in left:
            yield ContributorFinding(who, (), None not in left, close)


def _below(estimate: Estimate) -> int:
    return UNBOUNDED if estimate.wanted_lower is None else estimate.wanted_lower


def _wanted(
    known: CoalitionKnowledge, rules: Rules, figures: IntArray
) -> dict[tuple[int, ...], list[tuple[int, Estimate]]]:
    """What each coalition that knows more than everybody must be left, by the places of figures."""
    informed, parts, pairs = known.informed(rules.coalition), known.parts(), 0
    rows = known.publication.rows[figures].astype(np.int64)
    shares = csr_array(rows @ known.amounts)
    found = dict[tuple[int, ...], list[tuple[int, Estimate]]]()
    for place, row in enumerate(figures.tolist()):
        atoms = rows.indices[rows.indptr[place] : rows.indptr[place + 1]].astype(np.int64)
        entries = slice(shares.indptr[place], shares.indptr[place + 1])
        given = dict(zip(shares.indices[entries].tolist(), shares.data[entries].tolist(), strict=True))
        given = {who: amount for who, amount in given.items() if amount}
        knowing = set[int]().union(*(informed.get(part, set()) for part in set(parts[atoms].tolist())))
        others = sorted(knowing - set(given))
        for inside, need in _needs(rules, given):
            total, least = sum(given.values()), _least(known, atoms, inside)
            lower = max(least, floor(total - need))
            estimate = Estimate(
                known.publication.row_name(row), lower if lower < total else None, ceil(total + need)
            )
            sizes = range(rules.coalition - len(inside) + 1)
            pairs += sum(comb(len(others), size) for size in sizes)
            if pairs > MAX_PAIRS:
                raise RequestError(
                    f"coalitions of up to {rules.coalition} contributors may estimate more than "
                    f"{MAX_PAIRS:,} figures in all: ask for smaller coalitions"
                )
            for more in (each for size in sizes for each in combinations(others, size)):
                if not knowing.isdisjoint(members := tuple(sorted((*inside, *more)))):
                    found.setdefault(members, []).append((place, estimate))
    return found


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
