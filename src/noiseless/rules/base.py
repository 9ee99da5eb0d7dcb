"""What disclosure rules have in common: a name, a text, what is published, and exact parameters."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Integral
from typing import Any, ClassVar, Self

from noiseless.errors import RequestError
from noiseless.exact import Rational
from noiseless.ranges.quantizer import Quantizer
from noiseless.ranges.spans import Lattice, Span

_MOST_DIGITS = 300
"""Parameters beyond are slips of the pen, and exact arithmetic with them never ends."""

MOST_CELLS = 2**20
"""Cells of no regular form are listed up to this many."""


@dataclass(frozen=True)
class Rule(ABC):
    """A disclosure rule: a deterministic mechanism, whatever it is meant to protect.

    Its fields are its parameters, in the order in which they are written.
    """

    name: ClassVar[str]
    """The first word of its text."""
    form: ClassVar[str]
    """How it is written, parameters in capitals."""
    used_by: ClassVar[str]
    """Who uses it, and where that is written."""

    @classmethod
    def parse(cls, parameters: Sequence[str], text: str) -> Self:
        """The rule with these parameters, read exactly; messages quote the text that they stand in.

        Raises:
            RequestError: they are too many or too few, or make no sense.
        """
        declared = fields(cls)
        fewest = sum(field.default is MISSING for field in declared)
        if not fewest <= len(parameters) <= len(declared) or not all(parameters):
            raise RequestError(f"the rule is written {cls.form}, not {text!r}")
        named = zip(declared, parameters, strict=False)
        return cls(*(_read(field.name, field.type, given, cls.form) for field, given in named))

    @property
    def text(self) -> str:
        """This very rule as it is written; `rule(text)` reads it back."""
        given = ((field, getattr(self, field.name)) for field in fields(self))
        written = (_written(field.name, value) for field, value in given if value != field.default)
        return ":".join((self.name, *written))

    @property
    @abstractmethod
    def statement(self) -> str:
        """What it does, in one plain sentence."""

    def told(self, _value: object, /) -> object:
        """What is published about a value, by a rule that coarsens values.

        Raises:
            RequestError: the rule is about totals, or not about such values.
        """
        raise RequestError(f"{self.text} is about totals, not about values: ask whether one passes")

    def passes(self, _found: Any, /) -> bool:  # noqa: ANN401 - a count, or contributions
        """Whether a count, or the total of a list of contributions, is told by a rule that withholds some.

        Raises:
            RequestError: the rule withholds nothing, or it is not about such numbers.
        """
        raise RequestError(f"{self.text} withholds nothing: ask what it publishes for a value")

    def __str__(self) -> str:
        return self.text


class Coarsening(Rule):
    """A rule that tells each value as a coarser one."""

    @abstractmethod
    def told(self, value: object) -> object:
        """What is published about a value.

        Raises:
            RequestError: the rule is not about such values.
        """


class NumberCoarsening(Coarsening):
    """A coarsening of numbers that keeps their order: values told alike lie side by side."""

    @abstractmethod
    def told(self, value: object) -> Rational | str:
        """What is published for a number: a number of the same kind where possible, else a label like >=90.

        Raises:
            RequestError: it is no exact number, or the rule is not about such numbers.
        """

    @abstractmethod
    def quantizer(self, span: Span) -> Quantizer:
        """The cells of answers that are told alike; on a lattice each holds at least one point.

        Raises:
            RequestError: there are infinitely many of them, or the rule is not about such answers.
        """


@dataclass(frozen=True)
class PassingInterval:
    """The numbers from `low` to `high`, both included; without an end when that is None; perhaps none."""

    low: Fraction
    high: Fraction | None


@dataclass(frozen=True)
class _OneTotal:
    """The total of contributions, the largest first, as one of many."""

    contributions: Sequence[Fraction | int]

    @property
    def number(self) -> int:
        """How many contribute."""
        return len(self.contributions)

    @property
    def total(self) -> Fraction | int:
        """All that they contribute."""
        return sum(self.contributions)

    def top(self, number: int) -> Fraction | int:
        """What the largest contribute."""
        return sum(self.contributions[:number])


class Dominance(Rule):
    """A rule that withholds a total when too much of it comes from too few."""

    percent: Fraction
    """The share that it is about."""

    @property
    def share(self) -> Fraction:
        """The same as a part of 1."""
        return self.percent / 100

    def passes(self, contributions: Sequence[Rational]) -> bool:
        """Whether the total of these contributions is told.

        Raises:
            RequestError: one is negative, or no exact number.
        """
        return bool(self.passes_each(_OneTotal(sorted(contributions_of(contributions), reverse=True))))

    @abstractmethod
    def passes_each(self, totals: Any) -> Any:  # noqa: ANN401 - arrays of numpy
        """Whether each of many totals is told; numbers up to `factor` times the total occur.

        Args:
            totals: for each its `number` of contributors, its `total`, and what the `top` ones make of it.
        """

    @property
    def factor(self) -> int:
        """The largest number that totals are multiplied by where they are compared."""
        return max(self.percent.numerator, 100 * self.percent.denominator)

    @abstractmethod
    def passing(self, people: int, others: Fraction) -> PassingInterval:
        """What the last of this many people may have for the total to be told, the others having this each.

        No other values of the others let more pass: whatever they have, the values that pass are an interval,
        and it lies within the one for others who all have what a certain one of them has.
        """

    @abstractmethod
    def always_passes(self, people: int, low: Fraction, high: Fraction) -> bool:
        """Whether every total of this many values between these bounds, both possible, is told."""


# Exact numbers


def as_number(value: object) -> Fraction:
    """An exact number.

    >>> as_number(Decimal("0.1"))
    Fraction(1, 10)

    Raises:
        RequestError: it is none.
    """
    if isinstance(value, float):
        raise RequestError("a float is not exact: give the number as an int, a Decimal or a Fraction")
    if isinstance(value, bool) or not isinstance(value, Integral | Fraction | Decimal):
        raise RequestError("this rule is about numbers: give an int, a Decimal or a Fraction")
    if isinstance(value, Decimal) and not value.is_finite():
        raise RequestError("this rule is about finite numbers")
    return Fraction(int(value)) if isinstance(value, Integral) else Fraction(value)


def like(number: Fraction, value: object) -> Rational:
    """A number in the kind that a value has; whole numbers that become fractions are told as decimals.

    >>> like(Fraction(5), 7), like(Fraction(15, 2), 7), like(Fraction(5), Decimal("5.25"))
    (5, Decimal('7.5'), Decimal('5'))
    """
    if isinstance(value, Fraction):
        return number
    if isinstance(value, Integral) and number.denominator == 1:
        return int(number)
    found = as_decimal(number)
    return number if found is None else found


def as_decimal(number: Fraction) -> Decimal | None:
    """The same number as a decimal without superfluous zeros; None where it has no end.

    >>> as_decimal(Fraction(1, 8)), as_decimal(Fraction(1, 3))
    (Decimal('0.125'), None)
    """
    rest, twos, fives = number.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return None
    places = max(twos, fives)
    digits = number.numerator * 10**places // number.denominator
    sign, size = (1, -digits) if digits < 0 else (0, digits)
    return Decimal((sign, tuple(map(int, str(size))), -places))


def number_text(number: Fraction) -> str:
    """A number as it is read and written: a plain decimal where it has an end, else a fraction.

    >>> number_text(Fraction(1, 100)), number_text(Fraction(10**7)), number_text(Fraction(1, 3))
    ('0.01', '10000000', '1/3')
    """
    found = as_decimal(number)
    return str(number) if found is None else f"{found:f}"


def contributions_of(values: Sequence[object]) -> list[Fraction | int]:
    """Contributions to a total, exactly.

    Raises:
        RequestError: one is negative, or no exact number.
    """
    numbers = [value if type(value) is int else as_number(value) for value in values]  # whole ones are fast
    if any(number < 0 for number in numbers):
        raise RequestError("a dominance rule is about contributions that are not negative")
    return numbers


# Parameters


def _read(name: str, kind: object, text: str, form: str) -> Any:  # noqa: ANN401 - a value of that kind
    """A parameter of a kind; one that is no number is checked by the rule itself."""
    if kind is bool:
        if text != name:
            raise RequestError(f"the rule is written {form}; the last word is {name} or none")
        return True
    if kind is int:
        return read_whole(text, form)
    return read_number(text, form) if kind is Fraction else text


def _written(name: str, value: object) -> str:
    """A parameter as it is read."""
    if isinstance(value, bool):
        return name
    return number_text(value) if isinstance(value, Fraction) else str(value)


def read_number(text: str, form: str) -> Fraction:
    """A decimal parameter of a rule, never by way of a float.

    Raises:
        RequestError: it is none.
    """
    try:
        number = Decimal(text) if text.isascii() and "_" not in text else Decimal("nan")
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite():
        raise RequestError(f"the rule {form} takes a finite decimal number, not {text!r}")
    if max(abs(number.adjusted()), len(number.as_tuple().digits)) > _MOST_DIGITS:
        raise RequestError(f"the rule {form} takes a number of at most {_MOST_DIGITS} digits")
    return Fraction(number)


def read_whole(text: str, form: str) -> int:
    """A whole parameter of a rule.

    Raises:
        RequestError: it is none.
    """
    number = read_number(text, form)
    if number.denominator != 1:
        raise RequestError(f"the rule {form} takes a whole number, not {text!r}")
    return int(number)


def require_whole(number: object, least: int, what: str) -> None:
    """Check a whole parameter.

    Raises:
        RequestError: it is no whole number, or too small.
    """
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise RequestError(f"{what} is a whole number, {least} or more")


def begins_by(lattice: Lattice, last_alike: Callable[[Fraction], Fraction]) -> tuple[int, ...]:
    """Where cells begin, given the largest number that is told like a number.

    Raises:
        RequestError: there are too many.
    """
    found, position = [], 0
    while position <= lattice.last:
        found.append(position)
        if len(found) > MOST_CELLS:
            raise too_many("this rule")
        end = last_alike(lattice.value(position))
        position = int((end - lattice.low) // lattice.step) + 1
    return tuple(found)


def too_many(name: str) -> RequestError:
    """What is said of more cells than can be listed."""
    return RequestError(
        f"{name} has more than {MOST_CELLS:,} different answers here; take a coarser rule or a coarser step"
    )
