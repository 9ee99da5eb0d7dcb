"""Any statements in any order, against all datasets: what one person causes, and what free answers tell."""

import re
from collections import defaultdict
from random import Random

import pytest

from noiseless.errors import RequestError
from oracle.expression_towns import HomeTown
from oracle.test_deduction import everything
from oracle.towns import FakeBooks, Row, Town
from soaking import seeds

DATASETS = seeds(1)
HINTS = (
    "",
    "",
    "",
    "bits(0)",
    "bits(2)",
    "reach(3)",
    "reach(20)",
    "max_error(0)",
    "max_error(0)",
    "max_error(1)",
)


class Statements:
    """Statements of several columns, private and public, many of them akin to earlier ones."""

    def __init__(self, town: Town) -> None:
        self.town, self.random, self.bodies = town, town.random, list[str]()

    def value(self) -> int:
        return self.town.value(self.random.randrange(self.town.size))

    def kind(self) -> str:
        return repr(self.random.choice("pqr"[: self.town.kinds]))

    def number(self) -> str:
        chosen = ["x"] * 5
        chosen += ["x * 2 + 1", "x * x", "ABS(x)", "FLOOR(x / 2)", f"GREATEST(x, {self.value()})"]
        chosen += [
            f"NULLIF(x, {self.value()})",
            f"CASE WHEN y = {self.kind()} THEN x ELSE {self.value()} END",
        ]
        chosen += [
            f"x * CASE WHEN y = {self.kind()} THEN 1 ELSE -1 END",
            "CASE WHEN town = 'a' THEN x ELSE 0 END",
        ]
        return self.random.choice(chosen)

    def condition(self, depth: int = 0) -> str:
        if depth < 2 and self.random.random() < 0.3:
            both = (self.condition(depth + 1), self.condition(depth + 1))
            return f"({self.random.choice((' AND ', ' OR ')).join(both)})"
        low, high = sorted((self.value(), self.value()))
        chosen = [
            f"x >= {high}",
            f"x < {high}",
            f"x = {low}",
            f"x BETWEEN {low} AND {high}",
            f"x IN ({low}, {high})",
        ]
        chosen += [f"y = {self.kind()}", f"y <> {self.kind()}", f"town = '{self.random.choice('ab')}'"]
        chosen += [
            f"x > CASE WHEN y = {self.kind()} THEN {low} ELSE {high} END",
            f"NOT (NULLIF(x, {low}) > 0)",
        ]
        return self.random.choice(chosen)

    def body(self) -> str:
        """A statement without a hint; some are an earlier one with another condition."""
        earlier = self.random.choice(self.bodies) if self.bodies and self.random.random() < 0.5 else ""
        head, where, condition = earlier.partition(" WHERE ")
        if where and " GROUP BY " not in condition:
            changed = (condition, f"NOT ({condition})", f"({condition}) AND {self.condition()}")
            return f"{head} WHERE {self.random.choice(changed)}"
        if earlier:
            return earlier
        numbers = ["COUNT(*)"] * 4 + [f"SUM({self.number()})"] * 3 + [f"AVG({self.number()})"]
        numbers += [f"{name}({self.number()})" for name in ("MIN", "MAX", "MEDIAN", "VAR_POP")]
        number = self.random.choice([*numbers, f"SUM(x) FILTER (WHERE {self.condition()})"])
        where = f" WHERE {self.condition()}" if self.random.random() < 0.6 else ""
        keys = self.random.choice(
            ("", "", "", "", "town", "y", "x", "x, y", "town, y", "FLOOR(x / 2)", "x > 0")
        )
        grouped = f" GROUP BY {keys}" if keys else ""
        body = f"SELECT {keys}{', ' * bool(keys)}{number} FROM t{where}{grouped}"
        return self.of_persons(body) if self.town.per and self.random.random() < 0.5 else body

    def of_persons(self, body: str) -> str:
        """The same of persons and what their rows add up to."""
        one = self.random.choice(("SUM(x)", "MAX(x)", "COUNT(*)", f"COUNT_IF(x > {self.value()})"))
        view = f"(SELECT person, town, y, {one} AS s FROM t GROUP BY person, town, y)"
        return re.sub(r"\bx\b", "s", body).replace(" FROM t", f" FROM {view}", 1)

    def statement(self) -> str:
        body, hint = self.body(), self.random.choice(HINTS)
        self.bodies.append(body)
        return body.replace("SELECT", f"SELECT /*+ {hint} */", 1) if hint else body


def few(random: Random) -> tuple[Town, list[list[Row]]]:
    """A town in which all that people can be is little, and that."""
    while True:
        kind, rows = random.choice(((Town, 1), (Town, 2), (HomeTown, 2)))
        town = kind(random, rows)
        if len(town.records) ** len(town.towns) <= 1000:
            datasets = [people for people in everything(town) if is_of(town, people)]
            if 1 < len(datasets) <= 100:
                return town, datasets


def is_of(town: Town, people: list[Row]) -> bool:
    """Whether rows of a person agree in what is declared so."""
    pairs = {(owner, row.y) for owner, row in zip(town.owners, people, strict=True)}
    return "y" not in town.per or len(pairs) == len(set(town.owners))


@pytest.mark.parametrize("seed", range(16))
def test_after_any_transcript_what_one_person_causes_is_charged_and_what_is_free_follows(seed: int) -> None:
    """The others and all earlier answers being what they are, whatever these are."""
    random = Random(seed * 15_485_863)
    for town, datasets in [few(random) for _ in DATASETS]:
        books, statements = FakeBooks(), Statements(town)
        charged, shown = [""] * len(datasets), [""] * len(datasets)
        for _ in range(10):
            try:
                batch = town.edition.batch([statements.statement() for _ in range(random.randint(1, 3))])
            except RequestError:
                continue
            priced = town.priced(batch, books)
            fresh = sorted(one.question for one in priced.fresh)
            answers = [town.answers(batch, people) for people in datasets]
            before = charged
            charged = [
                old + str([own[one] for one in fresh]) for old, own in zip(before, answers, strict=True)
            ]
            shown = [old + str(sorted(own.items())) for old, own in zip(shown, answers, strict=True)]
            assert len(set(charged)) == len(set(zip(charged, shown, strict=True)))
            for person in set(town.owners):
                caused = defaultdict(set)
                for people, old, new in zip(datasets, before, charged, strict=True):
                    pairs = zip(people, town.owners, strict=True)
                    caused[old, *(row for row, owner in pairs if owner != person)].add(new)
                assert max(map(len, caused.values())) <= town.share(priced.price, person)
            books.charge(priced)
            books.answer(town.answers(batch, town.people))
