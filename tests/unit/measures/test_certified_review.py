"""Certain ends, attacked from the definitions: extremes, numbers of NumPy, oracles in balls of 300 bits."""

import itertools
import math
from decimal import Decimal, Inexact, localcontext
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from noiseless.errors import ChannelError, RequestError
from noiseless.exact import Bits, Nats, ball, ball_above, ball_below, round_down
from noiseless.theory.capacity import capacity
from noiseless.theory.differential import (
    Database,
    compose_sequential,
    convert,
    dp_delta,
    dp_epsilon,
    dp_to_mi,
    group_delta,
    group_epsilon,
    group_information,
    mi_dp,
    sibson_bound,
    smallest_epsilon,
)
from noiseless.theory.differential import published_bounds as printed
from noiseless.theory.stochastic import (
    JointDistribution,
    csiszar_information,
    ldp_epsilon_nats,
    sibson_capacity,
    sibson_information,
)
from noiseless.theory.zero_error import Graph, lovasz_theta

HUGE = 10**400


class TestExactNumbers:
    def test_ends_of_a_ball_that_is_large_and_has_many_digits(self) -> None:
        """A mantissa longer than any float's exponent, with a negative exponent, is not small."""
        with ctx.workprec(4096):
            value = ball(Fraction(2**2001 + 1, 2))
            assert ball_above(value) == math.inf
            assert 0 < ball_below(value) < math.inf
            assert ball_above(-value) < 0
            assert ball_below(-value) == -math.inf

    @pytest.mark.parametrize("ratio", [HUGE, Fraction(HUGE), Decimal("1e400")])
    def test_nats_of_ratios_beyond_floats(self, ratio: int | Fraction | Decimal) -> None:
        nats = Nats(ratio)
        assert nats.is_finite
        assert nats.lower < 400 * math.log(10) * (1 + 1e-15)
        assert nats.upper > 400 * math.log(10) * (1 - 1e-15)

    @pytest.mark.parametrize("ratio", [math.nan, Decimal("nan"), -1, -0.5])
    def test_nats_of_no_logarithm(self, ratio: float | Decimal) -> None:
        with pytest.raises(ValueError, match="logarithm"):
            Nats(ratio)

    @pytest.mark.parametrize("kind", [Bits, Nats])
    def test_integers_of_numpy_do_not_wrap_around(self, kind: type[Bits] | type[Nats]) -> None:
        large = kind(np.int64(3**35))  # type: ignore[arg-type]
        assert (large + large).ratio == 3**70  # type: ignore[operator]
        assert type(large.ratio.numerator) is int  # type: ignore[union-attr]

    def test_nothing_is_never_minus_zero(self) -> None:
        zeros = (Bits(1).lower, Nats(1).lower, round_down(Fraction(0)), ball_below(arb(0)))
        assert [math.copysign(1, zero) for zero in zeros] == [1.0] * 4

    def test_the_callers_decimal_context_does_not_matter(self) -> None:
        with localcontext() as context:
            context.traps[Inexact] = True
            assert Bits(3).upper == 1.5849625007211563


class TestAccountingExtremes:
    def test_many_noiseless_answers_compose(self) -> None:
        assert compose_sequential([Nats(2)] * 1100) == Nats(2**1100)
        assert group_epsilon(Nats(3), 1000) == Nats(3**1000)

    def test_probabilities_far_below_floats(self) -> None:
        rare = Fraction(1, HUGE)
        assert smallest_epsilon([rare, 1 - rare], [Fraction(1, 2)] * 2) == Nats(Fraction(HUGE, 2))

    def test_integers_of_numpy(self) -> None:
        one, thousand = np.int64(1), np.int64(1000)
        assert dp_to_mi(one, inputs=thousand) == dp_to_mi(1, inputs=1000)  # type: ignore[arg-type]
        assert convert("dp", "mi", epsilon=one).epsilon == dp_to_mi(1)  # type: ignore[arg-type]
        for function in (group_information, printed.group_information):
            found = function(0.01, np.int64(10), inputs=thousand)  # type: ignore[arg-type]
            assert found == function(0.01, 10, inputs=1000)  # 1000**10 does not fit 64 bits

    @pytest.mark.parametrize("size", [1, 2.5, math.nan, "3", [3]])
    def test_sizes_are_whole_numbers(self, size: object) -> None:
        with pytest.raises(RequestError, match="whole numbers from 2 on"):
            dp_to_mi(1, inputs=size)  # type: ignore[arg-type]

    @pytest.mark.parametrize("members", [0, 2.5, math.nan, "3"])
    def test_groups_are_counted(self, members: object) -> None:
        for function in (lambda: group_epsilon(1, members), lambda: group_delta(1, 0.1, members)):  # type: ignore[arg-type]
            with pytest.raises(RequestError, match="at least one member"):
                function()

    @given(st.floats(0.01, 8), st.floats(0, 0.5), st.integers(2, 60), st.integers(1, 30))
    def test_truth_outright_or_a_subset(self, epsilon: float, delta: float, inputs: int, size: int) -> None:
        """What tells x with probability delta, and else a subset of k values that favours x, is within."""
        share = Fraction(min(size, inputs - 1), inputs)
        with ctx.workprec(300):
            raised = ball(epsilon).exp()
            mean = ball(share) * raised + 1 - ball(share)
            told = ball(share) * raised * ball(epsilon) / mean - mean.log()
            value = ball(delta) * arb(inputs).log() + (1 - ball(delta)) * told
            assert not value > ball(dp_to_mi(epsilon, delta, inputs=inputs))
            if delta == 0:
                assert not value > ball(dp_to_mi(epsilon))
                assert not value > ball(sibson_bound(epsilon, 1, inputs=inputs))


class TestDatabases:
    def test_rows_that_agree_as_floats_alone(self) -> None:
        """The capacity is about 2e-40 nats, which is not 0."""
        small = Fraction(1, 10**20)
        half = Fraction(1, 2)
        database = Database.of([[half, half], [half + small, half - small]])
        assert mi_dp(database).upper_nats >= 2e-40
        assert mi_dp(Database.of([[half, half], [half, half]])).upper_nats == 0

    def test_huge_entries_are_refused_without_a_warning(self) -> None:
        with pytest.raises(ChannelError, match="do not sum to 1"):
            Database.of([[1e308, 1e308], [0.0, 1.0]])

    @given(st.data())
    def test_against_every_event(self, data: st.DataObject) -> None:
        outputs = data.draw(st.integers(1, 4))
        weights = st.lists(st.sampled_from([0, 1, 2, 10**12, 10**30]), min_size=outputs, max_size=outputs)
        rows = [
            [Fraction(w, sum(row)) for w in row]
            for row in data.draw(st.lists(weights.filter(any), min_size=2, max_size=3))
        ]
        delta = data.draw(st.sampled_from([Fraction(0), Fraction(1, 10**13), Fraction(1, 3)]))
        events = [
            (sum(itertools.compress(p, chosen)), sum(itertools.compress(q, chosen)))
            for p, q in itertools.permutations(rows, 2)
            for chosen in itertools.product((0, 1), repeat=outputs)
        ]
        database = Database.of(rows)
        ratios = [(a - delta) / b if b else math.inf for a, b in events if a > delta]
        assert dp_epsilon(database, delta) == Nats(max([Fraction(1), *ratios]))
        assert dp_delta(database, Nats(2)) == max(a - 2 * b for a, b in events)


class TestOrders:
    def test_orders_beyond_floats(self) -> None:
        joint = JointDistribution.from_channel([[0.75, 0.25], [0.25, 0.75]])
        most = Bits(Fraction(3, 2)).upper
        for order in (HUGE, Decimal("1e400")):
            for value in (
                sibson_information(joint, order),
                csiszar_information(joint, order),
                sibson_capacity(joint, order).value,
            ):
                assert value.lower <= most
                assert value.upper > most - 1e-4
            assert sibson_bound(1, order) == 1.0

    @pytest.mark.parametrize("order", [math.nan, -1, "x", None])
    def test_no_orders(self, order: object) -> None:
        joint = JointDistribution.from_channel([[0.75, 0.25], [0.25, 0.75]])
        with pytest.raises(RequestError, match="order"):
            sibson_information(joint, order)  # type: ignore[arg-type]
        with pytest.raises(RequestError, match="order"):
            sibson_bound(1, order)  # type: ignore[arg-type]

    def test_local_privacy_of_probabilities_far_below_floats(self) -> None:
        rare = Fraction(1, HUGE)
        joint = JointDistribution.from_matrix([[rare / 2, (1 - rare) / 2], [Fraction(1, 4), Fraction(1, 4)]])
        assert ldp_epsilon_nats(joint) == Nats(Fraction(HUGE, 2))


ENTRIES = st.sampled_from([0.0, 1.0, 2.0, 1 + 1e-15, 1e-9, 1e-17, 1e-150, 1e-300, 1e-310])


@given(st.data())
def test_the_bracket_holds_what_balls_say(data: st.DataObject) -> None:
    """I(p) of the prior is not above `upper_nats`, and max D(W||q) of its output not below `lower_nats`."""
    outputs = data.draw(st.integers(1, 4))
    row = st.lists(ENTRIES, min_size=outputs, max_size=outputs).filter(lambda entries: sum(entries) > 1e-3)
    rows = np.array(data.draw(st.lists(row, min_size=2, max_size=5)))
    rows = rows[:, rows.any(axis=0)]
    rows /= rows.sum(axis=1, keepdims=True)
    rows = rows[:, rows.any(axis=0)]
    found = capacity(rows)
    exact = [
        [Fraction(entry) / sum(map(Fraction, entries)) for entry in entries] for entries in rows.tolist()
    ]
    prior = [Fraction(share) / sum(map(Fraction, found.prior.tolist())) for share in found.prior.tolist()]
    output = [
        sum((p * entries[y] for p, entries in zip(prior, exact, strict=True)), Fraction())
        for y in range(len(exact[0]))
    ]
    with ctx.workprec(300):
        told = [_divergence(entries, output) for entries in exact]
        mean = sum((ball(p) * value for p, value in zip(prior, told, strict=True) if p), arb(0))
        assert not mean > ball(found.upper_nats)
        assert any(not value < ball(found.lower_nats) for value in told)


def _divergence(row: list[Fraction], output: list[Fraction]) -> arb:
    if any(w and not q for w, q in zip(row, output, strict=True)):
        return arb("inf")
    return sum((ball(w) * ball(w / q).log() for w, q in zip(row, output, strict=True) if w), arb(0))


@pytest.mark.parametrize("prime", [5, 13, 17])
def test_theta_of_self_complementary_graphs(prime: int) -> None:
    """Paley's graphs: vertex-transitive and their own complements, so that theta is sqrt(n)."""
    squares = {x * x % prime for x in range(1, prime)}
    edges = [(a, b) for a, b in itertools.combinations(range(prime), 2) if (a - b) % prime in squares]
    found = lovasz_theta(Graph.from_edges(prime, edges))
    assert found.lower**2 <= prime <= found.upper**2
    assert found.upper - found.lower < Fraction(1, 10**6)
