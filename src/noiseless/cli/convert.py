"""`noiseless convert`: what a guarantee of one kind says in terms of another."""

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Annotated

import typer

from noiseless.cli.options import Format, FormatOption, print_json, say
from noiseless.errors import RequestError

HELP = """What a privacy guarantee of one kind says in terms of another.

The kinds: dp is (epsilon, delta)-differential privacy, kl is KL-DP and mi is MI-DP (both in nats), delta is
(0, delta)-DP. Exit code 1 when no finite guarantee follows.

Examples:

  noiseless convert --from dp --to mi --epsilon 1

  noiseless convert --from mi --to delta --epsilon 0.1

  noiseless convert --from delta --to mi --delta 0.01 --inputs 1000

  noiseless convert --from mi --to dp --epsilon 0.1 --target-epsilon 1
"""

_NOTHING_FOLLOWS = 1


def convert_command(
    *,
    source: Annotated[
        str, typer.Option("--from", metavar="KIND", help="What is given: dp, kl, mi or delta.")
    ],
    target: Annotated[str, typer.Option("--to", metavar="KIND", help="What is wanted: dp, kl, mi or delta.")],
    epsilon: Annotated[
        str | None,
        typer.Option("--epsilon", metavar="E", help="The epsilon that is given, in nats (0.1, 1/3, 1e-6)."),
    ] = None,
    delta: Annotated[
        str | None, typer.Option("--delta", metavar="D", help="The delta that is given, with dp and delta.")
    ] = None,
    inputs: Annotated[
        int | None, typer.Option("--inputs", metavar="N", help="How many values one entry can take.")
    ] = None,
    outputs: Annotated[
        int | None, typer.Option("--outputs", metavar="M", help="How many outputs there are.")
    ] = None,
    target_epsilon: Annotated[
        str | None,
        typer.Option("--target-epsilon", metavar="E", help="With --to dp: find delta' for this epsilon'."),
    ] = None,
    as_printed: Annotated[
        bool, typer.Option("--as-printed", help="Use the paper's formula instead of the sharpest known.")
    ] = False,
    output: FormatOption = Format.text,
) -> int:
    """Print what follows.

    Returns:
        The exit code: 0, or 1 when no finite guarantee follows.
    """
    from noiseless.theory.differential import convert

    found = convert(
        source,
        target,
        epsilon=_number("--epsilon", epsilon),
        delta=_number("--delta", delta),
        inputs=inputs,
        outputs=outputs,
        target_epsilon=_number("--target-epsilon", target_epsilon),
        as_printed=as_printed,
    )
    if output is Format.json:
        print_json(found.to_dict())
    else:
        say(found.statement)
    return 0 if found.follows else _NOTHING_FOLLOWS


def _number(option: str, text: str | None) -> Fraction | Decimal | None:
    """A number exactly as it was written: a decimal, a fraction, or inf."""
    if text is None:
        return None
    try:
        if "/" in text:
            return Fraction(text)
        number = Decimal(text)
    except (ValueError, ZeroDivisionError, InvalidOperation):
        number = Decimal("nan")
    if number.is_nan():
        raise RequestError(f"{option} takes a number such as 0.1, 1/3 or 1e-6, not {text!r}")
    return number
