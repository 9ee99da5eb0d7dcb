"""Protected tables as plain text for a terminal."""

from noiseless.display import aligned
from noiseless.reports.notation import table, wrapped
from noiseless.reports.protection_rows import (
    METHOD_HEADS,
    outcome_views,
    protection_sentence,
    status_of_protection,
)
from noiseless.reports.tabulation_rows import AuditView, figure_text, left_text, name_text
from noiseless.tabulations.protection import TableProtection

_SHOWN = 10


def protection_text(found: TableProtection) -> str:
    """The verdict, all methods side by side, and what is left of the figures that are not exact."""
    views = outcome_views(found, pictures=False)
    refused = [f"  {view.name}: {view.words}" for view in views if not view.safe]
    decided = all(outcome.decided for outcome in found.outcomes)
    refused_title = "Refused:" if decided else "Refused, or not decided:"
    blocks = [
        wrapped(f"{status_of_protection(found).words}: {protection_sentence(found)}."),
        _summary(found),
        table("Methods:", tuple(map(str.lower, METHOD_HEADS)), [view.row for view in views]),
        "\n".join([refused_title, *refused]) if refused and len(views) > 1 else "",
        _left(found),
        wrapped(f"Adversaries who know the rule: {found.aware.words}.") if found.aware is not None else "",
        "\n".join(wrapped(f"Note: {note}.") for note in found.notes),
    ]
    return "\n\n".join(block for block in blocks if block)


def _summary(found: TableProtection) -> str:
    publication = found.tables.publication
    rows = [
        ["  tables", ", ".join(each.name for each in publication.tables)],
        [
            "  figures",
            f"{len(found.tables.truth):,}, of which {int(found.tables.sensitive.sum()):,} sensitive",
        ],
    ]
    return "\n".join(aligned(rows))


def _left(found: TableProtection) -> str:
    if found.best is None or found.best.audit is None:
        return ""
    view = AuditView(found.best.audit)
    rows = [
        (
            name_text(cell.of, alone=view.alone),
            figure_text(cell.lower, cell.upper, view.publication.step),
            left_text(cell),
        )
        for cell in view.left(_SHOWN)
    ]
    more = f", the first {_SHOWN} of {len(view.open):,}" if len(view.open) > _SHOWN else ""
    title = f"What readers can infer, fewest values first{more}:"
    return table(title, ("figure", "possible", "left"), rows) if rows else ""
