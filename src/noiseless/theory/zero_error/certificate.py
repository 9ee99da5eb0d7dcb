"""Proofs in integers that a symmetric matrix is positive semidefinite."""

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from flint import fmpz_mat

Matrix = npt.NDArray[np.float64]

SCALE = 2**40
"""Matrices are rounded to multiples of 1/SCALE before anything is proved about them."""

_ROOT_SCALE = 2**45


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


def _integers(entries: "npt.NDArray[np.int64] | list[list[int]]") -> "fmpz_mat":
    from flint import fmpz_mat

    return fmpz_mat(entries if isinstance(entries, list) else entries.tolist())
