import json
import math
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from noiseless.audits import audit
from noiseless.errors import MissingValuesError, NoiselessError, RequestError, SourceError
from noiseless.releases import release
from noiseless.tables import Table, open_table
from noiseless.tables.duckdb_table import at_hand

ROWS = [{"name": "ann", "n": 1}, {"name": "bob", "n": 2}, {"name": "ann", "n": 1}, {"name": None, "n": 3}]
EXPECTED = {("ann", 1): 2, ("bob", 2): 1, (None, 3): 1}


def combinations(table: Table, columns: list[str]) -> dict[tuple[Any, ...], int]:
    found = table.select(columns).tally(columns)
    values = zip(*(found.decode(c).to_pylist() for c in columns), strict=True)
    return dict(zip(values, found.counts.tolist(), strict=True))


def frames() -> dict[str, Any]:
    data = pa.Table.from_pylist(ROWS)
    return {
        "arrow": data,
        "pandas": pd.DataFrame(ROWS),
        "polars": pl.DataFrame(ROWS),
        "lazy polars": pl.DataFrame(ROWS).lazy(),
        "duckdb": duckdb.connect().from_arrow(data),
    }


@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars", "lazy polars", "duckdb"])
def test_frames(kind: str) -> None:
    assert combinations(open_table(frames()[kind]), ["name", "n"]) == EXPECTED


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "xlsx"])
def test_files(tmp_path: Path, ending: str) -> None:
    path, frame = tmp_path / f"people.{ending}", pd.DataFrame(ROWS)
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "tsv":
        frame.to_csv(path, index=False, sep="\t")
    elif ending == "jsonl":
        path.write_text("\n".join(json.dumps(row) for row in ROWS))
    elif ending == "parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    else:
        frame.to_excel(path, index=False)
    assert combinations(open_table(path), ["name", "n"]) == EXPECTED


def test_glob(tmp_path: Path) -> None:
    for number, row in enumerate(ROWS):
        pq.write_table(
            pa.Table.from_pylist([row], pa.schema({"name": pa.string(), "n": pa.int64()})),
            tmp_path / f"part-{number}.parquet",
        )
    assert combinations(open_table(f"{tmp_path}/part-*.parquet"), ["name", "n"]) == EXPECTED


def test_database_table(tmp_path: Path) -> None:
    path = tmp_path / "people.db"
    with duckdb.connect(str(path)) as connection:
        connection.register("rows", pa.Table.from_pylist(ROWS))
        connection.execute("CREATE TABLE people AS SELECT * FROM rows")
    assert combinations(open_table(f"duckdb:///{path}::people"), ["name", "n"]) == EXPECTED
    with pytest.raises(SourceError, match="has no table 'nobody'; it has 'people'"):
        open_table(f"duckdb:///{path}::nobody")
    with pytest.raises(SourceError, match="names no table"):
        open_table(f"duckdb:///{path}")


def test_a_folder_of_parquet_files_is_one_table(tmp_path: Path) -> None:
    folder = tmp_path / "people"
    folder.mkdir()
    for number, row in enumerate(ROWS):
        pq.write_table(
            pa.Table.from_pylist([row], pa.Table.from_pylist(ROWS).schema), folder / f"part-{number}.parquet"
        )
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.parquet.crc").touch()
    table = open_table(folder)
    assert combinations(table, ["name", "n"]) == EXPECTED
    assert len(table.files) == len(ROWS)
    (folder / "notes.txt").touch()
    with pytest.raises(SourceError, match="holds other things than Parquet files; name a file"):
        open_table(folder)
    (folder / "notes.txt").unlink()
    (folder / "year=2024").mkdir()
    with pytest.raises(SourceError, match="partitioned by the names of folders"):
        open_table(folder)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("nowhere.csv", "no such file"),
        ("duckdb:///nowhere.db::t", "no such database"),
        ("postgresql://u:secret@localhost:1/db::t", "cannot be reached"),
        (".", "Parquet files; name a file in it, or a glob"),
    ],
)
def test_sources_that_are_not_there(source: str, words: str) -> None:
    with pytest.raises(SourceError, match=words) as caught:
        open_table(source)
    assert "secret" not in str(caught.value)


def test_things_that_are_no_tables() -> None:
    with pytest.raises(RequestError, match=r"an? int is not a table; .* DuckDB frame$"):
        open_table(3)
    with pytest.raises(RequestError, match=r"is not a table; .* with pandas.DataFrame\(rows\)"):
        audit([{"a": 1, "s": 2}, {"a": 2, "s": 3}], sensitive="s")


def test_column_named_twice_in_a_frame() -> None:
    with pytest.raises(SourceError, match="same name"):
        open_table(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_column_of_mixed_kinds() -> None:
    for values in ([1, "x", None], [2**70, 1], [1j, 2j]):
        with pytest.raises(SourceError, match="column 'a' holds mixed or unknown kinds"):
            open_table(pd.DataFrame({"b": 1, "a": values}))


@pytest.mark.parametrize("ending", ["parquet", "xlsx", "jsonl", "csv", "db"])
def test_binary_nonsense(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"nonsense.{ending}"
    path.write_bytes(bytes(range(256)) * 20)
    with pytest.raises(NoiselessError):
        combinations(open_table(path), ["a"])


def test_unicode_names_and_quotes_in_names() -> None:
    data = pa.table({'größe "cm"': [1, 2, 2], "имя; DROP TABLE x": ["a", "b", "b"]})
    assert combinations(open_table(data), data.column_names) == {(1, "a"): 1, (2, "b"): 2}


def test_ten_thousand_columns(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(10_000)]
    path = tmp_path / "wide.csv"
    rows = [",".join(str((i * j) % 7) for j in range(10_000)) for i in range(5)]
    path.write_text("\n".join([",".join(names), *rows]) + "\n")
    assert combinations(open_table(path), ["c3", "c9999"]) == {
        ((i * 3) % 7, (i * 9999) % 7): 1 for i in range(5)
    }


def test_the_users_connection_is_left_as_it_was() -> None:
    connection = duckdb.connect()
    relation = connection.sql("SELECT 1 AS a, 2 AS b")
    combinations(open_table(relation), ["a", "b"])
    assert connection.sql("SHOW TABLES").fetchall() == []


def nans(kind: str, data: pa.Table, folder: Path) -> Any:  # noqa: ANN401 - any source
    """The same data from each kind of source."""
    file = folder / "v.parquet"
    pq.write_table(data, file, row_group_size=2)
    connection = duckdb.connect(str(folder / "v.db"))
    connection.execute(f"CREATE VIEW seen AS FROM '{file}'; CREATE TABLE kept AS FROM '{file}'")
    if kind in ("seen", "kept"):
        connection.close()
        return f"duckdb:///{folder / 'v.db'}::{kind}"
    sources = {
        "arrow": data,
        "pandas": data.to_pandas(),
        "polars": pl.from_arrow(data),
        "lazy polars": pl.scan_parquet(file),
        "relation": connection.from_arrow(data),
        "file as a relation": connection.read_parquet(str(file)),
        "file": file,
        "files": f"{folder}/*.parquet",
    }
    return sources[kind]


@pytest.mark.parametrize(
    ("column", "largest"), [(pa.float64(), 2.5), (pa.float32(), 2.5), (pa.float64(), math.inf)]
)
@pytest.mark.parametrize(
    "kind",
    [
        "arrow",
        "pandas",
        "polars",
        "lazy polars",
        "relation",
        "file as a relation",
        "file",
        "files",
        "seen",
        "kept",
    ],
)
def test_nan_is_missing_and_infinity_is_not(
    tmp_path: Path, kind: str, column: pa.DataType, largest: float
) -> None:
    """Parquet's own statistics say nothing about NaN, and may not be asked."""
    values = [0.5, math.nan, 1.5, 0.5, math.nan, largest, -0.0, 0.0]
    data = pa.table({"v": pa.array(values, column), "w": list("abcabcab")})
    table = open_table(nans(kind, data, tmp_path))
    assert table.select(["v"]).count_missing("v") == 2
    assert table.select(["v"]).with_missing(["v"], "drop").count() == 6
    assert at_hand(table).held().count_missing("v") == 2
    assert combinations(table, ["v"]) == {(None,): 2, (0.5,): 2, (1.5,): 1, (largest,): 1, (0.0,): 2}
    with pytest.raises(MissingValuesError):
        table.select(["v"]).with_missing(["v"], "error")


def test_nan_in_a_file_is_missing_in_what_is_made_of_it(tmp_path: Path) -> None:
    values = [0.5, math.nan, 1.5, 1.0] * 3
    file = nans("file", pa.table({"v": values, "w": list("abc") * 4}), tmp_path)
    assert audit(file, sensitive="w", public="v", missing="drop").rows == 9
    released = release(file, sensitive="w", public="v", min_posterior=3).frame["v"].to_pylist()
    assert "nan" not in released
    assert released.count(None) == 3


@pytest.mark.parametrize(
    ("name", "content", "encoding", "form"),
    [
        ("a.csv", b"x;y\n1;2\n", None, {"kind": "CSV", "encoding": "UTF-8", "separator": ";"}),
        ("a.txt", "größe\tk\n1\t2\n".encode("utf-16"), "utf-16", {"encoding": "utf-16", "separator": "\t"}),
        ("a.csv", "größe, k\n1, 2\n".encode("cp1252"), "cp1252", {"encoding": "cp1252", "separator": ", "}),
        ("a.jsonl", b'{"x": 1}\n', None, {"kind": "JSON", "encoding": "UTF-8"}),
    ],
)
def test_how_a_file_is_written_is_recognised(
    tmp_path: Path, name: str, content: bytes, encoding: str | None, form: dict[str, str]
) -> None:
    from noiseless.tables.sources import file_form
    from noiseless.tables.text_source import TextSource

    (tmp_path / name).write_bytes(content)
    source = str(tmp_path / name)
    found = file_form(TextSource(source, encoding) if encoding else source)
    assert found == {"kind": "CSV"} | form


def test_the_sheet_that_is_read_is_named(tmp_path: Path) -> None:
    from noiseless.tables.sources import file_form

    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "cover"
    book.active.append(["x", "y"])
    book.save(tmp_path / "one.xlsx")
    book.create_sheet("data")
    book.save(tmp_path / "two.xlsx")
    assert file_form(str(tmp_path / "one.xlsx")) == {"kind": "Excel", "sheet": "cover"}
    assert file_form(str(tmp_path / "two.xlsx")) == {"kind": "Excel", "sheet": "cover", "others": "1"}
    assert file_form("postgresql://host/db::people") == {}
