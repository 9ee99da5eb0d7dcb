"""Reading, writing and evaluating expressions and hypotheses."""

import re
from decimal import Decimal
from fractions import Fraction
from math import prod

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from noiseless.collection.blur.hypotheses import Hypothesis
from noiseless.collection.blur.polynomials import Polynomial, polynomial_of
from noiseless.domain.expressions import Call, ColumnValue, Constant, Expression, Operation, Power, Ranges
from noiseless.domain.grammar import MOST_CHARACTERS, MOST_NESTING, read_comparison, read_expression
from noiseless.errors import ExpressionError
from noiseless.intervals import Enclosure

F = Fraction


def wider(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.builds(Operation, inner, st.sampled_from("+-*/"), inner),
        st.builds(Power, inner, st.integers(2, 3)),
        st.builds(lambda part: Call("-", (part,)), inner),
        st.builds(lambda part: Call("abs", (part,)), inner),
        st.builds(lambda name, a, b: Call(name, (a, b)), st.sampled_from(["min", "max"]), inner, inner),
    )


LEAVES: st.SearchStrategy[Expression] = st.one_of(
    st.sampled_from([ColumnValue("a"), ColumnValue("b")]),
    st.sampled_from(["0", "1", "2.5", "0.1", "30"]).map(lambda text: Constant(Decimal(text))),
)
EXPRESSIONS = st.recursive(LEAVES, wider, max_leaves=8)
SMALL = st.fractions(-4, 4, max_denominator=6)


def as_python(text: str, a: Fraction, b: Fraction) -> Fraction:
    """What Python makes of a text once its numbers are fractions: the same precedence, another reader."""
    exact = re.sub(r"(?<![\w*])(\d+(?:\.\d+)?)(?!\w)", r"F('\1')", text)
    names = {"F": Fraction, "a": a, "b": b, "abs": abs, "min": min, "max": max}
    return Fraction(eval(exact, {"__builtins__": {}}, names))


def parsed(text: str, ranges: Ranges | None = None) -> Hypothesis:
    return Hypothesis.of(text, read_comparison(text), ranges)


@given(EXPRESSIONS, SMALL, SMALL)
def test_evaluation_agrees_with_python(expression: Expression, a: Fraction, b: Fraction) -> None:
    try:
        expected = as_python(str(expression), a, b)
    except ZeroDivisionError:
        assume(False)
    assert expression.at({"a": a, "b": b}) == expected


@given(EXPRESSIONS)
def test_text_reads_back_as_the_same_tree(expression: Expression) -> None:
    try:
        back = read_expression(str(expression))
    except ExpressionError:
        back = None
    zero = [part for part in parts_of(expression) if isinstance(part, Operation) and divides_by_zero(part)]
    assert back == (None if zero else expression)


def parts_of(expression: Expression) -> list[Expression]:
    return [expression, *(below for part in expression.parts for below in parts_of(part))]


def divides_by_zero(part: Operation) -> bool:
    """Whether a quotient has a constant divisor that is 0 (or has no value for the same reason)."""
    if part.sign != "/" or part.right.columns:
        return False
    try:
        return part.right.at({}) == 0
    except ZeroDivisionError:
        return True


@given(EXPRESSIONS, st.tuples(SMALL, SMALL, SMALL), st.tuples(SMALL, SMALL, SMALL))
def test_enclosures_hold_every_value(
    expression: Expression, a: tuple[Fraction, ...], b: tuple[Fraction, ...]
) -> None:
    (a0, a1, a2), (b0, b1, b2) = sorted(a), sorted(b)
    try:
        found = expression.over({"a": (a0, a2), "b": (b0, b2)})
    except ZeroDivisionError:
        assume(False)
    assert found.lower <= expression.at({"a": a1, "b": b1}) <= found.upper


@given(EXPRESSIONS, SMALL, SMALL)
def test_polynomials_have_the_values_of_the_expression(
    expression: Expression, a: Fraction, b: Fraction
) -> None:
    try:
        found, value = polynomial_of(expression), expression.at({"a": a, "b": b})
    except ZeroDivisionError:
        assume(False)
    assume(found is not None)
    assert found is not None
    point = {"a": a, "b": b}
    terms = (
        prod((point[name] ** power for name, power in powers), start=c) for powers, c in found.terms.items()
    )
    assert sum(terms, F(0)) == value


def test_polynomials() -> None:
    found = polynomial_of(read_expression("30*(h/100)**2 + max(1, 2) - abs(-3)"))
    assert found is not None
    assert found.coefficients("h") == [-1, 0, F(3, 1000)]
    assert found.integral({"h": (F(0), F(10))}) == 1 - 10
    assert repr(found) == "Polynomial(-1 + 3/1000*h**2)"
    for text in ("1/h", "max(h, 1)", "abs(h)", "(a+b+c+d+e+f+g+h)**64"):
        assert polynomial_of(read_expression(text)) is None
    assert polynomial_of(read_expression("h - h")) is not None
    assert Polynomial.constant(F(0)).degree == 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1 + 0.2", F(3, 10)),
        ("-2**2", -4),
        ("2**3**2", 512),
        ("2^2", 4),
        ("2**-2", F(1, 4)),
        ("7 - 2 - 1", 4),
        ("8/4/2", 1),
        ("1e-3", F(1, 1000)),
        (".5 + 1.", F(3, 2)),
        ("+3 − 1", 2),  # noqa: RUF001 - a typographer's minus
        ("3 × 2 · 2", 12),  # noqa: RUF001
        ("min(3, 1, 2) + max(3, 1) - abs(-2)", 2),
        ("0**0", 1),
    ],
)
def test_values(text: str, value: Fraction) -> None:
    assert read_expression(text).at({}) == value


def test_names_of_columns() -> None:
    assert read_expression('"body ""net"" weight" + `a``b` + größe').columns == {
        'body "net" weight',
        "a`b",
        "größe",
    }
    assert str(read_expression("`body weight` + min")) == '"body weight" + min'


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "is not a comparison"),
        ("weight", "is not a comparison"),
        ("30*(height/100)**2", "is not a comparison"),
        ("weight = 3", "compares for equality"),
        ("weight == 3", "compares for equality"),
        ("1 <= weight <= 3", "compares more than once"),
        ("3 >= 2", "names no column"),
        ("x >= x", "stands on both sides"),
        ("x >= 2*x - y", "stands on both sides"),
        ("x >= 1/0", "divides by 0"),
        ("x >= 1/(2-2)", "divides by 0"),
        ("x >= y**65", "a power must be a whole number"),
        ("x >= y**0.5", "a power must be a whole number"),
        ("x >= y**z", "a power must be a whole number"),
        ("x >= 9**9**9", "a power must be a whole number"),
        ("x >= ((9**64)**64)**64", "too large to be evaluated exactly"),
        ("x >= 1e999", "too many digits"),
        ("x >= 2y", "before 'y'"),
        ("x >= y z", "before 'z'"),
        ("x >= 1,5", "before ','"),
        ("x >= ", "before its end"),
        ("x >= (y", "a parenthesis is not closed"),
        ("x >= y)", "before ')'"),
        ("x >= sqrt(y)", "there is no function 'sqrt'"),
        ("height, cm >= 180", "before ','; names that are no plain words stand in double quotes"),
        ("x >= __import__('os')", "is not understood"),
        ("x >= y.real", "is not understood"),
        ("x >= abs(y, z)", "abs takes one"),
        ("x >= min(y)", "min and max take two"),
        ("x >= 'y'", "double quotes"),
        ("x >= " + "(" * 100 + "y" + ")" * 100, f"more than {MOST_NESTING} deep"),
        ("x >= " + "-" * 100 + "y", f"more than {MOST_NESTING} deep"),
        ("x >= " + "y+" * MOST_CHARACTERS + "y", "characters"),
        ("a * b >= 3", "alone on one side"),
        ("a*a + b >= a*c", "alone on one side, such as b >="),
        ("a**2 >= 4", "alone on one side"),
        ("1/x >= 4", "alone on one side"),
    ],
)
def test_what_is_no_hypothesis(text: str, part: str) -> None:
    with pytest.raises(ExpressionError, match=re.escape(part)) as caught:
        parsed(text, dict.fromkeys("abcxyz", (F(1), F(2))))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "solved"),
    [
        ("30*(height/100)**2 <= weight", "weight >= 30 * (height / 100)**2"),
        ("weight < height", "weight < height"),
        ("weight >= 80", "weight >= 80"),
        ("80 > weight", "weight < 80"),
        ("weight/(height/100)**2 >= 30", "weight >= 30 * (height / 100)**2"),
        ("30 < weight/(height/100)**2", "weight > 30 * (height / 100)**2"),
        ("weight - height**2 <= 0", "weight <= 0 + height**2"),
        ("height**2 - weight <= 0", "weight >= height**2 - 0"),
        ("-weight/(height*height) < 3", "weight > -(3 * (height * height))"),
        ("weight/(0-height**2) < 3", "weight > 3 * (0 - height**2)"),
        ("2*weight >= max(height, 3)", "weight >= max(height, 3) / 2"),
        ("weight ≥ 3", "weight >= 3"),
    ],
)
def test_hypotheses(text: str, solved: str) -> None:
    ranges = {"weight": (F(0), F(200)), "height": (F(100), F(250))}
    found = parsed(text, ranges)
    assert str(found) == solved
    assert found.column == "weight"
    sides = read_comparison(text)
    for weight in (F(0), F(79), F(80), F(100), F(187)):
        for height in (F(100), F(160), F(250)):
            point = {"weight": weight, "height": height}
            left, right = sides.left.at(point), sides.right.at(point)
            truth = {">=": left >= right, ">": left > right, "<=": left <= right, "<": left < right}[
                sides.sign
            ]
            assert found.holds(point) == truth


def test_divisors_without_a_known_sign() -> None:
    text = "weight/(height/100)**2 >= 30"
    with pytest.raises(ExpressionError, match=re.escape("write it as weight >= 30 * (height / 100)**2")):
        parsed(text, {"weight": (F(0), F(200)), "height": (F(0), F(250))})
    with pytest.raises(ExpressionError, match="can be 0 or of either sign"):
        parsed(text)


def test_signs_are_proved_by_halving() -> None:
    ranges = {"y": (F(-2), F(3))}
    assert read_expression("y*y - y + 1").sign_over(ranges) == 1
    assert read_expression("y*y - y + 1").over(ranges).sign == 0
    assert read_expression("y - 4").sign_over(ranges) == -1
    assert read_expression("y*y").sign_over(ranges) == 0
    assert read_expression("1/y").sign_over(ranges) == 0
    assert read_expression("3").sign_over({}) == 1


def test_enclosures() -> None:
    x = Enclosure(F(-1), F(2))
    assert abs(x) == Enclosure(F(0), F(2))
    assert x.larger(Enclosure(F(0), F(1))) == Enclosure(F(0), F(2))
    with pytest.raises(ZeroDivisionError):
        x / x
