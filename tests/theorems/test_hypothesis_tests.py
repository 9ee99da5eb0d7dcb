"""Hypothesis tests without probability, and their parallel with it; each docstring is the statement."""

import itertools
import math
from fractions import Fraction
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from noiseless.exact import Bits, Nats
from noiseless.theory.chosen_pair import FiniteMechanism, known_others, worst_pair
from noiseless.theory.continuous.intervals import Interval, IntervalSet
from noiseless.theory.hypothesis.privacy import (
    leakage_bound,
    leakage_bound_as_printed,
    leakage_bound_bits,
    size_of,
)
from noiseless.theory.hypothesis.ranges import HypothesisRanges, HypothesisTest
from noiseless.theory.hypothesis.success import (
    best_success,
    success_bound,
    worst_prior,
)
from noiseless.theory.indistinguishability import indistinguishability

Pairs = frozenset[tuple[int, int]]
Distributions = tuple[dict[Any, Fraction], dict[Any, Fraction]]
Labelled = tuple[Pairs, dict[int, str]]

HALF = Fraction(1, 2)


@st.composite
def labelled_ranges(draw: st.DrawFn) -> Labelled:
    """A joint range of (x, y), and a hypothesis for each x, both of which occur."""
    value = st.integers(0, 3)
    pairs = draw(st.frozensets(st.tuples(value, value), min_size=2, max_size=9))
    xs = sorted({x for x, _ in pairs})
    assume(len(xs) > 1)
    labels = draw(st.lists(st.sampled_from(["p0", "p1"]), min_size=len(xs), max_size=len(xs)))
    assume(len(set(labels)) == 2)
    return pairs, dict(zip(xs, labels, strict=True))


@st.composite
def interval_sets(draw: st.DrawFn) -> IntervalSet:
    """A union of up to three intervals with whole ends in 0..12."""
    found: list[Interval] = []
    for _ in range(draw(st.integers(1, 3))):
        low, high = sorted(draw(st.tuples(st.integers(0, 12), st.integers(0, 12))))
        ends = draw(st.sampled_from(["[]", "[)", "(]", "()"])) if low < high else "[]"
        found.append(Interval.of(low, high, ends))
    return IntervalSet.union(found)


@st.composite
def distributions(draw: st.DrawFn) -> Distributions:
    """Two distributions over at most five outputs."""
    both = []
    for _ in range(2):
        weights = draw(st.lists(st.integers(0, 6), min_size=5, max_size=5).filter(any))
        both.append({y: Fraction(w, sum(weights)) for y, w in enumerate(weights)})
    return both[0], both[1]


continuous_ranges = st.tuples(interval_sets(), interval_sets()).map(lambda pair: HypothesisRanges.of(*pair))
mixed_ranges = st.one_of(
    continuous_ranges, labelled_ranges().map(lambda case: HypothesisRanges.from_pairs(*case))
)
priors = st.fractions(0, 1, max_denominator=12)


def all_tests(ranges: HypothesisRanges[Any]) -> list[HypothesisTest[Any]]:
    outputs = sorted(ranges.outputs)
    verdicts = itertools.product(["p0", "p1"], repeat=len(outputs))
    return [HypothesisTest.of(ranges, dict(zip(outputs, said, strict=True))) for said in verdicts]


@given(labelled_ranges())
def test_correctness_is_what_definition_1_says(case: Labelled) -> None:
    """aleph(T) = {y: [[H|[[X|y]]]] = {T(y)}}, and T is consistent iff it names only possible hypotheses."""
    pairs, label = case
    behind = {y: {label[x] for x, out in pairs if out == y} for _, y in pairs}
    for test in all_tests(HypothesisRanges.from_pairs(pairs, label)):
        assert test.correct == {y for y, found in behind.items() if found == {test(y)}}
        assert test.is_consistent == all(test(y) in found for y, found in behind.items())


@given(labelled_ranges())
def test_consistent_tests_are_optimal(case: Labelled) -> None:
    """Theorem 1 of [P2]: every consistent test has the largest performance and the smallest error of all."""
    ranges = HypothesisRanges.from_pairs(*case)
    tests = all_tests(ranges)
    most, least = max(len(t.correct) for t in tests), min(len(t.errors) for t in tests)
    consistent = [t for t in tests if t.is_consistent]
    assert len(consistent) == 2 ** len(ranges.undecided)
    assert all(len(t.correct) == most and len(t.errors) == least for t in consistent)
    assert most == len(ranges.decided)
    assert least == len(ranges.undecided)


@given(labelled_ranges())
def test_no_test_beats_the_bound(case: Labelled) -> None:
    """Theorem 2 of [P2], finite: P(T) <= log2 |[[Y|p0]] sym-diff [[Y|p1]]|, attained by some T."""
    ranges = HypothesisRanges.from_pairs(*case)
    assert max(float(test.performance) for test in all_tests(ranges)) == float(ranges.bound)


@given(continuous_ranges, interval_sets())
def test_no_test_of_continuous_outputs_beats_the_bound(
    ranges: HypothesisRanges[Any], said: IntervalSet
) -> None:
    """Theorems 1 and 2 of [P2], continuous: P(T) <= ln mu(sym-diff), with equality for consistent T."""
    test = HypothesisTest.of(ranges, said)
    assert size_of(test.correct) <= size_of(ranges.decided)
    assert size_of(test.errors) >= size_of(ranges.undecided)
    for best in (HypothesisTest.consistent(ranges), HypothesisTest.consistent(ranges, "p1")):
        assert best.is_consistent
        assert best.performance == ranges.bound
        assert best.error == ranges.smallest_error
    assert not test.is_consistent or test.performance == ranges.bound


@given(mixed_ranges)
def test_the_three_parts(ranges: HypothesisRanges[Any]) -> None:
    """[[Y]] is the disjoint union of surely p0, surely p1 and undecided; decided is the first two."""
    assert sum(ranges.sizes) == size_of(ranges.outputs)
    assert ranges.surely_p0 | ranges.surely_p1 == ranges.decided
    assert ranges.decided | ranges.undecided == ranges.outputs


@given(mixed_ranges)
def test_privacy_is_undecided_over_decided(ranges: HypothesisRanges[Any]) -> None:
    """Priv = log(1+e) with e = |undecided| / |decided|: the undecidable share of [[Y]] is e/(1+e)."""
    assume(size_of(ranges.decided) > 0)
    privacy = ranges.privacy()
    assert privacy.epsilon == Fraction(size_of(ranges.undecided)) / Fraction(size_of(ranges.decided))
    share = Fraction(size_of(ranges.undecided)) / Fraction(size_of(ranges.outputs))
    assert share == privacy.epsilon / (1 + privacy.epsilon)
    assert privacy.is_private(privacy.epsilon)


@given(mixed_ranges)
def test_privacy_bounds_leakage(ranges: HypothesisRanges[Any]) -> None:
    """Proposition 1 of [P2], corrected: Priv >= ln(1+e) implies L0(Y;H) <= ln(1 + 1/e)."""
    assume(size_of(ranges.outputs) > 0)
    bound = (leakage_bound_bits if ranges.counted else leakage_bound)(ranges.privacy().epsilon)
    if isinstance(bound, Bits):
        assert isinstance(ranges.leakage, Bits)
        assert ranges.leakage <= bound
    elif isinstance(bound, Nats):
        assert isinstance(ranges.leakage, Nats)
        assert ranges.leakage <= bound


@given(st.fractions(0, 1, max_denominator=50).filter(lambda a: 0 < a < 1))
def test_the_bound_on_leakage_is_attained_and_the_printed_one_fails(a: Fraction) -> None:
    """[[Y|p0]] = [0,a], [[Y|p1]] = [0,1]: L0(Y;H) = ln(1 + 1/e) > -ln(1 - exp(-e)) of Proposition 1."""
    ranges = HypothesisRanges.of(IntervalSet.of((0, a)), "[0, 1]")
    e = ranges.privacy().epsilon
    assert ranges.leakage == leakage_bound(e) == Nats(1 / a)
    assert leakage_bound_as_printed(e) < Nats(1 / a).lower


def test_the_formula_that_ends_the_papers_proof_fails_too() -> None:
    """[0,1/2] and [0,1]: e = 1, L0(Y;H) = ln 2 > -ln(1 - exp(-e-1))."""
    assert -math.log(1 - math.exp(-2)) < leakage_bound(1).lower < 0.6932


def supports(p0: dict[Any, Fraction], p1: dict[Any, Fraction]) -> HypothesisRanges[Any]:
    """[[Y|p0]] and [[Y|p1]]: where the probabilities are positive."""
    return HypothesisRanges.of(*({y for y, share in p.items() if share} for p in (p0, p1)))


def total_variation(p0: dict[Any, Fraction], p1: dict[Any, Fraction]) -> Fraction:
    none = Fraction(0)
    return sum((abs(p0.get(y, none) - p1.get(y, none)) for y in {**p0, **p1}), none) / 2


@given(distributions(), priors)
def test_success_is_bounded_below(case: Distributions, prior: Fraction) -> None:
    """Theorem 3 of [P2], sharpened: (least/2) D <= 1/2 + least D/4 <= the bound for any prior
    <= the bound for this prior <= the success of the best test."""
    p0, p1 = case
    ranges = supports(p0, p1)
    least = min(share for p in case for share in p.values() if share)
    weak = least / 2 * len(ranges.decided)
    any_prior = success_bound(ranges, least, prior=None)
    assert weak <= HALF + least * len(ranges.decided) / 4 <= any_prior
    assert any_prior <= success_bound(ranges, least, prior) <= best_success(p0, p1, prior)
    assert any_prior <= worst_prior(p0, p1).success


@given(st.integers(0, 3), st.integers(0, 3), st.integers(1, 3), st.fractions(0, 1, max_denominator=9), priors)
def test_the_bound_on_success_is_sharp(
    only0: int, only1: int, common: int, share: Fraction, prior: Fraction
) -> None:
    """Some distributions with probabilities >= least attain the bound, for one prior and over all priors."""
    assume(share > 0)
    least = share / (max(only0, only1) + common)
    p0: dict[Any, Fraction] = {("0", k): least for k in range(only0)}
    p1: dict[Any, Fraction] = {("1", k): least for k in range(only1)}
    for p in (p0, p1):
        rest = (1 - sum(p.values(), Fraction(0))) / common
        p.update({("both", k): rest for k in range(common)})
    ranges = supports(p0, p1)
    assert success_bound(ranges, least, prior) == best_success(p0, p1, prior)
    assert success_bound(ranges, least, prior=None) == worst_prior(p0, p1).success


@given(distributions())
def test_success_with_equal_priors(case: Distributions) -> None:
    """The best test is right with probability (1 + TV)/2, not TV as the proof of Theorem 3 says."""
    assert best_success(*case) == (1 + total_variation(*case)) / 2
    assert best_success(case[0], case[0]) == HALF
    assert total_variation(case[0], case[0]) == 0


@given(distributions(), priors)
def test_the_worst_prior(case: Distributions, prior: Fraction) -> None:
    """min over w of sum_y max(w p0, (1-w) p1) is attained at `worst_prior`."""
    worst = worst_prior(*case)
    assert worst.success == best_success(*case, worst.prior) <= best_success(*case, prior)


@given(labelled_ranges())
def test_undecided_outputs_do_not_protect_against_likelihoods(case: Labelled) -> None:
    """No upper bound: distributions with the same supports let a test be right almost always."""
    ranges = HypothesisRanges.from_pairs(*case)
    assume(len(ranges.p0) > 1 and len(ranges.p1) > 1)
    small = Fraction(1, 1000)
    both = [dict.fromkeys(sorted(outputs), small) for outputs in (ranges.p0, ranges.p1)]
    first = min(ranges.p0)
    second = max(ranges.p1 - {first})
    for p, place in zip(both, (first, second), strict=True):
        p[place] += 1 - sum(p.values())
    assert supports(both[0], both[1]) == ranges
    assert best_success(both[0], both[1]) > Fraction(99, 100)


CUBE = list(itertools.product((0, 1), repeat=3))


def of_cube(outputs: list[int]) -> FiniteMechanism:
    return FiniteMechanism.of(dict(zip(CUBE, outputs, strict=True)), [(0, 1)] * 3)


answers = st.lists(st.integers(0, 3), min_size=8, max_size=8)


@given(answers.map(of_cube))
def test_performance_with_known_others_is_at_most_the_budget(mechanism: FiniteMechanism) -> None:
    """Theorem 3 of [P1]: P(T) <= log2 reach when the others are known; vacuous as soon as reach > 1."""
    game = known_others(mechanism)
    assert float(game.performance) <= float(game.limit)
    assert game.performance == (-math.inf if game.reach == 1 else 1)
    assert game.is_vacuous == (game.limit >= 1)


@given(answers, st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_post_processing_keeps_indistinguishability(outputs: list[int], merge: list[int]) -> None:
    """|g(A) sym-diff g(B)| <= |A sym-diff B|: whatever is done to the output, epsilon does not grow."""
    merged = of_cube([merge[y] for y in outputs])
    assert indistinguishability(merged).size <= indistinguishability(of_cube(outputs)).size


def test_a_small_symmetric_difference_may_give_everything_away() -> None:
    """M(x) = x_1 is 1-indistinguishable, and every output tells x_1."""
    found = indistinguishability(FiniteMechanism.of(lambda x: x[0], [(0, 1)] * 2))
    assert (found.size, found.epsilon, found.separated) == (2, 1, True)
    pair = worst_pair(FiniteMechanism.of(lambda x: x[0], [(0, 1)] * 2))
    assert pair is not None
    assert not pair.ranges.undecided


def test_reach_does_not_bound_the_game_with_unknown_others() -> None:
    """Bits x1, x2 and M = 0 if x1 = 0 else 1 + x2: reach 2, yet a test of x1 performs log2 3 > 1."""
    mechanism = FiniteMechanism.of(lambda x: x[0] and 1 + x[1], [(0, 1)] * 2)
    found = worst_pair(mechanism)
    assert mechanism.reach == 2
    assert found is not None
    assert (found.record, found.bound) == (0, Bits(3))
