"""`noiseless plan` and `noiseless rules`: what a question, or a disclosure rule, costs before it is asked."""

import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Annotated

import typer

from noiseless.cli.options import Format, FormatOption, print_json, say
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.pricing.plan import Plan
    from noiseless.questions import Span
    from noiseless.rules.plan import Bound
    from noiseless.rules.rule_plan import RulePlan


PLAN_HELP = """What a question costs before it is asked: the finest answer for a budget, the cheapest for an error.

Examples:

  noiseless plan --query mean --n 1000 --bounds 0 1 --budget 1

  noiseless plan --query sum --n 50 --bounds 0 10 --step 0.001 --max-error 5

  noiseless plan --query median --n 200 --bounds 0 120 --step 1 --budget "reach 3"

  noiseless plan --query sum --n 1000 --bounds 0 1000 --step 1 --rule round:100

  noiseless plan --query value --bounds 1950-01-01 2009-12-31 --rule date:month
"""


BoundsOption = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--bounds",
        help="The smallest and the largest value of a person; a count needs none.",
        metavar="LO HI",
    ),
]

_MOST_DIGITS = 300
"""Numbers beyond are slips of the pen, and exact arithmetic with them never ends."""


def plan_command(
    *,
    query: Annotated[
        str,
        typer.Option(
            "--query",
            help="count, sum, mean, min, max, median or variance; with --rule also value, a person's own.",
            metavar="NAME",
        ),
    ],
    n: Annotated[
        int | None, typer.Option("--n", help="How many people take part; a value needs none.", metavar="N")
    ] = None,
    bounds: BoundsOption = None,
    step: Annotated[
        str | None,
        typer.Option("--step", help="The resolution of values; any number without it.", metavar="S"),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option("--budget", help='Bits one person may lose, or "reach K".', metavar="B"),
    ] = None,
    max_error: Annotated[
        str | None, typer.Option("--max-error", help="The largest tolerated error instead.", metavar="E")
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(
            "--rule",
            help="A disclosure rule such as round:5 or 15/15 instead: what it gives away (noiseless rules).",
            metavar="R",
        ),
    ] = None,
    output: FormatOption = Format.text,
) -> None:
    """Print a plan."""
    from noiseless.rules.plan import plan

    width = None if step is None else read_number("--step", step)
    found: Plan | RulePlan
    if rule is not None:
        if budget is not None or max_error is not None:
            raise RequestError("a rule has its own price; leave --budget and --max-error out, or --rule")
        found = plan(query, n=n, bounds=ruled_bounds(rule, bounds), step=width, rule=rule)
    elif n is None:
        raise RequestError("n is the number of people who take part (--n N)")
    else:
        bits, reach = read_budget(budget)
        found = plan(
            query,
            n=n,
            bounds=read_bounds(bounds),
            step=width,
            budget=bits,
            reach=reach,
            max_error=None if max_error is None else read_number("--max-error", max_error),
        )
    if output is Format.json:
        print_json(found.to_dict())
    else:
        say(str(found))


def read_number(option: str, text: str) -> Decimal:
    """A decimal number as it was written, never by way of a float.

    Raises:
        RequestError: it is none, or it is not finite.
    """
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite():
        remedy = "; dates are coarsened by noiseless release, or by rules such as date:month"
        is_day = re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) is not None
        raise RequestError(f"{option} takes a finite decimal number, not {text!r}{remedy * is_day}")
    if max(abs(number.adjusted()), len(number.as_tuple().digits)) > _MOST_DIGITS:
        raise RequestError(f"{option} takes a number of at most {_MOST_DIGITS} digits, and so many zeros")
    return number


def read_bounds(texts: tuple[str, str] | None) -> tuple[Decimal, Decimal] | None:
    """Both bounds as they were written."""
    return None if texts is None else (read_number("--bounds", texts[0]), read_number("--bounds", texts[1]))


def read_span(option: str, low: str, high: str, step: str | None = None) -> "Span":
    """Between two bounds, in steps or not."""
    from noiseless.questions import Continuum, Lattice

    ends = read_number(option, low), read_number(option, high)
    return Continuum.of(*ends) if step is None else Lattice.of(*ends, read_number("--step", step))


def read_spans(option: str, texts: list[str], found: dict[str, "Span"]) -> dict[str, "Span"]:
    """The domains of columns, written COL=LO:HI[:STEP], and those there are; names may hold = and : too."""
    from noiseless.tables import require_distinct

    for text in texts:
        name, sign, numbers = text.rpartition("=")
        parts = numbers.split(":")
        if not sign or not name or len(parts) not in (2, 3):
            raise RequestError(
                f"{option} {text!r} is not COL=LO:HI or COL=LO:HI:STEP, such as lon=-74:-73:0.001"
            )
        require_distinct(column=[*found, name])
        found = {**found, name: read_span(option, parts[0], parts[1], *parts[2:])}
    return found


def ruled_bounds(rule: str, texts: tuple[str, str] | None) -> "tuple[Bound, Bound] | None":
    """Bounds under a rule: dates and codes as they are, all else as numbers."""
    from noiseless.rules import NumberCoarsening
    from noiseless.rules import rule as read_rule
    from noiseless.rules.base import Dominance

    if isinstance(read_rule(rule), NumberCoarsening | Dominance):
        return read_bounds(texts)
    return texts


def read_budget(text: str | None, option: str = "--budget") -> tuple[Decimal | None, int | None]:
    """A budget as bits or, written "reach K", as a number of answers."""
    if text is None:
        return None, None
    word, _, rest = text.strip().partition(" ")
    if word.lower() == "reach":
        if not rest.strip().isdecimal() or len(rest.strip()) > _MOST_DIGITS:
            raise RequestError(f'{option} "reach K" takes a whole number K, such as "reach 3"')
        return None, int(rest)
    return read_number(option, text), None


RULES_HELP = """The disclosure rules that practitioners use, and what each really gives away of one person.

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
