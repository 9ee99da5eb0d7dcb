"""A question as somebody asks it: an aggregate, a column, a filter, groups; and who takes part."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Literal

from noiseless.domain import Schema, Value
from noiseless.errors import ColumnError, RequestError
from noiseless.questions.additive import total
from noiseless.questions.attributes import attribute_of, column_of
from noiseless.questions.base import Attribute, Query, require_listable
from noiseless.questions.declared_query import DeclaredQuery
from noiseless.questions.derived import shown_name
from noiseless.questions.filters import NOBODY, Among, Everything, Filter, joined
from noiseless.questions.order import maximum, median, minimum, quantile
from noiseless.questions.public_table import PublicTable
from noiseless.questions.statistics import Variance


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


ORDERED = ("min", "max", "median", "quantile")
"""Aggregates that only need an order."""

Aggregate = Literal[
    "count", "sum", "mean", "min", "max", "median", "quantile", "variance", "histogram", "declared"
]


@dataclass(frozen=True)
class Limits:
    """What the owner declares about persons and groups, and the queries of the owner's own.

    Attributes:
        rows: the most rows that one person has.
        least_group: the smallest group that a mean over a private filter is told for, if any is.
        queries: what can be asked by a name.
        unit: the column that names a person, where persons have several rows.
        tables: public tables that can be joined.
    """

    rows: int = 1
    least_group: int | None = None
    queries: tuple[DeclaredQuery, ...] = ()
    unit: str | None = None
    tables: tuple[PublicTable, ...] = ()


@dataclass(frozen=True)
class Question:
    """An aggregate of a private column over the rows that pass a filter, for each public group.

    Attributes:
        aggregate: what is computed.
        column: the column it is computed of; COUNT needs none.
        public: the part of its filter that decides who takes part.
        private: the part that must not be told; None without one.
        by: public columns to group by, in the order of the schema.
        share: which quantile is asked for.
        declared: the owner's query that is asked for.
        classes: the private column of GROUP BY, declared or derived: there is an answer for each value.
    """

    aggregate: Aggregate
    column: str | None = None
    public: Filter = field(default_factory=Everything)
    private: Among | None = None
    by: tuple[str, ...] = ()
    share: Fraction | None = None
    declared: DeclaredQuery | None = field(default=None, repr=False)
    classes: str | None = field(default=None, repr=False)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Answers are found by their questions, again and again."""
        asked = (self.aggregate, self.column, self.share, self.declared, self.classes)
        return hash((asked, self.public, self.private, self.by))

    @cached_property
    def where(self) -> Filter:
        """Its whole filter."""
        return self.public if self.private is None else joined([self.public, self.private])

    @property
    def is_filtered(self) -> bool:
        """Whether which rows count is private."""
        return self.private is not None or self.classes is not None

    def check(self, schema: Schema, limits: Limits | None = None) -> None:
        """Refuse what has a price for no population at all.

        Args:
            schema: the declared columns.
            limits: what the owner declares; without it, what depends on it is not looked at.

        Raises:
            RequestError, ColumnError: it cannot be priced or evaluated; the message says what can.
        """
        if self.public == NOBODY:
            raise RequestError("nobody can pass the filter; there is nothing to ask about")
        if self.private is not None:
            require_listable(shown_name(self.private.column), self.private.domain.size)
        if self.declared is not None:
            filtered = bool(self.by) or not isinstance(self.public, Everything)
            self.declared.check(filtered=filtered, private=self.is_filtered)
        elif self.aggregate != "count":
            self._check_column(schema)
        if limits is not None:
            self._check_limits(limits)

    def _check_column(self, schema: Schema) -> None:
        name = self.column or ""
        domain = column_of(name, schema)
        if domain.role == "public":
            raise ColumnError(
                shown_name(name),
                "is public, anyone may compute with it; ask about a private column, or group by it",
            )
        if self.aggregate == "histogram":
            require_listable(shown_name(name), domain.size)
            return
        attribute_of(name, domain, days=self.aggregate in ORDERED)
        if self.is_filtered and self.aggregate == "sum":
            require_listable(shown_name(name), domain.size)

    def _check_limits(self, limits: Limits) -> None:
        several = limits.rows > 1
        if self.aggregate == "mean" and self.is_filtered and limits.least_group is None:
            raise RequestError(
                "a mean over a private filter needs a declared smallest group ([budget] min_group = 5);"
                " ask for the sum and the count, or have columns that everyone may know declared public"
            )
        if several and self.aggregate == "variance":
            unit = limits.unit or "person"
            raise RequestError(
                "variances, deviations and correlations are priced for one row a person, and here each may"
                f" have {limits.rows:,} (max_rows); make one of them, FROM (SELECT {unit}, SUM(...) AS total"
                f" FROM ... GROUP BY {unit}), or ask for sums and means"
            )

    def query(self, people: int, attribute: Attribute, rows: int) -> Query:
        """The aggregate of everybody's values, of this many people with this many rows each at most."""
        match self.aggregate:
            case "sum":
                return total(people, attribute, rows=rows)
            case "min":
                return minimum(people, attribute)
            case "max":
                return maximum(people, attribute)
            case "median":
                return median(people, attribute, rows)
            case "quantile" if self.share is not None:
                return quantile(people, attribute, self.share)
            case "variance":
                return Variance(people, attribute)
        raise TypeError(f"no number is asked for by {self.aggregate}")
