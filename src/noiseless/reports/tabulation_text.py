"""An audit of published tables as plain text for a terminal."""

from collections.abc import Sequence

from noiseless.display import aligned, counted, printable
from noiseless.reports.notation import table, wrapped
from noiseless.reports.tabulation_rows import (
    because_text,
    contradiction_rows,
    figure_text,
    hidden_cells,
    left_text,
    name_text,
    report_parts,
    status_of_tables,
    verdict_sentence,
    worst_first,
)
from noiseless.tabulations.audit import TabulationAudit

_SHOWN, _TOLD_BY = 10, 5


def tabulation_text(audit: TabulationAudit, notes: Sequence[str] = ()) -> str:
    """The verdict, what is disclosed and by what, what is left of the others, and what was assumed."""
    blocks = [
        wrapped(f"{status_of_tables(audit).words}: {verdict_sentence(audit)}"),
        _summary(audit),
        _contradiction(audit),
        _disclosed(audit),
        _left(audit),
        *_parts(audit),
        "\n".join(wrapped(f"Note: {note}.") for note in notes),
    ]
    return "\n\n".join(block for block in blocks if block)


def _summary(audit: TabulationAudit) -> str:
    publication, hidden = audit.publication, int((~audit.published).sum())
    used = " x ".join(f"{each.name} ({len(each.categories):,})" for each in publication.used)
    figures = sum(map(len, publication.tables))
    rows = [
        ["  tables", ", ".join(each.name for each in publication.tables)],
        ["  figures", f"{figures:,}, of which {hidden:,} withheld or rounded"],
        ["  base cells", f"{publication.size:,}: {used}"],
    ]
    return "\n".join(aligned(rows))


def _contradiction(audit: TabulationAudit) -> str:
    rows = [f"  {name}: {told}" for name, told in contradiction_rows(audit)]
    return (
        "\n".join(["These figures contradict each other; any one of them left out, the others fit:", *rows])
        if rows
        else ""
    )


def _disclosed(audit: TabulationAudit) -> str:
    publication = audit.publication
    cells = [cell for cell in hidden_cells(audit) if cell.disclosed]
    if not cells:
        return ""
    lines = ["Known for certain, and the published figures that tell it:"]
    for cell in cells[:_SHOWN]:
        name = name_text(cell.of, alone=len(publication.tables) == 1)
        lines.append(f"  {name} = {figure_text(cell.lower, cell.upper, publication.step)}")
        because = f"from {because_text(publication, cell.because, _TOLD_BY)}"
        lines += [f"      {line}" for line in wrapped(because, 6).split("\n")]
    more = [f"  and {counted(len(cells) - _SHOWN, 'others')}"] if len(cells) > _SHOWN else []
    return "\n".join([*map(printable, lines), *more])


def _left(audit: TabulationAudit) -> str:
    alone = len(audit.publication.tables) == 1
    cells = worst_first(cell for cell in hidden_cells(audit) if not cell.disclosed)
    rows = [
        (
            name_text(cell.of, alone=alone),
            figure_text(cell.lower, cell.upper, audit.publication.step),
            left_text(cell),
        )
        for cell in cells[:_SHOWN]
    ]
    if not rows or audit.inconsistent:
        return ""
    more = f", the first {_SHOWN} of {len(cells):,}" if len(cells) > _SHOWN else ""
    return table(f"Possible values of the others, fewest first{more}:", ("figure", "possible", "left"), rows)


def _parts(audit: TabulationAudit) -> list[str]:
    found = list[str]()
    for part in report_parts(audit):
        rows = [*part.rows[:_SHOWN]]
        more = [f"  and {counted(len(part.rows) - _SHOWN, 'others')}"] if len(part.rows) > _SHOWN else []
        found.append("\n".join([table(f"{part.title}:", part.heads, rows), *more]))
    return found
