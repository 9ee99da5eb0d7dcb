"""`noiseless verify`: whether a certificate holds for two tables."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from noiseless.cli.options import (
    Format,
    FormatOption,
    HtmlOption,
    NamesOption,
    files_written,
    option,
    show,
    working,
)

HELP = """Re-check a release's certificate from the two tables alone.

Examples:

  noiseless verify certificate.json --original heart.csv --released released.csv

  noiseless verify certificate.json --original heart.csv --released released.csv --html checks.html

  noiseless verify --write-standalone check.py
"""

_DOES_NOT_HOLD = 1


def verify_command(
    *,
    certificate: Annotated[
        Path | None, typer.Argument(metavar="CERT", help="The certificate, a JSON file.")
    ] = None,
    original: Annotated[str | None, option("The table that the release was made from.", "TABLE")] = None,
    released: Annotated[str | None, option("The released table.", "TABLE")] = None,
    write_standalone: Annotated[
        Path | None, option("Write the same checks as one file that needs nothing but Python.", "FILE")
    ] = None,
    write_schema: Annotated[Path | None, option("Write the JSON Schema of certificates.", "FILE")] = None,
    html: HtmlOption = None,
    names: NamesOption = None,
    output: FormatOption = "text",
) -> int:
    """Check every claim, and say which ones do not hold.

    Returns:
        The exit code: 0, or 1 when a claim does not hold.
    """
    from noiseless.errors import RequestError
    from noiseless.verification import verify

    if certificate is None and (write_standalone is not None or write_schema is not None):
        return _write(write_standalone, write_schema, output)
    if certificate is None or original is None or released is None:
        raise RequestError("name a certificate and the two tables: CERT --original TABLE --released TABLE")
    if write_standalone is not None or write_schema is not None:
        raise RequestError("--write-standalone and --write-schema go without a certificate")
    with working("verifying"):
        found = verify(certificate, original=original, released=released, names=names)
    if html is not None:
        from noiseless.reports import verification_html
        from noiseless.reports.pages import write_page

        page = verification_html(found, str(certificate), str(original), str(released))
        write_page(html, page, [certificate, Path(original), Path(released)])
    show(output, found.to_dict(), found.text + files_written(report=html))
    return 0 if found.holds else _DOES_NOT_HOLD


def _write(standalone: Path | None, schema: Path | None, output: Format) -> int:
    """Write out the files that stand by themselves."""
    from noiseless.tables import written_whole
    from noiseless.verification import SCHEMA, standalone_script

    written = []
    texts = ((standalone, standalone_script), (schema, partial(SCHEMA.read_text, "utf-8")))
    for out, text in texts:
        if out is not None:
            with written_whole(out) as part:
                part.write_text(text(), "utf-8", newline="\n")
            written.append(str(out))
    show(output, {"written": written}, "\n".join(f"Written: {out}" for out in written))
    return 0
