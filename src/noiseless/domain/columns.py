"""The kinds of column, and which of them a table of a schema file describes."""

from collections.abc import Mapping
from datetime import date
from typing import get_args

from noiseless.domain.base import Column, Kind, Role, Value
from noiseless.domain.category import BooleanColumn, CategoryColumn
from noiseless.domain.dates import DateColumn
from noiseless.domain.number import NumberColumn
from noiseless.domain.reading import read_day
from noiseless.errors import SchemaError

__all__ = [
    "BooleanColumn",
    "CategoryColumn",
    "Column",
    "DateColumn",
    "Kind",
    "NumberColumn",
    "Role",
    "Value",
    "read_column",
]

_COLUMNS: Mapping[Kind, type[Column]] = {
    "number": NumberColumn,
    "category": CategoryColumn,
    "boolean": BooleanColumn,
    "date": DateColumn,
}


def read_column(table: object) -> Column:
    """The column that a TOML table describes, recognised by its keys.

    `categories` make a category column, `bounds` a number or a date column, and `type = "boolean"`
    a boolean one; any `type` may be given and must then agree with the keys.

    Raises:
        SchemaError: it describes none, in one line that says how to mend it.
    """
    if not isinstance(table, Mapping):
        raise SchemaError('must be a table; write e.g. {role = "private", bounds = [0, 10]}')
    fields = {key: value for key, value in table.items() if key != "type"}
    kind = _agreed_kind(table.get("type"), _inferred_kind(fields))
    return _COLUMNS[kind].model_validate(fields)


def _inferred_kind(fields: Mapping[str, object]) -> Kind | None:
    """The kind that the keys alone tell; a boolean column has none that do."""
    if "categories" in fields:
        return "category"
    if "bounds" in fields:
        bounds = fields["bounds"]
        ends = bounds if isinstance(bounds, list | tuple) else ()
        return "date" if any(map(_is_day, ends)) else "number"
    return None


def _is_day(value: object) -> bool:
    if not isinstance(value, str):
        return isinstance(value, date)
    try:
        read_day(value)
    except ValueError:
        return False
    return True


def _agreed_kind(stated: object, inferred: Kind | None) -> Kind:
    kinds = get_args(Kind)
    if stated is not None and stated not in kinds:
        raise SchemaError(f"type must be one of {', '.join(kinds)}; or delete it")
    kind: Kind | None = next((kind for kind in kinds if kind == stated), inferred)
    if kind is None:
        raise SchemaError(
            "has no key that tells what it holds;"
            ' write bounds = [low, high], categories = [...] or type = "boolean"'
        )
    if inferred not in (kind, None):
        raise SchemaError(
            f'type = "{kind}" does not agree with the keys, which are those of a {inferred} column;'
            " delete the one or the other"
        )
    return kind
