"""What every game hands back: a score for each budget, with an interval, and what it was played with."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np

from noiseless.adversaries.showing import as_html, as_text
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational, as_fraction
from noiseless.pricing.budget import allowed_reach

Budget = Fraction | Bits
"""Bits that a person may tell: a rational number, or log2 of a number of answers."""

Progress = Callable[[int, int], None]
"""Told how many steps of how many are done."""

_MOST_DIGITS = 300
"""Numbers beyond are slips of the pen, and exact arithmetic with them never ends."""


@dataclass(frozen=True)
class Score:
    """How well an adversary does at one budget.

    Attributes:
        budget: the bits that a person may tell; None where nothing was protected.
        score: what the game measures: a success probability, an f-score, a share.
        low: where the 95 % confidence interval of the score begins; the score itself where it is exact.
        high: where it ends.
        details: further JSON keys of this result: how many people, which adversary, how many rounds.
    """

    budget: Budget | None
    score: float
    low: float
    high: float
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """All of it under the names it has in JSON; the budget is "inf" where nothing was protected."""
        budget = "inf" if self.budget is None else float(self.budget)
        return {"budget": budget, "score": self.score, "low": self.low, "high": self.high, **self.details}


@dataclass(frozen=True, repr=False)
class Game:
    """An attack that was played.

    Attributes:
        name: of the game, such as "membership".
        measure: what a score is, in words, such as "probability of a right guess".
        seed: what the random numbers came from; None where nothing is random.
        settings: what the game was played with; fit for JSON.
        results: a score for each budget (and group size, adversary, ...), the unprotected one after them.
        lines: the details that tell one line of the plot from another; all texts among the details if none
            are named.
        shown: the details that a printed table has; all short ones that differ if none are named.
    """

    name: str
    measure: str
    seed: int | None
    settings: Mapping[str, Any]
    results: tuple[Score, ...]
    lines: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """All of it under the names it has in JSON."""
        head = {"game": self.name, "measure": self.measure, "seed": self.seed}
        return {**head, **self.settings, "results": [score.to_dict() for score in self.results]}

    def __repr__(self) -> str:
        return as_text(self._title, [score.to_dict() for score in self.results], self.shown)

    def _repr_html_(self) -> str:
        return as_html(self._title, [score.to_dict() for score in self.results], self.shown)

    @property
    def _title(self) -> str:
        return f"{self.name}: {self.measure}" + ("" if self.seed is None else f" (seed {self.seed})")


def as_budget(budget: Budget | Rational | float | str) -> Budget:
    """A budget as it was written: bits as a decimal or a fraction, or "reach K" for log2 K.

    >>> as_budget("3/2"), as_budget("1.58"), as_budget("reach 3")
    (Fraction(3, 2), Fraction(79, 50), Bits(3))

    Raises:
        RequestError: it is none.
    """
    if isinstance(budget, str):
        budget = _read(budget.strip())
    if isinstance(budget, Bits):
        if budget.ratio.denominator != 1:
            raise RequestError("a budget of log2 K bits takes a whole number K of at least 1")
        return budget
    try:
        exact = as_fraction(budget)
    except (OverflowError, ValueError):
        raise RequestError("a budget is a finite number of bits") from None
    allowed_reach(exact)
    return exact


def _read(text: str) -> Budget:
    word, _, rest = text.partition(" ")
    if word.lower() == "reach" and rest.strip().isdecimal() and len(rest) <= _MOST_DIGITS and int(rest):
        return Bits(int(rest))
    top, slash, bottom = text.partition("/")
    if slash and top.isdecimal() and bottom.isdecimal() and len(text) <= _MOST_DIGITS and int(bottom):
        return Fraction(int(top), int(bottom))
    try:
        number = Decimal(text)
        small = number.is_finite() and len(text) <= _MOST_DIGITS and abs(number.adjusted()) <= _MOST_DIGITS
    except InvalidOperation:
        small = False
    if not small:
        raise RequestError(f'a budget is a number of bits such as 2, 1.5 or 3/2, or "reach 3", not {text!r}')
    return Fraction(number)


def as_budgets(budgets: Iterable[Budget | Rational | float | str]) -> tuple[Budget, ...]:
    """Several budgets, ascending, each once.

    >>> as_budgets([4, "reach 3", "2", 2])
    (Bits(3), Fraction(2, 1), Fraction(4, 1))
    """
    return tuple(sorted(set(map(as_budget, budgets))))


def reach_of(budget: Budget) -> int:
    """How many outputs a budget allows one person to cause: floor(2**bits), in whole numbers.

    >>> reach_of(Fraction(3)), reach_of(Bits(3))
    (8, 3)
    """
    return int(budget.ratio) if isinstance(budget, Bits) else allowed_reach(budget)


def stream(seed: int, *key: int) -> np.random.Generator:
    """The random numbers of one task: the same in whatever order, or threads, tasks run.

    Args:
        seed: of the game.
        key: what tells the task from others, such as its group size.

    Raises:
        RequestError: the seed is negative.
    """
    if seed < 0:
        raise RequestError("a seed is a whole number that is not negative")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


def streams(seed: int, count: int) -> list[np.random.Generator]:
    """The random numbers of so many tasks, numbered from 0."""
    return [stream(seed, task) for task in range(count)]
