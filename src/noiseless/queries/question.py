"""A question as somebody asks it: an aggregate, a column, a filter, groups; and what it comes to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, get_args

from noiseless.domain import Column, Schema
from noiseless.errors import ColumnError, RequestError
from noiseless.exact import Rational
from noiseless.queries.additive import count, mean, total
from noiseless.queries.attribute import Attribute
from noiseless.queries.base import Query
from noiseless.queries.classes import Histogram, TopCounts
from noiseless.queries.filtered_mean import FilteredMean
from noiseless.queries.filters import Everything, Filter, split
from noiseless.queries.order import maximum, median, minimum, quantile
from noiseless.queries.population import Group, Population
from noiseless.queries.variance import Variance

Aggregate = Literal[
    "count", "sum", "mean", "min", "max", "median", "quantile", "variance", "histogram", "top"
]

Asked = Query | Histogram | TopCounts


@dataclass(frozen=True)
class Limits:
    """What the owner declares about persons and groups.

    Attributes:
        rows: the most rows that one person has.
        least_group: the smallest group that a mean over a private filter is told for, if any is.
    """

    rows: int = 1
    least_group: int | None = None


@dataclass(frozen=True)
class Question:
    """An aggregate of a private column over the rows that pass a filter, for each public group.

    Attributes:
        aggregate: what is computed.
        column: the column it is computed of; COUNT needs none.
        where: a filter on public and private columns.
        by: public columns to group by.
        share: which quantile is asked for.
        most: how many of the most frequent values are asked for.
    """

    aggregate: Aggregate
    column: str | None = None
    where: Filter = field(default_factory=Everything)
    by: tuple[str, ...] = ()
    share: Rational | None = None
    most: int = 1

    def __post_init__(self) -> None:
        if self.aggregate not in get_args(Aggregate):
            raise RequestError(
                f"no aggregate is called {self.aggregate!r}; take {', '.join(get_args(Aggregate))}"
            )
        if self.column is None and self.aggregate != "count":
            raise RequestError(f"say which column the {self.aggregate} is of")

    def public_columns(self, schema: Schema) -> frozenset[str]:
        """The public columns that it looks at."""
        looked = self.where.columns | set(self.by)
        for column in looked | ({self.column} if self.column else set()):
            if column not in schema.columns:
                raise ColumnError(column, "is not declared in the schema; declare its domain and role")
        return frozenset(looked & set(schema.public))

    def resolve(self, schema: Schema, population: Population, limits: Limits) -> tuple["Resolved", ...]:
        """What it asks of each public group.

        Raises:
            RequestError: it cannot be priced; the message says what can.
        """
        for column in self.by:
            if column not in schema.public:
                raise ColumnError(column, "is private; ask for its histogram instead of grouping by it")
        public, hidden = split(self.where, frozenset(schema.private))
        groups = population.groups(public, self.by)
        if not groups:
            raise RequestError("nobody passes the public filter; there is nothing to ask about")
        return tuple(self._about(group, schema, hidden, limits) for group in groups)

    def _about(self, group: Group, schema: Schema, hidden: Filter, limits: Limits) -> "Resolved":
        columns = sorted(hidden.columns)
        if len(columns) > 1:
            raise RequestError("a question filters on one private column at most; ask several questions")
        return Resolved(self, group, hidden, *self._built(group, schema, hidden, columns, limits))

    def _built(
        self, group: Group, schema: Schema, hidden: Filter, columns: list[str], limits: Limits
    ) -> tuple[Asked, str | None, str | None]:
        """The query, the private column it is computed of, and another private column that filters it."""
        people, rows = group.people, limits.rows
        if self.aggregate == "count":
            if not columns:
                return count(people, Attribute("", range(1)), range(1)), None, None
            name = columns[0]
            counted = hidden.numbers(name, schema.columns[name])
            return count(people, _numbered(name, schema.columns[name]), counted, rows), name, None
        name = str(self.column)
        if name not in schema.private:
            raise ColumnError(name, "is public: anybody may compute with it, nothing needs a price")
        other = columns[0] if columns and columns[0] != name else None
        if self.aggregate in ("histogram", "top"):
            return self._classes(people, name, schema.columns[name], rows, bool(columns)), name, None
        attribute = Attribute.of(name, schema.columns[name])
        if not columns:
            return self._plain(people, attribute, rows), name, None
        passing = None if other else hidden.numbers(name, schema.columns[name])
        return self._filtered(people, attribute, passing, limits), name, other

    def _plain(self, people: int, attribute: Attribute, rows: int) -> Query:
        makers: Mapping[str, Callable[[], Query]] = {
            "sum": lambda: total(people, attribute, rows=rows),
            "mean": lambda: mean(people, attribute, rows=rows),
            "min": lambda: minimum(people, attribute),
            "max": lambda: maximum(people, attribute),
            "median": lambda: median(people, attribute, rows),
            "quantile": lambda: quantile(people, attribute, self._asked_share()),
            "variance": lambda: Variance(people, attribute),
        }
        if rows > 1 and self.aggregate == "variance":
            raise RequestError("the variance is priced for one row a person; ask for sums and means instead")
        return makers[self.aggregate]()

    def _filtered(
        self, people: int, attribute: Attribute, passing: frozenset[int] | None, limits: Limits
    ) -> Query:
        if self.aggregate == "sum":
            return total(people, attribute, passing, limits.rows, excluded=passing is None)
        if self.aggregate == "mean" and limits.least_group is not None and limits.rows == 1:
            return FilteredMean(people, attribute, limits.least_group, passing)
        if self.aggregate == "mean":
            raise RequestError(
                "a mean over a private filter needs a declared smallest group (min_group), one row a person; "
                "or ask for the sum and the count"
            )
        raise RequestError(f"a {self.aggregate} over a private filter has no price; filter on public columns")

    def _classes(self, people: int, name: str, column: Column, rows: int, filtered: bool) -> Asked:
        if filtered:
            raise RequestError("a histogram over a private filter has no price; ask for all of its classes")
        histogram = Histogram.of_values(people, name, column.size, rows)
        return histogram if self.aggregate == "histogram" else TopCounts(histogram, self.most)

    def _asked_share(self) -> Fraction:
        if self.share is None:
            raise RequestError("say which quantile: a share between 0 and 1")
        return Fraction(self.share)


@dataclass(frozen=True)
class Resolved:
    """A question about one public group.

    Attributes:
        question: as it was asked.
        group: the people it is about.
        hidden: the private part of its filter.
        query: what its price depends on, and how it is computed.
        column: the private column it is computed of.
        filtered_by: another private column whose filter decides which rows count.
    """

    question: Question
    group: Group
    hidden: Filter
    query: Asked
    column: str | None
    filtered_by: str | None

    @property
    def private_columns(self) -> tuple[str, ...]:
        """The private columns that the answer depends on."""
        return tuple(name for name in (self.column, self.filtered_by) if name is not None)


def _numbered(name: str, column: Column) -> Attribute:
    """Any column as the numbers of its values: a count needs no more."""
    return Attribute(name, range(column.size))
