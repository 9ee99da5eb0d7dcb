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


class MergedCells:
    """Cells, each called by its first public value; to begin with each holds that value.

    An answer is a cell with an a that is seen beside some member of it, and is called by a y of the joint
    range. Arrays with a place for each y look at all of them at once; one that is no answer any more has a
    spare a, which nobody sees.

    Attributes:
        problem: what is merged.
        pairs: the merges so far: the cell that stays, and the one that went into it.
        answers: for each cell its answers, by their a; none of a cell that is gone.
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
        self.prior: list[int] = problem.prior.tolist()
        self.pairs, self.ended, self.components = list[Pair](), list[tuple[int, int, int]](), [blocks.count]
        self.subgraphs = np.array(blocks.y_blocks, np.int64)
        self._known, self._cell_of = np.array(problem.known), np.array(problem.public)
        self.answers: list[dict[int, int]] = [{} for _ in range(problem.size)]
        for y, (x, a) in enumerate(zip(problem.public.tolist(), problem.known.tolist(), strict=True)):
            self.answers[x][a] = y
        self.sets, self._sizes = [0] * joint.size_y, joint.posterior_sizes.tolist()
        for s, y in zip(joint.x.tolist(), joint.y.tolist(), strict=True):
            self.sets[y] |= 1 << s
        self._known_sets: dict[int, int] = {}
        self.numbers = np.array([self._number(held) for held in self.sets])
        self.ranges = np.array(problem.marginal.posterior_sizes)
        self.exposures = np.zeros(problem.size)
        np.maximum.at(self.exposures, problem.public, problem.prior[problem.known] / joint.posterior_sizes)

    def _number(self, held: int) -> int:
        return self._known_sets.setdefault(held, len(self._known_sets))

    def joined(self, cell: int, other: int) -> list[set[int]]:
        """The subgraphs that merging two cells makes one, each time two or more."""
        parts: list[set[int]] = []
        for a in self.answers[cell].keys() & self.answers[other].keys():
            both = {int(self.subgraphs[self.answers[one][a]]) for one in (cell, other)}
            met = [part for part in parts if part & both]
            parts = [part for part in parts if not part & both] + [both.union(*met)]
        return [part for part in parts if len(part) > 1]

    def helping(self, cell: int) -> BoolArray:
        """Which cells add a sensitive value to one of those that are exposed most, for an a at which it is.

        No set beside such an a is smaller than its own: all help but those that are equal.
        """
        worst, answers = self.exposures[cell], self.answers[cell]
        exposed = {a: y for a, y in answers.items() if self.prior[a] / self._sizes[y] == worst}
        return self._differing(exposed, self.numbers)

    def apart(self, cell: int) -> BoolArray:
        """Which cells are in other subgraphs than a cell, with some a that both have."""
        return self._differing(self.answers[cell], self.subgraphs)

    def _differing(self, answers: dict[int, int], marks: IntArray) -> BoolArray:
        """Which cells have an answer, with the same a as one of these, that is marked otherwise."""
        if self.problem.side is None:
            return np.asarray((marks != marks[answers[0]]) & (self._known == 0))
        wanted = np.full(len(self.prior) + 1, -1)
        for a, y in answers.items():
            wanted[a] = marks[y]
        here, found = wanted[self._known], np.zeros(len(self.answers), bool)
        found[self._cell_of[(here >= 0) & (here != marks)]] = True
        return found

    def leaks_with(self, cell: int, others: IntArray) -> FloatArray:
        """The largest exposure of all cells once a cell is merged with each of others."""
        rest = self.exposures.copy()
        rest[cell] = 0
        worst = int(rest.argmax())
        most, rest[worst] = rest[worst], 0
        without = np.where(others == worst, rest.max(), most)
        alone = self.subgraphs[others] != self.subgraphs[cell]
        if self.problem.side is None and alone.all():  # their sets have nothing in common
            merged = self.prior[0] / (self.ranges[cell] + self.ranges[others])
        else:
            merged = np.array([self._exposure_with(cell, other) for other in others.tolist()])
        return np.asarray(np.maximum(without, merged))

    def _exposure_with(self, cell: int, other: int) -> float:
        """The exposure of two cells as one."""
        mine, theirs = self.answers[cell], self.answers[other]
        held = {a: self.sets[y] for a, y in mine.items()}
        held |= {a: held.get(a, 0) | self.sets[y] for a, y in theirs.items()}
        return max(self.prior[a] / known.bit_count() for a, known in held.items())

    def join(self, cell: int, other: int) -> None:
        """Put another cell into a cell."""
        answers, components = self.answers[cell], self.components[-1]
        for a, theirs in self.answers[other].items():
            mine = answers.setdefault(a, theirs)
            if mine == theirs:
                self._cell_of[theirs] = cell
                continue
            self.ended += [(self.prior[a], self._sizes[one], len(self.pairs)) for one in (mine, theirs)]
            self._known[theirs] = len(self.prior)
            self.sets[mine] = held = self.sets[mine] | self.sets[theirs]
            self._sizes[mine], self.numbers[mine] = held.bit_count(), self._number(held)
            here, there = self.subgraphs[mine], self.subgraphs[theirs]
            if here != there:
                self.subgraphs[self.subgraphs == there] = here
                components -= 1
        self.answers[other] = {}
        self.ranges[cell] = reduce(or_, (self.sets[y] for y in answers.values())).bit_count()
        self.exposures[cell] = max(self.prior[a] / self._sizes[y] for a, y in answers.items())
        self.ranges[other], self.exposures[other] = GONE, 0
        self.pairs.append((cell, other))
        self.components.append(components)

    def all_answers(self) -> IntArray:
        """All answers that there were: what they are compared with, their sizes, and their last points."""
        left = np.flatnonzero(self._known < len(self.prior))
        priors, sizes = self.problem.prior[self._known[left]], np.array(self._sizes)[left]
        last = np.full(len(left), len(self.pairs))
        ended = np.array(self.ended, np.int64).reshape(-1, 3)
        return np.concatenate((ended, np.stack((priors, sizes, last), axis=1)))


def as_ratio(exposure: float) -> Fraction:
    """An exposure exactly: the only fraction of small numbers that its float is nearest to."""
    return Fraction(float(exposure)).limit_denominator(2**26)
