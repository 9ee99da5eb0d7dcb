"""The heart data of [P3], and its Fig. 8: how Algorithms 1 and 2 lower the Lagrangian."""

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations

import numpy as np

from noiseless.gallery.data import Data
from noiseless.gallery.figure import ClaimCheck, Panel, Parts, reproduces
from noiseless.gallery.p3_fig2 import Descent
from noiseless.ranges import JointRange, overlap_partition
from noiseless.search.merging import ColumnCodebook, Numbers, leakage_path, maximin_path
from noiseless.search.portfolio import Problem

MISSING = -9
"""What the unprocessed file writes for a missing cholesterol level; it is one value like any other."""

FEW, COARSE = 60, 10
"""Of a stand-in this many rows are used, with levels in tens: it only shows that the figure can be made."""

PRINTED = (293, 38, 154, 281, 269)
"""Patients, ages, cholesterol levels, pairs of them, and pairs that appear once."""

ROWS = (
    "A missing cholesterol level is one value like any other, as the paper's counts need; its number is "
    "-9, as in the unprocessed file. One row that is there twice counts once."
)
"""What a reader must know about the rows."""

WEIGHTS = {"U1": Fraction(3, 10), "U2": Fraction(1, 100)}
"""The paper does not tell its own."""

_LESS = 1e-9


@dataclass(frozen=True, eq=False)
class Heart:
    """The rows.

    Attributes:
        pairs: the age and the cholesterol level of each patient.
    """

    pairs: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, data: Data) -> "Heart":
        """All patients, or some of a stand-in."""
        table = data.heart()
        rows, step = (table.slice(0, FEW), COARSE) if data.synthetic else (table, 1)
        levels = [
            MISSING if level is None else int(level) // step * step for level in rows["chol"].to_pylist()
        ]
        return cls(tuple(zip(map(int, rows["age"].to_pylist()), levels, strict=True)))

    @cached_property
    def joint(self) -> JointRange:
        """[[age, chol]], in the order of the file: ties of the algorithms go by it."""
        return JointRange.from_pairs(self.pairs)

    @cached_property
    def levels(self) -> Numbers:
        """The cholesterol levels in the order of the joint range."""
        return Numbers([int(level) for level in self.joint.y_labels or ()])

    @cached_property
    def midranges(self) -> ColumnCodebook:
        """What we release for a cell: the middle of its extremes."""
        return ColumnCodebook(self.levels)

    @cached_property
    def centroids(self) -> ColumnCodebook:
        """What [P3] releases: the mean."""
        return ColumnCodebook(self.levels, codeword="centroid")

    @cached_property
    def problem(self) -> Problem:
        """The joint range with midranges, and how many patients have each level."""
        counts = Counter(level for _, level in self.pairs)
        rows = np.array([counts[level] for level in self.joint.y_labels or ()])
        return Problem(self.joint, self.midranges, rows=rows)

    def described(self) -> ClaimCheck:
        """Whether these are the paper's rows."""
        once = sum(times == 1 for times in Counter(self.pairs).values())
        joint = self.joint
        found = (len(self.pairs), joint.size_x, joint.size_y, len(joint), once)
        return ClaimCheck(
            "293 patients with 38 ages, 154 cholesterol levels and 281 pairs of them, 269 of which "
            "appear once",
            "{} patients, {} ages, {} levels, {} pairs, {} of them once".format(*found),
            "the same five numbers",
            found == PRINTED,
        )


@dataclass(frozen=True, eq=False)
class Run:
    """A run of an algorithm with a weight.

    Attributes:
        heart: the data.
        number: of the algorithm.
        utility: "U1" or "U2".
    """

    heart: Heart
    number: int
    utility: str

    @property
    def name(self) -> str:
        """As text."""
        return f"Algorithm {self.number}, {self.utility}"

    @cached_property
    def descent(self) -> Descent:
        """Along all merges, with the paper's centroids."""
        merges = leakage_path if self.number == 1 else maximin_path
        path = merges(self.heart.joint, self.heart.centroids if self.utility == "U2" else None)
        return Descent(path, WEIGHTS[self.utility], self.heart.joint.size_x)

    def gain(self) -> float:
        """By how much one further merge of two cells can lower the Lagrangian, at the most."""
        heart, cells = self.heart, self.descent.end.cells
        merged = heart.joint.merged(cells.cell_of)
        held = [frozenset(merged.posterior(y).tolist()) for y in range(cells.count)]
        blocks = overlap_partition(merged).y_blocks.tolist()
        costs = [self._cost(list(members)) for members in cells.members]
        best = now = self._value([len(one) for one in held], blocks, costs)
        for one, two in combinations(range(cells.count), 2):
            others = [i for i in range(cells.count) if i not in (one, two)]
            sizes = [*(len(held[i]) for i in others), len(held[one] | held[two])]
            joined = [blocks[one] if block == blocks[two] else block for block in blocks]
            cost = self._cost([*cells.members[one], *cells.members[two]])
            best = min(best, self._value(sizes, joined, [*(costs[i] for i in others), cost]))
        return now - best

    def _cost(self, members: list[int]) -> float:
        return math.log2(len(members)) if self.utility == "U1" else float(self.heart.centroids.cost(members))

    def _value(self, sizes: list[int], blocks: list[int], costs: list[float]) -> float:
        told = -math.log2(min(sizes)) if self.number == 1 else math.log2(len(set(blocks)))
        return told + float(WEIGHTS[self.utility]) * max(costs)


@reproduces(
    "[P3] Fig. 8",
    "Convergence on the heart data",
    "Algorithms 1 and 2 lower the Lagrangian strictly and converge to locally optimal solutions.",
    needs=("heart",),
)
def figure(data: Data) -> Parts:
    """The Lagrangian along each path: as far as the paper goes, and on to the end."""
    heart = Heart.of(data)
    runs = [Run(heart, number, utility) for number in (1, 2) for utility in WEIGHTS]
    for number in (1, 2):
        drawn = (run.descent.curves(run.utility, ", after the stop") for run in runs if run.number == number)
        yield Panel.of(f"Algorithm {number}", "iteration t", "Lagrangian", *chain.from_iterable(drawn))
    yield heart.described()
    yield from map(_falls, runs)
    yield from map(_local, runs)
    yield ROWS
    yield "The paper does not tell its weights; here lambda = 0.3 with U1 and 0.01 with U2."
    yield from (_better(run) for run in runs if run.number == 1)
    yield (
        f"Algorithm 2 makes {len(runs[2].descent.path) - 1} merge: the ages fall into "
        f"{runs[2].descent.path.components[0]} subgraphs to begin with."
    )


def _falls(run: Run) -> ClaimCheck:
    descent, plural = run.descent, "s" if run.descent.stop > 1 else ""
    return ClaimCheck(
        f"The Lagrangian falls strictly: {run.name}",
        f"from {descent.heights[0]:.3f} to {descent.heights[descent.stop]:.3f} in {descent.stop} "
        f"iteration{plural}, {descent.end.cells.count} cells left",
        "at least one iteration, and each lowers it",
        descent.stop > 0 and all(step < 0 for step in descent.steps[: descent.stop]),
        about="figure",
    )


def _local(run: Run) -> ClaimCheck:
    gain, cells = run.gain(), run.descent.end.cells.count
    words = f"one of them lowers it by {gain:.3f}" if gain > _LESS else "none of them lowers it"
    return ClaimCheck(
        f"The solution is locally optimal: {run.name}",
        f"of the {math.comb(cells, 2):,} merges of two of its {cells} cells {words}",
        "no merge of two cells lowers the Lagrangian",
        gain <= _LESS,
    )


def _better(run: Run) -> str:
    path, weight, end = run.descent.path, run.descent.weight, run.descent.end
    best = path.best(weight)
    change = float(path.lagrangian(best.merges, weight)) - float(path.lagrangian(end.merges, weight))
    where = f"after {best.merges} merges instead of {end.merges} it is lower by {-change:.3f}"
    return f"{run.name}: stopping at the first rise misses the best point of the path; {where}."
