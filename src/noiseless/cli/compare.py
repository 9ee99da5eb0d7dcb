"""`noiseless compare`: a noiseless answer beside randomised ones at equal bits."""

from typing import TYPE_CHECKING, Annotated

import typer

from noiseless.cli.options import Format, FormatOption, print_json, say, working
from noiseless.cli.plan import BoundsOption, read_bounds, read_budget, read_number

if TYPE_CHECKING:
    from noiseless.comparison.comparison import Comparison
    from noiseless.exact import Rational

HELP = """A noiseless answer beside randomised ones through which one person can tell as many bits.

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
    from noiseless.reports.numbers import upper_text

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
