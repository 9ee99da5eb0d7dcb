"""Shannon's linear bound: outputs weighted so that every input's outputs weigh at least 1."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.theory.zero_error.pieces import Piece

MAX_PAIRS = 100_000
"""Up to so many pairs a piece the linear program is solved."""

_SCALE = 2**40
_DENOMINATORS = range(1, 61)
_ROUNDING = 1e-7

Cliques = Sequence[Sequence[int]]


@dataclass(frozen=True)
class FractionalCover:
    """Rationals that enclose the fractional covering number of the inputs by outputs.

    Attributes:
        upper: certainly not below it: the total of weights that cover every input.
        lower: certainly not above it: the total of a fractional packing of the inputs.
    """

    upper: Fraction
    lower: Fraction

    @property
    def exact(self) -> bool:
        """Whether the two ends meet."""
        return self.upper == self.lower


def fractional_cover(piece: Piece) -> FractionalCover:
    """Enclose the least total weight of outputs such that the outputs of each input weigh at least 1.

    Each output's causes form a clique of the confusability graph, so this is a fractional clique cover and
    not below theta; it multiplies over uses of the channel, so its logarithm bounds the zero-error capacity
    (Shannon, 1956). Giving each output the weight 1/(smallest number of outputs of an input) covers too: the
    bound is never above L0(Y;X).

    The linear program is solved in floats; its solution and that of its dual are rounded to rationals and
    scaled until they hold exactly.
    """
    easy = FractionalCover(Fraction(len(piece.causes), piece.fewest), Fraction(1))
    if sum(map(len, piece.causes)) > MAX_PAIRS:
        return easy
    weights, packing = _solve(len(piece.inputs), piece.causes)
    return FractionalCover(
        min(easy.upper, _covering(weights, piece)),
        max(easy.lower, _packed(packing, piece)),
    )


def _solve(size: int, cliques: Cliques) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    columns = np.repeat(np.arange(len(cliques)), [len(clique) for clique in cliques])
    rows = np.concatenate([np.asarray(clique) for clique in cliques])
    shape = (size, len(cliques))
    incidence = csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    constraints: Any = -incidence  # scipy's types know dense matrices only
    found = linprog(np.ones(len(cliques)), A_ub=constraints, b_ub=-np.ones(size), method="highs")
    if found.x is None:
        return np.ones(len(cliques)), np.zeros(size)
    return np.maximum(found.x, 0.0), np.maximum(-found.ineqlin.marginals, 0.0)


def _covering(weights: npt.NDArray[np.float64], piece: Piece) -> Fraction:
    """The total of the weights once they are rational and every input is covered."""
    best = None
    for scale in (_simple_scale(weights), _SCALE):
        if scale is not None:
            whole = np.rint(weights * scale).astype(np.int64).tolist()
            covered = [0] * len(piece.inputs)
            for weight, clique in zip(whole, piece.causes, strict=True):
                for node in clique:
                    covered[node] += weight
            if min(covered) > 0:
                total = Fraction(sum(whole), min(covered))
                best = total if best is None else min(best, total)
    return Fraction(len(piece.causes)) if best is None else best


def _packed(packing: npt.NDArray[np.float64], piece: Piece) -> Fraction:
    """The total of a packing once it is rational and no output's causes weigh more than 1."""
    best = Fraction(1)
    for scale in (_simple_scale(packing), _SCALE):
        if scale is not None:
            whole = np.rint(packing * scale).astype(np.int64).tolist()
            fullest = max(sum(whole[node] for node in clique) for clique in piece.causes)
            if fullest > 0:
                best = max(best, Fraction(sum(whole), fullest))
    return best


def _simple_scale(values: npt.NDArray[np.float64]) -> int | None:
    """A small common denominator of all the values, if there is one."""
    for scale in _DENOMINATORS:
        if np.abs(values * scale - np.rint(values * scale)).max() < _ROUNDING:
            return scale
    return None
