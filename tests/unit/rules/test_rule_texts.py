from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

import pytest

import noiseless as nl
from noiseless.errors import RequestError
from noiseless.rules import (
    EXAMPLES,
    KINDS,
    NK,
    CensusCounts,
    Coarsening,
    Customers,
    Dominance,
    MinCell,
    PPercent,
    Rule,
    rule,
)


@pytest.mark.parametrize(
    "text",
    [
        *EXAMPLES,
        "round:0.01",
        "round:5:down",
        "round:5:up",
        "round:2.5:half-even",
        "top:-3",
        "bottom:0.5",
        "date:decade",
        "date:quarter",
        "date:month",
        "date:week",
        "prefix:0",
        "min-cell:5:zeros",
        "nk:1:75.5",
        "p-percent:0.5",
        "4/80",
    ],
)
def test_a_rule_reads_its_own_text_back(text: str) -> None:
    found = rule(text)
    assert (found.text, str(found), rule(found.text)) == (text, text, found)
    assert found.statement.endswith(".")
    assert found.name in KINDS
    assert found.form
    assert found.used_by
    assert rule(found) is found


def test_every_kind_has_an_example() -> None:
    assert {type(rule(text)) for text in EXAMPLES} == set(KINDS.values())


def test_other_spellings_are_the_same_rule() -> None:
    assert nl.rule(" Round : 5.0 : HALF-AWAY ") == rule("round:5")
    assert rule("customers:15:15") == rule("15/15") == Customers(15, Fraction(15))
    assert rule("round:1e2").text == "round:100"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ruond:5", "did you mean 'round'"),
        ("p-precent:5", "did you mean 'p-percent'"),
        ("", "no rule is called ''"),
        ("kanon:3", "no rule is called 'kanon'; there are 15/15"),
        ("round", "written round:BASE"),
        ("round:", "written round:BASE"),
        ("round:5:down:up", "written round:BASE"),
        ("round:0", "above 0"),
        ("round:-5", "above 0"),
        ("round:five", "finite decimal"),
        ("round:nan", "finite decimal"),
        ("round:inf", "finite decimal"),
        ("round:1_000", "finite decimal"),
        ("round:\N{ARABIC-INDIC DIGIT FIVE}", "finite decimal"),
        ("round:1e999", "digits"),
        ("round:5:sideways", "sideways"),
        ("digits:0", "1 or more"),
        ("digits:1.5", "whole number"),
        ("digits:1000", "at most"),
        ("census-counts:5", "written census-counts"),
        ("top:x", "finite decimal"),
        ("date:hour", "hour"),
        ("prefix:-1", "0 or more"),
        ("min-cell:0", "1 or more"),
        ("min-cell:5:ones", "zeros"),
        ("nk:0:50", "1 or more"),
        ("nk:2:100", "between 0 and 100"),
        ("nk:2", "written nk:N:PERCENT"),
        ("p-percent:0", "above 0"),
        ("15/0", "above 0"),
        ("15/101", "at most 100"),
        ("15/15/15", "written 15/15"),
        ("0/15", "1 or more"),
    ],
)
def test_what_is_no_rule_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(RequestError, match=said) as raised:
        rule(text)
    assert "\n" not in str(raised.value)


def test_only_texts_are_rules() -> None:
    with pytest.raises(RequestError, match="a text such as"):
        rule(5)  # type: ignore[arg-type]


# What is told


def told(text: str, *values: object) -> list[object]:
    found = rule(text)
    assert isinstance(found, Coarsening)
    return [found.told(value) for value in values]


def test_halves_go_where_the_rule_says() -> None:
    halves = [Fraction(n, 2) for n in (-5, -3, -1, 1, 3, 5)]
    assert told("round:1", *halves) == [-3, -2, -1, 1, 2, 3]
    assert told("round:1:half-even", *halves) == [-2, -2, 0, 0, 2, 2]
    assert told("round:1:down", *halves) == [-3, -2, -1, 0, 1, 2]
    assert told("round:1:up", *halves) == [-2, -1, 0, 1, 2, 3]


def test_a_number_keeps_its_kind() -> None:
    (whole, fraction, decimal, widened) = [
        *told("round:5", 12, Fraction(25, 2), Decimal("12.5")),
        *told("round:2.5", 7),
    ]
    assert (type(whole), whole) == (int, 10)
    assert (type(fraction), fraction) == (Fraction, 15)
    assert (type(decimal), str(decimal)) == (Decimal, "15")
    assert (type(widened), str(widened)) == (Decimal, "7.5")
    assert str(told("round:0.01", Decimal("1.005"))[0]) == "1.01"
    assert told("round:0.1", Fraction(1, 3)) == [Fraction(3, 10)]
    assert told("top:5", 4, Decimal("4.50"), 5, 6) == [4, Decimal("4.5"), ">=5", ">=5"]
    assert told("bottom:0.5", 1, Decimal("0.5")) == [1, "<=0.5"]


def test_floats_are_not_exact() -> None:
    for text in ("round:5", "digits:2", "top:3"):
        with pytest.raises(RequestError, match="not exact"):
            told(text, 1.5)
    for value in (True, "12", None, Decimal("nan"), Decimal("inf")):
        with pytest.raises(RequestError, match="numbers"):
            told("round:5", value)


def test_significant_digits() -> None:
    assert told("digits:1", 0, 94, 95, 149, 150, -95, Decimal("0.096")) == [
        *(0, 90, 100, 100, 200, -100),
        Decimal("0.1"),
    ]
    assert told("digits:3", 123456, Decimal("0.00123456")) == [123000, Decimal("0.00123")]


def test_the_census_bureau_s_bands() -> None:
    """The bands and the labels of the Bureau's published tool, at both ends of each."""
    bands = [
        (0, 14, "<15"),
        (15, 24, 20),
        (25, 34, 30),
        (85, 94, 90),
        (95, 124, 100),
        (125, 174, 150),
        (975, 1_049, 1_000),
        (1_050, 1_149, 1_100),
        (9_950, 10_249, 10_000),
        (10_250, 10_749, 10_500),
        (99_750, 100_499, 100_000),
        (999_500, 1_000_500, 1_000_000),  # halves go up below a million and to the even digit above
        (1_000_501, 1_001_499, 1_001_000),
        (1_001_500, 1_002_500, 1_002_000),
        (9_999_500, 10_005_000, 10_000_000),
    ]
    for first, last, label in bands:
        assert (CensusCounts().told(first), CensusCounts().told(last)) == (label, label)
        assert label not in {
            CensusCounts().told(max(first - 1, 0)) if first else None,
            CensusCounts().told(last + 1),
        }
    for value in (-1, Fraction(1, 2)):
        with pytest.raises(RequestError, match="counts"):
            CensusCounts().told(value)


def test_periods_of_dates() -> None:
    day = date(2021, 1, 3)  # a Sunday, of the last week of 2020
    assert told("date:year", day) == ["2021"]
    assert told("date:decade", day, date(2019, 12, 31)) == ["2020s", "2010s"]
    assert told("date:quarter", day, date(2021, 12, 1)) == ["2021-Q1", "2021-Q4"]
    assert told("date:month", day, datetime(2021, 11, 5, 23, tzinfo=UTC)) == ["2021-01", "2021-11"]
    assert told("date:week", day, date(2021, 1, 4)) == ["2020-W53", "2021-W01"]
    with pytest.raises(RequestError, match="dates"):
        told("date:year", "2021-01-03")


def test_prefixes_of_texts() -> None:
    assert told("prefix:2", "3010", "30", "3", "") == ["30**", "30", "3", ""]
    assert told("prefix:0", "3010") == ["****"]
    with pytest.raises(RequestError, match="texts"):
        told("prefix:2", 3010)


# What passes


def test_least_cells() -> None:
    plain, zeros = rule("min-cell:5"), rule("min-cell:5:zeros")
    assert isinstance(plain, MinCell)
    assert isinstance(zeros, MinCell)
    assert [plain.passes(count) for count in (0, 1, 4, 5, 6)] == [False, False, False, True, True]
    assert [zeros.passes(count) for count in (0, 1, 4, 5, 6)] == [True, False, False, True, True]
    assert (plain.told(4), plain.told(5), zeros.told(0)) == ("<5", 5, 0)
    with pytest.raises(RequestError, match="counts"):
        plain.passes(-1)


def test_dominance_is_exact_at_its_edge() -> None:
    third = Fraction(100, 3)
    assert NK(1, third).passes([1, 1, 1])
    assert not NK(1, third).passes([Fraction(10**30 + 1, 10**30), 1, 1])
    assert NK(2, Fraction(85)).passes([50, 35, 15])
    assert not NK(2, Fraction(85)).passes([50, 36, 14])
    assert PPercent(Fraction(10)).passes([Decimal("100.0"), 7, 6, 4])
    assert not PPercent(Fraction(10)).passes([Decimal("100.1"), 7, 6, 4])
    assert Customers(15, Fraction(15)).passes([Fraction(15, 85) * 14, *[1] * 14])
    assert not Customers(15, Fraction(15)).passes([Fraction(15, 85) * 14 + Fraction(1, 10**9), *[1] * 14])


@pytest.mark.parametrize("text", ["nk:2:85", "p-percent:10", "2/60"])
def test_a_total_of_zero_is_told_and_nothing_negative_is_added(text: str) -> None:
    found = rule(text)
    assert isinstance(found, Dominance)
    assert found.passes([0, 0, 0])
    for values in ([5, -1], [0.5, 1]):
        with pytest.raises(RequestError):
            found.passes(values)  # type: ignore[arg-type]


def test_a_total_of_zero_needs_enough_customers() -> None:
    found = nl.rule("15/15")
    assert [found.passes([0] * many) for many in (3, 14, 15)] == [False, False, True]
    assert found.statement.endswith("a total of 0 of enough customers is published.")


@pytest.mark.parametrize("text", EXAMPLES)
def test_what_a_rule_is_not_about_is_refused_in_words(text: str) -> None:
    """Every rule has both questions, so that `nl.rule(text)` can be asked either."""
    found = nl.rule(text)
    if not isinstance(found, Coarsening):
        with pytest.raises(RequestError, match="about totals"):
            found.told(5)
    if not isinstance(found, Dominance | MinCell):
        with pytest.raises(RequestError, match="withholds nothing"):
            found.passes(5)


def test_few_contributors_pass_with_zero_only() -> None:
    assert not PPercent(Fraction(10)).passes([5, 4])
    assert not PPercent(Fraction(10)).passes([5])
    assert PPercent(Fraction(10)).passes([])
    assert not NK(2, Fraction(99)).passes([5, 4])
    assert not Customers(2, Fraction(100)).passes([5])


def test_rules_are_values() -> None:
    assert len({rule("round:5"), rule("round:5.0"), rule("round:5:down")}) == 2
    assert all(isinstance(rule(text), Rule) for text in EXAMPLES)
