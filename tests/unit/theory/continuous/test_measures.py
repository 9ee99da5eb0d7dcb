import math
from fractions import Fraction

import pytest

import noiseless as m
from noiseless.errors import RequestError
from noiseless.exact import Bits, Nats
from noiseless.measures import disarray
from noiseless.theory.continuous.joint import ContinuousRange

EXAMPLE_II_1 = ContinuousRange.from_function([("[0, 1/2)", 1, 0), ("[1/2, 1]", 0, 1)])
QUANTISED = ContinuousRange.from_labels({"low": "[0, 1)", "high": "[1, 4]"})


def test_example_ii_1() -> None:
    """h0(X|f(X)) = ln(1/2) though y = 1 is a point; d0 = -inf, L0 = +inf, I* = +inf."""
    assert m.entropy(EXAMPLE_II_1) == Nats(1)
    assert m.conditional_entropy(EXAMPLE_II_1) == Nats(Fraction(1, 2))
    assert m.information(EXAMPLE_II_1) == Nats(2)
    assert disarray(EXAMPLE_II_1) == Nats(0)
    assert m.leakage(EXAMPLE_II_1) == Nats(math.inf)
    assert m.symmetric_leakage(EXAMPLE_II_1) == Nats(math.inf)
    assert m.transmission(EXAMPLE_II_1) == Nats(math.inf)
    assert m.maximin(EXAMPLE_II_1) == math.inf
    assert m.privacy_by_leakage(EXAMPLE_II_1) == 0
    assert m.privacy_by_maximin(EXAMPLE_II_1) == 0


def test_the_literal_definition_misses_example_ii_1() -> None:
    """Lebesgue measure on [[Y]] ignores the point y = 1, and all other posterior sets have measure 0."""
    volumes = {answer.posterior.measure for answer in EXAMPLE_II_1.answers if answer.where.measure > 0}
    assert volumes == {0}  # ess sup as printed: ln 0, not ln(1/2)


def test_proposition_v_1_corrected() -> None:
    """A group of k equal people is published as it is: d0 = -inf and L0 = +inf, not 0 and h0(X)."""
    homogeneous = ContinuousRange.from_function([((0, 2), 1, 0)])
    assert disarray(homogeneous) == Nats(0)
    assert str(disarray(homogeneous)) == "-inf nats"
    assert m.leakage(homogeneous) == Nats(math.inf)
    assert m.leakage(homogeneous) != m.entropy(homogeneous)
    assert m.maximin(homogeneous) == math.inf


def test_continuous_x_and_discrete_y() -> None:
    """X is measured in nats, Y and the blocks are counted in bits."""
    assert m.entropy(QUANTISED) == Nats(4)
    assert m.conditional_entropy(QUANTISED) == Nats(3)
    assert disarray(QUANTISED) == Nats(1)
    assert m.information(QUANTISED) == Nats(Fraction(4, 3))
    assert m.leakage(QUANTISED) == Nats(4)
    back = QUANTISED.swapped()
    assert m.entropy(back) == m.leakage(back) == m.maximin(back) == m.maximin(QUANTISED) == Bits(2)
    assert m.conditional_entropy(back) == disarray(back) == Bits(1)
    assert m.privacy_by_maximin(QUANTISED) == 1
    assert m.privacy_by_leakage(QUANTISED) == pytest.approx(1 / math.log(4))
    assert m.privacy_by_leakage(back) == 1


def test_bits_and_nats_never_meet() -> None:
    with pytest.raises(RequestError, match="nats and in bits"):
        m.symmetric_leakage(QUANTISED)
    with pytest.raises(RequestError, match="infinity minus infinity"):
        m.transmission(QUANTISED)
    with pytest.raises(RequestError, match="infinity minus infinity"):
        m.transmission(QUANTISED.swapped())


def test_finitely_many_points_are_counted() -> None:
    joint = ContinuousRange.from_boxes([("{0} | {1}", (0, 0)), ((1, 1), (1, 1))])
    assert m.entropy(joint) == Bits(2)
    assert m.transmission(joint) == Bits(Fraction(4, 3))
    assert m.symmetric_leakage(joint) == m.leakage(joint) == Bits(2)
    assert m.conditional_entropy(joint) == Bits(2)
    assert m.maximin(joint) == Bits(1)


def test_one_answer_inside_many_is_ignored_by_the_supremum_only() -> None:
    """A wider set behind one y of an interval does not count in h0(X|Y); a narrower one does in d0."""
    wide = ContinuousRange.from_boxes([((0, 1), (0, 1)), ((0, 9), ("1/2", "1/2"))])
    assert m.conditional_entropy(wide) == Nats(1)
    end = ContinuousRange.from_boxes([((0, 1), "[0, 1)"), ((0, 9), (1, 1))])
    assert m.conditional_entropy(end) == Nats(1)
    apart = ContinuousRange.from_boxes([((0, 1), (0, 1)), ((0, 9), (2, 2))])
    assert m.conditional_entropy(apart) == Nats(9)
    narrow = ContinuousRange.from_boxes([((0, 4), "[0, 1) | (1, 2]"), ((0, 1), (1, 1))])
    assert disarray(narrow) == Nats(1)
    assert m.leakage(narrow) == Nats(4)


def test_a_line_through_a_box_changes_no_measure() -> None:
    plain = ContinuousRange.from_boxes([((0, 2), (0, 2))])
    crossed = ContinuousRange.of([((0, 2), (0, 2))], [((0, 4), 1, -1)])
    assert m.conditional_entropy(crossed) == m.conditional_entropy(plain) == Nats(2)
    assert disarray(crossed) == Nats(0)  # above y = 2 there are points only


def test_vectors() -> None:
    joint = ContinuousRange.from_boxes([("[0, 1] x [0, 2]", "[0, 1)"), ("[0, 2] x [0, 2]", "[1, 2]")])
    assert m.entropy(joint) == Nats(4)
    assert m.leakage(joint) == Nats(2)
    assert m.conditional_entropy(joint) == Nats(4)
    assert m.transmission(joint) == Nats(Fraction(4, 3))
    assert m.maximin(joint) == Bits(1)


def test_infinity_minus_infinity_is_refused() -> None:
    flat = ContinuousRange.from_boxes([("[0, 1] x {0}", (0, 1))])
    unbounded = ContinuousRange.from_boxes([("[0, inf)", (0, 1))])
    for joint in (flat, unbounded):
        for measure in (m.leakage, m.information, m.transmission):
            with pytest.raises(RequestError, match="infinity minus infinity"):
                measure(joint)
    assert m.entropy(flat) == disarray(flat) == Nats(0)
    assert m.entropy(unbounded) == Nats(math.inf)


def test_side_information_is_for_finite_ranges() -> None:
    with pytest.raises(RequestError, match="side information"):
        m.leakage(QUANTISED, given=[0, 0])  # type: ignore[call-overload]  # what is refused


def test_nothing_leaks() -> None:
    joint = ContinuousRange.from_boxes([((0, 3), (0, 5))])
    assert m.leakage(joint) == m.transmission(joint) == Nats(1)
    assert m.privacy_by_leakage(joint) == math.inf
    assert m.privacy_by_maximin(joint) == math.inf
