"""The true tables that need protection: what rules want of them, and what withholding a figure costs."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import lsqr

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.errors import RequestError
from noiseless.tabulations.audit import TabulationAudit, audit_tables
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.magnitudes import ContributorAmounts, ProtectionLevel, Rules, protection_levels
from noiseless.tabulations.publication import MAX_VALUE, UNBOUNDED, Publication, PublishedTable
from noiseless.tabulations.ranges import SumRanges
from noiseless.tabulations.result import RequirementFinding

MAX_PERSONS = 1_000_000
"""Counts of more people are protected from outsiders, and from those people that records name."""


BEFORE = "true figures of "
"""Stands before the name of a table whose sensitive figures an audit is asked about besides."""


@dataclass(frozen=True, eq=False)
class TrueTables:
    """Tables with their true figures, all exact, and what must not be learned from what is published instead.

    Attributes:
        publication: the tables; every figure stands for one value, the true one.
        rules: disclosure rules by their names, as `audit_tables` takes them.
        contributions: who contributed what; None where nothing is known of it.
        secret: the classification that people keep secret; None if there is none.
        costs: what is lost when a figure is withheld, one for each row; 1 for each if not given.
        wanted: what must stay possible, where that is not what rules say.
    """

    publication: Publication
    rules: Mapping[str, Any]
    contributions: ContributorAmounts | None = None
    secret: str | None = None
    costs: FloatArray | None = None
    wanted: tuple[ProtectionLevel, ...] | None = None

    def __post_init__(self) -> None:
        if np.any(self.publication.told_lower != self.publication.told_upper):
            raise RequestError(
                "protection starts from the true figures, and some are withheld or rounded; give the table "
                "as it was before, or the records (microdata)"
            )
        if not set(self.rules) - {"coalition"} and self.secret is None and self.wanted is None:
            raise RequestError(
                "nothing says which figures are sensitive; for counts give a threshold (--threshold 5), for "
                "sums --p-percent 10 or --dominance, or name a --secret"
            )
        if self.costs is not None and (
            self.costs.shape != self.truth.shape
            or np.any(self.costs < 0)
            or not np.isfinite(self.costs).all()
        ):
            raise RequestError("costs: give each figure one number, at least 0")
        _ = self.parsed_rules  # refuses what does not fit

    @cached_property
    def parsed_rules(self) -> Rules:
        """The rules, read and held against the tables."""
        return Rules.of(self.rules, self.publication, self.contributions)

    @property
    def truth(self) -> IntArray:
        """The true value of each figure, in the order of the rows."""
        return self.publication.told_lower

    @property
    def matrix(self) -> csr_array:
        """Figures x base cells."""
        return self.publication.rows

    @cached_property
    def weights(self) -> FloatArray:
        """What is lost when a figure is withheld."""
        return np.ones(len(self.truth)) if self.costs is None else self.costs

    @cached_property
    def levels(self) -> tuple[ProtectionLevel, ...]:
        """What rules want of each sensitive figure: values that must stay possible, and a width."""
        if self.wanted is not None:
            return self.wanted
        return protection_levels(self.publication, self.parsed_rules, self.contributions)

    @cached_property
    def sensitive(self) -> BoolArray:
        """Which figures rules call sensitive."""
        found = np.zeros(len(self.truth), bool)
        found[[level.row for level in self.levels]] = True
        return found

    @cached_property
    def adversaries(self) -> ContributorAmounts | None:
        """Those who know their own part: the contributors, or else the people who are counted.

        Without records people are known where the tables show all base cells; each adds 1 to one of them.
        """
        cells = self.base_cells
        if self.contributions is not None or self.publication.kind != "count" or cells is None:
            return self.contributions
        if (cells < 0).any() or cells.sum() > MAX_PERSONS:
            return None
        atoms = np.repeat(np.arange(len(cells)), cells)
        names = tuple(f"person {number + 1}" for number in range(len(atoms)))
        return ContributorAmounts(names, np.arange(len(atoms)), atoms, np.ones(len(atoms), np.int64))

    @cached_property
    def base_cells(self) -> IntArray | None:
        """The true base cells; None where neither records nor figures of one cell each tell them."""
        if self.contributions is not None:
            return self.contributions.truth(self.publication)
        matrix, found = self.matrix, np.full(self.publication.size, -MAX_VALUE)
        single = np.flatnonzero(np.diff(matrix.indptr) == 1)
        found[matrix.indices[matrix.indptr[single]]] = self.truth[single]
        return None if (found == -MAX_VALUE).any() else found

    @property
    def withheld_lower(self) -> int:
        """What a mark says that tells nothing: at least this."""
        least = int(self.publication.atom_lower.min(initial=MAX_VALUE))
        return least if least >= 0 else -MAX_VALUE

    def told(self, lower: IntArray, upper: IntArray) -> Publication:
        """The same tables, with other things said of their figures.

        Args:
            lower: the least value of each figure, in the order of the rows.
            upper: the largest, `UNBOUNDED` where there is no limit.
        """
        tables, first = list[Any](), 0
        for table in self.publication.tables:
            chosen = slice(first, first + len(table))
            tables.append(replace(table, lower=lower[chosen], upper=upper[chosen]))
            first += len(table)
        made = replace(self.publication, tables=tuple(tables))
        made.__dict__["rows"] = self.matrix  # the figures are the same, and so is what they add up
        return made

    def suppressed(self, hidden: BoolArray) -> Publication:
        """The same tables without some figures."""
        return self.told(
            np.where(hidden, self.withheld_lower, self.truth), np.where(hidden, UNBOUNDED, self.truth)
        )

    def audit(
        self, candidate: Publication, deadline: Deadline, shown: IntArray | None = None
    ) -> TabulationAudit:
        """The exact audit of what might be published instead: outsiders, contributors, coalitions, persons.

        Sensitive figures that the candidate no longer has are asked about as well, as withheld ones.
        """
        left = None if deadline.ends == math.inf else max(deadline.left, 0.01)
        return audit_tables(
            candidate if self.has_same_figures(candidate) else self._with_sensitive(candidate),
            secret=self.secret,
            rules=self.rules,
            contributions=self.adversaries,
            time_limit=left,
            shown=shown,
        )

    def has_same_figures(self, candidate: Publication) -> bool:
        """Whether a candidate is about the same figures, in the same order."""
        rows = candidate.rows
        return rows is self.matrix or (
            rows.shape == self.matrix.shape
            and np.array_equal(rows.indptr, self.matrix.indptr)
            and np.array_equal(rows.indices, self.matrix.indices)
        )

    def _with_sensitive(self, candidate: Publication) -> Publication:
        before, first = list[PublishedTable](), 0
        for table in self.publication.tables:
            chosen = self.sensitive[first : first + len(table)]
            first += len(table)
            lower = np.full(int(chosen.sum()), self.withheld_lower)
            upper = np.full_like(lower, UNBOUNDED)
            if len(lower):
                name = f"{BEFORE}{table.name}"
                before.append(replace(table, name=name, codes=table.codes[chosen], lower=lower, upper=upper))
        return replace(candidate, tables=(*candidate.tables, *before))

    def findings(self, audit: TabulationAudit) -> tuple[RequirementFinding, ...]:
        """What an audited candidate leaves of every level, also where it has no figure of that name."""
        if audit.ranges is None:
            return ()
        rows = np.array([level.row for level in self.levels], np.int64)
        ranges = SumRanges(audit.ranges.found, csr_array(self.matrix[rows]))
        return tuple(
            level.finding(self.publication, ranges.ends(place)) for place, level in enumerate(self.levels)
        )

    def holds_truth(self, candidate: Publication) -> bool:
        """Whether everything that a candidate says is true, as far as the base cells are known."""
        cells = self.base_cells
        if cells is None:  # any table with the true figures has their sums, up to what a solver leaves
            found = lsqr(self.matrix.astype(float), self.truth.astype(float), atol=1e-12, btol=1e-12)[0]
            sums = np.rint(candidate.rows.astype(float) @ found).astype(np.int64)
        else:
            sums = candidate.rows.astype(np.int64) @ cells
        return bool(np.all((candidate.told_lower <= sums) & (sums <= candidate.told_upper)))
