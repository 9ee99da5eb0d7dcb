"""What a search has found, and one ordered column: contiguous cells, dealt ones, and the fewest blocks."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy.typing as npt

from noiseless.arrays import BoolArray, IntArray
from noiseless.errors import RequestError
from noiseless.exact import as_fraction
from noiseless.search.choice import EXACT, lagrangian
from noiseless.search.deals import deal_cells
from noiseless.search.goal import Targets
from noiseless.search.greedy import DEALING
from noiseless.search.interval_cells import IntervalCells
from noiseless.search.loss import Lagrangian, Loss
from noiseless.search.measures import Memory, ReleasePoint
from noiseless.search.optimum import ContiguousOptimum
from noiseless.search.problem import Cells
from noiseless.search.strips import strips

NOT_EXACT = (
    "the exact method is for one column without side information, and for distortion a numeric one with "
    "midrange or interval codewords; use method 'auto'"
)

FEWEST_BLOCKS, UNCHANGED = "fewest blocks", "unchanged"
"""What methods are called."""


@dataclass(eq=False)
class LineSearch:
    """A search for the best partition, as far as one ordered column has an exact one.

    Attributes:
        targets: the limits.
        memory: where what is found is kept.
        contiguous: the best that contiguous cells can do within the limits, where that is known.
        least_mean: the least mean loss of contiguous cells within the limits, where that is known.
    """

    targets: Targets
    memory: Memory
    contiguous: Loss | Lagrangian | None = field(default=None, kw_only=True)
    least_mean: Fraction | None = field(default=None, kw_only=True)
    _seen: int = field(default=0, repr=False, kw_only=True)
    _best: ReleasePoint | None = field(default=None, repr=False, kw_only=True)
    _swept: bool = field(default=False, repr=False, kw_only=True)

    def add(
        self,
        labels: npt.ArrayLike | Cells,
        series: str,
        hidden: BoolArray | None = None,
        *,
        setting: str = "",
    ) -> bool:
        """Keep a partition; whether it keeps to the limits."""
        return self.targets.allow(self.memory.add(labels, series, hidden, setting=setting))

    @property
    def best(self) -> ReleasePoint | None:
        """The best of what was found within the limits."""
        for point in self.memory.points[self._seen :]:
            if self.targets.allow(point):
                key = self.targets.key
                if self._best is None or key(point) < key(self._best):
                    self._best = point
        self._seen = len(self.memory.points)
        return self._best

    def add_least_mean(self) -> None:
        """Contiguous cells with the least mean loss; where the largest comes first, among its equals."""
        targets, goal, problem = self.targets, self.targets.goal, self.targets.problem
        if goal.aim != "loss" or goal.utility != "distortion" or problem.limits:
            return
        best = self.best
        if not ContiguousOptimum.applies_to_mean(problem, problem.loss) or not (goal.by_mean or best):
            return
        worst = best.distortion if best is not None and not goal.by_mean else targets.distortion
        exact = ContiguousOptimum.within(targets, worst if self.is_ordered else None)
        labels = exact.for_mean(int(targets.need.max()), problem.loss)
        if labels is None:
            return
        self.add(labels, EXACT)
        if goal.by_mean and not targets.budget and (self.is_ordered or worst is None):
            self.least_mean = exact.mean_at_least(int(targets.need.max()), problem.loss)

    @property
    def is_ordered(self) -> bool:
        """Whether contiguous cells have an exact optimum."""
        return ContiguousOptimum.applies(self.targets.problem, self.targets.goal.utility)

    def exactly(self) -> None:
        """One ordered column: contiguous cells, dealt ones, and the fewest blocks."""
        targets, goal = self.targets, self.targets.goal
        fewest = targets.fewest is not None and (goal.objective == "maximin" or targets.blocks is not None)
        if goal.method == "exact" and not (self.is_ordered or fewest):
            raise RequestError(NOT_EXACT)
        if self.is_ordered and (goal.objective != "maximin" or int(targets.need.max()) > 1):
            self.contiguously()
        if goal.utility == "resolution" and goal.aim == "loss" and targets.problem.side is None:
            self._deal()
        if fewest:
            self._fewest()

    def contiguously(self) -> None:
        """The best contiguous cells."""
        targets, goal = self.targets, self.targets.goal
        if self._swept:
            return
        self._swept = True
        if targets.problem.limits:
            self._all_runs()
            return
        by_width = ContiguousOptimum.applies(targets.problem, goal.utility, by_width=True)
        exact = ContiguousOptimum.within(targets, targets.distortion if by_width else None)
        k = int(targets.need.max())
        if goal.aim == "leak":
            labels: IntArray | None = exact.for_loss()
        elif goal.aim == "loss":
            labels = exact.for_posterior(k)
        else:
            labels = exact.best(as_fraction(goal.weight or 0), k)
        if labels is None:
            return
        point = self.memory.add(labels, EXACT, setting=f"k = {k}", scope="contiguous")
        if goal.objective != "maximin" and not targets.budget:
            self.contiguous = self._value(point)

    def _all_runs(self) -> None:
        """The best contiguous cells under limits of the problem's own."""
        targets, goal = self.targets, self.targets.goal
        if self.add(targets.problem.unchanged, UNCHANGED) and goal.aim == "loss":
            return  # nothing is lost
        labels = IntervalCells(targets).labels if IntervalCells.applies(targets) else None
        if labels is None:
            return
        point = self.memory.add(labels, EXACT)
        if not targets.budget:
            self.contiguous = point.loss(goal.utility)
            self.least_mean = point.mean_loss if goal.by_mean else None

    def _value(self, point: ReleasePoint) -> Loss | Lagrangian:
        goal = self.targets.goal
        if goal.aim == "lagrangian":
            return lagrangian(self.targets, point)
        return point.loss(goal.utility) if goal.aim == "loss" else point.leakage

    def _deal(self) -> None:
        k = int(self.targets.need.max())
        labels = deal_cells(strips(self.targets.problem, "resolution"), k)
        if labels is not None:
            self.add(labels, DEALING, setting=f"k = {k}")

    def _fewest(self) -> None:
        targets, fewest = self.targets, self.targets.fewest
        if fewest is None:
            return
        if targets.goal.aim == "loss" and targets.goal.utility == "distortion" and targets.blocks is not None:
            self.add(fewest.for_blocks(targets.blocks).cells, FEWEST_BLOCKS)
        elif targets.distortion is not None:
            self.add(fewest.within(targets.distortion).cells, FEWEST_BLOCKS)
