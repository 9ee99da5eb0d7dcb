import hashlib
import json

import numpy as np
import pyarrow as pa
import pytest

from certificate_examples import digest
from noiseless.tables import open_table
from noiseless.verification.rows import DistinctRows, _sorted, _with_counts, table_digest

MANY: dict[str, str | None] = {"a": "7", "b": "many"}
ROWS: list[dict[str, str | None]] = [
    {"a": "1", "b": 'x"\n'},
    {"a": "1", "b": 'x"\n'},
    {"a": "2", "b": None},
    {"a": "10", "b": "é"},
    *[MANY] * 123,
]


def found(rows: list[dict[str, str | None]], columns: list[str]) -> str:
    table = open_table(pa.table({c: pa.array([row[c] for row in rows], pa.string()) for c in columns}))
    return table_digest(DistinctRows.read(table, columns), columns)


def test_a_digest_is_what_its_definition_says() -> None:
    assert found(ROWS, ["a", "b"]) == digest(ROWS, ["a", "b"])
    one = hashlib.sha256(b'["1"]').digest()
    assert found([{"a": "1"}], ["a"]) == "sha256:" + hashlib.sha256(b'["a"]\n' + one + b"1\n").hexdigest()


def test_order_does_not_matter_and_duplicates_do() -> None:
    assert found(ROWS[::-1], ["a", "b"]) == found(ROWS, ["a", "b"])
    assert found(ROWS[1:], ["a", "b"]) != found(ROWS, ["a", "b"])
    assert found(ROWS, ["b", "a"]) != found(ROWS, ["a", "b"])


def test_a_missing_value_is_no_text() -> None:
    digests = {found([{"a": text}], ["a"]) for text in (None, "", "null", "None")}
    assert len(digests) == 4


def test_values_do_not_run_into_each_other() -> None:
    assert found([{"a": 'x","y', "b": "z"}], ["a", "b"]) != found([{"a": "x", "b": 'y","z'}], ["a", "b"])


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_the_format_of_the_file_does_not_matter(kind: str, tmp_path: pytest.TempPathFactory) -> None:
    import duckdb

    path = f"{tmp_path}/table.{kind}"
    writer = {"csv": "FORMAT csv, HEADER", "parquet": "FORMAT parquet", "jsonl": "FORMAT json"}[kind]
    duckdb.sql(
        "COPY (SELECT * FROM (VALUES (1, 1.5::DOUBLE, 'x', DATE '2020-01-01', true), "
        f"(-2, 3.0::DOUBLE, NULL, NULL, false)) t(a, b, c, d, e)) TO '{path}' ({writer})"
    )
    columns = ["a", "b", "c", "d", "e"]
    rows = DistinctRows.read(open_table(path).select(columns), columns)
    expected = [("1", "1.5", "x", "2020-01-01", "true"), ("-2", "3", None, None, "false")]
    assert sorted(rows.tuples(columns, np.arange(2)), key=str) == sorted(expected, key=str)
    texts = [dict(zip(columns, row, strict=True)) for row in expected]
    assert table_digest(rows, columns) == digest(texts, columns)


def test_hashes_that_begin_alike_are_sorted_by_what_follows() -> None:
    chance = np.random.default_rng(1)
    hashes = chance.integers(0, 256, (500, 32)).astype(np.uint8)
    hashes[:, :10] = 7
    expected = sorted(range(500), key=lambda i: hashes[i].tobytes())
    assert _sorted(hashes).tolist() == expected


def test_counts_of_any_length_follow_their_hashes() -> None:
    counts = np.array([1, 9, 10, 99, 100, 12345, 10**15, 2**53 + 1])
    hashes = np.arange(8 * 32, dtype=np.uint8).reshape(8, 32)
    expected = b"".join(h.tobytes() + str(c).encode() + b"\n" for h, c in zip(hashes, counts, strict=True))
    assert _with_counts(hashes, counts) == expected


def test_json_is_compact_and_keeps_characters() -> None:
    line = json.dumps(["é", None], ensure_ascii=False, separators=(",", ":"))
    assert line == '["é",null]'
    row = hashlib.sha256(line.encode()).digest()
    whole = hashlib.sha256('["ä","b"]\n'.encode() + row + b"1\n").hexdigest()
    assert found([{"ä": "é", "b": None}], ["ä", "b"]) == f"sha256:{whole}"
