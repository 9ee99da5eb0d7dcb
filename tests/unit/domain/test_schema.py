import copy
import pickle
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.domain import BooleanColumn, CategoryColumn, Column, DateColumn, NumberColumn, Schema
from noiseless.errors import SchemaError

CURATOR = """
proposal = true   # optional
[dataset]
name = "meters"
[budget]
bits = 40.5
[columns.suburb]
role = "public"
categories = ["north", "south"]
[columns.kwh]
role = "private"
bounds = [0, 10]
step = 0.001
missing = 0
[columns.renter]
role = "private"
type = "boolean"
[columns.joined]
role = "public"
bounds = [2020-01-01, "2020-12-31"]
"""

ROLES = st.sampled_from(["public", "private"])


@st.composite
def number_columns(draw: st.DrawFn) -> NumberColumn:
    exponent = draw(st.integers(-30, 5))
    low, step = draw(st.integers(-(10**30), 10**30)), draw(st.integers(1, 10**6))
    steps = draw(st.integers(0, 10**6))
    missing = draw(st.none() | st.integers(0, steps).map(lambda index: low + index * step))
    units = (low, low + step * steps, step, missing)
    low_, high, step_, missing_ = (None if unit is None else Decimal(f"{unit}E{exponent}") for unit in units)
    return NumberColumn(role=draw(ROLES), bounds=(low_, high), step=step_, missing=missing_)


@st.composite
def category_columns(draw: st.DrawFn) -> CategoryColumn:
    values = st.text(max_size=20) | st.integers()
    categories = draw(st.lists(values, min_size=1, unique_by=str))
    missing = draw(st.none() | st.sampled_from(categories))
    return CategoryColumn(role=draw(ROLES), categories=categories, missing=missing)


@st.composite
def date_columns(draw: st.DrawFn) -> DateColumn:
    first, step = draw(st.dates(max_value=date(9000, 1, 1))), draw(st.integers(1, 400))
    last = date.fromordinal(first.toordinal() + step * draw(st.integers(0, 100)))
    missing = draw(st.sampled_from([None, first, last]))
    return DateColumn(role=draw(ROLES), bounds=(first, last), step=step, missing=missing)


def boolean_columns() -> st.SearchStrategy[BooleanColumn]:
    return st.builds(BooleanColumn, role=ROLES, missing=st.none() | st.booleans())


def columns() -> st.SearchStrategy[Column]:
    return number_columns() | category_columns() | boolean_columns() | date_columns()


def schemas() -> st.SearchStrategy[Schema]:
    named = st.dictionaries(st.text(), columns(), min_size=1, max_size=5)
    return st.builds(Schema, named, st.booleans())


@given(schemas())
def test_dump_and_parse_are_inverse(schema: Schema) -> None:
    parsed = Schema.parse(schema.dump())
    assert parsed == schema
    assert list(parsed.columns) == list(schema.columns)


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "a.b",
        'say "x"',
        "back\\slash",
        "two\nlines",
        "\r\n",
        "\x00\x7f\x85",
        "größe",
        "😀",
        "#",
    ],
)
def test_odd_column_names_survive(name: str, tmp_path: Path) -> None:
    schema = Schema({name: CategoryColumn(role="public", categories=[name])})
    file = tmp_path / "schema.toml"
    file.write_text(schema.dump(), encoding="utf-8")
    assert Schema.read(file) == schema


def test_a_curator_file_is_read_exactly() -> None:
    schema = Schema.parse(CURATOR)
    assert schema.proposal
    assert list(schema.columns) == ["suburb", "kwh", "renter", "joined"]
    assert schema.public == ("suburb", "joined")
    assert schema.private == ("kwh", "renter")
    kwh = schema.columns["kwh"]
    assert isinstance(kwh, NumberColumn)
    assert (kwh.step, kwh.missing, kwh.size) == (Decimal("0.001"), Decimal(0), 10_001)
    assert isinstance(schema.columns["joined"], DateColumn)


def test_dump_is_readable() -> None:
    assert Schema.parse(CURATOR).dump() == (
        "proposal = true\n"
        "\n"
        '[columns.suburb]\nrole = "public"\ncategories = ["north", "south"]\n'
        "\n"
        '[columns.kwh]\nrole = "private"\nbounds = [0, 10]\nstep = 0.001\nmissing = 0\n'
        "\n"
        '[columns.renter]\ntype = "boolean"\nrole = "private"\n'
        "\n"
        '[columns.joined]\nrole = "public"\nbounds = [2020-01-01, 2020-12-31]\nstep = 1\n'
    )


def test_long_lists_are_written_one_item_a_line() -> None:
    schema = Schema({"word": CategoryColumn(role="public", categories=["x" * 60, "y" * 60])})
    assert all(len(line) <= 100 for line in schema.dump().splitlines())
    assert Schema.parse(schema.dump()) == schema


def test_a_schema_is_frozen_and_can_be_copied_and_pickled() -> None:
    columns: dict[str, Column] = {"a": BooleanColumn(role="public")}
    schema = Schema(columns)
    columns["b"] = columns["a"]
    assert list(schema.columns) == ["a"]
    with pytest.raises(TypeError):
        schema.columns["b"] = columns["a"]  # type: ignore[index]
    assert copy.deepcopy(schema) == pickle.loads(pickle.dumps(schema)) == schema


def test_a_proposal_must_be_declared() -> None:
    schema = Schema.parse(CURATOR)
    with pytest.raises(SchemaError, match=r"check every column, then delete .*'proposal = true'$"):
        schema.require_declared()
    Schema(schema.columns).require_declared()


COLUMN = '[columns.kwh]\nrole = "private"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no columns; write e.g. [columns.kwh] and below it its role and bounds"),
        ("[columns]", "has no columns; write e.g. [columns.kwh] and below it its role and bounds"),
        ("columns = 3", "columns must be tables; write e.g. [columns.kwh] and below it its keys"),
        (
            "columns.kwh = 3",
            "column 'kwh': must be a table; write e.g. {role = \"private\", bounds = [0, 10]}",
        ),
        (
            COLUMN + "bounds = [0]",
            "column 'kwh': bounds must be two numbers or two dates; write e.g. bounds = [0, 10]",
        ),
        (
            COLUMN + "bounds = [nan, 1]",
            (
                "column 'kwh': bounds must be two numbers or two dates, not inf or nan;"
                " write e.g. bounds = [0, 10]"
            ),
        ),
        (
            '[columns."a\\nb"]\nrole = "private"\nbounds = [1, 0]',
            "column 'a\\nb': bounds must be in order; write bounds = [0, 1]",
        ),
        (
            'proposal = "yes"\n' + COLUMN + "bounds = [0, 1]",
            "proposal must be true or false; write proposal = true or delete it",
        ),
        (
            "x = 1e99999999999999999999",
            "holds a number with too many digits; write a shorter one",
        ),
        (
            "x = " + "1" * 5000,
            "holds a number with too many digits; write a shorter one",
        ),
        (
            "x = " + "[" * 5000,
            "holds lists that are nested too deeply; write flat ones",
        ),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        Schema.parse(text, origin="schema.toml")
    assert str(caught.value) == f"schema.toml: {message}"


def test_text_that_is_no_toml() -> None:
    with pytest.raises(SchemaError, match=r"^schema: is not valid TOML: .* \(at line 2"):
        Schema.parse("a = 1\nb = = 2\n")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "schema.toml"
    with pytest.raises(SchemaError) as caught:
        Schema.read(file)
    assert str(caught.value) == f"{file}: there is no such file; check the name and the folder"


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="is a directory; name the schema file in it"):
        Schema.read(tmp_path)


def test_a_path_through_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SchemaError, match="cannot be read: Not a directory"):
        Schema.read(tmp_path / "file" / "schema.toml")


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    file = tmp_path / "schema.toml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SchemaError, match="is not text in UTF-8"):
        Schema.read(str(file))


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    file = tmp_path / "schema.toml"
    file.write_text(CURATOR, encoding="utf-8-sig")
    assert Schema.read(file) == Schema.parse(CURATOR)


def test_a_mistake_in_a_file_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "schema.toml"
    file.write_text(COLUMN, encoding="utf-8")
    with pytest.raises(SchemaError) as caught:
        Schema.read(file)
    assert str(caught.value).startswith(f"{file}: column 'kwh': does not say")


def test_a_schema_shows_itself_as_a_table() -> None:
    schema = Schema.parse(
        'proposal = true\ncolumns.kwh = {role = "private", bounds = [0, 9], missing = 0}\n'
        'columns.suburb = {role = "public", categories = ["a"]}'
    )
    assert repr(schema).splitlines() == [
        "Schema of 2 columns, a proposal made from the data",
        "  column  role     holds",
        "  kwh     private  0..9 in steps of 1 (10 values), a missing value counts as 0",
        "  suburb  public   1 category",
    ]
    assert "<th" in schema._repr_html_()
