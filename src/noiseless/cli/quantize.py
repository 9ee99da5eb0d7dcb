"""`noiseless quantize`: each reading of a person told as its cell."""

import math
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from noiseless.cli.options import (
    ClampOption,
    Format,
    FormatOption,
    MaxErrorOption,
    Missing,
    NamesOption,
    ReadingBoundsOption,
    ReadingStepOption,
    column_option,
    number_option,
    option,
    per_column,
    print_json,
    progress_bar,
    say,
)
from noiseless.cli.values import read_budget, read_spans, span
from noiseless.display import bound_text, text_table
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.collection.local.quantization import Quantized
    from noiseless.collection.local.schedule import LocalMechanism, Schedule, WhenSpent

HELP = """Publish readings as cells, for a few bits each.

A published value is off by at most half a cell.

Examples:

  noiseless quantize meters.csv --column kwh --bounds 0 10 --step 0.001 --budget 4 -o released.csv

  noiseless quantize trips.parquet --column lat --bounds 40.5 40.9 --also lon=-74.3:-73.7 --budget 8
  -o released.parquet

  tail -f meters.csv | noiseless quantize - --column kwh --bounds 0 10 --max-error 0.5 --unit household
  --total-budget 100 --when-spent coarsen

  cat meters.csv | noiseless quantize - --column kwh --bounds 0 10 --budget 4 --unit household
  --total-budget 100 --state meters.state --resume -o released.csv
"""

_PIPE = "-"
_INTERRUPTED = 3


def quantize_command(  # noqa: PLR0917 - typer calls it by keywords
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE", help="A file, a glob or a database table; - reads CSV or JSON lines from a pipe."
        ),
    ],
    column: Annotated[str, column_option("The column of readings.")],
    bounds: ReadingBoundsOption,
    step: ReadingStepOption = None,
    also: Annotated[
        list[str] | None,
        per_column("Another column of the same reading, which shares the budget.", "COL=LO:HI[:STEP]"),
    ] = None,
    budget: Annotated[str | None, option('Bits that one reading may leak, or "reach K".', "B")] = None,
    max_error: MaxErrorOption = None,
    out: Annotated[
        Path | None, option("The released table; without it a pipe goes on to stdout.", "OUT", "--out", "-o")
    ] = None,
    release_as: Annotated[
        Literal["midpoint", "interval", "cell"],
        option(
            "Publish the midpoint of a cell (the default), its interval, or the number of the cell.",
            None,
            "--as",
        ),
    ] = "midpoint",
    unit: Annotated[
        str | None, column_option("The column that identifies a person, to count their readings.")
    ] = None,
    total_budget: Annotated[
        Decimal | None, number_option("--total-budget", "B", "Bits that all readings of one person may leak.")
    ] = None,
    when_spent: Annotated[
        Literal["stop", "coarsen"], option("When they are spent: stop, or publish coarser cells beforehand.")
    ] = "stop",
    clamp: ClampOption = False,
    missing: Annotated[
        Missing, option("Publish missing values as missing, drop their rows, or refuse them.")
    ] = "error",
    state: Annotated[
        Path | None,
        option(
            "For a pipe: keep here what has been released about each person, and how far this run has come.",
            "FILE",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Go on with a run that was stopped; give it the same input again from its beginning.",
        ),
    ] = False,
    abandon: Annotated[
        bool, typer.Option("--abandon", help="Begin a new run although the last one in FILE was stopped.")
    ] = False,
    received: Annotated[
        int | None,
        option(
            "On resuming into a pipe: how much its reader already has, so that nothing is sent twice.",
            "BYTES",
        ),
    ] = None,
    names: NamesOption = None,
    output: FormatOption = "text",
) -> int:
    """Release the readings, and say what that tells.

    Returns:
        The exit code: 0, or 3 when it was interrupted.
    """
    from noiseless.collection.local.schedule import local_mechanism

    others = read_spans("--also", also)
    if column in others:
        raise RequestError(f"column {column!r} is named twice; name it once")
    spans, (bits, reach) = {column: span(*bounds, step), **others}, read_budget(budget)
    mechanism = local_mechanism(
        spans, budget=bits, reach=reach, max_error=max_error, missing=missing == "value"
    )
    schedule = _schedule(mechanism, total_budget, when_spent, unit)
    options = {"unit": unit, "release_as": release_as, "clamp": clamp, "missing": missing, "names": names}
    run = {"resume": resume, "abandon": abandon, "received": received}
    if state is None and (resume or abandon or received is not None):
        raise RequestError("--resume, --abandon and --received go on from a file: name it with --state FILE")
    if resume and abandon:
        raise RequestError("--resume goes on with a run and --abandon leaves it; choose one of them")
    if table == _PIPE:
        return _pipe(schedule, out, output, options if state is None else {**options, **run, "state": state})
    if state is not None:
        raise RequestError("--state is for pipes; feed the file through one: cat FILE | noiseless quantize -")
    return _file(table, schedule, out, output, options)


def _schedule(
    mechanism: "LocalMechanism", total: Decimal | None, when_spent: "WhenSpent", unit: str | None
) -> "Schedule":
    """How the readings of a person are told, one after the other."""
    from noiseless.collection.local.schedule import Schedule

    if total is None:
        return Schedule.endless(mechanism)
    if unit is None:
        raise RequestError("--total-budget is one person's; name the column that names a person: --unit")
    return Schedule.of(mechanism, total, when_spent)


def _file(table: str, schedule: "Schedule", out: Path | None, output: Format, options: dict[str, Any]) -> int:
    """From a table to a file."""
    from noiseless.collection.local.quantization import quantize

    if out is None:
        raise RequestError("name the file to write: -o OUT")
    try:
        with _ended_by_signals(), progress_bar("quantizing", "{task.completed:,} rows") as progress:
            found = quantize(table, schedule, out, progress=progress, **options)
    except KeyboardInterrupt:
        return _interrupted("nothing was written")
    _tell(found, out, output)
    return 0


def _pipe(schedule: "Schedule", out: Path | None, output: Format, options: dict[str, Any]) -> int:
    """From standard input to a file or to standard output."""
    from noiseless.collection.local.quantization import quantize_pipe
    from noiseless.collection.streams import quantize_stream

    target = sys.stdout.buffer if out is None else out
    is_kept = "state" in options
    try:
        with _ended_by_signals():
            tell = quantize_stream if is_kept else quantize_pipe
            found = tell(sys.stdin.buffer, schedule, target, **options)
    except BrokenPipeError:  # the reader has had enough
        sys.stdout = cast("Any", open(os.devnull, "w"))  # noqa: PTH123, SIM115 - until the end
        return 0
    except KeyboardInterrupt:
        if is_kept:
            return _interrupted("go on with --resume")
        return _interrupted("what was sent stays sent" if out is None else "nothing was written")
    _tell(found, out, output)
    return 0


def _interrupted(what: str) -> int:
    typer.echo(f"noiseless: interrupted; {what}", err=True)
    return _INTERRUPTED


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the work as Ctrl-C does, so that no unfinished file is left behind.

    Whatever the engine makes of it on the way, it is a KeyboardInterrupt in the end.
    """
    came: list[int] = []

    def interrupt(number: int, _frame: object) -> None:
        came.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    chosen = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, interrupt) for number in chosen}
    try:
        yield
    except Exception:
        if came:
            raise KeyboardInterrupt from None
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell(found: "Quantized", out: Path | None, output: Format) -> None:
    """The result on stdout; on stderr when the table itself went there."""
    if out is None:
        typer.echo(_text(found, out), err=True)
    elif output == "json":
        print_json({**found.to_dict(), "out": str(out)})
    else:
        say(_text(found, out))


def _text(found: "Quantized", out: Path | None) -> str:
    from noiseless.collection.local.scalar import describe
    from noiseless.rules.base import number_text

    mechanism = found.mechanism
    entropy = mechanism.entropy_of_record
    lines = {
        "rows": f"{found.rows:,}" + (f" ({found.dropped:,} left out)" if found.dropped else ""),
        "a record holds": "infinitely many bits" if entropy is None else str(entropy),
    }
    for number, part in enumerate(mechanism.parts):
        cells = f"{_cells(part.cells)} of width {number_text(part.cell_width)} over {describe(part.span)}"
        lines[part.name] = (
            f"{cells}: {_off(found, number)}{', where not moved' * (part.name in found.farthest)}"
        )
    if found.clamped:
        lines["moved"] = (
            f"{found.clamped:,} value{'s' * (found.clamped != 1)} to the nearest bound or step{_moved(found)}"
        )
    if found.persons is not None:
        spent = bound_text(found.schedule.spending(found.most_readings).bits, 2, up=True)
        lines["persons"] = (
            f"{found.persons:,}: {spent} bits each at most, in {found.most_readings:,} readings"
        )
    if found.silent:
        empty = ", empty as missing ones are" * mechanism.parts[0].missing
        lines["withheld"] = (
            f"{found.silent:,} reading{'s' * (found.silent != 1)} of persons whose bits were spent{empty}"
        )
    if out is not None:
        lines["written to"] = str(out)
    missing = ", missing among them" * mechanism.parts[0].missing
    values = f"it is published as one of {mechanism.reach:,} values{missing}"
    verdict = f"Each reading leaks at most {mechanism.bits}: {values}."
    notes = ["Other columns are written unchanged; drop those that nobody needs."]
    if found.persons is None:
        notes.append("Readings of one person add up: --unit COLUMN counts them.")
    warnings = [f"Warning: {one}." for one in found.warnings]
    return "\n".join([verdict, text_table("", lines), "", *notes, *warnings])


def _cells(count: int) -> str:
    return f"{count:,} cell{'s' * (count != 1)}"


def _off(found: "Quantized", number: int) -> str:
    """How far readings are off that were not moved, in the coarsest cells that were used."""
    from noiseless.reports.notation import length_text

    coarsest = found.reached[-1].parts[number]
    error = length_text(found.column_error(number, moved=False))
    if len(found.reached) == 1:
        return f"off by {error} at most"
    return f"later {_cells(coarsest.cells)}, off by {error} at most"


def _moved(found: "Quantized") -> str:
    """How far readings were moved, and are off then."""
    from noiseless.collection.local.column_release import distance
    from noiseless.reports.notation import length_text

    said = []
    for number, part in enumerate(found.mechanism.parts):
        if part.name in found.farthest:
            name = f"{part.name} " * (len(found.mechanism.parts) > 1)
            far = distance(found.farthest[part.name])
            error = found.column_error(number)
            said.append(
                f"{name}by any distance"
                if math.isinf(far)
                else f"{name}by {length_text(far)} at most, so off by {length_text(error)} at most"
            )
    return "".join(f"{';' if len(said) > 1 else ','} {one}" for one in said)
