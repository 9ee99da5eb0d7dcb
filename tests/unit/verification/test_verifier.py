"""What `nl.verify` takes and tells, on a table small enough to check by hand."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import noiseless as nl
from certificate_examples import Case, Made, make
from noiseless.errors import NoiselessError, RequestError, SourceError
from noiseless.tables.text_source import TextSource
from noiseless.verification import Check, Verification, verify

NAMES = (
    *(
        "format",
        "columns",
        "original_rows",
        "original_digest",
        "released_rows",
        "released_digest",
        "partition",
    ),
    *("release", "codewords", "partition_counts", "sensitive_values", "public_values", "cells"),
    *("min_posterior", "max_posterior", "components", "leakage", "maximin", "resolution", "distortion"),
    *("suppressed_rows", "target", "witnesses"),
)


@pytest.fixture
def made() -> Made:
    """Six rows: the values 1 and 2 are released as 1.5, the values 7 and 9 as 8."""
    rows: list[dict[str, str | None]] = [
        {"illness": illness, "age": age, "ward": ward}
        for illness, age, ward in [
            ("flu", "1", "a"),
            ("cold", "2", "a"),
            ("cold", "1", "b"),
            ("ulcer", "7", "b"),
            ("gout", "9", "a"),
            ("rash", "9", "b"),
        ]
    ]
    return make(
        Case(
            rows,
            ["illness"],
            ["age"],
            {"age": "number"},
            [[("1",), ("2",)], [("7",), ("9",)]],
            distance="absolute",
            target={"min_posterior": 2},
        )
    )


def tables(made: Made) -> dict[str, Any]:
    original = {c: [row[c] for row in made.case.rows] for c in ("illness", "ward")}
    ages = [int(row["age"] or "") for row in made.case.rows]
    return {
        "original": pa.table({**original, "age": ages}),
        "released": pa.table({"age": [float(row["age"] or "") for row in made.released]}),
    }


def test_every_claim_is_found_again(made: Made) -> None:
    found = nl.verify(made.certificate, **tables(made))
    assert isinstance(found, Verification)
    assert found.holds
    assert tuple(check.name for check in found.checks) == NAMES
    assert found.failed == ()
    expected = {
        "original_rows": 6,
        "sensitive_values": 5,
        "public_values": 4,
        "cells": 2,
        "min_posterior": 2,
        "max_posterior": 3,
        "components": 2,
        "leakage": "log2(5/2)",
        "maximin": "log2(2)",
        "resolution": "log2(2)",
        "distortion": "1",
        "suppressed_rows": 0,
        "target": "min_posterior 2",
    }
    assert {name: found[name].found for name in expected} == expected
    assert found.verdict == "The certificate holds: all 23 checks pass."


def test_a_false_claim_is_told_with_what_was_found(made: Made) -> None:
    made.certificate["claim"]["min_posterior"] = 3
    found = verify(made.certificate, **tables(made))
    assert found.failed == (Check("min_posterior", holds=False, claimed=3, found=2),)
    assert found.verdict == "The certificate DOES NOT HOLD: min_posterior."
    assert "  min_posterior     FAILS: claimed 3, found 2" in repr(found).splitlines()
    assert "FAILS: claimed 3, found 2" in found._repr_html_()
    with pytest.raises(KeyError):
        found["maximum"]


def test_rows_of_groups_are_held_against_the_target(made: Made) -> None:
    made.certificate["target"] = {"min_rows": 3}
    assert verify(made.certificate, **tables(made))["target"].holds
    made.certificate["target"] = {"min_rows": 4}
    found = verify(made.certificate, **tables(made))
    assert found.failed == (Check("target", holds=False, claimed="min_rows 4", found="min_rows is 3"),)
    made.certificate["target"] = {"min_rows": "4"}
    assert verify(made.certificate, **tables(made)).failed[0].name == "format"


def test_the_result_is_json(made: Made) -> None:
    answer = json.loads(json.dumps(verify(made.certificate, **tables(made)).to_dict()))
    assert set(answer) == {"holds", "checks", "about", "not_checked", "notes"}
    assert answer["checks"][0] == {
        "name": "format",
        "holds": True,
        "claimed": "noiseless-certificate 1",
        "found": "noiseless-certificate 1",
    }
    assert answer["about"]["sensitive"] == ["illness"]
    assert answer["about"]["distance"] == "absolute"
    assert answer["not_checked"]["stated"]["proof"] == "none"
    assert answer["not_checked"]["options"] == {
        "objective": "leakage",
        "utility": "distortion",
        "method": "auto",
    }


def test_what_depends_on_a_partition_is_not_found_without_one(made: Made) -> None:
    made.certificate["partition"][0]["members"].pop()
    found = verify(made.certificate, **tables(made))
    assert found["partition"].found == "1 public values in no cell"
    assert found["min_posterior"] == Check("min_posterior", holds=False, claimed=2, found=None)
    assert "could not be found out" in str(found["min_posterior"])
    assert found["sensitive_values"].holds


def test_tables_without_the_columns_do_not_hold_and_are_no_error(made: Made) -> None:
    both = tables(made)
    found = verify(made.certificate, original=both["released"], released=both["original"])
    assert found["columns"].found == (
        "the original has no 'illness', the release has 'illness' besides, the release has 'ward' besides"
    )
    assert found["original_digest"].found is None
    assert not found.holds
    assert found.verdict.startswith("The certificate DOES NOT HOLD: columns, released_digest (and ")
    assert list(found.lines)[-1] == "not made"
    assert "original_digest, partition, " in found.lines["not made"]
    found = verify(made.certificate, original=both["original"], released=both["original"].select(["ward"]))
    assert found["columns"].found == "the release has no 'age', the release has 'ward' besides"
    assert found["release"].found is None
    assert found["min_posterior"].holds


def test_empty_tables_do_not_hold(made: Made) -> None:
    both = tables(made)
    found = verify(made.certificate, original=both["original"].slice(0, 0), released=both["released"])
    assert found["original_rows"].found == 0
    assert found["partition"].found is not None
    found = verify(made.certificate, original=both["original"], released=both["released"].slice(0, 0))
    assert found["release"].found == "6 rows are missing, 0 should not be there"


def test_a_table_that_cannot_be_read_is_an_error(made: Made, tmp_path: Path) -> None:
    with pytest.raises(NoiselessError, match="no such file"):
        verify(made.certificate, original=tmp_path / "absent.csv", released=tables(made)["released"])


def test_other_objects_with_a_certificate_inside_are_taken(made: Made) -> None:
    class Holder:
        def to_dict(self) -> dict[str, Any]:
            return made.certificate

    assert verify(Holder(), **tables(made)).holds


def test_an_original_without_a_header_has_its_columns_named(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "original.csv"
    lines = [",".join(row[c] or "" for c in ("age", "illness", "ward")) for row in made.case.rows]
    path.write_text("\n".join(lines), "utf-8")
    released = tables(made)["released"]
    names = ["age", "illness", "ward"]
    assert verify(made.certificate, original=path, released=released, names=names).holds


def test_the_original_is_read_as_its_reader_says(tmp_path: Path) -> None:
    path = tmp_path / "de.csv"
    path.write_bytes("id;kg;illness\n1;1,5;Grippe\n2;2,25;Masern\n3;2,5;R\u00f6teln\n".encode("cp1252"))
    source = TextSource(str(path), "cp1252", ",", separator=";")
    done = nl.release(source, sensitive="illness", public="kg", min_posterior=2)
    released = done.frame
    written = {"encoding": "cp1252", "separator": ";", "decimal": ","}
    assert done.certificate["options"]["written"] == written
    words = "--encoding cp1252 --separator ';' --decimal ,"
    with pytest.raises(SourceError, match=f"name its encoding .*; the release was made with {words}$"):
        verify(done.certificate, original=path, released=released)
    said = verify(done.certificate, original=source, released=released)
    assert said.holds
    assert (said.about["written"], said.notes) == (written, ())
    assert f"with {words}" in said.text
    otherwise = verify(done.certificate, original=TextSource(str(path), "cp1252"), released=released)
    assert not otherwise.holds
    assert otherwise.about["written"] == {"encoding": "cp1252"}
    assert otherwise.notes[0].endswith(f"give {words}, if your file is written so")
    certificate = json.loads(done.certificate.to_json())
    certificate["options"]["written"]["password"] = "x"
    assert verify(certificate, original=source, released=released)["format"].holds is False


def test_a_certificate_does_not_name_the_columns_of_its_original(tmp_path: Path) -> None:
    """It holds the names that it was made with, but another certificate could call the secret public."""
    path = tmp_path / "original.csv"
    path.write_text("1,flu\n2,cold\n7,flu\n9,cold\n", "utf-8")
    names = ["age", "illness"]
    done = nl.release(str(path), sensitive="illness", public="age", min_posterior=2, names=names)
    assert not verify(done.certificate, original=path, released=done.frame).holds
    found = verify(done.certificate, original=path, released=done.frame, names=names)
    assert found.holds
    assert "with --names age,illness" in found.text


DAYS = "age,seen\n1,01/02/2024\n1,02/02/2024\n2,01/03/2024\n2,02/03/2024\n"
HOURS = "seen,illness\n2024-03-01 08:00,flu\n2024-03-01 09:00,cold\n2024-03-02 08:00,flu\n"
THOUSANDS = 'pay,illness\n"1,000",flu\n"9,000",cold\n"9,200",cold\n"9,100",flu\n'
SPELT = "age,illness\n1,caf\u00e9\n1,cafe\u0301\n2,flu\n2,cold\n"
CAPITALS = "age,illness\n1,fl\u00e9\n1,FL\u00c9\n2,flu\n2,cold\n"


@pytest.mark.parametrize(
    ("table", "encoding", "written", "asked"),
    [
        (DAYS, "utf-8", {"date_format": "MM/DD/YYYY"}, {"sensitive": "seen", "public": "age", "width": 30}),
        (HOURS, "utf-8", {"date_format": "YYYY-MM-DD hh:mm"}, {"public": "seen", "min_posterior": 1}),
        (THOUSANDS, "utf-8", {"decimal": ","}, {"public": "pay", "min_posterior": 2, "max_distortion": 5}),
        (SPELT, "utf-8", {"encoding": "latin-1"}, {"public": "age", "min_posterior": 2}),
        (CAPITALS, "latin-1", {"encoding": "cp437"}, {"public": "age", "min_posterior": 2}),
    ],
    ids=["days a month apart", "hours as one day", "thousands as ones", "two forms of é", "É and é apart"],
)
def test_how_the_original_is_written_is_never_taken_from_a_certificate(
    table: str, encoding: str, written: dict[str, str], asked: dict[str, Any], tmp_path: Path
) -> None:
    """Its maker could choose a reading by which a limit holds that the table does not keep."""
    path = tmp_path / "original.csv"
    path.write_text(table, encoding)
    done = nl.release(TextSource(str(path), **written), **{"sensitive": "illness", **asked})
    own = str(path) if encoding == "utf-8" else TextSource(str(path), encoding)
    assert not verify(done.certificate, original=own, released=done.frame).holds
    assert verify(done.certificate, original=TextSource(str(path), **written), released=done.frame).holds


def test_exact_numbers_without_end_are_no_work(made: Made) -> None:
    """Products of weights of thousands of digits could not even be written down."""
    made.certificate["options"] |= {"distance": "euclidean", "weights": {"age": f"1/{'3' * 1999}"}}
    found = verify(made.certificate, **tables(made))
    assert found["distortion"].found == "weights and declared ranges have too many digits"


@pytest.mark.parametrize("encoding", ["rot13", "hex", "zlib", "base64", "undefined", "no such", "a\0b", ""])
def test_what_is_no_encoding_of_texts_is_none_of_a_file(encoding: str) -> None:
    with pytest.raises(RequestError, match="there is no encoding"):
        TextSource("a.csv", encoding)


@pytest.mark.parametrize("said", [["DD.MM.YYYY"] * 17, ["DD.DD.MM.YYYY"], ["DD.MM.YYYY" + "." * 40]])
def test_work_on_dates_is_bounded(said: list[str]) -> None:
    with pytest.raises(RequestError, match=r"dates are written in at most 16 ways|each once"):
        TextSource("a.csv", date_format=said)


def test_lines_fit_a_terminal(made: Made) -> None:
    made.certificate["stated"] = {"proof": "many words " * 40}
    found = verify(made.certificate, **tables(made))
    assert "many words" in found.text
    assert max(map(len, found.text.splitlines())) <= 80


def test_duplicates_of_whole_rows_are_dropped_where_that_is_stated(made: Made) -> None:
    both = tables(made)
    doubled = pa.concat_tables([both["original"], both["original"].slice(0, 2)])
    assert not verify(made.certificate, original=doubled, released=both["released"]).holds
    made.certificate["options"]["distinct_rows"] = True
    assert verify(made.certificate, original=doubled, released=both["released"]).holds


def test_a_million_times_wider_weights_and_huge_numbers_stay_exact() -> None:
    big = "9" * 40
    rows: list[dict[str, str | None]] = [
        {"s": s, "x": x} for s, x in [("a", big), ("b", "1"), ("c", "0.0000000000000000001"), ("a", "1")]
    ]
    case = Case(rows, ["s"], ["x"], {"x": "number"}, [[(big,), ("1",)], [("0.0000000000000000001",)]])
    case.weights, case.distance = {"x": "1000000007/3"}, "euclidean"
    built = make(case)
    original = pa.table({c: pa.array([row[c] for row in rows]) for c in ("s", "x")})
    released = pa.table({"x": pa.array([row["x"] for row in built.released])})
    found = verify(built.certificate, original=original, released=released)
    assert [check.name for check in found.failed] == []
    assert str(found["distortion"].found) == built.certificate["claim"]["distortion_exact"]


def test_days_are_measured_in_days() -> None:
    rows = [{"s": s, "d": d} for s, d in [("a", "2020-02-28"), ("b", "2020-03-03"), ("b", None)]]
    original = pa.table({c: pa.array([row[c] for row in rows]) for c in ("s", "d")})
    released = pa.table({"d": ["2020-03-01", "2020-03-01", None]})
    stand_in = make(
        Case(
            [{"s": "a", "d": "0"}, {"s": "b", "d": "4"}, {"s": "b", "d": None}],
            ["s"],
            ["d"],
            {"d": "number"},
            [[("0",), ("4",)], [(None,)]],
        )
    ).certificate
    text = json.dumps(stand_in).replace('"0"]', '"2020-02-28"]').replace('"4"]', '"2020-03-03"]')
    certificate = json.loads(text.replace('"2"]', '"2020-03-01"]').replace('"number"', '"date"'))
    found = verify(certificate, original=original, released=released)
    assert {check.name for check in found.failed} == {"original_digest", "released_digest"}
    assert found["distortion"].found == "2"
    certificate["partition"][0]["released"] = ["2020-03-04"]
    assert not verify(certificate, original=original, released=released)["codewords"].holds
