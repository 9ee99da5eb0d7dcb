import json
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from examples import HEART_COLUMNS
from noiseless.audits import TableAudit, audit
from noiseless.errors import (
    ColumnError,
    EmptyTableError,
    MissingValuesError,
    NoiselessError,
    RequestError,
    UnknownColumnError,
)
from noiseless.exact import Bits
from noiseless.reports.audit_text import audit_text

PEOPLE = pa.table(
    {
        "age": ["20-29", "20-29", "30-39", "30-39", "*", "*"],
        "sex": ["f", "f", "m", "m", "*", "*"],
        "ill": ["flu", "flu", "flu", "cold", "cold", "ague"],
        "id": [1, 1, 2, 3, 4, 5],
    }
)


def test_heart_data_gives_the_papers_numbers(data: Path) -> None:
    found = audit(
        data / "heart" / "processed.hungarian.data",
        sensitive="age",
        public="chol",
        names=HEART_COLUMNS,
        distinct_rows=True,
    )
    assert (found.rows, found.sensitive_values, found.public_values, found.pairs) == (293, 38, 154, 281)
    assert found.entropy == Bits(38)
    assert isinstance(found, TableAudit)
    assert int((found.census.pair_counts == 1).sum()) == 269


def test_adult_agrees_with_pycanon(data: Path) -> None:
    fixture = json.loads((Path(__file__).parents[2] / "fixtures" / "adult_pycanon.json").read_text())
    for case in fixture["cases"]:
        found = audit(data / "adult" / "adult.csv", sensitive=case["sensitive"], public=case["public"])
        assert found.k_anonymity == case["k_anonymity"], case
        assert found.distinct_l_diversity == case["distinct_l_diversity"], case
        assert found.entropy_l_diversity == pytest.approx(
            case["entropy_l_diversity_untruncated"], rel=1e-9
        ), case
        assert float(found.t_closeness) == pytest.approx(case["t_closeness"], rel=1e-9), case


def test_adult_agrees_with_arx(data: Path) -> None:
    """What ARX's own tests expect of its table (TestRiskMetrics.java), which is this one without blanks."""
    text = (data / "adult" / "adult.csv").read_text()
    kept = [line for line in text.splitlines() if "?" not in line and line]
    adult = pd.read_csv(StringIO("\n".join(kept)), skipinitialspace=True)
    public = [
        "sex",
        "age",
        "race",
        "marital-status",
        "education",
        "native-country",
        "workclass",
        "occupation",
    ]
    found = audit(adult, sensitive="relationship", public=[*public, "salary-class"], weights=10)
    assert isinstance(found, TableAudit)
    assert found.rows == 30_162
    assert float(found.marketer_risk) == 0.6465751607983555  # getAverageRisk
    assert found.prosecutor_risk == 1  # getHighestRisk
    assert found.sizes.alone / found.rows == 0.5142895033485844  # uniqueness at a sampling fraction of 1
    assert found.sample is not None
    assert found.sample.population_uniques_zayatz / found.rows == pytest.approx(0.3207402393466189, abs=1e-4)


def test_a_homogeneous_group_is_given_away_whatever_its_size() -> None:
    found = audit(PEOPLE, sensitive="ill", public=["age", "sex"])
    assert found.k_anonymity == 2
    assert found.homogeneous_groups == 1
    assert found.homogeneous_persons == 2
    assert found.verdict.startswith("NOT PRIVATE: 2 of 6 rows")
    witness = found.witnesses[0]
    assert (witness.first_row, witness.size, witness.posterior, witness.values) == (1, 2, 1, None)


def test_values_are_shown_only_when_asked_for() -> None:
    found = audit(PEOPLE, sensitive="ill", public=["age", "sex"])
    assert "20-29" not in json.dumps(found.to_dict())
    assert "flu" not in json.dumps(found.to_dict())
    shown = found.reveal_witnesses()[0]
    assert shown.values == {"age": "20-29", "sex": "f"}
    assert shown.possible == ("flu",)
    assert "flu" in json.dumps(found.to_dict(reveal=True))


def test_suppressed_rows_count_as_a_group_and_are_told() -> None:
    lone = PEOPLE.slice(0, 5)
    found = audit(lone, sensitive="ill", public=["age", "sex"])
    assert found.suppressed_rows == 1
    assert found.k_anonymity == 1
    assert found.k_anonymity_unsuppressed == 2
    everything = audit(PEOPLE.slice(4, 2), sensitive="ill", public=["age", "sex"])
    assert everything.k_anonymity_unsuppressed is None


def test_stars_inside_a_value_are_not_suppression() -> None:
    found = audit(pa.table({"zip": ["31**", "31**"], "ill": ["a", "b"]}), sensitive="ill", public="zip")
    assert found.suppressed_rows == 0


def test_persons_in_several_groups_count_once() -> None:
    found = audit(PEOPLE, sensitive="ill", public=["age", "sex"], unit="id")
    assert (found.rows, found.persons, found.heads) == (6, 5, "persons")
    assert found.homogeneous_persons == 1
    assert found.k_anonymity == 1


def test_nothing_to_protect_and_nothing_leaks() -> None:
    constant = audit(pa.table({"s": [1, 1], "x": [1, 2]}), sensitive="s", public="x")
    assert constant.verdict.startswith("NOTHING TO PROTECT")
    full = audit(pa.table({"s": [1, 2, 1, 2], "x": [1, 1, 2, 2]}), sensitive="s", public="x")
    assert full.verdict.startswith("PRIVATE")
    assert full.leakage == Bits(1)


def test_partly_private() -> None:
    found = audit(pa.table({"s": [1, 2, 2, 3, 1, 3], "x": [1, 1, 2, 2, 3, 3]}), sensitive="s", public="x")
    assert found.verdict == (
        "PARTLY PRIVATE: no group narrows s to fewer than 2 of 3 values; it leaks at most 0.59 of 1.59 bits."
    )
    assert found.leakage.ratio == Fraction(3, 2)


def test_every_kind_of_frame_gives_the_same() -> None:
    rng = np.random.default_rng(0)
    columns = {"x": rng.integers(0, 5, 200), "z": rng.choice(["a", "b"], 200), "s": rng.integers(0, 9, 200)}
    results = [
        audit(frame, sensitive="s", public=["x", "z"]).to_dict() | {"source": ""}
        for frame in (pa.table(columns), pd.DataFrame(columns), pl.DataFrame(columns))
    ]
    assert results[0] == results[1] == results[2]


def test_order_of_rows_and_columns_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"x": rng.integers(0, 5, 100), "z": rng.integers(0, 3, 100), "s": rng.integers(0, 9, 100)}
    )
    a = audit(frame, sensitive="s", public=["x", "z"])
    b = audit(frame.sample(frac=1, random_state=1), sensitive="s", public=["z", "x"])
    for key in (
        "leakage",
        "maximin",
        "k_anonymity",
        "t_closeness",
        "entropy_l_diversity",
        "homogeneous_groups",
    ):
        assert getattr(a, key) == getattr(b, key)


def test_missing_values() -> None:
    table = pa.table({"x": [1, 1, None, 2], "s": [1, None, 3, 4]})
    assert audit(table, sensitive="s", public="x").public_values == 3
    assert audit(table, sensitive="s", public="x", missing="drop").rows == 2
    with pytest.raises(MissingValuesError, match="column 's' has 1 missing value; "):
        audit(table, sensitive="s", public="x", missing="error")


def test_records_keep_the_rows_of_the_table(tmp_path: Path) -> None:
    found = audit(PEOPLE, sensitive="ill", public=["age", "sex"])
    for ending, read in (("csv", pd.read_csv), ("parquet", pd.read_parquet)):
        out = tmp_path / f"records.{ending}"
        assert found.write_records(out) == 6
        records = read(out)
        assert list(records.columns) == ["row", "group_size", "posterior_size", "leaked_bits", "homogeneous"]
        assert records["posterior_size"].tolist() == [1, 1, 2, 2, 2, 2]
        assert records["row"].tolist() == [1, 2, 3, 4, 5, 6]
    with pytest.raises(RequestError, match="change the ending"):
        found.write_records(tmp_path / "records.docx")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["records.csv", "records.parquet"]


def test_records_of_dropped_rows_and_duplicates(tmp_path: Path) -> None:
    table = pa.table({"x": [1, 1, None], "s": [1, 1, 3]})
    found = audit(table, sensitive="s", public="x", missing="drop", distinct_rows=True)
    assert found.rows == 1
    found.write_records(tmp_path / "r.csv")
    assert pd.read_csv(tmp_path / "r.csv")["group_size"].tolist()[:2] == [1, 1]
    assert pd.read_csv(tmp_path / "r.csv")["group_size"].isna().tolist() == [False, False, True]


def test_records_name_the_unit(tmp_path: Path) -> None:
    audit(PEOPLE, sensitive="ill", public=["age", "sex"], unit="id").write_records(tmp_path / "r.csv")
    assert pd.read_csv(tmp_path / "r.csv")["id"].tolist() == [1, 1, 2, 3, 4, 5]


SCHEMA = """
[columns.ill]
role = "private"
categories = ["flu", "cold", "ague", "gout"]
[columns.age]
role = "public"
categories = ["20-29", "30-39", "*"]
"""


def test_a_schema_gives_roles_and_declared_sizes(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCHEMA)
    found = audit(PEOPLE, schema=tmp_path / "s.toml")
    assert (found.sensitive, found.public, found.declared_values) == (("ill",), ("age",), 4)
    (tmp_path / "p.toml").write_text("proposal = true\n" + SCHEMA)
    assert audit(PEOPLE, schema=tmp_path / "p.toml").declared_values is None


def test_all_other_columns_are_public_unless_said() -> None:
    others = tuple(name for name in PEOPLE.column_names if name not in ("ill", "age"))
    assert audit(PEOPLE, sensitive="ill", given="age").public == others
    with pytest.raises(RequestError, match="--public"):
        audit([PEOPLE, PEOPLE], sensitive="ill", unit="age")


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"public": "age"}, RequestError, "--sensitive"),
        ({"sensitive": "ill", "public": []}, RequestError, "--public"),
        ({"sensitive": "ill", "public": "ill"}, ColumnError, "both sensitive and public"),
        ({"sensitive": "ill", "public": ["age", "age"]}, ColumnError, "named twice as public"),
        ({"sensitive": "ill", "public": "age", "given": "age"}, ColumnError, "both public and given"),
        ({"sensitive": "ill", "public": "age", "unit": "age"}, ColumnError, "both public and unit"),
        ({"sensitive": "ill", "public": "ege"}, UnknownColumnError, "did you mean 'age'"),
        ({"sensitive": "ill", "public": "age", "clamp": True}, RequestError, "--schema"),
    ],
)
def test_wrong_requests(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        audit(PEOPLE, **arguments)


def test_empty_tables_and_columns() -> None:
    with pytest.raises(EmptyTableError, match="no row"):
        audit(PEOPLE.slice(0, 0), sensitive="ill", public="age")
    hollow = pa.table(
        {"s": [1, 2], "x": pa.array([None, None], pa.string()), "y": pa.array([None, None], pa.int64())}
    )
    for column in ("x", "y"):
        with pytest.raises(ColumnError, match="no value at all"):
            audit(hollow, sensitive="s", public=column)


def test_readable_in_a_notebook() -> None:
    found = audit(PEOPLE.rename_columns(["<b>age", "sex", "ill", "id"]), sensitive="ill", public="<b>age")
    assert "NOT PRIVATE" in repr(found)
    assert "<table>" in found._repr_html_()
    assert "<b>age" not in found._repr_html_().replace("<p><b>", "")


def test_the_verdict_speaks_of_what_leaks() -> None:
    side = audit(
        pa.table({"s": [1, 2, 3, 4], "a": [0, 0, 1, 1], "x": [0] * 4}), sensitive="s", public="x", given="a"
    )
    assert side.verdict.startswith(
        "PARTLY PRIVATE: no group narrows s to fewer than 2 of 4 values; beyond a, it leaks"
    )
    pair = audit(
        pa.table({"s": [0, 0, 1, 1, 0, 1], "t": [0, 1, 0, 1, 0, 1], "x": [0, 0, 0, 0, 1, 1]}),
        sensitive=["s", "t"],
        public="x",
    )
    assert pair.verdict.startswith("PARTLY PRIVATE: no group narrows s and t to fewer than 2 of 4")
    assert pair.reveal_witnesses()[0].possible == ((0, 0), (1, 1))
    constant = audit(
        pa.table({"c": [0, 0, 0, 0], "s": [1, 2, 3, 2], "x": [0, 0, 1, 1]}), sensitive=["c", "s"], public="x"
    )
    assert "no group narrows s to fewer than 2" in constant.verdict


def test_entropy_l_diversity_is_never_overstated() -> None:
    even = audit(pa.table({"s": [1, 2, 1, 2, 3], "x": [1, 1, 2, 2, 2]}), sensitive="s", public="x")
    assert even.entropy_l_diversity == 2.0
    counts = [10**6, 10**6, 10**6 + 1]
    table = pa.table({"s": np.repeat([1, 2, 3], counts), "x": np.zeros(sum(counts), np.int64)})
    assert audit(table, sensitive="s", public="x").entropy_l_diversity < 3.0


VISITS = pa.table(
    {
        "id": [1, 2, 3, 4, 5],
        "ill": ["flu", None, "flu", "cold", "cold"],
        "ward": ["n", "n", "s", None, "s"],
        "sex": ["f", "m", "m", "m", "f"],
    }
)


class TestMissing:
    """How many missing values count as one more value, and how many rows are left out."""

    def test_they_are_counted_by_column(self) -> None:
        found = audit(VISITS, sensitive="ill", public=["ward", "sex"])
        assert dict(found.missing) == {"ill": 1, "ward": 1}
        assert (found.sensitive_values, found.dropped) == (3, 0)
        assert found.to_dict()["missing"] == {"ill": 1, "ward": 1}
        assert "ill in 1 and ward in 1 of 5 rows, each counted as one more value" in repr(found)
        alone = audit(VISITS, sensitive="ill", public="sex")
        assert alone.summary["missing"] == "1 of 5 rows has no ill, counted as one more value"
        assert "missing" not in audit(VISITS, sensitive="sex", public="id").summary

    def test_rows_are_counted_not_persons(self) -> None:
        twice = pa.concat_tables([VISITS, VISITS])
        assert dict(audit(twice, sensitive="ill", public="sex", unit="id").missing) == {"ill": 2}

    def test_rows_that_are_left_out(self) -> None:
        found = audit(VISITS, sensitive="ill", public=["ward", "sex"], missing="drop")
        assert (found.rows, found.dropped, dict(found.missing)) == (3, 2, {})
        assert found.summary["left out"] == "2 rows with a missing value"
        assert found.to_dict()["dropped"] == 2
        twice = pa.concat_tables([VISITS, VISITS])
        found = audit(twice, sensitive="ill", public=["ward", "sex"], missing="drop", distinct_rows=True)
        assert (found.rows, found.dropped) == (3, 2)

    def test_absence_from_a_release_is_no_missing_value(self) -> None:
        later = pa.table({"id": [1, 2, 3, 4], "ward": ["n", None, "s", "s"]})
        found = audit([VISITS, later], sensitive="ill", public="ward", unit="id")
        assert "in release 2" in found.public
        assert dict(found.missing) == {"ill": 1, "1.ward": 1, "2.ward": 1}
        left = audit([VISITS, later], sensitive="ill", public="ward", unit="id", missing="drop")
        assert isinstance(left, TableAudit)
        assert (left.dropped, left.needed) == (3, ())
        assert dict(left.missing) == {"ill": 1}  # person 4 is in the second release, which has no fact

    def test_what_a_rule_withholds_is_no_longer_missing(self) -> None:
        assert dict(audit(VISITS, sensitive="sex", public="ward", rule="min-cell:2").missing) == {}


def test_one_row_has_its_value_given_away() -> None:
    table = pa.table({"x": [1, 2, 2], "s": ["a", "b", "c"], "id": [1, 2, 3]})
    found = audit(table, sensitive="s", public="x")
    assert found.verdict.startswith("NOT PRIVATE: 1 of 3 rows has its s given away completely, in 1 of 2 ")
    assert found.summary["homogeneous groups"] == "1 (1 row)"
    found = audit(table, sensitive="s", public="x", unit="id")
    assert found.verdict.startswith("NOT PRIVATE: 1 of 3 persons has their s given away completely")
    assert found.summary["homogeneous groups"] == "1 (1 person)"


def test_what_is_refused_counts_all_rows_also_where_equal_ones_are_dropped() -> None:
    table = pa.table({"a": [1, 1, 2], "b": [1, 1, 1], "u": pa.array([None, None, 7])})
    with pytest.raises(NoiselessError, match="has 2 missing values"):
        audit(table, sensitive="a", public="b", unit="u", distinct_rows=True)


def test_a_key_names_columns_with_commas_in_quotes() -> None:
    people = pa.table({"a,b": [1, 1, 2], "c": ["x", "x", "y"], "s": ["p", "q", "p"]})
    found = audit(people, sensitive="s", key=['"a,b",c', 'c, "a,b"', "c"])
    assert found.keys == (("a,b", "c"), ("c", "a,b"), ("c",))
    with pytest.raises(RequestError, match="in quotes"):
        audit(people, sensitive="s", key=['"a,b'])


def test_a_name_is_asked_for_as_it_has_to_be_written() -> None:
    people = pa.table({"a\xa0b": [1, 1, 2], "height, cm": ["x", "x", "y"], "s": ["p", "q", "p"]})
    with pytest.raises(UnknownColumnError, match=r"looks the same, written with NO-BREAK SPACE: copy"):
        audit(people, sensitive="a b")
    with pytest.raises(UnknownColumnError, match=r"'height, cm'\? In a list .* stands in double quotes"):
        audit(people, sensitive="s", key=["height, cm"])


def test_of_several_sensitive_columns_each_table_says_what_it_is_about() -> None:
    people = pa.table({"s": [0, 0, 1, 1], "t": [0, 0, 0, 1], "x": [0, 0, 1, 1], "y": [0, 1, 0, 1]})
    text = audit_text(audit(people, sensitive=["s", "t"], public=["x", "y"]))
    assert "All sensitive columns together:\n  audited" in text
    assert "What each public column adds about s, worst first:" in text
    assert "The groups that give most away about s (find each by its first row):" in text
    assert "together" not in audit_text(audit(people, sensitive="s", public=["x", "y"]))


def test_lines_about_many_missing_values_fit_a_terminal() -> None:
    names = [f"measurement_{number}" for number in range(4)]
    table = pa.table({name: [None, "a", "b"] for name in names} | {"illness": ["x", "y", "x"]})
    lines = audit_text(audit(table, sensitive="illness", public=names)).splitlines()
    (first,) = (line for line in lines if line.startswith("  missing"))
    assert lines[lines.index(first) + 1].startswith(" " * first.index("measurement_0"))
    assert max(map(len, lines)) <= 100


def test_a_group_of_one_number_is_0_wide() -> None:
    table = pa.table({"ward": ["n", "n", "s", "s"], "pay": [3, 3, 4, 9]})
    assert audit(table, sensitive="pay", public="ward").summary["narrowest group"] == "0 wide"
