"""The command `noiseless`: a thin layer over the library.

Exit codes: 0 done; 1 the answer is "no"; 2 the request is wrong (one line on stderr); 3 a failure inside.
"""

import gc
import logging
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Annotated, Any, NamedTuple

import typer
from typer.exceptions import TyperException
from typer.main import get_command

from noiseless import __version__
from noiseless.cli.help import lay_out
from noiseless.cli.options import TYPED, reads
from noiseless.display import plain_problem
from noiseless.errors import NoiselessError, printable
from noiseless.late_names import spare_pandas

HELP = """Publish tables and answer questions without noise, with worst-case guarantees in bits.

Examples:

  noiseless demo --out demo

  noiseless audit patients.csv --sensitive illness --public age

  noiseless release patients.csv --sensitive illness --public age --min-posterior 3 -o released.csv
  --certificate certificate.json

  noiseless query patients.toml "SELECT AVG(age) FROM patients"

  noiseless attack homogeneity patients.csv --sensitive illness --public age
"""

WRONG_REQUEST, FAILED_INSIDE = 2, 3

# Pydantic looks through all packages that are installed for plugins, and commands have no use for one.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

_MEANT = {
    "--k": ("--min-rows", "--threshold"),
    "--min-count": ("--min-rows", "--threshold"),
    "--l": ("--min-posterior",),
    "--epsilon": ("--budget", "--bits"),
    "--delimiter": ("--separator",),
    "--secret": ("--sensitive",),
    "--target": ("--sensitive",),
    "--id": ("--unit",),
    "--report": ("--html",),
}
"""What other tools call some options."""

AUDIT = "1. Audit: what does a table give away?"
RELEASE = "2. Release: publish a table that keeps a secret"
CURATE = "3. Curate: answer questions within a budget"
ATTACK = "4. Attack and compare"
READINGS = "Readings and single facts"
OWNER = "For the owner of a curator"
MORE = "Reference"


class _Place(NamedTuple):
    """Where a command is written: its module in this package, and the panel of the help that lists it.

    A module holds `NAME_command`, and its help as `NAME_HELP` or `HELP`; a group is its `app`.
    """

    module: str
    panel: str
    reads: bool = False
    """Whether it also takes how a table is written."""


_COMMANDS = {
    "audit": _Place("audit", AUDIT, reads=True),
    "release": _Place("release", RELEASE, reads=True),
    "frontier": _Place("release", RELEASE, reads=True),
    "verify": _Place("verify", RELEASE, reads=True),
    "query": _Place("query", CURATE),
    "plan": _Place("plan", CURATE),
    "studio": _Place("studio", RELEASE),
    "serve": _Place("serve", CURATE),
    "compare": _Place("guarantees", ATTACK),
    "quantize": _Place("quantize", READINGS, reads=True),
    "blur": _Place("blur", READINGS, reads=True),
    "demo": _Place("demo", MORE),
    "schema": _Place("schema", MORE, reads=True),
    "rules": _Place("plan", MORE),
    "convert": _Place("convert", MORE),
    "capacity": _Place("guarantees", MORE),
    "reproduce": _Place("reproduce", MORE),
}
_GROUPS = {
    "tables": _Place("table_group", AUDIT),
    "attack": _Place("attacks", ATTACK),
    "dataset": _Place("dataset", OWNER),
    "token": _Place("token", OWNER),
    "ledger": _Place("ledger", OWNER),
}


def application(only: str | None = None) -> typer.Typer:
    """The command line.

    Args:
        only: the one command or group to have; all, if none is named, which takes much longer to load.
    """
    app = typer.Typer(name="noiseless", help=HELP, rich_markup_mode="rich", pretty_exceptions_enable=False)
    app.callback()(_root)
    for name, place in _COMMANDS.items():
        if only in (None, name):
            module = _module(place)
            command, text = getattr(module, f"{name}_command"), getattr(module, f"{name.upper()}_HELP", None)
            made = reads(command) if place.reads else command
            app.command(name, help=text or module.HELP, rich_help_panel=place.panel)(made)
    for name, place in _GROUPS.items():
        if only in (None, name):
            app.add_typer(_module(place).app, name=name, rich_help_panel=place.panel)
    return app


def _module(place: _Place) -> Any:  # noqa: ANN401 - one of those in this package
    return import_module(f"noiseless.cli.{place.module}")


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"noiseless {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Options that stand before a command."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    spare_pandas()
    gc.set_threshold(200_000)  # a command leaves little garbage: looking for it again and again takes longer
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


@cache
def _commands(only: str | None = None) -> Any:  # noqa: ANN401 - the parser's own
    """All commands, or one of them: all take a while to be made."""
    return lay_out(get_command(application(only)))


def _asked(arguments: Sequence[str]) -> Any:  # noqa: ANN401 - as above
    """The command that the first word names; all of them where it names none."""
    first = next(iter(arguments), None)
    return _commands(first if first in _COMMANDS or first in _GROUPS else None)


def run(arguments: Sequence[str]) -> int:
    """Run the command line; the exit code."""
    TYPED.set(tuple(arguments))
    words, below = _called(arguments)
    if sys.stderr.isatty():
        _pass_on("noiseless.tables.kernels")
    try:
        asks_for_help = below and len(words) == len(arguments)  # a group of commands, by itself
        wanted = [*arguments, *(["--help"] if asks_for_help else [])]
        code = _asked(arguments).main(wanted, prog_name="noiseless", standalone_mode=False)
    except TyperException as error:
        slip = _slip(arguments)
        message = slip or _plain(error.format_message())
        message = re.sub(r"[.\s]*\bDid you mean (.*)\?$", r"; did you mean \1?", message.rstrip("."))
        if not slip and (unknown := getattr(error, "option_name", None)):
            message = message.partition(" (Possible options:")[0] + _instead(unknown, error)
        message += _choice(error)
        see = " See" if message.endswith("?") else "; see"
        return _complain(f"{message}{see} {' '.join(['noiseless', *words])} --help")
    except NoiselessError as error:
        return _complain(str(error))
    except (typer.Abort, KeyboardInterrupt):
        return _complain("interrupted; nothing was written", FAILED_INSIDE)
    except Exception as error:
        if os.environ.get("NOISELESS_TRACEBACK"):
            raise
        # The message of an unforeseen error may quote the data: only its kind is shown.
        return _complain(
            f"failed inside ({type(error).__name__}); set NOISELESS_TRACEBACK=1 to see where", FAILED_INSIDE
        )
    return int(code or 0)


def _pass_on(log: str) -> None:
    """Show on stderr, above any progress bar, what a part of the library logs."""

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            typer.echo(f"noiseless: {record.getMessage()}", err=True)

    logger = logging.getLogger(log)
    if not logger.handlers:
        logger.addHandler(Lines())
        logger.setLevel(logging.INFO)


def _complain(line: str, code: int = WRONG_REQUEST) -> int:
    typer.echo(f"noiseless: {printable(' '.join(line.split()))}", err=True)
    return code


def _choice(error: TyperException) -> str:
    """The columns that a missing option could name, where the table is given and has names."""
    option, context = getattr(error, "param", None), getattr(error, "ctx", None)
    if option is None or context is None or option.metavar != "COLUMN" or context.params.get(option.name):
        return ""
    from noiseless.errors import UnknownColumnError
    from noiseless.tables import open_table

    table = context.params.get("table")
    with suppress(NoiselessError):
        opened = open_table(table) if isinstance(table, str) else None
        if opened is not None and opened.has_names:
            return f", one of {UnknownColumnError.listed(opened.columns)}"
    return ""


def _plain(message: str) -> str:
    """What is wrong with a value, in plain words."""
    if wrong := re.fullmatch(r"Invalid value for '(.*?)': (.*)", message, re.DOTALL):
        problem = plain_problem(wrong[2])
        return f"{wrong[1]}{' ' if problem.startswith('must') else ': '}{problem}"
    return message.removeprefix("Value error, ")


def _instead(unknown: str, error: TyperException) -> str:
    """What is said of an option that a command does not have: which of its own was meant, or who has it."""
    own = getattr(getattr(error, "ctx", None), "command", None)
    known = _options(own)
    meant = [option for option in _MEANT.get(unknown, ()) if option in known]
    others = [name for name, command in _commands().commands.items() if unknown in _options(command)]
    if meant := meant or ([] if others else list(getattr(error, "possibilities", None) or ())):
        return f"; did you mean {meant[0]}?"
    return (
        f"; it belongs to {' and '.join(filter(None, [', '.join(others[:-1]), *others[-1:]]))}"
        if others
        else ""
    )


def _options(command: Any) -> set[str]:  # noqa: ANN401 - the parser's own
    return {option for one in getattr(command, "params", ()) for option in one.opts}


def _slip(arguments: Sequence[str]) -> str | None:
    """What is said of a slip that the parser's own words do not explain."""
    if "quantize" in arguments[:1] and any(word.partition("=")[0] == "--cells" for word in arguments):
        return 'No such option: --cells; write --budget "reach K" for K cells'
    for option, value in pairwise(arguments):
        if option == "--bounds" and re.fullmatch(r"[^=]+[,:][^,:]+", value):
            return "--bounds takes two numbers with a space between them: --bounds LO HI"
    return None


def _called(arguments: Sequence[str]) -> tuple[list[str], Mapping[str, Any]]:
    """The words that name commands, and the commands below the last of them."""
    words: list[str] = []
    below: Mapping[str, Any] = getattr(_asked(arguments), "commands", {})
    for argument in arguments:
        if argument in below:
            words.append(argument)
            below = getattr(below[argument], "commands", {})
    return words, below
