"""What rules buy and what they cost, in sentences that a data steward can read out."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from noiseless.display import counted, verb

if TYPE_CHECKING:
    from noiseless.audits.finest import Finest
    from noiseless.audits.under_rules import UnderRules
    from noiseless.rules.told_column import Change
    from noiseless.rules.totals import Totals

_DIGITS = 4


class RuleRow(NamedTuple):
    """A figure without the rules and under them."""

    name: str
    before: str
    after: str


def rule_rows(rules: "UnderRules") -> list[RuleRow]:
    """The main figures, without and with."""
    was, now, heads = rules.before, rules.after, rules.audit.heads
    return [
        RuleRow("groups", f"{was.public_values:,}", f"{now.public_values:,}"),
        RuleRow("fewest values left", f"{was.min_posterior:,}", f"{now.min_posterior:,}"),
        RuleRow("bits leaked, L0", was.leakage.rounded_up(2), now.leakage.rounded_up(2)),
        RuleRow("bits that every group tells, I*", was.maximin.rounded_up(2), now.maximin.rounded_up(2)),
        RuleRow(f"{heads} given away", f"{was.homogeneous_persons:,}", f"{now.homogeneous_persons:,}"),
        RuleRow("k-anonymity", f"{was.k_anonymity:,}", f"{now.k_anonymity:,}"),
        RuleRow(f"{heads} withheld", "0", f"{rules.ruling.withheld:,}"),
    ]


def seen_verdict(rules: "UnderRules") -> str:
    """What the rules change for those who fare worst, and what they cost."""
    if not rules.ruling.changes_what_is_seen:
        return ""
    return " ".join([_gained(rules), *_withheld(rules), *_price(rules)])


def totals_verdict(rules: "UnderRules") -> str:
    """What the totals give away that are told."""
    return " ".join(_totals(totals, rules.audit.heads) for totals in rules.totals)


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


def _worse(rules: "UnderRules", finest: "Finest") -> list[str]:
    """By which other measures the chosen cells protect less than the rules do."""
    after, heads = rules.after, rules.audit.heads
    found = []
    if finest.maximin > after.maximin:
        bits = finest.maximin.rounded_up(2)
        found.append(f"tell {bits} bits in every group (under the rules {after.maximin.rounded_up(2)})")
    if finest.k_anonymity < after.k_anonymity:
        few = counted(finest.k_anonymity, heads)
        found.append(f"have a group of {few} (under the rules {after.k_anonymity:,} or more)")
    return [f"But they {' and '.join(found)}."] if found else []


def _totals(totals: "Totals", heads: str) -> str:
    rules = " and ".join(rule.text for rule in totals.rules)
    of = f"{totals.told:,} of {counted(totals.groups, 'totals')} of {totals.column}"
    told = f"{of} {verb(totals.told, 'are')} told"
    if not totals.told:
        return f"{rules}: {told}, so no amount is given away by one."
    exposed = totals.contributors
    last = f"what the last one contributes, all {totals.bits.rounded_up(2)} bits"
    parts = [
        f"{rules}: {told}; whoever knows the other contributors of a group computes {last}.",
        f"{counted(exposed, heads)} {verb(exposed, 'are')} exposed so.",
    ]
    if totals.alone:
        groups = "told group" if totals.alone == 1 else "told groups"
        parts.append(f"In {totals.alone:,} {groups} there is one contributor: the total is their amount.")
    if totals.closest is not None:
        error = totals.closest.error
        near = f"to within {below(error)}" if error else "exactly"
        parts.append(f"One contributor knows what another contributes {near}.")
    return " ".join(parts)


def change_text(change: "Change") -> str:
    """The largest change of a column's values, with its unit."""
    if change.largest is None:
        return ""
    return distance_text(change.largest, days=change.kind == "date")


def distance_text(distance: Fraction, *, days: bool) -> str:
    """A distance in a few digits, rounded up, with its unit.

    >>> distance_text(Fraction(5, 2), days=True), distance_text(Fraction(1), days=True)
    ('2.5 days', '1 day')
    """
    return above(distance) + (f" day{'s' * (distance != 1)}" if days else "")


def above(value: Fraction) -> str:
    """A distance in a few digits, rounded up.

    >>> above(Fraction(5, 2)), above(Fraction(1, 3)), above(Fraction(12345678))
    ('2.5', '0.3334', '12,350,000')
    """
    context = Context(prec=_DIGITS, rounding=ROUND_CEILING)
    number = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{Decimal(number.normalize(context)):,f}"


def below(share: Fraction) -> str:
    """A share in per cent in a few digits, rounded down.

    >>> below(Fraction(1, 10)), below(Fraction(1, 3))
    ('10 %', '33.33 %')
    """
    context = Context(prec=_DIGITS, rounding=ROUND_FLOOR)
    number = context.divide(Decimal(share.numerator * 100), Decimal(share.denominator))
    return f"{number.normalize(context):,f} %"
