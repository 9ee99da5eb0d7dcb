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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from noiseless.tabulations.publication import Publication
from noiseless.tabulations.ranges import SumRanges
from noiseless.tabulations.result import ContributorFinding, Estimate

MAX_COALITIONS = 200_000
MAX_RUNS = 5_000
"""Coalitions that need an inference of their own; what more of them can estimate is not decided."""


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
    wanted = dict[tuple[int, ...], list[tuple[int, Estimate]]]()
    for place, members, need in _needs(known, rules, figures):
        wanted.setdefault(members, []).append((place, need))
    sums = known.publication.rows[figures].astype(np.int64)
    values, runs = (sums @ known.tables.T).T, 0
    for members in sorted(wanted, key=lambda each: (len(each), each)):
        own = known.own(members)
        mine = values[fitting(known.tables, own)]
        unshown = [
            (place, each)
            for place, each in wanted[members]
            if not (
                np.any(mine[:, place] >= each.wanted_upper)
                and (each.wanted_lower is None or np.any(mine[:, place] <= each.wanted_lower))
            )
        ]
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


def _needs(
    known: CoalitionKnowledge, rules: Rules, figures: IntArray
) -> Iterator[tuple[int, tuple[int, ...], Estimate]]:
    """What each coalition that knows more than everybody must be left of each figure."""
    publication, informed, parts, asked = known.publication, known.informed(rules.coalition), known.parts(), 0
    rows = publication.rows[figures].astype(np.int64)
    shares = csr_array(rows @ known.amounts)
    for place, row in enumerate(figures.tolist()):
        atoms = rows.indices[rows.indptr[place] : rows.indptr[place + 1]].astype(np.int64)
        entries = slice(shares.indptr[place], shares.indptr[place + 1])
        given = dict(zip(shares.indices[entries].tolist(), shares.data[entries].tolist(), strict=True))
        given = {who: amount for who, amount in given.items() if amount}
        order, total = sorted(given, key=lambda who: -given[who]), sum(given.values())
        knowing = set[int]().union(*(informed.get(part, set()) for part in set(parts[atoms].tolist())))
        every = sorted(knowing | set(given))
        asked += sum(comb(len(every), size) for size in range(1, rules.coalition + 1))
        if asked > MAX_COALITIONS:
            raise RequestError(
                f"more than {MAX_COALITIONS:,} coalitions of up to {rules.coalition} contributors may "
                "estimate something: ask for smaller coalitions"
            )
        for members in (each for size in range(1, rules.coalition + 1) for each in combinations(every, size)):
            other = next((given[who] for who in order if who not in members), 0)
            need = rules.estimate_level([given.get(who, 0) for who in members], other, total)
            if need <= 0 or knowing.isdisjoint(members):
                continue
            least = _least(publication, known, atoms, members)
            lower = max(least, floor(total - need))
            name = publication.row_name(row)
            yield place, members, Estimate(name, lower if lower < total else None, ceil(total + need))


def _least(
    publication: Publication, known: CoalitionKnowledge, atoms: IntArray, members: Sequence[int]
) -> int:
    """The least value of a figure by what is declared, and by what a coalition gave."""
    lower = publication.atom_lower.copy()
    mine, own, _ = known.own(members)
    lower[mine] = np.maximum(lower[mine], own)
    return int(lower[atoms].sum())
