import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.domain import NumberColumn, Schema
from noiseless.errors import DomainError
from noiseless.tables import open_table

SCHEMA = Schema.parse(
    """
    [columns.kwh]
    role = "private"
    bounds = [0, 10]
    step = 0.001
    [columns.age]
    role = "public"
    bounds = [0, 120]
    missing = 0
    [columns.area]
    role = "public"
    categories = ["north", "south"]
    [columns.day]
    role = "public"
    bounds = [2024-01-01, 2024-12-30]
    step = 7
    [columns.smoker]
    role = "private"
    type = "boolean"
    """
)


def conformed(
    name: str, values: list[Any], *, clamp: bool = False, kind: pa.DataType | None = None
) -> list[Any]:
    table = open_table(pa.table({name: pa.array(values, kind)})).conform(SCHEMA, [name], clamp=clamp)
    found = table.tally([name])
    return list(found.decode(name).to_pylist())


def strangers(name: str, values: list[Any]) -> int:
    return open_table(pa.table({name: values})).strangers(SCHEMA, [name])[name]


def test_values_inside_pass_unchanged() -> None:
    assert conformed("kwh", [0.0, 0.3, 9.999, 10.0]) == [0.0, 0.3, 9.999, 10.0]
    assert conformed("kwh", [0.3], kind=pa.float32()) == [0.3]
    assert conformed("kwh", [Decimal("0.300"), Decimal("1.000")]) == [0.3, 1.0]
    assert conformed("kwh", [3, 4]) == [3.0, 4.0]
    assert conformed("age", [0, 120]) == [0, 120]
    assert conformed("area", ["south"]) == ["south"]
    assert conformed("day", [dt.date(2024, 1, 8)]) == [dt.date(2024, 1, 8)]
    assert conformed("smoker", [True]) == [True]
    assert conformed("smoker", ["true"]) == [True]


@pytest.mark.parametrize(
    ("name", "values", "count"),
    [
        ("kwh", [0.1 + 0.2, -0.001, 10.001, 0.0005], 4),
        ("kwh", ["0.5", "?", "12"], 2),
        ("kwh", [float("inf")], 1),
        ("age", [-1, 777, 5], 2),
        ("age", [0.5], 1),
        ("area", ["east", "north", "North"], 2),
        ("day", [dt.date(2024, 1, 2), dt.date(2023, 12, 25), dt.date(2024, 1, 1)], 2),
        ("smoker", ["perhaps"], 1),
        ("smoker", [1], 1),
    ],
)
def test_values_outside_are_counted_and_never_shown(name: str, values: list[Any], count: int) -> None:
    assert strangers(name, values) == count
    with pytest.raises(DomainError, match=f"column '{name}': {count} value") as caught:
        conformed(name, values)
    assert caught.value.count == count
    for secret in ("east", "perhaps", "10.001", "777", "2023"):
        assert secret not in str(caught.value)


def test_clamping_moves_to_the_nearest_value() -> None:
    assert conformed("kwh", [-5.0, 0.0004, 0.0006, 99.0], clamp=True) == [0.0, 0.001, 10.0]
    assert conformed("age", [-1, 500], clamp=True) == [0, 120]
    assert conformed("day", [dt.date(2024, 1, 2), dt.date(2030, 1, 1)], clamp=True) == [
        dt.date(2024, 1, 1),
        dt.date(2024, 12, 30),
    ]


def test_what_cannot_be_clamped_is_still_refused() -> None:
    for name, values in (("area", ["east"]), ("kwh", ["?"]), ("smoker", ["perhaps"])):
        with pytest.raises(DomainError):
            conformed(name, values, clamp=True)


def test_declared_missing_values() -> None:
    assert conformed("age", [None, 7]) == [0, 7]
    assert conformed("kwh", [None, 1.0]) == [None, 1.0]


@given(
    st.integers(-50, 50),
    st.integers(1, 40),
    st.sampled_from([Decimal(step) for step in ("1", "0.5", "0.1", "0.025", "3")]),
    st.data(),
)
def test_the_engine_agrees_with_the_domain(low: int, steps: int, step: Decimal, data: st.DataObject) -> None:
    column = NumberColumn(role="private", bounds=(low, low + steps * step), step=step)
    schema = Schema({"v": column})
    near = [float(column.value(i)) for i in (0, column.size - 1, column.size // 2)]
    value = data.draw(st.sampled_from([*near, *(v + 0.01 for v in near), near[0] - 1, near[1] + 1]))
    table = open_table(pa.table({"v": [value]}))
    assert table.strangers(schema, ["v"])["v"] == (column.index(value) is None)
    clamped = table.conform(schema, ["v"], clamp=True).tally(["v"]).decode("v").to_pylist()
    assert column.index(clamped[0]) is not None
