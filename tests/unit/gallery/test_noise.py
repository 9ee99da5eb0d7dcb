"""Noiseless against noise: the mechanisms, their errors and their adversaries, against brute force."""

from fractions import Fraction

import numpy as np
import pytest

from noiseless.arrays import IntArray
from noiseless.gallery import noise_count, noise_mean
from noiseless.gallery.noise_mechanisms import GroupQuestion, Noisy
from noiseless.questions import Lattice

SUM = GroupQuestion("sum", 6, Lattice.of(1, 9, 1))
MEAN = GroupQuestion("mean", 5, Lattice.of(0, 2, Fraction(1, 2)))
BASES = np.arange(0, 5 * 8 + 1)


def all_positions(question: GroupQuestion) -> IntArray:
    return np.arange(question.span.last + 1)


@pytest.mark.parametrize("question", [SUM, MEAN], ids=["sum", "mean"])
@pytest.mark.parametrize("bits", [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3)])
def test_a_noiseless_answer_is_never_off_by_more_than_its_worst_error(
    question: GroupQuestion, bits: Fraction
) -> None:
    told = question.noiseless(bits)
    truths = all_positions(question)
    errors = np.abs(told.tell(truths, 0) - question.answers(truths))
    assert errors.max() == pytest.approx(told.worst)
    assert told.mechanism.reach.outputs <= 2**bits


def test_positions_are_sums() -> None:
    assert SUM.answers(np.array([0, 5, 48])).tolist() == [6, 11, 54]
    assert MEAN.answers(np.array([0, 10, 20])).tolist() == [0, 1, 2]


@pytest.mark.parametrize("bits", [Fraction(1, 2), Fraction(1), Fraction(2), Fraction(3)])
def test_the_estimate_through_cells_is_the_mean_of_what_is_possible(bits: Fraction) -> None:
    told = SUM.noiseless(bits)
    squares = []
    for base in BASES.tolist():
        heard = told.tell(base + np.arange(9), 0)
        means = np.array([np.flatnonzero(heard == one).mean() for one in heard])
        squares.append(((np.arange(9) - means) ** 2).mean())
    assert told.estimating(BASES) == pytest.approx(np.sqrt(np.mean(squares)))
    assert told.estimating_at_worst() == pytest.approx(np.sqrt(np.min(squares)))


@pytest.mark.parametrize("bits", [Fraction(1, 2), Fraction(1), Fraction(2)])
def test_the_estimate_through_noise_is_the_posterior_mean(bits: Fraction) -> None:
    """A long lattice, so that nothing is cut off: the channel is a matrix of the noise's masses."""
    question = GroupQuestion("sum", 200, Lattice.of(0, 8, 1))
    for told in question.noisy(bits):
        assert told.points == 1
        base = question.span.last // 2
        matrix = told._mechanism.probabilities(range(base, base + 9))
        prior = matrix / 9
        means = (np.arange(9) @ prior) / np.where(prior.sum(axis=0) > 0, prior.sum(axis=0), 1)
        square = (prior * (np.arange(9)[:, None] - means) ** 2).sum()
        assert told.estimating(np.array([base])) == pytest.approx(np.sqrt(square), rel=1e-6)
        ends = np.maximum(matrix[0], matrix[8]).sum() / 2
        assert told.telling_ends_apart(np.array([base])) == pytest.approx(ends, rel=1e-6)


def test_values_that_are_rounded_together_are_not_told_apart() -> None:
    """Steps of ten: without noise the estimate is off as in runs of ten whole numbers."""
    told = Noisy(GroupQuestion("sum", 3, Lattice.of(0, 99, 1)), "laplace", 0.0, 10, 10, None)
    assert told.estimating(np.array([5])) == pytest.approx(np.sqrt(99 / 12))


def test_what_is_told_apart_for_certain() -> None:
    assert SUM.noiseless(Fraction(1, 2)).telling_ends_apart(BASES) == 0.5
    assert SUM.noiseless(Fraction(1)).telling_ends_apart(BASES) == 1
    for told in SUM.noisy(Fraction(1)):
        assert 0.5 < told.telling_ends_apart(BASES) < 1
    for told in SUM.noisy(Fraction(4)):  # all nine values may be told: no noise is needed
        assert told.telling_ends_apart(BASES) == 1
        assert told.estimating(BASES) == 0


def test_a_race_is_the_same_each_time() -> None:
    truths = np.array([3, 17, 40])
    first, second = (
        noise_count.compare_mechanisms(SUM, [Fraction(1, 2), Fraction(1)], truths, truths) for _ in range(2)
    )
    for name, line in first.items():
        assert [one.average for one in line] == [one.average for one in second[name]]
        assert [one.bits for one in line] == [Fraction(1, 2), 1]
    assert set(first) == set(noise_count.MECHANISMS)
    assert first["noiseless"][0].spread == 0 < first["laplace"][0].spread


def test_averages_are_those_of_the_table() -> None:
    truths = np.array([3, 17, 40])
    (one,) = noise_count.compare_mechanisms(SUM, [Fraction(1)], truths, truths)["noiseless"]
    told = SUM.noiseless(Fraction(1)).tell(truths, 0)
    assert one.average == pytest.approx(np.abs(told - SUM.answers(truths)).mean())


def test_the_membership_game_is_fair_and_won_with_everything() -> None:
    rng = np.random.default_rng(5)
    meters = rng.integers(0, 50, (400, 20))
    rounds = noise_mean.drawn(meters, 500, seed=1)
    constant = np.zeros(rounds.sums.shape)
    assert 200 < noise_mean.successes(rounds, constant) < 300
    own = rounds.candidates[np.arange(500), rounds.taken]
    assert noise_mean.successes(rounds, own) == 500
    shares = rounds.sums - own
    others = shares - shares.min()
    assert (others >= 0).all()
    assert (rounds.sums >= own).all()


def test_more_bits_give_a_household_away_more_often() -> None:
    rng = np.random.default_rng(6)
    meters = rng.integers(0, 1000, (600, 24))
    played = noise_mean.play(meters, Lattice.of(0, 1000, 1), [Fraction(1, 2), Fraction(4)], 200)
    for name, ((_, few), (_, many)) in played.items():
        assert few < many, name
    check = noise_mean.check(played, 200)
    assert "0.5 bits" in check.measured
    assert noise_mean.panel(played, 200).curves[0].label == "noiseless"
