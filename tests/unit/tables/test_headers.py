"""Columns from a header alone."""

from pathlib import Path

import duckdb
import pandas as pd
import pytest

from noiseless.tables.sources import header

FRAME = pd.DataFrame({"age": [1, 2], "home town": ["a", "b"]})
NAMES = ["age", "home town"]


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "t.jsonl", "t.json", "t.xlsx"])
def test_files_of_every_kind(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if path.suffix == ".parquet":
        FRAME.to_parquet(path)
    elif path.suffix == ".xlsx":
        FRAME.to_excel(path, index=False)
    elif path.suffix.startswith(".json"):
        FRAME.to_json(path, orient="records", lines=path.suffix == ".jsonl")
    else:
        FRAME.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    assert header(str(path)) == NAMES


def test_the_first_file_of_a_glob_or_folder(tmp_path: Path) -> None:
    for number in (1, 2):
        FRAME.to_parquet(tmp_path / f"{number}.parquet")
    assert header(str(tmp_path)) == header(str(tmp_path / "*.parquet")) == NAMES


def test_a_table_of_a_database_file(tmp_path: Path) -> None:
    file = tmp_path / "people.db"
    with duckdb.connect(str(file)) as connection:
        connection.execute('CREATE TABLE people ("age" INTEGER, "home town" VARCHAR)')
    assert header(f"duckdb:///{file}::people") == NAMES
    assert header(f"duckdb:///{file}::animals") == []


def test_no_more_than_the_header_is_read(tmp_path: Path) -> None:
    path = tmp_path / "ragged.csv"
    path.write_text("age,home town\n1\n2,3,4\n")
    assert header(str(path)) == NAMES


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("bytes.csv", b"\xff\xfe\x00"),
        ("twice.csv", b"a,a\n1,2\n"),
        ("broken.parquet", b"PAR1"),
        ("broken.xlsx", b"PK"),
        ("broken.json", b"[1, 2]"),
        ("cut.jsonl", b'{"age": '),
    ],
)
def test_what_cannot_be_read_has_no_columns(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert header(str(tmp_path / name)) == []


@pytest.mark.parametrize(
    "source", ["nobody.csv", "postgresql://host/db::t", "spark::t", "s3://b/t.csv", "-", ""]
)
def test_what_is_not_there_has_none(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert header(source) == []
