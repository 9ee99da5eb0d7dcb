"""Queries that a dataset's owner declares: analysts ask them by name, and nothing of theirs runs as code."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from noiseless.errors import RequestError
from noiseless.questions.base import Query
from noiseless.questions.own import OwnQuery
from noiseless.questions.row_function import RowFunction


@dataclass(frozen=True)
class DatasetFunction:
    """A number of the whole table, as the owner's SQL computes it.

    That it lies between the bounds is made so: what is outside counts as the nearer bound, and what is no
    number as the lower one. How far one person moves it then is the owner's word.

    Attributes:
        sql: a SELECT of one number; the table has the dataset's name and its declared columns.
        table: the dataset's name.
        bounds: the smallest and the largest number.
        sensitivity: how far one person can move it.
    """

    sql: str
    table: str
    bounds: tuple[Fraction, Fraction]
    sensitivity: Fraction

    def query(self, people: int) -> OwnQuery:
        """What a price needs to know of it (Theorem 8 of [P1], corrected)."""
        return OwnQuery.of(people, self.bounds, self.sensitivity)


@dataclass(frozen=True)
class DeclaredQuery:
    """A query with a name.

    Attributes:
        name: what it is called in SQL.
        function: what it is of: each row, or the whole table.
        aggregate: what is published about the rows' values.
        columns: the private columns that it depends on.
        definition: what it is, in a line for analysts.
    """

    name: str
    function: RowFunction | DatasetFunction
    aggregate: Literal["sum", "mean"]
    columns: tuple[str, ...]
    definition: str

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Listed functions are long, and questions are looked up again and again."""
        return hash((self.name, self.aggregate, self.definition))

    def to_dict(self) -> dict[str, Any]:
        """What analysts may know of it: all."""
        return {"name": self.name, "columns": list(self.columns), "definition": self.definition}

    def total(self, people: int, rows: int) -> Query:
        """The sum over people, or the number of the table: what is published in cells."""
        if isinstance(self.function, DatasetFunction):
            return self.function.query(people)
        return self.function.total(people, rows)

    def check(self, *, filtered: bool, private: bool) -> None:
        """Refuse filters that it has no price for.

        Args:
            filtered: whether it is asked of some rows only, or for groups.
            private: whether a private filter decides which rows count.

        Raises:
            RequestError: it is refused; the message says what can be asked.
        """
        if isinstance(self.function, DatasetFunction) and (filtered or private):
            raise RequestError(f"{self.name}() is about the whole table; leave WHERE and GROUP BY out")
        if private:
            raise RequestError(
                f"{self.name}() over a private filter has no price;"
                " filter on public columns, or ask the owner to declare a query with pieces"
            )
