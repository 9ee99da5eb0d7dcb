"""Audit, release, curator, quantise and blur on a real local Spark: the results are those of DuckDB."""

import json
import os
import re
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import noiseless as nl
from curator_examples import write_curator
from noiseless.audits.spark_audit import SparkAudit
from noiseless.cli.main import run
from noiseless.collection.local import LocalQuantizer, LocalVector, Quantized, Schedule
from noiseless.collection.local.column_release import ReleaseAs
from noiseless.collection.local.spark import quantize_frame
from noiseless.errors import DomainError, MissingValuesError, OutputError, RequestError, UnknownColumnError
from noiseless.questions import Continuum, Lattice
from noiseless.reports import audit_html
from noiseless.reports.audit_text import audit_text
from noiseless.tables import Missing, open_table
from noiseless.tables.duckdb_table import DuckDBTable
from noiseless.tables.engine import SOURCE
from noiseless.tables.spark_table import SparkTable
from spark_sessions import needs_spark, spark

pytestmark = needs_spark

PEOPLE = pa.table(
    {
        "person": [f"p{number % 40}" for number in range(60)],
        "ward": [["a", "b", None, "*"][number * 7 % 4] for number in range(60)],
        "zip": [number * number % 11 for number in range(60)],
        "age": [20 + number * 31 % 17 for number in range(60)],
        "ill": [number * 5 % 13 < 4 for number in range(60)],
        "weight": [float("nan") if number == 3 else number * 37 % 50 / 2 for number in range(60)],
    }
)


def on_spark(data: pa.Table) -> Any:  # noqa: ANN401 - a DataFrame
    return spark().createDataFrame(data)


def typed(path: Path, columns: tuple[str, ...]) -> pa.Table:
    """Columns of a text file, with their types."""
    return cast("DuckDBTable", open_table(path)).select(columns).arrow(f"SELECT * FROM {SOURCE}")


def told(released: Quantized) -> Any:  # noqa: ANN401 - a table here, a DataFrame on Spark
    """The released rows."""
    assert released.table is not None
    return released.table


def measures(audit: nl.Audit) -> dict[str, Any]:
    """All of an audit but what a file alone has: its name and the numbers of its rows."""
    found = audit.to_dict(reveal=True) | {"source": None}
    return found | {"witnesses": [witness | {"first_row": None} for witness in found["witnesses"]]}


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    rows = draw(st.integers(1, 15))
    values = {
        "x": st.none() | st.integers(0, 3),
        "w": st.none() | st.sampled_from(["a", "A", "", "*"]),
        "s": st.sampled_from([0.5, -0.0, 0.0, float("nan"), 2.0]),
        "d": st.none() | st.booleans(),
        "u": st.integers(0, 5),
    }
    types = {"x": pa.int32(), "w": pa.string(), "s": pa.float64(), "d": pa.bool_(), "u": pa.int64()}
    return pa.table(
        {
            name: pa.array(draw(st.lists(each, min_size=rows, max_size=rows)), types[name])
            for name, each in values.items()
        }
    )


@settings(max_examples=4, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(
    tables(),
    st.sampled_from(["value", "drop"]),
    st.sampled_from([None, "u"]),
    st.sampled_from([(), ("x",)]),
    st.booleans(),
)
def test_audits_of_random_tables_are_those_of_duckdb(
    data: pa.Table, missing: Missing, unit: str | None, given: tuple[str, ...], distinct: bool
) -> None:
    options: dict[str, Any] = {
        "sensitive": ["s", "d"] if not given else ["s"],
        "public": ["w"] if given else ["x", "w"],
        "given": given,
        "unit": unit,
        "missing": missing,
        "distinct_rows": distinct,
    }
    try:
        expected = measures(nl.audit(data, **options))
    except nl.NoiselessError as error:
        with pytest.raises(type(error)):
            nl.audit(on_spark(data), **options)
        return
    assert measures(nl.audit(on_spark(data), **options)) == expected


def test_an_audit_of_too_many_combinations_is_computed_by_spark() -> None:
    """With all that can be asked for at once; each by itself is asked for of random tables."""
    columns: dict[str, Any] = {"sensitive": ["age", "zip"], "public": "ward", "given": "ill"}
    tens = {str(age): (f"{age // 10}", "*") for age in PEOPLE["age"].unique().drop_null().to_pylist()}
    options: dict[str, Any] = {**columns, "unit": "person", "hierarchy": {"age": tens}}
    found = nl.audit(SparkTable.of(on_spark(PEOPLE), most=20), **options)
    assert found.by_column["age"].min_classes is not None
    assert isinstance(found, SparkAudit)
    ours, theirs = measures(found), measures(nl.audit(PEOPLE, **options))
    left_out = {"t_closeness", "t_closeness_exact"}
    assert "t_closeness" in ours.pop("not_computed")
    for known in (ours, *ours["by_column"].values()):
        assert all(known.pop(name) is None for name in left_out)
    for known in (theirs, *theirs["by_column"].values()):
        for name in left_out:
            known.pop(name)
        if known["min_posterior"] > 1:
            known["entropy_l_diversity"] = None
    assert ours == theirs
    assert found.sizes == nl.audit(PEOPLE, **options).sizes
    assert "For the disclosure board" in found.summary_html()
    with pytest.raises(RequestError, match="weights are added up on this machine"):
        nl.audit(SparkTable.of(on_spark(PEOPLE), most=20), **columns, weights=3)
    with pytest.raises(RequestError, match="not computed"):
        _ = found.t_closeness
    with pytest.raises(RequestError, match="records"):
        found.write_records("records.csv")
    limits = nl.Policy({"min_posterior": 2, "homogeneous_groups": 0})
    assert limits.check(found).to_dict() == limits.check(nl.audit(PEOPLE, **options)).to_dict()


def test_missing_values_are_counted_by_spark_as_here() -> None:
    blanks = pa.table(
        {"age": [31, None, 52, 47, 47], "ward": ["a", None, None, "b", "b"], "zip": [1, 2, 3, 4, None]}
    )
    frame = on_spark(blanks)
    for missing, lacking, dropped in (("value", {"age": 1, "ward": 2}, 0), ("drop", {}, 2)):
        options: dict[str, Any] = {"sensitive": "age", "public": "ward", "missing": missing}
        found = nl.audit(SparkTable.of(frame, most=1), **options)
        assert isinstance(found, SparkAudit)
        here = nl.audit(blanks, **options)
        assert found.missing == here.missing == lacking
        assert found.dropped == here.dropped == dropped
        assert found.rows == here.rows == 5 - dropped


def test_the_report_of_an_audit_by_spark_is_text() -> None:
    data = pa.table({"pay": [1, 2, 1, 2, 3], "ward": ["a", "a", "b", "b", "b"]})
    options: dict[str, Any] = {"sensitive": "pay", "public": "ward"}
    found = nl.audit(SparkTable.of(on_spark(data), most=1), **options)
    text, here = audit_text(found), audit_text(nl.audit(data, **options))
    assert found.min_posterior > 1
    assert "Note: pay holds numbers" in text
    assert "Note: pay holds numbers" in here
    with pytest.raises(RequestError, match="ask for text or JSON"):
        audit_html(found)


@settings(max_examples=3, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(tables())
def test_measures_of_random_tables_by_jobs_are_those_of_duckdb(data: pa.Table) -> None:
    options: dict[str, Any] = {"sensitive": ["s", "d"], "public": ["x", "u"]}
    try:
        here = nl.audit(data, **options)
    except nl.NoiselessError:  # a column without a value
        return
    there = nl.audit(SparkTable.of(on_spark(data), most=0), **options)
    for name in (
        "rows",
        "missing",
        "pairs",
        "k_anonymity",
        "components",
        "posterior_histogram",
        "leakage_symmetric",
    ):
        assert getattr(there, name) == getattr(here, name)
    assert there.worst.target == here.worst.target
    assert there.leakage.ratio == here.leakage.ratio
    assert there.verdict == here.verdict


def test_adult_is_audited_as_by_duckdb() -> None:
    folder = os.environ.get("NOISELESS_DATA")
    if folder is None:
        pytest.skip("NOISELESS_DATA does not name the data folder")
    path = Path(folder) / "adult" / "adult.csv"
    data = typed(path, ("age", "education", "sex", "occupation"))
    options: dict[str, Any] = {"sensitive": "occupation", "public": ["age", "education", "sex"]}
    assert measures(nl.audit(on_spark(data), **options)) == measures(nl.audit(path, **options))


def test_releases_and_frontiers_are_those_of_duckdb() -> None:
    options: dict[str, Any] = {"sensitive": "age", "public": "zip"}
    frame = on_spark(PEOPLE)
    here, there = (nl.release(table, **options, min_posterior=5) for table in (PEOPLE, frame))
    assert there.table == here.table
    assert there.point == here.point
    assert nl.frontier(frame, **options).points == nl.frontier(PEOPLE, **options).points


METERS = ("suburb", "kwh", "solar", "heating")
QUESTIONS = (
    "SELECT AVG(kwh) FROM meters",
    "SELECT suburb, COUNT(*) FROM meters WHERE solar GROUP BY suburb",
    "SELECT heating, COUNT(*) FROM meters GROUP BY heating",
)


def test_several_releases_are_joined_by_person() -> None:
    first, second = PEOPLE.select(["person", "age", "ward"]), PEOPLE.select(["person", "zip"]).slice(0, 35)
    options: dict[str, Any] = {"sensitive": "age", "public": ["ward", "zip"], "unit": "person"}
    found = nl.audit([on_spark(first), on_spark(second)], **options)
    assert measures(found) == measures(nl.audit([first, second], **options))


def test_the_curator_answers_as_from_a_file(tmp_path: Path) -> None:
    replies = []
    for place in ("file", "spark"):
        folder = tmp_path / place
        folder.mkdir()
        path = write_curator(folder, bits=12)
        if place == "spark":
            on_spark(typed(folder / "meters.csv", METERS)).createOrReplaceTempView("meters_view")
            path.write_text(path.read_text().replace("meters.csv", "spark::meters_view"))
        with nl.Curator.open(path) as curator:
            replies.append(curator.ask(*QUESTIONS).to_dict())
    assert replies[0] == replies[1]


@pytest.mark.parametrize("release_as", ["midpoint", "interval", "cell"])
def test_readings_are_told_as_on_one_machine(release_as: ReleaseAs) -> None:
    frame = on_spark(PEOPLE)
    age = LocalQuantizer.finest(Lattice.of(20, 36, 1), 4, "age")
    here, there = (nl.quantize(table, age, release_as=release_as) for table in (PEOPLE, frame))
    assert there.to_dict() == here.to_dict()
    assert told(there).columns == PEOPLE.column_names
    rows = told(there).toArrow()
    assert rows["age"].to_pylist() == told(here)["age"].to_pylist()
    assert rows["zip"].to_pylist() == PEOPLE["zip"].to_pylist()


def test_several_columns_missing_values_and_persons_are_told_alike(tmp_path: Path) -> None:
    frame = on_spark(PEOPLE)
    both = LocalVector.finest({"weight": Continuum.of(0, 20), "zip": Lattice.of(0, 10, 1)}, 12)
    options: dict[str, Any] = {"missing": "drop", "clamp": True, "unit": "person"}
    here, there = (nl.quantize(table, both, **options) for table in (PEOPLE, frame))
    assert there.to_dict() == here.to_dict()
    assert here.dropped == 1
    assert sorted(told(there).toArrow()["weight"].to_pylist()) == sorted(told(here)["weight"].to_pylist())
    nl.quantize(frame, both, tmp_path / "told.parquet", **options)
    assert spark().read.parquet(str(tmp_path / "told.parquet")).count() == 59
    with pytest.raises(OutputError):
        nl.quantize(frame, both, tmp_path / "told.parquet", **options)


def test_budgets_over_time_follow_the_order_of_a_column() -> None:
    data = PEOPLE.append_column("hour", pa.array(range(60)))
    fine = LocalQuantizer.finest(Lattice.of(20, 36, 1), 8, "age")
    schedule = Schedule.coarsening(fine, 4)
    here = nl.quantize(data, schedule, unit="person")
    shuffled = on_spark(data).repartition(3)
    there = quantize_frame(shuffled, schedule, unit="person", order="hour")
    assert there.to_dict() == here.to_dict()
    ages = told(there).orderBy("hour").toArrow()["age"].to_pylist()
    assert ages == told(here)["age"].to_pylist()
    with pytest.raises(RequestError, match="no order"):
        nl.quantize(shuffled, schedule, unit="person")


def test_what_has_no_cell_is_counted_and_refused() -> None:
    frame = on_spark(PEOPLE)
    narrow = LocalQuantizer.finest(Lattice.of(20, 30, 1), 2, "age")
    with pytest.raises(DomainError) as expected:
        nl.quantize(PEOPLE, narrow)
    with pytest.raises(DomainError) as found:
        nl.quantize(frame, narrow)
    assert str(found.value) == str(expected.value)
    with pytest.raises(MissingValuesError, match="weight"):
        nl.quantize(frame, LocalQuantizer.finest(Continuum.of(0, 25), 2, "weight"))
    with pytest.raises(UnknownColumnError):
        nl.quantize(frame, LocalQuantizer.finest(Continuum.of(0, 25), 2, "wight"))


def test_frames_are_blurred_as_tables_are() -> None:
    frame = on_spark(PEOPLE)
    options: dict[str, Any] = {
        "max_change": 3,
        "bounds": {"age": (0, 100), "weight": (0, 25, Decimal("0.5"))},
        "missing": "drop",
    }
    here, there = (nl.blur(table, "age >= 15 + weight", **options) for table in (PEOPLE, frame))
    assert there.to_dict() == here.to_dict()
    assert here.dropped == 1
    assert there.to_arrow()["age"].to_pylist() == here.to_arrow()["age"].to_pylist()
    with pytest.raises(MissingValuesError, match="weight"):
        nl.blur(frame, "age >= 15 + weight", **options | {"missing": "error"})
    narrow = options | {"bounds": {"age": (0, 30), "weight": (0, 25, Decimal("0.5"))}}
    with pytest.raises(DomainError) as expected:
        nl.blur(PEOPLE, "age >= 15 + weight", **narrow)
    with pytest.raises(DomainError) as found:
        nl.blur(frame, "age >= 15 + weight", **narrow)
    assert str(found.value) == str(expected.value)


def test_the_command_audits_a_table_of_the_session(capsys: pytest.CaptureFixture[str]) -> None:
    on_spark(PEOPLE).createOrReplaceTempView("people")
    arguments = ["audit", "spark::people", "--sensitive", "age", "--public", "zip", "--format", "json"]
    assert run(arguments) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["min_posterior"] == nl.audit(PEOPLE, sensitive="age", public="zip").min_posterior
    assert run([*arguments[:1], "spark::nobody", *arguments[2:]]) != 0
    assert capsys.readouterr().err.count("\n") == 1


def test_the_page_about_spark_is_right(tmp_path: Path) -> None:
    """Its Python blocks run, one after the other; Spark's own folder is where it was started."""
    page = Path(__file__).parents[2] / "docs" / "spark.md"
    blocks = re.findall(r"```py\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 5
    names: dict[str, Any] = {"spark": spark()}
    for block in blocks:
        here = re.sub(r'(?<=["`])(patients\.parquet|released|certificates)(?=["`])', rf"{tmp_path}/\1", block)
        exec(here, names)


def test_spellings_are_merged_by_spark_as_here() -> None:
    texts = ["Flu", " flu", "cold", None, " ", "7", "007", "cold", "7.0", "x"]
    people = pa.table({"ill": texts, "note": texts[::-1], "zip": [1, 1, 1, 2, 2, 3, 3, 4, 4, 4]})
    options: dict[str, Any] = {"sensitive": ["ill", "note"], "public": "zip"}
    here = nl.audit(people, **options)
    found = nl.audit(SparkTable.of(on_spark(people), most=1), **options)
    assert isinstance(found, SparkAudit)
    assert found.spellings == here.spellings == {"ill": 4, "note": 4}
    assert found.posterior_histogram == here.posterior_histogram
    assert found.components == here.components
    small = nl.audit(on_spark(people), **options)
    assert measures(small) == measures(here)
