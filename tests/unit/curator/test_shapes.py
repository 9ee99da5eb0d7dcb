from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from noiseless.curator.shapes import Shapes
from noiseless.domain import Schema
from noiseless.errors import RequestError
from noiseless.queries.question import Limits
from noiseless.queries.sql import Reader, Statement, parse

SCHEMA = Schema.parse(
    """
    [columns.town]
    role = "public"
    categories = ["a", "b", "c c"]
    [columns.year]
    role = "public"
    bounds = [2000, 2010]
    [columns.age]
    role = "private"
    bounds = [-10, 120]
    step = 0.5
    [columns.kind]
    role = "private"
    categories = ["p", "q"]
    [columns.ill]
    role = "private"
    type = "boolean"
    """
)


class Counting(Reader):
    """A reader that counts how often it is needed."""

    def __init__(self) -> None:
        super().__init__(SCHEMA, "t", Limits(1, 3))
        self.times = 0

    def read(self, sql: str) -> Statement:
        self.times += 1
        return super().read(sql)


def same(one: Statement, two: Statement) -> bool:
    parts = ("columns", "questions", "by", "histogram", "groups", "order", "limit", "hints")
    return all(getattr(one, name) == getattr(two, name) for name in parts)


def texts(random: Random) -> Iterator[str]:
    heads = ("COUNT(*)", "AVG(age)", "SUM(age) * 2 + MAX(age)", "SUM(age) / COUNT(*) AS m, MIN(age)")
    signs = (">=", "<", "<=", ">", "=")
    ages = ("3", "3.25", "-4", "119.5", "500")
    for head in (*heads, "SUM(ill)"):
        for tail in ("", " GROUP BY town", " GROUP BY kind", " GROUP BY town ORDER BY 1 DESC"):
            for _ in range(6):
                conditions = random.sample(
                    [
                        f"town = '{random.choice(['a', 'b', 'c c'])}'",
                        f"year {random.choice(['>=', '<', '='])} {random.randint(1998, 2012)}",
                        f"age {random.choice(signs)} {random.choice(ages)}",
                        f"kind = '{random.choice('pqz')}'",
                    ],
                    random.randint(1, 3),
                )
                key = "town, " if "town" in tail else "kind, " if "kind" in tail else ""
                yield f"SELECT {key}{head} FROM t WHERE {' AND '.join(conditions)}{tail}"


@pytest.mark.parametrize("seed", range(12))
def test_a_filled_statement_is_the_one_that_reading_gives(seed: int) -> None:
    shapes = Shapes(Counting())
    for sql in texts(Random(seed)):
        try:
            expected = parse(sql, SCHEMA, "t", Limits(1, 3))
        except RequestError as error:
            with pytest.raises(type(error)):
                shapes.read(sql)
        else:
            assert same(shapes.read(sql).whole, expected), sql


def test_a_shape_is_read_once() -> None:
    reader = Counting()
    shapes = Shapes(reader)
    for number, town in product(range(1, 100), "ab"):
        shapes.read(f"SELECT AVG(age) FROM t WHERE town = '{town}' AND year >= {2000 + number % 9 + 1}")
        shapes.read(f"SELECT COUNT(*) FROM t WHERE age < {number}.5")
    assert reader.times == 2


@pytest.mark.parametrize(
    "several",
    [
        ("SELECT COUNT(*) FROM t WHERE age >= 3 OR age >= {}",),
        ("SELECT COUNT(*) FROM t WHERE age >= {} AND age <= 100",),
        ("SELECT COUNT(*) FROM t WHERE NOT age >= {}",),
        ('SELECT COUNT(*) AS "age >= 3" FROM t WHERE age >= {}',),
        ("SELECT COUNT(*) FROM t WHERE age >= {} -- and more",),
        ("SELECT /* age >= 3 */ COUNT(*) FROM t WHERE age >= {}",),
        ("SELECT COUNT(*) FILTER (WHERE age >= 3) FROM t WHERE year >= 200{}",),
        ("SELECT COUNT(*) FROM t WHERE age + 1 >= {}",),
        ("SELECT COUNT(*) FROM t WHERE age >= {} + 1",),
        ("SELECT COUNT(*) FROM t WHERE age >= {}e0",),
        ("SELECT COUNT(*) FROM t WHERE kind IN ('p', 'q') AND age >= {}",),
        ("SELECT COUNT(*) FROM t WHERE AGE >= {}",),
    ],
)
def test_whatever_is_less_plain_is_read_each_time(several: tuple[str, ...]) -> None:
    reader = Counting()
    shapes = Shapes(reader)
    for text in several:
        for number in (3, 4, 5):
            sql = text.format(number)
            try:
                expected = parse(sql, SCHEMA, "t", Limits(1, 3))
            except RequestError:
                with pytest.raises(RequestError):
                    shapes.read(sql)
            else:
                assert same(shapes.read(sql).whole, expected)
    assert reader.times == 3


def test_hints_belong_to_the_shape() -> None:
    shapes = Shapes(Counting())
    for bits, age in product((1, 2), (3, 4)):
        sql = f"SELECT /*+ bits({bits}) */ AVG(age) FROM t WHERE year > 200{age}"
        assert same(shapes.read(sql).whole, parse(sql, SCHEMA, "t", Limits(1, 3)))


def test_what_is_no_text_is_left_to_the_reader() -> None:
    with pytest.raises(RequestError):
        Shapes(Counting()).read(5)  # type: ignore[arg-type]
