"""Functions of a row as sums of steps: what exact counts and sums add up over people, in one form for all.

A step is 1 for rows whose number in a column is a given one or larger. Each condition on a column is a
difference of steps; AND is a product, and the product of two steps along one column is the later one. A
product of steps along several columns, perhaps times powers of columns' numbers, is a *place*. Functions
with the same multiples of the same places are the same, whatever columns and expressions they were made of.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from fractions import Fraction
from functools import reduce
from math import ceil, floor, prod
from typing import NamedTuple

import numpy as np

from noiseless.domain import DateColumn, NumberColumn, Schema
from noiseless.errors import ColumnError, RequestError
from noiseless.pricing.partition import DomainPartition
from noiseless.questions import Attribute
from noiseless.questions.attributes import attribute_of, column_of
from noiseless.questions.derived import DerivedColumn, DerivedName, Domain, derive, name_of
from noiseless.questions.filters import Runs
from noiseless.questions.row_expression import Ints, RowExpression, days_since
from noiseless.questions.row_values import shown
from noiseless.questions.sql.rows import read_derived
from noiseless.work import WorkError, spend


class ColumnFactor(NamedTuple):
    """A step along a column and a power of the column's number."""

    column: str
    start: int
    power: int = 0


Place = tuple[ColumnFactor, ...]
"""A product of factors, one a column, in the order of their names; without any it is 1."""
StepFunction = Mapping[Place, Fraction | int]
"""Multiples of places, none of them 0, that are added up."""

EVERYWHERE: Place = ()
MOST_PLACES = 2**12
"""A function with more places is not looked at."""
_MOST_STEPS_LISTED = 2**7
"""The numbers of a column with more values stand for themselves; those of others are sums of steps."""
_MOST_COMBINATIONS = 2**16
"""A function of several columns is listed for at most this many combinations of values."""
_LISTED_A_STEP = 50


class UnreadableError(Exception):
    """A function is no sum of few steps."""


def constant(value: Fraction | int) -> StepFunction:
    """The same for all rows."""
    return {EVERYWHERE: _plain(value)} if value else {}


def _plain(value: Fraction | int) -> Fraction | int:
    return int(value) if value.denominator == 1 else value


def plus(one: StepFunction, other: StepFunction, times: Fraction | int = 1) -> StepFunction:
    """One function and a multiple of another one.

    >>> plus({EVERYWHERE: 2}, {EVERYWHERE: 1}, -2)
    {}
    """
    found = dict(one)
    for place, multiple in other.items():
        value = found.get(place, 0) + times * multiple
        if value:
            found[place] = value
        else:
            found.pop(place, None)
    if len(found) > MOST_PLACES:
        raise UnreadableError
    return found


def product(one: StepFunction, other: StepFunction) -> StepFunction:
    """The product of two functions.

    >>> old, older = {(ColumnFactor("age", 18),): 1}, {(ColumnFactor("age", 65),): 1}
    >>> product(old, older) == older
    True
    """
    if len(one) * len(other) > MOST_PLACES:
        raise UnreadableError
    found: dict[Place, Fraction | int] = {}
    for place, multiple in one.items():
        for beside, times in other.items():
            both = _met(place, beside)
            found[both] = found.get(both, 0) + multiple * times
    return {place: multiple for place, multiple in found.items() if multiple}


def _met(one: Place, other: Place) -> Place:
    if not one or not other:
        return one or other
    factors = {factor.column: factor for factor in one}
    for factor in other:
        own = factors.get(factor.column)
        factors[factor.column] = (
            factor
            if own is None
            else ColumnFactor(factor.column, max(own.start, factor.start), own.power + factor.power)
        )
    return tuple(sorted(factors.values()))


def among(column: str, runs: Runs, size: int) -> StepFunction:
    """1 where a column's number is in one of some runs.

    >>> among("x", ((0, 2),), 5)
    {(): 1, (ColumnFactor(column='x', start=2, power=0),): -1}
    """
    found: dict[Place, Fraction | int] = {}
    for start, stop in runs:
        found[_step(column, start)] = 1
        if stop < size:
            found[_step(column, stop)] = -1
    if len(found) > MOST_PLACES:
        raise UnreadableError
    return found


def _step(column: str, start: int) -> Place:
    return (ColumnFactor(column, start),) if start else EVERYWHERE


def listed(columns: Sequence[str], values: Ints) -> StepFunction:
    """The function with these values, an axis a column.

    >>> listed(["x"], np.array([1, 1, 4]))
    {(): 1, (ColumnFactor(column='x', start=2, power=0),): 3}
    """
    changes = values
    for axis in range(values.ndim):
        changes = np.diff(changes, axis=axis, prepend=0)
    places = np.nonzero(changes)
    if len(places[0]) > MOST_PLACES:
        raise UnreadableError
    found = {}
    for numbers in zip(*(each.tolist() for each in places), strict=True):
        factors = (
            ColumnFactor(column, start) for column, start in zip(columns, numbers, strict=True) if start
        )
        found[tuple(sorted(factors))] = int(changes[numbers])
    return found


class StepFunctions:
    """Conditions and values of the columns of a schema, declared and derived, as sums of steps."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def blocks(self, partition: DomainPartition) -> list[StepFunction]:
        """For each block of a column's values, where it is.

        Raises:
            UnreadableError: there are too many steps.
        """
        (name,) = partition.names
        stops = (*partition.starts[1:], partition.size)
        runs: list[list[tuple[int, int]]] = [[] for _ in range(partition.blocks)]
        for start, stop, label in zip(partition.starts, stops, partition.labels, strict=True):
            runs[label].append((start, stop))
        if len(partition.starts) * 2 > MOST_PLACES:
            raise UnreadableError
        holds = self._truth(name) if (partition.blocks, partition.size) == _TRUTH else None
        first = [self.condition(name, tuple(own)) for own in runs[1:]] if holds is None else [holds]
        return [reduce(lambda rest, own: plus(rest, own, -1), first, constant(1)), *first]

    def _truth(self, name: str) -> StepFunction | None:
        """Where a condition holds that can be true and false, without listing its values, if that can be."""
        if name in self.schema.columns:
            return None
        known = self.schema.derived.get(name)
        expression = (
            read_derived(DerivedName(name).text, self.schema) if known is None else known[0].expression
        )
        if expression.function not in _CONDITIONS:
            return None
        with suppress(UnreadableError):
            parts = {each: column_of(each, self.schema) for each in expression.columns}
            return self._composed(expression, parts)
        return None

    def condition(self, name: str, runs: Runs) -> StepFunction:
        """1 where a column's number is in one of some runs.

        Raises:
            UnreadableError: there are too many steps.
        """
        if name in self.schema.columns:
            return among(name, runs, self.schema.columns[name].size)
        domain = column_of(name, self.schema)
        try:
            return self._derived_condition(domain, runs)  # type: ignore[arg-type]  # no other has a name
        except UnreadableError:
            return among(name, runs, domain.size)  # it is a column of its own

    def _derived_condition(self, domain: DerivedColumn, runs: Runs) -> StepFunction:
        if domain.kind == "row":
            rows = [self._row(domain, number) for run in runs for number in range(*run)]
            return reduce(plus, rows, constant(0))
        if domain.kind == "boolean" and domain.values == (False, True):
            holds = self.value_of(domain.expression, domain.parts)
            chosen = {number for run in runs for number in range(*run)}
            either = {frozenset({1}): holds, frozenset({0}): plus(constant(1), holds, -1)}
            return either.get(frozenset(chosen), constant(len(chosen) // 2))
        edges = np.array([edge for run in runs for edge in run], np.int64)
        inside = np.searchsorted(edges, _codes(domain), side="right") % 2
        return listed(list(domain.inputs), inside.astype(np.int64))

    def _row(self, domain: DerivedColumn, number: int) -> StepFunction:
        """Where several keys have the values of a row of GROUP BY."""
        values = domain.plain(number)
        passing = constant(1)
        if domain.expression.value:
            passing = self.value_of(domain.expression.parts[0], domain.parts)
        if values is None:
            return plus(constant(1), passing, -1)
        found = passing
        for name, value in zip(domain.keys, values, strict=True):
            part = domain.parts[name]
            place = part.index(value if isinstance(part, DerivedColumn) else shown(value))
            if place is None:
                raise UnreadableError
            found = product(found, self.condition(name, ((place, place + 1),)))
        return found

    def value(self, name: str) -> StepFunction:
        """The number that a column holds; 0 where a derived one has none.

        Raises:
            UnreadableError: there are too many steps, or it holds no numbers.
        """
        domain = column_of(name, self.schema)
        try:
            if isinstance(domain, DerivedColumn):
                return self._derived_value(name, domain)
            return _numbers(attribute_of(name, domain))
        except ColumnError:
            raise UnreadableError from None

    def _derived_value(self, name: str, domain: DerivedColumn) -> StepFunction:
        try:
            return self._composed(domain.expression, domain.parts)
        except UnreadableError:
            pass
        try:
            return _of_values(domain)
        except UnreadableError:
            if domain.lattice is None or domain.nullable:
                raise
        return _numbers(attribute_of(name, domain))

    def value_of(self, expression: RowExpression, parts: Mapping[str, Domain]) -> StepFunction:
        """The value of an expression: a number, or 1 where it is true.

        Args:
            expression: what is looked at.
            parts: the columns in it.

        Raises:
            UnreadableError: there are too many steps, or its values are others.
        """
        try:
            return self._composed(expression, parts)
        except UnreadableError:
            return self._listed(expression, parts)  # of the columns that it depends on

    def _composed(self, expression: RowExpression, parts: Mapping[str, Domain]) -> StepFunction:
        """Of the functions of its parts, none of which is ever missing."""
        function, value = expression.function, expression.value
        if function == "constant" and isinstance(value, bool | int | Fraction):
            return constant(Fraction(value))
        if function == "column" and not getattr(parts[value], "nullable", False):
            return self.value(value)
        if function == "among":
            return self.condition(expression.parts[0].value, value)
        if function in _ORDERS:
            return self._compared(expression, parts)
        if function not in _COMPOSED:
            raise UnreadableError
        return _COMPOSED[function]([self.value_of(part, parts) for part in expression.parts])

    def _compared(self, expression: RowExpression, parts: Mapping[str, Domain]) -> StepFunction:
        """Of a declared column with a constant, whatever the column's size."""
        one, other = expression.parts
        flipped = one.function == "constant"
        column, value = (other, one.value) if flipped else (one, other.value)
        if column.function != "column" or (one if flipped else other).function != "constant":
            raise UnreadableError
        domain = parts[column.value]
        if not isinstance(domain, _KINDS.get(type(value), ())):
            raise UnreadableError
        attribute = attribute_of(column.value, domain, days=True)
        number = Fraction(days_since(value) if isinstance(value, date) else value)
        place = (number - attribute.origin) / attribute.unit
        below, until = (min(max(end, 0), domain.size) for end in (ceil(place), floor(place) + 1))
        same, less = ((below, until),), ((0, below), (0, until))
        runs = {"=": same, "<>": same, "<": less[:1], "<=": less[1:]}[expression.function]
        if flipped and expression.function in ("<", "<="):  # not below it, not up to it
            runs = {"<": less[1:], "<=": less[:1]}[expression.function]
        found = among(column.value, tuple(run for run in runs if run[0] < run[1]), domain.size)
        turned = expression.function == "<>" or (flipped and expression.function in ("<", "<="))
        return _not([found]) if turned else found

    def _listed(self, expression: RowExpression, parts: Mapping[str, Domain]) -> StepFunction:
        own = {name: parts[name] for name in expression.columns}
        columns = [column for domain in own.values() for column in _inputs(domain)]
        if len(columns) > 1 and prod(column.size for column in columns) > _MOST_COMBINATIONS:
            raise UnreadableError
        try:
            found = derive(name_of("listed", self.schema), expression, own, self.schema)
        except WorkError:
            raise
        except RequestError:
            raise UnreadableError from None
        if found.nullable:
            raise UnreadableError
        return _of_values(found)


def _of_values(domain: DerivedColumn) -> StepFunction:
    """The listed values of a derived column: numbers, or truth values; 0 where there is none."""
    if domain.kind not in ("number", "boolean") or domain.size > _MOST_COMBINATIONS:
        raise UnreadableError
    codes = _codes(domain)
    values = [Fraction(domain.plain(number) or 0) for number in range(domain.size)]
    below = int(np.lcm.reduce([value.denominator for value in values], dtype=object))
    tops = np.array([int(value * below) for value in values], object)
    found = listed(list(domain.inputs), tops[codes])
    return {place: _plain(Fraction(multiple, below)) for place, multiple in found.items()}


def _numbers(attribute: Attribute) -> StepFunction:
    """The value of a column with regular numbers."""
    name, unit = attribute.name, _plain(attribute.unit)
    found = dict(constant(attribute.origin))
    if attribute.size > _MOST_STEPS_LISTED:
        return {**found, (ColumnFactor(name, 0, 1),): unit}
    return {**found, **{(ColumnFactor(name, start),): unit for start in range(1, attribute.size)}}


def _inputs(domain: Domain) -> Iterable[Domain]:
    return domain.inputs.values() if isinstance(domain, DerivedColumn) else [domain]


def _codes(domain: DerivedColumn) -> Ints:
    """The number of every combination of the inputs' values, an axis an input."""
    sizes = tuple(column.size for column in domain.inputs.values())
    if domain.codes is None or (len(sizes) > 1 and prod(sizes) > _MOST_COMBINATIONS):
        raise UnreadableError
    spend(prod(sizes) // _LISTED_A_STEP)
    return domain.codes.reshape(sizes)


def _case(parts: Sequence[StepFunction]) -> StepFunction:
    found = parts[-1]
    for holds, result in reversed(list(zip(parts[:-1:2], parts[1::2], strict=True))):
        found = plus(found, product(holds, plus(result, found, -1)))
    return found


def _either(parts: Sequence[StepFunction]) -> StepFunction:
    return _not([reduce(product, [_not([part]) for part in parts])])


def _not(parts: Sequence[StepFunction]) -> StepFunction:
    return plus(constant(1), parts[0], -1)


_COMPOSED: Mapping[str, Callable[[Sequence[StepFunction]], StepFunction]] = {
    "+": lambda parts: reduce(plus, parts),
    "-": lambda parts: reduce(lambda rest, part: plus(rest, part, -1), parts),
    "neg": lambda parts: plus(constant(0), parts[0], -1),
    "*": lambda parts: reduce(product, parts),
    "and": lambda parts: reduce(product, parts),
    "or": _either,
    "not": _not,
    "case": _case,
    "number": lambda parts: parts[0],
}
"""What becomes of the functions of parts."""


_TRUTH = (2, 2)
"""The blocks and the values of a condition that can be true and false."""
_CONDITIONS = ("among", "and", "or", "not", "=", "<>", "<", "<=")
_ORDERS = ("=", "<>", "<", "<=")
_KINDS: Mapping[type, tuple[type, ...]] = {Fraction: (NumberColumn,), date: (DateColumn,)}
"""Columns whose values ascend, by what they are compared with."""


def columns_of(functions: Iterable[StepFunction]) -> list[str]:
    """The columns along which functions have steps."""
    return sorted({factor.column for function in functions for place in function for factor in place})
