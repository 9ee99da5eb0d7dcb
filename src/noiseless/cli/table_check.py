"""`noiseless tables check`: may a table follow those that were published of the same people?"""

from typing import Annotated, Any

import typer

from noiseless.cli.options import FormatOption, option, print_json, say, takes, working
from noiseless.cli.tables import (
    HOLDS,
    READING,
    RULES,
    TABLE,
    UNDECIDED,
    VIOLATED,
    WRONG,
    declared_options,
)
from noiseless.errors import printable

CHECK_HELP = """Whether a table may join those already published.

A ledger records the tables of each population and what was promised for them. A new table is refused if it
breaks one of these promises together with the tables before it.

Examples:

  noiseless tables check patients-by-sex.csv --ledger hospital.db --population hospital-2026 --record

  noiseless tables check hospital.toml --ledger hospital.db --at-least 3 --threshold 5 --secret diagnosis

  noiseless tables check acro-outputs --ledger project.db --population project-17 --record --by "ann"
"""


@takes(READING, RULES)
def check_command(
    *,
    table: Annotated[str, typer.Argument(metavar="TABLE", help=TABLE)],
    ledger: Annotated[
        str, option("The ledger: a URL, a SQLite file, or a curator's file.", "LEDGER", "--ledger")
    ],
    population: Annotated[
        str | None, option("The population that the tables describe; a TOML file may name it.", "NAME")
    ] = None,
    quantity: Annotated[
        str | None,
        option("The amount that sums add up, by default that of --value; other tables are left out.", "NAME"),
    ] = None,
    at_least: Annotated[
        int,
        option(
            "The fewest values that each withheld or rounded figure must leave possible, now and later.",
            "K",
            min=2,
        ),
    ] = 2,
    secret: Annotated[str | None, option("The dimension that people keep secret.", "DIMENSION")] = None,
    record: Annotated[
        bool, typer.Option("--record", help="Record the tables in the ledger, if they break no promise.")
    ] = False,
    published: Annotated[
        bool,
        typer.Option("--published", help="Record them whatever the check finds: they are published already."),
    ] = False,
    answers: Annotated[
        bool,
        typer.Option(
            "--answers/--without-answers", help="Whether to count the answers of the population's curator."
        ),
    ] = True,
    by: Annotated[str, option("Who publishes them.", "NAME")] = "owner",
    time_limit: Annotated[
        float | None,
        option("Stop after this many seconds and leave the rest undecided.", "SECONDS", min=0),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    output: FormatOption = "text",
    **options: Any,  # noqa: ANN401 - the options above
) -> int:
    """Read, check, and record.

    Returns:
        The exit code: 0; 1 if a promise is broken; 2 if the request is wrong or figures contradict each
            other; 4 if it is not decided within the time limit.
    """
    from noiseless.curator.published_answers import published_answers
    from noiseless.ledger.publications import check_request
    from noiseless.reports.table_check_text import table_check_text
    from noiseless.tabulations.reading import read_request

    rules = {name: options.pop(name) for name in RULES if options.get(name) is not None}
    request = read_request(table, **declared_options(options), rules=rules or None, whole=True)
    with working("checking"):
        found = check_request(
            request,
            ledger,
            population=population,
            quantity=quantity,
            at_least=at_least,
            secret=secret,
            record=record,
            published=published,
            by=by,
            time_limit=time_limit,
            heard=published_answers if answers else None,
        )
    if output == "json" or json:
        print_json(found.to_dict())
    else:
        say(table_check_text(found))
    if found.inconsistent:
        rows = "; ".join(f"{name}: {', '.join(labels)}" for name, labels in found.inconsistent)
        typer.echo(printable(f"noiseless: these figures contradict each other, mend one: {rows}"), err=True)
        return WRONG
    return VIOLATED if found.refused else HOLDS if found.holds else UNDECIDED
