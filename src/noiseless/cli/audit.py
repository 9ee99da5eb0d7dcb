"""`noiseless audit`: what a table, or several releases together, give away."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseless.cli.options import (
    READING,
    TABLES,
    DistinctOption,
    Format,
    FormatOption,
    GivenOption,
    HtmlOption,
    MissingOption,
    NamesOption,
    SummaryOption,
    column_option,
    columns,
    files_written,
    in_panels,
    option,
    per_column,
    print_json,
    say,
    show,
    typed_command,
    working,
)
from noiseless.cli.values import read_assigned

if TYPE_CHECKING:
    from noiseless.audits import Audit
    from noiseless.audits.policy import Policy

HELP = """What a table, or several releases together, give away.

Examples:

  noiseless audit patients.csv --sensitive illness

  noiseless audit heart.csv --sensitive age --public chol --public sex --html report.html

  noiseless audit patients.csv --sensitive illness --policy limits.toml --summary board.html

  noiseless audit 2023.csv 2024.csv --unit patient --sensitive illness --public ward

  noiseless audit heart.csv --sensitive age --public chol --rule chol=round:50 --rule min-cell:5

  noiseless audit people.csv --sensitive bmi --public age --hypothesis "bmi >= 30"
"""

_NOT_MET = 1
_FEWEST_ROWS = 10
"""In fewer rows values differ by chance."""


@in_panels(
    {
        "Further questions": (
            *("rule", "hypothesis", "key", "hierarchy", "class_level"),
            *("uniques", "population", "weights", "stochastic", "certificate", "each"),
        ),
        READING: ("schema", "clamp"),
    }
)
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
    certificate: Annotated[
        list[Path] | None,
        option(
            "Instead of --public: a release of TABLE, by its certificate; repeat it for what releases reveal "
            "together.",
            "CERT",
        ),
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
    hierarchy: Annotated[
        list[str] | None,
        per_column(
            "Classes of a sensitive column: rows of value,level 1,...,top; also report the fewest that a "
            "group leaves possible.",
            "COL=FILE",
        ),
    ] = None,
    class_level: Annotated[
        int, option("The level of the hierarchy that gives the classes; 1 by default.", "N")
    ] = 1,
    uniques: Annotated[
        int | None,
        option("Also find the combinations of up to N public columns that single rows out (SUDA).", "N"),
    ] = None,
    population: Annotated[
        str | None,
        option("Also report how well rows can be found in a table of the whole population.", "TABLE"),
    ] = None,
    weights: Annotated[
        str | None,
        option(
            "For a sample: how many people a row stands for, as a column or one number; also estimate risks "
            "and rates of the population.",
            "COLUMN|N",
            autocompletion=columns,
        ),
    ] = None,
    stochastic: Annotated[
        bool,
        typer.Option("--stochastic", help="Also report what leaks on average, by the table's frequencies."),
    ] = False,
    policy: Annotated[
        Path | None, option("Limits to check (TOML); exit code 1 if one is not met.", "FILE")
    ] = None,
    each: Annotated[
        bool, typer.Option("--each", help="Audit each table by itself, and print a line for each.")
    ] = False,
    html: HtmlOption = None,
    summary: SummaryOption = None,
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
    from noiseless.reports.audit_text import audit_text

    _check_outputs([out for out in (html, summary, records) if out is not None], table)
    limits = None if policy is None else Policy.read(policy)
    roles = _roles(limits, sensitive=sensitive, public=public, given=given, unit=unit)
    reading: dict[str, Any] = {"missing": missing, "distinct_rows": distinct_rows, "schema": schema}
    reading |= {"clamp": clamp, "rule": rule or None, "weights": weights}
    naming: dict[str, Any] = {"names": names, "key": key or None, "class_level": class_level}
    naming["hierarchy"] = dict(read_assigned("--hierarchy", text, "COL=FILE") for text in hierarchy or ())
    if each:
        more = (html, summary, records, hypothesis, uniques, population, stochastic, show_values, certificate)
        return _each(table, limits, {**roles, **reading, **naming}, output, more=any(more))
    with working("auditing"):
        if certificate:
            known = {name: columns for name, columns in roles.items() if name != "public"} | naming
            result = _by_certificates(table, certificate, known, {"public": public, **reading})
        else:
            result = audit(table, **roles, **reading, **naming)
        fact = None if hypothesis is None else result.test(hypothesis)
        singled = None if uniques is None else result.uniques(uniques)
        found_in = None if population is None else result.in_population(population)
        checks = None if limits is None else limits.check(result, found_in)
        average = result.stochastic() if stochastic else None
        if records is not None:
            result.write_records(records)
        if html is not None:
            from noiseless.reports import write_audit_html

            write_audit_html(result, html, checks, reveal=show_values, average=average)
        if summary is not None:
            named = (policy, schema, *(certificate or ()), *map(Path, naming["hierarchy"].values()))
            read = [path for path in named if path is not None]
            result.summary_html(summary, policy=checks, read=read, command=typed_command())
        asked = {
            "versions": result.versions,
            "sample": result.sample,
            "hypothesis": fact,
            "uniques": singled,
            "population": found_in,
            "stochastic": average,
        }
        parts = {name: part for name, part in asked.items() if part is not None}
        if output == "json":
            found = {name: part.to_dict() for name, part in parts.items()}
            found |= {} if checks is None else {"policy": checks.to_dict()}
            answer = result.to_dict(reveal=show_values) | found
        else:
            texts = [audit_text(result, checks, reveal=show_values), *map(repr, parts.values())]
            text = "\n\n".join(texts)
            text += files_written(report=html, for_the_board=summary, risk_of_each_row=records)
    if not public and schema is None and not certificate:
        _say_public(result)
    if output == "json":
        print_json(answer)
    else:
        say(text)
    return 0 if checks is None or checks.holds else _NOT_MET


def _say_public(result: "Audit") -> None:
    """Say which columns are taken as public, and which of them give every row away, as names do."""
    typer.echo(f"Without --public, these columns are taken as public: {', '.join(result.public)}.", err=True)
    tally = getattr(result, "tally", None)
    if tally is None or result.rows < _FEWEST_ROWS or len(tally) < result.rows:
        return
    from pyarrow.compute import count_distinct

    alone = [name for name in result.public if count_distinct(tally.decode(name)).as_py() == result.rows]
    if alone:
        have = "has" if len(alone) == 1 else "have"
        typer.echo(
            f"{', '.join(alone)} {have} another value in every row, which gives every row away; name the "
            "columns that others see (--public).",
            err=True,
        )


def _roles(limits: "Policy | None", **asked: Any) -> dict[str, Any]:  # noqa: ANN401 - columns, or one
    """The columns that are asked for, or else those of the policy."""
    named = {} if limits is None or limits.columns is None else asdict(limits.columns)
    return {role: columns or named.get(role) for role, columns in asked.items()}


def _check_outputs(outputs: Sequence[Path], tables: Sequence[str]) -> None:
    """Check, before long work, that each file can be written, and holds one thing."""
    from noiseless.errors import RequestError
    from noiseless.tables import check_output

    for place, out in enumerate(outputs):
        check_output(out, [Path(source) for source in tables])
        if out in outputs[:place]:
            raise RequestError(f"{out} cannot hold two things; name another file for one of them")


def _each(
    tables: Sequence[str], limits: "Policy | None", options: dict[str, Any], output: Format, *, more: bool
) -> int:
    """Audit each table by itself: a line for each, and one for each limit that it does not keep.

    Returns:
        The exit code: 0, or 1 when a table does not keep a limit of the policy.
    """
    from noiseless.audits import audit
    from noiseless.errors import RequestError

    if more:
        raise RequestError("--each says of each table whether it is private; ask for more table by table")
    found, lines, holds = [], [], True
    for table in tables:
        with working(f"auditing {table}"):
            result = audit(table, **options)
            checks = None if limits is None else limits.check(result)
            holds = holds and (checks is None or checks.holds)
            found.append(result.to_dict() | ({} if checks is None else {"policy": checks.to_dict()}))
        lines.append(f"{table}: {result.verdict}")
        for check in () if checks is None else checks.checks:
            name, asked, reached = check.words
            if not check.holds:
                lines.append(f"  FAILS: {name} ({check.target}): {asked} asked, {reached} found")
    show(output, {"audits": found, "holds": holds if limits is not None else None}, "\n".join(lines))
    return 0 if holds else _NOT_MET


def _by_certificates(
    tables: Sequence[Any], certificates: Sequence[Path], options: Mapping[str, Any], more: Mapping[str, Any]
) -> "Audit":
    """The audit of releases by their certificates, which say what else an audit asks."""
    from noiseless.errors import RequestError
    from noiseless.releases import audit_releases

    if len(tables) != 1:
        raise RequestError(
            "certificates are of one table; name only the one that the releases were made from"
        )
    for name, value in more.items():
        if value not in (None, [], False, "value"):
            option = f"--{name.replace('_', '-')}"
            raise RequestError(f"the certificates say how the table is read and released; leave {option} out")
    return audit_releases(tables[0], certificates, **options)
