"""What a guarantee for one person says of several, and what Theorem 4 of [P1] says if read as printed."""

from fractions import Fraction
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from noiseless.pricing.reach import reach
from noiseless.questions import Attribute, total
from noiseless.ranges.quantizer import Edged, Uniform
from noiseless.theory.chosen_pair import FiniteMechanism
from noiseless.theory.estimation import estimation_error_bound


@given(st.integers(2, 8))
def test_noiseless_privacy_has_no_group_property(size: int) -> None:
    """Two people told "equal, and to what" or "different": each causes 2 outputs, both together |D| + 1."""
    domain = tuple(range(size))
    match = FiniteMechanism.of(lambda x: x[0] if x[0] == x[1] else "different", [domain] * 2)
    assert match.reach == 2
    assert len({x if x == y else "different" for x, y in product(domain, domain)}) == size + 1


@given(st.integers(1, 4), st.integers(2, 4), st.data())
def test_a_group_in_a_sum_costs_as_many_times_the_cuts(top: int, people: int, data: st.DataObject) -> None:
    """Sums over a lattice, told in any cells: k people cause at most 1 + k (reach - 1) outputs together."""
    query = total(people, Attribute("x", range(top + 1)))
    edges = data.draw(st.sets(st.integers(1, top * people)))
    quantizer = Edged.of(query.span, sorted(map(Fraction, edges)))
    group = data.draw(st.integers(1, people))
    others = data.draw(st.integers(0, top * (people - group)))
    caused = {quantizer.cell(Fraction(others + own)) for own in range(top * group + 1)}
    assert len(caused) <= 1 + group * (reach(query, quantizer).outputs - 1)


def test_a_group_in_a_sum_can_cost_so_much() -> None:
    """Four people, values 0..10, four cells of ten: one causes 2 outputs, k of them 1 + k."""
    query = total(4, Attribute("x", range(11)))
    quantizer = Uniform(query.span, 4)
    assert reach(query, quantizer).outputs == 2
    for group in range(1, 4):
        most = max(
            len({quantizer.cell(Fraction(others + own)) for own in range(10 * group + 1)})
            for others in range(10 * (4 - group) + 1)
        )
        assert most == 1 + group


@given(
    st.lists(st.integers(0, 4), min_size=9, max_size=9), st.lists(st.integers(0, 2), min_size=5, max_size=5)
)
def test_post_processing_never_costs_more(outputs: list[int], after: list[int]) -> None:
    """reach(g o M) <= reach(M) (Theorem 7 of [P1]): a budget can only be lowered by g."""
    domains = [range(3), range(3)]
    answered = FiniteMechanism.of(lambda x: outputs[3 * x[0] + x[1]], domains)
    processed = FiniteMechanism.of(lambda x: after[outputs[3 * x[0] + x[1]]], domains)
    assert processed.reach <= answered.reach
    assert FiniteMechanism.of(lambda _: 0, domains).reach == 1


def test_theorem_4_of_p1_needs_the_density_given_the_others() -> None:
    """X_1 on [0,1], X_2 on [0,1/10], uniform, nothing told: the error is 1/12, "at least" rho/64 = 10/64.

    Rho is the least *joint* density in the paper; of the density of X_1 given X_2, which is 1, it holds.
    """
    joint_density, given_others = Fraction(10), Fraction(1)
    squared_error = Fraction(1, 12)  # of the best constant, 1/2
    assert joint_density / 2**6 > squared_error  # as printed: false
    assert given_others / 2**6 < squared_error
    assert estimation_error_bound(1, 1, power=2, density=given_others) == squared_error


def test_theorem_4_of_p1_needs_absolute_values() -> None:
    """With an odd power and no absolute value the error of the middle of an interval is 0, or negative."""
    points = [Fraction(k, 10) for k in range(11)]
    assert sum(x - Fraction(1, 2) for x in points) == 0 < estimation_error_bound(1, 1, power=1)
    assert sum(x - 1 for x in points) < 0
