"""Every inequality of the stochastic companions; each docstring is the statement.

Values are enclosed between floats, so `a <= b` is tested as "the enclosures do not rule it out", which at
enclosures of a few units in the last place is as sharp as floats can be.
"""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import joint_ranges, merged_ranges
from noiseless import measures as m
from noiseless.exact import Bits, Nats
from noiseless.ranges import JointRange
from noiseless.theory import stochastic as s
from noiseless.theory.channel import Channel
from noiseless.theory.stochastic import CertifiedNumber, JointDistribution

Number = CertifiedNumber | Bits | Nats

ORDERS = (0, 0.25, 1 - 1e-9, 1, 1 + 1e-9, 2, 10, 1e6, math.inf)
orders = st.sampled_from(ORDERS)
LN2 = math.log(2)
SLACK = 1e-12


def exact(found: CertifiedNumber) -> Bits:
    assert isinstance(found.exact, Bits)
    return found.exact


def exact_share(found: CertifiedNumber) -> Fraction:
    assert isinstance(found.exact, Fraction)
    return found.exact


def at_most(a: Number, b: Number) -> bool:
    return a.lower <= b.upper


def same(a: Number, b: Number, slack: float = 0) -> bool:
    return a.lower <= b.upper + slack and b.lower <= a.upper + slack


def _tables(weights: list[int], size: int) -> st.SearchStrategy[npt.NDArray[np.int64]]:
    """Matrices of such weights with at most so many rows and columns; rows of zeros are left out."""
    cells = st.lists(st.sampled_from(weights), min_size=size, max_size=size * size).filter(any)
    shaped = st.tuples(cells, st.integers(1, size)).map(
        lambda drawn: np.array(drawn[0][: len(drawn[0]) // drawn[1] * drawn[1]]).reshape(-1, drawn[1])
    )
    return shaped.map(lambda table: table[:size][table[:size].any(axis=1)]).filter(len)


def _counted(table: npt.NDArray[np.int64]) -> JointDistribution:
    x, y = np.nonzero(table)
    return JointDistribution.from_counts(x, y, table[x, y])


def distributions(size: int = 4) -> st.SearchStrategy[JointDistribution]:
    """Whole-number weights, many of them 0, some far apart."""
    return _tables([0, 0, 1, 1, 2, 3, 5, 10**9], size).map(_counted)


@st.composite
def merged_distributions(draw: st.DrawFn) -> tuple[JointDistribution, list[int]]:
    joint = draw(distributions())
    return joint, draw(st.lists(st.integers(0, 2), min_size=joint.size_y, max_size=joint.size_y))


def _normalised(table: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    return np.asarray((table / table.sum(axis=1, keepdims=True))[:, table.any(axis=0)])


def channels(size: int = 4) -> st.SearchStrategy[Channel]:
    tables = _tables([0, 0, 1, 1, 2, 4], size).filter(lambda table: len(table) > 1)
    return tables.map(lambda table: Channel.of(_normalised(table)))


@st.composite
def post_processings(draw: st.DrawFn) -> tuple[JointDistribution, JointDistribution]:
    """P(x,y), and P(x,z) after y has passed through a channel of its own."""
    joint = draw(distributions().filter(lambda found: found.size_y > 1))
    passing = draw(_tables([1, 1, 3, 0], 4))
    rows = passing[np.arange(joint.size_y) % len(passing)]
    return joint, joint.through(_normalised(rows))


# Shannon, Gacs and Korner


@given(distributions())
def test_chain_rule(joint: JointDistribution) -> None:
    """I(X;Y) = H(X) - H(X|Y) = I(Y;X), and 0 <= H(X|Y) <= H(X)."""
    before, after = s.shannon_entropy(joint), s.conditional_shannon_entropy(joint)
    told = s.mutual_information(joint)
    assert at_most(after, before)
    assert same(told, s.mutual_information(joint.swapped()))
    assert abs(told.upper - (before.upper - after.upper)) < SLACK * (1 + before.upper)


@given(distributions())
def test_entropy_is_at_most_that_of_the_range(joint: JointDistribution) -> None:
    """H(X) <= H0(X) and H(X|Y) <= H0(X|Y)."""
    assert at_most(s.shannon_entropy(joint), m.entropy(joint.support))
    assert at_most(s.conditional_shannon_entropy(joint), m.conditional_entropy(joint.support))


@given(distributions())
def test_common_information_is_at_most_mutual_information(joint: JointDistribution) -> None:
    """K(X;Y) <= I(X;Y) (section VI-B of [P3])."""
    assert at_most(s.common_information(joint), s.mutual_information(joint))


@given(distributions())
def test_common_information_is_at_most_maximin(joint: JointDistribution) -> None:
    """K(X;Y) <= I*(X;Y), and both are symmetric."""
    assert at_most(s.common_information(joint), m.maximin(joint.support))
    assert s.common_information(joint) == s.common_information(joint.swapped())


@given(distributions())
def test_maximin_is_the_largest_common_information(joint: JointDistribution) -> None:
    """I*(X;Y) = max over priors of K(X;Y), attained by equally likely blocks, whatever P(y|x)."""
    best = joint.with_prior(s.maximin_prior(joint.support))
    assert s.common_information(best).exact == m.maximin(joint.support)


@given(merged_distributions())
def test_conditional_information_and_the_chain_rule(case: tuple[JointDistribution, list[int]]) -> None:
    """With Y = (Y',A): I(X;Y) = I(X;A) + I(X;Y'|A), and I(X;Y'|A) >= 0."""
    joint, cells = case
    whole, alone, added = (
        s.mutual_information(joint),
        s.mutual_information(joint.merged(cells)),
        s.mutual_information(joint, cells),
    )
    assert abs(whole.upper - alone.upper - added.upper) < SLACK
    assert (added.exact == Bits(1)) == joint.is_independent(cells)


# Maximal leakage and its relatives


@given(distributions())
def test_order_of_the_leakages(joint: JointDistribution) -> None:
    """I(X;Y) <= L(X->Y) <= Lr(X->Y) (section VI-A of [P3]), and L <= min(H0(X), H0(Y))."""
    leak = s.maximal_leakage(joint)
    assert at_most(s.mutual_information(joint), leak)
    assert exact(leak) <= s.realisable_leakage(joint)
    assert exact(leak) <= min(m.entropy(joint.support), m.entropy(joint.support.swapped()))


@given(distributions())
def test_maximal_leakage_is_at_least_maximin(joint: JointDistribution) -> None:
    """I*(X;Y) <= L(X->Y)."""
    assert exact(s.maximal_leakage(joint)) >= m.maximin(joint.support)


@given(st.lists(st.integers(0, 5), min_size=2, max_size=12), st.data())
def test_deterministic_channels(image: list[int], data: st.DataObject) -> None:
    """For Y = f(X): L(X->Y) = log |[[Y]]| = I*(X;Y), whatever the prior; I(X;Y) = K(X;Y) = H(Y)."""
    counts = data.draw(st.lists(st.integers(1, 9), min_size=len(image), max_size=len(image)))
    joint = JointDistribution.from_counts(range(len(image)), image, counts)
    assert s.maximal_leakage(joint).exact == Bits(len(set(image))) == m.maximin(joint.support)
    assert s.mutual_information(joint) == s.shannon_entropy(joint.swapped())
    assert same(s.mutual_information(joint), s.common_information(joint))


@given(distributions(), st.lists(st.integers(1, 9), min_size=4, max_size=4))
def test_maximal_leakage_does_not_depend_on_the_prior(joint: JointDistribution, shares: list[int]) -> None:
    """L(X->Y) is the same for all priors with the same support."""
    part = shares[: joint.size_x]
    other = joint.with_prior([Fraction(share, sum(part)) for share in part])
    assert s.maximal_leakage(other).exact == s.maximal_leakage(joint).exact


@given(distributions())
def test_realisable_leakage_is_symmetric_and_the_end_of_the_family(joint: JointDistribution) -> None:
    """Lr(X->Y) = Lr(Y->X) = max_y D_inf(P(x|y) || P(x)) = D_inf(P_XY || P_X P_Y)."""
    leak = s.realisable_leakage(joint)
    assert leak == s.realisable_leakage(joint.swapped())
    assert leak == s.renyi_leakage(joint, math.inf).exact
    matrix = [[Fraction(0)] * joint.size_y for _ in range(joint.size_x)]
    for x, y, weight in zip(joint.support.x, joint.support.y, joint.weights.tolist(), strict=True):
        matrix[x][y] = Fraction(weight, joint.total)
    together = [mass for row in matrix for mass in row]
    apart = [p * q for p in joint.x_marginal for q in joint.swapped().x_marginal]
    assert s.renyi_divergence(np.array(together, object), np.array(apart, object), math.inf).exact == leak


@given(merged_distributions())
def test_conditional_maximal_leakage(case: tuple[JointDistribution, list[int]]) -> None:
    """With Y = (Y',A): L(X->Y'|A) <= Lr(X->Y'|A), and a constant A changes nothing."""
    joint, cells = case
    assert exact(s.maximal_leakage(joint, cells)) <= s.realisable_leakage(joint, cells)
    assert s.maximal_leakage(joint, [0] * joint.size_y) == s.maximal_leakage(joint)
    assert s.realisable_leakage(joint, range(joint.size_y)) == Bits(1)


# The Renyi family and its switch


@given(joint_ranges())
def test_order_zero_is_leakage_for_a_uniform_x(joint: JointRange) -> None:
    """(10) of [P3]: max_y D_0(P(x|y) || P(x)) = L0(X;Y) for a uniform X, exactly, whatever P(y|x)."""
    even = JointDistribution.uniform(joint).with_prior()
    assert s.renyi_leakage(even, 0).exact == m.leakage(joint)


@given(distributions())
def test_order_zero_with_uneven_conditionals(joint: JointDistribution) -> None:
    """The same with the conditional probabilities of any distribution."""
    assert s.renyi_leakage(joint.with_prior(), 0).exact == m.leakage(joint.support)


@given(merged_ranges())
def test_order_zero_with_side_information(case: tuple[JointRange, list[int]]) -> None:
    """max D_0(P(x|y',a) || P(x|a)) = L0(X->Y'|A) when X is uniform given each a ([P3] V)."""
    joint, side = case
    cells = np.array(side)
    # Spread the weight 1 of each (x, a) evenly over its y.
    pairs = list(zip(joint.x.tolist(), cells[joint.y].tolist(), strict=True))
    sizes = Counter(pairs)
    weights = [Fraction(1, sizes[pair]) for pair in pairs]
    even = JointDistribution.from_counts(joint.x, joint.y, np.array(weights, object))
    assert s.renyi_leakage(even, 0, cells).exact == m.leakage(joint, cells)


def test_order_zero_is_not_leakage_for_another_prior() -> None:
    """Without a uniform X the switch jumps: P = (1/4, 3/4) and Y = X has D_0 = 2 bits and L0 = 1 bit."""
    joint = JointDistribution.from_counts([0, 1], [0, 1], [1, 3])
    assert s.renyi_leakage(joint, 0).exact == Bits(4)
    assert m.leakage(joint.support) == Bits(2)


@given(distributions())
def test_the_family_does_not_fall(joint: JointDistribution) -> None:
    """max_y D_alpha(P(x|y) || P(x)) is nondecreasing in alpha."""
    values = [s.renyi_leakage(joint, order) for order in ORDERS]
    assert all(at_most(a, b) for a, b in pairwise(values))


@given(distributions(), orders)
def test_leakage_of_the_range_is_the_floor_of_the_family(joint: JointDistribution, order: float) -> None:
    """L0(X;Y) <= max_y D_alpha(P(x|y) || P(x)) <= Lr(X->Y) for a uniform X: probabilities only add."""
    even = joint.with_prior()
    assert at_most(m.leakage(joint.support), s.renyi_leakage(even, order))
    assert at_most(s.renyi_leakage(even, order), s.realisable_leakage(even))


@given(distributions())
def test_information_is_an_average_of_order_one(joint: JointDistribution) -> None:
    """I(X;Y) <= max_y D_1(P(x|y) || P(x))."""
    assert at_most(s.mutual_information(joint), s.renyi_leakage(joint, 1))


@given(merged_distributions(), orders)
def test_trivial_side_information(case: tuple[JointDistribution, list[int]], order: float) -> None:
    """A constant A changes nothing; an A that tells all of Y leaves nothing."""
    joint, _ = case
    assert same(s.renyi_leakage(joint, order, [0] * joint.size_y), s.renyi_leakage(joint, order))
    assert s.renyi_leakage(joint, order, range(joint.size_y)).exact == Bits(1)


# Sibson, Arimoto, Csiszar


@given(distributions())
def test_sibson_does_not_fall(joint: JointDistribution) -> None:
    """Sibson's I_alpha(X;Y) is nondecreasing in alpha."""
    values = [s.sibson_information(joint, order) for order in ORDERS]
    assert all(at_most(a, b) for a, b in pairwise(values))


@given(distributions())
def test_sibson_at_infinity_is_maximal_leakage(joint: JointDistribution) -> None:
    """I_inf(X;Y) = L(X->Y), the prior having full support (Theorem 1 of Issa et al.)."""
    assert s.sibson_information(joint, math.inf) == s.maximal_leakage(joint)


@given(distributions(), orders)
def test_sibson_is_at_most_the_family(joint: JointDistribution, order: float) -> None:
    """I_alpha(X;Y) <= D_alpha(P_XY || P_X P_Y) <= Lr(X->Y): P(y) is one of the Q."""
    assert at_most(s.sibson_information(joint, order), s.realisable_leakage(joint))


@given(joint_ranges())
def test_order_zero_is_information_of_the_range(joint: JointRange) -> None:
    """I_0(X;Y) = I0(X;Y): Arimoto's for every prior, Sibson's for a uniform one."""
    pairs = JointDistribution.uniform(joint)
    assert s.arimoto_information(pairs, 0).exact == m.information(joint)
    assert s.sibson_information(pairs.with_prior(), 0).exact == m.information(joint)


@given(distributions(), st.sampled_from([0.25, 0.5, 2, 5]))
def test_arimoto_is_sibson_with_a_tilted_prior(joint: JointDistribution, order: float) -> None:
    """Arimoto's I_alpha of P(x) is Sibson's of the prior proportional to P(x)^alpha."""
    shares = np.array([float(share) for share in joint.x_marginal]) ** order
    tilted = joint.with_prior(shares / shares.sum())
    assert same(s.arimoto_information(joint, order), s.sibson_information(tilted, order), 1e-9)


@given(distributions())
def test_arimoto_at_infinity_is_the_gain_in_guessing(joint: JointDistribution) -> None:
    """(72), (73) of [P5]: I_inf(X;Y) = - log max P(x) + log E max_x P(x|Y)."""
    before = max(joint.x_marginal)
    after = sum(
        (share * max(joint.posterior(y).values()) for y, share in enumerate(joint.swapped().x_marginal)),
        Fraction(0),
    )
    assert s.arimoto_information(joint, math.inf).exact == Bits(after / before)


@given(distributions(3), st.sampled_from([0.25, 0.5, 2, 5]))
def test_csiszar_beside_sibson(joint: JointDistribution, order: float) -> None:
    """Csiszar's I_alpha <= Sibson's for alpha >= 1 and >= for alpha <= 1 (Jensen)."""
    small, large = s.csiszar_information(joint, order), s.sibson_information(joint, order)
    if order < 1:
        small, large = large, small
    assert at_most(small, large)


@given(channels(), st.sampled_from([0.3, 0.75, 1, 1.5, 3, 20]), st.data())
def test_the_three_suprema_agree(channel: Channel, order: float, data: st.DataObject) -> None:
    """(71) of [P5]: Sibson's, Arimoto's and Csiszar's I_alpha have the same supremum over priors."""
    capacity = s.sibson_capacity(channel, order)
    assert capacity.value.upper - capacity.value.lower < 1e-9
    shares = data.draw(st.lists(st.integers(1, 50), min_size=channel.inputs, max_size=channel.inputs))
    joint = JointDistribution.from_channel(channel, [Fraction(share, sum(shares)) for share in shares])
    for measure in (s.sibson_information, s.arimoto_information, s.csiszar_information):
        assert at_most(measure(joint, order), capacity.value)
    prior = np.array(capacity.prior)
    tilted = prior ** (1 / order)
    attained = {
        s.sibson_information: prior,
        s.csiszar_information: prior,
        s.arimoto_information: tilted / tilted.sum(),
    }
    for measure, best in attained.items():
        found = measure(JointDistribution.from_channel(channel, best), order)
        assert same(found, capacity.value, 1e-7)


@given(channels(), st.sampled_from([0.3, 1, 1.5, 3, math.inf]))
def test_local_privacy_bounds_every_order(channel: Channel, order: float) -> None:
    """Lemma 4 of [P5]: eps-LDP implies sup over P(x) of I_alpha(X;Y) <= eps nats."""
    epsilon = s.ldp_epsilon_nats(channel)
    assert s.sibson_capacity(channel, order).value.lower * LN2 <= epsilon.upper + SLACK


# Alpha-leakage


@given(distributions(3))
def test_ends_of_alpha_leakage(joint: JointDistribution) -> None:
    """L_1 = I(X;Y); L_inf is the gain in guessing; their maxima are I(X;Y) and maximal leakage."""
    assert s.alpha_leakage(joint, 1) == s.mutual_information(joint) == s.maximal_alpha_leakage(joint, 1)
    assert s.alpha_leakage(joint, math.inf) == s.arimoto_information(joint, math.inf)
    assert s.maximal_alpha_leakage(joint, math.inf) == s.maximal_leakage(joint)


@given(distributions(3), st.sampled_from([1, 1.5, 2, 10, math.inf]))
def test_alpha_leakage_is_at_most_its_maximum(joint: JointDistribution, order: float) -> None:
    """L_alpha(X->Y) <= its maximum over U - X - Y <= maximal leakage."""
    most = s.maximal_alpha_leakage(joint, order)
    assert at_most(s.alpha_leakage(joint, order), most)
    assert most.lower <= s.maximal_leakage(joint).upper + SLACK


@given(distributions(3))
def test_maximal_alpha_leakage_does_not_fall(joint: JointDistribution) -> None:
    """The maximal alpha-leakage is nondecreasing in alpha from I(X;Y) to maximal leakage."""
    values = [s.maximal_alpha_leakage(joint, order) for order in (1, 1.01, 1.5, 3, 30, math.inf)]
    assert all(at_most(a, b) for a, b in pairwise(values))


# Local differential privacy


@given(distributions())
def test_realisable_leakage_and_local_privacy(joint: JointDistribution) -> None:
    """Lr <= eps and P <= eps <= 2 P, P = max |ln P(x|y)/P(x)| over all pairs: (11) of [P3], corrected."""
    privacy, epsilon = s.information_privacy_nats(joint), s.ldp_epsilon_nats(joint)
    assert Nats(s.realisable_leakage(joint).ratio) <= privacy <= epsilon <= privacy + privacy


def test_equation_11_as_printed_promises_too_much() -> None:
    """(11) of [P3] looks at pairs that occur only: 1 bit for a copied bit, which has no LDP at all."""
    joint = JointDistribution.from_matrix([[0.5, 0], [0, 0.5]])
    printed = max(
        abs(math.log(mass / joint.x_marginal[int(str(x))]))
        for y in range(2)
        for x, mass in joint.posterior(y).items()
    )
    assert printed == math.log(2)
    assert s.ldp_epsilon_nats(joint) == Nats(math.inf)


@given(distributions())
def test_what_can_be_told_apart_rules_out_local_privacy(joint: JointDistribution) -> None:
    """I*(X;Y) > 0 implies that no prior and no P(y|x) on that range is locally differentially private."""
    if m.maximin(joint.support) > 0:
        assert s.ldp_epsilon_nats(joint) == Nats(math.inf)
        assert not s.local_dp_attainable(joint.support)
        assert "unattainable for any prior" in s.local_dp_statement(joint.support)


@given(distributions())
def test_local_privacy_is_attainable_exactly_when_nothing_leaks(joint: JointDistribution) -> None:
    """Some P(y|x) on a joint range is eps-LDP with a finite eps iff L0(X;Y) = 0."""
    attainable = s.local_dp_attainable(joint.support)
    assert attainable == (m.leakage(joint.support) == 0) == s.ldp_epsilon_nats(joint).is_finite
    assert s.local_privacy(joint).attainable == attainable


# f-information


@given(distributions())
def test_order_of_the_f_informations(joint: JointDistribution) -> None:
    """H^2 <= TV <= H sqrt(2 - H^2); JS <= TV; TV^2 <= I ln 2 / 2 (Pinsker); I <= log2(1 + chi^2)."""
    variation, hellinger = s.total_variation(joint), s.squared_hellinger(joint)
    told = s.mutual_information(joint)
    assert at_most(hellinger, variation)
    assert variation.lower <= math.sqrt(hellinger.upper * (2 - hellinger.upper)) + SLACK
    assert at_most(s.jensen_shannon(joint), variation)
    assert variation.lower**2 <= told.upper * LN2 / 2 + SLACK
    assert told.lower <= math.log2(1 + s.chi_squared(joint).upper) + SLACK


@given(distributions(), st.fractions(1, 20, max_denominator=20))
def test_hockey_sticks(joint: JointDistribution, gamma: Fraction) -> None:
    """E_gamma falls with gamma, is TV at 1, and is 0 iff Lr(X->Y) <= log2 gamma."""
    stick = exact_share(s.hockey_stick(joint, gamma))
    assert stick >= exact_share(s.hockey_stick(joint, gamma + 1))
    assert s.hockey_stick(joint, 1) == s.total_variation(joint)
    assert (stick == 0) == (s.realisable_leakage(joint) <= Bits(gamma))


# Data processing


def _maximal_alpha(joint: JointDistribution) -> CertifiedNumber:
    return s.maximal_alpha_leakage(joint, 2)


PROCESSED: tuple[Callable[[JointDistribution], Number], ...] = (
    s.mutual_information,
    s.common_information,
    s.maximal_leakage,
    s.realisable_leakage,
    s.ldp_epsilon_nats,
    s.information_privacy_nats,
    s.total_variation,
    s.chi_squared,
    s.squared_hellinger,
    s.jensen_shannon,
    _maximal_alpha,
)


@pytest.mark.parametrize("measure", PROCESSED)
@given(case=post_processings())
def test_data_processing(
    measure: Callable[[JointDistribution], Number], case: tuple[JointDistribution, JointDistribution]
) -> None:
    """For X - Y - Z no measure of (X,Z) exceeds that of (X,Y)."""
    joint, later = case
    assert measure(later).lower <= measure(joint).upper * (1 + 1e-9) + SLACK


@pytest.mark.parametrize(
    "measure", [s.sibson_information, s.arimoto_information, s.csiszar_information, s.renyi_leakage]
)
@given(case=post_processings(), order=orders)
def test_data_processing_at_every_order(
    measure: Callable[[JointDistribution, float], CertifiedNumber],
    case: tuple[JointDistribution, JointDistribution],
    order: float,
) -> None:
    """The same for the families, at every order."""
    joint, later = case
    assert measure(later, order).lower <= measure(joint, order).upper + SLACK


@given(post_processings(), st.fractions(1, 4, max_denominator=20))
def test_data_processing_of_hockey_sticks(
    case: tuple[JointDistribution, JointDistribution], gamma: Fraction
) -> None:
    """The same for E_gamma, exactly (Z being made exactly)."""
    joint, later = case
    assert exact_share(s.hockey_stick(later, gamma)) <= exact_share(s.hockey_stick(joint, gamma))
