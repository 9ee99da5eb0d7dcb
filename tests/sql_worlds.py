"""Small random tables, and what a statement truly comes to on them."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from random import Random

import polars as pl

from noiseless.domain import Value
from noiseless.questions import CountedQuery, Query
from noiseless.questions.question import Limits, Population, Question, ResolvedQuestion, RowCounts
from noiseless.questions.sql import AnswerInterval, Row, Statement
from noiseless.questions.sql.statement import Cell
from noiseless.questions.statistics import FilteredMean, Histogram, TopCounts
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
    """A table, counted once."""

    population: Population
    counts: RowCounts

    @classmethod
    def of(cls, records: list[Record]) -> "World":
        """Count the rows without any engine."""
        public, private = SCHEMA.public, SCHEMA.private
        sizes = Counter(tuple(record[name] for name in public) for record in records)
        population = Population(public, tuple(sizes), tuple(sizes.values()))
        rows = Counter(
            (
                population.index[tuple(record[name] for name in public)],
                tuple(SCHEMA.columns[name].index(record[name]) or 0 for name in private),
            )
            for record in records
        )
        return cls(population, RowCounts(private, rows))

    def reply(self, statement: Statement, tell: Telling, limits: Limits) -> tuple[tuple[Cell, ...], ...]:
        """What the statement comes to when each answer is told in some way.

        Raises:
            NoiselessError: a question cannot be resolved for this population.
        """
        answers: dict[tuple[Value, ...], dict[Question, object]] = {}
        for question in statement.questions:
            for asked in question.resolve(SCHEMA, self.population, limits):
                answers.setdefault(asked.group.values, {})[question] = self._told(asked, tell)
        return statement.reply(self._rows(statement, answers))

    def _told(self, asked: ResolvedQuestion, tell: Telling) -> object:
        counts = self.counts.about(asked, SCHEMA)
        if isinstance(asked.query, Histogram | TopCounts):
            return asked.query.counts(counts)
        return tell(asked.query, counts)

    def _rows(
        self, statement: Statement, answers: Mapping[tuple[Value, ...], Mapping[Question, object]]
    ) -> Iterator[Row]:
        for group in self.population.groups(statement.groups, statement.by):
            keys = dict(zip(statement.by, group.values, strict=True))
            found = answers.get(group.values, {})
            if statement.histogram is None:
                yield Row(keys, found)  # type: ignore[arg-type]
                continue
            column = SCHEMA.columns[statement.histogram]
            for number in range(column.size):
                own = {question: AnswerInterval.of(counts[number]) for question, counts in found.items()}  # type: ignore[index]
                yield Row({**keys, statement.histogram: column.value(number)}, own)


def exactly(query: Query, counts: Mapping[int, int]) -> AnswerInterval | None:
    """The true answer."""
    if isinstance(query, FilteredMean):
        mean = query.mean(counts)
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
