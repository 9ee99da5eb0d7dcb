"""Filters: which rows a question is about; sets of a declared column's values, as runs of their numbers."""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import chain, starmap
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Literal

from noiseless.domain import BooleanColumn, CategoryColumn, Column, DateColumn, NumberColumn, Value
from noiseless.errors import ColumnError, RequestError
from noiseless.questions.base import require_listable

Runs = tuple[tuple[int, int], ...]
"""Half-open runs of numbers, ascending, that neither touch nor overlap."""


def as_runs(numbers: Iterable[int]) -> Runs:
    """Numbers in any order as runs.

    >>> as_runs([5, 1, 2, 3])
    ((1, 4), (5, 6))
    """
    found: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if found and found[-1][1] == number:
            found[-1] = (found[-1][0], number + 1)
        else:
            found.append((number, number + 1))
    return tuple(found)


def between(first: int, after: int, size: int) -> Runs:
    """The numbers of a domain from `first` on, before `after`."""
    first, after = max(first, 0), min(after, size)
    return ((first, after),) if first < after else ()


def outside(runs: Runs, size: int) -> Runs:
    """All other numbers of a domain.

    >>> outside(((1, 3),), 5)
    ((0, 1), (3, 5))
    """
    ends = [0, *(end for run in runs for end in run), size]
    return tuple((start, stop) for start, stop in zip(ends[::2], ends[1::2], strict=True) if start < stop)


def passing_runs(name: str, column: Column, operator: str, constant: Value | Fraction) -> Runs:
    """The values of a column that compare with a constant, wherever it lies, as the operator says.

    >>> column = NumberColumn(role="private", bounds=(0, 10), step=Decimal("0.001"))
    >>> passing_runs("kwh", column, ">", Decimal("3.0005")) == passing_runs("kwh", column, ">=", Decimal("3.001"))
    True

    Raises:
        ColumnError: the constant is of another kind than the column.
    """
    if isinstance(column, CategoryColumn):
        return _among_categories(name, column, operator, constant)
    top, bottom = _place(name, column, constant)
    below, upto = -(-top // bottom), top // bottom + 1  # so many values are smaller, so many not larger
    size = column.size
    parts = {
        "<": (0, below),
        "<=": (0, upto),
        ">": (upto, size),
        ">=": (below, size),
        "=": (below, upto),
        "!=": (below, upto),
    }
    found = between(*parts[operator], size)
    return outside(found, size) if operator == "!=" else found


def _place(name: str, column: Column, constant: Value | Fraction) -> tuple[int, int]:
    """Where a constant stands among the numbers of a column's values, perhaps between two or outside.

    A numerator and a positive denominator: every statement comes here, and fractions take their time.
    """
    if isinstance(column, NumberColumn) and _is_number(constant):
        top, bottom = constant.as_integer_ratio()  # type: ignore[union-attr]
        return top * column.scale - bottom * column.low_units, bottom * column.step_units
    if isinstance(column, DateColumn) and isinstance(constant, date):
        return (constant - column.bounds[0]).days, column.step
    if isinstance(column, BooleanColumn) and isinstance(constant, bool):
        return int(constant), 1
    raise ColumnError(name, f"holds {_KINDS[column.kind]}; compare it with the same kind{_HOW[column.kind]}")


def _among_categories(name: str, column: CategoryColumn, operator: str, constant: Value | Fraction) -> Runs:
    """Texts compare with texts by their characters, whole numbers with numbers."""
    text = isinstance(constant, str)
    if not text and not _is_number(constant):
        raise _of_another_kind(name, column)
    alike = [(i, value) for i, value in enumerate(column.categories) if isinstance(value, str) == text]
    if not alike or (operator not in ("=", "!=") and len(alike) < column.size):
        raise _of_another_kind(name, column)
    if not text:
        constant = Fraction(constant)  # type: ignore[arg-type]  # exact beside any decimal
    found = as_runs(i for i, value in alike if _BY_OPERATOR[operator](value, constant))
    return (
        outside(as_runs(i for i, value in alike if value == constant), column.size)
        if operator == "!="
        else found
    )


def _is_number(constant: object) -> bool:
    return isinstance(constant, int | Decimal | Fraction) and not isinstance(constant, bool)


def _of_another_kind(name: str, column: CategoryColumn) -> ColumnError:
    kinds = {isinstance(value, str) for value in column.categories}
    held, how = ("texts", ", in single quotes") if True in kinds else ("numbers", ", without quotes")
    if len(kinds) > 1:
        held, how = "texts and numbers", ""
    return ColumnError(name, f"holds {held}; compare it with the same kind{how}")


_KINDS = {"number": "numbers", "date": "dates", "boolean": "truth values", "category": "texts"}
_HOW = {"number": ", without quotes", "date": ", in quotes: '2024-12-31'", "boolean": ": TRUE or FALSE"}

_BY_OPERATOR: dict[str, Callable[[object, object], bool]] = {
    "=": lambda one, two: one == two,
    "!=": lambda one, two: one != two,
    "<": lambda one, two: one < two,  # type: ignore[operator]
    "<=": lambda one, two: one <= two,  # type: ignore[operator]
    ">": lambda one, two: one > two,  # type: ignore[operator]
    ">=": lambda one, two: one >= two,  # type: ignore[operator]
}


Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in"]

_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


class Filter(ABC):
    """A condition on a row, which holds or does not."""

    @property
    @abstractmethod
    def columns(self) -> frozenset[str]:
        """The columns it looks at."""

    @abstractmethod
    def holds(self, row: Mapping[str, Value]) -> bool:
        """Whether it holds for a row."""

    def numbers(self, name: str, column: Column) -> frozenset[int]:
        """The numbers of a declared column's values for which it holds, when it looks at that column only.

        Raises:
            RequestError: it looks at another column too.
        """
        if self.columns - {name}:
            raise RequestError(f"the filter on {name!r} looks at other private columns too; filter on one")
        require_listable(name, column.size)
        return frozenset(i for i in range(column.size) if self.holds({name: column.value(i)}))


@dataclass(frozen=True)
class Everything(Filter):
    """The filter that holds for every row."""

    @property
    def columns(self) -> frozenset[str]:
        """None."""
        return frozenset()

    def holds(self, row: Mapping[str, Value]) -> bool:  # noqa: ARG002 - it holds for any
        """Always."""
        return True


EVERYTHING = Everything()
"""Filters that hold for every row are all alike."""


@dataclass(frozen=True)
class ColumnComparison(Filter):
    """A column compared with a constant, or with several (`in`).

    >>> ColumnComparison("age", ">=", 18).holds({"age": 40})
    True
    """

    column: str
    operator: Operator
    constant: Value | tuple[Value, ...]

    def __post_init__(self) -> None:
        if self.operator != "in" and self.operator not in _COMPARE:
            raise RequestError(f"a comparison is one of {', '.join([*_COMPARE, 'in'])}")
        if (self.operator == "in") != isinstance(self.constant, tuple):
            raise RequestError("'in' takes several constants, every other comparison takes one")

    @property
    def columns(self) -> frozenset[str]:
        """The one that is compared."""
        return frozenset({self.column})

    def holds(self, row: Mapping[str, Value]) -> bool:
        """Compare the row's value.

        Raises:
            ColumnError: the constant is of another kind than the column.
        """
        value = row[self.column]
        for constant in self._constants:
            if kind_of(value) is not kind_of(constant):
                raise ColumnError(self.column, f"holds {kind_of(value)}; compare it with the same kind")
        if self.operator == "in":
            return value in self._constants
        return _COMPARE[self.operator](value, self.constant)

    @cached_property
    def _constants(self) -> tuple[Value, ...]:
        return self.constant if isinstance(self.constant, tuple) else (self.constant,)


@dataclass(frozen=True)
class Among(Filter):
    """A declared column's value is one of some: what every filter on one column comes to.

    Attributes:
        column: its name.
        runs: the numbers of the values that pass.
        domain: the column, which numbers values; one name stands for one column wherever filters meet.
    """

    column: str
    runs: Runs
    domain: Column = field(repr=False, compare=False)

    @property
    def columns(self) -> frozenset[str]:
        """The one."""
        return frozenset({self.column})

    def holds(self, row: Mapping[str, Value]) -> bool:
        """Whether the number of the row's value is in a run."""
        value = row[self.column]
        if value not in self._known:
            number = self.domain.index(value)
            run = -1 if number is None else bisect_right(self._starts, number) - 1
            self._known[value] = run >= 0 and number is not None and number < self.runs[run][1]
        return self._known[value]

    def numbers(self, name: str, column: Column) -> frozenset[int]:
        """The numbers in the runs."""
        if name != self.column:
            return super().numbers(name, column)
        require_listable(name, column.size)
        return frozenset(chain.from_iterable(starmap(range, self.runs)))

    @cached_property
    def _known(self) -> dict[Value, bool]:
        return {}

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return tuple(start for start, _ in self.runs)


@dataclass(frozen=True)
class AllOf(Filter):
    """Every part holds."""

    parts: tuple[Filter, ...]

    @property
    def columns(self) -> frozenset[str]:
        """Those of all parts."""
        return frozenset().union(*(part.columns for part in self.parts))

    def holds(self, row: Mapping[str, Value]) -> bool:
        """Whether all parts do."""
        return all(part.holds(row) for part in self.parts)


@dataclass(frozen=True)
class AnyOf(Filter):
    """At least one part holds."""

    parts: tuple[Filter, ...]

    @property
    def columns(self) -> frozenset[str]:
        """Those of all parts."""
        return frozenset().union(*(part.columns for part in self.parts))

    def holds(self, row: Mapping[str, Value]) -> bool:
        """Whether one part does."""
        return any(part.holds(row) for part in self.parts)


NOBODY = AnyOf(())
"""The filter that no row passes."""


@dataclass(frozen=True)
class Not(Filter):
    """The part does not hold."""

    part: Filter

    @property
    def columns(self) -> frozenset[str]:
        """Those of the part."""
        return self.part.columns

    def holds(self, row: Mapping[str, Value]) -> bool:
        """Whether the part does not."""
        return not self.part.holds(row)


def split(whole: Filter, private: frozenset[str]) -> tuple[Filter, Filter]:
    """A filter as a part on public columns only and a part on private columns only, joined by "and".

    Raises:
        RequestError: a part mixes the two in a way that cannot be told apart.
    """
    parts = _conjuncts(whole)
    public = tuple(part for part in parts if not part.columns & private)
    hidden = tuple(part for part in parts if part.columns & private)
    if any(part.columns - private for part in hidden):
        raise RequestError(
            "a filter joins public and private columns by 'or' or 'not'; split it into parts joined by 'and'"
        )
    return _joined(public), _joined(hidden)


def _conjuncts(whole: Filter) -> tuple[Filter, ...]:
    if isinstance(whole, AllOf):
        return tuple(conjunct for part in whole.parts for conjunct in _conjuncts(part))
    return () if isinstance(whole, Everything) else (whole,)


def _joined(parts: tuple[Filter, ...]) -> Filter:
    if not parts:
        return Everything()
    return parts[0] if len(parts) == 1 else AllOf(parts)


def kind_of(value: object) -> str:
    """Values of one kind can be compared."""
    if isinstance(value, bool):
        return "truth values"
    if isinstance(value, int | Decimal | Fraction):
        return "numbers"
    return "dates" if isinstance(value, date) else "texts"
