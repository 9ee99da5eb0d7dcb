"""The certificate of an audit: tables that fit, lines of proof, and what they show together.

It is checked by `verification`, with integers and fractions alone. The public one holds nothing that was
computed from anything but the publication, so it may be published with it.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from noiseless.errors import RequestError
from noiseless.tabulations.contributors import adversary_proofs
from noiseless.tabulations.proofs import ProofWriter, Step
from noiseless.tabulations.publication import UNBOUNDED, Publication
from noiseless.tabulations.ranges import SumRanges
from noiseless.tabulations.witnesses import witness_tables

if TYPE_CHECKING:
    from noiseless.tabulations.audit import TabulationAudit

FORMAT = "noiseless-tables/1"


def certificate(audit: "TabulationAudit", *, public: bool) -> dict[str, Any]:
    """What an audit found, with the tables and proofs that show it."""
    head = {"format": FORMAT, "public": public, "publication": audit.publication.to_dict()}
    if audit.contradiction is not None:
        proof = audit.contradiction.proof
        steps = [] if proof is None else [Step((), None, None, proof).to_json()]
        return {**head, "inconsistent": list(audit.contradiction.numbers), "steps": steps}
    ranges = audit.ranges
    if ranges is None or not ranges.sharp:
        raise RequestError("a certificate shows the ends of all ranges: audit with sharp=True")
    numbers = np.flatnonzero(~audit.published).tolist()
    writer = ProofWriter(audit.publication, ranges.found.history)
    for number in numbers:
        ranges.prove(number, writer)
    tables = witness_tables(ranges, numbers)  # after the proofs, which find some
    if not tables:
        raise RequestError("no table that fits was found in time, so nothing can be shown; allow more time")
    families = _families(ranges, writer)
    hidden = _hidden(audit.publication)
    made = {
        **head,
        "hidden": hidden,
        "witnesses": [table[hidden].tolist() for table in tables],
        "steps": [step.to_json() for step in writer.steps],
        "families": families,
        "implied": _implied(ranges),
        "claims": [_claim(audit, number) for number in numbers],
    }
    if not public:
        made["requirements"] = [each.to_dict(public=False) for each in audit.requirements]
        made["adversaries"] = adversary_proofs(audit.publication, audit.contributors, audit.contributions)
    return made


def _hidden(publication: Publication) -> list[int]:
    """The base cells that no figure by itself tells."""
    matrix, told = publication.rows, np.zeros(publication.size, bool)
    single = (np.diff(matrix.indptr) == 1) & (publication.told_lower == publication.told_upper)
    told[matrix.indices[matrix.indptr[:-1][single]]] = True
    found: list[int] = np.flatnonzero(~told).tolist()
    return found


def _claim(audit: "TabulationAudit", number: int) -> dict[str, Any]:
    assert audit.ranges is not None  # noqa: S101 - there are no claims otherwise
    found, figures = audit.ranges[number], len(audit.publication.told_lower)
    what = (
        {"figure": number}
        if number < figures
        else {"group": audit.groups[number - figures], "atoms": audit.ranges.atoms(number).tolist()}
    )
    values = found.values if audit.ranges.count_is_shown(number) else None
    return {
        **what,
        "lower": found.lower,
        "upper": found.upper,
        "least": found.least,
        "most": found.most,
        "values": values,
    }


def _implied(ranges: SumRanges) -> list[list[Any]]:
    """Figures about cells of the network that follow from others, and these."""
    found, matrix = ranges.found, ranges.found.publication.rows
    inside = np.zeros(matrix.shape[1], bool)
    inside[found.constraints.atoms[found.in_network]] = True
    return [
        [row, parts]
        for row, parts in found.implied.items()
        if inside[matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]].any()
    ]


def _families(ranges: SumRanges, writer: ProofWriter) -> list[list[int]]:
    """The figures of the network with their families; lines show why others say nothing more."""
    if ranges.network is None:
        return []
    found, publication, history = ranges.found, ranges.found.publication, ranges.found.history
    rows = found.network_rows
    touched = np.zeros(publication.size, bool)
    touched[found.constraints.atoms[found.in_network]] = True
    matrix = publication.rows
    listed = np.zeros(matrix.shape[0], bool)
    listed[rows] = listed[list(found.implied)] = True
    for row in range(matrix.shape[0]):
        atoms = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
        if len(atoms) == 1 or not touched[atoms].any():
            continue
        for atom in atoms.tolist():
            known = history.lower[atom] == history.upper[atom]
            if known or (
                not listed[row] and publication.told_lower[row] > publication.atom_lower[atoms].sum()
            ):
                writer.cell(atom, "lower", history.now)
            if known or (not listed[row] and publication.told_upper[row] < UNBOUNDED):
                writer.cell(atom, "upper", history.now)
    return [
        [int(row), int(family)] for row, family in zip(rows, ranges.network.families.family, strict=False)
    ]
