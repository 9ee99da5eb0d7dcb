"""The catalogue of questions by name, for planning: before any table is opened."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.questions import (
    Attribute,
    Continuum,
    EqualOnBox,
    Lattice,
    MiddleMedianOnInterval,
    OrderOnInterval,
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

_ON_LATTICES: Mapping[str, Callable[[int, Attribute], Query]] = {
    "sum": total,
    "mean": mean,
    "min": minimum,
    "max": maximum,
    "median": median,
    "variance": Variance,
}

_ON_INTERVALS: Mapping[str, Callable[[int, Quantity], Query]] = {
    "sum": lambda people, quantity: EqualOnBox(people, Fraction(1), quantity),
    "mean": lambda people, quantity: EqualOnBox(people, Fraction(1, people), quantity),
    "min": OrderOnInterval,
    "max": OrderOnInterval,
    "median": lambda people, quantity: (
        OrderOnInterval(people, quantity) if people % 2 else MiddleMedianOnInterval(people, quantity)
    ),
}

NAMES = ("count", *_ON_LATTICES)
"""The questions that can be planned."""


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
