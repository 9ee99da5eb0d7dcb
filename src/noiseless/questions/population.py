"""Who takes part: how many rows have each combination of public values, which everybody may know."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from noiseless.domain import Schema, Value
from noiseless.errors import ColumnError
from noiseless.questions.filters import Filter, kind_of
from noiseless.tables import Table


def declared(table: Table, schema: Schema, columns: Sequence[str]) -> Table:
    """Some columns of a table, held against their declared domains.

    Raises:
        DomainError: values lie outside, or are missing where the schema does not say what that counts as.
    """
    return table.select(columns).conform(schema, columns).with_missing(columns, "error")


@dataclass(frozen=True)
class Group:
    """The rows that share some public values and pass a public filter.

    Attributes:
        values: the public values that name the group, in the order they were asked for.
        cells: which cells of the population it consists of.
        people: how many rows it has.
    """

    values: tuple[Value, ...]
    cells: frozenset[int]
    people: int


@dataclass(frozen=True)
class Population:
    """The combinations of public values that occur, and how many rows have each.

    Attributes:
        columns: the public columns.
        cells: the combinations; a row's *cell* is the number of its combination.
        sizes: how many rows have each.
    """

    columns: tuple[str, ...]
    cells: tuple[tuple[Value, ...], ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, table: Table, schema: Schema, columns: Sequence[str]) -> "Population":
        """Count the public columns of a table."""
        for column in columns:
            if column not in schema.public:
                raise ColumnError(column, "is not declared as public; nobody may group by it for free")
        if not columns:
            return cls((), ((),), (table.count(),))
        tally = declared(table, schema, columns).tally(columns)
        values = zip(*(tally.decode(column).to_pylist() for column in columns), strict=True)
        return cls(tuple(columns), tuple(values), tuple(tally.counts.tolist()))

    @cached_property
    def index(self) -> dict[tuple[Value, ...], int]:
        """The cell of each combination."""
        return {values: cell for cell, values in enumerate(self.cells)}

    def groups(self, where: Filter, by: Sequence[str] = ()) -> tuple[Group, ...]:
        """The groups of a public GROUP BY under a public filter, in the order of their values."""
        found: dict[tuple[Value, ...], list[int]] = {}
        places = [self.columns.index(column) for column in by]
        for cell, values in enumerate(self.cells):
            if where.holds(dict(zip(self.columns, values, strict=True))):
                found.setdefault(tuple(values[place] for place in places), []).append(cell)
        return tuple(
            Group(values, frozenset(cells), sum(self.sizes[cell] for cell in cells))
            for values, cells in sorted(found.items(), key=_in_order)
        )


def _in_order(group: tuple[tuple[Value, ...], list[int]]) -> list[tuple[str, Value]]:
    return [(kind_of(value), value) for value in group[0]]
