"""What commands share: options, completion of column names, how a result is shown, and signs of life."""

import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated, Any

import typer

from noiseless.errors import printable


class Format(StrEnum):
    """How a result is printed."""

    text = "text"
    json = "json"


class MissingValues(StrEnum):
    """What a missing value is."""

    value = "value"
    drop = "drop"
    error = "error"


FormatOption = Annotated[Format, typer.Option("--format", help="Text for people, JSON for programs.")]
NamesOption = Annotated[
    str | None,
    typer.Option(
        "--names", metavar="A,B,C", help="The columns' names, for a text file without a header line."
    ),
]


def split_names(names: str | None) -> list[str] | None:
    """The names of `--names`."""
    return None if names is None else [name.strip() for name in names.split(",")]


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
    """A spinner on stderr while something takes its time, when that is a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(what):
        yield


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[float], None] | None]:
    """A bar on stderr while something takes its time, when that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)


_UNSAFE = re.compile(r"([^\w@%+=:,./-])")


def columns(context: typer.Context, incomplete: str) -> list[str]:
    """The columns of the command's table that begin as written; none when it is not named yet.

    Only a header is read, and nothing that goes wrong is told: completion offers less then.
    """
    from noiseless.tables.sources import header

    # Words that stand by themselves are no parameters yet while the last option still waits for its value.
    named = context.params.get("table") or context.args
    sources = [named] if isinstance(named, str) else list(named)
    found = dict.fromkeys(name for source in sources for name in header(source))
    return [_written(name) for name in found if name.startswith(incomplete)]


def columns_before_equals(context: typer.Context, incomplete: str) -> list[str]:
    """The same where more follows the column: COLUMN=..."""
    return [] if "=" in incomplete else [f"{name}=" for name in columns(context, incomplete)]


def _written(name: str) -> str:
    """Bash takes what it is offered for what was typed; other shells quote by themselves."""
    bash = os.environ.get("_NOISELESS_COMPLETE") == "complete_bash"
    return _UNSAFE.sub(r"\\\1", name) if bash else name
