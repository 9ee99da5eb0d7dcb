import math
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from flint import arb, ctx

from noiseless.errors import ChannelError, RequestError
from noiseless.exact import Bits, ball, ball_above, ball_below
from noiseless.theory.capacity import Capacity, capacity, solvers
from noiseless.theory.capacity.bracket import ChannelRows, information, largest_divergence
from noiseless.theory.capacity.search import distinct_rows
from noiseless.theory.capacity.solvers import (
    Banded,
    factorised,
    improve_by_blahut_arimoto,
    improve_by_newton,
    information_model,
)
from noiseless.theory.channel import Channel

Matrix = npt.NDArray[np.float64]


def random_channel(inputs: int, outputs: int, concentration: float = 1.0, seed: int = 0) -> Matrix:
    return np.random.default_rng(seed).dirichlet(np.full(outputs, concentration), size=inputs)


def geometric(inputs: int, step: float) -> Matrix:
    """The geometric mechanism on 0..inputs-1, clamped, with `step` nats between neighbours."""
    places = np.arange(inputs)
    ratio = math.exp(-step)
    matrix = ratio ** np.abs(places[:, None] - places) * (1 - ratio) / (1 + ratio)
    matrix[:, 0], matrix[:, -1] = ratio**places / (1 + ratio), ratio ** places[::-1] / (1 + ratio)
    normal: Matrix = matrix / matrix.sum(axis=1, keepdims=True)
    return normal


def holds(found: Capacity, value: Callable[[], arb]) -> bool:
    """Whether an exact value is certainly inside."""
    with ctx.workprec(200):
        exact = value()
        return bool(ball(found.lower_nats) <= exact <= ball(found.upper_nats))


def plogp(p: Fraction) -> arb:
    return ball(p) * ball(p).log()


@pytest.mark.parametrize(
    "p", [Fraction(1, 8), Fraction(1, 2**20), Fraction(3, 8), Fraction(1, 2) - Fraction(1, 2**28)]
)
def test_binary_symmetric_channel(p: Fraction) -> None:
    found = capacity([[float(1 - p), float(p)], [float(p), float(1 - p)]])
    assert found.method == "uniform"
    assert found.width_nats < 2e-14
    assert holds(found, lambda: ball(2).log() + plogp(p) + plogp(1 - p))


@pytest.mark.parametrize("p", [Fraction(1, 4), Fraction(1, 2), Fraction(15, 16), Fraction(1, 1024)])
def test_z_channel(p: Fraction) -> None:
    def exact() -> arb:
        return (1 + ball(1 - p) * (ball(p).log() * ball(p / (1 - p))).exp()).log()

    found = capacity([[1.0, 0.0], [float(p), float(1 - p)]])
    assert found.converged
    assert holds(found, exact)


@pytest.mark.parametrize("inputs", [2, 3, 10])
def test_erasure_channel(inputs: int) -> None:
    """Delta ln N."""
    kept = Fraction(5, 8)
    found = capacity(np.column_stack([np.eye(inputs) * float(kept), np.full(inputs, float(1 - kept))]))
    assert found.method == "uniform"
    assert found.width_nats < 1e-13
    assert holds(found, lambda: ball(kept) * ball(inputs).log())


def test_noisy_typewriter() -> None:
    keys = 26
    found = capacity((np.eye(keys) + np.roll(np.eye(keys), 1, axis=1)) / 2)
    assert holds(found, lambda: ball(keys // 2).log())
    assert found.width_nats < 1e-13


@pytest.mark.parametrize("reach", [1, 2, 3, 7, 64, 200])
def test_a_deterministic_channel_carries_exactly_the_logarithm_of_its_reach(reach: int) -> None:
    found = capacity(np.eye(reach)[np.arange(200) % reach])
    assert found.exact == Bits(reach)
    assert found.method == "exact"
    assert (found.lower, found.upper) == (Bits(reach).lower, Bits(reach).upper)
    assert holds(found, lambda: ball(reach).log())
    assert found.atoms == reach


def test_a_useless_channel_carries_nothing() -> None:
    found = capacity([[0.1, 0.2, 0.7]] * 5)
    assert (found.lower, found.upper, found.lower_nats, found.upper_nats) == (0, 0, 0, 0)
    assert math.copysign(1, found.lower_nats) == 1
    assert found.exact == 0


def test_blocks_that_are_useless_within_carry_the_logarithm_of_their_number() -> None:
    assert capacity([[0.5, 0.5, 0, 0], [0.5, 0.5, 0, 0], [0, 0, 0.1, 0.9]]).exact == Bits(2)


def test_one_output() -> None:
    assert capacity([[1], [1], [1]]).exact == 0


def test_more_inputs_than_outputs() -> None:
    found = capacity(random_channel(5000, 3))
    assert found.converged
    assert found.atoms <= 3
    assert found.upper <= Bits(3).upper


def test_two_inputs_and_very_many_outputs() -> None:
    found = capacity(random_channel(2, 200_000))
    assert found.converged
    assert found.width_nats < 1e-10


@pytest.mark.parametrize("difference", [1e-8, 1e-12, 2e-16])
def test_inputs_that_hardly_differ(difference: float) -> None:
    """C = d^2 / 2 (1 + O(d)) for (1/2, 1/2) against (1/2 + d, 1/2 - d): far below the rounding unit."""
    found = capacity([[0.5, 0.5], [0.5 + difference, 0.5 - difference]], tolerance=1e-20)
    actual = (0.5 + difference) - 0.5
    assert found.lower_nats <= actual**2 / 2 * (1 + 1e-6)
    assert actual**2 / 2 * (1 - 1e-6) <= found.upper_nats < actual**2 + 1e-29
    if difference == 1e-8:
        assert found.width_nats < 1e-3 * actual**2


@pytest.mark.parametrize(
    "matrix",
    [
        [[1, 1e-300, 0], [1e-300, 1 - 1e-16, 1e-16], [0.5, 0.5 - 1e-9, 1e-9]],
        [[1, 5e-324], [5e-324, 1], [0.3, 0.7]],
        [[1 - 1e-9, 1e-9], [1, 1e-310]],
        [[0.5, 0.5, 0, 1e-308], [0, 0.5, 0.5, 1e-320], [1e-200, 0, 1, 0]],
    ],
)
def test_entries_far_below_each_other(matrix: list[list[float]]) -> None:
    found = capacity(matrix)
    assert found.converged
    assert 0 <= found.lower <= found.upper <= Bits(len(matrix)).upper
    assert math.isfinite(found.upper_nats)


def test_equal_inputs_and_split_outputs_change_nothing() -> None:
    plain = random_channel(6, 5, seed=1)
    doubled = np.repeat(plain, 2, axis=0)
    split = np.column_stack([doubled[:, :1] * 0.3, doubled[:, :1] * 0.7, doubled[:, 1:]])
    found, other = capacity(plain), capacity(split)
    assert max(found.lower_nats, other.lower_nats) <= min(found.upper_nats, other.upper_nats)
    assert other.atoms == found.atoms


def test_what_was_found_proves_the_bracket() -> None:
    matrix = random_channel(120, 90, 0.3)
    found = capacity(matrix)
    rows = ChannelRows.of(Channel.of(matrix).matrix)
    assert information(rows, found.prior) == pytest.approx(found.lower_nats, abs=1e-13)
    assert largest_divergence(rows, found.output) == pytest.approx(found.upper_nats, abs=1e-13)
    assert found.prior.sum() == pytest.approx(1)
    assert found.output == pytest.approx(found.prior @ matrix, abs=1e-4)
    assert not found.prior.flags.writeable


@pytest.mark.parametrize(
    "matrix",
    [
        random_channel(250, 250),
        random_channel(250, 200, 0.02),
        random_channel(300, 40, 0.1),
        geometric(600, 2 / 599),
        geometric(300, 8 / 299),
        geometric(600, 1.0),
    ],
    ids=["dirichlet", "peaky", "tall", "few inputs", "spread inputs", "all inputs"],
)
def test_channels_of_all_shapes_converge(matrix: Matrix) -> None:
    found = capacity(matrix[:, matrix.any(axis=0)])
    assert found.converged
    assert found.method == "newton"
    assert 0 < found.width_nats <= 1e-9


def test_the_order_of_inputs_and_outputs_does_not_matter() -> None:
    matrix = geometric(400, 4 / 399)
    draw = np.random.default_rng(0)
    shuffled = matrix[draw.permutation(400)][:, draw.permutation(400)]
    found, other = capacity(matrix), capacity(shuffled)
    assert found.converged
    assert other.converged
    assert max(found.lower_nats, other.lower_nats) <= min(found.upper_nats, other.upper_nats)


class CountedTime:
    """A clock that goes on by a second whenever somebody looks at it."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += 1
        return self.now


@pytest.mark.parametrize("seconds", [1, 3])
def test_a_time_limit_leaves_an_honest_bracket(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = geometric(1500, 40 / 1499)
    counted = CountedTime()
    monkeypatch.setattr(time, "monotonic", counted.monotonic)
    found = capacity(matrix, time_limit=seconds)
    assert counted.now <= seconds + 10  # once the time is over, little is begun
    assert not found.converged
    assert 0 < found.width_nats < math.log(1500)
    assert "no: the ends are" in repr(found)
    assert found.lower_nats < 2.1141
    assert found.upper_nats > 2.1138


def test_a_tolerance_below_rounding_ends_without_convergence() -> None:
    found = capacity([[1.0, 0.0], [0.25, 0.75]], tolerance=1e-18)
    assert not found.converged
    assert found.width_nats < 1e-13


def test_systems_agree() -> None:
    matrix, output = random_channel(150, 170), random_channel(1, 170)[0]
    diagonal, sides = np.linspace(0.1, 3, 150), random_channel(150, 2)
    exact = np.linalg.solve(matrix / output @ matrix.T + np.diag(diagonal), sides)
    band = geometric(150, 2.0)
    banded = np.linalg.solve(band @ band.T * 150 + np.diag(diagonal), sides)
    for solve, wanted in (
        (factorised(matrix / output @ matrix.T, diagonal), exact),
        (Banded.of(band).factorise(band, np.full(150, 1 / 150), diagonal), banded),
    ):
        assert solve is not None
        assert solve(sides) == pytest.approx(wanted, abs=1e-6)
    assert Banded.of(band).width < 60


def test_what_is_not_positive_definite_is_said_to_be() -> None:
    assert factorised(np.eye(5), np.full(5, -100.0)) is None


def test_blahut_and_arimoto_agree_with_newton() -> None:
    rows = ChannelRows.of(random_channel(12, 8))
    start = np.full(12, 1 / 12)
    newton = improve_by_newton(information_model(rows), start, 1e-10)
    slow = improve_by_blahut_arimoto(rows, start, 1e-6, math.inf)
    assert information(rows, slow) == pytest.approx(information(rows, newton), abs=1e-6)
    assert (
        information(rows, improve_by_blahut_arimoto(rows, start, 1e-12, time.monotonic()))
        < information(rows, newton) - 1e-6
    )


def test_blahut_and_arimoto_take_over_where_newton_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solvers, "factorised", lambda *_: None)
    found = capacity(random_channel(8, 6), tolerance=1e-6)
    assert found.method == "blahut-arimoto"
    assert found.converged


def test_equal_rows_are_one() -> None:
    assert distinct_rows(np.array([[0.0, 1], [-0.0, 1], [1, 0]])).tolist() == [0, 2]


def test_bits_and_nats_are_rounded_apart() -> None:
    found = capacity(random_channel(4, 4))
    with ctx.workprec(100):
        ln2 = ball(2).log()
        assert found.lower <= ball_below(ball(found.lower_nats) / ln2)
        assert found.upper >= ball_above(ball(found.upper_nats) / ln2)


def test_repr_and_html() -> None:
    found = capacity([[0.9, 0.1], [0.1, 0.9]])
    assert repr(found).splitlines()[:2] == [
        "Capacity of a channel with 2 inputs and 2 outputs",
        "  bits         0.5310044064 to 0.5310044065",
    ]
    assert "<th" in found._repr_html_()
    assert "bits         3\n" in repr(capacity(np.eye(8)))


@pytest.mark.parametrize(
    "matrix", [[[0.5, 0.6], [0.5, 0.5]], [[1, 0]], [[1, -0.0], [1, 0]], "text", [[math.nan, 1], [0, 1]]]
)
def test_what_is_no_channel_is_refused(matrix: object) -> None:
    with pytest.raises(ChannelError):
        capacity(matrix)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options",
    [
        {"tolerance": 0},
        {"tolerance": -1e-9},
        {"tolerance": math.nan},
        {"tolerance": math.inf},
        {"tolerance": "x"},
        {"tolerance": None},
        {"time_limit": 0},
        {"time_limit": math.nan},
        {"time_limit": "x"},
    ],
)
def test_limits_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(RequestError, match="positive number"):
        capacity([[1, 0], [0, 1]], **options)


def test_outputs_that_hardly_ever_occur_do_not_shift_the_band() -> None:
    places = np.arange(-6000, 7000)[None, :] - np.arange(0, 1025)[:, None]
    tails = np.exp(-((places / 60.0) ** 2))
    channel = tails / tails.sum(axis=1, keepdims=True)
    found = capacity(channel[:, channel.any(axis=0)], tolerance=1e-5)
    assert found.converged


@pytest.mark.parametrize("entries", [[[1e308, 1e308], [0.5, 0.5]], [[10**400, 0], [0, 1]]])
def test_huge_entries_are_refused_without_a_warning(entries: list[list[float]]) -> None:
    with pytest.raises(ChannelError):
        capacity(entries)
