"""`noiseless compare` and `capacity`: a guarantee beside others, and what channels can carry."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from noiseless.cli.options import BoundsOption, Format, FormatOption, StepOption, option, show, working
from noiseless.cli.values import read_budget
from noiseless.display import aligned, bound_text
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.comparison.comparison import Comparison
    from noiseless.theory.channel import Channel

COMPARE_HELP = """A noiseless answer beside noise that leaks as many bits.

Examples:

  noiseless compare --query mean --n 1000 --bounds 0 100 --step 1 --bits 2

  noiseless compare --query median --n 101 --bounds 0 120 --step 1 --bits 3 --format json
"""


def compare_command(
    *,
    query: Annotated[str, option("count, sum, mean, min, max, median or variance.", "NAME")],
    n: Annotated[int, option("How many people take part.", "N")],
    bits: Annotated[
        str,
        option(
            'The bits that the answer may leak about one person, or "reach K".', "B", "--bits", "--budget"
        ),
    ],
    bounds: BoundsOption = None,
    step: StepOption = None,
    seed: Annotated[int, option("The seed of the example.", "SEED", min=0)] = 0,
    output: FormatOption = "text",
) -> None:
    """Print the comparison."""
    from noiseless.comparison.comparison import compare

    amount, reach = read_budget(bits, "--bits")
    with working("comparing"):
        compared = compare(query, n=n, bounds=bounds, bits=amount, reach=reach, step=step, seed=seed)
    show(output, compared.to_dict(), _text(compared))


def _text(found: "Comparison") -> str:
    from noiseless.reports.notation import upper_text

    rows = [("", "worst error", "mean error", "bits", "epsilon", "example")]
    for one in found.mechanisms:
        epsilon = "-" if one.epsilon is None else f"{one.epsilon:.3g}"
        errors = upper_text(Fraction(one.worst_error)), f"{one.mean_error:.4g}"
        rows.append((one.name, *errors, bound_text(one.bits, 3, up=True), epsilon, f"{one.example:.10g}"))
    title = (
        f"{found.query} of {found.people:,} people, {float(found.bits):g} bit{'s' * (found.bits != 1)}"
        f" from one person at most (the example's truth is {found.truth:.10g}):"
    )
    noise = (
        f"Noise is added on a lattice of step {float(found.resolution):.4g},"
        f" over which one person moves the answer {found.sweep:,} step{'s' * (found.sweep != 1)}."
    )
    notes = [noise]
    if found.mechanisms[0].bits == 0:
        notes.append("Below one bit a noiseless answer is a constant.")
    notes.append(
        "These bits allow the exact answer: no noise is needed, and none is added."
        if all(one.worst_error == 0 for one in found.mechanisms)
        else "Equal bits are not equal promises:"
        " a noiseless answer has no epsilon, noise no useful worst error."
    )
    return "\n".join([title, "", *(f"  {line}" for line in aligned(rows, "<" + ">" * 5)), "", *notes])


CAPACITY_HELP = """How many bits a channel can carry, at least and at most.

CHANNEL is a CSV file without a header: a row for each input, a column for each output, rows that sum to 1.
With --zero-error no error is ever allowed, not even an unlikely one. With --cover a range takes the place of
a channel: how many sets of diameter 2 EPS hold it.

Examples:

  noiseless capacity channel.csv --tolerance 1e-6

  noiseless capacity channel.csv --zero-error

  noiseless capacity --cover "[0, 1] | {3}" --eps 1/4
"""


def capacity_command(
    channel: Annotated[
        Path | None,
        typer.Argument(metavar="CHANNEL.csv", help="Probabilities of the outputs, a row for each input."),
    ] = None,
    *,
    tolerance: Annotated[float, option("How close the two bounds should be.", "NATS")] = 1e-9,
    time_limit: Annotated[
        float | None, option("Stop after this long, with the bounds found so far.", "SECONDS")
    ] = None,
    zero_error: Annotated[
        bool,
        typer.Option(
            "--zero-error", help="What can be sent without any error, and which inputs are confused."
        ),
    ] = False,
    cover: Annotated[str | None, option('The range to cover instead: "[0, 1] | {3}".', "RANGE")] = None,
    eps: Annotated[str | None, option("Half the diameter of the sets that cover it.", "EPS")] = None,
    output: FormatOption = "text",
) -> None:
    """Read a channel and bracket its capacity."""
    from noiseless.theory.capacity import capacity
    from noiseless.theory.channel import Channel

    if (channel is None) == (cover is None) or (cover is None) != (eps is None):
        raise RequestError("give a channel (CHANNEL.csv), or a range with --cover and --eps")
    if cover is not None:
        _show_cover(cover, str(eps), output)
        return
    with working("reading"):
        read = Channel.read(cast("Path", channel))
    if zero_error:
        _show_zero_error(read, output)
        return
    with working("searching"):
        bracket = capacity(read, tolerance=tolerance, time_limit=time_limit)
    ends = ("lower", "upper", "lower_nats", "upper_nats", "width_nats")
    names = (*ends, "method", "converged", "inputs", "outputs")
    result = {name: getattr(bracket, name) for name in names} | {"inputs_used": bracket.atoms}
    show(output, result, repr(bracket))


_SHOWN_ROWS = 20
_MOST_EDGES = 1_000
"""This many confusable pairs are listed."""


def _show_zero_error(channel: "Channel", output: Format) -> None:
    from noiseless.theory.zero_error import Graph, zero_error_capacity

    joint = channel.support()
    with working("searching"):
        found, graph = zero_error_capacity(joint), Graph.of_inputs(joint)
    pairs = [[a + 1, b + 1] for a, b in graph.edges] if graph.size <= _MOST_EDGES else None
    listed = {"confusable_pairs": graph.size, "confusable": pairs}
    rows = ", ".join(str(row + 1) for row in found.independence.nodes[:_SHOWN_ROWS])
    more = ", ..." if found.independence.size > _SHOWN_ROWS else ""
    text = f"{found!r}\n{graph.size:,} pairs of inputs can be confused; rows {rows}{more} never are"
    show(output, found.to_dict() | listed, text)


def _show_cover(cover: str, eps: str, output: Format) -> None:
    from noiseless.exact import Bits
    from noiseless.theory.continuous.covering_number import covering_number

    number = covering_number(cover, eps)
    if not isinstance(number, int) or not number:
        raise RequestError("a range that is empty or without end has no covering number; give a bounded one")
    bits = Bits(number)
    found = {"covering_number": number, "lower": bits.lower, "upper": bits.upper}
    show(output, found, f"{number:,} sets of diameter 2 * {eps} cover {cover}: an eps-entropy of {bits}")
