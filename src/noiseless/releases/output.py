"""How a released table and its certificate are written."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc

from noiseless.errors import ColumnError, RequestError
from noiseless.releases.certificate import Certificate, check_certificate_output
from noiseless.tables import check_output, written_whole
from noiseless.tables.canonical import NUMBER, canonical
from noiseless.tables.duckdb_table import WRITERS
from noiseless.tables.engine import OwnEngine, literal, readable_errors
from noiseless.tables.replacement import ordered_writer

_TEXT = {".csv", ".tsv"}
_OTHER_SEPARATORS = (";", "\t", "|")
_DIGITS_OF_A_DOUBLE = 15

_AT_ONCE = 2**18
"""Rows written at a time."""


def check_release_outputs(out: Path | str, certificate: Path | str | None, sources: Sequence[Path]) -> None:
    """Check, before long work, that a release can be written.

    Raises:
        OutputError: a file cannot be written, or is the table itself.
        RequestError: no format goes with an ending, or both are the same file.
    """
    path = Path(out)
    check_output(path, sources)
    if path.suffix.lower() not in WRITERS:
        raise RequestError(f"{path}: tables are written as {', '.join(WRITERS)}; change the ending")
    if certificate is not None:
        check_output(check_certificate_output(certificate), [*sources, path])


def save_release(
    table: pa.Table,
    certificate: Certificate | None,
    out: Path,
    certificate_out: Path | str | None,
    sources: Sequence[Path] = (),
) -> None:
    """Write a released table and, if asked for, its certificate: both or neither."""
    check_release_outputs(out, certificate_out, sources)
    with ExitStack() as files:
        part = files.enter_context(written_whole(out, sources))
        write_table(table, part, out.suffix.lower())
        if certificate is not None and certificate_out is not None:
            certificate.stream(files.enter_context(written_whole(certificate_out, sources)))


def write_table(table: pa.Table, part: Path, ending: str) -> None:
    """Write a table in the format of an ending, some rows at a time."""
    if ending == ".parquet":
        import pyarrow.parquet as pq

        rows = _rows(table)
        with pq.ParquetWriter(part, rows.schema) as writer:
            for batch in rows:
                writer.write_batch(batch)
        return
    if ending in _TEXT:
        _check_header(table.column_names, ending)
    exact = _as_text if ending in _TEXT else _for_json
    columns = {name: _changed(table.column(name), partial(exact, name)) for name in table.column_names}
    if ending in _TEXT and len(columns) == 1:  # a missing value would be a blank line, which readers skip
        columns = {name: _changed(column, _without_missing) for name, column in columns.items()}
    engine, name = OwnEngine(ordered_writer()), f"noiseless_release_{uuid4().hex}"
    engine.connection.register(name, _rows(pa.table(columns)))
    with readable_errors(str(part)):
        engine.rows(f"COPY (SELECT * FROM {name}) TO {literal(str(part))} ({WRITERS[ending]})")


def with_texts(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """The same, some columns as the texts that digests are made of."""
    columns = {name: table.column(name) for name in table.column_names}
    return pa.table(columns | {name: _changed(columns[name], canonical) for name in names})


def decoded(table: pa.Table) -> pa.Table:
    """A table whose columns are held as values and codes, with each row's own values."""
    return _rows(table).read_all()


def _rows(table: pa.Table) -> pa.RecordBatchReader:
    """The same, some rows at a time: all of them take many times the room."""
    coded = [pa.types.is_dictionary(kind) for kind in table.schema.types]
    kinds = [
        kind.value_type if is_coded else kind
        for kind, is_coded in zip(table.schema.types, coded, strict=True)
    ]
    schema = pa.schema(list(zip(table.column_names, kinds, strict=True)))
    batches = (
        pa.record_batch(
            [
                column.dictionary_decode() if is_coded else column
                for column, is_coded in zip(batch.columns, coded, strict=True)
            ],
            schema=schema,
        )
        for batch in table.to_batches(_AT_ONCE)
    )
    return pa.RecordBatchReader.from_batches(schema, batches)


def _changed(
    column: pa.Array | pa.ChunkedArray,
    change: Callable[[pa.Array | pa.ChunkedArray], pa.Array | pa.ChunkedArray],
) -> pa.Array | pa.ChunkedArray:
    """A column after a change of its values; where these are held once, each is changed once."""
    if not pa.types.is_dictionary(column.type):
        return change(column)
    codes = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return pa.DictionaryArray.from_arrays(codes.indices, change(codes.dictionary))


def _without_missing(texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    return pc.fill_null(texts, "")


def _check_header(names: Sequence[str], ending: str) -> None:
    """Refuse names that are read back as other ones: cut at the ends, or at what is taken for a separator."""
    for name in names:
        if name != name.strip().lstrip("\ufeff") or len(name.splitlines()) > 1:
            problem = "has spaces at the ends of its name, or a line break in it, which a text file loses"
            raise ColumnError(name, f"{problem}; rename it, or write .parquet")
    if ending != ".csv":
        return
    line = ",".join(names)
    for other in _OTHER_SEPARATORS:
        if line.count(other) > line.count(","):
            name = next(name for name in names if other in name)
            raise ColumnError(
                name, f"has {other!r} in its name, which a reader would split at; write .parquet"
            )


def _for_json(name: str, column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """A column as it is written to JSON: as texts, where numbers have more digits than readers keep."""
    texts = canonical(column)
    _check_texts(name, column)
    if pa.types.is_decimal(column.type):
        return texts
    if pa.types.is_floating(column.type) and _most_digits(texts) >= _DIGITS_OF_A_DOUBLE:  # 5.0 has one more
        return texts
    return column


def _most_digits(texts: pa.Array) -> int:
    digits = pc.max(pc.binary_length(pc.replace_substring_regex(texts, "[^0-9]", ""))).as_py()
    return 0 if digits is None else int(digits)


def _as_text(name: str, column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column as it is written to a text file, from which it reads back the same."""
    _check_texts(name, column)
    texts = canonical(column)
    if pc.any(pc.equal(texts, "")).as_py():
        problem = "holds empty texts, which a text file cannot tell from missing values"
        raise ColumnError(name, f"{problem}; write .parquet or .jsonl")
    return texts


def _check_texts(name: str, column: pa.Array | pa.ChunkedArray) -> None:
    """Refuse texts that are read back as other ones."""
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        values = pc.unique(column).drop_null()
        if len(values) and _turn_into_others(values):
            raise ColumnError(name, "holds texts that a reader would turn into numbers; write .parquet")


def _turn_into_others(values: pa.Array) -> bool:
    """Whether texts would be read back from a text file as numbers that are written otherwise ("5.00")."""
    if not pc.all(pc.match_substring_regex(values, NUMBER)).as_py():
        return False
    if _most_digits(values) > _DIGITS_OF_A_DOUBLE:
        return False
    doubles = values.cast(pa.float64())
    return len(pc.unique(doubles)) == len(values) and not canonical(doubles).equals(values)
