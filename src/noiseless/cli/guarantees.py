"""`noiseless compare`, `convert` and `capacity`: a guarantee beside others, in terms of others, and of a channel."""

from typing import TYPE_CHECKING, Annotated

import typer

from noiseless.cli.options import Format, FormatOption, print_json, say, working
from noiseless.cli.plan import BoundsOption, read_bounds, read_budget, read_number

if TYPE_CHECKING:
    from noiseless.comparison.comparison import Comparison
    from noiseless.exact import Rational

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path

from noiseless.errors import RequestError

COMPARE_HELP = """A noiseless answer beside randomised ones through which one person can tell as many bits.

Examples:

  noiseless compare --query mean --n 1000 --bounds 0 100 --step 1 --bits 2

  noiseless compare --query median --n 101 --bounds 0 120 --step 1 --bits 3 --format json
"""


def compare_command(
    *,
    query: Annotated[
        str, typer.Option("--query", help="count, sum, mean, min, max, median or variance.", metavar="NAME")
    ],
    n: Annotated[int, typer.Option("--n", help="How many people take part.", metavar="N")],
    bits: Annotated[
        str,
        typer.Option(
            "--bits",
            "--budget",
            help='The bits that one person may tell through the answer, or "reach K".',
            metavar="B",
        ),
    ],
    bounds: BoundsOption = None,
    step: Annotated[
        str | None,
        typer.Option("--step", help="The resolution of values; any number without it.", metavar="S"),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Draws the example.", metavar="SEED", min=0)] = 0,
    output: FormatOption = Format.text,
) -> None:
    """Print the comparison."""
    from noiseless.comparison.comparison import compare

    amount, reach = read_budget(bits, "--bits")
    with working("comparing"):
        found = compare(
            query,
            n=n,
            bounds=read_bounds(bounds),
            bits=amount,
            reach=reach,
            step=None if step is None else read_number("--step", step),
            seed=seed,
        )
    if output is Format.json:
        print_json(found.to_dict())
    else:
        say(_text(found))


def _text(found: "Comparison") -> str:
    from fractions import Fraction

    from noiseless.display import bound_text
    from noiseless.reports.notation import upper_text

    rows = [("", "worst error", "mean error", "bits", "epsilon", "example")]
    for one in found.mechanisms:
        epsilon = "-" if one.epsilon is None else f"{one.epsilon:.3g}"
        errors = upper_text(Fraction(one.worst_error)), f"{one.mean_error:.4g}"
        rows.append((one.name, *errors, bound_text(one.bits, 3, up=True), epsilon, f"{one.example:.10g}"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            [f"{row[0]:<{widths[0]}}", *(f"{cell:>{w}}" for cell, w in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
    title = (
        f"{found.query} of {found.people:,} people, {_counted(found.bits, 'bit')} from one person at most"
        f" (the example's truth is {found.truth:.10g}):"
    )
    noise = (
        f"Noise is added on a lattice of step {float(found.resolution):.4g},"
        f" over which one person moves the answer {found.sweep:,} step{'s' * (found.sweep != 1)}."
    )
    notes = [noise]
    if found.mechanisms[0].bits == 0:
        notes.append("Below one bit a noiseless answer is a constant.")
    notes.append(
        "So many bits allow the exact answer: no noise is needed, and none is added."
        if all(one.worst_error == 0 for one in found.mechanisms)
        else "Equal bits are not equal promises:"
        " a noiseless answer has no epsilon, noise no useful worst error."
    )
    return "\n".join([title, "", *(f"  {line}" for line in lines), "", *notes])


def _counted(number: "Rational", what: str) -> str:
    return f"{float(number):g} {what}{'s' * (number != 1)}"


CONVERT_HELP = """What a privacy guarantee of one kind says in terms of another.

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


CAPACITY_HELP = """How many bits a channel can carry, between two ends that hold for certain.

CHANNEL is a CSV file without a header: a row for each input, a column for each output, rows that sum to 1.

Example:

  noiseless capacity channel.csv --tolerance 1e-6
"""


def capacity_command(
    channel: Annotated[
        Path, typer.Argument(metavar="CHANNEL.csv", help="Probabilities of the outputs, a row an input.")
    ],
    tolerance: Annotated[
        float, typer.Option("--tolerance", metavar="NATS", help="How near the two ends should be.")
    ] = 1e-9,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="SECONDS", help="Stop then, with the ends found so far."),
    ] = None,
    output_format: FormatOption = Format.text,
) -> None:
    """Read a channel and bracket its capacity."""
    from noiseless.theory.capacity import capacity
    from noiseless.theory.channel import Channel

    with working("reading"):
        read = Channel.read(channel)
    with working("searching"):
        found = capacity(read, tolerance=tolerance, time_limit=time_limit)
    if output_format is Format.text:
        say(repr(found))
        return
    print_json(
        {
            "lower": found.lower,
            "upper": found.upper,
            "lower_nats": found.lower_nats,
            "upper_nats": found.upper_nats,
            "width_nats": found.width_nats,
            "method": found.method,
            "converged": found.converged,
            "inputs": found.inputs,
            "outputs": found.outputs,
            "inputs_used": found.atoms,
        }
    )
