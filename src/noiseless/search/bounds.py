"""What no partition at all can do better, whatever its cells: the bounds behind `optimal` and `gap`."""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

import numpy as np

from noiseless.arrays import IntArray
from noiseless.exact import Bits, as_fraction
from noiseless.measures import largest_ratio
from noiseless.ranges import count_blocks
from noiseless.search.all_partitions import MOST_VALUES, AllPartitions, OptimalPartition
from noiseless.search.deals import least_cell_size, most_answers
from noiseless.search.goal import Targets
from noiseless.search.loss import Length, Loss, Utility, below
from noiseless.search.mean_bounds import least_mean_loss
from noiseless.search.measures import cell_costs
from noiseless.search.problem import Cells
from noiseless.search.radii import Radii
from noiseless.search.strips import MOST_STRIPS, LineStrip, strips
from noiseless.tables.coding import whole_type


@dataclass(frozen=True)
class LowerBound:
    """What any partition within the limits has at least.

    Attributes:
        value: a loss, or what is given away.
        proof: what shows it.
    """

    value: Loss
    proof: str


@dataclass(frozen=True)
class MeanBound:
    """What any partition within the limits loses on average at least.

    Attributes:
        value: a mean loss.
        proof: what shows it.
    """

    value: Fraction
    proof: str


@dataclass(frozen=True, eq=False)
class LowerBounds:
    """The bounds for a goal.

    Attributes:
        targets: its limits.
        found: a partition that keeps to them: where to look first.
        cheapest: a mean loss that no partition is below, where all cells were looked at that matter.
    """

    targets: Targets
    found: Cells
    cheapest: Fraction | None = None

    @cached_property
    def strips(self) -> list[LineStrip]:
        """Strips to bound the utility by; on a line that is there for certain, or for counting."""
        return strips(self.targets.problem, self._utility, MOST_STRIPS)

    @property
    def _utility(self) -> Utility:
        return self.targets.goal.utility

    @cached_property
    def radii(self) -> Radii:
        """Bounds from pairs, looking first at the values of the cells that cost most."""
        problem = self.targets.problem
        costs = cell_costs(problem.codebook, self.found).floats
        far = np.argsort(-costs[self.found.cell_of], kind="stable")
        return Radii(problem, far.astype(whole_type(problem.size)))

    # --- the loss, for limits on what is given away ---------------------------------------------

    @cached_property
    def loss(self) -> LowerBound | None:
        """The least loss of any partition that gives away no more than allowed."""
        if self._utility == "resolution":
            found = [self._resolution(), self._resolution_of_blocks()]
        else:
            best = self.proved_best
            known = None if best is None or self.targets.goal.by_mean else LowerBound(best.distortion, _ALL)
            if known is not None and self.targets.blocks is None:
                return known
            found = [known, self._line(), self._pairs(), self._line_of_blocks()]
        return _largest(found)

    @cached_property
    def mean(self) -> "MeanBound | None":
        """The least mean loss of any partition that gives away no more than allowed."""
        targets, best = self.targets, self.proved_best
        if best is not None and targets.goal.by_mean:
            return MeanBound(best.mean, _ALL)
        if self.cheapest is not None:
            return MeanBound(self.cheapest, _CELLS)
        value = least_mean_loss(targets.problem, targets.need, targets.goal.min_rows or 1, self.found)
        return None if value is None else MeanBound(value, _PAIRS)

    @property
    def proved_best(self) -> OptimalPartition | None:
        """The best of all partitions, where it is the best of all that are written too."""
        return None if self.targets.problem.rounds else self.best_of_all

    @cached_property
    def best_of_all(self) -> OptimalPartition | None:
        """The best of all partitions, where there are few values."""
        if self.targets.problem.size > MOST_VALUES or not AllPartitions.applies(self.targets):
            return None
        return AllPartitions(self.targets).best

    def _resolution(self) -> LowerBound | None:
        """By counting: no partition has more cells than its sensitive values allow."""
        targets = self.targets
        if targets.budget:
            if not targets.problem.plain:
                return None
            answers = most_answers(targets.problem.joint, int(targets.need[0]))
            return LowerBound(Bits(Fraction(targets.problem.size, answers)), _COUNTING)
        sizes = [least_cell_size(part.joint, int(targets.need[part.code])) for part in self.strips]
        return LowerBound(Bits(max(sizes)), _COUNTING)

    def _resolution_of_blocks(self) -> LowerBound | None:
        """Blocks and cells are joined by values: as many blocks are left as nodes less edges, at least."""
        targets, problem = self.targets, self.targets.problem
        if targets.blocks is None or problem.side is not None:
            return None
        cells = problem.size - count_blocks(problem.joint) + targets.blocks
        most = Fraction(problem.size, max(1, cells))
        return LowerBound(Bits(max(most if targets.budget else Fraction(-(-most // 1)), Fraction(1))), _TREES)

    def _line(self) -> LowerBound | None:
        """On a line: every value needs a run around it with k sensitive values (Theorems 1 and 2)."""
        if self.targets.problem.line is None:
            return None
        found = [Length(part.unit * self._least_width(part)) for part in self.strips]
        return LowerBound(max(found), _RUNS)

    def _least_width(self, part: LineStrip) -> int:
        k = int(self.targets.need[part.code])
        if k > part.sensitive:
            return 0  # all of it is suppressed
        if not self.targets.budget:
            return part.least_of_any(k)
        return least_limit(
            part.cover_widths(k), self.targets.problem.weights[part.members], self.targets.budget
        )

    def _pairs(self) -> LowerBound | None:
        """Any columns: a cell with k sensitive values reaches as far as the nearest values that have k."""
        targets, problem = self.targets, self.targets.problem
        if problem.line is not None or not Radii.applies(problem):
            return None
        if targets.budget and not Radii.all_fit(problem):
            return None
        found = []
        for code in self.radii.codes:
            k = int(targets.need[code])
            if targets.budget:
                centres, needed = self.radii.needed(code, k)
                found.append(self.radii.length(least_limit(needed, problem.weights[centres], targets.budget)))
            else:
                worst = self.radii.worst(code)
                found.append(self.radii.length(worst[k - 1] if k <= len(worst) else 0))
        return LowerBound(max(found), _PAIRS)

    def _line_of_blocks(self) -> LowerBound | None:
        """On a line: how wide cells must be to leave so few blocks."""
        targets = self.targets
        if targets.blocks is None or targets.budget or targets.fewest is None:
            return None
        if targets.blocks >= count_blocks(targets.problem.joint):
            return None
        found = targets.fewest.for_blocks(targets.blocks)
        return LowerBound(found.at_least, _TREES + _SEARCH * (found.proof == "search"))

    # --- what is given away, for limits on the loss ----------------------------------------------

    @cached_property
    def leak(self) -> LowerBound:
        """The least that any partition gives away that loses no more than allowed."""
        if self.targets.goal.objective == "maximin":
            return self._blocks()
        problem = self.targets.problem
        most = self.targets.most.copy()
        proof = _WHOLE
        for found in (self._most_of_line(), self._most_of_pairs(), self._most_by_counting()):
            for code, k in found.items():
                if k < most[code]:
                    most[code], proof = k, _LIMITS
        return LowerBound(Bits(largest_ratio(problem.prior, np.maximum(most, 1))), proof)

    def _most_of_line(self) -> dict[int, int]:
        """The largest posterior that a width allows, for each strip."""
        targets = self.targets
        if targets.distortion is None or targets.problem.line is None:
            return {}
        found = {}
        for part in strips(targets.problem, "distortion", MOST_STRIPS):
            if targets.budget >= int(targets.problem.weights[part.members].sum()):
                continue  # all of it may be suppressed
            width = part.room(targets.distortion, None).width
            fails = partial(self._cannot_have, part, width)
            found[part.code] = 1 + bisect_left(range(2, part.sensitive + 1), True, key=fails)
        return found

    def _cannot_have(self, part: LineStrip, width: int, k: int) -> bool:
        """Whether it is shown that cells of a width cannot have k sensitive values."""
        if self.targets.budget:
            rows = self.targets.problem.weights[part.members]
            return least_limit(part.cover_widths(k), rows, self.targets.budget) > width
        return part.cover_width(k) > width or part.is_refuted(k, width)

    def _most_of_pairs(self) -> dict[int, int]:
        targets, problem = self.targets, self.targets.problem
        if targets.distortion is None or problem.line is not None or targets.budget:
            return {}
        if not Radii.applies(problem):
            return {}
        return {code: self.radii.most(code, targets.distortion) for code in self.radii.codes}

    def _most_by_counting(self) -> dict[int, int]:
        """The largest posterior that a largest cell allows, for each strip."""
        targets = self.targets
        if targets.largest_cell is None or (targets.budget and not targets.problem.plain):
            return {}
        return {
            part.code: 1 + bisect_left(range(2, part.sensitive + 1), True, key=partial(self._too_many, part))
            for part in strips(targets.problem, "resolution", MOST_STRIPS)
        }

    def _too_many(self, part: LineStrip, k: int) -> bool:
        """Whether counting shows that cells of the size allowed cannot all have k sensitive values."""
        targets, joint = self.targets, part.joint
        if targets.budget:
            return Bits(most_answers(joint, k)) < _bits(targets)
        return least_cell_size(joint, k) > (targets.largest_cell or 0)

    def _blocks(self) -> LowerBound:
        """How few blocks can be left."""
        targets, problem = self.targets, self.targets.problem
        least, proof = targets.fewest_blocks_of_any, _WHOLE
        if targets.budget or problem.side is not None:
            return LowerBound(Bits(least), proof)
        if targets.largest_cell is not None:
            cells = -(-problem.size // targets.largest_cell)
            counted = count_blocks(problem.joint) + cells - problem.size
            least, proof = (counted, _TREES) if counted > least else (least, proof)
        if targets.distortion is not None and targets.fewest is not None:
            found = targets.fewest.within(targets.distortion)
            if found.lower > least:
                least, proof = found.lower, _TREES + _SEARCH * (found.proof == "search")
        return LowerBound(Bits(least), proof)

    # --- both, for a weight ----------------------------------------------------------------------

    @cached_property
    def curve(self) -> list[tuple[Fraction, Loss]]:
        """Pairs of a leak and a loss: any partition has at least as much of both as one of them; or none."""
        targets, problem = self.targets, self.targets.problem
        if not problem.plain or targets.budget:
            return []
        if targets.goal.objective == "maximin":
            return self._curve_of_blocks()
        size = problem.joint.size_x
        least, many = int(targets.need[0]), max(8, min(MOST_GRID, WORK // len(problem.joint)))
        known = np.unique(np.linspace(least, size, min(many, size - least + 1)).astype(np.int64)).tolist()
        losses = self._losses(known)
        if losses is None:
            return []
        ends = [*(k - 1 for k in known[1:]), size]
        return [(Fraction(size, end), loss) for end, loss in zip(ends, losses, strict=True)]

    def _losses(self, known: list[int]) -> list[Loss] | None:
        """The least loss for each of some posteriors."""
        problem = self.targets.problem
        if self._utility == "resolution":
            return [Bits(least_cell_size(problem.joint, k)) for k in known]
        if problem.line is not None:
            part, few = self.strips[0], len(problem.joint) * len(known) <= WORK // 100
            return [Length(part.unit * _narrowest(part, k, few)) for k in known]
        if not Radii.applies(problem):
            return None
        worst = self.radii.worst(0)
        return [self.radii.length(worst[k - 1]) for k in known]

    def _curve_of_blocks(self) -> list[tuple[Fraction, Loss]]:
        problem = self.targets.problem
        if self._utility != "resolution":
            return []
        blocks = count_blocks(problem.joint)
        cells = [problem.size - blocks + left for left in range(1, blocks + 1)]
        return [(Fraction(left), Bits(-(-problem.size // many))) for left, many in enumerate(cells, start=1)]


_WHOLE = "all of a group in one cell gives away as much"
_COUNTING = "counting: a sensitive value is in no more cells than it has public values"
_TREES = "blocks and cells are joined by public values, each of which joins one pair"
_SEARCH = ", and all other cells were looked at"
_RUNS = "every value needs enough sensitive values within reach, and values far apart do not share theirs"
_ALL = "all partitions were looked at"
_CELLS = "all cells were looked at that a better one could have"
_PAIRS = "a cell reaches as far as the nearest values that have enough sensitive values"
_LIMITS = "within the limits on what is lost no cell around some value has more sensitive values"

MOST_GRID = 400
"""At no more posteriors than this a curve of bounds is looked at."""

WORK = 4 * 10**7
"""And at this many pairs in all."""


def _narrowest(part: LineStrip, k: int, few: bool) -> int:
    return part.least_of_any(k) if few else part.cover_width(k)


def _bits(targets: Targets) -> Bits | Fraction:
    limit = targets.goal.min_resolution
    return limit if isinstance(limit, Bits) else as_fraction(limit or 0)


def least_limit(needed: IntArray, rows: IntArray, budget: int) -> int:
    """The least limit that no more rows than a budget exceed."""
    order = np.argsort(-needed, kind="stable")
    gone = np.cumsum(rows[order]) <= budget
    left = int(np.count_nonzero(gone))
    return int(needed[order[left]]) if left < len(order) else 0


def _largest(found: list[LowerBound | None]) -> LowerBound | None:
    known = [bound for bound in found if bound is not None]
    best = known[0] if known else None
    for bound in known[1:]:
        if best is not None and below(best.value, bound.value):
            best = bound
    return best
