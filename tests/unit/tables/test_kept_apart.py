"""Values, rows and files that differ stay apart: merging them would overstate every guarantee."""

import datetime as dt
import json
import os
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import duckdb
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from noiseless.audits import audit
from noiseless.domain import Schema
from noiseless.errors import (
    ColumnError,
    DomainError,
    MissingValuesError,
    RequestError,
    SourceError,
)
from noiseless.tables import open_table


def groups(source: object, **arguments: object) -> int:
    return audit(source, **cast("Any", {"sensitive": "s", "public": "x"} | arguments)).public_values


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["data[1]", "a*", "b?", "~x", "it's", "x=1"])
def test_a_file_name_is_no_pattern(tmp_path: Path, name: str, ending: str) -> None:
    for file, values in ((name, [1, 2, 3]), ("data1", [7, 7, 7]), ("ab", [7, 7, 7]), ("bb", [7, 7, 7])):
        frame = pd.DataFrame({"x": values, "s": list("abc")})
        path = str(tmp_path / f"{file}.{ending}")
        frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    found = audit(str(tmp_path / f"{name}.{ending}"), sensitive="s", public="x")
    assert (found.public_values, found.rows) == (3, 3)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_folders_named_like_partitions_change_nothing(tmp_path: Path, ending: str) -> None:
    folder = tmp_path / "x=1" / "c0=5"
    folder.mkdir(parents=True)
    frame, path = pd.DataFrame({"x": [1, 2, 3], "s": [1, 2, 3]}), folder / f"t.{ending}"
    {"csv": lambda: frame.to_csv(path, index=False), "parquet": lambda: frame.to_parquet(path)}.get(
        ending, lambda: frame.to_json(path, orient="records", lines=True)
    )()
    assert groups(path) == 3


def test_parquet_files_of_different_types_are_not_cast(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1, 2], "s": ["a", "b"]}), tmp_path / "0.parquet")
    pq.write_table(pa.table({"x": [1.4, 2.3], "s": ["b", "a"]}), tmp_path / "1.parquet")
    with pytest.raises(SourceError, match="other columns or types"):
        groups(f"{tmp_path}/*.parquet")


def jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1] * 21_000 + [3.7, 4], 3),
        ([True] * 21_000 + [1, "true"], 3),
        ([None] * 21_000 + ["late"], 2),
        (["2020-01-01", "2020-1-1"], 2),
        (["12:00", "12:00:00"], 2),
        ([4915112345678901234567, 4915112345678901234568], 2),
        ([{"a": None}] * 21_000 + [{"a": "HIV"}], 2),
        ([1, "1", 1.5], 3),
        ([[1, 2], [1, 3]], 2),
    ],
)
def test_json_values(tmp_path: Path, values: list[Any], expected: int) -> None:
    path = jsonl(tmp_path / "t.jsonl", [{"x": v, "s": i % 2} for i, v in enumerate(values)])
    assert groups(path) == expected


def test_json_keys_that_come_late(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "t.jsonl", [{"s": 1}] * 21_000 + [{"s": 2, "x": 5}])
    assert groups(path) == 2
    array = tmp_path / "t.json"
    array.write_text(json.dumps([{"x": 1, "s": 2}, {"x": 2, "s": 2}]))
    assert groups(array) == 2


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (['{"x":1,"X":2,"s":1}'], "upper and lower case"),
        (['{"x":1,"s":1}', "[1]"], "1 values that are no objects"),
        (['{"x":1,"s":1}', '[{"x":2,"s":1}]'], "no objects"),
        (['{"x":1,"s":1}', "null"], "no objects"),
        (['{"x":0,"s":"secret","x":1}'], "a key stands twice"),
        (['{"x":1,"s":1,"":2}'], "proper name"),
        (["{}"], "no object with keys"),
        (['{"x":1,"s":secret}'], "could not be read"),
    ],
)
def test_json_that_is_no_table(tmp_path: Path, lines: list[str], words: str) -> None:
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    with pytest.raises(SourceError, match=words) as caught:
        groups(tmp_path / "t.jsonl")
    assert "secret" not in str(caught.value)


def test_json_keys_with_meaning_elsewhere(tmp_path: Path) -> None:
    for key in ("*", "a.b", "a/b", "~", "$", 'say "x"', "back\\slash", "ü"):
        path = jsonl(tmp_path / "t.jsonl", [{key: i, "s": i, "other": 7} for i in range(3)])
        assert groups(path, public=key) == 3, key


def test_long_numbers_in_a_schema(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for low, high, bounds in (
        ("1234567890123456789", "1234567890123456788", "bounds = [0, 9000000000000000000]"),
        ("0.1", "0.1000000000000000001", "bounds = [0, 1]\nstep = 0.1"),
    ):
        path.write_text(f"x,s\n{low},a\n{high},b\n")
        schema = Schema.parse(f'[columns.x]\nrole = "public"\n{bounds}\n')
        with pytest.raises(ColumnError):
            groups(path, schema=schema)
        assert groups(path) == 2


def test_a_unit_is_never_clamped() -> None:
    schema = Schema.parse('[columns.u]\nrole = "private"\nbounds = [0, 10]\n')
    table = pa.table({"u": [1, 50, 60], "x": [1, 1, 1], "s": [1, 2, 3]})
    found = audit(table, sensitive="s", public="x", unit="u", schema=schema, clamp=True)
    assert found.persons == 3


def test_facts_of_different_types_are_not_compared() -> None:
    first = pa.table({"u": [1, 2], "g": [1.5, 1.5], "x": [1, 1], "s": ["a", "b"]})
    second = pa.table({"u": [1, 2, 3, 4], "g": [7, 7, 2**53 + 1, 2**53], "x": [1] * 4, "s": list("abab")})
    with pytest.raises(ColumnError, match="'g' is of different types"):
        groups([first, second], unit="u", given="g")


def test_days_that_python_does_not_know(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,s\n0000-01-01,a\n2020-01-01,b\n")
    found = audit(path, sensitive="s", public="x")
    assert {str(w.values["x"]) for w in found.reveal_witnesses() if w.values} >= {"2020-01-01"}
    assert len(audit(path, sensitive="x", public="s").witnesses) == 2


def test_excel_cells_are_not_lost(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["x", "s"])
    for number in range(1500):
        sheet.append([number % 2, "a"])
    for text in ("HIV", "flu"):
        sheet.append([text, "b"])
    book.save(tmp_path / "t.xlsx")
    try:
        assert groups(tmp_path / "t.xlsx") == 4
    except SourceError as refused:
        assert "holds numbers and other things" in str(refused)  # noqa: PT017 - refusing is as good as keeping apart


SCHEMA = Schema.parse(
    """
    [columns.day]
    role = "public"
    bounds = [2020-01-01, 2020-12-31]
    [columns.truth]
    role = "public"
    type = "boolean"
    [columns.number]
    role = "public"
    bounds = [0, 20]
    step = 0.5
    [columns.large]
    role = "public"
    bounds = [0, 9223372036854775807]
    """
)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("day", [dt.datetime.fromisoformat(f"2020-01-01T0{hour}:00") for hour in (8, 9)]),
        ("day", ["2020-01-01 10:00:00", "2020-01-01"]),
        ("truth", ["true", "TRUE"]),
        ("truth", ["1", "yes"]),
        ("number", ["1.5", "1.50"]),
        ("number", ["007", "7"]),
        ("number", ["1_5", "15"]),
        ("number", [Decimal("0.5"), Decimal("0.50000000000000000001")]),
    ],
)
def test_a_schema_checks_and_never_merges(column: str, values: list[Any]) -> None:
    with pytest.raises(DomainError):
        open_table(pa.table({column: values})).conform(SCHEMA, [column])


@pytest.mark.parametrize("values", [[2**53, 2**53 + 1], [2**63 - 2, 2**63 - 1]])
def test_large_whole_numbers_stay_exact(values: list[int]) -> None:
    for clamp in (False, True):
        table = open_table(pa.table({"large": values})).conform(SCHEMA, ["large"], clamp=clamp)
        assert table.tally(["large"]).decode("large").to_pylist() == values


def test_a_lattice_finer_than_doubles_is_refused() -> None:
    schema = Schema.parse('[columns.x]\nrole = "public"\nbounds = [0, 18014398509481984]\nstep = 0.5\n')
    with pytest.raises(ColumnError, match="cannot tell apart"):
        open_table(pa.table({"x": [2**53, 2**53 + 1]})).conform(schema, ["x"])


def test_odd_types() -> None:
    connection = duckdb.connect()
    for texts in (
        ["'12:00:00+01'::TIMETZ", "'12:00:00+02'::TIMETZ"],
        ["'infinity'::DATE", "'2020-01-01'::DATE"],
        ["'12345-01-01'::DATE", "'0044-03-15 (BC)'::DATE"],
        ["[1.5::DECIMAL(3,1)]", "[1.6::DECIMAL(3,1)]"],
        ["'a' COLLATE NOCASE", "'A' COLLATE NOCASE"],
    ):
        relation = connection.sql(f"SELECT {texts[0]} AS x, 1 AS s UNION ALL SELECT {texts[1]}, 1")
        assert groups(relation) == 2, texts
    assert groups(pd.DataFrame({"x": pd.to_timedelta([1, 2], unit="ns"), "s": [1, 1]})) == 2


def test_minus_zero_is_zero_everywhere(tmp_path: Path) -> None:
    found = audit(pa.table({"x": [-0.0, 0.0], "s": [1, 2]}), sensitive="s", public="x")
    assert found.public_values == 1
    assert found.write_records(tmp_path / "r.csv") == 2
    assert len(pd.read_csv(tmp_path / "r.csv")) == 2


def test_persons_must_be_named_the_same_way() -> None:
    first = pa.table({"u": [1, 2, 3, 4], "x": [1, 1, 2, 2], "s": list("abba")})
    for other in ([1.0, 2.0, 3.0, 4.0], ["1", "2", "3", "4"]):
        with pytest.raises(ColumnError, match="different types"):
            groups([first, pa.table({"u": other, "w": [1, 2, 1, 2]})], unit="u", public=["x", "w"])
    with pytest.raises(RequestError, match="nobody is in more than one release"):
        groups([first, pa.table({"u": [7, 8], "w": [1, 2]})], unit="u", public=["x", "w"])


def test_a_column_called_present() -> None:
    first = pa.table({"u": [1, 2, 3, 4], "present": list("abab"), "s": list("xyxy")})
    second = pa.table({"u": [1, 2, 3, 4], "w": [1] * 4})
    assert groups([first, second], unit="u", public=["present", "w"]) == 2
    clash = first.rename_columns(["u", "x", "1.x"])
    with pytest.raises(ColumnError, match="rename it"):
        groups([clash, second], unit="u", sensitive="1.x", public=["x", "w"])


def test_absence_is_not_a_missing_value() -> None:
    first = pa.table({"u": [1, 2, 3, 4, 5], "x": [1] * 5, "s": list("ababz")})
    second = pa.table({"u": [1, 2, 3, 4], "w": [1] * 4})
    for missing in ("drop", "error"):
        found = audit([first, second], sensitive="s", public=["x", "w"], unit="u", missing=missing)
        assert (found.persons, found.min_posterior) == (5, 1)


def test_every_row_needs_a_person() -> None:
    with pytest.raises(MissingValuesError, match="'u' has 2 missing values"):
        groups(pa.table({"u": [1, None, None], "x": [1, 1, 1], "s": [1, 2, 3]}), unit="u")


def test_each_release_is_held_against_the_schema() -> None:
    schema = Schema.parse('[columns.x]\nrole = "public"\nbounds = [5, 9]\n')
    first = pa.table({"u": [1, 2], "x": [1, 1], "s": [1, 2]})
    second = pa.table({"u": [1, 2], "w": [1, 1]})
    with pytest.raises(DomainError, match="column 'x'"):
        groups([first, second], unit="u", public=["x", "w"], schema=schema)


def test_dropped_rows_are_neither_marked_nor_witnesses(tmp_path: Path) -> None:
    table = pa.table({"x": [1, 1, 1, 2], "s": [None, "a", "b", "c"]})
    found = audit(table, sensitive="s", public="x", missing="drop")
    assert {w.first_row for w in found.witnesses} == {2, 4}
    found.write_records(tmp_path / "r.csv")
    assert pd.read_csv(tmp_path / "r.csv")["group_size"].isna().tolist() == [True, False, False, False]


@pytest.mark.parametrize("name", ["GROUP_SIZE", "Posterior_Size", "Row"])
def test_records_never_hold_the_tables_values(tmp_path: Path, name: str) -> None:
    found = audit(pa.table({name: [4711, 4712], "s": [1, 2]}), sensitive="s", public=name)
    with pytest.raises(RequestError, match="rename it"):
        found.write_records(tmp_path / "r.csv")


@pytest.mark.parametrize(
    "name", ["noiseless_row", "noiseless_position", "noiseless_count", "noiseless_source"]
)
def test_names_of_the_packages_own_columns(name: str) -> None:
    with pytest.raises(ColumnError, match="rename it"):
        groups(pa.table({name: [5, 5, 6], "s": ["p", "q", "p"]}), public=name)


def test_wide_numbers_need_no_wide_arrays() -> None:
    assert groups(pa.table({"x": [1, 1, 2], "s": [4915112345678, 4915112345679, 301234567]})) == 2
    assert groups(pa.table({"x": [1, 2**62, 3], "s": [1, 5, 2**62]})) == 3
    ids = [10**17 + i * 7919 * 10**13 for i in range(100)]
    assert groups(pa.table({"x": [1] * 100, "s": list(range(100)), "u": ids}), unit="u") == 1


def test_a_column_that_leaks_is_not_hidden_behind_one_that_does_not() -> None:
    rows = [(a, b, x) for x in (0, 1) for a in (0, 1) for b in (range(3) if x else range(12))]
    table = pa.table({"a": [r[0] for r in rows], "b": [r[1] for r in rows], "x": [r[2] for r in rows]})
    found = audit(table, sensitive=["a", "b"], public="x")
    assert found.worst.name == "b"
    assert found.worst.min_posterior == 3


def test_without_a_folder_for_compiled_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from noiseless.tables import kernels

    def double(x: int) -> int:
        return 2 * x

    def refuse(**_: object) -> None:
        raise RuntimeError("cannot cache function")

    import numba

    plain = numba.njit
    monkeypatch.setattr(numba, "njit", lambda *a, **k: refuse() if k.get("cache") else plain(*a, **k))
    assert kernels.compiled(double)(21) == 42
    assert os.path.isdir(tmp_path)  # noqa: PTH112 - nothing was written or removed
