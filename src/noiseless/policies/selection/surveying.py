"""Running every method over a problem."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.policies.contiguous.counting import least_cell_size
from noiseless.policies.merging.cells import Cells
from noiseless.policies.merging.length import Length
from noiseless.policies.merging.path import MergePoint, Objective, Utility
from noiseless.policies.selection.choice import Scope
from noiseless.policies.selection.claims import EXACT
from noiseless.policies.selection.comparing import Baselines
from noiseless.policies.selection.dealing import dealt
from noiseless.policies.selection.exactly import Contiguous
from noiseless.policies.selection.fewest import Fewest
from noiseless.policies.selection.improving import improved
from noiseless.policies.selection.levels import FEW_VALUES, Levels
from noiseless.policies.selection.measures import Measures, measure
from noiseless.policies.selection.paths import Paths
from noiseless.policies.selection.problem import Problem
from noiseless.policies.selection.searching import FROM_MONDRIAN, MONDRIAN
from noiseless.policies.selection.strips import strips
from noiseless.policies.selection.survey import Progress, Series, Survey, SurveyPoint, undominated
from noiseless.policies.selection.targets import Targets
from noiseless.policies.selection.wish import Method, Wish
from noiseless.tables import IntArray

WORK = 2 * 10**7
"""About so many public values are looked at for one series: points times values."""

FEW_POINTS = 12
"""But a series has so many points at least, if there are so many."""

PROVED = 2 * 10**6
"""With more points times pairs than this it is not asked whether contiguous cells are the best of all."""

WIDTHS = 16
"""For so many distortions the fewest blocks are sought."""

_SETTINGS = {
    "greedy": "improved",
    MONDRIAN: "Mondrian's cells",
    FROM_MONDRIAN: "from Mondrian's cells",
}
"""What is said of the cells that a level was given, by the method that found them."""

Maker = tuple[str, Callable[[], Cells], Scope | None]
"""How something was asked, what makes its cells, and what is proved of them."""


def survey(
    problem: Problem,
    *,
    objective: Objective = "leakage",
    utility: Utility = "resolution",
    method: Method = "auto",
    baselines: bool = True,
    progress: Progress | None = None,
) -> Survey:
    """What is given away against what is lost, by every method that applies.

    >>> from noiseless import JointRange
    >>> from noiseless.policies.merging import ColumnCodebook, Numbers
    >>> hidden = JointRange.from_pairs([("a", 0), ("a", 1), ("b", 2), ("b", 3), ("c", 9)])
    >>> found = survey(Problem(hidden, ColumnCodebook(Numbers([0, 1, 2, 3, 9]))), utility="distortion")
    >>> [(point.quality.min_posterior, str(point.quality.distortion)) for point in found.undominated]
    [(1, '0'), (2, '3'), (3, '4.5')]

    Args:
        problem: what is to be merged.
        objective: what is given away.
        utility: what is kept.
        method: which of our methods to run.
        baselines: whether to run what others do too.
        progress: told the share of the work that is done, from 0 to 1.

    Raises:
        RequestError: the method does not apply, or there is nothing to merge or to hide.
    """
    problem.check()
    if utility == "distortion" and problem.codebook is None:
        raise RequestError(
            "distortion needs numbers, categories or hierarchies to measure distances by; use resolution"
        )
    Wish(objective=objective, utility=utility, method=method, weight=0)  # refuses unknown names
    run = _Run(problem, objective, utility)
    ours = list(run.ours(method))
    others = Baselines(problem, objective, utility).series if baselines else []
    found: list[Series] = []
    for number, make in enumerate([*ours, *others]):
        if progress is not None:
            progress(number / (len(ours) + len(others)))
        found.append(make())
        if number == len(ours) - 1 and method != "exact":
            found[-1] = run.improved(found, method)
    if progress is not None:
        progress(1.0)
    return Survey(problem, objective, utility, method, tuple(found))


@dataclass(frozen=True, eq=False)
class _Run:
    problem: Problem
    objective: Objective
    utility: Utility

    def ours(self, method: Method) -> Iterator[Callable[[], Series]]:
        """Our methods, each as what makes its series, the greedy one last."""
        problem = self.problem
        ordered = problem.one_column and Contiguous.applies(problem, self.utility)
        fewest = self.utility == "distortion" and self.objective != "leakage" and Fewest.applies(problem)
        if method == "exact" and not (ordered and self.objective != "maximin") and not fewest:
            raise RequestError(
                "the exact method is for one column without side information, and for distortion a numeric "
                "one with midrange or interval codewords; use method 'auto'"
            )
        if method != "greedy":
            if ordered and self.objective != "maximin":
                yield self.exact
            if self.utility == "resolution" and problem.side is None and self.objective != "maximin":
                yield self.dealing
            if fewest:
                yield self.fewest
        if method != "exact":
            yield self.greedy

    def series(self, name: str, makers: list[Maker], note: str = "") -> Series:
        """Measure what is made; the undominated points."""
        many = max(FEW_POINTS, WORK // self.problem.size)
        if len(makers) > many:
            places = np.unique(np.linspace(0, len(makers) - 1, many).astype(int))
            note = f"{len(places)} of {len(makers):,} points" + (f"; {note}" if note else "")
            makers = [makers[place] for place in places.tolist()]
        points = [self.point(name, *maker) for maker in makers]
        return Series(name, True, undominated(points, self.objective, self.utility), note)

    def point(self, name: str, setting: str, make: Callable[[], Cells], scope: Scope | None) -> SurveyPoint:
        """A partition, measured; of some it is seen that no other is better."""
        found = measure(self.problem, make())
        if self.objective != "maximin" and self.problem.plain and self._attains(found):
            scope = "all"
        return SurveyPoint(found, name, setting, make, scope)

    def _attains(self, found: Measures) -> bool:
        """Whether a bound on all partitions is attained."""
        if self.utility == "resolution":
            return found.largest_cell <= least_cell_size(self.problem.joint, found.min_posterior)
        few = self.problem.line is not None and self.problem.size <= FEW_VALUES
        return few and found.distortion == self._least(found.min_posterior)

    @cached_property
    def contiguous(self) -> Contiguous:
        """The exact optimum."""
        return Contiguous(self.problem, self.utility)

    def exact(self) -> Series:
        """The whole exact frontier."""
        points = self.contiguous.frontier
        proves = self.utility == "distortion" and len(points) * len(self.problem.joint) <= PROVED
        makers: list[Maker] = []
        for k, loss in points:
            scope: Scope = "all" if proves and loss == self._least(k) else "contiguous"
            makers.append((f"k = {k}", partial(self._exact, k), scope))
        return self.series(EXACT, makers)

    def _least(self, k: int) -> Length:
        """The least distortion of any partition."""
        parts = self.contiguous.strips
        return Length(
            max(part.sweep.least_of_any(k, part.windows(k).least_width()) * part.unit for part in parts)
        )

    def _exact(self, k: int) -> Cells:
        labels = self.contiguous.for_posterior(k)
        if labels is None:
            raise AssertionError("a point of the frontier has cells")
        return Cells.from_labels(labels)

    def dealing(self) -> Series:
        """Cells dealt for the resolution."""
        parts = strips(self.problem, "resolution")
        most = min(part.sensitive for part in parts)
        known = np.unique(np.linspace(1, most, min(most, 4 * FEW_POINTS)).astype(int)).tolist()
        makers: list[Maker] = [(f"k = {k}", partial(self._dealt, k), None) for k in known]
        return self.series(
            "dealing", makers, "" if len(known) == most else f"{len(known)} posteriors of {most:,}"
        )

    def _dealt(self, k: int) -> Cells:
        labels = dealt(self.problem, strips(self.problem, "resolution"), k)
        return Cells.from_labels(np.zeros(self.problem.size) if labels is None else labels)

    def fewest(self) -> Series:
        """The fewest blocks for some distortions."""
        found = Fewest(self.problem)
        path = replace(self.paths.maximin, utility=self.utility)
        losses = [one.distortion for one in path.frontier() if one.distortion is not None]
        picked = {round(place) for place in np.linspace(0, len(losses) - 1, WIDTHS)}
        makers: list[Maker] = [
            (f"within {losses[place]}", partial(self._fewest, found, losses[place]), None)
            for place in sorted(picked)
        ]
        return self.series("fewest blocks", makers)

    @staticmethod
    def _fewest(found: Fewest, loss: Length) -> Cells:
        return Cells.from_labels(found.within(loss, nodes=100).cells)

    @cached_property
    def paths(self) -> Paths:
        """The greedy paths."""
        return Paths(self.problem, self.utility)

    def greedy(self) -> Series:
        """The undominated points of the greedy paths."""
        wish = Wish(
            objective=self.objective, utility=self.utility, max_leakage=Bits(self.problem.joint.size_x)
        )
        targets = Targets(self.problem, wish)  # a limit that everything keeps to
        makers: list[Maker] = []
        for path in self.paths.serving(targets):
            view = replace(path, objective=self.objective, utility=self.utility, weight=None)
            makers += [
                ("", partial(_cells, one), None)
                for one in view.frontier()
                if targets.blocks is None or one.maximin.ratio <= targets.blocks
            ]
        note = "problem (7) takes too long for so many values" if self._leaves_out else ""
        return self.series("greedy", makers, note)

    def improved(self, found: list[Series], method: Method) -> Series:
        """The greedy series, with what `choose` finds at each level, or else with points made better."""
        greedy = found[-1]
        if self.objective != "leakage" or self.problem.size > FEW_VALUES:
            return greedy
        levels, points = Levels(self.paths, method), list(greedy.points)
        for level in levels:
            if level.method in _SETTINGS:  # others have a series of their own
                make = partial(Cells.from_labels, level.cells.cell_of)
                points.append(self.point("greedy", _SETTINGS[level.method], make, None))
        everything = [point for series in found for point in series] if not levels.known else []
        for one in undominated(everything, self.objective, self.utility):
            labels = None if one.scope == "all" else self._better(one)
            if labels is not None:
                points.append(self.point("greedy", "improved", partial(Cells.from_labels, labels), None))
        return replace(greedy, points=undominated(points, self.objective, self.utility))

    def _better(self, one: SurveyPoint) -> IntArray | None:
        problem = self.problem
        limit = Wish(max_leakage=one.quality.leakage, min_posterior=one.quality.min_posterior)
        need, none = Targets(problem, limit).need, np.zeros(problem.size, bool)
        return improved(problem, self.utility, need, one.cells.cell_of, none)

    @property
    def _leaves_out(self) -> bool:
        return self.objective == "both" and self.paths.slow


def _cells(one: MergePoint) -> Cells:
    return one.cells
