"""The stochastic companions against their definitions, written out naively on tiny distributions."""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import minimize

from noiseless.exact import Bits, Nats
from noiseless.theory import stochastic as s
from noiseless.theory.stochastic import JointDistribution

Table = tuple[tuple[int, ...], ...]
Vector = Sequence[float]

TABLES: tuple[Table, ...] = (
    ((1, 0), (0, 1)),
    ((1, 1), (1, 1)),
    ((3, 1), (1, 3)),
    ((1, 0, 0), (1, 2, 0), (0, 0, 4)),
    ((1, 2, 1), (4, 0, 1)),
    ((1, 0), (1, 1), (0, 5), (2, 2)),
    ((1, 0, 2), (0, 3, 0), (2, 1, 0)),
    ((1, 0, 0, 1), (0, 1, 2, 0), (0, 2, 2, 0)),
    ((1, 1, 1),),
)
ORDERS = (0.3, 0.5, 0.9, 1.0, 1.1, 2.0, 4.0)
tables = pytest.mark.parametrize("table", TABLES, ids=str)
with_orders = pytest.mark.parametrize("order", ORDERS)


def distribution(table: Table) -> JointDistribution:
    total = sum(map(sum, table))
    return JointDistribution.from_matrix([[Fraction(weight, total) for weight in row] for row in table])


def masses(table: Table) -> dict[tuple[int, int], Fraction]:
    total = sum(map(sum, table))
    return {
        (x, y): Fraction(weight, total)
        for x, row in enumerate(table)
        for y, weight in enumerate(row)
        if weight
    }


def marginals(table: Table) -> tuple[list[Fraction], list[Fraction]]:
    found = masses(table)
    xs = [sum((p for (a, _), p in found.items() if a == x), Fraction(0)) for x in range(len(table))]
    ys = [sum((p for (_, b), p in found.items() if b == y), Fraction(0)) for y in range(len(table[0]))]
    return xs, ys


def rows(table: Table) -> list[list[float]]:
    return [[weight / sum(row) for weight in row] for row in table]


def close(found: s.CertifiedNumber | Bits | Nats, expected: float, slack: float = 1e-12) -> bool:
    return found.lower - slack <= expected <= found.upper + slack


def divergence(p: Vector, q: Vector, order: float) -> float:
    """D_order(P || Q) in bits, from its definition; orders other than 0 and infinity."""
    if order >= 1 and any(a > 0 and b <= 0 for a, b in zip(p, q, strict=True)):
        return math.inf
    if order == 1:
        return sum(a * math.log2(a / b) for a, b in zip(p, q, strict=True) if a)
    total = sum(a**order * b ** (1 - order) for a, b in zip(p, q, strict=True) if a and b)
    return math.log2(total) / (order - 1)


def minimum(function: Callable[[Vector], float], size: int) -> float:
    """The smallest value of a function of a distribution, by a general-purpose search from two starts."""

    def value(logits: npt.NDArray[np.float64]) -> float:
        powers = np.exp(logits - logits.max())
        return function((powers / powers.sum()).tolist())

    starts = [np.zeros(size), *np.random.default_rng(0).normal(size=(1, size))]
    options = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 20_000, "maxfev": 20_000}
    return min(
        float(minimize(value, start, method="Nelder-Mead", options=options).fun)  # type: ignore[call-overload] # stubs
        for start in starts
    )


@tables
def test_shannon(table: Table) -> None:
    joint, found = distribution(table), masses(table)
    xs, ys = marginals(table)
    assert close(s.shannon_entropy(joint), -sum(p * math.log2(p) for p in map(float, xs)))
    told = sum(p * math.log2(p / (xs[x] * ys[y])) for (x, y), p in found.items())
    assert close(s.mutual_information(joint), float(told))
    left = -sum(p * math.log2(p / ys[y]) for (_, y), p in found.items())
    assert close(s.conditional_shannon_entropy(joint), float(left))


@tables
def test_conditional_information(table: Table) -> None:
    """I(X;Y'|A) = sum_a P(a) I(X;Y'|A=a) for every way to take A from Y."""
    joint = distribution(table)
    for cells in itertools.product(range(2), repeat=len(table[0])):
        expected = 0.0
        for a in range(2):
            part = tuple(tuple(w if c == a else 0 for w, c in zip(row, cells, strict=True)) for row in table)
            if any(map(any, part)):
                xs, ys = marginals(part)
                inner = sum(p * math.log2(p / (xs[x] * ys[y])) for (x, y), p in masses(part).items())
                expected += sum(map(sum, part)) / sum(map(sum, table)) * inner
        assert close(s.mutual_information(joint, cells), expected)


@tables
def test_common_information(table: Table) -> None:
    """The largest H(U) of a U that is a function of X and a function of Y."""
    xs, _ = marginals(table)
    best = 0.0
    for labels in itertools.product(range(len(table)), repeat=len(table)):
        if all(len({labels[x] for (x, b) in masses(table) if b == y}) <= 1 for y in range(len(table[0]))):
            shares = [sum(p for p, label in zip(xs, labels, strict=True) if label == u) for u in set(labels)]
            best = max(best, -sum(float(p) * math.log2(p) for p in shares))
    assert close(s.common_information(distribution(table)), best)


def shattered(table: Table) -> list[tuple[int, Fraction]]:
    """The U that attains the maximum: each x cut into equally likely pieces, as (x, P(u))."""
    unit = Fraction(1, sum(map(sum, table)))
    return [(x, unit) for x, row in enumerate(table) for _ in range(sum(row))]


@tables
def test_maximal_leakage_by_guessing(table: Table) -> None:
    """sup over U - X - Y of log sum_y max_u P(u,y) / max_u P(u): attained by pieces; no U exceeds it."""
    channel = [[Fraction(weight, sum(row)) for weight in row] for row in table]
    pieces = shattered(table)
    right = sum(max(p * channel[x][y] for x, p in pieces) for y in range(len(table[0])))
    found = s.maximal_leakage(distribution(table))
    assert found.exact == Bits(right / max(p for _, p in pieces))
    random, (xs, _) = np.random.default_rng(0), marginals(table)
    prior, likelihoods = np.array(xs, float), np.array(channel, float)
    for _ in range(50):
        secrets = random.dirichlet(np.full(random.integers(2, 6), 0.3), size=len(table)).T
        together = (secrets * prior) @ likelihoods
        gain = together.max(axis=0).sum() / together.sum(axis=1).max()
        assert math.log2(gain) <= found.upper + 1e-12


@tables
def test_realisable_leakage_by_guessing(table: Table) -> None:
    """sup over U - X - Y and y of log max_u P(u|y) / max_u P(u): attained by pieces; no U exceeds it."""
    channel = [[Fraction(weight, sum(row)) for weight in row] for row in table]
    xs, ys = marginals(table)
    pieces = shattered(table)
    best = max(p * channel[x][y] / ys[y] for x, p in pieces for y in range(len(ys)))
    found = s.realisable_leakage(distribution(table))
    assert found == Bits(best / pieces[0][1])
    random = np.random.default_rng(0)
    for _ in range(50):
        secrets = random.dirichlet(np.full(random.integers(2, 6), 0.3), size=len(table)).T
        together = (secrets * np.array(xs, float)) @ np.array(channel, float)
        gain = (together / together.sum(axis=0)).max() / together.sum(axis=1).max()
        assert math.log2(gain) <= found.upper + 1e-12


@tables
def test_conditional_maximal_leakage(table: Table) -> None:
    """max_a log sum_y' max_x P(y'|x,a), and the same for realisable leakage, however A is taken from Y."""
    joint = distribution(table)
    for cells in itertools.product(range(2), repeat=len(table[0])):
        leaks, realised = [], []
        for a in set(cells):
            part = tuple(tuple(w for w, c in zip(row, cells, strict=True) if c == a) for row in table)
            inner = distribution(tuple(row for row in part if any(row)))
            leaks.append(s.maximal_leakage(inner).exact)
            realised.append(s.realisable_leakage(inner))
        assert s.maximal_leakage(joint, cells).exact == max(leak for leak in leaks if isinstance(leak, Bits))
        assert s.realisable_leakage(joint, cells) == max(realised)


@tables
@with_orders
def test_renyi_leakage(table: Table, order: float) -> None:
    found = masses(table)
    xs, ys = marginals(table)
    expected = max(
        divergence([float(found.get((x, y), 0) / ys[y]) for x in range(len(xs))], [*map(float, xs)], order)
        for y in range(len(ys))
    )
    assert close(s.renyi_leakage(distribution(table), order), expected)


@tables
@with_orders
def test_sibson_by_searching_the_output(table: Table, order: float) -> None:
    """min over Q of D_alpha(P_XY || P_X Q)."""
    xs, _ = marginals(table)
    found = masses(table)

    def value(output: Vector) -> float:
        pairs = list(itertools.product(range(len(table)), range(len(table[0]))))
        return divergence(
            [float(found.get(pair, 0)) for pair in pairs], [float(xs[x]) * output[y] for x, y in pairs], order
        )

    joint = distribution(table)
    information = s.sibson_information(joint, order)
    assert close(information, minimum(value, len(table[0])), 1e-6)
    assert close(information, value(s.sibson_output(joint, order).tolist()))


@tables
@with_orders
def test_csiszar_by_searching_the_output(table: Table, order: float) -> None:
    """min over Q of sum_x P(x) D_alpha(P(y|x) || Q)."""
    xs, _ = marginals(table)
    likelihoods = rows(table)

    def value(output: Vector) -> float:
        return sum(float(p) * divergence(row, output, order) for p, row in zip(xs, likelihoods, strict=True))

    assert close(s.csiszar_information(distribution(table), order), minimum(value, len(table[0])), 1e-6)


def renyi_entropy(p: Vector, order: float) -> float:
    return math.log2(sum(a**order for a in p if a)) / (1 - order)


@tables
@pytest.mark.parametrize("order", [order for order in ORDERS if order != 1])
def test_arimoto(table: Table, order: float) -> None:
    found = masses(table)
    xs, ys = marginals(table)
    columns = [[float(found.get((x, y), 0)) for x in range(len(xs))] for y in range(len(ys))]
    norms = sum(sum(p**order for p in column if p) ** (1 / order) for column in columns)
    after = order / (1 - order) * math.log2(norms)
    assert close(
        s.arimoto_information(distribution(table), order), renyi_entropy([*map(float, xs)], order) - after
    )


@tables
@pytest.mark.parametrize("order", [1.5, 3.0])
def test_alpha_leakage_by_searching_the_estimator(table: Table, order: float) -> None:
    """alpha/(alpha-1) log of max E P(xhat|y)^((alpha-1)/alpha) over max E P(xhat)^((alpha-1)/alpha)."""
    power = (order - 1) / order
    found = masses(table)
    xs, ys = marginals(table)

    def best(shares: Vector) -> float:
        return -minimum(lambda q: -sum(p * a**power for p, a in zip(shares, q, strict=True)), len(shares))

    after = sum(best([float(found.get((x, y), 0)) for x in range(len(xs))]) for y in range(len(ys)))
    expected = math.log2(after / best([*map(float, xs)])) / power
    assert close(s.alpha_leakage(distribution(table), order), expected, 1e-6)


@pytest.mark.parametrize("table", [table for table in TABLES if len(table) > 1], ids=str)
@pytest.mark.parametrize("order", [0.5, 1.0, 2.0, 5.0])
def test_capacity_by_searching_the_prior(table: Table, order: float) -> None:
    """sup over P(x) of Sibson's closed form."""
    likelihoods = np.array(rows(table))

    def value(prior: Vector) -> float:
        if order == 1:
            output = np.asarray(prior) @ likelihoods
            return -sum(
                p * divergence(row, output, 1) for p, row in zip(prior, likelihoods.tolist(), strict=True)
            )
        sums = (np.asarray(prior) @ likelihoods**order) ** (1 / order)
        return -order / (order - 1) * math.log2(sums.sum())

    found = s.sibson_capacity(distribution(table), order).value
    assert close(found, -minimum(value, len(table)), 1e-6)


@tables
def test_local_privacy(table: Table) -> None:
    ratios = [
        math.inf if not b else Fraction(a, sum(row)) / Fraction(b, sum(other))
        for row in table
        for other in table
        for a, b in zip(row, other, strict=True)
        if a
    ]
    assert s.ldp_epsilon_nats(distribution(table)) == Nats(max(ratios))


@tables
def test_f_informations(table: Table) -> None:
    found = masses(table)
    xs, ys = marginals(table)
    pairs = [(float(found.get((x, y), 0)), float(p * q)) for x, p in enumerate(xs) for y, q in enumerate(ys)]
    middle = [(p + q) / 2 for p, q in pairs]
    joint = distribution(table)
    assert close(s.total_variation(joint), sum(abs(p - q) for p, q in pairs) / 2)
    assert close(s.chi_squared(joint), sum((p - q) ** 2 / q for p, q in pairs))
    assert close(s.squared_hellinger(joint), sum((math.sqrt(p) - math.sqrt(q)) ** 2 for p, q in pairs) / 2)
    halves = [divergence([pair[side] for pair in pairs], middle, 1) for side in (0, 1)]
    assert close(s.jensen_shannon(joint), sum(halves) / 2)
    assert close(s.hockey_stick(joint, 1.5), sum(max(p - 1.5 * q, 0) for p, q in pairs))
