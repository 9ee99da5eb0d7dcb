"""Columns by their names, declared and derived: what they may hold, and the numbers that they are."""

from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np

from noiseless.domain import DateColumn, Schema
from noiseless.errors import ColumnError
from noiseless.questions.base import Attribute, positions
from noiseless.questions.derived import DerivedColumn, DerivedName, Domain, derive, name_of
from noiseless.questions.row_expression import Ints, RowExpression, days_since
from noiseless.questions.row_values import NumberValues


def attribute_of(name: str, domain: Domain, *, days: bool = False) -> Attribute:
    """The numbers that a declared or derived column holds.

    Args:
        name: what it is called.
        domain: what it may hold.
        days: whether days count as numbers: of days since 1970.

    Raises:
        ColumnError: its values are no numbers.
    """
    if days and isinstance(domain, DateColumn):
        first = Fraction(days_since(domain.bounds[0]))
        return Attribute(name, range(domain.size), first, Fraction(domain.step))
    if not isinstance(domain, DerivedColumn):
        return Attribute.of(name, domain)
    if domain.kind != "number" and not (days and domain.kind == "date"):
        raise ColumnError(domain.text, "holds no numbers; count its values or make a histogram of them")
    if domain.lattice is not None:
        low, unit, count = domain.lattice
        return Attribute(name, range(count), low, unit)
    if (
        isinstance(domain.values, NumberValues)
        and isinstance(domain.values.below, int)
        and len(domain.values.tops)
    ):
        return _on_lattice(name, domain.values.tops, domain.values.below)
    values = [value for value in domain.values if value is not None]
    if not values:
        raise ColumnError(domain.text, "has no value at all; look at its branches")
    return Attribute.among(name, [Fraction(days_since(v)) if isinstance(v, date) else v for v in values])


def _on_lattice(name: str, tops: Ints, below: int) -> Attribute:
    """Ascending numbers over one denominator."""
    distances = tops - tops[0]
    unit = int(np.gcd.reduce(distances)) or 1
    numbers = positions((distances // unit).tolist())
    return Attribute(name, numbers, Fraction(int(tops[0]), below), Fraction(unit, below))


def remembered(name: DerivedName, expression: RowExpression, schema: Schema) -> DerivedColumn:
    """The derived attribute with a name: made once, and remembered with the schema.

    Raises:
        RequestError: its parts do not fit together, or nothing bounds it.
    """

    def make() -> DerivedColumn:
        parts: dict[str, Domain] = {each: column_of(each, schema) for each in sorted(expression.columns)}
        return derive(name, expression, parts, schema)

    found: DerivedColumn = schema.derived.made(name, make, lambda each: each.listed // 8 + len(each.values))
    return found


def column_of(name: str, schema: Schema) -> Domain:
    """What a declared or derived column may hold; a forgotten one is derived from its name again."""
    if name in schema.columns:
        return schema.columns[name]
    known, own = schema.derived.get(name), DerivedName(name)
    if known is not None:
        return remembered(own, known[0].expression, schema)
    from noiseless.questions.sql.rows import read_derived

    return remembered(own, read_derived(own.text, schema), schema)


def row_of(
    names: Sequence[str], schema: Schema, passing: tuple[RowExpression, str] | None = None
) -> DerivedColumn:
    """Several columns side by side, as GROUP BY has them; perhaps only of the rows that pass a condition.

    Args:
        names: the columns.
        schema: the declared ones.
        passing: the condition and its text.
    """
    keys = tuple(RowExpression("column", (), name) for name in names)
    text = f"SELECT {', '.join(map(_quoted, names))}"
    if passing is None:
        return remembered(name_of(text, schema), RowExpression("row", keys), schema)
    expression = RowExpression("row", (passing[0], *keys), value=True)
    return remembered(name_of(f"{text} WHERE {passing[1]}", schema), expression, schema)


def _quoted(name: str) -> str:
    return name.text if isinstance(name, DerivedName) else '"' + name.replace('"', '""') + '"'


def classes_of(names: Sequence[str], schema: Schema) -> str | None:
    """What the private columns of GROUP BY are together: the only one, or a row of several."""
    if len(names) <= 1:
        return names[0] if names else None
    return row_of(names, schema).name


def classes_where(
    name: str, schema: Schema, passing: tuple[RowExpression, str] | None = None
) -> tuple[str, Domain, tuple[int | None, ...]]:
    """The column whose values are those of another one where a condition holds; the other's numbers in it.

    None where no row that passes can have the value.
    """
    own = column_of(name, schema)
    if passing is None:
        return name, own, tuple(range(own.size))
    is_row = isinstance(own, DerivedColumn) and own.kind == "row"
    keys = own.keys if isinstance(own, DerivedColumn) and is_row else (name,)
    found = row_of(keys, schema, passing)
    values = (own.plain(n) if isinstance(own, DerivedColumn) else own.value(n) for n in range(own.size))
    return found.name, found, tuple(found.index(value if is_row else (value,)) for value in values)


def key_values(name: str, domain: Domain, number: int) -> dict[str, Any] | None:
    """The values of the private columns of GROUP BY, by their names; None where rows do not pass."""
    value: Any = domain.value(number)
    if not isinstance(domain, DerivedColumn) or domain.kind != "row":
        return {name: value}
    return None if value is None else dict(zip(domain.keys, value, strict=True))
