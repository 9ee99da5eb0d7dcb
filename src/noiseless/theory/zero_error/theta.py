"""Lovasz's number theta(G), between certain rationals."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from noiseless.theory.zero_error.graph import Graph
from noiseless.theory.zero_error.independence import clique_cover, swapped_set
from noiseless.theory.zero_error.semidefinite import (
    SCALE,
    Matrix,
    is_semidefinite,
    rounded,
    solve,
    sufficient_shift,
)

MAX_NODES = 250
"""Up to this many nodes a piece the semidefinite program is solved; a step takes the cube of the nodes."""

_EXACT_NODES = 80
_NEAR = Fraction(1, 10**6)
_DENOMINATORS = (1, 2, 3, 4, 5, 6, 8, 10, 12)


@dataclass(frozen=True)
class Theta:
    """Rationals that enclose theta(G).

    Attributes:
        upper: certainly not below theta: proved by a dual matrix that is semidefinite in exact arithmetic, or
            by a clique cover.
        lower: certainly not above theta: proved by a primal matrix or by an independent set.
        solved: how many nodes the pieces had for which the semidefinite program was solved.
        skipped: how many nodes the pieces had that have a clique cover only: too large, or not solved.
    """

    upper: Fraction
    lower: Fraction
    solved: int = 0
    skipped: int = 0

    @classmethod
    def total(cls, parts: "Sequence[Theta]") -> "Theta":
        """Of a graph with these components: they add up."""
        return cls(
            sum((part.upper for part in parts), Fraction(0)),
            sum((part.lower for part in parts), Fraction(0)),
            sum(part.solved for part in parts),
            sum(part.skipped for part in parts),
        )

    @property
    def exact(self) -> bool:
        """Whether the two ends meet."""
        return self.upper == self.lower


def lovasz_theta(graph: Graph, max_nodes: int = MAX_NODES) -> Theta:
    """Enclose theta(G) = min lambda_max(J + Y) over symmetric Y supported on the edges (Lovasz, 1979).

    A number between the largest set of inputs that are never confused and what outputs can tell apart; it
    is what bounds zero-error codes of any length.

    Dominated nodes change nothing (`Graph.undominated`), components add up, and where the complement falls
    apart the larger part decides. What is left is settled by a clique cover as large as an independent set,
    which gives an integer, or by the semidefinite program: the float solution is rounded to dyadic rationals
    and what it proves is found exactly. Where the number seems to be a simple fraction, that is tried too.

    >>> pentagon = lovasz_theta(Graph.from_edges(5, [(i, (i + 1) % 5) for i in range(5)]))
    >>> pentagon.upper**2 >= 5 >= pentagon.lower**2, float(pentagon.upper - pentagon.lower) < 1e-8
    (True, True)

    Args:
        graph: the graph.
        max_nodes: the largest piece for which the semidefinite program is solved; beyond it a clique cover
            bounds theta from above, and an independent set from below.

    Inequalities:
        * `alpha(G) <= theta(G) <= fractional clique cover of G`.
        * `C0 <= log2 theta(G)` for the confusability graph G of a channel.
    """
    return Theta.total([_connected(graph.induced(part), max_nodes) for part in graph.reduced_components()])


def _connected(graph: Graph, max_nodes: int) -> Theta:
    if len(graph) == 1:
        return Theta(Fraction(1), Fraction(1))
    parts = graph.complement().components()
    if len(parts) == 1:
        return _indivisible(graph, max_nodes)
    thetas = [lovasz_theta(graph.induced(part), max_nodes) for part in parts]
    upper, lower = max(theta.upper for theta in thetas), max(theta.lower for theta in thetas)
    return replace(Theta.total(thetas), upper=upper, lower=lower)


def _indivisible(graph: Graph, max_nodes: int) -> Theta:
    cover = Fraction(len(clique_cover(graph)))
    least = Fraction(len(swapped_set(graph, int(cover))))
    if least == cover:
        return Theta(cover, least)
    if len(graph) > max_nodes:
        return Theta(cover, least, skipped=len(graph))
    try:
        primal, weights = solve(graph.matrix)
    except np.linalg.LinAlgError:
        return Theta(cover, least, skipped=len(graph))
    upper = min(cover, sufficient_shift(-SCALE - rounded(weights)))
    upper = _simple(graph, weights, upper)
    return Theta(upper, max(least, _proved_below(graph, primal)), solved=len(graph))


def _proved_below(graph: Graph, primal: Matrix) -> Fraction:
    """<J, X>/trace X for the rounded primal matrix, shifted until it is certainly semidefinite."""
    entries = rounded(np.where(graph.matrix, 0.0, primal))
    shift = len(graph) * sufficient_shift(entries) * SCALE
    return (int(entries.sum()) + shift) / (int(np.trace(entries)) + shift)


def _simple(graph: Graph, weights: Matrix, upper: Fraction) -> Fraction:
    """A simple fraction just below `upper` if simple weights on the edges prove it, else `upper`."""
    value = upper.limit_denominator(max(_DENOMINATORS))
    if len(graph) > _EXACT_NODES or not 0 < upper - value < _NEAR * upper:
        return upper
    degrees = {row.bit_count() for row in graph.rows}
    for factor in (*_DENOMINATORS, *degrees):
        scale = factor * value.denominator
        entries = np.rint(weights * scale).astype(np.int64)
        if np.abs(entries - weights * scale).max() > 1e-3 * scale:
            continue
        exact = int(value * scale) * np.eye(len(graph), dtype=np.int64) - scale - entries
        if is_semidefinite(exact):
            return value
    return upper
