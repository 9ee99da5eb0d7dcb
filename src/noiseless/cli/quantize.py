"""`noiseless quantize`: each reading of a person told as its cell."""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from noiseless.cli.options import (
    Format,
    FormatOption,
    MissingValues,
    NamesOption,
    print_json,
    say,
    split_names,
    working,
)
from noiseless.cli.plan import read_budget, read_number
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.mechanisms.local.on_table import Quantized
    from noiseless.queries import Span

HELP = """Tell readings as the cells they lie in: off by half a cell at most, and worth few bits.

Examples:

  noiseless quantize meters.csv --column kwh --bounds 0 10 --step 0.001 --budget 4 -o released.csv

  noiseless quantize trips.parquet --column lat --bounds 40.5 40.9 --also lon=-74.3:-73.7 --budget 8
  -o released.parquet

  tail -f meters.csv | noiseless quantize - --column kwh --bounds 0 10 --max-error 0.5 --unit household
  --total-budget 100 --when-spent coarsen
"""

_PIPE = "-"


class As(StrEnum):
    """How a cell is told."""

    midpoint = "midpoint"
    interval = "interval"
    cell = "cell"


class Spent(StrEnum):
    """What happens to a person whose bits run out."""

    stop = "stop"
    coarsen = "coarsen"


def quantize_command(  # noqa: PLR0917 - typer calls it by keywords
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="A file, a glob or a database table; - reads CSV or JSON lines from a pipe.",
        ),
    ],
    column: Annotated[str, typer.Option("--column", metavar="COLUMN", help="The column of readings.")],
    bounds: Annotated[
        tuple[str, str],
        typer.Option("--bounds", metavar="LO HI", help="The smallest and the largest possible reading."),
    ],
    step: Annotated[
        str | None,
        typer.Option("--step", metavar="S", help="The resolution of readings; any number without it."),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            "--also",
            metavar="COL=LO:HI[:STEP]",
            help="Another column of the same reading, which shares the budget.",
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option("--budget", metavar="B", help='Bits that a reading may tell, or "reach K".'),
    ] = None,
    max_error: Annotated[
        str | None, typer.Option("--max-error", metavar="E", help="The largest tolerated error instead.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="OUT", help="The released table; a pipe goes on without it."),
    ] = None,
    release_as: Annotated[
        As, typer.Option("--as", help="Tell the middle of a cell, its interval, or its number.")
    ] = As.midpoint,
    unit: Annotated[
        str | None,
        typer.Option(
            "--unit", metavar="COLUMN", help="The column that names a person, to count their readings."
        ),
    ] = None,
    total_budget: Annotated[
        str | None,
        typer.Option("--total-budget", metavar="B", help="Bits that all readings of a person may tell."),
    ] = None,
    when_spent: Annotated[
        Spent,
        typer.Option("--when-spent", help="Tell nothing more when they are spent, or coarser cells before."),
    ] = Spent.stop,
    clamp: Annotated[
        bool, typer.Option("--clamp", help="Move readings outside the bounds to the nearest value.")
    ] = False,
    missing: Annotated[
        MissingValues,
        typer.Option(
            "--missing", help="Tell missing values as missing, leave their rows out, or refuse them."
        ),
    ] = MissingValues.error,
    names: NamesOption = None,
    output: FormatOption = Format.text,
) -> int:
    """Release the readings, and say what that tells."""
    from noiseless.mechanisms.local.on_table import quantize, quantize_pipe
    from noiseless.mechanisms.local.streaming import Schedule
    from noiseless.policies.local import local_mechanism

    bits, reach = read_budget(budget)
    mechanism = local_mechanism(
        _spans(column, bounds, step, also or []),
        budget=bits,
        reach=reach,
        max_error=None if max_error is None else read_number("--max-error", max_error),
        missing=missing is MissingValues.value,
    )
    schedule = Schedule.endless(mechanism)
    if total_budget is not None:
        if unit is None:
            raise RequestError("--total-budget is one person's; name the column that names a person: --unit")
        schedule = Schedule.of(mechanism, read_number("--total-budget", total_budget), when_spent.value)
    options: dict[str, Any] = {
        "unit": unit,
        "release_as": release_as.value,
        "clamp": clamp,
        "missing": missing.value,
        "names": split_names(names),
    }
    if table == _PIPE:
        target = sys.stdout.buffer if out is None else out
        try:
            found = quantize_pipe(sys.stdin.buffer, schedule, target, **options)
        except BrokenPipeError:  # whoever reads has had enough
            sys.stdout = cast("Any", open(os.devnull, "w"))  # noqa: PTH123, SIM115 - until the end
            return 0
    elif out is None:
        raise RequestError("name the file to write: -o OUT")
    else:
        with working("quantizing"):
            found = quantize(table, schedule, out, **options)
    _tell(found, out, output)
    return 0


def _spans(column: str, bounds: tuple[str, str], step: str | None, also: list[str]) -> dict[str, "Span"]:
    """The domain of each column; the name of a column may hold = and : itself."""
    from noiseless.tables import require_distinct

    found = {column: _span("--bounds", *bounds, step)}
    for text in also:
        name, sign, numbers = text.rpartition("=")
        parts = numbers.split(":")
        if not sign or not name or len(parts) not in (2, 3):
            raise RequestError(
                f"--also {text!r} is not COL=LO:HI or COL=LO:HI:STEP, such as lon=-74:-73:0.001"
            )
        require_distinct(column=[*found, name])
        found[name] = _span("--also", parts[0], parts[1], *parts[2:])
    return found


def _span(option: str, low: str, high: str, step: str | None = None) -> "Span":
    from noiseless.queries import Continuum, Lattice

    ends = read_number(option, low), read_number(option, high)
    return Continuum.of(*ends) if step is None else Lattice.of(*ends, read_number("--step", step))


def _tell(found: "Quantized", out: Path | None, output: Format) -> None:
    """The result on stdout; on stderr when the table itself went there."""
    if out is None:
        typer.echo(_text(found), err=True)
    elif output is Format.json:
        print_json({**found.to_dict(), "out": str(out)})
    else:
        say(f"{_text(found)}\n  {'written to':<14}  {out}")


def _text(found: "Quantized") -> str:
    from noiseless.mechanisms.local.scalar import describe, number_text
    from noiseless.reports.numbers import bound_text

    mechanism = found.mechanism
    entropy = mechanism.entropy_of_record
    lines = {
        "rows": f"{found.rows:,}" + (f" ({found.dropped:,} left out)" if found.dropped else ""),
        "a record holds": "infinitely many bits"
        if entropy is None
        else f"{bound_text(entropy.lower, 2, up=False)} bits",
    }
    for part in mechanism.parts:
        width, error = number_text(part.cell_width), number_text(part.worst_error)
        cells = f"{part.cells:,} cell{'s' * (part.cells != 1)}"
        lines[part.name] = f"{cells} of width {width} over {describe(part.span)}: off by {error} at most"
    if found.clamped:
        lines["moved"] = f"{found.clamped:,} values to the nearest bound or step"
    if found.persons is not None:
        spent = bound_text(found.schedule.spending(found.most_readings).bits, 2, up=True)
        lines["persons"] = (
            f"{found.persons:,}: {spent} bits each at most, in {found.most_readings:,} readings"
        )
    if found.silent:
        lines["not told"] = f"{found.silent:,} readings of persons whose bits were spent"
    verdict = f"Each reading tells {mechanism.bits}: it has one of {mechanism.reach:,} values."
    body = [f"  {name:<14}  {value}" for name, value in lines.items()]
    return "\n".join([verdict, "", *body, *(f"Warning: {warning}." for warning in found.warnings)])
