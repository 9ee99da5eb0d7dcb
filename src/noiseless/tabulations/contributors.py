"""Contributors as adversaries: they know their own amounts, and subtract them.

In a base cell where nobody but a coalition contributes, its members know the cell; in others they know that
it is at least what they gave. A figure that they make up themselves is nothing that they learn.

Whether a figure of a network varies is seen by moves of 1 around a circle, from the true table. A cell to
which others gave 1 or more can take such a move, so there only those need an inference of their own who may
leave less, together with others of a coalition. In integer programs moves can be larger, and everyone does.
Where rules say which figures are sensitive, others are nothing that anyone may not learn.

A table that fits, holds what a coalition knows of itself, and has another value than the true one shows that
the coalition does not know a figure: most need no inference of their own.

Where rules of magnitudes say how well amounts may be estimated, `estimates` asks that besides.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array

from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import RequestError
from noiseless.tabulations.coalitions import OwnCells, fitting, narrowed, own_cells, true_to
from noiseless.tabulations.estimates import MAX_COALITIONS, MAX_RUNS, CoalitionKnowledge, estimate_findings
from noiseless.tabulations.inference import infer
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.magnitudes import ContributorAmounts, Rules, protection_levels
from noiseless.tabulations.proofs import ProofWriter
from noiseless.tabulations.propagation import BoundHistory, declared_bounds
from noiseless.tabulations.publication import Publication, RowName
from noiseless.tabulations.ranges import SumRanges
from noiseless.tabulations.result import ContributorFinding
from noiseless.tabulations.witnesses import witness_tables


def contributor_findings(
    publication: Publication,
    ranges: SumRanges,
    rules: Rules,
    contributions: ContributorAmounts | None,
    deadline: Deadline,
    *,
    tables: IntArray | None = None,
) -> tuple[ContributorFinding, ...]:
    """What each coalition learns that could know a withheld base cell; tables that fit spare work."""
    if contributions is None:
        return ()
    amounts = contributions.matrix(publication)
    amounts.sum_duplicates()
    useful, sizes = _useful(ranges, amounts, rules.coalition), range(1, rules.coalition + 1)
    if sum(comb(len(useful), size) for size in sizes) > MAX_COALITIONS:
        raise RequestError(
            f"{len(useful):,} contributors may learn something, and they form more than {MAX_COALITIONS:,} "
            f"coalitions of up to {rules.coalition}: ask for smaller coalitions"
        )
    figures = _asked(publication, ranges, rules, contributions)
    present = csr_array((np.ones_like(amounts.data), amounts.indices, amounts.indptr), shape=amounts.shape)
    shares = csr_array(publication.rows[figures].astype(np.int64) @ present)  # who gave 0 takes part
    shown = _Shown(publication, ranges, figures, contributions.truth(publication), tables)
    columns, givers = csc_array(amounts), np.diff(amounts.indptr)
    found, runs = dict[tuple[str, ...], ContributorFinding](), 0
    for members in (each for size in sizes for each in combinations(useful, size)):
        own = own_cells(columns, givers, members)
        unshown = np.flatnonzero(~shown.to(own)).tolist()
        others = [place for place in unshown if set(_of(shares, place)) - set(members)]
        learned, decided = list[int](), True
        if others:
            runs += 1
            learned, decided = [], False
            if runs <= MAX_RUNS and not deadline.over:
                learned, decided = _learned(publication, ranges.found.history, figures[others], own, deadline)
        names = tuple(contributions.names[who] for who in members)
        rows = tuple(publication.row_name(int(row)) for row in learned)
        found[names] = ContributorFinding(names, rows, decided)
    if publication.kind == "magnitude" and (rules.p_percent is not None or rules.dominance is not None):
        known = CoalitionKnowledge(publication, ranges, amounts, shown.tables)
        for each in estimate_findings(known, rules, figures, contributions.names, deadline):
            before = found.get(each.who, replace(each, estimates=()))
            found[each.who] = replace(
                before, estimates=each.estimates, decided=before.decided and each.decided
            )
    return tuple(found.values())


def _asked(
    publication: Publication, ranges: SumRanges, rules: Rules, contributions: ContributorAmounts
) -> IntArray:
    """The figures that are withheld and not known to everybody; of these the sensitive ones, if rules say."""
    hidden = publication.told_lower < publication.told_upper
    if rules.threshold is not None or rules.p_percent is not None or rules.dominance is not None:
        sensitive = np.zeros(len(hidden), bool)
        sensitive[[level.row for level in protection_levels(publication, rules, contributions)]] = True
        hidden &= sensitive
    return np.flatnonzero(hidden & ~ranges.known_sums()[: len(hidden)])


class _Shown:
    """Tables that fit a publication, and where each of them differs from the truth."""

    def __init__(
        self,
        publication: Publication,
        ranges: SumRanges,
        figures: IntArray,
        truth: IntArray,
        given: IntArray | None,
    ) -> None:
        tables = witness_tables(ranges, figures.tolist()) if ranges.sharp and len(figures) else []
        self.tables = true_to(publication, [*tables, *(() if given is None else given)])
        asked = publication.rows[figures].astype(np.int64)
        self.differs = np.asarray(asked @ truth != (asked @ self.tables.T).T)

    def to(self, own: OwnCells) -> BoolArray:
        """The figures that a coalition does not know, as a table shows."""
        return np.asarray(self.differs[fitting(self.tables, own)].any(axis=0))


def _useful(ranges: SumRanges, amounts: csr_array, coalition: int) -> list[int]:
    """The contributors who may know more than everybody does, with some others.

    Of those who gave the same to the same base cells no more are looked at than can be in one coalition.
    """
    history, found = ranges.found.history, ranges.found
    program = np.zeros(len(history.lower), bool)
    for each in found.programs.values():
        program[each.atoms] = True
    useful = set[int]()
    for atom in np.flatnonzero((history.lower < history.upper) & (np.diff(amounts.indptr) > 0)).tolist():
        begin, end = amounts.indptr[atom], amounts.indptr[atom + 1]
        values = amounts.data[begin:end]
        largest = np.sort(values)[::-1][:coalition]
        for who, own in zip(amounts.indices[begin:end].tolist(), values.tolist(), strict=True):
            top = (
                largest[: coalition - 1].sum()
                if coalition == 1 or own < largest[-1]
                else (largest.sum() - own)
            )
            if program[atom] or values.sum() - own - top < 1:
                useful.add(who)
    columns, alike = csc_array(amounts), Counter[tuple[bytes, bytes]]()
    chosen = list[int]()
    for who in sorted(useful):
        part = slice(columns.indptr[who], columns.indptr[who + 1])
        key = columns.indices[part].tobytes(), columns.data[part].tobytes()
        alike[key] += 1
        if alike[key] <= coalition:
            chosen.append(who)
    return chosen


def _of(amounts: csr_array, row: int) -> list[int]:
    found: list[int] = amounts.indices[amounts.indptr[row] : amounts.indptr[row + 1]].tolist()
    return found


def _learned(
    publication: Publication,
    public: BoundHistory,
    figures: IntArray,
    known: OwnCells,
    deadline: Deadline,
) -> tuple[list[int], bool]:
    """The figures that a coalition knows exactly; whether that is all."""
    history = narrowed(public, known)
    sums = SumRanges(infer(publication, history, deadline), publication.rows[figures], sharp=False)
    fixed = sums.known_sums()
    return [int(row) for row in figures[fixed]], not sums.undecided(~fixed)


def own_parts(publication: Publication, contributions: ContributorAmounts, who: Sequence[str]) -> OwnCells:
    """The base cells of a coalition, its amounts there, and whether nobody else contributes."""
    amounts = contributions.matrix(publication)
    amounts.sum_duplicates()
    place = {name: number for number, name in enumerate(contributions.names)}
    return own_cells(csc_array(amounts), np.diff(amounts.indptr), [place[name] for name in who])


def learned_rows(
    publication: Publication, who: Sequence[str], of: RowName, contributions: ContributorAmounts
) -> tuple[int, ...]:
    """The figures from which a coalition learns one of them."""
    rows = np.array([publication.row_names.index(of)])
    writer = _proved(publication, who, rows, contributions)[1]
    return writer.rows_used()


def _proved(
    publication: Publication, who: Sequence[str], rows: IntArray, contributions: ContributorAmounts
) -> tuple[SumRanges, ProofWriter, list[list[int | None]]]:
    """What a coalition knows of some figures, why, and what it knows of base cells beforehand."""
    mine, own, alone = own_parts(publication, contributions, who)
    lower, upper = publication.atom_lower.copy(), publication.atom_upper.copy()
    lower[mine] = np.maximum(lower[mine], own)
    upper[mine[alone]] = own[alone]
    history = declared_bounds(publication, lower, upper)
    sums = SumRanges(infer(publication, history, Deadline()), publication.rows[rows])
    writer = ProofWriter(publication, history)
    for number in range(len(rows)):
        sums.prove(number, writer)
    known = [
        [atom, low, low if fixed else None]
        for atom, low, fixed in zip(mine.tolist(), own.tolist(), alone.tolist(), strict=True)
    ]
    return sums, writer, known


def adversary_proofs(
    publication: Publication,
    findings: Sequence[ContributorFinding],
    contributions: ContributorAmounts | None,
) -> list[dict[str, Any]]:
    """What coalitions learn, with proofs that start from what is declared and what the coalition knows."""
    if contributions is None:
        return []
    proofs = list[dict[str, Any]]()
    numbers = {name: row for row, name in enumerate(publication.row_names)}
    for finding in findings:
        if finding.learns:
            rows = np.array([numbers[name] for name in finding.learns])
            sums, writer, own = _proved(publication, finding.who, rows, contributions)
            proofs.append(
                {
                    "who": list(finding.who),
                    "own": own,
                    "steps": [step.to_json() for step in writer.steps],
                    "learns": [[int(row), sums[number].lower] for number, row in enumerate(rows)],
                }
            )
    return proofs
