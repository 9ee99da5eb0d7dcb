"""Every inequality of the continuous theory; each docstring is the statement."""

import math

from hypothesis import given
from hypothesis import strategies as st

import noiseless as m
from continuous_examples import FEWER, box_ranges, line_ranges, solid_ranges
from noiseless.exact import Bits, Nats
from noiseless.measures import disarray
from noiseless.theory.continuous.joint import ContinuousRange

NOTHING = Nats(1)


def blocks(joint: ContinuousRange) -> float:
    """The number of blocks behind I*."""
    found = m.maximin(joint)
    return float(found.ratio) if isinstance(found, Bits) else found


@given(solid_ranges())
def test_order_of_the_measures(joint: ContinuousRange) -> None:
    """I*(X;Y) <= L0s(X;Y) <= L0(X;Y): as many blocks as e^L0s at most (Proposition 1 of [P1])."""
    assert blocks(joint) <= m.symmetric_leakage(joint).ratio <= m.leakage(joint).ratio


@FEWER
@given(solid_ranges(size_x=2))
def test_order_of_the_measures_of_vectors(joint: ContinuousRange) -> None:
    """The same when X is a vector."""
    assert blocks(joint) <= m.symmetric_leakage(joint).ratio <= m.leakage(joint).ratio


@given(solid_ranges())
def test_information_is_at_most_leakage(joint: ContinuousRange) -> None:
    """0 <= I0(X;Y) <= L0(X;Y), and d0(X|Y) <= h0(X|Y) <= h0(X)."""
    assert 1 <= m.information(joint).ratio <= m.leakage(joint).ratio
    sizes = [disarray(joint).ratio, m.conditional_entropy(joint).ratio, m.entropy(joint).ratio]
    assert sizes == sorted(sizes)


@given(solid_ranges())
def test_transmission_is_not_negative(joint: ContinuousRange) -> None:
    """T0(X;Y) >= 0, and T0, L0s and I* are symmetric."""
    back = joint.swapped()
    assert m.transmission(joint).ratio >= 1
    assert m.transmission(joint) == m.transmission(back)
    assert m.symmetric_leakage(joint) == m.symmetric_leakage(back)
    assert m.maximin(joint) == m.maximin(back)


@given(solid_ranges())
def test_unrelated_variables_share_nothing(joint: ContinuousRange) -> None:
    """If X and Y are unrelated, L0(X;Y) = T0(X;Y) = I*(X;Y) = 0; if L0 > 0 they are related."""
    if joint.is_unrelated():
        assert m.leakage(joint) == m.transmission(joint) == NOTHING
        assert m.maximin(joint) == Bits(1)
    if m.leakage(joint) != NOTHING:
        assert not joint.is_unrelated()


def test_nothing_leaks_from_related_variables_that_differ_in_a_null_set() -> None:
    """L0(X;Y) = 0 does not make continuous variables unrelated: measures do not see single values."""
    joint = ContinuousRange.from_boxes([("[0, 1)", (0, 1)), ((1, 1), (0, 0))])
    assert m.leakage(joint) == NOTHING
    assert not joint.is_unrelated()


@given(box_ranges(), st.lists(st.integers(1, 3), unique=True).map(sorted))
def test_post_processing(joint: ContinuousRange, inner: list[int]) -> None:
    """Theorem III.1 of [P4]: L0 and I* do not grow when Y is quantised."""
    quantised = joint.merged([0, *inner, 4])
    assert disarray(quantised).ratio >= disarray(joint).ratio
    assert blocks(quantised) <= blocks(joint)
    if m.entropy(joint).ratio not in {0, math.inf}:
        assert m.leakage(quantised).ratio <= m.leakage(joint).ratio
        assert m.privacy_by_leakage(quantised) >= m.privacy_by_leakage(joint)
    assert m.privacy_by_maximin(quantised) >= m.privacy_by_maximin(joint)


@FEWER
@given(line_ranges())
def test_post_processing_of_lines(joint: ContinuousRange) -> None:
    """The same when Y follows X along lines: infinitely many blocks become finitely many."""
    quantised = joint.merged([-10, 0, 1, 2, 3, 10])
    assert blocks(quantised) <= min(blocks(joint), 5)
    assert disarray(quantised).ratio >= disarray(joint).ratio


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_deterministic_maps(levels: list[int]) -> None:
    """For Y = f(X), f piecewise constant: I*(X;Y) = L0(Y;X) = log2 |[[Y]]| (Theorem IV.3 of [P4])."""
    pieces = [(f"[{k}, {k + 1})", 0, level) for k, level in enumerate(levels)]
    joint = ContinuousRange.from_function(pieces)
    assert m.maximin(joint) == m.leakage(joint.swapped()) == Bits(len(set(levels)))


@given(line_ranges(slopes=(1, -1, 2)))
def test_answers_that_pin_x_down_leak_everything(joint: ContinuousRange) -> None:
    """If some y is passed by lines only, d0(X|Y) = -inf and L0(X;Y) = +inf."""
    if any(not answer.posterior for answer in joint.answers):
        assert disarray(joint) == Nats(0)
        if m.entropy(joint).ratio:
            assert m.leakage(joint) == Nats(math.inf)
