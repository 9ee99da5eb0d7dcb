"""One self-contained HTML page of protected tables: before, after, and all methods side by side."""

from collections.abc import Collection
from pathlib import Path

from noiseless import __version__
from noiseless.reports.pages import environment, write_page
from noiseless.reports.protection_rows import (
    METHOD_HEADS,
    outcome_views,
    protection_sentence,
    status_of_protection,
    true_views,
)
from noiseless.tabulations.protection import TableProtection


def protection_html(found: TableProtection) -> str:
    """A page that needs nothing else: no script, no network, the same bytes every time. It is not public."""
    sentence = protection_sentence(found)
    return (
        environment()
        .get_template("protection.html.j2")
        .render(
            publication=found.tables.publication,
            status=status_of_protection(found),
            sentence=sentence[:1].upper() + sentence[1:],
            figures=len(found.tables.truth),
            sensitive=int(found.tables.sensitive.sum()),
            heads=METHOD_HEADS,
            outcomes=outcome_views(found, pictures=True),
            before=true_views(found),
            aware=found.aware,
            notes=found.notes,
            version=__version__,
        )
    )


def write_protection_html(found: TableProtection, path: Path | str, sources: Collection[Path] = ()) -> None:
    """Write the page; it holds true figures, so that only its owner may read the file.

    Args:
        found: what was found.
        path: where to write it.
        sources: files that must not be written over.

    Raises:
        OutputError: it cannot be written there.
    """
    write_page(path, protection_html(found), sources, private=True)
