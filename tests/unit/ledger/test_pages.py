"""Entries are read page by page: none is missing, and no page is longer than it may be."""

import random
from typing import Any

import pytest

from noiseless.amounts import Cost
from noiseless.ledger import Ledger, NewQuestion
from noiseless.ledger import statements as pages

pytest_plugins = ["databases"]


def test_pages_have_all_entries_and_bounds(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(3)
    with Ledger.open(database_url) as ledger:
        for name in ("meters", "visits"):
            ledger.declare(name, digest="a", budget=10_000)
        for number in range(40):
            name, long = chance.choice(["meters", "visits"]), "x" * chance.choice([1, 100, 5_000])
            asked = [NewQuestion(f"q{number}", body={"text": long})]
            ledger.settle(name, lambda books: books.charge(Cost(2), questions=asked))  # noqa: B023
        everything = list(ledger.entries())
        read: list[list[tuple[Any, ...]]] = []
        plain = pages.read_page

        def noted(*arguments: Any, **named: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 - as it takes them
            read.append(plain(*arguments, **named))
            return read[-1]

        monkeypatch.setattr(pages, "read_page", noted)
        for most, characters in ((1000, 1), (1000, 3_000), (1000, 12_000), (7, 10**6), (1, 1)):
            monkeypatch.setattr(pages, "_MOST", most)
            monkeypatch.setattr(pages, "_MOST_CHARACTERS", characters)
            for dataset in (None, "meters", "visits"):
                for after in (0, 17, 100):
                    read.clear()
                    wanted = [e for e in everything if e.seq > after and dataset in (None, e.dataset)]
                    assert list(ledger.entries(dataset, after)) == wanted
                    assert read.pop() == []
                    for page in read:
                        *all_but_last, _ = [len(row[5]) for row in page]
                        assert len(page) <= most
                        assert sum(all_but_last) < characters
