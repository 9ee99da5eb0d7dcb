"""`noiseless demo`: the main job on a small bundled table, offline."""

from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noiseless.cli.options import say

if TYPE_CHECKING:
    from noiseless.audits import Audit

HELP = """The main job on a small bundled table: offline, in seconds.

Example:

  noiseless demo --out demo
"""

_PUBLIC = ("age", "sex", "postcode")
_STORY = {
    "patients.csv": (
        "1. A table of 40 invented patients. What do age, sex and postcode give away about the illness?\n\n"
        "   $ noiseless audit patients.csv --sensitive illness --public age --public sex --public postcode"
    ),
    "patients-4-anonymous.csv": (
        "2. The same table, 4-anonymised: everybody hides among at least four. Is the illness hidden?\n\n"
        "   $ noiseless audit patients-4-anonymous.csv --sensitive illness --public age ..."
    ),
}


def demo_command(
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Write tables, reports and records here."),
    ] = None,
) -> None:
    """Audit the bundled patients, first as they are, then 4-anonymised, and say what each gives away."""
    from noiseless.audits import audit
    from noiseless.reports.text import audit_text

    _make_folder(out)
    for name, story in _STORY.items():
        with as_file(files("noiseless") / "data" / name) as path:
            found = replace(audit(path, sensitive="illness", public=_PUBLIC), source=name)
            say(f"{story}\n\n{audit_text(found)}\n")
            if out is not None:
                _write(found, path, out)


def _make_folder(out: Path | None) -> None:
    from noiseless.errors import OutputError

    try:
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(str(out), f"cannot be made a folder ({error.strerror}); choose another") from None


def _write(found: "Audit", table: Path, out: Path) -> None:
    from noiseless.reports import write_audit_html

    (out / table.name).write_bytes(table.read_bytes())
    write_audit_html(found, out / f"{table.stem}.html")
    found.write_records(out / f"{table.stem}-records.csv")
    say(f"   Written: {out / table.stem}.html, and the risk of each row in {out / table.stem}-records.csv\n")
