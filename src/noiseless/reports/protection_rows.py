"""What a page or a text says about protected tables: all methods side by side, before and after."""

import math
from dataclasses import dataclass

from noiseless.reports.audit_rows import Status
from noiseless.reports.tabulation_rows import (
    AuditView,
    Face,
    TableView,
    figure_text,
    table_views,
    views_of,
)
from noiseless.tabulations.audit import audit_tables
from noiseless.tabulations.protection import ProtectionOutcome, TableProtection
from noiseless.tabulations.publication import PublishedTable

METHOD_HEADS = ("Method", "Result", "Loss", "Least", "Exact", "Width")


@dataclass(frozen=True)
class OutcomeView:
    """One method as a report shows it.

    Attributes:
        name: its name.
        words: what it does to the tables, or why it is refused.
        row: the row of the table of methods: name, result, loss, least loss, exact figures, total width.
        safe: whether it may be published.
        tables: what may be published, coloured by what is left; empty unless it is safe.
        rounded: how figures are rounded, as readers declare it; nothing if they are not.
    """

    name: str
    words: str
    row: tuple[str, ...]
    safe: bool
    tables: tuple[TableView, ...]
    rounded: str = ""


def outcome_views(found: TableProtection, *, pictures: bool) -> list[OutcomeView]:
    """All methods, the best first; with tables if they are to be drawn."""
    return [_outcome_view(each, pictures=pictures) for each in found.outcomes]


def _outcome_view(outcome: ProtectionOutcome, *, pictures: bool) -> OutcomeView:
    proposal, audit = outcome.proposal, outcome.audit
    if not outcome.safe or proposal is None or audit is None:
        result = "refused" if outcome.decided else "not decided"
        return OutcomeView(
            outcome.method, outcome.refusal, (outcome.method, result, "", "", "", ""), False, ()
        )
    if pictures and audit.publication is not proposal.publication:
        audit = audit_tables(proposal.publication)
    row = (
        outcome.method,
        "safe",
        f"{proposal.loss:,.10g} {proposal.unit}",
        least_text(outcome),
        f"{outcome.kept:,} of {len(outcome.tables.truth):,}",
        "no limit" if math.isinf(outcome.total_width) else f"{outcome.total_width:,.0f}",
    )
    tables = tuple(table_views(AuditView(audit))) if pictures else ()
    return OutcomeView(outcome.method, proposal.words, row, True, tables, proposal.rounded)


def least_text(outcome: ProtectionOutcome) -> str:
    """What is proved about the least loss of a method; the gap is rounded up."""
    proposal = outcome.proposal
    if proposal is None or proposal.bound is None or proposal.gap is None:
        return "not known"
    if proposal.optimal:
        return "proved least"
    return f"at most {math.ceil(proposal.gap * 1000) / 10:g} % of it avoidable"


def true_views(found: TableProtection) -> list[TableView]:
    """The tables before: the true figures, sensitive ones marked. Not public."""
    levels = {level.row: level for level in found.tables.levels}
    publication = found.tables.publication

    def face(table: PublishedTable, place: int, number: int) -> Face:
        value = figure_text(int(table.lower[place]), int(table.upper[place]), publication.step)
        labels = ", ".join(table.coordinates(place))
        if number not in levels:
            return Face(value, "", "told", f"{labels}: {value}")
        level = levels[number]
        ends = [
            figure_text(end, end, publication.step) for end in (level.lower, level.upper) if end is not None
        ]
        wanted = f"; {' and '.join(ends)} must stay possible" if ends else "; it must not be known exactly"
        return Face(value, "", "disclosed", f"{labels}: {value}, sensitive by {level.rule}{wanted}")

    return views_of(publication, face)


def status_of_protection(found: TableProtection) -> Status:
    """The verdict in a word."""
    if found.holds:
        return Status("good", "Safe to publish")
    if not found.to_dict()["decided"]:
        return Status("partly", "Not decided")
    return Status("bad", "Nothing safe was found")


def protection_sentence(found: TableProtection) -> str:
    """The verdict in a sentence."""
    best, sensitive = found.best, int(found.tables.sensitive.sum())
    if best is None or best.proposal is None:
        why = found.aware.words if found.aware is not None and not found.aware.holds else ""
        return why or "; ".join(f"{each.method}: {each.refusal}" for each in found.outcomes)
    one = "it" if sensitive == 1 else "one of them"
    who = "" if found.tables.adversaries is None else f", and {_insiders(found)} learns {one} exactly"
    figures = "the sensitive figure" if sensitive == 1 else f"the {sensitive:,} sensitive figures"
    return (
        f"{best.proposal.words}. The exact audit proves it: outsiders cannot infer {figures} more closely "
        f"than the rules allow{who}"
    )


def _insiders(found: TableProtection) -> str:
    """Those who know their own part."""
    most = int(found.tables.rules.get("coalition", 1))
    return "no contributor" if most == 1 else f"no coalition of up to {most:,} contributors"
