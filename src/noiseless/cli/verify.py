"""`noiseless verify`: whether a certificate holds for two tables."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseless.cli.options import Format, FormatOption, NamesOption, option, show, working
from noiseless.errors import printable

if TYPE_CHECKING:
    from noiseless.verification import Verification

HELP = """Re-check the certificate of a released table from the two tables alone.

Examples:

  noiseless verify certificate.json --original heart.csv --released released.csv

  noiseless verify --write-standalone check.py
"""

_DOES_NOT_HOLD = 1
_ROLES = {"sensitive": "hidden", "public": "released", "keep": "kept", "given": "known besides"}


def verify_command(
    *,
    certificate: Annotated[
        Path | None, typer.Argument(metavar="CERT", help="The certificate, a JSON file.")
    ] = None,
    original: Annotated[
        str | None,
        option("The table that the release was made from.", "TABLE"),
    ] = None,
    released: Annotated[str | None, option("The released table.", "TABLE")] = None,
    write_standalone: Annotated[
        Path | None,
        option("Write the same checks as one file that needs nothing but Python.", "FILE"),
    ] = None,
    write_schema: Annotated[
        Path | None,
        option("Write the JSON Schema of certificates.", "FILE"),
    ] = None,
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
    show(output, found.to_dict(), _text(found))
    return 0 if found.holds else _DOES_NOT_HOLD


def _write(standalone: Path | None, schema: Path | None, output: Format) -> int:
    """Write out the files that stand by themselves."""
    from noiseless.tables import written_whole
    from noiseless.verification import SCHEMA, STANDALONE

    written = []
    for source, out in ((STANDALONE, standalone), (SCHEMA, schema)):
        if out is not None:
            with written_whole(out) as part:
                part.write_bytes(source.read_bytes())
            written.append(str(out))
    show(output, {"written": written}, "\n".join(f"written to {out}" for out in written))
    return 0


def _text(found: "Verification") -> str:
    """Every check, and what the claims are about, for people."""
    lines = [found.verdict]
    about = {word: _listed(found.about.get(role)) for role, word in _ROLES.items()} | _measured(found.about)
    lines += _table({word: text for word, text in about.items() if text})
    lines += _table(found.lines)
    lines += [line for note in found.notes for line in ("", f"Note: {note}.")]
    if found.not_checked:
        lines += ["", "Not checked, because no table can tell:"]
        lines += _table({name: _listed(value) for name, value in found.not_checked.items() if value})[1:]
    return "\n".join(printable(line) for line in lines)


def _measured(about: Mapping[str, Any]) -> dict[str, str]:
    """How distances are measured, which the certificate chooses."""
    if not about:
        return {}
    chosen = [f"{about['distance']} distance" if about["distance"] else "no distance"]
    chosen += [
        f"{name} {_listed(about[name])}" for name in ("weights", "spans", "hierarchies") if about[name]
    ]
    return {"measured by": "; ".join(chosen)}


def _table(rows: dict[str, str]) -> list[str]:
    width = max(map(len, rows), default=0)
    return ["", *(f"  {name:<{width}}  {text}" for name, text in rows.items())] if rows else []


def _listed(value: object) -> str:
    """A value of JSON on one line."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_listed(item)}" for name, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(_listed, value))
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    return str(value)
