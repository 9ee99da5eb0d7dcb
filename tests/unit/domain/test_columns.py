from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.domain import (
    BooleanColumn,
    CategoryColumn,
    Column,
    DateColumn,
    NumberColumn,
    read_column,
)
from noiseless.errors import SchemaError
from noiseless.exact import Bits


def number(low: Any, high: Any, step: Any = 1, **rest: Any) -> NumberColumn:  # noqa: ANN401
    return NumberColumn(role="private", bounds=(low, high), step=step, **rest)


def days(first: str, last: str, **rest: Any) -> DateColumn:  # noqa: ANN401
    return DateColumn(role="public", bounds=(first, last), **rest)


def table(**keys: object) -> dict[str, object]:
    return {"role": "private"} | keys


@st.composite
def lattices(draw: st.DrawFn, most_places: int = 25) -> NumberColumn:
    unit = Fraction(1, 10 ** draw(st.integers(0, most_places)))
    low = draw(st.integers(-(10**25), 10**25))
    step = draw(st.integers(1, 10**6))
    steps = draw(st.integers(0, 10**9))
    ends = (low, low + step * steps, step)
    return number(*(decimal(units * unit) for units in ends))


def decimal(value: Fraction) -> Decimal:
    """A fraction whose denominator divides a power of ten, without rounding."""
    digits = 25
    return Decimal(f"{int(value * 10**digits)}E-{digits}")


class TestNumbers:
    @given(lattices(), st.data())
    def test_value_and_index_are_inverse(self, column: NumberColumn, data: st.DataObject) -> None:
        index = data.draw(st.integers(0, column.size - 1))
        assert column.index(column.value(index)) == index

    @given(lattices(), st.data())
    def test_values_are_exactly_low_plus_steps(self, column: NumberColumn, data: st.DataObject) -> None:
        index = data.draw(st.integers(0, column.size - 1))
        exact = Fraction(column.bounds[0]) + index * Fraction(column.step)
        assert Fraction(column.value(index)) == exact

    @given(lattices())
    def test_units_are_whole_and_span_the_lattice(self, column: NumberColumn) -> None:
        ends = [Fraction(column.value(index)) for index in (0, column.size - 1)]
        units = [Fraction(column.low_units), Fraction(column.high_units)]
        assert [end * column.scale for end in ends] == units
        assert column.step_units == Fraction(column.step) * column.scale

    @given(lattices(), st.data())
    def test_the_double_of_a_lattice_point_stands_for_a_point_with_that_double(
        self, column: NumberColumn, data: st.DataObject
    ) -> None:
        double = float(column.value(data.draw(st.integers(0, column.size - 1))))
        index = column.index(double)
        assert index is not None
        assert float(column.value(index)) == double

    @given(st.integers(0, 10_000))
    def test_every_double_of_a_thousandth_is_found(self, index: int) -> None:
        assert number(0, 10, Decimal("0.001")).index(index / 1000) == index

    @given(st.floats())
    def test_a_double_off_the_lattice_is_outside(self, double: float) -> None:
        column = number(-1, 1, Decimal("0.01"))
        points = {index / 100: index + 100 for index in range(-100, 101)}
        assert column.index(double) == points.get(double)

    def test_a_sum_of_doubles_is_not_a_lattice_point(self) -> None:
        column = number(0, 1, Decimal("0.1"))
        assert column.index(0.3) == 3
        assert column.index(0.1 + 0.2) is None

    def test_a_double_of_a_point_whose_shortest_decimal_is_another(self) -> None:
        column = number(Decimal("0.30000000000000001"), 1, Decimal("0.69999999999999999"))
        assert column.index(0.3) == 0

    def test_a_double_that_reads_as_a_point_just_above_the_upper_bound(self) -> None:
        high = Decimal("0.12345678901234567890")
        column = number(0, high, Decimal("1e-20"))
        assert Decimal(repr(float(high))) > high
        index = column.index(float(high))
        assert index is not None
        assert float(column.value(index)) == float(high)

    def test_a_decimal_is_never_rounded(self) -> None:
        column = number(0, 1)
        assert column.index(Decimal("1.00000000000000000000000000000000000001")) is None

    def test_thousandths_over_ten(self) -> None:
        column = number(0, 10, Decimal("0.001"))
        assert column.size == 10_001
        assert column.value(10_000) == 10
        assert column.value(1) == Decimal("0.001")
        assert (column.scale, column.low_units, column.high_units) == (1000, 0, 10_000)
        assert column.step_units == 1
        assert column.entropy == Bits(10_001)
        assert column.describe() == "0..10 in steps of 0.001 (10,001 values)"

    def test_whole_lattices_have_int_values(self) -> None:
        column = number(Decimal("-4.0"), 1000, Decimal("2.00"))
        assert [type(column.value(index)) for index in (0, 1)] == [int, int]
        assert column.scale == 1
        assert column.describe() == "-4..1000 in steps of 2 (503 values)"

    def test_a_single_value_is_a_domain(self) -> None:
        column = number(5, 5)
        assert (column.size, column.entropy) == (1, Bits(1))
        assert column.describe() == "5..5 in steps of 1 (1 value)"

    def test_trailing_zeros_make_no_difference(self) -> None:
        assert number(0, Decimal("1e1"), Decimal("0.50")) == number(0, 10, Decimal("0.5"))

    def test_floats_are_read_as_they_are_written(self) -> None:
        assert number(0.1, 0.7, 0.1) == number(Decimal("0.1"), Decimal("0.7"), Decimal("0.1"))

    def test_numbers_of_numpy(self) -> None:
        series = pd.Series([3]), pd.Series([0.3])
        column = number(0, 3, Decimal("0.1"))
        assert [column.index(values.to_numpy()[0]) for values in series] == [30, 3]

    @pytest.mark.parametrize(
        "value", [True, "1", None, nan, inf, Decimal("nan"), Decimal("1e999999"), 1j, [], 11, -1]
    )
    def test_what_is_no_number_of_the_domain_has_no_index(self, value: object) -> None:
        assert number(0, 10).index(value) is None

    @pytest.mark.parametrize(
        ("keys", "message"),
        [
            ({"bounds": [10, 0]}, "bounds must be in order; write bounds = [0, 10]"),
            (
                {"bounds": [0, 10], "step": Decimal("0.3")},
                ("bounds must be a whole number of steps of 0.3 apart; write e.g. bounds = [0, 10.2]"),
            ),
            ({"bounds": [0, 1], "step": 0}, "step must be a number above 0; write e.g. step = 1"),
            (
                {"bounds": [0, 1], "step": "0.1"},
                "step must be a number above 0, not str; write e.g. step = 1",
            ),
            (
                {"bounds": [0, True]},
                "bounds must be two numbers or two dates, not bool; write e.g. bounds = [0, 10]",
            ),
            (
                {"bounds": [0, inf]},
                ("bounds must be two numbers or two dates, not inf or nan; write e.g. bounds = [0, 10]"),
            ),
            (
                {"bounds": [Decimal("nan"), 0]},
                ("bounds must be two numbers or two dates, not inf or nan; write e.g. bounds = [0, 10]"),
            ),
            (
                {"bounds": [0, Decimal("1e300")]},
                (
                    "bounds must be two numbers or two dates, of at most 300 digits before and"
                    " after the point; write e.g. bounds = [0, 10]"
                ),
            ),
            (
                {"bounds": [0, Decimal("1e-301")]},
                (
                    "bounds must be two numbers or two dates, of at most 300 digits before and"
                    " after the point; write e.g. bounds = [0, 10]"
                ),
            ),
            (
                {"bounds": [0]},
                "bounds must be two numbers or two dates; write e.g. bounds = [0, 10]",
            ),
            (
                {"bounds": [0, 1, 2]},
                "bounds must be two numbers or two dates; write e.g. bounds = [0, 10]",
            ),
            ({"bounds": 7}, "bounds must be two numbers or two dates; write e.g. bounds = [0, 10]"),
            (
                {"bounds": [0, 10], "missing": 11},
                ("missing must lie in the domain, 0..10 in steps of 1 (11 values); change or delete it"),
            ),
            (
                {"bounds": [0, 10], "missing": Decimal("0.5")},
                ("missing must lie in the domain, 0..10 in steps of 1 (11 values); change or delete it"),
            ),
        ],
    )
    def test_mistakes(self, keys: dict[str, object], message: str) -> None:
        with pytest.raises(SchemaError) as caught:
            read_column(table(**keys))
        assert str(caught.value) == message


class TestCategories:
    @given(st.lists(st.text() | st.integers(), min_size=1, unique_by=str))
    def test_value_and_index_are_inverse(self, categories: list[str | int]) -> None:
        column = CategoryColumn(role="public", categories=categories)
        assert [column.index(column.value(index)) for index in range(column.size)] == list(range(column.size))

    def test_long_whole_numbers(self) -> None:
        assert CategoryColumn(role="public", categories=[10**400]).index(10**400) == 0

    def test_texts_and_numbers_are_not_mixed_up(self) -> None:
        column = CategoryColumn(role="public", categories=["2", 1, "yes"], missing="yes")
        assert [column.index(value) for value in ("2", 2, "1", 1)] == [0, None, None, 1]
        assert column.index(1.0) == 1
        assert column.entropy == Bits(3)

    @pytest.mark.parametrize("value", [True, 1.5, "no", None, nan, [], 2])
    def test_what_is_no_category_has_no_index(self, value: object) -> None:
        assert CategoryColumn(role="public", categories=["a", 1]).index(value) is None

    @pytest.mark.parametrize(
        ("categories", "text"), [(["a"], "1 category"), (range(1200), "1,200 categories")]
    )
    def test_describe(self, categories: list[object], text: str) -> None:
        column = CategoryColumn(role="public", categories=tuple(categories))
        assert column.describe() == text

    @pytest.mark.parametrize(
        "categories", [[], [1.5], [True], [Decimal(1)], [None], "north", [date(2020, 1, 1)]]
    )
    def test_categories_are_texts_or_whole_numbers(self, categories: object) -> None:
        message = "categories must be a list of texts or whole numbers; write e.g. categories ="
        with pytest.raises(SchemaError, match=message):
            read_column(table(categories=categories))

    @pytest.mark.parametrize("categories", [["b", "1", "1"], ["1", 2, 1]])
    def test_categories_differ_as_text(self, categories: list[object]) -> None:
        with pytest.raises(SchemaError, match="'1' is there 2 times; keep one of them"):
            read_column(table(categories=categories))

    @pytest.mark.parametrize("missing", ["c", 1])
    def test_missing_is_a_category(self, missing: object) -> None:
        with pytest.raises(SchemaError, match="missing must lie in the domain, 2 categories"):
            read_column(table(categories=["a", "b"], missing=missing))

    def test_missing_is_not_a_boolean(self) -> None:
        with pytest.raises(SchemaError, match="missing must be one of the categories"):
            read_column(table(categories=[1, 0], missing=True))


class TestBooleans:
    def test_false_is_0_and_true_is_1(self) -> None:
        column = BooleanColumn(role="private", missing=False)
        assert [column.index(value) for value in (False, True)] == [0, 1]
        assert [column.value(index) for index in (0, 1)] == [False, True]
        assert column.size == 2
        assert column.entropy == Bits(2)
        assert column.describe() == "true or false"

    @pytest.mark.parametrize("value", [0, 1, "true", None])
    def test_nothing_else_is_a_boolean(self, value: object) -> None:
        assert BooleanColumn(role="private").index(value) is None

    def test_missing_is_a_boolean(self) -> None:
        with pytest.raises(SchemaError, match=r"^missing must be true or false; write"):
            read_column(table(type="boolean", missing=0))


class TestDates:
    @given(st.dates(), st.integers(1, 400), st.data())
    def test_value_and_index_are_inverse(self, first: date, step: int, data: st.DataObject) -> None:
        most = (date.max - first).days // step
        last = date.fromordinal(first.toordinal() + step * data.draw(st.integers(0, most)))
        column = DateColumn(role="private", bounds=(first, last), step=step)
        index = data.draw(st.integers(0, column.size - 1))
        assert column.index(column.value(index)) == index

    def test_a_year_of_days(self) -> None:
        column = days("2020-01-01", "2020-12-31", missing="2020-06-01")
        assert (column.size, column.value(59)) == (366, date(2020, 2, 29))
        assert column.describe() == "2020-01-01..2020-12-31 (366 days)"

    def test_weeks(self) -> None:
        column = days("2020-01-01", "2020-01-15", step=7)
        assert column.index(date(2020, 1, 8)) == 1
        assert column.index(date(2020, 1, 9)) is None
        assert column.describe() == "2020-01-01..2020-01-15 in steps of 7 days (3 values)"

    def test_a_single_day(self) -> None:
        assert days("2020-01-01", "2020-01-01").describe() == "2020-01-01..2020-01-01 (1 day)"

    def test_a_midnight_stands_for_its_day(self) -> None:
        column = days("2020-01-01", "2020-12-31")
        assert column.index(pd.Timestamp("2020-01-02")) == 1

    @pytest.mark.parametrize(
        "value",
        [
            datetime(2020, 1, 2, 3),  # noqa: DTZ001
            datetime(2020, 1, 2, tzinfo=UTC),
            pd.Timestamp("2020-01-02") + pd.Timedelta(1, "ns"),
            pd.NaT,
            "2020-01-02",
            737426,
            None,
            date(2019, 12, 31),
            date(2021, 1, 1),
        ],
    )
    def test_what_is_no_day_of_the_domain_has_no_index(self, value: object) -> None:
        assert days("2020-01-01", "2020-12-31").index(value) is None

    @pytest.mark.parametrize(
        ("keys", "message"),
        [
            (
                {"bounds": ["2020-02-01", "2020-01-01"]},
                "bounds must be in order; write bounds = [2020-01-01, 2020-02-01]",
            ),
            (
                {"bounds": ["2020-01-01", "2020-01-10"], "step": 7},
                (
                    "bounds must be a whole number of steps of 7 days apart;"
                    " write e.g. bounds = [2020-01-01, 2020-01-08]"
                ),
            ),
            (
                {"bounds": [date(2020, 1, 1), 5]},
                (
                    "bounds must be two dates without a time, not int;"
                    " write e.g. bounds = [2020-01-01, 2020-12-31]"
                ),
            ),
            (
                {"bounds": ["2020-01-01", "2020-31-12"]},
                (
                    "bounds must be two dates without a time, like 2020-12-31;"
                    " write e.g. bounds = [2020-01-01, 2020-12-31]"
                ),
            ),
            (
                {"bounds": [date(2020, 1, 1), datetime(2020, 1, 1)]},  # noqa: DTZ001
                (
                    "bounds must be two dates without a time, not datetime;"
                    " write e.g. bounds = [2020-01-01, 2020-12-31]"
                ),
            ),
            (
                {"bounds": ["2020-01-01", "2020-01-10"], "step": Decimal("1.0")},
                "step must be a whole number of days above 0; write e.g. step = 1",
            ),
            (
                {"bounds": ["2020-01-01", "2020-01-10"], "step": 0},
                "step must be a whole number of days above 0; write e.g. step = 1",
            ),
            (
                {"bounds": ["2020-01-01", "2020-01-10"], "missing": "2020-01-11"},
                ("missing must lie in the domain, 2020-01-01..2020-01-10 (10 days); change or delete it"),
            ),
        ],
    )
    def test_mistakes(self, keys: dict[str, object], message: str) -> None:
        with pytest.raises(SchemaError) as caught:
            read_column(table(**keys))
        assert str(caught.value) == message


class TestRecognition:
    @pytest.mark.parametrize(
        ("keys", "kind"),
        [
            ({"bounds": [0, 1]}, "number"),
            ({"categories": ["a"]}, "category"),
            ({"type": "boolean"}, "boolean"),
            ({"bounds": [date(2020, 1, 1), date(2020, 1, 2)]}, "date"),
            ({"bounds": ["2020-01-01", "2020-01-02"]}, "date"),
        ],
    )
    def test_a_kind_is_told_by_its_keys_and_may_be_said(self, keys: dict[str, object], kind: str) -> None:
        column = read_column(table(**keys))
        assert column.kind == kind
        assert read_column(table(**keys, **{"type": kind} if "type" not in keys else {})) == column

    @pytest.mark.parametrize(
        ("keys", "message"),
        [
            (
                {},
                (
                    "does not say what it holds;"
                    ' write bounds = [low, high], categories = [...] or type = "boolean"'
                ),
            ),
            ({"type": "float"}, "type must be one of number, category, boolean, date"),
            ({"type": ["number"]}, "type must be one of number, category, boolean, date"),
            ({"type": "number"}, "bounds is missing; write e.g. bounds = [0, 10]"),
            ({"type": "category"}, 'categories is missing; write e.g. categories = ["north"'),
            (
                {"type": "boolean", "bounds": [0, 1]},
                'type = "boolean" does not agree with the keys, which are those of a number column',
            ),
            (
                {"bounds": [0, 1], "categories": ["a"]},
                (
                    "key 'bounds' is not possible in this kind of column;"
                    " it may have role, categories, missing, per and type"
                ),
            ),
            (
                {"bounds": [0, 1], "stepp": 1},
                "key 'stepp' is not possible in this kind of column; did you mean step?",
            ),
            ({"bounds": ["0", "10"]}, "bounds must be two numbers or two dates, not str"),
            (
                {"bounds": [0, 1], "role": "secret"},
                'role must be "public" or "private"; write e.g. role = "private"',
            ),
        ],
    )
    def test_mistakes(self, keys: dict[str, object], message: str) -> None:
        with pytest.raises(SchemaError) as caught:
            read_column(table(**keys))
        assert str(caught.value).startswith(message)

    def test_a_role_is_required(self) -> None:
        with pytest.raises(SchemaError, match=r"^role is missing; write"):
            read_column({"bounds": [0, 1]})

    def test_an_unknown_key_is_named_before_what_it_left_missing(self) -> None:
        with pytest.raises(SchemaError, match=r"^key 'rol' .* did you mean role\?$"):
            read_column({"bounds": [0, 1], "rol": "public"})

    @pytest.mark.parametrize("table", [3, "private", [{"role": "private"}]])
    def test_a_column_is_a_table(self, table: object) -> None:
        with pytest.raises(SchemaError, match=r"^must be a table; write"):
            read_column(table)


COLUMNS = (
    number(0, 10),
    CategoryColumn(role="private", categories=("a", "b")),
    BooleanColumn(role="private"),
    days("2020-01-01", "2020-12-31"),
)


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.kind)
class TestEveryKind:
    def test_an_index_outside_the_domain_is_refused(self, column: Column) -> None:
        for index in (-1, column.size):
            with pytest.raises(IndexError):
                column.value(index)

    def test_columns_are_frozen_and_equal_by_value(self, column: Column) -> None:
        with pytest.raises(ValueError, match="frozen"):
            column.role = "public"  # type: ignore[misc]
        assert column.model_copy() == column
        assert hash(column.model_copy()) == hash(column)

    def test_what_is_no_mapping_of_keys_is_refused_in_one_line(self, column: Column) -> None:
        with pytest.raises(SchemaError) as caught:
            type(column).model_validate(3)
        assert "\n" not in str(caught.value)
