"""The semidefinite program of Lovasz's number in floats, and proofs in integers that make its answer certain.

A general solver (Clarabel) takes up to 200 times as long for graphs of 50 nodes, and minutes for 100.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from flint import fmpz_mat

from noiseless.theory.blas import one_thread

Matrix = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Direction = Callable[[Matrix], Matrix]

_UNKNOWNS = 900
"""Up to this many unknowns the interior-point method is used: it is quicker there, and more precise."""

_FEW_EDGES = 450
"""Up to this many edges the system with an unknown an edge is used in any case: it loses fewer digits."""

_STEPS_INSIDE = 60
_GAP = 1e-12
_PATIENCE = 3
_REFINEMENTS = 3
_SHORT = 0.97
"""How much of the way to the boundary a step goes."""

_STEPS_FIRST_ORDER = 3000
_RESIDUAL = 1e-8
_EVERY = 10
_OVERSTEP = 1.6
"""The multiplier step of the first-order method: any value below (1 + sqrt 5)/2 converges."""

SCALE = 2**40
"""Matrices are rounded to multiples of 1/SCALE before anything is proved about them."""

_ROOT_SCALE = 2**45


class Solution(NamedTuple):
    """Nearly optimal matrices of the two programs; `weights` is Y, exactly 0 off the edges."""

    primal: Matrix
    weights: Matrix


def solve(edges: Mask) -> Solution:
    """Solve both programs of a graph given by its adjacency matrix.

    The first-order method alone would take 2 to 14 times as long where the interior-point one is used, and
    leave ends a millionth apart on random graphs of 40 nodes.

    Raises:
        LinAlgError: the arithmetic broke down; nothing can be said about the matrices.
    """
    count = int(edges.sum()) // 2
    size = len(edges)
    others = size * (size - 1) // 2 - count
    with np.errstate(all="ignore"), one_thread():  # thousands of products of small matrices
        if min(count + 1, others + size) > _UNKNOWNS:
            solution = _first_order(edges)
        elif count < max(_FEW_EDGES, others + size):
            solution = _over_edges(edges)
        else:
            solution = _over_non_edges(edges)
    if not (np.isfinite(solution.primal).all() and np.isfinite(solution.weights).all()):
        raise np.linalg.LinAlgError("the solution is not finite")
    return solution


def _over_edges(edges: Mask) -> Solution:
    """The unknowns are t and the entries of Y: the dual matrix moves freely, the primal one is tied."""
    size = len(edges)
    rows, columns = np.nonzero(np.triu(edges))

    def direction(free_inverse: Matrix, tied: Matrix) -> Direction:
        """Solve for dZ such that X' = target - sym(X dZ Z^-1) is 0 on the edges and has trace 1."""
        system = np.empty((len(rows) + 1, len(rows) + 1))
        system[:-1, :-1] = _products(tied, free_inverse, rows, columns)
        product = tied @ free_inverse
        system[-1, :-1] = system[:-1, -1] = product[rows, columns] + product[columns, rows]
        system[-1, -1] = np.trace(product)
        solver = _solver(system)

        def to_target(target: Matrix) -> Matrix:
            entries = solver(np.append(2 * target[rows, columns], np.trace(target) - 1))
            return np.asarray(_symmetric(size, rows, columns, entries[:-1]) + entries[-1] * np.eye(size))

        return to_target

    def read(free: Matrix, tied: Matrix) -> Solution:
        return Solution(tied, np.where(edges, -1 - free, 0.0))

    return _path(2.0 * size * np.eye(size) - 1, np.eye(size) / size, direction, read)


def _over_non_edges(edges: Mask) -> Solution:
    """The unknowns are the entries of X: the primal matrix moves freely, the dual one is tied."""
    size = len(edges)
    rows, columns = np.nonzero(np.triu(~edges))
    diagonal = (rows == columns).astype(np.float64)
    weight = 1 - diagonal / 2

    def direction(free_inverse: Matrix, tied: Matrix) -> Direction:
        """Solve for dX of trace 0 such that Z' = target - sym(Z dX X^-1) is tI - J but for the edges."""
        system = _products(tied, free_inverse, rows, columns) * np.outer(weight, weight)
        solver = _solver(system)
        along = solver(diagonal)

        def to_target(target: Matrix) -> Matrix:
            level = np.trace(target) / size + 1  # nearly t: what is left to solve for is small, and precise
            entries = solver(2 * weight * (target[rows, columns] + 1) - level * diagonal)
            entries -= along * (diagonal @ entries) / (diagonal @ along)
            return _symmetric(size, rows, columns, entries * weight)

        return to_target

    def read(free: Matrix, tied: Matrix) -> Solution:
        return Solution(free, np.where(edges, -1 - tied, 0.0))

    return _path(np.eye(size) / size, 2.0 * size * np.eye(size) - 1, direction, read)


def _products(
    tied: Matrix, inverse: Matrix, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]
) -> Matrix:
    """<A_p, T A_q F^-1> for the matrices A_p = E_ij + E_ji: the linear system of the direction."""
    to_rows, to_columns = np.ix_(columns, rows), np.ix_(columns, columns)
    from_rows, from_columns = np.ix_(rows, rows), np.ix_(rows, columns)
    system = tied[to_rows] * inverse[from_columns]
    system += tied[to_columns] * inverse[from_rows]
    system += tied[from_rows] * inverse[to_columns]
    system += tied[from_columns] * inverse[to_rows]
    return system


def _solver(system: Matrix) -> Callable[[Matrix], Matrix]:
    """Solve with a positive definite matrix; near the optimum it may need a tiny ridge to be one."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    scale = np.sqrt(np.maximum(system.diagonal(), np.finfo(np.float64).tiny))
    scaled = system / np.outer(scale, scale)
    ridge = 1e-15
    while True:
        try:
            factor = cho_factor(scaled + ridge * np.eye(len(scale)), lower=True, check_finite=False)
        except LinAlgError:
            ridge *= 100
            if ridge > 1:
                raise
        else:
            return lambda right: cho_solve(factor, right / scale, check_finite=False) / scale


def _path(
    free: Matrix,
    tied: Matrix,
    system: Callable[[Matrix, Matrix], Direction],
    read: Callable[[Matrix, Matrix], Solution],
) -> Solution:
    """Follow the central path: the direction of Helmberg, Rendl, Vanderbei and Wolkowicz, with a corrector.

    Near the optimum rounding takes over; the best point met is returned, not the last.
    """
    size = len(free)
    best = read(free, tied)
    value, stalled = _value(best), 0
    for _ in range(_STEPS_INSIDE):
        if stalled > _PATIENCE or not np.sum(free * tied) > size * _GAP:
            break
        try:
            free, tied = _step(free, tied, system)
            solution = read(free, tied)
            reached = _value(solution)
        except np.linalg.LinAlgError:  # rounding has left the cone
            break
        stalled = 0 if reached < value else stalled + 1
        if stalled == 0:
            best, value = solution, reached
    return best


def _step(free: Matrix, tied: Matrix, system: Callable[[Matrix, Matrix], Direction]) -> tuple[Matrix, Matrix]:
    """One step along the path: how far the plain direction would get says how much to centre."""
    level = float(np.sum(free * tied)) / len(free)
    inverse = _inverse(free)
    direction = system(inverse, tied)
    move, change = _aim(np.zeros_like(free), tied, inverse, direction)
    ahead = np.sum((free + _longest(free, move) * move) * (tied + _longest(tied, change) * change))
    centre = level * min(1.0, max(float(ahead) / len(free) / level, 1e-3)) ** 2
    target = centre * inverse - _halved(change @ move @ inverse)
    move, change = _aim(target, tied, inverse, direction)
    return (
        free + _SHORT * _longest(free, move) * move,
        tied + _SHORT * _longest(tied, change) * change,
    )


def _aim(target: Matrix, tied: Matrix, inverse: Matrix, direction: Direction) -> tuple[Matrix, Matrix]:
    """The moves of the free and of the tied matrix; what rounding left over is solved again."""
    move, reached = np.zeros_like(target), target
    for _ in range(_REFINEMENTS):
        more = direction(reached)
        move = move + more
        reached = reached - _halved(tied @ more @ inverse)
    return move, reached - tied


def _value(solution: Solution) -> float:
    """The upper bound on theta that the weights prove, but for rounding."""
    return float(np.linalg.eigvalsh(1 + solution.weights)[-1])


def _inverse(matrix: Matrix) -> Matrix:
    from scipy.linalg import cho_factor, cho_solve

    return _halved(cho_solve(cho_factor(matrix, lower=True), np.eye(len(matrix))))


def _longest(matrix: Matrix, move: Matrix) -> float:
    """The largest step up to 1/_SHORT that keeps `matrix` positive definite."""
    from scipy.linalg import cholesky, solve_triangular

    root = cholesky(matrix, lower=True)
    half = solve_triangular(root, move, lower=True)
    least = float(np.linalg.eigvalsh(_halved(solve_triangular(root, half.T, lower=True)))[0])
    return min(1 / _SHORT, -1 / least) if least < 0 else 1 / _SHORT


def _first_order(edges: Mask) -> Solution:
    """The boundary-point method of Povh, Rendl and Wiegele: an augmented Lagrangian of the dual."""
    size = len(edges)
    primal, dual, penalty = np.zeros(edges.shape), np.zeros(edges.shape), 1 / size
    weights = np.zeros(edges.shape)
    for step in range(_STEPS_FIRST_ORDER):
        wanted = 1 + dual + primal / penalty
        level = (np.trace(wanted) - 1 / penalty) / size
        weights = np.where(edges, -wanted, 0.0)
        slack = level * np.eye(size) - 1 - weights
        values, vectors = np.linalg.eigh(slack - primal / penalty)
        above = vectors[:, values > 0]
        below = vectors[:, values <= 0]
        dual = _halved((above * values[values > 0]) @ above.T)
        primal = (1 - _OVERSTEP) * primal - _OVERSTEP * penalty * _halved(
            (below * values[values <= 0]) @ below.T
        )
        dual_off = float(np.linalg.norm(dual - slack)) / (1 + size)
        primal_off = float(np.hypot(np.linalg.norm(primal[edges]), np.trace(primal) - 1))
        if max(dual_off, primal_off) < _RESIDUAL:
            break
        if step % _EVERY == 0:  # keep the two residuals in step
            penalty *= 0.8 if primal_off > 3 * dual_off else 1.25 if dual_off > 3 * primal_off else 1
    return Solution(primal, weights)


def _symmetric(
    size: int, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp], entries: Matrix
) -> Matrix:
    """sum_p entries_p (E_ij + E_ji)."""
    upper = np.zeros((size, size))
    upper[rows, columns] = entries
    return upper + upper.T


def _halved(matrix: Matrix) -> Matrix:
    return (matrix + matrix.T) / 2


def rounded(matrix: Matrix) -> npt.NDArray[np.int64]:
    """The nearest multiples of 1/SCALE, as integers; what comes out is symmetric to the last bit."""
    upper = np.triu(np.rint(matrix * SCALE).astype(np.int64))
    return upper + np.triu(upper, 1).T


def sufficient_shift(entries: npt.NDArray[np.int64]) -> Fraction:
    """A rational s, hardly above the smallest one, with entries/SCALE + s I >= 0, proved.

    For a float Cholesky factor L of the shifted matrix A, rounded to integers, the residual R = A - L L' is
    found exactly; L L' >= 0, and R + r I >= 0 for the largest row sum r of |R| (Gershgorin).
    """
    matrix = entries / SCALE
    values = np.linalg.eigvalsh(matrix)
    size = len(entries)
    ease = 1e-15 * size * max(1.0, float(np.abs(values).max()))
    while True:
        shift = round((ease - float(values[0])) * SCALE) + 1
        try:
            root: Matrix = np.linalg.cholesky(matrix + shift / SCALE * np.eye(size)).astype(np.float64)
        except np.linalg.LinAlgError:
            ease *= 4
        else:
            break
    return Fraction(shift, SCALE) + _residual(entries + shift * np.eye(size, dtype=np.int64), root)


def _residual(entries: npt.NDArray[np.int64], root: Matrix) -> Fraction:
    """The largest absolute row sum of entries/SCALE - L L', L being `root` rounded to 1/_ROOT_SCALE."""
    factor = _integers(np.rint(root * _ROOT_SCALE).astype(np.int64))
    rest = _integers(entries) * (_ROOT_SCALE**2 // SCALE) - factor * factor.transpose()
    worst = max(sum(abs(int(entry)) for entry in row) for row in rest.tolist())
    return Fraction(worst, _ROOT_SCALE**2)


def is_semidefinite(entries: "npt.NDArray[np.int64] | list[list[int]]") -> bool:
    """Whether a symmetric integer matrix is positive semidefinite, decided exactly.

    Its eigenvalues are real, so none is negative if and only if the signs of its characteristic polynomial
    alternate (zeros allowed).
    """
    coefficients = _integers(entries).charpoly().coeffs()
    top = len(coefficients) - 1
    return all(int(c) * (-1) ** (top - power) >= 0 for power, c in enumerate(coefficients))


def _integers(entries: "npt.NDArray[np.int64] | list[list[int]]") -> fmpz_mat:
    return fmpz_mat(entries if isinstance(entries, list) else entries.tolist())
