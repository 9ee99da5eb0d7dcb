"""How far prices are above the most joint answers that one person is found to cause, by listing them."""

from itertools import product

import pytest

from oracle.towns import FakeBooks, Row, Town

MEAN = "SELECT AVG(x) FROM t WHERE"
QUANTILES = [
    f"SELECT PERCENTILE_DISC({share}) WITHIN GROUP (ORDER BY x) FROM t" for share in (0, 0.25, 0.75, 1)
]
LARGE = [f"SELECT SUM(x) FROM t WHERE x >= {least}" for least in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("town", "batch", "price", "truth"),
    [
        (Town.of(4, 5, 2), [f"{MEAN} y = '{kind}'" for kind in "pqrst"], 5, 5),
        (Town.of(4, 3, 3, outputs=3), [f"{MEAN} y = '{kind}'" for kind in "pqr"], 6, 6),
        (Town.of(4, 2, 3, outputs=3), [f"{MEAN} y = 'p'", f"{MEAN} y <> 'p'"], 4, 4),
        (Town.of(4, 2, 3, outputs=3), ["SELECT AVG(x), COUNT(*), SUM(x) FROM t WHERE y = 'p'"], 5, 5),
        (Town.of(4, 1, 2, rows=2), QUANTILES, 3, 3),
        (Town.of(4, 1, 3), ["SELECT MIN(x), MAX(x), MEDIAN(x) FROM t"], 2, 2),
        (Town.of(4, 1, 4), ["SELECT MIN(x), MAX(x), MEDIAN(x) FROM t"], 3, 3),
        (Town.of(6, 1, 2, rows=2), LARGE, 8, 7),
    ],
)
def test_prices_are_close_to_the_truth(town: Town, batch: list[str], price: int, truth: int) -> None:
    planned = town.edition.batch(batch)
    own = [place for place, owner in enumerate(town.owners) if owner == 0]
    found = 0
    for others in product(town.records, repeat=len(town.owners) - len(own)):
        told = set()
        for mine in product(town.records, repeat=len(own)):
            answers = town.answers(planned, [Row("a", *record) for record in (*mine, *others)])
            told.add(str([answers[one.question] for one in planned.disclosures]))
        found = max(found, len(told))
    assert (town.priced(planned, FakeBooks()).price.outputs, found) == (price, truth)


def test_a_histogram_after_a_threshold_costs_what_is_left() -> None:
    town, books = Town.of(8, 1, 2, outputs=8), FakeBooks()
    for sql, price in (
        ("SELECT COUNT(*) FROM t WHERE x >= 4", 2),
        ("SELECT x, COUNT(*) FROM t GROUP BY x", 4),
        ("SELECT COUNT(*) FROM t WHERE x IN (1, 3, 6)", 1),
    ):
        priced = town.priced(town.edition.batch([sql]), books)
        assert priced.price.outputs == price
        books.charge(priced)
