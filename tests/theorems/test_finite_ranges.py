"""Every inequality of the finite theory; each docstring is the statement."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import noiseless as m
from examples import joint_ranges, merged_ranges
from noiseless.exact import Bits
from noiseless.measures import disarray
from noiseless.ranges import JointRange, overlap_partition
from noiseless.theory.accuracy import quality

NOTHING = Bits(1)


@given(joint_ranges())
def test_order_of_the_measures(joint: JointRange) -> None:
    """I*(X;Y) <= L0s(X;Y) <= L0(X;Y) (Proposition 1 of [P1] and of [P3])."""
    assert m.maximin(joint) <= m.symmetric_leakage(joint) <= m.leakage(joint)


@given(joint_ranges())
def test_information_is_at_most_leakage(joint: JointRange) -> None:
    """0 <= I0(X;Y) <= L0(X;Y) <= H0(X)."""
    assert NOTHING <= m.information(joint) <= m.leakage(joint) <= m.entropy(joint)


@given(joint_ranges())
def test_conditional_entropies(joint: JointRange) -> None:
    """B0(X|Y) <= H0(X|Y) <= H0(X)."""
    assert disarray(joint) <= m.conditional_entropy(joint) <= m.entropy(joint)


@given(joint_ranges())
def test_definitions_by_differences(joint: JointRange) -> None:
    """I0 = H0(X) - H0(X|Y), L0 = H0(X) - B0(X|Y), T0 = H0(X) + H0(Y) - H0(X,Y)."""
    assert m.information(joint) + m.conditional_entropy(joint) == m.entropy(joint)
    assert m.leakage(joint) + disarray(joint) == m.entropy(joint)
    assert m.transmission(joint) + Bits(len(joint)) == m.entropy(joint) + m.entropy(joint.swapped())


@given(joint_ranges())
def test_symmetric_measures(joint: JointRange) -> None:
    """I*, L0s and T0 are symmetric: I*(X;Y) = I*(Y;X) and so on."""
    back = joint.swapped()
    assert m.maximin(joint) == m.maximin(back)
    assert m.symmetric_leakage(joint) == m.symmetric_leakage(back)
    assert m.transmission(joint) == m.transmission(back)


@given(joint_ranges(3))
def test_nothing_leaks_exactly_when_unrelated(joint: JointRange) -> None:
    """X and Y are unrelated iff T0(X;Y) = 0 iff L0(X;Y) = 0 iff L0(Y;X) = 0."""
    unrelated = joint.is_unrelated()
    assert (m.transmission(joint) == NOTHING) == unrelated
    assert (m.leakage(joint) == NOTHING) == unrelated
    assert (m.leakage(joint.swapped()) == NOTHING) == unrelated


@given(joint_ranges())
def test_unrelated_variables_have_no_maximin_information(joint: JointRange) -> None:
    """If X and Y are unrelated, I*(X;Y) = 0."""
    if joint.is_unrelated():
        assert m.maximin(joint) == NOTHING


@given(joint_ranges(), st.integers(1, 7))
def test_lemma_1(joint: JointRange, k: int) -> None:
    """Lemma 1 of [P3]: [[S|X]] is k-anonymous iff B0(S|X) >= log k iff L0(S->X) <= log(|[[S]]|/k)."""
    anonymous = all(len(joint.posterior(y)) >= k for y in range(joint.size_y))
    assert anonymous == (disarray(joint) >= Bits(k))
    assert anonymous == (m.leakage(joint) <= Bits(Fraction(joint.size_x, k)))


@given(joint_ranges())
def test_lemma_2(joint: JointRange) -> None:
    """Lemma 2 of [P3]: the S-ranges of the finest decomposition of X are the overlap partition of [[S]]."""
    partition = overlap_partition(joint)
    for block in range(partition.count):
        members = np.flatnonzero(partition.y_blocks == block)
        reached = {int(x) for y in members.tolist() for x in joint.posterior(y)}
        assert reached == set(np.flatnonzero(partition.x_blocks == block).tolist())


@given(merged_ranges())
def test_post_processing(case: tuple[JointRange, list[int]]) -> None:
    """Theorem III.1 of [P4]: P_i(g o f) >= P_i(f), that is L0 and I* do not grow when Y is merged."""
    joint, cells = case
    merged = joint.merged(cells)
    assert m.leakage(merged) <= m.leakage(joint)
    assert m.maximin(merged) <= m.maximin(joint)
    assert m.privacy_by_leakage(merged) >= m.privacy_by_leakage(joint)
    assert m.privacy_by_maximin(merged) >= m.privacy_by_maximin(joint)


@given(merged_ranges())
def test_decomposition_update(case: tuple[JointRange, list[int]]) -> None:
    """[P3] V-B1: fusing the blocks that a cell meets gives the finest decomposition after the merge."""
    joint, cells = case
    updated = overlap_partition(joint).after_merge(cells)
    fresh = overlap_partition(joint.merged(cells))
    assert updated.count == fresh.count
    assert updated.x_blocks.tolist() == fresh.x_blocks.tolist()
    assert updated.y_blocks.tolist() == fresh.y_blocks[cells].tolist()


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12))
def test_deterministic_maps(image: list[int]) -> None:
    """For Y = f(X): I*(X;Y) = L0s(X;Y) = L0(Y;X) = log |[[Y]]|."""
    joint = JointRange.from_pairs(enumerate(image))
    outputs = Bits(len(set(image)))
    assert m.maximin(joint) == outputs
    assert m.leakage(joint.swapped()) == outputs
    assert m.symmetric_leakage(joint) == outputs


@given(st.lists(st.integers(0, 8), min_size=1, max_size=12), st.data())
def test_reporting_a_function_of_the_answer(answers: list[int], data: st.DataObject) -> None:
    """Proposition III.1 of [P4]: I*(X;g(f(X))) <= I*(f(X);g(f(X))), and Q(g o f) depends on f(x) only."""
    g = {y: data.draw(st.integers(0, 8), label=f"g({y})") for y in sorted(set(answers))}
    from_x = JointRange.from_pairs((x, g[y]) for x, y in enumerate(answers))
    from_y = JointRange.from_pairs((y, g[y]) for y in answers)
    assert m.maximin(from_x) <= m.maximin(from_y)
    assert quality(answers, [g[y] for y in answers]) == quality(list(g), list(g.values()))


@given(merged_ranges())
def test_side_information(case: tuple[JointRange, list[int]]) -> None:
    """With Y = (X,A): L0(S->X|A) <= L0(S;(X,A)), L0(S;A) <= L0(S;(X,A)), I*(S;A) <= I*(S;(X,A))."""
    joint, side = case
    alone = joint.merged(side)
    assert m.leakage(joint, side) <= m.leakage(joint)
    assert m.leakage(alone) <= m.leakage(joint)
    assert m.leakage(joint) <= m.leakage(alone) + m.leakage(joint, side)
    assert m.maximin(alone) <= m.maximin(joint)


@given(joint_ranges())
def test_trivial_side_information(joint: JointRange) -> None:
    """L0(S->X|A) = L0(S;X) for a constant A, and 0 when A tells all of X."""
    assert m.leakage(joint, [0] * joint.size_y) == m.leakage(joint)
    assert m.leakage(joint, range(joint.size_y)) == NOTHING


@given(merged_ranges())
def test_conditionally_unrelated(case: tuple[JointRange, list[int]]) -> None:
    """S and X are unrelated conditional on A iff L0(S->X|A) = 0."""
    joint, side = case
    assert joint.is_unrelated(given=side) == (m.leakage(joint, side) == NOTHING)


@given(joint_ranges())
def test_perfect_privacy_is_infinite(joint: JointRange) -> None:
    """P1 is infinite iff nothing leaks (Definition III.1 of [P4]; its text says 0)."""
    assert math.isinf(m.privacy_by_leakage(joint)) == joint.is_unrelated()


def test_symmetric_leakage_is_no_bound_on_what_can_be_sent() -> None:
    """x1:{y1,y2}, x2:{y2}, x3:{y1}: x2 and x3 are never confused, yet L0s = log2(3/2) < 1."""
    joint = JointRange.from_pairs([(1, "y1"), (1, "y2"), (2, "y2"), (3, "y1")])
    assert m.symmetric_leakage(joint) == Bits(Fraction(3, 2))
    assert not set(joint.given(2)) & set(joint.given(3))
