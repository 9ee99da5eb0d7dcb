"""Text files by one fixed grammar: CSV and TSV by their header, JSON object by object; no row is skipped, no type guessed."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from noiseless.errors import RequestError, SourceError
from noiseless.tables.csv_grammar import no_text, split_line
from noiseless.tables.duckdb_table import DuckDBTable
from noiseless.tables.engine import SOURCE, OwnEngine, check_names, files, identifier, literal

_LONGEST_LINE = 2**26
_SEPARATORS = (",", ";", "\t", "|")


@dataclass(frozen=True)
class Dialect:
    """How a text file is written."""

    separator: str
    names: tuple[str, ...]
    header: bool


def read_csv_sql(paths: Sequence[Path], names: Sequence[str] | None) -> tuple[str, Dialect]:
    """The SQL that reads some text files with equal headers as text columns c0, c1, ...

    Args:
        paths: one or more files.
        names: the columns' names when the files have no header line.

    Returns:
        The SQL of a table function, and the dialect it assumes.
    """
    dialect = _dialect(paths[0], names)
    for path in paths[1:]:
        if _dialect(path, names) != dialect:
            raise SourceError(str(path), f"has another header than {paths[0]}; read them apart")
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(dialect.names)))
    sql = (
        f"read_csv({files(paths)}, columns = {{{columns}}}, auto_detect = false, "
        f"header = {str(dialect.header).lower()}, delim = {literal(dialect.separator)}, "
        """quote = '"', escape = '"', nullstr = '', strict_mode = true, null_padding = false, """
        f"max_line_size = {_LONGEST_LINE}, hive_partitioning = false)"
    )
    return sql, dialect


def _dialect(path: Path, names: Sequence[str] | None) -> Dialect:
    line, second = _first_lines(path)
    separator = "\t" if path.suffix.lower() == ".tsv" else likely_separator(line)
    fields = split_line(line, separator)
    if all(text.count(separator) == text.count(separator + " ") for text in (line, second)):
        spaced = split_line(line, separator + " ")
        if spaced is not None and len(spaced) > 1:  # as in "age, workclass": the space belongs to it
            separator, fields = separator + " ", spaced
    if fields is None:
        raise SourceError(str(path), "line 1 is not well-formed; mend its quotes and separators")
    if names is None:
        return Dialect(separator, header_names(path, fields), header=True)
    if len(names) != len(fields):
        raise RequestError(
            f"{len(names)} column names for {path}, whose first line has {len(fields)} fields; name each"
        )
    return Dialect(separator, tuple(names), header=False)


def _first_lines(path: Path) -> tuple[str, str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            line, second = (*islice(file, 2), "", "")[:2]
    except UnicodeDecodeError:
        raise SourceError(str(path), _no_text(path)) from None
    except OSError as error:
        raise SourceError(str(path), f"cannot be opened ({error.strerror})") from None
    if not line:
        raise SourceError(str(path), "is empty; a table needs a header line and rows")
    if "\0" in line:
        raise SourceError(str(path), _no_text(path))
    return line.rstrip("\r\n"), second.rstrip("\r\n")


def _no_text(path: Path) -> str:
    with path.open("rb") as file:
        return no_text(file.read(64))


def likely_separator(line: str) -> str:
    return max(_SEPARATORS, key=line.count)


def header_names(path: Path, fields: Sequence[str]) -> tuple[str, ...]:
    """The columns' names. They are never quoted: without a header line they are somebody's data."""
    names = tuple(field.strip() for field in fields)
    if names == ("",):
        raise SourceError(str(path), "has a blank first line; delete it")
    if "" in names:
        raise SourceError(str(path), f"column {names.index('') + 1} of the header has no name; give it one")
    if len(set(names)) < len(names):
        first, second = next((names.index(n), i) for i, n in enumerate(names) if names.index(n) < i)
        raise SourceError(
            str(path),
            f"columns {first + 1} and {second + 1} have the same name; rename one, "
            "or name the columns with --names A,B,C if there is no header line",
        )
    return names


def open_json(source: str, paths: Sequence[Path], layout: str) -> DuckDBTable:
    """A table whose columns are the keys of all objects.

    Texts stay texts, numbers are typed like those of a CSV file when they are selected; a key that holds
    texts beside other things, and anything nested, is compared as JSON.

    Args:
        source: what messages call it.
        paths: the files.
        layout: `newline_delimited`, or `auto` for a file that holds one array.
    """
    reader = f"read_json_objects({files(paths)}, format = '{layout}', hive_partitioning = false)"
    objects = DuckDBTable(OwnEngine.start(), f"SELECT json FROM {reader}", {"json": "JSON"}, source)
    strange, double = objects.fetch(_PROBLEMS)[0]
    if strange:
        raise SourceError(source, f"holds {strange:,} values that are no objects; write one object a line")
    if double:
        raise SourceError(source, f"has {double:,} objects in which a key stands twice; mend them")
    names = [name for (name,) in objects.fetch(_KEYS)]
    if not names:
        raise SourceError(source, "has no object with keys; write one object a line")
    check_names(source, names)
    texts = ", ".join(f"bool_and(coalesce({_kind(name)} IN ('VARCHAR', 'NULL'), true))" for name in names)
    plain = objects.fetch(f"SELECT {texts} FROM {SOURCE}")[0]
    columns = ", ".join(_column(name, plain=text) for name, text in zip(names, plain, strict=True))
    query = objects.over(f"SELECT {columns} FROM {SOURCE}")
    kinds = dict.fromkeys(names, "VARCHAR")
    return DuckDBTable(objects.engine, query, kinds, source, textual=True)


_PROBLEMS = f"""
SELECT count(*) FILTER (WHERE json_type(json) <> 'OBJECT'),
       count(*) FILTER (WHERE len(json_keys(json)) <> len(list_distinct(json_keys(json)))) FROM {SOURCE}
"""

_KEYS = f"""
SELECT key FROM (SELECT unnest(json_keys(json)) AS key, row_number() OVER () AS row FROM {SOURCE})
GROUP BY key ORDER BY min(row), key
"""


def _path(name: str) -> str:
    """A key as a JSON pointer, in which no character but `~` and `/` means anything."""
    return literal("/" + name.replace("~", "~0").replace("/", "~1"))


def _kind(name: str) -> str:
    return f"json_type(json, {_path(name)})"


def _column(name: str, *, plain: bool) -> str:
    """One key as text: the text itself when it only holds texts, else its JSON; null is missing."""
    if plain:
        return f"json_extract_string(json, {_path(name)}) AS {identifier(name)}"
    return f"nullif(json_extract(json, {_path(name)})::VARCHAR, 'null') AS {identifier(name)}"
