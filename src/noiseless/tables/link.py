"""Several releases of the same people as one table: a row a person and choice of a row from each release."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from noiseless.errors import ColumnError, RequestError
from noiseless.tables.engine import SOURCE, OwnEngine, identifier
from noiseless.tables.row_keys import INTEGERS

if TYPE_CHECKING:
    from noiseless.tables.duckdb_table import DuckDBTable


def link(
    tables: Sequence["DuckDBTable"], unit: str, shared: Sequence[str], public: Sequence[str]
) -> tuple["DuckDBTable", tuple[str, ...]]:
    """Join releases of the same people by the column that names a person; see `Table.link`."""
    label = " + ".join(table.label for table in tables)
    engine = OwnEngine.start()
    parts = [_part(table, unit, shared, public) for table in tables]
    _check_types(parts, (unit, *shared))
    for number, part in enumerate(parts, 1):
        engine.connection.register(f"noiseless_release_{number}", part.arrow(f"SELECT * FROM {SOURCE}"))
    names = [
        (number, column)
        for number, part in enumerate(parts, 1)
        for column in public
        if column in part.columns
    ]
    _refuse_clashes(unit, shared, names, len(parts))
    files = tuple(file for table in tables for file in table.files)
    whole = type(parts[0]).describe(engine, _join(parts, unit, shared, names), label, files)
    whole.keep("noiseless_linked")
    joined = replace(whole, query="SELECT * FROM noiseless_linked", numbered=False)
    return _with_absences(joined, len(parts), tuple(f"{n}.{c}" for n, c in names))


_PRESENT = "noiseless_present"


def _mark(number: int) -> str:
    """The public column that says whether a person is in a release."""
    return f"in release {number}"


def _refuse_clashes(
    unit: str, shared: Sequence[str], names: Sequence[tuple[int, str]], releases: int
) -> None:
    """Refuse columns of a user's that are called like those of the joined table."""
    made = {f"{n}.{c}".casefold() for n, c in names} | {_mark(n) for n in range(1, releases + 1)}
    for column in (unit, *shared):
        if column.casefold() in made:
            raise ColumnError(column, "has the name of a column that several releases make; rename it")


def _check_types(parts: Sequence["DuckDBTable"], columns: Sequence[str]) -> None:
    """Refuse facts that cannot be compared: numbers in one release, texts in another."""
    for column in columns:
        kinds = {part.kinds[column] for part in parts if column in part.columns}
        if len(kinds) > 1 and not kinds <= set(INTEGERS):
            raise ColumnError(column, "is of different types in the releases; write it the same way in each")


def _part(table: "DuckDBTable", unit: str, shared: Sequence[str], public: Sequence[str]) -> "DuckDBTable":
    table.require(unit)
    wanted = [c for c in (unit, *shared, *public) if c in table.columns]
    if not set(wanted) & set(public):
        raise RequestError(
            f"{table.label} has none of the public columns; leave it out or name one of its columns"
        )
    return table.select(wanted)


def _join(
    parts: Sequence["DuckDBTable"], unit: str, shared: Sequence[str], names: Sequence[tuple[int, str]]
) -> str:
    """The full join of all releases on the unit, with presence marks."""
    key = identifier(unit)
    sources = [
        f"(SELECT true AS {_PRESENT}, * FROM noiseless_release_{n}) AS r{n}" for n in range(1, len(parts) + 1)
    ]
    joined, seen = sources[0], f"r1.{key}"
    for number, source in enumerate(sources[1:], 2):
        joined += f" FULL JOIN {source} ON {seen} = r{number}.{key}"
        seen = f"coalesce({seen}, r{number}.{key})"
    facts = [
        "CASE "
        + " ".join(
            f"WHEN r{n}.{_PRESENT} THEN r{n}.{identifier(column)}"
            for n, part in enumerate(parts, 1)
            if column in part.columns
        )
        + f" END AS {identifier(column)}"
        for column in shared
    ]
    published = [f"r{n}.{identifier(c)} AS {identifier(f'{n}.{c}')}" for n, c in names]
    marks = [f"coalesce(r{n}.{_PRESENT}, false) AS {identifier(_mark(n))}" for n in range(1, len(parts) + 1)]
    return f"SELECT {', '.join([f'{seen} AS {key}', *facts, *published, *marks])} FROM {joined}"


def _with_absences(
    joined: "DuckDBTable", releases: int, public: tuple[str, ...]
) -> tuple["DuckDBTable", tuple[str, ...]]:
    """Keep a release's presence mark as a public column where it says something."""
    marks = [_mark(n) for n in range(1, releases + 1)]
    always = joined.fetch(f"SELECT {', '.join(f'bool_and({identifier(m)})' for m in marks)} FROM {SOURCE}")[0]
    together = " OR ".join(
        f"({identifier(a)} AND {identifier(b)})" for i, a in enumerate(marks) for b in marks[i + 1 :]
    )
    if not joined.fetch(f"SELECT coalesce(bool_or({together}), false) FROM {SOURCE}")[0][0]:
        raise RequestError("nobody is in more than one release; check that they name persons the same way")
    told = tuple(mark for mark, everybody in zip(marks, always, strict=True) if not everybody)
    return joined, (*public, *told)
