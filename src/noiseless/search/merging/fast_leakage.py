"""Algorithm 1 of [P3] in close to n log n: by counts (U1), and on a line (U2, one column)."""

import numpy as np

from noiseless.arrays import IntArray
from noiseless.ranges import JointRange
from noiseless.search.merging import leakage_kernels
from noiseless.search.merging import ordered_kernels as kernels
from noiseless.search.merging.bit_kernels import bits_for
from noiseless.search.merging.codebook import Codebook, ColumnCodebook
from noiseless.search.merging.leakage_kernels import Sets, Trail
from noiseless.search.merging.replay import Merges
from noiseless.search.merging.side import Problem

MOST_WORDS = 2**26
"""Up to so many words of bits (half a gigabyte) S-sets are rows of bits; beyond it, chains of elements."""


def counts(problem: Problem) -> Merges:
    """Algorithm 1 with U1: no order among the public values is needed."""
    trail = _trail(problem.size)
    leakage_kernels.by_counts(
        *s_sets(problem.joint), *trail, np.ones(problem.size, np.int64), problem.joint.size_x
    )
    return _merges(trail, "counts")


_PATIENCE = 8
"""How many containing cells are walked past, a waiting cell on average, before a tree of them is kept."""


def ordered(problem: Problem, codebook: Codebook | None, *, patience: int = _PATIENCE) -> Merges:
    """Algorithm 1 with U2 for one numeric column whose values differ."""
    if not isinstance(codebook, ColumnCodebook):
        raise TypeError("an ordered column has a codebook of its own")
    n, trail = problem.size, _trail(problem.size)
    values = codebook.scaled.positions[:, 0]
    by_value = np.argsort(values, kind="stable")
    ranks = np.arange(n)
    cells = np.zeros((n + 2, 16), np.int32)  # a line of the cache each; one above all, one below all (-1)
    cells[:n, kernels.NAME], cells[:n, kernels.LOW] = by_value, ranks
    for chain in (kernels.LEFT, kernels.ALL_LEFT):
        cells[: n + 1, chain] = np.arange(-1, n)
    for chain in (kernels.RIGHT, kernels.ALL_RIGHT):
        cells[:n, chain], cells[-1, chain] = ranks + 1, 0
    tree = np.full(2 << (n - 1).bit_length(), -1, np.int32)
    kernels.on_a_line(
        *s_sets(problem.joint, order=by_value),
        *trail,
        cells,
        values[by_value],
        *bits_for(n),
        np.zeros(n, np.int32),
        tree,
        problem.joint.size_x,
        patience,
    )
    return _merges(trail, "ordered")


def s_sets(joint: JointRange, *, order: IntArray | None = None, most_words: int | None = None) -> Sets:
    """The S-set of each public value.

    Args:
        joint: the joint range.
        order: in which order the public values are wanted.
        most_words: up to so many words of bits the sets are rows of bits.
    """
    n, m = joint.size_y, joint.size_x
    width = -(-m // 64)
    s, y, starts = (np.asarray(part, np.int64) for part in (joint.x, joint.y, joint.starts))
    order = np.arange(n) if order is None else order
    sizes = np.asarray(joint.posterior_sizes, np.int64)[order]
    if n * width <= (MOST_WORDS if most_words is None else most_words):
        words = np.zeros((n, width), np.uint64)
        np.bitwise_or.at(words, (y, s >> 6), np.uint64(1) << (s & 63).astype(np.uint64))
        return Sets(words[order], sizes, np.zeros((3, 0), np.int64), np.zeros((0, 2), np.int64))
    chains = np.zeros((3, max(len(s), m) + 1), np.int64)
    chains[0, : len(s)], chains[1, : len(s)] = np.arange(1, len(s) + 1), s + 1
    chains[0, starts[1:] - 1] = -1
    ends = np.stack((starts[:-1], starts[1:] - 1), axis=1)[order]
    return Sets(np.zeros((n, 0), np.uint64), sizes, chains, ends)


def _trail(size: int) -> Trail:
    kept, absorbed, sets, rounds = np.zeros((4, size + 1), np.int64)
    return Trail(kept, absorbed, sets, rounds, np.zeros(2, np.int64))


def _merges(trail: Trail, method: str) -> Merges:
    merges, rounds = trail.ends.tolist()
    return Merges(
        trail.kept[:merges], trail.absorbed[:merges], trail.rounds[:rounds], trail.sets[:merges], method
    )
