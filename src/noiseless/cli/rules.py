"""`noiseless rules`: the disclosure rules that practitioners use, and what they give away."""

from typing import Annotated

import typer

from noiseless.cli.options import Format, FormatOption, print_json, say
from noiseless.cli.plan import BoundsOption, read_bounds, read_number

HELP = """The disclosure rules that practitioners use, and what each really gives away of one person.

Without a question each is priced for one that it is used for; with --query, --n, --bounds or --step all are
priced for that question (dates and codes excepted).

Examples:

  noiseless rules

  noiseless rules --query mean --n 200 --bounds 0 120 --rule round:1 --rule digits:2
"""


def rules_command(
    *,
    rule: Annotated[
        list[str] | None,
        typer.Option("--rule", help="Only this rule, with its parameters; repeatable.", metavar="R"),
    ] = None,
    query: Annotated[
        str | None,
        typer.Option(
            "--query",
            help="count, sum (unless told), mean, min, max, median, variance or value.",
            metavar="NAME",
        ),
    ] = None,
    n: Annotated[
        int | None, typer.Option("--n", help="How many people take part; 1,000 unless told.", metavar="N")
    ] = None,
    bounds: BoundsOption = None,
    step: Annotated[
        str | None,
        typer.Option("--step", help="The resolution of values; 1 unless told.", metavar="S"),
    ] = None,
    output: FormatOption = Format.text,
) -> None:
    """Print the rules."""
    from noiseless.rules import EXAMPLES
    from noiseless.rules.prices import priced_rules

    found = priced_rules(
        rule or EXAMPLES,
        query=query,
        n=n,
        bounds=read_bounds(bounds),
        step=None if step is None else read_number("--step", step),
    )
    if output is Format.json:
        print_json({"rules": [priced.to_dict() for priced in found]})
    else:
        say("\n\n".join(map(str, found)))
