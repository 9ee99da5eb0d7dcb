"""The audit of a publication: what stays possible for every figure, and what rules want of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack

from noiseless.arrays import BoolArray, IntArray
from noiseless.display import FrameMixin, PageMixin, Shown, arrow_rows
from noiseless.tabulations.contributors import contributor_findings
from noiseless.tabulations.inconsistency import Contradiction, smallest_contradiction
from noiseless.tabulations.inference import ContradictionError, infer
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.magnitudes import ContributorAmounts, Rules, requirement_findings
from noiseless.tabulations.persons import person_findings
from noiseless.tabulations.proofs import ProofWriter
from noiseless.tabulations.propagation import declared_bounds
from noiseless.tabulations.publication import Publication, RowName, Targets
from noiseless.tabulations.ranges import SumRanges
from noiseless.tabulations.result import (
    CellFinding,
    CellFindings,
    ContributorFinding,
    PersonFinding,
    RequirementFinding,
)

if TYPE_CHECKING:
    import pyarrow as pa


GROUP = "group"
"""Stands for the table in the names of groups."""

_TWO = 2
"""More figures than these may prove what a difference shows at once."""


@dataclass(frozen=True, repr=False, eq=False)
class TabulationAudit(Shown, FrameMixin, PageMixin):
    """What a publication leaves possible.

    `holds` is claimed only where all is decided; a violation is claimed only where it is proved. What is
    neither was not decided within the time limit.

    Attributes:
        publication: what is published.
        groups: the names of groups that were asked about besides.
        ranges: what each figure can be; None where figures contradict each other.
        contradiction: the proof that they do; None where they fit.
        contributions: what contributors gave; None where that is not known.
        inconsistent: figures that contradict each other, none of which can be left out; empty if tables fit.
        persons: the groups of each table, where a classification is secret.
        requirements: what rules want of figures.
        contributors: what contributors learn.
        notes: what was assumed when the tables were read.
    """

    publication: Publication
    groups: tuple[str, ...]
    ranges: SumRanges | None
    contradiction: Contradiction | None
    persons: tuple[PersonFinding, ...] = ()
    requirements: tuple[RequirementFinding, ...] = ()
    contributors: tuple[ContributorFinding, ...] = ()
    contributions: ContributorAmounts | None = None
    notes: tuple[str, ...] = ()

    @property
    def inconsistent(self) -> tuple[RowName, ...]:
        """Figures that contradict each other, none of which can be left out."""
        return () if self.contradiction is None else self.contradiction.rows

    @property
    def cells(self) -> CellFindings:
        """Every figure in the order of the publication, then every named group; made when looked at."""
        many = 0 if self.ranges is None else self.ranges.sums.shape[0]
        return CellFindings(many, self._cell)

    @cached_property
    def published(self) -> BoolArray:
        """Which figures are published as they are; named groups are not."""
        return _published(self.publication, len(self.groups))

    @cached_property
    def _known(self) -> BoolArray:
        return np.zeros(0, bool) if self.ranges is None else self.ranges.known_sums()

    @property
    def disclosed(self) -> tuple[CellFinding, ...]:
        """The figures that are not published as they are, and are known all the same."""
        return () if self.ranges is None else tuple(map(self._cell, self._leaks.tolist()))

    @cached_property
    def _leaks(self) -> IntArray:
        return np.flatnonzero(self._known & ~self.published)

    @cached_property
    def decided(self) -> bool:
        """Whether everything that was asked is known."""
        if self.ranges is None:
            return True
        return (
            not self.ranges.undecided(~self.published & ~self._known)
            and all(each.decided for each in self.persons)
            and all(each.decided for each in self.contributors)
            and all(each.holds is not None for each in self.requirements)
        )

    @property
    def violated(self) -> bool:
        """Whether it is proved that something is given away: a figure, a secret, a contributor's amount."""
        return bool(
            self.inconsistent
            or len(self._leaks)
            or any(each.group_disclosure or each.to_members for each in self.persons)
            or any(each.holds is False for each in self.requirements)
            or any(each.learns or each.estimates for each in self.contributors)
        )

    @property
    def holds(self) -> bool:
        """Whether it is proved that nothing of this is given away."""
        return self.decided and not self.violated

    def name(self, number: int) -> RowName:
        """The name of a figure or of a named group."""
        many = len(self.publication.told_lower)
        return self.publication.row_name(number) if number < many else (GROUP, (self.groups[number - many],))

    def _cell(self, number: int) -> CellFinding:
        assert self.ranges is not None  # noqa: S101 - there are no cells otherwise
        found, published = self.ranges[number], bool(self.published[number])
        disclosed = found.lower == found.upper
        because: tuple[RowName, ...] = ()
        if disclosed and not published:
            because = self.because(number)
        decided = found.sharp if self.ranges.sharp else disclosed or found.varies
        return CellFinding(
            self.name(number), found.lower, found.upper, found.values, disclosed, published, because, decided
        )

    def because(self, number: int) -> tuple[RowName, ...]:
        """The published figures that the bounds of a figure follow from: two, if one is their difference."""
        assert self.ranges is not None  # noqa: S101 - there are no cells otherwise
        writer = ProofWriter(self.publication, self.ranges.found.history)
        self.ranges.prove(number, writer)
        rows = writer.rows_used()
        if len(rows) > _TWO and (two := self._two(self.ranges.atoms(number))):
            rows = two
        return tuple(map(self.publication.row_name, rows))

    def _two(self, atoms: IntArray) -> tuple[int, ...]:
        """Two published figures of which a sum of base cells is the difference; empty if there are none."""
        rows, atoms = self.publication.rows, np.sort(atoms)
        for row in self._figures_with(int(atoms[0])):
            members = rows.indices[rows.indptr[row] : rows.indptr[row + 1]]
            others = np.setdiff1d(members, atoms)
            if len(others) == len(members) - len(atoms):
                less = self._by_members.get(others.astype(np.int64).tobytes())
                if less is not None:
                    return row, less
        return ()

    def _figures_with(self, atom: int) -> list[int]:
        """The figures published as they are that a base cell is in."""
        rows = self._columns.indices[self._columns.indptr[atom] : self._columns.indptr[atom + 1]]
        found: list[int] = np.sort(rows[self.published[rows]]).tolist()
        return found

    @cached_property
    def _columns(self) -> csc_array:
        return self.publication.rows.tocsc()

    @cached_property
    def _by_members(self) -> dict[bytes, int]:
        """The figures published as they are, by their base cells."""
        rows = self.publication.rows
        return {
            np.sort(rows.indices[rows.indptr[row] : rows.indptr[row + 1]]).astype(np.int64).tobytes(): row
            for row in np.flatnonzero(self.published[: rows.shape[0]]).tolist()
        }

    def certificate(self, *, public: bool = True) -> dict[str, Any]:
        """Witnesses and proofs, to be checked without a solver.

        Args:
            public: with nothing that was computed from anything but the publication. Otherwise what rules
                want, and what contributors learn, is in it too.
        """
        from noiseless.tabulations.certificate import certificate

        return certificate(self, public=public)

    def to_arrow(self) -> "pa.Table":
        """A row for each figure, and for each named group."""
        return arrow_rows(cell.to_dict() for cell in self.cells)

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "cells": [cell.to_dict() for cell in self.cells],
            "persons": [person.to_dict() for person in self.persons],
            "requirements": [each.to_dict() for each in self.requirements],
            "contributors": [each.to_dict() for each in self.contributors],
            "inconsistent": [{"table": table, "labels": list(labels)} for table, labels in self.inconsistent],
            "kind": self.publication.kind,
            "step": str(self.publication.step),
            "population": self.publication.population,
            "holds": self.holds,
            "violated": self.violated,
            "decided": self.decided,
            "notes": list(self.notes),
        }

    def _shown(self) -> tuple[str, dict[str, str]]:
        if self.inconsistent:
            return "The published figures contradict each other", {
                "figures": "; ".join(f"{table}: {', '.join(labels)}" for table, labels in self.inconsistent)
            }
        hidden = int((~self.published).sum())
        broken = sum(each.holds is False for each in self.requirements)
        verdict = "holds" if self.holds else "violated" if self.violated else "not decided"
        return "Audit of published tables", {
            "figures": f"{len(self.cells):,}, {hidden:,} of them withheld or rounded",
            "disclosed": f"{len(self._leaks):,}",
            "groups of persons": f"{sum(p.group_disclosure for p in self.persons):,} disclosed"
            if self.persons
            else "not asked",
            "rules": f"{broken:,} of {len(self.requirements):,} broken" if self.requirements else "not asked",
            "contributors": f"{sum(bool(c.learns) for c in self.contributors):,} learn a figure"
            if self.contributors
            else "not asked",
            "verdict": verdict,
        } | {"note" if number == 1 else f"note {number}": note for number, note in enumerate(self.notes, 1)}


def audit_tables(
    publication: Publication,
    *,
    secret: str | None = None,
    rules: Mapping[str, Any] | None = None,
    contributions: ContributorAmounts | None = None,
    targets: Targets | None = None,
    time_limit: float | None = None,
    sharp: bool = True,
    shown: IntArray | None = None,
) -> TabulationAudit:
    """What published tables give away for certain.

    Args:
        publication: the tables, all of one quantity. Several publications of one population are one, with all
            their tables.
        secret: the classification that is secret: what stays possible for persons in each group.
        rules: `threshold`, `p_percent`, `q_percent`, `dominance` (n, k), `coalition`; see `Rules`.
        contributions: who contributed what to each base cell: rules of magnitudes need it, and contributors
            as adversaries.
        targets: named groups of base cells to be audited beside the figures.
        time_limit: seconds; what is not known by then is called undecided, never safe.
        sharp: whether the ends of all intervals are wanted; otherwise only which figures are disclosed.
        shown: tables of base cells, a row each; those that fit show what contributors do not know.

    Raises:
        RequestError: something asked for does not fit the publication.
    """
    deadline, history = Deadline.after(time_limit), declared_bounds(publication)
    groups = tuple(targets or ())
    asked = Rules.of(rules, publication, contributions)
    try:
        found = infer(publication, history, deadline)
        sums = csr_array(vstack([publication.rows, publication.sums(targets or {})], format="csr"))
        ranges = SumRanges(found, sums, exact=_published(publication, len(groups)), sharp=sharp)
    except ContradictionError as error:
        return TabulationAudit(
            publication, groups, None, smallest_contradiction(publication, history, error, deadline)
        )
    persons = () if secret is None else person_findings(publication, ranges, secret)
    wanted = requirement_findings(publication, ranges, asked, contributions)
    learned = contributor_findings(publication, ranges, asked, contributions, deadline, tables=shown)
    return TabulationAudit(publication, groups, ranges, None, persons, wanted, learned, contributions)


def _published(publication: Publication, groups: int) -> BoolArray:
    """Which figures are published as they are, and then which named groups: none."""
    found = np.zeros(len(publication.told_lower) + groups, bool)
    found[: len(publication.told_lower)] = publication.told_lower == publication.told_upper
    return found
