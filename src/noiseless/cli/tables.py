"""`noiseless tables`: what published aggregate tables give away for certain, and proofs of it."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from json import dumps
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from noiseless.cli.options import (
    EncodingOption,
    FormatOption,
    HtmlOption,
    SheetOption,
    column_option,
    files_written,
    number_option,
    option,
    print_json,
    say,
    show,
    takes,
    working,
)
from noiseless.cli.values import read_assigned
from noiseless.errors import printable

AUDIT_HELP = """What totals give away about withheld or rounded figures, with proofs.

TABLE is a CSV or Excel file as published, a TOML file that names several tables, or ACRO's results folder.

Examples:

  noiseless tables audit patients-by-region.csv

  noiseless tables audit long.csv --rows region --cols age --value n --told zero=-

  noiseless tables audit rounded.xlsx --rounded round:5 --html report.html

  noiseless tables audit hospital.toml --secret diagnosis --certificate certificate.json

  noiseless tables audit turnover.csv --kind magnitude --microdata firms.csv --rows region --cols branch
  --value turnover --unit firm --p-percent 10
"""

VERIFY_HELP = """Re-check an audit's certificate from the published tables alone.

No solver runs.

Example:

  noiseless tables verify certificate.json patients-by-region.csv
"""

HOLDS, VIOLATED, WRONG, UNDECIDED = 0, 1, 2, 4

TABLE = "A CSV or Excel file as published, a TOML file that names several, or ACRO's results folder."
Kinds = Literal["count", "magnitude"]

READING: dict[str, Any] = {
    "rows": Annotated[list[str] | None, option("A dimension whose labels stand on the left.", "DIMENSION")],
    "cols": Annotated[list[str] | None, option("A dimension whose labels stand above.", "DIMENSION")],
    "value": Annotated[
        str | None,
        column_option("The column of figures in a file with a line for each; of records, the one to add up."),
    ],
    "totals": Annotated[
        list[str] | None,
        option("A dimension with a total, and the total's label if it is unusual.", "DIMENSION[=LABEL]"),
    ],
    "flat": Annotated[
        list[str] | None,
        option("A dimension in which only the total is a sum of other labels.", "DIMENSION"),
    ],
    "told": Annotated[
        list[str] | None,
        option(
            "What marks mean: suppressed=q, zero=-, '*=1-4', decimal=',', absent=withheld.", "MARK=MEANING"
        ),
    ],
    "rounded": Annotated[
        str | None, option("How figures are rounded: round:5, round:10:down, round:3:random.", "RULE")
    ],
    "kind": Annotated[Kinds | None, option("Counts, or magnitudes (sums of amounts).")],
    "hierarchy": Annotated[
        list[str] | None,
        option("The parents of a dimension's labels (CSV child,parent; ARX; .hrc).", "DIMENSION=FILE"),
    ],
    "sheet": SheetOption,
    "encoding": EncodingOption,
    "microdata": Annotated[str | None, option("The records behind the table.", "TABLE")],
    "unit": Annotated[str | None, column_option("The column of the records that identifies a contributor.")],
    "bounds": Annotated[
        tuple[Decimal, Decimal] | None,
        number_option("--bounds", "LO HI", "The least and the largest value that a base cell can have."),
    ],
    "step": Annotated[
        Decimal | None,
        number_option("--step", "S", "The resolution of sums; by default what unrounded ones show, or 1."),
    ],
}
RULES: dict[str, Any] = {
    "threshold": Annotated[
        int | None,
        option("Hidden cells must leave all of 0 to this number of contributors possible.", "N", min=1),
    ],
    "p_percent": Annotated[
        Decimal | None,
        number_option("--p-percent", "P", "No contributor learns another's amount to within P per cent."),
    ],
    "q_percent": Annotated[
        Decimal | None,
        number_option("--q-percent", "Q", "With --p-percent: others knew it to within Q per cent before."),
    ],
    "dominance": Annotated[
        tuple[Decimal, Decimal] | None,
        number_option("--dominance", "N K", "The N largest contributors have at most K per cent of a cell."),
    ],
    "coalition": Annotated[int | None, option("How many contributors may pool what they know.", "M", min=1)],
}


@takes(READING, RULES)
def audit_command(
    *,
    table: Annotated[str, typer.Argument(metavar="TABLE", help=TABLE)],
    secret: Annotated[
        str | None,
        option("The dimension that people keep secret: which of its categories stay possible.", "DIMENSION"),
    ] = None,
    time_limit: Annotated[
        float | None,
        option("Stop after this many seconds and leave the rest undecided.", "SECONDS", min=0),
    ] = None,
    certificate: Annotated[Path | None, option("Write proofs that `tables verify` checks.", "FILE")] = None,
    internal: Annotated[
        bool,
        typer.Option(
            "--internal", help="For the office's own eyes: contributors by name, secrets in the certificate."
        ),
    ] = False,
    html: HtmlOption = None,
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    output: FormatOption = "text",
    **options: Any,  # noqa: ANN401 - the options above
) -> int:
    """Read, audit, and write what was asked for.

    Returns:
        The exit code: 0; 1 if something is disclosed or a rule is not kept; 2 if the request is wrong or the
            figures contradict each other; 4 if it is not decided within the time limit.
    """
    from noiseless.reports.tabulation_page import write_tabulation_html
    from noiseless.reports.tabulation_text import tabulation_text
    from noiseless.tables import check_output, written_whole
    from noiseless.tabulations.reading import read_request

    rules = {name: options.pop(name) for name in RULES if options.get(name) is not None}
    request = read_request(table, **declared_options(options), rules=rules or None, reveal=internal)
    for out in (html, certificate):
        if out is not None:
            check_output(out, request.files)
    with working("auditing"):
        found = request.audit(secret=secret, time_limit=time_limit)
        if certificate is not None and not found.inconsistent:
            with written_whole(certificate, request.files, private=internal) as part:
                proofs = dumps(found.certificate(public=not internal), indent=1)
                part.write_text(f"{proofs}\n", "utf-8", newline="\n")
        if html is not None:
            write_tabulation_html(found, html, request.files, private=internal)
    if output == "json" or json:
        print_json(found.to_dict())
    else:
        proved = None if found.inconsistent else certificate
        say(tabulation_text(found) + files_written(certificate=proved, report=html))
    if found.inconsistent:
        rows = "; ".join(f"{name}: {', '.join(labels)}" for name, labels in found.inconsistent)
        typer.echo(printable(f"noiseless: these figures contradict each other, mend one: {rows}"), err=True)
        return WRONG
    return VIOLATED if found.violated else HOLDS if found.holds else UNDECIDED


@takes(READING)
def verify_command(
    *,
    certificate: Annotated[Path, typer.Argument(metavar="CERT", help="The certificate, a JSON file.")],
    table: Annotated[str, typer.Argument(metavar="TABLE", help=TABLE)],
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    output: FormatOption = "text",
    **options: Any,  # noqa: ANN401 - the options above
) -> int:
    """Check every claim of a certificate against the tables.

    Returns:
        The exit code: 0, or 1 when a claim does not hold.
    """
    from noiseless.tabulations.reading import read_request
    from noiseless.verification import verify_tables

    request = read_request(table, **declared_options(options))
    with working("verifying"):
        found = verify_tables(certificate, request.publication)
    show("json" if json else output, found.to_dict(), found.text)
    return HOLDS if found.holds else VIOLATED


def declared_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as the reader takes them."""
    found = {
        key: value for key, value in options.items() if value is not None and key not in ("rounded", "told")
    }
    told = _told(options.get("told") or ())
    if options.get("rounded") is not None:
        told["rounded"] = options["rounded"]
    if told:
        found["told"] = told
    if "totals" in found:
        named = [each.partition("=") for each in found["totals"]]
        found["totals"] = {name: label or None for name, _, label in named}
    if "hierarchy" in found:
        shape = "DIMENSION=FILE, such as region=regions.csv"
        found["hierarchy"] = dict(read_assigned("--hierarchy", each, shape) for each in found["hierarchy"])
    return found


def _told(texts: Sequence[str]) -> dict[str, Any]:
    """Marks and what they mean; words such as zero name a meaning, and a mark follows."""
    found: dict[str, Any] = {}
    for text in texts:
        name, sign, rest = text.partition("=")
        if name in ("suppressed", "zero") and sign:
            found.setdefault(name, []).append(rest)
        elif name in ("decimal", "absent", "totals", "below_from") and rest:
            found[name] = rest
        else:
            mark, meaning = read_assigned(
                "--told", text, "MARK=MEANING, such as suppressed=q, zero=- or '*=1-4'"
            )
            if mark.endswith(("=<", "=>")):  # the meaning begins with <= or >=
                mark, meaning = mark[:-2], f"{mark[-1]}={meaning}"
            found.setdefault("marks", {})[mark] = meaning
    return found
