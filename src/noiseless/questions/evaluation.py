"""Exact evaluation: the counts that answers are computed from, taken from a table once a batch."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from noiseless.domain import Schema, Value
from noiseless.questions.additive import EXCLUDED
from noiseless.questions.population import Population, declared
from noiseless.questions.question import Resolved
from noiseless.tables import Table

Cell = tuple[int, tuple[int, ...]]
"""A public cell and the numbers of some private columns."""


@dataclass(frozen=True)
class Counts:
    """How many rows have each combination of a public cell and numbers of private columns.

    An answer depends on these counts alone: it is the same on every engine, in any order of rows.
    """

    columns: tuple[str, ...]
    rows: Counter[Cell]

    @classmethod
    def take(cls, table: Table, schema: Schema, population: Population, private: Sequence[str]) -> "Counts":
        """Count the rows of a table.

        Raises:
            DomainError: a column holds values outside its declared domain.
        """
        columns = (*population.columns, *private)
        if not columns:
            return cls((), Counter({(0, ()): table.count()}))
        tally = declared(table, schema, columns).tally(columns)
        public = [tally.decode(column).to_pylist() for column in population.columns]
        cells = (
            [population.index[values] for values in zip(*public, strict=True)] if public else [0] * len(tally)
        )
        numbers = [_numbers(tally.decode(name).to_pylist(), schema, name) for name in private]
        rows: Counter[Cell] = Counter()
        parts = zip(*numbers, strict=True) if numbers else ((),) * len(tally)
        for cell, combination, count in zip(cells, parts, tally.counts.tolist(), strict=True):
            rows[cell, tuple(combination)] += count
        return cls(tuple(private), rows)

    def about(self, asked: Resolved, schema: Schema) -> Counter[int]:
        """How many rows of the group have each number of the column that is asked about."""
        found: Counter[int] = Counter()
        places = [self.columns.index(name) for name in asked.private_columns]
        passing = _passing(asked, schema)
        for (cell, numbers), count in self.rows.items():
            if cell in asked.group.cells:
                own = [numbers[place] for place in places]
                out = passing is not None and own[1] not in passing
                found[EXCLUDED if out else own[0] if own else 0] += count
        return found


def _passing(asked: Resolved, schema: Schema) -> frozenset[int] | None:
    if asked.filtered_by is None:
        return None
    return asked.hidden.numbers(asked.filtered_by, schema.columns[asked.filtered_by])


def _numbers(values: Sequence[Value], schema: Schema, name: str) -> list[int]:
    column = schema.columns[name]
    known = {value: column.index(value) for value in set(values)}
    return [number for value in values if (number := known[value]) is not None]
