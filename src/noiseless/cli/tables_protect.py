"""`noiseless tables protect`: what to publish instead of true tables, at the least loss, proved safe."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from json import dumps
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from noiseless.cli.options import (
    FormatOption,
    HtmlOption,
    files_written,
    number_option,
    option,
    show,
    takes,
    working,
)
from noiseless.cli.tables import HOLDS, READING, RULES, UNDECIDED, VIOLATED, declared_options

if TYPE_CHECKING:
    from noiseless.tabulations.protection import TableProtection

HELP = """Make true tables safe to publish, at the least loss.

Figures are withheld, published as intervals, rounded so that they add up, or merged into larger categories.

TABLE holds the true figures: a CSV or Excel file, or a TOML file that names several tables, which are
protected together. Without it the table is made from --microdata.

Examples:

  noiseless tables protect patients-by-region.csv --threshold 5 -o published.csv

  noiseless tables protect --microdata firms.csv --kind magnitude --rows region --cols branch
  --value turnover --unit firm --p-percent 10 -o published.csv --certificate certificate.json

  noiseless tables protect hospital.toml --method all --html report.html

  noiseless tables protect patients-by-region.csv --threshold 5 --method round --base 6 -o rounded.csv

  noiseless tables protect patients-by-region.csv --threshold 5 --weights last-year.csv --time-limit 300
"""

TABLE = (
    "The true figures: a CSV or Excel file, or a TOML file that names several; none with --microdata alone."
)


@takes(READING, RULES)
def protect_command(
    *,
    table: Annotated[str | None, typer.Argument(metavar="TABLE", help=TABLE)] = None,
    method: Annotated[
        Literal["suppress", "intervals", "round", "merge", "all"],
        option(
            "Withhold figures (suppress, the default), publish intervals on a grid, round so that sums stay "
            "true, merge categories, or show all side by side."
        ),
    ] = "suppress",
    weights: Annotated[
        str,
        option(
            "What withholding a figure costs: count (1 each), value (the figure, not public), or a table.",
            "count|value|TABLE",
        ),
    ] = "count",
    grid: Annotated[
        Decimal | None, number_option("--grid", "G", "Intervals end at multiples of this number.")
    ] = None,
    base: Annotated[
        Decimal | None,
        number_option("--base", "B", "Round to multiples of this; by default, of the smallest that is safe."),
    ] = None,
    relax: Annotated[
        int,
        option("How many bases further figures may be rounded, if they do not add up.", "K", min=0, max=20),
    ] = 0,
    ordered: Annotated[
        list[str] | None,
        option("A dimension whose categories merge with their neighbours only.", "DIMENSION"),
    ] = None,
    secret: Annotated[
        str | None, option("The dimension that people keep secret: no group may give it away.", "DIMENSION")
    ] = None,
    aware: Annotated[
        bool, typer.Option("--aware", help="Also safe from adversaries who know the rules and the method.")
    ] = False,
    time_limit: Annotated[
        float, option("Take the best found after this many seconds.", "SECONDS", min=0)
    ] = 60.0,
    out: Annotated[
        Path | None,
        option(
            "Write what may be published, as it was read; a folder for several tables.", "OUT", "-o", "--out"
        ),
    ] = None,
    certificate: Annotated[Path | None, option("Write proofs that `tables verify` checks.", "FILE")] = None,
    html: HtmlOption = None,
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    output: FormatOption = "text",
    **options: Any,  # noqa: ANN401 - the options above
) -> int:
    """Read, protect, and write what was asked for.

    Returns:
        The exit code: 0; 1 if nothing safe was found; 2 if the request is wrong; 4 if it is not decided
            within the time limit.
    """
    from noiseless.reports.protection_page import write_protection_html
    from noiseless.reports.protection_text import protection_text
    from noiseless.tables import check_output, written_whole
    from noiseless.tabulations.protection.request import protect_request
    from noiseless.tabulations.reading import read_request

    rules = {name: options.pop(name) for name in RULES if options.get(name) is not None}
    request = read_request(table, **declared_options(options), rules=rules or None)
    for path in (html, certificate, out if len(request.publication.tables) == 1 else None):
        if path is not None:
            check_output(path, request.files)
    with working("protecting"):
        found = protect_request(
            request,
            method=method,
            weights=weights,
            grid=None if grid is None else Fraction(grid),
            base=None if base is None else Fraction(base),
            relax=relax,
            ordered=ordered,
            secret=secret,
            time_limit=time_limit,
            aware=aware,
        )
        if html is not None:
            write_protection_html(found, html, request.files)
        if found.holds and out is not None:
            found.write(out)
        if found.holds and certificate is not None:
            with written_whole(certificate, request.files) as part:
                part.write_text(f"{dumps(found.certificate(out), indent=1)}\n", "utf-8", newline="\n")
    result = found.to_dict()
    text = protection_text(found)
    if found.holds:
        text += files_written(written=out, certificate=certificate, report=html)
        if out is not None and certificate is not None:
            text += _verify_line(found, certificate, out, table, options)
    else:
        text += files_written(report=html)
    show("json" if json else output, result, text)
    return HOLDS if found.holds else VIOLATED if result["decided"] else UNDECIDED


def _verify_line(
    found: "TableProtection", certificate: Path, out: Path, table: str | None, options: Mapping[str, Any]
) -> str:
    """The command that checks the certificate of one table against what was written.

    What is written as it was read is read with the same options; tables from records are read otherwise.
    Nothing, where options may not say it: for several tables, and for merged ones, which can lose categories
    and levels.
    """
    from noiseless.tabulations.protection.output import number_of, reading_of

    assert found.best is not None and found.best.proposal is not None  # noqa: S101, PT018 - it is safe
    proposal = found.best.proposal
    publication = found.tables.publication
    merged = found.best.method == "merge"
    if merged or len(publication.tables) > 1 or (table or "").lower().endswith(".toml"):
        return ""
    form, parts = reading_of(proposal, found.sources[0]), publication.step.denominator > 1
    asked = dict(options)
    if asked.pop("microdata") is not None:
        asked |= {"value": None, "unit": None}
    if table is None:
        asked |= {"told": None, "flat": None}
    if form:  # written with points
        told = [each for each in asked["told"] or () if not each.startswith("decimal=")]
        asked |= {**form, "told": [*told, *["decimal=."] * parts]}
    if proposal.rounded:
        asked["rounded"] = proposal.rounded
    if publication.kind == "magnitude":
        asked["step"] = number_of(1, publication.step)
    words = ["noiseless", "tables", "verify", str(certificate), str(out)]
    for name, value in asked.items():
        if name == "bounds" and value is not None:
            words += ["--bounds", *map(str, value)]
            continue
        for each in value if isinstance(value, list | tuple) else [value] * (value is not None):
            words += [f"--{name}", str(each)]
    return f"\nVerify: {join(words)}"
