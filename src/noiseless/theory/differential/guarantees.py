"""How differentially private a finite mechanism is: DP, KL-DP, MI-DP and their variants, of a `Database`."""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import arb

from noiseless.arrays import FloatArray
from noiseless.errors import RequestError
from noiseless.exact import Bits, Nats, ball, ball_above, ball_below, round_down, round_up
from noiseless.theory.capacity import capacity
from noiseless.theory.differential.database import (
    AnyArray,
    Database,
    Distribution,
    distribution,
    largest_divergence,
)
from noiseless.theory.differential.database import smallest_delta as pair_delta
from noiseless.theory.differential.database import smallest_epsilon as pair_epsilon
from noiseless.theory.differential.parameters import Delta, Epsilon, read_delta, read_epsilon
from noiseless.theory.stochastic import (
    CertifiedNumber,
    JointDistribution,
    ldp_epsilon_nats,
    mutual_information,
    realisable_leakage,
)

_LOG_OF_ZERO = -1e300
"""Stands for ln 0, so that differences of logarithms are never undefined."""

_SLACK = 1e-11
"""More than logarithms of doubles from 1e-300 on, and their differences, are off."""

_MOST = Fraction(10**6)
"""More than any finite logarithm of a ratio of probabilities."""

Score = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
"""Of arrays of rows P and Q: floats certainly not above and not below what is sought of each pair."""


@dataclass(frozen=True)
class InformationBounds:
    """A bracket around a mutual information or a capacity, in nats.

    Attributes:
        lower_nats: certainly not above it.
        upper_nats: certainly not below it.
        exact: the value itself where it is the logarithm of a rational.
    """

    lower_nats: float
    upper_nats: float
    exact: Nats | None = None


def dp_epsilon(database: Database, delta: Delta = 0, *, entry: int | None = None) -> Nats:
    """The smallest epsilon with which a mechanism is (epsilon, delta)-DP (Definition 1 of [P5]), exactly.

    How far the probabilities of an output can be apart, in nats, for two databases that differ in one
    entry.

    It is infinite when more than delta of what one database can cause is impossible for its neighbour.

    >>> coin = Database.of([[0.75, 0.25], [0.25, 0.75]])
    >>> dp_epsilon(coin), dp_epsilon(coin, 0.25)
    (Nats(3), Nats(2))

    Args:
        database: the mechanism.
        delta: the probability of failure.
        entry: only look at changes of this entry.

    Inequalities:
        * `MI-DP <= KL-DP <= epsilon tanh(epsilon/2) <= epsilon` for delta 0, in nats.
    """
    allowed = read_delta(delta)
    pairs = _worst_pairs(database, entry, _ratio_score(float(allowed)))
    return max((pair_epsilon(p, q, allowed) for p, q in pairs), default=Nats(1))


def dp_delta(database: Database, epsilon: Epsilon = 0, *, entry: int | None = None) -> Fraction | float:
    """The smallest delta with which a mechanism is (epsilon, delta)-DP.

    By how much a neighbour's outputs can break the promise of epsilon.

    It is a fraction where e^epsilon is rational (0, or `Nats`), else a float that is rounded up.

    >>> dp_delta(Database.of([[0.75, 0.25], [0.25, 0.75]]))
    Fraction(1, 2)

    Inequalities:
        * It does not rise with epsilon; at epsilon 0 `delta <= sqrt(KL-DP / 2)`, in nats.
        * `delta <= mi_to_delta(MI-DP)` at epsilon 0: nothing, from ln 2 nats on.
    """
    exact = read_epsilon(epsilon)
    limit = _MOST if exact is None else Fraction(exact.upper) if isinstance(exact, Nats) else exact
    pairs = _worst_pairs(database, entry, _excess_score(float(min(limit, _MOST))))
    return max((pair_delta(p, q, epsilon) for p, q in pairs), default=Fraction())


def dp_curve(database: Database, epsilons: Iterable[Epsilon]) -> tuple[Fraction | float, ...]:
    """The smallest delta for each epsilon: the privacy profile of a mechanism."""
    return tuple(dp_delta(database, epsilon) for epsilon in epsilons)


def kl_dp(database: Database, *, entry: int | None = None) -> float:
    """The smallest epsilon with which a mechanism is epsilon-KL-DP (Definition 7 of [P5]), rounded up.

    The largest divergence of the outputs of two databases that differ in one entry.

    >>> kl_dp(Database.of([[1, 0], [0.5, 0.5]]))
    inf

    Inequalities:
        * `MI-DP <= KL-DP <= epsilon tanh(epsilon/2)` for an (epsilon, 0)-DP mechanism, in nats.
    """
    if not dp_epsilon(database, entry=entry).is_finite:
        return math.inf
    pairs = _worst_pairs(database, entry, _divergence_score)
    return max((largest_divergence(p, q) for p, q in pairs), default=0.0)


def mi_dp(database: Database, *, entry: int | None = None, tolerance: float = 1e-9) -> InformationBounds:
    """The smallest epsilon with which a mechanism is epsilon-MI-DP (Definition 2 of [P5]), bracketed.

    The supremum of `I(X_i;Y|X_-i)` is the largest capacity from a record to y, over records and others. For a
    deterministic mechanism it is ln(reach), exactly.

    >>> mi_dp(Database.from_function(lambda a, b: a + b, range(3), range(2))).exact
    Nats(3)

    Inequalities:
        * `MI-DP <= KL-DP`, in nats.
        * `MI-DP <= k - 1 - ln k` with k = epsilon / (1 - exp(-epsilon)) for an (epsilon, 0)-DP
          mechanism.
        * `MI-DP <= ln min(values of an entry, outputs)`.
    """
    if database.is_deterministic:
        exact = Nats(reach(database, entry=entry))
        return InformationBounds(exact.lower, exact.upper, exact)
    lower = upper = 0.0
    for bound, line in sorted(_distinct_lines(database, entry), key=lambda bounded: -bounded[0]):
        if bound <= upper:
            break
        most = capacity(line[:, line.any(axis=0)], tolerance=tolerance)
        lower = max(lower, round_down(_rounding(line, Fraction(most.lower_nats), -1)))
        upper = max(upper, round_up(_rounding(line, Fraction(most.upper_nats), 1)))
    return InformationBounds(max(lower, 0.0), upper)


def reach(database: Database, *, entry: int | None = None) -> int:
    """The largest number of outputs that one individual can cause, of a deterministic mechanism.

    Raises:
        RequestError: the mechanism is randomised.
    """
    if not database.is_deterministic:
        raise RequestError("reach is defined for deterministic mechanisms; take mi_dp for this one")
    return max(int(database.lines(i).any(axis=1).sum(axis=-1).max()) for i in _entries(database, entry))


@dataclass(frozen=True)
class Variant:
    """How private a mechanism is in the sense of one variant.

    Attributes:
        epsilon: the smallest epsilon of the definition by likelihood ratios, exactly; it may be infinite.
        information: the smallest epsilon of its counterpart by mutual information.
    """

    epsilon: Nats
    information: InformationBounds


def personalised(database: Database) -> tuple[Variant, ...]:
    """A guarantee for each entry: (55) and (56) of [P5].

    >>> first_only = Database.of([[[0.75, 0.25]] * 2, [[0.25, 0.75]] * 2])
    >>> [entry.epsilon for entry in personalised(first_only)]
    [Nats(3), Nats(1)]
    """
    return tuple(
        Variant(dp_epsilon(database, entry=i), mi_dp(database, entry=i)) for i in range(database.entries)
    )


def free_lunch(database: Database) -> Variant:
    """Any two databases at all: (57), and sup I(X^n;Y) over all priors: (58) of [P5]."""
    whole = database.flattened()
    return Variant(dp_epsilon(whole), mi_dp(whole))


def bayesian(database: Database, prior: npt.ArrayLike | Sequence[Any]) -> Variant:
    """The largest over i and known sets I of other entries: (60), and I(X_i;Y|X_I): (61) of [P5].

    Values that the prior excludes are not compared.
    """
    weights = _joint(database, prior)
    views = [_view(weights, i, known) for i in range(database.entries) for known in _subsets(database, i)]
    return Variant(
        max(view.epsilon for view in views),
        InformationBounds(
            max(view.information.lower_nats for view in views),
            max(view.information.upper_nats for view in views),
        ),
    )


def adversarial(database: Database, prior: npt.ArrayLike | Sequence[Any]) -> Variant:
    """The most that an output raises the probability of a database: (64), and I(X^n;Y): (65) of [P5]."""
    joint = JointDistribution.from_matrix(_joint(database, prior).reshape(-1, database.outputs))
    return Variant(Nats(realisable_leakage(joint).ratio), _in_nats(mutual_information(joint)))


def _entries(database: Database, entry: int | None) -> Iterable[int]:
    return range(database.entries) if entry is None else (entry,)


def _rounding(line: FloatArray, nats: Fraction, side: int) -> Fraction:
    """Room for the probabilities having been rounded to floats.

    With each probability off by a factor within 1 +- r, D(W_x||q) changes by at most r (sum W |ln(W/q)| + 1)
    plus terms in r^2, and sum W |ln(W/q)| <= D + 2/e: altogether less than r (D + 2).
    """
    return nats + side * (nats + 2) * Fraction(len(line.T) + 8, 2**52)


def _distinct_lines(database: Database, entry: int | None) -> Iterator[tuple[float, FloatArray]]:
    """The channels x_i -> y that differ, each with a float that is not below its capacity."""
    seen: set[bytes] = set()
    for i in _entries(database, entry):
        for line, exact in zip(database.lines(i), database.exact_lines(i), strict=True):
            if (exact == exact[0]).all():  # rows that agree as floats alone still tell something
                continue
            key = line[np.lexsort(line.T)].tobytes()
            if key not in seen:
                seen.add(key)
                centre = np.broadcast_to(line.mean(axis=0), line.shape)
                yield float(_divergence_score(line, centre)[1].max()), line


def _worst_pairs(
    database: Database, entry: int | None, score: Score
) -> Iterator[tuple[Distribution, Distribution]]:
    """The pairs of neighbours of which one has the largest score, if any is positive; no pattern twice.

    Scores in floats leave few pairs to exact arithmetic: a hundred times quicker with a hundred databases.
    """
    tables = [(i, _scores(database.lines(i), score)) for i in _entries(database, entry)]
    best = max(0.0, *(float(low.max()) for _, (low, _) in tables))
    seen: set[Any] = set()
    for i, (_, high) in tables:
        exact = database.exact_lines(i)
        for line, first, second in np.argwhere(high >= best).tolist():
            p, q = tuple(exact[line, first].tolist()), tuple(exact[line, second].tolist())
            pattern = tuple(sorted(zip(p, q, strict=True)))  # outputs may be renamed
            if p != q and pattern not in seen:
                seen.add(pattern)
                yield p, q


def _scores(lines: FloatArray, score: Score) -> tuple[FloatArray, FloatArray]:
    """Arrays of (x_-i, x_i, other x_i)."""
    scored = [score(lines[:, [first]], lines) for first in range(lines.shape[1])]
    low, high = (np.stack(ends, axis=1) for ends in zip(*scored, strict=True))
    return low, high


def _logarithms(p: FloatArray) -> FloatArray:
    return np.log(p, out=np.full(p.shape, _LOG_OF_ZERO), where=p > 0)


def _unit(p: FloatArray) -> float:
    """More than a probability, and sums of them, are off relatively."""
    return float(np.ldexp(p.shape[-1] + 8.0, -52))


def _excess_score(epsilon: float) -> Score:
    """Of max_A P(A) - e^epsilon Q(A)."""

    def score(p: FloatArray, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        gap = epsilon - (_logarithms(p) - _logarithms(q))
        value = (p * -np.expm1(np.minimum(0.0, gap))).sum(axis=-1)
        slack = _SLACK + 8 * _unit(p)
        none = (gap > slack).all(axis=-1)  # no outcome is so much likelier
        return value - slack, np.where(none, -np.inf, value + slack)

    return score


def _ratio_score(delta: float) -> Score:
    """Of ln max_A (P(A) - delta) / Q(A)."""

    def score(p: FloatArray, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        logarithms = _logarithms(p) - _logarithms(q)
        if delta == 0:
            value = np.where(p > 0, logarithms, 0.0).max(axis=-1)
            return value - _SLACK, value + _SLACK
        order = np.argsort(-logarithms, axis=-1)
        inside, outside = (
            np.take_along_axis(np.broadcast_to(row, logarithms.shape), order, -1).cumsum(axis=-1)
            for row in (p, q)
        )
        slack = _SLACK + 8 * _unit(p)
        low, high = (
            _logarithms(np.maximum(inside - delta + side * slack, 0.0)) - _logarithms(outside) + side * slack
            for side in (-1, 1)
        )
        return low.max(axis=-1), high.max(axis=-1)

    return score


def _divergence_score(p: FloatArray, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Of D(P||Q), for finite ones."""
    value = np.where(p > 0, p * (_logarithms(p) - _logarithms(q)), 0.0).sum(axis=-1)
    slack = _SLACK + 2000 * _unit(p)
    return value - slack, value + slack


def _joint(database: Database, prior: npt.ArrayLike | Sequence[Any]) -> AnyArray:
    """P(x_1..x_n, y) in fractions."""
    given = np.asarray(prior, object)
    if given.shape != database.sizes:
        raise RequestError(
            f"the prior has the shape {given.shape}; give a probability for each database, {database.sizes}"
        )
    exact = np.array(distribution(given.ravel().tolist()), object).reshape(*database.sizes, 1)
    return np.asarray(exact * database.exact)


def _subsets(database: Database, entry: int) -> Iterator[Sequence[int]]:
    others = [j for j in range(database.entries) if j != entry]
    return itertools.chain.from_iterable(itertools.combinations(others, r) for r in range(len(others) + 1))


def _view(weights: AnyArray, entry: int, known: Sequence[int]) -> Variant:
    """What an output adds about one entry to what somebody knows who knows some of the others."""
    unknown = tuple(j for j in range(weights.ndim - 1) if j != entry and j not in known)
    seen = np.moveaxis(weights.sum(axis=unknown, keepdims=True), entry, -2)
    tables = seen.reshape(-1, *seen.shape[-2:])  # for each of what is known: own values, outputs
    places, own, outputs = np.nonzero(tables)
    masses = tables[places, own, outputs]
    epsilons = [
        ldp_epsilon_nats(JointDistribution.from_counts(own[here], outputs[here], masses[here]))
        for here in (places == place for place in np.unique(places))
    ]
    answers = places * tables.shape[-1] + outputs
    joint = JointDistribution.from_counts(own, answers, masses)
    information = mutual_information(joint, given=np.unique(answers) // tables.shape[-1])
    return Variant(max(epsilons), _in_nats(information))


def _in_nats(bits: CertifiedNumber) -> InformationBounds:
    """The same number in another unit, rounded outward."""
    if isinstance(bits.exact, Bits):
        exact = Nats(bits.exact.ratio)
        return InformationBounds(exact.lower, exact.upper, exact)
    lower, upper = (ball(end) * arb.const_log2() for end in (bits.lower, bits.upper))
    return InformationBounds(ball_below(lower), ball_above(upper))
