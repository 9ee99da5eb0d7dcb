"""What is found for every number of values left and every leakage, where that is quick."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from noiseless.exact import Bits
from noiseless.search.selection.paths import Paths
from noiseless.search.selection.pool import Found
from noiseless.search.selection.problem import Problem
from noiseless.search.selection.searching import Search
from noiseless.search.selection.targets import Targets
from noiseless.search.selection.wish import Method, Wish

FEW_VALUES = 500
"""With more public values a release is searched for by itself, and not among all levels."""

WORK, FEWEST = 20_000, 12
"""So many levels are looked at that they are so many public values in all, or at least this number."""


@dataclass(frozen=True, eq=False)
class Levels:
    """What is found for each number of values left.

    Attributes:
        paths: the greedy paths, which know the problem and what is to be kept.
        method: which of our methods to run.
    """

    paths: Paths
    method: Method

    @staticmethod
    def are_few(problem: Problem) -> bool:
        """Whether a problem is small enough for its levels to be looked at."""
        return problem.size <= FEW_VALUES

    @staticmethod
    def known(problem: Problem) -> list[int]:
        """The numbers of values left that are looked at, ascending: all where they are not too many.

        Small ones are asked for most: of too many the first half are those, and the rest are spread.
        """
        most, many = int(problem.largest_posteriors.min()), max(FEWEST, WORK // problem.size)
        first = min(most, many if most <= many else many // 2)
        return [*range(1, first), *np.unique(np.linspace(first, most, many - first + 1).astype(int)).tolist()]

    @property
    def _wishes(self) -> Iterator[Wish]:
        problem, wish = self.paths.problem, Wish(utility=self.paths.utility, min_posterior=1)
        for k in self.known(problem):
            yield replace(wish, min_posterior=k)
        if not problem.plain:  # then as many values left may be more leakage here than there
            pairs = set(zip(problem.prior.tolist(), problem.largest_posteriors.tolist(), strict=True))
            least = max(Fraction(prior, most) for prior, most in pairs)
            ratios = {Fraction(prior, k) for prior, most in pairs for k in range(1, most + 1)}
            within = sorted(ratio for ratio in ratios if ratio >= least)
            for ratio in within[:: -(-len(within) // max(FEWEST, WORK // problem.size))]:
                yield replace(wish, max_leakage=Bits(ratio))

    def __iter__(self) -> Iterator[Found]:
        """The cells that are found for each level."""
        for level in self._wishes:
            wish = replace(level, method=self.method)
            search = Search.of(Targets(self.paths.problem, wish), self.paths)
            search.exactly_and_greedily()
            search.improving()
            if search.pool.best is not None:
                yield search.pool.best
