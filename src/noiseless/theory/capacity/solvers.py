"""Newton's method inside the simplex: a primal-dual interior-point method for max_p I(p; W).

At the optimum g(x) = D(W(x) || pW) = C - s(x) with s >= 0 and p s = 0. The derivative of g is -B with
B = W diag(1/q) W', so a step solves (B + diag(s/p)) dp + dC = right-hand side under sum dp = 0. Mehrotra's
predictor and corrector share one factorisation; ten steps are usual.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from noiseless.arrays import FloatArray
from noiseless.theory.capacity.bracket import ChannelRows, IndexArray, output_of, products


@dataclass(frozen=True)
class Clock:
    """Rings at a given moment."""

    moment: float

    @classmethod
    def after(cls, seconds: float | None) -> Self:
        """A clock that rings after so many seconds from now, or never."""
        return cls(math.inf if seconds is None else time.monotonic() + seconds)

    @property
    def is_set(self) -> bool:
        """Whether it will ever ring."""
        return self.moment < math.inf

    def has_rung(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() >= self.moment


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


def improve_by_newton(
    rows: ChannelRows, prior: FloatArray, target: float, clock: Clock, system: System
) -> FloatArray:
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
        rows = ChannelRows(np.ascontiguousarray(rows.matrix[:, used]), rows.negentropies)
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


def _start(rows: ChannelRows, prior: FloatArray) -> _Point:
    point = _at(rows, prior, prior, 0.0)
    gap = max(point.gap, 1e-15)
    value = float(point.divergences.max()) + 0.1 * gap
    slack = np.maximum(value - point.divergences, 0.1 * gap / (len(prior) * prior))
    return _Point(prior, slack, value, point.output, point.divergences)


def _at(rows: ChannelRows, prior: FloatArray, slack: FloatArray, value: float) -> _Point:
    output = output_of(rows.matrix, prior)
    return _Point(prior, slack, value, output, rows.negentropies - products(rows.matrix, np.log(output)))


def _step(rows: ChannelRows, point: _Point, system: System) -> _Point | None:
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


# On a machine that does other work too, the threads of BLAS wait for each other: a factorisation of a few
# milliseconds then takes a tenth of a second. Products of up to 2^18 multiplications are below what OpenBLAS
# divides among threads, and NumPy runs through a stack of them without returning to Python.


_ALONE = 1 << 18
_SIDE = 64

Tiles = NDArray[np.float64]
"""Tiles of a matrix, with the indices: row of tiles, column of tiles, row, column."""


@dataclass(frozen=True)
class Tiled:
    """W diag(1/q) W' + diagonal for up to some thousand inputs."""

    def factorise(self, matrix: FloatArray, output: FloatArray, diagonal: FloatArray) -> Solver | None:
        """Cholesky's factorisation."""
        inputs = len(diagonal)
        side = -(-inputs // -(-inputs // _SIDE))  # as few tiles as may be, evenly filled
        padding = -inputs % side
        tiles = _gram(in_blocks(matrix / np.sqrt(output), side))
        within = np.arange(side)
        for place, part in enumerate(np.pad(diagonal, (0, padding), constant_values=1.0).reshape(-1, side)):
            tiles[place, place, within, within] += part
        inverses = _cholesky(tiles)
        if inverses is None:
            return None
        return lambda sides: _solve(tiles, inverses, np.pad(sides, ((0, padding), (0, 0))))[:inputs]


def _gram(blocks: FloatArray) -> Tiles:
    """The products of all rows with all earlier ones and themselves, in tiles."""
    count, side, _ = blocks.shape
    tiles = np.zeros((count, count, side, side))
    for part in _slices(blocks):
        across = part.transpose(0, 2, 1)
        for row in range(count):
            tiles[row, : row + 1] += part[row] @ across[: row + 1]
    return tiles


def first_products(blocks: FloatArray) -> FloatArray:
    """The products of the first block's rows with all rows."""
    tiles = np.zeros((len(blocks), blocks.shape[1], blocks.shape[1]))
    for part in _slices(blocks):
        tiles += part[0] @ part.transpose(0, 2, 1)
    return tiles.transpose(1, 0, 2).reshape(blocks.shape[1], -1)


def inner_products(rows: FloatArray) -> FloatArray:
    """The product of each row with each."""
    tiles = _gram(in_blocks(rows, _SIDE))
    below = np.tril(tiles.transpose(0, 2, 1, 3).reshape(2 * [len(tiles) * _SIDE])[: len(rows), : len(rows)])
    return below + np.tril(below, -1).T


def in_blocks(rows: FloatArray, side: int) -> FloatArray:
    """Rows in blocks of `side`, the last filled up with zeros."""
    filled = np.pad(rows, ((0, -len(rows) % side), (0, 0))) if len(rows) % side else rows
    return filled.reshape(-1, side, rows.shape[1])


def _slices(blocks: FloatArray) -> Iterator[FloatArray]:
    """Slices of columns that BLAS takes alone, copied: rows a power of two apart would share cache lines."""
    depth = max(1, _ALONE // blocks.shape[1] ** 2)
    for start in range(0, blocks.shape[2], depth):
        yield np.ascontiguousarray(blocks[:, :, start : start + depth])


def _cholesky(tiles: Tiles) -> FloatArray | None:
    """Turn the lower tiles into the factor; the inverses of its diagonal tiles, or None when it has none."""
    from scipy.linalg import lapack

    inverses = np.empty((len(tiles), *tiles.shape[2:]))
    for column in range(len(tiles)):
        factor, failed = lapack.dpotrf(tiles[column, column], lower=1)
        if failed:
            return None
        tiles[column, column] = factor
        inverses[column] = lapack.dtrtri(factor, lower=1)[0]
        below = tiles[column + 1 :, column] @ inverses[column].T
        tiles[column + 1 :, column] = below
        across = below.transpose(0, 2, 1)
        for row in range(len(below)):
            tiles[column + 1 + row, column + 1 : column + 2 + row] -= below[row] @ across[: row + 1]
    return inverses


def _solve(tiles: Tiles, inverses: FloatArray, sides: FloatArray) -> FloatArray:
    """Forward and backward substitution for right-hand sides in columns."""
    count, side = inverses.shape[:2]
    solved = sides.reshape(count, side, -1).copy()
    for row in range(count):
        known = (tiles[row, :row] @ solved[:row]).sum(axis=0)
        solved[row] = inverses[row] @ (solved[row] - known)
    for row in reversed(range(count)):
        known = (tiles[row + 1 :, row].transpose(0, 2, 1) @ solved[row + 1 :]).sum(axis=0)
        solved[row] = inverses[row].T @ (solved[row] - known)
    return solved.reshape(len(sides), -1)


_NEGLIGIBLE = 1e-8
"""Of a row's largest entry. What is left out of Newton's matrix changes the path, not the bracket."""
_NARROWEST, _WIDEST = 16, 64
"""Rows of the band that are worked out together."""


@dataclass(frozen=True, eq=False)
class Banded:
    """The band of W diag(1/q) W'.

    Attributes:
        first: the first column that matters to each row or to a later one.
        last: the column after the last that matters to it or to an earlier one.
        width: how many places below the diagonal the band reaches.
    """

    first: IndexArray
    last: IndexArray
    width: int

    @classmethod
    def of(cls, matrix: FloatArray) -> Self:
        """Find the band of a channel whose inputs and outputs are in the order of what they mean.

        Columns of zeros are not counted: `improve` leaves them out.
        """
        matrix = matrix[:, matrix.any(axis=0)]
        first, last = np.empty((2, len(matrix)), np.int64)
        for number, row in enumerate(matrix):
            places = np.flatnonzero(row > _NEGLIGIBLE * row.max())
            first[number], last[number] = places[0], places[-1] + 1
        first = np.minimum.accumulate(first[::-1])[::-1]
        last = np.maximum.accumulate(last)
        reached = np.searchsorted(first, last, side="left")  # rows from there on begin behind this one's end
        return cls(first, last, int((reached - 1 - np.arange(len(matrix))).max()))

    @property
    def cost(self) -> float:
        """Multiplications a factorisation takes, about; infinite when there is no band to speak of."""
        if 4 * self.width > len(self.first):
            return math.inf
        breadth = float((self.last - self.first).max())
        return len(self.first) * self.width * (self.width + breadth)

    def factorise(self, matrix: FloatArray, output: FloatArray, diagonal: FloatArray) -> Solver | None:
        """Cholesky's factorisation of the band."""
        from scipy.linalg import lapack

        factor, failed = lapack.dpbtrf(self._band(matrix, output, diagonal), lower=1, overwrite_ab=1)
        return None if failed else lambda sides: lapack.dpbtrs(factor, sides, lower=1)[0]

    def _band(self, matrix: FloatArray, output: FloatArray, diagonal: FloatArray) -> FloatArray:
        inputs, width = len(matrix), self.width
        band = np.zeros((width + 1, inputs), order="F")
        side = min(_WIDEST, max(_NARROWEST, width))
        for start in range(0, inputs, side):
            stop = min(start + side, inputs)
            columns = slice(int(self.first[start]), int(self.last[stop - 1]))
            scaled = matrix[start : stop + width, columns] / np.sqrt(output[columns])
            for place, below in enumerate(first_products(in_blocks(scaled, side))[: stop - start]):
                reach = min(width + 1, inputs - start - place)
                band[:reach, start + place] = below[place : place + reach]
        band[0] += diagonal
        return band


_MULTIPLICATIONS = 10**10
"""The most that is spent when no clock is set: some ten seconds."""


def improve_by_blahut_arimoto(
    rows: ChannelRows, prior: FloatArray, target: float, clock: Clock
) -> FloatArray:
    """A prior whose gap is at most `target`, or the best until the clock rings.

    Each round takes two steps p <- p exp(g) and extrapolates them in ln p (Varadhan and Roland's squared
    iteration); an extrapolation that loses information is not taken.
    """
    logs = np.log(np.maximum(prior, np.finfo(float).tiny))
    best, smallest = prior, np.inf
    rounds = _MULTIPLICATIONS // (10 * rows.matrix.size) + 1
    while rounds or clock.is_set:
        rounds -= 1
        here, divergences = _shape(rows, logs)
        gap = float(divergences.max() - here @ divergences)
        if gap < smallest:
            best, smallest = here, gap
        if gap <= target or clock.has_rung():
            break
        once = logs + divergences
        once -= _log_sum(once)
        _, there = _shape(rows, once)
        twice = once + there
        twice -= _log_sum(twice)
        logs = _extrapolated(rows, logs, once, twice)
    return best


def _extrapolated(rows: ChannelRows, start: FloatArray, once: FloatArray, twice: FloatArray) -> FloatArray:
    first, second = once - start, twice - 2 * once + start
    size = float(np.sqrt(second @ second))
    if size == 0:
        return twice
    length = max(1.0, float(np.sqrt(first @ first)) / size)
    far = start + 2 * length * first + length**2 * second
    far -= _log_sum(far)
    far_prior, far_divergences = _shape(rows, far)
    prior, divergences = _shape(rows, twice)
    return far if far_prior @ far_divergences > prior @ divergences else twice


def _shape(rows: ChannelRows, logs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The prior exp(logs) and the divergences from its output."""
    prior = np.exp(logs - _log_sum(logs))
    output = output_of(rows.matrix, prior)
    return prior, rows.negentropies - products(rows.matrix, np.log(output))


def _log_sum(logs: FloatArray) -> float:
    top = float(logs.max())
    return top + float(np.log(np.exp(logs - top).sum()))
