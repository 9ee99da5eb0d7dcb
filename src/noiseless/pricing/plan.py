"""What a question costs, before it is asked."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from itertools import pairwise
from numbers import Integral
from typing import Any

from noiseless.display import html_table, significant
from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational, round_up
from noiseless.pricing.reach import QuantizedQuery, Reach, allowed_reach, coarsest, finest, printed_cells
from noiseless.questions import (
    Attribute,
    Continuum,
    Lattice,
    LinearOnBox,
    MiddleMedianOnInterval,
    OrderOnInterval,
    OwnQuery,
    Quantity,
    Query,
    Variance,
    count,
    maximum,
    mean,
    median,
    minimum,
    total,
)
from noiseless.ranges.quantizer import Edged, Listed, Stepped

_ON_LATTICES: Mapping[str, Callable[[int, Attribute], Query]] = {
    "sum": total,
    "mean": mean,
    "min": minimum,
    "max": maximum,
    "median": median,
    "variance": Variance,
}

_ON_INTERVALS: Mapping[str, Callable[[int, Quantity], Query]] = {
    "sum": lambda people, quantity: LinearOnBox((Fraction(1),), quantity, people),
    "mean": lambda people, quantity: LinearOnBox((Fraction(1, people),), quantity, people),
    "min": OrderOnInterval,
    "max": OrderOnInterval,
    "median": lambda people, quantity: (
        OrderOnInterval(people, quantity) if people % 2 else MiddleMedianOnInterval(people, quantity)
    ),
}

NAMES = ("count", *_ON_LATTICES)
"""The questions that can be planned."""

OWN = "own"
"""A question of one's own, by the bounds of its answer and its sensitivity."""


ONE_LIMIT = "give a budget (--budget 2) or a largest error (--max-error 0.5), and only one of them"
NO_PEOPLE = "n is the number of people who take part (--n N)"

_SQL_NAMES = {"avg": "mean", "average": "mean", "var": "variance", "var_pop": "variance"}


def unknown_question(name: str, names: Sequence[str]) -> RequestError:
    """What is said to somebody who asks for what there is not.

    >>> print(unknown_question("AVG", ("sum", "mean")))
    no question is called 'AVG'; did you mean mean? There are sum, mean
    """
    known = {**{each: each for each in names}, **_SQL_NAMES}
    close = get_close_matches(name.casefold(), known, n=1)
    meant = f"did you mean {known[close[0]]}? There are" if close else "take"
    return RequestError(f"no question is called {name!r}; {meant} {', '.join(names)}")


def named_query(
    name: str, people: int, low: Rational, high: Rational, step: Rational | None = None
) -> tuple[Query, int | None]:
    """A question by name, about people whose private value lies between two bounds.

    Args:
        name: one of `NAMES`; "count" counts those for whom something private is true.
        people: how many take part.
        low: the smallest possible value.
        high: the largest possible value.
        step: the resolution of values; without it they can be any number between the bounds.

    Returns:
        The question, and how many values a record can have (None: infinitely many).

    Raises:
        RequestError: there is no such question, or it needs a step.
    """
    if people < 1:
        raise RequestError("n is the number of people who take part, at least 1")
    if name == "count":
        return count(people, Attribute("x", range(2)), {1}), 2
    if name not in _ON_LATTICES:
        raise unknown_question(name, NAMES)
    if step is not None:
        attribute = Attribute.on("x", Lattice.of(low, high, step))
        return _ON_LATTICES[name](people, attribute), attribute.size
    if name not in _ON_INTERVALS:
        raise RequestError(f"the {name} is planned on a lattice only; give the step of the values (--step)")
    return _ON_INTERVALS[name](people, Quantity("x", Continuum.of(low, high))), None


_DIGITS = 6


class PlannedPrice:
    """What one person can do to an answer that is planned, and what that costs."""

    outcome: Reach
    values_of_record: int | None

    @property
    def reach(self) -> int:
        """How many different answers one person can cause; that one is withheld is an answer too."""
        return self.outcome.outputs

    @property
    def reach_exact(self) -> bool:
        """Whether somebody can really cause this many; otherwise it is a bound."""
        return self.outcome.exact

    @property
    def bits(self) -> Bits:
        """The price: log2 of the reach."""
        return self.outcome.bits

    @property
    def entropy_of_record(self) -> Bits | float:
        """H0(X_i): the bits there are to protect; infinite for any number of an interval."""
        return math.inf if self.values_of_record is None else Bits(self.values_of_record)

    @property
    def record_words(self) -> str:
        """The same in words."""
        return "infinitely many bits" if self.values_of_record is None else str(Bits(self.values_of_record))


class Promise(ABC):
    """What the cells of a plan were chosen to keep, beside an error or a price."""

    @property
    @abstractmethod
    def line(self) -> str:
        """What is kept, in a sentence."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The same under the names it has in JSON."""


@dataclass(frozen=True, repr=False)
class Plan(PlannedPrice):
    """The finest answer within a budget, or the coarsest one within an error, and its price.

    Attributes:
        query: the question's name.
        people: how many take part.
        mechanism: the question and the cells its answer is told in.
        values_of_record: how many values a record can have; None when infinitely many.
        paper_cells: how many cells the recipe printed in [P1] would allow for the same bits, unsoundly.
        promise: what else its cells keep, if they were chosen for that.
    """

    query: str
    people: int
    mechanism: QuantizedQuery
    values_of_record: int | None
    paper_cells: int
    promise: Promise | None = None

    @property
    def cells(self) -> int:
        """How many different answers there are; of a variance some cells may hold none."""
        return self.mechanism.quantizer.cells

    @property
    def cell_width(self) -> Fraction:
        """How wide a cell is; the last one may be narrower, and the widest where they differ."""
        quantizer = self.mechanism.quantizer
        if isinstance(quantizer, Stepped):
            return quantizer.span.step * quantizer.points
        if self._cells_differ:
            return max(
                after - before for before, after in pairwise(map(quantizer.edge, range(self.cells + 1)))
            )
        return quantizer.span.width / quantizer.cells

    @property
    def record_words(self) -> str:
        """The bits of a record; nobody says them of a question of one's own."""
        return "an unknown number of bits" if self.query == OWN else super().record_words

    @property
    def _unbounded(self) -> float | None:
        return None if self.query == OWN else math.inf

    @property
    def _cells_differ(self) -> bool:
        return isinstance(self.mechanism.quantizer, Edged | Listed)

    @property
    def outcome(self) -> Reach:  # type: ignore[override]  # the mechanism has it
        """How many answers one person can cause."""
        return self.mechanism.reach

    @property
    def worst_error(self) -> Fraction:
        """How far the told value can be from the truth."""
        return self.mechanism.worst_error

    @property
    def warning(self) -> str | None:
        """What a user should know before relying on it."""
        if self.values_of_record is not None and self.reach >= self.values_of_record > 1:
            return "the price is all there is to know about a record: a budget of that size protects nothing"
        return None

    def to_dict(self) -> dict[str, Any]:
        """The plan under the names it has in JSON."""
        entropy = self.entropy_of_record
        return {
            "query": self.query,
            "n": self.people,
            "cells": self.cells,
            "cell_width": float(self.cell_width),
            "cell_width_exact": str(self.cell_width),
            "reach": self.reach,
            "reach_exact": self.reach_exact,
            "bits": self.bits.upper,
            "worst_error": round_up(self.worst_error),
            "worst_error_exact": str(self.worst_error),
            "paper_cells": self.paper_cells,
            "entropy_of_record": entropy.lower if isinstance(entropy, Bits) else self._unbounded,
            "warning": self.warning,
            **({} if self.promise is None else self.promise.to_dict()),
        }

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        title, *lines = str(self).split("\n")
        most = " at most" if self._cells_differ else ""
        rows = {
            "cells": f"{self.cells:,}",
            "cell width": f"{self.cell_width}{most}",
            "worst error": str(self.worst_error),
            "reach": f"{self.reach:,}" + ("" if self.reach_exact else " (a bound)"),
            "price": str(self.bits),
            "bits of a record": self.record_words,
        }
        return html_table(title, rows, lines[2:])

    def __str__(self) -> str:
        most = " at most" if self._cells_differ else ""
        told = f"{self.cells:,} cell{'s' * (self.cells != 1)} of width {float(self.cell_width):g}{most}"
        exact = "" if self.reach_exact else " (a bound)"
        who = "1 person" if self.people == 1 else f"{self.people:,} people"
        answers = f"{self.reach:,} answer{'s' * (self.reach != 1)}"
        lines = [
            f"{self.query} of {who}: {told}, off by {rounded_up(self.worst_error)} at most.",
            f"One person can cause {answers}{exact}: the price is {self.bits}.",
            f"A record holds {self.record_words}.",
            *([] if self.promise is None else [self.promise.line]),
        ]
        return "\n".join([*lines, *([f"Warning: {self.warning}."] if self.warning else [])])


def question_plan(
    query: str,
    *,
    n: int | None = None,
    bounds: tuple[Rational, Rational] | None = None,
    step: Rational | None = None,
    budget: Rational | None = None,
    reach: int | None = None,
    max_error: Rational | None = None,
    sensitivity: Rational | None = None,
) -> Plan:
    """The finest answer to a question for a budget or a reach, or the cheapest one for an error.

    >>> question_plan("mean", n=1000, bounds=(0, 1), budget=1).cells
    1000

    Raises:
        RequestError: not exactly one of budget, reach and max_error is given, or they make no sense.
    """
    given = [limit for limit in (budget, reach, max_error) if limit is not None]
    if len(given) != 1:
        raise RequestError(ONE_LIMIT)
    if n is None:
        raise RequestError(NO_PEOPLE)
    limit: dict[str, Any] = {"budget": budget, "reach": reach, "max_error": max_error}
    if query == OWN or sensitivity is not None:
        return chosen_plan(query, _own(query, n, bounds, step, sensitivity), None, **limit)
    question, values = named_query(query, n, *declared_bounds(query, bounds), step)
    return chosen_plan(query, question, values, **limit)


def _own(
    query: str,
    n: int,
    bounds: tuple[Rational, Rational] | None,
    step: Rational | None,
    sensitivity: Rational | None,
) -> OwnQuery:
    if query != OWN or bounds is None or sensitivity is None:
        raise RequestError(
            "a question of one's own (--query own) needs the bounds of its answer (--bounds LO HI) and how"
            " far one person moves it (--sensitivity S)"
        )
    return OwnQuery.of(n, bounds, sensitivity, step)


def chosen_plan(
    query: str,
    question: Query,
    values: int | None,
    *,
    budget: Rational | None = None,
    reach: int | None = None,
    max_error: Rational | None = None,
) -> Plan:
    """The plan of a question for the one limit that is given.

    Args:
        query: its name.
        question: the question.
        values: how many values a record can have; None when infinitely many, or when that is not known.
        budget: the bits that one person may lose.
        reach: the same as a number of answers.
        max_error: the largest tolerated error, instead.
    """
    n = question.people
    if max_error is not None:
        mechanism = coarsest(question, max_error)
        return Plan(query, n, mechanism, values, printed_cells(question, mechanism.bits))
    allowed = allowed_reach(budget) if budget is not None else whole_reach(reach)
    if allowed < 2:  # noqa: PLR2004 - one output is a constant
        raise RequestError(
            "a budget below one bit allows one answer only, a constant that says nothing; give 1 bit or more"
        )
    asked = budget if budget is not None else Bits(allowed)
    return Plan(query, n, finest(question, allowed), values, printed_cells(question, asked))


def declared_bounds(query: str, bounds: tuple[Rational, Rational] | None) -> tuple[Rational, Rational]:
    """The bounds of a person's value; a count is of something that is true or not, 0 or 1.

    Raises:
        RequestError: there are none, and the question is no count.
    """
    if bounds is not None:
        return bounds
    if query == "count":
        return 0, 1
    raise RequestError(
        "every question but a count needs the bounds (--bounds LO HI): the smallest and the largest value"
    )


def whole_reach(reach: object) -> int:
    """A number of answers that one person may cause.

    >>> whole_reach(3)
    3

    Raises:
        RequestError: it is no whole number above 0.
    """
    if isinstance(reach, bool) or not isinstance(reach, Integral) or reach < 1:
        raise RequestError("a reach is a whole number of answers, 1 or more; give a budget in bits otherwise")
    return int(reach)


def rounded_up(number: Fraction) -> str:
    """Six significant digits, rounded up: an error that is read is never understated.

    >>> rounded_up(Fraction(365, 2)), rounded_up(Fraction(1, 3)), rounded_up(Fraction(12345678))
    ('182.5', '0.333334', '12,345,678')
    """
    return f"{int(number):,}" if number.denominator == 1 else f"{significant(number, _DIGITS):,f}"
