"""Closeness, DP, MI-DP, the curves and the variants against plain definitions, worked out by enumeration."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from mechanisms_examples import Row, channels, databases, pairs, priors
from noiseless.exact import Nats
from noiseless.theory.differential import (
    adversarial,
    bayesian,
    delta_floor,
    dp_to_kl,
    dp_to_mi,
    kl_to_delta,
    kl_to_dp,
    mi_to_delta,
    mi_to_dp,
)
from noiseless.theory.differential.database import (
    AnyArray,
    Database,
    divergence_bounds,
    is_close,
    smallest_delta,
    smallest_epsilon,
    total_variation,
)
from noiseless.theory.differential.guarantees import dp_delta, dp_epsilon, kl_dp, mi_dp

factors = st.fractions(1, 6, max_denominator=4)
deltas = st.fractions(0, 1, max_denominator=12)


def events(pair: tuple[Row, Row]) -> Iterator[tuple[Fraction, Fraction]]:
    """(P(A), Q(A)) and (Q(A), P(A)) for every event A."""
    outcomes = range(len(pair[0]))
    for event in chain.from_iterable(combinations(outcomes, size) for size in range(len(outcomes) + 1)):
        p, q = (sum((row[y] for y in event), Fraction()) for row in pair)
        yield p, q
        yield q, p


def neighbours(mechanism: Database) -> Iterator[tuple[Row, Row]]:
    """The exact rows of all databases that differ in one entry."""
    places = list(product(*map(range, mechanism.sizes)))
    for first, second in product(places, places):
        if sum(a != b for a, b in zip(first, second, strict=True)) == 1:
            yield mechanism.row(*first), mechanism.row(*second)


@given(pairs(), factors)
def test_smallest_delta_over_all_events(pair: tuple[Row, Row], factor: Fraction) -> None:
    assert smallest_delta(*pair, Nats(factor)) == max(p - factor * q for p, q in events(pair))
    assert total_variation(*pair) == max(p - q for p, q in events(pair))


@given(pairs(), st.sampled_from([0.25, 1.0, 3.5]))
def test_smallest_delta_of_an_irrational_factor(pair: tuple[Row, Row], epsilon: float) -> None:
    expected = max(float(p) - math.exp(epsilon) * float(q) for p, q in events(pair))
    found = float(smallest_delta(*pair, epsilon))
    assert expected - 1e-14 <= found <= expected + 1e-14


@given(pairs(), deltas)
def test_smallest_epsilon_over_all_events(pair: tuple[Row, Row], delta: Fraction) -> None:
    found = smallest_epsilon(*pair, delta)
    if any(p > delta and q == 0 for p, q in events(pair)):
        assert not found.is_finite
    else:
        ratios = [(p - delta) / q for p, q in events(pair) if q > 0]
        assert found.ratio == max(Fraction(1), *ratios)


@given(pairs(), factors, deltas)
def test_closeness_over_all_events(pair: tuple[Row, Row], factor: Fraction, delta: Fraction) -> None:
    assert is_close(*pair, Nats(factor), delta) == all(p <= factor * q + delta for p, q in events(pair))


@given(pairs(least=1))
def test_divergence_by_floats(pair: tuple[Row, Row]) -> None:
    plain = math.fsum(float(p) * math.log(p / q) for p, q in zip(*pair, strict=True))
    low, high = divergence_bounds(*pair)
    assert low <= high
    assert low - 1e-14 <= plain <= high + 1e-14


@given(databases(), factors, deltas)
def test_dp_over_all_neighbours(mechanism: Database, factor: Fraction, delta: Fraction) -> None:
    everything = list(neighbours(mechanism))
    assert dp_delta(mechanism, Nats(factor)) == max(
        smallest_delta(*pair, Nats(factor)) for pair in everything
    )
    assert dp_epsilon(mechanism, delta) == max(smallest_epsilon(*pair, delta) for pair in everything)
    assert dp_epsilon(mechanism) == max(smallest_epsilon(*pair) for pair in everything)


@given(databases(least=1))
def test_kl_over_all_neighbours(mechanism: Database) -> None:
    assert kl_dp(mechanism) == max(divergence_bounds(*pair)[1] for pair in neighbours(mechanism))


@given(databases(entries=3), factors)
def test_floats_and_fractions_agree(mechanism: Database, factor: Fraction) -> None:
    rounded = Database.of(mechanism.floats)
    exact = dp_delta(mechanism, Nats(factor))
    assert float(dp_delta(rounded, Nats(factor))) == pytest.approx(float(exact), abs=1e-14)


def blahut_arimoto(matrix: AnyArray) -> float:
    """The capacity in nats, by the plain iteration."""
    prior = np.full(len(matrix), 1 / len(matrix))
    for _ in range(1000):
        output = prior @ matrix
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(matrix > 0, matrix * np.log(matrix / output), 0).sum(axis=1)
        prior = prior * np.exp(terms)
        prior /= prior.sum()
    return float(prior @ terms)


@settings(max_examples=6)
@given(databases())
def test_mi_over_all_lines(mechanism: Database) -> None:
    found = mi_dp(mechanism)
    plain = max(blahut_arimoto(line) for entry in range(2) for line in mechanism.lines(entry))
    assert found.lower_nats <= found.upper_nats <= found.lower_nats + 1e-8
    assert plain == pytest.approx(found.lower_nats, abs=1e-3)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1, 5, 30])
def test_limits_by_plain_formulas(epsilon: float) -> None:
    k = epsilon / -math.expm1(-epsilon)
    assert dp_to_mi(epsilon) == pytest.approx(k - 1 - math.log(k), rel=1e-9)
    assert dp_to_kl(epsilon) == pytest.approx(
        epsilon * math.expm1(epsilon) * -math.expm1(-epsilon) / (math.expm1(epsilon) - math.expm1(-epsilon))
    )


def entropy(p: float) -> float:
    return -p * math.log(p) - (1 - p) * math.log1p(-p)


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 0.5, 0.69])
def test_variation_by_root_finding(epsilon: float) -> None:
    inverse = brentq(lambda p: entropy(p) - math.log(2) + epsilon, 1e-12, 0.5, xtol=1e-15)
    assert mi_to_delta(epsilon) == pytest.approx(1 - 2 * inverse, abs=1e-9)
    root = brentq(lambda d: d * math.log((1 + d) / (1 - d)) - epsilon, 1e-9, 1 - 1e-9, xtol=1e-15)
    assert kl_to_delta(epsilon) == pytest.approx(root, abs=1e-9)


def divergence(a: AnyArray, b: AnyArray) -> AnyArray:
    """d(a||b) of arrays strictly within 0..1."""
    return np.asarray(a * np.log(a / b) + (1 - a) * np.log((1 - a) / (1 - b)))


def capacities(a: AnyArray, b: AnyArray) -> AnyArray:
    """The capacity of each binary channel with rows (a, 1-a) and (b, 1-b): the centre q by bisection."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    top, bottom = high.copy(), low.copy()
    for _ in range(60):
        middle = (low + high) / 2
        further = divergence(top, middle) > divergence(bottom, middle)
        low, high = np.where(further, middle, low), np.where(further, high, middle)
    return divergence(top, (low + high) / 2)


GRID = np.concatenate([np.geomspace(1e-5, 0.02, 100), np.linspace(0.021, 0.999, 400)])


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5])
def test_curves_by_dense_grids(epsilon: float) -> None:
    """No binary channel within the limit lies above the curve, and one comes near it."""
    a, b = (side.ravel() for side in np.meshgrid(GRID, GRID))
    a, b = a[a > b], b[a > b]
    within = capacities(a, b) <= epsilon
    divergent = np.maximum(divergence(a, b), divergence(b, a)) <= epsilon
    for target in (0, 0.05, 0.5, 1, 3):
        for curve, allowed in ((mi_to_dp, within), (kl_to_dp, divergent)):
            best = float((a - math.exp(target) * b)[allowed].max())
            assert best <= curve(epsilon, target) <= best + 0.015 + 0.01 * best


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5])
def test_floor_is_the_limit_of_the_curve(epsilon: float) -> None:
    values = [mi_to_dp(epsilon, target) for target in (0, 0.1, 1, 2, 4, 8, 300)]
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(delta_floor(epsilon), rel=1e-9)
    d = delta_floor(epsilon)
    assert math.log1p(d * (1 - d) ** ((1 - d) / d)) == pytest.approx(epsilon)


@given(channels())
def test_a_single_entry_is_a_channel(mechanism: Database) -> None:
    everything = [(mechanism.row(a), mechanism.row(b)) for a, b in combinations(range(mechanism.sizes[0]), 2)]
    assert dp_delta(mechanism) == max(total_variation(*pair) for pair in everything)


def conditional(
    mechanism: Database, prior: AnyArray, condition: dict[int, int]
) -> tuple[Fraction, list[Fraction]]:
    """P(condition) and P(y, condition) for each y."""
    places = [
        x
        for x in product(*map(range, mechanism.sizes))
        if all(x[entry] == value for entry, value in condition.items())
    ]
    weight = sum((prior[x] for x in places), Fraction())
    return weight, [
        sum((prior[x] * mechanism.row(*x)[y] for x in places), Fraction()) for y in range(mechanism.outputs)
    ]


@given(databases(entries=3).flatmap(lambda m: st.tuples(st.just(m), priors(m.sizes))))
def test_bayesian_by_enumeration(case: tuple[Database, AnyArray]) -> None:
    mechanism, prior = case
    ratio: Fraction | float = Fraction(1)
    most = 0.0
    for entry in range(3):
        others = [j for j in range(3) if j != entry]
        for known in chain.from_iterable(combinations(others, size) for size in range(3)):
            told = 0.0
            for values in product(*(range(mechanism.sizes[j]) for j in known)):
                condition = dict(zip(known, values, strict=True))
                total, overall = conditional(mechanism, prior, condition)
                found = [
                    conditional(mechanism, prior, condition | {entry: x})
                    for x in range(mechanism.sizes[entry])
                ]
                rows = [(weight, row) for weight, row in found if weight > 0]
                for (w, row), (v, other) in product(rows, rows):
                    for p, q in zip(row, other, strict=True):
                        if p > 0:
                            ratio = max(ratio, math.inf if q == 0 else (p / w) / (q / v))
                told += math.fsum(
                    float(p) * math.log((p / w) / (whole / total))
                    for w, row in rows
                    for p, whole in zip(row, overall, strict=True)
                    if p > 0
                )
            most = max(most, told)
    variant = bayesian(mechanism, prior)
    assert variant.epsilon.ratio == ratio
    assert variant.information.upper_nats == pytest.approx(most, abs=1e-12)


@given(databases().flatmap(lambda m: st.tuples(st.just(m), priors(m.sizes))))
def test_adversarial_by_enumeration(case: tuple[Database, AnyArray]) -> None:
    mechanism, prior = case
    _, outputs = conditional(mechanism, prior, {})
    places = [x for x in product(*map(range, mechanism.sizes)) if prior[x] > 0]
    ratios = [
        mechanism.row(*x)[y] / outputs[y] for x in places for y in range(len(outputs)) if outputs[y] > 0
    ]
    assert adversarial(mechanism, prior).epsilon.ratio == max(ratios)
