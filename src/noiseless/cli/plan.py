"""`noiseless plan`: what a question costs before it is asked."""

from decimal import Decimal, InvalidOperation
from typing import Annotated

import typer

from noiseless.cli.options import Format, FormatOption, print_json, say
from noiseless.errors import RequestError

HELP = """What a question costs before it is asked: the finest answer for a budget, the cheapest for an error.

Examples:

  noiseless plan --query mean --n 1000 --bounds 0 1 --budget 1

  noiseless plan --query sum --n 50 --bounds 0 10 --step 0.001 --max-error 5

  noiseless plan --query median --n 200 --bounds 0 120 --step 1 --budget "reach 3"
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
        str, typer.Option("--query", help="count, sum, mean, min, max, median or variance.", metavar="NAME")
    ],
    n: Annotated[int, typer.Option("--n", help="How many people take part.", metavar="N")],
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
    output: FormatOption = Format.text,
) -> None:
    """Print a plan."""
    from noiseless.policies.plan import plan

    bits, reach = read_budget(budget)
    found = plan(
        query,
        n=n,
        bounds=read_bounds(bounds),
        step=None if step is None else read_number("--step", step),
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
        raise RequestError(f"{option} takes a finite decimal number, not {text!r}")
    if max(abs(number.adjusted()), len(number.as_tuple().digits)) > _MOST_DIGITS:
        raise RequestError(f"{option} takes a number of at most {_MOST_DIGITS} digits, and so many zeros")
    return number


def read_bounds(texts: tuple[str, str] | None) -> tuple[Decimal, Decimal] | None:
    """Both bounds as they were written."""
    return None if texts is None else (read_number("--bounds", texts[0]), read_number("--bounds", texts[1]))


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
