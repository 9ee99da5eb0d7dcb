"""Filters: which rows a question is about; sets of a declared column's values, as runs of their numbers."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import chain, starmap
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from noiseless.domain import BooleanColumn, CategoryColumn, Column, DateColumn, NumberColumn, Value
from noiseless.errors import ColumnError, RequestError

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


def numbers_of(runs: Iterable[Sequence[int]]) -> frozenset[int]:
    """The numbers in runs, one by one."""
    return frozenset(chain.from_iterable(starmap(range, runs)))


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
    >>> passing_runs("kwh", column, ">", Decimal("3.0005"))
    ((3001, 10001),)

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
    if operator == "!=":  # values of the other kind differ too
        return outside(as_runs(i for i, value in alike if value == constant), column.size)
    return as_runs(i for i, value in alike if COMPARISONS[operator](value, constant))


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

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
"""What each operator says of two values of one kind."""


class Filter(ABC):
    """A condition on a row, which holds or does not."""

    @property
    @abstractmethod
    def columns(self) -> frozenset[str]:
        """The columns it looks at."""


@dataclass(frozen=True)
class Everything(Filter):
    """The filter that holds for every row."""

    @property
    def columns(self) -> frozenset[str]:
        """None."""
        return frozenset()


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


@dataclass(frozen=True)
class _Junction(Filter):
    parts: tuple[Filter, ...]

    @property
    def columns(self) -> frozenset[str]:
        """Those of all parts."""
        return frozenset().union(*[part.columns for part in self.parts])


class AllOf(_Junction):
    """Every part holds."""


class AnyOf(_Junction):
    """At least one part holds."""


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


def joined(parts: Iterable[Filter]) -> Filter:
    """Filters joined by "and", in one level."""
    kept = [part for part in parts if not isinstance(part, Everything)]
    if not kept:
        return Everything()
    if len(kept) == 1:
        return kept[0]
    return AllOf(tuple(one for part in kept for one in (part.parts if isinstance(part, AllOf) else (part,))))


def parted(whole: Filter, private: Collection[str]) -> tuple[Filter, list[Filter]]:
    """A filter in its normal form as a part on public columns and the parts on private columns.

    Raises:
        RequestError: a part mixes the two in a way that cannot be told apart.
    """
    parts = whole.parts if isinstance(whole, AllOf) else (whole,)
    hidden = [part for part in parts if not part.columns.isdisjoint(private)]
    if any(part.columns.difference(private) for part in hidden):
        raise RequestError(
            "a filter joins public and private columns by 'or' or 'not'; split it into parts joined by 'and'"
        )
    return joined([part for part in parts if part not in hidden]), hidden


def split(whole: Filter, private: Collection[str]) -> tuple[Filter, Among | None]:
    """The same of what a question asks, with a part on one private column at most.

    Raises:
        RequestError: a part mixes the two in a way that cannot be told apart, or there are several columns.
    """
    public, hidden = parted(whole, private)
    if not hidden:
        return public, None
    if len(hidden) > 1 or not isinstance(hidden[0], Among):
        raise RequestError("a question filters on one private column at most; ask several questions")
    return public, hidden[0]


def run_count(where: Filter) -> int:
    """How many runs of values a filter in its normal form lists."""
    if isinstance(where, Among):
        return len(where.runs)
    return sum(map(run_count, where.parts)) if isinstance(where, AllOf | AnyOf) else 0


def kind_of(value: object) -> str:
    """Values of one kind can be compared."""
    if isinstance(value, bool):
        return "truth values"
    if isinstance(value, int | Decimal | Fraction):
        return "numbers"
    return "dates" if isinstance(value, date) else "texts"
