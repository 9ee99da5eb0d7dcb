"""Every inequality about the capacity of a channel; each docstring is the statement."""

import math

import numpy as np
import numpy.typing as npt
from hypothesis import assume, given
from hypothesis import strategies as st

from noiseless.exact import Bits
from noiseless.measures import maximin
from noiseless.theory.capacity import Capacity, capacity
from noiseless.theory.channel import Channel

Matrix = npt.NDArray[np.float64]

ROUNDING = 1e-12


def channels(
    inputs: tuple[int, int] = (2, 5), outputs: tuple[int, int] = (2, 5)
) -> st.SearchStrategy[Matrix]:
    """Random channels with zeros; outputs that never occur are left out."""
    return st.tuples(st.integers(*inputs), st.integers(*outputs)).flatmap(
        lambda shape: st.lists(
            st.lists(st.integers(0, 12), min_size=shape[1], max_size=shape[1]).filter(any),
            min_size=shape[0],
            max_size=shape[0],
        ).map(as_channel)
    )


def as_channel(weights: list[list[int]]) -> Matrix:
    matrix = np.array(weights, float)
    matrix = matrix[:, matrix.any(axis=0)]
    normal: Matrix = matrix / matrix.sum(axis=1, keepdims=True)
    return normal


def found(matrix: Matrix) -> Capacity:
    return capacity(matrix[:, matrix.any(axis=0)])


@given(channels())
def test_ends(matrix: Matrix) -> None:
    """0 <= I(p; W) <= C <= max_x D(W(x) || q) and C <= ln min(inputs, outputs); the search converges."""
    ends = found(matrix)
    assert ends.converged
    assert 0 <= ends.lower_nats <= ends.upper_nats
    assert ends.upper <= Bits(min(matrix.shape)).upper
    assert ends.lower <= ends.upper


@given(channels(), st.data())
def test_any_prior_is_below_and_any_output_above(matrix: Matrix, data: st.DataObject) -> None:
    """I(p; W) <= C <= max_x D(W(x) || q) for every prior p and every q > 0."""
    weights = st.integers(1, 20)
    p, q = (
        np.array(data.draw(st.lists(weights, min_size=size, max_size=size)), float) for size in matrix.shape
    )
    p, q = p / p.sum(), q / q.sum()
    logs = np.log(np.where(matrix > 0, matrix, 1))
    ends = found(matrix)
    information = float(p @ (matrix * (logs - np.log(p @ matrix))).sum(axis=1))
    largest = float((matrix * (logs - np.log(q))).sum(axis=1).max())
    assert information <= ends.upper_nats + ROUNDING
    assert ends.lower_nats <= largest + ROUNDING


@given(channels((2, 4), (2, 4)), channels((2, 4), (2, 4)))
def test_products_add(left: Matrix, right: Matrix) -> None:
    """C(V x W) = C(V) + C(W)."""
    one, two, both = found(left), found(right), found(np.asarray(np.kron(left, right), float))
    assert both.lower_nats <= one.upper_nats + two.upper_nats + ROUNDING
    assert one.lower_nats + two.lower_nats <= both.upper_nats + ROUNDING


@given(channels((2, 4), (2, 4)), channels((2, 4), (2, 4)))
def test_sums(left: Matrix, right: Matrix) -> None:
    """Of two channels side by side, exp C = exp C(V) + exp C(W)."""
    sides = np.block(
        [[left, np.zeros((len(left), right.shape[1]))], [np.zeros((len(right), left.shape[1])), right]]
    )
    one, two, both = found(left), found(right), found(sides)
    assert math.exp(both.lower_nats) <= math.exp(one.upper_nats) + math.exp(two.upper_nats) + ROUNDING
    assert math.exp(one.lower_nats) + math.exp(two.lower_nats) <= math.exp(both.upper_nats) + ROUNDING


@given(channels(outputs=(4, 4)), channels((4, 4)))
def test_post_processing(matrix: Matrix, after: Matrix) -> None:
    """C(W V) <= C(W): what is done to the output never raises capacity."""
    assume(matrix.shape[1] == len(after))
    assert found(matrix @ after).lower_nats <= found(matrix).upper_nats + ROUNDING


@given(channels((2, 4), (3, 3)), channels((3, 3)))
def test_pre_processing(before: Matrix, matrix: Matrix) -> None:
    """C(V W) <= C(W): what is done to the input never raises capacity."""
    assume(before.shape[1] == len(matrix))
    assert found(before @ matrix).lower_nats <= found(matrix).upper_nats + ROUNDING


@given(channels((3, 3), (3, 3)), channels((3, 3), (3, 3)), st.floats(0, 1))
def test_convexity(one: Matrix, two: Matrix, share: float) -> None:
    """C(t V + (1-t) W) <= t C(V) + (1-t) C(W)."""
    assume(one.shape == two.shape)
    mixed = found(share * one + (1 - share) * two)
    bound = share * found(one).upper_nats + (1 - share) * found(two).upper_nats
    assert mixed.lower_nats <= bound + ROUNDING


@given(channels(), st.data())
def test_copies_change_nothing(matrix: Matrix, data: st.DataObject) -> None:
    """Equal inputs count once, and an output may be split at random without telling more."""
    copy = data.draw(st.integers(0, len(matrix) - 1))
    split = data.draw(st.integers(0, matrix.shape[1] - 1))
    share = data.draw(st.floats(0.01, 0.99))
    rows = np.vstack([matrix, matrix[copy]])
    column = rows[:, [split]]
    other = found(np.column_stack([np.delete(rows, split, axis=1), column * share, column * (1 - share)]))
    plain = found(matrix)
    assert other.lower_nats <= plain.upper_nats + ROUNDING
    assert plain.lower_nats <= other.upper_nats + ROUNDING


@given(channels())
def test_between_maximin_information_and_maximal_leakage(matrix: Matrix) -> None:
    """I*(X;Y) <= C <= log sum_y max_x W(y|x): what is told for certain, and what helps any guess."""
    ends = found(matrix)
    assert maximin(Channel.of(matrix).support()).lower <= ends.upper
    assert ends.lower_nats <= math.log(matrix.max(axis=0).sum()) + ROUNDING


@given(st.lists(st.integers(0, 6), min_size=2, max_size=12))
def test_deterministic(outputs: list[int]) -> None:
    """A deterministic channel carries exactly ln of the number of its outputs: eps bits are eps ln 2 nats."""
    matrix = np.eye(7)[outputs]
    assert found(matrix).exact == Bits(len(set(outputs)))


@given(channels().filter(lambda matrix: matrix.all()))
def test_differential_privacy(matrix: Matrix) -> None:
    """Eps-DP => C <= k - 1 - ln k with k = eps / (1 - exp(-eps)) (theory after [P5], the tight value)."""
    eps = float(np.log(matrix.max(axis=0) / matrix.min(axis=0)).max())
    ratio = eps / -math.expm1(-eps) if eps else 1.0
    assert found(matrix).lower_nats <= ratio - 1 - math.log(ratio) + ROUNDING


@given(channels())
def test_total_variation(matrix: Matrix) -> None:
    """(0, d)-DP => C <= d ln min(inputs, outputs)."""
    distance = float(np.abs(matrix[:, None] - matrix).sum(axis=2).max() / 2)
    assert found(matrix).lower_nats <= distance * math.log(min(matrix.shape)) + ROUNDING
