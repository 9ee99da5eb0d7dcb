import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from noiseless.errors import ChannelError, RequestError
from noiseless.ranges import JointRange
from noiseless.theory.channel import Channel
from noiseless.theory.stochastic import JointDistribution, mutual_information

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


def dense(joint: JointDistribution) -> list[list[Fraction]]:
    """P(x,y) as rows, exactly."""
    rows = [[Fraction(0)] * joint.size_y for _ in range(joint.size_x)]
    pairs = zip(joint.support.x.tolist(), joint.support.y.tolist(), joint.weights.tolist(), strict=True)
    for x, y, weight in pairs:
        rows[x][y] = Fraction(weight, joint.total)
    return rows


def test_a_matrix_of_floats_is_taken_exactly() -> None:
    joint = JointDistribution.from_matrix([[0.1, 0.2], [0.3, 0.4]])
    total = sum(map(Fraction, (0.1, 0.2, 0.3, 0.4)))
    assert joint.x_marginal[0] == (Fraction(0.1) + Fraction(0.2)) / total
    assert sum(joint.x_marginal) == sum(joint.swapped().x_marginal) == 1


def test_a_matrix_of_rationals_is_taken_exactly() -> None:
    matrix: list[list[Fraction | Decimal]] = [
        [Fraction(1, 3), Decimal("0.25")],
        [Decimal(0), Fraction(5, 12)],
    ]
    joint = JointDistribution.from_matrix(matrix)
    assert joint.x_marginal == (Fraction(7, 12), Fraction(5, 12))
    assert joint.posterior(1) == {0: Fraction(3, 8), 1: Fraction(5, 8)}
    assert dense(joint) == [[Fraction(1, 3), Fraction(1, 4)], [0, Fraction(5, 12)]]


def test_masses_of_any_size_stay_in_proportion() -> None:
    joint = JointDistribution.from_matrix([[1e-300, 0.5], [5e-324, 0.5]])
    assert joint.posterior(0)[0] / joint.posterior(0)[1] == Fraction(1e-300) / Fraction(5e-324)


def test_values_that_never_occur_are_left_out_and_labelled() -> None:
    joint = JointDistribution.from_matrix([[0.5, 0, 0.25], [0.0, 0, 0], [0, 0, 0.25]])
    assert (joint.size_x, joint.size_y) == (2, 2)
    assert tuple(joint.support.x_labels or ()) == (0, 2)
    assert joint.posterior(1) == {0: HALF, 2: HALF}


def test_counts_of_repeated_pairs_are_added() -> None:
    joint = JointDistribution.from_counts([1, 0, 1, 1], [0, 0, 0, 1], [2, 1, 3, 0])
    assert joint.weights.tolist() == [1, 5]
    assert JointDistribution.from_counts([1, 0, 1], [0, 0, 0]).weights.tolist() == [1, 2]


def test_counts_keep_their_labels() -> None:
    joint = JointDistribution.from_counts([0, 2], [0, 0], [1, 1], x_labels=("a", "b", "c"))
    assert joint.posterior(0) == {"a": HALF, "c": HALF}


def test_a_channel_and_a_prior() -> None:
    joint = JointDistribution.from_channel([[0.9, 0.1], [0.2, 0.8]], [QUARTER, Fraction(3, 4)])
    assert joint.x_marginal == (QUARTER, Fraction(3, 4))
    assert np.allclose(joint.channel().matrix, [[0.9, 0.1], [0.2, 0.8]], atol=1e-15)


def test_the_prior_of_a_channel_is_exact_even_where_rows_were_rounded() -> None:
    third = [1 / 3, 1 / 3, 1 / 3]
    joint = JointDistribution.from_channel([third, [0.1, 0.2, 0.7], third])
    assert joint.x_marginal == (Fraction(1, 3),) * 3


def test_inputs_of_probability_zero_are_left_out() -> None:
    joint = JointDistribution.from_channel([[1.0, 0], [0.5, 0.5], [0.0, 1]], [0.5, 0, 0.5])
    assert joint.size_x == 2
    assert tuple(joint.support.x_labels or ()) == (0, 2)


def test_uniform_pairs_and_a_uniform_x() -> None:
    joint = JointDistribution.uniform(JointRange.from_pairs([(0, 0), (0, 1), (1, 1)]))
    assert joint.x_marginal == (Fraction(2, 3), Fraction(1, 3))
    even = joint.with_prior()
    assert even.x_marginal == (HALF, HALF)
    assert even.posterior(1) == {0: Fraction(1, 3), 1: Fraction(2, 3)}
    assert joint.with_prior([QUARTER, Fraction(3, 4)]).x_marginal == (QUARTER, Fraction(3, 4))


def test_swapping_twice_changes_nothing() -> None:
    joint = JointDistribution.from_counts([0, 1, 1, 2], [1, 0, 1, 2], [1, 2, 3, 4])
    back = joint.swapped().swapped()
    assert dense(back) == dense(joint)
    assert dense(joint.swapped()) == [list(column) for column in zip(*dense(joint), strict=True)]


def test_merging_and_passing_on() -> None:
    joint = JointDistribution.from_matrix([[0.5, 0.125, 0], [0, 0.125, 0.25]])
    merged = dense(joint.merged([0, 0, 1]))
    assert merged == [[Fraction(5, 8), 0], [Fraction(1, 8), Fraction(1, 4)]]
    assert dense(joint.through([[1, 0], [1, 0], [0, 1]])) == merged
    assert joint.through([[0.5, 0.5]] * 3).is_independent()


def test_independence_is_decided_exactly() -> None:
    assert JointDistribution.from_matrix([[0.125, 0.375], [0.125, 0.375]]).is_independent()
    near = JointDistribution.from_counts([0, 0, 1, 1], [0, 1, 0, 1], [10**18, 10**18, 10**18, 10**18 + 1])
    assert not near.is_independent()
    assert 0 < mutual_information(near).lower <= mutual_information(near).upper < 1e-36


def test_independence_given_side_information() -> None:
    joint = JointDistribution.from_counts([0, 0, 1, 1], [0, 1, 2, 3], [1, 2, 3, 4])
    assert joint.is_independent([0, 0, 1, 1])
    assert not joint.is_independent([0, 0, 0, 1])


@pytest.mark.parametrize(
    "matrix",
    [
        [[0.5, -0.5], [0.5, 0.5]],
        [[math.nan, 0.5], [0.5, 0]],
        [[math.inf, 0.5], [0.5, 0]],
        [[0.5, 0.4]],
        [0.5, 0.5],
        [[0.5], [0.25, 0.25]],
        [["a", "b"]],
        [[None, 1]],
        [[Decimal("nan"), Decimal(1)]],
        [[]],
        [[Fraction(1, 2), Fraction(1, 3)]],
    ],
)
def test_what_is_no_distribution_is_refused(matrix: list[list[float]]) -> None:
    with pytest.raises(RequestError):
        JointDistribution.from_matrix(matrix)


@pytest.mark.parametrize("prior", [[0.5], [0.5, 0.4], [-1, 2], [[0.5, 0.5]], [math.nan, 1]])
def test_what_is_no_prior_is_refused(prior: list[float]) -> None:
    with pytest.raises(RequestError):
        JointDistribution.from_channel([[1, 0], [0, 1]], prior)


def test_what_are_no_counts_is_refused() -> None:
    for arguments in (
        ([0, 1], [0], [1, 1]),
        ([0, 1], [0, 1], [1]),
        ([0, -1], [0, 1], [1, 1]),
        ([0.5, 1], [0, 1], [1, 1]),
        ([0, 1], [0, 1], [1, -1]),
        ([0, 1], [0, 1], [0, 0]),
        ([], [], []),
    ):
        with pytest.raises(RequestError):
            JointDistribution.from_counts(*arguments)


def test_cells_and_channels_that_do_not_fit_are_refused() -> None:
    joint = JointDistribution.from_matrix([[0.5, 0.5]])
    with pytest.raises(RequestError, match="give one for each"):
        joint.merged([0])
    with pytest.raises(RequestError, match="give one for each"):
        mutual_information(joint, [0, 0, 0])
    with pytest.raises(ChannelError, match="3 inputs"):
        joint.through(np.eye(3))
    with pytest.raises(ChannelError, match="does not sum to 1"):
        JointDistribution.from_channel([[0.5, 0.4], [0.0, 1]])


def test_pairs_are_not_made_dense() -> None:
    random = np.random.default_rng(0)
    x, y = (random.integers(0, 10**9, 10**5) for _ in "xy")
    joint = JointDistribution.from_counts(x, y, random.integers(1, 9, 10**5))
    assert mutual_information(joint).lower > 0  # dense it would need 80 GB at least


def test_a_channel_and_back() -> None:
    channel = Channel.of([[0.75, 0.25], [0.5, 0.5]])
    joint = JointDistribution.from_channel(channel)
    assert joint.channel().matrix.tolist() == channel.matrix.tolist()
    assert repr(joint) == "JointDistribution(2 x 2 values, 4 pairs)"
