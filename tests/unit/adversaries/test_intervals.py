import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.adversaries import advantage, wilson
from noiseless.errors import RequestError


@st.composite
def _games(draw: st.DrawFn) -> tuple[int, int]:
    rounds = draw(st.integers(1, 5000))
    return draw(st.integers(0, rounds)), rounds


def _binomial(rounds: int, share: float) -> list[float]:
    logs = math.log(share), math.log(1 - share)
    whole = math.lgamma(rounds + 1)
    return [
        math.exp(
            whole - math.lgamma(k + 1) - math.lgamma(rounds - k + 1) + k * logs[0] + (rounds - k) * logs[1]
        )
        for k in range(rounds + 1)
    ]


@pytest.mark.parametrize(
    ("successes", "rounds", "expected"),
    [
        (81, 263, (0.2553, 0.3662)),
        (15, 148, (0.0624, 0.1605)),
        (0, 20, (0.0, 0.1611)),
        (1, 29, (0.0061, 0.1718)),
    ],
)
def test_wilson_gives_the_values_that_newcombe_published(
    successes: int, rounds: int, expected: tuple[float, float]
) -> None:
    assert wilson(successes, rounds) == pytest.approx(expected, abs=6e-5)


@given(_games())
def test_wilson_holds_the_share_within_0_and_1(game: tuple[int, int]) -> None:
    low, high = wilson(*game)
    assert 0 <= low <= game[0] / game[1] <= high <= 1
    assert low < high


def test_wilson_holds_the_truth_about_as_often_as_it_says() -> None:
    for share in (0.5, 0.7, 0.95):
        masses = _binomial(300, share)
        held = sum(m for k, m in enumerate(masses) if wilson(k, 300)[0] <= share <= wilson(k, 300)[1])
        assert held == pytest.approx(0.95, abs=0.02)


def test_more_confidence_is_a_wider_interval() -> None:
    assert wilson(5, 10, 0.99)[0] < wilson(5, 10)[0] < wilson(5, 10, 0.5)[0]


@given(_games())
def test_an_advantage_lies_in_its_interval(game: tuple[int, int]) -> None:
    found = advantage(*game)
    assert 0 <= found.low <= found.high <= 1
    assert found.value <= found.high
    assert found.value >= found.low


@given(_games())
def test_right_and_wrong_guesses_are_worth_the_same(game: tuple[int, int]) -> None:
    """Whoever is always wrong knows as much as whoever is always right."""
    successes, rounds = game
    first, second = advantage(successes, rounds), advantage(rounds - successes, rounds)
    assert first == pytest.approx(second, abs=1e-12)


def _biases(share: float, rounds: int = 400) -> tuple[float, float]:
    """How far the plain and the corrected advantage are off on average."""
    masses, truth = _binomial(rounds, share), 2 * abs(share - 0.5)
    plain = sum(m * abs(2 * k / rounds - 1) for k, m in enumerate(masses))
    corrected = sum(m * advantage(k, rounds).value for k, m in enumerate(masses))
    return plain - truth, corrected - truth


@pytest.mark.parametrize("share", [0.5, 0.505, 0.51, 0.52, 0.525])
def test_the_corrected_advantage_is_less_biased_than_the_plain_one(share: float) -> None:
    plain, corrected = _biases(share)
    assert plain > 0
    assert abs(corrected) < 0.65 * plain


@pytest.mark.parametrize("share", [0.53, 0.55, 0.6, 0.7, 0.9])
def test_a_clear_advantage_is_hardly_changed(share: float) -> None:
    """Off by a tenth of the standard deviation, 1 / sqrt(rounds) at most, and soon by nothing."""
    assert abs(_biases(share)[1]) < 0.1 / 20
    assert advantage(int(400 * 0.7), 400).value == pytest.approx(0.4, abs=1e-6)


def test_an_advantage_may_be_none_whenever_a_coin_may_have_guessed() -> None:
    assert advantage(520, 1000).low == 0
    assert advantage(1000, 1000).value == 1
    assert advantage(0, 1000).value == 1


@pytest.mark.parametrize(("successes", "rounds"), [(0, 0), (-1, 5), (6, 5)])
def test_impossible_games_are_refused(successes: int, rounds: int) -> None:
    with pytest.raises(RequestError, match="at least one round"):
        wilson(successes, rounds)


@pytest.mark.parametrize("confidence", [0, 1, 1.5])
def test_impossible_confidences_are_refused(confidence: float) -> None:
    with pytest.raises(RequestError, match="confidence"):
        wilson(1, 2, confidence)
