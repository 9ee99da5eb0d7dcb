"""An audit of published tables as plain text for a terminal."""

from noiseless.display import aligned, counted, printable
from noiseless.reports.notation import table, wrapped
from noiseless.reports.tabulation_rows import (
    AuditView,
    ReportPart,
    because_text,
    contradiction_rows,
    figure_text,
    left_text,
    name_text,
    report_parts,
    status_of_tables,
    verdict_sentence,
)
from noiseless.tabulations.audit import TabulationAudit

_SHOWN, _TOLD_BY = 10, 5


def tabulation_text(audit: TabulationAudit) -> str:
    """The verdict, what is disclosed and by what, what is left of the others, and what was assumed."""
    view = AuditView(audit)
    blocks = [
        wrapped(f"{status_of_tables(view).words}: {verdict_sentence(view)}"),
        _summary(view),
        _contradiction(view),
        _disclosed(view),
        _left(view),
        *_parts(view),
        "\n".join(wrapped(f"Note: {note}.") for note in (*audit.notes, *view.hints)),
    ]
    return "\n\n".join(block for block in blocks if block)


def _summary(view: AuditView) -> str:
    publication = view.publication
    used = " x ".join(f"{each.name} ({len(each.categories):,})" for each in publication.used)
    figures = sum(map(len, publication.tables))
    rows = [
        ["  tables", ", ".join(each.name for each in publication.tables)],
        ["  figures", f"{figures:,}, of which {int(view.hidden.sum()):,} withheld or rounded"],
        ["  base cells", f"{publication.size:,}: {used}"],
    ]
    return "\n".join(aligned(rows))


def _contradiction(view: AuditView) -> str:
    rows = [f"  {name}: {told}" for name, told in contradiction_rows(view)]
    found = view.audit.contradiction
    fit = "; any one of them left out, the others fit" * (found is not None and found.minimal)
    title = f"These figures contradict each other{fit}:"
    return "\n".join([title, *map(printable, rows)]) if rows else ""


def _disclosed(view: AuditView) -> str:
    if not view.leaks:
        return ""
    lines = ["Known for certain, and the published figures that reveal it:"]
    for cell in view.disclosed(_SHOWN):
        name, value = (
            name_text(cell.of, alone=view.alone),
            figure_text(cell.lower, cell.upper, view.publication.step),
        )
        because = f"from {because_text(view.publication, cell, _TOLD_BY)}"
        lines += [f"  {name} = {value}", *(f"      {line}" for line in wrapped(because, 6).split("\n"))]
    return "\n".join([*map(printable, lines), *_more(len(view.leaks))])


def _left(view: AuditView) -> str:
    rows = [
        (
            name_text(cell.of, alone=view.alone),
            figure_text(cell.lower, cell.upper, view.publication.step),
            left_text(cell),
        )
        for cell in view.left(_SHOWN)
    ]
    if not rows:
        return ""
    order = ", fewest first" * view.is_ordered
    more = f", the first {_SHOWN} of {len(view.open):,}" if len(view.open) > _SHOWN else ""
    return table(f"Possible values of the others{order}{more}:", ("figure", "possible", "left"), rows)


def _parts(view: AuditView) -> list[str]:
    return ["\n".join([_part(part), *_more(len(part.rows))]) for part in report_parts(view)]


def _part(part: ReportPart) -> str:
    lines = aligned([part.heads, *part.rows[:_SHOWN]])
    return "\n".join([f"{part.title}:", *(f"  {line}" for line in lines)])


def _more(number: int) -> list[str]:
    return [f"  and {counted(number - _SHOWN, 'others')}"] if number > _SHOWN else []
