"""The command of the single file that checks certificates without this package."""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from noiseless.errors import NoiselessError, SourceError
from noiseless.verification.certificate_json import check_version, json_file
from noiseless.verification.claims import check_certificate
from noiseless.verification.findings import Findings
from noiseless.verification.plain_tables import count_plain_tables, open_plain_table
from noiseless.verification.tabulation_claims import TABLES_FORMAT, check_tables


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a certificate; the exit code."""
    parser = argparse.ArgumentParser(
        description="Check the certificate of a release, or of published tables."
    )
    parser.add_argument("certificate", metavar="CERT", help="the certificate (JSON)")
    parser.add_argument("--original", metavar="TABLE", help="the table the release was made from")
    parser.add_argument("--released", metavar="TABLE", help="the released table")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text for people, or JSON")
    options = parser.parse_args(arguments)
    try:
        found = _found(Path(options.certificate), options.original, options.released)
        if found is None:
            parser.error("the certificate of a release needs both tables: give --original and --released")
    except NoiselessError as error:
        sys.stderr.write(f"{parser.prog}: {error}\n")
        return 2
    _tell(found.text if options.format == "text" else _visible(found.to_dict()))
    return 0 if found.holds else 1


def _found(path: Path, original: str | None, released: str | None) -> Findings | None:
    """What a certificate of either kind is worth; None if the tables that it is about are missing."""
    raw = json_file(path)
    if isinstance(raw, Mapping) and raw.get("format") == TABLES_FORMAT:
        return check_tables(raw)
    if isinstance(raw, Mapping) and raw.get("format") == "noiseless-parts":
        problem = "is the manifest of a release in parts; check it with `noiseless verify`"
        raise SourceError(str(path), problem)
    if original is None or released is None:
        return None
    held, tables = check_version(raw, str(path)), (open_plain_table(original), open_plain_table(released))
    return check_certificate(held, lambda claimed: count_plain_tables(claimed, *tables))


def _visible(answer: dict[str, Any]) -> str:
    """JSON in which no character steers a terminal."""
    written = json.dumps(answer, ensure_ascii=False, indent=2)
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in written)


def _tell(answer: str) -> None:
    """Print; neither an odd terminal nor a reader who has gone away changes the exit code."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(answer.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - stands in for stdout until the end
