"""Tiny towns with random SQL about them, whose answers are computed from the rows by the definition."""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import floor
from random import Random

import numpy as np

from noiseless.curator.declared_queries import read_queries
from noiseless.curator.disclosure import StoredAnswer
from noiseless.curator.edition import Batch, Edition
from noiseless.curator.exact_answers import keys_of
from noiseless.curator.public_state import PublicState
from noiseless.curator.snapshot import Snapshot
from noiseless.curator.transaction import PricedBatch, price_batch
from noiseless.domain import Schema
from noiseless.ledger import ChargedQuestion
from noiseless.pricing.batches import Price
from noiseless.questions.question import Limits


@dataclass(frozen=True)
class Row:
    """A row: the town is public, the numbers of x and y are private."""

    town: str
    x: int
    y: int


Truth = Callable[[Sequence[Row]], Fraction | None]
"""What a statement's only number is, given the rows; None where there is none."""


@dataclass(frozen=True)
class Question:
    """A statement with one number a row, and the truth of each row, in order."""

    sql: str
    truths: Callable[[Sequence[Row]], list[Fraction | None]]


class FakeBooks:
    """Questions that were charged for, in memory."""

    def __init__(self) -> None:
        self.rows: list[ChargedQuestion] = []

    def told(
        self, *, questions: Iterable[str] = (), grids: Iterable[str] = (), people: Iterable[str] = ()
    ) -> list[ChargedQuestion]:
        wanted = set(questions), set(grids), set(people)
        return [
            row
            for row in self.rows
            if row.question in wanted[0] or row.grid in wanted[1] or row.people in wanted[2]
        ]

    def charge(self, priced: PricedBatch) -> None:
        for disclosure in priced.fresh:
            found_by = keys_of(disclosure)
            self.rows.append(ChargedQuestion(disclosure.question, *found_by, disclosure.body, None, 0))

    def answer(self, answers: dict[str, StoredAnswer]) -> None:
        self.rows = [replace(row, answer=answers.get(row.question, row.answer)) for row in self.rows]


class Town:
    """A few people, what they may be, and a curator without files.

    Attributes:
        per: the columns that are the same in all rows of a person.
    """

    per: tuple[str, ...] = ()

    def __init__(self, random: Random, rows: int = 1, *, sql: bool = True) -> None:
        self.random, self.rows_a_person = random, rows
        self._batches: dict[str, Batch] = {}
        self._snapshots: dict[tuple[Row, ...], Snapshot] = {}
        persons = random.randint(1, 4) if rows == 1 else random.randint(1, 2)
        self.owners = [person for person in range(persons) for _ in range(rows)]
        self.towns = sorted(random.choice("ab") for _ in self.owners)
        if "town" in self.per:
            homes = sorted(random.choice("ab") for _ in range(persons))
            self.towns = [homes[owner] for owner in self.owners]
        elif rows > 1:
            random.shuffle(self.owners)
        self.low, self.step = random.choice((0, 0, -1, 2)), random.choice((1, 1, 2))
        self.size = random.randint(2, 6 if rows == 1 else 3)
        self.kinds = random.randint(1, 3 if rows == 1 else 2)
        high = self.low + self.step * (self.size - 1)
        categories = ", ".join(f'"{name}"' for name in "pqr"[: self.kinds])
        self.schema = Schema.parse(
            f"""
            [columns.town]
            role = "public"
            categories = ["a", "b"]
            {'per = "person"' if "town" in self.per else ""}
            [columns.x]
            role = "private"
            bounds = [{self.low}, {high}]
            step = {self.step}
            [columns.y]
            role = "private"
            categories = [{categories}]
            {'per = "person"' if "y" in self.per else ""}
            """
        )
        self.sql_is_asked = sql and random.random() < 0.1  # the engine takes its time
        self.declared, self.meanings = self._queries()
        queries = read_queries(tomllib.loads(self.declared, parse_float=Decimal), self.schema, "t")
        self.limits = Limits(rows, random.choice((None, 1, 2)), queries, "person" if rows > 1 else None)
        self.people = [Row(town, *random.choice(self.records)) for town in self.towns]
        if "y" in self.per:
            kinds = [random.randrange(self.kinds) for _ in range(persons)]
            self.people = [
                replace(row, y=kinds[owner]) for row, owner in zip(self.people, self.owners, strict=True)
            ]
        whole = self.snapshot(self.people)
        self.public = PublicState(self.schema, self.limits, whole.population, 1)
        self.public = replace(self.public, persons=whole.persons_by(np.array(self.public.homes)))
        self.edition = Edition(self.public, "t", "digest", random.choice((2, 2, 3, 4, 8)))

    @classmethod
    def of(
        cls, size: int, kinds: int, persons: int, *, rows: int = 1, outputs: int = 2, homes: str = "a"
    ) -> "Town":
        """So many people, each town's as many, with so many values of x, from 0 on, and of y."""
        town = cls(Random(0))
        town.rows_a_person, town.owners = rows, [place // rows for place in range(persons * rows)]
        town.towns, town.low, town.step = sorted(homes[owner % len(homes)] for owner in town.owners), 0, 1
        town.size, town.kinds, town.limits = size, kinds, Limits(rows, 1, ())
        categories = ", ".join(f'"{name}"' for name in "pqrst"[:kinds])
        town.schema = Schema.parse(
            f"""
            columns.town = {{role = "public", categories = ["a", "b"]}}
            columns.x = {{role = "private", bounds = [0, {size - 1}]}}
            columns.y = {{role = "private", categories = [{categories}]}}
            """
        )
        town.people = [Row(home, 0, 0) for home in town.towns]
        population = town.snapshot(town.people).population
        town.public = PublicState(town.schema, town.limits, population, 1)
        town.edition = Edition(town.public, "t", "digest", outputs)
        return town

    @property
    def records(self) -> list[tuple[int, int]]:
        return list(product(range(self.size), range(self.kinds)))

    def value(self, number: int) -> int:
        return self.low + self.step * number

    def snapshot(self, people: Sequence[Row]) -> Snapshot:
        ordered = sorted(enumerate(people), key=lambda pair: (pair[1].town, pair[1].x, pair[1].y))
        numbers = {
            "town": np.array(["ab".index(row.town) for _, row in ordered]),
            "x": np.array([row.x for _, row in ordered]),
            "y": np.array([row.y for _, row in ordered]),
        }
        ones = np.ones(len(people), np.int64)
        owners = np.array([self.owners[place] for place, _ in ordered])
        several = self.rows_a_person > 1
        names = tuple(map(str, range(max(self.owners) + 1))) if several else ()
        return Snapshot(self.schema, numbers, ones, owners if several else None, names)

    def others(self, person: int) -> Iterator[list[Row]]:
        """The rows with everything that one person could be."""
        own = [place for place, owner in enumerate(self.owners) if owner == person]
        for records in product(self.records, repeat=len(own)):
            if "y" in self.per and len({y for _, y in records}) > 1:
                continue
            people = list(self.people)
            for place, (x, y) in zip(own, records, strict=True):
                people[place] = Row(people[place].town, x, y)
            yield people

    def batch(self, sql: str) -> Batch:
        """A statement, planned once however many datasets it is asked of."""
        if sql not in self._batches:
            self._batches[sql] = self.edition.batch([sql])
        return self._batches[sql]

    def answers(self, batch: Batch, people: Sequence[Row]) -> dict[str, StoredAnswer]:
        own = tuple(people)
        snapshot = self._snapshots[own] = self._snapshots.get(own) or self.snapshot(own)
        return {disclosure.question: disclosure.compute(snapshot) for disclosure in batch.disclosures}

    def share(self, price: Price, person: int) -> int:
        """What a person is charged: as much as the dearest of the cells that their rows are in."""
        names = [cell[0] for cell in self.public.population.cells]
        cells = [names.index(self.towns[p]) for p, owner in enumerate(self.owners) if owner == person]
        return max(price.shares.get(cell, price.others).outputs for cell in cells)

    def priced(self, batch: Batch, books: FakeBooks, *, is_quote: bool = False) -> PricedBatch:
        record = self.public.record
        return price_batch(batch.disclosures, record, books, is_quote=is_quote)  # type: ignore[arg-type]  # all that prices look up

    # Random questions

    def _queries(self) -> tuple[str, dict[str, Callable[[Row], Fraction]]]:
        """Queries of the owner's own, as they are declared, and what each says of a row."""
        low, high = self.value(0), self.value(self.size - 1)
        first, second, step = self.random.randint(low, high), self.random.randint(-2, 3), Fraction(1, 2)
        start = self.value(self.random.randrange(self.size))
        kind = "pqr"[self.random.randrange(self.kinds)]
        formulas: list[tuple[str, Callable[[int], Fraction]]] = [
            (f"(x - {first})**2 / 3", lambda x: Fraction((x - first) ** 2, 3)),
            (f"max(x, {first}) * ({second}) + abs(x)", lambda x: Fraction(max(x, first) * second + abs(x))),
            (f"x / (x + {3 + abs(low)})", lambda x: Fraction(x, x + 3 + abs(low))),
        ]
        text, value = self.random.choice(formulas)
        declared = f"""
            [curve]
            formula = "{text}"
            step = 0.5
            aggregate = "{self.random.choice(("sum", "mean"))}"
            [band]
            pieces = [{{ value = {second}, x = [{start}, {high}] }}]
            otherwise = 1
            [both]
            pieces = [{{ value = 1.5, x = [{low}, {start}], y = "{kind}" }}, {{ value = -1, y = "{kind}" }}]
            aggregate = "sum"
            """
        if self.sql_is_asked:
            declared += f"""
            [top]
            sql = "SELECT MAX(x) - 2 * COUNT(*) FILTER (WHERE y = '{kind}') FROM t"
            bounds = [{low - 9}, {high + 1}]
            sensitivity = {high - low + 2 * self.rows_a_person}
            """

        def both(row: Row) -> Fraction:
            if "pqr"[row.y] != kind:
                return Fraction(0)
            return Fraction(3, 2) if self.value(row.x) <= start else Fraction(-1)

        def top(row: Row) -> Fraction:
            return Fraction("pqr"[row.y] == kind)

        meanings: dict[str, Callable[[Row], Fraction]] = {
            "curve": lambda row: floor(value(self.value(row.x)) / step + step) * step,
            "band": lambda row: Fraction(second if self.value(row.x) >= start else 1),
            "both": both,
            "top": top,
        }
        return declared, meanings

    def own(self) -> Question:
        query = self.random.choice(self.limits.queries)
        meaning, least = self.meanings[query.name], self.limits.least_group or 1

        def truth(rows: Sequence[Row]) -> Fraction | None:
            found = sum(map(meaning, rows), Fraction(0))
            if query.aggregate == "sum":
                return found
            few = len(rows) < least and len(rows) < len(self.towns)
            return None if few else found / len(rows)

        def top(rows: Sequence[Row]) -> list[Fraction | None]:
            return [max(self._values(rows)) - 2 * sum(map(meaning, rows), Fraction(0))]

        if query.name == "top":
            return Question("SELECT top() FROM t", top)
        return self._made(f"{query.name}()", None, "", truth)

    def question(self) -> Question:
        makers = [self.count, self.total, self.mean, self.extreme, self.histogram, self.filtered_total]
        makers += [self.own, self.own]
        if self.rows_a_person == 1:
            makers += [self.variance, self.filtered_mean]
        return self.random.choice(makers)()

    def _made(
        self, number: str, where: Callable[[Row], bool] | None, condition: str, truth: Truth
    ) -> Question:
        """A statement about everybody, about one town, or for each town."""
        scope = self.random.choice(("all", "all", "a", "b", "each"))
        hint = self.random.choice(("", "", "", "/*+ bits(2) */ ", "/*+ reach(3) */ ", "/*+ max_error(1) */ "))
        towns = sorted(set(self.towns))
        if scope in "ab" and scope not in towns:
            scope = "all"

        def answer(rows: Sequence[Row]) -> Fraction | None:
            return truth([row for row in rows if where is None or where(row)])

        if scope == "each":
            filtered = f" WHERE {condition}" if condition else ""
            return Question(
                f"SELECT {hint}town, {number} FROM t{filtered} GROUP BY town",
                lambda rows: [answer([row for row in rows if row.town == town]) for town in towns],
            )
        own = [] if scope == "all" else [f"town = '{scope}'"]
        parts = [*own, *([condition] if condition else [])]
        filtered = f" WHERE {' AND '.join(parts)}" if parts else ""
        return Question(
            f"SELECT {hint}{number} FROM t{filtered}",
            lambda rows: [answer([row for row in rows if scope in ("all", row.town)])],
        )

    def _condition(self) -> tuple[str, Callable[[Row], bool]]:
        if self.random.random() < 0.4:
            kinds = sorted(self.random.sample(range(self.kinds), self.random.randint(1, self.kinds)))
            return f"y IN ({', '.join(repr('pqr'[kind]) for kind in kinds)})", lambda row: row.y in kinds
        operator = self.random.choice((">=", "<", "<>"))
        bound = self.value(self.random.randrange(operator == "<", self.size))  # somebody can pass
        tests: dict[str, Callable[[int], bool]] = {
            ">=": lambda value: value >= bound,
            "<": lambda value: value < bound,
            "<>": lambda value: value != bound,
        }
        return f"x {operator} {bound}", lambda row: tests[operator](self.value(row.x))

    def _values(self, rows: Sequence[Row]) -> list[Fraction]:
        return [Fraction(self.value(row.x)) for row in rows]

    def count(self) -> Question:
        condition, where = self._condition()
        return self._made("COUNT(*)", where, condition, lambda rows: Fraction(len(rows)))

    def total(self) -> Question:
        return self._made("SUM(x)", None, "", lambda rows: sum(self._values(rows), Fraction(0)))

    def filtered_total(self) -> Question:
        condition, where = self._condition()
        return self._made("SUM(x)", where, condition, lambda rows: sum(self._values(rows), Fraction(0)))

    def mean(self) -> Question:
        least = self.limits.least_group or 1

        def truth(rows: Sequence[Row]) -> Fraction | None:
            few = len(rows) < least and len(rows) < len(self.towns)
            return None if few else sum(self._values(rows), Fraction(0)) / len(rows)

        return self._made("AVG(x)", None, "", truth)

    def filtered_mean(self) -> Question:
        condition, where = self._condition()
        least = self.limits.least_group
        if least is None or where(Row("a", 0, 0)) == all(where(Row("a", *record)) for record in self.records):
            return self.total()  # refused, or no filter at all

        def truth(rows: Sequence[Row]) -> Fraction | None:
            return None if len(rows) < least else sum(self._values(rows), Fraction(0)) / len(rows)

        return self._made("AVG(x)", where, condition, truth)

    def extreme(self) -> Question:
        def middle(rows: Sequence[Row]) -> Fraction:
            ordered, many = sorted(self._values(rows)), len(rows)
            return (ordered[(many - 1) // 2] + ordered[many // 2]) / 2

        kinds: list[tuple[str, Truth]] = [
            ("MIN(x)", lambda rows: min(self._values(rows))),
            ("MAX(x)", lambda rows: max(self._values(rows))),
            ("MEDIAN(x)", middle),
        ]
        return self._made(*self.random.choice([(name, None, "", truth) for name, truth in kinds]))

    def variance(self) -> Question:
        def spread(rows: Sequence[Row]) -> Fraction:
            values = self._values(rows)
            middle = sum(values, Fraction(0)) / len(values)
            return sum(((value - middle) ** 2 for value in values), Fraction(0)) / len(values)

        return self._made("VAR_POP(x)", None, "", spread)

    def histogram(self) -> Question:
        name, size = self.random.choice((("x", self.size), ("y", self.kinds)))

        def counts(rows: Sequence[Row]) -> list[Fraction | None]:
            values = [getattr(row, name) for row in rows]
            return [Fraction(values.count(number)) for number in range(size)]

        return Question(f"SELECT {name}, COUNT(*) FROM t GROUP BY {name}", counts)
