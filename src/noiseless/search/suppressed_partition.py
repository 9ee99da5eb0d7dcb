"""Values and cells that can be suppressed besides, so that what is suppressed is itself well hidden."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.ranges import overlap_partition
from noiseless.search.limits import Limit, sets_within
from noiseless.search.problem import Cells, Problem

_WORK = 2 * 10**7
"""About this many pairs are looked at."""

_TRIED = 64
"""This many values are looked at to find one that its cell can do without."""

MOST_TO_SUPPRESS = 10
"""With more public values not every set of them is tried."""


@dataclass(frozen=True, eq=False)
class SuppressedPartition:
    """A partition some values of which are suppressed.

    Attributes:
        problem: what is merged.
        cell_of: the cell of each public value; it means nothing for suppressed ones.
        hidden: which values are suppressed.
    """

    problem: Problem
    cell_of: IntArray
    hidden: BoolArray

    @cached_property
    def rows(self) -> int:
        """How many rows are suppressed."""
        return int(self.problem.weights[self.hidden].sum())

    @property
    def labels(self) -> IntArray:
        """A label for each public value: suppressed ones have one together."""
        return np.where(self.hidden, int(self.cell_of.max()) + 1, self.cell_of)

    def also(self, values: int | BoolArray) -> "SuppressedPartition":
        """The same with some more values suppressed, given by number or as a mask."""
        hidden = self.hidden.copy()
        hidden[values] = True
        return SuppressedPartition(self.problem, self.cell_of, hidden)

    def missing(self, need: IntArray) -> IntArray:
        """The codes with which suppressed values leave too few sensitive values."""
        return np.flatnonzero((self._held < need) & self._met)

    @cached_property
    def _pairs(self) -> tuple[IntArray, IntArray, IntArray]:
        """The public value, what is known, and the element (that and the sensitive value) of each pair."""
        joint = self.problem.joint
        code = self.problem.known[joint.y]
        return self.problem.public[joint.y], code, code * joint.size_x + joint.x

    @cached_property
    def _elements(self) -> IntArray:
        """The elements of suppressed values."""
        x, _, element = self._pairs
        return np.unique(element[self.hidden[x]])

    @property
    def _held(self) -> IntArray:
        many = len(self.problem.known_prior)
        return np.bincount(self._elements // self.problem.joint.size_x, minlength=many)

    @property
    def _met(self) -> BoolArray:
        return self._held > 0

    def gains(self, need: IntArray) -> IntArray:
        """How many elements that are missing each value that is not suppressed would bring."""
        x, code, element = self._pairs
        short = np.zeros(len(self.problem.known_prior), bool)
        short[self.missing(need)] = True
        fresh = short[code] & ~self.hidden[x] & ~np.isin(element, self._elements)
        found = np.bincount(x[fresh], minlength=self.problem.size)
        strange = ~self._met[code] & ~self.hidden[x]  # a code not met yet would be missing elements as well
        found[x[strange]] = 0
        return found

    def spare(self, need: IntArray) -> BoolArray:
        """Which values their cells can do without."""
        problem, joint = self.problem, self.problem.joint
        x, code, _ = self._pairs
        node = self.cell_of[x] * len(problem.known_prior) + code
        node[self.hidden[x]] = -1
        nodes, node = np.unique(node, return_inverse=True)
        node = node.reshape(-1)
        keys, which, times = np.unique(node * joint.size_x + joint.x, return_inverse=True, return_counts=True)
        alone = times[which.reshape(-1)] == 1
        sizes = np.bincount(keys // joint.size_x, minlength=len(nodes))
        own = node[joint.starts[:-1]]  # the node of each y
        answers = np.bincount(own, minlength=len(nodes))
        lost = np.bincount(joint.y[alone], minlength=joint.size_y)
        fine = (sizes[own] - lost >= need[problem.known]) | (answers[own] == 1)
        found = ~self.hidden
        np.logical_and.at(found, problem.public, fine)
        return found


def completed(
    split: SuppressedPartition, need: IntArray, budget: int, limits: Sequence[Limit] = ()
) -> SuppressedPartition | None:
    """More values suppressed, until those that are keep to limits; None if that fails.

    A value is taken if its cell can do without it; a cell can always be taken as a whole. What brings most
    sensitive values for its rows goes first, and where these are enough, what has most rows.

    Args:
        split: some suppressed values.
        need: for each code of what is known besides how many sensitive values an answer must leave.
        budget: how many rows may be suppressed.
        limits: what answers must keep to besides.
    """
    if not split.hidden.any():
        return split
    rows = split.problem.weights
    for _ in range(max(8, _WORK // len(split.problem.joint))):
        is_short = bool(len(split.missing(need)))
        unmet = [one for one in limits if not sets_within([one], split.hidden[None], suppressed=True)[0]]
        if not is_short and not unmet:
            return split
        left, shown = budget - split.rows, ~split.hidden
        gains = split.gains(need) if is_short else np.where(shown, rows, 0)
        held = np.bincount(split.cell_of[shown], rows[shown], int(split.cell_of.max()) + 1)
        one = np.where(split.spare(need) & (rows <= left), gains / np.maximum(rows, 1), 0)
        whole = np.bincount(split.cell_of[shown], gains[shown], len(held)) / np.maximum(held, 1)
        whole[held > left] = 0
        mixes = not is_short and not all(limit.grows for limit in unmet)  # most rows outweigh what is there
        alone = None if mixes else _spared(split, limits, one)
        if alone is not None and one[alone] >= whole.max():
            split = split.also(alone)
        elif whole.max() > 0:
            taken = int(np.argmax(np.where(whole > 0, held, 0) if mixes else whole))
            split = split.also(shown & (split.cell_of == taken))
        else:
            return None
    return None


def _spared(split: SuppressedPartition, limits: Sequence[Limit], worth: FloatArray) -> int | None:
    """Of some of the values that are worth most the first whose cell keeps to limits without it."""
    order = np.argsort(-worth, kind="stable")[:_TRIED]
    order = order[worth[order] > 0]
    rests = (split.cell_of == split.cell_of[order, None]) & ~split.hidden
    rests[np.arange(len(order)), order] = False
    fine = sets_within(limits, rests) | ~rests.any(axis=1)
    return int(order[np.argmax(fine)]) if fine.any() else None


def joined(split: SuppressedPartition, blocks: int, budget: int) -> SuppressedPartition | None:
    """Whole cells of different blocks suppressed together, so that few enough are left; None if it fails.

    In each block the cell with the fewest rows is taken, the cheapest blocks first.
    """
    problem = split.problem
    cells = Cells.from_labels(split.labels)
    partition = overlap_partition(problem.joint.merged(cells.cell_of[problem.public]))
    if partition.count <= blocks:
        return split
    block = np.asarray(partition.y_blocks)[cells.cell_of]  # of each public value
    gone = np.unique(block[split.hidden])
    rows = np.bincount(cells.cell_of, problem.weights)
    cheapest: dict[int, int] = {}
    for cell, own in zip(cells.cell_of[~split.hidden].tolist(), block[~split.hidden].tolist(), strict=True):
        if own not in gone and (own not in cheapest or rows[cell] < rows[cheapest[own]]):
            cheapest[own] = cell
    wanted = partition.count - blocks + (0 if len(gone) else 1)
    taken = sorted(cheapest.values(), key=lambda cell: rows[cell])[:wanted]
    found = split.also(np.isin(cells.cell_of, taken))
    return found if found.rows <= budget and not found.hidden.all() else None


def suppressed_sets(problem: Problem, budget: int) -> Iterator[SuppressedPartition]:
    """Every set of very few values with no more rows suppressed; of the rest each group is one cell."""
    if problem.size > MOST_TO_SUPPRESS or not budget:
        return
    for sets in range(1, 2**problem.size - 1):
        found = SuppressedPartition(problem, problem.group_of, (sets >> np.arange(problem.size)) % 2 == 1)
        if found.rows <= budget:
            yield found
