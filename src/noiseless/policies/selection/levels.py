"""What a wish for so many values left would get, for every number of values, where that is quick."""

from collections.abc import Iterator
from dataclasses import dataclass

from noiseless.policies.selection.paths import Paths
from noiseless.policies.selection.pool import Found
from noiseless.policies.selection.searching import Search
from noiseless.policies.selection.targets import Targets
from noiseless.policies.selection.wish import Method, Wish

FEW_VALUES = 500
"""With more public values only the levels that other methods come to are known."""

MOST_WORK = 10_000
"""Up to so many public values times levels every level is looked at."""


@dataclass(frozen=True, eq=False)
class Levels:
    """What is found for each number of values left.

    Attributes:
        paths: the greedy paths, which know the problem and what is to be kept.
        method: which of our methods to run.
    """

    paths: Paths
    method: Method

    @property
    def known(self) -> range:
        """The levels that are looked at: all, or none where there are too many."""
        problem = self.paths.problem
        most = int(problem.largest_posteriors.min())
        few = problem.size <= FEW_VALUES and problem.size * most <= MOST_WORK
        return range(2, most + 1) if few else range(0)

    def __iter__(self) -> Iterator[Found]:
        """The cells that `choose` finds for each level."""
        for k in self.known:
            wish = Wish(utility=self.paths.utility, min_posterior=k, method=self.method)
            search = Search.of(Targets(self.paths.problem, wish), self.paths)
            search.exactly_and_greedily()
            search.improving()
            if search.pool.best is not None:
                yield search.pool.best
