"""`noiseless attack tables`: what is certain of people from published tables of counts."""

from collections.abc import Mapping
from json import dumps
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseless.cli.attacks.options import PlotOption, play
from noiseless.cli.options import FormatOption, Missing, column_option, option, say, takes, working
from noiseless.cli.options import columns as complete_columns
from noiseless.cli.tables import READING, declared_options
from noiseless.errors import RequestError, printable

if TYPE_CHECKING:
    from noiseless.adversaries import Game
    from noiseless.tables.text_source import TextSource
    from noiseless.tabulations import Publication

SHAPE = {name: READING[name] for name in ("rows", "cols", "value", "totals", "flat", "told", "hierarchy")}
"""How a published table is laid out, where that cannot be seen."""

TABLES_HELP = """\
Claim what published tables of counts make certain about people.

TABLE is a published table, a TOML file that names several, or (with --column) records to tabulate by
combinations of these columns.

Examples:

  noiseless attack tables hospital.toml --secret diagnosis --certificate proofs.json

  noiseless attack tables long.csv --rows region --cols diagnosis --value n --secret diagnosis

  noiseless attack tables census.csv --column sex --column age --column race --by block --ways 2
  --plot claims.svg
"""
_SHOWN = 10


@takes(SHAPE)
def tables_command(
    *,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="Published tables, or records.")],
    columns: Annotated[
        list[str] | None,
        option(
            "A column of the records; repeat it for more.",
            "COLUMN",
            "--column",
            autocompletion=complete_columns,
        ),
    ] = None,
    by: Annotated[
        list[str] | None, column_option("A column that every table has, such as a block of houses.")
    ] = None,
    ways: Annotated[
        int | None, option("The most columns of a table, besides those of --by.", "K", min=1)
    ] = None,
    below: Annotated[
        int | None, option("Smaller counts are published as less than this.", "N", min=2)
    ] = None,
    rounded: Annotated[int | None, option("Counts are rounded to multiples of this.", "N", min=2)] = None,
    secret: Annotated[str | None, option("The dimension that people keep secret.", "DIMENSION")] = None,
    missing: Annotated[Missing, option("What a missing value is.")] = "value",
    time_limit: Annotated[
        float | None, option("Claim what is proved within this many seconds.", "SECONDS", min=0)
    ] = None,
    certificate: Annotated[Path | None, option("Write proofs that `tables verify` checks.", "FILE")] = None,
    show_values: Annotated[
        bool, typer.Option("--show-values", help=f"List the first {_SHOWN} claims: they are about people.")
    ] = False,
    plot: PlotOption = None,
    output: FormatOption = "text",
    **shape: Any,  # noqa: ANN401 - of the table
) -> None:
    """Play the game and show it, and write what is certain."""
    options = {name: value for name, value in locals().items() if name != "shape"}
    options["table"] = _published(table, shape, bool(columns))
    wanted = {name: options.pop(name) for name in ("certificate", "show_values")}
    options = {name: value for name, value in options.items() if value is not None}
    play("tables", "inferring", options, _tables_text, "dimensions")
    if not any(wanted.values()):
        return
    from noiseless.adversaries.tables import final_claims

    asked = {name: value for name, value in options.items() if name not in ("table", "plot", "output")}
    with working("proving"):
        claims = final_claims(options["table"], **asked)
        if certificate is not None:
            from noiseless.tables import written_whole

            with written_whole(certificate, [Path(table)]) as part:
                part.write_text(f"{dumps(claims.certificate(), indent=1)}\n", "utf-8", newline="\n")
    if show_values and output == "text":
        said = claims.sentences()
        say("\n".join(printable(f"  {line}") for line, _ in zip(said, range(_SHOWN), strict=False)))


def _published(
    table: "str | TextSource", shape: Mapping[str, Any], has_columns: bool
) -> "str | TextSource | Publication":
    """One published table, read as the options say; or what is named, where they say nothing.

    Raises:
        RequestError: the options are about a published table, and records are named.
    """
    laid_out = declared_options({name: value for name, value in shape.items() if value})
    if has_columns and laid_out:
        raise RequestError(f"--{next(iter(laid_out))} is about a published table; leave it out, or --column")
    said = {
        name: value for name in ("encoding", "sheet") if (value := getattr(table, name, None)) is not None
    }
    if has_columns or not (laid_out or said):
        return table
    from noiseless.tabulations.reading import read_request

    return read_request(fspath(table), **laid_out, **said).publication


def _tables_text(game: "Game") -> str:
    last = [one for one in game.results if one.details["claim"] == "record"][-1]
    people = f"{round(last.score * last.details['people']):,} of {last.details['people']:,} people"
    open_ones = "" if last.details["decided"] else " More may be certain: the time limit came first."
    plain = "\nA published figure that is such a record tells a count; --secret shows what counts give away."
    counts = plain * (game.settings["secret"] is None)
    said = f"From all tables the whole record of {people} is certain.{open_ones}"
    return f"{game!r}\n{said}{counts}"
