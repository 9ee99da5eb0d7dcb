"""Expressions of columns, such as `30*(height/100)**2`: trees that are evaluated exactly, never run as code.

One tree serves anything that has + - * / ** and abs: rationals, enclosures, polynomials, whole arrays.
"""

import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, reduce
from typing import Any, Generic, TypeVar, cast

from noiseless.domain.literals import as_text
from noiseless.intervals import Enclosure

T = TypeVar("T")
Ranges = Mapping[str, tuple[Fraction, Fraction]]
"""The smallest and the largest value of each column."""

MOST_BOXES = 1024
"""How many boxes are looked at to find out the sign of an expression."""


@dataclass(frozen=True)
class Arithmetic(Generic[T]):
    """What evaluating needs of a kind of number beside its operators.

    Attributes:
        constant: makes one of a rational.
        larger: the larger one of two.
    """

    constant: Callable[[Fraction], T]
    larger: Callable[[T, T], T]


RATIONALS = Arithmetic[Fraction](Fraction, max)
ENCLOSURES = Arithmetic[Enclosure](Enclosure.exactly, Enclosure.larger)


class Expression(ABC):
    """A tree of numbers, columns and operations; `str` writes it so that it reads back as the same tree."""

    @property
    def parts(self) -> "tuple[Expression, ...]":
        """The expressions it is made of."""
        return ()

    @property
    def precedence(self) -> int:
        """How tightly it binds: 1 sums, 2 products and signs, 3 powers, 4 what needs no parentheses."""
        return 4

    @cached_property
    def columns(self) -> frozenset[str]:
        """The names of the columns in it."""
        return frozenset[str]().union(*(part.columns for part in self.parts))

    @cached_property
    def depth(self) -> int:
        """How many expressions stand within each other at most."""
        return 1 + max((part.depth for part in self.parts), default=0)

    @cached_property
    def size(self) -> int:
        """About how many bits its exact values take, which bounds the work of evaluating it."""
        return 1 + sum(part.size for part in self.parts)

    @abstractmethod
    def evaluate(self, columns: Mapping[str, T], arithmetic: Arithmetic[T]) -> T:
        """Its value.

        Args:
            columns: the value of each column, all of one kind.
            arithmetic: how that kind of number calculates.

        Raises:
            ZeroDivisionError: a divisor is, or may be, 0.
        """

    def at(self, values: Mapping[str, Fraction]) -> Fraction:
        """Its exact value at a point."""
        return self.evaluate(values, RATIONALS)

    def over(self, ranges: Ranges) -> Enclosure:
        """Bounds of its values on a box."""
        box = {name: Enclosure(*ranges[name]) for name in self.columns}
        return self.evaluate(box, ENCLOSURES)

    def sign_over(self, ranges: Ranges) -> int:
        """1 or -1 if it is proved to be positive or negative on the whole box, else 0."""
        boxes: list[Ranges] = [{name: ranges[name] for name in self.columns}]
        signs: set[int] = set()
        for _ in range(MOST_BOXES):
            box = boxes.pop()
            sign = self._sign_on(box)
            halves = [] if sign else halved(box)
            boxes += halves
            signs |= set() if halves else {sign}
            if not boxes or len(signs) > 1 or signs == {0}:
                return signs.pop() if len(signs) == 1 else 0
        return 0

    def _sign_on(self, box: Ranges) -> int:
        try:
            return self.over(box).sign
        except ZeroDivisionError:
            return 0

    def steepest(self, box: Ranges) -> str:
        """The column to halve a box along: the one that narrows the enclosure most when it stands still."""
        long = [name for name, (low, high) in box.items() if low < high]
        return min(long, key=lambda name: self._width({**box, name: (box[name][0],) * 2}))

    def _width(self, box: Ranges) -> Fraction | float:
        try:
            return self.over(box).width
        except ZeroDivisionError:
            return math.inf

    def within(self, precedence: int) -> str:
        """Its text as a part of another expression: in parentheses if it binds less tightly."""
        return str(self) if self.precedence >= precedence else f"({self})"


def halved(box: Ranges) -> list[Ranges]:
    """The two halves of a box along its widest side; none for a single point."""
    name = max(box, key=lambda side: box[side][1] - box[side][0], default=None)
    if name is None or box[name][0] == box[name][1]:
        return []
    return halved_along(box, name)


def halved_along(box: Ranges, name: str) -> list[Ranges]:
    """The two halves of a box along one side."""
    low, high = box[name]
    middle = (low + high) / 2
    return [{**box, name: (low, middle)}, {**box, name: (middle, high)}]


@dataclass(frozen=True)
class Constant(Expression):
    """A number, exactly as it was written."""

    value: Decimal

    def __str__(self) -> str:
        return as_text(self.value)

    @cached_property
    def size(self) -> int:
        """The bits of its numerator and denominator."""
        return sum(part.bit_length() for part in self.value.as_integer_ratio())

    def evaluate(self, columns: Mapping[str, T], arithmetic: Arithmetic[T]) -> T:  # noqa: ARG002 - needs none
        """The number itself."""
        return arithmetic.constant(Fraction(self.value))


@dataclass(frozen=True)
class ColumnValue(Expression):
    """The value of a column."""

    name: str

    def __str__(self) -> str:
        return self.name if self.name.isidentifier() else '"' + self.name.replace('"', '""') + '"'

    @cached_property
    def columns(self) -> frozenset[str]:
        """The column."""
        return frozenset({self.name})

    @cached_property
    def size(self) -> int:
        """What a number in a table has."""
        return 64

    def evaluate(self, columns: Mapping[str, T], arithmetic: Arithmetic[T]) -> T:  # noqa: ARG002 - as it is
        """The column's value."""
        return columns[self.name]


_OPERATORS: Mapping[str, tuple[Callable[[Any, Any], Any], int]] = {
    "+": (operator.add, 1),
    "-": (operator.sub, 1),
    "*": (operator.mul, 2),
    "/": (operator.truediv, 2),
}


@dataclass(frozen=True)
class Operation(Expression):
    """A sum, difference, product or quotient of two expressions."""

    left: Expression
    sign: str
    right: Expression

    @property
    def parts(self) -> tuple[Expression, ...]:
        """Both sides."""
        return self.left, self.right

    @property
    def precedence(self) -> int:
        """That of its sign."""
        return _OPERATORS[self.sign][1]

    def __str__(self) -> str:
        left, right = self.left.within(self.precedence), self.right.within(self.precedence + 1)
        return f"{left} {self.sign} {right}"

    def evaluate(self, columns: Mapping[str, T], arithmetic: Arithmetic[T]) -> T:
        """The operation on the values of both sides."""
        calculate = _OPERATORS[self.sign][0]
        return cast("T", calculate(*(side.evaluate(columns, arithmetic) for side in self.parts)))


@dataclass(frozen=True)
class Power(Expression):
    """A whole power of an expression, from 2 on."""

    base: Expression
    power: int

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The base."""
        return (self.base,)

    @property
    def precedence(self) -> int:
        """A power binds more tightly than products and signs."""
        return 3

    def __str__(self) -> str:
        return f"{self.base.within(4)}**{self.power}"

    @cached_property
    def size(self) -> int:
        """The base's, as many times."""
        return self.base.size * self.power

    def evaluate(self, columns: Mapping[str, T], arithmetic: Arithmetic[T]) -> T:
        """The power of the base's value."""
        base: Any = self.base.evaluate(columns, arithmetic)
        return cast("T", base**self.power)


def _smallest(arithmetic: Arithmetic[Any], values: list[Any]) -> Any:  # noqa: ANN401 - any kind of number
    return -reduce(arithmetic.larger, [-value for value in values])


FUNCTIONS: Mapping[str, Callable[[Arithmetic[Any], list[Any]], Any]] = {
    "-": lambda _, values: -values[0],
    "abs": lambda _, values: abs(values[0]),
    "max": lambda arithmetic, values: reduce(arithmetic.larger, values),
    "min": _smallest,
}
"""What can be called; "-" is the sign before an expression."""


@dataclass(frozen=True)
class Call(Expression):
    """A function of some expressions, or the opposite of one."""

    function: str
    arguments: tuple[Expression, ...]

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The arguments."""
        return self.arguments

    @property
    def precedence(self) -> int:
        """A sign binds less tightly than a power: -x**2 is -(x**2)."""
        return 2 if self.function == "-" else 4

    def __str__(self) -> str:
        if self.function == "-":
            return f"-{self.arguments[0].within(3)}"
        return f"{self.function}({', '.join(map(str, self.arguments))})"

    def evaluate(self, columns: Mapping[str, T], arithmetic: Arithmetic[T]) -> T:
        """The function of the arguments' values."""
        values = [argument.evaluate(columns, arithmetic) for argument in self.arguments]
        return cast("T", FUNCTIONS[self.function](arithmetic, values))
