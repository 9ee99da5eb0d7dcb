"""The bracket against the definition: max over priors of the mutual information, by brute force."""

import math

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import example, given, settings
from hypothesis import strategies as st

from noiseless.exact import ball
from noiseless.theory.capacity import capacity
from noiseless.theory.capacity.bracket import divergences
from noiseless.theory.channel import Channel

Matrix = list[list[float]]


def information(prior: list[float], matrix: Matrix) -> float:
    """I(p; W) = sum_x,y p(x) W(y|x) ln W(y|x) / q(y)."""
    output = [sum(p * row[y] for p, row in zip(prior, matrix, strict=True)) for y in range(len(matrix[0]))]
    return sum(
        p * w * math.log(w / q)
        for p, row in zip(prior, matrix, strict=True)
        for w, q in zip(row, output, strict=True)
        if p > 0 and w > 0
    )


def best_of_grid(matrix: Matrix, steps: int = 14, rounds: int = 11) -> float:
    """The largest information over a grid of priors on two or three inputs, refined around its best."""
    centre, radius, best = [1 / len(matrix)] * len(matrix), 1.0, 0.0
    for _ in range(rounds):
        offsets = [radius * (2 * k / steps - 1) for k in range(steps + 1)]
        tried = (
            [centre[0] + a, centre[1] + b, 1 - centre[0] - a - centre[1] - b]
            if len(matrix) == 3
            else [centre[0] + a, 1 - centre[0] - a]
            for a in offsets
            for b in (offsets if len(matrix) == 3 else [0.0])
        )
        best, centre = max((information(prior, matrix), prior) for prior in map(_inside, tried))
        radius *= 0.3
    return best


def _inside(prior: list[float]) -> list[float]:
    """The prior itself, or one on the edge: the best is often there."""
    kept = [max(p, 0.0) for p in prior]
    return [p / sum(kept) for p in kept]


def channels(inputs: st.SearchStrategy[int], outputs: int = 4) -> st.SearchStrategy[Matrix]:
    weights = st.lists(st.integers(0, 9), min_size=outputs, max_size=outputs).filter(any)
    return (
        inputs.flatmap(lambda n: st.lists(weights, min_size=n, max_size=n))
        .filter(lambda rows: all(map(any, zip(*rows, strict=True))))
        .map(lambda rows: [[weight / sum(row) for weight in row] for row in rows])
    )


@given(channels(st.integers(2, 3)))
@example([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.5, 0.5], [0.25, 0.25, 0.5, 0.0]])  # one input is never used
def test_the_bracket_holds_the_best_of_a_fine_grid(matrix: Matrix) -> None:
    found, brute = capacity(matrix), best_of_grid(matrix)
    assert found.converged
    assert found.lower_nats - 1e-7 <= brute <= found.upper_nats + 1e-13


@pytest.fixture
def precise() -> object:
    with ctx.workprec(400):
        yield


def exact_divergence(row: list[float], output: list[float]) -> arb:
    """D(row / sum || output / sum) of the rationals that the floats are."""
    above, below = sum(map(ball, row), arb(0)), sum(map(ball, output), arb(0))
    terms = (
        ball(w) / above * (ball(w) * below / (ball(q) * above)).log()
        for w, q in zip(row, output, strict=True)
        if w
    )
    return sum(terms, arb(0))


NOTHING = arb(2) ** -300
"""An exact 0 is known to working precision only."""

NASTY = st.sampled_from([0.0, 1e-300, 1e-17, 1e-9, 0.1, 0.25, 0.5, 1 / 3, 0.7, 0.1 + 1e-15, 1e-320])


@pytest.mark.usefixtures("precise")
@settings(max_examples=75)
@given(
    st.lists(NASTY, min_size=5, max_size=5).filter(lambda r: sum(r) > 0.01),
    st.lists(NASTY, min_size=5, max_size=5),
)
def test_divergences_are_enclosed(row: list[float], other: list[float]) -> None:
    scale = sum(row)
    row = [entry / scale for entry in row]
    output = [max(0.5 * (a + b), 2.0**-1000) for a, b in zip(row, other, strict=True)]
    total = sum(output)
    output = [max(q / total, 2.0**-1000) for q in output]
    below, above = divergences(np.array([row]), np.array(output))
    exact = exact_divergence(row, output)
    assert ball(float(below[0])) - NOTHING <= exact <= ball(float(above[0]))
    assert above[0] - below[0] < 1e-13 * (1 + float(above[0]))


@pytest.mark.usefixtures("precise")
@given(channels(st.integers(2, 5)))
def test_both_ends_are_proved_by_what_is_returned(matrix: Matrix) -> None:
    """The lower end is at most the information of the prior, the upper at least every divergence from q."""
    found = capacity(matrix)
    rows = Channel.of(matrix).matrix.tolist()
    whole = sum(map(ball, found.prior.tolist()), arb(0))
    prior = [ball(p) / whole for p in found.prior.tolist()]
    sums = [sum(map(ball, row), arb(0)) for row in rows]
    value = arb(0)
    for y in range(len(rows[0])):
        output = sum((p * ball(row[y]) / s for p, row, s in zip(prior, rows, sums, strict=True)), arb(0))
        for p, row, s in zip(prior, rows, sums, strict=True):
            if row[y] and p > 0:
                value += p * ball(row[y]) / s * (ball(row[y]) / s / output).log()
    assert ball(found.lower_nats) - NOTHING <= value
    for row in rows:
        if found.exact is None and found.upper_nats < math.log(min(len(rows), len(rows[0]))):
            assert exact_divergence(row, found.output.tolist()) <= ball(
                found.upper_nats * (1 + 1e-15) + 1e-25
            )
