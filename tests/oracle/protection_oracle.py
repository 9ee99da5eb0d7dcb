"""Protection by its definition, on tables so small that every table and every pattern can be written down.

A pattern is a set of figures that are withheld. The tables that fit it are all integer tables within the
bounds that agree with the truth on every figure that is not withheld. A pattern is safe if each level that a
rule wants is met by a table that fits, and each coalition, which keeps of these tables those that agree with
what it knows of itself, is left with two values of every sensitive figure that others contribute to. By the
p % rule, it is also left with a value so high that what others gave together, as far as it can say, is p %
above the amount of each of them; and with one as far below the truth, unless its own amounts end there.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

import numpy as np

Cells = tuple[int, ...]


@dataclass(frozen=True)
class Want:
    """What must stay possible for a figure: a value as low, one as high, and two as far apart."""

    figure: int
    low: int | None
    high: int | None
    width: int = 0


@dataclass(frozen=True)
class TinyProblem:
    """A true table and what is wanted of it.

    Attributes:
        truth: the true base cells.
        bounds: the least and the largest value of each.
        figures: the base cells that each published figure adds up.
        wants: what rules want.
        given: for each base cell, what each contributor gave.
        coalition: how many work together; 0: nobody subtracts himself.
        percent: p of the p % rule; 0: there is none.
    """

    truth: Cells
    bounds: tuple[tuple[int, int], ...]
    figures: tuple[tuple[int, ...], ...]
    wants: tuple[Want, ...]
    given: tuple[Mapping[str, int], ...] = ()
    coalition: int = 0
    percent: int = 0

    @cached_property
    def tables(self) -> np.ndarray:
        """Every table within the bounds."""
        return np.array(list(product(*(range(low, high + 1) for low, high in self.bounds))))

    def values(self, figure: int) -> np.ndarray:
        found: np.ndarray = self.tables[:, list(self.figures[figure])].sum(axis=1)
        return found

    @cached_property
    def differs(self) -> np.ndarray:
        """For each table, whether each figure differs from the truth."""
        true = np.array(self.truth)
        return np.stack([self.values(f) != true[list(of)].sum() for f, of in enumerate(self.figures)], axis=1)

    def fitting(self, pattern: Collection[int]) -> np.ndarray:
        shown = [figure for figure in range(len(self.figures)) if figure not in pattern]
        return np.asarray(~self.differs[:, shown].any(axis=1))

    @cached_property
    def coalitions(self) -> list[tuple[set[str], np.ndarray]]:
        """Who works together, and the tables that agree with what they know of themselves."""
        names = sorted({name for of in self.given for name in of})
        found = []
        for size in range(1, self.coalition + 1):
            for who in map(set, combinations(names, size)):
                fits = np.ones(len(self.tables), bool)
                for cell, of in enumerate(self.given):
                    if own := [of[name] for name in of if name in who]:
                        fits &= self.tables[:, cell] >= sum(own)
                        if len(own) == len(of):
                            fits &= self.tables[:, cell] == sum(own)
                found.append((who, fits))
        return found

    def safe(self, pattern: Collection[int]) -> bool:
        return self.safe_within(self.fitting(pattern))

    def safe_within(self, fits: np.ndarray) -> bool:
        """Whether these tables, which fit what is published, leave all that is wanted."""
        return self.levels_hold(fits) and all(
            self.unknown(want.figure, who, fits & known)
            and all((fits & known & shows).any() for shows in self.estimates(want.figure, who))
            for who, known in self.coalitions
            for want in self.wants
        )

    def estimates(self, figure: int, who: set[str]) -> list[np.ndarray]:
        """For each amount of somebody else: the tables that put it high enough, and those low enough."""
        cells, found, values = self.figures[figure], list[np.ndarray](), self.values(figure)
        given = Counter[str]()
        for cell in cells if self.given else ():
            given.update(self.given[cell])
        truth, own = sum(given.values()), sum(given[name] for name in who)
        least = sum(
            max(self.bounds[cell][0], sum(v for name, v in self.given[cell].items() if name in who))
            for cell in cells
        )
        for name in set(given) - who if self.percent else ():
            high = max(truth, -(-given[name] * (100 + self.percent) // 100) + own)
            found += [values >= high, values <= max(least, truth - (high - truth))]
        return found

    def levels_hold(self, fits: np.ndarray) -> bool:
        for want in self.wants:
            values = self.values(want.figure)[fits]
            if (
                (want.low is not None and values.min() > want.low)
                or (want.high is not None and values.max() < want.high)
                or values.max() - values.min() < want.width
            ):
                return False
        return True

    def unknown(self, figure: int, who: set[str], fits: np.ndarray) -> bool:
        """Whether a coalition cannot say what a figure is, or nobody else is in it."""
        givers = {name for cell in self.figures[figure] for name in self.given[cell]}
        return not givers - who or len(set(self.values(figure)[fits].tolist())) > 1

    def cheapest(self, costs: Sequence[int]) -> int | None:
        """The least cost of a safe pattern; None if withholding everything is not safe.

        Each thing that must stay possible is shown by some table, and needs the figures withheld in which
        that table differs from the truth. A pattern is safe if it holds such figures for everything.
        """
        many = len(self.figures)
        patterns = np.arange(2**many)
        safe = np.ones(2**many, bool)
        for shows in self._shows():
            masks = np.unique(self.differs[shows] @ (1 << np.arange(many)))
            met = np.zeros(2**many, bool)
            for mask in masks[np.argsort(np.bitwise_count(masks))].tolist():
                if not met[mask]:
                    met |= (patterns & mask) == mask
            safe &= met
        prices = ((patterns[:, None] >> np.arange(many)) & 1) @ np.array(costs)
        return int(prices[safe].min()) if safe.any() else None

    def _shows(self) -> list[np.ndarray]:
        """For each thing that must stay possible, the tables that show it."""
        found, true = list[np.ndarray](), np.array(self.truth)
        for want in self.wants:
            values = self.values(want.figure)
            assert want.width <= 1  # any other value than the true one is that far from it
            other = values != true[list(self.figures[want.figure])].sum()
            found += [values <= want.low] if want.low is not None else []
            found += [values >= want.high] if want.high is not None else []
            found += [other] * want.width
            for who, known in self.coalitions:
                if {name for cell in self.figures[want.figure] for name in self.given[cell]} - who:
                    found.append(known & other)
                found += [known & shows for shows in self.estimates(want.figure, who)]
        return found
