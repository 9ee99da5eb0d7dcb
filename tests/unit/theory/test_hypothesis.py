import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from examples import DICE
from noiseless.errors import ExpressionError, RequestError
from noiseless.exact import Bits, Nats
from noiseless.ranges import JointRange
from noiseless.theory.continuous.boxes import BoxSet
from noiseless.theory.continuous.intervals import IntervalSet
from noiseless.theory.hypothesis.privacy import (
    Privacy,
    amount,
    as_outputs,
    leakage_bound,
    leakage_bound_as_printed,
    leakage_bound_bits,
    quotient,
    size_of,
)
from noiseless.theory.hypothesis.ranges import HypothesisRanges, HypothesisTest, Rule
from noiseless.theory.hypothesis.success import (
    Distribution,
    best_success,
    success_bound,
    worst_prior,
)


def height(error: int) -> HypothesisRanges[Any]:
    """Example 2 of [P2]: Y = height + measurement error; p0: the height is at most 150."""
    noise = IntervalSet.of((-error, error))
    short, tall = IntervalSet.of((100, 150)), IntervalSet.of((150, 250, "(]"))
    return HypothesisRanges.of(short.plus(noise), tall.plus(noise))


def test_the_height_of_a_person() -> None:
    ranges = height(10)
    assert str(ranges.p0) == "[90, 160]"
    assert str(ranges.p1) == "(140, 260]"
    assert str(ranges.surely_p0) == "[90, 140]"
    assert str(ranges.surely_p1) == "(160, 260]"
    assert str(ranges.undecided) == "(140, 160]"
    assert ranges.sizes == (50, 100, 20)
    assert ranges.bound == Nats(150)
    assert ranges.entropy == Nats(170)
    assert ranges.smallest_error == Nats(20)
    test = HypothesisTest.of(ranges, IntervalSet.of((90, 150)))
    assert test.is_consistent
    assert test.performance == Nats(150)
    assert test.relative_performance == Nats(Fraction(150, 170))
    assert round(float(test.relative_performance), 4) == -0.1252  # -0.12516; the paper cuts it off
    assert test.error == Nats(20)
    assert (test(100), test(150), test("301/2")) == ("p0", "p0", "p1")


def test_a_worse_measurement_of_the_height() -> None:
    ranges = height(20)
    test = HypothesisTest.consistent(ranges)
    assert test.performance == ranges.bound == Nats(150)
    assert round(float(test.relative_performance), 4) == -0.2364
    assert ranges.privacy().amount == Nats(Fraction(190, 150))


def test_a_test_that_is_not_consistent() -> None:
    ranges = height(10)
    test = HypothesisTest.of(ranges, "[90, 100] | (200, 300]")
    assert not test.is_consistent
    assert str(test.null) == "[90, 100] | (200, 260]"
    assert str(test.correct) == "[90, 100] | (160, 200]"
    assert str(test.errors) == "(100, 160] | (200, 260]"
    assert test.performance == Nats(50)
    assert "correct on 50 of 170" in repr(test)


def test_consistency_counts_single_points() -> None:
    ranges = HypothesisRanges.of("[0, 1]", "[1, 2]")
    assert HypothesisTest.of(ranges, "[0, 1)").is_consistent
    assert HypothesisTest.of(ranges, "[0, 1]").is_consistent
    wrong_at_a_point = HypothesisTest.of(ranges, "[0, 1] | {2}")
    assert not wrong_at_a_point.is_consistent
    assert wrong_at_a_point.performance == ranges.bound


def test_the_unfair_die() -> None:
    ranges = HypothesisRanges.from_pairs(DICE, lambda face: face % 2 == 0)
    assert ranges.surely_p0 == {"yes"}
    assert ranges.surely_p1 == {"no"}
    assert ranges.sizes == (1, 1, 0)
    assert ranges.bound == 1
    assert ranges.smallest_error == -math.inf
    test = HypothesisTest.of(ranges, {"yes": "p0", "no": "p1"})
    assert test.errors == frozenset()
    assert test.error == -math.inf
    assert test.performance == 1
    upside_down = HypothesisTest.of(ranges, lambda answer: answer == "no")
    assert upside_down.performance == -math.inf
    assert upside_down.relative_performance == -math.inf
    assert not upside_down.is_consistent


def test_the_die_when_six_is_asked_for() -> None:
    ranges = HypothesisRanges.from_pairs(DICE, dict.fromkeys(range(1, 6), "p1") | {6: "p0"})
    assert (ranges.surely_p0, ranges.surely_p1, ranges.undecided) == (set(), {"no"}, {"yes"})
    assert ranges.bound == 0
    assert ranges.privacy().amount == Bits(2)
    assert ranges.privacy().epsilon == 1
    assert ranges.leakage == 1


@pytest.mark.parametrize(
    "null", [[True, False, False], ["p0", "p1", "p1"], lambda x: x == "a", {"a": True, "b": False, "c": "p1"}]
)
def test_from_a_joint_range(null: Rule | list[object]) -> None:
    joint = JointRange.from_pairs([("a", 1), ("a", 2), ("b", 2), ("c", 3)])
    ranges = HypothesisRanges.from_joint(joint, null)
    assert (ranges.p0, ranges.p1) == ({1, 2}, {2, 3})
    assert repr(ranges) == "HypothesisRanges(surely p0: 1, surely p1: 1, undecided: 1)"


def test_from_a_joint_range_without_labels() -> None:
    joint = JointRange.from_matrix([[1, 1, 0], [0, 1, 1]])
    ranges = HypothesisRanges.from_joint(joint, lambda x: x == 0)
    assert (ranges.p0, ranges.p1) == ({0, 1}, {1, 2})


def test_boxes() -> None:
    square = BoxSet.product(IntervalSet.of((0, 2)), IntervalSet.of((0, 2)))
    right = BoxSet.product(IntervalSet.of((1, 3)), IntervalSet.of((0, 2)))
    ranges = HypothesisRanges.of(square, right)
    assert ranges.sizes == (2, 2, 2)
    assert ranges.bound == Nats(4)
    assert ranges.privacy().epsilon == Fraction(1, 2)
    assert HypothesisTest.consistent(ranges, "p1").performance == ranges.bound
    assert HypothesisTest.of(ranges, square)((Fraction(3, 2), 1)) == "p0"


def test_privacy_names_its_reference() -> None:
    ranges = HypothesisRanges.of("[0, 2]", "[1, 3]")
    of_y, of_x = ranges.privacy(), ranges.privacy(IntervalSet.of((0, 8)))
    assert (of_y.reference, of_y.amount, of_y.epsilon) == ("Y", Nats(Fraction(3, 2)), Fraction(1, 2))
    assert (of_x.reference, of_x.amount, of_x.epsilon) == ("X", Nats(4), 3)
    assert ranges.privacy(8) == of_x
    assert str(of_y) == "0.4054 nats (reference [[Y]])"
    assert of_y.is_private(Decimal("0.5"))
    assert not of_y.is_private(0.5000001)
    assert not of_y.is_private(math.inf)


def test_collapsing_the_band_protects_nothing_with_the_papers_reference() -> None:
    """Theorem 4 of [P2]: the band [1, 3] of [0, 4] is reported as 2, a set of measure 0."""
    ranges = HypothesisRanges.of("{2} | (3, 4]", "[0, 1) | {2}")
    assert ranges.privacy().amount == Nats(1)
    assert ranges.privacy().epsilon == 0
    assert ranges.privacy("[0, 4]").epsilon == 1
    assert str(ranges.undecided) == "{2}"


def test_perfect_privacy() -> None:
    finite = HypothesisRanges.of({1, 2}, {1, 2})
    continuous = HypothesisRanges.of("[0, 1]", "[0, 1)")
    assert finite.bound == -math.inf
    assert finite.privacy().amount == finite.privacy().epsilon == math.inf
    assert str(finite.privacy()) == "inf bits (reference [[Y]])"
    assert continuous.bound == Nats(0)
    assert continuous.privacy().amount == Nats(math.inf)
    assert str(continuous.privacy()) == "inf nats (reference [[Y]])"
    assert finite.leakage == 0
    assert continuous.privacy().is_private(10**100)


def test_a_hypothesis_of_measure_0_leaks_without_bound() -> None:
    assert HypothesisRanges.of("{1}", "[0, 1]").leakage == Nats(math.inf)


def test_unbounded_outputs() -> None:
    ranges = HypothesisRanges.of("(-inf, 0]", "[-1, 2]")
    assert ranges.bound == Nats(math.inf)
    assert ranges.leakage == Nats(math.inf)
    with pytest.raises(RequestError, match="both infinite"):
        ranges.privacy()
    assert HypothesisRanges.of("[0, inf)", "[1, inf)").privacy().amount == Nats(math.inf)


def test_leakage_bounds() -> None:
    assert leakage_bound(Fraction(1, 2)) == Nats(3)
    assert leakage_bound(0) == Nats(math.inf)
    assert leakage_bound(math.inf) == Nats(1)
    assert leakage_bound(Decimal("0.25")) == Nats(5)
    assert leakage_bound_bits(1) == 1
    assert leakage_bound_bits(0) == math.inf
    assert leakage_bound_as_printed(0) == math.inf
    assert leakage_bound_as_printed(math.inf) == 0.0
    assert leakage_bound_as_printed(1) == pytest.approx(0.45867514538708193, rel=1e-15)
    assert leakage_bound_as_printed(1) >= 0.458675145387081
    assert leakage_bound_as_printed(Fraction(1, 10**30)) == pytest.approx(30 * math.log(10))
    assert 0 < leakage_bound_as_printed(10**6) < 1e-30


@pytest.mark.parametrize("epsilon", [-1, math.nan])
def test_no_epsilon(epsilon: float) -> None:
    with pytest.raises(RequestError, match="not negative"):
        leakage_bound(epsilon)


def test_sizes() -> None:
    assert as_outputs("{3}") == IntervalSet.of_points([3])
    assert size_of(frozenset({"a", "b"})) == 2
    assert amount(0, counted=True) == -math.inf
    assert amount(math.inf, counted=True) == math.inf
    assert quotient(3, 0) == math.inf
    assert quotient(1, math.inf) == 0
    with pytest.raises(TypeError, match="list"):
        size_of([1])


@pytest.mark.parametrize(
    ("p0", "p1", "problem"),
    [
        ({1}, "[0, 1]", "both ranges"),
        ([], [1], "null hypothesis"),
        ([1], [], "alternative hypothesis"),
        (IntervalSet.of(), "[0, 1]", "null hypothesis"),
        (5, [1], "as a set of hashable"),
        ([[1]], [1], "as a set of hashable"),
    ],
)
def test_no_ranges(p0: object, p1: object, problem: str) -> None:
    with pytest.raises(RequestError, match=problem):
        HypothesisRanges.of(p0, p1)


def test_what_cannot_be_tested() -> None:
    joint = JointRange.from_pairs([("a", 1), ("b", 2)])
    with pytest.raises(RequestError, match="1 hypotheses for 2 values"):
        HypothesisRanges.from_joint(joint, [True])
    with pytest.raises(RequestError, match="True or"):
        HypothesisRanges.from_joint(joint, ["yes", "no"])
    with pytest.raises(RequestError, match="leaves a value out"):
        HypothesisRanges.from_pairs([("a", 1)], {"b": True})
    with pytest.raises(ExpressionError, match="no number"):
        HypothesisRanges.of("[0, x]", "[0, 1]")
    ranges = HypothesisRanges.of({1, 2}, {2, 3})
    with pytest.raises(RequestError, match="same kind"):
        HypothesisTest.of(ranges, "[0, 1]")
    with pytest.raises(RequestError, match="no output"):
        HypothesisTest.consistent(ranges)(4)
    with pytest.raises(RequestError, match="both be counted"):
        ranges.privacy("[0, 1]")
    with pytest.raises(RequestError, match="not negative"):
        Privacy("X", -1, 2, counted=True)
    with pytest.raises(RequestError, match="given by the set"):
        HypothesisTest.of(height(10), lambda y: y > 150)
    with pytest.raises(RequestError, match="both are 0"):
        HypothesisRanges.of("{1}", "{2}").privacy()


def test_probabilities() -> None:
    p0 = {"a": Fraction(1, 2), "b": Fraction(1, 2)}
    p1: Distribution = {"b": 0.25, "c": "3/4"}
    assert best_success(p0, p1) == Fraction(7, 8)
    assert best_success(p0, p1, prior=1) == 1
    assert worst_prior(p0, p1) == (Fraction(1, 3), Fraction(5, 6))
    ranges = HypothesisRanges.of(p0, p1)
    assert (ranges.p0, ranges.p1) == ({"a", "b"}, {"b", "c"})
    assert success_bound(ranges, "1/4") == Fraction(5, 8)
    assert success_bound(ranges, "1/4", prior=None) == Fraction(5, 8)


def test_rounded_probabilities_are_divided_by_their_sum() -> None:
    assert best_success(dict.fromkeys(range(10), 0.1), {0: 1}) == Fraction(19, 20)


@pytest.mark.parametrize("bad", [{"a": 2}, {"a": -1, "b": 2}, {}, {"a": "1/2"}])
def test_no_distribution(bad: dict[str, Any]) -> None:
    with pytest.raises(RequestError, match="sum to 1"):
        best_success(bad, {"a": 1})


def test_impossible_densities() -> None:
    ranges = HypothesisRanges.of("[0, 1]", "[0, 4]")
    assert success_bound(ranges, "1/4") == Fraction(7, 8)
    for least in (0, "1/3"):
        with pytest.raises(RequestError, match="no density"):
            success_bound(ranges, least)
    with pytest.raises(RequestError, match="no density"):
        success_bound(HypothesisRanges.of("[0, inf)", "[0, 1]"), "1/1000")
    with pytest.raises(RequestError, match="prior weight"):
        success_bound(ranges, "1/4", prior=2)
