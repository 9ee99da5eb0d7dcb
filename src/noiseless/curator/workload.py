"""A budget split over many questions: the largest weighted error of all answers made as small as can be.

Each question is told in equal cells. Under the rule of cuts one person causes at most the product, over the
private attributes, of 1 + the cuts of all answers about it. For a bound t on all weighted errors each
question takes the widest cells within it. No other equal cells within t have fewer cuts, so if these cost too
much, all do: the least t that fits the budget is the optimum. That no smaller one fits is checked exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, prod

import numpy as np

from noiseless.curator.disclosure import CellDisclosure, CountsDisclosure, Disclosure
from noiseless.curator.public_state import PublicState
from noiseless.errors import RequestError
from noiseless.pricing.reach import coarsest, counting_steps, finest, is_counted
from noiseless.questions import Lattice, Query
from noiseless.questions.base import Influence, Slide, is_consecutive
from noiseless.work import foresee, spend

_HALVINGS = 80
"""How often the bound is halved in floats before it is settled exactly."""
_SETTLED = 8
"""About how often it is looked at exactly then."""
_REACHES = 40
"""How often a reach for all is halved: as often as a budget has bits."""
_LOOK_STEPS = 20
"""What it takes to choose cells and to count their outputs where that is done in closed form."""
_PLACES_A_STEP = 16
"""How many answers to public cells are added up in a step."""
_BEYOND = 2**64
"""More outputs than any budget allows."""


@dataclass(frozen=True, eq=False)
class WeightedAnswer:
    """One answer of the workload: what its cells cost, and how its error weighs.

    Attributes:
        told: what is disclosed.
        scale: weight times what a unit of the query is worth in the answer.
    """

    told: Disclosure
    scale: Fraction

    @cached_property
    def query(self) -> Query | None:
        """The question; None where rows are counted exactly."""
        return self.told.mechanism.query if isinstance(self.told, CellDisclosure) else None

    @cached_property
    def pieces(self) -> int:
        """How many monotone pieces it has along its attribute; 0 where its outputs are multiplied."""
        if isinstance(self.told, CellDisclosure):
            return (self.told.mechanism.query.pieces or 0) if self.told.passing is None else 0
        return 1

    @property
    def step(self) -> Fraction:
        """The step of its lattice, if it is on one."""
        span = None if self.query is None else self.query.span
        return span.step if isinstance(span, Lattice) else Fraction(0)

    @property
    def is_proved(self) -> bool:
        """Whether no equal cells within an error have fewer outputs than those that are taken."""
        query = self.query
        if query is None or not isinstance(query.span, Lattice):
            return True
        return self.shape is not None and all(
            isinstance(one, Influence) and is_consecutive(one.moves) and is_consecutive(one.bases)
            for one in query.influences
        )

    @cached_property
    def shape(self) -> tuple[int, int, int, int] | None:
        """How far one person moves it, the last place to move it from, the last place of all, and a cap.

        None where it is no cell on a lattice, or its outputs are counted one by one.
        """
        query = self.query
        if query is None or not isinstance(query.span, Lattice) or isinstance(query.attainable, tuple):
            return None
        only, *more = query.influences
        if more or not isinstance(only, Influence) or only.bases[0] != 0 or is_counted(only):
            return None
        return only.sweep, only.bases[-1], query.span.last, only.cap

    @cached_property
    def slide(self) -> tuple[float, int] | None:
        """On an interval: the share of it that one person moves it over, and further outputs."""
        query = self.query
        if query is None or isinstance(query.span, Lattice) or not query.span.width:
            return None
        only, *more = query.influences
        if more or not isinstance(only, Slide) or not only.length:
            return None
        return float(only.length / query.span.width), only.more

    @property
    def looks(self) -> int:
        """How often its cells are looked at: on a lattice halvings of a bound soon come to the same ones."""
        span = None if self.query is None else self.query.span
        if self.shape is not None or self.slide is not None or span is None:
            return _SETTLED
        return _SETTLED + min(_HALVINGS, span.last.bit_length() if isinstance(span, Lattice) else _HALVINGS)

    @property
    def counting(self) -> int:
        """What it takes to count its outputs where that is done one by one, in steps of a microsecond."""
        return 0 if self.query is None else counting_steps(self.query)

    def level(self, bound: Fraction, *, strictly: bool) -> int:
        """The number of the widest cells whose weighted error is at most (or below) a bound, see `cells`.

        A strict bound is above 0. On a lattice it is how many steps they are wide, else how many there are.
        """
        if self.query is None:
            return 0
        error, span = bound / self.scale, self.query.span
        if isinstance(span, Lattice):
            steps = 2 * error / span.step
            return min(ceil(steps) - 1 if strictly else floor(steps), span.last)
        ratio = span.width / (2 * error)
        return max(1, floor(ratio) + 1 if strictly else ceil(ratio))

    def cells(self, level: int) -> tuple[int, Fraction]:
        """The outputs of cells with this number, and their error."""
        if isinstance(self.told, CountsDisclosure):
            return len(self.told.partition.starts), Fraction(0)
        query = self.query
        assert query is not None  # noqa: S101 - all that is not counted exactly
        span = query.span
        error = span.step * level / 2 if isinstance(span, Lattice) else span.width / (2 * level) or 1
        found = coarsest(query, error)
        return found.reach.outputs, found.worst_error

    def with_reach(self, outputs: int) -> Fraction:
        """The weighted error of the finest cells with a number of outputs."""
        return Fraction(0) if self.query is None else self.scale * finest(self.query, outputs).worst_error


class Workload:
    """The answers of a workload, and what they cost under the rule of cuts."""

    def __init__(self, items: Sequence[WeightedAnswer], public: PublicState) -> None:
        self.items = items
        sizes = public.record.sizes
        self._axes = {name: number for number, name in enumerate(sizes)}
        self._sizes = [sizes[name] for name in self._axes]
        covers = [item.told.people.cells for item in items]
        everywhere = len(public.population.cells)  # one more place: what everybody is asked
        self._places = [np.array([everywhere] if c is None else sorted(c), np.int64) for c in covers]
        self._length = everywhere + 1
        self._owners = np.repeat(np.arange(len(items)), [len(places) for places in self._places])
        self._cells = np.concatenate(self._places) if items else np.zeros(0, np.int64)
        self._axis = np.array([self._axes[item.told.columns[0]] for item in items], np.int64)
        self._pieces = np.array([item.pieces for item in items], np.int64)
        self._seen: dict[tuple[int, int], tuple[int, Fraction]] = {}
        foresee({"workload": self.steps})

    @property
    def steps(self) -> int:
        """What the search is going to take, in steps of about a microsecond; a look spends its own."""
        known = {id(item.query): item for item in self.items if item.query is not None}
        looks = sum(item.looks * (_LOOK_STEPS + item.counting) for item in known.values())
        return looks + (_HALVINGS + _REACHES + _SETTLED) * self._adding

    @cached_property
    def _adding(self) -> int:
        """What it takes to add up the cuts of all answers once."""
        return len(self.items) + len(self._cells) // _PLACES_A_STEP + self._length

    def price(self, told: Sequence[int]) -> int:
        """The most joint outputs of one person: of the dearest public cell. Outputs are below 2^40 each."""
        spend(self._adding)
        cuts = self._pieces * (np.array(told, np.int64) - 1)
        table = np.zeros((self._length, len(self._sizes)), np.int64)
        np.add.at(table, (self._cells, self._axis[self._owners]), cuts[self._owners])
        table[:-1] += table[-1]
        multiplied = self._multiplied(told)
        found = 0
        alike = np.unique(table, axis=0, return_index=True)[1] if multiplied is None else range(self._length)
        for cell in alike:
            row = [1 + int(steps) for steps in table[cell]]
            capped = (k if size is None else min(k, size) for k, size in zip(row, self._sizes, strict=True))
            found = max(found, prod(capped) * (1 if multiplied is None else multiplied[cell]))
        return found

    def _multiplied(self, told: Sequence[int]) -> list[int] | None:
        """What is multiplied in each cell, where anything is."""
        loose = [number for number, item in enumerate(self.items) if not item.pieces]
        if not loose:
            return None
        found = [1] * self._length
        for number in loose:
            for cell in self._places[number].tolist():
                found[cell] = min(found[cell] * told[number], _BEYOND)
        everybody = found[-1]
        return [*(each * everybody for each in found[:-1]), everybody]

    def within(self, bound: Fraction, *, strictly: bool = False) -> list[tuple[int, Fraction]]:
        """For each answer the outputs of the widest cells within a bound, and their weighted error."""
        found = []
        for item in self.items:
            outputs, error = self._cells_of(item, item.level(bound, strictly=strictly))
            found.append((outputs, item.scale * error))
        return found

    def _cells_of(self, item: WeightedAnswer, level: int) -> tuple[int, Fraction]:
        """Looked at once: groups of one size share their query, and near bounds have the same cells."""
        key = id(item.query or item.told), level
        if key not in self._seen:
            spend(_LOOK_STEPS + item.counting)
            self._seen[key] = item.cells(level)
        return self._seen[key]

    def fits(self, bound: Fraction, allowed: int, *, strictly: bool = False) -> Fraction | None:
        """The largest weighted error of the widest cells within a bound, if they fit the budget."""
        found = self.within(bound, strictly=strictly)
        if any(item.pieces * (k - 1) >= allowed for item, (k, _) in zip(self.items, found, strict=True)):
            return None
        if self.price([k for k, _ in found]) > allowed:
            return None
        return max((error for _, error in found), default=Fraction(0))

    def least_error(self, allowed: int) -> Fraction:
        """The least largest weighted error that fits, exactly: nothing strictly below it does.

        Raises:
            RequestError: not even constants fit, for what is counted exactly.
        """
        spans = ((item.scale, item.query.span.width) for item in self.items if item.query is not None)
        widest = max((scale * width for scale, width in spans), default=Fraction(0))
        best = self.fits(widest, allowed)
        if best is None:
            raise RequestError(
                "the exact counts and private filters alone cost more than the budget; leave some out"
            )
        guess, slack = Fraction(self._guess(float(widest), allowed)), Fraction(1, 2**40)
        while guess * (1 + slack) < best:
            near = self.fits(guess * (1 + slack), allowed)
            best, slack = (best, 16 * slack) if near is None else (near, Fraction(2**60))
        while best and (closer := self.fits(best, allowed, strictly=True)) is not None:
            best = closer
        return best

    def _guess(self, widest: float, allowed: int) -> float:
        """About the least error: in floats, all regular answers at once."""
        items = self.items
        regular = np.array([item.shape is not None for item in items], bool)
        sliding = np.array([item.slide is not None for item in items], bool)
        shapes = [item.shape for item in items if item.shape is not None]
        sweep, base, last, cap = np.array(shapes, float).reshape(-1, 4).T
        worth = np.array([float(item.scale * item.step) for item in items if item.shape is not None])
        share, more = (
            np.array([item.slide for item in items if item.slide is not None], float).reshape(-1, 2).T
        )
        width = np.array([_width(item) for item in items if item.slide is not None])
        others = np.flatnonzero(~(regular | sliding)).tolist()
        low, high, told = 0.0, widest, np.zeros(len(self.items))
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if not low < middle < high:
                break
            points = np.minimum(np.floor(2 * middle / worth), last) + 1
            start = np.minimum(points - 1, base)
            told[regular] = np.minimum((start + sweep) // points - start // points + 1, cap)
            cells = np.maximum(np.ceil(width / (2 * middle)), 1)
            told[sliding] = np.minimum(cells, np.ceil(cells * share) + 1) + more
            for number in others:
                level = items[number].level(Fraction(middle), strictly=False)
                told[number] = self._cells_of(items[number], level)[0]
            fits = told.max(initial=0) <= allowed and self.price(told.astype(np.int64).tolist()) <= allowed
            low, high = (low, middle) if fits else (middle, high)
        return high

    def equal_reach(self, allowed: int) -> int:
        """The most outputs that all but exact counts can have alike within the budget."""
        low, high = 1, allowed + 1
        exact = [
            len(item.told.partition.starts) if isinstance(item.told, CountsDisclosure) else 0
            for item in self.items
        ]
        while high - low > 1:
            middle = (low + high) // 2
            fits = self.price([fixed or middle for fixed in exact]) <= allowed
            low, high = (middle, high) if fits else (low, middle)
        return low

    def equal_error(self, reach: int) -> Fraction:
        """The largest weighted error where all have the same reach."""
        found = {(id(item.query), item.scale): item for item in self.items}
        return max((item.with_reach(reach) for item in found.values()), default=Fraction(0))


def _width(item: WeightedAnswer) -> float:
    """The width of its span, as its error weighs."""
    return float(item.scale * item.query.span.width) if item.query is not None else 0.0
