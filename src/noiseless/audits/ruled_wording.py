"""What rules buy and what they cost, in sentences that a data steward can read out."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noiseless.audits.told import Change
    from noiseless.audits.totals import Totals
    from noiseless.audits.under_rules import UnderRules

_DIGITS = 4


def verdict(rules: "UnderRules") -> str:
    """What the rules change for those who fare worst, what they cost, and what their totals give away."""
    parts = []
    if rules.ruling.changes_what_is_seen:
        parts += [_gained(rules), *_withheld(rules), *_price(rules)]
    parts += [_totals(totals, rules.audit.heads) for totals in rules.totals]
    return " ".join(parts)


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
    return f"{same} {now:,} of {rules.audit.persons:,} {rules.audit.heads} are given away, {fewer}."


def _withheld(rules: "UnderRules") -> list[str]:
    ruling, audit = rules.ruling, rules.audit
    if not ruling.withheld:
        return []
    groups = "group" if ruling.withheld_groups == 1 else "groups"
    of = f"{ruling.withheld:,} of {audit.persons:,} {audit.heads}"
    return [f"{of} are withheld, in {ruling.withheld_groups:,} {groups}; that they are can be seen."]


def _price(rules: "UnderRules") -> list[str]:
    """What a value is changed by at most, beside the least change that leaves as much possible."""
    finest = rules.finest
    moved = [f"{c.column} changes by up to {change_text(c)}" for c in rules.changes if c.largest is not None]
    if finest is None:
        return [f"{'; '.join(moved)}."] if moved else []
    if not finest.largest_change:  # nothing was gained, which is said already
        return [f"{moved[0]}."] if moved else []
    least = f"change it by {above(finest.largest_change)}{' days' * finest.days} at most"
    if moved:
        return [f"{moved[0]}; cells chosen to leave as many {least}."]
    return [f"Cells of {finest.column} chosen to leave as many {least}, and withhold nothing."]


def _totals(totals: "Totals", heads: str) -> str:
    rules = " and ".join(rule.text for rule in totals.rules)
    begin = f"{rules}: {totals.told:,} of {totals.groups:,} totals of {totals.column} are told"
    if totals.closest is None:
        return f"{begin}, so none gives anything away."
    exact = (
        f"whoever knows the other contributors of a group computes the last one's {totals.column}, all"
        f" {totals.bits.rounded_up(2)} bits. {totals.contributors:,} {heads} are exposed so."
    )
    if not totals.closest.error:
        return f"{begin}; {exact} One contributor knows another's {totals.column} exactly."
    near = below(totals.closest.error)
    return f"{begin}; {exact} One contributor knows another's {totals.column} to within {near}."


def change_text(change: "Change") -> str:
    """The largest change of a column's values, with its unit."""
    if change.largest is None:
        return ""
    return above(change.largest) + (" days" if change.kind == "date" else "")


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
