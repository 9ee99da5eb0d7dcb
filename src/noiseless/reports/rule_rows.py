"""What rules change in an audit, as rows ready to be shown."""

from typing import Any, NamedTuple

from noiseless.audits import Totals, UnderRules
from noiseless.audits.ruled_wording import above, below, change_text


class RuleRow(NamedTuple):
    """A figure without the rules and under them."""

    name: str
    before: str
    after: str


def rule_rows(rules: UnderRules) -> list[RuleRow]:
    """The main figures, without and with."""
    was, now, heads = rules.before, rules.after, rules.audit.heads
    return [
        RuleRow("groups", f"{was.public_values:,}", f"{now.public_values:,}"),
        RuleRow("fewest values left", f"{was.min_posterior:,}", f"{now.min_posterior:,}"),
        RuleRow("bits leaked, L0", was.leakage.rounded_up(2), now.leakage.rounded_up(2)),
        RuleRow("bits told apart for certain, I*", was.maximin.rounded_up(2), now.maximin.rounded_up(2)),
        RuleRow(f"{heads} given away", f"{was.homogeneous_persons:,}", f"{now.homogeneous_persons:,}"),
        RuleRow("k-anonymity", f"{was.k_anonymity:,}", f"{now.k_anonymity:,}"),
        RuleRow(f"{heads} withheld", "0", f"{rules.ruling.withheld:,}"),
    ]


class ChangeRow(NamedTuple):
    """What rules did to a column."""

    column: str
    values: str
    rows: int
    largest: str


def change_rows(rules: UnderRules) -> list[ChangeRow]:
    """What became of each coarsened column."""
    return [
        ChangeRow(c.column, f"{c.before:,} → {c.after:,}", c.changed_rows, change_text(c))
        for c in rules.changes
    ]


class TotalRow(NamedTuple):
    """The totals of one column."""

    column: str
    rules: str
    told: int
    withheld: int
    contributors: int
    alone: int
    bits: str
    error: str
    row: str
    values: dict[str, Any] | None


def total_rows(totals: tuple[Totals, ...]) -> list[TotalRow]:
    """What the totals of each column give away."""
    return [
        TotalRow(
            t.column,
            ", ".join(rule.text for rule in t.rules),
            t.told,
            t.withheld,
            t.contributors,
            t.alone,
            t.bits.rounded_up(2),
            "" if t.closest is None else below(t.closest.error),
            "" if t.closest is None or t.closest.first_row is None else f"{t.closest.first_row:,}",
            None if t.closest is None else t.closest.values,
        )
        for t in totals
    ]


def finest_text(rules: UnderRules) -> str:
    """The finest cells that leave as many values possible, or why they are not told."""
    finest = rules.finest
    if finest is None:
        return f"Not compared with chosen cells: {rules.finest_reason}."
    days = " days" if finest.days else ""
    cells = "cell" if finest.cells == 1 else "cells"
    return (
        f"The finest {cells} of {finest.column} that leave as many values: {finest.cells:,} {cells}, at least"
        f" {finest.min_posterior:,} left, largest change {above(finest.largest_change)}{days};"
        f" I* {finest.maximin.rounded_up(2)} bits, k-anonymity {finest.k_anonymity:,}."
    )
