"""Small random tables, and what a statement truly comes to on them."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from random import Random

import polars as pl

from filter_examples import holds, number_of
from noiseless.domain import Value
from noiseless.errors import RequestError
from noiseless.questions import Attribute, CountedQuery, Query, count, mean, total
from noiseless.questions.additive import EXCLUDED
from noiseless.questions.attributes import attribute_of, column_of, key_values
from noiseless.questions.derived import DerivedColumn
from noiseless.questions.filters import AllOf, Among, Filter, kind_of
from noiseless.questions.question import Limits, Population, Question
from noiseless.questions.sql import AnswerInterval, Row, Statement
from noiseless.questions.sql.statement import Cell
from noiseless.questions.statistics import FilteredMean, FilteredOrder, FilteredQuery, FilteredVariance
from noiseless.ranges.quantizer import Uniform
from sql_examples import SCHEMA

Record = dict[str, Value]
Telling = Callable[[Query, Mapping[int, int]], AnswerInterval | None]


def random_records(random: Random, rows: int) -> list[Record]:
    """Rows of the declared table."""
    columns = SCHEMA.columns
    return [
        {name: columns[name].value(random.randrange(columns[name].size)) for name in columns}
        for _ in range(rows)
    ]


def frame(records: list[Record]) -> pl.DataFrame:
    """The rows as a frame, numbers as doubles: half steps are exact there."""
    return pl.DataFrame({name: [_plain(record[name]) for record in records] for name in SCHEMA.columns})


def _plain(value: Value) -> int | float | str | bool | date:
    return float(value) if isinstance(value, Decimal) else value


@dataclass(frozen=True)
class World:
    """A table."""

    records: list[Record]

    @property
    def population(self) -> Population:
        """How many rows each combination of public values has."""
        sizes = Counter(tuple(record[name] for name in SCHEMA.public) for record in self.records)
        return Population(SCHEMA.public, tuple(sizes), tuple(sizes.values()))

    def groups(self, where: Filter, by: tuple[str, ...] = ()) -> dict[tuple[Value, ...], list[Record]]:
        """The rows of each public group, in the order of their values."""
        found: dict[tuple[Value, ...], list[Record]] = {}
        for record in self.records:
            if holds(where, record):
                found.setdefault(tuple(record[name] for name in by), []).append(record)
        return dict(sorted(found.items(), key=lambda group: [(kind_of(v), v) for v in group[0]]))

    def reply(self, statement: Statement, tell: Telling, limits: Limits) -> tuple[tuple[Cell, ...], ...]:
        """What the statement comes to when each answer is told in some way.

        Raises:
            NoiselessError: a question is about nobody, or about fewer than the smallest group.
        """
        answers: dict[tuple[Value, ...], dict[Question, object]] = {}
        for question in statement.questions:
            groups = self.groups(question.public, question.by)
            if not groups:
                raise RequestError("nobody passes the public filter; there is nothing to ask about")
            for values, records in groups.items():
                answers.setdefault(values, {})[question] = told(question, records, tell, limits)
        return statement.reply(self._rows(statement, answers))

    def _rows(
        self, statement: Statement, answers: Mapping[tuple[Value, ...], Mapping[Question, object]]
    ) -> Iterator[Row]:
        for values in self.groups(statement.groups, statement.by):
            keys = dict(zip(statement.by, values, strict=True))
            found = answers.get(values, {})
            if statement.histogram is None:
                yield Row(keys, found)  # type: ignore[arg-type]
                continue
            name = statement.histogram
            column = column_of(name, SCHEMA)
            for number in range(column.size):
                own = {question: answers[number] for question, answers in found.items()}  # type: ignore[index]
                yield Row({**keys, **(key_values(name, column, number) or {})}, own)


def told(question: Question, records: list[Record], tell: Telling, limits: Limits) -> object:
    """What is told of one group."""
    if question.aggregate == "histogram":
        name = str(question.column)
        domain = column_of(name, SCHEMA)
        found = Counter(number_of(name, domain, record) for record in records)
        return {number: AnswerInterval.of(found[number]) for number in range(domain.size)}
    if question.classes is not None:
        name, domain = question.classes, column_of(question.classes, SCHEMA)
        each = {}
        for number in range(domain.size):
            own = Among(name, ((number, number + 1),), domain)
            where = own if question.private is None else AllOf((question.private, own))
            each[number] = told(replace(question, private=where, classes=None), records, tell, limits)  # type: ignore[arg-type]
        return each
    hidden, people = question.private, len(records)
    if question.aggregate == "count":
        if hidden is None:
            return AnswerInterval.of(people)
        passing = sum(holds(hidden, record) for record in records)
        return tell(count(people, Attribute("", range(2)), {1}), {1: passing, 0: people - passing})
    column = str(question.column)
    query = query_of(question, people, limits)
    if hidden is None or (_is_own(hidden, column) and question.aggregate in ("sum", "mean")):
        return tell(query, _counts(column, records))
    inside = [record for record in records if holds(hidden, record)]
    return tell(query, _counts(column, inside) + Counter({EXCLUDED: people - len(inside)}))


def query_of(question: Question, people: int, limits: Limits) -> Query:
    """What is computed of a private column."""
    column, hidden = str(question.column), question.private
    attribute = attribute_of(column, column_of(column, SCHEMA), days=True)
    if hidden is None:
        if question.aggregate == "mean":
            return mean(people, attribute, limits.rows)
        return question.query(people, attribute, limits.rows)
    own = frozenset(n for a, b in hidden.runs for n in range(a, b)) if _is_own(hidden, column) else None
    least = limits.least_group or people
    if question.aggregate == "sum":
        return total(people, attribute, own, limits.rows, excluded=own is None)
    if question.aggregate == "variance":
        return FilteredVariance(people, attribute, least)
    if question.aggregate != "mean":
        share = {"min": Fraction(0), "max": Fraction(1), "median": None}.get(
            question.aggregate, question.share
        )
        return FilteredOrder(people, attribute, least, share)
    return FilteredMean(people, attribute, least, own)


def _is_own(hidden: Filter, column: str) -> bool:
    """Whether a filter is on the very column that is aggregated."""
    return isinstance(hidden, Among) and hidden.column == column and column in SCHEMA.columns


def _counts(column: str, records: list[Record]) -> Counter[int]:
    domain = column_of(column, SCHEMA)
    numbers = [number_of(column, domain, record) or 0 for record in records]
    if isinstance(domain, DerivedColumn) and domain.kind in ("number", "date") and domain.lattice is None:
        places = attribute_of(column, domain, days=True).numbers
        return Counter(places[number] for number in numbers)
    return Counter(numbers)


def exactly(query: Query, counts: Mapping[int, int]) -> AnswerInterval | None:
    """The true answer."""
    if isinstance(query, FilteredQuery):
        mean = query.told(counts)
        return None if mean is None else AnswerInterval.of(mean)
    assert isinstance(query, CountedQuery)
    return AnswerInterval.of(query.span.value(query.position(counts)))  # type: ignore[union-attr]


def coarsely(query: Query, counts: Mapping[int, int]) -> AnswerInterval | None:
    """One of a few cells that the true answer lies in."""
    truth = exactly(query, counts)
    if truth is None:
        return None
    quantizer = Uniform(query.span, 3)
    answer = quantizer.answer(quantizer.cell(Fraction(truth.lower)))
    return AnswerInterval.of(answer.lower, answer.upper)
