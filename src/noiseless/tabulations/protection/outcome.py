"""What came out of protecting tables: for each method what may be published, its loss and its guarantee."""

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from noiseless.display import FrameMixin, PageMixin, Shown, arrow_rows
from noiseless.errors import RequestError
from noiseless.tabulations.audit import TabulationAudit, audit_tables
from noiseless.tabulations.protection.category_blocks import as_read
from noiseless.tabulations.protection.method import ProposedTables
from noiseless.tabulations.protection.problem import TrueTables
from noiseless.tabulations.publication import Publication
from noiseless.tabulations.ranges import SumRanges
from noiseless.tabulations.reading.request import TableSource
from noiseless.tabulations.result import RequirementFinding

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class ProtectionOutcome:
    """What one method proposed, and what the exact audit says of it.

    Attributes:
        method: its name.
        tables: the true tables.
        proposal: what may be published; None if there is nothing.
        audit: the exact audit of the proposal.
        levels: what rules want of the sensitive figures, and whether the proposal leaves it.
        refusal: why there is nothing, or why it is not safe; for people.
        tried: how many proposals were audited.
        exhausted: whether nothing was left to be tried; otherwise time was up, or proposals were too many.
    """

    method: str
    tables: TrueTables
    proposal: ProposedTables | None
    audit: TabulationAudit | None
    levels: tuple[RequirementFinding, ...]
    refusal: str
    tried: int
    exhausted: bool = True

    @cached_property
    def safe(self) -> bool:
        """Whether the exact audit proved that all rules are kept: outsiders, contributors, coalitions."""
        return (
            self.proposal is not None
            and self.audit is not None
            and self.audit.holds
            and all(each.holds for each in self.levels)
        )

    @property
    def decided(self) -> bool:
        """Whether something safe was found, or it is known that the method finds nothing."""
        return self.safe or (self.exhausted and (self.audit is None or self.audit.decided))

    @property
    def publication(self) -> Publication | None:
        """What may be published; None unless it is safe."""
        return self.proposal.publication if self.proposal is not None and self.safe else None

    @cached_property
    def widths(self) -> tuple[int | None, ...]:
        """For each figure of the true tables, how far apart its possible values are; None: no limit."""
        if self.audit is None or self.audit.ranges is None:
            return ()
        ranges = SumRanges(self.audit.ranges.found, self.tables.matrix)
        found = (ranges.ends(row) for row in range(self.tables.matrix.shape[0]))
        return tuple(None if each.upper is None else each.upper - each.lower for each in found)

    @property
    def kept(self) -> int:
        """How many figures of the true tables are still known exactly."""
        return sum(width == 0 for width in self.widths)

    @property
    def withheld_weight(self) -> float:
        """The weights of the figures that are no longer known exactly, together."""
        known = np.array([width == 0 for width in self.widths], bool)
        return float(self.tables.weights[~known].sum()) if len(known) else math.nan

    @property
    def total_width(self) -> float:
        """How far apart the possible values of all figures are, together; infinite without limit."""
        return math.inf if None in self.widths else float(sum(width or 0 for width in self.widths))

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        proposal, shown = self.proposal, self.safe
        return {
            "method": self.method,
            "safe": self.safe,
            "refusal": self.refusal or None,
            "words": proposal.words if proposal is not None else None,
            "loss": proposal.loss if proposal is not None else None,
            "unit": proposal.unit if proposal is not None else None,
            "bound": proposal.bound if proposal is not None else None,
            "optimal": proposal.optimal if proposal is not None else None,
            "gap": proposal.gap if proposal is not None else None,
            "figures_kept": self.kept if shown else None,
            "weight_lost": self.withheld_weight if shown else None,
            "total_width": _finite(self.total_width) if shown else None,
            "tried": self.tried,
        }


@dataclass(frozen=True)
class AwarenessFinding:
    """What an adversary who knows the rule is left with.

    Attributes:
        fitting: how many tables fit what is published; None if they were not counted, for lack of sensitive
            figures or for another reason that the words give.
        left: for how many of these the same would be published.
        fewest: the fewest values that a sensitive figure has among those.
        decided: whether the rule was run on all of them.
        words: the same in a sentence.
    """

    fitting: int | None
    left: int | None
    fewest: int | None
    decided: bool
    words: str

    @property
    def holds(self) -> bool:
        """Whether every sensitive figure has more than one value left, proved."""
        return self.decided and (self.fewest is None or self.fewest > 1)

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {
            "fitting": self.fitting,
            "left": self.left,
            "fewest": self.fewest,
            "holds": self.holds,
            "decided": self.decided,
            "words": self.words,
        }


@dataclass(frozen=True, repr=False, eq=False)
class TableProtection(Shown, FrameMixin, PageMixin):
    """The outcomes of all methods that were asked for, those that are safe and lose least first.

    Attributes:
        tables: the true tables.
        outcomes: one for each method.
        notes: what was assumed when the tables were read, and what is not promised.
        sources: the tables as they were read.
        aware: what somebody is left with who knows the rules and the method, if that was asked.
    """

    tables: TrueTables
    outcomes: tuple[ProtectionOutcome, ...]
    notes: tuple[str, ...] = ()
    sources: tuple[TableSource, ...] = ()
    aware: AwarenessFinding | None = None

    @property
    def decided(self) -> bool:
        """Whether no method was stopped without an answer, nor the question about who knows the rule."""
        return all(each.decided for each in self.outcomes) and (self.aware is None or self.aware.decided)

    @property
    def best(self) -> ProtectionOutcome | None:
        """The first outcome that is safe, also from those who know the rule if asked; None if none is."""
        if self.aware is not None and not self.aware.holds:
            return None
        return next((each for each in self.outcomes if each.safe), None)

    @property
    def holds(self) -> bool:
        """Whether something safe was found."""
        return self.best is not None

    @property
    def publication(self) -> Publication | None:
        """What may be published, by the best method; None if nothing is safe."""
        return None if self.best is None else self.best.publication

    def to_arrow(self) -> "pa.Table":
        """A row for each method."""
        return arrow_rows(each.to_dict() for each in self.outcomes)

    def frame(self, number: int = 0) -> Any:  # noqa: ANN401 - pandas'
        """What may be published in place of a pandas crosstab.

        Args:
            number: which table.
        """
        from noiseless.tabulations.protection.output import protected_frame

        return protected_frame(self._found(), self.sources[number], number)

    def write(self, out: Path | str) -> tuple[Path, ...]:
        """Write what may be published, in the form that was read: a file, or a folder for several tables.

        Args:
            out: the file or the folder.
        """
        from noiseless.tabulations.protection.output import write_protected

        files = [each.file for each in self.sources if each.file is not None]
        return write_protected(self._found(), self.sources, Path(out), files)

    def _found(self) -> ProposedTables:
        if self.best is None or self.best.proposal is None:
            raise RequestError("nothing safe was found, so there is nothing to publish")
        return self.best.proposal

    def certificate(self, out: Path | str | None = None) -> dict[str, Any]:
        """Proofs about what may be published, from that alone: public, and checked without a solver.

        Args:
            out: the file that one table is published as; without it, proofs are about the table by its name.
        """
        proposal = self._found()
        audit = None if self.best is None else self.best.audit
        if audit is None or audit.publication is not proposal.publication:
            audit = audit_tables(  # without the figures that are gone
                as_read(proposal.publication, self.tables.publication)
            )
        made = audit.certificate(public=True)
        if out is not None and len(proposal.publication.tables) == 1:
            made["publication"]["tables"][0]["name"] = Path(out).stem
        return made

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        best = self.best
        return {
            "method": None if best is None else best.method,
            "outcomes": [each.to_dict() for each in self.outcomes],
            "cells": [] if best is None or best.audit is None else [c.to_dict() for c in best.audit.cells],
            "sensitive": int(self.tables.sensitive.sum()),
            "kind": self.tables.publication.kind,
            "step": str(self.tables.publication.step),
            "population": self.tables.publication.population,
            "holds": self.holds,
            "decided": self.decided,
            "aware": None if self.aware is None else self.aware.to_dict(),
            "notes": list(self.notes),
        }

    def _shown(self) -> tuple[str, dict[str, str]]:
        best = self.best
        facts = {"figures": f"{len(self.tables.truth):,}, {int(self.tables.sensitive.sum()):,} sensitive"}
        for each in self.outcomes:
            proposal = each.proposal
            if each.safe and proposal is not None:
                proved = "proved least" if proposal.optimal else _gap_words(proposal)
                facts[each.method] = (
                    f"safe; {proposal.words}; loses {proposal.loss:,.6g} {proposal.unit}, {proved}"
                )
            else:
                facts[each.method] = f"refused: {each.refusal}"
        return "Protected tables" if best is not None else "No safe table found", facts


def _gap_words(proposal: ProposedTables) -> str:
    gap = proposal.gap
    return "no bound known" if gap is None else f"at most {math.ceil(gap * 1000) / 10:g} % above the least"


def _finite(value: float) -> float | str:
    return "inf" if math.isinf(value) else value
