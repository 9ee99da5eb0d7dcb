"""Contributors as adversaries: they know their own amounts, and subtract them.

In a base cell where nobody but a coalition contributes, its members know the cell; in others they know that
it is at least what they gave. Only those who are alone in a cell, or make it up together, know any cell, so
only they need an inference of their own; a figure that they make up themselves is nothing that they learn.
"""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import RequestError
from noiseless.tabulations.inference import infer
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.magnitudes import ContributorAmounts, Rules
from noiseless.tabulations.proofs import ProofWriter
from noiseless.tabulations.propagation import BoundHistory, declared_bounds
from noiseless.tabulations.publication import Publication
from noiseless.tabulations.ranges import SumRanges
from noiseless.tabulations.result import ContributorFinding

MAX_COALITIONS = 5_000


def contributor_findings(
    publication: Publication,
    ranges: SumRanges,
    rules: Rules,
    contributions: ContributorAmounts | None,
    deadline: Deadline,
) -> tuple[ContributorFinding, ...]:
    """What each coalition learns that could know a base cell which is withheld."""
    if contributions is None:
        return ()
    amounts = contributions.matrix(publication)
    amounts.sum_duplicates()
    history = ranges.found.history
    counts = np.diff(amounts.indptr)
    open_cells = np.flatnonzero((counts > 0) & (counts <= rules.coalition) & (history.lower < history.upper))
    useful = sorted({int(who) for atom in open_cells.tolist() for who in _of(amounts, atom)})
    size = min(rules.coalition, len(useful))
    if comb(len(useful), size) > MAX_COALITIONS:
        raise RequestError(
            f"{len(useful):,} contributors know a cell: more than {MAX_COALITIONS:,} coalitions of {size}; "
            "ask for a smaller coalition"
        )
    figures = np.flatnonzero(
        (publication.told_lower < publication.told_upper)
        & ~ranges.known_sums()[: len(publication.told_lower)]
    )
    shares = csr_array(publication.rows[figures].astype(np.int64) @ amounts)
    found = list[ContributorFinding]()
    for members in combinations(useful, size) if size else ():
        learned, decided = _learned(
            publication, history, amounts, figures, shares=shares, members=set(members), deadline=deadline
        )
        names = tuple(contributions.names[who] for who in members)
        found.append(
            ContributorFinding(names, tuple(publication.row_name(int(row)) for row in learned), decided)
        )
    return tuple(found)


def _of(amounts: csr_array, row: int) -> list[int]:
    found: list[int] = amounts.indices[amounts.indptr[row] : amounts.indptr[row + 1]].tolist()
    return found


def _learned(
    publication: Publication,
    public: BoundHistory,
    amounts: csr_array,
    figures: IntArray,
    *,
    shares: csr_array,
    members: set[int],
    deadline: Deadline,
) -> tuple[list[int], bool]:
    """The figures that a coalition knows exactly and that others contribute to; whether that is all."""
    others = [place for place in range(len(figures)) if set(_of(shares, place)) - members]
    if deadline.over:
        return [], False
    history = BoundHistory(public.lower.copy(), public.upper.copy())
    mine, own, alone = _own(amounts, members)
    history.lower[mine] = np.maximum(history.lower[mine], own)
    history.lower[mine[alone]] = history.upper[mine[alone]] = own[alone]
    sums = SumRanges(infer(publication, history, deadline), publication.rows[figures[others]], sharp=False)
    known = sums.known_sums()
    return [int(figures[others[place]]) for place in np.flatnonzero(known)], not sums.undecided(~known)


def _own(amounts: csr_array, members: set[int]) -> tuple[IntArray, IntArray, BoolArray]:
    """The base cells of a coalition, its amounts there, and whether nobody else contributes."""
    columns = csr_array(amounts[:, sorted(members)])
    mine = np.flatnonzero(np.diff(columns.indptr))
    own = np.asarray(columns.sum(axis=1)).ravel().astype(np.int64)[mine]
    return mine, own, np.diff(columns.indptr)[mine] == np.diff(amounts.indptr)[mine]


def adversary_proofs(
    publication: Publication,
    findings: Sequence[ContributorFinding],
    contributions: ContributorAmounts | None,
) -> list[dict[str, Any]]:
    """What coalitions learn, with proofs that start from what is declared and what the coalition knows."""
    if contributions is None:
        return []
    amounts, proofs = contributions.matrix(publication), list[dict[str, Any]]()
    amounts.sum_duplicates()
    numbers = {name: row for row, name in enumerate(publication.row_names)}
    place = {name: number for number, name in enumerate(contributions.names)}
    for finding in findings:
        if finding.learns:
            mine, own, alone = _own(amounts, {place[name] for name in finding.who})
            lower, upper = publication.atom_lower.copy(), publication.atom_upper.copy()
            lower[mine] = np.maximum(lower[mine], own)
            upper[mine[alone]] = own[alone]
            history = declared_bounds(publication, lower, upper)
            rows = np.array([numbers[name] for name in finding.learns])
            sums = SumRanges(infer(publication, history, Deadline()), publication.rows[rows])
            writer = ProofWriter(publication, history)
            for number in range(len(rows)):
                sums.prove(number, writer)
            proofs.append(
                {
                    "who": list(finding.who),
                    "own": [
                        [atom, low, low if fixed else None]
                        for atom, low, fixed in zip(mine.tolist(), own.tolist(), alone.tolist(), strict=True)
                    ],
                    "steps": [step.to_json() for step in writer.steps],
                    "learns": [[int(row), sums[number].lower] for number, row in enumerate(rows)],
                }
            )
    return proofs
