"""Figures of [P5]: what they compute, and which printed statements they refute."""

import math
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy.integrate import quad

from gallery_examples import made
from noiseless.exact import Nats
from noiseless.gallery.figure import Outcome
from noiseless.gallery.p5_correlated import told_by_equal, told_by_independent
from noiseless.gallery.p5_mechanisms import MeasuredGuarantees, at_random, erasure, nearest, subset_selection
from noiseless.gallery.p5_non_group import FAILURE, loud_pair, match
from noiseless.gallery.p5_one_time_pad import both, key, padded
from noiseless.gallery.p5_sandwich import near_erasure, rare
from noiseless.theory.capacity import capacity
from noiseless.theory.differential import dp_delta, mi_dp


def refuted(outcome: Outcome) -> list[str]:
    return [check.claim for check in outcome.checks if not check.agrees]


AGREEING = ["p5-mi", "p5-delta", "p5-erasure", "p5-correlated", "p5-one-time-pad", "p5-sandwich"]


@pytest.mark.parametrize("name", AGREEING)
def test_these_agree_with_the_paper(name: str) -> None:
    assert refuted(made(name)) == []


@pytest.mark.parametrize(("name", "wrong"), [("p5-kl", "(82)"), ("p5-non-group", "Property 9 as printed")])
def test_what_is_misprinted_is_refuted_and_its_correction_holds(name: str, wrong: str) -> None:
    (found,) = refuted(made(name))
    assert found.startswith(wrong)


@pytest.mark.parametrize(("epsilon", "values"), [(1.0, 4), (3.0, 5)])
def test_subset_selection_is_computed_by_a_formula(epsilon: float, values: int) -> None:
    def searched(size: int) -> float:
        subsets = list(combinations(range(values), size))
        weights = np.array([[math.exp(epsilon) if x in s else 1 for s in subsets] for x in range(values)])
        return capacity(weights / weights.sum(axis=1, keepdims=True)).upper_nats

    best = max(searched(size) for size in range(1, values))
    assert subset_selection(epsilon, values) == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize("ratio", [0.1, 1.0, 5.0])
def test_a_laplace_bit_is_computed_in_closed_form(ratio: float) -> None:
    def integrand(y: float) -> float:
        p, q = (ratio / 2 * math.exp(-ratio * abs(y - x)) for x in (0, 1))
        return sum(row * math.log(2 * row / (p + q)) for row in (p, q)) / 2

    ends = [-40 / ratio, 0, 1, 1 + 40 / ratio]
    parts = [quad(integrand, low, high)[0] for low, high in pairwise(ends)]
    assert told_by_equal(ratio) == pytest.approx(sum(parts), abs=1e-9)


def test_one_of_one_independent_person_is_the_same() -> None:
    assert told_by_independent(1.0, 1) == pytest.approx(told_by_equal(1.0), abs=1e-5)


def test_erasures_tell_delta_times_the_alphabet() -> None:
    found = MeasuredGuarantees.of(erasure(7, Fraction(1, 5)))
    assert found.information == pytest.approx(math.log(7) / 5, abs=1e-9)
    assert (found.variation, found.epsilon, found.divergence) == (0.2, math.inf, math.inf)


def test_a_pair_attains_the_delta_of_a_group() -> None:
    assert dp_delta(loud_pair(Fraction(3)), Nats(3)) == FAILURE
    assert dp_delta(loud_pair(Fraction(3)).flattened(), Nats(9)) == 4 * FAILURE


def test_two_entries_tell_more_than_twice_one() -> None:
    mechanism = match(8)
    assert mi_dp(mechanism.flattened()).lower_nats > 2 * mi_dp(mechanism).upper_nats


def test_a_pad_hides_until_its_key_is_known() -> None:
    assert mi_dp(padded(6)).upper_nats == mi_dp(key(6)).upper_nats == 0
    assert mi_dp(both(6)).upper_nats == pytest.approx(math.log(6), abs=1e-9)
    assert mi_dp(both(6, Fraction(0))).upper_nats <= 1e-9


def test_families_that_reverse_no_implication() -> None:
    assert rare(8).epsilon > rare(2).epsilon
    assert rare(8).divergence < rare(2).divergence
    assert near_erasure(4).divergence > near_erasure(1).divergence
    assert near_erasure(4).information < near_erasure(1).information


def test_mechanisms_at_random_are_the_same_each_time_and_differ_among_themselves() -> None:
    drawn = at_random()
    at_random.cache_clear()
    assert at_random() == drawn
    assert len(set(drawn)) == len(drawn)


def test_a_bound_that_is_exceeded_is_noticed() -> None:
    assert nearest([(0.5, 1.0), (1.1, 1.0)]) > 1
