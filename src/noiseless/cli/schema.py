"""`noiseless schema`: propose declared domains, or check a table against them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseless.cli.options import (
    Format,
    FormatOption,
    NamesOption,
    files_written,
    option,
    print_json,
    say,
    working,
)
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noiseless.domain import ColumnSummary, Schema
    from noiseless.tables import Table

HELP = """Propose a schema for a table, or check a table against one.

The proposal is marked as one: true bounds must not come from the data.

Examples:

  noiseless schema meters.parquet -o schema.toml

  noiseless schema meters.parquet --check schema.toml

  noiseless schema meters.parquet --curator -o meters.toml
"""

_DOES_NOT_CONFORM = 1


def schema_command(
    *,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="A file, a glob or a database table.")],
    check: Annotated[
        Path | None, option("Hold the table against this schema; exit code 1 if it fails.", "FILE")
    ] = None,
    curator: Annotated[
        bool,
        typer.Option("--curator", help="Propose a whole curator's file, for `noiseless query` and `serve`."),
    ] = False,
    out: Annotated[Path | None, option("Write the proposal to this new file.", "OUT", "--out", "-o")] = None,
    names: NamesOption = None,
    output: FormatOption = "text",
) -> int:
    """Print a proposal, or the outcome of a check.

    Returns:
        The exit code: 0, or 1 when the table does not keep to the schema.
    """
    from noiseless.domain import Schema, propose
    from noiseless.tables import open_table, written_whole

    if curator and (check is not None or output == "json"):
        raise RequestError("--curator writes a file to begin with; give it without --check and --format json")
    if out is not None and (check is not None or output == "json"):
        raise RequestError("-o is for the text of a proposal; give it without --check and --format json")
    if out is not None and out.exists():
        raise RequestError(f"{out} exists, and may hold your own bounds; name a new file")
    with working("reading"):
        opened = open_table(table, names=names)
        if opened.notice:
            typer.echo(f"Note: {opened.notice}.", err=True)
        if check is not None:
            return _check(opened, Schema.read(check), output)
        summaries = opened.summarise()
        proposal = propose(summaries, _misread(opened, summaries))
        sections = ""
        if curator:
            from noiseless.curator.file import draft_sections

            sections = draft_sections(table, summaries, opened.count())
    if output == "text":
        text = proposal.dump(sections=sections).rstrip("\n")
        if out is None:
            say(text)
            return 0
        with written_whole(out) as part:
            part.write_text(f"{text}\n", "utf-8", newline="\n")
        say(files_written(written=out).lstrip())
        return 0
    columns = [
        {"name": name, "note": note, **_described(proposal.schema, name)}
        for name, note in proposal.notes.items()
    ]
    print_json({"proposal": True, "columns": columns})
    return 0


def _misread(table: "Table", summaries: "Sequence[ColumnSummary]") -> dict[str, str]:
    """Columns that hold dates or numbers and read as texts, with what has them read."""
    from noiseless.tables.duckdb_table import DuckDBTable
    from noiseless.tables.stray_rows import stray_dates, stray_numbers
    from noiseless.tables.text_source import likely_forms

    if not isinstance(table, DuckDBTable) or not table.files:
        return {}
    forms = likely_forms(table, times=True)
    found: dict[str, list[str]] = {}
    for form, columns in forms["date_format"].items():
        for column in columns:
            found.setdefault(column, []).append(f"'{form}'")
    dates = {
        column: f"dates{' with times' * ('hh' in asked[0])}; add --date-format {' or '.join(asked)} "
        "to read days"
        for column, asked in found.items()
    }
    texts = [one.name for one in summaries if one.kind == "text" and one.values is None]
    strays = {
        column: f"numbers except in {rows}; blank or mend those rows"
        for column, rows in stray_numbers(table, texts).items()
    }
    strays |= {
        column: f"{rows.words.removeprefix('holds ')}; {rows.remedy}"
        for column, rows in stray_dates(table, [name for name in texts if name not in strays]).items()
    }
    commas = (column for columns in forms["decimal"].values() for column in columns)
    return {
        **strays,
        **dates,
        **dict.fromkeys(commas, "numbers with decimal commas; add --decimal , to read them"),
    }


def _described(schema: "Schema", name: str) -> dict[str, Any]:
    """A column as JSON: decimals that are not whole stay text, so that they stay exact."""
    column = schema.columns.get(name)
    if column is None:
        return {"kind": None}
    plain = column.model_dump(mode="json", exclude_none=True)
    if "bounds" in plain:
        plain["bounds"] = [_exact(column.value(0)), _exact(column.value(column.size - 1))]
    return {"kind": column.kind, "values": column.size, "domain": column.describe(), **plain}


def _exact(value: object) -> object:
    return value if isinstance(value, int) else str(value)


def _check(table: "Table", schema: "Schema", output: Format) -> int:
    """Count the values outside each declared domain, and columns that are not there."""
    present = [name for name in schema.columns if name in table.columns]
    outside = table.select(present).strangers(schema, present) if present else {}
    absent = [name for name in schema.columns if name not in table.columns]
    conforms = not absent and not any(outside.values())
    if output == "json":
        print_json({"conforms": conforms, "absent": absent, "outside": outside, "proposal": schema.proposal})
    else:
        for name in absent:
            say(f"{name}: is not in the table")
        for name, count in outside.items():
            say(f"{name}: {count:,} values outside {schema.columns[name].describe()}")
        say("The table keeps to the schema." if conforms else "The table does not keep to the schema.")
        if schema.proposal:
            say("The schema is still a proposal: put in true bounds and delete 'proposal = true'.")
    return 0 if conforms else _DOES_NOT_CONFORM
