"""What stands in a cell is read as what it tells, and nothing is guessed."""

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
        ("-", "none to some and withheld to others"),
        (".", "none to some and withheld to others"),
        ("1,2", "decimal = ','"),
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
