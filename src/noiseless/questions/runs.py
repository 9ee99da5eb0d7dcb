"""Sets of a declared column's values, as runs of their numbers: any size, exact, one form for each set."""

from collections.abc import Callable, Iterable
from datetime import date
from decimal import Decimal
from fractions import Fraction

from noiseless.domain import BooleanColumn, CategoryColumn, Column, DateColumn, NumberColumn, Value
from noiseless.errors import ColumnError

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


def passing(name: str, column: Column, operator: str, constant: Value | Fraction) -> Runs:
    """The values of a column that compare with a constant, wherever it lies, as the operator says.

    >>> column = NumberColumn(role="private", bounds=(0, 10), step=Decimal("0.001"))
    >>> passing("kwh", column, ">", Decimal("3.0005")) == passing("kwh", column, ">=", Decimal("3.001"))
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
    found = as_runs(i for i, value in alike if _COMPARE[operator](value, constant))
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

_COMPARE: dict[str, Callable[[object, object], bool]] = {
    "=": lambda one, two: one == two,
    "!=": lambda one, two: one != two,
    "<": lambda one, two: one < two,  # type: ignore[operator]
    "<=": lambda one, two: one <= two,  # type: ignore[operator]
    ">": lambda one, two: one > two,  # type: ignore[operator]
    ">=": lambda one, two: one >= two,  # type: ignore[operator]
}
