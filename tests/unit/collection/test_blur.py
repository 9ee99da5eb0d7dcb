"""The blur as a mechanism, and on tables of every kind."""

import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from noiseless.collection.blur.continuum import ContinuousBlur
from noiseless.collection.blur.fibres import IntegerArray, RationalArray
from noiseless.collection.blur.lattice import Blur, BlurredTable, blur
from noiseless.domain import Schema
from noiseless.errors import (
    ColumnError,
    DomainError,
    EmptyTableError,
    ExpressionError,
    MissingValuesError,
    NoiselessError,
    OutputError,
    RequestError,
    SchemaError,
    UnknownColumnError,
)

F = Fraction
BMI = "weight >= 30*(height/100)**2"
BOUNDS = {"weight": (0, 200), "height": (0, 250)}
PEOPLE: dict[str, list[Any]] = {
    "name": ["Ann", "Bo", "Cy", "Di", "Ed"],
    "weight": [96, 99, 60, 98, 130],
    "height": [180, 180, 170, 180, 180],
}
BLURRED = [98, 96, 60, 95, 130]


def test_whole_numbers_never_overflow() -> None:
    near = IntegerArray.of(np.array([2**62, -(2**62)]))
    assert (near + near).values.tolist() == [2**63, -(2**63)]
    assert (near * near).values.tolist() == [2**124, 2**124]
    assert (near**3).values.tolist() == [2**186, -(2**186)]
    assert (near * near // near.clipped(1, 2**62)).values.tolist() == [2**62, 2**124]
    assert (near * near).clipped(0, 7).values.dtype == np.int64
    assert IntegerArray.of(np.array([7, -7])).ceil_div(IntegerArray.of(2)).values.tolist() == [4, -3]


def test_ratios_divide_by_negative_numbers_but_not_by_zero() -> None:
    one, others = (
        RationalArray.constant(F(1, 3)),
        RationalArray(IntegerArray.of(np.array([2, -2])), IntegerArray.of(5)),
    )
    found = one / others
    assert (found.above.values.tolist(), found.below.values.tolist()) == ([5, -5], [6, 6])
    assert abs(others).above.values.tolist() == [2, 2]
    with pytest.raises(ZeroDivisionError):
        one / (others - others)


def test_a_record() -> None:
    mechanism = Blur.of(BMI, max_change=5, bounds=BOUNDS)
    weights = {x: mechanism.release({"weight": x, "height": 180})["weight"] for x in range(91, 105)}
    # g = 97.2: L is 93..97, U is 98..102, pairs (93, 98), (94, 99), ... and their midranges, rounded down
    assert weights == {
        91: 91, 92: 92, 93: 95, 94: 96, 95: 97, 96: 98, 97: 99, 98: 95, 99: 96, 100: 97, 101: 98, 102: 99,
        103: 103, 104: 104,
    }  # fmt: skip
    assert mechanism.release({"weight": 93, "height": 180, "eye": "blue"})["eye"] == "blue"
    collapsed = Blur.of(BMI, max_change=5, bounds=BOUNDS, mode="collapse")
    assert {collapsed.release({"weight": x, "height": 180})["weight"] for x in range(93, 103)} == {97}


def test_a_record_that_is_not_in_the_declared_range() -> None:
    mechanism = Blur.of(BMI, max_change=5, bounds=BOUNDS)
    with pytest.raises(ColumnError, match="'height' is not in the record"):
        mechanism.release({"weight": 93})
    with pytest.raises(ColumnError, match=r"is not one of 0\.\.200") as caught:
        mechanism.release({"weight": 612, "height": 180})
    assert "612" not in str(caught.value)


def test_a_halfway_band_collapses_without_its_furthest_point() -> None:
    """Four points around 4.5 with D = 1.5 steps: none is within 1 step of all four."""
    bounds = {"x": (0, 9)}
    found = Blur.of("x >= 4.5", max_change=F(3, 2), bounds=bounds, mode="collapse")
    assert [found.release({"x": x})["x"] for x in range(10)] == [0, 1, 2, 4, 4, 4, 6, 7, 8, 9]
    assert found.protected_share == F(3, 10)
    low = Blur.of("x >= 4.6", max_change=F(8, 5), bounds=bounds, mode="collapse")
    assert [low.release({"x": x})["x"] for x in range(10)] == [0, 1, 2, 3, 5, 5, 5, 7, 8, 9]
    assert Blur.of("x >= 4.5", max_change=F(3, 2), bounds=bounds).protected_share == F(4, 10)


def test_privacy_has_a_reference() -> None:
    mechanism = Blur.of("x >= 5", max_change=2, bounds={"x": (0, 9)})
    census = mechanism.census  # L = {3, 4}, U = {5, 6, 7}: two values are released for five
    assert (census.points, census.merged, census.released, census.decided, census.outputs) == (10, 5, 2, 5, 7)
    assert mechanism.privacy("Y").epsilon == F(2, 5)
    assert mechanism.privacy("X").epsilon == 1
    everything = Blur.of("x >= 5", max_change=9, bounds={"x": (0, 9)})
    assert everything.protected_share == 1
    assert everything.privacy("Y").amount == math.inf


def test_very_large_and_very_fine_lattices() -> None:
    vast = Blur.of("x >= y**3/7", max_change=10**12, bounds={"x": (0, 10**17), "y": (0, 10**6)})
    assert vast.release({"x": 10**15, "y": 191293})["x"] != 10**15
    fine = {"x": (0, 1, Decimal("1e-15")), "y": (0, 1)}
    assert 0 < Blur.of("x >= y/3", max_change=Decimal("1e-9"), bounds=fine).protected_share < F(1, 10**6)
    with pytest.raises(RequestError, match="too many values"):
        Blur.of("x >= 1", max_change=1, bounds={"x": (0, 10**19)})


@pytest.mark.parametrize(
    ("arguments", "error", "part"),
    [
        ({"hypothesis": "weight"}, ExpressionError, "is not a comparison"),
        ({"bounds": {"weight": (0, 200)}}, RequestError, "column 'height' has no declared bounds"),
        ({"bounds": {**BOUNDS, "waist": (0, 9)}}, ExpressionError, "does not name column 'waist'"),
        ({"bounds": {**BOUNDS, "weight": (200, 0)}}, SchemaError, "column 'weight': bounds must be in order"),
        ({"bounds": {**BOUNDS, "weight": (0, 200, 7)}}, SchemaError, "whole number of steps"),
        ({"bounds": {**BOUNDS, "weight": (0,)}}, RequestError, "lowest and highest"),
        ({"bounds": {**BOUNDS, "weight": ("a", "b")}}, SchemaError, "column 'weight'"),
        ({"max_change": 0}, RequestError, "must be above 0"),
        ({"max_change": -1}, RequestError, "must be above 0"),
        ({"max_change": math.nan}, RequestError, "must be a number, not inf or nan"),
        ({"max_change": "5"}, RequestError, "must be a number, not str"),
        ({"max_change": F(1, 2)}, RequestError, "can move by less than its step, 1"),
        ({"mode": "squash"}, RequestError, 'the mode is "stretch" or "collapse"'),
        ({"hypothesis": "weight >= 3/height"}, ExpressionError, "divides by 0 for some declared values"),
    ],
)
def test_impossible_requests(arguments: dict[str, Any], error: type[NoiselessError], part: str) -> None:
    asked: dict[str, Any] = {"hypothesis": BMI, "max_change": 5, "bounds": BOUNDS, **arguments}
    with pytest.raises(error) as caught:
        assert Blur.of(asked.pop("hypothesis"), **asked).protected_share
    assert part in str(caught.value)


def test_schemas_declare_columns_too(tmp_path: Path) -> None:
    text = 'columns.weight = {role = "private", bounds = [0, 200]}\n'
    text += 'columns.sex = {role = "public", categories = ["f"]}\n'
    schema = Schema.parse(text)
    found = Blur.of("weight >= height - 100", max_change=5, bounds={"height": (0, 250)}, schema=schema)
    assert set(found.schema.columns) == {"weight", "height"}
    narrow = Blur.of("weight >= 80", max_change=5, bounds={"weight": (0, 100)}, schema=schema)
    assert narrow.compared.size == 101
    with pytest.raises(RequestError, match="'sex' is declared as category"):
        Blur.of("weight >= sex", max_change=5, schema=schema)
    with pytest.raises(SchemaError, match="proposal"):
        Blur.of("weight >= 80", max_change=5, schema=Schema.parse("proposal = true\n" + text))
    file = tmp_path / "schema.toml"
    file.write_text(text)
    assert blur(pa.table({"weight": [80]}), "weight >= 80", max_change=5, schema=file).protected_rows == 1


def frames() -> list[Any]:
    return [pa.table(PEOPLE), pd.DataFrame(PEOPLE), pl.DataFrame(PEOPLE), pl.LazyFrame(PEOPLE)]


@pytest.mark.parametrize("frame", frames(), ids=lambda frame: f"{type(frame).__module__.split('.')[0]}")
def test_frames(frame: Any) -> None:  # noqa: ANN401 - any frame
    found = blur(frame, BMI, max_change=5, bounds=BOUNDS)
    assert (found.rows, found.moved, found.protected_rows, found.max_change) == (5, 3, 3, F(3))
    assert found.to_arrow().to_pydict() == {**PEOPLE, "weight": BLURRED}
    assert repr(found) == "BlurredTable(weight >= 30 * (height / 100)**2: 3 of 5 rows moved, 3 protected)"


def test_a_relation_of_the_callers() -> None:
    connection = duckdb.connect()
    relation = connection.from_arrow(pa.table({**PEOPLE, "tags": [["a"], [], ["b", "c"], [], []]}))
    found = Blur.of(BMI, max_change=5, bounds=BOUNDS).apply(relation).to_arrow().to_pydict()
    assert found == {**PEOPLE, "weight": BLURRED, "tags": [["a"], [], ["b", "c"], [], []]}


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl"])
def test_files(tmp_path: Path, ending: str) -> None:
    source, out = tmp_path / "people.parquet", tmp_path / f"out.{ending}"
    pq.write_table(pa.table(PEOPLE), source)
    blur(source, BMI, max_change=5, bounds=BOUNDS).write(out)
    again = blur(out, "weight >= 500", max_change=1, bounds={"weight": (0, 600)})
    assert again.to_arrow().to_pydict() == {**PEOPLE, "weight": BLURRED}
    assert [path.name for path in sorted(tmp_path.iterdir())] == [out.name, source.name]


TEXT = """name,weight,height,code
"Ann, the first",96.0,180,007
Bo,99.5,180,1.50

Cy,,170,
"Di ""x"" y",98.0,180,NA
"""


def test_text_is_kept_as_it_was_written_but_the_blurred_column_is_written_alike(tmp_path: Path) -> None:
    source, out = tmp_path / "people.csv", tmp_path / "out.csv"
    source.write_text(TEXT)
    bounds = {"weight": (0, 200, Decimal("0.5")), "height": (0, 250)}
    found = blur(source, BMI, max_change=5, bounds=bounds, missing="drop")
    assert (found.rows, found.dropped) == (3, 1)
    found.write(out)
    assert out.read_text().splitlines() == [
        "name,weight,height,code",
        '"Ann, the first",98.5,180,007',
        "Bo,97,180,1.50",
        '"Di ""x"" y",95.5,180,NA',
    ]
    found.write(tmp_path / "out.parquet")
    typed = pq.read_table(tmp_path / "out.parquet").to_pydict()
    assert typed["weight"] == [98.5, 97.0, 95.5] or typed["weight"] == ["98.5", "97", "95.5"]
    assert typed["code"] == ["007", "1.50", "NA"]


def test_rows_that_are_not_moved_are_spelled_like_those_that_are(tmp_path: Path) -> None:
    """A spelling of its own would tell which of two merged rows was there before."""
    source, out = tmp_path / "x.csv", tmp_path / "out.csv"
    source.write_text("x\n4.0\n5.0\n6.0\n9.0\n")
    blur(source, "x >= 5", max_change=1, bounds={"x": (0, 9)}).write(out)
    assert out.read_text().split() == ["x", "5", "5", "5", "9"]


@pytest.mark.parametrize(
    ("kind", "step", "released"),
    [
        (pa.int8(), 1, pa.int64()),  # the declared 200 does not fit
        (pa.int16(), 1, pa.int16()),
        (pa.uint64(), 1, pa.uint64()),
        (pa.int32(), Decimal("0.5"), pa.float64()),
        (pa.float64(), 1, pa.float64()),
        (pa.float32(), Decimal("0.1"), pa.float32()),
        (pa.decimal128(6, 2), Decimal("0.1"), pa.decimal128(6, 2)),
        (pa.decimal128(4, 0), Decimal("0.5"), pa.float64()),
    ],
)
def test_types(kind: pa.DataType, step: Any, released: pa.DataType) -> None:  # noqa: ANN401 - a number
    numbers = pa.array([Decimal(x) for x in (96, 99, 60, 98, 105)])
    values = numbers.cast(kind if pa.types.is_decimal(kind) else pa.int64()).cast(kind)
    table = pa.table({"weight": values, "height": [180] * 5})
    found = blur(table, BMI, max_change=5, bounds={**BOUNDS, "weight": (0, 200, step)})
    column = found.to_arrow().column("weight")
    assert column.type == released
    mechanism = found.mechanism
    expected = [mechanism.release({"weight": w, "height": 180})["weight"] for w in (96, 99, 60, 98, 105)]
    assert column.cast(pa.float64()).to_pylist() == pytest.approx([float(x) for x in expected], abs=1e-5)


def test_doubles_stand_for_the_decimals_they_are_written_as() -> None:
    table = pa.table({"x": [0.1 * 3, 0.3, 0.7, -0.0]})
    with pytest.raises(DomainError, match="1 value is outside"):
        blur(table, "x >= 0.45", max_change=0.3, bounds={"x": (0, 1, 0.1)})
    found = blur(table.slice(1), "x >= 0.45", max_change=0.3, bounds={"x": (0, 1, 0.1)})
    assert found.to_arrow().column("x").to_pylist() == [0.4, 0.5, 0.0]
    assert found.max_change == F(1, 5)


def test_missing_values() -> None:
    table = pa.table({"weight": [96, None, 99], "height": [180.0, 180.0, math.nan]})
    with pytest.raises(MissingValuesError, match="column 'weight' has 1 missing value; fill them"):
        blur(table, BMI, max_change=5, bounds=BOUNDS)
    found = blur(table, BMI, max_change=5, bounds=BOUNDS, missing="drop")
    assert (found.rows, found.dropped, found.to_arrow().column("weight").to_pylist()) == (1, 2, [98])
    text = 'columns.weight = {role = "private", bounds = [0, 200], missing = 97}\n'
    text += 'columns.height = {role = "private", bounds = [0, 250], missing = 180}\n'
    filled = blur(table, BMI, max_change=5, schema=Schema.parse(text))
    assert filled.to_arrow().column("weight").to_pylist() == [98, 99, 96]
    assert filled.to_arrow().column("height").to_pylist()[:2] == [180.0, 180.0]
    with pytest.raises(RequestError, match="missing values"):
        blur(table, BMI, max_change=5, bounds=BOUNDS, missing="value")  # type: ignore[arg-type]
    with pytest.raises(EmptyTableError):
        blur(table.slice(1), BMI, max_change=5, bounds=BOUNDS, missing="drop")


def test_values_outside_the_domain_are_counted_and_never_shown() -> None:
    table = pa.table({"weight": [96, 612, 613], "height": [180, 180, 180]})
    with pytest.raises(DomainError, match=r"column .weight.: 2 values are outside 0\.\.200") as caught:
        blur(table, BMI, max_change=5, bounds=BOUNDS)
    assert "61" not in str(caught.value)
    halves = pa.table({"weight": [96.5, 97.0], "height": [180, 180]})
    with pytest.raises(DomainError, match="1 value is outside"):
        blur(halves, BMI, max_change=5, bounds=BOUNDS)
    texts = pa.table({"weight": ["heavy"], "height": [180]})
    with pytest.raises(DomainError, match="'weight': 1 value"):
        blur(texts, BMI, max_change=5, bounds=BOUNDS)


def test_tables_that_do_not_suit(tmp_path: Path) -> None:
    with pytest.raises(UnknownColumnError, match="did you mean 'weights'"):
        blur(pa.table({"weights": [1], "height": [2]}), BMI, max_change=5, bounds=BOUNDS)
    with pytest.raises(ColumnError, match="kept for the package"):
        blur(pa.table({**PEOPLE, "noiseless_row": [1] * 5}), BMI, max_change=5, bounds=BOUNDS)
    source = tmp_path / "people.csv"
    pd.DataFrame(PEOPLE).to_csv(source, index=False)
    found = blur(source, BMI, max_change=5, bounds=BOUNDS)
    before = source.read_text()
    with pytest.raises(OutputError, match="is the table itself"):
        found.write(source)
    with pytest.raises(RequestError, match="change the ending"):
        found.write(tmp_path / "out.xlsx")
    assert source.read_text() == before


def test_names_that_need_quotes(tmp_path: Path) -> None:
    source, out = tmp_path / "p.csv", tmp_path / "o.csv"
    source.write_text('größe cm,"say ""kg"""\n180,96\n170,60\n')
    text = '"say ""kg""" >= 30*(`größe cm`/100)**2'
    blur(source, text, max_change=5, bounds={"größe cm": (0, 250), 'say "kg"': (0, 200)}).write(out)
    assert out.read_text(encoding="utf-8").splitlines()[1:] == ["180,98", "170,60"]


def test_order_and_results_of_a_larger_table(tmp_path: Path) -> None:
    random, rows = np.random.default_rng(1), 300_000
    weight, height = random.integers(40, 150, rows), random.integers(140, 210, rows)
    source, out = tmp_path / "big.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.table({"id": np.arange(rows), "weight": weight, "height": height}), source)
    found = blur(source, BMI, max_change=5, bounds=BOUNDS)
    found.write(out)
    back = pq.read_table(out)
    assert np.array_equal(back["id"].to_numpy(), np.arange(rows))
    assert np.array_equal(back["height"].to_numpy(), height)
    moved = back["weight"].to_numpy() - weight
    assert (found.moved, found.max_change) == ((moved != 0).sum(), np.abs(moved).max())
    g = 30 * height.astype(object) ** 2
    near = np.abs(weight.astype(object) * 10_000 - g) <= 50_000
    assert found.protected_rows == near.sum()


def test_results_as_plain_values() -> None:
    found = blur(pa.table(PEOPLE), BMI, max_change=5, bounds=BOUNDS)
    answer = found.to_dict()
    assert {"rows", "moved", "protected_share", "protected_rows", "privacy_nats", "max_change"} <= set(answer)
    assert answer["protected_share_exact"] == "2392/50451"
    assert answer["protected_share"] <= 2392 / 50451 <= answer["protected_share_at_most"]
    assert (answer["privacy_reference"], answer["max_change_exact"]) == ("h0(Y)", "3")
    assert 0 < answer["privacy_nats"] < answer["privacy_x_nats"] < math.log(50451 / (50451 - 2392)) + 1e-12
    assert isinstance(found, BlurredTable)
    assert found.privacy_nats == answer["privacy_nats"]


def test_the_survey_of_young_people(data: Path, tmp_path: Path) -> None:
    """Example 3 of [P2] on its data: obesity is hidden near the boundary, everything else stays."""
    source, out = data / "young-people" / "responses.csv", tmp_path / "out.csv"
    found = blur(
        source, "Weight >= 30*(Height/100)**2", max_change=5, bounds={"Weight": (0, 200), "Height": (0, 250)},
        missing="drop",
    )  # fmt: skip
    assert (found.rows, found.dropped) == (980, 30)
    found.write(out)
    before = pd.read_csv(source, dtype=str).dropna(subset=["Weight", "Height"]).reset_index(drop=True)
    after = pd.read_csv(out, dtype=str)
    assert list(before.columns) == list(after.columns)
    assert before.drop(columns="Weight").equals(after.drop(columns="Weight"))
    was, now = before["Weight"].astype(int), after["Weight"].astype(int)
    g = 30 * before["Height"].astype(int) ** 2
    near = (was * 10_000 - g).abs() <= 50_000
    assert found.protected_rows == near.sum() == 15
    assert (was != now).sum() == found.moved
    assert (was - now).abs().max() == found.max_change <= 5
    assert (was[~near] == now[~near]).all()


@pytest.mark.parametrize(("sign", "released"), [(">=", 3), ("<", 3), (">", 7), ("<=", 7)])
def test_the_boundary_itself_goes_with_the_half_that_the_sign_says(sign: str, released: int) -> None:
    blur = ContinuousBlur.of(f"x {sign} 5", {"x": (0, 10)}, max_change=2)
    assert blur.release({"x": F(5)}) == {"x": released}


def test_zero_has_no_sign() -> None:
    answer = blur(pa.table({"x": [1]}), "x >= 30", max_change=1, bounds={"x": (0, 9)}).to_dict()
    found = [answer[key] for key in ("protected_share", "privacy_nats", "privacy_x_nats", "max_change")]
    assert repr(found) == "[0.0, 0.0, 0.0, 0.0]"


def test_continuous_requests_that_cannot_be_met() -> None:
    box = {"x": (F(0), F(1)), "y": (F(0), F(1))}
    with pytest.raises(RequestError, match="must be in order and apart"):
        ContinuousBlur.of("x >= y", {**box, "y": (F(1), F(1))}, max_change=1)
    with pytest.raises(RequestError, match="above 0"):
        ContinuousBlur.of("x >= y", box, max_change=0)
    with pytest.raises(RequestError, match="the mode"):
        ContinuousBlur.of("x >= y", box, max_change=1, mode="no")  # type: ignore[arg-type]
    with pytest.raises(ExpressionError, match="column 'z' has no declared bounds"):
        ContinuousBlur.of("x >= z", box, max_change=1)
    with pytest.raises(ExpressionError, match="divides by 0"):
        ContinuousBlur.of("x >= 1/y", box, max_change=1).share  # noqa: B018 - computed when asked for
    with pytest.raises(ExpressionError, match="divides by 0"):
        ContinuousBlur.of("x >= 1/y", box, max_change=1).release({"x": F(0), "y": F(0)})
