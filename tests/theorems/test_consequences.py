"""What noiseless privacy bounds and what it does not ([P1], section III); each docstring is the statement."""

from fractions import Fraction
from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from noiseless.exact import Bits
from noiseless.measures import leakage, maximin, symmetric_leakage
from noiseless.pricing.reach import QuantizedQuery
from noiseless.questions import Attribute, Continuum, LinearOnBox, Quantity, count, mean, total
from noiseless.ranges import JointRange
from noiseless.ranges.quantizer import Edged, Stepped, Uniform
from noiseless.theory.consequences import consequences
from noiseless.theory.estimation import estimation_error_bound, least_estimation_error

PROPER = st.fractions(Fraction(1, 8), 8, max_denominator=8)


def _integral(low: Fraction, high: Fraction, estimate: Fraction, power: int) -> Fraction:
    """The integral of |x - estimate|^p from low to high, exactly."""

    def upto(x: Fraction) -> Fraction:
        return abs(x - estimate) ** (power + 1) * (1 if x >= estimate else -1) / (power + 1)

    return upto(high) - upto(low)


@given(PROPER, st.integers(1, 9), st.integers(1, 4))
def test_the_uniform_quantizer_attains_theorem_4(length: Fraction, outputs: int, power: int) -> None:
    """E|X_i - Xh_i|^p = rho mu^(p+1) N^-p / ((p+1) 2^p) for N equal cells and the uniform density."""
    quantizer = Uniform(Continuum(Fraction(0), length), outputs)
    edges = [quantizer.edge(cell) for cell in range(outputs + 1)]
    error = sum((_integral(a, b, (a + b) / 2, power) for a, b in pairwise(edges)), Fraction(0)) / length
    assert error == estimation_error_bound(length, outputs, power)


@st.composite
def coarse_maps(draw: st.DrawFn) -> list[int]:
    """The output of each twelfth of an interval: the sets behind outputs need not be connected."""
    return draw(st.lists(st.integers(0, 3), min_size=12, max_size=12))


@given(
    coarse_maps(), st.integers(1, 3), st.lists(st.fractions(0, 1, max_denominator=24), min_size=4, max_size=4)
)
def test_theorem_4(outputs: list[int], power: int, estimates: list[Fraction]) -> None:
    """E|X_i - Xh_i|^p >= rho mu^(p+1) N^-p / ((p+1) 2^p), for any sets behind N outputs and any estimates."""
    parts = [Fraction(k, 12) for k in range(13)]
    error = sum(
        (_integral(a, b, estimates[y], power) for (a, b), y in zip(pairwise(parts), outputs, strict=True)),
        Fraction(0),
    )
    assert error >= estimation_error_bound(1, len(set(outputs)), power)


@given(PROPER, st.integers(1, 9), st.integers(1, 4), st.integers(1, 8))
def test_the_printed_bound_is_far_below(length: Fraction, outputs: int, power: int, part: int) -> None:
    """With the density given the others the printed number is (p+1) / (N 2^(p+2)) < 1 of the sharp one."""
    density = 1 / length / part
    sharp = estimation_error_bound(length, outputs, power, density)
    printed = density * length ** (power + 1) / Fraction(4 * outputs) ** (power + 1)
    assert printed == sharp * Fraction(power + 1, outputs * 2 ** (power + 2)) < sharp


def test_theorem_4_says_nothing_about_lattices() -> None:
    """D = {0, 1}, N = 2: the error is 0, where the bound for an interval would be positive."""
    assert least_estimation_error([0, 1], 2).error == 0 < estimation_error_bound(1, 2, 2)
    asked = total(3, Attribute("x", range(2)))
    assert consequences(QuantizedQuery(asked, Stepped(asked.span, 1))).estimation_error() is None


@given(st.integers(1, 8), st.integers(1, 40), st.integers(1, 2))
def test_fine_lattices_come_near_theorem_4(outputs: int, size: int, power: int) -> None:
    """The error on k/m, k < m, tends to that of the interval: at least the bound minus a step's worth."""
    found = least_estimation_error([Fraction(k, size) for k in range(size)], outputs, power)
    assert found.error >= estimation_error_bound(1, outputs, power) - Fraction(power, size)


def test_it_does_not_bound_the_posterior_set() -> None:
    """X in {1, 2, 3}, Y = [X = 3]: eps is 1 bit, and L0(X;Y) = log2 3."""
    asked = total(1, Attribute("x", range(3), Fraction(1)))
    found = consequences(QuantizedQuery(asked, Edged.of(asked.span, [Fraction(3)])))
    assert found.bits == 1
    assert found.record_leakage == Bits(3) > found.bits
    joint = JointRange.from_pairs([(1, "no"), (2, "no"), (3, "yes")])
    assert leakage(joint) == found.record_leakage


def test_unknown_unrelated_others_break_the_bound_of_l0() -> None:
    """Bits x1, x2, M = 0 if x1 = 0 else 1 + x2: reach 2; x2 unknown, L0(Y;X_1) = log2 3, I* keeps 1 bit."""
    answers = {(x1, x2): 0 if x1 == 0 else 1 + x2 for x1 in (0, 1) for x2 in (0, 1)}
    reach = max(
        *(len({answers[x1, x2] for x1 in (0, 1)}) for x2 in (0, 1)),
        *(len({answers[x1, x2] for x2 in (0, 1)}) for x1 in (0, 1)),
    )
    joint = JointRange.from_pairs([(x1, y) for (x1, _), y in answers.items()])
    assert reach == 2
    assert leakage(joint.swapped()) == Bits(3) > Bits(reach)
    assert maximin(joint) <= Bits(reach)


def test_related_records_break_both_bounds() -> None:
    """Two equal records in {0, 1, 2}, their sum in cells {0}, {1, 2}, {3, 4}: reach 2, I* = L0 = log2 3."""
    asked = total(2, Attribute("x", range(3)))
    mechanism = QuantizedQuery(asked, Edged.of(asked.span, [Fraction(1), Fraction(3)]))
    caused = max(len({mechanism.quantizer.cell_at(x + other) for x in range(3)}) for other in range(3))
    together = JointRange.from_pairs([(x, mechanism.quantizer.cell_at(2 * x)) for x in range(3)])
    assert caused == mechanism.reach.outputs == 2
    assert maximin(together) == symmetric_leakage(together) == leakage(together.swapped()) == Bits(3)


@given(st.integers(2, 30), st.integers(1, 5), st.integers(1, 40))
def test_a_budget_of_the_whole_record_protects_nothing(size: int, people: int, points: int) -> None:
    """eps >= H0(X_i) if and only if the certificate warns that nothing is protected."""
    asked = mean(people, Attribute("x", range(size)))
    found = consequences(QuantizedQuery(asked, Stepped(asked.span, points)))
    assert isinstance(found.entropy_of_record, Bits)
    warned = any("protects nothing" in warning for warning in found.warnings)
    assert warned == (found.bits >= found.entropy_of_record)


@given(st.integers(2, 30), st.integers(1, 5), st.integers(1, 40))
def test_some_answer_leaves_no_more_than_its_part(size: int, people: int, points: int) -> None:
    """L0(X_i;Y) >= log2 of the reach: among N answers one leaves at most |D| / N values."""
    asked = mean(people, Attribute("x", range(size)))
    found = consequences(QuantizedQuery(asked, Stepped(asked.span, points)))
    assume(found.reach.exact)
    assert isinstance(found.record_leakage, Bits)
    assert found.record_leakage >= found.bits


@given(st.integers(1, 10**6), st.integers(1, 9))
def test_counts_leave_a_whole_class(people: int, chosen: int) -> None:
    """An exact count tells at most the class: the smaller of those counted and those not counted is left."""
    asked = count(people, Attribute("x", range(10)), range(chosen))
    found = consequences(QuantizedQuery(asked, Stepped(asked.span, 1)))
    assert found.reach.outputs == 2
    assert found.smallest_posterior == min(chosen, 10 - chosen)


@given(st.integers(2, 6), st.integers(2, 40))
def test_on_a_continuum_somebody_is_always_given_away(people: int, cells: int) -> None:
    """For a mean of two or more quantities in two or more cells some answer leaves as little as one likes."""
    asked = LinearOnBox((Fraction(1, people),) * people, Quantity("x", Continuum.of(0, 1)))
    found = consequences(QuantizedQuery(asked, Uniform(asked.span, cells)))
    assert found.smallest_posterior == 0
    assert found.to_dict()["leakage_of_record_nats"] == "inf"
    assert found.warnings
