"""What is free against all linear relations between answers, which are written down from the definition.

An exact answer is the sum of a number of each row. Over the public cells and everything that a row can be it
is a list of numbers, and it follows from others when its list is a combination of theirs and of the public
sizes of the cells. The lists are made here from Python functions of a row, not from the statements.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import pytest
from flint import fmpq, fmpq_mat

from noiseless.errors import RequestError
from oracle.towns import FakeBooks, Row, Town
from soaking import seeds

WORLDS = seeds(3)
Worth = Callable[[Row], Fraction]
_FINDABLE = 4
"""The first conditions have two places at most, and questions are found by the first and the last."""


@dataclass(frozen=True)
class Asked:
    """A statement whose rows are sums, of the rows of some towns each.

    Attributes:
        sql: the statement.
        sums: the towns of each number, and what a row adds to it.
        least: where the numbers are a count and a sum, of which a mean is told: for at least this many rows.
    """

    sql: str
    sums: Sequence[tuple[str, Worth]]
    least: int | None = None


class Statements:
    """Random statements about a town."""

    def __init__(self, town: Town, *, plain: bool = False) -> None:
        """Of all kinds, or counts of everybody, with simple conditions."""
        self.town, self.random, self.plain = town, town.random, plain
        self.towns = "".join(sorted(set(town.towns)))

    def x(self, row: Row) -> Fraction:
        return Fraction(self.town.value(row.x))

    def condition(self) -> tuple[str, Callable[[Row], bool]]:
        low, high = sorted(self.town.value(self.random.randrange(self.town.size)) for _ in range(2))
        kinds = sorted(self.random.sample("pqr"[: self.town.kinds], self.random.randint(1, self.town.kinds)))
        kind = self.random.choice("pqr"[: self.town.kinds])
        place = self.random.choice("ab")
        listed = ", ".join(map(repr, kinds))
        chosen: list[tuple[str, Callable[[Row], bool]]] = [
            (f"x >= {high}", lambda row: self.x(row) >= high),
            (f"x BETWEEN {low} AND {high}", lambda row: low <= self.x(row) <= high),
            (f"y IN ({listed})", lambda row: "pqr"[row.y] in kinds),
            (f"x >= {high} AND y = '{kind}'", lambda row: self.x(row) >= high and "pqr"[row.y] == kind),
            (f"x < {high} AND y <> '{kind}'", lambda row: self.x(row) < high and "pqr"[row.y] != kind),
            (f"x IN ({low}, {high})", lambda row: self.x(row) in (low, high)),
            (f"(x >= {high} OR y = '{kind}')", lambda row: self.x(row) >= high or "pqr"[row.y] == kind),
            (f"(town = '{place}' OR x > {low})", lambda row: row.town == place or self.x(row) > low),
            (
                f"x > CASE WHEN y = '{kind}' THEN {low} ELSE {high} END",
                lambda row: self.x(row) > (low if "pqr"[row.y] == kind else high),
            ),
        ]
        return self.random.choice(chosen[: _FINDABLE if self.plain else None])

    def value(self) -> tuple[str, Worth]:
        kind, limit = self.random.choice("pqr"[: self.town.kinds]), self.random.randint(-1, 3)
        chosen: list[tuple[str, Worth]] = [
            ("x", self.x),
            ("x", self.x),
            ("x * 2 + 1", lambda row: 2 * self.x(row) + 1),
            ("x * x", lambda row: self.x(row) ** 2),
            (
                f"CASE WHEN y = '{kind}' THEN x ELSE {limit} END",
                lambda row: self.x(row) if "pqr"[row.y] == kind else Fraction(limit),
            ),
            (f"GREATEST(x, {limit})", lambda row: max(self.x(row), Fraction(limit))),
            ("CASE WHEN town = 'a' THEN x ELSE 0 END", lambda row: self.x(row) * (row.town == "a")),
            (
                f"NULLIF(x, {limit})",
                lambda row: Fraction(0) if self.x(row) == limit else self.x(row),
            ),
        ]
        return self.random.choice(chosen)

    def statement(self) -> Asked:
        condition, holds = self.condition()
        kinds = ("count", "count", "count", "histogram", "sum", "sum", "mean", "classes")
        kind = self.random.choice(kinds[: 4 if self.plain else None])
        if kind == "histogram":
            return self._histogram(*((condition, holds) if self.random.random() < 0.4 else ("", None)))
        if kind == "classes":
            text, worth = self.value()
            sums = [(self.towns, lambda row, y=y: worth(row) * (row.y == y)) for y in range(self.town.kinds)]
            return Asked(f"SELECT /*+ max_error(0) */ y, SUM({text}) FROM t GROUP BY y", sums)
        if kind == "mean" and self.town.limits.least_group is None:
            kind = "sum"
        text, worth = ("x", self.x) if kind == "mean" else self.value()
        number = {"count": "COUNT(*)", "sum": f"SUM({text})", "mean": "AVG(x)"}[kind]
        hint = "/*+ max_error(0) */ " if kind == "sum" else ""
        parts: list[Worth] = [lambda row: Fraction(holds(row)) * (worth(row) if kind == "sum" else 1)]
        if kind == "mean":
            parts.append(lambda row: holds(row) * worth(row))
        least = self.town.limits.least_group if kind == "mean" else None
        scope = self.random.choice(("all", "all", *self.towns, "each")[: 1 if self.plain else None])
        if scope == "each":
            sql = f"SELECT {hint}town, {number} FROM t WHERE {condition} GROUP BY town"
            return Asked(sql, [(town, part) for town in self.towns for part in parts], least)
        own = "" if scope == "all" else f" AND town = '{scope}'"
        towns = self.towns if scope == "all" else scope
        sql = f"SELECT {hint}{number} FROM t WHERE {condition}{own}"
        return Asked(sql, [(towns, part) for part in parts], least)

    def _histogram(self, condition: str, holds: Callable[[Row], bool] | None) -> Asked:
        keys = self.random.choice((["x"], ["y"], ["x", "y"], ["FLOOR(x / 2)"]))
        every = [Row(town, *record) for town in self.towns for record in self.town.records]
        own: dict[str, Callable[[Row], object]] = {
            "x": lambda row: row.x,
            "y": lambda row: row.y,
            "FLOOR(x / 2)": lambda row: self.x(row) // 2,
        }

        def of(row: Row) -> object:
            return tuple(own[key](row) for key in keys)

        sums = [
            (self.towns, lambda row, v=v: Fraction(of(row) == v and (holds is None or holds(row))))
            for v in dict.fromkeys(map(of, every))
        ]
        where = f" WHERE {condition}" if condition else ""
        names = ", ".join(keys)
        return Asked(f"SELECT /*+ reach(100) */ {names}, COUNT(*) FROM t{where} GROUP BY {names}", sums)


class Space:
    """All combinations of answers that were charged for, and of public sizes."""

    def __init__(self, town: Town) -> None:
        self.rows = [Row(home, *record) for home in sorted(set(town.towns)) for record in town.records]
        self.lists = [[Fraction(row.town == home) for row in self.rows] for home in set(town.towns)]

    def of(self, asked: Asked) -> list[list[Fraction]]:
        return [[worth(row) * (row.town in towns) for row in self.rows] for towns, worth in asked.sums]

    def holds(self, lists: Sequence[list[Fraction]]) -> bool:
        return _rank(self.lists) == _rank([*self.lists, *lists])


def _rank(lists: Sequence[list[Fraction]]) -> int:
    rows = [[fmpq(Fraction(v).numerator, Fraction(v).denominator) for v in each] for each in lists]
    return int(fmpq_mat(rows).rank())


def ask(town: Town, asked: Asked, books: FakeBooks) -> bool:
    """Whether a statement is free; what is free is what the rows say, and what is not is answered."""
    batch = town.edition.batch([asked.sql])
    priced = town.priced(batch, books)
    computed = town.answers(batch, town.people)
    fresh = {one.question for one in priced.fresh}
    for disclosure in batch.disclosures:
        if disclosure.question not in fresh:
            assert priced.answer(disclosure) == computed[disclosure.question], asked.sql
    books.charge(priced)
    books.answer(computed)
    return not fresh


@pytest.mark.parametrize("seed", range(24))
def test_what_is_free_is_what_earlier_answers_say(seed: int) -> None:
    random = Random(seed * 104_729)
    for _ in WORLDS:
        town = Town(random, random.choice((1, 1, 2)), sql=False)
        assert all(told for *_, told in asking(town, Statements(town)))


@pytest.mark.parametrize("seed", range(24))
def test_every_combination_of_counts_is_free(seed: int) -> None:
    """Of everybody, with simple conditions on one column or on two, in whatever order they are asked for."""
    random = Random(seed * 15_485_863)
    for _ in WORLDS:
        town = Town(random, sql=False)
        for follows, free, told in asking(town, Statements(town, plain=True)):
            assert free or not follows, told


def asking(town: Town, statements: Statements) -> Iterator[tuple[bool, bool, list[str]]]:
    """Whether statements follow from those before, whether they are free, and all until then."""
    space, books, told = Space(town), FakeBooks(), list[str]()
    for _ in range(12):
        asked = statements.statement()
        with suppress(RequestError):  # nobody can pass
            town.edition.batch([asked.sql])
            told.append(asked.sql)
            follows = space.holds(space.of(asked))
            yield follows, ask(town, asked, books), told
            if asked.least is None:
                space.lists += space.of(asked)
