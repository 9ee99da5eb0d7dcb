"""The audit under rules beside the audit without them: what the rules buy, and at what price."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from noiseless.audits.anonymity import k_anonymity
from noiseless.audits.exposure import Exposure
from noiseless.audits.finest import Finest, finest_cells
from noiseless.audits.ruled_wording import rule_rows, seen_verdict, totals_verdict
from noiseless.audits.witness import shown
from noiseless.display import aligned, html_rows
from noiseless.exact import Bits, round_up
from noiseless.rules.application import Ruling
from noiseless.rules.assignment import Assigned, Roles
from noiseless.rules.told_column import Change
from noiseless.rules.totals import Closest, Totals, totals_of

if TYPE_CHECKING:
    from noiseless.audits.result import Audit


@dataclass(frozen=True)
class Figures:
    """The main numbers of an audit, about all sensitive columns together.

    Attributes:
        public_values: how many groups there are.
        leakage: L0.
        maximin: I*.
        min_posterior: the fewest values left: the size of the smallest posterior set.
        homogeneous_groups: how many groups have one sensitive value.
        homogeneous_persons: how many rows (persons) are in one of them.
        k_anonymity: the size of the smallest group.
    """

    public_values: int
    leakage: Bits
    maximin: Bits
    min_posterior: int
    homogeneous_groups: int
    homogeneous_persons: int
    k_anonymity: int

    @classmethod
    def of(cls, exposure: Exposure) -> "Figures":
        """Those of an exposure."""
        return cls(
            exposure.census.joint.size_y,
            exposure.leakage,
            exposure.maximin,
            exposure.min_posterior,
            exposure.homogeneous_groups,
            exposure.homogeneous_persons,
            k_anonymity(exposure.census),
        )

    def to_dict(self) -> dict[str, Any]:
        """Under the names that they have in an audit's JSON."""
        return {
            "public_values": self.public_values,
            "leakage": self.leakage.upper,
            "leakage_ratio": str(self.leakage.ratio),
            "maximin": self.maximin.upper,
            "min_posterior": self.min_posterior,
            "homogeneous_groups": self.homogeneous_groups,
            "homogeneous_persons": self.homogeneous_persons,
            "k_anonymity": self.k_anonymity,
        }


@dataclass(frozen=True, eq=False, repr=False)
class UnderRules:
    """What rules changed: the figures before and after, and what the same privacy would cost at least.

    Attributes:
        audit: the audit of what is seen under the rules.
        ruling: how the table came to be seen so.
    """

    audit: "Audit"
    ruling: Ruling

    def __repr__(self) -> str:
        return "\n".join([self.verdict, *(f"  {line}" for line in aligned(self._rows))])

    def _repr_html_(self) -> str:
        return html_rows(self._rows, self.verdict)

    @property
    def _rows(self) -> list[list[str]]:
        """The figures without and under the rules; none where only totals are told under them."""
        if not self.ruling.changes_what_is_seen:
            return []
        return [["", "without", "with"], *map(list, rule_rows(self))]

    @property
    def applied(self) -> tuple[Assigned, ...]:
        """The rules, each with its column."""
        return self.ruling.assigned

    @property
    def text(self) -> str:
        """The rules as they are written."""
        return self.ruling.text

    @cached_property
    def before(self) -> Figures:
        """The figures without the rules."""
        audit, raw = self.audit, self.ruling.raw
        return Figures.of(Exposure.measure(raw, audit.target, audit.given, audit.public, audit.unit))

    @cached_property
    def after(self) -> Figures:
        """The figures under the rules."""
        return Figures.of(self.audit)

    @property
    def changes(self) -> tuple[Change, ...]:
        """What became of each coarsened column."""
        return self.ruling.changes

    @property
    def largest_change(self) -> Fraction | None:
        """The largest change of a value, where one column of numbers or dates is coarsened; else None."""
        measured = [change.largest for change in self.changes if change.largest is not None]
        return measured[0] if len(measured) == 1 else None

    @property
    def finest(self) -> Finest | None:
        """The finest contiguous cells of the public column that leave as many values; None where none are."""
        return self._finest if isinstance(self._finest, Finest) else None

    @property
    def finest_reason(self) -> str | None:
        """Why there are no finest cells to compare with."""
        return self._finest if isinstance(self._finest, str) else None

    @cached_property
    def _finest(self) -> Finest | str:
        audit = self.audit
        if not self.ruling.changes_what_is_seen:
            return "no rule changes what is seen of the public columns"
        roles = Roles(audit.sensitive, audit.public, audit.given, audit.unit)
        told_as = self.changes[0].kind if self.changes else None
        return finest_cells(self.ruling.raw, roles, self.after.min_posterior, told_as)

    @cached_property
    def totals(self) -> tuple[Totals, ...]:
        """The totals that rules of dominance tell or withhold, without values."""
        return tuple(self._totals(reveal=False))

    def reveal_totals(self) -> tuple[Totals, ...]:
        """The same with the public values of the groups that they point at."""
        return tuple(self._totals(reveal=True))

    @cached_property
    def _counted(self) -> tuple[Totals, ...]:
        audit, ruling = self.audit, self.ruling
        hidden = audit.suppressed_in(audit.tally.project(audit.public)) & (ruling.withheld_groups > 0)
        groups = ruling.told_groups + ruling.withheld_groups
        return tuple(
            totals_of(
                audit.tally,
                column,
                audit.public,
                audit.unit,
                rules,
                suppressed=hidden,
                groups=groups,
                whole=ruling.whole,
            )
            for column, rules in ruling.dominance.items()
        )

    def _totals(self, *, reveal: bool) -> list[Totals]:
        return [
            t if t.closest is None else replace(t, closest=self._located(t.closest, reveal=reveal))
            for t in self._counted
        ]

    def _located(self, closest: Closest, *, reveal: bool) -> Closest:
        audit = self.audit
        chosen = np.array([closest.group])
        row = self.ruling.behind.first_rows(audit.table, chosen, audit.needed, public=True)[0]
        values = None
        if reveal:
            groups = audit.tally.project(audit.public)
            values = {c: shown(groups.coding(c).decode(groups.codes(c)[chosen]))[0] for c in audit.public}
        return replace(closest, first_row=row, values=values)

    @property
    def verdict(self) -> str:
        """What the rules buy, in a few sentences."""
        return " ".join(part for part in (self.seen_verdict, self.totals_verdict) if part)

    @property
    def seen_verdict(self) -> str:
        """What those that change what is seen buy, and at what price; empty if there are none."""
        return seen_verdict(self)

    @property
    def totals_verdict(self) -> str:
        """What the totals give away that are told; empty where no rule is about totals."""
        return totals_verdict(self)

    def to_dict(self, *, reveal: bool = False) -> dict[str, Any]:
        """As it is in JSON; values of groups only if `reveal`."""
        ruling, largest = self.ruling, self.largest_change
        totals = self.reveal_totals() if reveal else self.totals
        return {
            "applied": [assigned.to_dict() for assigned in self.applied],
            "verdict": self.verdict,
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "told_groups": ruling.told_groups,
            "withheld_groups": ruling.withheld_groups,
            "told_rows": ruling.told,
            "withheld_rows": ruling.withheld,
            "changes": [change.to_dict() for change in self.changes],
            "largest_change": None if largest is None else round_up(largest),
            "finest": self.finest.to_dict() if self.finest else None,
            "finest_reason": self.finest_reason,
            "totals": [t.to_dict() for t in totals],
        }
