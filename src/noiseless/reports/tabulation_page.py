"""One self-contained HTML page an audit of published tables: the tables, coloured by what is left."""

from collections.abc import Collection, Sequence
from pathlib import Path

from noiseless import __version__
from noiseless.reports.pages import environment, write_page
from noiseless.reports.tabulation_rows import (
    because_text,
    contradiction_rows,
    figure_text,
    hidden_cells,
    name_text,
    number_text,
    report_parts,
    status_of_tables,
    table_views,
    verdict_sentence,
)
from noiseless.tabulations.audit import TabulationAudit

_MOST = 100
"""So many rows of a list are shown."""


def tabulation_html(audit: TabulationAudit, notes: Sequence[str] = ()) -> str:
    """An audit as one page that needs nothing else: no script, no network, the same bytes every time.

    Args:
        audit: the audit.
        notes: what was assumed when the tables were read.
    """
    publication = audit.publication
    hidden, sentence = hidden_cells(audit), verdict_sentence(audit)
    alone = len(publication.tables) == 1
    disclosed = [
        {
            "name": name_text(cell.of, alone=alone),
            "value": figure_text(cell.lower, cell.upper, publication.step),
            "because": because_text(publication, cell.because),
        }
        for cell in hidden
        if cell.disclosed
    ]
    return (
        environment()
        .get_template("tabulation.html.j2")
        .render(
            publication=publication,
            status=status_of_tables(audit),
            sentence=sentence[:1].upper() + sentence[1:],
            views=table_views(audit),
            figures=sum(map(len, publication.tables)),
            hidden=int((~audit.published).sum()),
            undecided=any(not cell.decided for cell in hidden),
            disclosed=disclosed,
            contradiction=contradiction_rows(audit),
            parts=report_parts(audit),
            most=_MOST,
            step=number_text(publication.step),
            notes=notes,
            version=__version__,
        )
    )


def write_tabulation_html(
    audit: TabulationAudit, path: Path | str, notes: Sequence[str] = (), sources: Collection[Path] = ()
) -> None:
    """Write the page of an audit; a reader sees the old file or the whole new one, never a part.

    Args:
        audit: the audit.
        path: where to write it.
        notes: as for `tabulation_html`.
        sources: files that must not be written over.

    Raises:
        OutputError: it cannot be written there.
    """
    write_page(path, tabulation_html(audit, notes), sources)
