import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from noiseless.errors import ColumnError, OutputError, RequestError
from noiseless.releases import Release, release
from noiseless.releases.output import write_table
from noiseless.tables.canonical import typed_numbers
from noiseless.verification import verify

PATIENTS = pa.table(
    {
        "age": [31, 35, 52, 47, 31, 60, 44],
        "chol": [180, 182, 190, 230, 233, 240, 240],
        "sex": ["f", "f", "m", "m", "f", "m", None],
    }
)


@pytest.fixture(scope="module")
def done() -> Release:
    return release(PATIENTS, sensitive="age", public="chol", keep="sex", min_posterior=1)


def test_the_certificate_names_public_values_and_no_sensitive_one(done: Release) -> None:
    found = done.certificate
    assert list(found)[:2] == ["format", "version"]
    assert found["columns"] == {"sensitive": ["age"], "public": ["chol"], "given": [], "keep": ["sex"]}
    members = [member for cell in found["partition"] for (member,) in cell["members"]]
    assert sorted(members) == ["180", "182", "190", "230", "233", "240"]
    text = found.to_json()
    assert json.loads(text) == json.loads(json.dumps(found.to_dict()))
    assert not any(f'"{age}"' in text for age in PATIENTS["age"].to_pylist())
    assert sum(cell["rows"] for cell in found["partition"]) == found["original"]["rows"] == 7


def test_exact_numbers_and_floats_on_the_safe_side(done: Release) -> None:
    claim = done.certificate["claim"]
    assert (claim["leakage_exact"], claim["distortion_exact"]) == ("6", "0")
    assert 2 ** claim["leakage"] >= 6
    assert claim["public_values"] == 6
    assert done.certificate["target"] == {"min_posterior": 1}


def test_a_released_table_is_written_in_every_format(done: Release, tmp_path: Path) -> None:
    for ending in ("csv", "tsv", "parquet", "jsonl", "ndjson"):
        out, certificate = tmp_path / f"out.{ending}", tmp_path / "certificate.json"
        done.save(out, certificate=certificate)
        assert verify(certificate, original=PATIENTS, released=out).holds
    assert (tmp_path / "out.csv").read_text().splitlines()[:2] == ["chol,sex", "180,f"]
    assert pq.read_table(tmp_path / "out.parquet").schema.field("chol").type == pa.int64()
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_a_column_of_missing_values_alone_survives_a_text_file(tmp_path: Path) -> None:
    table = pa.table({"s": [1, 2, 3, 4], "x": [5, 6, None, None]})
    found = release(table, sensitive="s", public="x", min_posterior=2)
    assert found.table["x"].to_pylist() == ["5-6", "5-6", None, None]
    found.save(tmp_path / "out.csv", certificate=tmp_path / "c.json")
    assert verify(tmp_path / "c.json", original=table, released=tmp_path / "out.csv").holds


@pytest.mark.parametrize(
    ("out", "certificate", "problem"),
    [
        ("out.xml", None, "tables are written as .csv"),
        ("out.csv", "certificate.txt", "end its name in .json"),
        ("none/out.csv", None, "folder does not exist"),
        ("out.csv", "none/c.json", "folder does not exist"),
    ],
)
def test_files_that_cannot_be_written(
    done: Release, out: str, certificate: str | None, problem: str, tmp_path: Path
) -> None:
    with pytest.raises((OutputError, RequestError), match=problem):
        done.save(tmp_path / out, certificate=None if certificate is None else tmp_path / certificate)
    assert list(tmp_path.iterdir()) == []


def test_the_original_is_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "patients.parquet"
    pq.write_table(PATIENTS, file)
    found = release(str(file), sensitive="age", public="chol", min_posterior=1)
    with pytest.raises(OutputError, match="is the table itself"):
        found.save(file)


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "2", None], pa.int64()),
        (["1", "2.5"], pa.float64()),
        (["0.12345678901234567891", "2"], pa.decimal128(38, 20)),
        (["1" * 40, "2.5"], pa.string()),
        (["1", "*"], pa.string()),
    ],
)
def test_numbers_get_the_narrowest_type_that_holds_them(texts: list[Any], kind: pa.DataType) -> None:
    assert typed_numbers(pa.array(texts, pa.string())).type == kind


def test_hierarchies_are_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "tree.csv"
    file.write_text("f,all\nm,all\n")
    found = release(PATIENTS, sensitive="age", public="sex", min_posterior=1, hierarchy={"sex": file})
    with pytest.raises(OutputError):
        found.save(file)
    assert file.read_text() == "f,all\nm,all\n"


@pytest.mark.parametrize("name", ["a\nb", "a\rb", " a", "a ", "\ufeffa", "\u2028a"])
@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_names_that_a_text_file_would_change_are_refused(name: str, ending: str, tmp_path: Path) -> None:
    with pytest.raises(ColumnError, match="which a text file loses"):
        write_table(pa.table({name: ["x", "y"]}), tmp_path / f"x{ending}", ending)
    write_table(pa.table({name: ["x", "y"]}), tmp_path / "x.parquet", ".parquet")


def test_texts_that_a_text_file_would_change_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ColumnError, match="would turn into numbers"):
        write_table(pa.table({"x": ["5.00", "3"]}), tmp_path / "x.csv", ".csv")
    for texts in (["5.00", "5"], ["1.50", "a"], ["12345678901234567890.0"], ["5", "3"]):
        write_table(pa.table({"x": texts}), tmp_path / "x.csv", ".csv")
    with pytest.raises(ColumnError, match="would turn into numbers"):
        write_table(pa.table({"x": ["5.00", "3"]}), tmp_path / "x.jsonl", ".jsonl")
    write_table(pa.table({"x": ["5.00", "3"]}), tmp_path / "x.parquet", ".parquet")
    with pytest.raises(ColumnError, match="cannot tell from missing values"):
        write_table(pa.table({"x": ["", "3"]}), tmp_path / "x.tsv", ".tsv")
    with pytest.raises(ColumnError, match="in its name"):
        write_table(pa.table({"a|b": ["3"]}), tmp_path / "x.csv", ".csv")
