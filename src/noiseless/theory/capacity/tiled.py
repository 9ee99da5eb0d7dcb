"""Newton's system in tiles so small that BLAS works on each alone.

On a machine that does other work too, the threads of BLAS wait for each other: a factorisation of a few
milliseconds then takes a tenth of a second. Products of up to 2^18 multiplications are below what OpenBLAS
divides among threads, and NumPy runs through a stack of them without returning to Python.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noiseless.arrays import FloatArray
from noiseless.theory.capacity.newton import Solver

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
