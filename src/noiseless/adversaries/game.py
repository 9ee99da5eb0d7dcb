"""What every game returns: a score for each budget, with an interval, and the settings of the play."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from noiseless.display import FrameMixin, PlotMixin, aligned, arrow_rows, html_rows
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational, as_fraction
from noiseless.pricing.reach import allowed_reach

if TYPE_CHECKING:
    import pyarrow as pa


_LAST = ("score", "low", "high")
"""Columns at the end; everything else that tells results apart stands before them."""
_PAID = ("budget", "charged")
"""Columns of bits that are paid: rounded up, as everywhere."""


Task = TypeVar("Task")
Budget = Fraction | Bits
"""Bits that may leak about a person: a rational number, or log2 of a number of answers."""

Progress = Callable[[int, int], None]
"""Called with the number of steps done and their total."""

_MOST_DIGITS = 300
"""Numbers beyond are slips of the pen, and exact arithmetic with them would never end."""


@dataclass(frozen=True)
class Score:
    """How well an adversary does at one budget.

    Attributes:
        budget: the bits that may leak about a person; None where nothing was protected.
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
class Game(FrameMixin, PlotMixin):
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

    def to_arrow(self) -> "pa.Table":
        """A row for each score."""
        return arrow_rows(score.to_dict() for score in self.results)

    def by(self, *names: str) -> dict[tuple[Any, ...], list[Score]]:
        """The results by what some of their details say: a line of a plot each, in the order of the game."""
        found = dict[tuple[Any, ...], list[Score]]()
        for score in self.results:
            found.setdefault(tuple(score.details.get(name) for name in names), []).append(score)
        return found

    def __repr__(self) -> str:
        rows = _rows([score.to_dict() for score in self.results], self.shown)
        return "\n".join([self._title, *(f"  {line}" for line in aligned(rows, ">" * len(rows[0])))])

    def _repr_html_(self) -> str:
        return html_rows(_rows([score.to_dict() for score in self.results], self.shown), self._title)

    @property
    def _title(self) -> str:
        return f"{self.name}: {self.measure}" + ("" if self.seed is None else f" (seed {self.seed})")


def _rows(results: Sequence[Mapping[str, Any]], shown: Sequence[str]) -> list[list[str]]:
    """The names of columns, then a row a result."""
    every = dict.fromkeys(name for one in results for name in one)
    names = ["budget", *shown] if shown else [name for name in every if _differs(name, results)]
    rows = [[_heading(name, results) for name in names] + ["score", "95 % interval"]]
    for one in results:
        interval = f"{one['low']:.3f} to {one['high']:.3f}" if one["low"] < one["high"] else "exact"
        rows.append([_cell(name, one.get(name, "")) for name in names] + [f"{one['score']:.3f}", interval])
    return rows


def _heading(name: str, results: Sequence[Mapping[str, Any]]) -> str:
    """A detail as a table shows it; `told` is how many people are found out, or what is published."""
    if name == "told":
        return "people" if isinstance(results[0].get(name), int) else "published"
    return name.replace("_", " ")


def _differs(name: str, results: Sequence[Mapping[str, Any]]) -> bool:
    """The budget, and what is short and differs between results."""
    if name in _LAST:
        return False
    values = [one.get(name) for one in results]
    short = all(isinstance(value, str | int | float | None) for value in values)
    return short and (name == "budget" or len(set(values)) > 1)


def _cell(name: str, value: Any) -> str:  # noqa: ANN401 - a number, a text or nothing
    """A number, a text or nothing as it is shown.

    >>> _cell("budget", 1.2223924), _cell("hit", 1.2223924), _cell("budget", 1.585)
    ('1.23', '1.222', '1.585')
    """
    if isinstance(value, float):
        short = f"{value:.4g}"
        return f"{ceil(value * 100) / 100:g}" if name in _PAID and float(short) != value else short
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "-" if value is None else str(value)


def reported(tasks: Sequence[Task], progress: Progress | None) -> Iterator[Task]:
    """Go through tasks, reporting to `progress`, if there is one, how many of them are done."""
    for done, task in enumerate(tasks, 1):
        yield task
        if progress is not None:
            progress(done, len(tasks))


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


class UnsoundError(AssertionError):
    """A truthful answer excluded the truth, or revealed more than it cost: the software is wrong."""


def require_sound(holds: bool, claim: str) -> None:
    """Check a claim that must hold in every play.

    >>> require_sound(True, "the truth is among what is left")

    Args:
        holds: whether it does.
        claim: what must hold; no private value.

    Raises:
        UnsoundError: it does not. This is no mistake of the user's, and nothing they can mend.
    """
    if not holds:
        raise UnsoundError(f"{claim}: this does not hold, so that no result of this game can be relied on")
