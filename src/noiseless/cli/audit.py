"""`noiseless audit`: what a table, or several releases together, give away."""

from pathlib import Path
from typing import Annotated

import typer

from noiseless.cli.options import (
    TABLES,
    DistinctOption,
    FormatOption,
    GivenOption,
    HtmlOption,
    MissingOption,
    NamesOption,
    column_option,
    columns,
    option,
    per_column,
    print_json,
    say,
    working,
)

HELP = """What a table gives away, or several releases of the same people together.

Examples:

  noiseless audit heart.csv --sensitive age --public chol

  noiseless audit released.csv --sensitive illness

  noiseless audit adult.csv --sensitive salary --public age --public sex --html report.html

  noiseless audit 2023.csv 2024.csv --unit patient --sensitive illness --public ward

  noiseless audit release.parquet --sensitive pay --public job --policy limits.toml

  noiseless audit heart.csv --sensitive age --public chol --rule chol=round:50 --rule min-cell:5

  noiseless audit people.csv --sensitive bmi --public age --hypothesis "bmi >= 30"

  noiseless audit adult.csv --sensitive salary --public age --public sex --public race --uniques 3

  noiseless audit heart.csv --sensitive age --public chol --stochastic
"""

_NOT_MET = 1


def audit_command(  # noqa: PLR0917 - typer calls it by keywords
    table: Annotated[list[str], typer.Argument(metavar="TABLE", help=TABLES)],
    sensitive: Annotated[list[str] | None, column_option("A column to protect.")] = None,
    public: Annotated[
        list[str] | None, column_option("A column that everyone sees; all others, if none is named.")
    ] = None,
    given: GivenOption = None,
    unit: Annotated[
        str | None, column_option("The column that identifies a person: count people, not rows.")
    ] = None,
    rule: Annotated[
        list[str] | None,
        per_column(
            "Audit what a disclosure rule publishes: age=round:5, min-cell:10, pay=p-percent:10.",
            "[COLUMN=]RULE",
        ),
    ] = None,
    hypothesis: Annotated[
        str | None,
        option(
            'Also report how well a yes/no fact can be inferred: "bmi >= 30", "illness = flu".', "COMPARISON"
        ),
    ] = None,
    key: Annotated[
        list[str] | None,
        option(
            "Public columns that an adversary may know of a person, as a,b: the policy is held against each "
            "key, not against all public columns at once.",
            "COLUMNS",
            autocompletion=columns,
        ),
    ] = None,
    uniques: Annotated[
        int | None,
        option("Also find the combinations of up to N public columns that single rows out (SUDA).", "N"),
    ] = None,
    population: Annotated[
        str | None,
        option("Also say how well rows are found in a table of the whole population.", "TABLE"),
    ] = None,
    stochastic: Annotated[
        bool,
        typer.Option("--stochastic", help="Also report what leaks on average, by the table's frequencies."),
    ] = False,
    policy: Annotated[
        Path | None, option("Limits to check (TOML); exit code 1 if one is not met.", "FILE")
    ] = None,
    html: HtmlOption = None,
    records: Annotated[
        Path | None, option("Write each row's risk (CSV, Parquet, JSON lines).", "OUT")
    ] = None,
    missing: MissingOption = "value",
    distinct_rows: DistinctOption = False,
    schema: Annotated[Path | None, option("Declared domains to check the columns against.", "FILE")] = None,
    clamp: Annotated[
        bool,
        typer.Option("--clamp", help="With --schema: move values outside the bounds to the nearest bound."),
    ] = False,
    show_values: Annotated[
        bool,
        typer.Option(
            "--show-values", help="Show the values of the worst groups; the output is then private."
        ),
    ] = False,
    names: NamesOption = None,
    output: FormatOption = "text",
) -> int:
    """Run the audit, write what was asked for, and say whether the policy is met.

    Returns:
        The exit code: 0, or 1 when a limit of the policy is not kept.
    """
    from noiseless.audits import audit
    from noiseless.audits.policy import Policy
    from noiseless.errors import RequestError
    from noiseless.reports.audit_text import audit_text
    from noiseless.tables import check_output

    outputs = [out for out in (html, records) if out is not None]
    for out in outputs:
        check_output(out, [Path(source) for source in table])
    if html is not None and html == records:
        raise RequestError(f"{html} cannot hold the report and the records; name two files")
    limits = None if policy is None else Policy.read(policy)
    with working("auditing"):
        result = audit(
            table,
            sensitive=sensitive,
            public=public,
            given=given,
            unit=unit,
            missing=missing,
            distinct_rows=distinct_rows,
            schema=schema,
            clamp=clamp,
            names=names,
            rule=rule or None,
            key=key or None,
        )
        checks = None if limits is None else limits.check(result)
        fact = None if hypothesis is None else result.test(hypothesis)
        singled = None if uniques is None else result.uniques(uniques)
        found_in = None if population is None else result.in_population(population)
        average = result.stochastic() if stochastic else None
        if records is not None:
            result.write_records(records)
        if html is not None:
            from noiseless.reports import write_audit_html

            write_audit_html(result, html, checks, reveal=show_values, average=average)
        asked = {"hypothesis": fact, "uniques": singled, "population": found_in, "stochastic": average}
        parts = {name: part for name, part in asked.items() if part is not None}
        if output == "json":
            found = {name: part.to_dict() for name, part in parts.items()}
            found |= {} if checks is None else {"policy": checks.to_dict()}
            answer = result.to_dict(reveal=show_values) | found
        else:
            texts = [audit_text(result, checks, reveal=show_values), *map(repr, parts.values())]
            text = "\n\n".join(texts)
    if not public and schema is None:
        typer.echo(
            f"Without --public, these columns are taken as public: {', '.join(result.public)}.", err=True
        )
    if output == "json":
        print_json(answer)
    else:
        say(text)
    return 0 if checks is None or checks.holds else _NOT_MET
