"""What stands in a cell is read as what it tells, and nothing is guessed."""

import re
from fractions import Fraction

import pytest

from noiseless.errors import RequestError
from noiseless.rules import rule
from noiseless.tabulations.publication import Told
from noiseless.tabulations.reading.notation import FigureNotation, RoundedFigures, UnreadableFigure, is_total

ONE = Fraction(1)


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("12", (12, 12)),
        (12.0, (12, 12)),
        ("1,234", (1234, 1234)),
        ("1 234", (1234, 1234)),
        ("1\u202f234", (1234, 1234)),
        ("1'234", (1234, 1234)),
        ("12 [a]", (12, 12)),
        ("12\u00b9", (12, 12)),
        ("<5", (1, 4)),
        ("\u22645", (1, 5)),
        (">=10", (10, None)),
        ("10+", (10, None)),
        ("1-4", (1, 4)),
        ("1 to 4", (1, 4)),
        ("1\u20134", (1, 4)),
        ("x", (0, None)),
        ("C", (0, None)),
        ("*", (0, None)),
        ("..", (0, None)),
        ("", (0, None)),
        (None, (0, None)),
        (float("nan"), (0, None)),
    ],
)
def test_counts(cell: object, told: tuple[int, int | None]) -> None:
    assert FigureNotation().told(cell, ONE, "count") == Told(*told)


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        ("-", "zero in some tables and withheld in others"),
        (".", "zero in some tables and withheld in others"),
        ("1,2", "declare --told decimal=,"),
        ("0.5", "no whole number"),
        ("-3", "negative"),
        ("about 5", "neither a number nor a mark"),
        ("4-1", "wrong way round"),
        ("<1", "leaves no value"),
        (True, "neither a number"),
        ("9" * 30, "2^50"),
    ],
)
def test_what_cannot_be_read_says_why(cell: object, problem: str) -> None:
    with pytest.raises(UnreadableFigure) as error:
        FigureNotation().told(cell, ONE, "count")
    assert problem in str(error.value)


def test_marks_mean_what_is_declared() -> None:
    notation = FigureNotation.of({"zero": ["-"], "marks": {"*": "1-4"}, "suppressed": "q", "below_from": 0})
    assert notation.told("-", ONE, "count") == Told.exact(0)
    assert notation.told("*", ONE, "count") == Told(1, 4)
    assert notation.told("Q", ONE, "count") == notation.told("x", ONE, "count") == Told(0, None)
    assert notation.told("<5", ONE, "count") == Told(0, 4)
    assert FigureNotation.of({"decimal": ","}).number("1.234,5") == Fraction(2469, 2)


def test_magnitudes_are_steps() -> None:
    cents = Fraction(1, 100)
    assert FigureNotation().told("12.34", cents, "magnitude") == Told.exact(1234)
    assert FigureNotation(lowest=Fraction(-5)).told("-4", cents, "magnitude") == Told.exact(-400)
    assert FigureNotation().told("<5", cents, "magnitude") == Told(1, 499)  # zeros are shown as zeros
    assert FigureNotation(least_below=0).told("<5", cents, "magnitude").lower == 0
    assert FigureNotation(lowest=Fraction(-5)).told("<5", cents, "magnitude").lower < -500
    with pytest.raises(UnreadableFigure, match="finer one"):
        FigureNotation().told("12.345", cents, "magnitude")


@pytest.mark.parametrize("base", [2, 3, 5, 10])
@pytest.mark.parametrize("direction", ["half-away", "half-even", "down", "up"])
def test_a_rounded_figure_stands_for_its_preimage(base: int, direction: str) -> None:
    text = f"round:{base}:{direction}"
    published: dict[str, list[int]] = {}
    for value in range(60):
        published.setdefault(str(rule(text).told(value)), []).append(value)
    notation = FigureNotation.of({"rounded": text})
    for figure, values in list(published.items())[:-2]:
        assert notation.told(figure, ONE, "count") == Told(min(values), max(values))


def test_rounding_up_or_down_at_random_leaves_both_sides() -> None:
    assert RoundedFigures.parse("round:3:random").preimage(Fraction(6), ONE) == (4, 8)
    with pytest.raises(UnreadableFigure, match="no multiple of 5"):
        FigureNotation.of({"rounded": "round:5"}).told("12", ONE, "count")
    with pytest.raises(RequestError, match="round:BASE"):
        FigureNotation.of({"rounded": "digits:2"})


@pytest.mark.parametrize(
    "told",
    [{"colour": 1}, {"decimal": ";"}, {"absent": "no"}, {"below_from": 3}, {"zero": 5}, {"totals": "x"}],
)
def test_declarations_that_make_no_sense_are_refused(told: dict[str, object]) -> None:
    with pytest.raises(RequestError, match="told"):
        FigureNotation.of(told)


def test_totals_are_known_by_their_names() -> None:
    assert is_total(" Total ")
    assert is_total("All")
    assert not is_total("Allergy")


@pytest.mark.parametrize(
    "text", ["round:5", "round:5:down", "round:5:up", "round:4:half-even", "round:3:random"]
)
@pytest.mark.parametrize("range_", ["10+", "≥10", ">10", "<5", "≤5", "5-10", "6-9", "1-2"])
def test_a_range_of_rounded_figures_is_asked_about_where_it_differs(text: str, range_: str) -> None:
    """By definition: all values in the range, or all values whose rounded figure may be in it."""
    notation, plain = FigureNotation.of({"rounded": text}), FigureNotation().told(range_, ONE, "count")
    rounded = notation.rounded
    assert rounded is not None

    def inside(value: Fraction | int) -> bool:
        return value >= plain.lower and (plain.upper is None or value <= plain.upper)

    values = [value for value in range(60) if inside(value)]
    figures = [rounded.base * each for each in range(20) if inside(rounded.base * each)]
    after = [
        value
        for value in range(60)
        if any((ends := rounded.preimage(each, ONE))[0] <= value <= ends[1] for each in figures)
    ]
    if after in ([], values):
        assert notation.told(range_, ONE, "count") == plain
    else:
        with pytest.raises(UnreadableFigure, match="figures are rounded") as error:
            notation.told(range_, ONE, "count")
        both = re.findall(r"--told '[^=]+=(\d+-\d+|\d+\+)'", str(error.value))
        meant = [FigureNotation.of({"marks": {"?": each}}).told("?", ONE, "count") for each in both]
        for told, hull in zip(meant, (values, after), strict=True):
            assert (told.lower, told.upper) == (hull[0], None if plain.upper is None else hull[-1])
        for each in both:
            declared = FigureNotation.of({"rounded": text, "marks": {range_: each}})
            assert declared.told(range_, ONE, "count") in meant


@pytest.mark.parametrize(
    ("cells", "asked"),
    [
        (["1.000", "12"], True),
        (["<1.000", "12"], True),
        (["1.234", "12.345"], True),
        (["1.000", "0.000"], False),
        (["1.000", "2.50"], False),
        (["1,234.000", "1.000"], False),
        (["1 234.000"], False),
        (["1234.000"], False),
        (["1,000", "12"], False),
        ([1.0, 1000, None, "x"], False),
    ],
)
def test_points_that_may_stand_before_thousands(cells: list[object], *, asked: bool) -> None:
    assert FigureNotation().thousands(cells) is asked
    assert not FigureNotation.of({"decimal": "."}).thousands(cells)
    assert not FigureNotation.of({"decimal": ","}).thousands(cells)
