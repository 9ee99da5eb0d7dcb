"""What rules change in an audit, as rows ready to be shown."""

from typing import Any, NamedTuple

from noiseless.audits import Totals, UnderRules
from noiseless.audits.ruled_wording import below, change_text, distance_text
from noiseless.display import counted


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
    if not finest.largest_change:
        left = counted(finest.min_posterior, "values")
        return f"Not compared with chosen cells: the table as it is leaves no fewer at worst ({left})."
    return (
        f"The finest cells of {finest.column} that leave as many values: {counted(finest.cells, 'cells')}, "
        f"at least {finest.min_posterior:,} left, largest change "
        f"{distance_text(finest.largest_change, days=finest.days)};"
        f" I* {finest.maximin.rounded_up(2)} bits, k-anonymity {finest.k_anonymity:,}."
    )
