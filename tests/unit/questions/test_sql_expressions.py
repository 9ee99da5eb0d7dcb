import math
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.intervals import AnswerInterval
from noiseless.questions.question import Question
from noiseless.questions.sql.expressions import Combination, answer_to, constant, degree

RATIONALS = st.fractions(-20, 20, max_denominator=12)
QUESTIONS = [Question("sum", "a"), Question("mean", "b"), Question("count")]


@st.composite
def intervals(draw: st.DrawFn) -> tuple[AnswerInterval, Fraction]:
    """An interval and a number in it."""
    low, high = sorted((draw(RATIONALS), draw(RATIONALS)))
    share = draw(st.fractions(0, 1, max_denominator=8))
    return AnswerInterval.of(low, high), low + (high - low) * share


def holds(interval: AnswerInterval, number: Fraction) -> bool:
    return interval.lower <= number <= interval.upper


@given(intervals(), intervals(), st.integers(1, 5))
def test_arithmetic_holds_what_it_is_done_with(
    one: tuple[AnswerInterval, Fraction], two: tuple[AnswerInterval, Fraction], power: int
) -> None:
    (first, x), (second, y) = one, two
    assert holds(first + second, x + y)
    assert holds(first * second, x * y)
    assert holds(first**power, x**power)
    if y:
        assert holds(first / second, x / y)
    assert (
        second.inverse().may_be_missing
        if second.lower <= 0 <= second.upper and second.lower != second.upper
        else True
    )


@given(intervals(), st.integers(1, 4))
def test_powers_are_as_narrow_as_they_can_be(one: tuple[AnswerInterval, Fraction], power: int) -> None:
    interval, _ = one
    found = interval**power
    candidates = [interval.lower**power, interval.upper**power]
    if interval.lower <= 0 <= interval.upper:
        candidates.append(Fraction(0))
    assert (found.lower, found.upper) == (min(candidates), max(candidates))


@given(st.fractions(0, 10**12), st.fractions(0, 10**6))
def test_roots_round_outwards(square: Fraction, more: Fraction) -> None:
    found = AnswerInterval.of(square, square + more).root()
    assert Fraction(found.lower) ** 2 <= square
    assert square + more <= Fraction(found.upper) ** 2
    width = AnswerInterval.of(square).root()
    assert Fraction(width.upper) - Fraction(width.lower) <= Fraction(width.upper) / 2**100
    assert AnswerInterval.of(square**2).root() == AnswerInterval.of(square)


def test_division_by_what_may_be_zero() -> None:
    one = AnswerInterval.of(1, 2)
    assert one / AnswerInterval.of(0, 4) == AnswerInterval(Fraction(1, 4), math.inf, may_be_missing=True)
    assert one / AnswerInterval.of(-4, 0) == AnswerInterval(-math.inf, Fraction(-1, 4), may_be_missing=True)
    assert one / AnswerInterval.of(-1, 1) == AnswerInterval(-math.inf, math.inf, may_be_missing=True)
    assert AnswerInterval.of(0) / AnswerInterval.of(0, 4) == AnswerInterval(
        Fraction(0), Fraction(0), may_be_missing=True
    )
    assert AnswerInterval.of(0, 1) / AnswerInterval.of(0, 4) == AnswerInterval(
        Fraction(0), math.inf, may_be_missing=True
    )
    with pytest.raises(ZeroDivisionError):
        one / AnswerInterval.of(0)
    unbounded = one / AnswerInterval.of(-1, 1)
    assert unbounded.value is None
    assert unbounded**2 == AnswerInterval(Fraction(0), math.inf, may_be_missing=True)
    assert (unbounded + one).lower == -math.inf
    assert AnswerInterval(Fraction(4), math.inf).root() == AnswerInterval(Fraction(2), math.inf)
    assert AnswerInterval(Fraction(4), math.inf).inverse() == AnswerInterval(Fraction(0), Fraction(1, 4))
    assert AnswerInterval.of(-1, 4).root() == AnswerInterval(Fraction(0), Fraction(2), may_be_missing=True)


def test_an_interval_says_how_sure_it_is() -> None:
    assert AnswerInterval.of(3).exact
    assert not AnswerInterval.of(3, 4).exact
    assert not AnswerInterval(Fraction(3), Fraction(3), may_be_missing=True).exact
    assert AnswerInterval.of(3, 4).value == Fraction(7, 2)


def random_expression(random: Random, depth: int) -> Combination:
    if not depth or random.random() < 0.3:
        if random.random() < 0.4:
            return constant(Fraction(random.randint(-4, 4), random.randint(1, 3)))
        return answer_to(random.choice(QUESTIONS))
    one, two = random_expression(random, depth - 1), random_expression(random, depth - 1)
    kind = random.randrange(4)
    if kind == 3:
        try:
            return one / two
        except ZeroDivisionError:
            return one - two
    return one + two if kind == 0 else one - two if kind == 1 else one * two


@given(st.integers(0, 10**9), st.lists(intervals(), min_size=3, max_size=3))
def test_expressions_hold_their_truth(seed: int, told: list[tuple[AnswerInterval, Fraction]]) -> None:
    expression = random_expression(Random(seed), 4)
    answers = {question: interval for question, (interval, _) in zip(QUESTIONS, told, strict=True)}
    truths = {
        question: AnswerInterval.of(truth) for question, (_, truth) in zip(QUESTIONS, told, strict=True)
    }
    exact, found = expression.value(truths), expression.value(answers)
    if exact is None:
        assert found is None or found.may_be_missing
        return
    assert found is not None
    assert found.lower <= exact.lower <= exact.upper <= found.upper
    assert set(expression.questions) <= set(QUESTIONS)
    assert degree(expression) <= 16


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_the_order_of_operands_does_not_matter(one: int, two: int) -> None:
    a, b = random_expression(Random(one), 3), random_expression(Random(two), 3)
    assert a + b == b + a
    assert a * b == b * a
    assert (a - b).write() == (-(b - a)).write()
    assert hash(a * b) == hash(b * a)


def test_nothing_is_cancelled_against_a_denominator() -> None:
    a, b = answer_to(QUESTIONS[0]), answer_to(QUESTIONS[2])
    zero = {QUESTIONS[0]: AnswerInterval.of(0), QUESTIONS[2]: AnswerInterval.of(0)}
    assert (a / a).value(zero) is None
    assert (a - a).terms == ()
    assert (a / b - a / b).value(zero) is None  # 0 times what has no value has none
    assert (constant(1) / (a / b)).value(zero) is None
    assert (a / b / b).write() == "SUM(a) / COUNT(*) / COUNT(*)"
    mean = answer_to(QUESTIONS[1])
    assert (mean - mean).value({QUESTIONS[1]: None}) is None
    with pytest.raises(ZeroDivisionError):
        a / constant(0)
    with pytest.raises(ZeroDivisionError):
        a / (mean - mean)


def test_roots_of_expressions() -> None:
    a = answer_to(QUESTIONS[0])
    assert a.root().value({QUESTIONS[0]: AnswerInterval.of(9)}) == AnswerInterval.of(3)
    assert a.root().value({QUESTIONS[0]: AnswerInterval.of(-9)}) is None
    assert (a.root() + constant(1)).write() == "SQRT(SUM(a)) + 1"
    assert a.root().questions == (QUESTIONS[0],)
    assert (a.root() * constant(0)).terms  # it may have no value
    assert constant(2).root().value({}) == AnswerInterval.of(2).root()


def test_numbers_too_long_for_floats_meet_infinities() -> None:
    long, unbounded = AnswerInterval.of(10**580), AnswerInterval.of(-1, 0).inverse()
    assert (long * unbounded).lower == -math.inf
    assert (long * unbounded).upper == -(10**580)
    assert (long + unbounded).lower == -math.inf
    assert (long + unbounded).upper == 10**580 - 1
