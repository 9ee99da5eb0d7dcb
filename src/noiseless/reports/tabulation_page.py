"""One self-contained HTML page an audit of published tables: the tables, coloured by what is left."""

from collections.abc import Collection
from pathlib import Path

from noiseless import __version__
from noiseless.reports.pages import environment, write_page
from noiseless.reports.tabulation_rows import (
    AuditView,
    because_text,
    contradiction_rows,
    figure_text,
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


def tabulation_html(audit: TabulationAudit, *, private: bool = False) -> str:
    """An audit as one page that needs nothing else: no script, no network, the same bytes every time.

    Args:
        audit: the audit.
        private: the audit calls contributors by their names; the page then warns of it.
    """
    view = AuditView(audit)
    publication, sentence = audit.publication, verdict_sentence(view)
    disclosed = [
        {
            "name": name_text(cell.of, alone=view.alone),
            "value": figure_text(cell.lower, cell.upper, publication.step),
            "because": because_text(publication, cell),
        }
        for cell in view.disclosed(_MOST)
    ]
    return (
        environment()
        .get_template("tabulation.html.j2")
        .render(
            publication=publication,
            status=status_of_tables(view),
            sentence=sentence[:1].upper() + sentence[1:],
            views=table_views(view),
            figures=sum(map(len, publication.tables)),
            hidden=int(view.hidden.sum()),
            undecided=not audit.decided,
            disclosed=disclosed,
            leaks=len(view.leaks),
            contradiction=contradiction_rows(view),
            minimal=audit.contradiction is not None and audit.contradiction.minimal,
            parts=report_parts(view),
            most=_MOST,
            step=number_text(publication.step),
            notes=(*audit.notes, *view.hints),
            private=private,
            version=__version__,
        )
    )


def write_tabulation_html(
    audit: TabulationAudit,
    path: Path | str,
    sources: Collection[Path] = (),
    *,
    private: bool = False,
) -> None:
    """Write the page of an audit; a reader sees the old file or the whole new one, never a part.

    Args:
        audit: the audit.
        path: where to write it.
        sources: files that must not be written over.
        private: as for `tabulation_html`; only its owner may then read the file.

    Raises:
        OutputError: it cannot be written there.
    """
    write_page(path, tabulation_html(audit, private=private), sources, private=private)
