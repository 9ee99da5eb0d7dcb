import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from continuous_examples import GRID, ends, interval_sets, on_grid
from noiseless.errors import ExpressionError, RequestError
from noiseless.theory.continuous.cuts import endpoint, finite
from noiseless.theory.continuous.intervals import EMPTY, REALS, Interval, IntervalSet


@pytest.mark.parametrize(
    ("given_number", "exact"),
    [
        (3, Fraction(3)),
        (0.1, Fraction(3602879701896397, 36028797018963968)),
        ("0.1", Fraction(1, 10)),
        (" 1/3 ", Fraction(1, 3)),
        (Decimal("-2.50"), Fraction(-5, 2)),
        (np.int64(7), Fraction(7)),
        (np.float32(0.5), Fraction(1, 2)),
        ("-inf", -math.inf),
        (Decimal("Infinity"), math.inf),
        (math.inf, math.inf),
    ],
)
def test_numbers_are_exact(given_number: object, exact: Fraction | float) -> None:
    assert endpoint(given_number) == exact  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [math.nan, Decimal("nan"), Decimal("sNaN"), "one", "1/0", None, 1j])
def test_no_numbers(wrong: object) -> None:
    with pytest.raises(RequestError):
        endpoint(wrong)  # type: ignore[arg-type]


def test_an_integer_of_numpy_does_not_overflow() -> None:
    assert finite(np.int64(2**62)) * 4 == 2**64


def test_finite_refuses_infinity() -> None:
    with pytest.raises(RequestError, match="finite"):
        finite("inf")


def test_infinite_ends_are_open() -> None:
    whole = Interval.of(-math.inf, math.inf, "[]")
    assert not whole.closed_low
    assert not whole.closed_high
    assert math.inf not in whole


@pytest.mark.parametrize(
    "wrong", [(1, 0), (1, 1, "[)"), (1, 1, "()"), ("inf", "inf"), (0, 1, "[["), (0, "x")]
)
def test_empty_and_odd_intervals_are_refused(wrong: tuple[object, ...]) -> None:
    with pytest.raises(RequestError):
        Interval.of(*wrong)  # type: ignore[arg-type]
    with pytest.raises(RequestError):
        IntervalSet.of(wrong)  # type: ignore[arg-type]


def test_maximal_intervals() -> None:
    assert IntervalSet.of((0, 1, "[)"), (1, 2)) == IntervalSet.of((0, 2))
    assert IntervalSet.of((0, 1, "[)"), (1, 2, "(]")).intervals == (
        Interval.of(0, 1, "[)"),
        Interval.of(1, 2, "(]"),
    )
    assert IntervalSet.of((0, 1, "()"), (0, 0), (1, 1)) == IntervalSet.of((0, 1))
    assert hash(IntervalSet.of((0, 1), (1, 2))) == hash(IntervalSet.of((0, 2)))


def test_isolated_points() -> None:
    numbers = IntervalSet.parse("[0, 1) | {1} | {3} | (4, 5)")
    assert numbers.points == (Fraction(3),)
    assert len(numbers) == 3


def test_measure() -> None:
    assert IntervalSet.parse("[0, 1/3) | {5} | (6, 7)").measure == Fraction(4, 3)
    assert IntervalSet.parse("(0, inf)").measure == math.inf
    assert EMPTY.measure == 0
    assert REALS.measure == math.inf


def test_hull() -> None:
    assert IntervalSet.parse("(0, 1) | {3}").hull == Interval.of(0, 3, "(]")
    with pytest.raises(RequestError, match="no hull"):
        _ = EMPTY.hull


def test_complement() -> None:
    assert str(IntervalSet.parse("[0, 1) | {3}").complement()) == "(-inf, 0) | [1, 3) | (3, inf)"
    assert EMPTY.complement() == REALS


@pytest.mark.parametrize("text", ["[0, 1/2) | {3} | (4, inf)", "{}", "(-inf, inf)", "{1} | {5/2}", "(0, 1]"])
def test_texts_are_read_back(text: str) -> None:
    numbers = IntervalSet.parse(text)
    assert str(numbers) == text
    assert eval(repr(numbers)) == numbers
    assert all(eval(repr(interval)) == interval for interval in numbers)


def test_other_spellings() -> None:
    assert IntervalSet.parse("{1, 2} \u222a [0.5,0.75]") == IntervalSet.of((1, 1), (2, 2), (0.5, 0.75))
    assert IntervalSet.parse("\u2205") == EMPTY


@pytest.mark.parametrize(
    "text", ["", "[0,1", "0,1", "[1,0]", "(1,1)", "{a}", "[1]", "[1,2,3]", "{inf}", "[0,1] |"]
)
def test_unreadable_texts(text: str) -> None:
    with pytest.raises(ExpressionError):
        IntervalSet.parse(text)


def test_images_under_affine_maps() -> None:
    numbers = IntervalSet.parse("[0, 1) | {3}")
    assert str(numbers.affine(1, "1/2")) == "[1/2, 3/2) | {7/2}"
    assert str(numbers.affine(-2, 0)) == "{-6} | (-2, 0]"
    assert str(numbers.affine(0, 0)) == "{0}"
    assert EMPTY.affine(0, 0) == EMPTY


@given(interval_sets(), interval_sets())
def test_set_algebra_on_a_grid(a: IntervalSet, b: IntervalSet) -> None:
    """Every operation agrees with the same one on the points of a grid that tells the sets apart."""
    assert on_grid(a | b) == on_grid(a) | on_grid(b)
    assert on_grid(a & b) == on_grid(a) & on_grid(b)
    assert on_grid(a - b) == on_grid(a) - on_grid(b)
    assert on_grid(a ^ b) == on_grid(a) ^ on_grid(b)
    assert (a <= b) == (on_grid(a) <= on_grid(b))
    assert (a < b) == (on_grid(a) < on_grid(b))
    assert (a >= b, a > b) == (b <= a, b < a)
    assert (a == b) == (on_grid(a) == on_grid(b))
    assert bool(a) == bool(on_grid(a))


@given(interval_sets(), interval_sets(), interval_sets())
def test_laws(a: IntervalSet, b: IntervalSet, c: IntervalSet) -> None:
    """De Morgan, distribution, symmetric differences, additivity of the measure."""
    assert (a | b).complement() == a.complement() & b.complement()
    assert (a & b).complement() == a.complement() | b.complement()
    assert a & (b | c) == (a & b) | (a & c)
    assert a ^ b == (a - b) | (b - a) == (a | b) - (a & b)
    assert (a ^ b) ^ c == a ^ (b ^ c)
    assert a.measure + b.measure == (a | b).measure + (a & b).measure
    assert (a ^ b).measure == (a - b).measure + (b - a).measure
    assert a.complement().complement() == a


@given(interval_sets())
def test_intervals_are_maximal_and_in_order(a: IntervalSet) -> None:
    cuts = a.cuts
    assert list(cuts) == sorted(set(cuts))
    assert IntervalSet.of(*a.intervals) == a
    assert IntervalSet.parse(str(a)) == a


@given(interval_sets(), interval_sets())
def test_sums_on_a_grid(a: IntervalSet, b: IntervalSet) -> None:
    """A sum holds all sums of grid points; each grid point in it is a sum of points a finer grid finds."""
    total = a.plus(b)
    fine = [Fraction(k, 4) for k in range(17)]
    sums = {x + y for x in fine if x in a for y in fine if y in b}
    assert all(value in total for value in sums)
    assert {value for value in GRID if value in total} <= sums


@given(interval_sets(), ends, st.sampled_from([Fraction(k, 2) for k in (-4, -2, 1, 6)]))
def test_affine_images_point_by_point(a: IntervalSet, offset: Fraction, slope: Fraction) -> None:
    image = a.affine(slope, offset)
    assert all((value in a) == (slope * value + offset in image) for value in GRID)
    assert image.measure == Fraction(a.measure) * abs(slope)
