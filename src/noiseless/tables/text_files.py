"""CSV and TSV files, read by one fixed dialect so that no row is ever skipped or guessed at.

The header is read here, the rows by DuckDB, all as text: types come later and only for the columns in use.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from noiseless.errors import RequestError, SourceError
from noiseless.tables.csv_grammar import no_text, split_line
from noiseless.tables.sql import files, literal

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
    separator = "\t" if path.suffix.lower() == ".tsv" else _separator(line)
    fields = split_line(line, separator)
    if all(text.count(separator) == text.count(separator + " ") for text in (line, second)):
        spaced = split_line(line, separator + " ")
        if spaced is not None and len(spaced) > 1:  # as in "age, workclass": the space belongs to it
            separator, fields = separator + " ", spaced
    if fields is None:
        raise SourceError(str(path), "line 1 is not well-formed; mend its quotes and separators")
    if names is None:
        return Dialect(separator, _header(path, fields), header=True)
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


def _separator(line: str) -> str:
    return max(_SEPARATORS, key=line.count)


def _header(path: Path, fields: Sequence[str]) -> tuple[str, ...]:
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
