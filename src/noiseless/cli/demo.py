"""`noiseless demo`: the jobs on a small bundled table, offline."""

from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

HELP = """The main jobs on a small bundled table: offline, in seconds.

Example:

  noiseless demo --out demo
"""


def demo_command(
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="Write the report and the records here.")
    ] = None,
) -> None:
    """Audit the bundled patients, first as they are, then k-anonymised, and say what each gives away."""
    from noiseless.audits import audit
    from noiseless.reports import write_audit_html
    from noiseless.reports.text import audit_text

    folder = files("noiseless") / "data"
    with as_file(folder / "patients.csv") as path:
        plain = audit(path, sensitive="illness", public=["age", "sex", "postcode"])
        typer.echo(
            "1. A table of 40 invented patients. What do age, sex and postcode give away about the illness?\n"
        )
        typer.echo(
            "   $ noiseless audit patients.csv --sensitive illness"
            " --public age --public sex --public postcode\n"
        )
        typer.echo(audit_text(plain))
    with as_file(folder / "patients-4-anonymous.csv") as path:
        coarse = audit(path, sensitive="illness", public=["age", "sex", "postcode"])
        typer.echo("\n2. The same table, 4-anonymised. Everybody hides among four: is the illness hidden?\n")
        typer.echo(audit_text(coarse))
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for name, result in (("patients", plain), ("patients-4-anonymous", coarse)):
            write_audit_html(result, out / f"{name}.html")
            result.write_records(out / f"{name}-records.csv")
        typer.echo(f"\nThe reports are in {out / 'patients.html'} and {out / 'patients-4-anonymous.html'}.")
