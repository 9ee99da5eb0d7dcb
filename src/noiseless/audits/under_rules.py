"""The audit under rules beside the audit without them: what the rules buy, and at what price."""

from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from noiseless.audits.exposure import Exposure
from noiseless.audits.finest_cells import FinestCells, finest_cells
from noiseless.audits.table_audit import TableExposure
from noiseless.audits.witness import shown
from noiseless.display import Facts, Shown, counted, significant, time_span, verb
from noiseless.exact import round_up
from noiseless.rules.application import Ruling
from noiseless.rules.assignment import AssignedRule
from noiseless.rules.recoded_column import RuleEffect
from noiseless.rules.totals import ClosestEstimate, Totals, totals_of
from noiseless.tables.base import Roles

if TYPE_CHECKING:
    from noiseless.audits.table_audit import TableAudit

_DIGITS = 4


@dataclass(frozen=True, eq=False, repr=False)
class UnderRules(Shown):
    """What rules changed: the figures before and after, and what the same privacy would cost at least.

    Attributes:
        audit: the audit of what is seen under the rules.
        ruling: how the table came to be seen so.
    """

    audit: "TableAudit"
    ruling: Ruling

    def _shown(self) -> tuple[str, Facts]:
        """The figures without and under the rules; none where only totals are told under them."""
        if not self.ruling.changes_what_is_seen:
            return self.verdict, []
        return self.verdict, [["", "without", "with"], *map(list, rule_rows(self))]

    @property
    def applied(self) -> tuple[AssignedRule, ...]:
        """The rules, each with its column."""
        return self.ruling.assigned

    @property
    def text(self) -> str:
        """The rules as they are written."""
        return self.ruling.text

    @cached_property
    def before(self) -> TableExposure:
        """What the table would give away without the rules."""
        audit = self.audit
        return TableExposure.measure(
            self.ruling.raw, audit.target, audit.given, audit.public, audit.unit, classes=audit.classes
        )

    @property
    def after(self) -> Exposure:
        """What it gives away under them: the audit itself."""
        return self.audit

    @property
    def changes(self) -> tuple[RuleEffect, ...]:
        """What became of each coarsened column."""
        return self.ruling.changes

    @property
    def largest_change(self) -> Fraction | None:
        """The largest change of a value, where one column of numbers or dates is coarsened; else None."""
        measured = [change.largest for change in self.changes if change.largest is not None]
        return measured[0] if len(measured) == 1 else None

    @property
    def finest(self) -> FinestCells | None:
        """The finest contiguous cells of the public column that leave as many values; None where none are."""
        return self._finest if isinstance(self._finest, FinestCells) else None

    @property
    def finest_reason(self) -> str | None:
        """Why there are no finest cells to compare with."""
        return self._finest if isinstance(self._finest, str) else None

    @cached_property
    def _finest(self) -> FinestCells | str:
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

    def _located(self, closest: ClosestEstimate, *, reveal: bool) -> ClosestEstimate:
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
        if not self.ruling.changes_what_is_seen:
            return ""
        return " ".join([_gained(self), *_withheld(self), *_price(self)])

    @property
    def totals_verdict(self) -> str:
        """What the totals give away that are told; empty where no rule is about totals."""
        return " ".join(_totals(totals, self.audit.heads) for totals in self.totals)

    def to_dict(self, *, reveal: bool = False) -> dict[str, Any]:
        """As it is in JSON; values of groups only if `reveal`."""
        ruling, largest = self.ruling, self.largest_change
        totals = self.reveal_totals() if reveal else self.totals
        return {
            "applied": [assigned.to_dict() for assigned in self.applied],
            "verdict": self.verdict,
            "before": _figures(self.before),
            "after": _figures(self.after),
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


def rule_rows(rules: "UnderRules") -> list[tuple[str, str, str]]:
    """The main figures: what each is, without the rules and under them."""
    was, now, heads = rules.before, rules.after, rules.audit.heads
    return [
        ("groups", f"{was.public_values:,}", f"{now.public_values:,}"),
        ("fewest values left", f"{was.min_posterior:,}", f"{now.min_posterior:,}"),
        ("bits leaked, L0", was.leakage.rounded_up(2), now.leakage.rounded_up(2)),
        ("always revealed, I*", was.maximin.rounded_up(2), now.maximin.rounded_up(2)),
        (f"{heads} given away", f"{was.homogeneous_persons:,}", f"{now.homogeneous_persons:,}"),
        ("k-anonymity", f"{was.k_anonymity:,}", f"{now.k_anonymity:,}"),
        (f"{heads} withheld", "0", f"{rules.ruling.withheld:,}"),
    ]


def _gained(rules: "UnderRules") -> str:
    before, after, name = rules.before, rules.after, rules.audit.name
    total = rules.audit.sensitive_values
    if total == 1:
        return f"Under {rules.ruling.seen_text} there is nothing to protect, as before."
    under = f"Under {rules.ruling.seen_text}"
    left = f"{after.min_posterior:,} of {total:,} values of {name}"
    if before.min_posterior < after.min_posterior:
        return f"{under} at least {left} remain possible, instead of {before.min_posterior:,}."
    same = f"{under} those who fare worst are no better off: {left} left, as before."
    if after.min_posterior > 1:
        return same
    was, now = before.homogeneous_persons, after.homogeneous_persons
    fewer = f"instead of {was:,}" if now < was else "as before"
    of = f"{now:,} of {counted(rules.audit.persons, rules.audit.heads)}"
    return f"{same} {of} {verb(now, 'are')} given away, {fewer}."


def _withheld(rules: "UnderRules") -> list[str]:
    ruling, audit = rules.ruling, rules.audit
    if not ruling.withheld:
        return []
    groups = counted(ruling.withheld_groups, "groups")
    of = f"{ruling.withheld:,} of {counted(audit.persons, audit.heads)}"
    told = "that they are can be seen" if ruling.withheld > 1 else "that it is can be seen"
    return [f"{of} {verb(ruling.withheld, 'are')} withheld, in {groups}; {told}."]


def _price(rules: "UnderRules") -> list[str]:
    """What a value is changed by at most, beside the least change that leaves as much possible."""
    finest = rules.finest
    moved = [f"{c.column} changes by up to {change_text(c)}" for c in rules.changes if c.largest is not None]
    if finest is None:
        return [f"{'; '.join(moved)}."] if moved else []
    if not finest.largest_change:  # nothing was gained, which is said already
        return [f"{moved[0]}."] if moved else []
    least = f"change it by {distance_text(finest.largest_change, days=finest.days)} at most"
    if moved:
        return [f"{moved[0]}; cells chosen to leave as many {least}.", *_worse(rules, finest)]
    nothing = ", and withhold nothing" if rules.ruling.withheld else ""
    return [f"Cells of {finest.column} chosen to leave as many {least}{nothing}.", *_worse(rules, finest)]


def _worse(rules: "UnderRules", finest: FinestCells) -> list[str]:
    """By which other measures the chosen cells protect less than the rules do."""
    after, heads = rules.after, rules.audit.heads
    found = []
    if finest.maximin > after.maximin:
        bits = finest.maximin.rounded_up(2)
        found.append(f"reveal {bits} bits in every group (under the rules {after.maximin.rounded_up(2)})")
    if finest.k_anonymity < after.k_anonymity:
        few = counted(finest.k_anonymity, heads)
        found.append(f"have a group of {few} (under the rules {after.k_anonymity:,} or more)")
    return [f"But they {' and '.join(found)}."] if found else []


def _totals(totals: Totals, heads: str) -> str:
    rules = " and ".join(rule.text for rule in totals.rules)
    of = f"{totals.told:,} of {counted(totals.groups, 'totals')} of {totals.column}"
    told = f"{of} {verb(totals.told, 'are')} published"
    if not totals.told:
        return f"{rules}: {told}, so none gives an amount away."
    exposed = totals.contributors
    last = f"what the last one contributes, all {totals.bits.rounded_up(2)} bits"
    parts = [
        f"{rules}: {told}; anyone who knows the other contributors to a total can compute {last}.",
        f"{counted(exposed, heads)} {verb(exposed, 'are')} exposed this way.",
    ]
    if totals.alone:
        groups = "published total has" if totals.alone == 1 else "published totals have"
        parts.append(f"{totals.alone:,} {groups} a single contributor: the total is their amount.")
    if totals.closest is not None:
        error = totals.closest.error
        near = f"to within {below(error)}" if error else "exactly"
        parts.append(f"One contributor knows what another contributes {near}.")
    return " ".join(parts)


def change_text(change: RuleEffect) -> str:
    """The largest change of a column's values, with its unit."""
    if change.largest is None:
        return ""
    return distance_text(change.largest, days=change.kind == "date")


def distance_text(distance: Fraction, *, days: bool) -> str:
    """A distance in a few digits, rounded up, with its unit.

    >>> distance_text(Fraction(5, 2), days=True), distance_text(Fraction(12345678), days=False)
    ('2.5 days', '12,350,000')
    """
    amount, unit = time_span(distance) if days else (distance, "")
    return f"{significant(amount, _DIGITS):,f} {unit}".rstrip()


def below(share: Fraction) -> str:
    """A share in per cent in a few digits, rounded down.

    >>> below(Fraction(1, 10)), below(Fraction(1, 3))
    ('10 %', '33.33 %')
    """
    return f"{significant(share * 100, _DIGITS, ROUND_FLOOR):,f} %"


def _figures(exposure: Exposure) -> dict[str, Any]:
    """The main numbers under the names that they have in an audit's JSON."""
    names = ("public_values", "min_posterior", "homogeneous_groups", "homogeneous_persons", "k_anonymity")
    return {
        "leakage": exposure.leakage.upper,
        "leakage_ratio": str(exposure.leakage.ratio),
        "maximin": exposure.maximin.upper,
        **{name: getattr(exposure, name) for name in names},
    }
