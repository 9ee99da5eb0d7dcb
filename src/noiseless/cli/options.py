"""What commands share: options, completion of column names, how a result is shown, and signs of life."""

import json
import math
import os
import re
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from decimal import Decimal
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

import typer

from noiseless.cli.values import read_number
from noiseless.errors import RequestError, SourceError, printable
from noiseless.work import Cancellation, active

T = TypeVar("T")
Format = Literal["text", "json"]
"""How a result is printed."""
Missing = Literal["value", "drop", "error"]
"""What a missing value is."""
Gaps = Literal["error", "drop"]
"""What happens to rows without a value."""


def option(description: str, metavar: str | None = None, *names: str, **more: Any) -> Any:  # noqa: ANN401
    """An option; without names it is called as its parameter is."""
    return typer.Option(*names, metavar=metavar, help=description, **more)


def column_option(description: str) -> Any:  # noqa: ANN401 - as typer says
    """An option that names a column; the shell completes it."""
    return option(description, "COLUMN", autocompletion=columns)


def per_column(description: str, metavar: str) -> Any:  # noqa: ANN401 - as above
    """An option that says something of a column, COLUMN=..."""
    return option(description, metavar, autocompletion=columns_before_equals)


def number_option(name: str, metavar: str, description: str) -> Any:  # noqa: ANN401 - as above
    """An option that takes a decimal number, exactly as it is written."""
    return option(description, metavar, name, parser=partial(read_number, name))


def split_names(names: str) -> list[str]:
    """The names of `--names`."""
    return [name.strip() for name in names.split(",")]


_UNSAFE = re.compile(r"([^\w@%+=:,./-])")


def columns(context: typer.Context, incomplete: str) -> list[str]:
    """The columns of the command's table that begin as written; none when it is not named yet.

    Only a header is read, and nothing that goes wrong is told: completion offers less then.
    """
    from noiseless.tables.sources import header

    # Words that stand by themselves are no parameters yet while the last option still waits for its value.
    named = context.params.get("table") or context.args
    sources = [named] if isinstance(named, str) else list(named)
    names = dict.fromkeys(name for source in sources for name in header(source))
    return [_written(name) for name in names if name.startswith(incomplete)]


def columns_before_equals(context: typer.Context, incomplete: str) -> list[str]:
    """The same where more follows the column: COLUMN=..."""
    return [] if "=" in incomplete else [f"{name}=" for name in columns(context, incomplete)]


def _written(name: str) -> str:
    """Bash takes what it is offered for what was typed; other shells quote by themselves."""
    bash = os.environ.get("_NOISELESS_COMPLETE") == "complete_bash"
    return _UNSAFE.sub(r"\\\1", name) if bash else name


TABLES = "CSV, TSV, JSON-lines, Parquet or Excel file, a glob, or duckdb:///file.db::table."
"""What a table may be."""

FormatOption = Annotated[Format, option("Text for people, or JSON for programs.", None, "--format")]
NamesOption = Annotated[
    Sequence[str] | None,
    option("The columns' names, for a text file without a header line.", "A,B,C", parser=split_names),
]
SummaryOption = Annotated[
    Path | None, option("Write one printable sheet for the board that decides (HTML).", "OUT")
]
HtmlOption = Annotated[Path | None, option("Write a self-contained HTML report.", "OUT")]
GivenOption = Annotated[list[str] | None, column_option("A column the adversary knows from another source.")]
NumericOption = Annotated[list[str] | None, column_option("A public column of text to read as numbers.")]
CategoricalOption = Annotated[
    list[str] | None, column_option("A public column of numbers to treat as categories.")
]
MissingOption = Annotated[
    Missing, option("A missing value counts as one more value, drops its row, or is an error.")
]
DistinctOption = Annotated[
    bool, typer.Option("--distinct-rows", help="Drop exact duplicates of whole rows first.")
]
BoundsOption = Annotated[
    tuple[Decimal, Decimal] | None,
    number_option(
        "--bounds", "LO HI", "The smallest and largest value a person can have; a count needs none."
    ),
]
StepOption = Annotated[
    Decimal | None, number_option("--step", "S", "The resolution of values; without it, any number.")
]
MaxErrorOption = Annotated[
    Decimal | None, number_option("--max-error", "E", "Instead of --budget: the largest error you tolerate.")
]
ReadingBoundsOption = Annotated[
    tuple[Decimal, Decimal],
    number_option("--bounds", "LO HI", "The smallest and the largest possible reading."),
]
ReadingStepOption = Annotated[
    Decimal | None, number_option("--step", "S", "The resolution of readings; without it, any number.")
]
ClampOption = Annotated[
    bool, typer.Option("--clamp", help="Clamp readings outside the bounds to the nearest value.")
]
CuratorArgument = Annotated[str, typer.Argument(metavar="CURATOR.toml", help="The curator's file.")]
CuratorsArgument = Annotated[
    list[str], typer.Argument(metavar="CURATOR.toml..", help="One curator's file for each dataset.")
]


TYPED: ContextVar[Sequence[str]] = ContextVar("TYPED", default=())
"""The arguments of the command that is running."""
_DATABASE = re.compile(r"postgres(ql)?://.*", re.DOTALL)


def typed_command() -> str:
    """The command that is running, as it may be shown: no address of a database has its password."""
    return shlex.join(["noiseless", *(_DATABASE.sub(_without_password, word) for word in TYPED.get())])


def _without_password(address: re.Match[str]) -> str:
    from noiseless.tables.postgres_session import PostgresAddress

    try:
        return PostgresAddress.parse(address[0]).label
    except SourceError:
        return "postgresql://..."


def takes(*groups: Mapping[str, Any]) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Let a command take groups of options besides its own, as `**options`; each is None if not given."""

    def with_options(command: Callable[..., T]) -> Callable[..., T]:
        own = [one for one in signature(command).parameters.values() if one.kind is not one.VAR_KEYWORD]
        shared = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
            for group in groups
            for name, annotation in group.items()
        ]
        command.__signature__ = Signature([*shared, *own])  # type: ignore[attr-defined]
        return command

    return with_options


def in_panels(panels: Mapping[str, Iterable[str]]) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Let the help of a command show some of its options under titles of their own, after all others."""
    titles = {name: title for title, names in reversed([*panels.items()]) for name in names}

    def with_panels(command: Callable[..., T]) -> Callable[..., T]:
        shown = signature(command)
        command.__signature__ = shown.replace(  # type: ignore[attr-defined]
            parameters=[
                one.replace(annotation=_under(titles[name], one.annotation)) if name in titles else one
                for name, one in shown.parameters.items()
            ]
        )
        return command

    return with_panels


def _under(title: str, annotation: Any) -> Any:  # noqa: ANN401 - of a parameter
    """An option under a title; others that share its declaration stay where they are."""
    kind, declared = get_args(annotation)
    if declared.rich_help_panel is None:
        declared = copy(declared)
        declared.rich_help_panel = title
    return Annotated[kind, declared]


QUIET = 10.0
"""After this many seconds a line says what is being done, where no bar can show it."""

READING = "How the table is read"
"""Where the help of a command has the options of `reads`, and others like them."""
EncodingOption = Annotated[
    str | None,
    option(
        "What a text file is encoded in, if not in UTF-8: cp1252 (Western Europe), cp1250 or latin-2 "
        "(Central Europe), cp1251 (Cyrillic), utf-16.",
        "NAME",
    ),
]
SheetOption = Annotated[str | None, option("The sheet of an Excel file; the first by default.", "NAME")]
_WRITTEN: dict[str, Any] = {
    "encoding": EncodingOption,
    "separator": Annotated[
        str | None, option("What separates fields, where it is not recognised: , ; | or tab.", "CHAR")
    ],
    "decimal": Annotated[
        str | None, option("The decimal mark of numbers: , where 1234,50 stands for 1234.5.", ".|,")
    ],
    "date_format": Annotated[
        list[str] | None,
        option(
            "How dates are written, if not as 1971-08-17: DD.MM.YYYY, 'MM/DD/YYYY hh:mm'; repeat it where "
            "dates differ.",
            "FORMAT",
        ),
    ],
    "sheet": SheetOption,
}
"""How a table is written: options of every command that reads one."""


def reads(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Let a command that takes a table, as `table` or `original`, also take how it is written."""

    @wraps(command)
    def read(**options: Any) -> int | None:  # noqa: ANN401 - of the command
        written = {name: value for name in _WRITTEN if (value := options.pop(name)) not in (None, [])}
        if written:
            name = "original" if "original" in options else "table"
            options[name] = _as_written(options[name], written)
        return command(**options)

    own = list(signature(command).parameters.values())
    more = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in _WRITTEN.items()
    ]
    keywords = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in own if one.kind is not one.VAR_KEYWORD]
    read.__signature__ = Signature([*keywords, *more])  # type: ignore[attr-defined]
    return in_panels({READING: ("missing", "distinct_rows", "names", *_WRITTEN)})(read)


def _as_written(named: Any, written: Mapping[str, Any]) -> Any:  # noqa: ANN401 - one table or several
    """The tables that are named, with how they are written.

    Raises:
        RequestError: none is named on the command line, or a pipe is.
    """
    from noiseless.tables.text_source import TextSource

    if named is None or named == "-":
        raise RequestError(
            "--encoding, --separator, --decimal, --date-format and --sheet are about a file; name it as TABLE"
        )
    if isinstance(named, str):
        return TextSource(named, **written)
    return [TextSource(one, **written) for one in named]


def show(output: Format, result: Mapping[str, Any], text: str) -> None:
    """Print a result: as JSON, or for people."""
    if output == "json":
        print_json(result)
    else:
        say(text)


def print_json(result: Mapping[str, Any]) -> None:
    """One object on stdout; infinity is the text "inf"."""
    written = json.dumps(_plain(result), ensure_ascii=False, indent=2, allow_nan=False)
    say("\n".join(map(_escaped, written.split("\n"))))


def say(text: str) -> None:
    """Print; a reader who has gone away (`| head`) changes neither the work nor the exit code."""
    lines = "\n".join(map(printable, text.split("\n")))
    try:
        sys.stdout.write(lines + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - stands in for stdout until the end


def files_written(**files: object) -> str:
    """Lines for the files that a command wrote, after what it printed; nothing where there are none."""
    lines = [
        f"{what.replace('_', ' ')[0].upper()}{what.replace('_', ' ')[1:]}: {path}"
        for what, path in files.items()
        if path is not None
    ]
    return "\n\n" + "\n".join(lines) if lines else ""


def _escaped(line: str) -> str:
    """A line of JSON in which characters that cannot be seen are written as JSON escapes them."""
    if line.isprintable():
        return line
    return "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in line)


def _plain(value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner on stderr while something takes its time; a line, once, where that is no terminal."""
    if not sys.stderr.isatty():
        with _said_late(what):
            yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield


@contextmanager
def progress_bar(what: str, *counts: str) -> Iterator[Callable[..., None] | None]:
    """A bar on stderr while something takes its time; a line, once, where that is no terminal.

    Args:
        what: what is being done.
        counts: how far it has come, in rich's words for a task; percent, if not given.

    Yields:
        What is called with how much is done, of how much (None: nobody knows; a share, if not given), and
        what was done last.
    """
    if not sys.stderr.isatty():
        with _said_late(what):
            yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    texts, console = map(TextColumn, counts or ("{task.percentage:>3.0f}%",)), Console(stderr=True)
    with Progress(
        TextColumn(what), BarColumn(), *texts, TimeRemainingColumn(), console=console, transient=True
    ) as bar:
        task = bar.add_task("", total=None)

        def tell(done: float, total: float | None = 1.0, name: str = "") -> None:
            bar.update(task, completed=done, total=total, description=name)

        yield tell


@contextmanager
def _said_late(what: str) -> Iterator[None]:
    """A line on stderr if something is not done after some seconds."""
    line = threading.Timer(QUIET, typer.echo, [f"noiseless: still {what}"], {"err": True})
    line.daemon = True
    line.start()
    try:
        yield
    finally:
        line.cancel()
        line.join()


@contextmanager
def stoppable() -> Iterator[None]:
    """Meanwhile Ctrl-C ends a search with the best that it has found; a second one ends the command."""

    def stop(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        active().cancel()

    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, stop) if is_main else None
    try:
        with Cancellation().active():
            yield
    finally:
        if is_main:
            signal.signal(signal.SIGINT, before)
