"""Tables over time: a check against a hundred earlier tables, beside the audit of all of them once."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from measure import best_of
from noiseless.curator.published_answers import check_tables
from noiseless.ledger import Ledger
from noiseless.ledger.publications import NewPublication
from noiseless.tabulations import Classification, Publication, PublishedTable
from noiseless.tabulations.audit import audit_tables
from noiseless.tabulations.promise import PublicationPromise
from noiseless.tabulations.publication import UNBOUNDED
from noiseless.tabulations.reading import read_request
from page import Form, Part, Section, Table

AREAS, AGES, ILLNESSES = 100, 20, 10
WHOM = "register"

INTRODUCTION = """\
A hundred areas published a table of ages and illnesses each, with cells withheld; one more table, areas by
illnesses, is [checked](tables-over-time.md) against all of them, read from the ledger. Beside it the audit of
all 101 tables together, once, in memory. *At least 3* asks for the number of values of each figure, too."""


def measured(form: Form) -> Iterator[Part]:
    """One line a number of earlier tables."""
    yield Table([_row(areas) for areas in ((5,) if form.small else (10, AREAS))])


def _row(areas: int) -> dict[str, Any]:
    values = np.random.default_rng(areas).integers(0, 60, (areas, AGES, ILLNESSES))
    tables, new = [_table(number, of) for number, of in enumerate(values)], _margins(values)
    with TemporaryDirectory() as folder:
        ledger = _recorded(Path(folder) / "ledger.db", tables, areas)
        alone = _publication([new], areas)

        def audit() -> None:
            assert audit_tables(_publication([*tables, new], areas)).holds, "the tables were made to pass"

        def check(at_least: int = 2) -> None:
            found = check_tables(alone, ledger=ledger, population=WHOM, at_least=at_least)
            assert found.holds, "the tables were made to pass"

        audited, plain, three = best_of(5, audit, check, lambda: check(3))
    return {
        "earlier tables": areas,
        "figures": sum(map(len, tables)),
        "audit s": audited,
        "check s": plain,
        "ratio": plain / audited,
        "at least 3 s": three,
    }


def _table(number: int, values: np.ndarray) -> PublishedTable:
    """One area with its totals; in pairs of ages two illnesses are withheld."""
    chance = np.random.default_rng(number)
    hidden = np.zeros((AGES + 1, ILLNESSES + 1), bool)
    for age in range(0, AGES, 2):
        hidden[age : age + 2, chance.choice(ILLNESSES, 2, replace=False)] = True
    figures = np.pad(values, (0, 1))
    figures[AGES, :-1], figures[:-1, ILLNESSES] = values.sum(0), values.sum(1)
    figures[AGES, ILLNESSES] = values.sum()
    labels = {
        "area": [f"area {number}"],
        "age": [*(f"age {each}" for each in range(AGES)), "All"],
        "illness": [*(f"illness {each}" for each in range(ILLNESSES)), "All"],
    }
    lower, upper = np.where(hidden, 0, figures), np.where(hidden, UNBOUNDED, figures)
    return PublishedTable.of_grid(f"area {number}", labels, lower[None], upper[None])


def _margins(values: np.ndarray) -> PublishedTable:
    figures = np.pad(values.sum(1), (0, 1))
    figures[-1, :-1], figures[:-1, -1] = values.sum((0, 1)), values.sum((1, 2))
    figures[-1, -1] = values.sum()
    labels = {
        "area": [*(f"area {each}" for each in range(len(values))), "All"],
        "illness": [*(f"illness {each}" for each in range(ILLNESSES)), "All"],
    }
    return PublishedTable.of_grid("areas", labels, figures, figures)


def _publication(tables: Sequence[PublishedTable], areas: int) -> Publication:
    sizes = {"area": areas, "age": AGES, "illness": ILLNESSES}
    known = tuple(
        Classification(name, tuple(f"{name} {each}" for each in range(size)), {"All": tuple(range(size))})
        for name, size in sizes.items()
    )
    return Publication(known, tuple(tables))


def _recorded(path: Path, tables: Sequence[PublishedTable], areas: int) -> str:
    """A ledger with one publication a table; that they may follow each other is not checked here."""
    url, entries = f"sqlite:///{path}", list[int]()
    with Ledger.open(url) as ledger:
        ledger.declare(WHOM, digest="tables", budget=None)
        for table in tables:
            made = NewPublication(read_request(_publication([table], areas)), WHOM, PublicationPromise())
            body, digest, after = made.body, made.digest, tuple(entries)
            entry = ledger.settle(
                WHOM,
                lambda books, b=body, d=digest, a=after: books.publish(d, b, by="office", after=a),  # type: ignore[misc]
            )
            assert entry is not None, "nobody else writes"
            entries.append(entry)
    return url


SECTION = Section("checks", "Tables over time", INTRODUCTION, measured)


if __name__ == "__main__":
    for areas in (10, AREAS):
        print(_row(areas))
