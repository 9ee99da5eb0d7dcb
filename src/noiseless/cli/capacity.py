"""`noiseless capacity`: what a channel can carry, between two certain ends."""

from pathlib import Path
from typing import Annotated

import typer

from noiseless.cli.options import Format, FormatOption, print_json, say, working

HELP = """How many bits a channel can carry, between two ends that hold for certain.

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
