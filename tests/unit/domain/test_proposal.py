from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.domain import (
    BooleanColumn,
    CategoryColumn,
    Column,
    ColumnSummary,
    DateColumn,
    NumberColumn,
    Schema,
    propose,
)
from noiseless.errors import SchemaError


def numbers(low: int | Decimal, high: int | Decimal, decimals: int = 0) -> ColumnSummary:
    kind = "decimal" if decimals else "integer"
    return ColumnSummary("x", kind, 0, 7, low=low, high=high, decimals=decimals)  # type: ignore[arg-type]


def proposed(summary: ColumnSummary) -> Column:
    return propose([summary]).schema.columns[summary.name]


@pytest.mark.parametrize(
    ("low", "high", "bounds"),
    [
        (28, 66, (20, 70)),
        (126, 564, (100, 600)),
        (0, 38, (0, 40)),
        (3, 9, (2, 10)),
        (20, 70, (10, 80)),
        (-38, 0, (-40, 0)),
        (-38, 25, (-40, 30)),
        (5, 5, (4, 6)),
        (0, 0, (0, 1)),
        (-5, -5, (-6, -4)),
    ],
)
def test_whole_numbers_are_widened_to_round_bounds(low: int, high: int, bounds: tuple[int, int]) -> None:
    column = proposed(numbers(low, high))
    assert column == NumberColumn(role="private", bounds=bounds)


def test_decimals_set_the_step() -> None:
    column = proposed(numbers(Decimal("0.125"), Decimal("9.5"), 3))
    assert column == NumberColumn(role="private", bounds=(0, 10), step=Decimal("0.001"))


def test_a_small_span_far_from_zero() -> None:
    column = proposed(numbers(Decimal("1000.01"), Decimal("1000.03"), 2))
    assert isinstance(column, NumberColumn)
    assert column.bounds == (Decimal("1000.00"), Decimal("1000.04"))


@given(st.integers(-(10**40), 10**40), st.integers(0, 10**40), st.integers(0, 30))
def test_bounds_hold_the_data_with_a_step_to_spare_save_at_zero(low: int, span: int, decimals: int) -> None:
    ends = [Decimal(f"{end}E-{decimals}") for end in (low, low + span)]
    column = proposed(numbers(ends[0], ends[1], decimals))
    assert isinstance(column, NumberColumn)
    step = Fraction(1, 10**decimals)
    below, above = map(Fraction, column.bounds)
    assert below <= Fraction(ends[0]) - step or below == 0 <= ends[0]
    assert above >= Fraction(ends[1]) + step or above == 0 >= ends[1]
    assert all(column.index(end) is not None for end in ends)


def test_dates_are_widened_to_whole_years() -> None:
    days = ColumnSummary("x", "date", 0, 7, low=date(2020, 3, 4), high=date(2021, 3, 1))
    expected = DateColumn(role="private", bounds=(date(2020, 1, 1), date(2021, 12, 31)))
    assert proposed(days) == expected


def test_booleans() -> None:
    assert proposed(ColumnSummary("x", "boolean", 0, 2)) == BooleanColumn(role="private")


def test_few_texts_are_sorted_categories() -> None:
    column = proposed(ColumnSummary("x", "text", 0, 4, values=("b", 10, "a", 9)))
    assert column == CategoryColumn(role="private", categories=(9, 10, "a", "b"))


@pytest.mark.parametrize(
    ("summary", "reason"),
    [
        (ColumnSummary("x", "text", 0, 5000), "text with 5,000 different values"),
        (
            ColumnSummary("x", "text", 0, 101, values=tuple(range(101))),
            "text with 101 different values",
        ),
        (ColumnSummary("x", "decimal", 9, 0), "every value is missing"),
        (ColumnSummary("x", "integer", 0, 3), "no smallest and largest value"),
        (numbers(Decimal("-inf"), 1), "infinite or over 300 digits long"),
        (numbers(1, 10**400), "infinite or over 300 digits long"),
    ],
)
def test_what_cannot_be_proposed_is_left_out_with_the_reason(summary: ColumnSummary, reason: str) -> None:
    proposal = propose([summary, ColumnSummary("y", "boolean", 0, 2)])
    assert list(proposal.schema.columns) == ["y"]
    assert proposal.notes["x"].startswith(f"left out: {reason}")
    assert f"# x: left out: {reason}" in proposal.dump()


def test_a_hundred_texts_are_few() -> None:
    assert proposed(ColumnSummary("x", "text", 0, 100, values=tuple(range(100)))).size == 100


def test_nothing_to_propose_is_an_error() -> None:
    with pytest.raises(SchemaError, match=r"^no column can be proposed: .* by hand$"):
        propose([ColumnSummary("x", "text", 0, 5000)])


def test_notes_tell_that_bounds_are_guesses_and_that_values_are_missing() -> None:
    proposal = propose(
        [
            numbers(1, 9),
            ColumnSummary("y", "decimal", 1200, 7, low=1, high=9, decimals=2),
            ColumnSummary("z", "date", 0, 7, low=date(2020, 3, 4), high=date(2020, 3, 4)),
        ]
    )
    assert all("bounds are guesses" in note for note in proposal.notes.values())
    assert "1,200 rows have none: choose what these count as below, or fill them in" in proposal.notes["y"]
    assert proposal.gaps == {"y": 'missing = "choose"'}
    assert "rows have none" not in proposal.notes["x"]


@pytest.mark.parametrize(
    ("summary", "chosen"),
    [
        (ColumnSummary("x", "date", 2, 7, low=date(2020, 3, 4), high=date(2020, 3, 4)), "2020-05-01"),
        (ColumnSummary("x", "boolean", 2, 2), "false"),
        (ColumnSummary("x", "decimal", 2, 9, low=Decimal("2.25"), high=Decimal("9.5"), decimals=2), "3.5"),
    ],
)
def test_what_missing_values_count_as_is_the_owners_choice(summary: ColumnSummary, chosen: str) -> None:
    """A file in which nobody chose is refused, with what to write."""
    text = propose([summary]).dump()
    assert Schema.parse(text).columns["x"].missing is None
    uncommented = text.replace("\n# missing = ", "\nmissing = ")
    with pytest.raises(SchemaError, match=r"column 'x': missing must be .*; write e\.g\. missing = "):
        Schema.parse(uncommented)
    assert Schema.parse(uncommented.replace('"choose"', chosen)).columns["x"].missing is not None


@pytest.mark.parametrize("values", [("ja", "nein"), ("ja", "unknown")])
def test_missing_texts_may_count_as_unknown(values: tuple[str, ...]) -> None:
    text = propose([ColumnSummary("x", "text", 2, 2, values=values)]).dump()
    uncommented = text.replace("\n# missing = ", "\nmissing = ")
    assert Schema.parse(uncommented).columns["x"].missing == "unknown"


def test_columns_that_are_misread_are_left_out_with_the_remedy() -> None:
    proposal = propose(
        [numbers(1, 9), ColumnSummary("y", "text", 1, 5, values=tuple("abcde"))], {"y": "read it"}
    )
    assert list(proposal.schema.columns) == ["x"]
    assert proposal.notes["y"] == "left out: read it"


def test_dump_explains_itself() -> None:
    text = propose([numbers(28, 66), ColumnSummary("name", "text", 0, 5000)]).dump()
    assert text == (
        "# This is a proposal, made from the data. True bounds must come from knowledge of the"
        " quantity and\n"
        "# not from the data: bounds taken from the data leak its extremes. Check the bounds or"
        " categories of\n"
        "# every column and its role: private, or public for what everyone may know. Then delete"
        " the line\n"
        '# "proposal = true".\n'
        "proposal = true\n"
        "\n"
        "# x: whole numbers; the bounds are guesses, widened: put in the true ones\n"
        "[columns.x]\n"
        'role = "private"\n'
        "bounds = [20, 70]\n"
        "step = 1\n"
        "\n"
        "# name: left out: text with 5,000 different values, as identifiers have; or declare its categories\n"
    )


@given(st.lists(st.text(), min_size=2, unique=True), st.text())
def test_dump_parses_back_whatever_the_names(names: list[str], category: str) -> None:
    kept, left_out = names[::2], names[1::2]
    proposal = propose(
        [ColumnSummary(name, "text", 1, 1, values=(category,)) for name in kept]
        + [ColumnSummary(name, "text", 1, 5000) for name in left_out]
    )
    parsed = Schema.parse(proposal.dump())
    assert parsed == proposal.schema
    assert parsed.proposal
    assert list(parsed.columns) == kept


@pytest.mark.parametrize("name", ["a\nrole = 1", "a\r\n[columns.b]", "\x85x", "\u2028x", '"""'])
def test_no_name_can_end_a_comment(name: str) -> None:
    dump = propose([ColumnSummary(name, "text", 0, 500), numbers(0, 1)]).dump()
    assert list(Schema.parse(dump).columns) == ["x"]
    assert all(line == "" or line[0] in "#[prbs" for line in dump.splitlines())


def test_a_proposal_shows_itself_as_a_table() -> None:
    found = propose(
        [ColumnSummary("ok", "boolean", missing=0, distinct=2), ColumnSummary("no", "text", 3, distinct=0)]
    )
    title, head, *rows = repr(found).splitlines()
    assert title == "Proposed schema of 1 column, to be checked by a person"
    assert head.split() == ["column", "role", "holds", "note"]
    assert rows[0].split() == ["ok", "private", "true", "or", "false", "true", "or", "false"]
    assert "left out: every value is missing" in rows[1]
    assert "left out: every value is missing" in found._repr_html_()
