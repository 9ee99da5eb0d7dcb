"""The bridge to differential privacy: the inequalities of [P5] and beyond; each docstring is a statement."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mechanisms_examples import (
    Row,
    channels,
    databases,
    erasure,
    pairs,
    priors,
    rows,
    subset_selection,
    table,
)
from noiseless.exact import Nats
from noiseless.theory.differential import (
    adversarial,
    bayesian,
    compose_disjoint,
    compose_sequential,
    database_information,
    delta_to_mi,
    dp_to_dp,
    dp_to_kl,
    dp_to_mi,
    free_lunch,
    group_delta,
    group_epsilon,
    group_information,
    kl_to_delta,
    kl_to_dp,
    kl_to_mi,
    mi_to_delta,
    mi_to_dp,
    personalised,
    sibson_bound,
)
from noiseless.theory.differential import published_bounds as printed
from noiseless.theory.differential.conversion_bounds import is_best
from noiseless.theory.differential.database import (
    AnyArray,
    Database,
    divergence,
    divergence_bounds,
    is_close,
    largest_divergence,
    smallest_delta,
    smallest_epsilon,
    total_variation,
)
from noiseless.theory.differential.extension import convert
from noiseless.theory.differential.guarantees import dp_delta, dp_epsilon, kl_dp, mi_dp, reach
from noiseless.theory.differential.parameters import Epsilon

some_epsilons = st.sampled_from([0, Nats(2), Fraction(1, 2), 2])


# Closeness


@given(pairs(least=1))
def test_property_1(pair: tuple[Row, Row]) -> None:
    """(epsilon, 0)-close => D(P||Q) <= epsilon tanh(epsilon/2) <= min{epsilon, epsilon^2} (Property 1)."""
    epsilon = smallest_epsilon(*pair)
    assert divergence_bounds(*pair)[0] <= dp_to_kl(epsilon) <= printed.simple_divergence(epsilon)


@given(st.integers(2, 50))
def test_property_1_is_tight(ratio: int) -> None:
    """The binary pair (r, 1), (1, r) attains D = epsilon tanh(epsilon/2), epsilon = ln r."""
    p, q = (
        [Fraction(ratio, ratio + 1), Fraction(1, ratio + 1)],
        [Fraction(1, ratio + 1), Fraction(ratio, ratio + 1)],
    )
    assert divergence(p, q) == pytest.approx(dp_to_kl(Nats(ratio)), rel=1e-12)


@given(pairs(least=1))
def test_property_2(pair: tuple[Row, Row]) -> None:
    """D <= epsilon both ways => TV <= d with d ln((1+d)/(1-d)) = epsilon, below Pinsker's sqrt(epsilon/2)."""
    epsilon = largest_divergence(*pair)
    assert total_variation(*pair) <= kl_to_delta(epsilon) <= printed.pinsker(epsilon)


@given(pairs(), some_epsilons, some_epsilons)
def test_property_3(pair: tuple[Row, Row], epsilon: Epsilon, target: Epsilon) -> None:
    """(epsilon, delta)-close => (epsilon', 1 - (e^epsilon'+1)(1-delta)/(e^epsilon+1))-close (Property 3)."""
    delta = smallest_delta(*pair, epsilon)
    assert smallest_delta(*pair, target) <= dp_to_dp(epsilon, delta, target=target)


@given(st.integers(2, 9), st.integers(0, 9), st.integers(1, 9))
def test_property_3_is_tight(ratio: int, tenths: int, smaller: int) -> None:
    """Randomised response that says the truth outright with probability delta attains Property 3."""
    assume(smaller < ratio)
    p = [Fraction(tenths, 10), (1 - Fraction(tenths, 10)) * Fraction(ratio, ratio + 1)]
    p += [(1 - Fraction(tenths, 10)) * Fraction(1, ratio + 1), Fraction()]
    found = smallest_delta(p, p[::-1], Nats(smaller))
    assert float(found) == pytest.approx(dp_to_dp(Nats(ratio), Fraction(tenths, 10), target=Nats(smaller)))


@given(pairs(), some_epsilons, st.fractions(0, 1))
def test_definition_4(pair: tuple[Row, Row], epsilon: Epsilon, delta: Fraction) -> None:
    """(epsilon, delta)-close iff delta >= the smallest delta iff epsilon >= the smallest epsilon."""
    close = is_close(*pair, epsilon, delta)
    assert close == is_close(pair[1], pair[0], epsilon, delta)
    exact = epsilon if isinstance(epsilon, Nats) else Fraction(epsilon)
    assert close == (smallest_epsilon(*pair, delta) <= exact)
    assert close == (smallest_delta(*pair, epsilon) <= delta)


# DP, KL-DP and MI-DP


@given(channels(least=1))
def test_lemma_1(mechanism: Database) -> None:
    """epsilon-DP => epsilon tanh(epsilon/2)-KL-DP, and epsilon-KL-DP => epsilon-MI-DP (Lemma 1)."""
    assert kl_dp(mechanism) <= dp_to_kl(dp_epsilon(mechanism)) * (1 + 1e-12)
    assert mi_dp(mechanism).lower_nats <= kl_dp(mechanism)


@given(channels(least=1))
def test_information_of_differential_privacy(mechanism: Database) -> None:
    """epsilon-DP => C*-MI-DP, C* = k-1-ln k, k = epsilon/(1-e^-epsilon); less with few inputs or outputs."""
    epsilon, found = dp_epsilon(mechanism), mi_dp(mechanism).lower_nats
    sizes = {"inputs": mechanism.sizes[0], "outputs": mechanism.outputs}
    assert found <= dp_to_mi(epsilon, **sizes) <= dp_to_mi(epsilon) <= dp_to_kl(epsilon)


@pytest.mark.parametrize("ratio", [2, 3, 8])
def test_subset_selection_approaches_the_limit(ratio: int) -> None:
    """The capacity of subset selection among n inputs approaches C*(epsilon) as n grows."""
    limit = dp_to_mi(Nats(ratio))
    best = max(mi_dp(subset_selection(8, size, ratio)).lower_nats for size in range(1, 5))
    assert 0.97 * limit < best <= limit


def test_golden_values() -> None:
    """epsilon = 1: C* = 0.12330 against 0.46212; 0.1 nats of MI-DP => (0, 0.43959)-DP."""
    assert dp_to_mi(1) == pytest.approx(0.12330, abs=5e-6)
    assert dp_to_kl(1) == pytest.approx(0.46212, abs=5e-6)
    assert mi_to_delta(0.1) == pytest.approx(0.43959, abs=5e-6)


@given(channels(least=1))
def test_information_of_divergence(mechanism: Database) -> None:
    """epsilon-KL-DP => ln(m/(1+(m-1)e^-epsilon))-MI-DP, m = min(inputs, outputs), below epsilon."""
    epsilon = kl_dp(mechanism)
    bound = kl_to_mi(epsilon, inputs=mechanism.sizes[0], outputs=mechanism.outputs)
    assert mi_dp(mechanism).lower_nats <= bound <= epsilon * (1 + 1e-12)


def test_lemma_1_is_tight() -> None:
    """MI-DP comes near to KL-DP: n inputs that each raise the probability a of one of n outputs."""
    n, a = 10**9, 1e-3
    b = (1 - a) / (n - 1)
    together = a * math.log(a * n) + (1 - a) * math.log(b * n)
    assert together > 0.9 * (a - b) * math.log(a / b)


def test_two_inputs_and_three_outputs_are_not_known_to_be_best() -> None:
    """For e = ln 3, d = 1/10 all channels of 2 inputs and 3 outputs tell less than the bound; 4 attain it.

    A capacity is convex in the channel, so that a corner of the polytope of close rows has the most.
    """
    most = max(_capacity(np.array(pair)) for pair in _close_corners(3.0, 0.1))
    bound = dp_to_mi(Nats(3), Fraction(1, 10), inputs=2, outputs=3)
    assert most == pytest.approx(0.173679, abs=1e-6)
    assert most < bound - 0.01
    assert not is_best(Nats(3), Fraction(1, 10), inputs=2, outputs=3)
    assert not convert("dp", "mi", epsilon=Nats(3), delta=Fraction(1, 10), inputs=2, outputs=3).tight
    four = np.array([[0.1, 0, 0.675, 0.225], [0, 0.1, 0.225, 0.675]])
    assert _capacity(four) == pytest.approx(dp_to_mi(Nats(3), Fraction(1, 10), inputs=2, outputs=4))
    assert is_best(Nats(3), Fraction(1, 10), inputs=2, outputs=4)


def _capacity(channel: np.ndarray) -> float:
    """Of two inputs, in nats: by a fine search over the prior."""
    prior = np.linspace(0.3, 0.7, 4001)[:, None]
    mean = prior * channel[0] + (1 - prior) * channel[1]
    with np.errstate(all="ignore"):
        told = [np.where(row > 0, row * np.log(row / mean), 0).sum(axis=1) for row in channel]
    return float((prior[:, 0] * told[0] + (1 - prior[:, 0]) * told[1]).max())


def _close_corners(ratio: float, delta: float) -> set[tuple[tuple[float, ...], ...]]:
    """The corners of the pairs of rows of three with P(A) <= ratio Q(A) + delta, both ways, for each A."""
    parts = np.array([[1.0, 0, 0], [0, 1.0, 0], [-1.0, -1.0, 1.0]])  # each P(y) by the first two, and 1
    limits: list[tuple[np.ndarray, float]] = []
    for chosen in (chosen for size in (1, 2) for chosen in combinations(range(3), size)):
        event = parts[list(chosen)].sum(axis=0)
        for first, second in ((0, 2), (2, 0)):
            if len(chosen) == 1:
                below = np.zeros(4)
                below[first : first + 2] = -event[:2]
                limits.append((below, event[2]))
            close = np.zeros(4)
            close[first : first + 2], close[second : second + 2] = event[:2], -ratio * event[:2]
            limits.append((close, delta + (ratio - 1) * event[2]))
    table, bounds = np.array([row for row, _ in limits]), np.array([bound for _, bound in limits])
    found: set[tuple[tuple[float, ...], ...]] = set()
    for four in map(list, combinations(range(len(limits)), 4)):
        if abs(np.linalg.det(table[four])) > 1e-9:
            corner = np.linalg.solve(table[four], bounds[four])
            if (table @ corner <= bounds + 1e-9).all():
                a, b, c, d = np.clip(corner, 0, 1).tolist()
                pair = [a, b, max(1 - a - b, 0)], [c, d, max(1 - c - d, 0)]
                found.add(tuple(tuple(round(p, 12) for p in row) for row in pair))
    return found


@given(channels(), some_epsilons)
def test_information_of_approximate_privacy(mechanism: Database, epsilon: Epsilon) -> None:
    """(epsilon, delta)-DP => MI-DP by each bound of `information_bounds`, with m = min(inputs, outputs)."""
    bound = dp_to_mi(
        epsilon, dp_delta(mechanism, epsilon), inputs=mechanism.sizes[0], outputs=mechanism.outputs
    )
    assert mi_dp(mechanism).lower_nats <= bound


@pytest.mark.parametrize(
    ("ratio", "delta"), [(2, Fraction(1, 10)), (5, Fraction(1, 100)), (1, Fraction(1, 3))]
)
def test_two_inputs_are_exact(ratio: int, delta: Fraction) -> None:
    """Two inputs: randomised response that tells the truth with probability delta attains the bound."""
    p = [delta, (1 - delta) * Fraction(ratio, ratio + 1), (1 - delta) * Fraction(1, ratio + 1), Fraction()]
    assert mi_dp(Database.of(table([tuple(p), tuple(p[::-1])]))).upper_nats == pytest.approx(
        dp_to_mi(Nats(ratio), delta, inputs=2), abs=1e-8
    )


@given(channels(), some_epsilons)
def test_lemma_2_and_33(mechanism: Database, target: Epsilon) -> None:
    """epsilon-MI-DP => (0, 1 - 2h^-1(ln 2 - epsilon))-DP, below (0, sqrt(2 epsilon)); and the curve (33)."""
    epsilon = mi_dp(mechanism).upper_nats
    assert dp_delta(mechanism) <= mi_to_delta(epsilon) <= printed.simple_variation(epsilon)
    assert dp_delta(mechanism, target) <= mi_to_dp(epsilon, target)


@given(channels(least=1), some_epsilons)
def test_curve_of_divergence(mechanism: Database, target: Epsilon) -> None:
    """epsilon-KL-DP => (t, d)-DP, d = max a - e^t b over all a, b with d(a||b), d(b||a) <= epsilon."""
    assert dp_delta(mechanism, target) <= kl_to_dp(kl_dp(mechanism), target)


@given(st.integers(1, 99))
def test_lemma_2_is_tight(percent: int) -> None:
    """The binary symmetric channel attains Lemma 2."""
    delta = Fraction(percent, 100)
    channel = Database.of(table([((1 + delta) / 2, (1 - delta) / 2), ((1 - delta) / 2, (1 + delta) / 2)]))
    assert mi_to_delta(mi_dp(channel).upper_nats) == pytest.approx(percent / 100, abs=1e-7)


@given(channels())
def test_lemma_3(mechanism: Database) -> None:
    """(0, delta)-DP => delta ln min(|X|, |Y|) nats of MI-DP, below (105), (126) and (35) of Lemma 3."""
    delta, (inputs, outputs) = dp_delta(mechanism), (mechanism.sizes[0], mechanism.outputs)
    ours = delta_to_mi(delta, inputs=inputs, outputs=outputs)
    assert mi_dp(mechanism).lower_nats <= ours <= printed.reverse(delta, inputs=inputs, outputs=outputs)
    assert mi_dp(mechanism).lower_nats <= printed.reverse_by_outputs(delta, outputs)
    assert mi_dp(mechanism).lower_nats <= printed.reverse_by_inputs(delta, inputs)


@given(st.fractions(0, 1), st.integers(2, 50), st.integers(2, 50))
def test_printed_bounds_hold_for_large_delta_too(delta: Fraction, inputs: int, outputs: int) -> None:
    """(35), (105) and (126) are never below delta ln m, for delta up to 1."""
    sizes = {"inputs": inputs, "outputs": outputs}
    least = delta_to_mi(delta, **sizes)
    assert least <= printed.reverse(delta, **sizes)
    assert delta_to_mi(delta, outputs=outputs) <= printed.reverse_by_outputs(delta, outputs) * (1 + 1e-15)
    assert delta_to_mi(delta, inputs=inputs) <= printed.reverse_by_inputs(delta, inputs)
    assert printed.reverse_by_outputs(delta, outputs) <= printed.reverse(delta, outputs=outputs) * (1 + 1e-15)
    assert printed.reverse_by_inputs(delta, inputs) <= printed.reverse(delta, inputs=inputs) * (1 + 1e-15)


@pytest.mark.parametrize("inputs", [2, 3, 10])
def test_example_2_erasure_channel(inputs: int) -> None:
    """Example 2: the erasure channel is (0, delta)-DP and has capacity delta ln N: the bound is attained."""
    delta = Fraction(1, 10)
    channel = erasure(inputs, delta)
    assert dp_delta(channel) == delta
    assert not dp_epsilon(channel).is_finite
    assert mi_dp(channel).upper_nats == pytest.approx(0.1 * math.log(inputs), abs=1e-9)
    assert mi_dp(channel).upper_nats == pytest.approx(delta_to_mi(delta, inputs=inputs), abs=1e-9)


@given(st.fractions(0, 1), st.fractions(0, 1))
def test_two_outputs(a: Fraction, b: Fraction) -> None:
    """(0, delta)-DP with two outputs => the capacity ln(1 + d (1-d)^((1-d)/d)) of the Z-channel."""
    assume(a != b)
    channel = Database.of(table([(a, 1 - a), (b, 1 - b)]))
    assert (
        mi_dp(channel).lower_nats <= delta_to_mi(abs(a - b), outputs=2) <= delta_to_mi(abs(a - b), inputs=2)
    )


@given(st.lists(st.integers(0, 4), min_size=6, max_size=6))
def test_deterministic_mechanisms(outputs: list[int]) -> None:
    """A deterministic mechanism is exactly ln(reach)-MI-DP, outside DP when reach > 1, and (0, 1)-DP."""
    mechanism = Database.from_function(lambda a, b: outputs[2 * a + b], range(3), range(2))
    expected = max(
        *(len({outputs[2 * a + b] for a in range(3)}) for b in range(2)),
        *(len({outputs[2 * a + b] for b in range(2)}) for a in range(3)),
    )
    assert reach(mechanism) == expected
    assert mi_dp(mechanism).exact == Nats(expected)
    assert dp_delta(mechanism) == (1 if expected > 1 else 0)
    assert mi_to_delta(Nats(expected)) == (1 if expected > 1 else 0)


def test_orderings_are_strict() -> None:
    """MI-DP, however small, implies no DP and no KL-DP; KL-DP, however small, implies no DP."""
    channel = erasure(2, Fraction(1, 10**6))
    assert mi_dp(channel).upper_nats < 1e-6
    assert not dp_epsilon(channel).is_finite
    assert math.isinf(kl_dp(channel))
    rare = Database.of(
        table([(Fraction(1, 10**9), 1 - Fraction(1, 10**9)), (Fraction(1, 10**20), 1 - Fraction(1, 10**20))])
    )
    assert kl_dp(rare) < 1e-7
    assert dp_epsilon(rare).lower > 25


# Groups


@given(databases(), some_epsilons)
def test_properties_7_8_9(mechanism: Database, epsilon: Epsilon) -> None:
    """(e, d)-DP => (k e, (e^(k e)-1)/(e^e-1) d)-DP for groups of k, and (0, k d)-DP for e = 0."""
    delta = dp_delta(mechanism, epsilon)
    assert dp_delta(mechanism.flattened(), group_epsilon(epsilon, 2)) <= group_delta(epsilon, delta, 2)
    if dp_epsilon(mechanism).is_finite:
        assert dp_epsilon(mechanism.flattened()) <= group_epsilon(dp_epsilon(mechanism), 2)


@pytest.mark.parametrize("epsilon", [Nats(3), Nats(5)])
def test_property_9_as_printed_is_wrong(epsilon: Nats) -> None:
    """(k e - 1)/(e^e - 1) d is too small: two bits with P(A) = 0, d, (1+e^e) d for 0, 1, 2 ones."""
    delta, factor = Fraction(1, 20), Fraction(epsilon.ratio)
    heights = [Fraction(), delta, (1 + factor) * delta]
    mechanism = Database.from_function(
        lambda a, b: {"A": heights[a + b], "not A": 1 - heights[a + b]}, (0, 1), (0, 1)
    )
    assert dp_delta(mechanism, epsilon) == delta
    together = dp_delta(mechanism.flattened(), group_epsilon(epsilon, 2))
    as_printed = (2 * epsilon.upper - 1) / (float(factor) - 1) * float(delta)
    assert as_printed < float(together) == pytest.approx(group_delta(epsilon, delta, 2))


@given(databases())
def test_corollary_5(mechanism: Database) -> None:
    """epsilon-MI-DP => I(X_I;Y|rest) <= min(1, k delta) ln min(|Y|, |X|^k), below the printed (54)."""
    epsilon = mi_dp(mechanism).upper_nats
    sizes = {"inputs": max(mechanism.sizes), "outputs": mechanism.outputs}
    ours = group_information(epsilon, 2, **sizes)
    assert mi_dp(mechanism.flattened()).lower_nats <= ours <= printed.group_information(epsilon, 2, **sizes)


@given(databases(least=1))
def test_53(mechanism: Database) -> None:
    """epsilon-DP => I(X^n;Y) <= C*(n epsilon) <= min{n epsilon, (n epsilon)^2} nats ((53))."""
    epsilon = dp_epsilon(mechanism)
    bound = database_information(epsilon, 2)
    assert mi_dp(mechanism.flattened()).lower_nats <= bound
    assert bound <= printed.simple_divergence(group_epsilon(epsilon, 2))


@pytest.mark.parametrize("size", [2, 5, 12])
def test_example_5_no_group_property(size: int) -> None:
    """Example 5: (d ln 2)-MI-DP for one entry, yet d ln(|X|+1) for both: unbounded as |X| grows."""
    share = Fraction(1, 4)
    mechanism = Database.from_function(
        lambda a, b: {("equal", a) if a == b else "different": share, "nothing": 1 - share},
        range(size),
        range(size),
    )
    assert mi_dp(mechanism).upper_nats == pytest.approx(0.25 * math.log(2), abs=1e-8)
    assert mi_dp(mechanism.flattened()).upper_nats == pytest.approx(0.25 * math.log(size + 1), abs=1e-8)
    assert math.isinf(group_information(0.25 * math.log(2), 2))


# Composition


@given(st.integers(2, 3).flatmap(lambda n: st.tuples(rows(n, 2), rows(n, 3))))
def test_corollary_2(mechanisms: tuple[list[Row], list[Row]]) -> None:
    """Answers that are independent given the database: their MI-DP adds up."""
    first, second = mechanisms
    both = [tuple(a * b for a, b in product(p, q)) for p, q in zip(first, second, strict=True)]
    parts = [mi_dp(Database.of(table(part))).upper_nats for part in (first, second)]
    assert mi_dp(Database.of(table(both))).lower_nats <= float(compose_sequential(parts))


@given(rows(2, 2), rows(2, 2), rows(2, 2))
def test_corollary_3(first: list[Row], after_0: list[Row], after_1: list[Row]) -> None:
    """Answers in sequence, the second mechanism chosen by the first answer: their MI-DP adds up."""
    both = [
        tuple(first[x][y] * second[x][z] for y, second in enumerate((after_0, after_1)) for z in range(2))
        for x in range(2)
    ]
    later = compose_disjoint(mi_dp(Database.of(table(part))).upper_nats for part in (after_0, after_1))
    total = compose_sequential([mi_dp(Database.of(table(first))).upper_nats, later])
    assert mi_dp(Database.of(table(both))).lower_nats <= float(total)


@given(rows(2, 2), rows(3, 3))
def test_corollary_4(first: list[Row], second: list[Row]) -> None:
    """Answers about disjoint sets of entries: the largest MI-DP."""
    both = Database.of(np.array([[[a * b for a, b in product(p, q)] for q in second] for p in first], object))
    parts = [mi_dp(Database.of(table(part))).upper_nats for part in (first, second)]
    assert mi_dp(both).lower_nats <= float(compose_disjoint(parts))


@pytest.mark.parametrize("size", [2, 5])
def test_example_4_one_time_pad(size: int) -> None:
    """Example 4: X + U and U tell nothing each, and together tell X: reused noise does not compose."""
    one = Fraction(1, size)
    masked = Database.from_function(lambda x: {(x + u) % size: one for u in range(size)}, range(size))
    key = Database.from_function(lambda _: dict.fromkeys(range(size), one), range(size))
    both = Database.from_function(lambda x: {((x + u) % size, u): one for u in range(size)}, range(size))
    assert mi_dp(masked).upper_nats == mi_dp(key).upper_nats == 0
    assert mi_dp(both).lower_nats == pytest.approx(math.log(size), abs=1e-8)


# The strong adversary


@given(databases(), rows(1, 3, 1), rows(1, 3, 1))
def test_corollary_1(mechanism: Database, first: list[Row], second: list[Row]) -> None:
    """Independent entries: I(X_i;Y) <= I(X_i;Y|X_-i) <= epsilon of MI-DP."""
    prior = [[a * b for b in second[0][: mechanism.sizes[1]]] for a in first[0][: mechanism.sizes[0]]]
    total = sum(map(sum, prior))
    exact = table([tuple(entry / total for entry in row) for row in prior])
    assert bayesian(mechanism, exact).information.lower_nats <= mi_dp(mechanism).upper_nats


def test_example_3_correlated_database() -> None:
    """Example 3: equal entries: I(X_i;Y|X_-i) = 0 and epsilon-DP holds, yet I(X_i;Y) is nearly a bit."""
    n, ratio = 6, 4
    mechanism = Database.from_function(lambda *x: _geometric(sum(x), n, ratio), *([(0, 1)] * n))
    prior = np.full((2,) * n, Fraction(), object)
    prior[(0,) * n] = prior[(1,) * n] = Fraction(1, 2)
    assert dp_epsilon(mechanism) <= Nats(ratio + 1)
    told = bayesian(mechanism, prior).information
    assert told.lower_nats > 0.96 * math.log(2)
    assert mi_dp(mechanism).upper_nats < 0.4 * math.log(2)


def _geometric(total: int, n: int, ratio: int) -> dict[int, Fraction]:
    """A sum with two-sided geometric noise, kept within -2n..3n."""
    weights = {y: Fraction(ratio) ** -abs(y - total) for y in range(-2 * n, 3 * n + 1)}
    return {y: weight / sum(weights.values()) for y, weight in weights.items()}


# Variants


@given(databases())
def test_personalised(mechanism: Database) -> None:
    """Personalised privacy: the largest over the entries is DP, and MI-DP ((55), (56))."""
    each = personalised(mechanism)
    assert max(entry.epsilon for entry in each) == dp_epsilon(mechanism)
    assert max(entry.information.upper_nats for entry in each) == pytest.approx(
        mi_dp(mechanism).upper_nats, abs=1e-8
    )


@given(databases())
def test_free_lunch(mechanism: Database) -> None:
    """Free-lunch privacy is the stronger: it bounds the epsilon of DP and of MI-DP ((58), (59))."""
    strong = free_lunch(mechanism)
    assert dp_epsilon(mechanism) <= strong.epsilon
    assert mi_dp(mechanism).lower_nats <= strong.information.upper_nats
    if strong.epsilon.is_finite:
        assert strong.information.lower_nats <= dp_to_mi(strong.epsilon)


@given(databases().flatmap(lambda m: st.tuples(st.just(m), priors(m.sizes))))
def test_bayesian(case: tuple[Database, AnyArray]) -> None:
    """(60) implies (61): I(X_i;Y|X_I) <= C*(epsilon); and I(X^n;Y) <= n max I(X_i;Y|X_I) ((63))."""
    mechanism, prior = case
    found = bayesian(mechanism, prior)
    if found.epsilon.is_finite:
        assert found.information.lower_nats <= dp_to_mi(found.epsilon)
    whole = adversarial(mechanism, prior).information
    assert whole.lower_nats <= mechanism.entries * found.information.upper_nats


@given(databases().flatmap(lambda m: st.tuples(st.just(m), priors(m.sizes))))
def test_adversarial(case: tuple[Database, AnyArray]) -> None:
    """ln dP(x|y)/dP(x) <= epsilon for all y implies I(X^n;Y) <= epsilon ((64), (65))."""
    mechanism, prior = case
    found = adversarial(mechanism, prior)
    assert found.information.lower_nats <= found.epsilon.upper
    assert found.information.lower_nats <= free_lunch(mechanism).information.upper_nats


# Renyi


def sibson(mechanism: Database, prior: AnyArray, alpha: float) -> float:
    """Sibson's information of order alpha > 0 in closed form."""
    matrix = mechanism.floats.reshape(-1, mechanism.outputs)
    if math.isinf(alpha):
        return math.log(matrix[prior > 0].max(axis=0).sum())
    return alpha / (alpha - 1) * math.log(((prior[:, None] * matrix**alpha).sum(axis=0) ** (1 / alpha)).sum())


orders = st.sampled_from([0.25, 0.5, 0.9, 1.1, 2.0, 5.0, math.inf])


@given(channels(least=1), orders, st.data())
def test_lemma_4(mechanism: Database, alpha: float, data: st.DataObject) -> None:
    """epsilon-DP => I_alpha(X_i;Y|x_-i) <= the bound of order alpha <= epsilon, for every prior (Lemma 4)."""
    prior = np.array([float(p) for p in data.draw(rows(1, mechanism.sizes[0]), label="prior")[0]])
    epsilon = dp_epsilon(mechanism)
    bound = sibson_bound(epsilon, alpha, inputs=mechanism.sizes[0], outputs=mechanism.outputs)
    assert sibson(mechanism, prior, alpha) <= bound + 1e-12
    assert bound <= sibson_bound(epsilon, alpha) <= epsilon.upper


@given(databases(least=1), orders)
def test_corollary_6(mechanism: Database, alpha: float) -> None:
    """epsilon-DP => sup I_alpha(X^n;Y) <= n epsilon; with I_inf = H_inf(X) - H_inf(X|Y) of (72) and (73)."""
    count = math.prod(mechanism.sizes)
    prior = np.full(count, 1 / count)
    bound = sibson_bound(dp_epsilon(mechanism), alpha, entries=2)
    assert sibson(mechanism, prior, alpha) <= bound + 1e-12 <= 2 * dp_epsilon(mechanism).upper + 1e-11
    guessed = (prior[:, None] * mechanism.floats.reshape(count, -1)).max(axis=0).sum()
    assert math.log(count * guessed) == pytest.approx(sibson(mechanism, prior, math.inf))


@pytest.mark.parametrize("alpha", [0.5, 2.0, 5.0])
def test_subset_selection_approaches_every_order(alpha: float) -> None:
    """The bound of order alpha is the best possible: subset selection approaches it."""
    limit = sibson_bound(Nats(2), alpha)
    uniform = np.full(10, 0.1)
    best = max(sibson(subset_selection(10, size, 2), uniform, alpha) for size in range(1, 10))
    assert 0.98 * limit < best <= limit


@given(st.integers(2, 9), st.integers(2, 6))
def test_maximal_leakage_of_randomised_response(ratio: int, inputs: int) -> None:
    """ln(m/(1+(m-1)e^-epsilon)) is the maximal leakage of m-ary randomised response: attained."""
    channel = subset_selection(inputs, 1, ratio)
    assert sibson(channel, np.full(inputs, 1 / inputs), math.inf) == pytest.approx(
        sibson_bound(Nats(ratio), inputs=inputs)
    )


def test_all_subsets_of_entries_count() -> None:
    """Bayesian privacy looks at every known set: what other entries mask is told to those who know them."""
    mechanism = Database.from_function(lambda a, b, c: a ^ b ^ c, *([(0, 1)] * 3))
    prior = np.full((2, 2, 2), Fraction(1, 8), object)
    found = bayesian(mechanism, prior)
    assert not found.epsilon.is_finite
    assert found.information.upper_nats == pytest.approx(math.log(2))
