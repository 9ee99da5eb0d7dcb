"""The cells of a merging run: what each leaves possible, and which can be told apart."""

from fractions import Fraction
from functools import reduce
from operator import or_

import numpy as np

from noiseless.arrays import BoolArray, FloatArray, IntArray
from noiseless.ranges import overlap_partition
from noiseless.search.problem import Problem

Pair = tuple[int, int]
"""Two cells, or two numbers."""

GONE = 2**62
"""More sensitive values than there are."""

NONE = -1
"""There is no answer of this cell with this a."""


class MergedCells:
    """Cells, each called by its first public value; to begin with each holds that value.

    An answer is a cell with an a that is seen beside some member of it, and is called by a y of the joint
    range.

    Attributes:
        problem: what is merged.
        pairs: the merges so far: the cell that stays, and the one that went into it.
        answers: the answer with each a (a row) of each cell, or `NONE`.
        sets: [[S|cell, a]] of each answer, as the bits of a whole number.
        numbers: equal sets have equal numbers.
        subgraphs: answers with a sensitive value in common, directly or through others, have equal ones.
        components: how many different ones there were after each merge.
        ended: of each answer that is gone what it was compared with, its size, and after which merge it went.
        ranges: |[[S|cell]]| of each cell, whatever is seen besides; `GONE` of one that is gone.
        exposures: max_a |[[S|a]]| / |[[S|cell, a]]| of each cell, 0 of one that is gone. Two that differ also
            differ as floats: their numbers are below 2^25.
    """

    def __init__(self, problem: Problem) -> None:
        joint, blocks = problem.joint, overlap_partition(problem.joint)
        self.problem = problem
        self.pairs, self.ended, self.components = list[Pair](), list[tuple[int, int, int]](), [blocks.count]
        self.subgraphs = np.array(blocks.y_blocks, np.int64)
        self.answers = np.full((len(problem.prior), problem.size), NONE)
        self.answers[problem.known, problem.public] = np.arange(joint.size_y)
        self.sets, self._sizes = [0] * joint.size_y, np.array(joint.posterior_sizes)
        for s, y in zip(joint.x.tolist(), joint.y.tolist(), strict=True):
            self.sets[y] |= 1 << s
        self._known_sets: dict[int, int] = {}
        self.numbers = np.array([self._number(held) for held in self.sets])
        self.ranges = np.array(problem.marginal.posterior_sizes)
        self.exposures = np.zeros(problem.size)
        np.maximum.at(self.exposures, problem.public, problem.prior[problem.known] / joint.posterior_sizes)

    def _number(self, held: int) -> int:
        return self._known_sets.setdefault(held, len(self._known_sets))

    def _of(self, cell: int) -> IntArray:
        """The a of a cell's answers."""
        return np.flatnonzero(self.answers[:, cell] != NONE)

    def helping(self, cell: int) -> BoolArray:
        """Which cells add a sensitive value to one of those that are exposed most, for an a at which it is.

        No set beside such an a is smaller than its own: all help but those that are equal.
        """
        known = self._of(cell)
        exposed = self.problem.prior[known] / self._sizes[self.answers[known, cell]]
        return self._differing(cell, known[exposed == self.exposures[cell]], self.numbers)

    def apart(self, cell: int) -> BoolArray:
        """Which cells are in other subgraphs than a cell, with some a that both have."""
        return self._differing(cell, self._of(cell), self.subgraphs)

    def _differing(self, cell: int, known: IntArray, marks: IntArray) -> BoolArray:
        """Which cells have an answer, with one of these a, that is marked otherwise than the cell's."""
        theirs = self.answers[known]
        differ = marks[theirs] != marks[theirs[:, cell, None]]
        return np.asarray(np.any(differ & (theirs != NONE), axis=0))

    def joined(self, first: IntArray, second: IntArray) -> IntArray:
        """For pairs of cells the two subgraphs that each a joins, a row each; -1 where it joins none."""
        marks = np.where(self.answers == NONE, -1, self.subgraphs[self.answers])
        mine, theirs = marks[:, first], marks[:, second]
        return np.where((mine != theirs) & (np.minimum(mine, theirs) >= 0), (mine, theirs), -1)

    def exposures_with(self, cell: int, others: IntArray) -> FloatArray:
        """The exposures of a cell once it is merged with each of others."""
        alone = self.subgraphs[others] != self.subgraphs[cell]
        if self.problem.side is None and alone.all():  # their sets have nothing in common
            return np.asarray(self.problem.prior[0] / (self.ranges[cell] + self.ranges[others]))
        return np.array([self._exposure_with(cell, other) for other in others.tolist()])

    def _exposure_with(self, cell: int, other: int) -> float:
        """The exposure of two cells as one."""
        answers, priors = self.answers[:, [cell, other]].tolist(), self.problem.prior.tolist()
        return max(
            int(prior) / (self._set(mine) | self._set(theirs)).bit_count()
            for prior, (mine, theirs) in zip(priors, answers, strict=True)
            if max(mine, theirs) != NONE
        )

    def _set(self, answer: int) -> int:
        return 0 if answer == NONE else self.sets[answer]

    def join(self, cell: int, other: int) -> None:
        """Put another cell into a cell."""
        components, prior = self.components[-1], self.problem.prior
        for a in self._of(other).tolist():
            mine, theirs = self.answers[a, [cell, other]].tolist()
            if mine == NONE:
                self.answers[a, cell] = theirs
                continue
            self.ended += [(int(prior[a]), int(self._sizes[y]), len(self.pairs)) for y in (mine, theirs)]
            self.sets[mine] = held = self.sets[mine] | self.sets[theirs]
            self._sizes[mine], self.numbers[mine] = held.bit_count(), self._number(held)
            here, there = self.subgraphs[[mine, theirs]].tolist()
            if here != there:
                self.subgraphs[self.subgraphs == there] = here
                components -= 1
        self.answers[:, other] = NONE
        known = self._of(cell)
        ys = self.answers[known, cell]
        self.ranges[cell] = reduce(or_, (self.sets[y] for y in ys.tolist())).bit_count()
        self.exposures[cell] = (prior[known] / self._sizes[ys]).max()
        self.ranges[other], self.exposures[other] = GONE, 0
        self.pairs.append((cell, other))
        self.components.append(components)

    def all_answers(self) -> IntArray:
        """All answers that there were: what they are compared with, their sizes, and their last points."""
        known, cells = np.nonzero(self.answers != NONE)
        sizes, last = self._sizes[self.answers[known, cells]], np.full(len(known), len(self.pairs))
        left = np.stack((self.problem.prior[known], sizes, last), axis=1)
        return np.concatenate((np.array(self.ended, np.int64).reshape(-1, 3), left))


def as_ratio(exposure: float) -> Fraction:
    """An exposure exactly: the only fraction of small numbers that its float is nearest to."""
    return Fraction(float(exposure)).limit_denominator(2**26)
