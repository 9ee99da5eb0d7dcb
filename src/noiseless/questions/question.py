"""A question as somebody asks it, an aggregate, a column, a filter, groups; who takes part; and what it comes to."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Literal, get_args

from noiseless.domain import BooleanColumn, Schema, Value
from noiseless.errors import ColumnError, RequestError
from noiseless.exact import Rational
from noiseless.questions.additive import EXCLUDED, count, mean, total
from noiseless.questions.base import Attribute, Query, require_listable
from noiseless.questions.filters import NOBODY, AllOf, ColumnComparison, Everything, Filter, kind_of, split
from noiseless.questions.normal_form import normal
from noiseless.questions.order import maximum, median, minimum, quantile, rank_of
from noiseless.questions.statistics import FilteredMean, Histogram, TopCounts, Variance
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


Aggregate = Literal[
    "count", "sum", "mean", "min", "max", "median", "quantile", "variance", "histogram", "top"
]

_AGGREGATES: tuple[str, ...] = get_args(Aggregate)

AnyQuery = Query | Histogram | TopCounts


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
        if self.aggregate not in _AGGREGATES:
            raise RequestError(f"no aggregate is called {self.aggregate!r}; take {', '.join(_AGGREGATES)}")
        if self.column is None and self.aggregate != "count":
            raise RequestError(f"say which column the {self.aggregate} is of")

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Answers are found by their questions, again and again."""
        return hash((self.aggregate, self.column, self.where, self.by, self.share, self.most))

    def public_columns(self, schema: Schema) -> frozenset[str]:
        """The public columns that it looks at."""
        looked = self.where.columns | set(self.by)
        for column in looked | ({self.column} if self.column else set()):
            if column not in schema.columns:
                raise ColumnError(column, "is not declared in the schema; declare its domain and role")
        return frozenset(looked & set(schema.public))

    def normal(self, schema: Schema) -> "Question":
        """The same question in its normal form: questions that ask the same are then equal.

        >>> schema = Schema.parse('columns.age = {role = "private", bounds = [0, 120]}')
        >>> Question("quantile", "age", share=1).normal(schema) == Question("max", "age")
        True

        Raises:
            ColumnError: a column is not declared, or is compared with a constant of another kind.
            RequestError: the filter is too long.
        """
        self.public_columns(schema)
        where = normal(self.where, schema)
        by = tuple(name for name in schema.columns if name in self.by)
        share = None if self.aggregate != "quantile" or self.share is None else Fraction(self.share)
        most = self.most if self.aggregate == "top" else 1
        if self.aggregate == "sum" and self._adds_truths(where, schema):
            true = ColumnComparison(str(self.column), "=", constant=True)
            return Question("count", None, normal(AllOf((where, true)), schema), by)
        extremes: Mapping[Fraction | None, Aggregate] = {Fraction(0): "min", Fraction(1): "max"}
        if share in extremes:
            return Question(extremes[share], self.column, where, by)
        return Question(
            self.aggregate, None if self.aggregate == "count" else self.column, where, by, share, most
        )

    def _adds_truths(self, where: Filter, schema: Schema) -> bool:
        """Whether it is a sum of truth values, which is a count, with no filter on another private column."""
        hidden = where.columns & set(schema.private)
        return isinstance(schema.columns[str(self.column)], BooleanColumn) and hidden <= {self.column}

    def check(self, schema: Schema, limits: Limits | None = None) -> None:
        """Refuse what can be resolved for no population at all.

        Args:
            schema: the declared columns.
            limits: what the owner declares; without it, what depends on it is not looked at.

        Raises:
            RequestError, ColumnError: it cannot be priced or evaluated; the message says what can.
        """
        self.public_columns(schema)
        for column in self.by:
            if column not in schema.public:
                raise ColumnError(column, "is private; ask for its histogram instead of grouping by it")
        public, hidden = split(self.where, frozenset(schema.private))
        if NOBODY in (public, hidden):
            raise RequestError("nobody can pass the filter; there is nothing to ask about")
        if len(hidden.columns) > 1:
            raise RequestError("a question filters on one private column at most; ask several questions")
        for name in hidden.columns:
            require_listable(name, schema.columns[name].size)
        if self.aggregate != "count":
            self._check_column(schema, filtered=bool(hidden.columns))
        if limits is not None:
            self._check_limits(limits, filtered=bool(hidden.columns))

    def _check_column(self, schema: Schema, *, filtered: bool) -> None:
        name = str(self.column)
        if name not in schema.private:
            raise ColumnError(
                name, "is public, anybody may compute with it; ask about a private column, or group by it"
            )
        if self.aggregate in ("histogram", "top"):
            if filtered:
                raise RequestError(
                    "a histogram over a private filter has no price; ask for all of its classes"
                )
            require_listable(name, schema.columns[name].size)
            return
        Attribute.of(name, schema.columns[name])
        if self.aggregate == "quantile":
            rank_of(self._asked_share(), 1)
        if filtered and self.aggregate not in ("sum", "mean"):
            raise RequestError(
                f"a {self.aggregate} over a private filter has no price; filter on public columns"
            )
        if filtered and self.aggregate == "sum":
            require_listable(name, schema.columns[name].size)

    def _check_limits(self, limits: Limits, *, filtered: bool) -> None:
        if filtered and self.aggregate == "mean" and (limits.least_group is None or limits.rows > 1):
            raise RequestError(
                "a mean over a private filter needs a declared smallest group ([budget] min_group = 5),"
                " one row a person; or ask for the sum and the count"
            )
        if limits.rows > 1 and self.aggregate == "variance":
            raise RequestError("the variance is priced for one row a person; ask for sums and means instead")

    def resolve(
        self, schema: Schema, population: Population, limits: Limits
    ) -> tuple["ResolvedQuestion", ...]:
        """What it asks of each public group.

        Raises:
            RequestError: it cannot be priced; the message says what can.
        """
        self.check(schema, limits)
        public, hidden = split(self.where, frozenset(schema.private))
        groups = population.groups(public, self.by)
        if not groups:
            raise RequestError("nobody passes the public filter; there is nothing to ask about")
        return tuple(self._about(group, schema, hidden, limits) for group in groups)

    def _about(self, group: Group, schema: Schema, hidden: Filter, limits: Limits) -> "ResolvedQuestion":
        filters = next(iter(hidden.columns), None)
        if self.aggregate == "count" and filters is None:
            return ResolvedQuestion(
                self, group, hidden, count(group.people, Attribute("", range(1)), range(1)), None, None
            )
        name = str(filters if self.aggregate == "count" else self.column)
        other = filters if filters != name else None
        return ResolvedQuestion(
            self, group, hidden, self._built(group, schema, hidden, name, limits), name, other
        )

    def _built(self, group: Group, schema: Schema, hidden: Filter, name: str, limits: Limits) -> AnyQuery:
        """What is computed of a private column."""
        people, column = group.people, schema.columns[name]
        own = hidden.numbers(name, column) if hidden.columns == {name} else None
        if self.aggregate == "count":
            return count(people, Attribute(name, range(column.size)), own or (), limits.rows)
        if self.aggregate in ("histogram", "top"):
            histogram = Histogram.of_values(people, name, column.size, limits.rows)
            return histogram if self.aggregate == "histogram" else TopCounts(histogram, self.most)
        attribute = Attribute.of(name, column)
        if not hidden.columns:
            return self._plain(people, attribute, limits.rows)
        if self.aggregate == "sum":
            return total(people, attribute, own, limits.rows, excluded=own is None)
        return FilteredMean(people, attribute, limits.least_group or people, own)

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
        return makers[self.aggregate]()

    def _asked_share(self) -> Fraction:
        if self.share is None:
            raise RequestError("say which quantile: a share between 0 and 1")
        return Fraction(self.share)


@dataclass(frozen=True)
class ResolvedQuestion:
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
    query: AnyQuery
    column: str | None
    filtered_by: str | None

    @property
    def private_columns(self) -> tuple[str, ...]:
        """The private columns that the answer depends on."""
        return tuple(name for name in (self.column, self.filtered_by) if name is not None)

    @property
    def public(self) -> bool:
        """Whether the answer depends on no private column: everybody may know it."""
        return not self.private_columns


Cell = tuple[int, tuple[int, ...]]
"""A public cell and the numbers of some private columns."""


@dataclass(frozen=True)
class RowCounts:
    """How many rows have each combination of a public cell and numbers of private columns.

    An answer depends on these counts alone: it is the same on every engine, in any order of rows.
    """

    columns: tuple[str, ...]
    rows: Counter[Cell]

    @classmethod
    def take(
        cls, table: Table, schema: Schema, population: Population, private: Sequence[str]
    ) -> "RowCounts":
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

    def about(self, asked: ResolvedQuestion, schema: Schema) -> Counter[int]:
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


def _passing(asked: ResolvedQuestion, schema: Schema) -> frozenset[int] | None:
    if asked.filtered_by is None:
        return None
    return asked.hidden.numbers(asked.filtered_by, schema.columns[asked.filtered_by])


def _numbers(values: Sequence[Value], schema: Schema, name: str) -> list[int]:
    column = schema.columns[name]
    known = {value: column.index(value) for value in set(values)}
    return [number for value in values if (number := known[value]) is not None]
