"""Newton's method inside the simplex: a primal-dual interior-point method for max_p I(p; W).

At the optimum g(x) = D(W(x) || pW) = C - s(x) with s >= 0 and p s = 0. The derivative of g is -B with
B = W diag(1/q) W', so a step solves (B + diag(s/p)) dp + dC = right-hand side under sum dp = 0. Mehrotra's
predictor and corrector share one factorisation; ten steps are usual.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from noiseless.arrays import FloatArray
from noiseless.theory.capacity.clock import Clock
from noiseless.theory.capacity.divergence import Rows, output_of, products

_STEPS = 80
_PATIENCE = 8
"""Steps without a smaller gap before rounding is to blame."""
_TO_THE_EDGE = 0.995

Solver = Callable[[FloatArray], FloatArray]


class System(Protocol):
    """Factorises W diag(1/q) W' + diagonal."""

    def factorise(self, matrix: FloatArray, output: FloatArray, diagonal: FloatArray) -> Solver | None:
        """What solves for right-hand sides in columns; None when rounding has made it indefinite."""


@dataclass(frozen=True)
class Dense:
    """The whole matrix. SciPy's routines alone: two libraries' threads would wait for each other."""

    def factorise(self, matrix: FloatArray, output: FloatArray, diagonal: FloatArray) -> Solver | None:
        """Cholesky's factorisation."""
        from scipy.linalg import blas, lapack

        scaled = matrix / np.sqrt(output)
        product = blas.dsyrk(1.0, scaled.T, trans=1, lower=1)
        product[np.diag_indices(len(matrix))] += diagonal
        factor, failed = lapack.dpotrf(product, lower=1, overwrite_a=1, clean=0)
        return None if failed else lambda sides: lapack.dpotrs(factor, sides, lower=1)[0]


@dataclass(frozen=True)
class _Point:
    """Prior, slack and value, with what follows from the prior."""

    prior: FloatArray
    slack: FloatArray
    value: float
    output: FloatArray
    divergences: FloatArray

    @property
    def gap(self) -> float:
        return float(self.divergences.max() - self.prior @ self.divergences)


def improve(rows: Rows, prior: FloatArray, target: float, clock: Clock, system: System) -> FloatArray:
    """A prior on these rows whose gap max_x g - sum p g is at most `target`, or the best that was found.

    Args:
        rows: inputs that may be used, each with a positive entry of `prior`.
        prior: where to start, positive.
        target: the gap that is good enough.
        clock: stops the work.
        system: how to solve for a step.
    """
    used = rows.matrix.any(axis=0)
    if not used.all():
        rows = Rows(np.ascontiguousarray(rows.matrix[:, used]), rows.negentropies)
    point = _start(rows, prior)
    best, waited = point, 0
    for _ in range(_STEPS):
        if best.gap <= target or waited > _PATIENCE or clock.has_rung():
            break
        moved = _step(rows, point, system)
        if moved is None:
            break
        point = moved
        best, waited = (point, 0) if point.gap < best.gap else (best, waited + 1)
    return best.prior


def _start(rows: Rows, prior: FloatArray) -> _Point:
    point = _at(rows, prior, prior, 0.0)
    gap = max(point.gap, 1e-15)
    value = float(point.divergences.max()) + 0.1 * gap
    slack = np.maximum(value - point.divergences, 0.1 * gap / (len(prior) * prior))
    return _Point(prior, slack, value, point.output, point.divergences)


def _at(rows: Rows, prior: FloatArray, slack: FloatArray, value: float) -> _Point:
    output = output_of(rows.matrix, prior)
    return _Point(prior, slack, value, output, rows.negentropies - products(rows.matrix, np.log(output)))


def _step(rows: Rows, point: _Point, system: System) -> _Point | None:
    prior, slack = point.prior, point.slack
    solve = system.factorise(rows.matrix, point.output, slack / prior)
    if solve is None:
        return None
    residual = point.value - point.divergences - slack

    def direction(complement: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        sides = np.column_stack([np.ones(len(prior)), complement / prior - residual])
        solved = solve(sides)
        rise = float((solved[:, 1].sum() + prior.sum() - 1) / solved[:, 0].sum())
        moves = solved[:, 1] - rise * solved[:, 0]
        return moves, (complement - slack * moves) / prior, rise

    moves, slack_moves, _ = direction(-prior * slack)
    mean = float(prior @ slack) / len(prior)
    reached = (prior + _longest(prior, moves) * moves) @ (slack + _longest(slack, slack_moves) * slack_moves)
    centre = (float(reached) / len(prior) / mean) ** 3 * mean
    moves, slack_moves, rise = direction(centre - prior * slack - moves * slack_moves)
    length = min(_longest(prior, moves), _longest(slack, slack_moves))
    if not (np.isfinite(length) and np.isfinite(moves).all() and np.isfinite(slack_moves).all()):
        return None
    moved = prior + length * moves
    return _at(rows, moved / moved.sum(), slack + length * slack_moves, point.value + length * rise)


def _longest(values: FloatArray, moves: FloatArray) -> float:
    """How far one may go, at most 1, before a value reaches 0."""
    falls = moves < 0
    return min(1.0, _TO_THE_EDGE * float((-values[falls] / moves[falls]).min(initial=np.inf)))
