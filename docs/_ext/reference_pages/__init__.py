"""The reference part of the documentation, written from the code before Sphinx reads its pages.

One page a command, measure, mechanism, kind of question and rule, one for all endpoints, and pages for all
other public names. They go to docs/reference/, which is not kept under version control; files that would not
change are left alone, so that Sphinx reads only the others again.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reference_pages import commands, endpoints, measures, mechanisms, python, queries, rules

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FAMILIES = (commands, measures, mechanisms, queries, rules, python, endpoints)
"""What is described, in the order of the overview."""


def pages() -> dict[str, str]:
    """The text of every page, by its path below docs/reference/, without the ending."""
    made: dict[str, str] = {}
    for family in FAMILIES:
        made |= family.pages()
    return made


def write(folder: Path, wanted: Mapping[str, str]) -> list[Path]:
    """Write the pages that changed and delete those that are no more; what was touched."""
    files = {folder / f"{path}.md": text for path, text in wanted.items()}
    touched = []
    for file in folder.rglob("*.md"):
        if file not in files:
            file.unlink()
            touched.append(file)
    for file, text in files.items():
        if not file.is_file() or file.read_text("utf-8") != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
            touched.append(file)
    return touched


def _write_all(app: "Sphinx") -> None:
    write(Path(app.srcdir) / "reference", pages())


def setup(app: "Sphinx") -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("builder-inited", _write_all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
